"""Reference policies as models: `policy/oracle`, `policy/noop`, `policy/random`, `policy/user`.

They go through the code path of any other model, so that every task has a known
ceiling and floor and runs offline. What they know of the sample reaches them
outside of prompts and logs. With `-M error_rate=0.3` the oracle gets that share of
its calls wrong, so that tasks can be tried with any level of skill.
"""

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from envscaler_eval.errors import UsageError
from envscaler_eval.policies import Policy, Turn, View, erring
from envscaler_eval.policies.tokens import estimated_tokens
from envscaler_eval.solvers.live import LiveSample, live_sample

_ORACLE = "oracle"


class PolicyModel(ModelAPI):
    """A model that plays a reference policy of the sample at hand."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),
        error_rate: float = 0.0,
        seed: int = 0,
        **model_args: object,
    ) -> None:
        """Name the policy; see `ModelAPI` for the other arguments.

        Args:
            model_name: The policy.
            base_url: Not used.
            api_key: Not used.
            config: Not used.
            error_rate: The share of its calls that `oracle` gets wrong, from 0 to 1.
            seed: Fixes which calls those are, together with the sample and the
                epoch.
            **model_args: None but these.

        Raises:
            UsageError: There is no such rate or argument, or the policy is not the
                oracle.
        """
        super().__init__(model_name, base_url, api_key, [], config)
        if model_args:
            unknown = ", ".join(sorted(model_args))
            raise UsageError(f"-M {unknown}: policy/{model_name} takes error_rate and seed only")
        if type(error_rate) not in (int, float) or not 0 <= error_rate <= 1:
            raise UsageError(f"error_rate is '{error_rate}'; use a number from 0 to 1")
        if error_rate and model_name != _ORACLE:
            raise UsageError(f"policy/{model_name} has no error_rate; policy/{_ORACLE} has")
        self._error_rate = error_rate
        self._seed = seed

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Return the policy's next turn.

        Raises:
            UsageError: The task at hand has no such policy.
        """
        sample = live_sample()
        if sample is None:
            raise UsageError(
                f"policy/{self.model_name} plays tasks of envscaler_eval only, and this is another"
            )
        build = sample.policies.get(self.model_name)
        if build is None:
            raise UsageError(
                f"{sample.name}: there is no policy/{self.model_name} for this task; "
                f"use one of {', '.join('policy/' + name for name in sample.policies)}"
            )
        policy = self._erring(build(), sample, tools) if self._error_rate else build()
        view = _view(input)
        return _output(self.model_name, policy(view), view, input)

    def _erring(self, policy: Policy, sample: LiveSample, tools: list[ToolInfo]) -> Policy:
        if not tools:
            raise UsageError(
                f"{sample.name}: calls are made as text here, which policy/{_ORACLE} cannot get "
                "wrong; choose the task's protocol or mode with calls through the API"
            )
        return erring(policy, self._error_rate, f"{self._seed}/{sample.name}/{sample.epoch}")

    def max_connections(self) -> int:
        """Let all samples through: answers take no time."""
        return 1000


def _view(messages: list[ChatMessage]) -> View:
    return View(
        step=sum(isinstance(message, ChatMessageAssistant) for message in messages),
        heard=[message.text for message in messages if isinstance(message, ChatMessageUser)],
        observations=[m.text for m in messages if isinstance(m, ChatMessageTool)],
    )


def _output(model: str, turn: Turn, view: View, messages: list[ChatMessage]) -> ModelOutput:
    calls = [
        ToolCall(id=f"call_{view.step}_{i}", function=call.name, arguments=dict(call.arguments))
        for i, call in enumerate(turn.calls)
    ]
    message = ChatMessageAssistant(
        content=turn.text, tool_calls=calls or None, model=model, source="generate"
    )
    read = estimated_tokens(
        sum(len(m.text) for m in messages if not isinstance(m, ChatMessageSystem))
    )
    written = estimated_tokens(
        len(turn.text) + sum(len(str(call.arguments)) for call in turn.calls)
    )
    usage = ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
    choice = ChatCompletionChoice(message=message, stop_reason="tool_calls" if calls else "stop")
    return ModelOutput(model=model, choices=[choice], usage=usage)
