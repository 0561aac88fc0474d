"""The official checker's verdict on what a model did in an entry."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envscaler_eval.benchmarks.bfcl.backends import Backends
from envscaler_eval.benchmarks.bfcl.calls import Call
from envscaler_eval.benchmarks.bfcl.data import Snapshot
from envscaler_eval.benchmarks.bfcl.dataset import Dataset, Entry, load
from envscaler_eval.benchmarks.bfcl.decoding import decode_calls
from envscaler_eval.benchmarks.bfcl.world import BfclWorld

INFERENCE_ERROR = "multi_turn:inference_error"
FORCE_TERMINATED = "multi_turn:force_terminated"
EMPTY_TURN = "multi_turn:empty_turn_model_response"
STATE_MISMATCH = "multi_turn:instance_state_mismatch"
RESPONSE_MISMATCH = "multi_turn:execution_response_mismatch"

Step = Sequence[Call | str]
"""The calls of one generation, by name and arguments or in the official form."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on an entry.

    Attributes:
        valid: Whether it is passed.
        error_type: The official name of what it failed by, if it is not.
        turns_passed: How many turns came before the first that failed. Not
            official.
        failed_class: The backend whose state is not as expected, if that is it.
    """

    valid: bool
    error_type: str | None
    turns_passed: int = field(default=0, compare=False)
    failed_class: str | None = field(default=None, compare=False)


def check(
    snapshot: Snapshot,
    entry_id: str,
    turns: Sequence[Sequence[Sequence[Mapping[str, Any]]]],
    data_dir: str | Path | None = None,
) -> Verdict:
    """Return the official verdict on the calls of a model.

    Args:
        snapshot: `v4` or `v3`.
        entry_id: The entry, such as `multi_turn_base_0`.
        turns: Turn -> step -> calls, each with `name` and `arguments`, which are
            an object or, as models write them, its JSON text. A step whose calls
            cannot be read counts as none. Anything but a list stands for an
            inference that failed.
        data_dir: A folder that holds `bfcl/`; see `data.locate`.

    Returns:
        The verdict.

    Raises:
        DataError: The data is missing or damaged, or has no such entry.
    """
    dataset = load(snapshot, data_dir)
    entry = dataset.entry(entry_id)
    if not isinstance(turns, list | tuple):
        return Verdict(False, INFERENCE_ERROR)
    decoded = [[decode_calls(step) for step in steps] for steps in turns]
    return judge(dataset, entry, decoded)


def judge(dataset: Dataset, entry: Entry, turns: Sequence[Sequence[Step]]) -> Verdict:
    """Return the official verdict on decoded calls.

    Args:
        dataset: The snapshot.
        entry: The entry.
        turns: Turn -> step -> calls. Steps without calls are ignored.
    """
    # A conversation has as many turns as the user; in one entry of v3 the answers
    # are one more, so that no result can have the right number.
    complete = len(turns) == len(entry.ground_truth) == len(entry.turns)
    verdict = _replay(dataset, entry, turns)
    if complete:
        return verdict
    # The turn in which the conversation broke off is not passed.
    passed = min(verdict.turns_passed, max(len(turns) - 1, 0))
    return Verdict(False, FORCE_TERMINATED, passed)


def _replay(dataset: Dataset, entry: Entry, turns: Sequence[Sequence[Step]]) -> Verdict:
    """Play both sides turn by turn until one check fails."""
    backends = Backends(dataset.backends, entry.long_context)
    model = BfclWorld(entry, backends)
    truth = BfclWorld(entry, backends, side="truth")
    seen: Counter[str] = Counter()
    for turn, (steps, expected) in enumerate(zip(turns, entry.ground_truth, strict=False)):
        steps = [step for step in steps if step]
        seen.update(model.execute(call) for step in steps for call in step)
        _ = truth.instances
        responses = Counter(map(truth.execute, expected))
        if not expected:
            continue
        if not steps:
            return Verdict(False, EMPTY_TURN, turn)
        if differing := _differing(model, truth):
            return Verdict(False, STATE_MISMATCH, turn, differing)
        if not responses <= seen:
            return Verdict(False, RESPONSE_MISMATCH, turn)
    return Verdict(True, None, min(len(turns), len(entry.ground_truth)))


def _differing(model: BfclWorld, truth: BfclWorld) -> str | None:
    """Return the first class whose public attributes differ, by Python's equality."""
    for name, expected in truth.instances.items():
        found = vars(model.instances[name])
        for attribute, value in vars(expected).items():
            if not attribute.startswith("_") and found.get(attribute) != value:
                return name
    return None
