"""Finds what a cluster's applications hold: as the source names it, else inferred from its totals."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.live.inferred_reservations import inferred_reservations
from engine.live.twin.holdings import HeldByApplication, named_holdings
from engine.live.twin.inferred_holdings import InferredHoldings
from engine.live.twin.reservation_sizes import BoundingCluster, sized_reservations
from engine.live.yarn_picture import UP
from engine.observe.snapshot import SOME_NODE, UNKNOWN, Amounts, ApplicationRow, ReservationRow, Snapshot
from engine.scenario import Assumption
from engine.settings.fair import FAIR_27, INCREMENT_MB
from engine.settings.site import MINIMUM_MB


class ClusterHoldings(NamedTuple):
    """Holdings of the applications of a cluster."""

    containers: HeldByApplication
    reservations: Sequence[ReservationRow]
    assumed: tuple[Assumption, ...]


def holdings_of(
    snapshot: Snapshot,
    rows: Sequence[ApplicationRow],
    settings: Mapping[str, str],
    known_ms: Mapping[str, int | None],
) -> ClusterHoldings:
    """Return what applications hold, as the source names it, else as its totals let one conclude."""
    up = [node for node in snapshot.nodes() if node.state in UP]
    named = named_holdings(snapshot, known_ms)
    assumed = []
    if named is None:
        inferred = InferredHoldings(up, rows, steps_of(settings))
        named = inferred.by_application()
        words = "containers are not named: sizes and places are inferred from the totals of applications and nodes, "
        words += "and they are taken to be as old as their application"
        if inferred.unexplained_mb:
            words += f"; nodes use {inferred.unexplained_mb} MB more or less than is placed on them"
        assumed.append(Assumption(what="places", sentence=words))
    reservations, count = snapshot.reservations(), snapshot.header.nodes_reserved
    if (not reservations and count not in (0, UNKNOWN)) or "reservations" in snapshot.header.inferred:
        found = inferred_reservations(snapshot.header, up, rows, snapshot.queues())
        reservations = found.rows or [row for row in reservations if row.node != SOME_NODE]
        holders = by_application(reservations)
        guessed = {name: "" if name in found.certain else "perhaps " for name in holders}
        held = ", ".join(f"{guessed[name]}{len(rows)} for {name}" for name, rows in holders.items())
        words = f"which nodes are reserved for whom is inferred from sums ({held or 'none found'})"
        if found.unsure:
            words += f"; on which of {len(found.unsure)} nodes alike whose are is a guess"
        assumed.append(Assumption(what="reservations", sentence=words, applications=tuple(holders)))
    if isinstance(count, int) and count > len(reservations):
        more = count - len(reservations)
        nodes = "1 node is" if more == 1 else f"{more} nodes are"
        assumed.append(
            Assumption(what="holders", sentence=f"{nodes} reserved for nobody knows whom, and played as free")
        )
    cluster = BoundingCluster(up, steps_of(settings), settings)
    sized = sized_reservations(reservations, rows, named, cluster)
    return ClusterHoldings(named, sized.rows, (*assumed, *sized.assumed))


def steps_of(settings: Mapping[str, str]) -> Amounts:
    """Return what sizes of containers are multiples of."""
    number = settings.get(INCREMENT_MB.name, settings.get(MINIMUM_MB.name, "")).strip()
    return (int(number) if number.isdigit() and int(number) else FAIR_27.default(INCREMENT_MB), 1)


def by_application(reservations: Sequence[ReservationRow]) -> Mapping[str, Sequence[ReservationRow]]:
    """Application → its reservations."""
    found: dict[str, list[ReservationRow]] = {}
    for row in reservations:
        found.setdefault(row.application, []).append(row)
    return found
