"""A view: one kind of rows with everything a pane needs to know of it; screens never look at the type of a row."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from engine.observe.snapshot import SECTIONS, ApplicationRow, Header, NodeRow, QueueRow, Snapshot, Unknown, lazy_rows
from engine.observe.snapshots import queue_word
from tui.panes.arrangement import Filter, SortFilter
from tui.panes.field import APPLICATION, NODE, QUEUE, Criteria, Scope, belongs
from tui.panes.fragments import Fragment, Fragments, RenderContext
from tui.panes.group import Grouping
from tui.panes.table import Column
from tui.protocol.picture import RunState, SessionState
from tui.terminal import format as text

Row = TypeVar("Row")


class Reference(NamedTuple):
    kind: str  # A kind of `scope`: `QUEUE`, `APPLICATION`, `NODE`, `USER`
    key: str | int  # Path of a queue, id or number of an application, id of a node, name of a user


class NavigationTarget(NamedTuple):
    pane: str
    id: str = ""  # The row to stand on there; empty is the first
    scope: Scope | Filter | None = None  # What of the pane belongs to the row that was left; None is all
    variant: str = ""  # The view to show the pane in; empty is the one it is in


Rows = tuple[Sequence[Any], SortFilter]  # Rows to choose from, and what is still to be chosen of them


class RowSource(NamedTuple):
    rows: Callable[[SessionState, SortFilter], Rows]
    version: Callable[[SessionState], object]  # Changes when the rows may have
    least_s: float = 0.0  # The least time between two makings while the clock runs [s]: some read all nodes


def made_of(rows: Callable[[Snapshot], Sequence[Any]], name: str, least_s: float = 0.0) -> RowSource:
    """Rows made of a snapshot's section."""
    return RowSource(
        lambda picture, arrangement: (rows(picture.snapshot), arrangement),
        lambda picture: picture.snapshot.version(name),
        least_s,
    )


def section(name: str) -> RowSource:
    return made_of(lambda snapshot: getattr(snapshot, name)(), name)


NO_SOURCE = RowSource(lambda picture, arrangement: ((), arrangement), lambda picture: None)
"""The source of rows that no picture has: the pane that shows them hands them over."""


def by_row(
    details: Callable[[Row, RenderContext], list[Fragments]],
) -> Callable[[Row, SessionState, RenderContext, int], list[Fragments]]:
    """Details that take nothing but the row, however many lines there are."""
    return lambda row, picture, look, height: details(row, look)


TABLE, TREE, MAP, PLOTS = "table", "tree", "map", "plots"
"""How rows are drawn: one line each; as queues, parts of which can be folded; one cell for one row or for a few; one
small plot each, in a window of time that the user may choose instead of an order."""


