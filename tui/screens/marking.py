"""Marking rows: what is marked belongs to ids, survives sorting and filtering, and vanishes with what it names."""

from typing import Any

from textual import on

from engine.observe.section import glimpses
from tui import format as text
from tui.render.line import Look
from tui.screens.graphing import GraphingBoard
from tui.view_state import Picture
from tui.widgets.pane import RowPane


class MarkingBoard(GraphingBoard):
    """A board whose rows can be marked, so that an act is about many."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._checked: dict[str, int] = {}
        """Pane → version of the section its marks were last compared with."""

    def _feed(self, pane: RowPane[Any], picture: Picture, look: Look) -> None:
        name = pane.noun.name
        if pane.marks and self._checked.get(name) != (version := picture.snapshot.version(self.dialect.section(name))):
            self._checked[name] = version
            identity = pane.noun.identity
            there = {identity(row) for row in glimpses(self.dialect.rows_of(name, picture.snapshot))}
            pane.unmark(row_id for row_id in pane.marks if row_id not in there)
        super()._feed(pane, picture, look)

    def _count_title(self, name: str, picture: Picture) -> str:
        words, pane = super()._count_title(name, picture), self.pane(name)
        if not pane.marks:
            return words
        hidden = 0
        if not self.arrangement(name).is_plain:
            hidden = len(pane.marks) - sum(pane.noun.identity(row) in pane.marks for row in glimpses(pane.rows))
        return f"{words}  {len(pane.marks)} marked" + (f" ({hidden} hidden)" if hidden else "")

    def _can_mark(self) -> bool:
        """Whether rows of the pane can be marked; says so when not."""
        pane = self.active
        if not pane.noun.marks:
            names = [self.dialect.titles[name] for name, noun in self.dialect.nouns.items() if noun.marks]
            self._say(f"Nothing is done to many at once here; rows are marked in {' and '.join(names)}.")
        return pane.noun.marks

    def action_mark(self) -> None:
        """Mark the row or take its mark away, and go down."""
        if self._can_mark() and self.active.cursor_id is not None:
            self._toggle(self.active)
            self.active.move(1)

    def _toggle(self, pane: RowPane[Any]) -> None:
        row_id = pane.cursor_id
        if row_id is not None:
            (pane.unmark if row_id in pane.marks else pane.mark)((row_id,))
            self.redraw()

    def action_mark_all(self) -> None:
        """Mark every row that is shown."""
        if self._can_mark():
            self.active.mark(self.active.noun.identity(row) for row in glimpses(self.active.rows))
            self.redraw()
            self._say(f"Marked {text.plural(len(self.active.rows), 'row')}.", "information")

    def action_mark_none(self) -> None:
        """Take every mark of the pane away."""
        self.active.unmark(self.active.marks)
        self.redraw()

    def action_leave(self) -> None:
        """End zoom, else drop the filter, else the marks, else go back to where `enter` was pressed."""
        now = self.arrangement(self.pane_name)
        is_narrow = self._wish.zoomed or now.filter.text or now.problems
        if self.active.marks and not is_narrow:
            self.action_mark_none()
        else:
            super().action_leave()

    @on(RowPane.MarkWanted)
    def _mark_wanted(self, event: RowPane.MarkWanted) -> None:
        self._toggle(self.pane(event.pane.noun.name))
