"""Follows an act of an operator: the instants that matter, applications that start, containers that end, memory used.

It is played on a closed copy, so later arrivals change it.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from engine.explain.node_use import NodeUse, nodes_of
from engine.explain.remedy_trial import ACT_MS, FOLLOW_MS, Target
from engine.incremental import Incremental
from engine.model.decision import Allocated, ApplicationTransitioned, ContainerId, Killed, Unreserved
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.scenario.acts import Act
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

BUCKET_MS: Final = 10_000
"""Length of a bucket in which allocated containers are counted [ms]."""

BUCKETS: Final = 60
"""Number of buckets."""

STEP_MS: Final = 1000
"""Time between two looks at the cluster [ms]."""

NAMED: Final = 3
"""Number of starting applications that are named."""


class Happening(msgspec.Struct, frozen=True):
    """Something worth telling."""

    time_ms: int
    """Epoch ms."""
    words: str
    is_target: bool = False
    """True if it is the start of one of those it is done for."""


class Begun(msgspec.Struct, frozen=True):
    """An application that waited and is given something."""

    application: int
    time_ms: int
    """When [epoch ms]."""
    ran: bool
    """True if it ran already, and waited for more."""


class Stay(msgspec.Struct, frozen=True):
    """A reservation that the act does not end."""

    application: int
    node: str
    until_ms: int | None
    """When it ends [epoch ms]; None when it is still there at the end."""


class MemoryUse(msgspec.Struct, frozen=True):
    """Memory in use at an instant."""

    time_ms: int
    """Epoch ms."""
    used_mb: int
    total_mb: int

    @property
    def percent(self) -> int:
        """The share of the total."""
        return 100 * self.used_mb // self.total_mb if self.total_mb else 0


class Aftermath(msgspec.Struct, frozen=True):
    """The course of events after an act."""

    happenings: tuple[Happening, ...] = ()
    """In the order of time."""
    allocated: tuple[int, ...] = ()
    """Containers allocated in each `BUCKET_MS` after the act."""
    begun: tuple[Begun, ...] = ()
    """Who is given something of those that waited, the soonest first."""
    dropped: int = 0
    """Reservations gone at once."""
    killed: int = 0
    """Containers gone at once."""
    preempted: int = 0
    """Containers preempted afterwards."""
    stays: tuple[Stay, ...] = ()
    """Reservations that the act does not end, in order of nodes."""
    before: MemoryUse | None = None
    most: MemoryUse | None = None
    """The largest share of memory in use afterwards, when it is first reached."""
    nodes: tuple[tuple[NodeUse, ...], tuple[NodeUse, ...]] = ((), ())
    """Containers of the first nodes before the act, and when most memory is in use."""
    refused: str = ""
    """Why the control plane does not take the act; empty when it does, and then the rest holds."""


class _Chronicle:
    """Listens to what follows an act."""

    def __init__(self, from_ms: int, waiting: Sequence[int]) -> None:
        self._from_ms = from_ms
        self._waiting = frozenset(waiting)
        self.allocated = [0] * BUCKETS
        self.dropped = self.killed = self.preempted = self.ended = 0
        self.started: dict[int, tuple[int, str]] = {}
        """Application that waited → when it is first given something, and on which host."""
        self.released: dict[ContainerId, int] = {}
        """Reserved container → when the reservation ends."""

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Count."""
        for record in records:
            if isinstance(record, Allocated):
                self._allocate(time_ms, record)
            elif isinstance(record, Unreserved):
                self.dropped += 1
                self.released.setdefault(record.container, time_ms)
            elif isinstance(record, Killed):
                self.killed += 1
                self.preempted += record.cause == "PREEMPTED"
            elif isinstance(record, ApplicationTransitioned) and record.state in FINAL_APPLICATION_STATES:
                self.ended += 1

    def _allocate(self, time_ms: int, record: Allocated) -> None:
        bucket = (time_ms - self._from_ms) // BUCKET_MS
        if bucket < BUCKETS:
            self.allocated[bucket] += 1
        self.released.setdefault(record.container, time_ms)
        if record.container[0] in self._waiting:
            self.started.setdefault(record.container[0], (time_ms, record.node.partition(":")[0]))


