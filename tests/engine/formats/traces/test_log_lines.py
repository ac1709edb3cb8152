"""Lines of a ResourceManager's log one after the other, and what a reader that follows a log forgets."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.traces.rm_log_lines import LineParser, LogLine
from engine.formats.traces.rm_log_messages import take
from engine.formats.traces.rm_log_reader import TimelineReader
from engine.formats.traces.rm_timeline import LogApplication, LogContainer, LogNode, LogReservation

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
    parser = LineParser()

    assert [parser.line(each) for each in lines] == [LineParser().line(each) for each in lines]


@pytest.mark.parametrize(("second", "message"), [(0, "a: b"), (1, "c")])
def test_a_time_is_read_as_utc(second: int, message: str) -> None:
    at_ms = int(datetime(2017, 11, 11, 9, 0, second, tzinfo=UTC).timestamp()) * 1000
    text = f"2017-11-11 09:00:0{second},999 INFO x.y.Z: {message}"

    assert LineParser().line(text) == LogLine(at_ms + 999, "Z", message)


def reader(*messages: tuple[str, str]) -> TimelineReader:
    """A reader that took (class, message) a second apart, from second 1 on."""
    made = TimelineReader()
    for number, (name, message) in enumerate(messages, 1):
        take(made, LogLine(number * 1000, name, message))
    return made


ON_N = "of capacity <memory:5, vCores:1> on host n:1,"


def test_a_reader_that_follows_a_log_keeps_what_has_not_ended() -> None:
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


@pytest.mark.parametrize(
    ("fields", "submitted", "finished"),
    [
        ("startTime=0,finishTime=0", 1000, 2000),
        ("startTime=1,finishTime=x", 1, 2000),
        ("startTime=,finishTime=2001", 1000, 2001),
    ],
)
def test_a_summary_has_instants_where_it_says_any(fields: str, submitted: int, finished: int) -> None:
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
