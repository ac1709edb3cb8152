"""Snapshots and plans of every kind of control plane: the one place where those are chosen."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from engine.control_plane.cluster_view import ClusterView
from engine.control_plane.job_tracker_parts import container_named
from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.protocol import ControlPlane
from engine.control_plane.recovery import EXIT_KILLED_BY_RM, ORPHANED
from engine.control_plane.spark_cluster_view import SparkClusterView
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.grouping import grouped
from engine.model.decision import Completed, ContainerId, Killed
from engine.model.identity import container_of_name
from engine.observe.mr1_snapshot import JobTrackerSnapshot
from engine.observe.obstacles import ObstacleCache
from engine.observe.releases import Releases
from engine.observe.snapshot import CapacityQueueRow, Header, Snapshot, Unknown, column
from engine.observe.spark_snapshot import Busy, PlanTables, SparkSnapshot, keep_plans, plan_tables
from engine.observe.yarn_snapshot import Lifespans, Silence, YarnSnapshot
from engine.schedulers.spark.scheduling_pass import DRIVER_ATTEMPT, EXECUTOR_ATTEMPT
from engine.simulation.simulation import Simulation
from engine.simulation.spark_world import SparkWorld
from engine.simulation.world import NODE_EXPIRES


class Known(NamedTuple):
    """Facts for a snapshot beyond what the control plane believes; each kind takes those it has a use for."""

    whys: ObstacleCache | None = None
    """Answers why applications wait, as far as is known, so that a snapshot never takes long."""
    releases: Releases | None = None  # Answers what frees reserved nodes, as far as that is known
    draining: Collection[str] = ()  # Ids of nodes that are being drained
    busy: Busy = dict
    driven: Mapping[int, int] = MappingProxyType({})  # Number of a driver of a Spark Master → that of its application
    lifespans: Lifespans = dict  # Answers the progress of sessions and services
    silent: Mapping[str, Silence] = MappingProxyType({})
    """Id of a node that is not heard of any more and still believed alive → since when."""


class Observer(NamedTuple):
    """Makes snapshots and plans of one kind of control plane; Any: each takes control planes of its own kind."""

    snapshot: Callable[[Any, int, Known], Snapshot]
    plans: Callable[[Any, int], tuple[PlanTables, ...]] = lambda control_plane, now_ms: ()
    """Plans that can be gone through step by step; none where a control plane makes none."""
    keep_plans: Callable[[Any, int], None] = lambda control_plane, count: None


OBSERVERS: Final[Mapping[str, Observer]] = {
    YarnClusterView.kind: Observer(
        lambda rm, now_ms, known: YarnSnapshot(
            rm, now_ms, known.whys, known.releases, known.draining, known.lifespans, known.silent
        )
    ),
    SparkClusterView.kind: Observer(
        lambda master, now_ms, known: SparkSnapshot(master, now_ms, known.busy, known.driven), plan_tables, keep_plans
    ),
    JobTrackerView.kind: Observer(lambda jt, now_ms, known: JobTrackerSnapshot(jt, now_ms)),
}
"""`ClusterView.kind` → how it is looked at."""


def snapshot_of(simulation: Simulation, lifespans: Lifespans = dict) -> Snapshot:
    """The cluster as its control plane believes it to be now; `lifespans` tell what sessions and services are at."""
    return _snapshot(simulation, Known(lifespans=lifespans))


def snapshot_of_simulation(
    simulation: Simulation,
    whys: ObstacleCache | None = None,
    releases: Releases | None = None,
    *,
    has_drained: bool = True,
) -> Snapshot:
    """Take a `snapshot_of` with what only the simulated world knows: nodes that drain, cores that run a task.

    With `whys` it never takes long; `has_drained` False saves looking for a node that drains.
    """
    world = simulation.world
    draining = [node.id for node in world.nodes if node.draining] if has_drained else ()
    driven = world.driven if isinstance(world, SparkWorld) else {}
    known = Known(whys, releases, draining, world.busy_cores, driven, world.lifespans, _silent(simulation))
    return _snapshot(simulation, known)


def _snapshot(simulation: Simulation, known: Known) -> Snapshot:
    control_plane = simulation.control_plane
    return _observer(control_plane).snapshot(control_plane, simulation.now_ms, known)


def _silent(simulation: Simulation) -> Mapping[str, Silence]:
    world = simulation.world
    silent = [node for node in world.nodes if node.member and not node.up]
    expires = {event[2]: event[0] for event in world.clock.heap if event[3] == NODE_EXPIRES} if silent else {}
    return {node.id: Silence(node.silent_ms, expires.get(node.index)) for node in silent}


def plans_of(control_plane: ControlPlane, now_ms: int) -> tuple[PlanTables, ...]:
    """Plans that were carried out, oldest first, then those of a pass at this instant [epoch ms], not run."""
    return _observer(control_plane).plans(control_plane, now_ms)


def keep_plans_of(control_plane: ControlPlane, count: int) -> None:
    """Have the last plans that are carried out kept for `plans_of`, where a control plane makes any."""
    _observer(control_plane).keep_plans(control_plane, count)


def _observer(control_plane: ControlPlane) -> Observer:
    return OBSERVERS[control_plane.view().kind]


LIVE_STATES: Final = frozenset({"NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "WAITING", "PREP", "RUNNING"})
"""States of an application that has not ended."""

ENDED, WAITS, STARTS, IDLE, SERVED = "ended", "waits", "starts", "idle", "served"
"""It has ended; has an unmet ask; its first container is placed and does not run yet; holds nothing and asks for
nothing (RUNNING, or WAITING for a Spark Master); holds containers and asks for no more."""

_FIELDS: Final = ("state", "pending_containers", "waiting_since_ms", "containers")


def service_of(state: str, pending: int | Unknown, since_ms: int | None, containers: int) -> str:
    """Tell how an application in a state is served, of every kind of cluster, simulated, recorded or live.

    It asks for `pending` containers that it does not have; where that is unknown, whether it waits decides. `since_ms`
    is None when it does not wait.
    """
    if state not in LIVE_STATES:
        return ENDED
    asks = since_ms is not None if isinstance(pending, Unknown) else pending > 0
    if asks:
        return WAITS
    if state == "RUNNING" or (state == "WAITING" and since_ms is None):
        return SERVED if containers else IDLE
    return STARTS if containers else WAITS


def wait_of(view: ClusterView, number: int) -> bool | None:
    """Tell whether a live application that waits has nothing; None where it does not wait."""
    fields = view.service_fields(number)
    return None if fields is None or service_of(*fields) != WAITS else not fields[-1]


def services(rows: Sequence[Any]) -> list[str]:
    """Tell how each application of a section is served."""
    return [service_of(*fields) for fields in zip(*(column(rows, name) for name in _FIELDS), strict=True)]


class WaitTotal(NamedTuple):
    """Applications that wait, in figures: those that ask for more than they have."""

    first: int = 0  # So many have nothing, none yet or none any more
    more: int = 0  # So many have some, and wait for more
    since_ms: int | None = None  # Since when the first of them waits [epoch ms]; None when none does, or nobody knows

    @property
    def number(self) -> int:
        return self.first + self.more

    def together(self, other: "WaitTotal") -> "WaitTotal":
        since = [at for at in (self.since_ms, other.since_ms) if at is not None]
        return WaitTotal(self.first + other.first, self.more + other.more, min(since, default=None))


def waits_of(rows: Sequence[Any]) -> WaitTotal:
    """Count the applications of a snapshot that wait."""
    return _total(_waits(rows))


def waits_by(rows: Sequence[Any], field: str) -> dict[str, WaitTotal]:
    """Count them by a field of the rows: `queue` or `user`."""
    waits = zip(column(rows, field), _waits(rows), strict=True)
    found = grouped((name, wait) for name, wait in waits if wait is not None)
    return {name: _total(some) for name, some in found.items()}


def waits_below(rows: Sequence[Any]) -> dict[str, WaitTotal]:
    """Count them by queue, together with the queues below it; queues without waits are left out."""
    found: dict[str, WaitTotal] = {}
    for path, waits in waits_by(rows, "queue").items():
        for above in _with_parents(path):
            found[above] = waits.together(found.get(above, WaitTotal()))
    return found


def running_below(rows: Sequence[Any]) -> Counter[str]:
    """Count the applications that are RUNNING by queue, together with the queues below it."""
    states = zip(column(rows, "queue"), column(rows, "state"), strict=True)
    found = Counter[str]()
    for path, count in Counter(path for path, state in states if state == "RUNNING").items():
        for above in _with_parents(path):
            found[above] += count
    return found


def _with_parents(path: str) -> list[str]:
    parts = path.split(".")
    return [".".join(parts[:size]) for size in range(1, len(parts) + 1)]


_Wait = tuple[bool, int | None]  # Whether it has nothing yet, and since when it waits


def _waits(rows: Sequence[Any]) -> list[_Wait | None]:
    fields = zip(services(rows), column(rows, "containers"), column(rows, "waiting_since_ms"), strict=True)
    return [(not containers, since_ms) if each == WAITS else None for each, containers, since_ms in fields]


def _total(waits: Sequence[_Wait | None]) -> WaitTotal:
    known = [each for each in waits if each is not None]
    first = sum(is_first for is_first, _ in known)
    since_ms = min((at for _, at in known if at is not None), default=None)
    return WaitTotal(first, len(known) - first, since_ms)


def has_its_part(snapshot: Snapshot, number: int) -> bool:
    """Tell whether an application holds as much memory as its even part of its queue's guarantee.

    The guarantee is CapacityScheduler's capacity or FairScheduler's fair share, divided among the live applications of
    the queue; where there is none the answer is False. An application that has its part is passed by others, as the
    policy intends.
    """
    rows = [row for row in snapshot.applications(why=False) if row.state in LIVE_STATES]
    own = next((row for row in rows if row.number == number), None)
    queue = next((row for row in snapshot.queues() if own is not None and row.path == own.queue), None)
    if own is None or queue is None:
        return False
    guarantee = queue.guaranteed if isinstance(queue, CapacityQueueRow) else queue.fair_share
    if not isinstance(guarantee, tuple) or not guarantee[0]:
        return False
    beside = sum(row.queue == own.queue for row in rows)
    return own.used[0] * beside >= guarantee[0]


class SystemTerms(NamedTuple):
    """The nouns of one system, in the singular."""

    application: str = "application"
    container: str = "container"
    node: str = "node"
    master: str = "ResourceManager"
    queue: str = "queue"
    ranks_asks: bool = True  # Whether an application gives its asks priorities
    has_reasons: bool = True  # Whether the scheduler names the reasons of its decisions
    has_queues: bool = True  # False for one list of applications
    asks: tuple[str, ...] = ()  # What asks of the priorities 0, 1 ... are for, where priorities are kinds

    def asked(self, priority: int | None) -> str:
        """What an ask of a priority is for."""
        return self.container if priority is None or priority >= len(self.asks) else self.asks[priority]


YARN: Final = SystemTerms()
SPARK: Final = SystemTerms(
    container="executor", node="worker", master="Master", ranks_asks=False, has_reasons=False, has_queues=False
)
MAPREDUCE_1: Final = SystemTerms(
    "job", "attempt", "tracker", "JobTracker", ranks_asks=False, has_reasons=False, asks=("map", "reduce")
)


def terms_for(dimensions: Sequence[str]) -> SystemTerms:
    """The words of the system whose amounts have these dimensions.

    >>> terms_for(("map_slots", "reduce_slots")).node, terms_for(("memory_mb", "cores")).node
    ('tracker', 'worker')
    """
    if "map_slots" in dimensions:
        return MAPREDUCE_1
    return SPARK if "cores" in dimensions else YARN


def terms_of_system(system: str) -> SystemTerms:
    """The words of `yarn`, `spark` or `mr1`."""
    return {"spark": SPARK, "mr1": MAPREDUCE_1}.get(system, YARN)


def terms_of(header: Header) -> SystemTerms:
    """The words of the system that a header is of, also for its queues."""
    return terms_for(header.dimensions)._replace(queue=queue_word(header.scheduler))


def queue_word(scheduler: str) -> str:
    """What a policy calls a queue: FairScheduler of MapReduce 1 has pools.

    >>> queue_word("mr1-fair"), queue_word("mr1-capacity"), queue_word("fair-2.7")
    ('pool', 'queue', 'queue')
    """
    return "pool" if scheduler == "mr1-fair" else "queue"


def translate_terms(sentence: str, words: SystemTerms) -> str:
    """One of our own sentences, which are written in YARN's nouns, in those of a system; no name of a user is in it.

    >>> translate_terms("Kill an application on the node", MAPREDUCE_1)
    'Kill a job on the tracker'
    >>> translate_terms("Restart the ResourceManager.", SPARK)
    'Restart the Master.'
    """
    nouns = {"application": words.application, "container": words.container, "node": words.node}
    nouns["queue"] = words.queue
    nouns |= {"ResourceManager": words.master, "ResourceManager or JobTracker": words.master}
    said = _NOUNS.sub(lambda found: nouns[found[1]], sentence)
    return _ARTICLE.sub(lambda found: f"{found[1]}{'n' if found[2][0] in 'ae' else ''} {found[2]}", said)


_NOUNS: Final = re.compile(
    r"\b(application|container|node|queue|ResourceManager or JobTracker|ResourceManager)(?=s?\b)"
)
_ARTICLE: Final = re.compile(r"\b([Aa])n? (executor|attempt|job|worker|tracker)(?=s?\b)")


# Containers that run at an instant, and the ends that lose their work.

LOSING: Final = ("PREEMPTED", "LOST", "RELABELLED", "KILLED_BY_USER", ORPHANED)
"""Causes of a container's end that lose its work whenever they come."""


