"""One series over the whole screen: a cursor reads values off, and `enter` goes to the instant it is on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from tui.board.board import BoardScreen
from tui.dialogs.forms import SingleResultScreen
from tui.keymap import FooterKey
from tui.panes import chart
from tui.panes.fragments import RenderContext
from tui.panes.graphs import Trace, next_window, plots_version, traces
from tui.panes.plot import Window
from tui.panes.pulse import allocated, marks_of
from tui.protocol import messages
from tui.protocol.picture import Graphs, SessionState
from tui.terminal import format as text
from tui.terminal.format import CUT
from tui.widgets.bars import ActionBar
from tui.widgets.lines import Lines

FAR = 10  # Cells that a page moves the cursor by

_LOOKING = (
    FooterKey("← →", "cursor", "cursor(-1)", 2),
    FooterKey("{ }", "marks", "mark(1)", 3),
    FooterKey("↑ ↓", "series", "series(1)", 3),
    FooterKey("< >", "window", "window(1)", 5),
    FooterKey("space", "add a series", "add", 6),
)


class GraphPosition(NamedTuple):
    key: str
    length_ms: int | None
    beside: str | None = None  # The second series; empty for none, None for the one that belongs to the first


class Canvas(Lines):
    """Lines on which a place can be pointed at."""

    @dataclass
    class ColumnClicked(Message):
        """The user clicked a column."""

        column: int

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.ColumnClicked(event.x))


class GraphScreen(SingleResultScreen[GraphPosition]):
    """One series, large; answers with what was looked at last."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    GraphScreen #head { height: 3; }
    GraphScreen #chart { height: 1fr; }
    GraphScreen #space { height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "cursor(-1)", "back", show=False),
        Binding("right,l", "cursor(1)", "on", show=False),
        Binding("pageup,shift+left", f"cursor({-FAR})", "far back", show=False),
        Binding("pagedown,shift+right", f"cursor({FAR})", "far on", show=False),
        Binding("home,g", "first", "first", show=False),
        Binding("end,G", "last", "now", show=False),
        Binding("left_curly_bracket", "mark(-1)", "mark before", show=False),
        Binding("right_curly_bracket", "mark(1)", "next mark", show=False),
        Binding("down,j,tab", "series(1)", "next series", show=False),
        Binding("up,k,shift+tab", "series(-1)", "series before", show=False),
        Binding("space", "add", "add a series", show=False),
        Binding("less_than_sign", "window(-1)", "shorter", show=False),
        Binding("greater_than_sign", "window(1)", "longer", show=False),
        Binding("enter", "go", "go there", show=False),
        Binding("p", "toggle_pause", "pause", show=False),
        Binding("question_mark,f1", "app.help", "help", show=False),
        Binding("escape,q,ctrl+c", "leave", "leave", show=False),
    ]

    def __init__(self, picture: SessionState, at: GraphPosition, styles: dict[str, Style], look: RenderContext) -> None:
        super().__init__()
        self._picture = picture
        self._at = at
        self._cursor_ms: int | None = None  # Where the cursor stands [epoch ms]; None is now, whenever that is
        self._styles_by_name = styles
        self._look = look
        self._traces: list[Trace] = []
        self._keys: tuple[Sequence[FooterKey], ...] = ()
        self._find()

    def compose(self) -> ComposeResult:
        yield Lines(self._styles_by_name, id="head", mark=CUT)
        yield Canvas(self._styles_by_name, id="chart", mark=CUT)
        yield Lines(self._styles_by_name, id="space")
        yield ActionBar(self._styles_by_name, id="hints")

    def _keys_now(self) -> tuple[Sequence[FooterKey], ...]:
        run, cursor_ms = self._picture.run, self._cursor_ms
        time = [FooterKey("p", "run" if run.paused else "pause", "toggle_pause", 4)] if run.present_ms is None else []
        if cursor_ms is not None:
            moment = text.near_clock(cursor_ms, self.trace.window.until_ms, self._look.offset_ms)
            time.insert(0, FooterKey("enter", f"go to {moment}", "go", 2, "go there"))
        return _LOOKING, time, (FooterKey("esc", "back", "leave"),)

    def _show_hints(self) -> None:
        self._keys = self._keys_now()
        self.query_one("#hints", ActionBar).show_keys(self._keys, FooterKey("?", "keys", "app.help"))

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def show(self, picture: SessionState) -> None:
        is_new = plots_version(picture) != plots_version(self._picture)
        self._picture = picture
        self._find()
        if is_new:
            self._draw()

    @property
    def graphs(self) -> Graphs:
        assert self._picture.graphs is not None, "a screen is made of a picture with graphs"
        return self._picture.graphs

    @property
    def trace(self) -> Trace:
        return next((one for one in self._traces if one.key == self._at.key), self._traces[0])

    @property
    def cursor_ms(self) -> int:
        """The instant the cursor is on [epoch ms]."""
        return self._picture.snapshot.header.time_ms if self._cursor_ms is None else self._cursor_ms

    @property
    def second(self) -> Trace | None:
        key = self.trace.beside if self._at.beside is None else self._at.beside
        return next((one for one in self._partners() if one.key == key), None)

    def _partners(self) -> list[Trace]:
        first = self.trace
        return [one for one in self._traces if one.unit == first.unit and one is not first]

    @property
    def _room(self) -> tuple[int, int]:
        size = self.query_one("#chart").content_size
        return size.width, size.height

    @property
    def _frame(self) -> chart.PlotFrame:
        return chart.frame(self._chart, self._room)

    @property
    def _cell(self) -> int:
        return self.trace.window.cell(self.cursor_ms, self._frame.cells)

    @property
    def _chart(self) -> chart.Chart:
        some = [one for one in (self.trace, self.second) if one is not None]
        others = [one for one in self._traces if one not in some]
        return chart.Chart(some, self._marks, self._cursor_ms, self._at.length_ms, others=others)

    def _find(self) -> None:
        now_ms = self._picture.snapshot.header.time_ms
        self._marks = marks_of(self._picture.run, now_ms)
        self._traces = traces(self.graphs, now_ms, self._at.length_ms, self._marks)
        if self._cursor_ms is not None and self._cursor_ms >= now_ms:
            self._cursor_ms = None
        elif self._cursor_ms is not None:
            self._cursor_ms = max(self._cursor_ms, self.trace.window.since_ms)

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        drawn = self._chart
        if drawn.cursor_ms is not None:
            drawn = drawn._replace(events=self._events(drawn.cursor_ms))
        lines, has_room = chart.lines(drawn, self._look, self._room)
        self.query_one("#chart", Canvas).show_lines(lines)
        head = chart.head_lines(drawn, self._picture, self._look, self._room[0], is_read_out=has_room)
        self.query_one("#head", Lines).show_lines(head)
        if self._keys_now() != self._keys:  # what is said in its place stays while the same keys work
            self._show_hints()

    def _events(self, cursor_ms: int) -> list[str]:
        cells, window = self._frame.cells, self.trace.window
        cell = window.cell(cursor_ms, cells)
        named = [each.names[0] for each in self._marks if each.names and self._is_in(each.time_ms, cell, cells)]
        span = Window(window.moment(cell - 1, cells) if cell else window.since_ms, window.moment(cell, cells))
        count = allocated(self.graphs.history, span, 1)[0]
        said = "" if count is None else f"{count:.0f} allocated" if count else "nothing allocated"
        return named[:1] or ([said] if said else [])

    def _is_in(self, time_ms: int, cell: int, cells: int) -> bool:
        since_ms, until_ms = self.trace.window
        return since_ms <= time_ms <= until_ms and self.trace.window.cell(time_ms, cells) == cell

    # Keys

    def action_cursor(self, by: int) -> None:
        cells, cell = self._frame.cells, self._cell + by
        self._stand(None if cell >= cells - 1 else self.trace.window.moment(max(0, cell), cells))

    def action_first(self) -> None:
        self._stand(self.trace.window.since_ms)

    def action_last(self) -> None:
        self._stand(None)

    def action_mark(self, by: int) -> None:
        begin_ms, now_ms = self.trace.window
        marks = [each.time_ms for each in self._marks if begin_ms <= each.time_ms < now_ms]
        if by < 0:
            found = [each for each in marks if each < self.cursor_ms][-1:]
        else:
            found = [each for each in marks if each > self.cursor_ms][:1]
        if found:
            self._stand(found[0])
        else:
            self.tell("There is no alert and no act that way.", "information")

    def _stand(self, cursor_ms: int | None) -> None:
        self._cursor_ms = cursor_ms
        self._draw()

    def action_series(self, by: int) -> None:
        keys = [one.key for one in self._traces]
        key = keys[(keys.index(self.trace.key) + by) % len(keys)]
        self._at = self._at._replace(key=key, beside=None)
        self._draw()

    def action_add(self) -> None:
        keys = ["", *(one.key for one in self._partners())]
        second = self.second
        place = keys.index("" if second is None else second.key)
        self._at = self._at._replace(beside=keys[(place + 1) % len(keys)])
        if len(keys) == 1:
            self.tell("No other series is counted in the same unit.", "information")
        self._draw()

    def action_window(self, by: int) -> None:
        self._at = self._at._replace(length_ms=next_window(self._at.length_ms, by))
        self._find()
        self._draw()

    def action_go(self) -> None:
        if self._cursor_ms is not None:
            where = text.since_start(self._cursor_ms - self.graphs.start_ms)
            self.post_message(messages.AppCalled("clock.travel", where))
        self.action_leave()

    def action_toggle_pause(self) -> None:
        self.post_message(messages.AppCalled("clock.toggle_pause"))

    def action_leave(self) -> None:
        _ = self.dismiss(self._at)

    @on(Canvas.ColumnClicked)
    def _pointed(self, event: Canvas.ColumnClicked) -> None:
        self.action_cursor(event.column - self._frame.first - self._cell)


class LargeGraph:
    """The part of the board that opens one series large, and has it drawn while it is open."""

    def __init__(self, board: BoardScreen) -> None:
        self._board = board
        self._screen: GraphScreen | None = None

    def open(self) -> None:
        board = self._board
        picture, row, options = board.state.picture, board.active.selected, board.options
        if row is None:
            return
        at = GraphPosition(row.key, board.arrangement(board.pane_name).window_ms)
        self._screen = GraphScreen(picture, at, options.styles, board.look)
        board.open(self._screen, self._closed)

    def show(self, picture: SessionState) -> bool:
        if self._screen is not None:
            self._screen.show(picture)
        return self._screen is not None

    def _closed(self, at: GraphPosition | None) -> None:
        self._screen, board = None, self._board
        name = board.pane_name
        if at is None:
            board.redraw()
            return
        board.rearrange(name, board.arrangement(name)._replace(window_ms=at.length_ms))
        _ = board.active.go_to_id(at.key)
