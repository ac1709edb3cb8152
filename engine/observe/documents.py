"""A snapshot as plain values: objects for JSON, flat rows for CSV.

Amounts carry the names of their dimensions. What the source cannot tell is null, and its name stands in the row's
`unknown`; any other null is none: no limit, no reservation, not starved. Times are epoch ms, integers stay integers;
2147483647 in one dimension of a limit is Hadoop's word for no limit.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from engine.grouping import grouped
from engine.observe.mr1_snapshot import JobRow, TrackerRow
from engine.observe.snapshot import (
    SECTIONS,
    UNKNOWN,
    ApplicationRow,
    AskRow,
    ContainerRow,
    ExecutorRow,
    Header,
    NodeHolder,
    NodeRow,
    ObstacleSummary,
    PartitionUse,
    QueueRow,
    Release,
    ReservationRow,
    Snapshot,
    Unknown,
    UserRow,
)
from engine.observe.snapshots import WaitTotal, waits_below, waits_by, waits_of
from engine.observe.spark_snapshot import StandaloneRow, WorkerRow
from engine.schedulers.capacity.view import CapacityQueueRow

SCHEMA: Final = 1  # Raised whenever a name or a meaning in the document changes

_NESTED: Final[Mapping[str, type[msgspec.Struct]]] = {"refusal": ObstacleSummary, "released": Release}
"""Fields that are made of fields; a flat row has a cell for each."""

_AMOUNTS: Final = frozenset({
    "total", "used", "free", "reserved", "demand", "fair_share", "steady_share", "min_share", "max_share", "size",
    "short_by", "pending", "guaranteed", "limit", "user_limit", "am_used", "am_limit",
})  # fmt: skip
"""Fields with one number per dimension; the last ones may be missing where a policy does not count them."""

_PARTITIONS: Final = "partitions"
"""The field of a queue with one entry for each partition; a flat row has cells for each of them."""

DEFAULT_PARTITION: Final = "default"  # Name of the partition without a label
Document = dict[str, Any]  # Names in order; Any: dicts, lists and plain values
Cell = str | int | float | bool | None

FORMULA_BEGINS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Characters that a spreadsheet takes for the beginning of a formula."""


def section_rows(snapshot: Snapshot, section: str) -> Sequence[msgspec.Struct]:
    """The rows of a section; none where this kind of cluster has no such section."""
    rows: Sequence[msgspec.Struct] = getattr(snapshot, section)()
    return rows


def sections_of(snapshot: Snapshot) -> list[str]:
    """The sections of a whole picture; containers may be very many and are only there when asked for."""
    return [name for name in snapshot.sections if name != "containers"]


def document(snapshot: Snapshot, sections: Sequence[str]) -> Document:
    """The cluster as a whole under `cluster`, then the sections asked for, each a list of objects.

    The cluster, queues and users say under `waiting` how many applications wait: in `all`, for a `first` container, and
    for `more`.
    """
    dimensions, applications = snapshot.header.dimensions, snapshot.applications(why=False)
    waits = {"queues": waits_below(applications), "users": waits_by(applications, "user")}
    found: Document = {
        "schema": SCHEMA,
        "cluster": {**row_object(snapshot.header, dimensions), "waiting": _waiting(waits_of(applications))},
    }
    for name in sections:
        rows = section_rows(snapshot, name)
        found[name] = [row_object(row, dimensions) for row in rows]
        for fields, row in zip(found[name], rows, strict=True) if name in waits else ():
            key = row.path if isinstance(row, QueueRow) else getattr(row, "user", "")
            fields["waiting"] = _waiting(waits[name].get(key, WaitTotal()))
    return found


def _waiting(waits: WaitTotal) -> dict[str, int]:
    return {"all": waits.number, "first": waits.first, "more": waits.more}


def row_object(row: msgspec.Struct, dimensions: Sequence[str]) -> Document:
    """A row by field, with `unknown` where there is a field the source cannot tell."""
    fields = {name: _value(name, value, dimensions) for name, value in _items(row)}
    unknown = _unknown(row)
    return {**fields, "unknown": unknown} if unknown else fields


def _unknown(row: msgspec.Struct) -> list[str]:
    return [name for name, value in _items(row) if isinstance(value, Unknown)]


def _items(row: msgspec.Struct) -> Iterator[tuple[str, Any]]:
    return zip(row.__struct_encode_fields__, msgspec.structs.astuple(row), strict=True)


def _value(name: str, value: object, dimensions: Sequence[str]) -> Any:
    if isinstance(value, Unknown):
        return None
    if isinstance(value, msgspec.Struct):
        return row_object(value, dimensions)
    if isinstance(value, tuple):
        if name in _AMOUNTS:
            return dict(zip(dimensions, value, strict=False))
        return [_value("", each, dimensions) for each in value]
    return value


