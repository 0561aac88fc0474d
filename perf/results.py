"""How long it takes to compare two logs, to load many samples, and to show them on a page.

The logs are made of one sample that `policy/random` has played: its scores,
metadata and usage many times over, by environments of ten scenarios, without its
transcript, which no command reads. The many samples are in ten logs. Prints
JSON with seconds, elapsed and of CPU, imports included, and the peak of the memory
in MB.
"""

import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalDataset, EvalLog, EvalSample, read_eval_log, write_eval_log
from inspect_ai.scorer import Score

from envscaler_eval.tasks import envscaler

COMPARED = 2_000
LOADED = 20_000
SCENARIOS = 10

_MEASURED = """
import json, resource, sys, time
began = time.perf_counter()
{work}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
took = {{"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time()}}
print(json.dumps({{**{{key: round(value, 1) for key, value in took.items()}}, "peak_mb": peak}}))
"""
_COMPARE = """
sys.argv = ["envscaler", "compare", *sys.argv[1:], "--json", sys.argv[1] + ".json"]
from envscaler_eval.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
"""
_REPORT = """
options = ["--repeats-as-trials", "--out", sys.argv[1] + ".html"]
sys.argv = ["envscaler", "report", *sys.argv[1:], *options]
from envscaler_eval.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
"""
_LOAD = """
from envscaler_eval.results import read_results
assert len(read_results(sys.argv[1:]).rows) == {loaded}
"""


def template(folder: Path) -> EvalLog:
    """Return the log of one episode of `policy/random`, without its transcript."""
    (log,) = inspect_eval(
        envscaler(envs="hotel_operations", scenarios_per_env=1),
        model="policy/random",
        log_dir=str(folder),
        log_realtime=False,
        display="none",
    )
    assert log.samples is not None
    (sample,) = log.samples
    bare = sample.model_copy(update={"events": [], "messages": [], "store": {}, "attachments": {}})
    return log.model_copy(update={"samples": [bare]})


def write_copies(log: EvalLog, path: Path, samples: int, success: float) -> Path:
    """Write a log of many samples like the one given, of which a share succeeds."""
    chance = random.Random(success)
    assert log.samples is not None
    copies = [
        _copy(log.samples[0], number, float(chance.random() < success)) for number in range(samples)
    ]
    dataset = EvalDataset(samples=samples, sample_ids=[sample.id for sample in copies])
    spec = log.eval.model_copy(update={"dataset": dataset, "model": path.stem})
    write_eval_log(log.model_copy(update={"samples": copies, "eval": spec}), str(path))
    return path


def repeat(path: Path, folder: Path, times: int) -> Path:
    """Fill a folder with copies of a log, each a run of its own."""
    folder.mkdir()
    header = read_eval_log(str(path), header_only=True)
    for number in range(times):
        copy = folder / f"{number}.eval"
        shutil.copy(path, copy)
        spec = header.eval.model_copy(update={"task_id": str(number)})
        write_eval_log(header.model_copy(update={"eval": spec}), str(copy), header_only=True)
    return folder


def _copy(sample: EvalSample, number: int, success: float) -> EvalSample:
    env = f"env_{number // SCENARIOS}"
    assert sample.scores is not None
    score = sample.scores["checklist"]
    value = {"reward": success, "success": success, "paper_reward": success}
    return sample.model_copy(
        update={
            "id": f"{env}/scenario_{number}:non_conv",
            "uuid": str(number),
            "metadata": {**sample.metadata, "env": env},
            "scores": {"checklist": Score.model_validate({**score.model_dump(), "value": value})},
        }
    )


def measured(work: str, *arguments: Path) -> dict[str, Any]:
    """Return what a piece of work costs in a process of its own."""
    finished = subprocess.run(
        [sys.executable, "-c", _MEASURED.format(work=work), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    figures: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])
    return figures


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = template(folder)
        before = write_copies(log, folder / "before.eval", COMPARED, 0.3)
        after = write_copies(log, folder / "after.eval", COMPARED, 0.4)
        many = repeat(before, folder / "many", LOADED // COMPARED)
        trials = LOADED // COMPARED // 2
        one, other = (
            repeat(log, folder / f"{trials}_of_{log.stem}", trials) for log in (before, after)
        )
        figures = {
            f"compare two logs of {COMPARED} samples": measured(_COMPARE, before, after),
            f"report {LOADED} episodes of two models": measured(_REPORT, one, other),
            f"load {LOADED} samples": measured(_LOAD.format(loaded=LOADED), many),
        }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
