"""Jobs of batch systems field by field: SWF in its forms, Slurm's accounting."""

import pytest

from engine.formats.traces import sacct
from engine.formats.traces.application import TraceApplication, TraceTasks
from engine.formats.traces.report import BatchMachine
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.swf import MAX_PROCESSORS, PROPORTIONAL, QUEUE, tasks_of
from tests.engine.formats.traces.samples import imported, one

RULES = MappingRules(container_mb=100)
FIELDS = {
    "job": 1,
    "submit": 10,
    "wait": 5,
    "run": 60,
    "used": 4,
    "cpu": -1,
    "used_memory": -1,
    "asked": 8,
    "asked_s": 100,
    "asked_memory": -1,
    "status": 1,
    "user": 7,
    "group": 1,
    "executable": -1,
    "queue": 2,
    "partition": 3,
    "preceding": -1,
    "think": -1,
}


def line(**changes: object) -> str:
    """A job of 18 numbers."""
    return " ".join(str(each) for each in {**FIELDS, **changes}.values())


def test_a_job_is_one_container_of_all_its_processors() -> None:
    """Field by field."""
    assert one(f"; UnixStartTime: 1000\n{line()}", RULES) == TraceApplication(
        id="1",
        submitted_ms=1_010_000,
        finished_ms=1_075_000,
        tasks=(TraceTasks("container", 1, (60_000,), 400, 4),),
        behaviour="containers",
        user="user7",
        queue="q2",
        state="SUCCEEDED",
        has_master=False,
        inferred={"containers": RULES.processor_rule, "memory": PROPORTIONAL, "queue": QUEUE},
    )


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"used": -1}, ((8, 800), 75_000)),
        ({"used": 1}, ((1, 100), 75_000)),
        ({"used": 0, "asked": 0}, (None, None)),
        ({"run": 0}, (None, None)),
        ({"run": -1}, (None, None)),
        ({"run": 1, "wait": -1}, ((4, 400), 11_000)),
        ({"used": MAX_PROCESSORS + 1}, ((MAX_PROCESSORS, 100 * MAX_PROCESSORS), 75_000)),
    ],
)
def test_what_runs_is_processors_for_a_time(
    changes: dict[str, object], found: tuple[tuple[int, int] | None, int | None]
) -> None:
    """Used ones, else those asked for; a job that did not run has none."""
    (job,), _ = imported(line(**changes), rules=RULES)
    size, finished_ms = found

    assert [(tasks.vcores, tasks.memory_mb) for tasks in job.tasks] == ([size] if size else [])
    assert job.finished_ms == finished_ms


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"user": -1}, (None, "q2")),
        ({"user": 0}, ("user0", "q2")),
        ({"queue": -1}, ("user7", "p3")),
        ({"queue": 0}, ("user7", "q0")),
        ({"queue": -1, "partition": 0}, ("user7", "p0")),
        ({"queue": -1, "partition": -1}, ("user7", None)),
    ],
)
def test_users_and_queues_have_numbers(changes: dict[str, object], found: tuple[str | None, str | None]) -> None:
    """Without a queue it is the partition."""
    job = one(line(**changes))

    assert (job.user, job.queue) == found


@pytest.mark.parametrize(("status", "state"), [(0, "FAILED"), (1, "SUCCEEDED"), (5, "KILLED"), (-1, ""), (4, "")])
def test_each_status_has_its_state(status: int, state: str) -> None:
    """Of those that say one."""
    assert one(line(status=status)).state == state


@pytest.mark.parametrize(
    ("changes", "memory_mb"),
    [
        ({"asked_memory": 2048}, 2),
        ({"asked_memory": 1536}, 2),
        ({"asked_memory": 1535}, 1),
        ({"asked_memory": 1}, 1),
        ({"used_memory": 3072}, 3),
        ({"asked_memory": 1024, "used_memory": 3072}, 1),
        ({}, 100),
    ],
)
def test_memory_is_of_each_processor_where_they_are_containers(changes: dict[str, object], memory_mb: int) -> None:
    """Asked for, else used [KB]; unknown it is that of a container."""
    job = one(line(**changes), MappingRules(container_mb=100, processors=1))

    assert job.tasks == (TraceTasks("container", 4, (60_000,), memory_mb, 1),)
    assert job.inferred.get("memory") == (None if changes else "100 MB for each processor")


