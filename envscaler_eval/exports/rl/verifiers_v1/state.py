"""What the tool server and the host share of a rollout: the calls that were made."""

import verifiers.v1 as vf
from pydantic import BaseModel, Field, JsonValue


class Call(BaseModel):
    """A call that was made."""

    name: str
    arguments: dict[str, JsonValue]


class RolloutState(vf.State):
    """A rollout's state. An episode is a function of its calls, so that they are all of it.

    Attributes:
        task: What is played, `env/scenario:mode`.
        episode: The rollout's id.
        calls: The calls, in order.
    """

    task: str = ""
    episode: str = ""
    calls: list[Call] = Field(default_factory=list)
