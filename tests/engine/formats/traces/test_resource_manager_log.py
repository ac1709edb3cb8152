"""The timeline of a ResourceManager's log: applications, containers, reservations, nodes, by time."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.traces.application import MappingRules, TraceTasks
from engine.formats.traces.formats import NOT_STARTED, TO_END, read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rm_log import timeline_of
from engine.formats.traces.rm_timeline import LineParser, LogLine, LogReservation, ResourceManagerTimeline
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.run import Run
from engine.scenario import Scenario
from tests.engine.formats.traces.samples import ALIBABA, GOOGLE, RM_LOG, imported, packed, source

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


def test_an_application_asks_for_the_containers_it_had() -> None:
    first, second_one = imported(RM_LOG)[0]

    assert first.tasks == (TraceTasks("container", 1, (1803,), 2048, 2),)
    assert (first.master, first.queue) == ((1024, 1), "root.etl")
    assert first.inferred["containers"].startswith("all containers are asked for when")
    assert (second_one.id, second_one.containers, second_one.submitted_ms) == ("application_17_0004", 1, at(6))


@pytest.mark.parametrize(("last", "worked_ms"), [("RUNNING to COMPLETED", 2000), ("ACQUIRED to RUNNING", 2000)])
def test_a_master_that_ran_alone_is_what_ran(last: str, worked_ms: int) -> None:
    changed = "rmcontainer.RMContainerImpl: container_17_0003_01_000001 Container Transitioned from"
    text = lines(
        f"rmapp.RMAppImpl: {APP} State change from NEW to NEW_SAVING",
        "scheduler.SchedulerNode: Assigned container container_17_0003_01_000001 of capacity <memory:2048, vCores:1>"
        " on host n1:1,",
        f"{changed} ACQUIRED to RUNNING",
        "said",
        "said",
        f"{changed} {last}",
    )
    found = imported(text)[0][0]

    assert (found.master, found.master_ms, found.tasks, found.is_granted) == ((2048, 1), worked_ms, (), True)
    assert imported(text.replace("to RUNNING", "to ACQUIRED"))[0][0].master_ms is None


def test_stack_traces_and_cut_lines_are_passed_over() -> None:
    whole = RM_LOG.splitlines()
    text = "\n".join([*whole[:5], "java.lang.Exception: x", "\tat a.B(C.java:1)", whole[5][:30], *whole[5:]])
    report = imported(text)[1]

    assert timeline(text) == timeline(RM_LOG)
    assert report.dropped.total() == 3


@pytest.mark.parametrize(("back", "count"), [("001", 0), ("000", 1)], ids=["a minute", "over a minute"])
def test_time_that_goes_back_by_over_a_minute_is_told(back: str, count: int) -> None:
    """Threads write a little later what happened before; a log with its last line first is one to turn round."""
    report = ImportReport()
    times = f"2017-11-11 09:01:00,001 {CLASS}.A: said\n2017-11-11 09:00:00,{back} {CLASS}.A: said\n"
    timeline_of([source(times, report, "rm.log")])

    assert sum(note.startswith("rm.log: time goes back by over a minute at 1 of") for note in report.notes) == count


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
        "2017-11-11 09:00:30,343 INFO  rmapp.RMAppImpl (RMAppImpl.java:handle(779)) - said",
        "2017-11-11 09:00:30,343 INFO  rmapp.RMAppImpl (RMAppImpl.java:<init>(79)) said",
        "2017-11-11T09:00:30,343 INFO [main] a.b.RMAppImpl: said",
        "2017-11-11 09:00:30 INFO  RMAppImpl:779 - said",
        "2017-11-11T09:00:30,343Z INFO a.b.RMAppImpl: said",
        "2017-11-11 09:00:30,343+0000 [INFO] a.b.RMAppImpl: said",
        "2017-11-11 09:00:30,343 INFO  a.b.RMAppImpl [] - said",
        "2017-11-11 09:00:30,343000 +0800 INFO [main] [a.b.RMAppImpl] said",
        "[2017-11-11 09:00:30,343] [INFO] (main) a.b.RMAppImpl (RMAppImpl.java:7) - said",
        "INFO 11 Nov 2017 09:00:30,343 [main] a.b.RMAppImpl - said",
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


# Lines of a ResourceManager's log one after the other, and what a reader that follows a log forgets.

BEGINS = ("", "h: ", "2017-11-11 09:00:00,000 ")
LOG_LINES_TIMES = (
    "2017-11-11 09:00:0{},00{} ",
    "2017-11-11 09:00:0{}.00{} ",
    "17/11/11 09:00:0{} ",
    "2017-13-11 09:00:0{},00{} ",
)
MIDDLES = (
    "INFO a.B: ",
    "INFO a.C: ",
    "WARN [x: y] a.B: ",
    "INFO [x] a.B: ",
    "INFO a.B (B.java:f(3)): ",
    "INFO a.B (B.java:f(3)) - ",
    "INFO a.B ",
)
LINES = st.builds(
    lambda begin, time, second, ms, middle, rest: begin + time.format(second, ms) + middle + rest,
    st.sampled_from(BEGINS),
    st.sampled_from(LOG_LINES_TIMES),
    st.integers(0, 1),
    st.integers(0, 1),
    st.sampled_from(MIDDLES),
    st.sampled_from(("x", "x: y", "")),
)


@given(st.lists(LINES, max_size=8))
def test_a_line_says_the_same_whatever_came_before(lines: list[str]) -> None:
    parser = LineParser()

    assert [parser.line(each) for each in lines] == [LineParser().line(each) for each in lines]


@pytest.mark.parametrize(("second", "message"), [(0, "a: b"), (1, "c")])
def test_a_time_is_read_as_utc(second: int, message: str) -> None:
    at_ms = int(datetime(2017, 11, 11, 9, 0, second, tzinfo=UTC).timestamp()) * 1000
    text = f"2017-11-11 09:00:0{second},999 INFO x.y.Z: {message}"

    assert LineParser().line(text) == LogLine(at_ms + 999, "Z", message)


# The cluster of a ResourceManager's log: scheduler, release, settings, sizes of nodes, restarts.

RM = "INFO org.apache.hadoop.yarn.server.resourcemanager"
USING = "ResourceManager: Using Scheduler: org.apache.hadoop.yarn.server.resourcemanager.scheduler"
ACTIVE = "ResourceManager: Transitioning to active state"
FAIR = "scheduler.fair.FairScheduler"
RELEASE = "STARTUP_MSG:   version = "


def line(second: int, words: str) -> str:
    """A line of the log, so many seconds after nine."""
    return f"2017-11-11 09:{second // 60:02d}:{second % 60:02d},000 {RM}.{words}"


def submitted(second: int, queue: str = "root.etl") -> tuple[str, ...]:
    """The lines of an application that was submitted, and has a master and a worker."""
    container = "container_17_0003_01_00000"
    return (
        line(second, "rmapp.RMAppImpl: application_17_0003 State change from NEW to NEW_SAVING"),
        line(second, f"{FAIR}: Accepted application application_17_0003 from user: ann, in queue: {queue}, now"),
        *(
            line(
                second + number,
                f"scheduler.SchedulerNode: Assigned container {container}{number} of capacity <memory:{1024 * number},"
                f" vCores:1> on host n{number}:1, which has 1 containers, <memory:{1024 * number}, vCores:1> used and"
                f" <memory:{20_480 - 1024 * number}, vCores:7> available after allocation",
            )
            for number in (1, 2)
        ),
        line(
            second + 200, f"rmcontainer.RMContainerImpl: {container}2 Container Transitioned from RUNNING to COMPLETED"
        ),
    )


def scenario(*lines: str, policy: str = "") -> tuple[Scenario, ImportReport]:
    applications, report = imported("\n".join(lines))
    return imported_scenario(applications, report, ClusterChoice(policy=policy)), report


@pytest.mark.parametrize(
    ("release", "name", "policy"),
    [
        ("2.6.5", "capacity.CapacityScheduler", "capacity-2.7"),
        ("3.1.1", "capacity.CapacityScheduler", "capacity-3.4"),
        ("2.9.2", "fair.FairScheduler", "fair-2.7"),
        ("3.0.0", "fifo.FifoScheduler", "fifo-3.4"),
    ],
)
def test_the_scheduler_and_its_release_are_those_of_the_log(release: str, name: str, policy: str) -> None:
    """A release that is not simulated is played as the nearest of its major version."""
    found, report = scenario(RELEASE + release, line(0, f"{USING}.{name}"), *submitted(10))

    assert found.scheduler == policy
    assert any(policy in note and name.partition(".")[2] in note and release in note for note in report.notes)


@pytest.mark.parametrize(("said", "release"), [((), "3.1.1"), ((RELEASE + "2.6.5",), "2.6.5")])
def test_a_release_that_no_line_says_is_that_of_the_resource_managers_jar(said: tuple[str, ...], release: str) -> None:
    """In the class path that is printed at a start; what a line says comes first."""
    jars = "/opt/share/yarn/hadoop-yarn-api-2.0.jar:/opt/share/yarn/hadoop-yarn-server-resourcemanager-3.1.1.jar:/etc"
    started = (*said, f"STARTUP_MSG:   classpath = /etc/hadoop:{jars}", line(0, f"{USING}.fair.FairScheduler"))

    assert any(f"FairScheduler {release}" in note for note in scenario(*started, *submitted(10))[1].notes)


def test_a_scheduler_that_the_user_chooses_is_told_apart_from_the_logs() -> None:
    printed = line(
        1,
        "scheduler.capacity.CapacityScheduler: Initialized CapacityScheduler with calculator=class org.a.Dominant,"
        " minimumAllocation=<<memory:512, vCores:1>>, maximumAllocation=<<memory:4096, vCores:6>>, asynchronous",
    )
    lines = (line(0, f"{USING}.capacity.CapacityScheduler"), printed, *submitted(10))
    own, _ = scenario(*lines)
    other, report = scenario(*lines, policy="fair-2.7")

    assert own.scheduler == "capacity-2.7"
    assert own.settings["yarn.scheduler.capacity.resource-calculator"] == "org.a.Dominant"
    assert own.settings["yarn.scheduler.maximum-allocation-mb"] == "4096"
    assert other.settings == {key: value for key, value in own.settings.items() if ".capacity." not in key}
    assert "scheduler fair-2.7, as --set says; the log names CapacityScheduler" in report.notes


def test_restarts_of_the_resource_manager_are_those_of_the_log() -> None:
    found, report = scenario(
        line(0, ACTIVE),
        line(20, "ResourceManager: SHUTDOWN_MSG: "),
        line(25, ACTIVE),
        *submitted(60),
        line(100, "ResourceManager: Transitioning to standby state"),
        line(107, ACTIVE),
        line(107, "ResourceManager: Recovery started"),
        line(137, ACTIVE),
    )

    assert [(act.do, act.at_ms) for act in found.script] == [("rm_restart", 40_000), ("rm_restart", 72_000)]
    assert found.settings["yarn.resourcemanager.recovery.enabled"] == "true"
    assert found.settings["yarn.resourcemanager.work-preserving-recovery.enabled"] == "false"
    assert "the ResourceManager restarts 2 times, as in the log" in report.notes
    assert found.start + timedelta(seconds=40) == found.start.replace(minute=1, second=40)


def test_an_imported_log_plays_in_the_queue_it_ran_in() -> None:
    """The queue `default` is not that of the user, where the log's was not."""
    found, _ = scenario(*submitted(10, "root.default"))
    run = Run(found)
    run.advance(run.now_ms + 60_000)

    assert found.settings["yarn.scheduler.fair.user-as-default-queue"] == "false"
    assert [row.queue for row in run.snapshot().applications()] == ["root.default"]


