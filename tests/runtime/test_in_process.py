"""Sessions in the calling process."""

import json
from typing import Any

import pytest

from envscaler_eval.environment import Environment
from envscaler_eval.runtime import EnvironmentFault, InProcessRuntime
from envscaler_eval.state import state_hash

NOW = "2026-03-09T08:30:00"


def _runtime(source: str) -> InProcessRuntime:
    return InProcessRuntime(
        Environment(
            id="world", title="W", introduction="", rules=(), class_name="World", source=source
        )
    )


COUNTER = """
class World:
    shared = []

    def __init__(self, init_config):
        self.count = init_config["count"]
        self.history = []

    def add(self, amount: int = 1) -> dict:
        World.shared.append(amount)
        self.count += amount
        self.history.append(self.count)
        return {"success": True, "count": self.count, "shared": len(World.shared)}
"""


@pytest.mark.parametrize(
    "constructor",
    ["def __init__(self):", "def __init__(self, init_config):", "def __init__(self, config=None):"],
)
def test_each_key_of_the_state_becomes_an_attribute(constructor: str) -> None:
    source = f"class World:\n    {constructor}\n        self.own = 1\n\n    def act(self): ...\n"
    session = _runtime(source).start({"items": {"a": 1}}, NOW, "0")
    assert session.state() == {"own": 1, "items": {"a": 1}}


def test_a_constructor_may_read_the_state_and_cannot_reach_it() -> None:
    source = (
        "class World:\n    def __init__(self, config):\n        self.n = len(config['items'])\n"
        "        config['items'].clear()\n\n    def act(self): ...\n"
    )
    given = {"items": {"a": 1}}
    session = _runtime(source).start(given, NOW, "0")
    assert session.state() == {"n": 1, "items": {"a": 1}}
    assert given == {"items": {"a": 1}}


def test_sessions_share_neither_state_nor_class_attributes() -> None:
    runtime = _runtime(COUNTER)
    start = {"count": 0}
    one, other = runtime.start(start, NOW, "0"), runtime.start(start, NOW, "0")
    one.call("add", {"amount": 5})
    assert json.loads(other.call("add", {}).observation) == {
        "success": True,
        "count": 1,
        "shared": 1,
    }
    assert start == {"count": 0}


def test_a_state_that_is_handed_out_is_a_copy() -> None:
    session = _runtime(COUNTER).start({"count": 0}, NOW, "0")
    session.state()["history"].append("scribble")
    assert session.state()["history"] == []


def test_what_a_tool_keeps_of_its_arguments_is_its_own() -> None:
    source = (
        "class World:\n    def __init__(self):\n        self.kept = []\n\n"
        "    def keep(self, items: list) -> dict:\n        self.kept = items\n        return {}\n"
    )
    session = _runtime(source).start({}, NOW, "0")
    items = ["a"]
    session.call("keep", {"items": items})
    items.append("b")
    assert session.state() == {"kept": ["a"]}


@pytest.mark.parametrize(
    ("body", "status", "observation"),
    [
        ("return {'success': True}", "ok", '{"success": true}'),
        ("return {'success': False, 'error': 'no'}", "failed", '{"success": false, "error": "no"}'),
        ("return 'fine'", "ok", '"fine"'),
        ("return None", "ok", "null"),
        ("return {'ü'}", "ok", '["ü"]'),
        ("a = []; a.append(a); return a", "ok", "[[...]]"),
        (
            "raise KeyError('lot')",
            "raised",
            '{"success": false, "error": "act raised KeyError: \'lot\'"}',
        ),
        (
            "raise SystemExit(3)",
            "raised",
            '{"success": false, "error": "act raised SystemExit: 3"}',
        ),
        (
            "return self.act()",
            "raised",
            '{"success": false, "error": "act raised RecursionError: maximum recursion depth '
            'exceeded"}',
        ),
    ],
)
def test_whatever_a_tool_does_is_an_observation(body: str, status: str, observation: str) -> None:
    source = f"class World:\n    def act(self):\n        {body}\n"
    outcome = _runtime(source).start({}, NOW, "0").call("act", {})
    assert (outcome.status, outcome.observation) == (status, observation)


def test_the_paper_s_observations_are_python_text() -> None:
    source = "class World:\n    def act(self):\n        return {'success': True, 'x': None}\n"
    outcome = _runtime(source).start({}, NOW, "0", observations="python").call("act", {})
    assert outcome.observation == "{'success': True, 'x': None}"


@pytest.mark.parametrize(
    "source",
    [
        "raise ValueError('at import')\nclass World:\n    def act(self): ...\n",
        "class World:\n    def __init__(self):\n        1 / 0\n    def act(self): ...\n",
        "class World:\n    def __init__(self, a, b):\n        ...\n    def act(self): ...\n",
        "import nothing_like_it\nclass World:\n    def act(self): ...\n",
        "class World:\n    def act(self):\n        break\n",
    ],
)
def test_a_program_that_does_not_start_is_an_environment_fault(source: str) -> None:
    with pytest.raises(EnvironmentFault, match="environment 'world' does not start: "):
        _runtime(source).start({}, NOW, "0")


def test_typed_dicts_that_extend_others_do_not_keep_a_program_from_starting() -> None:
    source = (
        "from typing import TypedDict\n\nclass A(TypedDict):\n    x: int\n\n"
        "class B(A, total=False):\n    y: int\n\n"
        "class World:\n    def act(self, b: B) -> dict:\n        return dict(B(x=1, **b))\n"
    )
    outcome = _runtime(source).start({}, NOW, "0").call("act", {"b": {"y": 2}})
    assert outcome.observation == '{"x": 1, "y": 2}'


@pytest.mark.parametrize(
    "value", ["float('nan')", "float('inf')", "object()", "(x for x in 'a')", "open"]
)
def test_a_state_that_does_not_serialise_cannot_be_judged(value: str) -> None:
    source = f"class World:\n    def act(self):\n        self.x = {value}\n        return {{}}\n"
    session = _runtime(source).start({"x": 0}, NOW, "0")
    session.call("act", {})
    with pytest.raises(EnvironmentFault, match="the final state cannot be judged"):
        session.judge(())


def test_judging_names_the_hash_and_the_changes_of_the_state() -> None:
    session = _runtime(COUNTER).start({"count": 0}, NOW, "0")
    session.call("add", {})
    judgement = session.judge(())
    assert judgement.state_hash == state_hash({"count": 1, "history": [1]})
    assert {change.pointer for change in judgement.changes} == {"/count", "/history/0"}


def test_what_the_constructor_derives_is_no_change() -> None:
    source = (
        "class World:\n    def __init__(self):\n        self.ready = True\n"
        "    def act(self) -> dict:\n        return {}\n"
    )
    assert _runtime(source).start({"x": 1}, NOW, "0").judge(()).changes == ()


def test_a_session_can_be_closed_twice() -> None:
    session = _runtime(COUNTER).start({"count": 0}, NOW, "0")
    session.close()
    session.close()


def test_many_states_do_not_mix_with_their_likes() -> None:
    runtime = _runtime(COUNTER)
    told: list[Any] = []
    for count in range(200):
        session = runtime.start({"count": count}, NOW, "0")
        told.append(session.state()["count"])
        session.close()
    assert told == list(range(200))
