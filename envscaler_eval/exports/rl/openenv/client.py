"""The client: one connection is one session, with an environment of its own."""

from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient

from envscaler_eval.exports.rl.openenv.models import (
    EnvScalerAction,
    EnvScalerObservation,
    EnvScalerState,
)


class EnvScalerClient(EnvClient[EnvScalerAction, EnvScalerObservation, EnvScalerState]):
    """Plays episodes on a server; see `openenv.core.EnvClient` for its arguments.

    `reset(task=...)` or `reset(index=...)` starts one, `step(EnvScalerAction(...))` goes on.
    """

    def _step_payload(self, action: EnvScalerAction) -> dict[str, Any]:
        payload: dict[str, Any] = action.model_dump()
        return payload

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[EnvScalerObservation]:
        ending = {"done": payload.get("done", False), "reward": payload.get("reward")}
        return StepResult(
            observation=EnvScalerObservation(**{**payload["observation"], **ending}),
            metadata=payload.get("metadata"),
            **ending,
        )

    def _parse_state(self, payload: dict[str, Any]) -> EnvScalerState:
        return EnvScalerState(**payload)
