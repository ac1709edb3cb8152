"""Spark on YARN with dynamic allocation and with jobs one after another."""

from typing import Any

import pytest
from pydantic import ValidationError

from engine.scenario import DynamicAllocation, JobSpec, Size, SparkSpec, StageSpec, StandaloneSpec
from engine.workload.services import master_of
from engine.workload.spark import DynamicSparkMaster
from tests.engine.workload.cases import TOPOLOGY, Counter

PLAIN = {"type": "spark", "user": "ann", "executor": Size(memory_mb=1024, vcores=1)}


def stage(tasks: int = 22, seconds: int = 600, **fields: Any) -> StageSpec:
    return StageSpec(tasks=tasks, duration_ms=(seconds * 1000, seconds * 1000), **fields)


def spark(*stages: StageSpec, more: dict[str, Any] | None = None, **dynamic: Any) -> Counter:
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
    assert targets(spark(), 6) == [1, 3, 7, 15, 22, 22]


def test_time_outs_between_two_calls_happen_at_their_instants() -> None:
    """A master that calls every three seconds asks for what three time-outs came to."""
    assert targets(spark(), 3, every_ms=3_000) == [7, 22, 22]


def test_the_growth_starts_over_when_a_step_was_cut_short() -> None:
    assert targets(spark(most=4), 4) == [1, 3, 4, 4]


def test_later_time_outs_may_be_longer() -> None:
    assert targets(spark(sustained_ms=2_000), 6) == [1, 1, 3, 3, 7, 7]


def test_a_ratio_asks_for_a_part_of_what_could_be_used() -> None:
    assert targets(spark(ratio=0.5), 6) == [1, 3, 7, 11, 11, 11]


def test_executors_at_first_are_the_largest_of_three_figures() -> None:
    assert targets(spark(more={"executors": 3}, initial=2, least=1), 1) == [4]


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
    counter = spark(stage(4, 5), stage(1, 60), more={"dynamic": dynamic})

    assert targets(counter, 4) == [0, 4, 4, 4]
    counter.give(1, count=4)
    released = [len(counter.call().releases) for _ in range(15)]
    assert (released.index(3), sum(released)) == (4, 3)


def test_after_the_last_total_tasks_decide() -> None:
    totals = [{"at": 0, "executors": 1}, {"at": 5, "executors": 1}]

    dynamic = DynamicAllocation.model_validate({"totals": totals})
    assert targets(spark(more={"dynamic": dynamic}), 9) == [1, 1, 1, 1, 1, 2, 4, 8, 16]


def test_totals_are_in_order() -> None:
    with pytest.raises(ValidationError, match="each instant is later"):
        DynamicAllocation.model_validate({"totals": [{"at": 5, "executors": 1}, {"at": 5, "executors": 2}]})


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
    counter = spark(stage(4, 10))
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


def test_lost_executors_are_asked_for_again() -> None:
    counter = server(JobSpec(stages=(stage(2, 100),)))
    counter.call()
    counter.end(counter.give(1, count=2)[0], "LOST")

    assert [ask.count for ask in counter.call().asks] == [1]
    counter.give(1)
    counter.end((1, 1, 99))
    assert counter.call().asks == ()


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


def test_it_calls_for_nothing_where_nothing_is_due() -> None:
    stage = StageSpec(tasks=1, duration_ms=(5_000, 5_000))
    spec = SparkSpec(
        type="spark", user="ann", executors=1, executor=Size(memory_mb=1), jobs=(JobSpec(stages=(stage,)),), stays=True
    )
    counter = Counter(spec)
    counter.call()
    counter.give(1)
    assert counter.master.wake_ms == counter.now_ms + 5_000

    counter.call(5_000)
    assert (counter.master.wake_ms, counter.master.lifespan().jobs_done) == (0, 1)


def test_it_begins_without_executors() -> None:
    stage = StageSpec(tasks=1, duration_ms=(5_000, 5_000))
    spec = SparkSpec(
        type="spark", user="ann", executors=3, executor=Size(memory_mb=1), jobs=(JobSpec(stages=(stage,)),)
    )
    masters = [
        master_of(each, 1, 0, TOPOLOGY, 0) for each in (spec, spec.model_copy(update={"dynamic": DynamicAllocation()}))
    ]

    found = [(one.executors, one.target, one.jobs.opened) for one in masters if isinstance(one, DynamicSparkMaster)]

    assert found == [({}, 3, 0), ({}, -1, 0)]
