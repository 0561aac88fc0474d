"""How long `envscaler list` takes on 200 packs, from start to end of the process.

Prints JSON with the seconds of five runs, on the clock and of CPU time, and
those of a start that does nothing but print its help.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from envscaler_eval.pack import find_packs

PACKS = 200
RUNS = 5


def copied_packs(root: Path) -> None:
    """Fill a folder with copies of a shipped pack, each under an id of its own."""
    shipped = find_packs()[0]
    text = (shipped / "pack.yaml").read_text(encoding="utf-8")
    for number in range(PACKS):
        folder = root / f"{shipped.name}_{number}"
        shutil.copytree(shipped, folder)
        (folder / "pack.yaml").write_text(
            text.replace(f"id: {shipped.name}", f"id: {folder.name}", 1), encoding="utf-8"
        )


def seconds(*arguments: str) -> tuple[float, float]:
    """Return the wall-clock time and the CPU time of a command."""
    start, spent = time.perf_counter(), _children_cpu()
    subprocess.run(
        [sys.executable, "-m", "envscaler_eval.cli", *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - start, _children_cpu() - spent


def _children_cpu() -> float:
    times = os.times()
    return times.children_user + times.children_system


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        copied_packs(Path(folder))
        runs = [seconds("list", "--root", folder) for _ in range(RUNS)]
        starts = [seconds("--help") for _ in range(RUNS)]
    result = {
        "packs": PACKS,
        "list_s": [round(wall, 3) for wall, _ in runs],
        "median_s": round(median(wall for wall, _ in runs), 3),
        "median_cpu_s": round(median(cpu for _, cpu in runs), 3),
        "start_alone_cpu_s": round(median(cpu for _, cpu in starts), 3),
    }
    json.dump(result, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
