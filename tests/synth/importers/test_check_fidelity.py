"""Imported checks answer as EnvScaler's own way of running them does."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from envscaler_eval.runtime.checking import CheckSetting, run_checks
from envscaler_eval.scenario import Check
from envscaler_eval.synth.importers.official_checks import UnusableCheckError, adapted, never
from tests.synth.importers.official import CHECKS, STATE

SETTING = CheckSetting("2026-01-09T09:00:00", "test")

MORE = [
    "check_func = lambda final_state: len(final_state['users']) == 2\n",
    "def helper(state):\n    return state['users']\n\ndef check_func(final_state):\n"
    "    return 'U1' in helper(final_state)\n",
    "def check_func(final_state):\n    global initial_state\n"
    "    return initial_state['users'] == final_state['users']\n",
    "def check_func(final_state):\n\tif True:\n\t\treturn final_state['log'] != []\n",
    "x = 1\n\ndef check_func(final_state):\n    '''Two\n  lines.'''\n    return x == 1\n",
    "def check_func(final_state):\n    text = f'''{len(final_state[\"users\"])}\n'''\n"
    "    return text == '2\\n'\n",
    "def check_func(final_state, more=None):\n    return more is None\n",
    "def check_func(final_state, initial):\n    return True\n",
    "def check(final_state):\n    return True\n",
    "if initial_state['users']:\n    def check_func(final_state):\n        return True\n",
    "import json; check_func = lambda s: isinstance(json.dumps(s['users']), str)\n",
    "def check_func(final_state):\n    return all(\n        u in initial_state['users']\n"
    "        for u in final_state['users']) and \\\n        True\n",
    "def check_func(final_state):\n    return 1\n",
    "class Found:\n    users = 2\n\ndef check_func(final_state):\n"
    "    return len(final_state['users']) == Found.users\n",
]


def _as_published(code: str, initial: Any, final: Any) -> bool | None:
    """Answer as `run_check_function` does: None for what is no bool or raises."""
    namespace = {"initial_state": copy.deepcopy(initial)}
    try:
        exec(code, namespace)
        check: Callable[[Any], Any] = namespace["check_func"]
        answer = check(copy.deepcopy(final))
    except Exception:
        return None
    return answer if isinstance(answer, bool) else None


def _as_imported(code: str, initial: Any, final: Any) -> bool | None:
    try:
        text = adapted(code)
    except UnusableCheckError as fault:
        text = never(str(fault))
    check = Check(about="it", kind="goal", code=text)
    (verdict,) = run_checks([check], initial, final, SETTING)
    return None if verdict.broken else verdict.passed


def _finals() -> list[dict[str, Any]]:
    unchanged = {**STATE, "log": []}
    entry = {"id": "0" * 36, "at": 1.0, "day": "2026-01-09T09:00:01", "note": "checked"}
    done = copy.deepcopy({**STATE, "log": [entry]})
    done["tasks"]["T1"]["status"] = "done"
    fewer = copy.deepcopy(done)
    del fewer["users"]["U2"]
    fewer["tasks"]["T2"]["assigned_to"] = "U2"
    return [unchanged, done, fewer, {}]


@pytest.mark.parametrize("code", [*(code for _, code in CHECKS), *MORE])
def test_each_kind_of_check_answers_as_published(code: str) -> None:
    for final in _finals():
        assert _as_imported(code, STATE, final) == _as_published(code, STATE, final)


def test_the_examples_hold_every_kind_of_answer() -> None:
    codes = [*(code for _, code in CHECKS), *MORE]
    answers = [[_as_published(code, STATE, final) for final in _finals()] for code in codes]
    assert {answer for row in answers for answer in row} == {True, False, None}
    assert sum(len(set(row)) > 1 for row in answers) > len(codes) / 2
