"""Solvers that are not ours, on our task."""

from pathlib import Path

import pytest
from inspect_ai.agent import react
from inspect_ai.solver import basic_agent, generate, system_message
from inspect_ai.util import registry_create, registry_info

from tests.inspect_runs import ORDER, TAKE, call, facts, model, observations, only, run, say, score

DONE = say("Task Completed")


def test_inspect_s_own_loop_is_graded_like_ours(pack_folder: Path, tmp_path: Path) -> None:
    turns = say("", TAKE), say("", ORDER), DONE
    sample = only(
        run(
            pack_folder,
            model(*turns),
            tmp_path,
            offer_tools=True,
            eval_solver=[system_message("Work."), generate(tool_calls="loop")],
        )
    )
    assert score(sample) == {"reward": 1, "success": 1, "paper_reward": 1}
    assert facts(sample)["ended_by"] == "completed"
    assert facts(sample)["calls"] == 2


def test_faulty_calls_of_a_foreign_solver_are_observations(
    pack_folder: Path, tmp_path: Path
) -> None:
    turns = say("", call("take_item", item_id="I-9", quantity=1)), say("", TAKE), DONE
    sample = only(
        run(
            pack_folder,
            model(*turns),
            tmp_path,
            offer_tools=True,
            eval_solver=generate(tool_calls="loop"),
        )
    )
    assert "There is no item I-9" in observations(sample)[0]
    assert facts(sample)["tool_errors"]["failed"] == 1
    assert facts(sample)["model_faults"] == {}


def test_basic_agent_plays_with_the_tools_offered(pack_folder: Path, tmp_path: Path) -> None:
    turns = say("", TAKE), say("", ORDER), say("", call("submit", answer="done"))
    sample = only(
        run(pack_folder, model(*turns), tmp_path, offer_tools=True, eval_solver=basic_agent())
    )
    assert score(sample)["success"] == 1


def test_an_agent_without_the_tools_earns_nothing(pack_folder: Path, tmp_path: Path) -> None:
    turns = (say("", call("submit", answer="done")),)
    sample = only(run(pack_folder, model(*turns), tmp_path, eval_solver=react()))
    assert score(sample)["reward"] == 0
    assert facts(sample)["calls"] == 0


@pytest.mark.parametrize(
    "name",
    [
        "acebench_dialogue",
        "by_mode",
        "conv",
        "non_conv",
        "start_acebench",
        "start_episode",
        "start_trial",
        "tau_bench_agent",
    ],
)
def test_our_solvers_can_be_named_on_the_command_line(name: str) -> None:
    solver = registry_create("solver", f"envscaler_eval/{name}")
    assert registry_info(solver).name == f"envscaler_eval/{name}"
