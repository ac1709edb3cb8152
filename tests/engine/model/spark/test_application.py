"""What a Spark application may still be given, and the profiles of its executors."""

import pytest

from engine.model.java_number import INT_MAX
from engine.model.spark.application import DEFAULT_PROFILE, ExecutorShape, SparkApplication


def application_of(cores: int = 10, limit: int | None = None) -> SparkApplication:
    """Application 7, of 2 cores and 1024 MB for each executor."""
    return SparkApplication(7, "etl", "ann", cores, ExecutorShape(2, 1024), limit, 500)


def test_an_application_waits_since_its_submission() -> None:
    """It has the default profile alone, and nothing of that."""
    application = application_of()

    assert (application.number, application.name, application.user, application.state) == (7, "etl", "ann", "WAITING")
    assert (application.submitted_ms, application.waiting_since_ms, application.unmet_since_ms) == (500, 500, 500)
    assert (application.finished_ms, application.next_executor, application.failures) == (None, 0, 0)
    assert (application.cores_wanted, application.cores_granted, application.executors) == (10, 0, {})
    assert (application.shapes, application.profiles) == ({0: ExecutorShape(2, 1024)}, (0,))
    assert application.live_by_profile == {0: 0}
    assert DEFAULT_PROFILE == 0


@pytest.mark.parametrize(("limit", "target"), [(None, INT_MAX), (0, 0), (3, 3)])
def test_an_application_may_limit_its_executors(limit: int | None, target: int) -> None:
    """Without a limit there are as many as an int counts."""
    application = application_of(limit=limit)

    assert (application.targets, application.executors_left(0)) == ({0: target}, target)


@pytest.mark.parametrize(("live", "left"), [(0, 3), (2, 1), (3, 0), (4, 0)])
def test_executors_left_are_those_that_do_not_live(live: int, left: int) -> None:
    """Never less than none; of an unknown profile there are none."""
    application = application_of(limit=3)
    application.live_by_profile[0] = live

    assert (application.executors_left(0), application.executors_left(5)) == (left, 0)


def test_cores_left_are_shared_by_all_profiles() -> None:
    """What was granted is gone."""
    application = application_of(cores=10)
    application.cores_granted = 4

    assert application.cores_left == 6


@pytest.mark.parametrize(("cores", "step"), [(None, 1), (1, 1), (4, 4)])
def test_cores_are_given_in_steps_of_an_executor(cores: int | None, step: int) -> None:
    """One at a time where an executor takes all it gets."""
    assert ExecutorShape(cores, 1024).step == step


def test_a_profile_has_none_that_live_at_first() -> None:
    """What it does not say is the default's; 0 is said."""
    application = application_of()
    application.targets[4] = 2

    application.add_profile(4, None, None)
    application.add_profile(2, 0, 0)

    assert application.shapes[4] == ExecutorShape(2, 1024)
    assert application.shapes[2] == ExecutorShape(0, 0)
    assert (application.profiles, application.live_by_profile) == ((0, 2, 4), {0: 0, 4: 0, 2: 0})
    assert application.executors_left(4) == 2
