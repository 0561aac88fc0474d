"""Tools from signatures and docstrings."""

from typing import Any

import pytest
from inspect_ai.tool import ToolParams

from envscaler_eval.pack import find_packs, read_pack
from envscaler_eval.tool_schema import ToolSchemaError, tools_of
from envscaler_eval.world import ToolSpec

HEADER = """
from typing import Annotated, Any, Literal, NotRequired, Optional, Required, TypeAlias
from typing import TypedDict, Union

Size = Literal["small", "large"]
Weight: TypeAlias = int | float


class Address(TypedDict):
    street: str
    number: NotRequired[int]


class Person(Address, total=False):
    name: Required[str]
    size: Size


class Tree(TypedDict):
    label: str
    children: list["Tree"]

"""


def _tool(parameters: str, docstring: str = "Act.") -> ToolSpec:
    source = (
        f'{HEADER}\nclass World:\n    def act(self, {parameters}):\n        """{docstring}"""\n'
    )
    (tool,) = tools_of(source, "World")
    return tool


def _schema(annotation: str) -> Any:
    return _tool(f"x: {annotation}").parameters["properties"]["x"]


ADDRESS: dict[str, Any] = {
    "type": "object",
    "properties": {"street": {"type": "string"}, "number": {"type": "integer"}},
    "required": ["street"],
    "additionalProperties": False,
}
ANNOTATIONS: dict[str, Any] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "Any": {},
    "datetime": {"type": "string", "format": "date-time"},
    "Literal['a', 'b']": {"type": "string", "enum": ["a", "b"]},
    "Literal[1, 'b', None]": {"enum": [1, "b", None]},
    "Optional[int]": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "int | None": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "Union[int, str, None]": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
    "int | str | int": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
    "str | Any": {},
    "list": {"type": "array"},
    "list[str]": {"type": "array", "items": {"type": "string"}},
    "List[list[int]]": {
        "type": "array",
        "items": {"type": "array", "items": {"type": "integer"}},
    },
    "dict": {"type": "object"},
    "dict[str, int]": {"type": "object", "additionalProperties": {"type": "integer"}},
    "dict[str, Any]": {"type": "object", "additionalProperties": True},
    "dict[str, list[float]]": {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": "number"}},
    },
    "Size": {"type": "string", "enum": ["small", "large"]},
    "Weight": {"anyOf": [{"type": "integer"}, {"type": "number"}]},
    "Address": ADDRESS,
    "list[Address]": {"type": "array", "items": ADDRESS},
    "Person": {
        "type": "object",
        "properties": {
            **ADDRESS["properties"],
            "name": {"type": "string"},
            "size": {"type": "string", "enum": ["small", "large"]},
        },
        "required": ["street", "name"],
        "additionalProperties": False,
    },
    "Annotated[int, 'pieces']": {"type": "integer"},
    "'int'": {"type": "integer"},
    "'list[Address]'": {"type": "array", "items": ADDRESS},
    "typing.Optional[str]": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    "'no type'": {},
    "Unheard": {},
}


@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_an_annotation_becomes_its_schema(annotation: str) -> None:
    assert _schema(annotation) == ANNOTATIONS[annotation]


def test_a_type_that_contains_itself_ends_in_anything() -> None:
    assert _schema("Tree")["properties"] == {
        "label": {"type": "string"},
        "children": {"type": "array"},
    }


def test_a_parameter_without_annotation_takes_anything() -> None:
    tool = _tool("x")
    assert tool.parameters["properties"] == {"x": {}}
    assert tool.parameters["required"] == ["x"]


def test_a_default_makes_a_parameter_optional_and_is_shown() -> None:
    tool = _tool("a: str, b: int = 3, *, c: bool, d: list[str] = ['x']")
    assert tool.parameters["required"] == ["a", "c"]
    assert tool.parameters["properties"]["b"] == {"type": "integer", "default": 3}
    assert tool.parameters["properties"]["d"]["default"] == ["x"]