def is_lost_by_restart(fields: Mapping[str, object]) -> bool:
    """Tell by the fields of an end whether a control plane that started again kept or knew no such container."""
    return fields.get("cause") == ORPHANED or fields.get("exit_status") == EXIT_KILLED_BY_RM


def loses_work(record: Killed | Completed) -> bool:
    return record.cause in LOSING if isinstance(record, Killed) else record.exit_status == EXIT_KILLED_BY_RM


class RunningContainer(NamedTuple):
    since_ms: int
    memory_mb: int  # Memory; of a JobTracker's attempt its map slots
    vcores: int  # Vcores; of a JobTracker's attempt its reduce slots
    node: str = ""  # `host:port`, of a ResourceManager's


def held_now(simulation: Simulation) -> dict[ContainerId, RunningContainer]:
    """What runs now, since when; also on nodes that have yet to register with a restarted ResourceManager."""
    view = simulation.control_plane.view()
    if isinstance(view, YarnClusterView):
        return _on_nodes(simulation, view)
    snapshot = snapshot_of(simulation)
    held = {
        (row.application, EXECUTOR_ATTEMPT, row.executor): RunningContainer(row.launched_ms, row.memory_mb, row.cores)
        for row in snapshot.executors()
    }
    for one in snapshot.containers():
        if isinstance(one.since_ms, int):
            number = container_named(one.id) if one.id.startswith("attempt_") else container_of_name(one.id)
            assert number is not None, "the control plane gave the id"
            held[number] = RunningContainer(one.since_ms, one.size[0], one.size[1])
    return held | _drivers(view)


def _on_nodes(simulation: Simulation, view: YarnClusterView) -> dict[ContainerId, RunningContainer]:
    held = {
        one.id: RunningContainer(one.created_ms, one.memory_mb, one.vcores, node.id)
        for node in view.scheduler.cluster.nodes.values()
        for one in node.containers.values()
    }
    unknown = [(one, node.id) for node in simulation.world.nodes if not node.member for one in node.live()]
    held.update(
        (one.container, RunningContainer(one.created_ms, one.memory_mb, one.vcores, node)) for one, node in unknown
    )
    return held


def _drivers(view: ClusterView) -> dict[ContainerId, RunningContainer]:
    drivers = view.cluster.drivers.values() if isinstance(view, SparkClusterView) else ()
    return {
        (each.number, DRIVER_ATTEMPT, 0): RunningContainer(each.launched_ms, each.memory_mb, each.cores)
        for each in drivers
        if each.launched_ms is not None
    }
