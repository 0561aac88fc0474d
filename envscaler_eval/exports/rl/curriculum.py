"""A curriculum: the samples that a model neither always nor never solves."""

from collections.abc import Sequence
from pathlib import Path

from envscaler_eval.errors import UsageError
from envscaler_eval.exports.rl.settings import RlSettings
from envscaler_eval.exports.rl.training_set import TrainingSet
from envscaler_eval.exports.stability import read_stability


def choose(
    settings: RlSettings, band: str | None, logs: Sequence[str | Path]
) -> tuple[RlSettings, str]:
    """Keep the samples whose success rate lies in a band.

    Args:
        settings: What is exported otherwise.
        band: The band, `LOW:HIGH`; `None` keeps all.
        logs: Logs of repeated runs by the model that is to be trained.

    Returns:
        The settings with the samples chosen, and what was found, in a line.

    Raises:
        UsageError: The band is none, logs are missing or too many, or nothing is left.
    """
    if band is None:
        if logs:
            raise UsageError("logs are for --curriculum LOW:HIGH; give it, or leave them out")
        return settings, ""
    if not logs:
        raise UsageError("--curriculum needs logs of the model to train, run with -T trials=4")
    low, high = _limits(band)
    found = read_stability(logs)
    on_offer = {task.name for task in TrainingSet(settings).tasks}
    chosen = tuple(sample for sample in found.in_band(low, high) if sample in on_offer)
    measured = len(on_offer & {sample.sample for sample in found.samples})
    told = (
        f"{found.model}: {len(chosen)} of {measured} samples have a success rate in {low:g} to "
        f"{high:g}; {found.zero_variance:.0%} of all groups have no variance"
    )
    if not chosen:
        raise UsageError(f"{told}; nothing is left to train on")
    return settings.model_copy(update={"samples": chosen}), told


def _limits(band: str) -> tuple[float, float]:
    try:
        low, high = map(float, band.split(":"))
    except ValueError:
        low, high = 1.0, 0.0
    if not 0 <= low <= high <= 1:
        raise UsageError(f"curriculum is '{band}'; give two success rates such as 0.2:0.8")
    return low, high