@pytest.mark.parametrize(
    ("processors", "most", "found"),
    [
        (4, None, [(1, 4)]),
        (4, 1, [(4, 1)]),
        (4, 4, [(1, 4)]),
        (4, 5, [(1, 4)]),
        (7, 3, [(2, 3), (1, 1)]),
        (6, 3, [(2, 3)]),
    ],
)
def test_containers_have_so_many_processors_at_most(
    processors: int, most: int | None, found: list[tuple[int, int]]
) -> None:
    """And one has what is left."""
    tasks = list(tasks_of(processors, 9, 10, MappingRules(processors=most)))

    assert tasks == [TraceTasks("container", count, (9,), 10 * size, size) for count, size in found]


@pytest.mark.parametrize(
    ("head", "machine", "notes"),
    [
        ("; MaxProcs: 32", BatchMachine(32, True), ["the log says MaxProcs: 32"]),
        (";MaxNodes: 8", BatchMachine(8, True), ["the log says MaxNodes: 8"]),
        ("; MaxProcs: 0", BatchMachine(7, False, True), []),
        (f"; MaxProcs: {MAX_PROCESSORS + 1}", BatchMachine(7, False, True), []),
        (
            f"; MaxProcs: {MAX_PROCESSORS}",
            BatchMachine(MAX_PROCESSORS, True),
            [f"the log says MaxProcs: {MAX_PROCESSORS}"],
        ),
        ("; Other: 9", BatchMachine(7, False, True), []),
    ],
)
def test_the_machine_is_that_of_the_header_else_what_was_busy_at_once(
    head: str, machine: BatchMachine, notes: list[str]
) -> None:
    """Within its bounds."""
    _, report = imported(f"; Version: 2.2\n{head}\n{line()}\n{line(job=2, used=3)}")

    assert (report.machine, list(report.notes)) == (machine, notes)


@pytest.mark.parametrize(
    ("lines", "found", "dropped"),
    [
        ([line(status=1), line(status=2), line(status=4)], 1, 2),
        ([line(status=2), line(status=3)], 1, 1),
        ([line(status=1), line(status=1)], 2, 0),
        ([line(status=5), line(job=2, status=2)], 2, 0),
    ],
)
def test_parts_of_a_job_are_left_out_beside_the_whole(lines: list[str], found: int, dropped: int) -> None:
    """One after it."""
    jobs, report = imported("\n".join(lines), "swf")

    assert (len(jobs), sum(report.dropped.values())) == (found, dropped)


@pytest.mark.parametrize(("preceding", "noted"), [(-1, False), (0, False), (1, True)])
def test_a_job_that_waits_for_another_is_noted(preceding: int, *, noted: bool) -> None:
    """It is submitted when the log says."""
    assert bool(imported(line(preceding=preceding))[1].notes) == noted


@pytest.mark.parametrize("text", ["1 2 3", f"x {line()}", line(submit="x"), line(job="-2")])
def test_a_line_that_is_no_job_is_a_fault(text: str) -> None:
    """Of 18 numbers, of which the first two are needed."""
    found, report = imported(f"{line()}\n{text}", "swf")

    assert [problem.line for problem in report.problems] == [2]
    assert report.problems[0].message == "a job has 18 numbers"
    assert len(found) == 1


def test_a_number_that_is_none_is_unknown() -> None:
    """But of the first two."""
    (job,), _ = imported(line(user="x", queue="x", partition="x"), "swf")

    assert (job.user, job.queue) == (None, None)


SLURM = "JobID|JobName|User|Partition|Submit|Start|End|Elapsed|AllocCPUS|State"


