"""Builds a snapshot from a Spark Master's answers.

It does not say how many cores an application may have, nor how large an executor is: what is asked for is `UNKNOWN`,
except that one that WAITS has no executor yet, and wants at least one.

Source: org.apache.spark.deploy.JsonProtocol, Spark 3.5.7 and 4.0.1.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Annotated, Any, Final, NamedTuple

import httpx
import msgspec

from engine.control_plane.spark_cluster_view import QUEUE, SparkClusterView
from engine.errors import SourceError
from engine.live.inference import INFERRED
from engine.live.rest_client import HEAVY_MS, PollPace, RestClient
from engine.live.yarn_answers import Activities, AnswerError, Instant, Whole, read
from engine.model.lifecycle import ENDED_APPLICATION_STATES
from engine.model.request import SPARK_DIMENSIONS
from engine.observe.documents import FixedSnapshot
from engine.observe.releases import users_of
from engine.observe.snapshot import SECTIONS, UNKNOWN, Amounts, AskRow, Header, ObstacleSummary, QueueRow
from engine.observe.spark_snapshot import StandaloneRow, WorkerRow, cores_without_memory

# The JSON page of Spark's standalone Master, and those of its workers, as values.

ALIVE = "ALIVE"

Numbered = Annotated[str, msgspec.Meta(pattern="-[0-9]{1,18}$")]  # An id that ends in a number


class WorkerInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One worker; a DEAD one keeps what it used last."""

    id: str
    host: str
    port: Whole
    webuiaddress: str = ""
    cores: Whole
    coresused: Whole
    memory: Whole
    memoryused: Whole
    state: str
    lastheartbeat: Instant = 0


class SparkApplicationInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One application; `cores` is what it was granted, not its maximum."""

    id: Numbered
    name: str
    user: str
    state: str
    starttime: Instant
    duration: Instant
    cores: Whole
    memoryperexecutor: Whole


class DriverInfo(msgspec.Struct, frozen=True, kw_only=True):
    id: Numbered
    state: str
    starttime: Annotated[str, msgspec.Meta(pattern="^[0-9]{1,13}$")] | Instant = 0
    cores: Whole
    memory: Whole


class MasterInfo(msgspec.Struct, frozen=True, kw_only=True):
    """`/json/`."""

    url: str
    status: str
    workers: tuple[WorkerInfo, ...]
    activeapps: tuple[SparkApplicationInfo, ...]
    completedapps: tuple[SparkApplicationInfo, ...]
    activedrivers: tuple[DriverInfo, ...] = ()

    @property
    def alive(self) -> list[WorkerInfo]:
        return [worker for worker in self.workers if worker.state == ALIVE]


class _Executor(msgspec.Struct, frozen=True):
    appid: str


class _Worker(msgspec.Struct, frozen=True):
    executors: tuple[_Executor, ...]


def read_master(body: bytes) -> MasterInfo:
    """The Master's page. Raises AnswerError if it is something else."""
    found = read(body, MasterInfo)
    if not found.url.startswith("spark://"):
        raise AnswerError("as something else than a Spark Master")
    return found


def read_executors(body: bytes) -> tuple[str, ...]:
    """Each executor's application; commands may hold secrets and are not read. Raises AnswerError if it is else."""
    return tuple(each.appid for each in read(body, _Worker).executors)


SECTION_NAMES: Final = ("queues", "nodes", "applications", "users")
WAITING: Final = "WAITING"
NOT_STARTED: Final = frozenset({"SUBMITTED", "RELAUNCHING"})  # States of a driver that waits for a worker


class SparkRound(NamedTuple):
    time_ms: int  # By the Master's clock [epoch ms]
    master: MasterInfo
    executors: Mapping[str, Sequence[str]]
    """Id of a worker → the application of each of its executors, of workers that were asked."""


