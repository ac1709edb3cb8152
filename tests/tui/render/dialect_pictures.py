"""A picture of each kind of cluster with rows of every kind, made by hand."""

from typing import Any

import msgspec

from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed, Reserved
from engine.observe.mr1_snapshot import JobRow, TrackerRow
from engine.observe.snapshot import (
    UNKNOWN,
    AskRow,
    CapacityQueueRow,
    ExecutorRow,
    ObstacleSummary,
    PartitionUse,
    Unknown,
)
from engine.observe.spark_snapshot import StandaloneRow, WorkerRow
from engine.scenario.acts import DrainNode
from engine.simulation.records import Acted
from tests.tui import fakes
from tests.tui.fake_session import frozen_graphs
from tui.protocol.picture import EventRow, RunState, SessionState, Track
from tui.session.alert_monitor import event_row

NOW, HOSTS = fakes.NOW, fakes.HOSTS
MINUTE_MS = 60_000
MEMORY_CORES = ("memory_mb", "cores")
SLOTS = ("map_slots", "reduce_slots")


def _picture(snapshot: fakes.FakeSnapshot, events: list[EventRow]) -> SessionState:
    run = RunState("x", offset_ms=8 * 3_600_000, track=Track(NOW - 30 * MINUTE_MS, NOW - 20 * MINUTE_MS))
    return SessionState(snapshot, run, events, len(events), frozen_graphs(NOW))


def _events(*records: object) -> list[EventRow]:
    return [event_row(place, NOW - 30_000 + 343 * place, record) for place, record in enumerate(records)]


def fair() -> SessionState:
    """FairScheduler: the frozen cluster, with a queue that starves, nodes that are out, and one that holds too much."""
    base = fakes.frozen_cluster()
    out = (
        fakes.node_row("n1", state="DECOMMISSIONING", used=(4096, 4), total=(4096, 4), free=(0, 0), reserved_by=None,
                       reserved=None, rack="/r2", containers=1),
        fakes.node_row("n2", state="LOST", used=(0, 0), containers=0, reserved_by=None, reserved=None, rack="/r2",
                       last_heartbeat_ms=NOW - 700_000),
        fakes.node_row("n3", free=(-2048, 3), used=(104448, 29), reserved_by=None, reserved=None),
        fakes.node_row("n4", reserved_by=UNKNOWN, reserved=UNKNOWN, last_heartbeat_ms=UNKNOWN),
        fakes.node_row("n5", reserved=(30720, 1), reserved_by=fakes.OTHER),
        fakes.node_row("n6", total=(0, 0), used=(0, 0), free=(0, 0), reserved_by=None, reserved=None, containers=0),
    )  # fmt: skip
    applications = (
        *base.applications(),
        fakes.application_row(7, state="FAILED", finished_ms=NOW - 3_600_000, waiting_since_ms=None, obstacle=None,
                              asks=(), used=(0, 0), containers=0, diagnostics="AM\ncrashed", pending_containers=0),
        fakes.application_row(8, asks=UNKNOWN, pending_containers=3, reservations=UNKNOWN, reserved=UNKNOWN,
                              obstacle=ObstacleSummary("NO_NODE", "there is no node", "inferred")),
        fakes.application_row(9, waiting_since_ms=None, obstacle=None, pending_containers=0, asks=(), containers=1,
                              used=(4096, 1)),
        fakes.application_row(10, obstacle=None, state="NEW", used=(0, 0), containers=0, user="zoe",
                              asks=(AskRow(1, 2, (1024, 1), ("n1", "n2", "n3", "n4"), relax_locality=False),
                                    AskRow(2, 1, (2048, 1), ("n3",)), AskRow(3, 0, (1, 1)))),
    )  # fmt: skip
    containers = (
        *fakes.containers(),
        fakes.container_row(9, "n3", state="KILLED", since_ms=UNKNOWN, priority=20),
    )
    found = base.having(
        nodes=(*base.nodes(), *out), applications=applications, containers=containers, users=fakes.users()
    )
    return _picture(found, fakes.some_events())


def _leaf(path: str, used_mb: int, **changes: Any) -> CapacityQueueRow:
    uses = (
        PartitionUse("", 0.3, 0.75, (30720, 30), (76800, 75), (used_mb, 60)),
        PartitionUse("gpu", 0.5, 1.0, (20480, 20), (40960, 40), (4096, 4)),
    )
    row = CapacityQueueRow(
        path=path, depth=path.count("."), is_leaf=True, policy="fifo", used=(used_mb, 60), max_share=(76800, 75),
        reserved=(0, 0), applications_running=2, applications_pending=1, containers=60, guaranteed=(30720, 30),
        used_capacity=used_mb / 30720, state="RUNNING", user_limit=(122880, 120), am_used=(2048, 2),
        am_limit=(3072, 3), partitions=uses,
    )  # fmt: skip
    return msgspec.structs.replace(row, **changes)


