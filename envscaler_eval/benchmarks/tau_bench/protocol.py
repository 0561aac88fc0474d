"""Upstream's rules for a trial: what ends it, and what a reply is.

Source: `tau_bench/envs/base.py`, `tau_bench/agents/tool_calling_agent.py`.
"""

import json
from collections.abc import Mapping
from typing import Any

MAX_STEPS = 30
"""Generations of the agent, tool calls and replies alike."""

AGENT_TEMPERATURE = 0.0

STOP_TOKEN = "###STOP###"
"""What the simulated user says when the goal is met."""

RESPOND = "respond"
"""The action that is a reply to the user."""

TERMINATING_TOOLS = frozenset({"transfer_to_human_agents"})
"""Tools whose call ends a trial, even when the call fails."""


class AgentFault(Exception):
    """The agent produced what upstream's harness does not survive: the trial scores 0."""


def user_stops(message: str) -> bool:
    """Tell whether a message of the simulated user ends the trial.

    The user's first message is not put to this test.
    """
    return STOP_TOKEN in message


def ends_trial(name: str) -> bool:
    """Tell whether the call of a tool ends the trial."""
    return name in TERMINATING_TOOLS


def parsed_arguments(text: str) -> Mapping[str, Any]:
    """Parse the arguments of a native tool call.

    Args:
        text: What the model wrote.

    Returns:
        The JSON object.

    Raises:
        AgentFault: It is none.
    """
    try:
        arguments = json.loads(text)
    except ValueError as error:
        raise AgentFault(f"arguments are not JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise AgentFault(f"arguments are a JSON {type(arguments).__name__}, not an object")
    return arguments
