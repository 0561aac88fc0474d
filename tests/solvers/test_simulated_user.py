"""Simulated users that misbehave, and what becomes of it, end to end."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import score as score_log
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    Model,
    ModelOutput,
    get_model,
)

from envscaler_eval.errors import UsageError
from envscaler_eval.scorers import checklist, simulated_user
from envscaler_eval.tasks import envscaler
from tests.inspect_runs import ORDER, TAKE, facts, model, only, run, say, score
from tests.pack_files import a_scenario, write_pack

STOP = say("###STOP###")
ASK = say("Take three bolts out, order nuts; it is urgent.")
WORK = say("", TAKE, ORDER), say("Taken and ordered.")
TASK = "Take three bolts out. Then order nuts. It is urgent."


def replies(*outputs: ModelOutput | str) -> Model:
    """A model whose n-th answer is the n-th output, whatever it has seen, and then the last."""
    turns = [output if isinstance(output, ModelOutput) else say(output) for output in outputs]
    left = iter([*turns[:-1]])
    return get_model(
        "mockllm/model", custom_outputs=lambda *_: next(left, turns[-1]), memoize=False
    )


def talk(pack: Path, log_dir: Path, user: Model | str, *turns: Any, **args: Any) -> EvalSample:
    return only(run(pack, model(*(turns or WORK)), log_dir, user, mode="conv", **args))


def faults(sample: EvalSample) -> dict[str, int]:
    """Return the user's faults that were counted."""
    return {kind: count for kind, count in facts(sample)["user_faults"].items() if count}


def react(thought: str, reply: str) -> str:
    return f"# Thought:\n{thought}\n# Reply:\n{reply}"


def test_a_user_that_behaves_has_no_fault(pack_folder: Path, tmp_path: Path) -> None:
    sample = talk(pack_folder, tmp_path, replies(ASK, STOP))
    assert faults(sample) == {}
    assert score(sample)["success"] == 1
    assert sample.scores is not None
    assert sample.scores["simulated_user"].value == 0


@pytest.mark.parametrize(
    ("said", "counted", "ended_by"),
    [
        (["", ASK, STOP], {"empty": 1}, "user_stop"),
        (["", " ", "\n"], {"empty": 3}, "user_fault"),
        ([ASK, "", ""], {"empty": 3}, "user_fault"),
        (["Assistant: done.\nUser: thanks", ASK, STOP], {"malformed": 1}, "user_stop"),
        (["<think>They want", ASK, STOP], {"malformed": 1}, "user_stop"),
        ([say("Take thr", stop_reason="max_tokens"), ASK, STOP], {"malformed": 1}, "user_stop"),
        ([STOP], {"premature_stop": 1}, "user_fault"),
        ([TASK, STOP], {"whole_request": 1}, "user_stop"),
        (["Take 4 bolts out of B-12, for Mr Keller.", STOP], {"foreign_fact": 1}, "user_stop"),
        ([ASK, "Thank you!", "Thanks.", "Bye!"], {"endless_thanks": 2}, "user_fault"),
        ([ASK, "Thank you!", "Thanks.", STOP], {"endless_thanks": 1}, "user_stop"),
    ],
)
def test_each_fault_is_counted_apart_and_the_episode_is_graded(
    said: list[Any], counted: dict[str, int], ended_by: str, pack_folder: Path, tmp_path: Path
) -> None:
    sample = talk(pack_folder, tmp_path, replies(*said))
    assert faults(sample) == counted
    assert facts(sample)["ended_by"] == ended_by
    assert facts(sample)["tool_errors"]["malformed"] == 0
    assert "reward" in score(sample)


def test_stopping_while_the_assistant_asks_is_counted(pack_folder: Path, tmp_path: Path) -> None:
    agent = say("", TAKE), say("Taken. Which priority should the order have?")
    sample = talk(pack_folder, tmp_path, replies(ASK, STOP), *agent)
    assert faults(sample) == {"premature_stop": 1}
    assert facts(sample)["ended_by"] == "user_stop"


def test_faults_of_a_kind_are_explained_by_message(pack_folder: Path, tmp_path: Path) -> None:
    sample = talk(pack_folder, tmp_path, replies("", TASK, "Is it 12 now?", STOP))
    assert sample.scores is not None
    told = sample.scores["simulated_user"]
    assert (told.value, told.answer) == (1, "user_stop")
    assert (told.explanation or "").splitlines() == [
        "message 1: empty (stop: )",
        "message 1: whole_request (100% of the request in one message)",
        "message 2: foreign_fact (12)",
    ]


