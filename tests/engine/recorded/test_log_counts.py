"""What happened in a log as records, and its counts as a history."""

from typing import Any

import pytest

from engine.control_plane.protocol import NodeJoined, NodeLost, ResourceManagerStarted
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed, Reserved, Unreserved, Warned
from engine.observe.history import YARN
from engine.recorded.log_facts import LogFacts
from engine.recorded.log_history import changes_of, readings_of
from engine.recorded.log_records import LogRecords
from engine.simulation.records import Submitted
from tests.engine.recorded.timelines import app, container, held, node, timeline

PARTS: list[Any] = [
    app(1, (20, "ACCEPTED"), (30, "RUNNING"), submitted_ms=10, user="ann", name="job", type="TEZ", queue="q"),
    app(2, (90, "FINISHED"), finished_ms=90),
    node("n1:1", (15, "NEW"), (70, "LOST"), (80, "RUNNING"), rack="/r"),
    container(1, 30, 60),
    container(2, 40, 65, end="KILLED", preempted_ms=50, memory_mb=None, vcores=None),
    container(3, 41, 66, of=2, end="KILLED", node=None),
    container(4, 42, 67, end="STOPPED"),
    container(5, 43, 68, end="RELEASED"),
    container(6, 44, 69, end="EXPIRED"),
    container(7, 45, end=""),
    held(55, 57, container="container_7_0001_01_000008"),
    held(56, 58, node=None, memory_mb=None, vcores=None, end="ALLOCATED"),
    held(59),
]


def test_what_happened_is_told_in_order_of_time() -> None:
    """In the words of a simulation."""
    found = LogRecords(LogFacts(timeline(*PARTS, starts_ms=[5]))).until(1_000, 100)
    one, size = (1, 1, 1), (100, 1)

    def key(number: int, of: int = 1) -> tuple[int, int, int]:
        return (of, 1, number)

    assert [(each.time_ms, each.record) for each in found] == [
        (5, ResourceManagerStarted()),
        (10, Submitted(1, "job", "ann", "q", "TEZ")),
        (10, ApplicationTransitioned(1, "SUBMITTED", "q")),
        (10, ApplicationTransitioned(2, "RUNNING", "")),
        (15, NodeJoined("n1:1", "/r", 1000, 8)),
        (20, ApplicationTransitioned(1, "ACCEPTED", "q")),
        (30, ApplicationTransitioned(1, "RUNNING", "q")),
        (30, Allocated(one, "n1:1", 0, *size)),
        (40, Allocated(key(2), "n1:1", 0, 0, 0)),
        (41, Allocated(key(3, 2), "", 0, *size)),
        (42, Allocated(key(4), "n1:1", 0, *size)),
        (43, Allocated(key(5), "n1:1", 0, *size)),
        (44, Allocated(key(6), "n1:1", 0, *size)),
        (45, Allocated(key(7), "n1:1", 0, *size)),
        (50, Warned(key(2), "n1:1", "q", 0)),
        (55, Reserved(key(8), "n1:1", 0, 300, 2)),
        (56, Reserved((1, 1, 0), "", 0, 0, 0)),
        (57, Unreserved(key(8), "n1:1", 0, 300, 2)),
        (59, Reserved((1, 1, 0), "n1:1", 0, 300, 2)),
        (60, Completed(one, "n1:1", 0)),
        (65, Killed(key(2), "n1:1", "PREEMPTED")),
        (66, Killed(key(3, 2), "", "APPLICATION_ENDED")),
        (67, Killed(key(4), "n1:1", "LOST")),
        (68, Killed(key(5), "n1:1", "RELEASED")),
        (69, Killed(key(6), "n1:1", "EXPIRED")),
        (70, NodeLost("n1:1", "LOST")),
        (80, NodeJoined("n1:1", "/r", 1000, 8)),
        (90, ApplicationTransitioned(2, "FINISHED", "")),
    ]
    assert [each.number for each in found] == list(range(len(found)))


@pytest.mark.parametrize(
    ("time_ms", "most", "times"), [(20, 9, [10, 10, 10, 15, 20]), (19, 2, [10, 15]), (9, 9, []), (10, 1, [10])]
)
def test_the_latest_records_up_to_an_instant_are_given(time_ms: int, most: int, times: list[int]) -> None:
    """So many of them, oldest first."""
    records = LogRecords(LogFacts(timeline(*PARTS)))

    assert [each.time_ms for each in records.until(time_ms, most)] == times


def test_a_submission_without_a_name_has_its_id() -> None:
    """Nor a user."""
    (first, _) = LogRecords(LogFacts(timeline(app(3, submitted_ms=4)))).until(9, 9)

    assert first.record == Submitted(3, "application_7_0003", "", "", "")


def test_counts_grow_and_shrink_with_what_happens() -> None:
    """Instant by instant, with the memory of queues; containers move with their application."""
    parts: list[Any] = [
        app(1, (20, "RUNNING"), (80, "FINISHED"), queues=[(10, "a"), (50, "b"), (70, "c")], queue="c", finished_ms=80),
        node("n1:1", (5, "RUNNING"), (90, "LOST")),
        container(1, 30, 60),
        container(2, 40, 70, preempted_ms=69, memory_mb=7, vcores=None),
        container(3, 55, memory_mb=9),
        held(35, 45),
        held(36, 46, node=None),
    ]
    found = [
        (time_ms, {name: value for name, value in zip(YARN, reading, strict=True) if value}, queues)
        for time_ms, reading, queues in readings_of(changes_of(LogFacts(timeline(*parts))))
    ]
    up = {"total_memory_mb": 1000, "total_vcores": 8, "nodes": 1}
    runs = {**up, "applications_running": 1}

    def used(memory_mb: int, vcores: int, containers: int, allocated: int, **more: int) -> dict[str, int]:
        some = {"used_memory_mb": memory_mb, "used_vcores": vcores, "containers": containers}
        return {**runs, **some, "allocated_containers": allocated, **more}

    last = used(9, 1, 1, 3, preempted_containers=1)
    assert found == [
        (5, up, {}),
        (10, {**up, "applications_pending": 1}, {}),
        (20, runs, {}),
        (30, used(100, 1, 1, 1), {"a": 100}),
        (35, used(100, 1, 1, 1, reservations=1, reserved_memory_mb=300), {}),
        (40, used(107, 1, 2, 2, reservations=1, reserved_memory_mb=300), {"a": 107}),
        (45, used(107, 1, 2, 2), {}),
        (50, used(107, 1, 2, 2), {"a": 0, "b": 107}),
        (55, used(116, 2, 3, 3), {"b": 116}),
        (60, used(16, 1, 2, 3), {"b": 16}),
        (70, last, {"b": 0, "c": 9}),
        (80, {name: value for name, value in last.items() if name != "applications_running"}, {}),
        (90, {name: value for name, value in last.items() if name not in runs}, {}),
    ]
