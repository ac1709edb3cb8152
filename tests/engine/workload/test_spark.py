"""Spark on YARN: executors held to the end of the work."""

from typing import Any

import pytest
from pydantic import ValidationError

from engine.scenario import DynamicAllocation, JobSpec, Size, SparkSpec, StageSpec, StandaloneSpec
from engine.workload.master import HELD
from tests.engine.workload.cases import Counter


def spark(**fields: Any) -> Counter:
    """A registered application with three executors that works for 10 s."""
    known = {"executors": 3, "executor": Size(memory_mb=2048, vcores=2), "duration_ms": (10_000, 10_000)}
    return Counter(SparkSpec(type="spark", user="ann", **(known | fields)))


def test_executors_are_asked_for_at_once_and_held() -> None:
    counter = spark()
    asks = counter.call().asks

    assert [(ask.priority, ask.memory_mb, ask.vcores, ask.count) for ask in asks] == [(1, 2048, 2, 3)]
    assert {counter.runs[container] for container in counter.give(1, count=3)} == {HELD}


@pytest.mark.parametrize(("waits", "begins_with"), [(False, 1), (True, 3)])
def test_work_begins_with_the_first_or_the_last_executor(*, waits: bool, begins_with: int) -> None:
    """Time counts from then, and the end comes at the first call after it."""
    counter = spark(waits=waits)
    counter.call()
    began = []
    for _ in range(3):
        counter.give(1)
        began.append(counter.master.wake_ms > 0)
    counter.master.call(counter.now_ms)

    assert began.index(True) + 1 == begins_with
    assert [counter.call(3000).outcome for _ in range(4)][-1] == "FINISHED"


def test_lost_executors_are_asked_for_again() -> None:
    counter = spark()
    counter.call()
    counter.end(counter.give(1, count=3)[1], "PREEMPTED")

    assert [ask.count for ask in counter.call().asks] == [1]


def staged(*stages: StageSpec, **fields: Any) -> Counter:
    """A registered application whose work is stages; its executors have two cores each."""
    return spark(duration_ms=None, stages=stages, **fields)


def test_stages_run_on_the_executors_cores_one_after_the_other() -> None:
    """Six tasks of 10 s on four cores take two waves; the next stage begins then, between two calls."""
    counter = staged(StageSpec(tasks=6, duration_ms=(10_500, 10_500)), StageSpec(tasks=1), executors=2)
    counter.call()
    counter.give(1, count=2)
    began_ms = counter.now_ms

    ended_ms = None
    while ended_ms is None:
        if counter.call(1000).outcome == "FINISHED":
            ended_ms = counter.now_ms

    assert 31_000 <= ended_ms - began_ms < 32_000


def test_tasks_of_a_lost_executor_are_done_again() -> None:
    """On the executors that are left, and then on the one that replaces it."""
    counter = staged(StageSpec(tasks=4, duration_ms=(10_000, 10_000)), executors=2)
    counter.call()
    first, _ = counter.give(1, count=2)
    counter.call(5000)
    counter.end(first, "LOST")
    outcomes = [counter.call(5000).outcome for _ in range(3)]

    assert outcomes == ["", "", "FINISHED"]


def test_with_waits_no_task_begins_before_the_last_executor() -> None:
    counter = staged(StageSpec(tasks=2), executors=2, waits=True)
    counter.call()
    counter.give(1)
    idle = counter.master.wake_ms
    counter.give(1)

    assert (idle, counter.master.wake_ms > 0) == (0, True)


def test_work_is_a_duration_or_stages_but_not_both() -> None:
    with pytest.raises(ValidationError, match="both a duration and stages"):
        SparkSpec(
            type="spark",
            user="ann",
            executors=1,
            executor=Size(memory_mb=1024, vcores=1),
            duration_ms=(1000, 1000),
            stages=(StageSpec(tasks=1),),
        )


# Spark on YARN with dynamic allocation and with jobs one after another.

PLAIN = {"type": "spark", "user": "ann", "executor": Size(memory_mb=1024, vcores=1)}


def stage(tasks: int = 22, seconds: int = 600, **fields: Any) -> StageSpec:
    return StageSpec(tasks=tasks, duration_ms=(seconds * 1000, seconds * 1000), **fields)


def spark_spark_dynamic(*stages: StageSpec, more: dict[str, Any] | None = None, **dynamic: Any) -> Counter:
    fields = {**PLAIN, "stages": stages or (stage(),), "dynamic": DynamicAllocation(**dynamic), **(more or {})}
    return Counter(SparkSpec(**fields))


def server(*jobs: JobSpec, **fields: Any) -> Counter:
    return Counter(SparkSpec(**{**PLAIN, "executors": 2, "jobs": jobs, "stays": True, **fields}))


def targets(counter: Counter, calls: int, every_ms: int = 1_000) -> list[int]:
    found = []
    for _ in range(calls):
        counter.call(every_ms)
        found.append(counter.counts.get((1, "*"), 0))
    return found


def test_the_target_doubles_while_tasks_wait() -> None:
    """1, 3, 7, 15, and no more than the 22 that could be used. Source: a recorded Spark 3.5.7."""
    assert targets(spark_spark_dynamic(), 6) == [1, 3, 7, 15, 22, 22]