class PaneView(NamedTuple, Generic[Row]):
    name: str  # The name of its pane, as in `actions.PANES`
    title: str  # As people call the rows, in the pane's title
    source: RowSource
    columns: Sequence[Column[Row]]
    identity: Callable[[Row], str]  # What cursor and marks hold on to: the same in every snapshot
    details: Callable[[Row, SessionState, RenderContext, int], list[Fragments]]  # What the strip says of the row
    empty_text: str  # Stands in the pane when there is no row
    kind: str = ""  # What its rows are, where the pane is not named after them
    variant: str = ""  # Name of this view of the pane; empty where the pane has one only
    criteria: Criteria = Criteria()
    facts: Callable[[Row, RenderContext], list[str]] = lambda row, look: [str(row)]  # All that is known of a row
    form_values: Callable[[Row], Mapping[str, str]] = lambda row: {}  # What the form to submit takes from a row

    # The form of rows in their pane
    layout_mode: str = TABLE  # How the rows are drawn: `TABLE`, `TREE`, `MAP` or `PLOTS`
    sorted_columns: Sequence[Column[Row]] | None = None  # The columns while rows are sorted; None: the same
    every_column: Sequence[Column[Row]] | None = None  # The columns to choose from; None are those that are shown
    grouping: Callable[[Sequence[Any], SessionState, RenderContext], Grouping | None] | None = None
    """The groups the rows stand in while they are not sorted; None is one list."""
    has_folds: bool = False  # Whether these groups can be folded
    pinned: Callable[[SessionState, RenderContext], tuple[Fragments, ...]] = lambda picture, look: ()
    """Stands in place of the head line while it matters more, the longest form first."""
    scales: Callable[[Sequence[Any], RenderContext], Mapping[str, int]] = lambda rows, look: {}
    """The ends of the pane's bars, where they are not known anyway."""
    sign: Callable[[Row, RenderContext], Fragment | None] = lambda row, look: None  # Stands before a row
    is_tight: bool = False  # Whether columns may stand one blank apart where there is little room
    total: Callable[[Sequence[Row]], Row] | None = None  # The row of all together, under the last one
    is_newest_first: bool = False  # Whether rows come oldest first and are shown the other way round
    stands_by_nodes: bool = False  # Whether it shares the place of the nodes on a large screen, not that of the events
    is_linked: bool = False  # Whether rows about the application that is selected in another pane stand out

    # Where rows lead to
    refers_to: Callable[[Row, RenderContext], Sequence[Reference]] = lambda row, look: ()  # The most important first
    enter: Callable[[Row, SessionState, Scope | Filter | None], NavigationTarget | str] | None = None
    """Where `enter` leads, or why nowhere; takes what the pane is narrowed to. None: to the application or node."""
    enter_help: str = ""  # Where `enter` leads, in a sentence for help
    owner: Callable[[Row, SessionState], NavigationTarget | str] | None = None
    """What a row belongs to, or why to nothing. None: to its application."""

    # The words about rows
    crumb: Callable[[str], str] | None = None  # What the trail calls such a row. None: singular of the table's name
    subject: Callable[[Row], str] | None = None  # What the strip calls a row. None: its crumb.
    size: Callable[[Sequence[Any], SessionState, SortFilter], str] = lambda rows, picture, arrangement: str(len(rows))
    """How many rows there are, for the pane's title."""
    caption: Callable[[RenderContext], str] = lambda look: ""  # End of the title: what rows have in common
    linked: Callable[[SessionState, RenderContext], str] = lambda picture, look: ""
    """Stands in the title: what the application that is selected in another pane has here."""
    marks: Callable[[Sequence[Any], RenderContext], list[Fragments]] | None = None
    """What the strip says of marked rows; None where rows cannot be marked, else they have a gutter of one cell."""

    @property
    def table(self) -> str:
        return self.kind or self.name

    def crumb_of(self, row_id: str) -> str:
        return self.table.removesuffix("s") if self.crumb is None else self.crumb(row_id)

    def subject_of(self, row: Row) -> str:
        return self.crumb_of(self.identity(row)) if self.subject is None else self.subject(row)


def scope_crumb(kind: str) -> Callable[[str], str]:
    return lambda row_id: Scope(kind, row_id).text


def application_of(key: str | int, picture: SessionState) -> ApplicationRow | None:
    """The application with an id or a number; None when there is none."""
    return next(iter(_rows_of([key], picture.snapshot.applications(), lambda row: (row.id, row.number))), None)


def _rows_of(keys: Sequence[str | int], rows: Sequence[Any], names: Callable[[Any], Iterable[str | int]]) -> list[Any]:
    wanted = set(keys)
    places = {name: place for place, row in enumerate(lazy_rows(rows)) for name in names(row) if name in wanted}
    return [rows[place] for place in dict.fromkeys(places[key] for key in keys if key in places)]


def _queue_of(key: str | int, picture: SessionState) -> QueueRow | None:
    return next((row for row in picture.snapshot.queues() if row.path == key), None)


def default_render_context(picture: SessionState) -> RenderContext:
    """The `RenderContext` for a row that is drawn outside of any pane."""
    header = picture.snapshot.header
    queue = queue_word(header.scheduler)
    return RenderContext(header.time_ms, header.dimensions, header.total, picture.run.offset_ms, queue=queue)


def reference(view: PaneView[Row], row: Row, picture: SessionState, *kinds: str) -> Reference | None:
    """The first thing of some kinds that a row names; None where it names none."""
    return next((one for one in view.refers_to(row, default_render_context(picture)) if one.kind in kinds), None)


def names_application(view: PaneView[Row], row: Row, look: RenderContext, application: str) -> bool:
    """True where the first application that a row names is this one."""
    key = next((one.key for one in view.refers_to(row, look) if one.kind == APPLICATION), None)
    return belongs(APPLICATION, key, application)


