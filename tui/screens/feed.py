"""Feeds the panes: chooses and orders the rows of a picture, and writes the titles."""

import asyncio
import time
from collections.abc import Callable, Hashable, Sequence
from math import inf
from typing import Any, Final, NamedTuple

from engine.observe.snapshot import Section, lazy_rows, rows_at
from tui.board import layout
from tui.board.board import BoardScreen, Marks, as_action
from tui.panes import heat
from tui.panes.arrangement import SortFilter, sort_words, sorted_by
from tui.panes.field import Criteria
from tui.panes.fragments import Fragment, RenderContext
from tui.panes.frame import BorderLabel, PaneFrame, tab_titles, thumb_of
from tui.panes.group import GroupedRows
from tui.panes.header import frozen_of
from tui.panes.pane_view import TREE, PaneView, age_words, inferred_words, nothing_words
from tui.protocol.picture import SessionState
from tui.screens.navigation import Trail
from tui.terminal.format import CRUMB, FRAME
from tui.widgets.pane import RowPane
from tui.widgets.pane_frames import PaneFrames

_GAP = BorderLabel((("  ", "text"),))


class PaneFacts(NamedTuple):
    size: str = ""  # How many rows there are
    state: str = ""  # What else is to be known of how they are shown
    linked: str = ""  # What the application that is selected in another pane has here
    caption: str = ""  # How old rows are, how they stand, or what they have in common
    inferred: str = ""  # What is inferred of the rows


class BorderTitles:
    """Keeps the words in the frames true: titles, facts, order, the way back, positions."""

    def __init__(self, board: BoardScreen, trail: Trail) -> None:
        self._board, self._trail = board, trail
        self._facts: dict[str, PaneFacts] = {}
        self._strip = self._note = ""

    def entitle(self, name: str, facts: PaneFacts) -> None:
        self._facts[name] = facts
        self.show(name)

    def entitle_strip(self, subject: str, note: str = "") -> None:
        """Name what the strip is about; `note` tells of the page of all remedies."""
        self._strip, self._note = subject, note
        self.show_strip()

    def tab_row(self) -> PaneFrame:
        """All panes in a row: those that are seen, then the hidden ones with the number of their rows."""
        board, picture = self._board, self._board.state.picture
        titles, seen = board.dialect.titles, board.visible_panes
        header = picture.snapshot.header
        # Of those that have many rows, and whose number is known at once.
        counts = {"reservations": header.nodes_held, "containers": header.containers, "events": len(picture.events)}
        hidden = [name for name in titles if name not in seen]
        found: list[BorderLabel] = []
        for name in [*(name for name in titles if name in seen), *hidden]:
            digit, _, words = titles[name].partition(" ")
            if name == next(iter(hidden), ""):
                found += [_GAP, BorderLabel(((FRAME[1], "line"), ("  hidden", "faint")))]
            is_active, count = name == board.pane_name, counts.get(name) if name in hidden else None
            number = "bold accent" if is_active or name in hidden else "faint"
            style = "strong" if is_active else "faint" if name in board.dialect.muted else "soft"
            spans = ((digit, number), (f" {words}", style), *(((f" {count}", "faint"),) if count is not None else ()))
            found += [_GAP, BorderLabel(spans, as_action(f"navigation.show({name!r})"))]
        return PaneFrame(found[1:], is_sided=False)

    def show(self, name: str) -> None:
        board, pane = self._board, self._board.pane(name)
        if name not in board.visible_panes:
            return
        is_sided = board.plan.is_sided
        is_active = name == board.pane_name
        has_tabs = board.plan.is_single and not board.state.choice.zoomed
        left = self._tabs() if has_tabs else self._title(name, is_focused=is_active)
        caption = self._facts.get(name, PaneFacts()).caption
        words = [BorderLabel(((caption, "soft"),))] if caption else []
        right = [] if has_tabs else self._way(name) or words
        foot = pane.position if is_sided and is_active else ""
        is_doubled = self._board.options.styles.palette in ("16", "none")
        seen = pane.scrollable_content_region.height
        thumb = thumb_of(pane.scroll_offset.y, seen, pane.virtual_size.height)
        frame = PaneFrame(left, right, foot, is_active, is_sided, is_doubled, thumb)
        self._frames.show_frame(name, frame)
        if is_active and not is_sided:
            self.show_strip()

    def show_strip(self) -> None:
        board = self._board
        is_sided = board.plan.is_sided
        in_full = BorderLabel((("w", "bold accent"), (" in full", "faint")), as_action("inspection.why"))
        foot, right = "", [in_full] if self._strip else []
        if right and self._note:
            note = BorderLabel((("W", "bold accent"), (f" {self._note}", "faint")), as_action("inspection.fix"))
            right = [note, in_full]
        if not is_sided:
            facts = self._facts.get(board.pane_name, PaneFacts())
            state = [BorderLabel(((words, style),)) for words, style in _state(facts)]
            right = [*self._way(board.pane_name), *state]
            foot = board.active.position
        left = [BorderLabel(((self._strip, "text"),), as_action("inspection.describe"))] if self._strip else []
        self._frames.show_frame(layout.DETAIL, PaneFrame(left, right, foot, False, is_sided))

    @property
    def _frames(self) -> PaneFrames:
        return self._board.query_one("#panes", PaneFrames)

    def _title(self, name: str, *, is_focused: bool) -> list[BorderLabel]:
        digit, _, words = self._board.dialect.titles[name].partition(" ")
        number = "bold accent" if is_focused else "faint"
        style = "faint" if name in self._board.dialect.muted else "strong" if is_focused else "text"
        title = [BorderLabel(((f"{digit} ", number), (words, style)))]
        facts = self._facts.get(name, PaneFacts())
        for words, style in ((facts.size, "soft"), *_state(facts)):
            title += [_GAP, BorderLabel(((words, style),))] if words else []
        return title

    def _tabs(self) -> list[BorderLabel]:
        board = self._board
        greyed, shown = board.dialect.muted | board.state.choice.hidden, board.pane_name
        found: list[BorderLabel] = []
        for name, title in tab_titles(board.dialect.titles, shown, board.size.width - len("─  ─")).items():
            digit, _, words = title.partition(" ")
            is_shown = name == shown
            number = "bold accent" if is_shown else "faint"
            style = "strong" if is_shown else "faint" if name in greyed else "soft"
            spans = ((digit, number), (f" {words}" if words else "", style))
            found += [_GAP, BorderLabel(spans, as_action(f"navigation.show({name!r})"))]
        return found[1:]

    def _way(self, name: str) -> Sequence[BorderLabel]:
        steps, arrangement = self._trail.steps(name), self._board.arrangement(name)
        found = [
            BorderLabel(((f"{label} {CRUMB}", "soft"),), as_action(f"trail.back_by({len(steps) - place})"))
            for place, label in enumerate(steps)
        ]
        scope = arrangement.scope.text if arrangement.scope is not None and not steps else ""
        view = self._board.view(name)
        columns = (*(view.sorted_columns or view.columns), *(view.every_column or ()))
        order = sort_words(columns, view.criteria, arrangement, self._board.look)
        words = "  ".join(part for part in (scope, arrangement.words(), order) if part)
        return [*found, BorderLabel(((words, "soft"),))] if words else found


