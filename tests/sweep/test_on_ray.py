"""Sweeps, audits and synthesis on a Ray cluster of several nodes, one of which is lost.

Run by `make test-ray`, where Ray is installed.
"""

import sys
from pathlib import Path

import pytest

from envscaler_eval.audit import Selection, audit_packs
from envscaler_eval.errors import UsageError
from envscaler_eval.sweep import Item, Report, Store, Work, map_items
from envscaler_eval.sweep.audit_run import audit_over
from envscaler_eval.sweep.engines import RayEngine
from envscaler_eval.sweep.status import sweep_status
from envscaler_eval.sweep.work import DONE, keys_in, read_failure
from tests.audit.tool_shed import write_pack as write_shed
from tests.sweep.functions import DIE, DOUBLE, runs
from tests.sweep.plans import a_plan, run_sweep, sweep_of, table_of, write_rooms
from tests.sweep.synth_runs import files, generated, generated_alone, write_session

REPOSITORY = Path(__file__).parents[2]


def test_without_ray_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install 'envscaler-eval\[ray\]'"):
        run_sweep(a_plan(write_rooms(tmp_path)), tmp_path / "sweep", RayEngine(2))


def test_a_node_that_is_killed_in_the_middle_changes_no_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray", reason="the extra `ray` is not installed; `make test-ray` has it")
    from tests.sweep.ray_clusters import cluster

    # Nodes are started here: they find the tests' modules as this process does.
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    plan = a_plan(write_rooms(tmp_path, scenarios=12), samples_per_shard=2)
    run_sweep(plan, tmp_path / "alone")
    sweep = sweep_of(plan, tmp_path / "ray", workers=2)
    reports: list[Report] = []
    with cluster(nodes=2) as (made, nodes):

        def lose(report: Report) -> None:
            reports.append(report)
            if len(reports) == len(sweep.items) // 3:
                made.remove_node(nodes[0], allow_graceful=False)

        map_items(sweep.work, sweep.items, RayEngine(2), lose)
    assert len(sweep.items) == 24
    assert sweep_status(str(tmp_path / "ray")).is_complete
    assert table_of(tmp_path / "ray") == table_of(tmp_path / "alone")


def test_an_audit_on_a_cluster_has_the_cards_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray", reason="the extra `ray` is not installed; `make test-ray` has it")
    from tests.sweep.ray_clusters import cluster

    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    selections = [Selection(write_shed(tmp_path))]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "alone"))
    alone = audit_packs(selections, 2)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "ray"))
    with cluster(nodes=2):
        outcome = audit_over(selections, RayEngine(2), Store(str(tmp_path / "store")))
    assert len(keys_in(Store(str(tmp_path / "store")), DONE)) == 4
    assert list(outcome.cards) == alone


def test_a_synthesis_on_a_cluster_has_the_packs_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray", reason="the extra `ray` is not installed; `make test-ray` has it")
    from tests.sweep.ray_clusters import cluster

    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    model = write_session(tmp_path / "kilns.jsonl")
    assert not generated_alone(tmp_path / "alone", model)
    with cluster(nodes=2):
        outcome = generated(tmp_path / "ray", model, RayEngine(2))
    assert not outcome.missing
    assert len(keys_in(Store(str(tmp_path / "ray" / "work")), DONE)) == 2
    assert files(tmp_path / "ray" / "packs") == files(tmp_path / "alone" / "packs")


def test_a_worker_that_dies_costs_a_try_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray", reason="the extra `ray` is not installed; `make test-ray` has it")
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    store, reports = Store(str(tmp_path / "store")), list[Report]()
    once, ever = Item("once", {"number": 1, "deadly": 1}), Item("ever", {"number": 1, "deadly": 9})
    map_items(Work(DIE, store.root, tries=2), [once, ever], RayEngine(2), reports.append)
    assert keys_in(store, DONE) == {"once"}
    assert (runs("once", store), runs("ever", store)) == (2, 2)
    assert read_failure(store, "ever").message.startswith("its worker was lost: ")
    assert all("\n" not in report.message for report in reports)


def test_a_store_that_a_worker_cannot_write_ends_the_run_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray", reason="the extra `ray` is not installed; `make test-ray` has it")
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    store = Store(str(tmp_path / "store"))
    store.write("done", b"a file where the folder of results should be")
    with pytest.raises(UsageError, match="cannot be written") as refusal:
        map_items(Work(DOUBLE, store.root), [Item("one", {"number": 1})], RayEngine(1), print)
    assert "\n" not in refusal.value.message


def test_more_memory_than_there_is_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="the extra `ray` is not installed; `make test-ray` has it")
    work = Work(DOUBLE, str(tmp_path / "store"))
    with pytest.raises(UsageError, match=r"--memory-gb 100000: this machine has .* ask for less"):
        map_items(work, [Item("one", {"number": 1})], RayEngine(1, memory_gb=1e5), print)


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:9", "127.0.0.1:99999"])
def test_a_cluster_that_cannot_be_reached_is_told_in_one_line(tmp_path: Path, address: str) -> None:
    pytest.importorskip("ray", reason="the extra `ray` is not installed; `make test-ray` has it")
    with pytest.raises(UsageError, match="name a cluster that runs with --ray-address") as refusal:
        run_sweep(a_plan(write_rooms(tmp_path)), tmp_path / "sweep", RayEngine(2, address=address))
    assert "\n" not in refusal.value.message
