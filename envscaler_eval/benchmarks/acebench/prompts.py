"""What models are shown, from the benchmark's own prompts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from envscaler_eval.benchmarks.acebench.dataset import Dataset, Task
from envscaler_eval.benchmarks.acebench.texts import Texts

_SYSTEM = "MULTI_TURN_AGENT_PROMPT_SYSTEM"
_USER = "MULTI_TURN_AGENT_PROMPT_USER"

# How policies tell agents to write calls: a section of its own, and a clause.
_CALL_FORMAT_SECTION = re.compile(r"\n\n[^\n]*\n[^\n]*\[ApiName\([^\n]*\n+")
_CALL_FORMAT_CLAUSE = re.compile(
    r"(?: [^.\n]*|\uff0c[^\uff0c\n]*\uff0c[^\uff0c\n]*)\[ApiName\([^\n]*\]\.?"
)


@dataclass(frozen=True)
class ChatMessage:
    """A message to a model.

    Attributes:
        role: Who says it, as chat models are told.
        content: What is said.
    """

    role: Literal["system", "user", "assistant"]
    content: str


def multi_step_prompt(
    prompts: Mapping[str, Mapping[str, str]], dataset: Dataset, task: Task, history: str
) -> list[ChatMessage]:
    """Return what a multi_step agent is shown.

    Args:
        prompts: The prompts of the language that the agent is addressed in.
        dataset: The benchmark in the task's language.
        task: The task.
        history: The question and the observations so far, a line each.
    """
    section = prompts["multi_step_agent"]
    return [
        ChatMessage("system", section[_SYSTEM]),
        ChatMessage("user", _with_tools(section[_USER], dataset, task, history)),
    ]


def multi_turn_prompt(dataset: Dataset, task: Task, history: str) -> list[ChatMessage]:
    """Return what a multi_turn agent is shown.

    Args:
        dataset: The benchmark in the task's language.
        task: The task.
        history: All messages so far, a line each.
    """
    section = dataset.prompts["multi_turn_agent"]
    return [
        ChatMessage("system", section[_SYSTEM] + policy(dataset, task)),
        ChatMessage("user", _with_tools(section[_USER], dataset, task, history)),
    ]


def policy(dataset: Dataset, task: Task) -> str:
    """Return the rules that multi_turn agents are given for the task's platforms.

    Args:
        dataset: The benchmark in the task's language.
        task: The task.
    """
    section = dataset.prompts["policy"]
    travel = section["TRAVEL_PROMPT"] if "Travel" in task.classes else ""
    phone = section["BASE_PROMPT"] if "BaseApi" in task.classes else ""
    return travel + phone


def policy_without_call_format(dataset: Dataset, task: Task) -> str:
    """Return the same rules for agents that call tools natively.

    Args:
        dataset: The benchmark in the task's language.
        task: The task.

    Returns:
        The rules without what they say about writing calls, as EnvScaler gives
        them (its `acebench_envs/env_introduction.py`).
    """
    return _CALL_FORMAT_CLAUSE.sub("", _CALL_FORMAT_SECTION.sub("\n\n", policy(dataset, task)))


def user_prompt(dataset: Dataset, task: Task) -> list[ChatMessage]:
    """Return what the simulated user is shown before its first message.

    Args:
        dataset: The benchmark in the task's language.
        task: The task, whose question is the user's instruction.
    """
    name = "SYSTEM_PROMPT_BASE" if "BaseApi" in task.classes else "SYSTEM_PROMPT_TRAVEL"
    template = dataset.prompts["user_simulator"][name]
    return [
        ChatMessage("system", template.format(instruction=task.question)),
        ChatMessage("user", Texts(dataset.language)("simulator.greeting")),
    ]


def _with_tools(template: str, dataset: Dataset, task: Task, history: str) -> str:
    functions = [dataset.schemas[name] for name in task.tool_names]
    return template.format(functions=functions, history=history)
