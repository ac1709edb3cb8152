"""What a Spark Master says as rows, field by field."""

import pytest

from engine.control_plane.spark_cluster_view import QUEUE
from engine.live.spark_answers import DriverInfo, MasterInfo, SparkApplicationInfo, WorkerInfo
from engine.live.spark_picture import SparkRound, snapshot_of_master
from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.snapshot import UNKNOWN, Header, ObstacleSummary, QueueRow
from engine.observe.spark_snapshot import StandaloneRow

NOW_MS = 1_000_000


def worker(name: str, memory: int = 4096, cores: int = 4, used: tuple[int, int] = (0, 0), **more: str) -> WorkerInfo:
    """A worker with so much, of which some is used."""
    return WorkerInfo(
        id=f"worker-{name}",
        host=name,
        port=7078,
        cores=cores,
        coresused=used[1],
        memory=memory,
        memoryused=used[0],
        state=more.get("state", "ALIVE"),
        lastheartbeat=NOW_MS - 5,
    )


def app(number: int, state: str = "RUNNING", start_ms: int = 500, memory_mb: int = 1024) -> SparkApplicationInfo:
    return SparkApplicationInfo(
        id=f"app-20261121-{number:04d}",
        name=f"job {number}",
        user="ann",
        state=state,
        starttime=start_ms,
        duration=100,
        cores=3,
        memoryperexecutor=memory_mb,
    )


def snapshot_of(
    workers: list[WorkerInfo],
    active: list[SparkApplicationInfo] | None = None,
    completed: list[SparkApplicationInfo] | None = None,
    drivers: list[DriverInfo] | None = None,
    executors: dict[str, list[str]] | None = None,
) -> FixedSnapshot:
    master = MasterInfo(
        url="spark://m:7077",
        status="ALIVE",
        workers=tuple(workers),
        activeapps=tuple(active or ()),
        completedapps=tuple(completed or ()),
        activedrivers=tuple(drivers or ()),
    )
    return snapshot_of_master(SparkRound(NOW_MS, master, executors or {}), 7)


def test_the_header_has_what_workers_have_that_are_alive() -> None:
    driver = DriverInfo(id="driver-1-0000", state="RELAUNCHING", cores=1, memory=512)
    found = snapshot_of(
        [worker("b", used=(1024, 1)), worker("a", 2048, 2, (512, 2)), worker("c", state="DEAD", used=(9, 9))],
        [app(1), app(2, "WAITING")],
        [app(3, "FINISHED")],
        [driver],
        {"worker-a": ["app-20261121-0001"] * 2, "worker-c": ["app-20261121-0001"]},
    )

    assert found.header == Header(
        time_ms=NOW_MS,
        scheduler="Spark Master",
        dimensions=("memory_mb", "cores"),
        total=(6144, 6),
        used=(1536, 3),
        reserved=UNKNOWN,
        nodes=2,
        nodes_down=1,
        nodes_reserved=UNKNOWN,
        applications_running=1,
        applications_pending=2,
        containers=2,
        containers_pending=UNKNOWN,
        preemption=UNKNOWN,
        reservation_rule="",
    )
    assert {name: found.version(name) for name in found.sections} == dict.fromkeys(
        ("queues", "nodes", "applications", "users"), 7
    )
    assert list(found.queues()) == [
        QueueRow(
            path=QUEUE,
            depth=0,
            is_leaf=True,
            policy="fifo",
            used=(1536, 3),
            max_share=None,
            applications_running=1,
            applications_pending=2,
            containers=2,
        )
    ]


def test_an_application_that_runs_has_what_its_executors_have() -> None:
    found = snapshot_of([worker("a")], [app(12)], executors={"worker-a": ["app-20261121-0012"] * 2})

    assert found.applications()[0] == StandaloneRow(
        id="app-20261121-0012",
        number=12,
        name="job 12",
        user="ann",
        queue=QUEUE,
        type="SPARK",
        state="RUNNING",
        submitted_ms=500,
        waiting_since_ms=None,
        finished_ms=None,
        used=(2048, 3),
        containers=2,
        reserved=UNKNOWN,
        reservations=UNKNOWN,
        asks=UNKNOWN,
        pending_containers=UNKNOWN,
        obstacle=None,
        cores_wanted=UNKNOWN,
        executor_cores=UNKNOWN,
        executor_memory_mb=1024,
    )


@pytest.mark.parametrize(
    ("workers", "size", "found"),
    [
        (
            [worker("a"), worker("b", 2048)],
            (4097, 1),
            ("NODE_TOO_SMALL", "no worker is large enough for 4097 MB and 1 core (the largest has 4096 MB)", "known"),
        ),
        (
            [worker("a")],
            (4096, 5),
            ("NODE_TOO_SMALL", "no worker is large enough for 4096 MB and 5 cores (the largest has 4096 MB)", "known"),
        ),
        ([worker("a", used=(0, 3))], (1, 2), ("DOES_NOT_FIT", "no worker has 2 cores free", "known")),
        (
            [worker("a", used=(4000, 2)), worker("b", used=(0, 3)), worker("c", used=(4001, 2))],
            (97, 2),
            ("DOES_NOT_FIT", "2 of 3 workers have the cores, none of them 97 MB", "known"),
        ),
        (
            [worker("a", used=(4000, 2)), worker("b", used=(0, 3))],
            (96, 2),
            (
                "WAITS_FOR_EVENT",
                "a worker has 96 MB and 2 cores free: the next event makes the Master look, "
                "or it wants more cores in one place",
                "inferred",
            ),
        ),
        ([worker("a", state="DEAD")], (1, 1), ("NO_WORKER", "no worker is alive", "known")),
    ],
)
def test_a_driver_waits_for_memory_and_cores_in_one_place(
    workers: list[WorkerInfo], size: tuple[int, int], found: tuple[str, str, str]
) -> None:
    """By what workers have, then by the cores they have free, then by the memory of those."""
    driver = DriverInfo(id="driver-1-0000", state="SUBMITTED", cores=size[1], memory=size[0])

    assert snapshot_of(workers, drivers=[driver]).applications()[0].obstacle == ObstacleSummary(*found)
