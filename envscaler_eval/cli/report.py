"""The command that shows all that logs say on one page."""

from pathlib import Path
from typing import Annotated

import typer

from envscaler_eval.cli.log_options import ACCEPT_DIFFERENCES, REPEATS_AS_TRIALS, SCORE
from envscaler_eval.output_files import check_writable, write_output


def report(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="LOG...",
            help="Logs or folders, of any models and tasks; models are compared with the first.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path(
        "report.html"
    ),
    viewer: Annotated[
        str | None,
        typer.Option(
            help="Inspect's viewer, for links to samples: the folder that `inspect view bundle` "
            "wrote, or the address where it is served."
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="The page's heading.")] = "Results",
    score: SCORE = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="The sample metadata that names clusters; by default each task's own."),
    ] = None,
    floor: Annotated[
        str | None, typer.Option(help="Logs of policy/noop on the same samples.")
    ] = None,
    train: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ENV",
            help="A pack that was trained on, for the map; may be repeated. By default those of "
            "the library's training split.",
        ),
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Show the EnvScaler paper's figures beside.")
    ] = False,
    accept_differences: ACCEPT_DIFFERENCES = False,
    repeats_as_trials: REPEATS_AS_TRIALS = False,
    data_dir: Annotated[
        Path | None, typer.Option(help="A folder that holds a folder for each benchmark.")
    ] = None,
) -> None:
    """Write one page that needs no network, with all that logs say.

    Scores, the comparison with the first model, curves and training modes of logs that tell
    them, environments, failures, the map of environments, and every sample.
    """
    from envscaler_eval.results.comparing import Accepted
    from envscaler_eval.results.reading import read_results
    from envscaler_eval.results.report.build import ReportOptions, build_report
    from envscaler_eval.results.report.page import as_html
    from envscaler_eval.results.report.viewer import find_viewer

    check_writable(out)
    table = read_results(logs, cluster)
    page = build_report(
        table,
        read_results([floor], cluster) if floor else None,
        find_viewer(viewer, table, out),
        ReportOptions(
            title=title,
            score=score,
            accepted=Accepted(accept_differences, repeats_as_trials),
            train=train or (),
            published=published,
            data_dir=data_dir,
        ),
    )
    write_output(out, as_html(page))
    for note in (*page.notes, *(note for section in page.sections for note in section.notes)):
        typer.echo(f"- {note}")
    typer.echo(f"{out}: {', '.join(section.title.lower() for section in page.sections)}")
