"""The task from end to end, offline, on the miniature."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from envscaler_eval.errors import UsageError
from envscaler_eval.scorers import bfcl
from envscaler_eval.tasks import bfcl_multi_turn

Reply = Callable[[Sequence[ChatMessage], Sequence[ToolInfo]], Any]


class Runs:
    """Runs the task on the miniature."""

    def __init__(self, data: Path, logs: Path) -> None:
        """Say where the data is and where logs go."""
        self._data, self._logs = str(data), str(logs)

    def __call__(self, model: str | Model = "policy/oracle", **arguments: Any) -> EvalLog:
        """Run the task."""
        (log,) = inspect_eval(
            bfcl_multi_turn(data_dir=self._data, **arguments),
            model=model,
            log_dir=self._logs,
            log_realtime=False,
            display="none",
        )
        assert log.status == "success", log.error
        return log


@pytest.fixture
def runs(miniature: Path, tmp_path: Path) -> Runs:
    """Runs of the task."""
    return Runs(miniature, tmp_path / "logs")


def scripted(reply: Reply) -> Model:
    """Return a model that answers with text or with (tool, arguments) pairs."""

    def output(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, _: GenerateConfig
    ) -> ModelOutput:
        answer = reply(messages, tools)
        made = ModelOutput.from_content("scripted", answer if isinstance(answer, str) else "")
        if not isinstance(answer, str):
            made.choices[0].message.tool_calls = [
                call if isinstance(call, ToolCall) else ToolCall(str(i), call[0], call[1])
                for i, call in enumerate(answer)
            ]
        made.usage = ModelUsage()
        return made

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def values(log: EvalLog) -> dict[str, tuple[float, float]]:
    """Return accuracy and the part that passed, by sample."""
    return {
        str(sample.id): (score["accuracy"], score["envscaler_partial"])
        for sample in log.samples or []
        if isinstance(score := scored(sample).value, dict)
    }


def scored(sample: EvalSample) -> Any:
    """Return a sample's score."""
    assert sample.scores
    return sample.scores["bfcl"]


def sample(log: EvalLog, entry_id: str) -> EvalSample:
    """Return a sample."""
    return next(sample for sample in log.samples or [] if sample.id == entry_id)


def error_type(log: EvalLog, entry_id: str) -> Any:
    """Return the official error of a sample."""
    return scored(sample(log, entry_id)).metadata["error_type"]


def assistants(messages: Sequence[ChatMessage]) -> int:
    """Count generations."""
    return sum(isinstance(message, ChatMessageAssistant) for message in messages)


def turn_of(messages: Sequence[ChatMessage]) -> int:
    """Count turns of the user."""
    return sum(isinstance(message, ChatMessageUser) for message in messages)


class TestPolicies:
    @pytest.mark.parametrize("snapshot", ["v4", "v3"])
    @pytest.mark.parametrize("mode", ["fc", "prompt"])
    def test_the_oracle_passes_what_can_be_passed(
        self, runs: Runs, snapshot: str, mode: str
    ) -> None:
        log = runs(snapshot=snapshot, mode=mode)
        faulty = {"multi_turn_base_2": (0.0, 0.0)}
        assert values(log) == {name: (1.0, 1.0) for name in values(log)} | faulty
        assert len(values(log)) == 6

    def test_doing_nothing_passes_nothing(self, runs: Runs) -> None:
        log = runs("policy/noop")
        assert {accuracy for accuracy, _ in values(log).values()} == {0.0}
        assert error_type(log, "multi_turn_base_0") == "multi_turn:empty_turn_model_response"
        assert values(log)["multi_turn_miss_param_0"] == (0.0, 1 / 3)

    def test_chance_is_bound_by_the_limit_of_steps(self, runs: Runs) -> None:
        log = runs("policy/random")
        assert error_type(log, "multi_turn_base_0") == "multi_turn:force_terminated"

    def test_categories_and_their_mean_are_reported(self, runs: Runs) -> None:
        (accuracy, partial) = runs().results.scores  # type: ignore[union-attr]
        assert (accuracy.name, partial.name) == ("accuracy", "envscaler_partial")
        figures = {name: metric.value for name, metric in accuracy.metrics.items()}
        assert figures["grouped_base"] == pytest.approx(2 / 3)
        assert figures["grouped_overall"] == pytest.approx((2 / 3 + 1 + 1 + 1) / 4)

    def test_runs_are_the_same_again(self, runs: Runs) -> None:
        def told(log: EvalLog) -> list[Any]:
            return [(s.id, s.store, scored(s).metadata) for s in log.samples or []]

        assert told(runs()) == told(runs())