def snapshot_of_master(answers: SparkRound, version: int) -> FixedSnapshot:
    """The cluster as its Master said it was. `version` differs from that of the round before where an answer does."""
    master, alive = answers.master, answers.master.alive
    total = sum(each.memory for each in alive), sum(each.cores for each in alive)
    used = sum(each.memoryused for each in alive), sum(each.coresused for each in alive)
    counts = Counter(name for worker in alive for name in answers.executors.get(worker.id, ()))
    drivers = [_driver_row(each, alive) for each in master.activedrivers if each.state in NOT_STARTED]
    live = [
        _application_row(each, counts[each.id], alive)
        for each in sorted(master.activeapps, key=attrgetter("starttime", "id"))
    ]
    over = [_application_row(each, 0, alive) for each in sorted(master.completedapps, key=lambda each: -_ended(each))]
    running = sum(row.state == "RUNNING" for row in live)
    header = Header(
        time_ms=answers.time_ms,
        scheduler="Spark Master",
        dimensions=SPARK_DIMENSIONS,
        total=total,
        used=used,
        reserved=UNKNOWN,
        nodes=len(alive),
        nodes_down=len(master.workers) - len(alive),
        nodes_reserved=UNKNOWN,
        applications_running=running,
        applications_pending=len(live) - running + len(drivers),
        containers=counts.total(),
        containers_pending=UNKNOWN,
        preemption=UNKNOWN,
        reservation_rule="",
    )
    rows: dict[str, Sequence[Any]] = {
        "queues": [_queue_row(header)],
        "nodes": [
            _node_row(each, len(answers.executors.get(each.id, ())))
            for each in sorted(master.workers, key=attrgetter("id"))
        ],
        "applications": [*drivers, *live, *over],
        "users": users_of(live, total),
    }
    sections: dict[str, type[msgspec.Struct]] = {
        **{name: SECTIONS[name] for name in SECTION_NAMES},
        "applications": StandaloneRow,
        "nodes": WorkerRow,
    }
    return FixedSnapshot(SparkClusterView.kind, header, sections, rows, dict.fromkeys(sections, version))


def _ended(application: SparkApplicationInfo) -> int:
    return application.starttime + application.duration


def _number(name: str) -> int:
    return int(name.rpartition("-")[2])


def _queue_row(header: Header) -> QueueRow:
    return QueueRow(
        path=QUEUE,
        depth=0,
        is_leaf=True,
        policy="fifo",
        used=header.used,
        max_share=None,
        applications_running=header.applications_running,
        applications_pending=header.applications_pending,
        containers=header.containers,
    )


def _node_row(worker: WorkerInfo, executors: int) -> WorkerRow:
    is_alive = worker.state == ALIVE
    used = (worker.memoryused, worker.coresused) if is_alive else (0, 0)
    return WorkerRow(
        id=f"{worker.host}:{worker.port}",
        host=worker.host,
        rack="",
        state=worker.state,
        partition="",
        total=(worker.memory, worker.cores),
        used=used,
        free=(worker.memory - used[0], worker.cores - used[1]),
        containers=executors,
        reserved_by=None,
        reserved=None,
        last_heartbeat_ms=worker.lastheartbeat,
    )


def _application_row(one: SparkApplicationInfo, executors: int, alive: Sequence[WorkerInfo]) -> StandaloneRow:
    is_waiting, is_over = one.state == WAITING, one.state in ENDED_APPLICATION_STATES
    size = (one.memoryperexecutor, 1)
    return StandaloneRow(
        id=one.id,
        number=_number(one.id),
        name=one.name,
        user=one.user,
        queue=QUEUE,
        type="SPARK",
        state=one.state,
        submitted_ms=one.starttime,
        waiting_since_ms=one.starttime if is_waiting else None,
        finished_ms=_ended(one) if is_over else None,
        used=(0, 0) if is_over else (executors * one.memoryperexecutor, one.cores),
        containers=executors,
        reserved=UNKNOWN,
        reservations=UNKNOWN,
        asks=(AskRow(0, 1, size),) if is_waiting else () if is_over else UNKNOWN,
        pending_containers=0 if is_over else UNKNOWN,
        obstacle=_obstacle(size, alive) if is_waiting else None,
        cores_wanted=UNKNOWN,
        executor_cores=UNKNOWN,
        executor_memory_mb=one.memoryperexecutor,
    )


def _driver_row(driver: DriverInfo, alive: Sequence[WorkerInfo]) -> StandaloneRow:
    """A driver that waits for a worker, as one application of one executor of its size."""
    size = (driver.memory, driver.cores)
    since_ms = int(driver.starttime)
    return StandaloneRow(
        id=driver.id,
        number=-1 - _number(driver.id),
        name=driver.id,
        user="",
        queue=QUEUE,
        type="SPARK",
        state=driver.state,
        submitted_ms=since_ms,
        waiting_since_ms=since_ms,
        finished_ms=None,
        used=(0, 0),
        containers=0,
        reserved=UNKNOWN,
        reservations=UNKNOWN,
        asks=(AskRow(0, 1, size),),
        pending_containers=1,
        obstacle=_obstacle(size, alive),
        cores_wanted=driver.cores,
        executor_cores=driver.cores,
        executor_memory_mb=driver.memory,
    )


