"""The picture of a JobTracker's cluster, worked out anew from its jobs and trackers, and why its jobs wait."""

from functools import cache

import pytest

from engine.control_plane.job_tracker import JobTracker
from engine.formats.scenario_toml import loads
from engine.model.mr1.attempt import MAP, REDUCE
from engine.model.mr1.job_description import PRIORITIES
from engine.observe.mr1_snapshot import JobTrackerSnapshot, attempt_words
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import snapshot_of
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import at
from tests.engine.explain.test_job_tracker import GOLD, HEAD, MEMORY, job

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
    """Its control plane."""
    assert isinstance(one.control_plane, JobTracker)
    return one.control_plane


def snapshot(one: Simulation) -> JobTrackerSnapshot:
    """Its picture."""
    found: Snapshot = snapshot_of(one)
    assert isinstance(found, JobTrackerSnapshot)
    return found


@pytest.mark.parametrize(("second", "scheduler"), CASES)
def test_jobs_say_what_runs_and_what_is_left(second: float, scheduler: str) -> None:
    """Live ones by number, then those that ended, the latest first."""
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


def test_the_version_of_every_section_changes_with_every_event() -> None:
    """And stays while nothing happens."""
    one = simulation(40, "mr1-fifo", *JOBS, top="seed = 3")
    before = snapshot(one)
    assert before.version("nodes") == before.version("queues") == tracker_of(one).cluster.version
    assert snapshot(one).version("nodes") == before.version("nodes")
    one.run_until(one.now_ms + 30_000)
    assert snapshot(one).version("nodes") > tracker_of(simulation(3)).cluster.version


def test_users_are_those_with_a_live_job() -> None:
    """By name, with what their jobs use."""
    picture = snapshot(simulation(14))
    live = {row.user: row for row in picture.applications() if row.finished_ms is None}

    assert [each.user for each in picture.users()] == sorted(live)
    assert [each.used for each in picture.users()] == [live[name].used for name in sorted(live)]


@pytest.mark.parametrize(
    ("container", "words"),
    [
        ((3, 1, 2), "reduce 0"),
        ((3, 1, 22), "reduce 5"),
        ((3, 2, 20), "map 5, try 2"),
        ((3, 1, 23), "cleanup of reduce 5"),
    ],
)
def test_attempts_are_named_beside_their_job(container: tuple[int, int, int], words: str) -> None:
    """The second try is the first after the first."""
    assert attempt_words(container) == words


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


def test_a_job_that_has_all_it_may_have_waits_for_nothing() -> None:
    """Its reduces come later."""
    (row,) = snapshot(simulation(10, "mr1-fifo", job("ann", 0, "2 x 60s", "1"))).applications()
    assert row.obstacle is None


def test_a_minimum_share_that_is_not_reached_is_said_with_the_slots() -> None:
    """Of a pool of the fair scheduler."""
    top = f"allocations = '{GOLD.format('')}'"
    gold = job("eve", 10, "4 x 60s", more='queue = "gold"')
    picture = snapshot(simulation(20, "mr1-fair", job("ann", 0, "4 x forever"), gold, top=top))
    row = max(picture.applications(), key=lambda each: each.number)

    assert row.obstacle is not None
    assert row.obstacle.sentence.endswith("all 4 map slots are taken; 4 reduce slots are idle and run no maps")


def test_slots_are_reserved_for_a_job_that_needs_several() -> None:
    """A tracker says for whom and how many are free of them; the job how many nodes that are."""
    large = job("bob", 4, "2", more='map = { memory = "2g", vcores = 1 }')
    settings = MEMORY + '"mapred.map.tasks.speculative.execution" = false\n'
    jobs = (job("ann", 0, "2 x 60s"), large, job("eve", 20, "2"))
    one = simulation(30, "mr1-capacity", *jobs, settings=settings)
    held = snapshot(one).reservations()
    assert len(held) == 2
    picture = snapshot(one)
    row = next(each for each in picture.applications() if each.id == held[0].application)
    nodes = {each.id: each for each in picture.nodes()}
    assert row.name == "bob"
    assert row.reservations == len(held)
    for each in held:
        assert nodes[each.node].reserved_by == row.id
        assert nodes[each.node].reserved == each.free
        assert each.size == (2, 0)
        assert each.short_by == (2 - each.free[0], 0)
        assert isinstance(each.since_ms, int)
        assert each.since_ms <= one.now_ms
    assert [each.id for each in picture.nodes() if each.reserved_by] == [each.node for each in held]
