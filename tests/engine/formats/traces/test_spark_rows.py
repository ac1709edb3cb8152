"""Events of Spark one by one: attempts, executors, tasks, jobs, and what their properties say."""

import json
from typing import Any

import pytest

from engine.formats.traces import spark_event_log
from engine.formats.traces.application import SPREAD, TraceApplication, TraceNode, TraceTasks
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.spark_allocation import dynamic_allocation, recorded_totals
from engine.formats.traces.spark_event_log import (
    AS_ADDED,
    BY_TASKS,
    EXECUTORS,
    FAILED,
    JOBS,
    LOCAL,
    LOCALITY,
    NO_START,
    NO_TASKS,
    REMOVED,
    TOGETHER,
)
from engine.formats.traces.spark_memory import RULE, executor_mb
from engine.scenario import DynamicAllocation, ExecutorTotal
from tests.engine.formats.traces.samples import source

INFERRED = {"durations of tasks": SPREAD, "executors": EXECUTORS, "memory": RULE}


def read(*events: dict[str, Any]) -> tuple[list[TraceApplication], ImportReport]:
    """The application of a log of these events, and what was noted."""
    report = ImportReport()
    text = "\n".join(json.dumps({**each, "Event": f"SparkListener{each['Event']}"}) for each in events)
    return list(spark_event_log.read_spark_event_log(source(text, report), MappingRules())), report


def start(at_ms: int = 1000, **more: str) -> dict[str, Any]:
    """An attempt begins."""
    return {"Event": "ApplicationStart", "App ID": "app_1", "App Name": "n", "User": "u", "Timestamp": at_ms, **more}


def environment(**properties: str) -> dict[str, Any]:
    """Its properties; `__` is a dot."""
    return {
        "Event": "EnvironmentUpdate",
        "Spark Properties": {f"spark.{key.replace('__', '.')}": value for key, value in properties.items()},
    }


def added(executor: str, at_ms: int, host: str = "n1", cores: int = 2) -> dict[str, Any]:
    """An executor joins."""
    info = {"Host": host, "Total Cores": cores}
    return {"Event": "ExecutorAdded", "Timestamp": at_ms, "Executor ID": executor, "Executor Info": info}


def removed(executor: str, at_ms: int) -> dict[str, Any]:
    """An executor leaves."""
    return {"Event": "ExecutorRemoved", "Timestamp": at_ms, "Executor ID": executor}


def job(number: int, at_ms: int, *stages: int) -> dict[str, Any]:
    """A job is submitted."""
    return {"Event": "JobStart", "Job ID": number, "Submission Time": at_ms, "Stage IDs": stages}


def task(stage: int, begin: int, end: int, how: str = "Success", attempt: int = 0, **info: str) -> dict[str, Any]:
    """A task ends."""
    return {
        "Event": "TaskEnd",
        "Stage ID": stage,
        "Stage Attempt ID": attempt,
        "Task End Reason": {"Reason": how},
        "Task Info": {"Launch Time": begin, "Finish Time": end, **info},
    }


def end(at_ms: int) -> dict[str, Any]:
    """The application ends."""
    return {"Event": "ApplicationEnd", "Timestamp": at_ms}


def test_a_log_becomes_an_application() -> None:
    """Its executors at most at once, its stages in their jobs, its nodes as large as what ran on them."""
    (found,), report = read(
        start(),
        environment(yarn__queue="q", executor__memory="1500", yarn__am__cores="3"),
        added("1", 1100),
        added("2", 1200, cores=4),
        added("3", 1300, host="n2"),
        added("driver", 1300, host="n3", cores=16),
        removed("1", 1400),
        removed("1", 1500),
        added("4", 1600),
        job(0, 3000, 0, 1),
        {"Event": "StageSubmitted", "Stage Info": {"Stage ID": 2, "Stage Attempt ID": 0}},
        task(0, 3000, 3400, Host="n1", Locality="NODE_LOCAL"),
        task(0, 3000, 3600, Host="n2", Locality="PROCESS_LOCAL"),
        task(0, 3000, 3500, "ExceptionFailure"),
        task(1, 4000, 3999),
        task(1, 0, 10),
        task(1, 4000, 4000),
        {"Event": "JobEnd", "Job ID": 0},
        job(1, 5000, 3),
        task(3, 5000, 5100, attempt=1),
        end(9000),
    )

    assert found == TraceApplication(
        id="app_1",
        name="n",
        submitted_ms=1000,
        finished_ms=9000,
        tasks=(
            TraceTasks("container", 3, (), 1884, 4),
            TraceTasks("stage", 2, (400, 600), hosts=("n1", ""), at_ms=2000),
            TraceTasks("stage", 1, (1, 1), at_ms=2000),
            TraceTasks("stage", 1, (100, 100), at_ms=4000),
        ),
        behaviour="spark",
        user="u",
        queue="q",
        master=(896, 3),
        inferred={**INFERRED, "sizes of nodes": TOGETHER},
    )
    assert dict(report.dropped) == {
        FAILED: 1,
        NO_TASKS: 1,
        REMOVED: 1,
        LOCALITY.format(level="PROCESS_LOCAL"): 1,
    }
    assert list(report.notes) == [JOBS]
    assert report.nodes == {
        "n1": TraceNode("n1", None, 1024 + 2 * 2048, 3 + 2 * 4, is_least=True),
        "n2": TraceNode("n2", None, 1024 + 2048, 3 + 4, is_least=True),
    }


