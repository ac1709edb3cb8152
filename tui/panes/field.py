"""Fields of a kind of row: one list of which its tables, sort menu, filter, scopes and facts are made."""

from collections.abc import Callable, Collection, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final, Generic, NamedTuple, TypeVar

from engine.model.request import is_under
from engine.observe.snapshot import AskRow, ObstacleSummary, PartitionUse, Release, Unknown, known
from engine.observe.snapshots import MAPREDUCE_1, SPARK, SystemTerms, terms_for, translate_terms
from engine.units import parse_duration, parse_memory, parse_whole
from tui.panes.fragments import Fragments, RenderContext, hue_of
from tui.panes.release import release_lines
from tui.panes.table import Cell, Column, placeholder_cell
from tui.terminal import format as text

# All fields of one row as text: in groups, amounts with units, instants as a clock shows them.
#
# A view names the groups of its fields; a field that no group names stands at the end, so nothing is left out.

_HIDDEN: Final = frozenset({"depth", "sequence", "driver"})  # Say how a row is drawn, or stand in the strip
_OF_SESSIONS: Final = frozenset({"jobs", "jobs_done", "idle_since_ms", "idle_containers"})
_YARN_ONLY: Final = _OF_SESSIONS | {"is_am", "marked_ms", "partition", "memory_seconds", "progress"}
_NOT_IN: Final[Mapping[SystemTerms, frozenset[str]]] = {
    MAPREDUCE_1: _YARN_ONLY | {"steady_share"},
    SPARK: _YARN_ONLY | {"queue", "queues", "rack", "reserved", "reserved_by", "short_by", "reservations"},
}  # System → attributes that mean nothing there
_LABELS: Final = {
    "applications_running": "running",
    "applications_pending": "not running yet",
    "asks": "each",
    "cores_wanted": "cores at most",
    "executor_memory_mb": "executor memory",
    "id": "id",
    "is_am": "runs the master",
    "is_leaf": "holds applications",
    "last_heartbeat_ms": "last heartbeat",
    "launched_ms": "launched",
    "am_limit": "at most",
    "am_used": "used",
    "marked_ms": "to be preempted",
    "memory_mb": "memory",
    "partition": "node label",
    "pending_containers": "containers",
    "obstacle": "reason",
    "released": "freed",
    "reservations": "nodes reserved",
    "since_ms": "since",
    "starved_since_ms": "starved since",
    "steady_share": "steady fair share",
    "submitted_ms": "submitted",
    "finished_ms": "ended",
    "waiting_since_ms": "waits since",
}
_NEVER: Final = {
    "waiting_since_ms": "it does not wait",
    "finished_ms": "it has not",
    "starved_since_ms": "it is not starved",
    "marked_ms": "no",
    "max_share": "no limit",
    "user_limit": "has no applications of its own",
    "am_limit": "has no applications of its own",
    "am_used": "has no applications of its own",
    "cores_wanted": "no limit",
    "executor_cores": "all it is given on a worker",
    "reserved_by": "none",
    "reserved": "nothing",
    "obstacle": "it does not wait",
}  # What None means
_AMOUNTS: Final = frozenset(
    {"used", "total", "free", "demand", "size", "short_by", "reserved", "pending", "fair_share", "steady_share"}
    | {"min_share", "max_share", "guaranteed", "user_limit", "am_used", "am_limit"}
)
_UNITS: Final = {"memory_mb": "memory", "map_slots": "map slots", "reduce_slots": "reduce slots"}
_TASKS: Final = {
    **dict.fromkeys(("maps", "reduces"), "{} run, {} of {} done"),
    "local_maps": "{} on a host with their data, {} in its rack, of {}",
}
_KEPT_EMPTY: Final = {"partition": "none"}  # What no text at all means where that says something
_SAID_IF_KNOWN: Final = frozenset({"last_heartbeat_ms"})  # A simulation keeps it of nodes alone that fell silent
_BY_POLICY: Final = frozenset({"fair_share", "steady_share"})  # Of which memory policies compute the first alone
_COLUMN: Final = 23
_LEAST: Final = 24  # Cells that a value gets at least