def _obstacle(size: Amounts, alive: Sequence[WorkerInfo]) -> ObstacleSummary:
    # As Master#canLaunchExecutor of Spark 4.0.1 asks
    memory_mb, cores = size
    need = f"{memory_mb} MB and {cores} {'core' if cores == 1 else 'cores'}"
    if not alive:
        return ObstacleSummary("NO_WORKER", "no worker is alive")
    large = [each for each in alive if each.memory >= memory_mb and each.cores >= cores]
    if not large:
        most = max(each.memory for each in alive)
        return ObstacleSummary("NODE_TOO_SMALL", f"no worker is large enough for {need} (the largest has {most} MB)")
    with_cores = [each for each in alive if each.cores - each.coresused >= cores]
    if not with_cores:
        return ObstacleSummary("DOES_NOT_FIT", f"no worker has {need.rpartition(' and ')[2]} free")
    if any(each.memory - each.memoryused >= memory_mb for each in with_cores):
        words = f"a worker has {need} free: the Master retries at the next event, or it needs more cores on one worker"
        return ObstacleSummary("WAITS_FOR_EVENT", words, INFERRED)
    return ObstacleSummary("DOES_NOT_FIT", cores_without_memory(len(with_cores), len(alive), memory_mb))


# Asks a Spark Master round by round, and its workers in turn for their executors.

MASTER: Final = "/json/"
STANDBY: Final = frozenset({"STANDBY", "RECOVERING", "COMPLETING_RECOVERY"})

AT_ONCE: Final = 20  # Workers that are asked in one round


class SparkSource:
    """A Master, or the several of a cluster of which one is active."""

    notes: tuple[str, ...] = ()
    late = ""

    def __init__(self, client: RestClient, connect: Callable[[], httpx.AsyncClient], pace: PollPace) -> None:
        """Ask nothing yet. `connect` makes a client for workers."""
        self.client, self._connect, self.pace = client, connect, pace
        self._version = 0
        self._due_ms = 0
        self._executors: dict[str, Sequence[str]] = {}
        self._turn: list[WorkerInfo] = []  # workers to ask, those whose turn it is first

    async def poll(self) -> FixedSnapshot:
        """One round, trying every server once. Raises SourceError if none answered as an active Master does."""
        return await self.client.of_active(self._round)

    async def close(self) -> None:
        await self.client.close()

    async def activities(self, application: str) -> Activities:
        """Nothing: a Master keeps no record of the applications it passed by. Always raises SourceError."""
        raise SourceError("a Spark Master does not record why it passes an application by")

    async def _round(self) -> FixedSnapshot:
        client = self.client
        steady_ms = client.steady_ms
        master = await client.read(read_master, MASTER)
        if master.status in STANDBY:
            raise SourceError(f"{client.where} is on standby ({master.status})", is_standby=True)
        if steady_ms >= self._due_ms:
            await self._ask_workers(master)
            self._due_ms = steady_ms + HEAVY_MS
        self._version += 1
        self.late = self.pace.late_words(client.steady_ms - steady_ms)
        return snapshot_of_master(SparkRound(client.server_ms, master, self._executors), self._version)

    async def _ask_workers(self, master: MasterInfo) -> None:
        """Ask those whose turn it is; one that does not answer keeps what it said last."""
        alive = {each.id: each for each in master.alive}
        self._executors = {name: found for name, found in self._executors.items() if name in alive}
        self._turn = [each for each in self._turn if each.id in alive] or list(alive.values())
        now, self._turn = self._turn[:AT_ONCE], self._turn[AT_ONCE:]
        for worker in now:
            client = RestClient([worker.webuiaddress], self._connect)
            try:
                self._executors[worker.id] = await client.read(read_executors, MASTER)
            except SourceError:
                continue
            finally:
                await client.close()


async def is_spark_master(client: RestClient) -> bool:
    """Tell whether a Spark Master answers; False also where none does."""
    for _ in client.servers:
        try:
            await client.read(read_master, MASTER)
        except SourceError:
            client.turn_to_next()
        else:
            return True
    return False
