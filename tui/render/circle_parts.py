"""The parts of a circle of waiting applications, with their figures, from a proof or from a snapshot."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.explain.report import CycleStep
from engine.observe.section import column, glimpses
from engine.observe.snapshot import SOME_NODE, ApplicationRow, ReservationRow, Snapshot
from tui import format as text
from tui.render.circle import CirclePart

NODES_READ: Final = 16  # Of so many reserved nodes the containers are read at most

FILLS: Final = frozenset({"DOES_NOT_FIT", "RESERVATION_LIMIT", "QUEUE_WOULD_EXCEED_MAXIMUM"})
"""Reasons that mean: containers of others are in the way."""

_HOLDS: Final = {
    "NODE_RESERVED": "holds {node}",
    "QUEUE_OVER_MAXIMUM": "fills the queue",
    "AM_SHARE_EXHAUSTED": "fills the masters' share",
    "USER_AM_SHARE_EXHAUSTED": "fills the user's share",
    "USER_OVER_LIMIT": "fills the user's limit",
    "QUEUE_NOT_RUNNING_IT": "runs in its place",
}
"""Reason why the part before waits → what this one holds."""

_NEEDS: Final = {
    "NODE_RESERVED": "needs a container on {node}",
    "QUEUE_OVER_MAXIMUM": "needs room below its queue's maximum",
    "AM_SHARE_EXHAUSTED": "needs room for its master",
    "USER_AM_SHARE_EXHAUSTED": "needs room for its master",
    "USER_OVER_LIMIT": "needs room below its user's limit",
    "QUEUE_NOT_RUNNING_IT": "needs its turn to run",
}
"""Reason → what is needed."""


def parts_of(steps: Sequence[CycleStep], names: Mapping[str, str], snapshot: Snapshot | None) -> list[CirclePart]:
    """The parts of a proven circle.

    Args:
        steps: Who waits for whom; the last step leads back to the first.
        names: Application id → name.
        snapshot: Of the instant of the proof, for the figures; None leaves them out.
    """
    figures = _Figures(snapshot) if snapshot is not None else None
    return [_part(step, steps[place - 1], names, figures) for place, step in enumerate(steps)]


def _part(step: CycleStep, before: CycleStep, names: Mapping[str, str], figures: "_Figures | None") -> CirclePart:
    one, holder = step.application, before.application
    others: list[ApplicationRow] = []
    holds = needs = ""
    if figures is not None:
        if before.because in FILLS:
            others, holds = figures.fillers(one, holder)
        elif before.because == "NODE_RESERVED":
            holds = figures.reserved(one)
        if step.because in FILLS:
            needs = figures.shortage(one)
        elif step.because == "NODE_RESERVED":
            needs = figures.wanted([one, *(each.id for each in others)])
    return CirclePart(
        number=text.short_id(one),
        name=text.plain(names.get(one, "") or (figures.name(one) if figures is not None else "")),
        others=len(others),
        holds=holds or _holds(before),
        needs=needs or _needs(step),
    )


def _holds(before: CycleStep) -> str:
    node = text.short_node(before.node) or "a node"
    return _HOLDS.get(before.because, "fills {node}").format(node=node)


def _needs(step: CycleStep) -> str:
    node = text.short_node(step.node) or "a node"
    return _NEEDS.get(step.because, "needs room on {node}").format(node=node)


class _Figures:
    """The figures of a circle's applications in a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._applications = {row.id: row for row in snapshot.applications(why=False)}
        self._reservations: dict[str, list[ReservationRow]] = {}
        for row in glimpses(snapshot.reservations()):
            self._reservations.setdefault(row.application, []).append(row)

    def name(self, application: str) -> str:
        """The name of an application; empty where it is not known."""
        row = self._applications.get(application)
        return row.name if row is not None else ""

    def reserved(self, application: str) -> str:
        """`holds 11 nodes`; empty when it has reserved none."""
        count = len(self._reservations.get(application, ()))
        return f"holds {text.plural(count, 'node')}" if count else ""

    def shortage(self, application: str) -> str:
        """`needs 18.5G more on one of its 11 nodes`: the least shortage; empty when it has reserved none."""
        rows = self._reservations.get(application, ())
        shortages = [row.short_by for row in rows if isinstance(row.short_by, tuple)]
        if not shortages:
            return ""
        least = min(shortages, key=lambda short: (sum(short[1:]) > 0, short))
        dimensions = self._snapshot.header.dimensions
        short = [
            text.dimension(name, value) + ("" if name == "memory_mb" else f" {name}")
            for name, value in zip(dimensions, least, strict=False)
            if value
        ]
        where = "on its node" if len(rows) == 1 else f"on one of its {len(rows)} nodes"
        return f"needs {' and '.join(short) or 'room'} {'more ' if short else ''}{where}"

    def fillers(self, application: str, holder: str) -> tuple[list[ApplicationRow], str]:
        """Find who else waits and fills every node that a holder has reserved, and how much of each."""
        nodes = [row.node for row in self._reservations.get(holder, ())]
        if not nodes:
            return [], ""
        on: list[dict[str, int]] = []
        for node in nodes[:NODES_READ]:
            sizes: dict[str, int] = {}
            for container in self._snapshot.containers(node=node):
                if container.state != "RESERVED":
                    sizes[container.application] = sizes.get(container.application, 0) + container.size[0]
            on.append(sizes)
        alike = [
            row
            for row in self._applications.values()
            if row.id not in {application, holder}
            and row.waiting_since_ms is not None
            and all(row.id in sizes for sizes in on)
        ]
        if any(application not in sizes for sizes in on):
            alike = []
        everybody = [application, *(row.id for row in alike)]
        sums = [sum(sizes.get(one, 0) for one in everybody) for sizes in on]
        return alike, _filled(sums, len(nodes), is_one=not alike)

    def wanted(self, applications: Sequence[str]) -> str:
        """`each needs one container more, on any node`; empty where the asks are not known."""
        rows = [row for each in applications if (row := self._applications.get(each)) is not None]
        asks = [ask for row in rows for ask in row.listed_asks]
        if not asks or len(rows) < len(applications):
            return ""
        is_single = len(asks) == len(rows) and all(ask.count == 1 for ask in asks)
        what = "one container more" if is_single else "containers more"
        where = "" if any(ask.places for ask in asks) else ", on any node"
        return f"{'each needs' if len(rows) > 1 else 'needs'} {what}{where}"


