"""Measure concurrent trials of Tau-Bench through Inspect; print JSON.

    python perf/tau_bench_eval.py [DATA_DIR]

The oracle serves 25 customers of each domain at once. Every model waits a
moment before it answers, so that all samples are alive together.
"""

import json
import resource
import sys
import tempfile
import time
from typing import Any

import anyio
from inspect_ai import eval as inspect_eval
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from envscaler_eval.solvers.live import live_sample
from envscaler_eval.solvers.policy_model import PolicyModel
from envscaler_eval.tasks import tau_bench

TASKS = range(25)
WAIT_SECONDS = 0.5


def main() -> None:
    """Run the trials and print the figures."""
    data_dir = sys.argv[1] if len(sys.argv) > 1 else None
    imported_mb = rss_mb()
    alive = Alive()
    task = tau_bench(task_ids=list(TASKS), data_dir=data_dir)
    loaded_mb = rss_mb()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as log_dir:
        (log,) = inspect_eval(
            task,
            model=alive.slow("oracle"),
            model_roles={"user": alive.slow("user")},
            max_samples=2 * len(TASKS),
            max_connections=2 * len(TASKS),
            log_dir=log_dir,
            log_realtime=False,
            display="none",
        )
        seconds = time.perf_counter() - started
        assert log.status == "success" and log.samples is not None
        rewards: list[Any] = [s.scores["tau_bench"].value for s in log.samples if s.scores]
    report = {
        "samples": len(rewards),
        "mean_reward": sum(value["reward"] for value in rewards) / len(rewards),
        "most_alive_at_once": alive.most,
        "seconds": round(seconds, 1),
        "peak_rss_mb": {
            "after_imports": round(imported_mb),
            "after_loading_both_databases": round(loaded_mb),
            "of_the_run": round(rss_mb()),
        },
    }
    print(json.dumps(report, indent=2))


class Alive:
    """Policies that take their time, and how many samples are alive meanwhile."""

    def __init__(self) -> None:
        """Nothing is alive yet."""
        self.most = 0
        self._asking: set[str] = set()

    def slow(self, policy: str) -> Model:
        """Return a model that waits before it plays a policy."""
        player = PolicyModel(policy)

        async def answer(
            messages: list[ChatMessage],
            tools: list[ToolInfo],
            tool_choice: ToolChoice,
            config: GenerateConfig,
        ) -> ModelOutput:
            sample = live_sample()
            assert sample is not None
            self._asking.add(sample.name)
            self.most = max(self.most, len(self._asking))
            await anyio.sleep(WAIT_SECONDS)
            self._asking.discard(sample.name)
            return await player.generate(messages, tools, tool_choice, config)

        return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def rss_mb() -> float:
    """Return the most memory that the process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
