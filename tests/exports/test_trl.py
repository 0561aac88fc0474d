"""TRL's own trainer takes an exported data set as it is.

TRL and torch are no dependencies of the project: the test runs where they are, in this
environment or in the one whose Python `ENVSCALER_TRL_PYTHON` names.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.exports.attempts import a_log, export
from tests.exports.chat_template import parsed_calls, parsed_thoughts

PYTHON = os.environ.get("ENVSCALER_TRL_PYTHON") or (
    sys.executable if importlib.util.find_spec("trl") else None
)


@pytest.mark.skipif(PYTHON is None, reason="TRL is not installed; set ENVSCALER_TRL_PYTHON")
def test_a_step_of_training_on_the_assistant_s_turns_alone(tmp_path: Path) -> None:
    export(tmp_path / "sft", a_log(tmp_path))
    finished = subprocess.run(
        [str(PYTHON), str(Path(__file__).with_name("trl_step.py")), str(tmp_path / "sft")],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "HF_HUB_OFFLINE": "1",
            "HF_DATASETS_CACHE": str(tmp_path / "cache"),
            "PYTHONPATH": "",
        },
        cwd=tmp_path,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    seen = json.loads(finished.stdout.splitlines()[-1])
    assert seen["loss"] > 0
    calls = [
        [("list_items", {})],
        [
            ("take_item", {"item_id": "I-1", "quantity": 3}),
            ("order_item", {"item_id": "I-2", "priority": "high"}),
        ],
        [],
    ]
    thoughts = ["First I look.", "Both at once: 3 < 10 & 'nuts'.", "That is all."]
    assert parsed_calls(seen["text"]) == calls
    assert parsed_thoughts(seen["text"]) == thoughts
    assert '{"type": "function", "function": {"name": "take_item"' in seen["text"]
    for trained in ("First I look.", '"name": "order_item"', "Task Completed"):
        assert trained in seen["trained"]
    for told in ("Take three bolts out.", "tool_response", "# Tools"):
        assert told not in seen["trained"]