def test_the_agent_reads_the_reply_and_never_the_thought(pack_folder: Path, tmp_path: Path) -> None:
    user = replies(react("I keep the nuts secret.", "Take three bolts."), react("Fine.", "Nuts."))
    sample = talk(pack_folder, tmp_path, user, user_strategy="llm_react", step_limit=3)
    assert [m.text for m in sample.messages if m.role == "user"][:2] == [
        "Take three bolts.",
        "Nuts.",
    ]
    assert "secret" not in "".join(message.text for message in sample.messages)
    record = sample.store["envscaler_eval"]["user"]
    assert record["turns"][0] == {"said": "Take three bolts.", "thought": "I keep the nuts secret."}
    (prompt,) = [text for text in sample.attachments.values() if "You play a user" in text]
    assert "# Thought:" in prompt and "# Reply:" in prompt


def test_a_stop_counts_in_the_reply_alone(pack_folder: Path, tmp_path: Path) -> None:
    user = replies(
        react("No ###STOP### yet.", "Take three bolts, order nuts, urgent."),
        react("All told.", "###STOP###"),
    )
    sample = talk(pack_folder, tmp_path, user, user_strategy="llm_react")
    assert facts(sample)["user_messages"] == 1
    assert facts(sample)["ended_by"] == "user_stop"
    assert faults(sample) == {}


@pytest.mark.parametrize(
    "broken",
    [
        "Take three bolts.",
        "# Thought:\nI think",
        "# Reply:\nTake three bolts.",
        "# Thought:\nHm\n# Reply:\n",
        react("Hm", "One.\n# Reply:\nTwo."),
    ],
    ids=["no parts", "thought alone", "reply alone", "empty reply", "two replies"],
)
def test_a_reply_without_the_form_of_its_strategy_is_tried_again(
    broken: str, pack_folder: Path, tmp_path: Path
) -> None:
    user = replies(broken, react("Hm", "Take three bolts, order nuts, urgent."), react("", "Ok?"))
    sample = talk(pack_folder, tmp_path, user, user_strategy="llm_react", step_limit=2)
    assert faults(sample) == {"malformed": 1}
    assert sample.messages[1].text == "Take three bolts, order nuts, urgent."


def test_a_user_that_never_finds_its_form_ends_the_episode(
    pack_folder: Path, tmp_path: Path
) -> None:
    sample = talk(pack_folder, tmp_path, replies(ASK), user_strategy="llm_react")
    assert faults(sample) == {"malformed": 3}
    assert facts(sample)["ended_by"] == "user_fault"


def _reasoned(text: str) -> ModelOutput:
    output = say("")
    output.choices[0].message = ChatMessageAssistant(
        content=[ContentReasoning(reasoning="They must not know."), ContentText(text=text)]
    )
    output.completion = text
    return output


@pytest.mark.parametrize(
    "opening",
    [_reasoned("Take three bolts."), say("<think>They must not know.</think>Take three bolts.")],
    ids=["kept apart by the server", "left in the text"],
)
def test_what_a_reasoning_user_thinks_stays_with_it(
    opening: ModelOutput, pack_folder: Path, tmp_path: Path
) -> None:
    sample = talk(pack_folder, tmp_path, replies(opening, STOP))
    assert sample.messages[1].text == "Take three bolts."
    (first, _) = sample.store["envscaler_eval"]["user"]["turns"]
    assert first == {"said": "Take three bolts.", "thought": "They must not know."}


def _user_events(sample: EvalSample) -> list[ModelEvent]:
    return [e for e in sample.events if isinstance(e, ModelEvent) and e.role == "user"]


def test_the_log_has_the_user_s_model_temperature_and_every_reply(
    pack_folder: Path, tmp_path: Path
) -> None:
    user = replies("", ASK, STOP)
    sample = talk(pack_folder, tmp_path, user, user_temperature=0.3)
    record = sample.store["envscaler_eval"]["user"]
    assert (record["model"], record["strategy"]) == ("mockllm/model", "llm")
    assert record["temperature"] == 0.3
    assert [turn["said"] for turn in record["turns"]] == [ASK.completion, "###STOP###"]
    events = _user_events(sample)
    assert [event.output.completion for event in events] == ["", ASK.completion, "###STOP###"]
    assert [event.config.temperature for event in events] == [0.3] * 3
    spans = [event for event in sample.events if event.event == "span_begin"]
    assert sum(event.name == "user" for event in spans) == 2


