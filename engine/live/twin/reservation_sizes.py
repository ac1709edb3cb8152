"""How large the containers are for which nodes are reserved, where no source says it: what follows from the record.

A node is reserved for a container that it has no room for. So a container is larger than what each of its nodes has
free, and no larger than the largest node. One that the application holds is a better guess, if it fits on none of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from engine.explain.remedy import exact_amounts
from engine.live.twin.holdings import LEAST_AM, HeldByApplication
from engine.model.resource import YARN_DIMENSIONS
from engine.observe.snapshot import Amounts, ApplicationRow, NodeRow, ReservationRow, Unknown
from engine.scenario import Assumption, Size
from engine.settings.site import MAXIMA

ONE_VCORE: Final = 1


class SizedReservations(NamedTuple):
    """Reservations with sizes, and what was assumed of those whose size no source says."""

    rows: Sequence[ReservationRow]
    assumed: tuple[Assumption, ...]


class BoundingCluster(NamedTuple):
    """What bounds a container."""

    nodes: Sequence[NodeRow]
    steps: Amounts
    """Sizes are multiples of that."""
    settings: Mapping[str, str]


def sized_reservations(
    rows: Sequence[ReservationRow],
    applications: Sequence[ApplicationRow],
    held: HeldByApplication,
    cluster: BoundingCluster,
) -> SizedReservations:
    """Give each reservation a size: that of the ask it is for, else the least that follows from the record."""
    by_id = {row.id: row for row in applications}
    asked = [_as_asked(row, by_id.get(row.application)) for row in rows]
    unknown: dict[str, list[ReservationRow]] = {}
    for row in asked:
        if isinstance(row.size, Unknown):
            unknown.setdefault(row.application, []).append(row)
    least: dict[str, Amounts] = {}
    assumed = []
    for name, reserved in unknown.items():
        own = sorted({each.size for each in held.get(name, ()) if not each.is_am})
        fitting = next((size for size in own if not any(_fits(size, row.free) for row in reserved)), None)
        least[name] = fitting or _least(reserved, own, cluster.steps)
        most = _largest_master(held) if by_id[name].state != "RUNNING" else _largest(reserved, cluster)
        assumed.append(_assumption(name, reserved, least[name], most))
    found = [
        msgspec.structs.replace(row, size=least[row.application]) if isinstance(row.size, Unknown) else row
        for row in asked
    ]
    return SizedReservations(found, tuple(assumed))


def _as_asked(row: ReservationRow, application: ApplicationRow | None) -> ReservationRow:
    """A reservation of unknown size with that of the first ask that the node has no room for."""
    sizes = [ask.size for ask in application.listed_asks] if application is not None else []
    if not isinstance(row.size, Unknown) or not sizes:
        return row
    return msgspec.structs.replace(row, size=next((size for size in sizes if not _fits(size, row.free)), sizes[0]))


def _least(reserved: Sequence[ReservationRow], own: Sequence[Amounts], steps: Amounts) -> Amounts:
    """The smallest container that none of the nodes has room for; one of usual vcores, so that memory is short."""
    memory_mb, vcores = own[0] if own else (LEAST_AM[0], ONE_VCORE)
    free_mb = [row.free[0] for row in reserved if row.free[1] >= vcores]
    beyond_mb = (max(free_mb) // steps[0] + 1) * steps[0] if free_mb else 0
    return max(memory_mb, beyond_mb), vcores


def _assumption(name: str, reserved: Sequence[ReservationRow], least: Amounts, most: Amounts) -> Assumption:
    nodes = "1 node is" if len(reserved) == 1 else f"{len(reserved)} nodes are"
    free = exact_amounts(max(row.free for row in reserved), YARN_DIMENSIONS) or "nothing"
    return Assumption(
        what="sizes",
        sentence=f"{nodes} reserved for {name.rpartition('_')[2]} for a container of "
        f"{exact_amounts(least, YARN_DIMENSIONS)}: how large it is is not said, and the freest has {free} free",
        applications=(name,),
        least=Size(memory_mb=least[0], vcores=least[1]),
        most=Size(memory_mb=max(least[0], most[0]), vcores=least[1]),
    )


def _largest(reserved: Sequence[ReservationRow], cluster: BoundingCluster) -> Amounts:
    """The largest container there can be: that of the settings, where they are said, and of the largest node."""
    nodes = {row.node for row in reserved}
    totals = [node.total for node in cluster.nodes if node.id in nodes]
    largest = tuple(max((total[place] for total in totals), default=0) for place in range(len(YARN_DIMENSIONS)))
    said = [cluster.settings.get(key.name, "").strip() for key in MAXIMA]
    return tuple(min(int(words), most) if words.isdigit() else most for words, most in zip(said, largest, strict=True))


def _largest_master(held: HeldByApplication) -> Amounts:
    """The largest container of a master: limits on masters keep those that have not begun from being much larger."""
    return max((each.size for some in held.values() for each in some if each.is_am), default=LEAST_AM)


def _fits(size: Amounts, free: Amounts) -> bool:
    return all(want <= have for want, have in zip(size, free, strict=True))


def covering(settings: Mapping[str, str], rows: Sequence[ReservationRow]) -> Mapping[str, str]:
    """Settings under which what is reserved may be asked for, as the record shows that it was."""
    return {**settings, **dict(_raised(settings, rows))}


def _raised(settings: Mapping[str, str], rows: Sequence[ReservationRow]) -> Iterator[tuple[str, str]]:
    for place, key in enumerate(MAXIMA):
        largest = max((row.size[place] for row in rows if isinstance(row.size, tuple)), default=0)
        said = settings.get(key.name, "").strip()
        if said.isdigit() and int(said) < largest:
            yield key.name, str(largest)
