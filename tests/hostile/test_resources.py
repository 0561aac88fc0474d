"""Programs and checks that use more than they are given."""

from dataclasses import replace

import pytest

from envscaler_eval.runtime import EnvironmentFault
from envscaler_eval.scenario import Check
from tests.hostile.arena import (
    PAID,
    TIGHT,
    attack,
    attacked,
    environment,
    grade,
    program,
    says,
)

LOOPS = {
    "a loop": "while True: pass",
    "a huge number": "return {'n': 9**9**9}",
    "a number as text": "return {'n': len(str(7**10**7))}",
    "a catastrophic pattern": "import re; re.match('(a+)+$', 'a' * 40 + 'b')",
    "an endless sum": "return {'n': sum(iter(int, 1))}",
    "a loop that catches everything": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    ),
    "a loop in the answer's text": (
        "class Loop:\n    def __str__(self):\n        while True: pass\n    __repr__ = __str__\n"
        "return {Loop(): 1}"
    ),
}


@pytest.mark.parametrize("act", LOOPS.values(), ids=LOOPS)
def test_a_call_that_never_ends_is_stopped(act: str) -> None:
    with attacked(program(act)) as episode:
        observation = episode.call("attack", {})
        assert says(observation, r"attack (used more than 0\.3 s of processor time|raised)")
        if "raised" not in observation:
            with pytest.raises(EnvironmentFault, match=r"used more than 0\.3 s"):
                episode.grade()


def test_a_property_that_never_ends_is_stopped() -> None:
    hostile = program(
        "return {'x': self.endless}", "@property\ndef endless(self):\n    while True: pass\n"
    )
    assert says(attack(hostile), "used more than 0.3 s of processor time")


def test_a_call_that_waits_for_ever_is_stopped() -> None:
    hostile = program(
        "import _thread\nlock = _thread.allocate_lock()\nlock.acquire()\nlock.acquire()"
    )
    observation = attack(hostile, replace(TIGHT, call_seconds=0.5))
    assert says(observation, r"attack ran longer than 0\.5 s")


def test_time_is_limited_over_an_episode_too() -> None:
    hostile = program("for _ in range(10**6): pass\nreturn {'success': True}")
    limits = replace(TIGHT, call_cpu_seconds=5, episode_cpu_seconds=1)
    with attacked(hostile, limits) as episode:
        observation = ""
        while "stopped" not in observation:
            observation = episode.call("attack", {})
    assert says(observation, "used more than 1 s of processor time in all")


def test_a_program_cannot_stop_the_clock() -> None:
    hostile = program(
        "import signal\ntry: signal.setitimer(signal.ITIMER_PROF, 0)\n"
        "except OSError: pass\nwhile True: pass"
    )
    assert says(attack(hostile), r"attack used more than 0\.3 s of processor time")


MEMORY = {
    "one block": "x = 'x' * 10**9",
    "a growing list": "x = []\nwhile True: x.append('x' * 10**6)",
    "a growing number": "x = 1 << 10**10",
    "a mapping": "import mmap; mmap.mmap(-1, 10**9)",
}


@pytest.mark.parametrize("act", MEMORY.values(), ids=MEMORY)
def test_memory_is_limited(act: str) -> None:
    with attacked(program(act), replace(TIGHT, call_cpu_seconds=5)) as episode:
        observation = episode.call("attack", {})
        assert says(
            observation,
            r"needed more than 64 MiB of memory|raised (Permission|OS|ModuleNotFound)Error",
        )


def test_running_out_of_memory_ends_the_episode() -> None:
    with attacked(program("x = 'x' * 10**9")) as episode:
        episode.call("attack", {})
        with pytest.raises(EnvironmentFault, match="needed more than 64 MiB of memory"):
            episode.grade()


def test_deep_recursion_is_an_observation() -> None:
    hostile = program("return self.attack()")
    assert says(attack(hostile), "attack raised RecursionError")


def test_deep_recursion_without_a_guard_ends_the_worker() -> None:
    hostile = program("import sys\nsys.setrecursionlimit(10**9)\nreturn self.attack()")
    assert says(attack(hostile), "attack (died of SIG|needed more|used more|raised)")


