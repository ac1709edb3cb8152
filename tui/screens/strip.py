"""What the strip says of the selected row; looks for a circle only where it can be drawn, and not for every picture."""

import time
from collections.abc import Sequence
from math import inf
from typing import Any, Final

from textual.geometry import Size

from tui.render.health import frozen_of
from tui.render.line import Look, Spans
from tui.render.noun import Noun
from tui.render.strip import CIRCLE_FROM, circle_of, may_circle, with_circle, wrapped
from tui.view_state import Picture
from tui.widgets.pane import RowPane

LEAST_S: Final = 1.0
"""The least time between two looks for the circle of one row while the clock runs [s]: it reads all applications."""


class Strip:
    """Writes the lines of the strip; remembers the last circle."""

    wall = staticmethod(time.monotonic)
    """Wall time [s]."""

    def __init__(self, *, is_read_only: bool) -> None:
        """A strip that names no key of an act where none can be done."""
        self._is_read_only = is_read_only
        self._subject: tuple[str, int] = ("", 0)
        """The application whose circle is remembered, and how wide it was drawn."""
        self._version: object = None
        self._at_s = -inf
        self._circle: Sequence[Spans] = ()

    def of_pane(self, pane: RowPane[Any], picture: Picture, look: Look, size: Size) -> list[Spans]:
        """What is known of what the cursor of a pane stands on: a row, the headline of a folded group, or nothing."""
        if pane.selected is not None:
            return self.lines(pane.noun, pane.selected, picture, look, size)
        return [[(pane.nothing, "soft")] if pane.headline is None else pane.headline.group.words]

    def lines(self, noun: Noun[Any], row: Any, picture: Picture, look: Look, size: Size) -> list[Spans]:
        """What is known of a row, in so many cells; below it the circle the row waits in, where there is room."""
        said = [line for line in noun.details(row, picture, look, size.height) if not self._is_act(line)]
        facts = wrapped(said, size.width, size.height)
        if size.height < CIRCLE_FROM or not may_circle(row):
            return facts
        return with_circle(facts, self._circle_of(row.id, picture, size.width), size.height)

    def _is_act(self, line: Spans) -> bool:
        """Whether a line begins with a key that does nothing here."""
        return self._is_read_only and bool(line) and line[0][1] == "bold accent"

    def _circle_of(self, application: str, picture: Picture, width: int) -> Sequence[Spans]:
        run, snapshot, now_s = picture.run, picture.snapshot, self.wall()
        subject = application, width
        is_proven = frozen_of(picture) is not None
        version = [is_proven, *(snapshot.version(name) for name in ("applications", "reservations", "containers"))]
        stands = run.paused or run.ended or run.present_ms is not None
        is_due = stands or now_s - self._at_s >= LEAST_S
        if subject != self._subject or (version != self._version and is_due):
            self._circle = circle_of(application, snapshot, width, is_proven=is_proven)
            self._subject, self._version, self._at_s = subject, version, now_s
        return self._circle