def header_cells(row_type: type[msgspec.Struct], dimensions: Sequence[str], labels: Sequence[str] = ()) -> list[str]:
    """The names over a flat row; a queue has a few for each of some partitions."""
    names: list[str] = []
    for name in row_type.__struct_encode_fields__:
        if name in _AMOUNTS:
            names += [f"{name}_{dimension}" for dimension in dimensions]
        elif name in _NESTED:
            names += [f"{name}_{field}" for field in _NESTED[name].__struct_fields__]
        elif name == _PARTITIONS:
            for label in labels:
                fields = header_cells(PartitionUse, dimensions)[1:-1]
                names += [f"partition_{label or DEFAULT_PARTITION}_{field}" for field in fields]
        else:
            names.append(name)
    return [*names, "unknown"]


def row_cells(row: msgspec.Struct, dimensions: Sequence[str], labels: Sequence[str] = ()) -> list[Cell]:
    """A row without nesting: a column per dimension, asks and holders as JSON, other lists separated by spaces."""
    cells: list[Cell] = []
    for name, value in _items(row):
        if name == _PARTITIONS and isinstance(value, tuple):
            cells.extend(_partition_cells(value, dimensions, labels))
        else:
            cells.extend(_cells(name, value, dimensions))
    return [*cells, " ".join(_unknown(row))]


def _partition_cells(uses: Sequence[PartitionUse], dimensions: Sequence[str], labels: Sequence[str]) -> Iterator[Cell]:
    by_label = {use.label: use for use in uses}
    width = len(header_cells(PartitionUse, dimensions)) - 2
    for label in labels:
        use = by_label.get(label)
        yield from row_cells(use, dimensions)[1:-1] if use is not None else [None] * width


def _cells(name: str, value: object, dimensions: Sequence[str]) -> Iterator[Cell]:
    absent = value is None or isinstance(value, Unknown)
    if name in _AMOUNTS:
        amounts = () if absent or not isinstance(value, tuple) else value
        yield from (*amounts, *[None] * (len(dimensions) - len(amounts)))
    elif name in _NESTED:
        if not isinstance(value, msgspec.Struct):
            yield from [None] * len(_NESTED[name].__struct_fields__)
            return
        for field, part in _items(value):
            yield from _cells(field, part, dimensions)
    elif absent:
        yield None
    elif isinstance(value, tuple):
        is_nested = any(isinstance(each, AskRow | NodeHolder) for each in value)
        plain = _value(name, value, dimensions)
        yield json.dumps(plain, ensure_ascii=False) if is_nested else " ".join(str(each) for each in plain)
    elif isinstance(value, str | int | float):
        yield value
    else:
        yield str(value)


def csv_line(cells: Iterable[object]) -> str:
    r"""One line of a CSV with its end, quoted as RFC 4180 has it; None is an empty cell.

    A text that a spreadsheet would run gets an apostrophe, which spreadsheets take for "this is text", and is quoted.

    >>> csv_line(["a", None, True, -5, "-5", "b,c"])
    'a,,true,-5,"\'-5","b,c"\r\n'
    """
    return ",".join([_cell(cell) for cell in cells]) + "\r\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if value.startswith(FORMULA_BEGINS):
        return _quoted(f"'{value}")
    return _quoted(value) if any(sign in value for sign in ',"\r\n') else value


def _quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def table_csv(rows: Sequence[msgspec.Struct], row_type: type[msgspec.Struct], dimensions: Sequence[str]) -> str:
    """Rows of one type as CSV with a header line, as RFC 4180 has it; null and false differ: empty, `false`."""
    labels = sorted({use.label for row in rows for use in getattr(row, _PARTITIONS, ())})
    lines = [csv_line(header_cells(type(rows[0]) if rows else row_type, dimensions, labels))]
    return "".join([*lines, *(csv_line(row_cells(row, dimensions, labels)) for row in rows)])


