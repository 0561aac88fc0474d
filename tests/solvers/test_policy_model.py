"""Reference policies as models."""

import zipfile
from pathlib import Path
from statistics import fmean

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.solver import generate

from envscaler_eval.errors import UsageError
from envscaler_eval.pack import find_packs
from tests.inspect_runs import facts, only, run, score
from tests.pack_files import STATE, a_scenario, write_pack


@pytest.mark.parametrize("mode", ["non_conv", "conv"])
@pytest.mark.parametrize(("policy", "reward"), [("oracle", 1), ("noop", 0)])
def test_ceiling_and_floor_are_exact(
    policy: str, reward: int, mode: str, pack_folder: Path, tmp_path: Path
) -> None:
    sample = only(run(pack_folder, f"policy/{policy}", tmp_path, "policy/user", mode=mode))
    assert score(sample)["reward"] == score(sample)["success"] == reward


def test_chance_makes_forty_calls(pack_folder: Path, tmp_path: Path) -> None:
    sample = only(run(pack_folder, "policy/random", tmp_path))
    assert facts(sample)["calls"] == 40
    assert facts(sample)["ended_by"] == "completed"


def test_chance_is_the_same_in_every_run(pack_folder: Path, tmp_path: Path) -> None:
    one, other = (only(run(pack_folder, "policy/random", tmp_path)) for _ in range(2))
    assert one.store == other.store


def test_a_sample_of_the_library_runs_through_inspect(tmp_path: Path) -> None:
    log = run(
        ",".join(folder.name for folder in find_packs()),
        "policy/oracle",
        tmp_path,
        "policy/user",
        mode="both",
        scenarios_per_env=1,
    )
    assert log.status == "success", log.error
    assert log.samples is not None
    assert len(log.samples) == 2 * len(find_packs())
    assert {score(sample)["reward"] for sample in log.samples} == {1}


def test_forty_samples_with_one_prompt_do_not_mix(tmp_path: Path) -> None:
    scenarios = []
    for number in range(40):
        code = (
            f"def check(initial, final):\n    return final['items']['I-{number}']['quantity'] == 9"
        )
        scenarios.append(
            a_scenario(
                id=f"s{number}",
                state={
                    "items": {
                        f"I-{n}": {"name": "bolt", "quantity": 10} for n in range(number + 1)
                    },
                    "orders": {},
                    "next_order": 1,
                },
                checks=[{"about": "taken", "kind": "goal", "code": code}],
                solution=[
                    {
                        "name": "take_item",
                        "arguments": {"item_id": f"I-{number}", "quantity": 1},
                    }
                ],
            )
        )
    pack = write_pack(tmp_path, scenarios=scenarios)
    log = run(
        pack,
        "policy/oracle",
        tmp_path,
        "policy/user",
        mode="conv",
        eval_max_samples=40,
        eval_max_connections=40,
    )
    assert log.samples is not None
    assert len({sample.input for sample in log.samples if isinstance(sample.input, str)}) == 1
    assert [score(sample)["success"] for sample in log.samples] == [1] * 40


def test_neither_solution_nor_check_code_is_in_the_log(tmp_path: Path) -> None:
    code = (
        "def check(initial, final):\n    marmalade = final['items']['I-1']['quantity']\n"
        "    return marmalade == 7\n"
    )
    solution = [
        {"name": "take_item", "arguments": {"item_id": "I-1", "quantity": 3}},
        {"name": "break_down", "arguments": {"message": "pomegranate"}},
    ]
    scenario = a_scenario(
        checks=[{"about": "taken", "kind": "goal", "code": code}],
        solution=solution,
        alternatives=[solution],
    )
    pack = write_pack(tmp_path, scenarios=[scenario], states={"monday": STATE})
    log = run(pack, "policy/noop", tmp_path, "policy/user", mode="both")
    with zipfile.ZipFile(log.location) as archive:
        content = b"".join(archive.read(name) for name in archive.namelist())
    assert b"Take three bolts" in content
    for secret in (b"marmalade", b"pomegranate", b'quantity\\": 3'):
        assert secret not in content


def test_a_policy_that_the_task_does_not_have_is_refused_with_those_it_has(
    pack_folder: Path, tmp_path: Path
) -> None:
    log = run(pack_folder, "policy/genius", tmp_path)
    assert log.samples is not None and log.samples[0].error is not None
    told = log.samples[0].error.message
    assert "there is no policy/genius for this task; use one of policy/oracle" in told


def test_on_another_task_a_policy_says_what_it_plays(tmp_path: Path) -> None:
    (log,) = inspect_eval(
        Task(dataset=[Sample("hello")], solver=generate()),
        model="policy/oracle",
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.error is not None
    assert "policy/oracle plays tasks of envscaler_eval only" in log.error.message


def test_an_erring_oracle_is_worse_the_more_it_errs_and_the_same_in_every_run(
    tmp_path: Path,
) -> None:
    def rewards(error_rate: float) -> list[float]:
        player = get_model("policy/oracle", error_rate=error_rate, seed=7, memoize=False)
        log = run("hotel_operations", player, tmp_path, trials=2, scenarios_per_env=2)
        assert log.samples is not None
        return [score(sample)["reward"] for sample in log.samples]

    little, much = rewards(0.1), rewards(0.6)
    assert 1 > fmean(little) > fmean(much) > 0
    assert much == rewards(0.6)


def test_a_misspelt_argument_is_refused() -> None:
    with pytest.raises(UsageError, match="-M eror_rate: policy/oracle takes error_rate and seed"):
        get_model("policy/oracle", eror_rate=0.3, memoize=False)


@pytest.mark.parametrize(
    ("policy", "error_rate", "told"),
    [
        ("oracle", 1.5, "error_rate is '1.5'; use a number from 0 to 1"),
        ("noop", 0.3, "policy/noop has no error_rate; policy/oracle has"),
    ],
)
def test_an_error_rate_that_cannot_be_is_refused(policy: str, error_rate: float, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        get_model(f"policy/{policy}", error_rate=error_rate, memoize=False)