def capacity() -> SessionState:
    """CapacityScheduler with two partitions: a queue over its guarantee, one that is stopped, one without access."""
    whole = (
        PartitionUse("", 1.0, 1.0, (102400, 100), (102400, 100), (61440, 60)),
        PartitionUse("gpu", 1.0, 1.0, (40960, 40), (40960, 40), (4096, 4)),
    )
    queues = (
        _leaf("root", 65536, is_leaf=False, user_limit=None, am_used=None, am_limit=None, max_share=None,
              guaranteed=(102400, 100), partitions=whole, used_capacity=0.6),
        _leaf("root.dev", 61440),
        _leaf("root.dev.eng", 30720, state="STOPPED", applications_pending=0, max_share=None),
        _leaf("root.ops", 0, applications_running=0, applications_pending=0, partitions=whole[:1], user_limit=(1, 1)),
    )  # fmt: skip
    base = fakes.frozen_cluster(scheduler="capacity-2.7")
    nodes = tuple(
        msgspec.structs.replace(row, partition="gpu" if place < 4 else "", reserved_by=None, reserved=None)
        for place, row in enumerate(base.nodes())
    )
    applications = tuple(
        msgspec.structs.replace(row, partition=label)
        for row, label in zip(base.applications()[11:14], ("", "gpu", " 4 gpu"), strict=True)
    )
    header = msgspec.structs.replace(base.header, nodes_reserved=0, total=(143360, 140))
    return _picture(fakes.FakeSnapshot(header, queues=queues, nodes=nodes, applications=applications), [])


def spark_row(number: int, **changes: Any) -> StandaloneRow:
    row = StandaloneRow(
        id=f"app-20240304090000-{number:04d}", number=number, name="etl", user="ann", queue="fifo", type="SPARK",
        state="RUNNING", submitted_ms=NOW - 600_000, waiting_since_ms=None, finished_ms=None, used=(3072, 12),
        containers=6, reserved=UNKNOWN, reservations=UNKNOWN, asks=(), pending_containers=0, obstacle=None,
        cores_wanted=12, executor_cores=2, executor_memory_mb=512,
    )  # fmt: skip
    return msgspec.structs.replace(row, **changes)


def _worker(name: str, state: str = "ALIVE", **changes: Any) -> WorkerRow:
    amounts = ((10_240, 10), (1536, 6), (8704, 4))
    row = WorkerRow(f"{name}:7078", name, "/r", state, "", *amounts, 2, None, None, NOW - 2000, drivers=1)
    return msgspec.structs.replace(row, **changes)


def spark() -> SessionState:
    """Spark's Master: one that keeps all cores, one that waits, one that has ended; a worker that is dead."""
    none = ObstacleSummary("NO_CORE", "no worker has a core free; 18 are used (all)")
    since = NOW - 90_000
    rows = (
        spark_row(1, cores_wanted=None, executor_cores=None, used=(6144, 14), containers=2,
                  pending_containers=UNKNOWN),
        spark_row(2, used=(1024, 4), containers=2, waiting_since_ms=since, pending_containers=4, obstacle=none),
        spark_row(3, state="WAITING", used=(0, 0), containers=0, waiting_since_ms=since - 1000, pending_containers=6,
             obstacle=none, user="bo"),
        spark_row(4, state="FINISHED", finished_ms=NOW - 60_000, used=(0, 0), containers=0, user="bo"),
        spark_row(5),
    )  # fmt: skip
    busy_of: dict[int, tuple[int | Unknown, ...]] = {1: (2, 1), 2: (0, UNKNOWN)}
    executors = tuple(
        ExecutorRow(number, place, f"w{place + 1}:7078", 2, 512, 0, "RUNNING", NOW - 60_000 * place, busy)
        for number, each in busy_of.items()
        for place, busy in enumerate(each)
    )
    nodes = (_worker("w1"), _worker("w2", used=(10_240, 10), free=(0, 0)), _worker("w3", "DEAD", used=(0, 0)))
    header = fakes.header(
        scheduler="spark", dimensions=MEMORY_CORES, total=(20_480, 20), used=(10_240, 18), spread_out=True,
        nodes=2, nodes_down=1, preemption=UNKNOWN, reservation_rule="",
    )  # fmt: skip
    users = (fakes.user_row("ann", queues=("fifo",)), fakes.user_row("bo", applications_pending=1))
    events = _events(
        Allocated((1, 1, 2), "w1:7078", 0, 512, 2, ""),
        Allocated((5, 0, 0), "w2:7078", 0, 512, 2, ""),
        Completed((1, 1, 2), "w1:7078", 1),
        ApplicationTransitioned(4, "FINISHED", ""),
    )
    snapshot = fakes.FakeSnapshot(header, applications=rows, executors=executors, nodes=nodes, users=users)
    snapshot.dialect = "spark"
    return _picture(snapshot, events)


