"""The board: what the parts of the cluster screen share, its state and what they may ask of the screen."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from textual.screen import Screen

from engine.errors import nearest
from engine.explain.answer import RemediesReport
from engine.model.request import queue_named
from engine.observe.snapshot import ApplicationRow, NodeRow, column, lazy_rows
from tui.actions import ACTIONS, Action
from tui.board.dialects import Dialect
from tui.board.layout import PaneChoice, PanePlacement, PanePlan, visible
from tui.panes.arrangement import Filter, SortFilter
from tui.panes.fragments import HeldNodes, HueTable, RenderContext, nothing_there
from tui.panes.group import GroupedRows, held_nodes
from tui.panes.header import DrillClock
from tui.panes.nodes import Blocks, BlocksOn, common_prefix
from tui.panes.pane_view import PaneView, application_of, default_render_context, watched_from
from tui.panes.partition import with_partitions
from tui.panes.pulse import ActLine, Thaw
from tui.panes.queue import FoldState
from tui.panes.waits import with_waits
from tui.protocol import messages
from tui.protocol.picture import APPLICATION, NODE, QUEUE, SessionState, WhySubject
from tui.settings import LOSS
from tui.terminal import format as text
from tui.terminal.format import short_id
from tui.terminal.theme import StyleTable
from tui.widgets.pane import RowPane

READ_ONLY: Final = "Read-only: nothing here changes the cluster."


def as_action(call: str) -> str:
    r"""A call as an action of the cluster screen, as textual spells it.

    >>> as_action("navigation.show('nodes')")
    'perform("navigation.show(\'nodes\')")'
    """
    return f"perform({call!r})"


class Crumb(NamedTuple):
    pane: str  # From here …
    variant: str
    row_id: str | None
    target: str  # … to this table, …
    arrangement: SortFilter  # … whose rows were chosen so before
    target_pane: str
    label: str  # What was left, in the words of the trail


@dataclass
class ViewState:
    """All that the user has chosen to see. Plain data; the cursor of each pane is its widget's."""

    choice: PaneChoice  # Which panes
    picture: SessionState  # What is drawn
    views: dict[str, str] = field(default_factory=dict)  # Pane → its view, where it is not the first
    arrangements: dict[str, SortFilter] = field(default_factory=dict)  # Table → how its rows are chosen and ordered
    filters: dict[str, Filter] = field(default_factory=dict)  # Table → the filter that was typed last
    marks: dict[str, dict[str, None]] = field(default_factory=dict)  # Pane → ids of marked rows, in order of marking
    trail: list[Crumb] = field(default_factory=list)  # The steps that `enter` and `b` took, the first one first
    folds: FoldState = field(default_factory=FoldState)  # Which queues are folded
    group_folds: dict[str, dict[str, bool]] = field(default_factory=dict)  # Table → group → whether it was folded
    muted: set[str] = field(default_factory=set)  # Badges muted on the page of alerts: the header shows none
    acted: ActLine | None = None  # The last act, while its lines stand
    remedies: RemediesReport | None = None  # What would start all that wait, as far as tried at the instant
    can_undo: bool = False  # Whether there is an act to undo
    can_redo: bool = False  # Whether something was undone that can be brought back
    thaw: Thaw | None = None  # What came of what was foretold of the last act; None where nothing was

    @property
    def is_past(self) -> bool:
        return self.picture.run.present_ms is not None


class UnavailableMessages(NamedTuple):
    """Sentences that are said where a session lacks a part."""

    clock: str = "This cluster is live: its clock cannot be driven, and it has no past to go to."
    acts: str = "Nothing here can change this cluster."
    questions: str = "This cluster is live: why something waits can only be asked of a simulation."
    copy: str = "Not tried: this cluster is live, and there is no copy of it."  # In a dialog that would try an act


