"""The frame of a pane by lines: title above, position below, a thumb on the right; a rule where room is scarce."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tui.keymap import STAYS, FooterKey
from tui.panes.fragments import Fragment, Fragments, cell_width, crop
from tui.terminal.format import FOCUS_EDGE, FRAME, THUMB


class BorderLabel(NamedTuple):
    """Words on an edge, in the header or among the hints, which may stand for an action."""

    spans: tuple[Fragment, ...]
    call: str = ""  # The screen's call, as textual spells it; empty for none
    short: tuple[Fragment, ...] = ()  # The same where there is little room; none says all


def border_label(words: str, style: str = "text", call: str = "") -> BorderLabel:
    return BorderLabel(((words, style),), call)


def spans_of(words: Sequence[BorderLabel]) -> Fragments:
    """Words in a line without what they stand for."""
    return [span for one in words for span in one.spans]


def call_of(words: Sequence[BorderLabel], cell: int) -> str:
    """The action a click on a cell of a line of words means; empty where it means none."""
    end = 0
    for word in words:
        end += cell_width(list(word.spans))
        if cell < end:
            return word.call
    return ""


def length_of(words: Sequence[BorderLabel]) -> int:
    return sum(cell_width(list(one.spans)) for one in words)


def footer(groups: Sequence[Sequence[FooterKey]], last: FooterKey, width: int) -> list[BorderLabel]:
    """The parts of the line of keys, which begins with a blank; `last` stands at the right edge.

    A line between groups, two blanks between keys. Titles are said shorter before a key goes; the least important
    key goes first, one that does nothing before others, among equals the last.
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
    return length_of(_parts(groups, last, 0)) + 2


def _parts(groups: Sequence[Sequence[FooterKey]], last: FooterKey, width: int) -> list[BorderLabel]:
    parts: list[BorderLabel] = []
    for place, group in enumerate([group for group in groups if group]):
        if place:
            parts.append(border_label(f"  {FRAME[1]}", "line"))
        for number, key in enumerate(group):
            blanks = "" if not parts else " " if place and not number else "  "
            parts.append(BorderLabel(((blanks, "text"), *_words(key)), key.call))
    gap = max(2, width - 1 - length_of(parts) - cell_width(_words(last)) - 1)
    return [*parts, BorderLabel(((" " * gap, "text"), *_words(last)), last.call)]


def _words(one: FooterKey) -> Fragments:
    keys, words = ("faint", "faint") if one.is_idle else ("bold accent", "soft")
    return [(one.keys, keys), *([(f" {one.title}", words)] if one.title else [])]


_EDGE, _SIDE, _UPPER_LEFT, _UPPER_RIGHT, _LOWER_LEFT, _LOWER_RIGHT = FRAME


class PaneFrame(NamedTuple):
    left: Sequence[BorderLabel] = ()  # Its title
    right: Sequence[BorderLabel] = ()  # View or order; without room it is said shorter, then left out
    foot: str = ""  # The position, on the lower edge; of a frame without sides at the end of the rule
    is_focused: bool = False
    is_sided: bool = True
    is_doubled: bool = False  # Whether a double upper edge marks the focus, since no colour does
    thumb: tuple[int, int] | None = None  # First line and length of the thumb; None: all is in sight


def upper(frame: PaneFrame, width: int) -> Fragments:
    """The upper edge, exactly `width` cells."""
    return spans_of(_upper(frame, width))


def call_at(frame: PaneFrame, width: int, cell: int) -> str:
    """The call that a click on a cell of the upper edge makes; empty for none."""
    return call_of(_upper(frame, width), cell)


def lower(frame: PaneFrame, width: int) -> Fragments:
    """The lower edge, exactly `width` cells."""
    style = _line_style(frame)
    foot: Fragments = [(" ", "text"), (frame.foot, "faint"), (" ", "text"), (_EDGE, style)] if frame.foot else []
    room = width - 2 - cell_width(foot)
    if room < 1:
        foot, room = [], width - 2
    return [(_LOWER_LEFT + _EDGE * room, style), *foot, (_LOWER_RIGHT, style)]


