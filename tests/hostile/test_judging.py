"""Programs that reach for their own judgement, and what they hand over to be judged."""

import pytest

from envscaler_eval.runtime import EnvironmentFault
from envscaler_eval.scenario import Check
from tests.hostile.arena import PAID, STATE, attack, attacked, grade, program, says

BLIND = Check(
    about="the orders are as they were",
    kind="guard",
    code="def check(initial, final):\n    return initial['orders'] == {'o1': {'status': 'open'}}\n",
)
SURE = (PAID, BLIND)

TAMPERING = {
    "builtins": (
        "import builtins\nbuiltins.len = builtins.bool = builtins.isinstance = lambda *_: True"
    ),
    "json": "import json, orjson\njson.dumps = json.loads = orjson.dumps = lambda *_, **__: '{}'",
    "sys.modules": "import sys\nfor name in list(sys.modules):\n    sys.modules[name] = None",
    "the checks": (
        "from envscaler_eval.runtime import checking\n"
        "checking.run_check = lambda *_: checking.Verdict(True)"
    ),
    "the comparison": (
        "from envscaler_eval import state\nstate.changes = lambda *_: []\nstate.snapshot = dict"
    ),
    "the shims": (
        "import datetime, random, time, uuid\ntime.time = lambda: 0\n"
        "random.random = lambda: 0\nuuid.uuid4 = lambda: 0\ndatetime.datetime = None"
    ),
    "hash and equality of dict": (
        "import ctypes, gc\nreferents = gc.get_referents(dict.__dict__)[0]\n"
        "referents['__eq__'] = lambda *_: True"
    ),
}


@pytest.mark.parametrize("act", TAMPERING.values(), ids=TAMPERING)
def test_patching_the_interpreter_changes_no_verdict(act: str) -> None:
    with attacked(program(act + "\nreturn {'success': True}"), checks=SURE) as episode:
        episode.call("attack", {})
        try:
            result = episode.grade()
        except EnvironmentFault as fault:
            assert says(str(fault), "has stopped|cannot be judged")
        else:
            assert [check.passed for check in result.checks] == [False, True]
            assert result.reward == 0


def test_the_initial_state_is_the_scenarios_whatever_the_program_says() -> None:
    hostile = program(
        "import gc\nfor found in gc.get_objects():\n"
        "    if type(found) is dict and found.get('balance') == 10:\n"
        "        found['balance'] = 0; found['orders'] = {}\nreturn {'success': True}"
    )
    with attacked(hostile, checks=SURE) as episode:
        episode.call("attack", {})
        result = episode.grade()
    # What it did to its own state counts; what the check is told of the start does not change.
    assert [check.passed for check in result.checks] == [True, True]
    assert result.collateral == ("/orders/o1",)


def test_a_constructor_cannot_rewrite_the_start() -> None:
    hostile = program(
        "return {}",
        "def __init__(self, init_config):\n    init_config['balance'] = 0\n"
        "    init_config['orders'].clear()\n"
        "def __setattr__(self, name, value):\n"
        "    object.__setattr__(self, name, 0 if name == 'balance' else value)\n",
    )
    guard = Check(
        about="it began with 10",
        kind="goal",
        code="def check(initial, final):\n    return initial['balance'] == 10\n",
    )
    result = grade(hostile, [], checks=(guard, BLIND))
    assert [check.passed for check in result.checks] == [True, True]


def test_no_check_is_anywhere_in_the_memory_of_a_program() -> None:
    hostile = program(
        "import gc, sys\n"
        "texts = [t for o in gc.get_objects() if type(o) in (dict, list, tuple)\n"
        "         for t in (o.values() if type(o) is dict else o)\n"
        "         if isinstance(t, str) and ''.join(('be', 'gan with')) in t]\n"
        "frame, names = sys._getframe(), []\n"
        "while frame:\n"
        "    names.append(frame.f_code.co_filename.split('/')[-1]); frame = frame.f_back\n"
        "return {'texts': texts,\n"
        "        'checks': [n for n in names if 'check' in n]}"
    )
    secret = Check(
        about="it began with the balance",
        kind="goal",
        code="def check(initial, final):\n    return final['balance'] == 0\n",
    )
    with attacked(hostile, checks=(secret,)) as episode:
        episode.grade()
        assert episode.call("attack", {}) == '{"texts": [], "checks": []}'


def test_modules_of_the_host_are_not_in_a_worker() -> None:
    hostile = program(
        "import sys\nheavy = {'inspect_ai', 'openai', 'datasets', 'pydantic', 'anyio', 'numpy'}\n"
        "return {'found': sorted(heavy & set(sys.modules))}"
    )
    assert attack(hostile) == '{"found": []}'


def test_only_its_own_connection_is_open_in_a_worker() -> None:
    hostile = program(
        "import os\nopen_ones = []\nfor fd in range(256):\n    try: os.lseek(fd, 0, 1)\n"
        "    except OSError as fault:\n        if fault.errno == 9: continue\n"
        "    open_ones.append(fd)\nreturn {'n': len(open_ones)}"
    )
    assert attack(hostile) == '{"n": 4}'


FIRST_CALL = (2).to_bytes(4, "little")
LIES = {
    "no outcome": b"+" + FIRST_CALL + b"{}",
    "a status of its own": b"+" + FIRST_CALL + b'{"observation":"x","status":"won"}',
    "no text": b"+" + FIRST_CALL + b'{"observation":7,"status":"ok"}',
    "no JSON": b"+" + FIRST_CALL + b"pickle",
    "an unknown type": b"+" + FIRST_CALL + b'{"$type":"eval","v":"1"}',
    "no kind": b"?" + FIRST_CALL,
    "nothing": b"",
    "another turn": b"+\7\0\0\0{}",
}


