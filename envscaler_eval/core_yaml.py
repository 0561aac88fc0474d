"""YAML as people mean it: the 1.2 core schema, without duplicate keys.

PyYAML follows YAML 1.1, in which `no` is false, `09:30` is 570 and `2026-03-01`
is a date. Here these stay strings.
"""

import re
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING or not yaml.__with_libyaml__:
    from yaml import SafeDumper as _SafeDumper
    from yaml import SafeLoader as _SafeLoader
else:
    from yaml import CSafeDumper as _SafeDumper
    from yaml import CSafeLoader as _SafeLoader

# YAML 1.2.2, section 10.3.2: the pattern of each kind and the characters it begins with.
_CORE_SCALARS = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", [*"tTfF"]),
    "int": (r"[-+]?(?:0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+", [*"-+0123456789"]),
    "float": (
        r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        [*"-+.0123456789"],
    ),
}


class YamlError(ValueError):
    """The text is no YAML, or repeats a key."""


class _Loader(_SafeLoader):
    pass


class _Dumper(_SafeDumper):
    pass


for _class in (_Loader, _Dumper):
    _class.yaml_implicit_resolvers = {}
    for _kind, (_pattern, _starts) in _CORE_SCALARS.items():
        _class.add_implicit_resolver(
            f"tag:yaml.org,2002:{_kind}", re.compile(rf"^(?:{_pattern})$"), _starts
        )


def _construct_mapping(loader: Any, node: yaml.MappingNode) -> dict[Hashable, Any]:
    mapping: dict[Hashable, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            raise yaml.constructor.ConstructorError(
                None, None, f"key {key!r} is no string; quote it", key_node.start_mark
            )
        if key in mapping:
            raise yaml.constructor.ConstructorError(
                None, None, f"key '{key}' occurs twice; keep one", key_node.start_mark
            )
        mapping[key] = loader.construct_object(value_node, deep=True)
    return mapping


def _construct_int(loader: Any, node: yaml.ScalarNode) -> int:
    return int(node.value, 0) if node.value[:2] in ("0o", "0x") else int(node.value)


def _represent_text(dumper: Any, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    scalar: yaml.ScalarNode = dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)
    return scalar


_Loader.add_constructor("tag:yaml.org,2002:map", _construct_mapping)
_Loader.add_constructor("tag:yaml.org,2002:int", _construct_int)
_Dumper.add_representer(str, _represent_text)


def load(text: str) -> Any:
    """Read one document.

    Raises:
        YamlError: The text is no YAML or a mapping repeats a key; names the line.
    """
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as fault:
        line = f"line {fault.problem_mark.line + 1}: " if fault.problem_mark else ""
        raise YamlError(f"{line}{fault.problem}") from None
    except (yaml.YAMLError, ValueError) as fault:
        raise YamlError(str(fault)) from None


def dump(content: Any) -> str:
    """Write one document, text of several lines as block scalars."""
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
