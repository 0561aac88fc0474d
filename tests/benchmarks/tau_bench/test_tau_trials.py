"""Trials through Inspect, on the miniature: histories, endings, crashes, users."""

from pathlib import Path
from typing import Any, get_args

import pytest
from actors import CANCEL, TOLD, call, facts, output, run, samples, says, value
from inspect_ai.event import ModelEvent, ToolEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import Model

from envscaler_eval.benchmarks.tau_bench import Domain, Trial
from envscaler_eval.solvers.tau_bench.protocol import PROTOCOLS, Strategy

STOP = "###STOP###"

pytestmark = pytest.mark.usefixtures("miniature_data")


def trial(
    log_dir: Path, agent: Model | str, user: Model | str | None, **options: Any
) -> EvalSample:
    (sample,) = samples(run(log_dir, agent, user, **options))
    assert sample.error is None, sample.error.traceback
    return sample


@pytest.mark.parametrize("strategy", get_args(Strategy))
def test_the_oracle_earns_1_with_every_strategy_of_the_user(strategy: str, tmp_path: Path) -> None:
    user = None if strategy == "scripted" else "policy/user"
    log = run(tmp_path, "policy/oracle", user, domain="both", task=None, user_strategy=strategy)
    assert [value(sample)["reward"] for sample in samples(log)] == [1.0, 1.0, 1.0]
    assert {facts(sample)["user_strategy"] for sample in samples(log)} == {strategy}


def test_doing_nothing_earns_what_the_tasks_give_for_it(tmp_path: Path) -> None:
    log = run(tmp_path, "policy/noop", "policy/user", domain="both", task=None)
    assert {sample.id: value(sample)["reward"] for sample in samples(log)} == {
        "retail/test/0": 0.0,
        "retail/test/1": 1.0,
        "airline/test/0": 0.0,
    }


def test_chance_acts_and_is_graded(tmp_path: Path) -> None:
    sample = trial(tmp_path, "policy/random", "policy/user")
    assert facts(sample)["calls"] > 0


def test_the_history_is_upstreams(tmp_path: Path, retail: Domain) -> None:
    look = call("get_user_details", user_id="nobody")
    agent = says(("Let me see. Kite!", [look, CANCEL]), "What is your id?", [CANCEL], TOLD)
    sample = trial(tmp_path, agent, says("Hello", "ada_1", STOP))
    assert [(message.role, message.text) for message in sample.messages] == [
        ("system", retail.policy),
        ("user", "Hello"),
        ("assistant", "Let me see. Kite!"),
        ("tool", "Error: user not found"),
        ("assistant", "What is your id?"),
        ("user", "ada_1"),
        ("assistant", ""),
        ("tool", Trial(retail, retail.task("test", 0)).call(CANCEL.function, CANCEL.arguments)),
        ("assistant", TOLD),
        ("user", STOP),
    ]
    first = sample.messages[2]
    assert first.role == "assistant"
    assert first.tool_calls is not None
    assert [made.function for made in first.tool_calls] == ["get_user_details"]
    assert value(sample) == {"reward": 1.0, "data_match": 1.0, "outputs": 1.0}


def test_each_call_that_is_made_has_an_event(tmp_path: Path) -> None:
    sample = trial(tmp_path, says([CANCEL], TOLD), says("Hello", STOP))
    assert [event.function for event in sample.events if isinstance(event, ToolEvent)] == [
        "cancel_pending_order"
    ]


def test_text_beside_a_call_is_no_reply(tmp_path: Path) -> None:
    sample = trial(tmp_path, says((TOLD, [CANCEL]), "Done."), says("Hello", STOP))
    assert value(sample) == {"reward": 0.0, "data_match": 1.0, "outputs": 0.0}
    heard = [
        message.text
        for event in sample.events
        if isinstance(event, ModelEvent) and event.role == "user"
        for message in event.input
    ]
    assert not any(TOLD in text or ("W1" in text and "cancelled" in text) for text in heard)


def test_the_first_message_is_not_tested_for_the_stop_token(tmp_path: Path) -> None:
    sample = trial(tmp_path, says([CANCEL], TOLD), says(STOP, STOP))
    assert value(sample)["reward"] == 1.0
    assert facts(sample)["user_messages"] == 2


@pytest.mark.parametrize("arguments", [{"summary": "Bob insists."}, {}])
def test_a_transfer_ends_a_trial_even_when_it_fails(
    arguments: dict[str, str], tmp_path: Path
) -> None:
    agent = says([call("transfer_to_human_agents", **arguments)])
    sample = trial(tmp_path, agent, says("Hello"), task=1)
    assert value(sample)["reward"] == 1.0
    assert (facts(sample)["ended_by"], facts(sample)["steps"]) == ("completed", 1)


def test_after_30_steps_the_reward_is_0_and_the_parts_are_told(tmp_path: Path) -> None:
    think = [call("think", thought="")]
    agent = says([CANCEL], TOLD, *[think] * 40)
    sample = trial(tmp_path, agent, says("Hello", "And?"))
    assert value(sample) == {"reward": 0.0, "data_match": 1.0, "outputs": 1.0}
    assert (facts(sample)["ended_by"], facts(sample)["steps"]) == ("step_limit", 30)


def test_the_user_may_stop_after_the_30th_step(tmp_path: Path) -> None:
    think = [call("think", thought="")]
    agent = says([CANCEL], *[think] * 28, TOLD)
    sample = trial(tmp_path, agent, says("Hello", STOP))
    assert (value(sample)["reward"], facts(sample)["steps"]) == (1.0, 30)


