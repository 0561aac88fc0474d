"""The command that sees whether scenarios tell models apart."""

from pathlib import Path
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
from envscaler_eval.errors import UsageError
from envscaler_eval.output_files import check_writable


def probe(
    logs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[[MODEL=]LOG]...",
            help="Logs or folders of runs that there are, instead of --models.",
        ),
    ] = None,
    models: Annotated[str | None, typer.Option(help="The models to run, comma-separated.")] = None,
    model_spec: Annotated[
        list[str] | None,
        typer.Option(
            help="A model with its settings, as for `inspect eval`; may be repeated: "
            "'{model: policy/oracle, model_args: {error_rate: 0.2}}'."
        ),
    ] = None,
    in_order: Annotated[
        bool,
        typer.Option(
            "--in-order", help="The models are given weakest first; test that they come out so."
        ),
    ] = False,
    envs: Annotated[
        str | None, typer.Option(help="Environments to choose from; by default the library.")
    ] = None,
    n: Annotated[int, typer.Option("-n", "--n", min=1, help="How many scenarios, at most.")] = 50,
    mode: Annotated[str, typer.Option(help="non_conv, conv or both.")] = "non_conv",
    user: Annotated[
        str | None, typer.Option(help="The model that plays the user in conversation.")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="How often each sample is run.")] = 1,
    seed: Annotated[int, typer.Option(help="Fixes the choice of scenarios.")] = 0,
    log_dir: Annotated[Path, typer.Option(help="Where the logs go.")] = Path("logs/probe"),
    score: SCORE = None,
    markdown_file: MARKDOWN = None,
    json_file: JSON = None,
    html_file: HTML = None,
    repeats_as_trials: REPEATS_AS_TRIALS = False,
    accept_differences: ACCEPT_DIFFERENCES = False,
) -> None:
    """See whether scenarios chosen at random tell strong models from weak ones.

    Runs models on the same scenarios, or reads logs of such runs: mean scores, how often one
    model beats another on a sample, steps, and which differences are more than chance.
    """
    from envscaler_eval.results.aligning import score_grids
    from envscaler_eval.results.comparing import Accepted
    from envscaler_eval.results.labels import by_player, read_labelled
    from envscaler_eval.results.probe.figures import probe_document, probes
    from envscaler_eval.results.tables import remarks

    if bool(logs) == bool(models or model_spec):
        raise UsageError("name either models to run (--models, --model-spec) or logs to read")
    check_writable(markdown_file, json_file, html_file)
    if not logs:
        from envscaler_eval.results.probe.running import ProbeRun, make_models, run_probe

        given = make_models(models.split(",") if models else [], model_spec or [])
        chosen = envs.split(",") if envs else []
        logs = run_probe(given, ProbeRun(chosen, n, mode, seed, trials, user, log_dir))
        typer.echo(f"Logs: {log_dir.resolve()}\n")
    labelled = read_labelled(logs, by_player)
    grids = score_grids(labelled, Accepted(accept_differences, repeats_as_trials), score)
    found = [each for grid in grids for each in probes(grid, in_order)]
    document = probe_document(found, remarks(labelled, grids))
    tell(document, markdown_file, json_file, html_file)