def test_a_default_of_none_also_allows_null() -> None:
    assert _tool("x: str = None").parameters["properties"]["x"] == {
        "anyOf": [{"type": "string"}, {"type": "null"}],
        "default": None,
    }
    assert _tool("x: str | None = None").parameters["properties"]["x"] == {
        "anyOf": [{"type": "string"}, {"type": "null"}],
        "default": None,
    }


def test_a_choice_that_defaults_to_none_also_allows_null() -> None:
    schema = _tool("x: Literal[1, 'b'] = None").parameters["properties"]["x"]
    assert schema == {"anyOf": [{"enum": [1, "b"]}, {"type": "null"}], "default": None}


def test_anything_that_defaults_to_none_stays_anything() -> None:
    assert _tool("x=None").parameters["properties"]["x"] == {"default": None}


def test_a_default_that_is_no_literal_is_not_shown() -> None:
    tool = _tool("x: int = LIMIT")
    assert tool.parameters["properties"]["x"] == {"type": "integer"}
    assert "required" not in tool.parameters


def test_no_arguments_are_taken_but_the_declared_ones() -> None:
    assert _tool("x: int").parameters["additionalProperties"] is False


@pytest.mark.parametrize(
    "docstring",
    [
        "Move a lot.\\n\\n        It keeps its number.\\n\\n        Args:\\n            x: The lot,"
        "\\n                as printed.\\n        Returns:\\n            A dict.\\n        ",
        "Move a lot.\\n\\n        It keeps its number.\\n\\n        :param x: The lot, as printed."
        "\\n        :return: A dict.\\n        ",
    ],
)
def test_descriptions_come_from_google_and_rest_docstrings(docstring: str) -> None:
    tool = _tool("x: str = None", docstring.replace("\\n", "\n"))
    assert tool.description == "Move a lot.\n\nIt keeps its number."
    assert tool.parameters["properties"]["x"]["description"] == "The lot, as printed."


def test_a_tool_without_docstring_is_described_by_its_name() -> None:
    (tool,) = tools_of("class World:\n    def act(self): ...\n", "World")
    assert tool.description == "act"


def test_only_public_plain_methods_are_tools() -> None:
    source = """
class World:
    def __init__(self): ...
    def _hidden(self): ...
    @property
    def size(self): ...
    @staticmethod
    def free(): ...
    async def later(self): ...
    def second(self): ...
    def first(self): ...
"""
    assert [tool.name for tool in tools_of(source, "World")] == ["second", "first"]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("class World", "line 1"),
        ("class Other: ...", "class 'World' is missing; it has \\['Other'\\]"),
        ("", "class 'World' is missing; it has none"),
        ("class World: ...", "has no tools"),
    ],
)
def test_a_source_without_tools_is_refused(source: str, told: str) -> None:
    with pytest.raises(ToolSchemaError, match=told):
        tools_of(source, "World")


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_inspect_loses_nothing_of_a_schema(annotation: str) -> None:
    parameters = dict(_tool(f"x: {annotation} = None").parameters)
    shown = ToolParams.model_validate(parameters).model_dump(exclude_none=True)
    assert shown == _without_nulls({"required": [], **parameters})


@pytest.mark.parametrize("folder", find_packs(), ids=lambda folder: folder.name)
def test_inspect_loses_nothing_of_the_library(folder: Any) -> None:
    for tool in read_pack(folder).environment.tools:
        shown = ToolParams.model_validate(tool.parameters).model_dump(exclude_none=True)
        assert shown == _without_nulls({"required": [], **tool.parameters}), tool.name


@pytest.mark.parametrize("folder", find_packs(), ids=lambda folder: folder.name)
def test_every_parameter_of_the_library_is_described(folder: Any) -> None:
    for tool in read_pack(folder).environment.tools:
        for name, schema in tool.parameters["properties"].items():
            assert schema.get("description"), f"{tool.name}: {name}"
