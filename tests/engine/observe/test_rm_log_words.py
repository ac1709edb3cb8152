"""What a ResourceManager's log says of each record, word for word."""

import io
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from engine.control_plane.protocol import NodeJoined
from engine.formats.scenario_toml import loads
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rm_log import timeline_of
from engine.formats.traces.rm_timeline import ResourceManagerTimeline
from engine.formats.traces.source import TraceSource
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed, Reserved, Unreserved, Warned
from engine.model.identity import application_name, container_name
from engine.observe.rm_log import ResourceManagerLogWriter, RmLogFormatter
from engine.run import play
from engine.scenario import Scenario
from engine.scenario.acts import KillApplication
from engine.simulation.records import Acted, Started, Submitted
from tests.build.records import Kept

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


@pytest.mark.parametrize(("number", "kind"), [(1, "AM"), (2, "Non-AM")])
def test_capacity_schedulers_say_whether_a_master_is_preempted(number: int, kind: str) -> None:
    log = Log("capacity-2.7")
    log.say(0, Allocated((7, 1, number), NODE, 1, 1024, 2))
    assert log.say(1, Warned((7, 1, number), NODE, "a", 1024)) == []
    assert log.say(2, Killed((7, 1, number), NODE, "PREEMPTED"))[0] == (
        f"rmapp.attempt.RMAppAttemptMetrics: {kind} container preempted, current appAttemptId={log.attempt}, "
        f"containerId={log.container(number)}, resource=<memory:1024, vCores:2>"
    )


# A run's log of its ResourceManager is read back: what happened, to the ms.

BUSY = """
start = 2024-01-01T08:00:00+08:00
duration = "10m"
scheduler = "{policy}"
settings = {settings}
[[queues]]
name = "a"
min_resources = "4096 mb, 2 vcores"
min_share_preemption_timeout = 5
[[queues]]
name = "b"
[cluster]
groups = [{{count = 3, memory = "8g", vcores = 8}}]
[[workload]]
type = "scripted"
name = "hogs, all"
user = "bob"
queue = "b"
asks = [{{memory = "2g", count = 20, duration = "40s"}}]
[[workload]]
type = "scripted"
user = "ann"
queue = "a"
at = 10
asks = [{{memory = "6g", vcores = 2, count = 3, duration = "20s"}}]
[[script]]
do = "kill"
application = "1"
at = 100
[[script]]
do = "lose"
node = "node3"
at = 30
"""
CAPACITY = (
    '{"yarn.scheduler.capacity.root.queues" = "a,b", "yarn.scheduler.capacity.root.a.capacity" = "50",'
    ' "yarn.scheduler.capacity.root.b.capacity" = "50", "yarn.scheduler.capacity.root.b.user-limit-factor" = "2"}'
)
SETTINGS = {"fair": '{"yarn.scheduler.fair.preemption" = "true"}', "capacity": CAPACITY, "fifo": "{}"}


def scenario(policy: str) -> Scenario:
    family = policy.partition("-")[0]
    text = BUSY.format(policy=policy, settings=SETTINGS[family])
    if family != "fair":
        text = "".join(f"{line}\n" for line in text.splitlines() if not line.startswith("min_"))
        text = text.replace('[[queues]]\nname = "a"\n', "").replace('[[queues]]\nname = "b"\n', "")
    if family == "fifo":
        text = text.replace('queue = "a"', 'queue = "default"').replace('queue = "b"', 'queue = "default"')
    return loads(text)


def read_back(path: Path) -> ResourceManagerTimeline:
    with TraceSource([io.BytesIO(path.read_bytes())], "log", ImportReport()) as source:
        return timeline_of([source])