class TestConversation:
    def test_a_turn_has_21_generations_and_then_all_ends(self, runs: Runs) -> None:
        log = runs(scripted(lambda messages, tools: [("titles", {})]), categories="base")
        first = sample(log, "multi_turn_base_0")
        assert assistants(first.messages) == 21
        assert turn_of(first.messages) == 1
        assert scored(first).answer == "step_limit"
        assert error_type(log, "multi_turn_base_0") == "multi_turn:force_terminated"

    def test_the_limit_in_the_last_turn_is_no_failure(self, runs: Runs) -> None:
        def reply(messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Any:
            if turn_of(messages) == 1:
                done = isinstance(messages[-1], ChatMessageTool)
                return "Done." if done else [("open_ticket", {"title": "Leak", "tags": ["wet"]})]
            return [("close_ticket", {"number": 1}), ("titles", {})]

        log = runs(scripted(reply), categories="base", limit=1)
        assert assistants(sample(log, "multi_turn_base_0").messages) == 23
        assert values(log) == {"multi_turn_base_0": (1.0, 1.0)}
        assert scored(sample(log, "multi_turn_base_0")).answer == "step_limit"

    def test_calls_that_cannot_be_read_end_the_turn_unanswered(self, runs: Runs) -> None:
        bad = ToolCall("1", "titles", {}, parse_error="Error parsing: {")

        def reply(messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Any:
            return [("titles", {}), bad] if turn_of(messages) == 1 else "No."

        log = runs(scripted(reply), categories="base", limit=1)
        first = sample(log, "multi_turn_base_0")
        assert not any(isinstance(message, ChatMessageTool) for message in first.messages)
        assert assistants(first.messages) == 2
        assert scored(first).metadata["malformed"] == 1
        assert error_type(log, "multi_turn_base_0") == "multi_turn:empty_turn_model_response"

    def test_a_history_that_a_provider_refuses_is_a_failed_inference(self, runs: Runs) -> None:
        bad = ToolCall("1", "titles", {}, parse_error="Error parsing: {")

        def reply(messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Any:
            if turn_of(messages) == 1:
                return [bad]
            raise RuntimeError("400: tool_call_ids did not have response messages")

        log = runs(scripted(reply), categories="base", limit=1)
        assert error_type(log, "multi_turn_base_0") == "multi_turn:inference_error"
        assert scored(sample(log, "multi_turn_base_0")).answer == "error"

    def test_a_context_that_overflows_is_a_failed_inference(self, runs: Runs) -> None:
        def output(*_: Any) -> ModelOutput:
            made = ModelOutput.from_content("m", "", stop_reason="model_length")
            made.usage = ModelUsage()
            return made

        model = get_model("mockllm/model", custom_outputs=output, memoize=False)
        log = runs(model, categories="base", limit=1)
        assert error_type(log, "multi_turn_base_0") == "multi_turn:inference_error"
        assert scored(sample(log, "multi_turn_base_0")).answer == "context_length"

    def test_arguments_arrive_as_they_are(self, runs: Runs) -> None:
        calls = [("close_ticket", {"number": "1"}), ("titles", {"x": 1}), ("nope", {"a-b": 1.0})]

        def reply(messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Any:
            return "Done." if isinstance(messages[-1], ChatMessageTool) else calls

        log = runs(scripted(reply), categories="base", limit=1)
        told = [m.text for m in sample(log, "multi_turn_base_0").messages if m.role == "tool"]
        assert told[0] == '{"closed": "1"}'
        assert told[1].startswith("Error during execution: TicketAPI.titles() got an unexpected")
        assert told[2].startswith("Error during execution: expression cannot contain assignment")

    def test_held_out_tools_are_revealed_in_their_turn(self, runs: Runs) -> None:
        seen: list[tuple[str, list[str]]] = []

        def reply(messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Any:
            seen.append((messages[-1].text, [tool.name for tool in tools]))
            return "No."

        runs(scripted(reply), categories="miss_func")
        first = ["open_ticket", "titles", "pay", "balance"]
        assert seen == [
            ("List them.", first),
            ("Close the first one.", first),
            ("More tools. And now?", [*first, "close_ticket", "note"]),
            ("Thanks, list them.", [*first, "close_ticket", "note"]),
        ]

    def test_a_held_out_tool_works_before_it_is_revealed(self, runs: Runs) -> None:
        def reply(messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Any:
            acted = isinstance(messages[-1], ChatMessageTool)
            return "Done." if acted else [("close_ticket", {"number": 1})]

        log = runs(scripted(reply), categories="miss_func")
        told = [m.text for m in sample(log, "multi_turn_miss_func_0").messages if m.role == "tool"]
        assert told[0] == '{"closed": 1}'

    def test_calls_in_text_are_answered_in_text(self, runs: Runs) -> None:
        seen: list[Sequence[ChatMessage]] = []

        def reply(messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Any:
            seen.append(list(messages))
            assert not tools
            return "[titles(), nope(x=1)]" if messages[-1].text == "List them." else "No."

        runs(scripted(reply), categories="miss_func", mode="prompt")
        assert seen[0][0].text.startswith("You. Do. Call as [f(a=1)].")
        assert seen[1][-1].text == (
            "[{'role': 'tool', 'name': 'titles()', 'content': \"['Old']\"}, {'role': 'tool', "
            "'name': 'nope(x=1)', 'content': \"Error during execution: name 'nope' is not "
            'defined"}]'
        )
        assert seen[3][-1].text.startswith("[{'name': 'close_ticket', 'description': 'Does close")
        assert seen[3][-1].text.endswith("; more tools. And now?")


class TestRescoring:
    def test_a_saved_log_gets_the_same_scores(self, runs: Runs, miniature: Path) -> None:
        log = runs()
        again = inspect_score(log, bfcl(str(miniature)), action="overwrite", display="none")
        assert values(again) == values(log)

    def test_a_log_that_plays_differently_is_refused(self, runs: Runs, miniature: Path) -> None:
        log = runs(categories="base")
        record = (log.samples or [])[0].store["envscaler_eval"]
        record["result"][0][0] = [{"open_ticket": '{"title": "Other"}'}]
        with pytest.raises(UsageError, match="multi_turn_base_0: playing the log's calls again"):
            inspect_score(log, bfcl(str(miniature)), action="overwrite", display="none")

    def test_a_log_of_other_data_is_refused(self, runs: Runs, miniature: Path) -> None:
        log = runs(categories="base")
        (log.samples or [])[0].store["envscaler_eval"]["wheel"] = "0" * 64
        with pytest.raises(UsageError, match="was made with the wheel 000000000000"):
            inspect_score(log, bfcl(str(miniature)), action="overwrite", display="none")

    def test_logs_hold_the_official_result(self, runs: Runs) -> None:
        record = sample(runs(categories="base"), "multi_turn_base_0").store["envscaler_eval"]
        assert record["result"] == [
            [[{"open_ticket": '{"title": "Leak", "tags": ["wet"]}'}], "That is all for now."],
            [[{"close_ticket": '{"number": 1}'}, {"titles": "{}"}], "That is all for now."],
        ]


class TestParameters:
    def test_samples_tell_their_faults_and_not_their_answers(
        self, runs: Runs, miniature: Path
    ) -> None:
        task = bfcl_multi_turn(data_dir=str(miniature))
        assert task.dataset[2].metadata == {
            "category": "base",
            "number": "2",
            "snapshot": "v4",
            "turns": 1,
            "classes": ["TicketAPI", "TravelAPI"],
            "faults": ["extra_answer"],
        }

    def test_faulty_entries_can_be_left_out(self, miniature: Path) -> None:
        task = bfcl_multi_turn(data_dir=str(miniature), skip_faulty=True)
        assert [sample.id for sample in task.dataset][:3] == [
            "multi_turn_base_0", "multi_turn_base_1", "multi_turn_miss_func_0",
        ]  # fmt: skip

    def test_entries_can_be_limited(self, miniature: Path) -> None:
        task = bfcl_multi_turn("base,miss_func", data_dir=str(miniature), limit=1)
        assert [s.id for s in task.dataset] == ["multi_turn_base_0", "multi_turn_miss_func_0"]

    def test_the_papers_protocol_uses_the_papers_data(self, miniature: Path) -> None:
        task = bfcl_multi_turn(data_dir=str(miniature), protocol="paper")
        assert task.metadata and task.metadata["snapshot"] == "v3"

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            ({"categories": "best"}, "categories is 'best'; use one of base, miss_func"),
            ({"snapshot": "v5"}, "snapshot is 'v5'; use one of v4, v3"),
            ({"mode": "x"}, "mode is 'x'; use one of fc, prompt"),
            ({"protocol": "x"}, "protocol is 'x'; use one of official, paper"),
            ({"protocol": "paper", "snapshot": "v4"}, "snapshot=v3 and mode=fc"),
            ({"limit": 0}, "no entry is left with limit=0"),
        ],
    )
    def test_mistakes_are_one_line(
        self, miniature: Path, arguments: dict[str, Any], told: str
    ) -> None:
        with pytest.raises(UsageError, match=told):
            bfcl_multi_turn(data_dir=str(miniature), **arguments)
