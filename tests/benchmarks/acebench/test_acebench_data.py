"""Data is found, fetched whole, and refused with one line if it is not right."""

import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.benchmarks.acebench import data
from envscaler_eval.benchmarks.acebench.dataset import load
from envscaler_eval.benchmarks.acebench.normalise import (
    LANGUAGES,
    SUBSETS,
    normalise,
    upstream_files,
)
from envscaler_eval.benchmarks.data import DATA_VARIABLE, DataError, data_root, install, verify

TOOL = {"name": "wink", "description": "Wink.", "parameters": {"type": "dict", "properties": {}}}
TASK = {"id": "agent_multi_step_0", "question": "\u00bfWink?", "function": [TOOL]}

PLATFORM = '''
class Helper: pass

class {name}{base}:
    """A platform."""
    def __init__(self):
        {first}
        self.boxes: dict = {{1: "one"}}
        self.size = -3

    def wink(self):
        raise SystemExit("upstream was executed")

raise SystemExit("upstream was executed")
'''


def upstream_text(path: str) -> str:
    """Return an invented file for a path of the upstream repository."""
    if path.endswith(".json"):
        return json.dumps(TASK if "possible_answer" not in path else {"id": TASK["id"]}) + "\n\n"
    if "scenarios" in path:
        names = {
            "base_api": "BaseApi",
            "message": "MessageApi",
            "reminder": "ReminderApi",
            "food_services": "FoodPlatform",
            "travel": "Travel",
        }
        name = names[Path(path).stem]
        derived = name == "MessageApi"
        return PLATFORM.format(
            name=name,
            base="(BaseApi)" if derived else "",
            first="super().__init__()" if derived else "self.first = True",
        )
    return "\n".join(
        f"{name}_{language.upper()} = '''About {name}.'''\nOTHER = 1"
        for language in LANGUAGES
        for name in ("TRAVEL_PROMPT", "BASE_PROMPT", "SOME_PROMPT")
    )