def test_idle_executors_are_given_back_but_for_the_least() -> None:
    counter = server(JobSpec(stages=(stage(3, 10),)), executors=0, dynamic=DynamicAllocation(idle_ms=20_000, least=1))
    targets(counter, 3)
    counter.give(1, count=3)

    seconds = [len(counter.call().releases) for _ in range(40)]

    assert (seconds.index(2), sum(seconds)) == (29, 2)


def test_totals_of_a_log_are_asked_for_and_given_back_at_their_instants() -> None:
    """Four from the second call on, one from the tenth: three of the idle ones go then, not a call before."""
    totals = [{"at": 2, "executors": 4}, {"at": 10, "executors": 1}, {"at": 30, "executors": 1}]
    dynamic = DynamicAllocation.model_validate({"totals": totals, "least": 3, "idle": 1, "shuffle": "tracking"})
    counter = spark_spark_dynamic(stage(4, 5), stage(1, 60), more={"dynamic": dynamic})

    assert targets(counter, 4) == [0, 4, 4, 4]
    counter.give(1, count=4)
    released = [len(counter.call().releases) for _ in range(15)]
    assert (released.index(3), sum(released)) == (4, 3)


def test_after_the_last_total_tasks_decide() -> None:
    totals = [{"at": 0, "executors": 1}, {"at": 5, "executors": 1}]

    dynamic = DynamicAllocation.model_validate({"totals": totals})
    assert targets(spark_spark_dynamic(more={"dynamic": dynamic}), 9) == [1, 1, 1, 1, 1, 2, 4, 8, 16]


@pytest.mark.parametrize(("fields", "released"), [({}, 2), ({"cached_idle_ms": 60_000}, 0), ({"caches": True}, 0)])
def test_executors_with_cached_blocks_are_kept(fields: dict[str, Any], released: int) -> None:
    caches = bool(fields)
    cached_idle_ms = fields.get("cached_idle_ms")
    dynamic = DynamicAllocation(idle_ms=5_000, cached_idle_ms=cached_idle_ms)
    counter = server(JobSpec(stages=(stage(2, 10, caches=caches),)), executors=2, dynamic=dynamic)
    counter.call()
    counter.give(1, count=2)

    assert sum(len(counter.call().releases) for _ in range(30)) == released
    assert sum(len(counter.call().releases) for _ in range(60)) == (2 if cached_idle_ms else 0)


@pytest.mark.parametrize(("shuffle", "released"), [("service", 1), ("tracking", 0)])
def test_shuffle_tracking_keeps_executors_of_a_job_that_runs(shuffle: str, released: int) -> None:
    """The shuffle service lets one go whose stage has ended; tracking keeps what it wrote."""
    dynamic = DynamicAllocation.model_validate({"idle": 5, "shuffle": shuffle})
    counter = Counter(SparkSpec(**{**PLAIN, "executors": 2, "stages": (stage(2, 5), stage(1, 60)), "dynamic": dynamic}))
    counter.call()
    counter.give(1, count=2)

    assert sum(len(counter.call().releases) for _ in range(40)) == released


def test_asks_are_withdrawn_as_tasks_end() -> None:
    counter = spark_spark_dynamic(stage(4, 10))
    targets(counter, 3)
    counter.give(1, count=2)

    assert [ask.count for _ in range(30) for ask in counter.call().asks] == [0]
    assert counter.master.outcome == "FINISHED"


def test_a_server_stays_after_its_last_job() -> None:
    job = JobSpec(stages=(stage(2, 10),))
    stays, ends = server(job), server(job, stays=False)
    for counter in (stays, ends):
        counter.call()
        counter.give(1, count=2)

    assert ([stays.call(11_000).outcome, ends.call(11_000).outcome]) == ["", "FINISHED"]
    assert [counter.master.lifespan().kind for counter in (stays, ends)] == ["service", "session"]
    assert stays.call().releases == ()


@pytest.mark.parametrize(
    "fields",
    [
        {"executors": 0},
        {"executors": 1, "dynamic": DynamicAllocation()},
        {"executors": 1, "stages": (stage(),), "jobs": (JobSpec(stages=(stage(),)),)},
        {"executors": 1, "stays": True},
        {"executors": 1, "stages": (stage(),), "dynamic": DynamicAllocation(), "waits": True},
    ],
)
def test_what_cannot_be_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SparkSpec(**{**PLAIN, **fields})


@pytest.mark.parametrize("fields", [{"cached_idle": 60}, {"shuffle": "tracking"}])
def test_a_standalone_application_has_no_cached_executors_and_no_tracking(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="on YARN"):
        StandaloneSpec.model_validate({"type": "spark-standalone", "user": "ann", "dynamic": fields})


@pytest.mark.parametrize(("overlaps", "running"), [(False, [1, 1, 1, 1]), (True, [1, 1, 1, 2])])
def test_a_job_that_overlaps_begins_beside_the_one_before(*, overlaps: bool, running: list[int]) -> None:
    first, second = JobSpec(stages=(stage(1, 60),)), JobSpec(at_ms=5_000, stages=(stage(1, 10),), overlaps=overlaps)
    counter = server(first, second, stays=False)
    counter.call()
    counter.give(1, count=2)

    jobs = counter.master.jobs  # type: ignore[attr-defined]  # of a Spark application
    found = []
    for _ in range(4):
        found.append(jobs.running)
        counter.call()
    assert found == running
    for _ in range(80):
        counter.call()
    assert counter.master.outcome == "FINISHED"


# How many executors an application wants as its tasks wait, and which it gives back.