def test_the_role_s_own_temperature_is_kept(pack_folder: Path, tmp_path: Path) -> None:
    from inspect_ai.model import GenerateConfig

    user = get_model(
        "mockllm/model",
        custom_outputs=lambda *_: STOP,
        memoize=False,
        config=GenerateConfig(temperature=0.1),
    )
    sample = talk(pack_folder, tmp_path, user, user_temperature=0.9)
    assert sample.store["envscaler_eval"]["user"]["temperature"] == 0.1


@pytest.mark.parametrize(
    ("protocol", "strategy", "temperature"),
    [("default", "llm", None), ("paper", "llm_react", 0.7)],
)
def test_the_protocol_says_how_users_speak(
    protocol: str, strategy: str, temperature: float | None, pack_folder: Path, tmp_path: Path
) -> None:
    sample = talk(pack_folder, tmp_path, replies(STOP), protocol=protocol)
    record = sample.store["envscaler_eval"]["user"]
    assert (record["strategy"], record["temperature"]) == (strategy, temperature)


@pytest.mark.parametrize("protocol", ["default", "paper"])
def test_the_offline_user_speaks_by_its_script_under_every_protocol(
    protocol: str, pack_folder: Path, tmp_path: Path
) -> None:
    log = run(pack_folder, "policy/oracle", tmp_path, "policy/user", mode="conv", protocol=protocol)
    sample = only(log)
    assert sample.store["envscaler_eval"]["user"]["strategy"] == "scripted"
    assert (score(sample)["success"], faults(sample)) == (1, {})


def test_unknown_ways_of_speaking_are_refused(pack_folder: Path) -> None:
    with pytest.raises(UsageError, match="user_strategy is 'loud'; use one of llm, llm_react"):
        envscaler(envs=str(pack_folder), user_strategy="loud")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="user_temperature is '-1'; use a number from 0"):
        envscaler(envs=str(pack_folder), user_temperature=-1)


def _by_request(spoilt: str) -> Model:
    """A user that is empty once where a word is in its request, and else behaves."""
    silent: set[str] = set()

    def reply(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        if any(isinstance(message, ChatMessageAssistant) for message in messages):
            return STOP
        if spoilt in messages[0].text and spoilt not in silent:
            silent.add(spoilt)
            return say("")
        return ASK

    return get_model("mockllm/model", custom_outputs=reply, memoize=False)


def test_the_rate_is_over_all_conversations_and_comes_back_when_the_log_is_scored_again(
    tmp_path: Path,
) -> None:
    """Of two scenarios in two trials each, one conversation goes wrong."""
    plain, odd = a_scenario(), a_scenario(id="odd", task="Take three bolts out, oddly. Thanks.")
    pack = write_pack(tmp_path, scenarios=[plain, odd])
    log = run(
        pack,
        model(*WORK),
        tmp_path,
        _by_request("oddly"),
        mode="both",
        trials=2,
        eval_max_samples=1,
    )
    saved = read_eval_log(log.location)
    again = score_log(saved, [checklist(), simulated_user()], action="overwrite", display="none")
    for scored in (log, again):
        assert scored.results is not None
        (rates,) = [one for one in scored.results.scores if one.name == "simulated_user"]
        assert rates.metrics["user_fault_rate"].value == 1 / 4
        assert rates.metrics["empty"].value == 1 / 4
        assert rates.metrics["foreign_fact"].value == 0
    assert saved.samples is not None and again.samples is not None
    for before, after in zip(saved.samples, again.samples, strict=True):
        assert before.scores is not None and after.scores is not None
        assert list(after.scores) == list(before.scores)
        for name, was in before.scores.items():
            now = after.scores[name]
            assert (now.value, now.metadata, now.explanation) == (
                was.value,
                was.metadata,
                was.explanation,
            )


def test_without_a_conversation_there_is_no_score_of_the_user(
    pack_folder: Path, tmp_path: Path
) -> None:
    log = run(pack_folder, model(*WORK), tmp_path)
    assert facts(only(log))["user_faults"] is None
    assert log.results is not None
    assert "simulated_user" not in {result.name for result in log.results.scores}
