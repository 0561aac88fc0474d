"""Items as a Slurm array job: the script, and what each of its tasks does."""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from envscaler_eval.errors import UsageError
from envscaler_eval.sweep.store import Store
from envscaler_eval.sweep.tries import Tries
from envscaler_eval.sweep.work import Item, Report, Work, content_key, run_item

# Slurm's own default for MaxArraySize is 1001, which counts from 0.
LONGEST_ARRAY = 1000


@dataclass(frozen=True)
class SlurmEngine:
    """Writes a script for `sbatch`, and submits it if asked to; does not wait.

    Attributes:
        workers: How many tasks of the array run at once, at most.
        folder: Where the script and the outputs of its tasks go; all nodes must see it.
        submit: Whether to call `sbatch`.
        options: More options of `sbatch`, such as `--partition=cpu`.
        cpus: CPUs of a task.
        memory_gb: Memory of a task.
    """

    workers: int
    folder: Path
    submit: bool = False
    options: tuple[str, ...] = ()
    cpus: float = 1.0
    memory_gb: float | None = None

    @property
    def script(self) -> Path:
        """The script."""
        return self.folder / "submit.sh"

    def run(self, work: Work, items: Sequence[Item], tell: Callable[[Report], None]) -> None:
        """Write the script; see `Engine`.

        Raises:
            UsageError: The folder cannot be written, or `sbatch` refuses the script.
        """
        job = write_job(work, items)
        parts = min(len(items), LONGEST_ARRAY)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.script.write_text(self._text(Store(work.store).url(job), parts), encoding="utf-8")
            self.script.chmod(0o755)
        except OSError as fault:
            raise UsageError(
                f"{self.script}: cannot be written: {fault.strerror}; choose another --slurm-dir"
            ) from None
        if self.submit:
            self._submit()

    def _text(self, job: str, parts: int) -> str:
        output = self.folder.resolve() / "%A_%a.out"
        directives = [
            "--job-name=envscaler-sweep",
            f"--array=0-{parts - 1}%{self.workers}",
            f"--cpus-per-task={max(1, round(self.cpus))}",
            *([f"--mem={round(self.memory_gb * 1024)}M"] if self.memory_gb else []),
            # A node that is lost brings its tasks back; what they had done is not done again.
            "--requeue",
            f"--output={shlex.quote(str(output))}",
            *self.options,
        ]
        command = shlex.join([sys.executable, "-m", "envscaler_eval.cli", "sweep", "work", job])
        return "\n".join(
            [
                "#!/bin/bash",
                *(f"#SBATCH {directive}" for directive in directives),
                "set -euo pipefail",
                f'exec {command} --part "$SLURM_ARRAY_TASK_ID" --parts {parts}',
                "",
            ]
        )

    def _submit(self) -> None:
        try:
            subprocess.run(["sbatch", str(self.script)], check=True, capture_output=True, text=True)
        except FileNotFoundError:
            raise UsageError(
                f"there is no sbatch on this machine; submit {self.script} where there is one"
            ) from None
        except subprocess.CalledProcessError as fault:
            raise UsageError(
                f"sbatch refuses {self.script}: {' '.join(fault.stderr.split())}; mend the "
                "options given with --slurm-option"
            ) from None


def write_job(work: Work, items: Sequence[Item]) -> str:
    """Write down work with its items for tasks on other machines; return the file's name."""
    content = {"work": asdict(work), "items": [asdict(item) for item in items]}
    name = f"jobs/{content_key([work.function, [item.key for item in items]])}.json"
    Store(work.store).write(name, json.dumps(content).encode())
    return name


def run_part(job: str, part: int, parts: int, tell: Callable[[Report], None]) -> bool:
    """Run a task of the array: each item whose place leaves this remainder.

    Args:
        job: The full address of the file that `write_job` wrote.
        part: Which task this is, from 0.
        parts: How many there are.
        tell: Called with what came of each run of an item.

    Returns:
        Whether all its items are done.

    Raises:
        UsageError: There is no such file.
    """
    folder, _, name = job.rpartition("/")
    try:
        content = json.loads(Store(folder).read(name))
        work, items = Work(**content["work"]), [Item(**item) for item in content["items"]]
    except (OSError, ValueError, LookupError, TypeError):
        raise UsageError(
            f"{job}: is no job of a sweep; write one with `envscaler sweep run --engine slurm`"
        ) from None
    tries = Tries(items[part::parts], work.tries)
    failed: set[str] = set()
    while tries:
        report = run_item(work, tries.take())
        tries.settle(report)
        tell(report)
        (failed.add if report.status == "failed" else failed.discard)(report.key)
    return not failed
