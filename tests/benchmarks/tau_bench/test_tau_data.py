"""Finding, verifying and fetching data, without network."""

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from envscaler_eval.benchmarks.data import DataError
from envscaler_eval.benchmarks.tau_bench import data, dataset
from envscaler_eval.benchmarks.tau_bench.extraction import COPIES, extract, is_source
from envscaler_eval.cli.app import app
from envscaler_eval.errors import UsageError

ENVS = "tau_bench/envs"
USERS = '''
raise SystemExit("sources are never run")

class LLMUserSimulationEnv:
    def build_system_prompt(self, instruction):
        instruction_display = instruction or ""
        return f"""Play.{instruction_display}
{{keep}}"""

class ReactUserSimulationEnv:
    def build_system_prompt(self, instruction):
        return f"Think.{instruction_display}"

def verify(model, response, messages):
    transcript = ""
    prompt = f"Good? {transcript} {response}"
    return prompt

def reflect(model, response, messages):
    prompt = f"Why? {transcript} {response}"
    return prompt
'''
REACT = '''
REACT_INSTRUCTION = f"""Think {{"name": {RESPOND_ACTION_NAME}, "{RESPOND_ACTION_FIELD_NAME}": 1}}"""
ACT_INSTRUCTION = "Act"
'''
TASKS = """
from nowhere import Task, Action
{name} = [
    Task(annotator="7", user_id="u", instruction="Für " "all.", outputs=["1"],
         actions=[Action(name="think", kwargs={{"thought": -1.5, "deep": [None, True]}})]),
]
"""
TOOL = """
class {name}(Tool):
    @staticmethod
    def invoke(data): ...
    @staticmethod
    def get_info():
        return {{"type": "function", "function": {{"name": "{name}"}}}}
"""
INDEX = """
from .b import Beta
from .a import Alpha
ALL_TOOLS = [Beta, Alpha]
"""


@pytest.fixture
def sources() -> dict[str, bytes]:
    """A made-up upstream repository."""
    files = {path: f"copy of {path}" for path in COPIES.values()}
    for domain, splits in (("retail", ("test", "dev", "train")), ("airline", ("test",))):
        for split in splits:
            name = f"TASKS_{split.upper()}" if domain == "retail" else "TASKS"
            files[f"{ENVS}/{domain}/tasks_{split}.py"] = TASKS.format(name=name)
        files[f"{ENVS}/{domain}/rules.py"] = 'RULES = ["Be kind."]'
        files[f"{ENVS}/{domain}/tools/__init__.py"] = INDEX
        files[f"{ENVS}/{domain}/tools/a.py"] = TOOL.format(name="Alpha")
        files[f"{ENVS}/{domain}/tools/b.py"] = TOOL.format(name="Beta")
    files[f"{ENVS}/user.py"] = USERS
    files["tau_bench/agents/chat_react_agent.py"] = REACT
    return {path: text.encode() for path, text in files.items()}


