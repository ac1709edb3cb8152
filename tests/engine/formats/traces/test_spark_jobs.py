"""A Spark log keeps when its jobs were submitted, where their input was, and how executors were asked for."""

import json
from typing import Any

import pytest

from engine.formats.traces.application import TraceTasks
from engine.formats.traces.spark_event_log import AS_ADDED, BY_TASKS
from engine.formats.traces.spark_properties import dynamic_allocation, recorded_totals
from engine.formats.traces.to_scenario import imported_scenario
from engine.scenario import DynamicAllocation, ExecutorTotal, SparkSpec
from tests.engine.formats.traces.samples import SPARK, imported, one


def log(*events: dict[str, Any]) -> str:
    beginning = SPARK.splitlines()[:5]
    return "\n".join([*beginning, *(json.dumps({**each, "Event": f"SparkListener{each['Event']}"}) for each in events)])


def job(number: int, at_ms: int, *stages: int) -> dict[str, Any]:
    return {"Event": "JobStart", "Job ID": number, "Submission Time": at_ms, "Stage IDs": stages}


def task(stage: int, locality: str = "ANY", host: str = "n1") -> dict[str, Any]:
    info = {"Launch Time": 5000, "Finish Time": 7000, "Locality": locality, "Host": host}
    reason = {"Reason": "Success"}
    return {"Event": "TaskEnd", "Stage ID": stage, "Stage Attempt ID": 0, "Task End Reason": reason, "Task Info": info}


def test_stages_belong_to_the_job_that_ran_them() -> None:
    """A stage that an earlier job has run is not run again by a later one that lists it."""
    tasks = one(log(job(0, 3000, 0, 1), task(0), task(1), job(1, 61_000, 0, 2), task(2))).tasks[1:]

    assert [each.at_ms for each in tasks] == [2000, 2000, 60_000]


def test_jobs_are_those_of_a_session() -> None:
    found, report = imported(log(job(0, 3000, 0), task(0), job(1, 61_000, 1), task(1)))
    (spec,) = imported_scenario(found, report).workload

    assert isinstance(spec, SparkSpec)
    assert [(each.at_ms, len(each.stages)) for each in spec.jobs] == [(2000, 1), (60_000, 1)]


def test_jobs_that_overlapped_do_so_here() -> None:
    ended = {"Event": "JobEnd", "Job ID": 0}
    jobs = job(0, 3000, 0), task(0), job(1, 4000, 1), task(1)
    last = job(2, 61_000, 2), task(2)

    for events, overlaps in (((*jobs, ended, *last), [False, True, True]), ((*jobs[:2], ended, *last), [False, False])):
        found, report = imported(log(*events))
        (spec,) = imported_scenario(found, report).workload
        assert isinstance(spec, SparkSpec)
        assert [each.overlaps for each in spec.jobs] == overlaps


def test_input_lies_where_tasks_ran_that_found_it_on_their_host() -> None:
    text = log(job(0, 3000, 0), task(0, "NODE_LOCAL", "n2"), task(0), task(0, "NODE_LOCAL"), task(0, "NODE_LOCAL"))
    found, report = imported(text)

    assert found[0].tasks[1] == TraceTasks("stage", 4, (2000, 2000), hosts=("n1", "n1", "n2", ""), at_ms=2000)
    (spec,) = imported_scenario(found, report).workload
    assert isinstance(spec, SparkSpec)
    assert spec.jobs[0].stages[0].hosts == (("n1",), ("n1",), ("n2",), ())


@pytest.mark.parametrize(
    ("properties", "found"),
    [
        ({}, None),
        ({"enabled": "true"}, DynamicAllocation()),
        (
            {"enabled": "true", "minExecutors": "2", "maxExecutors": "9", "initialExecutors": "1"},
            DynamicAllocation(initial=2, least=2, most=9),
        ),
        ({"enabled": "true", "maxExecutors": "2147483647"}, DynamicAllocation()),
        (
            {
                "enabled": "TRUE",
                "executorIdleTimeout": "2min",
                "schedulerBacklogTimeout": "5",
                "executorAllocationRatio": "0.5",
            },
            DynamicAllocation(idle_ms=120_000, backlog_ms=5000, ratio=0.5),
        ),
        ({"enabled": "true", "shuffleTracking.enabled": "true"}, DynamicAllocation(shuffle="tracking")),
        ({"enabled": "true", "executorIdleTimeout": "soon", "executorAllocationRatio": "7"}, DynamicAllocation()),
    ],
)
def test_dynamic_allocation_is_as_the_properties_say(
    properties: dict[str, str], found: DynamicAllocation | None
) -> None:
    assert dynamic_allocation({f"spark.dynamicAllocation.{key}": value for key, value in properties.items()}) == found


DYNAMIC = ('"spark.yarn.queue"', '"spark.dynamicAllocation.enabled": "true", "spark.yarn.queue"')


def executor(kind: str, number: int, at_ms: int) -> dict[str, Any]:
    return {"Event": f"Executor{kind}", "Executor ID": str(number), "Timestamp": at_ms, "Executor Info": {}}


def test_without_instants_of_executors_tasks_decide_on_them() -> None:
    found, report = imported(log(job(0, 3000, 0), task(0)).replace(*DYNAMIC))
    (spec,) = imported_scenario(found, report).workload

    assert isinstance(spec, SparkSpec)
    assert (spec.executors, spec.dynamic) == (0, DynamicAllocation())
    assert found[0].inferred["executors"] == BY_TASKS


def test_executors_come_and_go_as_in_the_log() -> None:
    """From the beginning of the application on, up to the end of the log; the later one of an instant counts."""
    events = (executor("Added", 7, 2500), executor("Added", 8, 2500), job(0, 3000, 0), task(0))
    found, _ = imported(log(*events, executor("Removed", 7, 9000), executor("Removed", 7, 9500)).replace(*DYNAMIC))

    assert found[0].dynamic is not None
    assert [(each.at_ms, each.executors) for each in found[0].dynamic.totals] == [(1500, 4), (8000, 3)]
    assert found[0].inferred["executors"] == AS_ADDED


def test_instants_of_executors_never_go_back() -> None:
    """A clock that was set back; executors there before the beginning are there from the beginning."""
    assert recorded_totals([(900, 1), (3000, 2), (2000, 3)], 1000, 9000) == (
        ExecutorTotal(at_ms=0, executors=1),
        ExecutorTotal(at_ms=2000, executors=3),
        ExecutorTotal(at_ms=8000, executors=3),
    )
