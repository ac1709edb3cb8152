"""Follows an act of an operator: the instants that matter, applications that start, containers that end, memory used.

It is played on a closed copy, so later arrivals change it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import asdict

from engine.control_plane.cluster_view import ClusterView, RecoveryFigures
from engine.explain.counterfactuals import Ask
from engine.explain.obstacles import ReportBase
from engine.explain.remedy import Remedy
from engine.explain.remedy_trial import ACT_MS, FOLLOW_MS
from engine.incremental import Incremental
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, ContainerId, Killed, Unreserved
from engine.model.lifecycle import ENDED_WELL
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import MAPREDUCE_1, is_lost_by_restart, snapshot_of, terms_for
from engine.scenario.acts import RESTARTS, Act, KillApplication
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation
from engine.units import plural

# The consequences of an act as values: events, starts, ended containers, memory and nodes.
#
# Units and ids are those of `report`.


class NodeBlock(msgspec.Struct, frozen=True, array_like=True):
    """A container, or an executor."""

    queue: str  # Empty for an executor
    application: str
    memory_mb: int


class NodeUse(msgspec.Struct, frozen=True):
    """One node."""

    node: str
    total_mb: int
    free_mb: int
    is_reserved: bool
    blocks: tuple[NodeBlock, ...]  # By queue, application, container


class HappeningReport(ReportBase, frozen=True, kw_only=True):
    """Something that follows an act."""

    at_ms: int
    words: str
    is_target: bool


class BegunReport(ReportBase, frozen=True, kw_only=True):
    """An application that waited and gets something."""

    application: str
    at_ms: int
    ran: bool


class StayReport(ReportBase, frozen=True, kw_only=True):
    """A reservation that an act does not end."""

    application: str
    node: str
    until_ms: int | None


class MemoryReport(ReportBase, frozen=True, kw_only=True):
    """Memory in use at an instant."""

    at_ms: int
    used_mb: int
    total_mb: int
    percent: int


class MemoryChange(ReportBase, frozen=True, kw_only=True, omit_defaults=False):
    """Memory before an act and after it; None where nothing was played, and of a cluster of slots."""

    before: MemoryReport | None = None
    most: MemoryReport | None = None  # When it is at its most
    last: MemoryReport | None = None  # When the last application that the act is for has started; None where none does


class NodesChange(ReportBase, frozen=True, kw_only=True, omit_defaults=False):
    """The nodes now, and when memory is at its most; none of a cluster of slots."""

    now: tuple[NodeUse, ...] = ()
    then: tuple[NodeUse, ...] = ()


class ImpactReport(ReportBase, frozen=True, kw_only=True, omit_defaults=False):
    """The consequences of a remedy or an act."""

    number: int = 0  # Number of the remedy; 0 for an act
    remedy: Remedy | None = None  # None for an act
    happenings: tuple[HappeningReport, ...] = ()  # In the order of time
    refused: str = ""  # Why the act is not taken; empty when it is, and then the rest holds
    bucket_s: int
    allocated: tuple[int, ...] = ()  # Containers in each bucket after the act
    before: tuple[int, ...]  # The same before it
    begun: tuple[BegunReport, ...] = ()  # The soonest first
    killed: int = 0  # Containers gone at once, of what is killed, and lost by a restart
    dropped: int = 0  # Reservations gone at once
    preempted: int = 0  # Containers preempted afterwards
    stays: tuple[StayReport, ...] = ()  # In order of nodes
    memory: MemoryChange = MemoryChange()
    nodes: NodesChange = NodesChange()


BUCKET_MS: Final = 10_000  # Length of a bucket in which allocated containers are counted [ms]
BUCKETS: Final = 60  # Number of buckets
BEFORE: Final = 30  # Number of buckets before the act
STEP_MS: Final = 1000  # Time between two looks at the cluster [ms]
NODES: Final = 24  # Number of nodes whose containers are listed
NAMED: Final = 3  # Number of starting applications that are named


class _Chronicle:
    def __init__(
        self, from_ms: int, waiting: Collection[int], leaving: Collection[int], acts: Sequence[Act], *, keeps: bool
    ) -> None:
        self._from_ms, self._waiting, self._leaving = from_ms, waiting, leaving
        self._restarts, self._keeps = any(isinstance(each, RESTARTS) for each in acts), keeps
        self._new: set[ContainerId] = set()  # Allocated since
        self.allocated = [0] * BUCKETS
        self.dropped = self.killed = self.preempted = self.done = 0
        self.started: dict[int, tuple[int, str]] = {}
        """Application that waited → when it is first given something, and on which host."""
        self.released: dict[ContainerId, int] = {}  # Reserved container → when the reservation ends
        self.left = 0  # Containers that end by the act; under a JobTracker with the next heartbeats, or as it starts

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated):
                self._allocate(time_ms, record)
            elif isinstance(record, Unreserved):
                self.dropped += 1
                self.released.setdefault(record.container, time_ms)
            elif isinstance(record, Killed | Completed):
                is_left = self._restarts and record.container not in self._new
                self.left += is_left and (not self._keeps or is_lost_by_restart(asdict(record)))
                if isinstance(record, Killed):
                    self.killed += 1
                    self.left += record.container[0] in self._leaving
                    self.preempted += record.cause == "PREEMPTED"
            elif isinstance(record, ApplicationTransitioned) and record.state in ENDED_WELL:
                self.done += 1

    def lose(self, reserved: Iterable[ContainerId], recovery: RecoveryFigures | None) -> None:
        """Reservations are lost, without a record, when a control plane starts again."""
        if recovery is not None and recovery.since_ms >= self._from_ms:
            for one in reserved:
                self.released.setdefault(one, recovery.since_ms)

    def _allocate(self, time_ms: int, record: Allocated) -> None:
        bucket = (time_ms - self._from_ms) // BUCKET_MS
        if bucket < BUCKETS:
            self.allocated[bucket] += 1
        self._new.add(record.container)
        self.released.setdefault(record.container, time_ms)
        if record.container[0] in self._waiting:
            self.started.setdefault(record.container[0], (time_ms, record.node.partition(":")[0]))


def aftermath(
    here: Simulation, actions: Sequence[Act], targets: Sequence[Ask] = (), allocated: Sequence[int] = ()
) -> Incremental[ImpactReport]:
    """Act on a closed copy, which is not changed, and play it on for `FOLLOW_MS`.

    The starts of its targets are given by name; `allocated` tells when containers were allocated before it [epoch ms].
    """
    simulation = yield from here.fork_in_steps()
    simulation.run_before(here.now_ms + ACT_MS)
    view, begin_ms = simulation.control_plane.view(), simulation.now_ms
    ids, leaving, keeps = view.application_id, _killed_by(actions, view), view.modes().restart_keeps == "containers"
    waiting = _waiting(view, leaving)
    chronicle = _Chronicle(begin_ms, waiting.keys(), leaving, actions, keeps=keeps)
    before, nodes_before = _memory(simulation), nodes_of(simulation)
    simulation.listeners.append(chronicle)
    for action in actions:
        answer = simulation.act(action)
        if answer.rejected:
            why = answer.detail or answer.rejected
            return ImpactReport(refused=why, bucket_s=BUCKET_MS // 1000, before=(0,) * BEFORE)
    dropped, killed = chronicle.dropped, chronicle.killed
    stays = [(one.id, one.node.id) for one in view.reservations()]
    most, nodes_then, idle_ms = before, nodes_before, None
    whom, started, last = {number for number, _ in targets}, 0, None
    for time_ms in range(begin_ms + STEP_MS, begin_ms + FOLLOW_MS, STEP_MS):
        simulation.run_until(time_ms)
        chronicle.lose((one for one, _ in stays), simulation.control_plane.view().recovery())
        if (use := _memory(simulation)).percent > most.percent:
            most, nodes_then = use, nodes_of(simulation)
        if (count := len(chronicle.started.keys() & whom)) > started:
            started, last = count, use
        if idle_ms is None and not simulation.control_plane.view().somebody_waits():
            idle_ms = time_ms
        yield
    terms = terms_for(simulation.control_plane.dimensions)
    noun, has_memory = terms.container, terms is not MAPREDUCE_1
    found = [_happening(begin_ms, words)] if (words := _at_once(killed, dropped, noun)) else []
    found += _starts({each: at for each, at in chronicle.started.items() if each in whom}, waiting, noun)
    if has_memory and most.percent > before.percent:
        found.append(_happening(most.at_ms, f"memory used {before.percent} % → {most.percent} %"))
    if idle_ms is not None:
        found.append(_happening(idle_ms, "nothing waits any more"))
    live = f", {left} still live" if (left := len(simulation.control_plane.view().applications())) else ""
    found.append(_happening(simulation.now_ms, f"{chronicle.done} finished{live}"))
    begun = sorted((at_ms, number) for number, (at_ms, _) in chronicle.started.items())
    return ImpactReport(
        happenings=tuple(sorted(found, key=lambda each: each.at_ms)),
        bucket_s=BUCKET_MS // 1000,
        allocated=tuple(chronicle.allocated),
        before=_before(before.at_ms, allocated),
        begun=tuple(BegunReport(application=ids(each), at_ms=at_ms, ran=waiting[each]) for at_ms, each in begun),
        killed=max(killed, chronicle.left),
        dropped=dropped,
        preempted=chronicle.preempted,
        stays=tuple(
            StayReport(application=ids(one[0]), node=node, until_ms=chronicle.released.get(one)) for one, node in stays
        ),
        memory=MemoryChange(before=before, most=most, last=last) if has_memory else MemoryChange(),
        nodes=NodesChange(now=nodes_before, then=nodes_then) if has_memory else NodesChange(),
    )


def _waiting(view: ClusterView, leaving: Collection[int]) -> dict[int, bool]:
    """Applications that wait, each with whether it runs already; without the ones that leave."""
    running = frozenset(view.numbers_running())
    waits = (each.number for each in view.applications() if each.waits)
    return {number: number in running for number in waits if number not in leaving}


def _killed_by(actions: Sequence[Act], view: ClusterView) -> set[int]:
    named = {one.application for one in actions if isinstance(one, KillApplication)}
    return {each.number for each in view.applications() if named & {each.number, view.application_id(each.number)}}


def _before(at_ms: int, allocated: Sequence[int]) -> tuple[int, ...]:
    counts = [0] * BEFORE
    for time_ms in allocated:
        ago = (at_ms - 1 - time_ms) // BUCKET_MS
        if 0 <= ago < BEFORE:
            counts[BEFORE - 1 - ago] += 1
    return tuple(counts)


def _memory(simulation: Simulation) -> MemoryReport:
    figures = simulation.control_plane.view().figures()
    used_mb, total_mb = figures.used[0], figures.total[0]
    percent = 100 * used_mb // total_mb if total_mb else 0
    return MemoryReport(at_ms=simulation.now_ms, used_mb=used_mb, total_mb=total_mb, percent=percent)


def _happening(at_ms: int, words: str, *, is_target: bool = False) -> HappeningReport:
    return HappeningReport(at_ms=at_ms, words=words, is_target=is_target)


def _at_once(killed: int, dropped: int, noun: str) -> str:
    counts = ((killed, noun), (dropped, "reservation"))
    parts = [plural(count, noun) for count, noun in counts if count]
    return f"{' and '.join(parts)} {'goes' if killed + dropped == 1 else 'go'}" if parts else ""


def _starts(first: Mapping[int, tuple[int, str]], runs: Mapping[int, bool], noun: str) -> list[HappeningReport]:
    """When and where each application that the act is for is `first` given something; a running one does not start."""
    started = sorted(first.items(), key=lambda each: each[1][0])
    found = []
    for number, (at_ms, host) in started[:NAMED]:
        gets = f"gets its next {noun}" if runs[number] else "starts"
        found.append(_happening(at_ms, f"{number:04d} {gets} on {host}", is_target=True))
    if len(started) > NAMED:
        more = sum(runs[each] for each in first)
        new = len(first) - more
        gets = " starts" if new else " gets more"
        if new and more:
            gets = f": {new} {'starts' if new == 1 else 'start'}, {more} {'gets' if more == 1 else 'get'} more"
        found.append(_happening(started[-1][1][0], f"the last of {len(first)}{gets}", is_target=True))
    return found


def nodes_of(simulation: Simulation) -> tuple[NodeUse, ...]:
    """Return the use of the first `NODES` nodes now."""
    snapshot = snapshot_of(simulation)
    found = []
    for row in snapshot.nodes()[:NODES]:
        blocks = _containers(snapshot, row.id) or _executors(snapshot, row.id)
        found.append(NodeUse(row.id, row.total[0], row.free[0], isinstance(row.reserved_by, str), tuple(blocks)))
    return tuple(found)


def _containers(snapshot: Snapshot, node: str) -> list[NodeBlock]:
    held = [each for each in snapshot.containers(node=node) if each.state != "RESERVED"]
    held.sort(key=lambda each: (each.queue, each.application, each.id))
    return [NodeBlock(each.queue, each.application, each.size[0]) for each in held]


def _executors(snapshot: Snapshot, worker: str) -> list[NodeBlock]:
    held = [each for each in snapshot.executors() if each.worker == worker]
    held.sort(key=lambda each: (each.application, each.executor))
    return [NodeBlock("", str(each.application), each.memory_mb) for each in held]
