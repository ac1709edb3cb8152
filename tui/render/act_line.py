"""The rule below the header after an act: its letter, its time, what was done, and the key that undoes it."""

from typing import NamedTuple

from tui import format as text
from tui.glyphs import CUT, EVENT, FRAME
from tui.render.line import Look, Spans, crop, length
from tui.render.mark import LETTERS


class ActLine(NamedTuple):
    """An act that can be undone."""

    letter: str
    """As on the pulse: its key's letter."""
    time_ms: int
    """When it was done [epoch ms]."""
    words: str
    """What was done, in a sentence."""

    @classmethod
    def of(cls, name: str, time_ms: int, words: str) -> "ActLine":
        """The line of an act, by the name of its record."""
        return cls(LETTERS.get(name, EVENT), time_ms, words)


def act_line(acted: ActLine, key: str, look: Look, width: int) -> Spans:
    """A rule with the act at its left and the key that undoes it at its right, which is never cut."""
    moment = text.near_clock(acted.time_ms, look.now_ms, look.offset_ms)
    right: Spans = [(" ", "text"), (key, "bold accent"), (f" undo, back to just before it {FRAME[0]}", "soft")]
    if width < length(right) + 30:
        right = [(" ", "text"), (key, "bold accent"), (f" undo {FRAME[0]}", "soft")]
    words = text.plain(text.with_short_ids(acted.words)).rstrip(".")
    left: Spans = [(f"{FRAME[0]} ", "accent"), (acted.letter, "bold accent")]
    left += [(f"  {moment}  ", "soft"), (words, "strong"), (" ", "text")]
    left = crop(left, max(0, width - length(right)), CUT)
    return [*left, (FRAME[0] * (width - length(left) - length(right)), "accent"), *right]
