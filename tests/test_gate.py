"""The static gate: what programs and checks from strangers may say."""

from textwrap import dedent

import pytest

from envscaler_eval.pack import find_packs, read_pack
from envscaler_eval.runtime.gate import (
    GateError,
    require_harmless_check,
    require_harmless_program,
    violations,
)

REFUSED = {
    "import os": "line 1: imports os; use one of ",
    "import subprocess, json": "line 1: imports subprocess; use one of ",
    "from importlib import import_module": "line 1: imports importlib; use one of ",
    "from . import secrets": "line 1: imports .; use one of ",
    "from json import *": "line 1: imports everything from json; name what you use",
    "import random\nx = random._os": "line 2: reaches random._os, which is private; leave it out",
    "import uuid\ndef f():\n    uuid.os.system('id')": (
        "line 3: reaches the module uuid.os; leave it out"
    ),
    "from logging import os": "line 1: reaches the module logging.os; leave it out",
    "def f():\n    exec('x')": "line 2: uses exec; write the code out",
    "def f():\n    return eval('1')": "line 2: uses eval; write the code out, or use json.loads",
    "def f():\n    return open('/etc/passwd')": "line 2: uses open; keep state in attributes",
    "def f():\n    return __import__('os')": "line 2: uses __import__; import at the top",
    "def f():\n    return compile('1', '', 'eval')": "line 2: uses compile; write the code out",
    "def f():\n    return globals()": "line 2: uses globals; keep state in attributes",
    "def f(x):\n    return vars(x)": "line 2: uses vars; name the attributes",
    "def f():\n    return __builtins__": "line 2: uses __builtins__; leave it out",
    "def f():\n    return __loader__": "line 2: uses __loader__; leave it out",
    "def f():\n    return ().__class__": "line 2: accesses .__class__, an internal of Python",
    "def f(x):\n    return x.__dict__": "line 2: accesses .__dict__, an internal of Python",
    "def f():\n    return f.__globals__": "line 2: accesses .__globals__, an internal of Python",
    "def f(g):\n    return g.gi_frame.f_back": "line 2: accesses .f_back, an internal of Python",
    "def f(x):\n    return getattr(x, '__class__')": "line 2: accesses .__class__",
    "def f(x, n):\n    return getattr(x, n)": "line 2: calls getattr with a computed name",
    "def f(x):\n    g = getattr\n    return g(x, 'a')": "line 2: uses getattr without naming",
    "def f(x):\n    match x:\n        case A(__class__=c): return c": "line 3: accesses .__class__",
    "import json\ndef f():\n    json.dumps = None": "line 3: changes json.dumps; modules stay",
    "print('hello')": "line 1: a statement at module or class level does more than define",
    "for i in range(3): pass": "line 1: a statement at module or class level does more",
    "class A:\n    while True: pass": "line 2: a statement at module or class level does more",
    "def f(): pass\nx = f()": "line 2: calls f at module or class level; move the call",
    "class A:\n    def f(self, x=print()): pass": "line 2: calls print at module or class level",
    "d = {}\nd['a'] = 1": "line 2: module level assigns into an object; assign to names only",
    "def f(:": "line 1: is no Python (invalid syntax); repair it",
    "x = " + "-" * 100_000 + "1": "line 1: is no Python",
    "x = " + "(" * 1000 + ")" * 1000: "line 1: is no Python (too many nested parentheses)",
    "x = a" + ".b" * 100_000: "line 1: is ",
}


@pytest.mark.parametrize(("text", "told"), REFUSED.items(), ids=range(len(REFUSED)))
def test_what_is_refused_is_told_with_its_line(text: str, told: str) -> None:
    assert str(violations(text)[0]).startswith(told)


def test_an_ordinary_program_passes() -> None:
    source = '''
        """An inventory."""

        from __future__ import annotations

        import json
        import re
        import collections.abc
        from dataclasses import dataclass, field
        from datetime import datetime, timedelta
        from enum import Enum
        from typing import Any, Literal, TypedDict, get_args

        Status = Literal["open", "closed"]
        STATUSES = frozenset(get_args(Status))
        CODE = re.compile(r"[A-Z]{2}")
        LIMIT: timedelta = timedelta(days=3)
        PAIRS = dict(zip(("a", "b"), (1, 2)))

        class Kind(Enum):
            BOX = "box"

        @dataclass(frozen=True)
        class Item:
            name: str
            tags: list[str] = field(default_factory=list)

        class Inventory:
            """An inventory."""

            __slots__ = ("items",)
            size = 3

            def __init__(self, init_config: dict) -> None:
                super().__init__()
                self.items = init_config.get("items", {})

            def __repr__(self) -> str:
                return type(self).__name__

            def find(self, input: str, dir: str = "up") -> dict:
                """Find by code; arguments may be named like builtins."""
                for name in ("items", "size"):
                    setattr(self, name, getattr(self, name))
                if hasattr(self, "items") and CODE.match(input):
                    return {"success": True, "data": json.dumps([input, dir])}
                return {"success": False, "error": str(json.JSONDecodeError)}
    '''
    assert violations(dedent(source)) == []


def test_a_program_with_a_scratch_folder_may_use_files() -> None:
    source = "import os\nimport sqlite3\nclass A:\n    def f(self):\n        return open('x')\n"
    assert [str(found)[:20] for found in violations(source)] != []
    assert violations(source, files=True) == []


def test_errors_name_the_environment_or_the_check() -> None:
    with pytest.raises(GateError, match=r"environment 'shop': line 1: imports os"):
        require_harmless_program("shop", "import os")
    with pytest.raises(GateError, match=r"check 'paid': line 2: uses exec"):
        require_harmless_check("paid", "def check(initial, final):\n    exec('')")


@pytest.mark.parametrize("folder", find_packs(), ids=lambda folder: folder.name)
def test_every_pack_of_the_library_passes(folder: object) -> None:
    from pathlib import Path

    pack = read_pack(Path(str(folder)))
    assert violations(pack.environment.source) == []
    for scenario in pack.scenarios:
        for check in scenario.checks:
            assert violations(check.code) == []
