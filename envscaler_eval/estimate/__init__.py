"""What a run will take, before it is run: calls of models, tokens and dollars."""

from envscaler_eval.estimate.dialogue import Dialogue, Generation, play_dialogue
from envscaler_eval.estimate.estimate import Assumptions, Row, estimate
from envscaler_eval.estimate.size import Size

__all__ = [
    "Assumptions",
    "Dialogue",
    "Generation",
    "Row",
    "Size",
    "estimate",
    "play_dialogue",
]
