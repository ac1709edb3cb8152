"""Lines of a ResourceManager's log one after the other, and what a reader that follows a log forgets."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.traces.application import TraceTasks
from engine.formats.traces.resource_manager_log import read_rm_logs
from engine.formats.traces.rm_log_lines import LineParser, LogLine, container_id, summary_fields
from engine.formats.traces.rm_log_messages import take
from engine.formats.traces.rm_log_reader import TimelineReader
from engine.formats.traces.rm_timeline import LogApplication, LogContainer, LogNode, LogReservation
from engine.formats.traces.rules import MappingRules
from tests.engine.formats.traces.samples import source

APP, OTHER = "application_17_0001", "application_17_0002"
FIRST, WORKER, ELSE = (f"container_17_{number}" for number in ("0001_01_000001", "0001_01_000002", "0002_01_000002"))
BEGINS = ("", "h: ", "2017-11-11 09:00:00,000 ")
TIMES = (
    "2017-11-11 09:00:0{},00{} ",
    "2017-11-11 09:00:0{}.00{} ",
    "17/11/11 09:00:0{} ",
    "2017-13-11 09:00:0{},00{} ",
)
MIDDLES = ("INFO a.B: ", "INFO a.C: ", "WARN [x: y] a.B: ", "INFO [x] a.B: ", "INFO a.B (B.java:f(3)): ", "INFO a.B ")
LINES = st.builds(
    lambda begin, time, second, ms, middle, rest: begin + time.format(second, ms) + middle + rest,
    st.sampled_from(BEGINS),
    st.sampled_from(TIMES),
    st.integers(0, 1),
    st.integers(0, 1),
    st.sampled_from(MIDDLES),
    st.sampled_from(("x", "x: y", "")),
)


@given(st.lists(LINES, max_size=8))
def test_a_line_says_the_same_whatever_came_before(lines: list[str]) -> None:
    """Seconds and classes that come again are recognised by their beginnings alone."""
    parser = LineParser()

    assert [parser.line(each) for each in lines] == [LineParser().line(each) for each in lines]


def test_what_follows_the_time_of_a_line_behind_something_else_is_not_recognised_again() -> None:
    """Only lines that begin with their time are alike."""
    parser = LineParser()

    assert parser.line("h: 2017-11-11 09:00:00,000 INFO a.B: x") is not None
    assert parser.line("2017-11-11 09:00:00,000000 INFO a.B: x") is None


@pytest.mark.parametrize(("second", "message"), [(0, "a: b"), (1, "c")])
def test_a_time_is_read_as_utc(second: int, message: str) -> None:
    """Whatever the zone of the machine."""
    at_ms = int(datetime(2017, 11, 11, 9, 0, second, tzinfo=UTC).timestamp()) * 1000
    text = f"2017-11-11 09:00:0{second},999 INFO x.y.Z: {message}"

    assert LineParser().line(text) == LogLine(at_ms + 999, "Z", message)


def test_what_stands_before_a_line_and_its_message_are_bounded() -> None:
    """Two thousand characters of a line that begins with something else."""
    head = "17/11/11 09:00:00 INFO a.B: "
    found = LineParser().line("h " + head + "x" * 3000)

    assert found is not None
    assert len(found.message) == 2000 - len("h " + head)
    assert LineParser().line("h" * 1990 + head) is None


@pytest.mark.parametrize("level", ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL", "OTHER"])
def test_a_line_has_a_level(level: str) -> None:
    """One of log4j's; anything else is no line."""
    assert (LineParser().line(f"17/11/11 09:00:00 {level}  a.B: x") is None) == (level == "OTHER")


def test_numbers_of_a_container_have_nine_digits() -> None:
    """The rest is cut off."""
    assert container_id("container_17_1234567891_1234567892_1234567893") == (123_456_789,) * 3


def test_a_summary_has_escaped_characters() -> None:
    """A comma or a backslash within a value; a field without a value is empty."""
    assert summary_fields(r"appId=a,name=x\,y\\z,queue=,user=ann") == {
        "appId": "a",
        "name": "x,y\\z",
        "queue": "",
        "user": "ann",
    }


def reader(*messages: tuple[str, str]) -> TimelineReader:
    """A reader that took (class, message) a second apart, from second 1 on."""
    made = TimelineReader()
    for number, (name, message) in enumerate(messages, 1):
        take(made, LogLine(number * 1000, name, message))
    return made


ON_N = "of capacity <memory:5, vCores:1> on host n:1,"


