"""Scores as numbers: which parts of a log's scores are numeric, and their names."""

from collections.abc import Iterable, Mapping
from math import isnan

from inspect_ai.log import EvalSampleSummary
from inspect_ai.scorer import Score, Value, value_to_float

_to_float = value_to_float()
_WORDS = {"yes", "no", "true", "false"}
_LETTERS = {"C", "I", "P", "N"}

Part = tuple[str, str | None]
"""A scorer, and a key of its value when that is a mapping."""


def score_names(summaries: Iterable[EvalSampleSummary]) -> dict[Part, str]:
    """Name the numeric parts of the samples' scores.

    A key of a mapping is named by itself, as Inspect does, a single value by its
    scorer. Where two scorers would share a name, the later one's is
    `scorer/name`.

    Args:
        summaries: All samples of a log.

    Returns:
        Part -> name. Parts with a value that is no number (and no C, I, P, N, yes,
        no, true or false) are left out.
    """
    numeric: dict[Part, bool] = {}
    for summary in summaries:
        for part, value in _parts(summary.scores or {}):
            numeric[part] = numeric.get(part, True) and _is_number(value)
    names: dict[Part, str] = {}
    for part in (part for part, yes in numeric.items() if yes):
        scorer, key = part
        name = key or scorer
        names[part] = name if name not in names.values() else f"{scorer}/{name}"
    return names


def score_numbers(
    scores: Mapping[str, Score] | None, names: Mapping[Part, str]
) -> dict[str, float]:
    """Return a sample's scores by name; those that were not given are left out."""
    numbers = {
        names[part]: _to_float(value) for part, value in _parts(scores or {}) if part in names
    }
    return {name: number for name, number in numbers.items() if not isnan(number)}


def _parts(scores: Mapping[str, Score]) -> Iterable[tuple[Part, Value]]:
    for scorer, score in scores.items():
        if isinstance(score.value, Mapping):
            for key, value in score.value.items():
                if value is not None:
                    yield (scorer, key), value
        else:
            # A score left out (NaN) stands for all keys of a scorer whose value is a mapping.
            if not (isinstance(score.value, float) and isnan(score.value)):
                yield (scorer, None), score.value


def _is_number(value: Value) -> bool:
    if isinstance(value, str):
        return value in _LETTERS or value.lower() in _WORDS or _parses(value)
    return isinstance(value, int | float)


def _parses(text: str) -> bool:
    try:
        return not isnan(float(text))
    except ValueError:
        return False
