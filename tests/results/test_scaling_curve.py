"""Growth that was planted is found, with its form and its first step."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.results.document import as_text
from envscaler_eval.results.figures import write_svg
from envscaler_eval.results.scaling.curve import Curve, scaling_curves
from envscaler_eval.results.scaling.curve_figure import curves_svg
from envscaler_eval.results.scaling.report import scaling_document
from tests.results.labelled_runs import planted_grid

SATURATING = {"0": 0.20, "141": 0.62, "20": 0.50, "50": 0.58, "100": 0.61}
FLAT = dict.fromkeys(SATURATING, 0.4)


@pytest.fixture(scope="module")
def curve(tmp_path_factory: pytest.TempPathFactory) -> Curve:
    """The curve of a saturating growth."""
    (found,) = scaling_curves([planted_grid(tmp_path_factory.mktemp("logs"), SATURATING)])
    return found


def test_points_are_in_the_order_of_their_numbers(curve: Curve) -> None:
    assert [point.environments for point in curve.points] == [0, 20, 50, 100, 141]
    for point in curve.points:
        assert point.score.low is not None
        assert point.score.low < SATURATING[str(point.environments)] < (point.score.high or 0)


def test_steps_have_the_gains_that_were_planted(curve: Curve) -> None:
    assert [(step.start, step.end) for step in curve.steps] == [
        (0, 20),
        (20, 50),
        (50, 100),
        (100, 141),
    ]
    assert [step.gain.value for step in curve.steps] == pytest.approx(
        [0.30, 0.08, 0.03, 0.01], abs=0.03
    )
    assert curve.steps[0].per_ten == pytest.approx(0.15, abs=0.015)
    assert curve.steps[0].adjusted_p < 0.05


def test_the_first_step_is_held_against_all_later_ones(curve: Curve) -> None:
    assert curve.first_against_later is not None
    assert curve.first_against_later.value == pytest.approx(0.30 - 0.12, abs=0.05)
    assert curve.first_against_later.p < 0.01


def test_growth_is_significant_and_saturating(curve: Curve) -> None:
    assert curve.trend.p < 0.001
    assert curve.best == "power"


def test_no_growth_is_no_trend(tmp_path: Path) -> None:
    (flat,) = scaling_curves([planted_grid(tmp_path, FLAT, seed=3)])
    assert flat.trend.p > 0.05
    assert flat.best == "flat"


def test_p_values_are_corrected_over_benchmarks(tmp_path: Path) -> None:
    grid = planted_grid(tmp_path, {"0": 0.40, "20": 0.41, "50": 0.42}, seed=1)
    alone, (first, second) = scaling_curves([grid]), scaling_curves([grid, grid])
    assert first.adjusted_p == second.adjusted_p == min(1, 2 * alone[0].trend.p)


def test_two_points_have_a_step_and_nothing_to_hold_it_against(tmp_path: Path) -> None:
    (found,) = scaling_curves([planted_grid(tmp_path, {"0": 0.2, "20": 0.5})])
    assert found.first_against_later is None
    assert [fit.form for fit in found.forms] == ["flat"]
    assert as_text(scaling_document([found]))


@pytest.mark.parametrize("clusters", [1, 5])
def test_few_clusters_give_no_forms_and_no_intervals(tmp_path: Path, clusters: int) -> None:
    (found,) = scaling_curves([planted_grid(tmp_path, SATURATING, clusters=clusters)])
    told = as_text(scaling_document([found]))
    assert (found.forms, found.best) == ((), None)
    assert f"no intervals, since {clusters} clusters are less than 8" in told
    assert "no forms were fitted" in told


@pytest.mark.parametrize(
    ("levels", "told"),
    [
        ({"many": 0.1, "20": 0.2}, "label each with its number"),
        ({"020": 0.1, "20": 0.2}, "label each with its number"),
        ({"20": 0.1}, "only the run on 20"),
    ],
)
def test_labels_that_make_no_curve_are_refused(
    tmp_path: Path, levels: dict[str, float], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        scaling_curves([planted_grid(tmp_path, levels)])


def test_the_document_has_all_of_it_for_people_and_programs(curve: Curve) -> None:
    document = scaling_document([curve], ["a remark"])
    told = as_text(document)
    for expected in ("36 samples in 12 clusters", "0 to 20", "ceiling - gap", "a remark", "Page"):
        assert expected in told
    (numbers,) = json.loads(document.numbers)
    assert [point["environments"] for point in numbers["points"]] == [0, 20, 50, 100, 141]
    assert numbers["best"] == "power"


def test_the_figure_is_the_same_for_the_same_curves(curve: Curve) -> None:
    drawn = curves_svg([curve, curve, curve])
    assert curves_svg([curve, curve, curve]) == drawn
    texts = [node.text for node in ElementTree.fromstring(drawn).iter() if node.text]
    assert texts.count("envscaler") == 3
    assert "environments trained on" in texts


@pytest.mark.parametrize(
    ("name", "told"), [("curve.png", "ends in .svg"), ("no/curve.svg", "cannot be written")]
)
def test_a_figure_that_cannot_be_written_is_told(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        write_svg(tmp_path / name, "<svg/>")
