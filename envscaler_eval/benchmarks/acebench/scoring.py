"""Scores of one run and of many, as upstream counts them.

Source: `eval_main.agent_eval`, `agent_eval_process` and `generate_result_csv`,
and `model_eval/checker.agent_checker`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envscaler_eval.benchmarks.acebench.dataset import KINDS, Kind, Task

_DIGITS = 3


@dataclass(frozen=True)
class Score:
    """The score of one run.

    Attributes:
        end_to_end: Whether the end state is the expected one.
        process: Share of the milestones reached, 1 if `end_to_end`.
        matched: Milestones matched in order, of the best alternative. Unlike
            `process` it does not depend on the end state.
        milestones: How many milestones that alternative has.
    """

    end_to_end: bool
    process: float
    matched: int
    milestones: int


@dataclass(frozen=True)
class Summary:
    """Scores of many runs, rounded to 3 digits as upstream's are.

    Attributes:
        end_to_end: End-to-end accuracy by kind, of the kinds that were run.
        process: Process accuracy by kind.
        macro: Unweighted mean of the rounded end-to-end accuracies: the official
            "agent" figure.
        micro: Share of all runs that end right, as later papers report it.
        runs: How many runs there are by kind.
    """

    end_to_end: Mapping[Kind, float]
    process: Mapping[Kind, float]
    macro: float
    micro: float
    runs: Mapping[Kind, int]


def score(task: Task, result: Sequence[Mapping[str, Any]], process: Sequence[str]) -> Score:
    """Score one run.

    Args:
        task: The task that was run.
        result: The end state in upstream's form, one `{class: attributes}` each,
            with JSON's string keys; empty if upstream would have kept none.
        process: The messages of the agent that were executed.
    """
    right = ends_right(task.ground_truth, result)
    scored = [
        (_share(matched, len(milestones)), matched, len(milestones))
        for milestones in task.alternatives
        for matched in [count_matched(milestones, process)]
    ]
    share, matched, milestones = max(scored, key=lambda alternative: alternative[0])
    if len(scored) > 1:
        # Upstream rounds the score of each alternative, and of a single list none.
        share = round(share, _DIGITS)
    return Score(right, 1.0 if right else share, matched, milestones)


def ends_right(
    ground_truth: Sequence[Mapping[str, Mapping[str, Any]]], result: Sequence[Mapping[str, Any]]
) -> bool:
    """Return whether an end state is the expected one.

    Expected classes that the result does not have are not compared, although
    their number is; misspelt classes in the data are thus never checked.

    Args:
        ground_truth: The expected state, one `{class: attributes}` each.
        result: The state that was reached, likewise.
    """
    return not mismatches(ground_truth, result)


def mismatches(
    ground_truth: Sequence[Mapping[str, Mapping[str, Any]]], result: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return what makes an end state wrong, `class.attribute` each.

    Args:
        ground_truth: As for `ends_right`.
        result: As for `ends_right`; if it has not as many classes as expected,
            nothing else is compared.
    """
    if len(ground_truth) != len(result):
        return [f"{len(result)} classes, expected {len(ground_truth)}"]
    return [
        f"{platform}.{name}"
        for expected in ground_truth
        for reached in [next((item for item in result if item.keys() == expected.keys()), {})]
        for platform, attributes in reached.items()
        for name, value in attributes.items()
        if not _attribute_right(expected[platform], name, value)
    ]


def _attribute_right(expected: Mapping[str, Any], name: str, value: Any) -> bool:
    return name in expected and _value_right(expected[name], value)


def _value_right(expected: Any, value: Any) -> bool:
    # What a dict has beyond the expected keys does not count against it.
    if isinstance(expected, dict):
        return all(key in value and value[key] == item for key, item in expected.items())
    return bool(expected == value)


def count_matched(milestones: Sequence[str], process: Sequence[str]) -> int:
    """Return how many milestones are found in order, as texts.

    Each is sought after the one before, and the first that is not found uses up
    all messages, so that none after it is found either.

    Args:
        milestones: Expected messages.
        process: The messages of the agent.
    """
    messages = iter(process)
    matched = 0
    for milestone in milestones:
        if not any(message.strip() == milestone.strip() for message in messages):
            break
        matched += 1
    return matched


def _share(matched: int, milestones: int) -> float:
    return matched / milestones if milestones else 1.0


def summarise(scores: Iterable[tuple[Kind, Score]]) -> Summary:
    """Summarise the scores of runs in one language.

    Args:
        scores: Kind and score of each run.

    Raises:
        ValueError: If there is none.
    """
    by_kind: dict[Kind, list[Score]] = {}
    for kind, scored in scores:
        by_kind.setdefault(kind, []).append(scored)
    if not by_kind:
        raise ValueError("ACEBench: no scores to summarise; run at least one task")
    kinds: list[Kind] = [kind for kind in KINDS if kind in by_kind]
    end_to_end: dict[Kind, float] = {
        kind: _mean(scored.end_to_end for scored in by_kind[kind]) for kind in kinds
    }
    return Summary(
        end_to_end=end_to_end,
        process={kind: _mean(scored.process for scored in by_kind[kind]) for kind in kinds},
        macro=_mean(end_to_end.values()),
        micro=_mean(scored.end_to_end for kind in kinds for scored in by_kind[kind]),
        runs={kind: len(by_kind[kind]) for kind in kinds},
    )


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return round(sum(listed) / len(listed), _DIGITS)
