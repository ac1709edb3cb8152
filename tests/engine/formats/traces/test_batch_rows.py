"""Jobs of batch systems field by field: SWF in its forms, Slurm's accounting."""

import pytest

from engine.formats.traces import batch_logs as sacct
from engine.formats.traces.application import MappingRules, TraceApplication, TraceTasks
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
    return " ".join(str(each) for each in {**FIELDS, **changes}.values())


@pytest.mark.parametrize(("status", "state"), [(0, "FAILED"), (1, "SUCCEEDED"), (5, "KILLED"), (-1, ""), (4, "")])
def test_each_status_has_its_state(status: int, state: str) -> None:
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
    job = one(line(**changes), MappingRules(container_mb=100, processors=1))

    assert job.tasks == (TraceTasks("container", 4, (60_000,), memory_mb, 1),)
    assert job.inferred.get("memory") == (None if changes else "100 MB for each processor")


@pytest.mark.parametrize("text", ["1 2 3", f"x {line()}", line(submit="x"), line(job="-2")])
def test_a_line_that_is_no_job_is_a_fault(text: str) -> None:
    found, report = imported(f"{line()}\n{text}", "swf")

    assert [problem.line for problem in report.problems] == [2]
    assert report.problems[0].message == "a job has 18 numbers"
    assert len(found) == 1


SLURM = "JobID|JobName|User|Partition|Submit|Start|End|Elapsed|AllocCPUS|State"


def slurm(*cells: str, names: str = SLURM) -> tuple[list[TraceApplication], dict[str, int], int]:
    found, report = imported("\n".join([names, *cells]) + "\n", "sacct", RULES)
    assert list(report.notes) == [sacct.LOCAL]
    return found, dict(report.dropped), report.faults


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
    (job,), _, _ = slurm(f"7|1700000000|{start}|{end}|{elapsed}|1", names="JobID|Submit|Start|End|Elapsed|NCPUS")

    assert [tasks.durations_ms for tasks in job.tasks] == ([(run_ms,)] if run_ms else [])
