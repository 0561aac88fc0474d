"""Running the commands as a person does."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from envscaler_eval.cli import main

Command = Callable[..., tuple[int, str, str]]


def in_process(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Return what runs `envscaler` here and gives its exit code and both outputs."""

    def command(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["envscaler", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        output = capsys.readouterr()
        return int(end.value.code or 0), output.out, output.err

    return command


def inspect(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run `inspect` in a folder."""
    return subprocess.run(
        [str(Path(sys.executable).with_name("inspect")), *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