def slurm(*cells: str, names: str = SLURM) -> tuple[list[TraceApplication], dict[str, int], int]:
    """Jobs of a table, what is dropped, and faults."""
    found, report = imported("\n".join([names, *cells]) + "\n", "sacct", RULES)
    assert list(report.notes) == [sacct.LOCAL]
    return found, dict(report.dropped), report.faults


def test_a_job_of_slurm_is_taken_as_one_of_a_log() -> None:
    """Field by field; its times are taken as UTC."""
    text = "7|sort|ann|long|2024-01-02T00:00:00|2024-01-02T00:00:10|2024-01-02T01:00:10|01:00:00|3|CANCELLED by 0"
    (job,), dropped, faults = slurm(text, "7.batch|b|||2024-01-02T00:00:00|||01:00:00|3|x")

    assert (dropped, faults) == ({sacct.STEP: 1}, 0)
    assert job == TraceApplication(
        id="7",
        name="sort",
        submitted_ms=1_704_153_600_000,
        finished_ms=1_704_157_210_000,
        tasks=(TraceTasks("container", 1, (3_600_000,), 300, 3),),
        behaviour="containers",
        user="ann",
        queue="long",
        state="CANCELLED",
        has_master=False,
        inferred={"containers": RULES.processor_rule, "memory": PROPORTIONAL},
    )


@pytest.mark.parametrize(
    ("elapsed", "start", "end", "run_ms"),
    [
        ("00:00:01", "x", "x", 1_000),
        ("1-02:03:04", "x", "x", ((26 * 60 + 3) * 60 + 4) * 1_000),
        ("x", "2024-01-02T00:00:00", "2024-01-02T00:00:07", 7_000),
        ("", "1700000000", "1700000009", 9_000),
        ("x", "2024-01-02T00:00:00", "Unknown", None),
        ("x", "Unknown", "2024-01-02T00:00:00", None),
        ("00:00:00", "x", "x", None),
    ],
)
def test_how_long_a_job_ran_is_said_or_between_its_start_and_its_end(
    elapsed: str, start: str, end: str, run_ms: int | None
) -> None:
    """One that did not run has nothing to run."""
    (job,), _, _ = slurm(f"7|1700000000|{start}|{end}|{elapsed}|1", names="JobID|Submit|Start|End|Elapsed|NCPUS")

    assert [tasks.durations_ms for tasks in job.tasks] == ([(run_ms,)] if run_ms else [])


@pytest.mark.parametrize(
    ("names", "cells", "processors"),
    [
        ("AllocCPUS|NCPUS|ReqCPUS", "0|2|3", 2),
        ("AllocCPUS|NCPUS|ReqCPUS", "||3", 3),
        ("ReqCPUS|AllocTRES", "0|billing=9,cpu=5,mem=8G", 5),
        ("AllocTRES|ReqTRES", "mem=8G|cpu=6", 6),
        ("AllocTRES|ReqTRES", "xcpu=8|cpu=0", 0),
    ],
)
def test_processors_are_those_of_the_first_column_that_says_any(names: str, cells: str, processors: int) -> None:
    """Else of all resources."""
    (job,), _, _ = slurm(f"7|1700000000|00:00:09|{cells}", names=f"JobID|Submit|Elapsed|{names}")

    assert [tasks.vcores for tasks in job.tasks] == ([processors] if processors else [])


def test_raw_columns_are_read_too() -> None:
    """Seconds, and an id without an array; the start where there is no submission."""
    names = "JobIDRaw|Start|ElapsedRaw|NCPUS"
    found, _, faults = slurm("8|170000000|7|2", "9|Unknown|7|2", "|1700000000|7|2", names=names)

    assert [(job.id, job.submitted_ms, job.tasks[0].durations_ms) for job in found] == [
        ("8", 170_000_000_000, (7_000,))
    ]
    assert faults == 2


def test_a_table_without_times_is_a_fault() -> None:
    """With what to ask for."""
    _, report = imported("JobID|State\n7|x\n", "sacct")

    (problem,) = report.problems
    assert problem.message.startswith("it has no times; ask sacct -P -o JobID,User,Partition,Submit,Start")
