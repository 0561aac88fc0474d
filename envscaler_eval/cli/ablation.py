"""The command that compares training modes."""

from pathlib import Path
from typing import Annotated

import typer

from envscaler_eval.cli.log_options import ACCEPT_DIFFERENCES, REPEATS_AS_TRIALS, SCORE


def ablation(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODE=]LOG...",
            help="Logs or folders, made with --metadata training_mode=MODE; others with MODE= "
            "before.",
        ),
    ],
    baseline: Annotated[
        str | None, typer.Option(help="The mode to compare with; by default the first.")
    ] = None,
    score: SCORE = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all of it to this file.")
    ] = None,
    repeats_as_trials: REPEATS_AS_TRIALS = False,
    accept_differences: ACCEPT_DIFFERENCES = False,
) -> None:
    """Compare models trained in different modes on every benchmark.

    Modes are names of your own, such as non_conv, conv, mixed and none.
    """
    from pydantic import TypeAdapter

    from envscaler_eval.results.ablation import (
        METADATA_KEY,
        Ablation,
        ablation_tables,
        ablations,
    )
    from envscaler_eval.results.grid import score_grids
    from envscaler_eval.results.labels import from_metadata, read_labelled
    from envscaler_eval.results.plain_table import as_text
    from envscaler_eval.results.tables import remarks

    labelled = read_labelled(logs, from_metadata(METADATA_KEY))
    grids = score_grids(labelled, score, repeats_as_trials, accept_differences)
    found = ablations(grids, baseline)
    typer.echo(as_text(ablation_tables(found), remarks(labelled, grids)))
    if json_file:
        json_file.write_bytes(TypeAdapter(list[Ablation]).dump_json(found, indent=2))