def test_a_log_that_does_not_begin_begins_with_its_first_job() -> None:
    """Or its first task; a local run is one executor with the driver's cores."""
    (found,), _ = read(job(0, 3000, 0), task(0, 2000, 3400), {"Event": "TaskEnd"})
    assert (found.id, found.submitted_ms, found.finished_ms, found.state) == ("application", 3000, None, "NOT ENDED")
    assert found.inferred == {**INFERRED, "executors": LOCAL, "arrival": NO_START}
    assert found.tasks[0] == TraceTasks("container", 1, (), 1408, 1)

    (found,), _ = read(task(0, 2000, 3400), environment(master="local[3]"))
    assert (found.submitted_ms, found.tasks[0].vcores) == (2000, 3)
    (found,), _ = read(start(), environment(master="local[3]"), added("driver", 1, cores=7))
    assert found.tasks == (TraceTasks("container", 1, (), 1408, 7),)
    (found,), _ = read(start(), environment(executor__cores="5"), added("1", 1, cores=0))
    assert found.tasks == (TraceTasks("container", 1, (), 1408, 5),)
    (found,), _ = read({"Event": "JobStart", "Job ID": 0, "Stage IDs": [0]}, task(0, 2000, 3400))
    assert found.submitted_ms == 2000
    _, report = read(end(3), {"Event": "JobStart", "Job ID": 0})
    assert [(one.message, one.line) for one in report.problems] == [
        ("the log has no application: no ApplicationStart, no job, no task", 0)
    ]


def test_lines_that_are_no_events_are_faults() -> None:
    """Each at its line; events that nothing is taken of are passed over."""
    lines = [
        "x",
        '{"Event":"SparkListenerJobStart"',
        '{"Event":"SparkListenerTaskEnd","Stage ID":"x"}',
        '{"Event":"Y"}',
    ]
    report = ImportReport()
    text = "\n".join([*lines, json.dumps(start() | {"Event": "org.apache.spark.SparkListenerApplicationStart"})])
    (found,) = spark_event_log.read_spark_event_log(source(text, report), MappingRules())

    assert found.id == "app_1"
    assert [(one.message, one.line) for one in report.problems] == [
        ("this is no event of Spark", 1),
        ("this event cannot be read", 2),
        ("this event cannot be read", 3),
    ]


def test_a_further_attempt_runs_its_jobs_after_those_before() -> None:
    """Its executors are others; the piece of a rolling log that repeats the beginning begins nothing."""
    (found,), _ = read(
        start(),
        added("1", 1100),
        job(0, 2000, 0),
        start(),
        task(0, 2000, 2400),
        start(5000),
        added("1", 5100),
        task(0, 5200, 5300),
        job(0, 6000, 1),
        task(1, 6000, 6200),
    )

    assert found.submitted_ms == 1000
    assert [(each.at_ms, each.durations_ms, each.overlaps) for each in found.tasks[1:]] == [
        (1000, (400, 400), False),
        (1000, (100, 100), False),
        (5000, (200, 200), False),
    ]
    assert found.tasks[0].count == 1


def test_executors_that_come_and_go_are_asked_for_so() -> None:
    """By the log's instants; without any, as tasks wait."""
    on = environment(dynamicAllocation__enabled="true", dynamicAllocation__minExecutors="1")
    (found,), report = read(
        start(), on, added("1", 1100), added("2", 1300), removed("1", 1900), task(0, 2000, 2400), end(3000)
    )
    totals = [(100, 1), (300, 2), (900, 1), (2000, 1)]
    assert found.dynamic == DynamicAllocation(
        initial=1, least=1, totals=tuple(ExecutorTotal(at_ms=at_ms, executors=count) for at_ms, count in totals)
    )
    assert (found.inferred["executors"], REMOVED in report.dropped) == (AS_ADDED, False)

    (found,), _ = read(start(), on, task(0, 2000, 2400))
    assert found.dynamic == DynamicAllocation(initial=1, least=1)
    assert found.inferred["executors"] == BY_TASKS
    (found,), _ = read(start(), on, added("1", 1100))
    assert found.dynamic is None


