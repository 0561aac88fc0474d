"""A run of 200 samples against a served model in which each fault has a rate of 5%.

The oracle is served over HTTP and fails in thirteen ways: in what it says, and
in whether its reply arrives. Prints JSON: how the episodes ended, and for each
kind how often the server had it and how often the scores count it. The counts
must agree, and no sample may be missing.
"""

import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from urllib.request import urlopen

from inspect_ai import eval
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import get_model

from envscaler_eval.pack import read_pack
from envscaler_eval.serving import (
    FAULTS,
    TRANSPORT_FAULTS,
    FaultPlan,
    Player,
    PolicyServer,
    build_app,
)
from envscaler_eval.solvers.model_faults import MODEL_FAULTS
from envscaler_eval.tasks import envscaler

SAMPLES = 200
RATE = 0.05
PATIENCE = 5.0
"""How long the client waits, in seconds: longer than a busy machine takes to answer."""

PACK_FILES = {
    "pack.yaml": """
id: shelves
title: Shelves
introduction: Keeps parts on shelves.
rules: []
class_name: Shelves
domain: logistics
split: train
licence: MIT
canary: envscaler-eval:shelves:perf
""",
    "environment.py": '''
class Shelves:
    """Keeps parts on shelves."""

    def __init__(self, init_config: dict) -> None:
        self.parts: dict[str, int] = {}

    def list_parts(self) -> dict:
        """List the parts with their quantities."""
        return {"success": True, "parts": self.parts}

    def take_part(self, part: str, quantity: int) -> dict:
        """Take pieces of a part.

        Args:
            part: The part.
            quantity: How many pieces.
        """
        self.parts[part] -= quantity
        return {"success": True, "left": self.parts[part]}
''',
}
CODE = "def check(initial, final):\n    return final['parts'] == {'bolt': 7, 'nut': 5}\n"


def write_pack(folder: Path) -> Path:
    """Write a pack with as many scenarios as there are samples."""
    folder.mkdir()
    for name, text in PACK_FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    take = [("list_parts", {}), ("take_part", {"part": "bolt", "quantity": 3})]
    take.append(("take_part", {"part": "nut", "quantity": 4}))
    scenarios = [
        {
            "id": f"s{number}",
            "state": {"parts": {"bolt": 10, "nut": 9}},
            "now": "2026-03-09T08:30:00",
            "task": f"For order {number}, take three bolts and four nuts.",
            "checks": [{"about": "both were taken", "kind": "goal", "code": CODE}],
            "solution": [{"name": name, "arguments": arguments} for name, arguments in take],
        }
        for number in range(SAMPLES)
    ]
    (folder / "scenarios.yaml").write_text(json.dumps(scenarios), encoding="utf-8")
    return folder


def counted(samples: list[EvalSample]) -> Counter[str]:
    """Return how often the scores count each kind."""
    total: Counter[str] = Counter()
    for sample in samples:
        assert sample.scores is not None, sample.error
        total.update((sample.scores["checklist"].metadata or {})["model_faults"])
    return total


def retries(samples: list[EvalSample]) -> int:
    """Return how often a request was made again, by the client or by Inspect."""
    events = [e for sample in samples for e in sample.events if isinstance(e, ModelEvent)]
    return sum((event.retries or 0) + bool(event.error) for event in events)


def main() -> None:
    """Run and print what was measured."""
    plan = FaultPlan.parse([f"{kind}={RATE}" for kind in FAULTS])
    with tempfile.TemporaryDirectory() as root:
        pack = write_pack(Path(root) / "shelves")
        app = build_app(Player("oracle", [read_pack(pack)], plan), delay=10 * PATIENCE)
        with PolicyServer(app) as server:
            start = time.monotonic()
            (log,) = eval(
                envscaler(str(pack), isolation="in_process"),
                model=get_model(
                    "openai-api/served/oracle",
                    base_url=server.url,
                    api_key="none",
                    client_timeout=PATIENCE,
                    max_retries=10,
                ),
                log_dir=root,
                log_realtime=False,
                display="none",
                max_connections=50,
            )
            seconds = time.monotonic() - start
            with urlopen(server.url.removesuffix("/v1") + "/faults") as answer:
                served = Counter(json.load(answer))
        samples = list(log.samples or [])
    counts = counted(samples)
    wrong = [kind for kind in MODEL_FAULTS if counts[kind] != served[kind]]
    lost = sum(served[kind] for kind in TRANSPORT_FAULTS)
    result = {
        "status": log.status,
        "samples": len(samples),
        "ended_by": Counter((sample.scores or {})["checklist"].answer or "" for sample in samples),
        "served": served,
        "counted": counts,
        "lost_replies": lost,
        "retries": retries(samples),
        "seconds": round(seconds, 1),
    }
    print(json.dumps(result, indent=2))
    if log.status != "success" or wrong or retries(samples) != lost:
        sys.exit(f"counts differ: {wrong or 'retries'}")


if __name__ == "__main__":
    main()
