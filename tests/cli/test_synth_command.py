"""envscaler synth: a person's mistakes, and runs that end early."""

import re
from pathlib import Path

import pytest

from tests.cli.commands import Command


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """A file of two tasks."""
    file = tmp_path / "tasks.txt"
    file.write_text("Give plot B7 to the next one.\nWhat is acetone?\n")
    return file


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--model-role", "cook=a/b"], "write ROLE=MODEL"),
        (["--fewest-tools", "30"], "--fewest-tools 30 is above"),
        (["--model", "nobody/knows"], "role 'miner'"),
        (["--model", "session/nowhere"], "there is no session"),
        (["--prices", "nowhere.yaml"], "nowhere.yaml: No such file"),
    ],
)
def test_a_mistake_ends_in_one_line(
    envscaler: Command, tasks: Path, tmp_path: Path, options: list[str], told: str
) -> None:
    code, _, errors = envscaler(
        "synth", "skeletons", "--tasks", tasks, "--out", tmp_path / "run", *options
    )
    assert code == 2
    assert told in errors.splitlines()[-1]


def test_what_is_unfinished_is_told_and_gone_on_with(
    envscaler: Command, tasks: Path, tmp_path: Path
) -> None:
    session = tmp_path / "session.yaml"
    session.write_text(SESSION.partition("# later")[0])
    command = ["synth", "skeletons", "--tasks", tasks, "--out", tmp_path / "run",
               "--model", f"session/{session}"]  # fmt: skip
    code, output, errors = envscaler(*command)
    assert code == 1
    assert re.search(r"stateful +1 +1 +0%", errors), errors
    assert "1 answers, 0 from the record" in errors
    assert "1 unfinished; give the same command again" in output
    (prompt,) = (tmp_path / "run" / "missing").iterdir()
    assert "What is acetone?" in prompt.read_text()
    session.write_text(SESSION)
    code, output, errors = envscaler(*command)
    assert code == 1
    assert "unfinished" not in output
    assert re.search(r"stateful +2 +0%", errors), errors
    assert not (tmp_path / "run" / "missing").exists()


SESSION = """
- step: judge_stateful
  item: give-plot-b7-to-the-next-one-6308ee
  answer:
    reason: It does not say of what.
    keeps_records: false
    depends_on_state: false
    specific_domain: false
    can_be_acted_on: false
# later
- step: judge_stateful
  item: what-is-acetone-4b1909
  answer:
    reason: It is a matter of knowledge.
    keeps_records: false
    depends_on_state: false
    specific_domain: true
    can_be_acted_on: true
"""
