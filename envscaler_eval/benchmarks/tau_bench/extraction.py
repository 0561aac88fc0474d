"""Turning Tau-Bench's sources into the normalised data, without running them.

Database files and policies are copied byte for byte, since their key order
decides search order and observations. Tasks, tool schemas, rules and prompts
stand in Python sources upstream; they are read from the syntax tree, so that
nothing downloaded is executed.
"""

import ast
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

COPIES = {
    "LICENSE.txt": "LICENSE",
    "retail/orders.json": "tau_bench/envs/retail/data/orders.json",
    "retail/products.json": "tau_bench/envs/retail/data/products.json",
    "retail/users.json": "tau_bench/envs/retail/data/users.json",
    "retail/policy.md": "tau_bench/envs/retail/wiki.md",
    "airline/flights.json": "tau_bench/envs/airline/data/flights.json",
    "airline/reservations.json": "tau_bench/envs/airline/data/reservations.json",
    "airline/users.json": "tau_bench/envs/airline/data/users.json",
    "airline/policy.md": "tau_bench/envs/airline/wiki.md",
}
TASKS = {
    "retail/tasks_test.json": ("tau_bench/envs/retail/tasks_test.py", "TASKS_TEST"),
    "retail/tasks_dev.json": ("tau_bench/envs/retail/tasks_dev.py", "TASKS_DEV"),
    "retail/tasks_train.json": ("tau_bench/envs/retail/tasks_train.py", "TASKS_TRAIN"),
    "airline/tasks_test.json": ("tau_bench/envs/airline/tasks_test.py", "TASKS"),
}
DOMAINS = ("retail", "airline")
USER_SOURCE = "tau_bench/envs/user.py"
REACT_SOURCE = "tau_bench/agents/chat_react_agent.py"
# Upstream's names for the reply action, which the agents' prompts interpolate.
CONSTANTS = {"RESPOND_ACTION_NAME": "respond", "RESPOND_ACTION_FIELD_NAME": "content"}


class ExtractionError(Exception):
    """A source is absent or has not the expected shape."""


def is_source(path: str) -> bool:
    """Tell whether a file of the upstream repository is needed by `extract`."""
    tools = tuple(f"tau_bench/envs/{domain}/tools/" for domain in DOMAINS)
    rules = {f"tau_bench/envs/{domain}/rules.py" for domain in DOMAINS}
    return (
        path in COPIES.values()
        or path in {source for source, _ in TASKS.values()}
        or path in rules | {USER_SOURCE, REACT_SOURCE}
        or (path.startswith(tools) and path.endswith(".py"))
    )


def extract(sources: Mapping[str, bytes]) -> dict[str, bytes]:
    """Make the normalised files.

    Args:
        sources: Path in the upstream repository -> content, at least those
            for which `is_source` holds.

    Returns:
        Path in the normalised folder -> content.

    Raises:
        ExtractionError: A source is absent or has not the expected shape.
    """
    files: dict[str, bytes] = {}
    for target, source in COPIES.items():
        files[target] = _content(sources, source)
    for target, (source, variable) in TASKS.items():
        files[target] = _json(_tasks(_tree(sources, source), variable))
    for domain in DOMAINS:
        folder = f"tau_bench/envs/{domain}"
        rules = _assigned(_tree(sources, f"{folder}/rules.py"), "RULES")
        files[f"{domain}/rules.json"] = _json(_literal(rules))
        files[f"{domain}/tools.json"] = _json(list(_tool_schemas(sources, f"{folder}/tools")))
    # This one file ends without a newline in the pinned form.
    files["prompts.json"] = _json(_prompts(sources)).rstrip(b"\n")
    return files


def _content(sources: Mapping[str, bytes], path: str) -> bytes:
    try:
        return sources[path]
    except KeyError:
        raise ExtractionError(f"{path} is absent") from None


def _tree(sources: Mapping[str, bytes], path: str) -> ast.Module:
    try:
        return ast.parse(_content(sources, path), filename=path)
    except (SyntaxError, ValueError) as error:
        raise ExtractionError(f"{path} cannot be parsed: {error}") from None


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError) as error:
        raise ExtractionError(f"expected a literal: {error}") from None


