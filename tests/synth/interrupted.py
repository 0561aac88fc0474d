"""Runs of the command line, some of them killed in the middle of writing something down.

    python -m tests.synth.interrupted REPORT KILLS COMMAND...

KILLS is a JSON list. For each number a process is forked, which runs the command; after
so many whole writes of artefacts it writes half of the next one, and is killed as by the
kernel. With 0 it is left alone. REPORT gets a JSON list of how each process ended, what it
asked, and what had been answered before. The processes are forked from one that has
imported everything, to save time.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import inspect_ai.model  # noqa: F401
import sklearn.cluster  # noqa: F401
import sklearn.feature_extraction.text  # noqa: F401
import sklearn.metrics  # noqa: F401

import envscaler_eval.synth.skel_builder.build  # noqa: F401
from envscaler_eval.cli import main
from envscaler_eval.synth import artefacts
from envscaler_eval.synth.question import Question
from envscaler_eval.synth.sessions import Session


class MortalOs:
    """`os` as the artefacts see it, with a `write` that ends in death."""

    def __init__(self, whole: int) -> None:
        self._left = whole

    def write(self, descriptor: int, data: bytes) -> int:
        """Write, or write half and die."""
        if self._left == 0:
            os.write(descriptor, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1
        return os.write(descriptor, data)

    def __getattr__(self, name: str) -> object:
        return getattr(os, name)


def run(command: list[str], kill_after: int, asked: Path) -> None:
    """Run a command in this process, noting what a session is asked."""
    answer = Session.answer

    def noted(session: Session, question: Question) -> Any:
        with asked.open("a", encoding="utf-8") as lines:
            lines.write(f"{question}\n")
        return answer(session, question)

    setattr(Session, "answer", noted)  # noqa: B010
    if kill_after:
        setattr(artefacts, "os", MortalOs(kill_after))  # noqa: B010
    sys.argv = ["envscaler", *command]
    main()


def forked(command: list[str], kill_after: int, asked: Path) -> int:
    """Run a command in a process of its own, and return how it ended."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            run(command, kill_after, asked)
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            sys.stdout.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def answered(folder: Path) -> list[str]:
    """Return the questions that have been answered in a folder."""
    records = artefacts.read_records(folder, "answers")
    return [str(Question(r["step"], r["item"], r["attempt"])) for r in records]


if __name__ == "__main__":
    report, kills, *command = sys.argv[1:]
    folder = Path(command[command.index("--out") + 1])
    ends = []
    for number, kill_after in enumerate(json.loads(kills)):
        asked = Path(f"{report}.asked_{number}")
        before = answered(folder)
        code = forked(command, kill_after, asked)
        questions = asked.read_text(encoding="utf-8").splitlines() if asked.exists() else []
        ends.append({"code": code, "asked": questions, "answered_before": before})
    Path(report).write_text(json.dumps(ends), encoding="utf-8")
