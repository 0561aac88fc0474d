"""Files that cannot be written end in one line, whichever command was to write them."""

from pathlib import Path

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.output_files import write_output
from tests.cli.commands import Command
from tests.results.log_files import write_log


@pytest.mark.parametrize(
    "arguments",
    [
        ("similarity", "--json"),
        ("similarity", "--figure"),
        ("scaling", "fit", "LOG", "--json"),
        ("ablation", "LOG", "--html"),
        ("probe", "LOG", "--markdown"),
        ("report", "LOG", "--out"),
        ("audit", "--json"),
        ("audit", "--html"),
        ("estimate", "--json"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("place", ["", "missing/file.svg"])
def test_it_is_told_before_the_work(
    envscaler: Command, tmp_path: Path, arguments: tuple[str, ...], place: str
) -> None:
    log = write_log(tmp_path, {"a": [1.0]})
    file = tmp_path / place
    given = [str(log) if part == "LOG" else part for part in arguments]
    code, out, errors = envscaler(*given, file)
    assert (code, out) == (2, "")
    assert f"{file}: cannot be written" in errors and errors.count("\n") == 1


def test_a_file_that_is_lost_meanwhile_is_told_too(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written: No such file"):
        write_output(tmp_path / "gone" / "file", "text")