def _filled(sums: Sequence[int], nodes: int, *, is_one: bool) -> str:
    least, most = min(sums), max(sums)
    verb = "fills" if is_one else "fill"
    if not most:
        return ""
    if not least:
        return f"{verb} its node" if nodes == 1 else f"{verb} {sum(map(bool, sums))} of its nodes"
    if nodes == 1:
        return f"{verb} {text.memory(least)} of the node"
    usual = max(sums, key=sums.count)
    if 2 * sums.count(usual) > len(sums):
        return f"{verb} {text.memory(usual)} of {'each node' if least == most else 'most nodes'}"
    return f"{verb} {text.memory(least)} or more of each"


def reservation_steps(snapshot: Snapshot, application: str) -> list[CycleStep]:
    """The circle that an application is in, or waits for, as far as a snapshot shows it; nothing where it shows none.

    It is the shape of a reservation deadlock: somebody reserves nodes that others fill, and those wait for a
    reserved node. That it never ends is for a proof to say.
    """
    reservations = snapshot.reservations()
    reserved: dict[str, list[str]] = {}
    for one, its_node in zip(column(reservations, "application"), column(reservations, "node"), strict=True):
        if its_node != SOME_NODE:
            reserved.setdefault(one, []).append(its_node)
    holder = application if application in reserved else max(reserved, key=lambda one: len(reserved[one]), default="")
    if not holder:
        return []
    node, rows = reserved[holder][0], snapshot.applications()
    places = {name: place for place, name in enumerate(column(rows, "id"))}
    for filler in dict.fromkeys(column(snapshot.containers(node=node), "application")):
        if filler == holder or filler not in places:
            continue
        obstacle = rows[places[filler]].obstacle
        if obstacle is not None and obstacle.code == "NODE_RESERVED":
            there = CycleStep(application=holder, waits_for=filler, because="DOES_NOT_FIT", node=node)
            back = CycleStep(application=filler, waits_for=holder, because="NODE_RESERVED", node=node)
            return [there, back]
    return []
