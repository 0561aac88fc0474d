"""The published gpt-4o trajectories of the airline, held again.

They are in upstream's repository: TAU_BENCH_CHECKOUT names a checkout of it.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from actors import call, output, run, samples, value
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from envscaler_eval.solvers.live import live_sample

# Upstream has renamed a field of addresses since.
RENAMED = "get_user_details"

Trajectories = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def published() -> Trajectories:
    """The first trial of each task, by the name of our sample."""
    checkout = os.environ.get("TAU_BENCH_CHECKOUT")
    if checkout is None:
        pytest.skip("TAU_BENCH_CHECKOUT names no checkout of sierra-research/tau-bench")
    path = Path(checkout) / "historical_trajectories" / "gpt-4o-airline.json"
    trials = json.loads(path.read_bytes())
    return {f"airline/test/{trial['task_id']}": trial for trial in trials if trial["trial"] == 0}


def actor(role: str, published: Trajectories) -> Model:
    """The published agent or user."""

    def answer(
        messages: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        sample = live_sample()
        assert sample is not None
        spoken = sum(isinstance(message, ChatMessageAssistant) for message in messages)
        lines = [line for line in published[sample.name]["traj"] if line["role"] == role]
        return output((lines[spoken]["content"] or "", calls(lines[spoken])))

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def calls(line: dict[str, Any]) -> list[ToolCall]:
    made = [each["function"] for each in line.get("tool_calls") or ()]
    return [call(each["name"], **json.loads(each["arguments"])) for each in made]


def test_histories_and_rewards_are_the_published_ones(
    published: Trajectories, data_dir: Path, tmp_path: Path
) -> None:
    log = run(
        tmp_path,
        actor("assistant", published),
        actor("user", published),
        domain="airline",
        task=None,
        data_dir=str(data_dir),
    )
    assert len(samples(log)) == 50
    for sample in samples(log):
        trial = published[str(sample.id)]
        assert value(sample)["reward"] == trial["reward"]
        assert len(sample.messages) == len(trial["traj"])
        for ours, theirs in zip(sample.messages, trial["traj"], strict=True):
            assert ours.role == theirs["role"]
            if theirs.get("name") != RENAMED:
                assert ours.text == (theirs["content"] or "")
