"""EnvScaler's released trajectories as conversations to train on.

The release (`EnvScaler-SFT-Traj-9K`) holds tools and messages as JSON texts, and
arguments of calls as texts or objects.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from envscaler_eval.errors import UsageError
from envscaler_eval.synth.importers.official_record import OfficialRecord
from envscaler_eval.synth.importers.report import ItemFault

_MODE = {"non_conversation": "non_conv", "conversation": "conv"}
_ENDED_BY = {"non_conv": "completed", "conv": "user_stop"}


class ReleasedTrajectories:
    """The trajectories of a released file, read one at a time.

    Attributes:
        kept: How many were read, by mode.
        dropped: What was left out and why, a line each.
    """

    def __init__(self, file: Path) -> None:
        """Name the file; nothing is read yet.

        Args:
            file: The file: a list, or a mapping by id.
        """
        self._file = file
        self.kept: Counter[str] = Counter()
        self.dropped: list[str] = []

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each sound trajectory, as `envscaler export sft` writes them.

        They are not graded: the scenarios that they are of have no checks.

        Raises:
            UsageError: The file cannot be read.
        """
        for number, content in enumerate(self._contents(), start=1):
            try:
                row = _row(OfficialRecord(f"{self._file.name}: item {number}", content))
            except ItemFault as fault:
                self.dropped.append(str(fault))
                continue
            self.kept[row["mode"]] += 1
            yield row

    def _contents(self) -> Iterator[Any]:
        """Yield the records without ever holding the file, which takes 701 MB."""
        import ijson

        try:
            with self._file.open("rb") as data:
                first = data.read(64).lstrip()[:1]
                data.seek(0)
                if first == b"[":
                    yield from ijson.items(data, "item", use_float=True)
                else:
                    for _, content in ijson.kvitems(data, "", use_float=True):
                        yield content
        except OSError as fault:
            raise UsageError(f"{self._file}: cannot be read: {fault.strerror}") from None
        except ijson.JSONError as fault:
            raise UsageError(
                f"{self._file}: is no JSON ({fault}); give the released file as it was downloaded"
            ) from None


def _row(record: OfficialRecord) -> dict[str, Any]:
    mode = _MODE.get(record.text("traj_type"))
    if mode is None:
        raise record.fault("traj_type", f"is none of {', '.join(_MODE)}; leave the item out")
    task = OfficialRecord(f"{record.place}: task_info", record.mapping("task_info"))
    messages = [
        _message(OfficialRecord(f"{record.place}: messages {number}", message))
        for number, message in enumerate(record.listing("messages"), start=1)
    ]
    if not any(message["role"] == "assistant" for message in messages):
        raise record.fault("messages", "hold no turn of the assistant; leave the item out")
    env = task.text("env_id")
    return {
        "messages": messages,
        "tools": json.dumps(record.listing("tools"), ensure_ascii=False),
        "reward": None,
        "success": None,
        "paper_reward": None,
        "env": env,
        "scenario": task.text("task_id").removeprefix(f"{env}-"),
        "mode": mode,
        "split": "train",
        "model": "EnvScaler's teacher",
        "trial": 1,
        "ended_by": _ENDED_BY[mode],
        "steps": sum(message["role"] == "assistant" for message in messages),
    }


def _message(record: OfficialRecord) -> dict[str, Any]:
    role = record.text("role")
    told: dict[str, Any] = {"role": role, "content": record.optional_text("content")}
    if role == "assistant":
        thought = record.optional_text("reasoning_content")
        if thought:
            told["reasoning_content"] = thought
        calls = record.listing("tool_calls")
        if calls:
            told["tool_calls"] = [
                _call(OfficialRecord(f"{record.place}: tool_calls {number}", call), number)
                for number, call in enumerate(calls, start=1)
            ]
    elif role == "tool":
        told["tool_call_id"] = record.optional_text("tool_call_id")
        told["name"] = record.optional_text("name")
    elif role not in ("system", "user"):
        raise record.fault("role", f"is '{role}'; use system, user, assistant or tool")
    return told


def _call(record: OfficialRecord, number: int) -> dict[str, Any]:
    function = OfficialRecord(f"{record.place}: function", record.mapping("function"))
    return {
        "id": record.optional_text("id") or f"call_{number}",
        "type": "function",
        "function": {"name": function.text("name"), "arguments": function.mapping("arguments")},
    }
