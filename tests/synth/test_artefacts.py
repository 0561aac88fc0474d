"""Records that outlive the process that made them."""

import json
from pathlib import Path

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.synth.artefacts import Artefacts, content_key, read_records


def test_a_record_is_found_again_by_another_process(tmp_path: Path) -> None:
    with Artefacts(tmp_path) as artefacts:
        artefacts.put("things", "k", {"value": "É"})
    with Artefacts(tmp_path) as again:
        assert again.get("things", "k") == {"value": "É"}
        assert again.get("things", "other") is None


def test_what_is_there_is_not_written_again(tmp_path: Path) -> None:
    with Artefacts(tmp_path) as artefacts:
        artefacts.put("things", "k", {"value": 1})
        artefacts.put("things", "k", {"value": 2})
    assert [record["value"] for record in read_records(tmp_path, "things")] == [1]


@pytest.mark.parametrize("tail", ['{"key": "l", "va', '{"key": "l", "value": 2}', "\n"[:0] + "{"])
def test_half_a_line_at_the_end_is_made_anew(tmp_path: Path, tail: str) -> None:
    file = tmp_path / "things.jsonl"
    whole = json.dumps({"key": "k", "value": 1}) + "\n"
    file.write_text(whole + tail)
    with Artefacts(tmp_path) as artefacts:
        assert artefacts.get("things", "l") is None
        artefacts.put("things", "l", {"value": 3})
    assert [record["value"] for record in read_records(tmp_path, "things")] == [1, 3]


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "things.jsonl").write_text('{"key": "k"}\nnonsense\n')
    with Artefacts(tmp_path) as artefacts, pytest.raises(UsageError, match="line 2"):
        artefacts.get("things", "k")


def test_two_runs_do_not_write_into_one_folder(tmp_path: Path) -> None:
    with Artefacts(tmp_path), pytest.raises(UsageError, match="another run"):
        Artefacts(tmp_path)
    Artefacts(tmp_path).close()


def test_keys_depend_on_every_part() -> None:
    assert content_key("a", {"b": 1, "c": 2}) == content_key("a", {"c": 2, "b": 1})
    assert content_key("a", "b") != content_key("ab")
    assert content_key(1) != content_key("1")
