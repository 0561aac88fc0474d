"""Tables and notes on their way to a terminal, to Markdown and to a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from tabulate import tabulate

Content = TypeVar("Content")


@dataclass(frozen=True)
class Table(Generic[Content]):
    """A table.

    Attributes:
        title: What it shows.
        headers: The columns.
        rows: The cells, a sequence for each row.
        note: How to read it.
    """

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Content, ...], ...]
    note: str = ""


PlainTable = Table[str]


@dataclass(frozen=True)
class Document:
    """What a command tells.

    Attributes:
        title: What it is about.
        tables: The tables, what matters most first.
        notes: What a reader has to know, a line each.
        numbers: All of it for programs, as JSON.
    """

    title: str
    tables: tuple[PlainTable, ...]
    notes: tuple[str, ...]
    numbers: bytes


def as_text(document: Document) -> str:
    """Return a document for a terminal."""
    parts = [
        f"{table.title}\n\n{_drawn(table, 'simple')}" + (f"\n{table.note}" if table.note else "")
        for table in document.tables
    ]
    return "\n\n".join([*parts, *_listed(document.notes)])


def as_markdown(document: Document) -> str:
    """Return a document as Markdown."""
    parts = [f"# {document.title}", *_listed(document.notes)]
    for table in document.tables:
        parts += [f"## {table.title}", _drawn(table, "github")]
        parts += [table.note] if table.note else []
    return "\n\n".join(parts) + "\n"


def as_page(document: Document) -> str:
    """Return a document as one page that needs no network."""
    from jinja2 import Environment as Templates
    from jinja2 import FileSystemLoader, StrictUndefined

    templates = Templates(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template("document.html.j2").render(document=document)


def _listed(notes: Sequence[str]) -> list[str]:
    return ["\n".join(f"- {note}" for note in notes)] if notes else []


def _drawn(table: PlainTable, form: str) -> str:
    rows = table.rows
    if form == "github":
        rows = tuple(tuple(cell.replace("|", r"\|") for cell in row) for row in rows)
    # Cells are texts as they are to be read: nothing is a number to be set anew.
    return tabulate(rows, table.headers, tablefmt=form, disable_numparse=True)
