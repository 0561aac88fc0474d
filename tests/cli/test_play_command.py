"""`envscaler play`, as a person starts it."""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.cli.commands import Command
from tests.pack_files import SOURCE, write_pack


def test_the_command_serves_at_the_address_that_it_prints(tmp_path: Path) -> None:
    pytest.importorskip("sse_starlette", reason="the extra `app` is not installed")
    command = [sys.executable, "-m", "envscaler_eval.cli", "play", "--port", "0"]
    command += ["--env", str(write_pack(tmp_path)), "--allow-weak-isolation"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            said = [process.stdout.readline(), process.stdout.readline()]
            url = said[1].split()[4]
            assert url.startswith("http://127.0.0.1:")
            assert "Stock room" in httpx.get(f"{url}/play", timeout=60).text
        finally:
            process.terminate()


def test_a_pack_that_is_named_twice_is_there_once_and_two_of_one_id_are_refused(
    tmp_path: Path, envscaler: Command
) -> None:
    pytest.importorskip("sse_starlette", reason="the extra `app` is not installed")
    (tmp_path / "other").mkdir()
    first, second = write_pack(tmp_path), write_pack(tmp_path / "other")
    twice = ["--env", str(first), "--env", str(first.parent / "." / first.name)]
    # The address stands after the packs in the way.
    aside = ["--host", "203.0.113.7", "--allow-weak-isolation"]
    code, said, errors = envscaler("play", *twice, *aside)
    assert "Reading 1 pack ..." in said
    assert "cannot serve on 203.0.113.7" in errors
    code, _, errors = envscaler("play", "--env", str(first), "--env", str(second))
    assert code == 2
    assert f"{first} and {second} are both 'stock_room'" in errors


def test_a_program_that_may_not_run_keeps_no_other_from_it(
    tmp_path: Path, envscaler: Command
) -> None:
    pytest.importorskip("sse_starlette", reason="the extra `app` is not installed")
    refused = write_pack(tmp_path, source="import subprocess\n" + SOURCE)
    code, _, errors = envscaler(
        "play", "--env", str(refused), "--host", "203.0.113.7", "--allow-weak-isolation"
    )
    assert code == 2
    assert "cannot serve on 203.0.113.7" in errors


def test_without_the_extra_it_says_what_to_install(
    envscaler: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sse_starlette", None)
    code, _, errors = envscaler("play")
    assert code == 2
    assert "pip install 'envscaler-eval[app]'" in errors
    assert len(errors.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--env", "nowhere"], "nowhere"),
        (["--logs", "nowhere"], "--logs nowhere: there is no such folder"),
        (["--isolation", "none"], "isolation is 'none'"),
        (["--host", "203.0.113.7", "--env", "blood_bank"], "cannot serve on 203.0.113.7"),
    ],
)
def test_mistakes_end_in_one_line(arguments: list[str], told: str, envscaler: Command) -> None:
    pytest.importorskip("sse_starlette", reason="the extra `app` is not installed")
    code, _, errors = envscaler("play", "--allow-weak-isolation", *arguments)
    assert code == 2
    assert told in errors
    assert len(errors.strip().splitlines()) == 1