class ScreenOptions(msgspec.Struct, frozen=True, kw_only=True):
    styles: StyleTable
    ascii_only: bool = False
    read_only: bool = False
    registry: Sequence[Action] = ACTIONS  # The actions with the user's keys
    save_folder: Path = Path()
    confirm: str = LOSS  # Which acts ask first
    lesson: str = ""  # The lesson that a newcomer reads: a name of `lessons.LESSONS`; empty for none
    is_lesson_hidden: bool = False  # True if its lines were closed for ever
    lesson_mark: Path | None = None  # The file that says so
    absent: UnavailableMessages = UnavailableMessages()
    drill: DrillClock | None = None  # The drill that is played; None where none is
    tries_remedies: bool = False  # Whether what would help is tried on copies while the clock stands
    source: str = ""  # What is shown, as a shell names it; empty where not named
    at_loss: Callable[[], object] = lambda: None  # Called when the terminal is gone and the program ends


Row = TypeVar("Row", ApplicationRow, NodeRow)


def application_named(name: str, picture: SessionState) -> ApplicationRow | None:
    """The application of an id or a number."""
    rows = picture.snapshot.applications(why=False)
    number = int(name) if name.isascii() and name.isdigit() else None
    return next((row for row in rows if row.id == name or row.number == number), None)


def node_named(name: str, picture: SessionState) -> NodeRow | None:
    """The node of an id or a host."""
    return next((row for row in picture.snapshot.nodes() if name in (row.id, row.host)), None)


def rows_named(
    names: str, find: Callable[[str, SessionState], Row | None], kind: str, board: "BoardScreen"
) -> list[Row]:
    """The rows of names with blanks between, each once; none where one is not there, which is said."""
    found: dict[str, Row] = {}
    for name in names.split():
        row = find(name, board.state.picture)
        if row is None:
            board.say(f"There is no {kind} {name}.")
            return []
        found[row.id] = row
    return list(found.values())


def subject_named(name: str, picture: SessionState) -> WhySubject | str:
    """Find the application, queue or node that an id, number, path or host names; a sentence where there is none."""
    application = application_named(name, picture)
    if application is not None:
        return WhySubject(APPLICATION, str(application.number))
    paths = [row.path for row in picture.snapshot.queues()]
    path = queue_named(name, paths)
    if path is not None:
        return WhySubject(QUEUE, path)
    node = node_named(name, picture)
    if node is not None:
        return WhySubject(NODE, node.id)
    known = [short_id(row.id) for row in picture.snapshot.applications(why=False)]
    hint = nearest(name, [*known, *paths, *(row.host for row in picture.snapshot.nodes())])
    return f"There is no application, queue or node {name}" + (f"; {hint}" if hint else ".")


