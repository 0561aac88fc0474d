"""What the tests of exports share."""

import pytest

from tests.cli.commands import Command, in_process


@pytest.fixture
def envscaler(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `envscaler` with arguments; gives exit code, output and errors."""
    return in_process(monkeypatch, capsys)
