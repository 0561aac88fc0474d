"""The command that compares models, before training and after."""

from pathlib import Path
from typing import Annotated

import typer

from envscaler_eval.cli.log_options import tell
from envscaler_eval.output_files import check_writable


def compare_models(
    logs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BEFORE AFTER [AFTER]...",
            help="Logs of one model each: a file or a folder.",
        ),
    ] = None,
    score: Annotated[
        str | None, typer.Option(help="The score to judge by; by default each task's own.")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="The sample metadata that names clusters; by default each task's own."),
    ] = None,
    floor: Annotated[
        str | None, typer.Option(help="Logs of policy/noop on the same samples.")
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Show the EnvScaler paper's figures beside.")
    ] = False,
    accept_differences: Annotated[
        bool,
        typer.Option(
            "--accept-differences",
            help="Compare what both have, although versions, arguments, data or samples differ.",
        ),
    ] = False,
    repeats_as_trials: Annotated[
        bool,
        typer.Option(
            "--repeats-as-trials", help="Count a sample in several logs of a model as trials."
        ),
    ] = False,
    plan: Annotated[
        float | None,
        typer.Option(
            metavar="DIFFERENCE",
            help="Say how many samples and trials this difference needs, instead of comparing. "
            "Without logs, from the assumptions below.",
        ),
    ] = None,
    power: Annotated[float, typer.Option(help="--plan: the probability of finding it.")] = 0.8,
    mean: Annotated[float, typer.Option(help="--plan without logs: the mean score.")] = 0.5,
    trial_correlation: Annotated[
        float, typer.Option(help="--plan without several trials: ICC of a sample's runs.")
    ] = 0.45,
    model_correlation: Annotated[
        float, typer.Option(help="--plan without a second log: correlation of the models.")
    ] = 0.7,
    cluster_correlation: Annotated[
        float, typer.Option(help="--plan without a second log: ICC of differences in a cluster.")
    ] = 0.05,
    cluster_size: Annotated[
        float, typer.Option(help="--plan without logs: samples of a cluster.")
    ] = 1.0,
    markdown_file: Annotated[
        Path | None, typer.Option("--markdown", help="Write Markdown to this file.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all numbers to this file.")
    ] = None,
    html_file: Annotated[
        Path | None, typer.Option("--html", help="Write one self-contained page.")
    ] = None,
) -> None:
    """Say what changed from the first model to the others, where, and whether it is noise."""
    from envscaler_eval.results.compare_document import comparison_document, plan_document
    from envscaler_eval.results.comparing import Accepted
    from envscaler_eval.results.plan_basis import Assumptions
    from envscaler_eval.results.reading import read_results

    check_writable(markdown_file, json_file, html_file)
    sides = [read_results([log], cluster) for log in logs or []]
    if plan is not None:
        assumed = Assumptions(
            mean=mean,
            trial_correlation=trial_correlation,
            model_correlation=model_correlation,
            cluster_correlation=cluster_correlation,
            cluster_size=cluster_size,
            power=power,
        )
        document = plan_document(plan, sides, assumed, score, repeats_as_trials)
    else:
        floors = read_results([floor], cluster) if floor else None
        accepted = Accepted(accept_differences, repeats_as_trials)
        document = comparison_document(sides, accepted, score, floors, published)
    tell(document, markdown_file, json_file, html_file)
