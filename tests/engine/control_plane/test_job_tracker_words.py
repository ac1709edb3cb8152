"""What a heartbeat's answer holds beside the scheduler's tasks."""

import pytest

from engine.control_plane.job_tracker_words import commits, kills, setup_or_cleanup
from engine.model.mr1.attempt import MAP, REDUCE, Launch
from engine.model.mr1.task_tracker import TrackerReport
from tests.engine.control_plane.trackers import Site, said
from tests.engine.model.mr1.build import cluster_of, job_of, map_on, on, running_job, say

FIRST = (1, MAP, 0, 0)


@pytest.mark.parametrize(
    ("slots", "expected"),
    [((1, 1), (1, MAP, 2, 0)), ((0, 1), (1, REDUCE, 1, 0)), ((0, 0), None), ((-1, 1), (1, REDUCE, 1, 0))],
)
def test_a_chore_takes_a_map_slot_before_a_reduce_slot(
    slots: tuple[int, int], expected: tuple[int, int, int, int] | None
) -> None:
    """One that is free."""
    site = Site("a")
    site.submit()
    site.tracker("a").slots = slots

    launch = setup_or_cleanup(site.jt.cluster, site.tracker("a"))

    assert (None if launch is None else launch.attempt) == expected


def test_cleanups_of_jobs_go_before_those_of_attempts_and_these_before_setups() -> None:
    """Whatever the order of the jobs."""
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


def test_a_tracker_ends_what_its_tasks_need_no_more() -> None:
    """Not the attempts of jobs that have ended: these are dropped whole."""
    site = Site("a")
    site.running(2)
    site.beat("a")
    site.beat("a", said(FIRST))
    cluster, tracker = site.jt.cluster, site.tracker("a")
    assert kills(cluster, tracker) == ()

    site.job().tasks[MAP][0].ask_to_kill(FIRST, counts=False)
    assert kills(cluster, tracker) == (FIRST,)

    site.job().state = "KILLED"
    assert kills(cluster, tracker) == ()


def test_attempts_that_wait_may_commit_when_they_were_given_the_word() -> None:
    """In the order of the report; not those that run, wait in vain, or are nobody's."""
    site = Site("a")
    site.running(3)
    reports = []
    for number in range(3):
        site.beat("a")
        reports.append(said((1, MAP, number, 0), "RUNNING" if number == 1 else "COMMIT_PENDING"))
    reports.append(said((9, MAP, 0, 0), "COMMIT_PENDING"))
    site.beat("a", *reports, asks=False)
    report = TrackerReport("tracker_a:1", "a", (2, 2), tuple(reversed(reports)))

    assert commits(site.jt.cluster, report) == ((1, MAP, 2, 0), FIRST)
    site.job().tasks[MAP][2].to_commit = None
    assert commits(site.jt.cluster, report) == (FIRST,)
