"""The cursor of a pane: it stays on the id of a row, not on a place.

Rows may come, go and move under it. Until somebody moves it, and on the first row again, it stays on top.
"""

from collections.abc import Sequence
from typing import Any

from engine.observe.section import glimpses
from engine.observe.snapshot import Findable
from tui.render.noun import Noun


class Cursor:
    """A place among rows and the id of the row there; knows no widget."""

    def __init__(self) -> None:
        self.id: str | None = None
        """Of the row it stands on; None when there is no row."""
        self.at = 0
        """Its place, counted from 0."""
        self._was_moved = False

    def stand(self, at: int, rows: Sequence[Any], noun: Noun[Any]) -> None:
        """Stand on the row at a place."""
        self.at, self.id = at, noun.identity(rows[at])

    def move(self, at: int, rows: Sequence[Any], noun: Noun[Any]) -> None:
        """Stand at a place because the user wants it, or as near as there are rows; there is at least one."""
        at = max(0, min(len(rows) - 1, at))
        self._was_moved = at > 0
        self.stand(at, rows, noun)

    def forget(self) -> None:
        """Stand at the first place, whatever stands there next."""
        self.at = 0

    def settle(self, rows: Sequence[Any], noun: Noun[Any], *, to_last: bool) -> int | None:
        """Find its place among new rows: that of its id or, where that is gone, the same place.

        Returns:
            By how many rows the row moved; None where the cursor has to be brought into sight.
        """
        if not rows:
            self.at, self.id = 0, None
            return 0
        last = len(rows) - 1
        if to_last or not (self._was_moved or noun.follows):
            self.stand(last if to_last else 0, rows, noun)
            return None
        here = min(self.at, last)
        if self.id is not None and noun.identity(rows[here]) != self.id:
            found = place_of(self.id, rows, noun)
            if found is not None:
                moved, self.at = found - self.at, found
                return moved
        self.stand(here, rows, noun)
        return 0


def place_of(row_id: str, rows: Sequence[Any], noun: Noun[Any]) -> int | None:
    """Where the row with an id stands; None when it is not there."""
    if isinstance(rows, Findable):
        return rows.place_of(row_id)
    identity = noun.identity
    return next((place for place, row in enumerate(glimpses(rows)) if identity(row) == row_id), None)
