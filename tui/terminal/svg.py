"""Lines of styled text as an SVG that keeps its columns in every renderer.

Viewers fall back to fonts of other widths, trim blanks and ignore `textLength`. So every word has its own place,
and so has every sign that is no letter, as those of meters and frames; blanks are not written.
"""

import re
from collections.abc import Iterable
from html import escape
from typing import Final

from rich.cells import cell_len
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import SVG_EXPORT_THEME

CELL: Final = (12, 24)  # Width and height of a cell [px]
_SIZE, _BASELINE = 20, 18
_RUNS: Final = re.compile(r"[!-~]+|[\u00b7\u00d7\u2010-\u28ff]+|[^!-~\s\u00b7\u00d7\u2010-\u28ff]+")
"""Letters of ASCII; signs that are one cell wide each; others, as accented and wide letters with what combines."""
_HEAD: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n'
    '<title>{title}</title>\n<rect width="{width}" height="{height}" fill="{back}"/>\n'
    f'<g font-family="Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="{_SIZE}">\n'
)


def drawing(lines: Iterable[Iterable[Segment]], title: str) -> str:
    """The SVG of these lines; it fetches nothing. Without colours of their own they are light on dark."""
    columns, rows, parts = 1, 0, list[str]()
    for line in lines:
        column = 0
        for text, style, control in line:
            if not control:
                parts += _drawn(text, style or Style.null(), column, rows)
                column += cell_len(text)
        columns, rows = max(columns, column), rows + 1
    width, height = columns * CELL[0], max(1, rows) * CELL[1]
    back = SVG_EXPORT_THEME.background_color.hex
    head = _HEAD.format(width=width, height=height, title=escape(title), back=back)
    return "\n".join([head + "\n".join(parts), "</g>", "</svg>", ""])


def _drawn(text: str, style: Style, column: int, row: int) -> Iterable[str]:
    front, back = (colour.hex for colour in colours_of(style))
    x, y = column * CELL[0], row * CELL[1]
    if back != SVG_EXPORT_THEME.background_color.hex:
        # A line of pixels more, so that rounding leaves no gap between rows.
        yield f'<rect x="{x}" y="{y}" width="{cell_len(text) * CELL[0]}" height="{CELL[1] + 1}" fill="{back}"/>'
    looks = f'fill="{front}"'
    looks += ' font-weight="bold"' if style.bold else ""
    looks += ' font-style="italic"' if style.italic else ""
    looks += ' text-decoration="underline"' if style.underline else ""
    for found in _RUNS.finditer(text):
        at, run = x + cell_len(text[: found.start()]) * CELL[0], found[0]
        wide = cell_len(run) * CELL[0]
        if len(run) > 1 and "\u00b7" <= run[0] <= "\u28ff" and wide == len(run) * CELL[0]:
            place = " ".join(str(at + number * CELL[0]) for number in range(len(run)))
            yield f'<text x="{place}" y="{y + _BASELINE}" {looks}>{run}</text>'
        else:
            fit = f'textLength="{wide}" lengthAdjust="spacingAndGlyphs"' if wide else ""
            yield f'<text x="{at}" y="{y + _BASELINE}" {fit} {looks}>{escape(run)}</text>'


def colours_of(style: Style) -> tuple[ColorTriplet, ColorTriplet]:
    theme = SVG_EXPORT_THEME
    front = theme.foreground_color if style.color is None else style.color.get_truecolor(theme)
    back = theme.background_color if style.bgcolor is None else style.bgcolor.get_truecolor(theme, foreground=False)
    return (back, front) if style.reverse else (front, back)
