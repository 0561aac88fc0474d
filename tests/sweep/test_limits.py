"""No more requests in flight than providers allow, on all machines together."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.log import list_eval_logs, read_eval_log

from envscaler_eval.errors import UsageError
from envscaler_eval.sweep import SweepPlan
from envscaler_eval.sweep.engines import LocalEngine
from envscaler_eval.sweep.limits import check_limits, connections
from envscaler_eval.sweep.plan import ModelChoice
from tests.sweep.counting_server import counting_server
from tests.sweep.plans import a_plan, run_sweep, sweep_of, write_rooms


def models(*names: str, **generation: Any) -> list[ModelChoice]:
    return [ModelChoice(model=name, generation=generation) for name in names]


@given(limit=st.integers(1, 500), workers=st.integers(1, 64), rivals=st.integers(1, 3))
def test_shares_never_add_up_to_more_than_the_limit(limit: int, workers: int, rivals: int) -> None:
    players = models(*[f"acme/{number}" for number in range(rivals)])
    try:
        shares = connections(players, {"acme": limit}, workers)
    except UsageError:
        # Refused only where not even one request each would fit.
        assert workers * rivals > limit
        return
    assert all(share is not None and share >= 1 for share in shares)
    assert workers * sum(share or 0 for share in shares) <= limit


def test_the_stricter_of_two_limits_counts() -> None:
    limits = {"acme": 40, "acme/large": 4}
    assert connections(models("acme/large", "acme/small"), limits, 2) == [2, 10]


def test_without_a_limit_the_provider_is_left_alone() -> None:
    assert connections(models("acme/one"), {"other": 4}, 2) == [None]


def test_fewer_connections_may_be_asked_for_than_allowed() -> None:
    assert connections(models("acme/one", max_connections=3), {"acme": 40}, 2) == [3]


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("acme/one", "8 requests may be in flight, and 16 workers .* run at most 8 workers"),
        (
            {"model": "acme/one", "generation": {"max_connections": 5120}},
            "run at most 8 workers",
        ),
    ],
)
def test_more_in_flight_than_allowed_is_refused_before_the_start(model: Any, told: str) -> None:
    plan = SweepPlan.model_validate(
        {"tasks": ["envscaler"], "models": [model], "limits": {"acme": 8}}
    )
    with pytest.raises(UsageError, match=told):
        check_limits(plan, workers=16)


def test_connections_that_a_model_asks_for_count_for_every_worker() -> None:
    plan = SweepPlan.model_validate(
        {
            "tasks": ["envscaler"],
            "models": [{"model": "acme/one", "generation": {"max_connections": 640}}],
            "limits": {"acme": 1000},
        }
    )
    check_limits(plan, workers=1)
    with pytest.raises(UsageError, match=r"8 workers with max_connections 640 .* 5120; give 125"):
        check_limits(plan, workers=8)


def test_a_refused_plan_leaves_no_trace(tmp_path: Path) -> None:
    plan = a_plan(write_rooms(tmp_path), limits={"policy": 1})
    with pytest.raises(UsageError):
        sweep_of(plan, tmp_path / "out", workers=2)
    assert not (tmp_path / "out").exists()


def test_a_shard_runs_with_its_share(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"limits": {"policy": 6}, "roles": {"user": "policy/user"}}
    run_sweep(a_plan(write_rooms(tmp_path), models=["policy/noop"], **changes), tmp_path / "out")
    logs = [read_eval_log(log, header_only=True) for log in list_eval_logs(str(tmp_path / "out"))]
    assert len(logs) == 3
    for log in logs:
        assert log.eval.model_generate_config.max_connections == 3
        user = (log.eval.model_roles or {})["user"]
        assert re.search(r"max_connections=3\b", str(user))


def test_models_that_share_a_pool_of_connections_hold_the_least_limit(tmp_path: Path) -> None:
    # Policies have one pool, as models behind one vLLM server have.
    changes: dict[str, Any] = {
        "roles": {"user": "policy/user"},
        "limits": {"policy": 40, "policy/user": 3},
    }
    run_sweep(a_plan(write_rooms(tmp_path), models=["policy/noop"], **changes), tmp_path / "out")
    for log in list_eval_logs(str(tmp_path / "out")):
        spec = read_eval_log(log, header_only=True).eval
        assert spec.model_generate_config.max_connections == 3
        assert re.search(r"max_connections=3\b", str((spec.model_roles or {})["user"]))


def test_a_provider_of_agent_and_user_sees_no_more_than_its_limit(tmp_path: Path) -> None:
    rooms = write_rooms(tmp_path, scenarios=6)
    with counting_server(expected=8) as (address, counts):
        agent, user = (
            {
                "model": f"openai-api/served/{name}",
                "base_url": address,
                "args": {"api_key": "none"},
            }
            for name in ("agent", "user")
        )
        plan = a_plan(
            rooms,
            models=[agent],
            roles={"user": user},
            samples_per_shard=6,
            sample_limits={"message_limit": 12},
            limits={"openai-api": 8},
        )
        plan["tasks"][0]["args"]["mode"] = "conv"
        run_sweep(plan, tmp_path / "out", LocalEngine(2))
    assert counts.served > 24
    assert 2 <= counts.highest <= 8


def test_a_provider_sees_no_more_requests_than_its_limit_from_all_workers(tmp_path: Path) -> None:
    rooms = write_rooms(tmp_path, scenarios=12)
    with counting_server(expected=6) as (address, counts):
        served = {
            "model": "openai-api/served/one",
            "base_url": address,
            "args": {"api_key": "none"},
        }
        plan = a_plan(rooms, models=[served], samples_per_shard=12, limits={"openai-api": 6})
        reports = run_sweep(plan, tmp_path / "out", LocalEngine(2))
    assert [report.message for report in reports] == ["", ""]
    assert counts.served == 24
    # Each worker has three at once; both together never more than six.
    assert 3 <= counts.highest <= 6
