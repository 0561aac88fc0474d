"""Faults of workers, of the fork server and of the host stay where they are."""

import gc
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from envscaler_eval.episode import Episode
from envscaler_eval.runtime import EnvironmentFault
from envscaler_eval.runtime.isolated import IsolatedRuntime, SharedServer, shared_server
from tests.hostile.arena import TIGHT, Traces, children_of, program, scenario, settled

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

COUNTER = program("self.balance += 1\nreturn {'success': True, 'balance': self.balance}")


def test_a_worker_that_the_machine_kills_costs_its_own_episode() -> None:
    server = shared_server().get()
    before = children_of(server.pid)
    runtime = IsolatedRuntime(COUNTER)
    with Episode(scenario(), runtime) as victim:
        (worker,) = children_of(server.pid) - before
        with Episode(scenario(), runtime) as bystander:
            os.kill(int(worker), signal.SIGKILL)
            assert "attack was killed from outside" in victim.call("attack", {})
            with pytest.raises(EnvironmentFault, match="was killed from outside"):
                victim.grade()
            assert '"balance": 11' in bystander.call("attack", {})


def test_a_server_that_is_killed_costs_its_episodes_and_is_replaced() -> None:
    shared = SharedServer()
    runtime = IsolatedRuntime(COUNTER, server=shared)
    try:
        with Episode(scenario(), runtime) as episode:
            first = shared.get()
            workers = children_of(first.pid)
            os.kill(first.pid, signal.SIGKILL)
            assert all(ends(int(worker)) for worker in workers)
            assert "The system has stopped" in episode.call("attack", {})
        with Episode(scenario(), runtime) as episode:
            assert '"balance": 11' in episode.call("attack", {})
        assert shared.get().pid != first.pid
    finally:
        shared.stop()


def test_a_server_knows_no_secret_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    shared = SharedServer()
    try:
        process = Path(f"/proc/{shared.get().pid}")
        assert b"sk-secret" not in (process / "environ").read_bytes()
        assert os.readlink(process / "cwd").endswith("(deleted)")
        # Its socket, and three times nothing.
        assert len(list((process / "fd").iterdir())) == 4
    finally:
        shared.stop()


def test_an_episode_that_is_dropped_leaves_no_worker() -> None:
    before = Traces.now()
    episode = Episode(scenario(), IsolatedRuntime(COUNTER))
    assert children_of(before.server) > before.children
    del episode
    gc.collect()
    assert settled(before)


HOST = """
    import os, sys
    from envscaler_eval.episode import Episode
    from envscaler_eval.runtime.isolated import IsolatedRuntime, shared_server
    from tests.hostile.arena import children_of, program, scenario
    hang = program(
        "import _thread\\nlock = _thread.allocate_lock()\\nlock.acquire()\\nlock.acquire()"
    )
    episodes = [Episode(scenario(), IsolatedRuntime(hang, gate=False)) for _ in range(3)]
    server = shared_server().get().pid
    print(server, *children_of(server), flush=True)
    {then}
"""


def host(then: str) -> tuple["subprocess.Popen[str]", list[int]]:
    """Start a host with three live workers and return their processes."""
    root = Path(__file__).parents[1]
    process = subprocess.Popen(
        [sys.executable, "-c", dedent(HOST).format(then=then)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
        start_new_session=True,
    )
    assert process.stdout is not None
    return process, [int(pid) for pid in process.stdout.readline().split()]


def ends(pid: int) -> bool:
    """Wait until a process that is not ours is gone."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 30)[0])
    finally:
        os.close(descriptor)


ENDINGS = {
    "an ordinary end": ("pass", None),
    "an exception": ("raise ValueError", None),
    "a kill": ("sys.stdin.read(); import signal; signal.pause()", signal.SIGKILL),
    "a kill during a call": ("episodes[0].call('attack', {{}})", signal.SIGKILL),
    "a Ctrl-C during a call": ("episodes[0].call('attack', {{}})", signal.SIGINT),
    "a termination": ("episodes[0].call('attack', {{}})", signal.SIGTERM),
    "an exit without goodbye": ("os._exit(1)", None),
}


@pytest.mark.parametrize(("then", "number"), ENDINGS.values(), ids=ENDINGS)
def test_however_the_host_ends_no_process_is_left(then: str, number: int | None) -> None:
    process, pids = host(then.replace("{{", "{").replace("}}", "}"))
    assert len(pids) == 4
    if number is not None:
        # As a terminal does it: to the whole group.
        os.killpg(process.pid, number)
    process.communicate(timeout=60)
    assert all(ends(pid) for pid in pids)


def test_a_fork_of_the_host_starts_a_server_of_its_own() -> None:
    runtime = IsolatedRuntime(COUNTER)
    with Episode(scenario(), runtime) as episode:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                with Episode(scenario(), IsolatedRuntime(COUNTER)) as other:
                    answer = other.call("attack", {})
                shared_server().stop()
                os.write(writing, answer.encode())
            finally:
                os._exit(0)
        os.close(writing)
        assert b'"balance": 11' in os.read(reading, 1000)
        os.close(reading)
        os.waitpid(child, 0)
        assert '"balance": 11' in episode.call("attack", {})


def memory_of(pid: int) -> int:
    """The memory of a process, in KiB."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    raise AssertionError("no Pss")


def test_hundreds_of_episodes_leave_nothing_behind() -> None:
    runtime = IsolatedRuntime(COUNTER, TIGHT)
    task = scenario()

    def some_episodes(count: int) -> None:
        for number in range(count):
            with Episode(task, runtime) as episode:
                episode.call("attack", {})
                if number % 10 == 0:
                    episode.grade()

    some_episodes(50)
    gc.collect()
    before = Traces.now()
    host_before, server_before = memory_of(os.getpid()), memory_of(before.server)
    some_episodes(250)
    gc.collect()
    assert settled(before)
    assert memory_of(os.getpid()) - host_before < 2048
    assert memory_of(before.server) - server_before < 1024
