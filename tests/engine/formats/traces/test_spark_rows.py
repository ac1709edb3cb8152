"""Events of Spark one by one: attempts, executors, tasks, jobs, and what their properties say."""

import json
from typing import Any

import pytest

from engine.formats.traces import spark_event_log
from engine.formats.traces.application import SPREAD, TraceApplication, TraceNode, TraceTasks
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.spark_allocation import dynamic_allocation
from engine.formats.traces.spark_event_log import (
    EXECUTORS,
    FAILED,
    JOBS,
    LOCALITY,
    NO_TASKS,
    REMOVED,
    TOGETHER,
)
from engine.formats.traces.spark_memory import RULE, executor_mb
from engine.scenario import DynamicAllocation
from tests.engine.formats.traces.samples import source

INFERRED = {"durations of tasks": SPREAD, "executors": EXECUTORS, "memory": RULE}


def read(*events: dict[str, Any]) -> tuple[list[TraceApplication], ImportReport]:
    report = ImportReport()
    text = "\n".join(json.dumps({**each, "Event": f"SparkListener{each['Event']}"}) for each in events)
    return list(spark_event_log.read_spark_event_log(source(text, report), MappingRules())), report


def start(at_ms: int = 1000, **more: str) -> dict[str, Any]:
    return {"Event": "ApplicationStart", "App ID": "app_1", "App Name": "n", "User": "u", "Timestamp": at_ms, **more}


def environment(**properties: str) -> dict[str, Any]:
    return {
        "Event": "EnvironmentUpdate",
        "Spark Properties": {f"spark.{key.replace('__', '.')}": value for key, value in properties.items()},
    }


def added(executor: str, at_ms: int, host: str = "n1", cores: int = 2) -> dict[str, Any]:
    info = {"Host": host, "Total Cores": cores}
    return {"Event": "ExecutorAdded", "Timestamp": at_ms, "Executor ID": executor, "Executor Info": info}


def removed(executor: str, at_ms: int) -> dict[str, Any]:
    return {"Event": "ExecutorRemoved", "Timestamp": at_ms, "Executor ID": executor}


def job(number: int, at_ms: int, *stages: int) -> dict[str, Any]:
    return {"Event": "JobStart", "Job ID": number, "Submission Time": at_ms, "Stage IDs": stages}


def task(stage: int, begin: int, end: int, how: str = "Success", attempt: int = 0, **info: str) -> dict[str, Any]:
    return {
        "Event": "TaskEnd",
        "Stage ID": stage,
        "Stage Attempt ID": attempt,
        "Task End Reason": {"Reason": how},
        "Task Info": {"Launch Time": begin, "Finish Time": end, **info},
    }


def end(at_ms: int) -> dict[str, Any]:
    return {"Event": "ApplicationEnd", "Timestamp": at_ms}


def test_a_log_becomes_an_application() -> None:
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


def test_lines_that_are_no_events_are_faults() -> None:
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
    properties = {f"spark.dynamicAllocation.{key}": value for key, value in said.items()}
    on = {**properties, "spark.dynamicAllocation.enabled": " TRUE "}

    assert dynamic_allocation(properties) is None
    assert dynamic_allocation({**on, "spark.dynamicAllocation.enabled": "false"}) is None
    assert dynamic_allocation(on) == DynamicAllocation(**{"initial": 0, "least": 0, "shuffle": "service", **found})
    with_service = dynamic_allocation({**on, "spark.shuffle.service.enabled": "true", "spark.executor.instances": "9"})
    assert with_service is not None
    assert (with_service.shuffle, with_service.initial) == ("service", 9)


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
    properties = {"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": size}
    assert executor_mb(properties) == 1024 + 384 + extra_mb
    assert executor_mb({**properties, "spark.memory.offHeap.enabled": "false"}) == 1024 + 384
