"""Programs that reach for the host's files."""

from pathlib import Path

import pytest

from tests.hostile.arena import attack, attacked, environment, program, says

REFUSED = r"attack raised PermissionError: \[Errno 1\] Operation not permitted"

READS = {
    "the password file": "open('/etc/passwd').read()",
    "the user's home": "import os; os.listdir(os.path.expanduser('~root'))",
    "the root folder": "import os; os.scandir('/')",
    "the host's environment variables": "open('/proc/1/environ').read()",
    "its own process's secrets": "open('/proc/self/environ').read()",
    "the memory of its parent": "import os; open(f'/proc/{os.getppid()}/mem', 'rb')",
    "the package's scenarios": "import os; os.open('/work', os.O_RDONLY)",
    "a raw disk": "open('/dev/vda', 'rb')",
    "a symbolic link": "import os; os.readlink('/proc/self/exe')",
}


@pytest.mark.parametrize("reach", READS.values(), ids=READS)
def test_reading_is_refused_and_the_agent_is_told(reach: str) -> None:
    observation = attack(program(f"{reach}\nreturn {{'success': True}}"))
    assert says(observation, r"attack raised PermissionError")


def test_environment_variables_are_empty() -> None:
    observation = attack(program("import os; return {'seen': dict(os.environ)}"))
    assert observation == '{"seen": {}}'


@pytest.mark.parametrize(
    "reach",
    [
        "open({path!r}, 'w').write('x')",
        "import os; os.mkdir({path!r})",
        "import os; os.symlink('/etc', {path!r})",
        "import sqlite3; sqlite3.connect({path!r}).execute('create table t (x)')",
    ],
)
def test_writing_outside_is_refused(reach: str, tmp_path: Path) -> None:
    target = tmp_path / "outside"
    observation = attack(program(reach.format(path=str(target)) + "\nreturn {'success': True}"))
    assert says(observation, "attack raised (PermissionError|OperationalError)")
    assert not target.exists()


def test_deleting_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("x")
    assert says(attack(program(f"import os; os.remove({str(target)!r})")), REFUSED)
    assert target.exists()


def test_working_folder_is_empty_and_nameless() -> None:
    assert says(attack(program("import os; return {'here': os.listdir('.')}")), "PermissionError")


def test_a_module_that_is_not_loaded_cannot_be_read_from_disk() -> None:
    assert says(attack(program("import http.server")), "attack raised ModuleNotFoundError")


SCRATCH = '''
class Desk:
    """A desk that keeps files."""

    def keep(self, name: str, size: int) -> dict:
        """Keep a file."""
        with open(name, "wb") as file:
            file.write(b"x" * size)
        return {"success": True, "files": sorted(os.listdir("."))}

    def look(self, path: str) -> dict:
        """Look at a path."""
        return {"success": True, "entries": sorted(os.listdir(path))}

    def fill(self) -> dict:
        """Fill the folder."""
        for number in range(100):
            with open(f"f{number}", "wb") as file:
                file.write(b"x" * 2**20)
        return {"success": True}
'''
FILES = environment("import os\n" + SCRATCH, scratch=True)


def test_a_scratch_folder_is_private_and_starts_empty() -> None:
    with attacked(FILES) as one, attacked(FILES) as other:
        assert one.call("keep", {"name": "a", "size": 10}) == '{"success": true, "files": ["a"]}'
        assert other.call("look", {"path": "."}) == '{"success": true, "entries": []}'
        assert not (Path("/tmp") / "a").exists()


def test_a_scratch_folder_opens_nothing_else() -> None:
    with attacked(FILES) as episode:
        for path in ("/", "/etc", "/proc", "..", "/work"):
            assert says(episode.call("look", {"path": path}), "look raised PermissionError")


def test_a_file_has_a_size_limit() -> None:
    with attacked(FILES) as episode:
        assert says(episode.call("keep", {"name": "a", "size": 9 * 2**20}), "File too large")


def test_a_scratch_folder_has_a_size_limit() -> None:
    with attacked(FILES) as episode:
        assert says(episode.call("fill", {}), "No space left on device")