def _state(facts: PaneFacts) -> list[Fragment]:
    return [span for span in ((facts.inferred, "watch"), (facts.state, "soft"), (facts.linked, "accent")) if span[0]]


LEAST_S: Final = 0.5  # The least time between two orders [s]
HELD_S: Final = 3.0  # How long an order is held after a key [s]; htop's rule


class StableOrder:
    """The order of one pane while somebody reads it.

    While the clock runs it is worked out at most twice a second, and not for some seconds after a key was pressed in
    the pane. Meanwhile rows keep their places: what goes is taken out, what comes stands at the end.
    """

    def __init__(self, identity: Callable[[Any], str]) -> None:
        self._identity = identity
        self._settled: object = None
        self._at_s = self._touched_s = -inf
        self._shown: list[Hashable] | None = None  # What the rows are about, in their order; None: as they come
        self._known: set[Hashable] = set()
        self._came: list[Hashable] = []  # What the rows were about when they came last, in the order they came
        self._places: list[int] = []  # Where among those the rows that are shown stand
        self.turns = 0  # How often the order was worked out
        self.is_old = False  # Whether the rows might stand in another order by now
        self.is_held = False  # Whether that is because of a key

    @property
    def names(self) -> Sequence[Hashable]:
        """Returns the things in the order they were shown in last; none when rows are shown as they come."""
        return self._shown or ()

    def touch(self, now_s: float) -> None:
        self._touched_s = now_s

    def is_due(self, now_s: float) -> bool:
        return now_s - self._at_s >= LEAST_S and now_s - self._touched_s >= HELD_S

    def arranged(
        self,
        rows: Sequence[Any],
        arrangement: SortFilter,
        criteria: Criteria,
        look: RenderContext,
        now_s: float,
        *,
        wanted: object,
        may_hold: bool,
    ) -> Sequence[Any]:
        """The rows in an order: another one `wanted` by the user at once, else an older one where it `may_hold`."""
        if may_hold and wanted == self._settled and not self.is_due(now_s):
            return self._held(rows, arrangement, criteria, look, now_s)
        own = None if arrangement.sort or not arrangement.is_plain else criteria.order
        is_same = wanted == self._settled and not self.is_old and own is not None and own.reads == ("id",)
        self._settled, self._at_s, self.turns = wanted, now_s, self.turns + 1
        self.is_old = self.is_held = False
        if is_same and self._names(rows) == self._came:
            return rows_at(rows, self._places)  # which the ids alone decide
        order = arrangement.order(rows, criteria, look)
        if order is None:
            self._shown = None
            return rows
        names = self._names(rows)
        self._came, self._places = names, order
        self._shown, self._known = [names[place] for place in order], set(names)
        return rows_at(rows, order)

    def _held(
        self, rows: Sequence[Any], arrangement: SortFilter, criteria: Criteria, look: RenderContext, now_s: float
    ) -> Sequence[Any]:
        if self._shown is None:
            return rows
        self.is_old, self.is_held = True, now_s - self._touched_s < HELD_S
        names = self._names(rows)
        if names != self._came:
            self._follow(names, rows, arrangement, criteria, look)
        return rows_at(rows, self._places)

    def _follow(
        self,
        names: list[Hashable],
        rows: Sequence[Any],
        arrangement: SortFilter,
        criteria: Criteria,
        look: RenderContext,
    ) -> None:
        places = {name: place for place, name in enumerate(names)}
        fresh = [name for name in places if name not in self._known]
        kept = [name for name in fresh if arrangement.is_plain or arrangement.keeps(rows[places[name]], criteria, look)]
        self._known.update(fresh)
        self._shown = [name for name in self._shown or () if name in places] + kept
        self._came, self._places = names, [places[name] for name in self._shown]

    def _names(self, rows: Sequence[Any]) -> list[Hashable]:
        if isinstance(rows, Section):
            return list(rows.things)
        return list(map(self._identity, lazy_rows(rows)))