def archived(place: Path, sources: Mapping[str, bytes]) -> str:
    """Write a source archive as a forge would make it, and return its address."""
    with tarfile.open(place, "w:gz") as archive:
        for path, content in {**sources, "README.md": b"not needed"}.items():
            member = tarfile.TarInfo(f"tau-bench-{data.COMMIT}/{path}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return place.as_uri()


@pytest.fixture
def archive(tmp_path: Path, sources: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> str:
    """The archive of the made-up repository, whose data is the pinned one."""
    pinned = {
        path: hashlib.sha256(content).hexdigest() for path, content in extract(sources).items()
    }
    monkeypatch.setattr(data, "manifest", lambda: pinned)
    return archived(tmp_path / "source.tar.gz", sources)


class TestExtraction:
    def test_makes_exactly_the_files_of_the_manifest(self, sources: dict[str, bytes]) -> None:
        assert set(extract(sources)) == set(data.manifest())

    def test_needs_only_what_counts_as_source(self, sources: dict[str, bytes]) -> None:
        assert all(is_source(path) for path in sources)
        assert not is_source("README.md")
        assert not is_source(f"{ENVS}/retail/tasks.py")

    def test_copies_bytes(self, sources: dict[str, bytes]) -> None:
        files = extract(sources)
        assert files["retail/users.json"] == b"copy of tau_bench/envs/retail/data/users.json"

    def test_reads_tasks(self, sources: dict[str, bytes]) -> None:
        content = extract(sources)["retail/tasks_dev.json"]
        assert "Für all." in content.decode()
        assert json.loads(content) == [
            {
                "task_index": 0,
                "annotator": "7",
                "user_id": "u",
                "instruction": "Für all.",
                "actions": [{"name": "think", "kwargs": {"thought": -1.5, "deep": [None, True]}}],
                "outputs": ["1"],
            }
        ]

    def test_reads_tools_in_the_order_of_the_index(self, sources: dict[str, bytes]) -> None:
        tools = json.loads(extract(sources)["airline/tools.json"])
        assert [tool["function"]["name"] for tool in tools] == ["Beta", "Alpha"]

    def test_reads_prompts_with_their_places(self, sources: dict[str, bytes]) -> None:
        prompts = json.loads(extract(sources)["prompts.json"])
        assert prompts["user_LLMUserSimulationEnv"] == "Play.{instruction_display}\n{keep}"
        assert prompts["verify"] == "Good? {transcript} {response}"
        assert prompts["agent_REACT_INSTRUCTION"] == 'Think {"name": respond, "content": 1}'

    @pytest.mark.parametrize(
        ("path", "content", "fault"),
        [
            (f"{ENVS}/airline/rules.py", "RULES = [", "cannot be parsed"),
            (f"{ENVS}/airline/rules.py", "RULES = [print()]", "expected a literal"),
            (f"{ENVS}/airline/rules.py", "", "no assignment to RULES"),
            (f"{ENVS}/airline/tasks_test.py", "TASKS = load()", "expected a list"),
            (f"{ENVS}/airline/tasks_test.py", "TASKS = [evil()]", r"expected Task\(\.\.\.\)"),
            (f"{ENVS}/airline/tools/a.py", "", "no definition of Alpha.get_info"),
            (f"{ENVS}/user.py", "", "no definition of LLMUserSimulationEnv"),
        ],
    )
    def test_names_what_is_not_as_expected(
        self, path: str, content: str, fault: str, sources: dict[str, bytes], tmp_path: Path
    ) -> None:
        address = archived(tmp_path / "source.tar.gz", sources | {path: content.encode()})
        with pytest.raises(DataError, match=f"not laid out as commit 59a200c6d575 .*{fault}"):
            data.fetch(tmp_path / "data", address)

    def test_names_what_is_absent(self, sources: dict[str, bytes], tmp_path: Path) -> None:
        del sources["LICENSE"]
        address = archived(tmp_path / "source.tar.gz", sources)
        with pytest.raises(DataError, match="LICENSE is absent"):
            data.fetch(tmp_path / "data", address)


class TestFetch:
    def test_installs_the_pinned_files(
        self, archive: str, tmp_path: Path, sources: dict[str, bytes]
    ) -> None:
        folder = data.fetch(tmp_path / "data", archive)
        assert folder == tmp_path / "data" / "tau_bench"
        for path, content in extract(sources).items():
            assert (folder / path).read_bytes() == content
        assert [place.name for place in folder.parent.iterdir()] == ["tau_bench"]

    def test_leaves_whole_data_alone(self, archive: str, tmp_path: Path) -> None:
        folder = data.fetch(tmp_path / "data", archive)
        assert data.fetch(tmp_path / "data", "file:///nowhere") == folder

    def test_replaces_a_half_written_folder(self, archive: str, tmp_path: Path) -> None:
        folder = data.fetch(tmp_path / "data", archive)
        (folder / "prompts.json").unlink()
        data.fetch(tmp_path / "data", archive)
        data.check(folder)

    def test_goes_to_the_cache_by_default(
        self, archive: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("ENVSCALER_DATA", raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
        expected = tmp_path / ".cache" / "envscaler-eval" / "tau_bench"
        assert data.fetch(archive_url=archive) == expected

    def test_another_content_is_not_installed(
        self, archive: str, tmp_path: Path, sources: dict[str, bytes]
    ) -> None:
        other = archived(tmp_path / "other.tar.gz", sources | {"LICENSE": b"changed"})
        with pytest.raises(DataError, match=r"LICENSE.txt: sha256 is .* expected"):
            data.fetch(tmp_path / "data", other)
        assert list((tmp_path / "data").iterdir()) == []

    def test_an_unreachable_address_is_one_line_with_a_remedy(self, tmp_path: Path) -> None:
        with pytest.raises(DataError) as caught:
            data.fetch(tmp_path / "data", (tmp_path / "none.tar.gz").as_uri())
        message = str(caught.value)
        assert "\n" not in message
        assert "none.tar.gz: cannot be downloaded" in message
        assert "ENVSCALER_DATA" in message

    @pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8b\x08\x00broken"])
    def test_a_broken_archive_is_named(self, content: bytes, tmp_path: Path) -> None:
        (tmp_path / "source.tar.gz").write_bytes(content)
        with pytest.raises(DataError, match="not a readable"):
            data.fetch(tmp_path / "data", (tmp_path / "source.tar.gz").as_uri())

    def test_a_cut_archive_is_named(self, archive: str, tmp_path: Path) -> None:
        place = tmp_path / "source.tar.gz"
        place.write_bytes(place.read_bytes()[:-300])
        with pytest.raises(DataError, match=r"not a readable tar.gz archive|not laid out"):
            data.fetch(tmp_path / "data", archive)


class TestLoad:
    def test_no_data_says_how_to_get_it(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="no Tau-Bench data; run `envscaler data fetch tau_be"):
            dataset.load("retail", tmp_path)

    def test_the_environment_variable_names_the_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ENVSCALER_DATA", str(tmp_path / "there"))
        assert data.locate() == tmp_path / "there" / "tau_bench"
        assert data.locate(tmp_path / "here") == tmp_path / "here" / "tau_bench"

    def test_damaged_data_is_refused(self, archive: str, tmp_path: Path) -> None:
        folder = data.fetch(tmp_path / "data", archive)
        (folder / "airline" / "users.json").write_text("{}")
        with pytest.raises(DataError, match=r"airline/users.json: sha256 is"):
            dataset.load("airline", tmp_path / "data")

    def test_an_unknown_domain_is_refused_with_the_known_ones(self) -> None:
        with pytest.raises(DataError, match="no domain 'telecom'; choose from retail, airline"):
            dataset.load("telecom")


def test_the_command_tells_whether_the_data_is_there(miniature_data: str) -> None:
    listed = CliRunner().invoke(app, ["data", "list"])
    assert "Tau-Bench v1" in listed.output
    assert "no Tau-Bench data" not in listed.output
    fetched = CliRunner().invoke(app, ["data", "fetch", "tau_bench"])
    assert fetched.output.strip() == str(Path(miniature_data) / "tau_bench")


def test_missing_data_is_the_persons_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="run `envscaler data fetch tau_bench`"):
        data.installed(tmp_path)


def test_a_domain_has_one_sha256(monkeypatch: pytest.MonkeyPatch) -> None:
    before = data.fingerprint("retail")
    assert before != data.fingerprint("airline")
    changed = dict(data.manifest()) | {"retail/users.json": "0" * 64}
    monkeypatch.setattr(data, "manifest", lambda: changed)
    assert data.fingerprint("retail") != before
