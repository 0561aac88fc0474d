"""Building an environment from tasks, with the session that ships."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import envscaler_eval
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import read_pack
from envscaler_eval.prices import Price
from envscaler_eval.runtime.gate import violations
from envscaler_eval.synth.artefacts import read_records
from envscaler_eval.synth.funnel import read_funnel
from envscaler_eval.synth.skel_builder import ORDER, Skeleton, kept_skeletons
from envscaler_eval.validation import validate_pack
from tests.cli.commands import Command, in_process

RECORDED = Path(envscaler_eval.__file__).parent / "synth" / "recorded" / "allotments"
ENV = "allotment_garden_office"


def build(folder: Path, *kills: int) -> list[dict[str, Any]]:
    """Run the command in processes that are killed after so many writes, 0 for never.

    Returns:
        How each ended (`code`), what it asked, and what had been answered before.
    """
    report = folder.with_suffix(".json")
    subprocess.run(
        [
            sys.executable, "-m", "tests.synth.interrupted", str(report), json.dumps(kills),
            "synth", "skeletons", "--tasks", str(RECORDED / "tasks.txt"), "--out", str(folder),
            "--model", f"session/{RECORDED}", "--clusters", "1", "--rounds", "1",
            "--situations", "1", "--allow-weak-isolation",
        ],
        cwd=Path(envscaler_eval.__file__).parents[1],
        check=True,
    )  # fmt: skip
    ends: list[dict[str, Any]] = json.loads(report.read_text())
    return ends


def contents(folder: Path) -> dict[str, list[str]]:
    """Return the lines of all artefacts, and of what was made of them."""
    return {
        str(file.relative_to(folder)): sorted(file.read_text().splitlines())
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != ".lock"
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nobody disturbed."""
    place = tmp_path_factory.mktemp("build") / "run"
    first, second = build(place, 0, 0)
    assert first["code"] == second["code"] == 0
    assert first["asked"]
    # A finished run asks nothing more.
    assert second["asked"] == []
    return place


@pytest.fixture(scope="module")
def skeleton(folder: Path) -> Skeleton:
    """What the run has kept."""
    (kept,) = kept_skeletons(folder)
    return kept


def reasons(folder: Path, collection: str) -> dict[str, str]:
    return {r["item"]: r["reason"] for r in read_records(folder, collection) if "reason" in r}


def test_the_funnel_narrows_as_it_should(folder: Path) -> None:
    funnel = read_funnel(folder, {}, ORDER)
    assert [(stage.name, stage.came, stage.kept) for stage in funnel.stages] == [
        ("stateful", 6, 4),
        ("topics", 4, 4),
        ("selected", 4, 1),
        ("plans", 1, 1),
        ("programs", 1, 1),
        ("skeletons", 1, 1),
    ]


def test_who_was_not_chosen_is_told_why(folder: Path) -> None:
    told = " | ".join(reasons(folder, "stage_selected").values())
    assert "usefulness 1 is below 7" in told
    assert "is the same as 'Allotment garden office'" in told
    assert "is represented in its cluster by 'Allotment garden office'" in told


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ("infer_topic", "usefulness: Input should be a valid integer"),
        ("plan_operations", "no valid JSON"),
        ("write_class", "dict[str, Member]"),
        ("write_tool", "uses `self.member`, which the class lacks"),
        ("write_starts", "is 'M-09', which members lacks"),
        ("test_tool", "call 3 before it (hand_back_plot) is answered"),
        ("judge_cases", "one ruling for each of the cases 1 to 3"),
        ("repair_program", "uses `self.people`"),
    ],
)
def test_wrong_answers_are_told_to_the_model(folder: Path, step: str, told: str) -> None:
    asked_again = [r["reason"] for r in read_records(folder, "reasks") if r["step"] == step]
    assert any(told in reason for reason in asked_again)


def test_what_assessment_catches_repair_mends(skeleton: Skeleton) -> None:
    before, after = skeleton.history
    assert before < 0.87 < after
    assert skeleton.program.versions == {"let_plot": 2, "record_hours": 2}
    assert skeleton.assessment.accepted
    assert {tested.tool for tested in skeleton.assessment.tested} == set(skeleton.program.tools)


def test_a_warning_is_no_pass(skeleton: Skeleton) -> None:
    verdicts = [tested.verdict for tested in skeleton.assessment.tested]
    assert verdicts.count("warning") == 1
    assert skeleton.assessment.pass_rate == verdicts.count("pass") / len(verdicts)


def test_the_audit_has_its_say_in_both_versions(folder: Path) -> None:
    first, second = (record["items"] for record in read_records(folder, "audits"))
    failed: list[set[str]] = [{i["name"] for i in x if not i["passed"]} for x in (first, second)]
    assert failed == [{"robustness", "failure_atomicity", "rules_reject"}, set()]


def test_the_coder_sees_the_evidence(folder: Path, tmp_path: Path) -> None:
    (repaired,) = [
        record
        for record in read_records(folder, "answers")
        if record["step"] == "repair_program" and record["attempt"] == 2
    ]
    assert "writes before it checks" in repaired["text"]


def test_the_environment_is_a_sound_pack_with_proven_rules(folder: Path) -> None:
    place = folder / "skeletons" / ENV
    pack = read_pack(place)
    assert violations(pack.environment.source) == []
    assert {rejection.rule for rejection in pack.rejections} == {1, 2, 3, 4}
    assert len(pack.environment.tools) == 8
    assert len(pack.info.provenance) == 2
    assert validate_pack(place, IsolationPolicy(allow_weak=True)) == []


def test_tokens_and_dollars_are_counted(folder: Path) -> None:
    model = f"session/{RECORDED}"
    spending = read_funnel(folder, {model: Price(input=2, output=8)}).spending
    assert spending.answers == len(list(read_records(folder, "answers")))
    dollars = spending.input_tokens * 2e-6 + spending.output_tokens * 8e-6
    assert spending.known_dollars == pytest.approx(dollars)
    assert spending.each(2) == pytest.approx(dollars / 2)
    assert read_funnel(folder, {}).spending.known_dollars is None


def test_a_run_that_is_killed_again_and_again_ends_the_same(folder: Path, tmp_path: Path) -> None:
    # What the audit finds takes long, and must be asked for under the same keys.
    (tmp_path / "run").mkdir()
    shutil.copy(folder / "audits.jsonl", tmp_path / "run")
    *killed, last = build(tmp_path / "run", 5, 23, 17, 21, 0)
    assert [end["code"] for end in killed] == [-9] * 4
    assert last["code"] == 0
    for end in (*killed, last):
        assert end["asked"]
        assert not set(end["asked"]) & set(end["answered_before"])
    assert contents(tmp_path / "run") == contents(folder)


def test_the_report_shows_the_funnel_and_the_cost(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(f'"session/{RECORDED}": {{input: 2.0, output: 8.0}}\n')
    envscaler: Command = in_process(monkeypatch, capsys)
    code, output, _ = envscaler("synth", "report", folder, "--prices", prices)
    assert code == 0
    for told in ("stateful", "selected", "checker", "For each environment that was kept", "$1.02"):
        assert told in output
    code, _, errors = envscaler("synth", "report", tmp_path)
    assert code == 2
    assert "holds no run" in errors
