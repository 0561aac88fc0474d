"""Vectors recorded from upstream are reproduced, field by field."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.benchmarks.acebench.conformance import replay_task

_ERROR = "Error during execution:"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_vector_is_reproduced(language: Any, real: Any, golden: Path) -> None:
    recorded = json.loads((golden / f"{language}.json").read_text(encoding="utf-8"))
    same_python = recorded["python"].split(".")[:2] == [str(part) for part in sys.version_info[:2]]
    dataset = real(language)
    differing = []
    for number, vector in enumerate(recorded["vectors"]):
        replayed = replay_task(dataset, dataset.task(vector["task_id"]), vector["messages"])
        replayed = json.loads(json.dumps(replayed))
        if not same_python:
            vector, replayed = _without_error_texts(vector), _without_error_texts(replayed)
        if replayed != vector:
            differing.append(number)
    assert recorded["vectors"], "the file holds no vectors"
    assert differing == []


def _without_error_texts(vector: dict[str, Any]) -> dict[str, Any]:
    """Cut what errors say, which is the interpreter's and differs by its version."""
    steps = []
    for step in vector["steps"]:
        observation = step.get("observation")
        if isinstance(observation, list):
            cut = [
                _ERROR if isinstance(item, str) and item.startswith(_ERROR) else item
                for item in observation
            ]
            step = {**step, "observation": cut, "observation_text": str(cut)}
        steps.append(step)
    return {**vector, "steps": steps}
