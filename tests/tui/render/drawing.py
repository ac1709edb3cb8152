"""Drawings to compare with stored ones: what lines say, and below a rule how each of them is styled.

Write them anew as golden screens are, then read them.
"""

from collections.abc import Sequence
from itertools import groupby

from tests.tui.screen_text import golden
from tui.render.line import Spans, flat, length

RULE = "─── styles, each with its cells"


def drawing(lines: Sequence[Spans]) -> str:
    """The text of lines, then the styles of each line from left to right; a line with one style only says that."""
    words = [flat(line).rstrip() for line in lines]
    return "\n".join([*words, RULE, *map(_styles, lines)])


def _styles(line: Spans) -> str:
    runs = [
        (style, length(list(spans))) for style, spans in groupby((one for one in line if one[0]), lambda one: one[1])
    ]
    return runs[0][0] if len(runs) == 1 else ", ".join(f"{style} {cells}" for style, cells in runs)


def stored(name: str, lines: Sequence[Spans]) -> tuple[list[str], list[str]]:
    """(lines of a drawing, lines of the one stored under a name); the same where it is drawn as it was."""
    drawn = drawing(lines)
    return drawn.splitlines(), golden(f"render/{name}", drawn).splitlines()
