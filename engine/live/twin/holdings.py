"""Which containers run where, application by application."""

from collections.abc import Mapping, Sequence
from statistics import median_low
from typing import Final

import msgspec

from engine.model.identity import container_of_name
from engine.observe.snapshot import UNKNOWN, Amounts, ApplicationRow, ContainerRow, Snapshot, Unknown

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


HeldByApplication = Mapping[str, Sequence[HeldContainers]]
"""Id of an application → what it holds."""


def named_holdings(snapshot: Snapshot, known_ms: Mapping[str, int | None]) -> HeldByApplication | None:
    """What applications hold, in order of allocation, as the source names containers; None where it does not.

    Args:
        known_ms: Id of a container → how long it will run.
    """
    if "containers" not in snapshot.sections:
        return None
    found: dict[str, list[HeldContainers]] = {}
    for row in sorted(snapshot.containers(), key=lambda row: row.id):
        if row.state in LIVE:
            found.setdefault(row.application, []).append(_holding(row, known_ms.get(row.id, UNKNOWN)))
    return {name: _together(held) for name, held in found.items()}


def _holding(row: ContainerRow, remaining_ms: int | None | Unknown) -> HeldContainers:
    named = container_of_name(row.id)
    since_ms = None if isinstance(row.since_ms, Unknown) else row.since_ms
    priority = None if isinstance(row.priority, Unknown) else row.priority
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
    if "containers" not in snapshot.sections:
        return {}
    reserved = [row for row in snapshot.containers() if row.state == "RESERVED"]
    return {row.node: row.priority for row in reserved if not isinstance(row.priority, Unknown)}


def unseen_asks(rows: Sequence[ApplicationRow], holdings: HeldByApplication) -> Mapping[str, tuple[Amounts, int]]:
    """Application that has not begun → size and number of containers it will ask for.

    They are those of a running application of the same name (digits aside), else of the same type and queue, else of
    the same type: of several the one in the middle. Applications like which there is none are left out.
    """
    begun: dict[tuple[str, ...], list[tuple[int, Amounts]]] = {}
    for row in rows:
        held = [each for each in holdings.get(row.id, ()) if not each.is_am]
        if row.state == "RUNNING" and held:
            usual = max(held, key=lambda each: each.count).size
            for kind in _kinds(row):
                begun.setdefault(kind, []).append((sum(each.count for each in held), usual))
    found = {}
    for row in rows:
        alike = next((begun[kind] for kind in _kinds(row) if kind in begun), None)
        if row.state != "RUNNING" and alike is not None:
            number, size = median_low(alike)
            found[row.id] = (size, number)
    return found


def _kinds(row: ApplicationRow) -> tuple[tuple[str, ...], ...]:
    """What it is like, the closest first: its name, its type and queue, its type.

    Digits of a name count for nothing, as jobs that come again and again are numbered.
    """
    stem = "".join(letter for letter in row.name if not letter.isdigit())
    return ("name", stem), ("queue", row.type, row.queue), ("type", row.type)
