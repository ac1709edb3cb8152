"""The timeline of a ResourceManager's log: applications, containers, reservations, nodes, by time."""

from pathlib import Path

import pytest

from engine.formats.traces.application import TraceTasks
from engine.formats.traces.formats import read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rm_log import timeline_of
from engine.formats.traces.rm_log_lines import LineParser, LogLine
from engine.formats.traces.rm_timeline import LogReservation, ResourceManagerTimeline
from tests.engine.formats.traces.samples import RM_LOG, imported, one, packed, source
from tests.gates.traces.series import allocated_mb, reservations_held

BEGIN_MS = 1_510_390_800_000
"""09:00 of the log's day, as if it were UTC."""
CLASS = "INFO org.apache.hadoop.yarn.server.resourcemanager"
APP = "application_17_0003"


def at(second: int) -> int:
    """The instant of a line of the small log [epoch ms]."""
    return BEGIN_MS + second * 1001


def lines(*messages: str) -> str:
    return "\n".join(f"2017-11-11 09:00:{n:02d},000 {CLASS}.{words}" for n, words in enumerate(messages))


def timeline(text: str) -> ResourceManagerTimeline:
    return timeline_of([source(text)])


def second(number: int) -> int:
    return BEGIN_MS + number * 1000


def test_a_log_tells_who_ran_what_where_and_when() -> None:
    found = timeline(RM_LOG)
    application = found.applications[APP]
    master, worker = (found.containers[f"container_17_0003_01_00000{number}"] for number in (1, 2))

    assert (found.begin_ms, found.end_ms, found.scheduler, found.starts_ms) == (at(0), at(9), "FairScheduler", [at(0)])
    assert (application.user, application.queue, application.submitted_ms) == ("ann", "root.etl", at(2))
    assert (application.registered_ms, application.finished_ms, application.state) == (at(4), at(9), "FINISHED")
    assert (master.is_master, master.memory_mb, master.ended_ms) == (True, 1024, None)
    assert (worker.node, worker.allocated_ms, worker.running_ms, worker.ended_ms) == ("n1:1", at(5), at(7), at(8))
    assert found.nodes["n1:1"].states == [(at(1), "RUNNING")]
    assert found.reservations == [
        LogReservation("application_17_0004", "n1:1", at(6), container="container_17_0004_01_000007")
    ]


def test_what_holds_at_an_instant_is_counted() -> None:
    found = timeline(RM_LOG)
    times = [at(5) - 1, at(5), at(8) - 1, at(8)]

    assert allocated_mb(found, times) == [1024, 3072, 3072, 1024]
    assert [len(list(found.running_at(time_ms))) for time_ms in times] == [1, 2, 2, 1]
    assert reservations_held(found, [at(6) - 1, at(6)]) == [0, 1]
    assert [len(list(found.reserved_at(time_ms))) for time_ms in (at(6) - 1, at(6))] == [0, 1]


def test_an_application_asks_for_the_containers_it_had() -> None:
    first, second_one = imported(RM_LOG)[0]

    assert first.tasks == (TraceTasks("container", 1, (3003,), 2048, 2),)
    assert (first.master, first.queue) == ((1024, 1), "root.etl")
    assert first.inferred["containers"].startswith("all containers are asked for when")
    assert (second_one.id, second_one.tasks, second_one.submitted_ms) == ("application_17_0004", (), at(6))


def test_stack_traces_and_cut_lines_are_passed_over() -> None:
    whole = RM_LOG.splitlines()
    text = "\n".join([*whole[:5], "java.lang.Exception: x", "\tat a.B(C.java:1)", whole[5][:30], *whole[5:]])
    report = imported(text)[1]

    assert timeline(text) == timeline(RM_LOG)
    assert report.dropped.total() == 3


def test_rotated_files_are_read_in_the_order_of_their_lines(tmp_path: Path) -> None:
    whole = RM_LOG.splitlines()
    (tmp_path / "rm.log").write_text("\n".join(whole[8:]))
    (tmp_path / "rm.log.1.gz").write_bytes(packed("\n".join(whole[4:8])))
    (tmp_path / "rm.log.2").write_text("\n".join(whole[:4]))
    report = ImportReport()

    assert list(read_traces(sorted(tmp_path.iterdir()), report)) == imported(RM_LOG)[0]
    assert [each.applications for each in report.files] == [2]


@pytest.mark.parametrize(
    "text",
    [
        "2017-11-11 09:00:30,343 INFO a.b.RMAppImpl: said",
        "2017-11-11 09:00:30,343 WARN  [main] a.RMAppImpl: said",
        "2017-11-11 09:00:30,343 INFO a.b.RMAppImpl (RM Event dispatcher): said",
        '12:e,String1="17/11/11 09:00:30 INFO rmapp.RMAppImpl: said',
    ],
)
def test_lines_of_every_layout_are_read(text: str) -> None:
    parser, time_ms = LineParser(), BEGIN_MS + 30_000 + (343 if ",343" in text else 0)
    found = [parser.line(each) for each in (text, f"{text}: more", text.replace(",343", ",344").replace("said", ""))]

    more_ms = time_ms + (",343" in text)
    assert found == [
        LogLine(at_ms, "RMAppImpl", said) for at_ms, said in ((time_ms, "said"), (time_ms, "said: more"), (more_ms, ""))
    ]


