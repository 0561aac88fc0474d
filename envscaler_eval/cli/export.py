"""Commands that write packs and logs in others' formats."""

from pathlib import Path
from typing import Annotated, Literal

import typer

export_app = typer.Typer(
    help="Write packs and logs in the formats of others.", no_args_is_help=True
)

_OUT = Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")]


@export_app.command("hub")
def export_hub(
    packs: Annotated[
        list[str], typer.Argument(metavar="PACKS...", help="Ids, packs or folders of packs.")
    ],
    out: _OUT,
    form: Annotated[
        Literal["parquet", "jsonl"], typer.Option("--format", help="The form of the tables.")
    ] = "parquet",
) -> None:
    """Write packs as a data set with a card, for `datasets` and the Hugging Face Hub."""
    from envscaler_eval.exports.hub import export_hub as write
    from envscaler_eval.pack import read_pack
    from envscaler_eval.pack_selection import locate_all

    folders = [folder for name in packs for folder in locate_all(name)]
    typer.echo(write([read_pack(folder) for folder in folders], out, form))