class FixedSnapshot:
    """Rows by section; implements `Snapshot`. A section that the source does not know has no rows."""

    def __init__(
        self,
        dialect: str,
        header: Header,
        sections: Mapping[str, type[msgspec.Struct]],
        rows: Mapping[str, Sequence[Any]],
        versions: Mapping[str, int],
        plain: Sequence[ApplicationRow] | None = None,
    ) -> None:
        """Hold each section's type of rows, rows in the order of `Snapshot` (containers by node) and version.

        `plain` are the applications without their obstacles; None until they are made.
        """
        self.dialect = dialect
        self.header = header
        self.sections = sections
        self._rows = rows
        self._versions = versions
        self._on: dict[str, list[ContainerRow]] | None = None
        """Node → its containers, filled when first asked for."""
        self._plain = plain

    def with_obstacles(self, rows: Sequence[ApplicationRow]) -> "FixedSnapshot":
        plain: Sequence[ApplicationRow] = self._rows.get("applications", ())
        all_rows = {**self._rows, "applications": rows}
        return FixedSnapshot(self.dialect, self.header, self.sections, all_rows, self._versions, plain)

    def with_section(self, header: Header, section: str, rows: Sequence[Any], version: int) -> "FixedSnapshot":
        sections, versions = {**self.sections, section: SECTIONS[section]}, {**self._versions, section: version}
        return FixedSnapshot(self.dialect, header, sections, {**self._rows, section: rows}, versions, self._plain)

    def version(self, section: str) -> int:
        """Return the version given; 0 for a section that the source does not know, whose rows never change."""
        return self._versions.get(section, 0)

    def queues(self) -> Sequence[QueueRow]:
        return self._rows.get("queues", ())

    def nodes(self) -> Sequence[NodeRow]:
        return self._rows.get("nodes", ())

    def applications(self, *, why: bool = True) -> Sequence[ApplicationRow]:
        rows: Sequence[ApplicationRow] = self._rows.get("applications", ())
        if why:
            return rows
        if self._plain is None:
            self._plain = [msgspec.structs.replace(row, obstacle=None) for row in rows]
        return self._plain

    def reservations(self) -> Sequence[ReservationRow]:
        return self._rows.get("reservations", ())

    def containers(self, *, application: str = "", node: str = "") -> Sequence[ContainerRow]:
        rows: Sequence[ContainerRow] = self._rows.get("containers", ())
        if node:
            if self._on is None:
                self._on = grouped((row.node, row) for row in rows)
            rows = self._on.get(node, ())
        chosen = [row for row in rows if application in {"", row.application}]
        return sorted(chosen, key=lambda row: row.id) if application else chosen

    def users(self) -> Sequence[UserRow]:
        return self._rows.get("users", ())

    def executors(self) -> Sequence[ExecutorRow]:
        return self._rows.get("executors", ())


_KINDS: Final[tuple[type[msgspec.Struct], ...]] = (CapacityQueueRow, JobRow, StandaloneRow, TrackerRow, WorkerRow)
"""Rows of some kinds of clusters, which tell more than those of their section do."""

ROW_TYPES: Final[Mapping[str, type[msgspec.Struct]]] = {row.__name__: row for row in (*SECTIONS.values(), *_KINDS)}
"""Name of each type of rows → the type."""


def plain_snapshot(snapshot: Snapshot) -> Document:
    """A snapshot with all its rows as plain values."""
    return {
        "dialect": snapshot.dialect,
        "header": plain_row(snapshot.header),
        "sections": {name: row.__name__ for name, row in snapshot.sections.items()},
        "versions": {name: snapshot.version(name) for name in snapshot.sections},
        "rows": {name: [plain_row(row) for row in section_rows(snapshot, name)] for name in snapshot.sections},
    }


def snapshot_of_plain(written: Mapping[str, Any]) -> FixedSnapshot:
    """Raises msgspec.ValidationError if a value is of another type, KeyError if one is missing."""
    sections = {name: ROW_TYPES[row] for name, row in written["sections"].items()}
    rows = {name: [row_of_plain(sections[name], fields) for fields in rows] for name, rows in written["rows"].items()}
    header = row_of_plain(Header, written["header"])
    return FixedSnapshot(written["dialect"], header, sections, rows, written["versions"])


def plain_row(row: msgspec.Struct) -> Document:
    """A row by field, without what its source cannot tell."""
    return {name: value for name in row.__struct_fields__ if (value := getattr(row, name)) is not UNKNOWN}


def row_of_plain(kind: Any, fields: Mapping[str, Any]) -> Any:
    """The row of a type, other fields `UNKNOWN`. Raises msgspec.ValidationError if a value is of another type."""
    known = known_types(kind)
    return kind(**{name: msgspec.convert(fields[name], known[name]) if name in fields else UNKNOWN for name in known})


@cache
def known_types(kind: Any) -> dict[str, type]:
    """Field of a type of rows → its type where the source can tell it."""
    types = get_type_hints(kind)
    for name, hint in types.items():
        if get_origin(hint) in {Union, UnionType}:
            types[name] = Union[tuple(each for each in get_args(hint) if each is not Unknown)]  # noqa: UP007 -- made of a list
    return types
