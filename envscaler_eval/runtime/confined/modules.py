"""The modules that a program from a stranger may import.

They compute and hold data; none reaches files, processes, the network or the
interpreter by its documented names. Workers have them loaded before they are
confined, since they could not read them from disk afterwards.
"""

MODULES = frozenset(
    {
        "__future__",
        "abc",
        "array",
        "base64",
        "bisect",
        "calendar",
        "collections",
        "collections.abc",
        "colorsys",
        "contextlib",
        "copy",
        "dataclasses",
        "datetime",
        "decimal",
        "difflib",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "hmac",
        "itertools",
        "json",
        "logging",
        "math",
        "numbers",
        "operator",
        "random",
        "re",
        "secrets",
        "statistics",
        "string",
        "textwrap",
        "time",
        "typing",
        "unicodedata",
        "uuid",
    }
)

FILE_MODULES = frozenset({"csv", "io", "os", "os.path", "pathlib", "shutil", "sqlite3", "tempfile"})
"""What an environment with a scratch folder may import beside `MODULES`."""

PRELOADED = sorted(MODULES | FILE_MODULES | {"_strptime", "encodings.ascii", "encodings.latin_1"})
"""What a fork server imports: also what these modules import only when used."""
