"""What a ResourceManager's log says of each record, word for word."""

from itertools import pairwise
from typing import Any

import pytest

from engine.control_plane.protocol import NodeJoined
from engine.formats.scenario_toml import loads
from engine.model.decision import (
    Allocated,
    ApplicationTransitioned,
    Completed,
    Killed,
    Reserved,
    Unreserved,
    Warned,
)
from engine.observe.rm_log import RmLogFormatter
from engine.scenario.acts import KillApplication
from engine.simulation.records import Acted, Started, Submitted

TEXT = """
duration = "1m"
scheduler = "{}"
[settings]
"yarn.scheduler.capacity.root.queues" = "a"
"yarn.scheduler.capacity.root.a.capacity" = "100"
[cluster]
nodes = [{{ host = "n1", memory = "8g", vcores = 8 }}]
"""
NODE, TASK, MASTER = "n1:8041", (7, 1, 2), (7, 1, 1)
CLASSES = {
    "fair": ("scheduler.fair.FairScheduler", "scheduler.fair.FSAppAttempt", "scheduler.fair.FSSchedulerNode"),
    "capacity": ("scheduler.capacity.CapacityScheduler", "scheduler.common.fica.FiCaSchedulerApp",
                 "scheduler.common.fica.FiCaSchedulerNode"),
    "fifo": ("scheduler.fifo.FifoScheduler", "scheduler.common.fica.FiCaSchedulerApp",
             "scheduler.common.fica.FiCaSchedulerNode"),
}  # fmt: skip


class Log:
    """The words of a log that has a node of 8 GB, an application of Ann and what else is said."""

    def __init__(self, scheduler: str = "fair-2.7") -> None:
        scenario = loads(TEXT.format(scheduler), "scene")
        self.words = RmLogFormatter(scenario, lambda node, figures: figures)
        self.timestamp = scenario.timestamp
        self.app = f"application_{self.timestamp}_0007"
        self.attempt = f"appattempt_{self.timestamp}_0007_000001"
        self.scheduler, self.app_class, self.node_class = CLASSES[scheduler.partition("-")[0]]
        self.say(0, NodeJoined(NODE, "/r", 8192, 8), Submitted(7, "one, two", "ann", "a", "TEZ"))

    def say(self, time_ms: int, *records: Any) -> list[str]:
        return [line for record in records for line in self.words.of(record, time_ms)]

    def container(self, number: int) -> str:
        return f"container_{self.timestamp}_0007_01_{number:06d}"


def test_a_submission_is_audited_and_a_refused_one_is_not() -> None:
    log = Log()
    assert log.say(5, Submitted(8, "x", "bob", "b", "YARN")) == [
        "ClientRMService: Application with id 8 submitted by user bob",
        "RMAuditLogger: USER=bob\tOPERATION=Submit Application Request\tTARGET=ClientRMService\tRESULT=SUCCESS"
        f"\tAPPID=application_{log.timestamp}_0008",
    ]
    assert log.say(5, Submitted(9, "x", "bob", "b", "YARN", "refused"), Submitted(0, "x", "bob", "b", "YARN")) == []
    assert log.say(5, Acted(KillApplication(7))) == []
    assert log.words.started() == [
        "ResourceManager: Using Scheduler: org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler"
    ]


