"""Options that all commands on logs of several runs have, and the files that they write."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from envscaler_eval.output_files import write_output

if TYPE_CHECKING:
    from envscaler_eval.results.document import Document

SCORE = Annotated[
    str | None, typer.Option(help="The score to judge by; by default each task's own.")
]
ACCEPT_DIFFERENCES = Annotated[
    bool,
    typer.Option(
        "--accept-differences",
        help="Compare what all have, although versions, arguments, data or samples differ.",
    ),
]
REPEATS_AS_TRIALS = Annotated[
    bool,
    typer.Option("--repeats-as-trials", help="Count a sample in several logs of a run as trials."),
]
MARKDOWN = Annotated[Path | None, typer.Option("--markdown", help="Write Markdown to this file.")]
JSON = Annotated[Path | None, typer.Option("--json", help="Write all numbers to this file.")]
HTML = Annotated[Path | None, typer.Option("--html", help="Write one self-contained page.")]


def tell(document: "Document", markdown: Path | None, json: Path | None, html: Path | None) -> None:
    """Print a document, and write it in the forms that were asked for."""
    from envscaler_eval.results.document import as_markdown, as_page, as_text

    typer.echo(as_text(document))
    if markdown:
        write_output(markdown, as_markdown(document))
    if json:
        write_output(json, document.numbers)
    if html:
        write_output(html, as_page(document))