def fact_lines(facts: Sequence[str], width: int = 108) -> list[str]:
    room = max(_LEAST, width - _COLUMN)
    return [line for fact in facts for line in _broken(fact, room)]


def _broken(line: str, room: int) -> list[str]:
    head, value = line[:_COLUMN], line[_COLUMN:]
    if len(value) <= room:
        return [line]
    first, *rest = wrap(value, room, break_long_words=False, break_on_hyphens=False)
    return [head + first, *(" " * _COLUMN + more for more in rest)]


def joined(blocks: Sequence[Sequence[str]]) -> list[str]:
    """Blocks of lines, with an empty line between two."""
    lines = [line for block in blocks for line in ("", *block)]
    return lines[1:]


def pair(name: str, value: Sequence[str]) -> list[str]:
    """A field with its value, further lines of which stand under the first."""
    return [f"  {name if place == 0 else '':<20} {words}".rstrip() for place, words in enumerate(value or [""])]


def label(name: str) -> str:
    """The label of a field.

    >>> label("waiting_since_ms"), label("fair_share")
    ('waits since', 'fair share')
    """
    return _LABELS.get(name, name.removesuffix("_ms").replace("_", " "))


def value_lines(name: str, value: Any, look: RenderContext) -> list[str]:
    """A value in words; several where there are several asks."""
    if isinstance(value, Unknown):
        return ["not known here"]
    if value is None:
        return [_NEVER.get(name, "none")]
    if isinstance(value, ObstacleSummary):
        return [text.plain(value.sentence), f"{value.code}, {value.certainty}"]
    if isinstance(value, Release):
        return list(release_lines(value, look))
    if name == "asks":
        return [_ask(ask, look) for ask in value] or ["nothing"]
    if name == "partitions":
        return [_partition(each, look) for each in value]
    if name in _BY_POLICY and not any(value[1:]):
        value = value[:1]
    if name in _AMOUNTS and isinstance(value, tuple):
        return [_amounts_words(value, look.dimensions)]
    return [_plain(name, value, look)]


def _partition(use: PartitionUse, look: RenderContext) -> str:
    name = text.plain(use.label) or "without label"
    used = _amounts_words(use.used, look.dimensions)
    return f"{name}: {100 * use.capacity:g} %, at most {100 * use.maximum:g} %; uses {used}"


def _plain(name: str, value: Any, look: RenderContext) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name.endswith("_ms") and isinstance(value, int):
        return moment(value, look)
    if name.endswith("_mb") and isinstance(value, int):
        return text.memory(value)
    if name == "share" and isinstance(value, float):
        return f"{100 * value:.1f}% of the cluster, in what it uses most"
    if isinstance(value, float):
        return f"{value:g}"
    if name in _TASKS:
        return _TASKS[name].format(*value)
    if isinstance(value, tuple):
        return ", ".join(text.plain(str(one)) for one in value) or "none"
    return text.plain(str(getattr(value, "value", value))) or _KEPT_EMPTY.get(name, "-")


def moment(time_ms: int, look: RenderContext) -> str:
    """An instant as a clock shows it, and how long ago that was."""
    clock = text.clock(time_ms, look.offset_ms)
    ago_ms = look.now_ms - time_ms
    return f"{clock}, {text.duration(ago_ms)} ago" if ago_ms >= 0 else f"{clock}, in {text.duration(-ago_ms)}"


def _amounts_words(values: Sequence[int], dimensions: Sequence[str]) -> str:
    """Amounts with the name of each.

    >>> _amounts_words((24576, 8), ("memory_mb", "vcores"))
    '24G memory, 8 vcores'
    """
    if values and all(value >= text.NO_LIMIT_FROM for value in values):
        return "no limit"
    parts = zip(dimensions, values, strict=False)
    return ", ".join(
        f"{_amount(name, value)} {unit_of(name).removesuffix('s' if value == 1 else '')}" for name, value in parts
    )


