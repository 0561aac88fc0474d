"""Imports point down the layers and never up."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import envscaler_eval

PACKAGE = Path(envscaler_eval.__file__).parent
BASE = {
    *("errors", "core_yaml", "strict_json", "model_fault", "parsing", "check_code"),
    *("state", "allowance", "world", "scenario", "difficulty", "prices", "output_files"),
    "web_server",
}
PACKS = {
    *("pack_digest", "pack", "pack_rows", "pack_selection", "pack_writing"),
    "pack_statistics",
}
LAYERS = [
    BASE,
    {"annotations", "tool_schema", "program", "environment", *PACKS, "runtime", "isolation"},
    {"episode"},
    {"policies", "audit", "benchmarks", "validation"},
    {"solvers", "scorers", "text_vectors"},
    {"tasks"},
    {"_registry", "estimate", "results", "exports"},
    {"playground", "sweep"},
    {"cli"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# `synth` stands beside `solvers`: it uses what is below them, and only sweep, playground and CLI
# use it.
LEVEL["synth"] = LEVEL["solvers"]
# `serving` does too: it puts policies on a wire of its own, without Inspect or a model client.
LEVEL["serving"] = LEVEL["solvers"]
MODEL_CLIENTS = {"inspect_ai", "openai", "anthropic", "litellm", "transformers", "vllm"}


def _modules() -> Iterator[Path]:
    for file in sorted(PACKAGE.rglob("*.py")):
        if file.relative_to(PACKAGE).parts[0] != "library":
            yield file


def _part(file: Path) -> str:
    """Return the package's part that a file belongs to."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            assert node.module is not None
            yield node.module
            if node.module == "envscaler_eval":
                yield from (f"envscaler_eval.{alias.name}" for alias in node.names)


def _own_parts(file: Path) -> set[str]:
    names = (name.split(".") for name in _imports(file))
    return {parts[1] for parts in names if parts[0] == "envscaler_eval" and len(parts) > 1}


FILES = pytest.mark.parametrize(
    "file", list(_modules()), ids=lambda file: str(file.relative_to(PACKAGE))
)


@FILES
def test_a_module_imports_its_own_layer_or_those_below(file: Path) -> None:
    part = _part(file)
    if part == "__init__":
        assert _own_parts(file) == set()
        return
    assert part in LEVEL, f"give '{part}' a place in the layers"
    above = {other for other in _own_parts(file) if other in LEVEL and LEVEL[other] > LEVEL[part]}
    assert not above


@FILES
def test_nothing_below_the_solvers_imports_inspect_or_a_model_client(file: Path) -> None:
    if LEVEL.get(_part(file), 0) < LEVEL["solvers"]:
        assert not {name.split(".")[0] for name in _imports(file)} & MODEL_CLIENTS


def test_scenarios_and_worlds_stand_on_nothing_but_the_base() -> None:
    for file in _modules():
        if _part(file) in BASE:
            assert _own_parts(file) <= BASE


def _loaded(statement: str) -> set[str]:
    finished = subprocess.run(
        [sys.executable, "-c", f"{statement}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(finished.stdout.split())


HEAVY = {"datasets", "sklearn", "matplotlib", "openai", "inspect_ai", "pandas", "torch"}


def test_importing_the_package_imports_nothing_heavy() -> None:
    assert not _loaded("import envscaler_eval") & HEAVY


def test_episodes_and_policies_need_nothing_heavy() -> None:
    statement = "import envscaler_eval.episode, envscaler_eval.pack, envscaler_eval.policies"
    assert not _loaded(statement) & HEAVY


def test_the_command_starts_without_inspect() -> None:
    assert not _loaded("import envscaler_eval.cli") & HEAVY


def test_what_inspect_loads_at_its_start_is_light() -> None:
    before = _loaded("import inspect_ai, inspect_ai.model, inspect_ai.scorer, inspect_ai.solver")
    added = _loaded("import envscaler_eval._registry") - before
    assert not added & (HEAVY | {"scipy"})


def test_the_root_links_lead_into_the_package() -> None:
    root = PACKAGE.parent
    for name in ("tasks", "solvers", "scorers", "synth", "results"):
        link = root / name
        if link.is_symlink():
            assert link.resolve() == PACKAGE / name
