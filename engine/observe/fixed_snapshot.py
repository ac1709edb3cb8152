"""A snapshot whose rows were all made before: read from bytes, or built from the answers of a live cluster."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from engine.observe.snapshot import (
    ApplicationRow,
    ContainerRow,
    ExecutorRow,
    Header,
    NodeRow,
    QueueRow,
    ReservationRow,
    UserRow,
)


class FixedSnapshot:
    """Rows by section; implements `Snapshot`. A section that the source does not know has no rows."""

    def __init__(
        self,
        dialect: str,
        header: Header,
        sections: Mapping[str, type[msgspec.Struct]],
        rows: Mapping[str, Sequence[Any]],
        versions: Mapping[str, int],
    ) -> None:
        """Hold what is given.

        Args:
            sections: Name of each section there is → the type of its rows.
            rows: Name of a section → its rows, in the order of `Snapshot`; containers are in the order of nodes.
            versions: Name of a section → its version.
        """
        self.dialect = dialect
        self.header = header
        self.sections = sections
        self._rows = rows
        self._versions = versions
        self._plain: Sequence[ApplicationRow] | None = None
        """Applications without their obstacles, once somebody asked for them."""

    def with_rows(self, section: str, rows: Sequence[Any]) -> "FixedSnapshot":
        """The same with other rows in one section."""
        return FixedSnapshot(self.dialect, self.header, self.sections, {**self._rows, section: rows}, self._versions)

    def version(self, section: str) -> int:
        """As given; 0 for a section that the source does not know, whose rows never change."""
        return self._versions.get(section, 0)

    def queues(self) -> Sequence[QueueRow]:
        """As given."""
        return self._rows.get("queues", ())

    def nodes(self) -> Sequence[NodeRow]:
        """As given."""
        return self._rows.get("nodes", ())

    def applications(self, *, why: bool = True) -> Sequence[ApplicationRow]:
        """As given; with `why` off without their obstacles."""
        rows: Sequence[ApplicationRow] = self._rows.get("applications", ())
        if why:
            return rows
        if self._plain is None:
            self._plain = [msgspec.structs.replace(row, obstacle=None) for row in rows]
        return self._plain

    def reservations(self) -> Sequence[ReservationRow]:
        """As given."""
        return self._rows.get("reservations", ())

    def containers(self, *, application: str = "", node: str = "") -> Sequence[ContainerRow]:
        """Lists the containers of an application in order of their ids, of a node, or of both."""
        rows: Sequence[ContainerRow] = self._rows.get("containers", ())
        chosen = [row for row in rows if application in {"", row.application} and node in {"", row.node}]
        return sorted(chosen, key=lambda row: row.id) if application else chosen

    def users(self) -> Sequence[UserRow]:
        """As given."""
        return self._rows.get("users", ())

    def executors(self) -> Sequence[ExecutorRow]:
        """As given."""
        return self._rows.get("executors", ())
