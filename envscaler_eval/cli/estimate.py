"""The command that tells what a run will take."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from envscaler_eval.errors import UsageError
from envscaler_eval.output_files import check_writable, write_output

if TYPE_CHECKING:
    from envscaler_eval.estimate import Assumptions, Dialogue, Row
    from envscaler_eval.prices import Price

_FACTOR = 1.5


def estimate(
    envs: Annotated[
        str, typer.Option(help="Ids or folders, comma-separated; all by default.")
    ] = "",
    tags: Annotated[str, typer.Option(help="Scenarios that carry all of these.")] = "",
    split: Annotated[str | None, typer.Option(help="train or test.")] = None,
    mode: Annotated[str, typer.Option(help="non_conv, conv or both.")] = "non_conv",
    scenarios_per_env: Annotated[int | None, typer.Option(min=1, help="At most so many.")] = None,
    trials: Annotated[int, typer.Option(min=1, help="How often each sample runs.")] = 1,
    protocol: Annotated[str, typer.Option(help="default or paper.")] = "default",
    factor: Annotated[
        float, typer.Option(min=0.1, help="Generations for each one of the reference solution.")
    ] = _FACTOR,
    thinking: Annotated[
        int, typer.Option(min=0, help="Reasoning tokens the agent writes in each generation.")
    ] = 0,
    keep_thinking: Annotated[
        bool,
        typer.Option(
            "--keep-thinking/--drop-thinking", help="Whether it reads its earlier reasoning again."
        ),
    ] = True,
    model: Annotated[str | None, typer.Option(help="The agent's model, as in the prices.")] = None,
    user_model: Annotated[
        str | None, typer.Option(help="The user's model; by default the agent's.")
    ] = None,
    prices: Annotated[
        Path | None, typer.Option(help="YAML with dollars per million tokens, by model.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures to this file.")
    ] = None,
) -> None:
    """Tell calls, tokens and dollars before a run, from the reference solutions."""
    from envscaler_eval.estimate import Assumptions
    from envscaler_eval.estimate import estimate as sum_up
    from envscaler_eval.prices import read_prices

    if prices is not None and model is None:
        raise UsageError("--prices needs --model, to say whose prices hold")
    check_writable(json_file)
    table = read_prices(prices)
    named = {"agent": model, "user": user_model or model}
    chosen = _chosen(table, named) if prices else {}
    given = Assumptions(factor, thinking, keep_thinking, trials)
    left_out: list[str] = []
    selection = _dialogues(envs, tags, split, mode, scenarios_per_env, protocol, left_out)
    rows = sum_up(selection, given)
    if not rows:
        raise UsageError("none of the scenarios has a reference solution to estimate by")
    _show(rows, chosen, given, left_out)
    if json_file:
        figures = {
            "assumptions": asdict(given),
            "models": named,
            "rows": [_rounded(asdict(row) | _dollars([row], chosen)) for row in rows],
            "total": _rounded(_dollars(rows, chosen)),
            "left_out": left_out,
        }
        write_output(json_file, json.dumps(figures, indent=2) + "\n")


def _rounded(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {k: round(v, 4) if isinstance(v, float) else v for k, v in figures.items()}


def _chosen(table: Mapping[str, "Price"], named: Mapping[str, str | None]) -> dict[str, "Price"]:
    for model in named.values():
        if model not in table:
            raise UsageError(f"there is no price of '{model}'; the table has {', '.join(table)}")
    return {side: table[str(model)] for side, model in named.items()}


def _dialogues(
    envs: str,
    tags: str,
    split: str | None,
    mode: str,
    scenarios_per_env: int | None,
    protocol: str,
    left_out: list[str],
) -> Iterator[tuple[str, "Dialogue"]]:
    """Play what a run with these arguments would hold; note what has no solution."""
    from envscaler_eval.estimate import play_dialogue
    from envscaler_eval.isolation import IsolationPolicy
    from envscaler_eval.solvers.protocol import PROTOCOLS
    from envscaler_eval.tasks import envscaler
    from envscaler_eval.tasks.dataset import listed, select_packs

    arguments: dict[str, Any] = {"split": split, "mode": mode, "protocol": protocol}
    task = envscaler(envs=envs, tags=tags, scenarios_per_env=scenarios_per_env, **arguments)
    packs = {pack.info.id: pack for pack in select_packs(listed(envs), split)}
    policy = IsolationPolicy()
    runtimes = {name: policy.runtime(pack) for name, pack in packs.items()}
    for sample in task.dataset:
        assert sample.metadata is not None
        name = sample.metadata["env"]
        scenario = packs[name].scenario(sample.metadata["scenario"])
        if not scenario.solution:
            left_out.append(str(sample.id))
            continue
        rules = PROTOCOLS[arguments["protocol"]]
        yield (
            name,
            play_dialogue(packs[name], scenario, runtimes[name], sample.metadata["mode"], rules),
        )


def _dollars(rows: Sequence["Row"], prices: Mapping[str, "Price"]) -> dict[str, float]:
    """Return what rows cost, with and without a cache, where prices are known."""
    if not prices:
        return {}
    return {
        name: sum(
            prices[row.side].dollars(row.read, row.repeated, row.written, cached=cached)
            for row in rows
        )
        for name, cached in (("dollars", False), ("dollars_cached", True))
    }


def _short(tokens: float) -> str:
    return f"{tokens / 1e6:,.2f}M" if tokens >= 1e6 else f"{tokens / 1e3:.1f}k"


def _show(
    rows: Sequence["Row"],
    prices: Mapping[str, "Price"],
    given: "Assumptions",
    left_out: Sequence[str],
) -> None:
    from envscaler_eval.estimate import Row

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for name in ("environment", "side"):
        table.add_column(name, no_wrap=True)
    costs = ("$", "cached $") if prices else ()
    for name in ("calls", "input", "repeated", "output", *costs):
        table.add_column(name, justify="right", no_wrap=True)
    totals = {row.side: Row("total", row.side) for row in rows}
    for row in rows:
        totals[row.side] = totals[row.side].plus(row)
    for number, row in enumerate([*rows, *totals.values()]):
        if number == len(rows):
            table.add_section()
        tokens = map(_short, (row.read, row.repeated, row.written))
        cost = [f"{dollars:,.2f}" for dollars in _dollars([row], prices).values()]
        table.add_row(row.label, row.side, f"{row.calls:,}", *tokens, *cost)
    console = Console()
    console.print(table)
    console.print(
        f"Assumed: {given.factor:g} generations for each one of the reference solution, "
        f"{given.thinking} reasoning tokens in each of the agent's, "
        f"{'read again later' if given.keeps_thinking else 'not read again'}.\n"
        "Input, repeated and output are tokens, by measured characters a token. Repeated is input "
        "that the generation before had sent, which a provider may have cached.",
        soft_wrap=True,
    )
    if prices:
        total = _dollars(rows, prices)
        console.print(
            f"All: ${total['dollars']:,.2f}, with a cache ${total['dollars_cached']:,.2f}"
        )
        told = {f"{price.source} {price.date}".strip() for price in prices.values()} - {""}
        console.print(f"Prices: {'; '.join(sorted(told)) or 'as given, without a source'}")
    for sample in left_out:
        console.print(f"{sample}: left out, it has no reference solution", markup=False)
