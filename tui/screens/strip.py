"""The strip's words about the selected row, the circle it waits in, and what would help.

A circle is looked for only where it can be drawn, and not for every picture. Remedies are asked for while the clock
stands, of an application that waits for ever, where there is room for them.
"""

import time
from collections.abc import Sequence
from math import inf
from typing import Any, Final

from textual.geometry import Size

from engine.explain.remedy_report import RemediesReport
from engine.observe.snapshot import ApplicationRow
from tui import messages
from tui.picture import Picture
from tui.render.application_brief import CIRCLE_FROM
from tui.render.health import frozen_of
from tui.render.line import Look, Spans
from tui.render.noun import Noun, as_application
from tui.render.strip import circle_of, may_circle, with_circle, with_remedies, wrapped
from tui.screens.board import Board
from tui.widgets.pane import RowPane

LEAST_S: Final = 1.0
"""The least time between two looks for the circle of one row while the clock runs [s]: it reads all applications."""

REMEDIES_FROM: Final = 15
"""Lines of a strip from which on it may show remedies."""


def stands(picture: Picture) -> bool:
    """True while the clock does not run at the instant shown."""
    return picture.run.paused or picture.run.ended or picture.run.present_ms is not None


class Strip:
    """Writes the lines of the strip; remembers the last circle."""

    wall = staticmethod(time.monotonic)
    """Wall time [s]."""

    def __init__(self, board: Board) -> None:
        """The strip of a board."""
        self._board = board
        self._subject: tuple[str, int] = ("", 0)
        """The application whose circle is remembered, and how wide it was drawn."""
        self._version: object = None
        self._at_s = -inf
        self._circle: Sequence[Spans] = ()
        self._wanted: tuple[object, ...] = ()
        """Whose remedies are wanted, and at which instant; empty for nobody's."""
        self._remedies: RemediesReport | None = None
        """What is known of them."""

    def of_pane(
        self, pane: RowPane[Any], marked: Sequence[Any], picture: Picture, look: Look, size: Size
    ) -> list[Spans]:
        """Returns the lines about the marked rows of a pane, else about the row under its cursor, or a folded group."""
        row = pane.selected if not marked else None
        self._want(None if row is None else as_application(pane.noun, row, picture), picture, size)
        if marked and pane.noun.marks is not None:
            said = [line for line in pane.noun.marks(marked, look) if not self._is_act(line)]
            return wrapped(said, size.width, size.height)
        if pane.selected is not None:
            return self.lines(pane.noun, pane.selected, picture, look, size)
        return [[(pane.nothing, "soft")] if pane.headline is None else pane.headline.group.words]

    def lines(self, noun: Noun[Any], row: Any, picture: Picture, look: Look, size: Size) -> list[Spans]:
        """Returns the lines about a row; below them the circle the row waits in, where there is room."""
        said = [line for line in noun.details(row, picture, look, size.height) if not self._is_act(line)]
        facts = wrapped(said, size.width, size.height)
        if size.height < CIRCLE_FROM:
            return facts
        application = as_application(noun, row, picture)
        if application is None or not may_circle(application):
            return facts
        lines = with_circle(facts, self._circle_of(application.id, picture, size.width), size.height)
        return with_remedies(lines, self._remedies, size.width, size.height)

    def _want(self, row: ApplicationRow | None, picture: Picture, size: Size) -> None:
        """Have remedies of a row tried, or leave off, when these are others than were wanted."""
        wanted: tuple[object, ...] = ()
        has_room = self._board.options.tries_remedies and size.height >= REMEDIES_FROM
        has_room = has_room and stands(picture)
        if has_room and row is not None and may_circle(row) and frozen_of(picture) is not None:
            wanted = row.number, picture.snapshot.header.time_ms, picture.snapshot.version("applications")
        if wanted != self._wanted:
            self._wanted, self._remedies = wanted, None
            _ = self._board.post_message(messages.RemediesWanted(row.number if wanted and row is not None else None))

    def take_remedies(self, number: int, found: RemediesReport) -> None:
        """Take what is known so far of the remedies of an application."""
        if self._wanted[:1] == (number,):
            self._remedies = found

    def _is_act(self, line: Spans) -> bool:
        """True for a line that offers an act on a read-only screen."""
        return self._board.options.read_only and bool(line) and line[0][1] == "bold accent"

    def _circle_of(self, application: str, picture: Picture, width: int) -> Sequence[Spans]:
        snapshot, now_s = picture.snapshot, self.wall()
        subject = application, width
        is_proven = frozen_of(picture) is not None
        version = [is_proven, *(snapshot.version(name) for name in ("applications", "reservations", "containers"))]
        is_due = stands(picture) or now_s - self._at_s >= LEAST_S
        if subject != self._subject or (version != self._version and is_due):
            self._circle = circle_of(application, snapshot, width, is_proven=is_proven)
            self._subject, self._version, self._at_s = subject, version, now_s
        return self._circle
