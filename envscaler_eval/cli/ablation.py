"""The command that compares training modes."""

from typing import Annotated

import typer

from envscaler_eval.cli.log_options import (
    ACCEPT_DIFFERENCES,
    HTML,
    JSON,
    MARKDOWN,
    REPEATS_AS_TRIALS,
    SCORE,
    tell,
)
from envscaler_eval.output_files import check_writable


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
    markdown_file: MARKDOWN = None,
    json_file: JSON = None,
    html_file: HTML = None,
    repeats_as_trials: REPEATS_AS_TRIALS = False,
    accept_differences: ACCEPT_DIFFERENCES = False,
) -> None:
    """Compare models trained in different modes on every benchmark.

    Modes are names of your own, such as non_conv, conv, mixed and none.
    """
    from envscaler_eval.results.ablation import METADATA_KEY, ablation_document, ablations
    from envscaler_eval.results.aligning import score_grids
    from envscaler_eval.results.comparing import Accepted
    from envscaler_eval.results.labels import from_metadata, read_labelled
    from envscaler_eval.results.tables import remarks

    check_writable(markdown_file, json_file, html_file)
    labelled = read_labelled(logs, from_metadata(METADATA_KEY))
    grids = score_grids(labelled, Accepted(accept_differences, repeats_as_trials), score)
    document = ablation_document(ablations(grids, baseline), remarks(labelled, grids))
    tell(document, markdown_file, json_file, html_file)
