"""The timeline of a ResourceManager's log, struct by struct: what each line changes."""

import pytest

from engine.formats.traces.resource_manager_log import (
    timeline_of,
)
from engine.formats.traces.rm_timeline import (
    LogApplication,
    LogContainer,
    LogNode,
    LogReservation,
    ResourceManagerTimeline,
)
from tests.engine.formats.traces.samples import source

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


def test_an_application_goes_from_state_to_state() -> None:
    found = read(
        f"RMAuditLogger: USER=ann\tOPERATION=Submit Application Request\tRESULT=SUCCESS\tAPPID={APP}",
        f"rmapp.RMAppImpl: {APP} State change from NEW to NEW_SAVING on event = START",
        f"scheduler.fair.FairScheduler: Accepted application {APP} from user: bob, in queue: root.a, currently",
        f"rmapp.RMAppImpl: {APP} State change from ACCEPTED to RUNNING on event = X",
        f"scheduler.fair.FairScheduler: App: {APP} successfully moved from root.a to: root.b",
        f"rmapp.RMAppImpl: {APP} State change from RUNNING to RUNNING on event = X",
        f"rmapp.RMAppImpl: {APP} State change from FINISHING to FINISHED on event = X",
        f"RMAuditLogger: USER=ann\tOPERATION=Move Application Request\tRESULT=SUCCESS\tAPPID={APP}",
    )

    assert found.applications == {
        APP: LogApplication(
            APP,
            second(0),
            submitted_ms=second(0),
            user="bob",
            queue="root.b",
            queues=[(second(2), "root.a"), (second(4), "root.b"), (second(7), "")],
            states=[
                (second(1), "NEW_SAVING"),
                (second(3), "RUNNING"),
                (second(5), "RUNNING"),
                (second(6), "FINISHED"),
            ],
            registered_ms=second(3),
            finished_ms=second(6),
        )
    }
    assert (found.begin_ms, found.end_ms, found.scheduler) == (second(0), second(7), "FairScheduler")
    assert (found.applications[APP].state, LogApplication(APP, 0).state) == ("FINISHED", "")


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


def test_a_summary_without_times_ends_its_application_with_its_line() -> None:
    found = read(SUMMARY.format("", ""), "RMAppManager$ApplicationSummary: appId=x,name=y")

    assert (found.applications[APP].finished_ms, found.applications[APP].submitted_ms) == (second(0), None)
    assert list(found.applications) == [APP]


def test_a_container_goes_from_its_allocation_to_its_end() -> None:
    found = read(
        f"RMAuditLogger: USER=x\tOPERATION=AM Allocated Container\tCONTAINERID={WORKER} RESOURCE=<memory:9, vCores:3>",
        f"scheduler.SchedulerNode: Assigned container {WORKER} of capacity <memory:8, vCores:2> on host n1:1,"
        " which has 1 containers, <memory:8, vCores:2> used and <memory:92, vCores:6> available",
        f"rmcontainer.RMContainerImpl: {WORKER} Container Transitioned from ACQUIRED to RUNNING",
        f"rmcontainer.RMContainerImpl: {WORKER} Container Transitioned from RUNNING to RUNNING",
        f"scheduler.fair.FSPreemptionThread: Preempting container {WORKER} from queue root.a",
        f"scheduler.fair.FSPreemptionThread: Killing container {WORKER}",
        f"rmcontainer.RMContainerImpl: {WORKER} Container Transitioned from RUNNING to KILLED",
        f"scheduler.SchedulerNode: Released container {WORKER} of capacity <memory:8, vCores:2> on host n1:1",
    )

    assert found.containers == {
        WORKER: LogContainer(
            WORKER,
            APP,
            second(0),
            node="n1:1",
            memory_mb=8,
            vcores=2,
            running_ms=second(2),
            ended_ms=second(6),
            end="KILLED",
            preempted_ms=second(4),
        )
    }
    assert found.nodes == {"n1:1": LogNode("n1:1", None, 100, 8)}
    assert found.applications == {APP: LogApplication(APP, second(0))}
    assert found.preemptions == [(second(4), WORKER, "container"), (second(5), WORKER, "container")]


