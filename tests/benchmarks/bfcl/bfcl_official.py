"""The official code, run from the unpacked wheel without its dependencies.

Only for tests, and in a process of its own: it evaluates text, keeps instances
in module globals, and both snapshots are called `bfcl_eval`.

    python bfcl_official.py verdicts FOLDER < trajectories > verdicts

reads lines of JSON, each an entry's id and its turns as `check` takes them.
"""

import copy
import decimal
import importlib
import io
import json
import sys
import types
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, ClassVar

CHECKER = "bfcl_eval.eval_checker.multi_turn_eval"


class Official:
    """The official checker of the snapshot in a folder."""

    def __init__(self, folder: Path, isolated: bool = True) -> None:
        """Import it.

        Args:
            folder: The folder of the unpacked wheel.
            isolated: Whether each entry finds the constants as they were, as in
                a process of its own.
        """
        self._checker = import_from(folder, f"{CHECKER}.multi_turn_checker")
        self._utils = import_from(folder, f"{CHECKER}.multi_turn_utils")
        self._constants = import_from(folder, f"{CHECKER}.func_source_code.long_context")
        self._handlers = handler_utils(folder)
        self._mpmath: Any = importlib.import_module("mpmath")
        self._isolated = isolated
        self._names = set(vars(self._utils))
        self._pristine = {
            name: copy.deepcopy(value)
            for name, value in vars(self._constants).items()
            if isinstance(value, dict) and not name.startswith("__")
        }
        self.entries = dict(_entries(folder))

    def verdict(self, entry_id: str, turns: Any) -> tuple[bool, str | None]:
        """Return the verdict on the turns of a model, and leave no instance behind.

        The steps before the checker are those of `_evaluate_single_multi_turn_entry`
        in `eval_runner.py`, whose import needs every model's client.
        """
        if self._isolated:
            self._restore()
        question, truth = self.entries[entry_id]
        if not isinstance(turns, list):
            return False, "multi_turn:inference_error"
        if len(turns) != len(truth):
            return False, "multi_turn:force_terminated"
        result = self._checker.multi_turn_checker(
            [self._decoded(steps) for steps in turns], truth, question, "", "tested"
        )
        for name in set(vars(self._utils)) - self._names:
            del vars(self._utils)[name]
        return result["valid"], result.get("error_type")

    def _decoded(self, steps: list[Any]) -> list[list[str]]:
        decoded = []
        for step in steps:
            try:
                calls = self._handlers.convert_to_function_call(
                    [{call["name"]: call["arguments"]} for call in step]
                )
            except Exception:
                continue
            if not self._utils.is_empty_execute_response(calls):
                decoded.append(calls)
        return decoded

    def _restore(self) -> None:
        for name, value in self._pristine.items():
            constant = getattr(self._constants, name)
            constant.clear()
            constant.update(copy.deepcopy(value))
        self._mpmath.mp.dps = 15
        decimal.setcontext(decimal.Context())


def import_from(folder: Path, module: str) -> Any:
    """Import a module of the wheel."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    imported = importlib.import_module(module)
    assert Path(str(imported.__file__)).is_relative_to(folder)
    return imported


def handler_utils(folder: Path) -> Any:
    """Import the helpers of the handlers, whose own imports need far more than they do."""
    prefix = "bfcl_eval.model_handler"
    parsers = [f"{prefix}.{place}_parser" for place in PARSERS]
    for name in (f"{prefix}.parser", "bfcl_eval.utils", "tenacity", *parsers):
        sys.modules.setdefault(name, _Anything(name))
    return import_from(folder, f"{prefix}.utils")


PARSERS = ("java", "js", "parser.java", "parser.js", "parser.json", "parser.xml")


class _Anything(types.ModuleType):
    __path__: ClassVar[list[str]] = []
    __all__: ClassVar[list[str]] = []

    def __getattr__(self, name: str) -> Any:
        return object


def _entries(folder: Path) -> Iterator[tuple[str, tuple[Any, Any]]]:
    data = folder / "bfcl_eval" / "data"
    for path in sorted(data.glob("BFCL_v?_multi_turn_*.json")):
        questions = path.read_text("utf-8").splitlines()
        answers = (data / "possible_answer" / path.name).read_text("utf-8").splitlines()
        for question, answer in zip(
            map(json.loads, questions), map(json.loads, answers), strict=True
        ):
            yield question["id"], (question, answer["ground_truth"])


def main(command: str, folder: str) -> None:
    """Answer what comes in, line by line."""
    output = sys.stdout
    with redirect_stdout(io.StringIO()):
        if command == "verdicts":
            official = Official(Path(folder))
            for line in sys.stdin:
                entry_id, turns = json.loads(line)
                print(json.dumps(official.verdict(entry_id, turns)), file=output)


if __name__ == "__main__":
    main(*sys.argv[1:])
