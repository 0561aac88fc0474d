"""What a run has made, and spent."""

from pathlib import Path

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.synth.artefacts import Artefacts
from envscaler_eval.synth.funnel import kept_values, read_funnel


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run in which one item was first dropped and then, with other settings, kept."""
    with Artefacts(tmp_path) as artefacts:
        for key, item, status, more in (
            ("1", "a", "dropped", {"reason": "reads like 'Harbour' (cosine 0.9)"}),
            ("2", "b", "dropped", {"reason": "reads like 'Kennel' (cosine 0.8)"}),
            ("3", "c", "kept", {"value": {"n": 1}}),
            ("4", "a", "kept", {"value": {"n": 2}}),
        ):
            artefacts.put("stage_late", key, {"item": item, "status": status, **more})
        artefacts.put("stage_early", "1", {"item": "a", "status": "kept", "value": {}})
        artefacts.put("reasks", "1", {"step": "s", "item": "a", "attempt": 1, "reason": "no"})
    return tmp_path


def test_items_count_as_they_went_last(folder: Path) -> None:
    late = read_funnel(folder, {}).stage("late")
    assert (late.came, late.kept) == (3, 2)
    assert dict(kept_values(folder, "late")) == {"a": {"n": 2}, "c": {"n": 1}}


def test_reasons_of_one_kind_are_counted_together(folder: Path) -> None:
    assert read_funnel(folder, {}).stage("late").dropped == {"reads like": 1}


def test_stages_come_in_the_order_of_the_way(folder: Path) -> None:
    assert [s.name for s in read_funnel(folder, {}, ("late", "never")).stages] == ["late", "early"]
    assert read_funnel(folder, {}).stage("never").came == 0
    assert read_funnel(folder, {}).reasks == {"s": 1}


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no run"):
        read_funnel(tmp_path, {})
