"""Solutions that reach the expected end state of every task.

They are the milestones of the data, with quoting mended, and for the tasks whose
milestones do not reach that state, with the changes below.
"""

import re
from dataclasses import dataclass

from envscaler_eval.benchmarks.acebench.calls import parse_calls
from envscaler_eval.benchmarks.acebench.dataset import Task
from envscaler_eval.benchmarks.acebench.official import FINISH
from envscaler_eval.benchmarks.acebench.paper import COMPLETED
from envscaler_eval.policies import Turn
from envscaler_eval.scenario import ToolCall

_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")


@dataclass(frozen=True)
class Replacement:
    """A text of the milestones, and what stands for it."""

    old: str
    new: str


@dataclass(frozen=True)
class Insertion:
    """A message that goes before the first call of a tool."""

    before: str
    message: str


Change = Replacement | Insertion

_LOG_IN_DEVICE = "[login_device()]"

# The menu has another name for the dish.
_REAL_DISH = (Replacement("'Super Supreme'", "'Super Supreme Pizza'"),)
# Ordering needs a login that the milestones lack.
_LOG_IN_TO_ORDER = (
    Insertion(
        "add_food_delivery_order", "[login_food_platform(username='Helen', password='password321')]"
    ),
)
# The instruction and the end state want the latest message deleted, not the earliest.
_DELETE_LATEST = (
    Replacement("get_earliest_message_id", "get_latest_message_id"),
    Replacement("message_id=3", "message_id=4"),
)
# The device is locked at the start.
_UNLOCK_FOR_REMINDER = (Insertion("view_reminder_by_title", _LOG_IN_DEVICE),)
_UNLOCK_FOR_MESSAGES = (Insertion("view_messages_between_users", _LOG_IN_DEVICE),)


def _changes(task: Task) -> tuple[Change, ...]:
    match task.language, task.id:
        case "en", "agent_multi_step_0" | "agent_multi_step_1":
            return _REAL_DISH
        case _, "agent_multi_step_12" | "agent_multi_step_13":
            return _LOG_IN_TO_ORDER
        case "en", "agent_multi_step_16":
            return _UNLOCK_FOR_REMINDER + _DELETE_LATEST
        case _, (
            "agent_multi_step_14"
            | "agent_multi_step_15"
            | "agent_multi_step_16"
            | "agent_multi_step_17"
        ):
            return _DELETE_LATEST
        case _, "agent_multi_turn_6":
            return _UNLOCK_FOR_MESSAGES
    return ()


def messages(task: Task) -> tuple[str, ...]:
    """Return the calls that solve a task, as official message texts.

    Args:
        task: The task.
    """
    solution = [mended(milestone) for milestone in task.alternatives[0]]
    for change in _changes(task):
        if isinstance(change, Replacement):
            solution = [message.replace(change.old, change.new) for message in solution]
        else:
            place = next(
                index
                for index, message in enumerate(solution)
                if message.startswith(f"[{change.before}(")
            )
            solution.insert(place, change.message)
    return tuple(solution)


def calls(task: Task) -> tuple[ToolCall, ...]:
    """Return the calls that solve a task, one by one.

    Args:
        task: The task.
    """
    return tuple(
        ToolCall(name=call.name, arguments=dict(call.arguments))
        for message in messages(task)
        for call in parse_calls(message)
    )


def official_script(task: Task) -> tuple[str, ...]:
    """Return all that an agent says to solve a task in the official protocol.

    Args:
        task: The task.
    """
    return (*messages(task), FINISH)


def paper_script(task: Task) -> tuple[Turn, ...]:
    """Return all that an agent does to solve a task in the paper's protocol.

    Args:
        task: The task. In multi_turn, the last action is a message that the user
            answers by ending the dialogue.
    """
    return (*(Turn(calls=(call,)) for call in calls(task)), Turn(COMPLETED))


def user_script(task: Task) -> tuple[str, ...]:
    """Return what a user says for whom the oracle solves a multi_turn task.

    Args:
        task: The task.
    """
    return (task.question, FINISH)


def mended(milestone: str) -> str:
    """Return a milestone as a valid call: apostrophes in words end no text.

    Args:
        milestone: A milestone of the data.
    """
    if _is_valid(milestone.strip()):
        return milestone.strip()
    return _APOSTROPHE.sub(r"\\'", milestone.strip())


def _is_valid(message: str) -> bool:
    try:
        parse_calls(message)
    except ValueError:
        return False
    return True