ALLOCATIONS: list[tuple[dict[str, str], dict[str, Any]]] = [
    ({}, {}),
    ({"minExecutors": "2", "initialExecutors": "3"}, {"initial": 3, "least": 2}),
    ({"minExecutors": "4", "initialExecutors": "3"}, {"initial": 4, "least": 4}),
    ({"maxExecutors": "5"}, {"most": 5}),
    ({"maxExecutors": "5", "initialExecutors": "6"}, {"initial": 6, "most": 6}),
    ({"maxExecutors": "0"}, {}),
    ({"maxExecutors": str(2**31 - 1)}, {}),
    ({"maxExecutors": str(2**31 - 2)}, {"most": 2**31 - 2}),
    ({"maxExecutors": str(2**31)}, {}),
    ({"executorAllocationRatio": "0.5"}, {"ratio": 0.5}),
    ({"executorAllocationRatio": "1.5"}, {}),
    ({"executorAllocationRatio": "0"}, {}),
    ({"executorAllocationRatio": "x"}, {}),
    ({"schedulerBacklogTimeout": "5"}, {"backlog_ms": 5000}),
    ({"schedulerBacklogTimeout": "5ms"}, {"backlog_ms": 5}),
    ({"schedulerBacklogTimeout": "5 M"}, {"backlog_ms": 300_000}),
    ({"schedulerBacklogTimeout": "5x"}, {}),
    ({"schedulerBacklogTimeout": "5000us"}, {"backlog_ms": 5}),
    ({"sustainedSchedulerBacklogTimeout": "2min"}, {"sustained_ms": 120_000}),
    ({"executorIdleTimeout": "2h"}, {"idle_ms": 7_200_000}),
    ({"executorIdleTimeout": "0"}, {"idle_ms": 0}),
    ({"cachedExecutorIdleTimeout": "1d"}, {"cached_idle_ms": 86_400_000}),
    ({"cachedExecutorIdleTimeout": "1s"}, {"cached_idle_ms": 1000}),
    ({"shuffleTracking.enabled": "true"}, {"shuffle": "tracking"}),
    ({"shuffleTracking.enabled": "false"}, {"shuffle": "service"}),
    ({"shuffleTracking.timeout": "90s"}, {"shuffle": "service"}),
    (
        {"shuffleTracking.enabled": "true", "shuffleTracking.timeout": "90s"},
        {"shuffle": "tracking", "shuffle_timeout_ms": 90_000},
    ),
    (
        {"shuffleTracking.enabled": "true", "shuffleTracking.timeout": "90"},
        {"shuffle": "tracking", "shuffle_timeout_ms": 90},
    ),
]


@pytest.mark.parametrize(("said", "found"), ALLOCATIONS)
def test_properties_say_how_executors_are_asked_for(said: dict[str, str], found: dict[str, Any]) -> None:
    """What they do not say is as by default."""
    properties = {f"spark.dynamicAllocation.{key}": value for key, value in said.items()}
    on = {**properties, "spark.dynamicAllocation.enabled": " TRUE "}

    assert dynamic_allocation(properties) is None
    assert dynamic_allocation({**on, "spark.dynamicAllocation.enabled": "false"}) is None
    assert dynamic_allocation(on) == DynamicAllocation(**{"initial": 0, "least": 0, "shuffle": "service", **found})
    with_service = dynamic_allocation({**on, "spark.shuffle.service.enabled": "true", "spark.executor.instances": "9"})
    assert with_service is not None
    assert (with_service.shuffle, with_service.initial) == ("service", 9)


@pytest.mark.parametrize(("version", "shuffle"), [("", "service"), ("3.3.4", "service"), ("3.4.0", "tracking")])
def test_shuffle_data_is_tracked_by_default_from_3_4_on(version: str, shuffle: str) -> None:
    """Unless a property says otherwise."""
    on = {"spark.dynamicAllocation.enabled": "true"}
    (found, off) = (
        dynamic_allocation(properties, version)
        for properties in (on, {**on, "spark.dynamicAllocation.shuffleTracking.enabled": "false"})
    )
    assert (found and found.shuffle, off and off.shuffle) == (shuffle, "service")


TOTALS = [
    ([], []),
    ([(1000, 1)], [(0, 1), (9000, 1)]),
    ([(900, 1), (1200, 2), (1100, 3)], [(0, 1), (200, 3), (9000, 3)]),
    ([(2000, 1), (20_000, 2)], [(1000, 1), (19_000, 2)]),
]


@pytest.mark.parametrize(("changes", "totals"), TOTALS)
def test_totals_never_go_back_in_time(changes: list[tuple[int, int]], totals: list[tuple[int, int]]) -> None:
    """Of one instant the last counts; the last one is when the log ends."""
    found = recorded_totals(changes, 1000, 10_000)
    assert found == tuple(ExecutorTotal(at_ms=at_ms, executors=count) for at_ms, count in totals)


@pytest.mark.parametrize(
    ("size", "extra_mb"),
    [
        ("1048576", 1),
        ("1048575", 0),
        ("2g", 2048),
        ("x", 0),
        ("9" * 18, (10**18 - 1) // 2**20),
        ("9" * 19, (10**19 - 1) // 2**20),
    ],
)
def test_memory_outside_the_heap_is_in_bytes(size: str, extra_mb: int) -> None:
    """Where it has no unit; it counts where it is on."""
    properties = {"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": size}
    assert executor_mb(properties) == 1024 + 384 + extra_mb
    assert executor_mb({**properties, "spark.memory.offHeap.enabled": "false"}) == 1024 + 384
