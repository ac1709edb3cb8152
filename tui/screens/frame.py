"""The parts around the panes: the header, the timeline, the hints, and a sentence in place of these."""

import time
from collections.abc import Sequence
from math import inf
from typing import Any, Final

from textual.geometry import Size

from engine.explain.answer import RemediesReport
from tui.board import layout
from tui.board.board import BoardScreen, as_action
from tui.keymap import FooterKey, hints, spelled
from tui.pages.detail_panel import brief_of, circle_of, may_circle, with_circle, wrapped
from tui.pages.remedy_table import best_remedy, effect_words, listed_remedy, progress_words, whole_rows
from tui.panes import header as header_lines
from tui.panes.fragments import Fragments, RenderContext
from tui.panes.frame import call_of, spans_of
from tui.panes.header import (
    FINE,
    HARMED,
    HeaderLine,
    Health,
    again_words,
    frozen_of,
    health_of,
    is_stale,
    symptoms_of,
    thawing,
)
from tui.panes.pane_view import PaneView, as_application
from tui.panes.waits import CLUSTER, waits_in
from tui.protocol import messages
from tui.protocol.picture import SessionState
from tui.screens.inspection import idle_calls
from tui.screens.plans import shown_ms
from tui.terminal.format import RelativeTimeFormat
from tui.widgets.bars import ActionBar, FlashLine, PulseBar
from tui.widgets.lines import Lines
from tui.widgets.pane import RowPane
from tui.widgets.pane_frames import PaneFrames

_OTHER_KEYS = frozenset({"ctrl+q", "ctrl+c", "ctrl+p", "tab", "shift+tab", "escape"})  # Not in the registry


_HELPING = (("why", "why"), ("past.on_mark", "next mark"))  # Help most where something is wrong
_ONWARD = "past.on_mark"  # The one of them that leads nowhere from the present


