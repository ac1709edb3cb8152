"""What a heartbeat's answer holds beside the scheduler's tasks."""

import pytest

from engine.control_plane.job_tracker_words import setup_or_cleanup
from engine.model.mr1.attempt import MAP, REDUCE, Launch
from tests.engine.control_plane.trackers import Site
from tests.engine.model.mr1.build import cluster_of, job_of, map_on, on, running_job, say


@pytest.mark.parametrize(
    ("slots", "expected"),
    [((1, 1), (1, MAP, 2, 0)), ((0, 1), (1, REDUCE, 1, 0)), ((0, 0), None), ((-1, 1), (1, REDUCE, 1, 0))],
)
def test_a_chore_takes_a_map_slot_before_a_reduce_slot(
    slots: tuple[int, int], expected: tuple[int, int, int, int] | None
) -> None:
    site = Site("a")
    site.submit()
    site.tracker("a").slots = slots

    launch = setup_or_cleanup(site.jt.cluster, site.tracker("a"))

    assert (None if launch is None else launch.attempt) == expected


def test_cleanups_of_jobs_go_before_those_of_attempts_and_these_before_setups() -> None:
    cluster = cluster_of("a")
    tracker = on(cluster, "a")
    job_of(cluster, 1, number=1)
    unclean = running_job(cluster, 1, number=2)
    say(unclean, map_on(unclean, tracker), tracker, "FAILED_UNCLEAN")
    running_job(cluster, 0, number=3)

    assert [setup_or_cleanup(cluster, tracker) for _ in range(4)] == [
        Launch((3, MAP, 0, 0), 1),
        Launch((2, MAP, 0, 0), 1, is_cleanup=True),
        Launch((1, MAP, 2, 0), 1),
        None,
    ]