def test_a_full_context_scores_0(tmp_path: Path) -> None:
    agent = says([CANCEL], output("", stop="model_length"))
    sample = trial(tmp_path, agent, says("Hello"))
    assert (value(sample)["reward"], facts(sample)["ended_by"]) == (0.0, "context_length")


def test_a_limit_of_the_harness_scores_0(tmp_path: Path) -> None:
    settings = {"message_limit": 6}
    agent = says([call("think", thought="")])
    sample = trial(tmp_path, agent, says("Hello"), task=1, settings=settings)
    assert (value(sample)["reward"], facts(sample)["ended_by"]) == (0.0, "step_limit")


RESPOND = call("respond", content=TOLD)


@pytest.mark.parametrize(
    ("turns", "crash"),
    [
        ([[call("think", parse_error="no JSON")]], "the arguments of think cannot be read"),
        ([[call("respond")]], "the reply to the user has no text as its content"),
        ([[CANCEL], [RESPOND]], "a history in which a call has no result"),
    ],
)
def test_what_upstream_does_not_survive_scores_0(
    turns: list[Any], crash: str, tmp_path: Path
) -> None:
    sample = trial(tmp_path, says(*turns), says("Hello", "Thanks"))
    assert (value(sample)["reward"], facts(sample)["ended_by"]) == (0.0, "error")
    assert crash in facts(sample)["crash"]


def test_a_call_of_respond_is_a_reply_if_the_user_stops(tmp_path: Path) -> None:
    sample = trial(tmp_path, says([CANCEL], [RESPOND]), says("Hello", STOP))
    assert value(sample)["reward"] == 1.0


def test_a_fourth_certificate_crashes_the_trial(tmp_path: Path) -> None:
    agent = says([call("send_certificate", user_id="di_4", amount=1)])
    sample = trial(tmp_path, agent, says("Hello"), domain="airline")
    assert (facts(sample)["ended_by"], facts(sample)["calls"]) == ("error", 4)


@pytest.mark.parametrize("name", ["", "no_such_tool", "__init__"])
def test_unknown_tools_are_observations(name: str, tmp_path: Path) -> None:
    sample = trial(tmp_path, says([call(name)], [CANCEL], TOLD), says("Hello", STOP))
    assert sample.messages[3].text == f"Unknown action {name}"
    assert (value(sample)["reward"], facts(sample)["failed_calls"]) == (1.0, 1)


def test_a_users_message_that_cannot_be_read_scores_0(tmp_path: Path) -> None:
    sample = trial(tmp_path, says(TOLD), says("Neither label"), user_strategy="react")
    assert (value(sample)["reward"], facts(sample)["ended_by"]) == (0.0, "user_fault")
    assert "neither thought nor response" in facts(sample)["crash"]


def test_a_user_that_stays_silent_scores_0(tmp_path: Path) -> None:
    sample = trial(tmp_path, says(TOLD), says("Hello", " "))
    assert (value(sample)["reward"], facts(sample)["ended_by"]) == (0.0, "user_fault")


def test_the_reacting_users_thoughts_leak_as_upstream_unless_fixed(tmp_path: Path) -> None:
    line = "Thought:\nSecret.\n\nUser Response:\nHello"
    for strategy, heard in (
        ("react", "Secret.\n\nUser Response:\nHello"),
        ("react_fixed", "Hello"),
    ):
        user = says(line, STOP)
        sample = trial(tmp_path, says(TOLD), user, user_strategy=strategy)
        assert sample.messages[1].text == heard


def test_faults_of_the_infrastructure_leave_the_sample_unscored(tmp_path: Path) -> None:
    for agent, user in (
        (says(RuntimeError("provider down")), says("Hello")),
        (says(TOLD), says(RuntimeError("provider down"))),
    ):
        (sample,) = samples(run(tmp_path, agent, user))
        assert sample.error is not None
        assert not sample.scores


def test_the_user_is_never_silently_the_model_under_test(tmp_path: Path) -> None:
    (sample,) = samples(run(tmp_path, says(TOLD), None))
    assert sample.error is not None
    assert "add --model-role user=MODEL" in sample.error.message


def test_a_model_that_would_not_speak_is_refused(tmp_path: Path) -> None:
    (sample,) = samples(run(tmp_path, says(TOLD), says("Hello"), user_strategy="scripted"))
    assert sample.error is not None
    assert "user_strategy=scripted asks no model" in sample.error.message


def temperatures(sample: EvalSample) -> dict[str | None, float | None]:
    return {e.role: e.config.temperature for e in sample.events if isinstance(e, ModelEvent)}


def test_temperatures_are_the_protocols_unless_set(tmp_path: Path) -> None:
    official = trial(tmp_path, says(TOLD), says("Hello", STOP))
    assert temperatures(official) == {None: 0.0, "user": None}
    paper = trial(tmp_path, says(TOLD), says("Hello", STOP), protocol="paper")
    assert temperatures(paper) == {None: 0.7, "user": 0.7}
    settings = {"temperature": 1.0}
    own = trial(tmp_path, says(TOLD), says("Hello", STOP), protocol="paper", settings=settings)
    assert temperatures(own) == {None: 1.0, "user": 0.7}


def test_the_papers_protocol_has_its_own_prompt_and_no_empty_replies(
    tmp_path: Path, retail: Domain
) -> None:
    sample = trial(tmp_path, says(" "), says("Hello", STOP), protocol="paper")
    assert sample.messages[0].text == PROTOCOLS["paper"].system_prompt(retail.policy)
    assert sample.messages[0].text.endswith(retail.policy)
    assert facts(sample)["crash"] == "the reply to the user is empty"
    assert facts(sample)["user_strategy"] == "react_fixed"