def archive(files: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return content.getvalue()


@pytest.fixture
def upstream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a writer of archives of an upstream that is pinned as it is by default."""
    texts = {path: upstream_text(path) for path in upstream_files()}
    pinned = {
        name: hashlib.sha256(content).hexdigest() for name, content in normalise(texts).items()
    }
    monkeypatch.setattr(data, "manifest", lambda: pinned)

    def write(without: str = "", **changed: str) -> str:
        files = {f"repository-abc/{path}": text for path, text in texts.items() if path != without}
        files["repository-abc/../../escaped"] = "no member is written where it says"
        files |= {f"repository-abc/{path}": text for path, text in changed.items()}
        path = tmp_path / "upstream.tar.gz"
        path.write_bytes(archive(files))
        return path.as_uri()

    return write


def test_fetching_installs_exactly_the_pinned_files(upstream: Any, tmp_path: Path) -> None:
    folder = data.fetch(tmp_path / "cache", upstream())
    installed = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert installed == set(data.manifest())
    assert data.locate(tmp_path / "cache") == folder
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["acebench"]
    assert not (tmp_path / "escaped").exists()


def test_normalised_data_is_read_from_source_and_not_run(upstream: Any, tmp_path: Path) -> None:
    folder = data.fetch(tmp_path, upstream())
    initial = json.loads((folder / "en/initial_data.json").read_text())
    assert initial["MessageApi"] == {
        "attributes": {"first": True, "boxes": {"1": "one"}, "size": -3},
        "int_keyed": ["boxes"],
    }
    tasks = json.loads((folder / f"zh/tasks_{SUBSETS[0]}.json").read_text())
    assert tasks[0]["function_names"] == ["wink"]
    assert "function" not in tasks[0]
    prompts = json.loads((folder / "zh/prompts.json").read_text())
    assert set(prompts["policy"]) == {"TRAVEL_PROMPT_ZH", "BASE_PROMPT_ZH"}
    schemas = json.loads((folder / "zh/tool_schemas.json").read_text())
    assert schemas == {"schemas": {"wink": TOOL}, "used_by": {"wink": [TASK["id"]] * 2}}


def test_a_half_written_cache_is_told_and_replaced(upstream: Any, tmp_path: Path) -> None:
    folder = data.fetch(tmp_path, upstream())
    (folder / "en/prompts.json").unlink()
    with pytest.raises(DataError, match=r"en/prompts\.json: cannot be read .*`envscaler data"):
        data.locate(tmp_path)
    data.fetch(tmp_path, upstream())
    assert data.locate(tmp_path) == folder


def test_changed_data_is_told_by_its_hash(upstream: Any, tmp_path: Path) -> None:
    folder = data.fetch(tmp_path, upstream())
    (folder / "zh/prompts.json").write_text("{}")
    with pytest.raises(DataError, match=r"zh/prompts\.json: sha256 is 44136fa355b3\.\.\., exp"):
        data.locate(tmp_path)


def test_another_upstream_is_refused_and_leaves_what_was_there(
    upstream: Any, tmp_path: Path
) -> None:
    folder = data.fetch(tmp_path, upstream())
    other = upstream(**{"model_inference/prompt_en.py": "TRAVEL_PROMPT_EN=BASE_PROMPT_EN='x'"})
    with pytest.raises(DataError, match="not laid out as commit"):
        data.fetch(tmp_path, other)
    other = upstream(**{"model_inference/prompt_en.py": "TRAVEL_PROMPT_EN='x'\nBASE_PROMPT_EN='x'"})
    with pytest.raises(DataError, match=r"en/prompts\.json: sha256 is"):
        data.fetch(tmp_path, other)
    assert data.locate(tmp_path) == folder
    assert {path.name for path in tmp_path.iterdir()} == {"acebench", "upstream.tar.gz"}


def test_an_archive_that_lacks_a_file_names_it(upstream: Any, tmp_path: Path) -> None:
    url = upstream(without="model_inference/prompt_zh.py")
    with pytest.raises(DataError, match=r"has no model_inference/prompt_zh\.py; fetch again"):
        data.fetch(tmp_path / "cache", url)
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>", "not a readable tar.gz archive"),
        (archive({"a/b": "c"})[:40], "not a readable tar.gz archive"),
        (None, "cannot be downloaded"),
    ],
    ids=["html", "cut short", "absent"],
)
def test_what_is_no_archive_is_told_in_one_line(
    content: bytes | None, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "upstream.tar.gz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        data.fetch(tmp_path / "cache", path.as_uri())
    assert path.as_uri() in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_folder_names_the_remedies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    with pytest.raises(DataError) as caught:
        load("en")
    assert str(tmp_path / "acebench") in str(caught.value)
    assert "envscaler data fetch acebench" in str(caught.value)
    assert DATA_VARIABLE in str(caught.value)


def test_data_that_is_not_the_pinned_data_is_refused(tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parent / "miniature", tmp_path / "acebench")
    with pytest.raises(DataError, match="sha256"):
        load("en", tmp_path)


def test_the_manifest_names_both_languages_in_full() -> None:
    pinned = data.manifest()
    assert len(pinned) == 14
    assert all(len(digest) == 64 for digest in pinned.values())
    assert {name.split("/")[0] for name in pinned} == set(LANGUAGES)


def test_the_root_is_what_was_given_then_the_variable_then_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    assert data_root("/elsewhere") == Path("/elsewhere")
    assert data_root() == tmp_path
    monkeypatch.setenv(DATA_VARIABLE, "")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_root() == tmp_path / ".cache" / "envscaler-eval"


def test_a_failed_build_leaves_nothing_behind(tmp_path: Path) -> None:
    def build(fresh: Path) -> None:
        (fresh / "half").write_text("written")
        raise DataError("no more")

    with pytest.raises(DataError, match="no more"):
        install(tmp_path / "thing", build)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataError, match=r"file/thing: cannot be written .* ENVSCALER_DATA"):
        install(tmp_path / "file" / "thing", lambda fresh: None)


def test_verifying_names_the_file_and_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("b")
    verify(tmp_path, {"a": hashlib.sha256(b"b").hexdigest()}, "do this")
    with pytest.raises(DataError, match=r"/a: sha256 .*; do this$"):
        verify(tmp_path, {"a": "0" * 64}, "do this")
