"""Models on the same samples: who wins, how often, and whether it is chance."""

from dataclasses import replace
from pathlib import Path

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.results.aligning import score_grids
from envscaler_eval.results.comparing import Accepted
from envscaler_eval.results.document import as_text
from envscaler_eval.results.labels import by_player, read_labelled
from envscaler_eval.results.probe.figures import probe_document, probes
from envscaler_eval.results.probe.running import ProbeRun, choose_scenarios, make_models, run_probe
from tests.results.labelled_runs import planted_grid
from tests.results.log_files import write_log


def test_wins_are_counted_by_sample_and_ties_count_half(tmp_path: Path) -> None:
    scores = {"strong": [1.0, 1.0, 0.5, 0.5], "middle": [1.0, 0.0, 0.5, 0.0], "weak": [0.0] * 4}
    arguments = [
        f"{name}={write_log(tmp_path / name, {f's{i}': [v] for i, v in enumerate(values)})}"
        for name, values in scores.items()
    ]
    (grid,) = score_grids(read_labelled(arguments, by_player), Accepted())
    (found,) = probes(grid, in_order=False)
    wins = {figures.model: figures.wins for figures in found.models}
    # strong: against middle 2 won, 2 tied; against weak 4 won.
    assert wins == {
        "strong": pytest.approx((2 + 2 / 2 + 4) / 8),
        "middle": pytest.approx((2 / 2 + 2 + 2 / 2) / 8),
        "weak": pytest.approx((2 / 2) / 8),
    }
    assert {figures.model: figures.solved for figures in found.models} == {
        "strong": 0.5,
        "middle": 0.25,
        "weak": 0.0,
    }
    duel = found.duels[0]
    assert (duel.better, duel.other, duel.won, duel.tied) == ("strong", "middle", 0.5, 0.5)
    assert found.order is None


def test_an_order_that_holds_is_significant_pair_by_pair_and_whole(tmp_path: Path) -> None:
    grid = planted_grid(tmp_path, {"weak": 0.2, "middle": 0.35, "strong": 0.5})
    (found,) = probes(grid, in_order=True)
    assert found.order is not None
    assert found.order.p < 0.001
    assert {(duel.better, duel.other) for duel in found.duels} == {
        ("middle", "weak"),
        ("strong", "weak"),
        ("strong", "middle"),
    }
    for duel in found.duels:
        assert duel.difference.p <= duel.adjusted_p < 0.01
    assert {figures.steps for figures in found.models} == {10}
    told = as_text(probe_document([found], ["a remark"]))
    for expected in ("two by two", "by Page's test", "a remark"):
        assert expected in told


def test_the_wrong_order_is_not_significant(tmp_path: Path) -> None:
    (found,) = probes(planted_grid(tmp_path, {"strong": 0.5, "weak": 0.3, "middle": 0.4}), True)
    assert found.order is not None
    assert found.order.p > 0.05


def test_modes_are_told_apart(tmp_path: Path) -> None:
    metadata = {f"{mode}{n}": {"env": f"e{n}", "mode": mode} for mode in "ab" for n in range(3)}
    arguments = [
        f"{name}="
        + str(
            write_log(
                tmp_path / name,
                {sample: [value] for sample in metadata},
                task="envscaler_eval/envscaler",
                scorer="reward",
                sample_metadata=metadata,
            )
        )
        for name, value in (("one", 0.0), ("two", 1.0))
    ]
    (grid,) = score_grids(read_labelled(arguments, by_player), Accepted())
    assert [found.name for found in probes(grid, False)] == ["envscaler, a", "envscaler, b"]


def test_one_model_is_no_probe(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="alone is the only model; add another"):
        probes(planted_grid(tmp_path, {"alone": 0.5}), False)


def _run(count: int, seed: int = 0) -> ProbeRun:
    return ProbeRun((), count, "both", seed, 1, None, Path("logs"))


def test_scenarios_are_chosen_at_random_and_alike_in_each_mode() -> None:
    samples = [
        {"env": f"e{env}", "scenario": f"s{n}", "mode": mode}
        for mode in ("non_conv", "conv")
        for env in range(10)
        for n in range(10)
    ]
    chosen = choose_scenarios(samples, _run(50))
    assert len(chosen) == 50
    assert chosen == choose_scenarios(samples[::-1], _run(50))
    assert chosen != choose_scenarios(samples, _run(50, seed=1))
    assert len(choose_scenarios(samples, _run(500))) == 100


def test_models_are_made_from_names_and_specs() -> None:
    first, second = make_models(
        ["policy/noop"], ["{model: policy/oracle, model_args: {error_rate: 0.2}, temperature: 0.5}"]
    )
    assert str(first) == "policy/noop"
    assert second.model_args == {"error_rate": 0.2}
    assert second.config.temperature == 0.5


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("policy/oracle", "it is no mapping with 'model'"),
        ("{temperature: 1}", "it is no mapping with 'model'"),
        ("{model: policy/oracle, heat: 1}", "heat: 1}': Unknown GenerateConfig field.*heat"),
        ("{model: policy/oracle, model_args: 3}", "write such as"),
        ("{model: [", "model spec"),
    ],
)
def test_a_spec_that_is_none_is_told(spec: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        make_models([], [spec])


@pytest.mark.parametrize(
    ("name", "told"),
    [("nobody/x", "model 'nobody/x': .*not recognized"), ("openai/gpt-4.1", "OPENAI_API_KEY")],
)
def test_a_model_that_cannot_be_had_is_told_in_a_line(
    monkeypatch: pytest.MonkeyPatch, name: str, told: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match=told) as fault:
        make_models([name], [])
    assert "\n" not in fault.value.message


def test_a_conversation_wants_a_user() -> None:
    with pytest.raises(UsageError, match="mode both needs a model for the user; add --user MODEL"):
        run_probe(make_models(["policy/noop"], []), _run(5))


def test_a_user_that_cannot_be_had_is_told_in_a_line() -> None:
    run = replace(_run(5), mode="conv", user="nobody/x")
    with pytest.raises(UsageError, match=r"model 'nobody/x': .*not recognized") as fault:
        run_probe(make_models(["policy/noop"], []), run)
    assert "\n" not in fault.value.message