def test_printing_a_gigabyte_goes_nowhere() -> None:
    hostile = program(
        "import sys\nfor _ in range(1024):\n    sys.stdout.write('x' * 2**20)\n"
        "    print('x' * 2**20)\nreturn {'success': True}"
    )
    assert attack(hostile, replace(TIGHT, call_cpu_seconds=20)) == '{"success": true}'


def test_a_long_answer_is_not_taken() -> None:
    observation = attack(program("return {'x': 'x' * 2 * 2**20}"))
    assert says(observation, "attack answered with more than 1 MiB")


def test_an_answer_that_only_claims_to_be_long_is_not_waited_for() -> None:
    hostile = program(
        "import os\nfor fd in range(3, 16):\n    try: os.write(fd, b'\\xff\\xff\\xff\\xff')\n"
        "    except OSError: pass\nreturn {}"
    )
    assert says(attack(hostile), "attack answered with more than 1 MiB")


def test_open_files_are_limited() -> None:
    hostile = environment(
        "class Desk:\n    def attack(self):\n        files = []\n        while True:\n"
        "            files.append(open(f'f{len(files)}', 'w'))\n    def pay(self): pass\n",
        scratch=True,
    )
    assert says(attack(hostile), "Too many open files")


def test_a_state_that_is_too_large_is_not_taken() -> None:
    hostile = program("self.x = ['x' * 100] * 10**6\nreturn {'success': True}")
    limits = replace(TIGHT, call_cpu_seconds=10, memory_mib=512)
    with attacked(hostile, limits) as episode:
        assert episode.call("attack", {}) == '{"success": true}'
        with pytest.raises(EnvironmentFault, match="handing out the state answered with more than"):
            episode.grade()


def test_a_state_that_shares_itself_beyond_measure_is_stopped() -> None:
    hostile = program("x = []\nfor _ in range(64):\n    x = [x, x]\nself.x = x\nreturn {}")
    with attacked(hostile) as episode:
        episode.call("attack", {})
        with pytest.raises(
            EnvironmentFault, match=r"handing out the state (used more|needed more|died)"
        ):
            episode.grade()


CHECKS = {
    "loops": ("while True: pass", r"used more than 0\.3 s of processor time"),
    "eats memory": ("x = 'x' * 10**10", "raised MemoryError"),
    "exits": ("import os; os._exit(0)", "exited with status 0"),
    "crashes": ("import ctypes; ctypes.string_at(0)", "died of SIGSEGV"),
    "raises": ("raise ValueError('no')", "raised ValueError: no"),
    "returns no bool": ("return 1", "returned int; return a bool"),
    "forks": ("import os; os.fork()", "raised PermissionError"),
    "reads files": ("open('/etc/passwd')", "raised PermissionError"),
    "opens a socket": ("import socket; socket.socket()", "raised PermissionError"),
    "never returns from a pattern": (
        "import re; re.match('(a+)+$', 'a' * 40 + 'b')",
        "used more than",
    ),
    "raises what is no Exception": ("raise KeyboardInterrupt", "raised KeyboardInterrupt"),
    "answers by itself": (
        "import os\nfor fd in range(3, 16):\n    try: os.write(fd, b'\\5\\0\\0\\0?\\3\\0\\0\\0')\n"
        "    except OSError: pass\nreturn True",
        "sent what no one can read",
    ),
}


@pytest.mark.parametrize(("act", "reason"), CHECKS.values(), ids=CHECKS)
def test_a_check_that_misbehaves_is_broken_and_the_others_answer(act: str, reason: str) -> None:
    body = "\n".join("    " + line for line in act.splitlines())
    hostile = Check(about="bad", kind="goal", code=f"def check(initial, final):\n{body}\n")
    result = grade(program("return {}"), ["pay"], checks=(PAID, hostile, PAID))
    assert [check.passed for check in result.checks] == [True, False, True]
    assert says(result.checks[1].broken or "", reason)
