"""A page of sections: text, figures and tables, in a file of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from envscaler_eval.results.document import PlainTable, Table

WIDTH = 4.7
"""Inches that a figure is wide, for letters that can be read on a phone."""


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: What it says.
        href: Where it leads, if anywhere.
    """

    text: str
    href: str | None = None


PageTable = Table[Cell]


@dataclass(frozen=True)
class PageFigure:
    """A figure, and the same in numbers.

    Attributes:
        title: What it shows.
        alternative: What it says, for those who do not see it.
        svg: The figure, as `figures.svg` returns it.
        tables: Its numbers.
    """

    title: str
    alternative: str
    svg: str
    tables: tuple[PageTable, ...] = ()


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes:
        id: Its anchor.
        title: Its heading.
        lead: What it is about and how to read it.
        figures: Its figures.
        tables: Tables that are shown open.
        folded: Tables that are shown on request.
        notes: What a reader has to know, a line each.
    """

    id: str
    title: str
    lead: str = ""
    figures: tuple[PageFigure, ...] = ()
    tables: tuple[PageTable, ...] = ()
    folded: tuple[PageTable, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """The page.

    Attributes:
        title: Its heading.
        facts: What it is about, a name and a value each.
        notes: What a reader has to know, a line each.
        sections: Its parts.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    sections: tuple[Section, ...]


def page_table(table: PlainTable) -> PageTable:
    """Return a table of texts for the page."""
    rows = tuple(tuple(map(Cell, row)) for row in table.rows)
    return PageTable(table.title, table.headers, rows, table.note)


def page_tables(tables: Sequence[PlainTable]) -> tuple[PageTable, ...]:
    """Return tables of texts for the page."""
    return tuple(map(page_table, tables))


def as_html(page: Page) -> str:
    """Return the page as HTML that loads nothing, from anywhere."""
    from jinja2 import Environment as Templates
    from jinja2 import FileSystemLoader, StrictUndefined

    from envscaler_eval.results.report.inline_svg import inline_svg

    templates = Templates(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["inline"] = inline_svg
    return templates.get_template("page.html.j2").render(page=page)