NO_MATCH: Final = "No row passes the filter. esc shows all again."

MANY: Final = 2_000  # Nodes and applications of a live cluster from which on its panes are drawn one by one
BETWEEN_S: Final = 0.02  # Time for keys between two of them [s]


def is_large(picture: SessionState) -> bool:
    """Tell whether a picture is of a live cluster whose panes are drawn one by one."""
    header = picture.snapshot.header
    size = header.nodes + header.applications_running + header.applications_pending
    return picture.run.reception is not None and size >= MANY


class PaneFeed:
    wall = staticmethod(time.monotonic)  # Wall time [s]

    def __init__(self, board: BoardScreen, marks: Marks, edges: BorderTitles) -> None:
        self._board, self._marks, self._edges = board, marks, edges
        self._orders: dict[str, StableOrder] = {}
        self._linked = ""  # Id of the application that stands out in the panes it was not selected in; empty for none
        self._group_orders: dict[str, list[str]] = {}  # Pane → the keys of its groups, in the order they stood in
        self._made: dict[str, tuple[float, Sequence[Any]]] = {}  # Pane → when its rows were made, and which

    def show_all(self, look: RenderContext, ended: Callable[[], None]) -> None:
        for name in self._board.dialect.panes:
            self._show(name, look)
        ended()

    async def show_in_turn(self, ended: Callable[[], None]) -> None:
        """Draw the picture pane by pane, with time for keys before each that is seen, then call `ended`."""
        for name in self._board.dialect.panes:
            await asyncio.sleep(BETWEEN_S * (name in self._board.visible_panes))
            self._show(name, self._board.look)
        ended()

    def _show(self, name: str, look: RenderContext) -> None:
        board, picture = self._board, self._board.state.picture
        if name in board.visible_panes:
            self._feed(board.pane(name), picture, look)
        else:
            self._orders.pop(name, None)
            board.pane(name).forget()

    def link(self, application: str) -> None:
        board, picture = self._board, self._board.state.picture
        if application == self._linked:
            return
        self._linked = application
        for name in board.visible_panes:
            if name != board.pane_name and board.view(name).is_linked:
                self._feed(board.pane(name), picture, board.look)

    def touch(self, name: str) -> None:
        if name in self._orders:
            self._orders[name].touch(self.wall())

    def begin_again(self, name: str) -> None:
        self._orders.pop(name, None)
        self._made.pop(name, None)
        self._board.pane(name).version = None

    def _feed(self, pane: RowPane[Any], picture: SessionState, look: RenderContext) -> None:
        board, view = self._board, pane.view
        is_linked = view.is_linked and view.name != board.pane_name
        look = look._replace(selected=self._linked if is_linked else "", pinned=view.pinned(picture, look))
        self._marks.check(pane, picture)
        arrangement = board.arrangement(view.name)
        header = picture.snapshot.header
        pane.nothing = nothing_words(view, picture.snapshot) if arrangement.is_plain else NO_MATCH
        order = self._orders.setdefault(view.name, StableOrder(view.identity))
        wanted = arrangement.key(look)
        # Waits grow, and a freeze is found, while nothing else changes.
        known = (look.now_ms // 1000, frozen_of(picture)) if view.grouping is not None else ()
        now_s, version = self.wall(), (view.source.version(picture), (wanted, known), order.turns)
        if version != pane.version or (order.is_old and order.is_due(now_s)):
            rows, rest = self._rows(pane, picture, arrangement, now_s)
            may_hold = not (picture.run.paused or picture.run.ended)
            shown = order.arranged(rows, rest, view.criteria, look, now_s, wanted=wanted, may_hold=may_hold)
            if view.is_newest_first and not arrangement.sort:
                shown = rows_at(shown, range(len(shown) - 1, -1, -1))
            look = look._replace(scales=view.scales(shown, look))
            pane.sorted_by = sorted_by(view.criteria, arrangement)
            pane.show(self._grouped(view, shown, picture, look, order), (*version[:2], order.turns), look)
        else:
            pane.show(pane.rows, version, look._replace(scales=pane.look.scales if pane.look is not None else {}))
        size = view.size(pane.members, picture, arrangement)
        state, linked = self._state(pane, look, is_held=order.is_held), view.linked(picture, look)
        caption = "  ".join(filter(None, (age_words(view.name, header), view.caption(look))))
        facts = PaneFacts(size, state, linked, caption, inferred_words(view.name, header))
        self._edges.entitle(view.name, facts)

    def _rows(
        self, pane: RowPane[Any], picture: SessionState, arrangement: SortFilter, now_s: float
    ) -> tuple[Sequence[Any], SortFilter]:
        """The rows to choose from, and what of an arrangement is still to be done with them."""
        view = pane.view
        at_s, rows = self._made.get(view.name, (-inf, ()))
        if view.source.least_s and rows and not picture.run.paused and now_s - at_s < view.source.least_s:
            return rows, arrangement
        rows, rest = view.source.rows(picture, arrangement)
        if view.source.least_s:
            self._made[view.name] = now_s, rows
        if pane.map is not None:
            pane.map.metric = heat.METRICS.get(arrangement.sort, "")
            return rows, rest._replace(sort="", reverse=False)
        return (self._board.state.folds.visible(rows) if view.layout_mode == TREE else rows), rest

    def _grouped(
        self, view: PaneView[Any], rows: Sequence[Any], picture: SessionState, look: RenderContext, order: StableOrder
    ) -> Sequence[Any]:
        """Rows under headlines, unless they are sorted; while their order is held, that of the groups is too."""
        arrangement = self._board.arrangement(view.name)
        if view.grouping is None or arrangement.sort or arrangement.reverse or not rows:
            return rows
        grouping = view.grouping(rows, picture, look)
        if grouping is not None and order.is_old and (before := self._group_orders.get(view.name)):
            grouping = grouping.in_order(before)
        self._group_orders[view.name] = [] if grouping is None else [group.key for group in grouping.groups]
        folds = self._board.state.group_folds.setdefault(view.table, {})
        return rows if grouping is None else GroupedRows(rows, grouping, folds)

    def _state(self, pane: RowPane[Any], look: RenderContext, *, is_held: bool) -> str:
        parts = [pane.map.words(look)] if pane.map is not None else []
        parts += [self._marks.words(pane), "order held" if is_held else ""]
        return "  ".join(part for part in parts if part)
