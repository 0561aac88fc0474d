"""A function over items: each done once, whatever happens on the way."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.sweep import Item, Report, Store, Work, content_key, map_items
from envscaler_eval.sweep.engines import LocalEngine
from envscaler_eval.sweep.work import FAILED, keys_in, read_result, result_name, run_item
from tests.sweep.functions import DIE, DOUBLE, REFUSE, STUMBLE, runs

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


@pytest.fixture
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of a pool find the functions of tests."""
    path = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)


def wait_until(true: Callable[[], bool]) -> None:
    """Wait for another process."""
    while not true():
        time.sleep(0.02)


def items(count: int, **more: Any) -> list[Item]:
    payloads: list[dict[str, Any]] = [{"number": number, **more} for number in range(count)]
    return [Item(content_key(payload), payload) for payload in payloads]


def mapped(work: Work, given: Sequence[Item], engine: LocalEngine | None = None) -> list[Report]:
    reports: list[Report] = []
    map_items(work, given, engine or LocalEngine(), reports.append)
    return reports


def values(store: Store, given: Sequence[Item]) -> list[int]:
    return [json.loads(store.read(result_name(item.key)))["value"] for item in given]


def test_each_item_has_its_result(store: Store) -> None:
    given = items(5)
    mapped(Work(DOUBLE, store.root), given)
    assert values(store, given) == [0, 2, 4, 6, 8]


def test_a_second_run_does_only_what_is_missing(store: Store) -> None:
    given = items(5)
    work = Work(DOUBLE, store.root)
    mapped(work, given[:3])
    assert {report.key for report in mapped(work, given)} == {item.key for item in given[3:]}
    assert [runs(item.key, store) for item in given] == [1] * 5


def test_an_item_that_is_given_twice_is_done_once(store: Store) -> None:
    given = items(1)
    mapped(Work(DOUBLE, store.root), given * 3)
    assert runs(given[0].key, store) == 1


def test_what_another_worker_has_done_meanwhile_is_not_done_again(store: Store) -> None:
    (item,) = items(1)
    work = Work(DOUBLE, store.root)
    assert run_item(work, item).status == run_item(work, item).status == "done"
    assert runs(item.key, store) == 1


def test_a_failure_is_tried_again(store: Store) -> None:
    (item,) = items(1, failures=2)
    reports = mapped(Work(STUMBLE, store.root, tries=3), [item])
    assert [report.status for report in reports] == ["failed", "failed", "done"]
    assert not keys_in(store, FAILED)


def test_an_item_is_given_up_after_its_tries_and_holds_nobody_up(store: Store) -> None:
    bad, good = items(1, failures=9) + items(1, failures=0)
    mapped(Work(STUMBLE, store.root, tries=2), [bad, good])
    assert (runs(bad.key, store), runs(good.key, store)) == (2, 1)
    note = json.loads(store.read(f"{FAILED}/{bad.key}.json"))
    assert note["message"] == "stumbled"
    assert "RuntimeError" in note["traceback"]


def test_what_a_person_must_mend_is_not_tried_again(store: Store) -> None:
    (item,) = items(1)
    (report,) = mapped(Work(REFUSE, store.root, tries=5), [item])
    assert report.final
    assert runs(item.key, store) == 1


@pytest.mark.usefixtures("_importable")
def test_a_process_that_is_killed_costs_nothing_but_a_try(store: Store) -> None:
    deadly, *others = items(1, deadly=1) + items(5)
    reports = mapped(Work(DIE, store.root), [deadly, *others], LocalEngine(2))
    assert values(store, [deadly, *others]) == [0, 0, 2, 4, 6, 8]
    assert any("killed" in report.message for report in reports)
    assert not keys_in(store, FAILED)


@pytest.mark.usefixtures("_importable")
def test_a_process_that_is_killed_again_and_again_takes_no_other_item_with_it(
    store: Store,
) -> None:
    deadly = Item(content_key("deadly"), {"number": 0, "deadly": 9})
    patient = Item(content_key("patient"), {"number": 4, "until": f"{FAILED}/{deadly.key}.json"})
    reports = mapped(Work(DIE, store.root, tries=3), [deadly, patient], LocalEngine(2))
    assert values(store, [patient]) == [8]
    assert [report.key for report in reports if report.status == "failed"] == [deadly.key] * 3
    assert (runs(deadly.key, store), runs(patient.key, store)) == (3, 1)


@pytest.mark.usefixtures("_importable")
def test_processes_end_with_the_one_that_started_them(store: Store) -> None:
    waiting = Item(content_key("waiting"), {"number": 0, "until": "never"})
    script = (
        "from envscaler_eval.sweep import *\n"
        "from envscaler_eval.sweep.engines import LocalEngine\n"
        "if __name__ == '__main__':\n"
        f"    item = Item({waiting.key!r}, {waiting.payload!r})\n"
        f"    map_items(Work({DIE!r}, {store.root!r}), [item], LocalEngine(2), print)\n"
    )
    file = Path(store.root).with_name("driver.py")
    file.write_text(script)
    driver = subprocess.Popen([sys.executable, str(file)], stdout=subprocess.PIPE)
    assert driver.stdout is not None
    with driver.stdout as told:
        wait_until(lambda: runs(waiting.key, store) == 1)
        driver.kill()
        # The pipe ends when the last process that has it does.
        assert told.read() == b""
    driver.wait()


def test_a_result_that_this_machine_does_not_see_ends_the_run(store: Store) -> None:
    class Elsewhere(LocalEngine):
        def run(self, work: Work, items: Sequence[Item], tell: Callable[[Report], None]) -> None:
            other = replace(work, store=f"{work.store}-of-another-machine")
            super().run(other, items, tell)

    with pytest.raises(UsageError, match="the result is not here; name a folder or URL that all"):
        mapped(Work(DOUBLE, store.root), items(3), Elsewhere())


def test_a_store_that_fails_for_once_is_tried_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_file, faults = os.replace, iter([OSError(5, "Input/output error")])

    def shaky(source: str, place: str) -> None:
        if "traces" in place:
            for fault in faults:
                raise fault
        replace_file(source, place)

    monkeypatch.setattr("os.replace", shaky)
    reports = mapped(Work(DOUBLE, store.root), items(1))
    assert [report.status for report in reports] == ["failed", "done"]
    assert "cannot be written: Input/output error" in reports[0].message


@pytest.mark.usefixtures("_importable")
def test_a_process_that_is_killed_with_its_last_try_is_given_up(store: Store) -> None:
    (item,) = items(1, deadly=1)
    mapped(Work(DIE, store.root, tries=1), [item], LocalEngine(2))
    assert "killed" in json.loads(store.read(f"{FAILED}/{item.key}.json"))["message"]


def test_a_file_is_whole_or_not_there(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.write("done/one.json", b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(ValueError, match="No space left"):
        store.write("done/one.json", b"new")
    assert store.read("done/one.json") == b"old"
    assert store.names("done", ".json") == ["done/one.json"]


def test_a_store_is_never_left(store: Store) -> None:
    with pytest.raises(ValueError, match="leads out"):
        store.write("../elsewhere", b"")


@pytest.mark.parametrize("content", [b"", b"[", b"[]", b"{}", b'{"number": "x"}'])
def test_a_damaged_result_is_named_with_the_remedy(store: Store, content: bytes) -> None:
    store.write(result_name("one"), content)
    with pytest.raises(UsageError, match=r"one.json: is damaged; remove it and give the command"):
        read_result(store, "one", lambda result: int(result["number"]))