class RenderContextBuilder:
    """Makes the look of a board's picture; hues once given stay."""

    def __init__(self, options: ScreenOptions, state: ViewState, blocks_on: BlocksOn) -> None:
        self._options, self._state, self._blocks_on = options, state, blocks_on
        self._hues = HueTable(lambda: [row.path for row in state.picture.snapshot.queues()])
        self._blocks_for: object = None
        self._waits_for: object = None
        self._counted = default_render_context(state.picture)
        self._names_for: object = None
        self._prefix = ""
        self._blocks: Callable[[str], Blocks] = nothing_there
        self._held: Mapping[str, HeldNodes] = {}
        self._partitions_for: object = None
        self._partitions: tuple[str, ...] = ()

    def look(self) -> RenderContext:
        picture, options = self._state.picture, self._options
        look = default_render_context(picture)._replace(
            is_ascii=options.ascii_only,
            is_colourless=options.styles.palette == "none",
            may_act=not (options.read_only or self._state.is_past or picture.run.is_watched),
            may_undo=options.drill is None,
            watched_from_ms=watched_from(picture.run),
            hues=self._hues,
            coming=self._state.thaw.coming if self._state.thaw is not None and self._state.thaw.is_on else {},
        )
        return self._of_waits(self._of_nodes(self._of_queues(look, picture), picture), picture)

    def _of_queues(self, look: RenderContext, picture: SessionState) -> RenderContext:
        version = picture.snapshot.version("queues"), id(picture.snapshot)
        if version != self._partitions_for:
            self._partitions, self._partitions_for = with_partitions(look, picture.snapshot).partitions, version
        return look._replace(partitions=self._partitions)

    def _of_waits(self, look: RenderContext, picture: SessionState) -> RenderContext:
        version = picture.snapshot.version("applications"), picture.run.present_ms is None
        if version != self._waits_for:
            self._counted, self._waits_for = with_waits(look, picture.snapshot), version
        return look._replace(waits=self._counted.waits)

    def _of_nodes(self, look: RenderContext, picture: SessionState) -> RenderContext:
        snapshot, header = picture.snapshot, picture.snapshot.header
        version = snapshot.version("nodes"), look.now_ms, id(snapshot)
        if version != self._blocks_for:
            self._blocks, self._blocks_for = self._blocks_on(snapshot, look), version
            self._held = held_nodes(snapshot) if header.nodes_held else {}
        there = header.nodes + header.nodes_down, header.total
        if there != self._names_for:
            names = map(text.short_node, column(snapshot.nodes(), "id"))
            self._prefix, self._names_for = common_prefix(names), there
        return look._replace(blocks=self._blocks, held=self._held, prefix=self._prefix)


class BoardScreen(Screen[None]):
    """The cluster screen as its parts see it: what is shown, and what they may ask of it."""

    def __init__(self, options: ScreenOptions, picture: SessionState, dialect: Dialect) -> None:
        super().__init__()
        self.options, self.dialect = options, dialect
        self.state = ViewState(PaneChoice((next(iter(dialect.panes)),)), picture)
        self._looks = RenderContextBuilder(options, self.state, dialect.blocks_on)
        self._placement = PanePlacement(dialect.plans)

    @property
    def look(self) -> RenderContext:
        return self._looks.look()

    @property
    def plan(self) -> PanePlan:
        return self._placement.plan

    @property
    def visible_panes(self) -> list[str]:
        """The panes on screen, in the order of the plan."""
        return visible(self.plan, self.state.choice)

    @property
    def pane_name(self) -> str:
        return self.state.choice.pane

    @property
    def active(self) -> RowPane[Any]:
        return self.pane(self.pane_name)

    def pane(self, name: str) -> RowPane[Any]:
        return self.query_one(f"#{name}", RowPane)

    def view(self, name: str) -> PaneView[Any]:
        return self.state.folds.shown(self.dialect.view(name, self.state.views.get(name, "")))

    def arrangement(self, name: str) -> SortFilter:
        return self.state.arrangements.get(self.view(name).table, SortFilter())

    def rearrange(self, name: str, arrangement: SortFilter) -> None:
        self.state.arrangements[self.view(name).table] = arrangement
        self.redraw()

    def say(self, words: str, severity: str = "warning") -> None:
        self.post_message(messages.Noticed(words, severity))

    def open(self, screen: Screen[Any], answered: Callable[[Any], None] | None = None) -> None:
        _ = self.app.push_screen(screen, answered)

    def choose_in(self, screen: Screen[Any], chosen: Callable[[Any], object]) -> None:
        """Put a screen on top; what is chosen there goes to `chosen`, and nothing where it is left."""

        def answered(answer: Any) -> None:
            if answer is not None:
                _ = chosen(answer)

        self.open(screen, answered)

    @abstractmethod
    def choose(self, choice: PaneChoice) -> None:
        """Show other panes, and give the keys to the one that is to have them."""

    @abstractmethod
    def take_view(self, name: str, variant: str) -> None:
        """Show a pane in another view from the next picture on."""

    @abstractmethod
    def redraw(self) -> None:
        """Draw the same picture again, as the state says."""

    @abstractmethod
    def perform(self, call: str) -> None:
        """Do what a key, a click or a command calls."""


