"""Marks of rows: a mark belongs to an id, survives sorting and filtering, and goes when its row is gone."""

from collections.abc import Sequence
from typing import Any

from engine.observe.section import glimpses
from tui import format as text
from tui.picture import Picture
from tui.render.arrangement import Arrangement
from tui.render.group import GroupedRows
from tui.screens.board import Board
from tui.widgets.pane import RowPane


class Marks:
    """The part of the board that marks rows, so that an act is about many."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._checked: dict[str, object] = {}
        """Pane → version of the rows its marks were last compared with."""

    def mark(self) -> None:
        """Mark the row or take its mark away, and go down."""
        if self._can_mark() and self._board.active.cursor_id is not None:
            self.toggle(self._board.active)
            self._board.active.move(1)

    def toggle(self, pane: RowPane[Any]) -> None:
        """Mark the row under a pane's cursor, or all under a headline; take the mark away where there is one."""
        ids = _ids_at(pane)
        if ids:
            (pane.unmark if all(row_id in pane.marks for row_id in ids) else pane.mark)(ids)
            self._board.redraw()

    def mark_all(self) -> None:
        """Mark every row that is shown."""
        pane = self._board.active
        if self._can_mark():
            shown = pane.members
            pane.mark(pane.noun.identity(row) for row in glimpses(shown))
            self._board.redraw()
            self._board.say(f"Marked {text.plural(len(shown), 'row')}.", "information")

    def unmark_all(self) -> None:
        """Take every mark of the pane away."""
        self._board.active.unmark(self._board.active.marks)
        self._board.redraw()

    def drop(self) -> bool:
        """Take every mark of the pane away; False where it has none."""
        if not self._board.active.marks:
            return False
        self.unmark_all()
        return True

    def _can_mark(self) -> bool:
        """Check that rows of the pane can be marked; otherwise show a message and return False."""
        board = self._board
        if not board.active.noun.marks:
            names = [title for name, title in board.dialect.titles.items() if board.dialect.noun(name).marks]
            board.say(f"Nothing is done to many at once here; rows are marked in {' and '.join(names)}.")
        return board.active.noun.marks is not None

    def check(self, pane: RowPane[Any], picture: Picture) -> None:
        """Take the marks of rows away that are not there any more."""
        noun, version = pane.noun, pane.noun.source.version(picture)
        if pane.marks and self._checked.get(noun.name) != version:
            self._checked[noun.name] = version
            there = {noun.identity(row) for row in glimpses(noun.source.rows(picture, Arrangement())[0])}
            pane.unmark([row_id for row_id in pane.marks if row_id not in there])

    def words(self, pane: RowPane[Any]) -> str:
        """Tells how many rows of a pane are marked, for its title; empty for none."""
        if not pane.marks:
            return ""
        hidden = 0
        if not self._board.arrangement(pane.noun.name).is_plain:
            hidden = len(pane.marks) - sum(pane.noun.identity(row) in pane.marks for row in glimpses(pane.members))
        return f"{len(pane.marks)} marked" + (f" ({hidden} hidden)" if hidden else "")

    def marked(self) -> Sequence[Any]:
        """The marked rows of the pane as they are now, in the order of the marks."""
        return self.rows() if self._board.active.marks else []

    def rows(self) -> Sequence[Any]:
        """The marked rows of the pane as they are now, in the order of the marks; without any that under the cursor."""
        pane, picture = self._board.active, self._board.state.picture
        if not pane.marks or picture is None:
            return [] if pane.selected is None else [pane.selected]
        rows = pane.noun.source.rows(picture, Arrangement())[0]
        by_id = {pane.noun.identity(row): row for row in rows}
        return [by_id[row_id] for row_id in pane.marks if row_id in by_id]


def _ids_at(pane: RowPane[Any]) -> list[str]:
    """The ids of the row under the cursor, or of all rows under the headline there."""
    headline, rows = pane.headline, pane.rows
    if headline is not None and isinstance(rows, GroupedRows):
        return [pane.noun.identity(row) for row in glimpses(rows.members_of(headline))]
    return [] if pane.cursor_id is None else [pane.cursor_id]