def test_nodes_register_change_and_lie_on_racks() -> None:
    found = read(
        "scheduler.fair.FSAppAttempt: Making reservation: node=n1 app_id=application_17_0001",
        "org.apache.hadoop.yarn.util.RackResolver: Resolved n1 to /r1",
        "ResourceTrackerService: NodeManager from node n1(cmPort: 1 httpPort: 2) registered with capability:"
        " <memory:80, vCores:4>, assigned nodeId n1:1",
        "rmnode.RMNodeImpl: n1:1 Node Transitioned from NEW to RUNNING",
        "scheduler.fair.FairScheduler: Update resource on node: n1:1 from: <memory:80, vCores:4>,"
        " to: <memory:90, vCores:5>",
        "org.apache.hadoop.yarn.util.RackResolver: Resolved n2 to /r2",
        "rmnode.RMNodeImpl: n2:1 Node Transitioned from RUNNING to LOST",
    )

    assert found.nodes == {
        "n1:1": LogNode("n1:1", "/r1", 90, 5, [(second(3), "RUNNING")]),
        "n2:1": LogNode("n2:1", "/r2", None, None, [(second(6), "LOST")]),
    }
    assert [each.node for each in found.reservations] == ["n1:1"]


def test_reservations_end_with_an_allocation_or_without() -> None:
    other = "application_17_0002"
    found = read(
        f"scheduler.fair.FSAppAttempt: Making reservation: node=n1:1 app_id={APP}",
        f"scheduler.fair.FSAppAttempt: Making reservation: node=n2:1 app_id={APP}",
        f"scheduler.fair.FSAppAttempt: Making reservation: node=n3:1 app_id={other}",
        f"scheduler.fair.FSAppAttempt: Application {APP} unreserved  on node host: n1:1 #containers=1 available="
        "<memory:1, vCores:1>, currently has 1 at priority 1; currentReservation <memory:64, vCores:4>",
        f"scheduler.SchedulerNode: Assigned container {WORKER} of capacity <memory:64, vCores:4> on host n2:1,",
        f"rmapp.RMAppImpl: {other} State change from RUNNING to KILLED",
    )

    assert found.reservations == [
        LogReservation(APP, "n1:1", second(0), second(3), None, 64, 4, "UNRESERVED"),
        LogReservation(APP, "n2:1", second(1), second(4), None, 64, 4, "ALLOCATED"),
        LogReservation(other, "n3:1", second(2), second(5), None, None, None, "ENDED"),
    ]


def test_containers_that_are_recovered_run_on() -> None:
    found = read(
        f"scheduler.SchedulerNode: Assigned container {WORKER} of capacity <memory:8, vCores:2> on host n1:1,",
        "ResourceManager: Using Scheduler: a.b.FairScheduler",
        "ResourceManager: Transitioning to standby state",
        "ResourceManager: Transitioning to active state",
        "scheduler.AbstractYarnScheduler: Recovering container container_id { app_attempt_id { application_id { id: 1"
        " cluster_timestamp: 17 } attemptId: 1 } id: 2 } container_state: C_RUNNING"
        " resource { memory: 9 virtual_cores: 3",
        f"scheduler.AbstractYarnScheduler: Recovering container [{MASTER}, CreateTime: 1, State: COMPLETE, Capability:"
        " <memory:7, vCores:1>, x",
    )

    assert found.keeps_containers
    assert found.containers[WORKER] == LogContainer(WORKER, APP, second(0), node="n1:1", memory_mb=9, vcores=3)
    assert (found.containers[MASTER].memory_mb, found.containers[MASTER].vcores) == (7, 1)


def test_rotated_files_are_read_in_the_order_of_their_first_lines() -> None:
    first, last = (text(f"rmapp.RMAppImpl: {APP} State change from A to {state}") for state in ("B", "C"))
    found = timeline_of([source(last.replace("09:00", "09:30")), source(first)])

    assert [state for _, state in found.applications[APP].states] == ["B", "C"]
