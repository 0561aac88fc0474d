"""The demonstration: ceiling, floor and chance on the library, offline."""

import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from statistics import mean
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample

_POLICIES = ("oracle", "noop", "random")
_MODES = ("non_conv", "conv")
_CONFIDENCE = 0.95


def demo(
    envs: Annotated[
        list[str] | None, typer.Argument(metavar="[ENV]...", help="Ids or folders; all by default.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="All scenarios, not one a pack.")] = False,
    log_dir: Annotated[Path, typer.Option(help="Where the logs go.")] = Path("logs/demo"),
) -> None:
    """Run the reference policies in both modes and show what they earn."""
    console = Console()
    console.print("Loading Inspect ...")
    from inspect_ai import eval as inspect_eval

    from envscaler_eval.tasks import envscaler

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for name in ("policy", "mode", "samples", "reward", "success", "best", "user\nfaults"):
        table.add_column(name, no_wrap=True)
    with Progress(console=console) as progress:
        bar = progress.add_task("playing", total=len(_POLICIES) * len(_MODES))
        for policy in _POLICIES:
            for mode in _MODES:
                progress.update(bar, description=f"playing {policy} in {mode}")
                (log,) = inspect_eval(
                    envscaler(envs=envs, mode=mode, scenarios_per_env=None if full else 1),
                    model=f"policy/{policy}",
                    model_roles={"user": "policy/user"},
                    log_dir=str(log_dir),
                    log_realtime=False,
                    display="none",
                )
                samples = log.samples or []
                if log.status != "success":
                    console.print(f"Error: {policy} in {mode} ended with {log.status}: {log.error}")
                    raise typer.Exit(1)
                table.add_row(policy, mode, *_figures(samples))
                progress.advance(bar)
    console.print(table)
    console.print(
        "Intervals: 95%; of success by Wilson, of reward by Student's t over environments.\n"
        "Best: the highest reward of a scenario. User faults: the share of conversations in which "
        "the simulated user made one.\n"
        f"Logs: {log_dir.resolve()}\n"
        f"Browse them with: {_inspect_command()} view --log-dir {log_dir}",
        soft_wrap=True,
    )


def _inspect_command() -> str:
    """Return what starts Inspect, also when its environment is not activated."""
    return "inspect" if which("inspect") else str(Path(sys.executable).with_name("inspect"))


def _figures(samples: Sequence["EvalSample"]) -> tuple[str, ...]:
    """Return how many samples, reward and success with intervals, the best, user faults."""
    from scipy.stats import binomtest

    values = [sample.scores["checklist"].value for sample in samples if sample.scores]
    scores = [value for value in values if isinstance(value, dict)]
    rewards = [cast(float, score["reward"]) for score in scores]
    wins = sum(score["success"] == 1 for score in scores)
    interval = binomtest(wins, len(scores)).proportion_ci(_CONFIDENCE, method="wilson")
    by_env: dict[str, list[float]] = {}
    for sample, reward in zip(samples, rewards, strict=True):
        by_env.setdefault(sample.metadata["env"], []).append(reward)
    low, high = _t_interval([mean(values) for values in by_env.values()])
    return (
        str(len(scores)),
        f"{mean(rewards):.3f} [{low:.2f}, {high:.2f}]",
        f"{wins / len(scores):.3f} [{interval.low:.2f}, {interval.high:.2f}]",
        f"{max(rewards):.3f}",
        _user_fault_rate(samples),
    )


def _user_fault_rate(samples: Sequence["EvalSample"]) -> str:
    """Return the share of conversations in which the simulated user made a fault."""
    scores = [(sample.scores or {}).get("simulated_user") for sample in samples]
    faulty = [cast(float, score.value) for score in scores if score is not None]
    return f"{mean(faulty):.3f}" if faulty else "-"


def _t_interval(means: Sequence[float]) -> tuple[float, float]:
    """Return the interval of the mean of cluster means, within [0, 1]."""
    from scipy.stats import sem, t

    if len(means) < 2:
        return 0.0, 1.0
    center, error = mean(means), float(sem(means))
    if error == 0:
        return center, center
    reach = float(t.ppf((1 + _CONFIDENCE) / 2, len(means) - 1)) * error
    return max(0.0, center - reach), min(1.0, center + reach)