def test_a_colon_within_what_stands_before_a_message_does_not_begin_it() -> None:
    parser, text = LineParser(), "2017-11-11 09:00:30,343 INFO [to: a] a.b.RMAppImpl: said"
    again = text.replace("[to: a]", "[to: b]")

    assert [parser.line(each) for each in (text, again)] == [LogLine(BEGIN_MS + 30_343, "RMAppImpl", "said")] * 2


def test_a_line_without_a_time_is_none() -> None:
    assert [LineParser().line(text) for text in ("", "a: b", "2017-13-11 09:00:30,343 INFO a.B: c")] == [None] * 3


SUMMARY = (
    "RMAppManager$ApplicationSummary: appId=application_17_0009,name=select a\\,b,user=ann,queue=q,state=FINISHED,"
    "startTime={start},finishTime={end},finalStatus=SUCCEEDED,memorySeconds=61440,vcoreSeconds=30,"
    "preemptedResources=<memory:0\\, vCores:0>,applicationType=SPARK"
)


def test_a_summary_is_enough_and_shows_the_time_zone() -> None:
    """Its instants are epoch ms, the log's eight hours east of them; commas within a name are escaped."""
    start_ms = second(-10) - 8 * 3_600_000
    application = one(lines(SUMMARY.format(start=start_ms, end=start_ms + 10_000)))

    assert (application.name, application.user, application.type, application.state) == (
        "select a,b",
        "ann",
        "SPARK",
        "SUCCEEDED",
    )
    assert (application.submitted_ms, application.finished_ms) == (start_ms, start_ms + 10_000)
    assert application.tasks == (TraceTasks("container", 4, (3800,), 2048, 1, at_ms=1600),)


def test_a_node_holds_one_reservation() -> None:
    making = "scheduler.fair.FSAppAttempt: Making reservation: node=10.0.0.{} app_id=application_17_{}"
    found = timeline(
        lines(making.format(1, "0001"), making.format(2, "0001"), making.format(1, "0001"), making.format(1, "0002"))
    )

    assert [
        (each.application[-1], each.node, each.since_ms, each.until_ms, each.end) for each in found.reservations
    ] == [
        ("1", "10.0.0.1", second(0), second(3), "REPLACED"),
        ("1", "10.0.0.2", second(1), None, ""),
        ("2", "10.0.0.1", second(3), None, ""),
    ]


def test_a_reservation_ends_with_its_line_and_the_rest_has_its_size() -> None:
    making = "scheduler.fair.FSAppAttempt: Making reservation: node=n{} app_id=application_17_0001"
    undoing = (
        "scheduler.fair.FSAppAttempt: Application application_17_0001 unreserved  on node host: n1:1 #containers=0"
        " available=<memory:1, vCores:1> used=<memory:1, vCores:1>, currently has 2 at priority 1; currentReservation"
        " <memory:8192, vCores:2>"
    )
    found = timeline(lines(making.format(1), making.format(2), making.format(3), undoing))

    assert [(each.node, each.until_ms, each.memory_mb, each.vcores) for each in found.reservations] == [
        ("n1:1", second(3), 4096, 1),
        ("n2", None, 4096, 1),
        ("n3", None, 4096, 1),
    ]


def test_a_reservation_ends_with_its_container_or_its_application() -> None:
    making = "scheduler.fair.FSAppAttempt: Making reservation: node=n{} app_id=application_17_000{}"
    found = timeline(
        lines(
            making.format(1, 1),
            making.format(2, 2),
            "scheduler.SchedulerNode: Assigned container container_17_0001_01_000002 of capacity <memory:64, vCores:1>"
            " on host n1:1, which has",
            "rmapp.RMAppImpl: application_17_0002 State change from KILLING to KILLED",
        )
    )

    assert [(each.end, each.memory_mb, each.until_ms) for each in found.reservations] == [
        ("ALLOCATED", 64, second(2)),
        ("ENDED", None, second(3)),
    ]


def test_a_reservation_of_the_capacity_scheduler_has_its_node_when_it_ends() -> None:
    """Its lines name the container first; the one named on a node is there."""
    container = "rmcontainer.RMContainerImpl: container_17_0001_01_00000{} Container Transitioned from NEW to RESERVED"
    found = timeline(
        lines(
            container.format(2),
            container.format(3),
            "scheduler.fair.FSSchedulerNode: Reserved container container_17_0001_01_000003 on node host: n3:1"
            " #containers=1",
            "scheduler.common.fica.FiCaSchedulerApp: Application application_17_0001 unreserved  on node host: n2:1"
            " #containers=1 available=<memory:1, vCores:1>, currently has 0 at priority 1; currentReservation"
            " <memory:0, vCores:0> on node-label=",
        )
    )

    assert [(each.container, each.node, each.until_ms) for each in found.reservations] == [
        ("container_17_0001_01_000002", "n2:1", second(3)),
        ("container_17_0001_01_000003", "n3:1", None),
    ]