@pytest.mark.parametrize("scheduler", ["fair-2.7", "fifo"])
def test_an_application_goes_from_state_to_state(scheduler: str) -> None:
    """By the states between; the scheduler counts those that it has accepted, and FIFO names no queue."""
    log = Log(scheduler)
    log.say(1, Submitted(8, "x", "bob", "b", "YARN"))
    queue = "" if scheduler == "fifo" else " in queue: root.a,"

    def changes(*states: str) -> list[str]:
        return [
            f"rmapp.RMAppImpl: {log.app} State change from {before} to {after}" for before, after in pairwise(states)
        ]

    assert log.say(10, ApplicationTransitioned(7, "ACCEPTED", "root.a")) == [
        *changes("NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED"),
        f"{log.scheduler}: Accepted application {log.app} from user: ann,{queue} currently num of applications: 1",
    ]
    assert log.say(11, ApplicationTransitioned(8, "ACCEPTED", "root.b"))[-1].endswith("num of applications: 2")
    assert log.say(20, ApplicationTransitioned(7, "RUNNING")) == changes("ACCEPTED", "RUNNING")
    *lines, summary = log.say(30, ApplicationTransitioned(7, "KILLED"))
    assert lines == changes("RUNNING", "KILLING", "FINAL_SAVING", "KILLED")
    assert summary == (
        f"RMAppManager$ApplicationSummary: appId={log.app},name=one\\, two,user=ann,queue=root.a,state=KILLED,"
        "trackingUrl=N/A,appMasterHost=N/A,startTime=0,finishTime=30,finalStatus=KILLED,memorySeconds=0,"
        "vcoreSeconds=0,applicationType=TEZ"
    )
    assert log.say(31, ApplicationTransitioned(7, "RUNNING"), ApplicationTransitioned(8, "NEW")) == []
    assert log.say(32, ApplicationTransitioned(8, "FAILED"))[0].endswith("State change from ACCEPTED to FINAL_SAVING")


@pytest.mark.parametrize("scheduler", ["fair-2.7", "capacity-3.4"])
def test_a_container_is_given_runs_and_ends(scheduler: str) -> None:
    """With what its node has then; 3.4 audits its size and queue; what it held is summed up at the end."""
    log = Log(scheduler)
    size, one = "<memory:1024, vCores:2>", log.container(2)
    more = f"\tRESOURCE={size}\tQUEUENAME=a" if scheduler == "capacity-3.4" else ""
    held = f"TARGET=SchedulerApp\tRESULT=SUCCESS\tAPPID={log.app}\tCONTAINERID={one}{more}"
    change = f"rmcontainer.RMContainerImpl: {one} Container Transitioned from"

    assert log.say(1000, Allocated(TASK, NODE, 1, 1024, 2)) == [
        f"{change} NEW to ALLOCATED",
        f"RMAuditLogger: USER=ann\tOPERATION=AM Allocated Container\t{held}",
        f"scheduler.SchedulerNode: Assigned container {one} of capacity {size} on host {NODE}, which has 1 containers, "
        f"{size} used and <memory:7168, vCores:6> available after allocation",
        f"{change} ALLOCATED to ACQUIRED",
    ]
    assert log.say(1500, Started(TASK, NODE)) == [f"{change} ACQUIRED to RUNNING"]
    empty = "<memory:0, vCores:0>"
    assert log.say(4500, Completed(TASK, NODE, 0)) == [
        f"{change} RUNNING to COMPLETED",
        f"RMAuditLogger: USER=ann\tOPERATION=AM Released Container\t{held}",
        f"scheduler.SchedulerNode: Released container {one} of capacity {size} on host {NODE}, which currently has 0 "
        f"containers, {empty} used and <memory:8192, vCores:8> available, release resources=true",
        f"{log.scheduler}: Application attempt {log.attempt} released container {one} on node: host: {NODE} "
        f"#containers=0 available=<memory:8192, vCores:8> used={empty} with event: FINISHED",
    ]
    assert log.say(4600, Completed(TASK, NODE, 0)) == []
    summary = log.say(9000, ApplicationTransitioned(7, "FINISHED"))[-1]
    assert "finalStatus=SUCCEEDED,memorySeconds=3584,vcoreSeconds=7," in summary


@pytest.mark.parametrize(
    ("cause", "state"),
    [
        ("RELEASED", "RELEASED"),
        ("EXPIRED", "EXPIRED"),
        ("LOST", "KILLED"),
        ("APPLICATION_ENDED", "KILLED"),
        ("PREEMPTED", "KILLED"),
    ],
)
def test_a_cause_has_its_state(cause: str, state: str) -> None:
    log = Log()
    log.say(0, Allocated(TASK, NODE, 1, 1024, 2))
    lines = log.say(10, Killed(TASK, NODE, cause))

    assert lines[-4].endswith(f"Container Transitioned from RUNNING to {state}")
    assert lines[-1].endswith("with event: KILL")
    assert (len(lines) == 5) == (cause == "PREEMPTED")


