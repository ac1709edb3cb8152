"""History of the timeline server becomes Tez applications, and others by their sums."""

import pytest

from engine.formats.traces import timeline_history
from engine.formats.traces.application import TraceTasks
from engine.formats.traces.rm_log import timeline_of
from engine.formats.traces.rm_timeline import (
    LogApplication,
    ResourceManagerTimeline,
)
from engine.formats.traces.to_scenario import imported_scenario
from engine.run import Run
from engine.scenario import TezSpec
from tests.engine.formats.traces.samples import ATS, imported, source


def test_a_dag_has_its_vertices_as_stages_in_the_order_they_began() -> None:
    """Tasks as long as their attempts; of a vertex without attempts as long as it; other entities are counted."""
    (application,), report = imported(ATS)

    assert (application.id, application.name, application.user, application.queue) == (
        "application_9_0001",
        "sales",
        "ann",
        "etl",
    )
    assert (application.submitted_ms, application.finished_ms, application.master) == (5000, 60_000, (1536, 1))
    assert application.tasks == (
        TraceTasks("container", 2, (), 2048, None),
        TraceTasks("stage", 2, (4000, 6000)),
        TraceTasks("stage", 1, (20_000, 20_000)),
    )
    assert application.inferred["tasks"] == timeline_history.BY_VERTEX
    assert dict(report.dropped) == {timeline_history.OTHERS.format(kind="TEZ_CONTAINER_ID"): 1}


def test_a_tez_application_is_played_as_one() -> None:
    found, report = imported(ATS)
    scenario = imported_scenario(found, report)

    (spec,) = scenario.workload
    assert isinstance(spec, TezSpec)
    assert [(stage.tasks, stage.duration_ms) for stage in spec.dags[0].stages] == [
        (2, (4000, 6000)),
        (1, (20_000, 20_000)),
    ]
    run = Run(scenario)
    run.advance(scenario.duration_ms)
    assert run.snapshot().applications(why=False)[0].state == "FINISHED"


# The timeline of a ResourceManager's log, struct by struct: what each line changes.

CLASS = "org.apache.hadoop.yarn.server.resourcemanager"
AT_MS = 1_510_390_800_000
"""09:00 of the lines, as if it were UTC."""
APP, MASTER, WORKER = "application_17_0001", "container_17_0001_01_000001", "container_17_0001_01_000002"


def text(*messages: str) -> str:
    return "\n".join(f"2017-11-11 09:00:{n:02d},000 INFO {CLASS}.{words}" for n, words in enumerate(messages))


def read(*messages: str) -> ResourceManagerTimeline:
    return timeline_of([source(text(*messages))])


def second(number: int) -> int:
    return AT_MS + number * 1_000


SUMMARY = (
    f"RMAppManager$ApplicationSummary: appId={APP},name=a\\,b,user=ann,queue=q,state=FINISHED,startTime={{}},"
    "finishTime={},finalStatus=SUCCEEDED,memorySeconds=5,vcoreSeconds=6,applicationType=TEZ"
)


@pytest.mark.parametrize("east_h", [0, 8, -5])
def test_a_summary_tells_the_time_zone(east_h: int) -> None:
    zone_ms = east_h * 3_600_000
    started, finished = second(0) - zone_ms + 5, second(3) - zone_ms - 20
    found = read(
        f"rmapp.RMAppImpl: {APP} State change from NEW to NEW_SAVING",
        f"scheduler.SchedulerNode: Assigned container {MASTER} of capacity <memory:1, vCores:1> on host n1:1,",
        "rmnode.RMNodeImpl: n1:1 Node Transitioned from NEW to RUNNING",
        SUMMARY.format(started, finished),
    )

    assert found.offset_ms == zone_ms
    assert found.applications[APP] == LogApplication(
        APP,
        second(0) - zone_ms,
        submitted_ms=started,
        user="ann",
        queue="q",
        name="a,b",
        type="TEZ",
        states=[(second(0) - zone_ms, "NEW_SAVING")],
        finished_ms=finished,
        final="SUCCEEDED",
        memory_seconds=5,
        vcore_seconds=6,
    )
    assert found.containers[MASTER].allocated_ms == second(1) - zone_ms
    assert found.nodes["n1:1"].states == [(second(2) - zone_ms, "RUNNING")]
    assert (found.begin_ms, found.end_ms) == (second(0) - zone_ms, second(3) - zone_ms)
