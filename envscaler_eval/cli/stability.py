"""The command that shows how steady a model's reward is."""

import json
from typing import Annotated

import typer


def stability(
    logs: Annotated[
        list[str], typer.Argument(metavar="LOGS...", help="Logs of one model, run with trials.")
    ],
    score: Annotated[str, typer.Option(help="The score whose steadiness is asked for.")] = "reward",
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show the variance of the reward over repeated runs, and which groups teach nothing."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Column, Table

    from envscaler_eval.exports.stability import read_stability

    found = read_stability(logs, score)
    if as_json:
        samples = [
            {
                "sample": sample.sample,
                "runs": len(sample.rewards),
                "mean": sample.mean,
                "variance": sample.variance,
                "success_rate": sample.success_rate,
            }
            for sample in found.samples
        ]
        content = {
            "model": found.model,
            "score": score,
            "zero_variance_groups": found.zero_variance,
            "samples_without_a_second_run": found.single,
            "samples": samples,
        }
        typer.echo(json.dumps(content, indent=2))
        return
    table = Table(
        Column("sample", overflow="fold"),
        "runs",
        f"mean {score}",
        "variance",
        "success rate",
        box=SIMPLE_HEAD,
    )
    for sample in found.samples:
        table.add_row(
            sample.sample,
            str(len(sample.rewards)),
            f"{sample.mean:.3f}",
            f"{sample.variance:.4f}",
            f"{sample.success_rate:.2f}",
        )
    console = Console()
    console.print(table)
    share = f"{found.zero_variance:.0%} of {len(found.samples)} groups have no variance."
    console.print(f"{found.model}: {share}", highlight=False)
    if found.single:
        console.print(f"Left out, with fewer than two rewards: {found.single}", highlight=False)
