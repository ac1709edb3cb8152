"""The cursor of a pane: it stays on the id of a row, not on a place.

Rows may come, go and move under it. Until somebody moves it or orders the rows, it stays on top.
"""

from collections.abc import Sequence
from typing import Any

from engine.observe.section import glimpses
from engine.observe.snapshot import Findable
from tui.render.group import GroupedRows, headline_at
from tui.render.noun import Noun


class Cursor:
    """A place among rows and the id of the row there; knows no widget."""

    def __init__(self) -> None:
        self.id: str | None = None
        """The id of the row it stands on; None when there is no row."""
        self.at = 0
        """Its place, counted from 0."""
        self.was_moved = False
        """Whether the user put it where it stands, or ordered the rows around it; then it follows its row."""

    def stand(self, at: int, rows: Sequence[Any], noun: Noun[Any]) -> None:
        """Stand on the row at a place."""
        self.at, self.id = at, identity_of(rows, at, noun)

    def move(self, at: int, rows: Sequence[Any], noun: Noun[Any]) -> None:
        """Stand at a place because the user wants it, or as near as there are rows; there is at least one."""
        at = _standable(max(0, min(len(rows) - 1, at)), rows, 1 if at >= self.at else -1)
        self.was_moved = True
        self.stand(at, rows, noun)

    def forget(self) -> None:
        """Stand at the first place, whatever stands there next."""
        self.at, self.was_moved = 0, False

    def settle(self, rows: Sequence[Any], noun: Noun[Any]) -> int | None:
        """Find its place among new rows: that of its id or, where that is gone, the same place.

        Returns:
            By how many rows the row moved; None where the cursor has to be brought into sight.
        """
        if not rows:
            self.at, self.id = 0, None
            return 0
        if not self.was_moved:
            self.stand(home_of(rows), rows, noun)
            return None
        here = _standable(min(self.at, len(rows) - 1), rows, 1)
        if self.id is not None and identity_of(rows, here, noun) != self.id:
            found = place_of(self.id, rows, noun)
            if found is not None:
                moved, self.at = found - self.at, found
                return moved
        self.stand(here, rows, noun)
        return 0


def identity_of(rows: Sequence[Any], at: int, noun: Noun[Any]) -> str:
    """The id of the row or the headline at a place."""
    headline = headline_at(rows, at)
    return noun.identity(rows[at]) if headline is None else headline.id


def home_of(rows: Sequence[Any]) -> int:
    """Tells where the cursor stands until it is moved: on the first row that is no headline."""
    return rows.first if isinstance(rows, GroupedRows) else 0


def _standable(at: int, rows: Sequence[Any], step: int) -> int:
    """The nearest place the cursor can stand on, from a place on in a direction, else in the other one.

    It stands on no headline but that of a folded group, whose rows are not there.
    """
    if not isinstance(rows, GroupedRows):
        return at
    ways = (range(at, len(rows) if step > 0 else -1, step), range(at, -1 if step > 0 else len(rows), -step))
    return next((place for way in ways for place in way if rows.can_stand(place)), at)


def place_of(row_id: str, rows: Sequence[Any], noun: Noun[Any]) -> int | None:
    """Tells where the row with an id stands; None when it is not there."""
    if isinstance(rows, GroupedRows):
        return rows.place_of(row_id, noun.identity)
    if isinstance(rows, Findable):
        return rows.place_of(row_id)
    identity = noun.identity
    return next((place for place, row in enumerate(glimpses(rows)) if identity(row) == row_id), None)
