"""Commands about the number of environments: plan, fit."""

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
from envscaler_eval.output_files import check_writable

scaling = typer.Typer(
    help="Train on more and more environments, and see what it brings.", no_args_is_help=True
)


@scaling.command("plan")
def plan(
    envs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ENV]...",
            help="Packs to choose from, by id or folder, or a folder of packs; by default the "
            "library's training split.",
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            help="Numbers of environments, comma-separated. By default those of the paper, "
            "0, 20, 50, 100, as far as there are more packs, and all."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Fixes which environments come first.")] = 0,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for the manifests.")] = Path(
        "plan"
    ),
) -> None:
    """Choose nested sets of environments, each with its share of every domain.

    Writes a manifest for each set, `environments-020.yaml` and so on.
    """
    from collections import Counter

    from tabulate import tabulate

    from envscaler_eval.results.manifest import training_packs, write_manifest
    from envscaler_eval.results.scaling.plan import nested_order, parse_sizes, plan_sizes

    packs = {pack.info.id: pack for pack in training_packs(envs or ())}
    chosen = plan_sizes(parse_sizes(sizes), len(packs))
    order = nested_order({env: pack.info.domain for env, pack in packs.items()}, seed)
    rows = []
    for size in chosen:
        file = out / f"environments-{size:03}.yaml"
        made = {"seed": seed, "of": len(packs), "stratified_by": "domain"}
        write_manifest(file, "scaling", [packs[env] for env in order[:size]], made)
        domains = Counter(packs[env].info.domain for env in order[:size])
        told = ", ".join(f"{name} {count}" for name, count in sorted(domains.items()))
        rows.append((size, file, told or "(the model before training)"))
    typer.echo(tabulate(rows, ["environments", "manifest", "domains"]))
    typer.echo(
        "\nTrain a model on each, evaluate it with `inspect eval ... --metadata environments=N`,"
        "\nand give the logs to `envscaler scaling fit`."
    )


@scaling.command("fit")
def fit(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="[N=]LOG...",
            help="Logs or folders, made with --metadata environments=N; others with N= before.",
        ),
    ],
    score: SCORE = None,
    markdown_file: MARKDOWN = None,
    json_file: JSON = None,
    html_file: HTML = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the curves to this .svg file.")] = None,
    repeats_as_trials: REPEATS_AS_TRIALS = False,
    accept_differences: ACCEPT_DIFFERENCES = False,
) -> None:
    """Show how scores grow with the number of environments trained on.

    A curve for each benchmark with intervals by cluster, Page's test that it rises, the
    first step against the later ones, and which form fits best by AIC.
    """
    from envscaler_eval.results.aligning import score_grids
    from envscaler_eval.results.comparing import Accepted
    from envscaler_eval.results.figures import write_svg
    from envscaler_eval.results.labels import from_metadata, read_labelled
    from envscaler_eval.results.scaling.curve import METADATA_KEY, scaling_curves
    from envscaler_eval.results.scaling.curve_figure import curves_svg
    from envscaler_eval.results.scaling.report import scaling_document
    from envscaler_eval.results.tables import remarks

    check_writable(markdown_file, json_file, html_file, figure)
    labelled = read_labelled(logs, from_metadata(METADATA_KEY))
    grids = score_grids(labelled, Accepted(accept_differences, repeats_as_trials), score)
    curves = scaling_curves(grids)
    document = scaling_document(curves, remarks(labelled, grids))
    tell(document, markdown_file, json_file, html_file)
    if figure:
        write_svg(figure, curves_svg(curves))
