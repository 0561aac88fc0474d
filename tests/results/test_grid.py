"""Labelled runs are aligned by sample, and what does not fit is refused in a line."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.results.aligning import score_grid, score_grids
from envscaler_eval.results.comparing import Accepted
from envscaler_eval.results.grid import ScoreGrid
from envscaler_eval.results.labels import LabelledLogs, by_player, from_metadata, read_labelled
from envscaler_eval.results.tables import few_clusters, remarks
from tests.results.log_files import Runs, write_log

NOTHING = Accepted()


def _grid(folder: Path, **labelled: Runs) -> ScoreGrid:
    """Return the grid of runs, a log each."""
    (grid,) = score_grids(_logs(folder, labelled), NOTHING)
    return grid


def _logs(folder: Path, labelled: Mapping[str, Runs]) -> LabelledLogs:
    arguments = []
    for label, runs in labelled.items():
        path = write_log(folder / label, runs)
        arguments.append(f"{label}={path}")
    return read_labelled(arguments, by_player)


def test_scores_are_means_over_epochs_of_the_samples_that_all_have(tmp_path: Path) -> None:
    grid = _grid(
        tmp_path,
        base={"a": [0.0, 1.0], "b": [1.0, 1.0]},
        trained={"a": [1.0, 1.0], "b": [0.0, 0.5]},
    )
    assert grid.labels == ("base", "trained")
    assert grid.samples == ("a", "b")
    assert grid.values.tolist() == [[0.5, 1.0], [1.0, 0.25]]
    assert grid.mean("base").value == 0.75
    assert grid.difference("base", "trained").value == pytest.approx(-0.125)
    assert grid.difference_of_samples("base", "trained") == {"a": 0.5, "b": -0.75}


def test_a_contrast_weighs_the_runs(tmp_path: Path) -> None:
    grid = _grid(tmp_path, none={"a": [0.1]}, few={"a": [0.6]}, many={"a": [0.7]})
    contrast = grid.contrast({"none": -1.0, "few": 2.0, "many": -1.0})
    assert contrast.value == pytest.approx(0.4)


def test_parts_of_a_task_weigh_the_same_where_its_own_figure_does(tmp_path: Path) -> None:
    metadata = {
        "a": {"category": "base", "number": "0"},
        "b": {"category": "base", "number": "1"},
        "c": {"category": "miss_func", "number": "0"},
    }
    path = write_log(
        tmp_path,
        {"a": [1.0], "b": [0.0], "c": [1.0]},
        task="envscaler_eval/bfcl_multi_turn",
        scorer="accuracy",
        sample_metadata=metadata,
    )
    logs = read_labelled([f"x={path}"], by_player)
    grid = score_grid("bfcl_multi_turn", logs.tables, NOTHING)
    assert grid.mean("x").value == pytest.approx(0.75)
    assert grid.mean("x").clusters == 2
    assert grid.parts == ("base", "miss_func")
    assert grid.part("base").mean("x").value == 0.5


def test_the_covariance_is_that_of_paired_cluster_means(tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    scores = chance.random((20, 2))
    columns = [{str(row): [float(scores[row, c])] for row in range(20)} for c in (0, 1)]
    grid = _grid(tmp_path, one=columns[0], two=columns[1])
    assert grid.covariance() == pytest.approx(np.cov(scores.T) / 20)
    assert np.sqrt(np.diag(grid.covariance())) == pytest.approx(
        [grid.mean("one").error, grid.mean("two").error]
    )


def test_missing_episodes_are_counted_and_bound_the_mean(tmp_path: Path) -> None:
    grid = _grid(
        tmp_path,
        base={"a": [0.5], "b": [RuntimeError("provider down")], "c": [1.0]},
        trained={"a": [1.0], "b": [1.0], "c": [1.0]},
    )
    assert grid.samples == ("a", "c")
    assert grid.missing["base"].episodes == 1
    assert grid.missing["base"].bounds.low == pytest.approx(0.5)
    assert grid.missing["base"].bounds.high == pytest.approx(2.5 / 3)
    assert grid.missing["trained"].episodes == 0
    told = remarks(_logs(tmp_path / "again", {"base": {"a": [1.0]}}), [grid])
    assert len(told) == 1
    assert "1 episodes of 'base' have no score; its mean is between 0.500 and 0.833" in told[0]


def test_a_sample_that_was_never_run_has_its_part_from_the_others(tmp_path: Path) -> None:
    metadata = {
        name: {"category": name[:-1], "number": name[-1]} for name in ("base0", "base1", "miss0")
    }
    arguments = [
        f"{label}="
        + str(
            write_log(
                tmp_path / label,
                {"base0": [1.0], "base1": [outcome], "miss0": [1.0]},
                task="envscaler_eval/bfcl_multi_turn",
                scorer="accuracy",
                sample_metadata=metadata,
            )
        )
        for label, outcome in (("one", None), ("two", 1.0))
    ]
    grid = score_grid("bfcl_multi_turn", read_labelled(arguments, by_player).tables, NOTHING)
    assert grid.missing["one"].episodes == 1
    assert (grid.missing["one"].bounds.low, grid.missing["one"].bounds.high) == (0.75, 1.0)


def test_an_order_that_depends_on_missing_episodes_is_told(tmp_path: Path) -> None:
    runs: dict[str, Runs] = {
        "base": {"a": [0.5], "b": [0.5]},
        "trained": {"a": [0.6], "b": [RuntimeError("provider down")]},
    }
    grid = _grid(tmp_path, **runs)
    told = remarks(_logs(tmp_path / "again", {"base": {"a": [1.0]}}), [grid])
    assert "whether 'base' or 'trained' is better depends on missing episodes" in told[1]


def test_other_samples_are_refused_unless_accepted(tmp_path: Path) -> None:
    runs: dict[str, Runs] = {
        "base": {"a": [0.0], "b": [1.0]},
        "trained": {"a": [1.0], "c": [0.0]},
    }
    logs = _logs(tmp_path, runs)
    with pytest.raises(UsageError, match="2 samples are not in the logs of all of base, trained"):
        score_grids(logs, NOTHING)
    (grid,) = score_grids(logs, Accepted(differences=True))
    assert grid.samples == ("a",)
    assert any("2 samples" in note for note in grid.notes)


def test_a_sample_twice_is_refused_unless_it_counts_as_a_trial(tmp_path: Path) -> None:
    for name, value in (("one.eval", 0.0), ("two.eval", 1.0)):
        write_log(tmp_path, {"a": [value]}, name=name)
    logs = read_labelled([f"x={tmp_path}"], by_player)
    with pytest.raises(UsageError, match="x: sample a of quiz is in"):
        score_grids(logs, NOTHING)
    (grid,) = score_grids(logs, Accepted(repeats=True))
    assert grid.values.tolist() == [[0.5]]


def test_a_score_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = write_log(tmp_path, {"a": [1.0]})
    logs = read_labelled([f"x={path}"], by_player)
    with pytest.raises(UsageError, match="there is no score 'speed'; it has judge"):
        score_grids(logs, NOTHING, "speed")


def test_no_sample_scored_in_all_runs_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no sample is scored in all of base, trained"):
        _grid(
            tmp_path,
            base={"a": [RuntimeError("down")], "b": [1.0]},
            trained={"a": [1.0], "b": [RuntimeError("down")]},
        )


def test_labels_come_from_the_metadata_or_stand_before_the_path(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": [1.0]}, name="tagged.eval", metadata={"environments": 20})
    bare = write_log(tmp_path / "bare", {"a": [0.0]})
    logs = read_labelled(
        [str(tmp_path / "tagged.eval"), f"0={bare}"], from_metadata("environments")
    )
    assert {label: len(table.rows) for label, table in logs.tables.items()} == {"20": 1, "0": 1}
    assert logs.tasks == ("quiz",)


def test_a_log_without_a_label_is_told_what_to_do(tmp_path: Path) -> None:
    path = write_log(tmp_path, {"a": [1.0]})
    with pytest.raises(UsageError, match=r"metadata has no 'environments'; evaluate with"):
        read_labelled([str(path)], from_metadata("environments"))


def test_a_path_with_an_equals_sign_is_a_path(tmp_path: Path) -> None:
    path = write_log(tmp_path / "rate=3", {"a": [1.0]}, model="acme/two")
    assert list(read_labelled([str(path)], by_player).tables) == ["acme/two"]


def test_few_clusters_are_told(tmp_path: Path) -> None:
    grid = _grid(tmp_path, x={str(sample): [1.0] for sample in range(7)})
    assert few_clusters("quiz", grid.mean("x")) == [
        "quiz: no intervals, since 7 clusters are less than 8"
    ]
    grid = _grid(tmp_path / "more", x={str(sample): [1.0] for sample in range(8)})
    assert few_clusters("quiz", grid.mean("x")) == []
