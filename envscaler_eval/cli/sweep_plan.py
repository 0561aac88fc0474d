"""The command that tells what a sweep will take."""

from pathlib import Path
from typing import Annotated

import typer

from envscaler_eval.cli.log_options import HTML, JSON, MARKDOWN, tell
from envscaler_eval.errors import UsageError
from envscaler_eval.output_files import check_writable

_FACTOR = 1.5


def plan(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a YAML file.")],
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Tell time, memory, logs and dollars too.")
    ] = False,
    nodes: Annotated[int, typer.Option(min=1, help="Machines.")] = 1,
    cores: Annotated[int, typer.Option(min=1, help="Cores of each, a worker on each.")] = 1,
    seconds_per_call: Annotated[
        float | None, typer.Option(min=0.0, help="Seconds of a call of a model.")
    ] = None,
    calls: Annotated[
        float | None,
        typer.Option(min=1, help="Calls of an episode; else by the reference solutions."),
    ] = None,
    factor: Annotated[
        float, typer.Option(min=0.1, help="Calls of a model for each of the reference solution.")
    ] = _FACTOR,
    thinking: Annotated[
        int, typer.Option(min=0, help="Reasoning tokens the agent writes in each call.")
    ] = 0,
    prices: Annotated[
        Path | None, typer.Option(help="YAML with dollars per million tokens, by model.")
    ] = None,
    markdown_file: MARKDOWN = None,
    json_file: JSON = None,
    html_file: HTML = None,
) -> None:
    """Show how a plan is cut into shards, and with --estimate what it takes; runs nothing."""
    from envscaler_eval.estimate import Assumptions
    from envscaler_eval.prices import read_prices
    from envscaler_eval.sweep import read_plan
    from envscaler_eval.sweep.estimate_document import cut_document, estimate_document
    from envscaler_eval.sweep.limits import check_limits
    from envscaler_eval.sweep.planning import Pace, demands
    from envscaler_eval.sweep.shards import shards

    check_writable(markdown_file, json_file, html_file)
    chosen, table = read_plan(plan_file), read_prices(prices)
    try:
        check_limits(chosen, nodes * cores)
        if estimate:
            pace = Pace(seconds_per_call, calls, Assumptions(factor, thinking))
            asked = demands(chosen, nodes * cores, pace)
            document = estimate_document(asked, nodes, cores, table)
        else:
            document = cut_document(shards(chosen))
    except UsageError as fault:
        raise UsageError(f"{plan_file}: {fault}") from None
    tell(document, markdown_file, json_file, html_file)
