"""What stands around the code says what the code does."""

import inspect
import os
import re
from pathlib import Path
from typing import get_args

import pytest

import envscaler_eval
from envscaler_eval import core_yaml
from envscaler_eval.solvers.protocol import PROTOCOLS
from envscaler_eval.solvers.record import EndedBy
from envscaler_eval.tasks import envscaler

ROOT = Path(envscaler_eval.__file__).parents[1]
if not (ROOT / "pyproject.toml").exists():
    pytest.skip("not a checkout", allow_module_level=True)


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_register_s_entry_names_tasks_that_exist() -> None:
    for task in core_yaml.load(_text("eval.yaml"))["tasks"]:
        assert f"@task\ndef {task['name']}(" in _text(task["task_path"])


def test_the_register_s_entry_counts_the_library() -> None:
    (task,) = [t for t in core_yaml.load(_text("eval.yaml"))["tasks"] if t["name"] == "envscaler"]
    assert task["dataset_samples"] == len(envscaler().dataset), "write the new number to eval.yaml"


def test_the_readme_lists_every_parameter_of_the_task() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", _text("README.md"), flags=re.MULTILINE)
    assert set(inspect.signature(envscaler).parameters) <= set(listed)


def test_the_table_of_protocols_has_their_steps() -> None:
    concepts = _text("docs/concepts.md")
    steps = " | ".join(
        f"{protocol.steps['non_conv']} / {protocol.steps['conv']}"
        for protocol in PROTOCOLS.values()
    )
    assert f"| steps, Non-Conv / Conv | {steps} |" in concepts
    for protocol in PROTOCOLS:
        assert f"`{protocol}`" in concepts


@pytest.mark.parametrize("ended_by", get_args(EndedBy))
def test_every_ending_is_explained(ended_by: str) -> None:
    assert f"`{ended_by}`" in _text("docs/concepts.md")


@pytest.mark.parametrize(
    "name",
    ["README.md", "CONTRIBUTING.md", "docs/concepts.md", "docs/models.md", "docs/running.md"],
)
def test_links_of_documents_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", _text(name)):
        assert ((ROOT / name).parent / target).exists(), target


def test_constraints_pin_versions_and_name_no_address() -> None:
    for line in _text("constraints.txt").splitlines():
        assert line.startswith("#") or re.fullmatch(r"[\w.\-]+==[\w.\-+!]+", line), line


def test_every_dependency_has_a_tested_version() -> None:
    import tomllib

    project = tomllib.loads(_text("pyproject.toml"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {re.split(r"[\[<>=!~ ;]", name)[0].lower().replace("_", "-") for name in wanted}
    pinned = {
        line.split("==")[0].lower().replace("_", "-")
        for line in _text("constraints.txt").splitlines()
    }
    assert names <= pinned


def test_the_script_of_ci_can_be_run_and_runs_what_the_readme_tells() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    for command in ("make check", "make test", "make test-rl"):
        assert f"\n{command}\n" in _text(".ci/run")
    assert "make test " in _text("README.md")