def side(frame: PaneFrame, y: int) -> tuple[Fragment, Fragment]:
    """The left and the right side at a line within the frame, counted from 0."""
    style = _line_style(frame)
    is_thumb = frame.thumb is not None and frame.thumb[0] <= y < sum(frame.thumb)
    return (_SIDE, style), (THUMB if is_thumb else _SIDE, style)


def _line_style(frame: PaneFrame) -> str:
    return "accent" if frame.is_focused and frame.is_sided else "line"


def thumb_of(top: int, seen: int, lines: int) -> tuple[int, int] | None:
    """First line and length of the thumb of `seen` lines, of which `top` are scrolled off above; None without need.

    >>> thumb_of(0, 10, 40), thumb_of(30, 10, 40), thumb_of(0, 10, 10)
    ((0, 2), (8, 2), None)
    """
    if lines <= seen or seen < 1:
        return None
    size = max(1, seen * seen // lines)
    return (seen - size) * top // max(1, lines - seen), size


def _upper(frame: PaneFrame, width: int) -> list[BorderLabel]:
    style = _line_style(frame)
    edge = FOCUS_EDGE if frame.is_focused and frame.is_doubled and frame.is_sided else _EDGE
    begin = _UPPER_LEFT + edge if frame.is_sided else edge
    end = edge + _UPPER_RIGHT if frame.is_sided else edge
    blank = border_label(" ")
    left = [border_label(begin, style), *((blank, *frame.left, blank) if frame.left else ())]
    right = list(frame.right)
    if frame.foot and not frame.is_sided:
        right.append(border_label(frame.foot, "faint"))
    while right and length_of(left) + length_of(_apart(right)) + len(end) > width - 1:
        place = next((at for at, words in enumerate(right) if words.short), None)
        if place is None:
            right.pop(0)
        else:
            right[place] = BorderLabel(right[place].short, right[place].call)
    found = [*left, BorderLabel(())]
    tail = [*_apart(right), border_label(end, style)]
    room = width - length_of(left) - length_of(tail)
    if room < 0:
        whole = crop(spans_of(left), max(0, width - length_of(tail)))
        return [BorderLabel(tuple(whole)), *tail]
    found[-1] = border_label(edge * room, style)
    return [*found, *tail]


def _apart(words: Sequence[BorderLabel]) -> list[BorderLabel]:
    blank, gap = border_label(" "), border_label("  ")
    parts = [part for one in words for part in (gap, one)]
    return [blank, *parts[1:], blank] if parts else []


_SHORT = {"Applications": "Apps", "Reservations": "Resv", "Containers": "Cont", "Executors": "Exec"}
"""Titles that are said shorter where there is little room, as in `yarn top`."""


def tab_titles(full: Mapping[str, str], active: str, width: int) -> dict[str, str]:
    """Name of a pane → what its tab says: its title in full, else shorter, else of all but the active one the digit.

    `full` has the titles with their digits; two blanks stand between tabs.
    """
    if _frame_width(full) <= width:
        return dict(full)
    short = {name: shortened(title) for name, title in full.items()}
    if _frame_width(short) <= width:
        return short
    digits = {name: title[:1] for name, title in full.items()}
    return {name: short[name] if name == active else digit for name, digit in digits.items()}


def shortened(title: str) -> str:
    """A title with its digit, as short as people still understand it.

    >>> shortened("1 Applications"), shortened("5 Events")
    ('1 Apps', '5 Events')
    """
    digit, _, words = title.partition(" ")
    return f"{digit} {_SHORT.get(words, words)}"


def _frame_width(said: Mapping[str, str]) -> int:
    return 2 * (len(said) - 1) + sum(len(one) for one in said.values())