def writing(frame: bytes) -> str:
    """Code that sends a frame to the host over whatever is open, then answers honestly."""
    sent = len(frame).to_bytes(4, "little") + frame
    return (
        f"import os\nfor fd in range(3, 16):\n    try: os.write(fd, {sent!r})\n"
        "    except OSError: pass\nreturn {}"
    )


@pytest.mark.parametrize("frame", LIES.values(), ids=LIES)
def test_a_worker_that_lies_is_found_out(frame: bytes) -> None:
    with attacked(program(writing(frame))) as episode:
        observation = episode.call("attack", {})
        assert says(observation, "attack (sent what no one can read|spoke without being asked)")
        assert episode.call("pay", {}) == observation
        with pytest.raises(EnvironmentFault, match="has stopped"):
            episode.grade()


def test_an_answer_given_in_advance_is_found_out() -> None:
    frame = b"+" + FIRST_CALL + b'{"observation":"paid","status":"ok"}'
    with attacked(program(writing(frame))) as episode:
        assert episode.call("attack", {}) == "paid"
        assert says(episode.call("pay", {}), "pay spoke without being asked")


OBJECTS = {
    "equality": "def __eq__(self, other):\n        return True\n    __hash__ = None",
    "text": "def __repr__(self):\n        raise KeyError\n    __str__ = __repr__",
    "truth": "def __bool__(self):\n        raise KeyError",
    "pickling": "def __reduce__(self):\n        return (exec, ('import os; os._exit(1)',))",
    "class": "__class__ = property(lambda self: dict)",
    "attributes": "def __getattribute__(self, name):\n        raise KeyError(name)",
    "length": "def __len__(self):\n        return -1",
    "iteration": "def __iter__(self):\n        while True: yield 1",
}


@pytest.mark.parametrize("member", OBJECTS.values(), ids=OBJECTS)
def test_an_object_in_the_state_reaches_checks_as_data_or_not_at_all(member: str) -> None:
    body = "class Trick:\n    " + member + "\nself.balance = Trick()\nreturn {'success': True}"
    zero = Check(
        about="0",
        kind="goal",
        code="def check(initial, final):\n    return type(final['balance']) is int\n",
    )
    with attacked(program(body), checks=(PAID, zero)) as episode:
        episode.call("attack", {})
        try:
            result = episode.grade()
        except EnvironmentFault as fault:
            assert says(str(fault), "cannot be judged|has stopped: handing out the state")
        else:
            assert [check.passed for check in result.checks] == [False, False]


@pytest.mark.parametrize(
    "result", ["Trick()", "{'success': Trick()}", "{Trick(): 1}", "[Trick()]", "Sly()"]
)
def test_an_object_in_an_answer_becomes_text(result: str) -> None:
    body = (
        "class Trick:\n    def __eq__(self, other): raise KeyError\n"
        "    def __repr__(self): return 'trick'\n    __hash__ = object.__hash__\n"
        "class Sly(dict):\n    def get(self, *_): raise KeyError('sly')\n"
        f"return {result}"
    )
    assert says(attack(program(body)), "trick|Trick|sly|{}")


def test_an_error_with_a_hostile_text_is_still_told() -> None:
    body = "class Bad(Exception):\n    def __str__(self): raise ValueError\nraise Bad"
    assert says(attack(program(body)), "attack raised Bad")


STATES = {
    "NaN": ("self.balance = float('nan')", "nan at /balance has no JSON form"),
    "infinity": (
        "self.orders = {'o1': [float('inf')]}",
        "inf at /orders/o1/0 has no JSON form|inf at",
    ),
    "a cycle": ("x = []; x.append(x); self.x = x", "a cycle or is nested too deeply"),
    "depth": (
        "x = []\nfor _ in range(10**5): x = [x]\nself.x = x",
        "nested too deeply|has stopped: handing out the state died of SIGSEGV",
    ),
    "tuples as keys": ("self.x = {(1, 2): 3}", "keys must be|has no JSON form"),
    "keys of two kinds": ("self.x = {1: 2, 'a': 3, (4,): 5}", "cannot be judged"),
    "bytes": ("self.x = b'x'", "a value of type bytes has no JSON form"),
    "a function": ("self.x = lambda: 1", "a value of type function has no JSON form"),
    "a generator": ("self.x = (i for i in range(3))", "a value of type generator has no JSON form"),
}


@pytest.mark.parametrize(("act", "reason"), STATES.values(), ids=STATES)
def test_a_state_that_is_no_data_is_a_fault_and_no_reward(act: str, reason: str) -> None:
    with attacked(program(act + "\nreturn {'success': True}")) as episode:
        episode.call("attack", {})
        with pytest.raises(EnvironmentFault, match=reason):
            episode.grade()


def test_numbers_as_keys_are_judged_as_they_are() -> None:
    whole = Check(
        about="keys keep their type",
        kind="goal",
        code="def check(initial, final):\n    return final['x'] == {1: {2}, 3: (4,)}\n",
    )
    result = grade(program("self.x = {1: {2}, 3: (4,)}\nreturn {}"), ["attack"], checks=(whole,))
    assert result.checks[0].passed


def test_a_check_that_writes_to_the_states_influences_no_other() -> None:
    vandal = Check(
        about="vandal",
        kind="goal",
        code=(
            "def check(initial, final):\n"
            "    final['balance'] = 7\n    initial.clear()\n    return True\n"
        ),
    )
    result = grade(program("return {}"), ["pay"], checks=(PAID, vandal, PAID, BLIND))
    assert [check.passed for check in result.checks] == [True, True, True, True]


def test_scenario_states_are_left_alone() -> None:
    grade(program("self.orders.clear()\nreturn {}"), ["attack", "pay"])
    assert STATE == {"balance": 10, "orders": {"o1": {"status": "open"}}}
