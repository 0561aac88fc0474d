"""Stock rooms to train on, and policies that play them without a trainer."""

from pathlib import Path
from typing import Any

from envscaler_eval.exports.rl import RlSettings, Rollout, TrainingSet
from envscaler_eval.policies import Policy, View
from tests.pack_files import write_pack


def stock_room_settings(root: Path, **changes: Any) -> RlSettings:
    """Write a stock room and return settings that play it; `changes` are of settings."""
    folder = root / "stock_room"
    if not folder.exists():
        write_pack(root)
    return RlSettings(envs=(str(folder),), **changes)


def training_set(root: Path, **changes: Any) -> TrainingSet:
    """Return a stock room as a training set."""
    return TrainingSet(stock_room_settings(root, **changes))


def start(root: Path, **changes: Any) -> Rollout:
    """Start the first task of a stock room."""
    chosen = training_set(root, **changes)
    return chosen.start(chosen.tasks[0].name)


def play(rollout: Rollout, policy: Policy) -> Rollout:
    """Let a policy act until the episode is over."""
    heard, step = [rollout.opening], 0
    observations: list[str] = []
    while not rollout.over:
        turn = policy(View(step, heard, observations))
        step += 1
        if turn.calls:
            observations += [rollout.call(call.name, call.arguments) for call in turn.calls]
        elif (answer := rollout.say(turn.text)) is not None:
            heard.append(answer)
    return rollout
