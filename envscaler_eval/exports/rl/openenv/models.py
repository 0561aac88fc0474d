"""What goes over the wire."""

from typing import Any, Literal

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class EnvScalerAction(Action):
    """What the model does: it calls a tool, or says something.

    Saying something ends an episode without a user. With one it is what the user hears.
    """

    type: Literal["call_tool", "say"] = Field(
        default="call_tool", description="Whether a tool is called or something is said"
    )
    tool_name: str = Field(default="", description="The tool, of those that reset has listed")
    arguments: dict[str, Any] = Field(default_factory=dict, description="The tool's arguments")
    message: str = Field(default="", description="What is said")


class EnvScalerObservation(Observation):
    """What the model sees.

    Attributes:
        text: What the tool or the user answers; empty at the end.
        messages: After a reset: the system's prompt, and the task or the user's first words.
        tools: After a reset: the tools, in the form of OpenAI's API.
    """

    text: str = ""
    messages: list[dict[str, str]] = Field(default_factory=list)
    tools: list[dict[str, Any]] = Field(default_factory=list)


class EnvScalerState(State):
    """Where an episode stands; nothing of what the checks ask.

    Attributes:
        task: What is played, `env/scenario:mode`.
        ended_by: What ended it, once it is over.
    """

    task: str | None = None
    ended_by: str | None = None
