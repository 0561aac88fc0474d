"""From files of the upstream repository to the normalised data.

Nothing of upstream is executed: initial states and prompts are read out of its
source as literals.
"""

import ast
import json
from collections.abc import Iterator, Mapping
from typing import Any

LANGUAGES = ("en", "zh")
SUBSETS = ("agent_multi_step", "agent_multi_turn")

# Sections of prompts.json: where upstream defines the constants, and which.
_AGENT_PROMPTS = {
    "multi_turn_agent": "model_inference/multi_turn/APIModel_agent.py",
    "multi_step_agent": "model_inference/multi_step/APIModel_agent.py",
    "user_simulator": "model_inference/multi_turn/APIModel_user.py",
}
_POLICY_NAMES = ("TRAVEL_PROMPT", "BASE_PROMPT")

_PLATFORM_FOLDER = "model_inference/multi_turn/scenarios"
_PLATFORM_FILES = {
    "BaseApi": "phone_platform/base_api.py",
    "MessageApi": "phone_platform/message.py",
    "ReminderApi": "phone_platform/reminder.py",
    "FoodPlatform": "phone_platform/food_services.py",
    "Travel": "travel.py",
}


def upstream_files() -> tuple[str, ...]:
    """Return the upstream paths that normalisation reads."""
    paths = list(_AGENT_PROMPTS.values())
    for language in LANGUAGES:
        paths.append(f"model_inference/prompt_{language}.py")
        paths += [f"{_PLATFORM_FOLDER}{language}/{name}" for name in _PLATFORM_FILES.values()]
        for subset in SUBSETS:
            paths.append(f"data_all/data_{language}/data_{subset}.json")
            paths.append(f"data_all/data_{language}/possible_answer/data_{subset}.json")
    return tuple(paths)


def normalise(upstream: Mapping[str, str]) -> dict[str, bytes]:
    """Return the normalised files of both languages.

    Args:
        upstream: Text of each path of `upstream_files`.

    Returns:
        Relative path of each normalised file to its content.

    Raises:
        KeyError, SyntaxError, ValueError: If upstream is not laid out as in the
            pinned commit.
    """
    files: dict[str, Any] = {}
    for language in LANGUAGES:
        tasks: list[dict[str, Any]] = []
        for subset in SUBSETS:
            folder = f"data_all/data_{language}"
            subset_tasks = _json_lines(upstream[f"{folder}/data_{subset}.json"])
            tasks += subset_tasks
            files[f"{language}/tasks_{subset}.json"] = [_without_schemas(t) for t in subset_tasks]
            files[f"{language}/possible_answers_{subset}.json"] = _json_lines(
                upstream[f"{folder}/possible_answer/data_{subset}.json"]
            )
        files[f"{language}/tool_schemas.json"] = _tool_schemas(tasks)
        files[f"{language}/initial_data.json"] = _initial_data(upstream, language)
        files[f"{language}/prompts.json"] = _prompts(upstream, language)
    return {
        name: json.dumps(content, ensure_ascii=False, indent=1).encode()
        for name, content in files.items()
    }


def _json_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def _without_schemas(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return a task with the names of its tools instead of their schemas."""
    names = [schema["name"] for schema in task["function"]]
    return {key: value for key, value in task.items() if key != "function"} | {
        "function_names": names
    }


def _tool_schemas(tasks: list[dict[str, Any]]) -> dict[str, Any]:
    schemas: dict[str, Any] = {}
    used_by: dict[str, list[str]] = {}
    for task in tasks:
        for schema in task["function"]:
            schemas.setdefault(schema["name"], schema)
            used_by.setdefault(schema["name"], []).append(task["id"])
    return {"schemas": schemas, "used_by": used_by}


def _constants(source: str) -> dict[str, str]:
    """Return the string constants that a module assigns at its top level."""
    constants = {}
    for statement in ast.parse(source).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                constants[name] = text
    return constants


def _prompts(upstream: Mapping[str, str], language: str) -> dict[str, Any]:
    suffix = f"_{language.upper()}"
    sections = {
        section: {
            name: text for name, text in _constants(upstream[path]).items() if name.endswith(suffix)
        }
        for section, path in _AGENT_PROMPTS.items()
    }
    policy = _constants(upstream[f"model_inference/prompt_{language}.py"])
    sections["policy"] = {name + suffix: policy[name + suffix] for name in _POLICY_NAMES}
    return sections


def _initial_data(upstream: Mapping[str, str], language: str) -> dict[str, Any]:
    classes: dict[str, ast.ClassDef] = {}
    for name, file in _PLATFORM_FILES.items():
        module = ast.parse(upstream[f"{_PLATFORM_FOLDER}{language}/{file}"])
        classes[name] = next(
            node for node in module.body if isinstance(node, ast.ClassDef) and node.name == name
        )
    data = {}
    for name in _PLATFORM_FILES:
        attributes = dict(_initial_attributes(name, classes))
        data[name] = {
            "attributes": attributes,
            # JSON has no integer keys, so which attributes had them is kept.
            "int_keyed": [
                attribute
                for attribute, value in attributes.items()
                if isinstance(value, dict) and any(isinstance(key, int) for key in value)
            ],
        }
    return data


def _initial_attributes(
    name: str, classes: Mapping[str, ast.ClassDef]
) -> Iterator[tuple[str, Any]]:
    """Yield what the constructor of a platform assigns, in order."""
    platform = classes[name]
    constructor = next(
        node
        for node in platform.body
        if isinstance(node, ast.FunctionDef) and node.name == "__init__"
    )
    for statement in constructor.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Attribute(attr=attribute)], value=value)
                | ast.AnnAssign(target=ast.Attribute(attr=attribute), value=ast.expr() as value)
            ):
                yield attribute, ast.literal_eval(value)
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="__init__"))):
                for base in platform.bases:
                    if isinstance(base, ast.Name):
                        yield from _initial_attributes(base.id, classes)
