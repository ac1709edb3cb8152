"""Drawings to compare with stored ones: what lines say, and below a rule how each of them is styled.

Write them anew as golden screens are, then read them.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from tests.stored import golden
from tui.panes.line import Fragments, cell_width, flat

RULE = "─── styles, each with its cells"


def drawing(lines: Sequence[Fragments]) -> str:
    """The text of lines, then the styles of each line from left to right; a line with one style only says that."""
    words = [flat(line).rstrip() for line in lines]
    return "\n".join([*words, RULE, *map(_styles, lines)])


def _styles(line: Fragments) -> str:
    runs = [
        (style, cell_width(list(spans)))
        for style, spans in groupby((one for one in line if one[0]), lambda one: one[1])
    ]
    return runs[0][0] if len(runs) == 1 else ", ".join(f"{style} {cells}" for style, cells in runs)


def stored(name: str, lines: Sequence[Fragments]) -> tuple[list[str], list[str]]:
    """(lines of a drawing, lines of the one stored under a name); the same where it is drawn as it was."""
    drawn = drawing(lines)
    return drawn.splitlines(), golden(f"render/{name}", drawn).splitlines()


def gallery(name: str, pictures: Mapping[str, Sequence[Fragments]]) -> tuple[dict[str, str], dict[str, str]]:
    """(drawings by title, those stored in one file under a name); a file is read and written as a whole."""
    drawn = {title: drawing(lines) for title, lines in pictures.items()}
    written = "\n\n".join(f"### {title}\n{text}" for title, text in drawn.items())
    kept = golden(f"render/{name}", written).split("### ")[1:]
    return drawn, {title: text.rstrip("\n") for title, _, text in (each.partition("\n") for each in kept)}
