"""Names of models on figures, where there is little room."""

import re

LINE_HEIGHT = 0.165
"""Inches that a line of a label takes."""

_WIDTH = 24
_PIECES = re.compile(r"[^\s/]*[\s/]?")


def folded(name: str, width: int = _WIDTH) -> str:
    """Break a name into lines, at spaces and slashes if it can be.

    Args:
        name: The name.
        width: The most letters of a line.
    """
    lines = [""]
    for piece in _PIECES.findall(name):
        while piece:
            if len(lines[-1]) + len(piece.rstrip()) <= width:
                lines[-1] += piece
                break
            if not lines[-1]:
                lines[-1], piece = piece[:width], piece[width:]
            lines.append("")
    return "\n".join(line.strip() for line in lines if line.strip())


def height_of(label: str, least: float = 0.42) -> float:
    """Return the inches that a row with a label takes."""
    return max(least, LINE_HEIGHT * (label.count("\n") + 1) + 0.12)