@pytest.mark.parametrize("is_unreserved_first", [True, False])
def test_a_line_that_names_no_container_is_of_the_one_allocated_with_it(is_unreserved_first: bool) -> None:
    reserved = "rmcontainer.RMContainerImpl: container_17_0001_01_00000{} Container Transitioned from NEW to RESERVED"
    pair = [
        "scheduler.common.fica.FiCaSchedulerApp: Application application_17_0001 unreserved  on node host: n2:1"
        " #containers=1 available=<memory:1, vCores:1>, currently has 1 at priority 1; currentReservation"
        " <memory:64, vCores:1> on node-label=",
        "scheduler.common.fica.FiCaSchedulerNode: Assigned container container_17_0001_01_000003 of capacity"
        " <memory:64, vCores:1> on host n2:1, which has",
    ]
    found = timeline(lines(reserved.format(2), reserved.format(3), *(pair if is_unreserved_first else reversed(pair))))

    assert [(each.container, each.node, each.end, each.memory_mb) for each in found.reservations] == [
        ("container_17_0001_01_000002", None, "", 64),
        ("container_17_0001_01_000003", "n2:1", "ALLOCATED", 64),
    ]


def test_preemption_names_containers_or_their_queue() -> None:
    container = "container_17_0001_01_000002"
    found = timeline(
        lines(
            "RMAuditLogger: USER=ann\tOPERATION=AM Allocated Container\tAPPID=application_17_0001"
            f"\tCONTAINERID={container}\tRESOURCE=<memory:512, vCores:1>\tQUEUENAME=a",
            "scheduler.fair.FairScheduler: Preempting container (prio=1res=<memory:512, vCores:1>) from queue root.a",
            f"scheduler.fair.FairScheduler: Killing container{container} (after waiting for premption for 15000ms)",
            f"rmcontainer.RMContainerImpl: {container} Container Transitioned from RUNNING to KILLED",
            f"RMAuditLogger: USER=ann\tOPERATION=AM Released Container\tCONTAINERID={container}",
        )
    )
    killed = found.containers[container]

    assert found.preemptions == [(second(1), "root.a", "queue"), (second(2), container, "container")]
    assert (killed.preempted_ms, killed.ended_ms, killed.end, killed.memory_mb) == (second(2), second(3), "KILLED", 512)


def test_a_restart_ends_what_is_not_recovered() -> None:
    allocated = "RMAuditLogger: USER=a\tOPERATION=AM Allocated Container\tCONTAINERID=container_17_0001_01_00000{}"
    found = timeline(
        lines(
            *(allocated.format(number) for number in (1, 2, 3)),
            "scheduler.fair.FSAppAttempt: Making reservation: node=n1 app_id=application_17_0001",
            "ResourceManager: Using Scheduler: a.b.CapacityScheduler",
            "scheduler.AbstractYarnScheduler: Recovering container [container_17_0001_01_000001, CreateTime: 0,"
            " Version: 0, State: RUNNING, Capability: <memory:1024, vCores:1>, ",
            "scheduler.AbstractYarnScheduler: Recovering container container_id { app_attempt_id { application_id {"
            " id: 1 cluster_timestamp: 17 } attemptId: 1 } id: 2 } container_state: C_RUNNING resource { memory: 512"
            " virtual_cores: 1 }",
        )
    )

    assert [(each.end, each.memory_mb) for each in found.containers.values()] == [
        ("", 1024),
        ("", 512),
        ("STOPPED", None),
    ]
    assert found.reservations[0].end == "STOPPED"


def test_becoming_active_again_is_a_restart() -> None:
    start = f"2017-11-11 09:00:00,000 {CLASS}.ResourceManager: Using Scheduler: a.b.FifoScheduler"
    later = [f"2017-11-11 09:{time},000 {CLASS}.ResourceManager: Transitioning to active state" for time in TIMES]

    assert timeline("\n".join([start, *later])).starts_ms == [second(0), second(30)]


TIMES = ("00:29", "00:30", "00:31")


def test_racks_queues_and_masters_are_known_by_their_lines() -> None:
    found = timeline(
        lines(
            "x.RackResolver: Resolved n1 to /r1",
            "rmapp.attempt.RMAppAttemptImpl: Storing attempt: AppId: application_17_0001 AttemptId: a MasterContainer:"
            " Container: [ContainerId: container_e01_17_0001_02_000004, NodeId: n1:1, NodeHttpAddress: n1:2, Resource:"
            " <memory:1536, vCores:1>, Priority: 0",
            "scheduler.capacity.CapacityScheduler: App: application_17_0001 successfully moved from root.a to: root.b",
            "x.RackResolver: Resolved n1 to /r2",
        )
    )

    assert found.nodes["n1:1"].rack == "/r2"
    assert found.applications["application_17_0001"].queue == "root.b"
    assert found.containers["container_e01_17_0001_02_000004"].is_master
