"""Why a Spark application is not given more, worker by worker, in the words used of YARN, and who holds what it needs.

Source: Master#schedule, Master#canLaunchExecutor, Spark 4.x. Codes are those of `schedulers.activity.Reason` where the
meaning is the same, else Spark's own.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.control_plane.spark_cluster_view import wanted_shapes
from engine.explain.deciders import Decider
from engine.explain.reasons import NODES_NAMED, ReasonRow
from engine.explain.waits import Hold, weight
from engine.model.resource import INT_MAX
from engine.model.spark.application import ExecutorShape, SparkApplication
from engine.model.spark.cluster import SparkCluster
from engine.model.spark.naming import application_id
from engine.model.spark.worker import Executor, Worker
from engine.observe.spark_waits import refusal_of
from engine.schedulers.activity import Reason
from engine.schedulers.spark.scheduling_pass import EXECUTOR_ATTEMPT

ROOM, NO_MEMORY, NO_CORES, TOO_SMALL, DRAINING, DEAD = range(6)
"""What a worker says to an executor, the nearest to a yes first."""


class Words(NamedTuple):
    """How one of these is told."""

    code: str
    state: str
    sentence: str
    """Of `count`, `of` and the numbers, those of the worker that comes nearest."""


WORDS: Final = {
    ROOM: Words(
        "WAITS_FOR_EVENT", "SKIPPED", "{count} of {of} workers: room for it; the next event makes them be looked at"
    ),
    NO_MEMORY: Words(
        "DOES_NOT_FIT",
        "SKIPPED",
        "{count} of {of} workers: too little memory, {wanted_mb} MB wanted and the most free is {free_mb} MB",
    ),
    NO_CORES: Words(
        "DOES_NOT_FIT",
        "SKIPPED",
        "{count} of {of} workers: too few cores, {wanted_cores} wanted and the most free is {free_cores}",
    ),
    TOO_SMALL: Words(
        "NODE_TOO_SMALL",
        "REJECTED",
        "{count} of {of} workers: too small, {wanted_cores} cores and {wanted_mb} MB wanted and the largest has"
        " {total_cores} and {total_mb} MB",
    ),
    DRAINING: Words("NODE_DECOMMISSIONED", "REJECTED", "{count} of {of} workers: being decommissioned"),
    DEAD: Words("NODE_DEAD", "REJECTED", "{count} of {of} workers: dead"),
}
"""Every answer, told."""


def answer_of(worker: Worker, shape: ExecutorShape) -> int:
    """What a worker says to one executor."""
    if worker.state != "ALIVE":
        return DEAD if worker.state == "DEAD" else DRAINING
    if worker.cores < shape.step or worker.memory_mb < shape.memory_mb:
        return TOO_SMALL
    if worker.cores_free < shape.step:
        return NO_CORES
    return NO_MEMORY if worker.memory_free_mb < shape.memory_mb else ROOM


def spark_reasons(application: SparkApplication, cluster: SparkCluster) -> tuple[ReasonRow, ...]:
    """All that stands in its way, the first reason first; nothing when it waits for nothing."""
    refusal = refusal_of(application, cluster)
    if refusal is None:
        return ()
    shapes = wanted_shapes(application)
    if not shapes:
        decider = Decider("spark.cores.max", str(application.cores_wanted))
        is_small = refusal.code == "MAXIMUM_TOO_SMALL"
        return (_row(refusal.code, "APP", "SKIPPED", refusal.sentence, decider if is_small else None),)
    groups: dict[int, list[Worker]] = {}
    for worker in cluster.workers:
        groups.setdefault(min(answer_of(worker, shape) for shape in shapes), []).append(worker)
    rows = [
        _of_workers(application, shapes[0], answer, workers, cluster)
        for answer, workers in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    ]
    rows.sort(key=lambda row: row.code != refusal.code)  # the one its row is told with comes first
    return (*rows, *_earlier(application, cluster)) or (_row(refusal.code, "APP", "SKIPPED", refusal.sentence),)


def _row(code: str, level: str, state: str, sentence: str, decider: Decider | None = None) -> ReasonRow:
    return ReasonRow(code, sentence, level, state, "", 0, 0, (), "", {}, decider)


def _of_workers(
    application: SparkApplication, shape: ExecutorShape, answer: int, workers: Sequence[Worker], cluster: SparkCluster
) -> ReasonRow:
    words = WORDS[answer]
    numbers = _numbers(shape, answer, workers)
    of = len(cluster.workers)
    return ReasonRow(
        code=words.code,
        sentence=words.sentence.format(count=len(workers), of=of, **numbers),
        level="NODE",
        state=words.state,
        diagnostic="",
        count=len(workers),
        of=of,
        nodes=tuple(worker.node.rpartition(":")[0] for worker in workers[:NODES_NAMED]),
        subject="",
        numbers=numbers,
        decider=_decider(application, shape, answer, workers, cluster),
    )


def _numbers(shape: ExecutorShape, answer: int, workers: Sequence[Worker]) -> dict[str, int]:
    cores, memory = {"wanted_cores": shape.step}, {"wanted_mb": shape.memory_mb}
    if answer == NO_CORES:
        return {**cores, "free_cores": max(worker.cores_free for worker in workers)}
    if answer == NO_MEMORY:
        return {**memory, "free_mb": max(worker.memory_free_mb for worker in workers)}
    if answer == TOO_SMALL:
        most, most_mb = max(worker.cores for worker in workers), max(worker.memory_mb for worker in workers)
        return {**cores, **memory, "total_cores": most, "total_mb": most_mb}
    return {}


def _decider(
    application: SparkApplication, shape: ExecutorShape, answer: int, workers: Sequence[Worker], cluster: SparkCluster
) -> Decider | None:
    """What an application said of its executors; where one without a maximum has the cores, that it has none."""
    is_wide = shape.step > max(worker.cores for worker in workers)
    if answer == NO_CORES and hoarders(application, cluster):
        return Decider("spark.deploy.defaultCores", "unset")
    if answer == NO_CORES or (answer == TOO_SMALL and is_wide):
        return Decider("spark.executor.cores", str(shape.step))
    return Decider("spark.executor.memory", f"{shape.memory_mb}m") if answer in (NO_MEMORY, TOO_SMALL) else None


def hoarders(application: SparkApplication, cluster: SparkCluster) -> list[SparkApplication]:
    """Others that hold cores and set no maximum, so that they are given whatever comes free."""
    others = cluster.applications.values()
    return [each for each in others if each is not application and each.cores_wanted == INT_MAX and each.executors]


def _earlier(application: SparkApplication, cluster: SparkCluster) -> tuple[ReasonRow, ...]:
    """Those before it in the FIFO list that still want cores: what comes free is offered to them first."""
    earlier = []
    for each in cluster.applications.values():
        if each is application:
            break
        if wanted_shapes(each):
            earlier.append(each)
    if not earlier:
        return ()
    first = application_id(earlier[0].submitted_ms, earlier[0].number)
    sentence = (
        f"{len(earlier)} earlier in the FIFO list still want cores, {first} first: what comes free is theirs first"
    )
    return (
        ReasonRow(
            Reason.OTHER_FIRST.name, sentence, "QUEUE", "SKIPPED", "", 0, 0, (), first, {"earlier": len(earlier)}, None
        ),
    )


def spark_holds(application: SparkApplication, cluster: SparkCluster) -> list[Hold]:
    """Who has executors on workers that could otherwise take one of its own; those on most workers first."""
    shapes = wanted_shapes(application) if refusal_of(application, cluster) is not None else ()
    held: dict[int, list[Executor]] = {}
    for worker in cluster.workers:
        if shapes and min(answer_of(worker, shape) for shape in shapes) in (NO_MEMORY, NO_CORES):
            for executor in worker.executors.values():
                held.setdefault(executor.application, []).append(executor)
    held.pop(application.number, None)
    return sorted((_hold(number, executors) for number, executors in held.items()), key=weight)


def _hold(number: int, executors: Sequence[Executor]) -> Hold:
    return Hold(
        application=number,
        because=Reason.DOES_NOT_FIT,
        containers=tuple((number, EXECUTOR_ATTEMPT, executor.id) for executor in executors),
        memory_mb=sum(executor.memory_mb for executor in executors),
        vcores=sum(executor.cores for executor in executors),
        reservations=(),
        nodes=tuple(dict.fromkeys(executor.worker.node for executor in executors)),
    )
