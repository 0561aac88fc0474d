"""Dialogues of both protocols, told by what each party did."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from envscaler_eval.benchmarks.acebench.dataset import Dataset, Task
from envscaler_eval.benchmarks.acebench.official import (
    MultiStepDialogue,
    MultiTurnDialogue,
    Speaker,
)
from envscaler_eval.benchmarks.acebench.paper import PaperDialogue
from envscaler_eval.scenario import Frozen, ToolCall
from envscaler_eval.state import state_hash

ProtocolName = Literal["official", "paper"]
OfficialDialogue = MultiStepDialogue | MultiTurnDialogue
AnyDialogue = OfficialDialogue | PaperDialogue


class Said(Frozen):
    """What a party did at its turn.

    Attributes:
        by: The party.
        text: What it said.
        call: The tool that it called natively.
        garbled: Whether it called one natively that could not be read.
    """

    by: Speaker
    text: str = ""
    call: ToolCall | None = None
    garbled: bool = False


def official_dialogue(
    dataset: Dataset, task: Task, prompts: Mapping[str, Mapping[str, str]] | None = None
) -> OfficialDialogue:
    """Start a task's dialogue in the official protocol.

    Args:
        dataset: The benchmark in the task's language.
        task: The task.
        prompts: What multi_step agents are addressed with; see `MultiStepDialogue`.
    """
    if task.kind == "multi_step":
        return MultiStepDialogue(dataset, task, prompts)
    return MultiTurnDialogue(dataset, task)


def tell(dialogue: AnyDialogue, said: Said) -> str | None:
    """Pass on what the party whose turn it is did.

    Returns:
        What the agent is told of it by the benchmark, if anything.
    """
    if not isinstance(dialogue, PaperDialogue):
        return dialogue.say(said.text)
    if said.by == "user":
        dialogue.user_says(said.text)
        return None
    if said.garbled:
        dialogue.agent_garbles()
        return None
    return dialogue.agent_acts(said.text, said.call)


def retold(
    dataset: Dataset, task: Task, protocol: ProtocolName, said: Iterable[Said]
) -> AnyDialogue:
    """Hold a dialogue again.

    Args:
        dataset: The benchmark in the task's language.
        task: The task.
        protocol: The protocol in which it was held.
        said: What was done, in order.
    """
    dialogue: AnyDialogue = (
        PaperDialogue(dataset, task) if protocol == "paper" else official_dialogue(dataset, task)
    )
    for turn in said:
        tell(dialogue, turn)
    return dialogue


def result_hash(result: list[dict[str, Any]]) -> str:
    """Return one sha256 that stands for an end state."""
    return state_hash({"result": result})
