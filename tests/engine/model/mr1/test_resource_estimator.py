"""What a job's maps are expected to write, once enough of them have completed."""

import pytest

from engine.model.mr1.job_description import InputSplit, JobDescription
from engine.model.mr1.task_in_progress import SETUP, TaskInProgress
from engine.model.mr1.task_search import ResourceEstimator
from engine.model.mr1.tracker import MAP, REDUCE, SUCCEEDED, AttemptStatus, TaskReport
from tests.engine.model.mr1.build import cluster_of, job_of


def estimator_of(maps: int, split_bytes: int = 99, reduces: int = 2) -> ResourceEstimator:
    return ResourceEstimator(JobDescription("etl", "ann", tuple([InputSplit((), split_bytes)] * maps), reduces))


def complete(
    estimator: ResourceEstimator, output_bytes: int, *, kind: int = MAP, role: str = "", input_bytes: int = 99
) -> None:
    task = TaskInProgress(job_of(cluster_of()), kind, 0, 1, role=role, input_bytes=input_bytes)
    report = TaskReport((1, kind, 0, 0), SUCCEEDED, 1.0, 1, 0, 1, output_bytes=output_bytes)
    estimator.task_completed(task, AttemptStatus(report, "t"))


def test_a_map_is_expected_to_write_twice_what_the_completed_ones_wrote() -> None:
    """By their bytes read, and one more for each map: 10 maps of 100 write 20 of 100 each, so 400 are expected."""
    estimator = estimator_of(10)
    assert (estimator.map_output_bytes(), estimator.reduce_input_bytes()) == (0, 0)

    complete(estimator, 20)

    assert (estimator.map_output_bytes(), estimator.reduce_input_bytes()) == (40, 200)


def test_the_estimate_follows_all_completed_maps() -> None:
    """3 maps of 100 read wrote 30, 40 and 50, so that 10 write 400, twice that is expected."""
    estimator = estimator_of(10)
    for output_bytes in (30, 40, 50):
        complete(estimator, output_bytes)

    assert (estimator.completed, estimator.input_bytes, estimator.output_bytes) == (3, 300, 120)
    assert estimator.map_output_bytes() == 80


@pytest.mark.parametrize(("maps", "threshold"), [(9, 0), (10, 1), (19, 1), (20, 2)])
def test_a_tenth_of_the_maps_has_to_complete(maps: int, threshold: int) -> None:
    estimator = estimator_of(maps)
    assert estimator.threshold == threshold

    for _ in range(threshold - 1):
        complete(estimator, 20)
        assert estimator.map_output_bytes() == 0
    complete(estimator, 20)
    assert estimator.map_output_bytes() == 40


def test_only_tasks_in_map_slots_that_say_what_they_wrote_are_learnt_from() -> None:
    estimator = estimator_of(10)
    complete(estimator, -1)
    complete(estimator, 5, kind=REDUCE)
    assert estimator.completed == 0

    complete(estimator, 0, role=SETUP, input_bytes=0)
    assert (estimator.completed, estimator.input_bytes, estimator.output_bytes) == (1, 1, 0)