# Batch tables of Alibaba and Google become jobs; sizes are parts of a machine.

RULES = MappingRules(machine_mb=102_400, machine_vcores=32)


def test_a_job_of_alibaba_asks_for_the_instances_of_each_task_when_it_began() -> None:
    """Jobs by their first tasks; what runs on runs to the end of the table, what waits is dropped."""
    (first, second), report = imported(ALIBABA, rules=RULES)

    assert (first.id, first.submitted_ms, first.state) == ("j_3", 90_000, "Running")
    assert first.tasks == (TraceTasks("container", 1, (100_000,), 256, 3, at_ms=0),)
    assert first.inferred["end"] == TO_END
    assert (second.id, second.submitted_ms, second.finished_ms) == ("j_7", 100_000, 190_000)
    assert second.tasks == (
        TraceTasks("container", 2, (60_000,), 512, 1, at_ms=0),
        TraceTasks("container", 1, (30_000,), 1024, 1, at_ms=60_000),
    )
    assert dict(report.dropped) == {NOT_STARTED: 1}


def test_a_task_of_google_runs_as_long_as_the_run_that_finished() -> None:
    """One that was evicted before is counted; what has not ended runs to the end of the table."""
    (job,), report = imported(GOOGLE, rules=RULES)

    assert (job.id, job.user, job.submitted_ms, job.has_master) == ("1", "ann", 600_000, False)
    assert job.tasks == (TraceTasks("container", 2, (3000, 7000), 3200, 2),)
    assert job.inferred["end"] == "duration of what has not ended: to the last instant of the table"
    assert dict(report.dropped) == {"other runs of tasks (evicted, failed, killed or lost)": 1}
