"""Attempts as containers: their numbers, and the names that users know."""

import pytest

from engine.control_plane.attempt_containers import container_named, container_of
from engine.control_plane.job_tracker import JobTracker
from engine.model.mr1.attempt import MAP, REDUCE


@pytest.mark.parametrize("attempt", [(1, MAP, 0, 0), (7, REDUCE, 3, 2), (12, MAP, 40_000, 3)])
@pytest.mark.parametrize("is_cleanup", [False, True])
def test_a_name_leads_back_to_its_container(attempt: tuple[int, int, int, int], is_cleanup: bool) -> None:
    """Of an attempt and of its cleanup attempt; remedies find what they would end by it."""
    container = container_of(attempt, is_cleanup=is_cleanup)

    assert container_named(JobTracker({}).view().container_id(container)) == container