@pytest.mark.parametrize("policy", ["fair-2.7", "fair-3.4", "capacity-2.7", "capacity-3.4", "fifo"])
def test_a_run_is_read_back_from_its_log(policy: str, tmp_path: Path) -> None:
    """Containers with their size, node, instants and end; reservations; states of applications; sizes of nodes."""
    played, kept = scenario(policy), Kept()
    with ResourceManagerLogWriter.to_file(tmp_path / "rm.log", played) as writer:
        play(played, None, [kept, writer])
    found = read_back(tmp_path / "rm.log")
    ends = {record.container: now_ms for now_ms, record in kept.all if isinstance(record, Completed | Killed)}
    allocated = {
        container_name(played.timestamp, record.container): (
            now_ms,
            record.node,
            record.memory_mb,
            record.vcores,
            ends.get(record.container),
        )
        for now_ms, record in kept.all
        if isinstance(record, Allocated)
    }
    states = [
        (now_ms, application_name(played.timestamp, record.application), record.state)
        for now_ms, record in kept.all
        if isinstance(record, ApplicationTransitioned)
    ]

    assert allocated
    assert {
        each.id: (each.allocated_ms, each.node, each.memory_mb, each.vcores, each.ended_ms)
        for each in found.containers.values()
    } == allocated
    assert {each.id for each in found.containers.values() if each.is_master} == {
        name for name in allocated if name.endswith("_000001")
    }
    assert all((now_ms, state) in found.applications[name].states for now_ms, name, state in states)
    assert {node.id: (node.memory_mb, node.vcores) for node in found.nodes.values()} == {
        each.id: (each.memory_mb, each.vcores) for each in played.cluster.all_nodes()
    }
    assert _reservations(found) == _made(kept, played.timestamp)


def _reservations(found: ResourceManagerTimeline) -> list[tuple[object, ...]]:
    """Container, node, since and until, of those of a timeline."""
    return sorted((each.container, each.node, each.since_ms, each.until_ms) for each in found.reservations)


def _made(kept: Kept, timestamp: int) -> list[tuple[object, ...]]:
    made: dict[object, list[object]] = {}
    for now_ms, record in kept.all:
        if isinstance(record, Reserved) and record.container not in made:
            made[record.container] = [container_name(timestamp, record.container), record.node, now_ms, None]
        elif isinstance(record, Unreserved | Allocated) and record.container in made:
            made[record.container][3] = now_ms
    return sorted(tuple(each) for each in made.values())


def test_preemption_is_read_back_from_its_log(tmp_path: Path) -> None:
    played, kept = scenario("fair-2.7"), Kept()
    with ResourceManagerLogWriter.to_file(tmp_path / "rm.log", played) as writer:
        play(played, None, [kept, writer])
    killed = [
        (now_ms, container_name(played.timestamp, record.container), "container")
        for now_ms, record in kept.all
        if isinstance(record, Killed) and record.cause == "PREEMPTED"
    ]
    warned = [(now_ms, record.queue, "queue") for now_ms, record in kept.all if isinstance(record, Warned)]

    assert killed
    assert sorted(read_back(tmp_path / "rm.log").preemptions) == sorted(warned + killed)


@pytest.mark.parametrize("policy", ["fair-3.4", "capacity-3.4"])
def test_a_lost_node_a_resized_one_and_a_move_are_read_back(policy: str, tmp_path: Path) -> None:
    steps = [
        {"do": "resize", "node": "node2", "memory": "10g", "vcores": 9, "at": 20},
        {"do": "move", "application": "1", "queue": "root.a", "at": 21},
    ]
    base = scenario(policy)
    expiry = {"yarn.nm.liveness-monitor.expiry-interval-ms": "20000"}
    played = Scenario.model_validate(
        base.model_dump()
        | {"settings": base.settings | expiry, "script": [*(each.model_dump() for each in base.script[1:]), *steps]}
    )
    with ResourceManagerLogWriter.to_file(tmp_path / "rm.log", played) as writer:
        outcome = play(played, None, [writer])
    found = read_back(tmp_path / "rm.log")
    sizes = {node.id.partition(":")[0]: (node.memory_mb, node.states[-1][1]) for node in found.nodes.values()}

    assert outcome.mishaps == ()
    assert sizes == {"node1": (8192, "RUNNING"), "node2": (10_240, "RUNNING"), "node3": (8192, "LOST")}
    assert found.applications[application_name(played.timestamp, 1)].queue == "root.a"


def test_a_summary_escapes_commas_and_has_the_sums(tmp_path: Path) -> None:
    played = scenario("fifo")
    with ResourceManagerLogWriter.to_file(tmp_path / "rm.log", played) as writer:
        play(played, None, [writer])
    text = (tmp_path / "rm.log").read_text()
    summary = next(line for line in text.splitlines() if "ApplicationSummary" in line)

    assert text.startswith(
        "2024-01-01 08:00:00,000 INFO org.apache.hadoop.yarn.server.resourcemanager.ResourceManager: "
    )
    assert "name=hogs\\, all,user=bob,queue=default,state=" in summary
    assert f"startTime={played.start_ms}," in summary