def unit_of(dimension: str) -> str:
    """A dimension in words: `map_slots` are map slots."""
    return _UNITS.get(dimension, dimension)


def _amount(name: str, value: int) -> str:
    return "any" if value >= text.NO_LIMIT_FROM else text.dimension(name, value)


def _ask(ask: AskRow, look: RenderContext) -> str:
    if look.terms.asks:
        return f"{ask.count} x {text.plural(ask.size[ask.priority], f'{look.terms.asked(ask.priority)} slot')}"
    asked = f"{ask.count} x {_amounts_words(ask.size, look.dimensions)}"
    if not look.terms.ranks_asks:
        return asked
    where = "anywhere"
    if ask.places:
        where = f"{'near' if ask.relax_locality else 'only on'} {' '.join(map(text.plain, ask.places))}"
    return f"{asked}; priority {ask.priority}, {where}"


Value = str | int | None  # None is nothing to compare: it matches no comparison and is sorted last


class FieldKind(NamedTuple):
    value: Callable[[Any, RenderContext], Value]  # What an attribute of a row is compared by
    cell: Callable[[Any, RenderContext], Cell]  # An attribute as a table shows it
    parse: Callable[[str], int] | None = None  # Reads the bound of a comparison; None for words, which are searched
    firsts: tuple[str, str] = ("A first", "Z first")  # What stands first in an order, and in the order turned round


def at(amounts: Any, place: int) -> int | None:
    """One dimension of an amount; None where there is no such dimension."""
    return amounts[place] if isinstance(amounts, tuple) and len(amounts) > place else None


def since(instant_ms: Any, look: RenderContext) -> int | None:
    """Tells how long ago [ms]; None where the instant is not known."""
    return look.now_ms - instant_ms if isinstance(instant_ms, int) else None


def queue_cell(path: str, look: RenderContext) -> Fragments:
    return [(f"{text.QUEUE_DOT} ", hue_of(path, look)), (text.plain(text.short_queue(path)), "text")]


def _share_cell(amounts: Any, look: RenderContext) -> tuple[str, str]:
    """The first dimension of an amount; `?` where it is not known, a dash where there is none."""
    if isinstance(amounts, Unknown):
        return "?", "faint"
    return (text.dimension(look.dimensions[0], amounts[0]) if amounts else text.NONE), "text"


def _as_it_is(value: Any, look: RenderContext) -> Value:
    words: Value = value
    return words


TEXT = FieldKind(_as_it_is, lambda value, look: (text.plain(value), "text"))  # Words
ID = FieldKind(_as_it_is, lambda value, look: (text.short_id(value), "text"), firsts=("lowest first", "highest first"))
"""The id of an application; a table shows its number."""
NODE_NAME = FieldKind(_as_it_is, lambda value, look: (look.node_name(value), "text"))
"""The id of a node; a table leaves out its port, and what all names begin with."""
PATH = FieldKind(_as_it_is, queue_cell)  # The path of a queue
_MOST = ("most first", "least first")
COUNT = FieldKind(lambda value, look: known(value), lambda value, look: (text.count(value), "text"), parse_whole, _MOST)
"""A number."""
SOME = COUNT._replace(cell=lambda value, look: ("" if value == 0 else text.count(value), "text"))
"""A number; a table leaves out none."""
MEMORY = FieldKind(lambda value, look: at(value, 0), _share_cell, parse_memory, _MOST)
"""The first dimension of an amount [MB]."""
SECOND = FieldKind(
    lambda value, look: at(value, 1),
    lambda value, look: (str(value[1]) if len(value) > 1 else "", "text"),
    parse_whole,
    _MOST,
)  # The second dimension of an amount
AMOUNTS = MEMORY._replace(cell=lambda value, look: (text.amounts(value, look.dimensions), "text"))
"""An amount: compared by its first dimension [MB], shown with all."""
SPAN = FieldKind(
    since,
    lambda value, look: (text.age(value, look.now_ms), "text"),
    parse_duration,
    ("longest first", "shortest first"),
)  # How long ago an instant is [ms]


