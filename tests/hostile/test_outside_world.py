"""Programs that reach for the network, other processes and the host itself."""

import pytest

from envscaler_eval.runtime import EnvironmentFault
from tests.hostile.arena import attack, attacked, environment, program, says

NETWORK = {
    "a TCP connection": "import socket; socket.socket().connect(('1.1.1.1', 80))",
    "a UDP packet": "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "a name server": "import socket; socket.getaddrinfo(b'example.com', 80)",
    "a unix socket": "import socket; socket.socket(socket.AF_UNIX).connect('/run/docker.sock')",
    "an abstract socket": "import socket; socket.socket(socket.AF_UNIX).bind('\\0x')",
}


@pytest.mark.parametrize("reach", NETWORK.values(), ids=NETWORK)
def test_network_is_refused(reach: str) -> None:
    observation = attack(program(f"{reach}\nreturn {{'success': True}}"))
    assert says(observation, "attack raised (PermissionError|gaierror)")


PROCESSES = {
    "a fork": "import os; os.fork()",
    "a fork bomb": "import os\nwhile True:\n    os.fork()",
    "another program": "import os; os.execv('/bin/sh', ['sh', '-c', 'id'])",
    "a shell": "import _posixsubprocess, os; os.posix_spawn('/bin/sh', ['sh'], {})",
    "a thread": "import _thread; _thread.start_new_thread(print, ())",
    "a pipe to a child": "import os; os.pipe()",
    "a session of its own": "import os; os.setsid()",
    "a higher priority": "import os; os.nice(-5)",
    "looser limits": "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 1))",
}


@pytest.mark.parametrize("reach", PROCESSES.values(), ids=PROCESSES)
def test_new_processes_and_powers_are_refused(reach: str) -> None:
    observation = attack(program(f"{reach}\nreturn {{'success': True}}"))
    assert says(
        observation,
        "attack raised (PermissionError|RuntimeError|OSError|ModuleNotFound|ValueError)",
    )


SIGNALS = {
    "its parent": "import os, signal; os.kill(os.getppid(), signal.SIGKILL)",
    "everyone": "import os, signal; os.kill(-1, signal.SIGKILL)",
    "its group": "import os, signal; os.killpg(0, signal.SIGKILL)",
    "a bystander": "import os, signal\nfor pid in range(2, 4000): os.kill(pid, signal.SIGKILL)",
}


@pytest.mark.parametrize("reach", SIGNALS.values(), ids=SIGNALS)
def test_signals_to_others_are_refused(reach: str) -> None:
    assert says(attack(program(f"{reach}\nreturn {{'success': True}}")), "raised PermissionError")


RAW_CALLS = {
    "ptrace": (101, 16),
    "process_vm_readv": (310, 1),
    "mount": (165, 0),
    "unshare": (272, 0x10000000),
    "bpf": (321, 0),
    "io_uring_setup": (425, 1),
    "userfaultfd": (323, 0),
    "keyctl": (250, 0),
}


@pytest.mark.parametrize("call", RAW_CALLS.values(), ids=RAW_CALLS)
def test_raw_system_calls_are_refused(call: tuple[int, int]) -> None:
    number, argument = call
    observation = attack(
        program(
            f"""
            import ctypes
            libc = ctypes.CDLL(None, use_errno=True)
            result = libc.syscall({number}, {argument}, 0, 0, 0, 0, 0)
            return {{"result": result, "errno": ctypes.get_errno()}}
            """
        )
    )
    assert observation == '{"result": -1, "errno": 1}'


ENDS = {
    "os._exit": ("import os; os._exit(0)", "attack exited with status 0"),
    "a crash": ("import ctypes; ctypes.string_at(0)", "attack died of SIGSEGV"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "attack raised KeyboardInterrupt"),
    "GeneratorExit": ("raise GeneratorExit('bye')", "attack raised GeneratorExit: bye"),
    "an exit of its own kind": (
        "class Out(BaseException): pass\nraise Out('x')",
        "attack raised Out: x",
    ),
}


@pytest.mark.parametrize(("act", "reason"), ENDS.values(), ids=ENDS)
def test_a_worker_that_ends_says_why_from_then_on(act: str, reason: str) -> None:
    with attacked(program(act)) as episode:
        observation = episode.call("attack", {})
        assert f"The system has stopped: {reason}" in observation
        assert episode.calls[-1].status == "raised"
        assert episode.call("pay", {}) == observation
        with pytest.raises(EnvironmentFault, match=f"has stopped: {reason}"):
            episode.grade()
        with pytest.raises(EnvironmentFault, match=f"has stopped: {reason}"):
            episode.state()


def test_sys_exit_is_an_observation_as_it_is_in_process() -> None:
    assert says(attack(program("raise SystemExit(3)")), "attack raised SystemExit: 3")


STARTS = {
    "exits": ("import os; os._exit(3)", "does not start: exited with status 3"),
    "raises": ("raise ValueError('no')", "does not start: ValueError: no"),
    "loops": ("while True: pass", r"does not start: used more than 0\.3 s of processor time"),
    "eats": ("self.x = 'x' * 10**9", "does not start: (MemoryError|needed more)"),
}


@pytest.mark.parametrize(("act", "reason"), STARTS.values(), ids=STARTS)
def test_a_program_that_does_not_start_says_why(act: str, reason: str) -> None:
    hostile = program("return {}", f"def __init__(self):\n    {act}\n")
    with pytest.raises(EnvironmentFault, match=reason), attacked(hostile):
        pass


def test_a_class_body_that_loops_does_not_start() -> None:
    source = "while True: pass\nclass Desk:\n    def attack(self): pass\n    def pay(self): pass\n"
    with pytest.raises(EnvironmentFault, match="used more than"), attacked(environment(source)):
        pass


@pytest.mark.parametrize("name", ["__init__", "_secret", "balance", "__class__", "close", ""])
def test_only_tools_can_be_called(name: str) -> None:
    hostile = program("return {}", "def _secret(self):\n    return self.balance\n")
    with attacked(hostile) as episode:
        assert episode.call(name, {}) == (
            f'{{"success": false, "error": "There is no tool named \'{name}\'"}}'
        )
        assert episode.calls[-1].status == "unknown"
