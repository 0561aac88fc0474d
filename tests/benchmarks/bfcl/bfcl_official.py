"""The official code, run from the unpacked wheel without its dependencies.

Only for tests, and in a process of its own: it evaluates text, keeps instances
in module globals, and both snapshots are called `bfcl_eval`.

    python bfcl_official.py COMMAND FOLDER < questions > answers

reads and writes lines of JSON. Commands:
    verdicts: an entry's id and its turns as `check` takes them -> valid, error type
    observations: the same -> what the calls return
    decodings: a text -> the calls in it, in the official form
    tools: an entry's id -> its tools for an API, without hints
    prompt: descriptions of tools -> the system prompt of the prompt mode
"""

import copy
import decimal
import importlib
import io
import json
import sys
import types
from collections.abc import Callable, Iterator
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
        self._folder = folder
        self._backends: dict[str, str] = self._utils.CLASS_FILE_PATH_MAPPING
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
        self._forget()
        return result["valid"], result.get("error_type")

    def observations(self, entry_id: str, turns: Any) -> list[str]:
        """Return what the calls of a model return while it converses."""
        self._restore()
        question, _ = self.entries[entry_id]
        seen: list[str] = []
        for steps in turns:
            for calls in self._decoded(steps):
                results, _ = self._utils.execute_multi_turn_func_call(
                    calls,
                    question["initial_config"],
                    question["involved_classes"],
                    "model",
                    entry_id,
                    long_context="long_context" in entry_id,
                )
                seen.extend(results)
        self._forget()
        return seen

    def decoding(self, text: str) -> list[str]:
        """Return the calls in a text, none if it cannot be read."""
        try:
            return list(self._handlers.default_decode_execute_prompting(text))
        except Exception:
            return []

    def tools(self, entry_id: str) -> list[Any]:
        """Return an entry's tools for an API, without hints."""
        question, _ = self.entries[entry_id]
        held_out = {
            name for names in question.get("missed_function", {}).values() for name in names
        }
        docs = [
            doc
            for class_name in question["involved_classes"]
            for doc in map(json.loads, self._docs(class_name))
            if doc["name"] not in held_out
        ]
        styles = self._handlers.ModelStyle
        style = getattr(styles, "OPENAI_COMPLETIONS", None) or styles.OpenAI_Completions
        types_ = self._handlers.GORILLA_TO_OPENAPI
        tools = self._handlers.convert_to_tool(docs, types_, style)
        return [
            {key: tool["function"][key] for key in ("name", "description", "parameters")}
            for tool in tools
        ]

    def prompt(self, docs: list[Any]) -> str:
        """Return the system prompt of the prompt mode."""
        prompts = import_from(self._folder, "bfcl_eval.constants.default_prompts")
        if not hasattr(prompts, "DEFAULT_SYSTEM_PROMPT_FORMAT"):
            return str(prompts.DEFAULT_SYSTEM_PROMPT.format(functions=docs))
        return str(
            self._handlers.formulate_system_prompt(prompts.DEFAULT_SYSTEM_PROMPT_FORMAT, docs)
        )

    def _docs(self, class_name: str) -> list[str]:
        module = self._backends[class_name].rpartition(".")[2]
        place = self._folder / "bfcl_eval" / "data" / "multi_turn_func_doc" / f"{module}.json"
        return place.read_text("utf-8").splitlines()

    def _forget(self) -> None:
        for name in set(vars(self._utils)) - self._names:
            del vars(self._utils)[name]

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
        official = Official(Path(folder))
        answers: dict[str, Callable[[Any], Any]] = {
            "verdicts": lambda question: official.verdict(*question),
            "observations": lambda question: official.observations(*question),
            "decodings": official.decoding,
            "tools": official.tools,
            "prompt": official.prompt,
        }
        for line in sys.stdin:
            print(json.dumps(answers[command](json.loads(line))), file=output)


if __name__ == "__main__":
    main(*sys.argv[1:])
