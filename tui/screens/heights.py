"""Divides lines among parts below each other: heights follow content, only large parts are short of lines."""

from collections.abc import Sequence
from typing import NamedTuple


class LineWant(NamedTuple):
    """The lines one part wants."""

    least: int
    wanted: int
    """With all of its content in sight."""
    is_patient: bool = False
    """Whether it takes more than its least only of what the others leave."""
    most: int | None = None
    """What it never exceeds; None is without limit."""


def divided(room: int, wants: Sequence[LineWant], rest: int) -> list[int]:
    """The height of each part; together they are exactly the room.

    Each has its least. What is spare goes to those that want little first, so that only large ones are short of lines;
    then to the patient ones, the one that hides most first, those with a greatest height last; what nobody wants goes
    to the part at the place `rest`. Where there is too little even for the least, all shrink alike.

    >>> divided(35, [LineWant(8, 82), LineWant(13, 17)], 0), divided(35, [LineWant(8, 90), LineWant(13, 90)], 0)
    ([18, 17], [15, 20])
    """
    least = [want.least for want in wants]
    if sum(least) >= room:
        ends = [max(0, room) * sum(least[: at + 1]) // max(1, sum(least)) for at in range(len(least))]
        return [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
    heights = list(least)
    needs = sorted((max(0, w.wanted - w.least), at) for at, w in enumerate(wants) if not w.is_patient)
    for left, (need, at) in zip(range(len(needs), 0, -1), needs, strict=True):
        heights[at] += min(need, (room - sum(heights)) // left)
    patient = sorted((w.most is not None, w.least - w.wanted, at) for at, w in enumerate(wants) if w.is_patient)
    for is_bounded, hidden, at in patient:
        bound = min(-hidden, (wants[at].most or 0) - heights[at]) if is_bounded else -hidden
        heights[at] += max(0, min(bound, room - sum(heights)))
    heights[rest] += room - sum(heights)
    return heights
