"""Containers of a live cluster whose server counts them and names none: inferred, and marked so."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from engine.live.twin.cluster_holdings import steps_of
from engine.live.twin.holdings import HeldContainers
from engine.live.twin.inferred_holdings import InferredHoldings
from engine.live.yarn_picture import UP
from engine.model.lifecycle import still_live
from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.snapshot import SOME_NODE, UNKNOWN, ApplicationRow, ContainerRow, ReservationRow

SECTION: Final = "containers"


def with_containers(snapshot: FixedSnapshot, settings: Mapping[str, str]) -> FixedSnapshot:
    """The same snapshot, with the containers that the sums of its nodes and applications let one conclude.

    How many each application has, and how many each node, is known; sizes and places are inferred. Reserved nodes are
    as the snapshot has them, last on each node. `settings` are of the server: sizes are multiples of its smallest.
    """
    live = still_live(snapshot.applications(why=False))
    up = [node for node in snapshot.nodes() if node.state in UP]
    by_id = {row.id: row for row in live}
    on: dict[str, list[ContainerRow]] = {}
    for name, held in InferredHoldings(up, live, steps_of(settings)).by_application().items():
        for node, row in _rows(by_id[name], held):
            on.setdefault(node, []).append(row)
    for one in snapshot.reservations():
        if one.application in by_id and one.node != SOME_NODE:
            on.setdefault(one.node, []).append(_reserved(one, by_id[one.application]))
    rows: Sequence[Any] = [row for node in up for row in on.get(node.id, ())]
    header = msgspec.structs.replace(snapshot.header, inferred=(*snapshot.header.inferred, SECTION))
    return snapshot.with_section(header, SECTION, rows, snapshot.version("nodes"))


def _rows(application: ApplicationRow, held: Sequence[HeldContainers]) -> Iterator[tuple[str, ContainerRow]]:
    """Each container with its node; nobody says what it is called, so that its id has no attempt."""
    number = 0
    for each in held:
        for _ in range(each.count):
            number += 1
            yield each.node, _row(application, each.node, each.size, f"{number:06d}", "RUNNING", is_am=each.is_am)


def _reserved(one: ReservationRow, application: ApplicationRow) -> ContainerRow:
    size = one.size if isinstance(one.size, tuple) else (0, 0)
    row = _row(application, one.node, size, one.node, "RESERVED", is_am=False)
    return msgspec.structs.replace(row, since_ms=one.since_ms)


def _row(
    application: ApplicationRow, node: str, size: tuple[int, ...], number: str, state: str, *, is_am: bool
) -> ContainerRow:
    return ContainerRow(
        id=f"{application.id.replace('application', 'container')}_?_{number}",
        application=application.id,
        node=node,
        queue=application.queue,
        user=application.user,
        priority=UNKNOWN,
        size=size,
        state=state,
        since_ms=UNKNOWN,
        is_am=is_am,
        marked_ms=UNKNOWN,
    )