class Frame:
    """Draws what stands around the panes of a board."""

    def __init__(self, board: BoardScreen, trying: "RemedyTrials") -> None:
        self._board, self._trying = board, trying
        self._said: FlashLine | None = None
        self._health = Health(FINE, "OK", "")
        self._partitions: list[header_lines.PartitionMeter] = []
        self._known_by: object = None  # What the state was found from: it looks at every application
        self._lines: list[HeaderLine] = []
        self._hints_by: object = None  # What the hints were made from when they were shown last
        self._keys = frozenset(key for action in board.options.registry for key in action.keys) | _OTHER_KEYS

    @property
    def _bar(self) -> ActionBar:
        return self._board.query_one("#hints", ActionBar)

    def show(self, picture: SessionState, look: RenderContext) -> None:
        lines, pulse = self._board.query_one("#header", Lines), self._board.query_one("#track", PulseBar)
        size = lines.content_size
        width = size.width or self._board.size.width
        self._lines = self._header(picture, look, width)[: max(1, size.height)]
        lines.show_lines([spans_of(line) for line in self._lines])
        pulse.show_picture(picture, look, shown_ms(self._board), self._board.state.thaw)
        if self._board.options.styles.below.fade(is_faded=is_stale(picture.run)):
            for widget in (pulse, *self._board.query_one("#panes", PaneFrames).walk_children(with_self=True)):
                widget.refresh()
        self.show_hints()

    def _header(self, picture: SessionState, look: RenderContext, width: int) -> list[HeaderLine]:
        header, run = picture.snapshot.header, picture.run
        versions = [picture.snapshot.version(name) for name in ("applications", "nodes")]
        heard = run.reception and (
            run.reception.state, run.reception.since_ms, run.reception.sentence, again_words(run.reception)
        )  # fmt: skip
        known = (run.standing, run.alerts, run.present_ms, run.failure, run.track and run.track.acts, heard)
        muted = frozenset(self._board.state.muted)
        known_by = (header.time_ms // 1000, versions, muted, *known)
        if known_by != self._known_by:
            self._known_by, self._health = known_by, health_of(picture, muted)
            self._partitions = header_lines.partition_uses(picture.snapshot.nodes())
        keys = [
            (spelled(action.keys[0]), word, action.call)
            for name, word in _HELPING
            for action in self._board.options.registry
            if action.id == name and (run.present_ms is not None or name != _ONWARD)
        ]
        self._trying.want(picture, self._health)
        thaw = self._board.state.thaw
        state_of_all = thawing(self._health, thaw, look.now_ms, look.offset_ms)
        if state_of_all.is_badge:
            keys = [("u", "undo", "undoing.undo"), ("ctrl+r", "redo", "undoing.redo"), *keys]
        else:
            keys = [*self._trying.keys(self._cursor(picture)), *keys]
        drill = self._board.options.drill
        identity = header_lines.identity_line(
            header, run, look.offset_ms, width, read_only=self._board.options.read_only, drill=drill
        )
        now_ms = look.now_ms if run.reception is None else run.reception.now_ms
        state = header_lines.health_line(state_of_all, now_ms, keys, width)
        if drill is not None and drill.pages is not None:
            state = header_lines.symptom_line(symptoms_of(picture), drill.pages(), width)
        is_whole = layout.fits(layout.WHOLE_FROM, self._board.size)
        meters = header_lines.meter_line(header, waits_in(CLUSTER, "", look), width, self._partitions)
        return [identity, state, meters] if is_whole else [state, identity]

    def _cursor(self, picture: SessionState) -> str:
        pane = self._board.active
        row = None if pane.marks or pane.selected is None else as_application(pane.view, pane.selected, picture)
        return "" if row is None else row.id

    def call_at(self, line: int, cell: int) -> str:
        """The action a click on the header means, as textual spells it; empty for none."""
        call = call_of(self._lines[line], cell) if line < len(self._lines) else ""
        return as_action(call) if call else ""

    def show_hints(self) -> None:
        """Name the keys that do something now, as many as there is room for; not in place of what is said."""
        if self._said is not None and self._said.is_there:
            return
        board, options = self._board, self._board.options
        state, run = board.state, board.state.picture.run
        stands = run.paused or run.ended or state.is_past
        is_plain = board.arrangement(board.pane_name).is_plain
        leads_back = bool(state.is_past or state.trail or state.choice.zoomed or not is_plain)
        has_clock = run.reception is None
        idle = idle_calls(board)
        hints_by = state.is_past, stands, leads_back, has_clock, tuple(idle), state.can_undo, board.size.width
        if hints_by == self._hints_by:
            return
        self._hints_by = hints_by
        groups = hints(
            board.dialect.offered(options.registry),
            read_only=options.read_only,
            is_past=state.is_past,
            stands=stands,
            has_clock=has_clock,
            can_undo=state.can_undo,
            idle={**idle, **dict.fromkeys(board.dialect.greyed, "")},
        )
        if leads_back:
            groups.append([FooterKey("esc", "back", "board.leave")])
        groups = [[key._replace(call=as_action(key.call)) for key in group] for group in groups]
        self._bar.show_keys(groups, FooterKey("?", "keys", as_action("program.help")))

    def _show_hints_again(self) -> None:
        self._hints_by = None
        self.show_hints()

    def say(self, words: str, severity: str, *, keeps_keys: bool = False) -> None:
        if self._said is None:
            self._said = FlashLine(self._bar, self._show_hints_again, click=as_action("board.leave"))
        self._said.say(words, severity, keeps_keys=keeps_keys)

    def answer(self, key: str, *, is_typed: bool) -> None:
        """A key ends what is said; one that has no meaning, and is not typed into the prompt, is answered."""
        if self._said is not None:
            self._said.end()
        if key not in self._keys and not is_typed:
            self.say(f"{spelled(key)} does nothing here; ? lists all keys", "information")


LEAST_S: Final = 1.0  # The least time between two looks for a row's circle [s], which read every application


def stands(picture: SessionState) -> bool:
    """True while the clock does not run at the instant shown."""
    return picture.run.paused or picture.run.ended or picture.run.present_ms is not None


ROOMY_FROM: Final = 96  # Width of a strip from which on it wants lines for a circle and every remedy
MOST: Final = 60  # Lines that are more than a strip needs


class RemedyTrials:
    """Has what would start all that wait tried while the clock stands and a badge does; it is of that instant only."""

    def __init__(self, board: BoardScreen) -> None:
        self._board = board
        self._wanted: tuple[object, ...] = ()  # The instant it is wanted for; empty while it is not wanted

    def want(self, picture: SessionState, health: Health) -> None:
        """Have it tried where something is wrong; forget what was found of another instant."""
        wanted: tuple[object, ...] = ()
        options, snapshot = self._board.options, picture.snapshot
        may_try = options.tries_remedies and options.drill is None and picture.run.reception is None
        if may_try and stands(picture) and health.level >= HARMED and not picture.run.failure:
            known = [snapshot.version(name) for name in ("applications", "nodes")]
            wanted = snapshot.header.time_ms, picture.run.present_ms, *known
        if wanted != self._wanted:
            self._wanted, self._board.state.remedies = wanted, None
            _ = self._board.post_message(messages.AppCalled("remedies.want", bool(wanted)))

    def take(self, found: RemediesReport) -> None:
        if self._wanted and found.at_ms == self._wanted[0]:
            self._board.state.remedies = found if found.targets else None
            self._board.redraw()

    @property
    def found(self) -> RemediesReport | None:
        """What is known at the instant shown; None while nothing was tried, and where none waits."""
        return self._board.state.remedies

    def keys(self, cursor: str) -> list[tuple[str, str, str]]:
        """(key, word, action) of the best remedy, where the key does that at the `cursor`, and of the page of all."""
        found, options = self.found, self._board.options
        every = ("W", "all", "inspection.fix")
        if found is None:
            return [every] if self._wanted else []
        best = best_remedy(found)
        if best is None:
            words = "all" if found.tried == found.of else progress_words(found)
            return [("W", words, "inspection.fix")]
        words = effect_words(best, found)
        named = f"{listed_remedy(best, is_named=False)} {words}"
        if options.read_only or self._board.state.is_past:
            return [("", named, "inspection.fix")]
        if best.kind == "kill" and best.application == cursor:
            return [("K", words, "application_acts.kill"), every]
        return [("W", named, "inspection.fix")]


class DetailPanel:
    """Writes the lines of the strip: the selected row, what would help, and its circle, which is remembered."""

    wall = staticmethod(time.monotonic)  # Wall time [s]

    def __init__(self, board: BoardScreen, trying: RemedyTrials) -> None:
        self._board, self._trying = board, trying
        self._subject: tuple[str, int] = ("", 0)  # The application whose circle is kept, and its width
        self._version: object = None
        self._at_s = -inf
        self._circle: Sequence[Fragments] = ()
        self.wanted_lines = 0  # Lines that show all it has to say; 0 where it is narrow, and takes what others leave

    def of_pane(
        self, pane: RowPane[Any], marked: Sequence[Any], picture: SessionState, look: RenderContext, size: Size
    ) -> list[Fragments]:
        if marked and pane.view.marks is not None:
            said = [line for line in pane.view.marks(marked, look) if not self._is_act(line)]
            self.wanted_lines = len(wrapped(said, size.width, MOST))
            return wrapped(said, size.width, size.height)
        if pane.selected is not None:
            return self.lines(pane.view, pane.selected, picture, look, size)
        self.wanted_lines = 1
        return [[(pane.nothing, "soft")] if pane.headline is None else pane.headline.group.words]

    def lines(
        self, view: PaneView[Any], row: Any, picture: SessionState, look: RenderContext, size: Size
    ) -> list[Fragments]:
        """Returns the lines about a row; of one that waits what would help, and where there is room its circle."""
        application, found = as_application(view, row, picture), self._trying.found
        is_one = application is not None and found is not None and application.id in found.targets
        first = best_remedy(found)
        is_one = is_one or (first is not None and application is not None and first.application == application.id)
        best = found if is_one else None
        day, (width, height) = RelativeTimeFormat(look.now_ms, look.offset_ms), size

        def facts(lines: int, *, has_list: bool) -> list[Fragments]:
            said = view.details(row, picture, look, lines)
            return wrapped([line for line in said if not self._is_act(line, has_list=has_list)], width, lines)

        circle: Sequence[Fragments] = ()
        if width >= ROOMY_FROM and application is not None and may_circle(application):
            circle = self._circle_of(application.id, picture, width)
        whole = [] if best is None or width < ROOMY_FROM else whole_rows(best, day, look, width)
        every = facts(MOST, has_list=bool(whole)) if width >= ROOMY_FROM else []
        every = with_circle(every, circle, MOST) + ([[], *whole] if whole else [])
        self.wanted_lines = len(every)
        if (circle or whole) and len(every) <= height:
            return every
        brief = [] if best is None else brief_of(best, day, width, height)
        room = height - len(brief)
        return [*with_circle(facts(room, has_list=bool(brief)), circle, room)[:room], *brief]

    def _is_act(self, line: Fragments, *, has_list: bool = False) -> bool:
        is_off = self._board.options.read_only or self._board.state.is_past
        return (is_off or has_list) and bool(line) and line[0][1] == "bold accent"

    def _circle_of(self, application: str, picture: SessionState, width: int) -> Sequence[Fragments]:
        snapshot, now_s = picture.snapshot, self.wall()
        subject = application, width
        is_proven = frozen_of(picture) is not None
        version = [is_proven, *(snapshot.version(name) for name in ("applications", "reservations", "containers"))]
        is_due = stands(picture) or now_s - self._at_s >= LEAST_S
        if subject != self._subject or (version != self._version and is_due):
            self._circle = circle_of(application, snapshot, width, is_proven=is_proven)
            self._subject, self._version, self._at_s = subject, version, now_s
        return self._circle
