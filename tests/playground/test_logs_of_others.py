"""A folder of logs as folders are: damaged, foreign and many."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log

from envscaler_eval.pack import Pack, read_pack
from tests.inspect_runs import run
from tests.pack_files import write_pack
from tests.playground.conftest import Serve
from tests.playground.visits import Visit

SAMPLE = "stock_room/restock:non_conv"


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    """A stock room."""
    return read_pack(write_pack(tmp_path))


@pytest.fixture
def log(pack: Pack, tmp_path: Path) -> EvalLog:
    """A log of the oracle."""
    return run(pack.folder, "policy/oracle", tmp_path / "made")


def _folder(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


def _open(visitor: Visit, name: str) -> dict[str, Any]:
    return visitor.post("/watch/log/open", log=name, sample=SAMPLE, epoch="1")


def test_what_is_no_log_is_told_in_a_line_without_the_folders_of_this_machine(
    serve: Serve, pack: Pack, tmp_path: Path
) -> None:
    folder = _folder(tmp_path)
    contents = {"a.eval": "no log", "b.json": "{}", "c.json": "[1, 2]", "d.json": ""}
    for name, text in contents.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "folder.eval").mkdir()
    (folder / "loop.eval").symlink_to("loop.eval")
    (folder / "dangling.eval").symlink_to("nothing.eval")
    with open(os.fsencode(folder) + b"/\xff.eval", "wb") as file:
        file.write(b"no log")
    with Visit(serve(packs=[pack], logs=folder)) as visitor:
        assert visitor.client.get("/watch").status_code == 200
        for name in contents:
            for fault in (
                visitor.post("/watch/log/samples", log=name)["fault"],
                _open(visitor, name)["fault"],
            ):
                assert fault.startswith(f"{name}: ")
                assert len(fault.splitlines()) == 1
                assert str(tmp_path) not in fault
        for name in ("folder.eval", "loop.eval", "dangling.eval", "\udcff.eval", "\ufffd.eval"):
            answer = visitor.client.post(
                "/watch/log/samples", files={"log": (None, name.encode(errors="replace"))}
            )
            assert answer.json()["fault"] == "There is no such log here."


def _damage(log: EvalLog, harm: str) -> None:
    """Make of a log what another version, or another task, would write."""
    assert log.samples is not None
    (sample,) = log.samples
    assert sample.scores is not None
    match harm:
        case "record":
            sample.store["envscaler_eval"] = {"seed": "none"}
        case "protocol":
            sample.store["envscaler_eval"]["protocol"] = "another"
        case "none":
            sample.store.clear()
        case "checks":
            sample.scores["checklist"].metadata = {"checks": [{"about": "?"}, 3], "collateral": 5}
        case "value":
            sample.scores["checklist"].value = "C"
        case "calls":
            sample.store["envscaler_eval"]["calls"] = []


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        ("record", "is of another form"),
        ("protocol", "is of another form"),
        ("none", "holds no episode"),
        ("checks", ""),
        ("value", ""),
        ("calls", ""),
    ],
)
def test_logs_of_other_versions_are_replayed_as_far_as_they_can_be(
    serve: Serve, pack: Pack, log: EvalLog, tmp_path: Path, harm: str, told: str
) -> None:
    full = read_eval_log(log.location)
    _damage(full, harm)
    write_eval_log(full, str(_folder(tmp_path) / "other.json"))
    with Visit(serve(packs=[pack], logs=tmp_path / "logs")) as visitor:
        fault = _open(visitor, "other.json")["fault"]
        assert told in fault
        assert bool(fault) == bool(told)
        if not told:
            for place in ("on", "last", "back", "first"):
                assert visitor.post("/watch/log/go", to=place)["fault"] == ""
        assert visitor.client.get("/watch").status_code == 200


def test_of_many_logs_the_newest_are_offered_and_the_page_says_so(
    serve: Serve, pack: Pack, tmp_path: Path
) -> None:
    folder = _folder(tmp_path)
    for number in range(250):
        (folder / f"log-{number}.json").write_text(json.dumps(number), encoding="utf-8")
        os.utime(folder / f"log-{number}.json", (number, number))
    with Visit(serve(packs=[pack], logs=folder)) as visitor:
        page = visitor.get("/watch")
        assert "the newest 200 of 250 logs" in page
        assert "log-249.json" in page
        assert "log-49.json" not in page