def test_fair_schedulers_warn_before_they_preempt() -> None:
    """2.7 says how long it waited, from the warning on or not at all; 3.4 has a thread for it."""
    for scheduler, warned, killed in (
        (
            "fair-2.7",
            "scheduler.fair.FairScheduler: Preempting container (prio=1res=<memory:1024, vCores:2>) from queue root.a",
            "scheduler.fair.FairScheduler: Killing container{} (after waiting for premption for 15000ms)",
        ),
        (
            "fair-3.4",
            "scheduler.fair.FSPreemptionThread: Preempting container {} from queue: root.a",
            "scheduler.fair.FSPreemptionThread: Killing container {}",
        ),
    ):
        log = Log(scheduler)
        log.say(0, Allocated(TASK, NODE, 1, 1024, 2), Allocated((7, 1, 3), NODE, 1, 1024, 2))
        assert log.say(5000, Warned(TASK, NODE, "root.a", 1024)) == [warned.format(log.container(2))]
        assert log.say(5000, Warned((7, 1, 9), NODE, "root.a", 1024)) == []
        assert log.say(20_000, Killed(TASK, NODE, "PREEMPTED"))[0] == killed.format(log.container(2))
        unwarned = log.say(20_000, Killed((7, 1, 3), NODE, "PREEMPTED"))[0]
        assert unwarned == killed.format(log.container(3)).replace("15000", "0")
        assert log.say(20_001, Killed(TASK, NODE, "PREEMPTED")) == []


@pytest.mark.parametrize(("number", "kind"), [(1, "AM"), (2, "Non-AM")])
def test_capacity_schedulers_say_whether_a_master_is_preempted(number: int, kind: str) -> None:
    log = Log("capacity-2.7")
    log.say(0, Allocated((7, 1, number), NODE, 1, 1024, 2))
    assert log.say(1, Warned((7, 1, number), NODE, "a", 1024)) == []
    assert log.say(2, Killed((7, 1, number), NODE, "PREEMPTED"))[0] == (
        f"rmapp.attempt.RMAppAttemptMetrics: {kind} container preempted, current appAttemptId={log.attempt}, "
        f"containerId={log.container(number)}, resource=<memory:1024, vCores:2>"
    )


@pytest.mark.parametrize("scheduler", ["fair-2.7", "capacity-3.4", "fifo"])
def test_a_reservation_is_written_once_and_its_end_says_what_is_left(scheduler: str) -> None:
    log = Log(scheduler)
    node = f"{NODE} #containers=0 available=<memory:8192, vCores:8> used=<memory:0, vCores:0>"
    made = f"{log.app_class}: Making reservation: node=n1 app_id={log.app}"
    lines = log.say(0, Reserved(TASK, NODE, 3, 9000, 1), Reserved(TASK, NODE, 3, 9000, 1))

    assert lines == [
        *([made] if scheduler == "fair-2.7" else []),
        f"rmcontainer.RMContainerImpl: {log.container(2)} Container Transitioned from NEW to RESERVED",
        f"{log.node_class}: Reserved container {log.container(2)} on node host: {node} for application {log.app}",
    ]
    log.say(1, Reserved((7, 1, 3), NODE, 3, 500, 2), Reserved((7, 1, 4), NODE, 4, 70, 1))
    left = f"{log.app_class}: Application {log.app} unreserved  on node host: {node}, currently has"
    assert log.say(2, Unreserved(TASK, NODE, 3, 9000, 1), Unreserved(TASK, NODE, 3, 9000, 1)) == [
        f"{left} 1 at priority 3; currentReservation <memory:570, vCores:3>"
    ]
    given = log.say(3, Allocated((7, 1, 3), NODE, 3, 500, 2))
    assert given[0].endswith("Container Transitioned from RESERVED to ALLOCATED")
    assert log.say(4, Unreserved((7, 1, 3), NODE, 3, 500, 2)) == []
