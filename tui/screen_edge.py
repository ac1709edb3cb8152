"""The edge through which every line of a screen goes to the terminal, and the words of its titles.

Rows are drawn from texts in which `terminal_edge` has written control characters out. What textual's own widgets draw
passes here as well, so that none is left. With `--ascii` every glyph becomes the character that stands for it, and
whatever else is not ASCII `?`, users' own words included.
"""

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.content import Content
from textual.filter import LineFilter

from tui.glyphs import IN_ASCII
from tui.terminal_edge import CONTROLS, visible_line


class ScreenEdge(LineFilter):
    """Takes control characters out of every line; the line stays as wide as it was."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments; where a control character takes a cell, it is `?`."""
        if all(words.isprintable() for words, _, _ in segments):
            return segments
        return [
            Segment(CONTROLS.sub(lambda found: "?" * cell_len(found[0]), words), style, control)
            for words, style, control in segments
        ]


def in_ascii(words: str) -> str:
    """The words with glyphs in ASCII, and a `?` for each cell of any other character that is not.

    >>> in_ascii("日报-daily"), in_ascii("plain"), in_ascii("12 × 89G → ▾")
    ('????-daily', 'plain', '12 x 89G > v')
    """
    if words.isascii():
        return words
    words = words.translate(IN_ASCII)
    return "".join(sign if sign.isascii() else "?" * cell_len(sign) for sign in words)


class AsciiOnly(LineFilter):
    """Makes every line of the terminal ASCII, textual's own widgets included."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments, as wide as before."""
        return [Segment(in_ascii(words), style, control) for words, style, control in segments]


def literal(words: str) -> Content:
    """Words as they are: one line, and no markup of textual's in them."""
    return Content(visible_line(words))
