"""How long it takes to export trajectories, and how much memory, by the public log reader.

Real attempts of the oracle at the library's training environments are copied, with
all their events, until there are enough. Prints JSON; `--trajectories 10000` is the size
that the paper's data set has.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import get_args

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log

from envscaler_eval.exports.sft import SftChoices, SftSource, Style, export_sft
from envscaler_eval.exports.trajectories import TrajectoryLogs
from envscaler_eval.exports.trajectory_filter import TrajectoryFilter
from envscaler_eval.tasks import envscaler

_IN_A_LOG = 500


def _played(folder: Path) -> EvalLog:
    """Let the oracle play each training scenario in both modes."""
    (log,) = inspect_eval(
        envscaler(split="train", mode="both"),
        model="policy/oracle",
        model_roles={"user": "policy/user"},
        log_dir=str(folder),
        log_realtime=False,
        display="none",
    )
    return read_eval_log(log.location)


def _multiplied(log: EvalLog, number: int, folder: Path) -> None:
    """Write logs that hold so many samples in all: one of a few hundred, and copies of it.

    Further samples of the first are later epochs.
    """
    samples = log.samples or []
    size = min(_IN_A_LOG, number)
    copies = [
        samples[i % len(samples)].model_copy(update={"epoch": i // len(samples) + 1})
        for i in range(size)
    ]
    folder.mkdir()
    first = folder / "part-0.eval"
    write_eval_log(log.model_copy(update={"samples": copies}), str(first))
    for part in range(1, number // size):
        shutil.copy(first, folder / f"part-{part}.eval")


def _measured(logs: Path, out: Path, style: Style) -> dict[str, float]:
    """Export in this process and say what it took."""
    began, cpu = time.perf_counter(), time.process_time()
    # Each a source of its own, since copies in one source count as attempts at one run.
    sources = [SftSource(TrajectoryLogs([log]), TrajectoryFilter()) for log in logs.iterdir()]
    counts = export_sft(sources, out, SftChoices(style=style))
    return {
        "trajectories": counts.number_kept,
        "seconds": round(time.perf_counter() - began, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "written_mib": _mib(out),
    }


def _mib(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) >> 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trajectories", type=int, default=500)
    parser.add_argument("--styles", nargs="+", default=get_args(Style))
    parser.add_argument("--export", nargs=3, metavar=("LOGS", "OUT", "STYLE"))
    options = parser.parse_args()
    if options.export:
        logs, out, style = options.export
        print(json.dumps(_measured(Path(logs), Path(out), style)))
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        logs = root / "logs"
        _multiplied(_played(root / "played"), options.trajectories, logs)
        figures: dict[str, object] = {"logs_mib": _mib(logs)}
        for style in options.styles:
            # A process of its own, whose memory holds nothing but the export's.
            arguments = ["--export", str(logs), str(root / style), style]
            finished = subprocess.run(
                [sys.executable, __file__, *arguments], capture_output=True, text=True, check=True
            )
            figures[style] = json.loads(finished.stdout.splitlines()[-1])
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