QUEUE, APPLICATION, NODE, USER, RACK = "queue", "application", "node", "user", "rack"  # Kinds of scope


def belongs(kind: str, value: Any, key: str) -> bool:
    """True where a row with this value of the field belongs to a thing; a queue includes its descendants."""
    if kind == QUEUE:
        return is_under(value, key)
    if isinstance(value, int):
        return f"{value:04d}" == text.short_id(key)
    return bool(value == key)


_SHORT: Final[Mapping[str, Callable[[str], str]]] = {APPLICATION: text.short_id, NODE: text.short_node}


class Scope(NamedTuple):
    """Rows that belong to one thing: `enter` narrows the pane it leads to by it; a filter is typed."""

    kind: str
    id: str

    @property
    def text(self) -> str:
        """Return the text of a title.

        >>> Scope("application", "application_1507795051888_183354").text, Scope("node", "n1:45454").text
        ('app:183354', 'node:n1')
        """
        return f"{'app' if self.kind == APPLICATION else self.kind}:{text.plain(_SHORT.get(self.kind, str)(self.id))}"


Row = TypeVar("Row")
Draw = Callable[[Row, RenderContext, int], Cell]  # Draws the cell of a row in so many cells


class RowField(NamedTuple, Generic[Row]):
    name: str  # As in `name:value`, and in lists of columns
    attribute: str = ""  # The row's attribute; empty is the name
    kind: FieldKind = TEXT
    letter: str = ""  # In the sort menu; empty: only the filter knows it
    help: str = ""  # In the sort menu; empty is the name. Without letter and help it is not compared
    column: Column[Row] | None = None  # How a table shows it; without a cell, as the kind shows the attribute
    group: str = ""  # Title of its group among the facts; empty where the facts leave it out
    scope: str = ""  # FieldKind of the thing whose rows are told by this field
    own: Callable[[Row, RenderContext], Value] | None = None  # What it is compared by, where that is not the attribute

    def value(self, row: Row, look: RenderContext) -> Value:
        if self.own is not None:
            return self.own(row, look)
        return self.kind.value(getattr(row, self.attribute or self.name), look)

    def is_in(self, dimensions: Sequence[str]) -> bool:
        """Tell whether it means something in the system whose amounts have these dimensions."""
        return (self.attribute or self.name) not in _NOT_IN.get(terms_for(dimensions), ())

    def title(self, look: RenderContext) -> str:
        """What the sort menu calls it, in the words of the system."""
        words = translate_terms(self.help or self.name, look.terms)
        amounts = zip(("memory", "vcores"), look.dimensions, strict=False)
        for ours, theirs in amounts:
            words = words.replace(ours, unit_of(theirs))
        return words

    @property
    def is_compared(self) -> bool:
        return bool(self.letter or self.help)

    def belongs(self, row: Row, key: str) -> bool:
        return belongs(self.scope, getattr(row, self.attribute or self.name), key)

    def cell(self, row: Row, look: RenderContext, width: int) -> Cell:
        return self.kind.cell(getattr(row, self.attribute or self.name), look)


class RowOrder(NamedTuple):
    reads: tuple[str, ...]  # Names of the row's attributes that the key is made of
    key: Callable[..., Any]  # Sort key, from the values of these


def _no_problem(row: Any, look: RenderContext) -> bool:
    return False


