"""Training modes are compared with a baseline on every benchmark."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.results.ablation import ablation_document, ablations
from envscaler_eval.results.aligning import score_grids
from envscaler_eval.results.comparing import Accepted
from envscaler_eval.results.document import as_text
from envscaler_eval.results.labels import by_player, read_labelled
from tests.results.labelled_runs import planted_grid
from tests.results.log_files import write_log

LEVELS = {"none": 0.3, "non_conv": 0.4, "conv": 0.3, "mixed": 0.5}


def test_each_mode_is_held_against_the_first(tmp_path: Path) -> None:
    (found,) = ablations([planted_grid(tmp_path, LEVELS)], None)
    by_mode = {figures.mode: figures for figures in found.modes}
    assert list(by_mode) == list(LEVELS)
    assert found.baseline == "none"
    assert by_mode["none"].difference is None
    for mode in ("non_conv", "mixed"):
        difference = by_mode[mode].difference
        assert difference is not None
        assert difference.value == pytest.approx(LEVELS[mode] - 0.3, abs=0.03)
        assert difference.p <= (by_mode[mode].adjusted_p or 0) < 0.01
    assert (by_mode["conv"].adjusted_p or 0) > 0.05


def test_another_baseline_can_be_named(tmp_path: Path) -> None:
    (found,) = ablations([planted_grid(tmp_path, LEVELS)], "mixed")
    assert [figures.mode for figures in found.modes if figures.difference is None] == ["mixed"]
    with pytest.raises(UsageError, match="there is no run of 'half'; its modes are none, non_conv"):
        ablations([planted_grid(tmp_path / "again", LEVELS)], "half")


def test_correction_is_over_modes_and_benchmarks(tmp_path: Path) -> None:
    grid = planted_grid(tmp_path, {"none": 0.40, "conv": 0.42}, seed=2)
    (alone,), many = ablations([grid], None), ablations([grid, replace(grid, task="other")], None)
    assert many[0].modes[1].adjusted_p == min(1, 2 * (alone.modes[1].adjusted_p or 0))
    difference = alone.modes[1].difference
    assert difference is not None
    assert alone.modes[1].adjusted_p == difference.p


def test_parts_stand_in_columns_as_in_the_paper(tmp_path: Path) -> None:
    metadata = {
        f"{category}{n}": {"category": category, "number": str(n)}
        for category in ("base", "miss_param")
        for n in range(4)
    }
    arguments = [
        f"{mode}="
        + str(
            write_log(
                tmp_path / mode,
                {name: [base if name.startswith("base") else other] for name in metadata},
                task="envscaler_eval/bfcl_multi_turn",
                scorer="accuracy",
                sample_metadata=metadata,
            )
        )
        for mode, base, other in (("non_conv", 1.0, 0.0), ("conv", 0.0, 1.0))
    ]
    grids = score_grids(read_labelled(arguments, by_player), Accepted())
    document = ablation_document(ablations(grids, None), ["a remark"])
    (table,) = document.tables
    assert table.headers[:3] == ("training mode", "base", "miss_param")
    assert [row[:3] for row in table.rows] == [
        ("non_conv", "1.000", "0.000"),
        ("conv", "0.000", "1.000"),
    ]
    assert "a remark" in as_text(document)
    (numbers,) = json.loads(document.numbers)
    assert numbers["modes"][0]["parts"] == {"base": 1.0, "miss_param": 0.0}
