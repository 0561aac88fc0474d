"""What is wrong with a model's replies is counted, and ends what it must."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
)

from envscaler_eval.solvers.model_faults import MODEL_FAULTS, faults_of
from tests.inspect_runs import ORDER, TAKE, call, facts, model, only, run, say, score

TOOLS = {"take_item", "order_item"}
DONE = say("Task Completed")
USER = say("Take three bolts, order nuts."), say("###STOP###")


def _said(*content: Any, stop_reason: Any = "stop") -> ModelOutput:
    message = ChatMessageAssistant(content=list(content))
    return ModelOutput(
        model="mockllm/model",
        choices=[ChatCompletionChoice(message=message, stop_reason=stop_reason)],
        usage=ModelUsage(input_tokens=10, output_tokens=10, total_tokens=20),
    )


REFUSED = _said(ContentText(text="I can't.", refusal=True))
FILTERED = say("", stop_reason="content_filter")


@pytest.mark.parametrize(
    ("output", "faults"),
    [
        (say("", TAKE), []),
        (DONE, []),
        (say("", call("take_item", parse_error="no JSON")), ["malformed_arguments"]),
        (say("", call("unknown", parse_error="no JSON")), ["malformed_arguments"]),
        (say("", call("fly")), ["unknown_tool"]),
        (say("", TAKE, ORDER), ["several_calls"]),
        (say("", call("fly"), call("swim")), ["unknown_tool", "unknown_tool", "several_calls"]),
        (say("I will.", TAKE), ["text_beside_calls"]),
        (say(" "), ["empty_reply"]),
        (_said(ContentReasoning(reasoning="Hm."), ContentText(text="")), ["empty_reply"]),
        (_said(ContentReasoning(reasoning="Hm."), ContentText(text="Done.")), []),
        (say("Then I", stop_reason="max_tokens"), ["truncated"]),
        (say("", stop_reason="max_tokens"), ["truncated"]),
        (say("", stop_reason="model_length"), []),
        (REFUSED, ["refusal"]),
        (FILTERED, ["refusal"]),
        (say("I can't help with that."), []),
    ],
)
def test_each_fault_of_a_reply_is_told(output: ModelOutput, faults: list[str]) -> None:
    assert faults_of(output, TOOLS) == faults


def test_a_sample_counts_every_kind(pack_folder: Path, tmp_path: Path) -> None:
    agent = model(say("I will.", TAKE, call("fly")), say(""), say("", ORDER), DONE)
    assert facts(only(run(pack_folder, agent, tmp_path)))["model_faults"] == {
        **dict.fromkeys(MODEL_FAULTS, 0),
        "text_beside_calls": 1,
        "several_calls": 1,
        "unknown_tool": 1,
        "empty_reply": 1,
    }


@pytest.mark.parametrize("refusal", [REFUSED, FILTERED], ids=["in words", "by a filter"])
@pytest.mark.parametrize("protocol", ["default", "paper"])
def test_where_nobody_answers_a_refusal_ends_the_episode_and_it_is_graded(
    refusal: ModelOutput, protocol: str, pack_folder: Path, tmp_path: Path
) -> None:
    sample = only(run(pack_folder, model(say("", TAKE), refusal), tmp_path, protocol=protocol))
    assert facts(sample)["ended_by"] == "refusal"
    assert score(sample)["reward"] == 0.5


def test_a_user_hears_a_refusal_and_may_insist(pack_folder: Path, tmp_path: Path) -> None:
    agent = model(REFUSED, say("", TAKE, ORDER), say("Done."))
    user = model(USER[0], say("Please do."), USER[1])
    sample = only(run(pack_folder, agent, tmp_path, user, mode="conv"))
    assert facts(sample)["ended_by"] == "user_stop"
    assert score(sample)["success"] == 1


def test_a_refusal_without_words_ends_a_conversation(pack_folder: Path, tmp_path: Path) -> None:
    sample = only(run(pack_folder, model(FILTERED), tmp_path, model(*USER), mode="conv"))
    assert facts(sample)["ended_by"] == "refusal"
    assert facts(sample)["user_messages"] == 1
