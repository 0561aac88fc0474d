"""Checks that can only read, told from all others by their text."""

import json
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.episode import Episode
from envscaler_eval.pack import find_packs, read_pack
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.runtime.checking import CheckSetting, run_checks
from envscaler_eval.runtime.reading import only_reads
from envscaler_eval.scenario import Check

READING = {
    "a look-up": "return final['a']['n'] == initial['a'].get('n')",
    "a comprehension": "return {k: v for k, v in final.items() if k not in initial} == {}",
    "a loop": "for k in final:\n        if k.startswith('x'):\n            return True\n"
    "    return False",
    "a lambda": "return max(final.values(), key=lambda row: row['n']) is not None",
    "unpacking": "(first, *rest), n = sorted(final), 3\n    return first != n and not rest",
    "a helper": "def n(state):\n        return len(state['a'])\n    return n(initial) == n(final)",
    "text": "return f'{final!r:>3}'.upper() != ' / '.join(sorted(initial))",
}

WRITING = {
    "an item": "final['a'] = 1",
    "a deep item": "final['a']['n'] += 1",
    "an augmented name": "rows = final['a']\n    rows |= {'n': 3}",
    "a deletion": "del final['a']",
    "a loop's target": "for final['a'] in [1]:\n        pass",
    "unpacking into an item": "final['a'], x = 1, 2",
    "a method": "final.pop('a')",
    "a method on a part": "final['a'].update(n=2)",
    "a method that is handed on": "list(map(final.pop, ['a']))",
    "a method by name": "take = final.pop\n    take('a')",
    "a method by text": "getattr(final, 'pop')('a')",
    "a method of the type": "dict.pop(final, 'a')",
    "a special method": "final.__setitem__('a', 1)",
    "the namespace": "globals()['seen'] = 1",
    "a global": "global seen\n    seen = 1",
    "an attribute": "check.seen = 1",
    "an import": "import sys\n    sys.seen = 1",
    "code": "exec('final.clear()')",
    "a class": "class Sly:\n        x = final.clear()",
    "an assignment to a builtin's name": "vars = 1",
    "a decorator": "@list\n    def helper():\n        return 1",
    "a match": "match final:\n        case {'a': x}:\n            pass",
    "the terminal": "print(final)",
}


def _check(body: str) -> str:
    return f"def check(initial, final):\n    {body}\n"


def _passed(*codes: str) -> list[bool]:
    checks = [Check(about=code, kind="goal", code=code) for code in codes]
    state = {"a": {"n": 1}}
    setting = CheckSetting("2026-03-09T08:30:00", "0")
    verdicts = run_checks(checks, state, state, setting, only_data=True)
    assert state == {"a": {"n": 1}}
    assert not any(verdict.broken for verdict in verdicts)
    return [verdict.passed for verdict in verdicts]


@pytest.mark.parametrize("body", READING.values(), ids=READING)
def test_a_check_that_only_reads_is_known(body: str) -> None:
    assert only_reads(_check(body))
    assert len(_passed(_check(body))) == 1


@pytest.mark.parametrize("body", WRITING.values(), ids=WRITING)
def test_a_check_that_might_write_is_not_taken_for_one_that_reads(body: str) -> None:
    assert not only_reads(_check(f"{body}\n    return True"))


def test_code_beside_the_function_counts_as_well() -> None:
    assert not only_reads(f"from datetime import date\n{_check('return True')}")


def test_what_a_check_uses_up_is_there_again_the_next_time() -> None:
    code = f"left = iter([True, False])\n{_check('return next(left)')}"
    assert only_reads(code)
    assert _passed(code, code) == [True, True]


def test_a_builtin_that_is_replaced_elsewhere_is_not_missed() -> None:
    """A name that one function gives itself may be a builtin in another."""
    code = "def helper(id):\n    return id\n" + _check("return id(final) != helper(1)")
    assert _passed(code) == [True]


@pytest.mark.parametrize("folder", find_packs(), ids=lambda folder: folder.name)
def test_the_library_s_checks_read_and_answer_as_on_copies(folder: Path) -> None:
    pack = read_pack(folder)
    runtime = InProcessRuntime(pack.environment)
    for scenario in pack.scenarios:
        assert all(only_reads(check.code) for check in scenario.checks)
        with Episode(scenario, runtime) as episode:
            for call in scenario.solution[::2]:
                episode.call(call.name, call.arguments)
            final = episode.state()
        setting = CheckSetting(scenario.now, "0")
        before = json.dumps([scenario.state, final])
        told: list[Any] = [
            run_checks(scenario.checks, scenario.state, final, setting, only_data=only_data)
            for only_data in (True, False)
        ]
        assert told[0] == told[1]
        assert json.dumps([scenario.state, final]) == before
