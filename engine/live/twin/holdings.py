"""Which containers run where, application by application."""

from collections.abc import Mapping, Sequence
from statistics import median_low
from typing import Final, NamedTuple

import msgspec

from engine.model.identity import container_of_name
from engine.observe.snapshot import UNKNOWN, Amounts, ApplicationRow, ContainerRow, Snapshot, Unknown, known

LEAST_AM: Final = (1024, 1)
"""A master's container where nothing is known of it."""

NAME: Final = "name"
"""The closest kind of applications: those of one name."""

LIVE: Final = frozenset({"ALLOCATED", "ACQUIRED", "RUNNING"})
"""States of a container that its application holds."""


class HeldContainers(msgspec.Struct, frozen=True):
    """Alike containers of one application on one node."""

    node: str
    """`host:port`."""
    size: Amounts
    count: int
    priority: int | None
    """None where it is not known."""
    is_am: bool
    since_ms: int | None
    """When they were allocated [epoch ms]; None where it is not known."""
    remaining_ms: int | None | Unknown = UNKNOWN
    """How long each will run; None for ever."""
    attempt: int = 1
    """The number of the application's attempt."""


class UnseenAsk(NamedTuple):
    """The first ask of an application that has not begun."""

    size: Amounts
    number: int
    duration_ms: int | None = None
    """None where nothing tells."""


HeldByApplication = Mapping[str, Sequence[HeldContainers]]
"""Id of an application → what it holds."""


def named_holdings(snapshot: Snapshot, known_ms: Mapping[str, int | None]) -> HeldByApplication | None:
    """Return what applications hold, in order of allocation, as the source names containers; None where it does not.

    `known_ms` has the id of a container → how long it will run.
    """
    if "containers" not in snapshot.sections or "containers" in snapshot.header.inferred:
        return None
    found: dict[str, list[HeldContainers]] = {}
    for row in sorted(snapshot.containers(), key=lambda row: row.id):
        if row.state in LIVE:
            found.setdefault(row.application, []).append(_holding(row, known_ms.get(row.id, UNKNOWN)))
    return {name: _together(held) for name, held in found.items()}


def _holding(row: ContainerRow, remaining_ms: int | None | Unknown) -> HeldContainers:
    named = container_of_name(row.id)
    since_ms, priority = known(row.since_ms), known(row.priority)
    return HeldContainers(
        row.node, row.size, 1, priority, row.is_am, since_ms, remaining_ms, 1 if named is None else named[1]
    )


def _together(held: Sequence[HeldContainers]) -> Sequence[HeldContainers]:
    """Alike ones that follow one another as one."""
    groups: list[HeldContainers] = []
    for each in held:
        if groups and msgspec.structs.replace(groups[-1], count=1) == each:
            groups[-1] = msgspec.structs.replace(each, count=groups[-1].count + 1)
        else:
            groups.append(each)
    return groups


def reserved_priorities(snapshot: Snapshot) -> Mapping[str, int]:
    """Reserved node (`host:port`) → the priority of the ask it is reserved for, where the source says."""
    reserved = [row for row in snapshot.containers() if row.state == "RESERVED"]
    return {row.node: row.priority for row in reserved if not isinstance(row.priority, Unknown)}


def unseen_asks(rows: Sequence[ApplicationRow], holdings: HeldByApplication) -> Mapping[str, UnseenAsk]:
    """Application that has not begun → what it will ask for.

    It is what a running application holds and asks for: one of the same name (digits aside), else of the same type and
    queue, else of the same type; of several the one in the middle. Else it is one container as large as the master.
    """
    begun: dict[tuple[str, ...], list[tuple[int, Amounts]]] = {}
    for row in rows:
        parts = [(each.count, each.size) for each in holdings.get(row.id, ()) if not each.is_am]
        parts += [(ask.count, ask.size) for ask in row.listed_asks]
        if row.state == "RUNNING" and parts:
            for kind in kinds_of(row):
                begun.setdefault(kind, []).append((sum(count for count, _ in parts), max(parts)[1]))
    found = {}
    for row in rows:
        master = row.listed_asks[0].size if row.listed_asks else LEAST_AM
        alike = next((begun[kind] for kind in kinds_of(row) if kind in begun), [(1, master)])
        if row.state != "RUNNING":
            number, size = median_low(alike)
            found[row.id] = UnseenAsk(size, number)
    return found


def kinds_of(row: ApplicationRow) -> tuple[tuple[str, ...], ...]:
    """Return what it is like, the closest first: its name, its type and queue, its type.

    Digits of a name count for nothing, as jobs that come again and again are numbered.
    """
    stem = "".join(letter for letter in row.name if not letter.isdigit())
    return (NAME, stem), ("queue", row.type, row.queue), ("type", row.type)
