"""The last step of drawing with `--ascii`: whatever is not ASCII, users' own words included, becomes `?`."""

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter


def in_ascii(words: str) -> str:
    """The words with a `?` for each cell of a character that is not ASCII.

    >>> in_ascii("日报-daily"), in_ascii("plain")
    ('????-daily', 'plain')
    """
    if words.isascii():
        return words
    return "".join(sign if sign.isascii() else "?" * cell_len(sign) for sign in words)


class AsciiOnly(LineFilter):
    """Makes every line of the terminal ASCII, textual's own widgets included."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments, as wide as before."""
        return [Segment(in_ascii(words), style, control) for words, style, control in segments]
