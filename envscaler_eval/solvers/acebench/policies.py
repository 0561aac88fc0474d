"""Reference policies of ACEBench: oracle, no-op and a user without a model."""

from collections.abc import Callable, Mapping, Sequence

from envscaler_eval.benchmarks.acebench import oracle
from envscaler_eval.benchmarks.acebench.dataset import Task
from envscaler_eval.benchmarks.acebench.dialogues import ProtocolName, Said
from envscaler_eval.benchmarks.acebench.official import FINISH, Speaker
from envscaler_eval.benchmarks.acebench.paper import COMPLETED
from envscaler_eval.policies import Policy, Turn, View, scripted

_NOTHING_TO_ADD = "I have nothing to add; please do what I asked."
_QUESTION_MARKS = ("?", "\uff1f")


def policies(
    task: Task, protocol: ProtocolName, said: Sequence[Said]
) -> Mapping[str, Callable[[], Policy]]:
    """Return how reference policies play a task.

    Args:
        task: The task.
        protocol: The protocol in which the dialogue is held.
        said: What the parties have done, which grows. The official prompts do not
            show agents and users what they did, so that their turns are counted
            here.
    """
    official = protocol == "official"
    solution = (
        [Turn(text) for text in oracle.official_script(task)]
        if official
        else oracle.paper_script(task)
    )
    return {
        "oracle": lambda: _counting(scripted(*solution), "agent", said),
        "noop": lambda: scripted(Turn(FINISH if official else COMPLETED)),
        "user": lambda: _counting(_user(task), "user", said),
    }


def _counting(policy: Policy, by: Speaker, said: Sequence[Said]) -> Policy:
    def next_turn(view: View) -> Turn:
        step = sum(turn.by == by for turn in said)
        return policy(View(step, view.heard, view.observations))

    return next_turn


def _user(task: Task) -> Policy:
    """Return a user that tells all at once and takes anything but a question for the end."""
    question, finish = (Turn(text) for text in oracle.user_script(task))

    def next_turn(view: View) -> Turn:
        if view.step == 0:
            return question
        asked = view.heard[-1].rstrip().endswith(_QUESTION_MARKS)
        return Turn(_NOTHING_TO_ADD) if asked else finish

    return next_turn
