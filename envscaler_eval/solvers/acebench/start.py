"""The setup that gives a sample its dialogue."""

from dataclasses import dataclass, field

from inspect_ai.solver import Generate, Solver, TaskState, solver

from envscaler_eval.benchmarks.acebench.dataset import Dataset, Datasets, Language, Task
from envscaler_eval.benchmarks.acebench.dialogues import (
    OfficialDialogue,
    ProtocolName,
    Said,
    official_dialogue,
    tell,
)
from envscaler_eval.benchmarks.acebench.paper import PaperDialogue
from envscaler_eval.errors import UsageError
from envscaler_eval.solvers.acebench.policies import policies
from envscaler_eval.solvers.live import LiveSample, enter_sample, live_sample


@dataclass
class LiveDialogue(LiveSample):
    """A sample with a dialogue that is being held.

    Attributes:
        dialogue: The dialogue.
        said: What its parties have done.
    """

    dialogue: OfficialDialogue | PaperDialogue
    said: list[Said] = field(default_factory=list)

    def tell(self, said: Said) -> str | None:
        """Pass on what a party did; return what the agent is told of it, if anything."""
        self.said.append(said)
        return tell(self.dialogue, said)


def live_dialogue() -> LiveDialogue | None:
    """Return the dialogue at hand, or `None` outside of a running sample."""
    sample = live_sample()
    return sample if isinstance(sample, LiveDialogue) else None


def require_dialogue() -> LiveDialogue:
    """Return the dialogue at hand.

    Raises:
        UsageError: The task started none.
    """
    live = live_dialogue()
    if live is None:
        raise UsageError(
            "this solver needs a dialogue; use it with the task envscaler_eval/acebench_agent"
        )
    return live


@solver
def start_acebench(
    protocol: ProtocolName = "official",
    agent_language: Language | None = None,
    data_dir: str | None = None,
) -> Solver:
    """Start the sample's dialogue, on a fresh world.

    Args:
        protocol: `official` or `paper`.
        agent_language: The language in which the official protocol addresses
            multi_step agents, by default the task's.
        data_dir: The folder that holds `acebench/`; see `envscaler data`.
    """
    datasets = Datasets(data_dir)

    def dialogue(dataset: Dataset, task: Task) -> OfficialDialogue | PaperDialogue:
        if protocol == "paper":
            return PaperDialogue(dataset, task)
        prompts = datasets.get(agent_language).prompts if agent_language else None
        return official_dialogue(dataset, task, prompts)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        dataset = datasets.get(state.metadata["language"])
        task = dataset.task(state.metadata["task"])
        said: list[Said] = []
        enter_sample(
            LiveDialogue(
                name=str(state.sample_id),
                epoch=state.epoch,
                policies=policies(task, protocol, said),
                dialogue=dialogue(dataset, task),
                said=said,
            )
        )
        return state

    return solve
