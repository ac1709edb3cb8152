"""Jobs of Slurm, as `sacct -P` lists them."""

import pytest

from engine.formats.traces.application import TraceTasks
from engine.formats.traces.batch_logs import NO_TIMES
from tests.engine.formats.traces.samples import SACCT, imported, one


def test_a_table_of_sacct_without_times_is_refused_once() -> None:
    found, report = imported("JobID|JobName|Partition|Account|AllocCPUS|State|ExitCode\n7|a|p|x|1|RUNNING|0:0\n" * 2)

    assert (found, report.faults, report.problems[0].message[:60]) == ([], 1, NO_TIMES[:60])


@pytest.mark.parametrize("column", ["AllocTRES", "ReqTRES"])
def test_processors_and_times_of_sacct_may_be_written_otherwise(column: str) -> None:
    """All resources of a job in one column, instants in seconds since the epoch."""
    job = one(f"State|{column}|Submit|Elapsed|JobID\nCOMPLETED|billing=8,cpu=4,node=1|1700000000|00:00:09|7\n")

    assert (job.submitted_ms, job.tasks[0].vcores, job.tasks[0].durations_ms) == (1_700_000_000_000, 4, (9000,))


def test_a_job_of_sacct_is_one_of_a_batch_log() -> None:
    """By the names of columns; a step is no job, and what never ran has no tasks."""
    (ran, waits), report = imported(SACCT)

    assert (ran.id, ran.user, ran.queue, ran.state) == ("7", "ann", "long", "COMPLETED")
    assert ran.tasks == (TraceTasks("container", 1, (3_600_000,), 16 * 1024, 16),)
    assert ran.submitted_ms == 1_704_164_645_000
    assert (waits.id, waits.tasks) == ("8", ())
    assert report.dropped["steps of jobs, whose processors are those of the job"] == 1
    assert report.machine is not None
    assert report.machine.processors == 16