class Criteria(NamedTuple):
    fields: tuple[RowField[Any], ...] = ()
    is_problem: Callable[[Any, RenderContext], bool] = _no_problem  # Whether an operator should look at a row
    order: RowOrder | None = None  # None is the order of the snapshot
    scopes: Mapping[str, Callable[[Any, str], bool]] = {}  # Kind of a thing → whether a row belongs to it

    @property
    def sortable(self) -> tuple[RowField[Any], ...]:
        return tuple(field for field in self.fields if field.letter)


class RowFields(NamedTuple, Generic[Row]):
    every: tuple[RowField[Row], ...]  # In the order of the facts
    letters: str = ""  # The order of the sort menu, where it is another one

    def field(self, name: str) -> RowField[Row]:
        return {one.name: one for one in self.every}[name]

    def column(self, name: str, **changes: Any) -> Column[Row]:
        field = self.field(name)
        if field.column is None:
            raise KeyError(name)
        column = field.column._replace(sorts=field.name if field.letter else field.column.sorts)
        if column.cell is placeholder_cell:
            column = column._replace(cell=field.cell)
        return column._replace(**changes)

    def columns(self, names: str) -> tuple[Column[Row], ...]:
        """The columns of some fields, named with blanks between."""
        return tuple(map(self.column, names.split()))

    def drawn_as(self, **columns: Column[Any]) -> "RowFields[Any]":
        return self._replace(
            every=tuple(field._replace(column=columns.get(field.name, field.column)) for field in self.every)
        )

    def criteria(
        self, is_problem: Callable[[Row, RenderContext], bool] = _no_problem, order: RowOrder | None = None
    ) -> Criteria:
        compared = [field for field in self.every if field.is_compared]
        compared.sort(key=lambda field: self.letters.find(field.letter) if field.letter else len(self.letters))
        scopes = {field.scope: field.belongs for field in self.every if field.scope}
        return Criteria(tuple(compared), is_problem, order, scopes)

    def facts(self, absent: Collection[str] = ()) -> Callable[[Any, RenderContext], list[str]]:
        """All fields of a row as lines; `absent` are attributes that mean nothing for these rows."""
        group_of = {field.attribute or field.name: field.group for field in self.every if field.group}
        hidden = _HIDDEN.union(absent)

        def facts(row: Any, look: RenderContext) -> list[str]:
            words = look.terms
            unsaid = hidden | _NOT_IN.get(terms_for(look.dimensions), frozenset())
            values = {name: getattr(row, name) for name in row.__struct_fields__ if name not in unsaid}
            blocks = {title: [translate_terms(title, words).upper()] for title in (*group_of.values(), "also")}
            for name in dict.fromkeys((*group_of, *values)):
                if name in values and _is_said(name, values[name], words):
                    title = translate_terms(label(name), words)
                    blocks[group_of.get(name, "also")] += pair(title, value_lines(name, values[name], look))
            return joined([block for block in blocks.values() if len(block) > 1])

        return facts


def _is_said(name: str, value: Any, words: SystemTerms) -> bool:
    if isinstance(value, Unknown):
        return name not in _SAID_IF_KNOWN
    if name == "priority" and isinstance(value, int):
        return words.ranks_asks
    return value != "" or name in _KEPT_EMPTY


def text_cell(words: Callable[[Row, RenderContext], str], style: str = "text") -> Draw[Row]:
    return lambda row, look, width: (words(row, look), style)


def fixed_cell(span: Callable[[Row, RenderContext], Cell]) -> Draw[Row]:
    """A cell that is drawn alike in any width."""
    return lambda row, look, width: span(row, look)


def detail_fields(group: str, *attributes: str) -> tuple[RowField[Any], ...]:
    """Fields that stand among the facts only."""
    return tuple(RowField(name, group=group) for name in attributes)


def words_of(row: Any, fields: tuple[RowField[Any], ...], look: RenderContext) -> str:
    """All words of a row, in lower case, for a search without a field."""
    values = (field.value(row, look) for field in fields if field.kind.parse is None)
    return " ".join(text.plain(str(value)) for value in values if value).lower()
