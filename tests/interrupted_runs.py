"""A run that halts by itself in the middle, for tests that kill it: a program.

    python interrupted_runs.py eval|eval_set PACK LOG_DIR SAMPLES

It says `halfway` on its output once so many samples are in the log, and then
waits for a line that never comes.
"""

import sys

from inspect_ai import eval as inspect_eval
from inspect_ai import eval_set
from inspect_ai.hooks import Hooks, SampleStart, hooks

HALFWAY = "halfway"


def arguments(pack: str) -> dict[str, object]:
    """Return the task's arguments, the same in every run."""
    return {"envs": pack, "mode": "both", "isolation": "in_process"}


def main(how: str, pack: str, log_dir: str, samples: str) -> None:
    """Run until so many samples are done, and wait to be killed."""
    started = 0

    @hooks(name="halt", description="Halts the run.")
    class Halt(Hooks):
        async def on_sample_start(self, data: SampleStart) -> None:
            nonlocal started
            if started == int(samples):
                print(HALFWAY, flush=True)
                sys.stdin.readline()
            started += 1

    run = inspect_eval if how == "eval" else eval_set
    run(
        "envscaler_eval/envscaler",
        task_args=arguments(pack),
        model="policy/oracle",
        model_roles={"user": "policy/user"},
        log_dir=log_dir,
        log_buffer=1,
        max_samples=1,
        display="none",
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