def _keys(view: PaneView[Row], rows: Iterable[Row], picture: SessionState, kind: str) -> list[str | int]:
    found = (reference(view, row, picture, kind) for row in rows)
    return [one.key for one in found if one is not None]


def as_application(view: PaneView[Row], row: Row, picture: SessionState) -> ApplicationRow | None:
    """The row itself, where it is an application; None where it only names one."""
    found = reference(view, row, picture, APPLICATION)
    itself: Any = row
    return itself if found is not None and found.key == view.identity(row) else None


def applications_at(view: PaneView[Row], rows: Iterable[Row], picture: SessionState) -> list[ApplicationRow]:
    """The applications that rows name, each once; those that are gone are left out."""
    keys = _keys(view, rows, picture, APPLICATION)
    return _rows_of(keys, picture.snapshot.applications(), lambda row: (row.id, row.number)) if keys else []


def application_at(view: PaneView[Row], row: Row, picture: SessionState) -> ApplicationRow | None:
    """The application a row names; None where it names none or that is gone."""
    return next(iter(applications_at(view, [row], picture)), None)


def nodes_at(view: PaneView[Row], rows: Iterable[Row], picture: SessionState) -> list[NodeRow]:
    """The nodes that rows name, each once; those that are gone are left out."""
    keys = _keys(view, rows, picture, NODE)
    return _rows_of(keys, picture.snapshot.nodes(), lambda row: (row.id,)) if keys else []


def queue_at(view: PaneView[Row], row: Row, picture: SessionState) -> QueueRow | None:
    """The queue a row names, else that of its application; None where there is neither."""
    found = reference(view, row, picture, QUEUE)
    if found is not None:
        return _queue_of(found.key, picture)
    application = application_at(view, row, picture)
    return None if application is None else _queue_of(application.queue, picture)


def into(
    view: PaneView[Row], row: Row, picture: SessionState, scope: Scope | Filter | None = None
) -> NavigationTarget | str:
    """Tells where `enter` leads from a row of a pane that is narrowed to a scope, or why nowhere."""
    if view.enter is not None:
        return view.enter(row, picture, scope)
    nodes = nodes_at(view, [row], picture)
    to_node = NavigationTarget("nodes", nodes[0].id) if nodes else "Nothing to open from this row."
    return to_application(view, row, picture) or to_node


def owner(view: PaneView[Row], row: Row, picture: SessionState) -> NavigationTarget | str:
    """The thing a row belongs to, or a sentence why there is none."""
    if view.owner is not None:
        return view.owner(row, picture)
    return to_application(view, row, picture) or "This row belongs to no application."


def to_application(view: PaneView[Row], row: Row, picture: SessionState) -> NavigationTarget | None:
    found = application_at(view, row, picture)
    return None if found is None else NavigationTarget("applications", found.id)


_ASKED_RARELY = frozenset({"applications", "containers", "nodes", "reservations", "users"})
"""Sections that are as old as `Header.pages_ms`."""


def inferred_words(name: str, header: Header) -> str:
    """Return what the title of a pane says where some of its rows are inferred."""
    if name == "nodes" and name not in header.inferred and "containers" in header.inferred:
        return "blocks inferred"
    if name not in header.inferred:
        return ""
    return "holders inferred" if name == "applications" else "inferred"


def age_words(name: str, header: Header) -> str:
    """Return how old the rows of a pane are, where they are older than the header; empty where they are not."""
    if name not in _ASKED_RARELY or header.pages_ms is None:
        return ""
    return f"{text.age(header.pages_ms, header.time_ms)} old"


def nothing_words(view: PaneView[Any], snapshot: Snapshot) -> str:
    reserved = snapshot.header.nodes_reserved
    if snapshot.dialect != "yarn":
        return view.empty_text
    if view.name in SECTIONS and view.name not in snapshot.sections:
        return f"Which {view.name} there are, the server does not say."
    if view.name == "reservations" and isinstance(reserved, int) and reserved:
        return f"{text.plural(reserved, 'node')} reserved; the server does not say for which applications."
    if view.name == "reservations" and isinstance(reserved, Unknown):
        return "The server does not say what is reserved."
    return view.empty_text


def watched_from(run: RunState) -> int | None:
    """Return when a live cluster was first asked [epoch ms]; None of any other, and of what was recorded of one."""
    return None if run.reception is None or run.track is None else run.track.start_ms
