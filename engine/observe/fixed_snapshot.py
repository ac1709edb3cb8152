"""A snapshot that stays as it is, and how one is written as plain values and made again.

A field that its source cannot tell is left out.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from engine.observe.mr1_snapshot import JobRow, TrackerRow
from engine.observe.snapshot import (
    SECTIONS,
    UNKNOWN,
    ApplicationRow,
    ContainerRow,
    ExecutorRow,
    Header,
    NodeRow,
    QueueRow,
    ReservationRow,
    Snapshot,
    Unknown,
    UserRow,
)
from engine.observe.snapshot_document import section_rows
from engine.observe.spark_snapshot import StandaloneRow
from engine.schedulers.capacity.view import CapacityQueueRow


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
        """Hold what is given.

        Args:
            sections: Name of each section there is → the type of its rows.
            rows: Name of a section → its rows, in the order of `Snapshot`; containers are in the order of nodes.
            versions: Name of a section → its version.
            plain: The applications without their obstacles; None where nobody has made them.
        """
        self.dialect = dialect
        self.header = header
        self.sections = sections
        self._rows = rows
        self._versions = versions
        self._on: dict[str, list[ContainerRow]] | None = None
        """Node → its containers, once somebody asked for those of one."""
        self._plain = plain

    def with_rows(self, section: str, rows: Sequence[Any]) -> "FixedSnapshot":
        """The same with other rows in one section."""
        return FixedSnapshot(self.dialect, self.header, self.sections, {**self._rows, section: rows}, self._versions)

    def with_obstacles(self, rows: Sequence[ApplicationRow]) -> "FixedSnapshot":
        """The same with the applications' obstacles, which none has so far."""
        plain: Sequence[ApplicationRow] = self._rows.get("applications", ())
        all_rows = {**self._rows, "applications": rows}
        return FixedSnapshot(self.dialect, self.header, self.sections, all_rows, self._versions, plain)

    def with_section(self, header: Header, section: str, rows: Sequence[Any], version: int) -> "FixedSnapshot":
        """The same with another header and one section more."""
        sections, versions = {**self.sections, section: SECTIONS[section]}, {**self._versions, section: version}
        return FixedSnapshot(self.dialect, header, sections, {**self._rows, section: rows}, versions, self._plain)

    def version(self, section: str) -> int:
        """Return the version given; 0 for a section that the source does not know, whose rows never change."""
        return self._versions.get(section, 0)

    def queues(self) -> Sequence[QueueRow]:
        """Return the queues given."""
        return self._rows.get("queues", ())

    def nodes(self) -> Sequence[NodeRow]:
        """Return the nodes given."""
        return self._rows.get("nodes", ())

    def applications(self, *, why: bool = True) -> Sequence[ApplicationRow]:
        """Return the applications given; without their obstacles with `why` off."""
        rows: Sequence[ApplicationRow] = self._rows.get("applications", ())
        if why:
            return rows
        if self._plain is None:
            self._plain = [msgspec.structs.replace(row, obstacle=None) for row in rows]
        return self._plain

    def reservations(self) -> Sequence[ReservationRow]:
        """Return the reservations given."""
        return self._rows.get("reservations", ())

    def containers(self, *, application: str = "", node: str = "") -> Sequence[ContainerRow]:
        """Lists the containers of an application in order of their ids, of a node, or of both."""
        rows: Sequence[ContainerRow] = self._rows.get("containers", ())
        if node:
            if self._on is None:
                self._on = {}
                for row in rows:
                    self._on.setdefault(row.node, []).append(row)
            rows = self._on.get(node, ())
        chosen = [row for row in rows if application in {"", row.application}]
        return sorted(chosen, key=lambda row: row.id) if application else chosen

    def users(self) -> Sequence[UserRow]:
        """Return the users given."""
        return self._rows.get("users", ())

    def executors(self) -> Sequence[ExecutorRow]:
        """Return the executors given."""
        return self._rows.get("executors", ())


_KINDS: Final[tuple[type[msgspec.Struct], ...]] = (CapacityQueueRow, JobRow, StandaloneRow, TrackerRow)
"""Rows of some kinds of clusters, which tell more than those of their section do."""

ROW_TYPES: Final[Mapping[str, type[msgspec.Struct]]] = {row.__name__: row for row in (*SECTIONS.values(), *_KINDS)}
"""Name of each type of rows → the type."""


def plain_snapshot(snapshot: Snapshot) -> dict[str, Any]:
    """A snapshot with all its rows as plain values."""
    return {
        "dialect": snapshot.dialect,
        "header": plain_row(snapshot.header),
        "sections": {name: row.__name__ for name, row in snapshot.sections.items()},
        "versions": {name: snapshot.version(name) for name in snapshot.sections},
        "rows": {name: [plain_row(row) for row in section_rows(snapshot, name)] for name in snapshot.sections},
    }


def snapshot_of_plain(written: Mapping[str, Any]) -> FixedSnapshot:
    """The snapshot that plain values stand for.

    Raises:
        msgspec.ValidationError: A value is of another type.
        KeyError: One is missing.
    """
    sections = {name: ROW_TYPES[row] for name, row in written["sections"].items()}
    rows = {name: [row_of_plain(sections[name], fields) for fields in rows] for name, rows in written["rows"].items()}
    header = row_of_plain(Header, written["header"])
    return FixedSnapshot(written["dialect"], header, sections, rows, written["versions"])


def plain_row(row: msgspec.Struct) -> dict[str, Any]:
    """A row by field, without what its source cannot tell."""
    return {name: value for name in row.__struct_fields__ if (value := getattr(row, name)) is not UNKNOWN}


def row_of_plain(kind: Any, fields: Mapping[str, Any]) -> Any:
    """The row of a type that has these fields; the others are `UNKNOWN`.

    Raises:
        msgspec.ValidationError: A value is of another type.
    """
    known = known_types(kind)
    return kind(**{name: msgspec.convert(fields[name], known[name]) if name in fields else UNKNOWN for name in known})


@cache
def known_types(kind: Any) -> dict[str, Any]:
    """Field of a type of rows → its type where the source can tell it."""
    return {name: _without_unknown(hint) for name, hint in get_type_hints(kind).items()}


def _without_unknown(hint: Any) -> Any:
    if get_origin(hint) not in {Union, UnionType}:
        return hint
    return Union[tuple(each for each in get_args(hint) if each is not Unknown)]  # noqa: UP007 -- made of a list