FULL = ObstacleSummary("QUEUE_OVER_MAXIMUM", "pool search runs 12 reduces, its maximum is 12")


def job(number: int, maps: Any, reduces: Any, obstacle: ObstacleSummary | None = None, **more: Any) -> JobRow:
    """A job with (running, finished, all) tasks of each kind."""
    waits = [max(0, every - finished - running) for running, finished, every in (maps, reduces)]
    asks = tuple(AskRow(kind, count, (1 - kind, kind)) for kind, count in enumerate(waits) if count)
    fields: dict[str, Any] = {
        "id": f"job_1_{number:04d}", "number": number, "name": f"daily-{number}", "user": "u", "queue": "search",
        "type": "MAPREDUCE", "state": "RUNNING", "submitted_ms": NOW - 300_000,
        "waiting_since_ms": NOW - 60_000 if obstacle else None, "finished_ms": None,
        "used": (maps[0], reduces[0]), "containers": maps[0] + reduces[0], "reserved": (0, 0), "reservations": 0,
        "asks": asks, "pending_containers": sum(waits) if obstacle else 0, "obstacle": obstacle, "priority": "NORMAL",
        "maps": maps, "reduces": reduces, "failed_attempts": 0, "local_maps": (3, 5, 8),
    }  # fmt: skip
    return JobRow(**{**fields, **more})


def mapreduce1() -> SessionState:
    """A JobTracker: one job fills a pool, others wait for it, for a slot and for their maps; one has ended."""
    slot = ObstacleSummary("DOES_NOT_FIT", "no map slot is free")
    rows = (
        job(18, (0, 64, 64), (12, 8, 60), FULL, priority="VERY_HIGH", failed_attempts=2),
        job(21, (0, 40, 40), (0, 0, 16), FULL),
        job(22, (4, 3, 9), (0, 0, 3), slot, queue="etl", user="v"),
        job(23, (2, 7, 9), (0, 0, 3), queue="etl"),
        job(24, (0, 9, 9), (0, 3, 3), state="SUCCEEDED", finished_ms=NOW - 30_000),
    )
    base = fakes.node_row("t1")
    own = {
        "total": (4, 2), "used": (3, 1), "free": (1, 1), "containers": 4, "reserved_by": None, "reserved": None,
        "is_graylisted": False, "flaky_for": 0,
    }  # fmt: skip
    fields = {**msgspec.structs.asdict(base), **own}
    trackers = tuple(
        TrackerRow(**{**fields, "id": f"tracker_{host}:1", "host": host, **more})
        for host, more in (("t1", {}), ("t2", {"used": (4, 2), "free": (0, 0)}), ("t3", {"state": "LOST"}))
    )
    pool = fakes.queue_row("search", depth=0, used=(0, 12), max_share=(30, 12), fair_share=(20, 20), policy="fair")
    queues = (
        pool,
        msgspec.structs.replace(pool, path="etl", used=(9, 0), max_share=None, fair_share=UNKNOWN),
        msgspec.structs.replace(pool, path="idle", used=(30, 0), applications_pending=0, applications_running=0),
    )
    header = fakes.header(
        scheduler="mr1-fair", dimensions=SLOTS, total=(48, 48), used=(9, 30), nodes=2, nodes_down=1, reserved=(0, 0),
        nodes_reserved=0,
    )  # fmt: skip
    containers = tuple(
        fakes.container_row(number, "t1", application="job_1_0018", size=size, queue="search", is_am=False)
        for number, size in ((1, (1, 0)), (2, (0, 1)))
    )
    users = (fakes.user_row("u", used=(4, 12), pending=(2, 0), queues=("search", "etl")),)
    events = _events(Reserved((18, 1, 1), "tracker_t1:1", 0, 1, 0), Killed((18, 1, 2), "tracker_t1:1", "LOST"))
    events += _events(Acted(DrainNode("tracker_t1:1")))
    snapshot = fakes.FakeSnapshot(
        header, applications=rows, nodes=trackers, queues=queues, containers=containers, users=users
    )
    snapshot.dialect = "mr1"
    return _picture(snapshot, events)
