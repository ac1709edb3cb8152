"""The picture of a JobTracker's cluster, worked out anew from its jobs and trackers, and why its jobs wait."""

from functools import cache

import pytest

from engine.control_plane.job_tracker import JobTracker
from engine.formats.scenario_toml import loads
from engine.model.mr1.job_description import PRIORITIES
from engine.model.mr1.tracker import MAP, REDUCE
from engine.observe.mr1_snapshot import JobTrackerSnapshot
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import snapshot_of
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import at
from tests.engine.explain.test_job_tracker import HEAD, job

JOBS = (
    job("ann", 0, "12 x 15s", "3 x 20s", "slow_start = 0.3"),
    job("bob", 2, "4 x 6s"),
    job("eve", 20, "6 x 30s", "2 x 5s", "priority = 1"),
)
CASES = [(second, scheduler) for second in (3, 14, 40, 75) for scheduler in ("mr1-fifo", "mr1-fair")]


@cache
def simulation(second: float, scheduler: str = "mr1-fifo", *jobs: str, settings: str = "", top: str = "") -> Simulation:
    """Two trackers of two map and two reduce slots, at a second."""
    text = HEAD.format(scheduler=scheduler, settings=settings, top=top) + "".join(jobs or JOBS)
    return at(loads(text, "slots"), second)


def tracker_of(one: Simulation) -> JobTracker:
    assert isinstance(one.control_plane, JobTracker)
    return one.control_plane


def snapshot(one: Simulation) -> JobTrackerSnapshot:
    found: Snapshot = snapshot_of(one)
    assert isinstance(found, JobTrackerSnapshot)
    return found


@pytest.mark.parametrize(("second", "scheduler"), CASES)
def test_jobs_say_what_runs_and_what_is_left(second: float, scheduler: str) -> None:
    one = simulation(second, scheduler)
    jt, rows = tracker_of(one), snapshot(one).applications()
    jobs = jt.cluster.jobs
    ended = [number for number, each in jobs.items() if each.is_ended]

    assert [row.number for row in rows] == [*jt.cluster.live, *ended[::-1]]
    for row in rows:
        known = jobs[row.number]
        assert (row.name, row.user, row.type) == (known.description.name, known.description.user, "MAPREDUCE")
        assert (row.submitted_ms, row.finished_ms) == (known.start_ms, known.finish_ms or None)
        assert row.maps == (known.running[MAP], known.finished[MAP], known.wanted(MAP))
        assert row.reduces == (known.running[REDUCE], known.finished[REDUCE], known.wanted(REDUCE))
        assert row.used == ((0, 0) if known.is_ended else (known.running[MAP], known.running[REDUCE]))
        assert (row.reservations, row.reserved, row.failed_attempts) == (0, (0, 0), sum(known.failed_attempts))
        asks = [(kind, known.pending(kind)) for kind in (MAP, REDUCE) if known.pending(kind) > 0 and not known.is_ended]
        assert [(ask.priority, ask.count) for ask in row.listed_asks] == asks
        assert [ask.size for ask in row.listed_asks] == [((1, 0), (0, 1))[kind] for kind, _ in asks]
        assert row.priority == PRIORITIES[known.priority]
        assert row.local_maps == (*known.local_maps, known.launched_maps)[:3]
        assert row.containers == len(snapshot(one).containers(application=row.id))


@pytest.mark.parametrize(("second", "scheduler"), CASES)
def test_trackers_say_what_is_used_of_their_slots(second: float, scheduler: str) -> None:
    """In the order in which they reported first; what runs is an attempt each."""
    one = simulation(second, scheduler)
    picture = snapshot(one)
    attempts = picture.containers()
    for row in picture.nodes():
        here = picture.containers(node=row.id)
        assert here == tuple(each for each in attempts if each.node == row.id)
        used = (sum(each.size[0] for each in here), sum(each.size[1] for each in here))
        assert (row.used, row.containers, row.total) == (used, len(here), (2, 2))
        assert row.free == (2 - used[0], 2 - used[1])
        assert (row.state, row.is_graylisted, row.flaky_for, row.partition) == ("RUNNING", False, 0, "")
        assert (row.reserved_by, row.reserved) == (None, None)
        assert isinstance(row.last_heartbeat_ms, int)
        assert row.last_heartbeat_ms <= one.now_ms
    assert [each.node for each in attempts] == sorted(each.node for each in attempts)
    assert {each.state for each in attempts} <= {"RUNNING"}
    assert not any(each.is_am for each in attempts)
    live = tracker_of(one).view().containers.live.values()
    assert sorted(each.since_ms for each in attempts if isinstance(each.since_ms, int)) == sorted(
        each.launched_ms for each in live
    )
    assert picture.executors() == ()


@pytest.mark.parametrize(
    ("second", "jobs", "how", "sentence"),
    [
        (
            30,
            (job("ann", 0, "4 x forever"), job("bob", 5, "1")),
            {},
            "all 4 map slots are taken; 4 reduce slots are idle and run no maps",
        ),
        (
            30,
            (job("ann", 0, "4 x forever", "3 x forever", "slow_start = 0"), job("bob", 5, "1")),
            {},
            "all 4 map slots are taken; 1 reduce slot is idle and runs no maps",
        ),
        (
            30,
            (job("ann", 0, "4 x forever", "4 x forever", "slow_start = 0"), job("bob", 5, "1")),
            {},
            "its setup task waits: all 4 map slots and 4 reduce slots are taken",
        ),
        (
            60,
            (job("ann", 0, "1 x forever", "3 x forever", "slow_start = 0"), job("bob", 5, "0", "4 x forever")),
            {},
            "all 4 reduce slots are taken; 3 map slots are idle and run no reduces; 3 are held by reduces that wait "
            "for maps of their jobs",
        ),
        (
            60,
            (job("ann", 0, "1 x forever", "1 x forever", "slow_start = 0"), job("bob", 5, "0", "9 x forever")),
            {},
            "all 4 reduce slots are taken; 3 map slots are idle and run no reduces; 1 is held by reduces that wait "
            "for maps of their jobs",
        ),
        (
            30,
            (job("ann", 0, "1 x 5s", "5 x forever"), job("bob", 20, "0", "1")),
            {},
            "all 4 reduce slots are taken; 4 map slots are idle and run no reduces",
        ),
    ],
)
def test_a_job_says_why_it_waits(second: float, jobs: tuple[str, ...], how: dict[str, str], sentence: str) -> None:
    """Its last job's sentence; none of who has what it wants, nor where nobody asks for reasons."""
    picture = snapshot(simulation(second, "mr1-fifo", *jobs, **how))
    row = max(picture.applications(), key=lambda each: each.number)

    assert row.obstacle is not None
    assert row.obstacle.sentence == sentence
    assert {each.obstacle for each in picture.applications(why=False)} == {None}