def test_a_reader_that_follows_a_log_keeps_what_has_not_ended() -> None:
    """With the last state of each, and the last start and stop."""
    one = reader(
        ("ResourceManager", "Transitioning to active state"),
        ("ResourceManager", "Transitioning to standby state"),
        ("ResourceManager", "Using Scheduler: a.b.FairScheduler"),
        ("RMNodeImpl", "n:1 Node Transitioned from NEW to RUNNING"),
        ("RMNodeImpl", "n:1 Node Transitioned from RUNNING to UNHEALTHY"),
        ("RMAppImpl", f"{APP} State change from NEW to ACCEPTED"),
        ("RMAppImpl", f"{APP} State change from ACCEPTED to RUNNING"),
        ("RMAppImpl", f"{OTHER} State change from NEW to KILLED"),
        ("SchedulerNode", f"Assigned container {FIRST} {ON_N}"),
        ("SchedulerNode", f"Assigned container {WORKER} {ON_N}"),
        ("SchedulerNode", f"Released container {FIRST} of capacity "),
        ("FSAppAttempt", f"Making reservation: node=n app_id={APP}"),
        ("FSAppAttempt", f"Preempting container {WORKER}"),
        ("ResourceManager", "SHUTDOWN_MSG"),
    )
    one.forget_ended()
    found = one.timeline

    assert found.applications == {APP: LogApplication(APP, 6000, 6000, states=[(7000, "RUNNING")], registered_ms=7000)}
    assert found.containers == {WORKER: LogContainer(WORKER, APP, 10_000, "n:1", 5, 1, preempted_ms=13_000)}
    assert found.nodes == {"n:1": LogNode("n:1", states=[(5000, "UNHEALTHY")])}
    assert found.reservations == [LogReservation(APP, "n:1", 12_000)]
    assert (found.preemptions, found.starts_ms, found.stops_ms) == ([], [3000], [14_000])
    assert (found.begin_ms, found.end_ms, found.scheduler) == (1000, 14_000, "FairScheduler")


def test_a_host_gets_its_port_when_a_line_names_it() -> None:
    """Containers and racks follow; a host that is named again stays what it is."""
    one = reader(
        ("RackResolver", "Resolved n to /r1"),
        ("SchedulerNode", f"Assigned container {FIRST} of capacity <memory:5, vCores:1> on host n,"),
        ("SchedulerNode", f"Assigned container {ELSE} of capacity <memory:5, vCores:1> on host m,"),
        ("RMNodeImpl", "n:1 Node Transitioned from NEW to RUNNING"),
        ("RMNodeImpl", "n Node Transitioned from RUNNING to LOST"),
        ("RackResolver", "Resolved m to /r2"),
    )

    assert one.timeline.nodes == {
        "m": LogNode("m", "/r2"),
        "n:1": LogNode("n:1", "/r1", states=[(4000, "RUNNING"), (5000, "LOST")]),
    }
    assert [each.node for each in one.timeline.containers.values()] == ["n:1", "m"]


def test_a_node_is_as_large_as_what_is_used_and_left() -> None:
    """Where no line has said; a change of its size is one."""
    room = "which has 1 containers, <memory:5, vCores:1> used and <memory:7, vCores:2> available"
    one = reader(
        ("SchedulerNode", f"Assigned container {FIRST} {ON_N} {room}"),
        ("SchedulerNode", f"Assigned container {WORKER} {ON_N} {room.replace('7', '9')}"),
    )
    assert one.timeline.nodes == {"n:1": LogNode("n:1", None, 12, 3)}

    update = "Update resource on node: n:1 from: <memory:12, vCores:3>, to: <memory:20, vCores:4>"
    take(one, LogLine(3000, "AbstractYarnScheduler", update))
    assert one.timeline.nodes == {"n:1": LogNode("n:1", None, 20, 4)}


@pytest.mark.parametrize(
    ("fields", "submitted", "finished"),
    [
        ("startTime=0,finishTime=0", 1000, 2000),
        ("startTime=1,finishTime=x", 1, 2000),
        ("startTime=,finishTime=2001", 1000, 2001),
    ],
)
def test_a_summary_has_instants_where_it_says_any(fields: str, submitted: int, finished: int) -> None:
    """Else they are those of the lines."""
    one = reader(
        ("RMAppImpl", f"{APP} State change from NEW to ACCEPTED"),
        ("RMAppManager$ApplicationSummary", f"appId={APP},name=n,user=ann,queue=q,{fields},vcoreSeconds=4"),
    )

    assert one.timeline.applications == {
        APP: LogApplication(
            APP,
            1000,
            submitted,
            "ann",
            "q",
            name="n",
            states=[(1000, "ACCEPTED")],
            finished_ms=finished,
            vcore_seconds=4,
        )
    }


def test_the_first_line_that_says_the_size_of_a_container_counts() -> None:
    """The audit log has none, or another one; that of a node holds."""
    audit = "USER=x OPERATION=AM Allocated Container RESULT=SUCCESS CONTAINERID={} RESOURCE=<memory:9, vCores:9>"
    one = reader(
        ("SchedulerNode", f"Assigned container {WORKER} {ON_N}"),
        ("RMAuditLogger", audit.format(WORKER)),
        ("RMAuditLogger", audit.format(FIRST).partition(" RESOURCE")[0]),
        ("RMAuditLogger", audit.format(FIRST)),
    )

    assert one.timeline.containers == {
        WORKER: LogContainer(WORKER, APP, 1000, "n:1", 5, 1),
        FIRST: LogContainer(FIRST, APP, 3000, None, 9, 9, True),
    }


@pytest.mark.parametrize(("resource", "master"), [("", None), (" RESOURCE=<memory:9, vCores:2>", (9, 2))])
def test_a_master_has_the_size_that_a_line_says(resource: str, master: tuple[int, int] | None) -> None:
    """That of a worker is not its."""
    lines = (
        f"SchedulerNode: Assigned container {WORKER} {ON_N}",
        f"RMAuditLogger: USER=x OPERATION=AM Allocated Container RESULT=SUCCESS CONTAINERID={FIRST}{resource}",
    )
    text = "\n".join(f"2017-11-11 09:00:0{second},000 INFO a.{each}" for second, each in enumerate(lines))
    (found,) = read_rm_logs([source(text)], MappingRules())

    assert (found.master, found.tasks) == (master, (TraceTasks("container", 1, (1000,), 5, 1),))
