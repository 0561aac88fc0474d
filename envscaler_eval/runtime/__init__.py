"""Where environment code and checks run."""

from envscaler_eval.runtime.in_process import InProcessRuntime
from envscaler_eval.runtime.runtime import (
    EnvironmentFault,
    Judgement,
    ObservationForm,
    Outcome,
    Runtime,
    Session,
    Verdict,
)

__all__ = [
    "EnvironmentFault",
    "InProcessRuntime",
    "Judgement",
    "ObservationForm",
    "Outcome",
    "Runtime",
    "Session",
    "Verdict",
]
