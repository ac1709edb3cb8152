"""The strip below the panes: the facts of the selected row, the circle it waits in, what would help."""

from collections.abc import Sequence
from typing import Final

from engine.explain.answer import RemediesReport
from engine.observe.snapshot import ApplicationRow, Snapshot, Unknown
from tui.pages.circle import circle_lines, parts_of, reservation_steps
from tui.pages.remedy_table import brief_rows
from tui.panes.fragments import Fragments, cell_width, folded
from tui.terminal.format import RelativeTimeFormat

LABEL: Final = 8  # Cells that a label before a sentence takes at most

_TITLE: Final[Fragments] = [("The circle", "strong"), ("  what waits for what", "soft")]


def wrapped(lines: Sequence[Fragments], width: int, height: int) -> list[Fragments]:
    """Lines whose sentences go on in free lines where they are too long; the label before a sentence stands once.

    A line is a label, if any, and a sentence. A line of more is left as it is, and so is one when no line is free.
    """
    spare = height - len(lines)
    shown: list[Fragments] = []
    for line in lines:
        indent = cell_width(line[:-1])
        if spare <= 0 or cell_width(line) <= width or indent > LABEL:
            shown.append(line)
            continue
        words, style = line[-1]
        pieces = folded(words, width - indent)
        if len(pieces) > spare + 1:
            pieces[spare:] = [" ".join(pieces[spare:])]
        spare -= len(pieces) - 1
        shown.append([*line[:-1], (pieces[0], style)])
        shown += [[(" " * indent, "text"), (piece, style)] for piece in pieces[1:]]
    return shown


def may_circle(row: ApplicationRow) -> bool:
    """True where an application holds a reservation, or waits for a node that is reserved."""
    holds = not isinstance(row.reservations, Unknown) and row.reservations > 0
    return holds or (row.obstacle is not None and row.obstacle.code == "NODE_RESERVED")


def circle_of(application: str, snapshot: Snapshot, width: int, *, is_proven: bool) -> list[Fragments]:
    """The circle that an application is in, or waits for, under a title; nothing where the snapshot shows none."""
    steps = reservation_steps(snapshot, application)
    return [_TITLE, *circle_lines(parts_of(steps, {}, snapshot), width, is_proven=is_proven)] if steps else []


def with_circle(facts: Sequence[Fragments], circle: Sequence[Fragments], height: int) -> list[Fragments]:
    """Facts with a circle below, where the whole of it has room."""
    has_room = bool(circle) and len(facts) + 1 + len(circle) <= height
    return [*facts, [], *circle] if has_room else list(facts)


TABLE_FROM: Final = 6  # Lines from which on remedies stand below facts, with a head


def brief_of(found: RemediesReport, day: RelativeTimeFormat, width: int, height: int) -> list[Fragments]:
    """The best three remedies in a strip of so many lines: below facts, or these alone."""
    return brief_rows(found, day, width, 4 if height >= TABLE_FROM else 3)
