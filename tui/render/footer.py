"""The footer: the keys that work now, in groups, as many as the width has room for."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tui.glyphs import FRAME
from tui.render.line import Spans, length

STAYS: Final = 1  # The importance of a key that is never left out


class FooterKey(NamedTuple):
    """A key, or a few, with what they do."""

    keys: str
    title: str
    call: str
    """What a click on it does; empty for nothing."""
    importance: int
    """`STAYS`; the higher, the earlier it goes."""
    short: str = ""
    """What is said where not every key has room; empty is the title."""


FooterPart = tuple[Spans, str]  # What stands in the line, and what a click on it does


def footer(groups: Sequence[Sequence[FooterKey]], last: FooterKey, width: int) -> list[FooterPart]:
    """The parts of the line, which begins with a blank; `last` stands at the right edge.

    A line between groups, two blanks between keys. Titles are said shorter before a key goes; the least important key
    goes first, among equals the last.
    """
    kept = [list(group) for group in groups]
    if _width(kept, last) > width:
        kept = [[one._replace(title=one.short or one.title) for one in group] for group in kept]
    while _width(kept, last) > width and (least := max(map(_weakest, kept), default=STAYS)) > STAYS:
        group = next(group for group in reversed(kept) if _weakest(group) == least)
        place = max(place for place, one in enumerate(group) if one.importance == least)
        del group[place]
    return _parts(kept, last, width)


def _weakest(group: Sequence[FooterKey]) -> int:
    return max((one.importance for one in group), default=STAYS)


def _width(groups: Sequence[Sequence[FooterKey]], last: FooterKey) -> int:
    parts = _parts(groups, last, 0)
    return sum(length(spans) for spans, _ in parts) + 2


def _parts(groups: Sequence[Sequence[FooterKey]], last: FooterKey, width: int) -> list[FooterPart]:
    parts: list[FooterPart] = []
    for place, group in enumerate([group for group in groups if group]):
        if place:
            parts.append(([(f"  {FRAME[1]}", "line")], ""))
        for number, one in enumerate(group):
            blanks = "" if not parts else " " if place and not number else "  "
            parts.append(([(blanks, "text"), *_words(one)], one.call))
    gap = max(2, width - 1 - sum(length(spans) for spans, _ in parts) - length(_words(last)) - 1)
    return [*parts, ([(" " * gap, "text"), *_words(last)], last.call)]


def _words(one: FooterKey) -> Spans:
    return [(one.keys, "bold accent"), (f" {one.title}", "soft")]
