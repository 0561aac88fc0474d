"""From an assessed environment to proven scenarios."""

import asyncio
import json
from pathlib import Path

import pytest

from envscaler_eval.audit import audit_scenario
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import Pack
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.synth.artefacts import Artefacts, read_records
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.scen_generator.build import ScenGenerator
from envscaler_eval.synth.scen_generator.proving import ProofRules
from tests.synth.kiln import SKELETON
from tests.synth.kiln_session import ANSWERS, EXACT, Reply

# The program is our own; isolation has tests of its own.
TRUSTED = IsolationPolicy("in_process")


def generated(
    folder: Path,
    answers: dict[tuple[str, str, int], Reply] = ANSWERS,
    proof: ProofRules = ProofRules(),  # noqa: B008
) -> Pack:
    """Generate scenarios from what a model has said."""
    session = folder / "session.jsonl"
    session.parent.mkdir(exist_ok=True)
    session.write_text(
        "".join(
            json.dumps(
                {"key": str(n), "step": step, "item": item, "attempt": attempt, "answer": answer}
            )
            + "\n"
            for n, ((step, item, attempt), answer) in enumerate(answers.items())
        )
    )
    generator = ScenGenerator(states=1, tasks=2, fewest_records=9, proof=proof, isolation=TRUSTED)
    with Artefacts(folder / "run") as artefacts:
        run = Run(artefacts, Models(f"session/{session}"))
        pack = asyncio.run(generator.generate(run, SKELETON))
        assert not run.unfinished
    return pack


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Pack, Path]:
    """The pack of the whole session, and the run's folder."""
    folder = tmp_path_factory.mktemp("kiln")
    return generated(folder), folder / "run"


def outcomes(run: Path, stage: str) -> dict[str, str]:
    """What became of a stage's items: their status, or why they were dropped."""
    return {
        r["item"]: str(r.get("reason", r["status"])) for r in read_records(run, f"stage_{stage}")
    }


def test_a_scenario_that_is_kept_has_withstood_the_audit(made: tuple[Pack, Path]) -> None:
    (scenario,) = made[0].scenarios
    card = audit_scenario(scenario, InProcessRuntime(made[0].environment))
    assert card.passed
    assert scenario.tags == ("easy", "several_parts")
    assert len(scenario.alternatives) == 1


def test_the_solution_holds_what_is_needed_and_nothing_that_failed(
    made: tuple[Pack, Path],
) -> None:
    names = [call.name for call in made[0].scenarios[0].solution]
    # Left out: the refused booking, and the one that was made and cancelled.
    assert names == ["list_firings", "find_members", "list_loads", "cancel_load", "book_shelves"]


def test_a_check_with_a_loophole_goes_back_to_its_author(made: tuple[Pack, Path]) -> None:
    pack, run = made
    (record,) = read_records(run, "stage_proven")
    assert record["value"]["repairs"] == 1
    assert pack.scenarios[0].checks[0].code == EXACT
    prompts = list(read_records(run, "answers"))
    assert sum(record["step"] == "repair_scenario" for record in prompts) == 2


def test_a_task_that_cannot_be_solved_is_dropped_with_the_reason(made: tuple[Pack, Path]) -> None:
    assert outcomes(made[1], "solved") == {
        "kiln_share/moved_a_week": "kept",
        "kiln_share/squeezed_in": (
            "the author gives it up: The firing is closed, and nothing can be recorded."
        ),
    }


def test_unusable_answers_are_asked_for_again_with_the_fault(made: tuple[Pack, Path]) -> None:
    told = {record["step"]: record["reason"] for record in read_records(made[1], "reasks")}
    assert "loads['L-9']['member_id'] is 'M-7', which members lacks" in told["write_state"]
    assert (
        "(all that Mira has is two shelves of celadon on the 11th) is a goal and already true"
        in (told["write_checks"])
    )
    assert "no valid JSON" in told["solve"]
    assert "do not earn the full reward" in told["write_alternative"]


def test_a_finished_run_asks_nothing_again(made: tuple[Pack, Path]) -> None:
    pack, run = made
    before = (run / "answers.jsonl").read_bytes()
    again = generated(run.parent)
    assert again.scenarios == pack.scenarios
    assert (run / "answers.jsonl").read_bytes() == before


def test_without_a_repair_the_audit_has_the_last_word(tmp_path: Path) -> None:
    assert generated(tmp_path, proof=ProofRules(repairs=0)).scenarios == ()
    told = outcomes(tmp_path / "run", "proven")["kiln_share/moved_a_week"]
    assert told.startswith("after 0 repairs: argument_mutants: ")
    assert "shelves" in told


def test_unsolved_scenarios_are_kept_on_request_and_say_so(tmp_path: Path) -> None:
    pack = generated(tmp_path, proof=ProofRules(accept_unsolved=True))
    unsolved = {s.id: (s.tags, s.solution, s.collateral) for s in pack.scenarios}
    assert unsolved["squeezed_in"] == (("unsolved", "short"), (), False)
