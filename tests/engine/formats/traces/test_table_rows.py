"""Rows of tables of machines and jobs, field by field: Alibaba's, Google's, openb's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.traces import alibaba, google, openb
from engine.formats.traces.application import TraceApplication, TraceTasks, whole, words
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.tables import Columns, rows
from tests.engine.formats.traces.samples import imported, source

RULES = MappingRules(machine_mb=1000, machine_vcores=10, container_mb=77, container_vcores=3)
PODS = "name,cpu_milli,memory_mib,num_gpu,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("12", 12),
        (" 7 ", 7),
        (3.9, 3),
        ("3.9", 3),
        (-1, None),
        ("", None),
        ("x", None),
        (None, None),
        (True, None),
        ([], None),
        ("1" * 19, None),
        (2**53, 2**53),
        (2**53 + 1, None),
        (float("inf"), None),
        ("1e3", 1000),
        ("nan", None),
        ("-0.5", None),
    ],
)
def test_a_number_of_a_trace_is_a_whole_one(text: object, found: int | None) -> None:
    assert whole(text) == found


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-50, 50))
def test_a_number_lies_within_its_bounds(value: int, least: int, most: int) -> None:
    assert whole(str(value), least, most) == whole(value, least, most) == (value if least <= value <= most else None)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (" a\n\tb ", "a b"),
        (7, "7"),
        (2**63 - 1, "9223372036854775807"),
        (2**63, ""),
        (True, ""),
        (None, ""),
        (1.5, ""),
        ("x" * 201, "x" * 200),
    ],
)
def test_a_text_of_a_trace_is_one_line_of_bounded_length(value: object, found: str) -> None:
    assert words(value) == found


@pytest.mark.parametrize(
    ("text", "order", "found"),
    [
        ("a,b\n1, 2\n", (), [(2, {"a": "1", "b": "2"})]),
        ("A_a,b-B\n1,2,3\n", (), [(2, {"aa": "1", "bb": "2"})]),
        ("1,2\n3\n", ("a", "b"), [(1, {"a": "1", "b": "2"}), (2, {"a": "3"})]),
        ("b,a\n1,2\n", ("a", "b"), [(2, {"b": "1", "a": "2"})]),
        ("b,x\n1,2\n", ("a", "b"), [(1, {"a": "b", "b": "x"}), (2, {"a": "1", "b": "2"})]),
        ("b,a,x\n1,2\n", ("a", "b"), [(2, {"b": "1", "a": "2"})]),
        ('a,b\n"1,5",2\n', (), [(2, {"a": "1,5", "b": "2"})]),
        ('a,b\n"1"\n', (), [(2, {"a": "1"})]),
    ],
)
def test_columns_are_found_by_the_first_line_or_stand_in_order(
    text: str, order: tuple[str, ...], found: list[tuple[int, dict[str, str]]]
) -> None:
    assert list(rows(source(text), Columns(order))) == found


def pods(*lines: str) -> tuple[list[TraceApplication], dict[str, int], int]:
    found, report = imported(PODS + "\n".join(lines), "openb", MappingRules(duration_ms=5_000))
    return found, dict(report.dropped), report.faults


@pytest.mark.parametrize(
    ("line", "tasks", "rules"),
    [
        ("p,1000,1,0,,x,50,100,", (50_000, 1), {"duration": openb.LIFE}),
        ("p,999,0,0,,x,50,,60", (5_000, 1), {"duration": "a task runs 5 s"}),
        ("p,0,1,0,,x,,100,60", (5_000, 1), {"arrival": openb.AT_ONCE, "duration": "a task runs 5 s"}),
        ("p,2000,1,0,,x,50,60,60", None, {}),
        ("p,2000,1,0,,x,50,61,60", (1_000, 2), {}),
    ],
)
def test_how_long_a_pod_runs_is_known_or_inferred(
    line: str, tasks: tuple[int, int] | None, rules: dict[str, str]
) -> None:
    (pod,), _, _ = pods(line)

    assert [(each.durations_ms[0], each.vcores) for each in pod.tasks] == ([tasks] if tasks else [])
    assert pod.inferred == {"containers": openb.ONE, "user": openb.USER, **rules}
    assert (pod.queue, [each.memory_mb for each in pod.tasks]) == (None, [1] if tasks else [])


def tasks_of(*lines: str) -> tuple[list[TraceApplication], dict[str, int], int]:
    found, report = imported("\n".join(lines) + "\n", "alibaba", RULES)
    assert report.machine_size == (1000, 10)
    return found, dict(report.dropped), report.faults


def test_a_job_of_alibaba_is_its_tasks_by_when_they_began() -> None:
    (job,), dropped, faults = tasks_of(
        "R2,1,j_1,1,Failed,160,190,101.0,0.11",
        "M1,3,j_1,1,Terminated,100,100,100.0,100.0",
        "x,1,j_1,1,Terminated,100,170,,",
    )

    assert (dropped, faults) == ({}, 0)
    assert job == TraceApplication(
        id="j_1",
        name="j_1",
        submitted_ms=100_000,
        finished_ms=190_000,
        tasks=(
            TraceTasks("container", 3, (1_000,), 1000, 1, at_ms=0),
            TraceTasks("container", 1, (70_000,), 77, 3, at_ms=0),
            TraceTasks("container", 1, (30_000,), 2, 2, at_ms=60_000),
        ),
        state="Failed",
        has_master=False,
        inferred={
            "arrival": alibaba.AT,
            "duration": alibaba.EACH,
            "memory and vcores": RULES.machine_rule,
        },
    )


@pytest.mark.parametrize(
    ("line", "dropped", "faults"),
    [
        ("a,1,j_1,1,Waiting,100,0,100,1", {alibaba.NOT_STARTED: 1}, 0),
        ("a,1,j_1,1,Ready,100,0,100,1", {alibaba.NOT_STARTED: 1}, 0),
        ("a,1,j_1,1,Running,0,0,100,1", {alibaba.NOT_STARTED: 1}, 0),
        ("a,1,j_1,1,Running,100,99,100,1", {alibaba.BACKWARDS: 1}, 0),
        ("a,0,j_1,1,Running,100,120,100,1", {}, 1),
        ("a,10000001,j_1,1,Running,100,120,100,1", {}, 1),
        ("a,1,,1,Running,100,120,100,1", {}, 1),
    ],
)
def test_tasks_of_alibaba_that_cannot_be_are_left_out(line: str, dropped: dict[str, int], faults: int) -> None:
    assert tasks_of("a,1,j_9,1,Running,100,120,100,1", line)[1:] == (dropped, faults)


def event(at_us: int, kind: int, task: int = 0, job: int = 1, size: str = "0.25,0.1") -> str:
    return f"{at_us},,{job},{task},,{kind},ann,2,9,{size},0.1,0"


def events(*lines: str) -> tuple[list[TraceApplication], dict[str, int], int]:
    found, report = imported("\n".join(lines) + "\n", "google", RULES)
    assert (report.machine_size, list(report.notes)) == ((1000, 10), [google.NO_CLASSES])
    return found, dict(report.dropped), report.faults


def test_a_job_of_google_is_its_tasks_by_size_and_instant() -> None:
    (job,), dropped, faults = events(
        event(600_000_000, 0),
        event(600_000_999, 0, 1),
        event(601_000_000, 0, 2, size=","),
        event(602_000_000, 1),
        event(602_000_000, 1, 1),
        event(602_000_000, 1, 2),
        event(603_500_000, 4),
        event(604_000_000, 4, 1),
        event(605_000_000, 5, 2),
    )

    assert (dropped, faults) == ({}, 0)
    assert job == TraceApplication(
        id="1",
        name="1",
        submitted_ms=600_000,
        finished_ms=605_000,
        tasks=(
            TraceTasks("container", 2, (1_500, 2_000), 100, 3, at_ms=0),
            TraceTasks("container", 1, (3_000,), 77, 3, at_ms=1_000),
        ),
        user="ann",
        state="KILLED",
        has_master=False,
        inferred={"duration": google.RUN, "memory and vcores": RULES.machine_rule},
    )


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ("x,,1,0,,0,ann,2,9,,,,", 1),
        ("1,,,0,,0,ann,2,9,,,,", 1),
        ("1,,1,,,0,ann,2,9,,,,", 1),
        ("1,,1,0,,9,ann,2,9,,,,", 1),
        (f"{2**62},,1,0,,0,ann,2,9,,,,", 0),
    ],
)
def test_events_of_google_that_cannot_be_are_faults(line: str, faults: int) -> None:
    found, _, found_faults = events(event(5_000_000, 0, 0, 7), line)

    assert ([each.id for each in found], found_faults) == (["7"], faults)
