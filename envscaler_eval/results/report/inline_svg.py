"""Matplotlib's SVG documents as parts of a page."""

import re
from html import escape

from markupsafe import Markup

_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>\s*", re.DOTALL)
_NAMESPACES = re.compile(r'\s+xmlns(?::\w+)?="[^"]*"')
_IDS = re.compile(r'(\bid="|href="#|url\(#)')
_SIZE = re.compile(r'^<svg\b[^>]*?width="([\d.]+)pt"')
_FIXED = re.compile(r'\s+(?:width|height)="[\d.]+pt"')
_PIXELS_A_POINT = 4 / 3
# How far a figure shrinks before one has to scroll, and how far it grows.
_SMALLEST, _LARGEST = 0.65, 1.35


def inline_svg(svg: str, key: str, title: str, alternative: str) -> Markup:
    """Return a figure as an element of a page, told in words to those who do not see it.

    Namespaces and metadata name addresses that a page of its own has no use for.

    Args:
        svg: The document, as matplotlib writes it.
        key: What makes the ids of its elements different from those of other figures.
        title: What it shows.
        alternative: What it says.
    """
    text = _NAMESPACES.sub("", _METADATA.sub("", _PROLOGUE.sub("", svg, count=1)))
    text = _IDS.sub(rf"\g<1>{key}-", text)
    size = _SIZE.match(text)
    width = float(size[1]) * _PIXELS_A_POINT if size else 0
    start, end, rest = text.partition(">")
    start = _FIXED.sub("", start)
    start += (
        f' style="min-width:{_SMALLEST * width:.0f}px;max-width:{_LARGEST * width:.0f}px" '
        f'role="img" '
        f'aria-labelledby="{key}-title {key}-desc"'
    )
    told = (
        f'<title id="{key}-title">{escape(title)}</title>'
        f'<desc id="{key}-desc">{escape(alternative)}</desc>'
    )
    return Markup(start + end + told + rest)
