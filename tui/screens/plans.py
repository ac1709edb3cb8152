"""The step mode of Spark's Master: shows core by core which worker got it, and why the others did not.

It shows plans that are made already or only tried on a copy: nothing here, and nothing left here, changes a cluster.
"""

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from engine.observe.spark_snapshot import PlanTables, Table
from tui.board import layout
from tui.board.board import BoardScreen
from tui.dialogs.forms import Choice, MenuScreen, SingleResultScreen
from tui.keymap import FooterKey
from tui.panes.arrangement import WINDOWS
from tui.panes.fragments import RenderContext
from tui.panes.frame import BorderLabel, PaneFrame
from tui.panes.graphs import next_window, window_words
from tui.panes.pane_view import PLOTS
from tui.panes.workers import PLAN, foot_lines, head_lines
from tui.terminal.format import CUT
from tui.widgets.bars import ActionBar
from tui.widgets.lines import Lines
from tui.widgets.pane import RowPane
from tui.widgets.pane_frames import PaneFrames

_KEYS = (
    FooterKey("right", "step", "step(1)"),
    FooterKey("left", "back", "step(-1)", 2),
    FooterKey("n", "round", "round", 3),
    FooterKey("tab", "next plan", "plan(1)", 4),
    FooterKey("G", "last", "last", 5),
)


class PlansScreen(SingleResultScreen[None]):
    """Plans, each with its steps; begins before the first step of one plan."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    PlansScreen #head { height: 3; }
    PlansScreen #workers { scrollbar-size-vertical: 0; }
    PlansScreen #foot { height: 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,space,t,enter", "step(1)", "next step", show=False),
        Binding("left,h,backspace", "step(-1)", "step back", show=False),
        Binding("n", "round", "next round", show=False),
        Binding("tab,right_square_bracket", "plan(1)", "next plan", show=False),
        Binding("shift+tab,left_square_bracket", "plan(-1)", "plan before", show=False),
        Binding("home,g", "go(0)", "first step", show=False),
        Binding("end,G", "last", "last step", show=False),
        Binding("up,k", "rows(-1)", "up", show=False),
        Binding("down,j", "rows(1)", "down", show=False),
        Binding("question_mark,f1", "app.help", "help", show=False),
        Binding("escape,q,s,ctrl+c", "leave", "leave", show=False),
    ]

    def __init__(self, plans: Sequence[PlanTables], first: int, styles: dict[str, Style], look: RenderContext) -> None:
        super().__init__()
        self._plans = plans
        self._at = first
        self._number = 0
        self._styles_by_name = styles
        self._look = look

    def compose(self) -> ComposeResult:
        yield Lines(self._styles_by_name, id="head", mark=CUT)
        with PaneFrames(self._styles_by_name, id="panes"):
            yield RowPane(PLAN, self._styles_by_name, id="workers")
        yield Lines(self._styles_by_name, id="foot", mark=CUT)
        yield ActionBar(self._styles_by_name, id="hints")

    def on_mount(self) -> None:
        self.query_one("#hints", ActionBar).show_keys((_KEYS,), FooterKey("esc", "leave", "leave"))
        self._show()

    def on_resize(self) -> None:
        self.query_one(PaneFrames).stand(lambda area: {"workers": area.region}, is_sided=self._is_sided)
        self._show()

    @property
    def _is_sided(self) -> bool:
        return layout.fits(layout.BESIDE_FROM, self.size)

    @property
    def plan(self) -> PlanTables:
        return self._plans[self._at]

    @property
    def table(self) -> Table:
        return self.plan.table(self._number)

    def _show(self) -> None:
        table = self.table
        place = (self._at + 1, len(self._plans))
        self.query_one("#head", Lines).show_lines(head_lines(self.plan, table, place, self._look))
        pane = self.query_one("#workers", RowPane)
        pane.show(table.lines, (self._at, self._number), self._look)
        got = next((line.worker for line in table.lines if line.got), None)
        if got is not None:
            pane.go_to_id(got)
        else:
            pane.go_to(0)

    @on(RowPane.CursorMoved)
    def _show_foot(self) -> None:
        pane = self.query_one("#workers", RowPane)
        title = BorderLabel((("Workers", "strong"), ("  in the order they are offered", "soft")))
        frame = PaneFrame((title,), foot=pane.position, is_focused=True, is_sided=self._is_sided)
        self.query_one(PaneFrames).show_frame("workers", frame)
        self.query_one("#foot", Lines).show_lines(foot_lines(self.table, pane.selected))

    def action_step(self, by: int) -> None:
        self.action_go(self._number + by)

    def action_go(self, number: int) -> None:
        self._number = max(0, min(self.plan.count, number))
        self._show()

    def action_last(self) -> None:
        self.action_go(self.plan.count)

    def action_round(self) -> None:
        number = min(self._number + 1, self.plan.count)
        turn = self.plan.table(number).round
        while number < self.plan.count and self.plan.table(number + 1).round == turn:
            number += 1
        self.action_go(number)

    def action_plan(self, by: int) -> None:
        self._at = (self._at + by) % len(self._plans)
        self.action_go(0)

    def action_rows(self, by: int) -> None:
        self.query_one("#workers", RowPane).move(by)

    def action_leave(self) -> None:
        _ = self.dismiss(None)


def shown_ms(board: BoardScreen) -> int | None:
    """Tells how much of the time before the present is shown [ms]; None for the whole run."""
    return board.arrangement(_graphs(board)).window_ms


def _graphs(board: BoardScreen) -> str:
    return next(name for name in board.dialect.panes if board.view(name).layout_mode == PLOTS)


class TimeScale:
    """Chooses how much of the time is shown, by the pulse and the graphs alike."""

    def __init__(self, board: BoardScreen) -> None:
        self._board = board

    def window(self, length_ms: int) -> None:
        """Show so much of the time [ms]; 0 is the whole run."""
        board, name = self._board, _graphs(self._board)
        board.rearrange(name, board.arrangement(name)._replace(window_ms=length_ms or None))

    def change(self, by: int) -> None:
        """Show more of the time (1), or less (-1)."""
        now_ms, run_ms = shown_ms(self._board), self._run_ms
        length_ms = next_window(now_ms, by)
        while length_ms is not None and run_ms is not None and length_ms >= run_ms:
            length_ms = next_window(length_ms, by) if by < 0 else None
        self.window(length_ms or 0)
        end = "" if length_ms != now_ms else " already" if length_ms is None else ", and no less"
        self._board.say(f"The pulse and the graphs show {window_words(length_ms)}{end}.", "information")

    @property
    def _run_ms(self) -> int | None:
        """Tells how long the run is so far [ms]; None where that is not known. More than all of it is not offered."""
        picture = self._board.state.picture
        if picture.run.track is None:
            return None
        present_ms = picture.run.present_ms or picture.snapshot.header.time_ms
        return max(present_ms - picture.run.track.first_ms, WINDOWS[0] or 0) + 1

    def menu(self) -> None:
        some = [Choice(str(n), window_words(length), str(length or 0)) for n, length in enumerate(WINDOWS, start=1)]
        menu = MenuScreen("How much of the time", some)
        self._board.choose_in(menu, lambda length_ms: self.window(int(length_ms)))
