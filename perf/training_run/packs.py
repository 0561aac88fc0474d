"""Small environments to train a small model on, with scenarios drawn at random.

Four desks come in two packs each: `<desk>`, to train on, and `<desk>_held_out`, with the same
program and other people, to test on. Two further desks are only tested on. Every scenario has
one request or two; each takes one or two look-ups and one call that changes something.

    python -m perf.training_run.packs FOLDER
"""

import sys
from pathlib import Path
from random import Random
from typing import Literal

from envscaler_eval.environment import Environment
from envscaler_eval.pack import Pack, PackInfo
from envscaler_eval.pack_writing import write_pack
from envscaler_eval.scenario import Check, Scenario
from perf.training_run.desks import TRAINED, UNSEEN, Desk
from perf.training_run.drawing import Draw, Drawn

TRAINING_SCENARIOS = 30
HELD_OUT_SCENARIOS = 8
NOW = "2026-03-09T09:00:00"


def pack(desk: Desk, pack_id: str, split: Literal["train", "test"], number: int) -> Pack:
    """Make a pack of a desk.

    Args:
        desk: The desk.
        pack_id: The pack's id, which also seeds what is drawn.
        split: Whether its scenarios are to be trained on.
        number: How many scenarios.
    """
    info = PackInfo(
        id=pack_id,
        title=desk.id.replace("_", " ").capitalize(),
        introduction=desk.introduction,
        class_name=desk.class_name,
        domain="small desks",
        split=split,
        licence="MIT",
        canary=f"envscaler-eval:training-run:{pack_id}",
        provenance=("Drawn by perf/training_run/packs.py.",),
    )
    source = (Path(__file__).parent / "programs" / f"{desk.id}.py").read_text(encoding="utf-8")
    environment = Environment(
        source=source,
        **info.model_dump(include={"id", "title", "introduction", "rules", "class_name"}),
    )
    random = Random(pack_id)
    scenarios = tuple(
        _scenario(pack_id, desk.draw(Draw(random, split == "test")), index, random)
        for index in range(number)
    )
    return Pack(Path(pack_id), info, environment, scenarios)


def _scenario(pack_id: str, drawn: Drawn, index: int, random: Random) -> Scenario:
    state, requests = drawn
    chosen = random.sample(requests, 1 + index % 2)
    return Scenario(
        id=f"request_{index + 1}",
        env=pack_id,
        state=state,
        now=NOW,
        task=" ".join(request.words for request in chosen),
        checks=tuple(
            Check(
                about=request.about,
                kind="goal",
                code=f"def check(initial, final):\n    return {request.met}\n",
            )
            for request in chosen
        ),
        solution=tuple(call for request in chosen for call in request.calls),
        alternatives=tuple(
            tuple(call for request in chosen[::-1] for call in request.calls) for _ in chosen[1:]
        ),
        tags=("easy",),
    )


def main(folder: Path) -> None:
    """Write all packs."""
    for desk in TRAINED:
        write_pack(pack(desk, desk.id, "train", TRAINING_SCENARIOS), folder)
        write_pack(pack(desk, f"{desk.id}_held_out", "test", HELD_OUT_SCENARIOS), folder)
    for desk in UNSEEN:
        write_pack(pack(desk, desk.id, "test", HELD_OUT_SCENARIOS), folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