def selected_application(pane: RowPane[Any], picture: SessionState) -> str:
    """The id of the application that the user put the cursor of a pane on; empty where it was not moved there."""
    row = pane.selected if pane.cursor.was_moved else None
    if row is None:
        return ""
    found = next(iter(pane.view.refers_to(row, default_render_context(picture))), None)
    if found is None or found.kind != APPLICATION:
        return ""
    if isinstance(found.key, str):
        return found.key
    application = application_of(found.key, picture)
    return "" if application is None else application.id


class Marks:
    """Marks rows, so that an act is about many: a mark belongs to an id, survives sorting, and goes with its row."""

    def __init__(self, board: BoardScreen) -> None:
        self._board = board
        self._checked: dict[str, object] = {}  # Pane → version of the rows its marks were last compared with

    def mark(self) -> None:
        if self._can_mark() and self._board.active.cursor.id is not None:
            self.toggle(self._board.active)
            self._board.active.move(1)

    def toggle(self, pane: RowPane[Any]) -> None:
        """Mark the row under a pane's cursor, or all under a headline; take the mark away where there is one."""
        ids = _ids_at(pane)
        if ids:
            (pane.unmark if all(row_id in pane.marks for row_id in ids) else pane.mark)(ids)
            self._board.redraw()

    def mark_all(self) -> None:
        pane = self._board.active
        if self._can_mark():
            shown = pane.members
            pane.mark(pane.view.identity(row) for row in lazy_rows(shown))
            self._board.redraw()
            self._board.say(f"Marked {text.plural(len(shown), 'row')}.", "information")

    def unmark_all(self) -> None:
        self._board.active.unmark(self._board.active.marks)
        self._board.redraw()

    def drop(self) -> bool:
        if not self._board.active.marks:
            return False
        self.unmark_all()
        return True

    def _can_mark(self) -> bool:
        board = self._board
        if not board.active.view.marks:
            names = [title for name, title in board.dialect.titles.items() if board.dialect.view(name).marks]
            board.say(f"Nothing is done to many at once here; rows are marked in {' and '.join(names)}.")
        return board.active.view.marks is not None

    def check(self, pane: RowPane[Any], picture: SessionState) -> None:
        view, version = pane.view, pane.view.source.version(picture)
        if pane.marks and self._checked.get(view.name) != version:
            self._checked[view.name] = version
            there = {view.identity(row) for row in lazy_rows(view.source.rows(picture, SortFilter())[0])}
            pane.unmark([row_id for row_id in pane.marks if row_id not in there])

    def words(self, pane: RowPane[Any]) -> str:
        if not pane.marks:
            return ""
        hidden = 0
        if not self._board.arrangement(pane.view.name).is_plain:
            hidden = len(pane.marks) - sum(pane.view.identity(row) in pane.marks for row in lazy_rows(pane.members))
        return f"{len(pane.marks)} marked" + (f" ({hidden} hidden)" if hidden else "")

    def marked(self) -> Sequence[Any]:
        """The marked rows of the pane as they are now, in the order of the marks."""
        return self.rows() if self._board.active.marks else []

    def rows(self) -> Sequence[Any]:
        """The marked rows of the pane as they are now, in the order of the marks; without any that under the cursor."""
        pane, picture = self._board.active, self._board.state.picture
        if not pane.marks:
            return [] if pane.selected is None else [pane.selected]
        rows = pane.view.source.rows(picture, SortFilter())[0]
        by_id = {pane.view.identity(row): row for row in rows}
        return [by_id[row_id] for row_id in pane.marks if row_id in by_id]


def _ids_at(pane: RowPane[Any]) -> list[str]:
    headline, rows = pane.headline, pane.rows
    if headline is not None and isinstance(rows, GroupedRows):
        return [pane.view.identity(row) for row in lazy_rows(rows.members_of(headline))]
    return [] if pane.cursor.id is None else [pane.cursor.id]