def aftermath(here: Simulation, actions: Sequence[Act], targets: Sequence[Target] = ()) -> Incremental[Aftermath]:
    """Act on a copy and play it on for `FOLLOW_MS`.

    Args:
        here: The instant, closed; it is not changed.
        actions: What is done, all at once.
        targets: Those it is done for, whose starts are given by name.
    """
    simulation = yield from here.forking()
    simulation.run_before(here.now_ms + ACT_MS)
    view, begin_ms = simulation.control_plane.view(), simulation.now_ms
    running = frozenset(view.numbers_running())
    waiting = {each.number: each.number in running for each in view.applications() if each.waits}
    chronicle, before, nodes_before = _Chronicle(begin_ms, list(waiting)), _share(simulation), nodes_of(simulation)
    simulation.listeners.append(chronicle)
    for action in actions:
        answer = simulation.act(action)
        if answer.rejected:
            return Aftermath(refused=answer.detail or answer.rejected)
    dropped, killed = chronicle.dropped, chronicle.killed
    kept = view.reservations()
    stays = [(one.id, one.node.id) for one in kept]
    most, nodes_then, idle_ms = before, nodes_before, None
    for time_ms in range(begin_ms + STEP_MS, begin_ms + FOLLOW_MS, STEP_MS):
        simulation.run_until(time_ms)
        if (share := _share(simulation)).percent > most.percent:
            most, nodes_then = share, nodes_of(simulation)
        if idle_ms is None and not view.somebody_waits():
            idle_ms = time_ms
        yield
    found = [Happening(begin_ms, words)] if (words := _at_once(killed, dropped)) else []
    found += _starts(chronicle, {number for number, _ in targets})
    if most.percent > before.percent:
        found.append(Happening(most.time_ms, f"memory used {before.percent} % → {most.percent} %"))
    if idle_ms is not None:
        found.append(Happening(idle_ms, "nobody waits any more"))
    left = len(view.applications())
    found.append(Happening(simulation.now_ms, f"{chronicle.ended} finished{f', {left} still live' if left else ''}"))
    begun = [Begun(number, at_ms, waiting[number]) for number, (at_ms, _) in chronicle.started.items()]
    return Aftermath(
        happenings=tuple(sorted(found, key=lambda each: each.time_ms)),
        allocated=tuple(chronicle.allocated),
        begun=tuple(sorted(begun, key=lambda each: (each.time_ms, each.application))),
        dropped=dropped,
        killed=killed,
        preempted=chronicle.preempted,
        stays=tuple(Stay(one[0], node, chronicle.released.get(one)) for one, node in stays),
        before=before,
        most=most,
        nodes=(nodes_before, nodes_then),
    )


def _share(simulation: Simulation) -> MemoryUse:
    figures = simulation.control_plane.view().figures()
    return MemoryUse(simulation.now_ms, figures.used[0], figures.total[0])


def _at_once(killed: int, dropped: int) -> str:
    """Name in words the containers and reservations that the act ended."""
    counts = ((killed, "container"), (dropped, "reservation"))
    parts = [f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts if count]
    return f"{' and '.join(parts)} {'goes' if killed + dropped == 1 else 'go'}" if parts else ""


def _starts(chronicle: _Chronicle, targets: set[int]) -> list[Happening]:
    """The starts of those it is done for, the first few by name."""
    of_targets = ((number, *each) for number, each in chronicle.started.items() if number in targets)
    started = sorted(of_targets, key=lambda each: each[1])
    found = [Happening(at_ms, f"{number} starts on {host}", is_target=True) for number, at_ms, host in started[:NAMED]]
    if len(started) > NAMED:
        found.append(Happening(started[-1][1], f"the last of {len(started)} starts", is_target=True))
    return found
