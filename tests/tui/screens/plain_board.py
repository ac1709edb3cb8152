"""A board without a screen, for its parts: panes of given rows; it does what they ask and remembers what they say."""

from collections.abc import Callable, Sequence
from typing import Any

from textual.geometry import Size

from tests.tui import fakes
from tui.board.board import ScreenOptions, ViewState
from tui.board.dialects import YARN, Dialect
from tui.board.layout import PaneChoice
from tui.panes.arrangement import SortFilter
from tui.panes.line import RenderContext
from tui.panes.noun import PaneView
from tui.protocol.picture import RunState, SessionState
from tui.terminal.theme import styles


class PlainPane:
    """Rows and a cursor."""

    def __init__(self, noun: PaneView[Any], rows: Sequence[Any]) -> None:
        self.noun, self.rows = noun, rows
        self.cursor_row = 0
        self.marks: dict[str, None] = {}
        self.version: object = 1
        self.asked: list[tuple[Any, ...]] = []
        self.headline = None

    @property
    def members(self) -> Sequence[Any]:
        return self.rows

    @property
    def selected(self) -> Any:
        return self.rows[self.cursor_row] if self.rows else None

    @property
    def cursor_id(self) -> str | None:
        return self.noun.identity(self.selected) if self.rows else None

    def go_to(self, place: int) -> None:
        self.cursor_row = place

    def go_to_id(self, row_id: str) -> bool:
        """Put the cursor on a row; False where it is not there."""
        place = next((at for at, row in enumerate(self.rows) if self.noun.identity(row) == row_id), None)
        if place is not None:
            self.cursor_row = place
        return place is not None

    def move(self, by: int) -> None:
        """Move the cursor; at an end it stays."""
        self.asked.append(("move", by))
        self.cursor_row = min(max(0, self.cursor_row + by), len(self.rows) - 1)

    def move_pages(self, by: int) -> None:
        self.asked.append(("pages", by))

    def shift(self, by: int) -> None:
        self.asked.append(("shift", by))

    def hold_cursor(self) -> None:
        self.asked.append(("hold",))

    def mark(self, ids: Any) -> None:
        self.marks.update(dict.fromkeys(ids))

    def unmark(self, ids: Any) -> None:
        for each in list(ids):
            del self.marks[each]


class PlainBoard:
    """What parts of the cluster screen see of it. Implements `Board` as far as they use it."""

    def __init__(self, pane: str = "applications", dialect: Dialect = YARN, **run: Any) -> None:
        self.snapshot = fakes.frozen_cluster()
        self.state = ViewState(PaneChoice((pane,)), SessionState(self.snapshot, RunState("x", **run), (), 0))
        self.dialect, self.options = dialect, ScreenOptions(styles("none"))
        self.size = Size(120, 40)
        self.panes = {name: PlainPane(views[0], self._rows(views[0])) for name, views in dialect.panes.items()}
        self.said: list[str] = []
        self.done: list[str] = []
        self.posted: list[Any] = []
        self.opened: list[tuple[Any, Callable[[Any], None] | None]] = []
        self.redrawn = 0
        self.visible_panes = ["queues", "applications", "nodes"]
        self.plan = self.dialect.plans.plan(self.size)

    def _rows(self, noun: PaneView[Any]) -> Sequence[Any]:
        picture = self.state.picture
        return [] if noun.name == "graphs" else noun.source.rows(picture, SortFilter())[0]

    @property
    def look(self) -> RenderContext:
        return RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384))

    @property
    def pane_name(self) -> str:
        return self.state.choice.pane

    @property
    def active(self) -> Any:
        return self.panes[self.pane_name]

    def pane(self, name: str) -> Any:
        return self.panes[name]

    def noun(self, name: str) -> PaneView[Any]:
        return self.dialect.noun(name, self.state.views.get(name, ""))

    def arrangement(self, name: str) -> SortFilter:
        return self.state.arrangements.get(self.noun(name).table, SortFilter())

    def rearrange(self, name: str, arrangement: SortFilter) -> None:
        """Choose them in another way; the rows stay what they are."""
        self.state.arrangements[self.noun(name).table] = arrangement

    def choose(self, choice: PaneChoice) -> None:
        self.state.choice = choice

    def take_view(self, name: str, view: str) -> None:
        self.state.views[name] = view
        self.panes[name].noun = self.noun(name)
        self.panes[name].rows = self._rows(self.noun(name))
        self.panes[name].cursor_row = 0

    def redraw(self) -> None:
        self.redrawn += 1

    def say(self, words: str, severity: str = "warning") -> None:
        self.said.append(words)

    def refuse(self, call: str, otherwise: str = "") -> bool:
        self.said.append(f"refused {call}")
        return True

    def post_message(self, message: Any) -> bool:
        self.posted.append(message)
        return True

    def open(self, screen: Any, answered: Callable[[Any], None] | None = None) -> None:
        self.opened.append((screen, answered))

    def perform(self, call: str) -> None:
        self.done.append(call)
