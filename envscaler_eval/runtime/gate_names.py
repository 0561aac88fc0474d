"""The names that the static gate knows."""

FORBIDDEN_NAMES = {
    "__builtins__": "leave it out",
    "__import__": "import at the top",
    "breakpoint": "leave it out",
    "compile": "write the code out",
    "delattr": "use `del self.name`",
    "dir": "name the attributes",
    "eval": "write the code out, or use json.loads for data",
    "exec": "write the code out",
    "exit": "return instead",
    "globals": "keep state in attributes of `self`",
    "help": "leave it out",
    "input": "take it as an argument of a tool",
    "locals": "name the variables",
    "memoryview": "use bytes",
    "open": "keep state in attributes of `self`",
    "quit": "return instead",
    "vars": "name the attributes",
}
"""Builtins that programs may not use, with the remedy."""

NAMED_ATTRIBUTE_ACCESS = frozenset({"getattr", "hasattr", "setattr"})
"""Builtins that may be called with a name that is written out."""

HARMLESS_DUNDERS = frozenset({"__init__", "__name__", "__post_init__"})
"""Attributes between double underscores that lead nowhere."""

INTERNALS = frozenset(
    {
        "ag_code", "ag_frame", "co_code", "co_consts", "cr_code", "cr_frame", "f_back",
        "f_builtins", "f_code", "f_globals", "f_locals", "func_code", "func_globals", "gi_code",
        "gi_frame", "gi_yieldfrom", "mro", "tb_frame", "tb_next",
    }
)  # fmt: skip
"""Attributes of frames, code and classes that lead out of a program."""

CONSTANT_BUILTINS = frozenset(
    {
        "abs", "all", "any", "bool", "dict", "enumerate", "float", "frozenset", "int", "len",
        "list", "max", "min", "range", "reversed", "round", "set", "sorted", "str", "sum",
        "tuple", "zip",
    }
)  # fmt: skip
"""Builtins that may make constants when a module is loaded."""

CONSTANT_METHODS = frozenset({"items", "keys", "values", "union", "split"})
"""Methods that may make constants when a module is loaded."""
