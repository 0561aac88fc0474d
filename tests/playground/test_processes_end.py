"""Whatever ends a playground or one of its processes, nothing is left behind."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from envscaler_eval.isolation import IsolationPolicy
from tests.pack_files import write_pack
from tests.playground.conftest import Serve
from tests.playground.processes import alive, below, command, eventually
from tests.playground.visits import Visit

pytestmark = pytest.mark.skipif(
    not Path("/proc").is_dir(), reason="there is no /proc to find processes in"
)
WEAK = IsolationPolicy("isolated", allow_weak=True)
START = 240.0


@contextmanager
def _playground(scratch: Path, env: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command, with its temporary files in a folder."""
    command = [sys.executable, "-m", "envscaler_eval.cli", "play", "--port", "0"]
    command += ["--env", str(env), "--allow-weak-isolation"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(scratch)},
    ) as process:
        assert process.stdout is not None
        try:
            said = [process.stdout.readline(), process.stdout.readline()]
            yield process, said[1].split()[4]
        finally:
            process.kill()


@pytest.mark.parametrize("how", ["TERM", "INT", "INT twice", "KILL"])
def test_a_playground_that_is_stopped_takes_all_with_it(tmp_path: Path, how: str) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    env = write_pack(tmp_path)
    with _playground(scratch, env) as (process, url), Visit(url) as visitor:
        visitor.play("stock_room", "restock")
        choice = {"mode": "conv", "user": "you"}
        visitor.post("/watch/start", env="stock_room", scenario="restock", **choice)
        visitor.post("/build/start", recorded="1")
        assert eventually(lambda: "Your turn" in visitor.get("/watch"), START)
        assert eventually(lambda: "kind-topic" in visitor.get("/build"), START)
        held = below(process.pid)
        assert len(held) >= 4
        assert len(list(scratch.glob("envscaler-worker-*"))) == 2
        with visitor.client.stream("GET", "/build/stream"):
            number = {"TERM": signal.SIGTERM, "KILL": signal.SIGKILL}.get(how, signal.SIGINT)
            process.send_signal(number)
            if how == "INT twice":
                process.send_signal(number)
            process.wait(30)
        assert eventually(lambda: not alive(held), 30)
        assert eventually(lambda: not list(scratch.glob("envscaler-worker-*")), 30)
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_a_worker_that_is_killed_is_told_and_leaves_nothing(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = below(os.getpid())
    with Visit(serve(isolation=WEAK)) as visitor:
        visitor.post("/build/start", recorded="1")
        # Programs run by then, in processes of their own.
        assert eventually(lambda: "kind-tests" in visitor.get("/build"), START)
        started = below(os.getpid()) - before
        (worker,) = (one for one in started if "playground.build_worker" in command(one))
        assert below(worker)
        os.kill(worker, signal.SIGKILL)
        assert eventually(lambda: "its process ended without a word" in visitor.get("/build"))
        assert eventually(lambda: not alive(below(os.getpid()) - before))
        assert eventually(lambda: not alive(started))
        visitor.post("/build/leave")
        assert not list(tmp_path.glob("envscaler-worker-*"))