def _assigned(tree: ast.Module, name: str) -> ast.expr:
    """Return the expression that a module assigns to a name."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name for target in statement.targets
        ):
            return statement.value
    raise ExtractionError(f"no assignment to {name}")


def _tasks(tree: ast.Module, variable: str) -> list[dict[str, Any]]:
    """Read a list of `Task(...)` expressions."""
    tasks = []
    for index, node in enumerate(_elements(_assigned(tree, variable))):
        fields = _keywords(node, "Task")
        actions = [_keywords(action, "Action") for action in _elements(fields["actions"])]
        tasks.append(
            {
                "task_index": index,
                "annotator": _literal(fields["annotator"]),
                "user_id": _literal(fields["user_id"]),
                "instruction": _literal(fields["instruction"]),
                "actions": [
                    {"name": _literal(action["name"]), "kwargs": _literal(action["kwargs"])}
                    for action in actions
                ],
                "outputs": _literal(fields["outputs"]),
            }
        )
    return tasks


def _elements(node: ast.expr) -> list[ast.expr]:
    if not isinstance(node, ast.List):
        raise ExtractionError("expected a list")
    return node.elts


def _keywords(node: ast.expr, function: str) -> dict[str, ast.expr]:
    """Return the keyword arguments of a call to a known class."""
    if not (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == function
        and not node.args
    ):
        raise ExtractionError(f"expected {function}(...) with keyword arguments")
    return {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}


def _tool_schemas(sources: Mapping[str, bytes], folder: str) -> Iterator[Any]:
    """Read what each tool's `get_info` returns, in the order of `ALL_TOOLS`."""
    index = _tree(sources, f"{folder}/__init__.py")
    modules = {
        alias.asname or alias.name: statement.module
        for statement in index.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    for element in _elements(_assigned(index, "ALL_TOOLS")):
        if not isinstance(element, ast.Name) or element.id not in modules:
            raise ExtractionError(f"{folder}/__init__.py: unexpected entry of ALL_TOOLS")
        tree = _tree(sources, f"{folder}/{modules[element.id]}.py")
        yield _literal(_returned(_function(tree, element.id, "get_info")))


def _function(tree: ast.Module, *path: str) -> ast.FunctionDef:
    """Find a function by its name, or by its class's name and its own."""
    body = tree.body
    for name in path:
        for statement in body:
            if isinstance(statement, ast.ClassDef | ast.FunctionDef) and statement.name == name:
                if isinstance(statement, ast.FunctionDef):
                    return statement
                body = statement.body
                break
    raise ExtractionError(f"no definition of {'.'.join(path)}")


def _returned(function: ast.FunctionDef) -> ast.expr:
    for statement in function.body:
        if isinstance(statement, ast.Return) and statement.value is not None:
            return statement.value
    raise ExtractionError(f"{function.name} returns nothing")


def _prompts(sources: Mapping[str, bytes]) -> dict[str, str]:
    """Read the prompts, with `{name}` where the source interpolates a variable."""
    users = _tree(sources, USER_SOURCE)
    agents = _tree(sources, REACT_SOURCE)

    def placeholder(name: str) -> str:
        return "{" + name + "}"

    def local(function: str) -> str:
        module = ast.Module(body=_function(users, function).body, type_ignores=[])
        return _text(_assigned(module, "prompt"), placeholder)

    prompts = {
        f"user_{name}": _text(_returned(_function(users, name, "build_system_prompt")), placeholder)
        for name in ("LLMUserSimulationEnv", "ReactUserSimulationEnv")
    }
    prompts["verify"] = local("verify")
    prompts["reflect"] = local("reflect")
    # A description of an expression, not a template; `users` builds the text.
    prompts["user_instruction_display"] = (
        "\n\nInstruction: {instruction}\n   (empty string when instruction is None)"
    )
    prompts["user_first_message_seen_by_simulator"] = "Hi! How can I help you today?"
    for name in ("REACT_INSTRUCTION", "ACT_INSTRUCTION"):
        prompts[f"agent_{name}"] = _text(_assigned(agents, name), CONSTANTS.__getitem__)
    return prompts


def _text(node: ast.expr, interpolate: Callable[[str], str]) -> str:
    """Read a string or an f-string whose fields are plain names."""
    if not isinstance(node, ast.JoinedStr):
        return str(_literal(node))
    parts = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        elif isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name):
            parts.append(interpolate(part.value.id))
        else:
            raise ExtractionError("expected an f-string of plain names")
    return "".join(parts)
