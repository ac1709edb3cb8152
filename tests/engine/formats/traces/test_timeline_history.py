"""History of the timeline server becomes Tez applications, and others by their sums."""

from pathlib import Path

import pytest

from engine.formats.traces import timeline_history
from engine.formats.traces.application import TraceTasks
from engine.formats.traces.formats import read_timeline
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rm_log import timeline_of
from engine.formats.traces.rm_timeline import (
    LogApplication,
    LogContainer,
    LogNode,
    LogReservation,
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


# Rotated files of one log read from disk, and which files are one.

STATE = f"rmapp.RMAppImpl: {APP} State change from"


def written(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content)
    return path


def test_every_instant_of_a_log_is_moved_to_that_of_greenwich(tmp_path: Path) -> None:
    hour = 3_600_000
    messages = [
        "ResourceManager: Transitioning to active state",
        "rmnode.RMNodeImpl: n:1 Node Transitioned from NEW to RUNNING",
        f"{STATE} NEW to ACCEPTED",
        f"scheduler.fair.FairScheduler: Accepted application {APP} from user: ann, in queue: root.q, x",
        f"scheduler.SchedulerNode: Assigned container {MASTER} of capacity <memory:5, vCores:1> on host n:1,",
        f"scheduler.fair.FSAppAttempt: Making reservation: node=n:1 app_id={APP}",
        f"scheduler.fair.FSPreemptionThread: Preempting container {MASTER}",
        f"rmcontainer.RMContainerImpl: {MASTER} Container Transitioned from ACQUIRED to RUNNING",
        f"scheduler.SchedulerNode: Released container {MASTER} of capacity <memory:5, vCores:1> on host n:1",
        f"{STATE} ACCEPTED to RUNNING",
        f"{STATE} RUNNING to FINISHED",
        f"resourcemanager.RMAppManager$ApplicationSummary: appId={APP},name=n,user=ann,queue=root.q,state=FINISHED,"
        f"startTime={second(2) - hour + 7},finishTime={second(10) - hour + 9},finalStatus=FAILED,memorySeconds=3",
        "ResourceManager: SHUTDOWN_MSG",
    ]
    found = read_timeline([written(tmp_path, "a", text(*messages))], ImportReport())

    def at(number: int) -> int:
        return second(number) - hour

    assert found.applications == {
        APP: LogApplication(
            APP,
            at(2),
            at(2) + 7,
            "ann",
            "root.q",
            [(at(3), "root.q")],
            "n",
            "",
            [(at(2), "ACCEPTED"), (at(9), "RUNNING"), (at(10), "FINISHED")],
            at(9),
            at(10) + 9,
            "FAILED",
            3,
            None,
        )
    }
    assert found.containers == {
        MASTER: LogContainer(MASTER, APP, at(4), "n:1", 5, 1, True, at(7), at(8), "COMPLETED", at(6))
    }
    assert found.reservations == [LogReservation(APP, "n:1", at(5), at(10), end="ENDED")]
    assert found.nodes == {"n:1": LogNode("n:1", states=[(at(1), "RUNNING")])}
    assert (found.starts_ms, found.stops_ms, found.preemptions) == ([at(0)], [at(12)], [(at(6), MASTER, "container")])
    assert (found.begin_ms, found.end_ms, found.offset_ms) == (at(0), at(12), hour)


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        (
            [f"RMAuditLogger: USER=x OPERATION=AM Allocated Container RESULT=SUCCESS CONTAINERID={WORKER}"
             " RESOURCE=<memory:5, vCores:2>"],
            LogContainer(WORKER, APP, second(0), None, 5, 2),
        ),
        (
            [f"scheduler.fair.FairScheduler: Recovering container [{WORKER}, CreateTime: 1, State: RUNNING, Capability:"
             " <memory:6, vCores:3>, x"],
            LogContainer(WORKER, APP, second(0), None, 6, 3),
        ),
        (
            ["scheduler.AbstractYarnScheduler: Recovering container container_id { app_attempt_id { application_id {"
             " id: 1 cluster_timestamp: 17 } attemptId: 1 } id: 2 } container_state: C_RUNNING"
             " resource { memory: 7 virtual_cores: 4 }"],
            LogContainer(WORKER, APP, second(0), None, 7, 4),
        ),
        (
            [f"rmapp.attempt.RMAppAttemptImpl: Storing attempt: AppId: x MasterContainer: Container: [ContainerId:"
             f" {WORKER}, NodeId: n:1, NodeHttpAddress: n:2, Resource: <memory:8, vCores:5>, x"],
            LogContainer(WORKER, APP, second(0), "n:1", 8, 5, True),
        ),
        (
            [f"rmcontainer.RMContainerImpl: {WORKER} Container Transitioned from NEW to ALLOCATED",
             f"rmcontainer.RMContainerImpl: {WORKER} Container Transitioned from RUNNING to KILLED",
             f"rmcontainer.RMContainerImpl: {WORKER} Container Transitioned from RUNNING to COMPLETED"],
            LogContainer(WORKER, APP, second(0), ended_ms=second(1), end="KILLED"),
        ),
        (
            [f"rmcontainer.RMContainerImpl: {WORKER} Container Transitioned from NEW to ALLOCATED",
             f"scheduler.fair.FairScheduler: Killing container {WORKER}",
             f"rmapp.attempt.RMAppAttemptMetrics: Non-AM container preempted, x, containerId={WORKER}, y"],
            LogContainer(WORKER, APP, second(0), preempted_ms=second(1)),
        ),
    ],
)  # fmt: skip
def test_a_line_about_a_container_changes_this_alone(tmp_path: Path, messages: list[str], found: LogContainer) -> None:
    timeline = read_timeline([written(tmp_path, "a", text(*messages))], ImportReport())

    assert timeline.containers == {WORKER: found}
