"""A job's tasks and figures, and which tracker it serves."""

import pytest

from engine.model.mr1.job_description import InputSplit
from engine.model.mr1.tracker import MAP
from tests.engine.model.mr1.build import cluster_of, job_of, on


@pytest.mark.parametrize(
    ("hosts", "maps", "configured", "wait"),
    [
        ("abcd", ["a", "b"], 1.0, 0.5),
        ("abcd", ["a", "a"], 1.0, 0.25),
        ("ab", ["a", "b", "c"], 1.0, 1.0),
        ("abcd", ["a", "b"], 0.75, 0.75),
        ("", ["a", "b"], 1.0, 1.0),
        ("abcd", [], 1.0, 1.0),
        ("abc", ["a"], 1.0, 0.3333333432674408),
    ],
)
def test_a_job_waits_for_locality_by_the_part_of_hosts_with_its_data(
    hosts: str, maps: list[str], configured: float, wait: float
) -> None:
    job = job_of(cluster_of(*hosts), maps, settings={"locality_wait": configured})

    assert job.locality_wait == wait


@pytest.mark.parametrize(
    ("slow_start", "maps", "after"), [(0.05, 20, 1), (0.05, 21, 2), (0.0, 20, 0), (1.0, 7, 7), (0.5, 7, 4)]
)
def test_reduces_start_after_a_part_of_the_maps(slow_start: float, maps: int, after: int) -> None:
    """Rounded up; failed maps have ended, too, and no more maps are waited for to estimate their output."""
    job = job_of(cluster_of(), maps, 1, settings={"slow_start": slow_start})
    assert job.reduces_after == after
    assert job.estimator.threshold == min(after, maps // 10)

    for finished in range(after + 1):
        job.finished[MAP], job.failed_tasks[MAP] = finished // 2, finished - finished // 2
        assert job.may_start_reduces() is (finished >= after)


@pytest.mark.parametrize(
    ("maps", "finished", "trackers", "wait", "opportunities", "may"),
    [
        (10, 0, 4, 1.0, 4, False),
        (10, 0, 4, 1.0, 5, True),
        (10, 8, 4, 1.0, 2, False),
        (10, 8, 4, 1.0, 3, True),
        (10, 0, 4, 0.5, 2, False),
        (10, 0, 4, 0.5, 3, True),
        (10, 10, 4, 1.0, 0, False),
    ],
)
def test_a_job_goes_off_its_racks_after_some_opportunities(
    maps: int, finished: int, trackers: int, wait: float, opportunities: int, may: bool
) -> None:
    """More than its part of the maps left, or of the trackers where these are fewer."""
    job = job_of(cluster_of(), maps)
    job.finished[MAP], job.locality_wait, job.opportunities = finished, wait, opportunities

    assert job.may_go_off_rack(trackers) is may


@pytest.mark.parametrize(
    ("maps", "trackers", "wait", "offers"), [(10, 4, 1.0, 5), (3, 4, 1.0, 4), (10, 5, 0.5, 3), (10, 4, 0.1, 1)]
)
def test_a_job_lets_so_many_offers_pass_at_most(maps: int, trackers: int, wait: float, offers: int) -> None:
    """One more than the part of its maps or of the trackers, whichever are fewer."""
    job = job_of(cluster_of(), maps)
    job.locality_wait = wait

    assert job.offers_before_off_rack(trackers) == offers


@pytest.mark.parametrize(("hosts", "distance"), [(("c", "a"), 0), (("c", "b"), 1), (("c", "d"), 2), ((), 2)])
def test_a_tracker_is_as_far_from_a_map_as_from_its_nearest_data(hosts: tuple[str, ...], distance: int) -> None:
    cluster = cluster_of("a", "b", "c", "d")
    job = job_of(cluster, [InputSplit(hosts)])

    assert job.distance(job.tasks[MAP][0], on(cluster, "a")) == distance
