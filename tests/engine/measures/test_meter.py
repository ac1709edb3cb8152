"""A whole run in figures: what the meter adds up while it is played is what the definitions say of it afterwards."""

from collections import Counter
from collections.abc import Callable

import pytest

from engine.formats.scenario_toml import load, loads
from engine.measures import ApplicationTimes, Meter, RunMeasures, quantiles
from engine.measures.meters import SHORT_RUN_MS, STARVED_MS
from engine.run import Run
from engine.scenario import Scenario
from tests.engine.measures.by_definition import WholeRun

MOVED = """
duration = "20m"
scheduler = "fair-2.7"
[cluster]
nodes = [{ host = "n1", memory = "4g", vcores = 8 }]
[[queues]]
name = "a"
[[queues]]
name = "b"
[[running]]
placed = [{ node = "n1", memory = "1g", vcores = 2 }]
[running.application]
type = "scripted"
name = "old"
user = "eve"
queue = "b"
am = "unmanaged"
waits = true
asks = [{ memory = "1g", vcores = 2 }]
[[workload]]
type = "scripted"
name = "moved"
user = "ann"
queue = "a"
at = 3
am = "unmanaged"
asks = [{ memory = "1g", count = 2, duration = "5s" }, { memory = "1g", at = 12, duration = "1m" }]
[[workload]]
type = "scripted"
name = "nowhere"
user = "bob"
queue = "root.b.a.d."
at = 4
asks = [{ memory = "1g" }]
[[workload]]
type = "scripted"
name = "too large"
user = "bob"
queue = "a"
at = 5
am = "unmanaged"
waits = true
asks = [{ memory = "5g" }]
[[workload]]
type = "scripted"
name = "reserves"
user = "bob"
queue = "b"
at = 6
am = "unmanaged"
asks = [{ memory = "3g", duration = "4s" }]
[[workload]]
type = "scripted"
name = "killed"
user = "bob"
queue = "b"
at = 8
am = "unmanaged"
waits = true
asks = [{ memory = "512m", count = 3 }]
[[script]]
do = "move"
application = "moved"
queue = "root.b"
at = 18
[[script]]
do = "kill"
application = "killed"
at = 40
"""
"""What runs at the start, is moved, refused, too large for the cluster, reserves a node, and is killed."""

SCENES: dict[str, Callable[[], Scenario]] = {
    "moved": lambda: loads(MOVED, "moved"),
    **{
        name: lambda name=name: load(name)  # type: ignore[misc]  # the default binds the name
        for name in (
            "fair-two-users",
            "preemption-minshare",
            "reservation-deadlock-recorded",
            "spark-failing-executors",
        )
    },
}
LONGEST_MS = 100_000


def played(name: str) -> tuple[WholeRun, Meter, int]:
    whole, meter = WholeRun(), Meter()
    scene = SCENES[name]()
    run = Run(scene, [whole, meter], is_judged=False)
    whole.follow(run.simulation)
    meter.follow(run.simulation)
    run.advance(scene.duration_ms if name == "moved" else min(scene.duration_ms, LONGEST_MS))
    return whole, meter, run.simulation.now_ms


def slowdown(each: ApplicationTimes) -> float | None:
    """(wait + run) / max(run, 10 s), at least 1."""
    if each.ran_at_start or each.start_ms is None or each.ended_ms is None:
        return None
    return max(1.0, (each.ended_ms - each.submitted_ms) / max(each.ended_ms - each.start_ms, SHORT_RUN_MS))


@pytest.fixture(params=SCENES)
def run(request: pytest.FixtureRequest) -> tuple[WholeRun, RunMeasures, int]:
    """Everything that was recorded, what was measured, and the end."""
    whole, meter, until_ms = played(request.param)
    return whole, meter.measures(until_ms), until_ms


def test_applications_are_counted_by_how_they_end(run: tuple[WholeRun, RunMeasures, int]) -> None:
    """And the makespan is to the end of the last one, or of the run."""
    whole, found, until_ms = run
    applications = whole.applications()
    ends = [each.ended_ms for each in applications]
    states = Counter(each.state for each in applications if each.ended_ms is not None)
    last_ms = max((end for end in ends if end is not None), default=until_ms) if None not in ends else until_ms

    assert found.until_ms == until_ms - whole.instants[0].time_ms
    assert (found.applications, found.finished) == (len(applications), states["FINISHED"])
    assert (found.failed, found.unfinished) == (states["FAILED"] + states["KILLED"], ends.count(None))
    assert found.makespan_ms == last_ms - min(each.submitted_ms for each in applications)
    assert found.refused == sum(bool(getattr(each, "rejected", "")) for _, each in whole.all())


def test_waits_are_those_of_each_application(run: tuple[WholeRun, RunMeasures, int]) -> None:
    """In all, by queue and by user; what ran at the start has none."""
    whole, found, until_ms = run
    waits = [(each, each.wait_ms(until_ms)) for each in whole.applications() if not each.ran_at_start]

    def grouped(name: str) -> dict[str, list[int]]:
        groups: dict[str, list[int]] = {}
        for each, wait in waits:
            groups.setdefault(getattr(each, name), []).append(wait or 0)
        return groups

    assert found.waits == quantiles(wait or 0 for _, wait in waits)
    for measured, name in ((found.waits_of_queues, "queue"), (found.waits_of_users, "user")):
        assert measured == {name: quantiles(some) for name, some in grouped(name).items()}
        assert list(measured) == sorted(measured)
    assert found.never_started == sum(each.start_ms is None for each, _ in waits)
    assert found.starved == sum((wait or 0) >= STARVED_MS for _, wait in waits)
    slow = [slowdown(each) for each in whole.applications() if each.state == "FINISHED"]
    assert found.slowdown == quantiles(each for each in slow if each is not None)


def test_what_is_held_is_a_share_of_what_there_is(run: tuple[WholeRun, RunMeasures, int]) -> None:
    whole, found, until_ms = run
    stretches = list(whole.stretches(until_ms))
    held = [sum(length_ms * each.used[place] for length_ms, each in stretches) for place in (0, 1)]
    there = [sum(length_ms * each.total[place] for length_ms, each in stretches) for place in (0, 1)]

    assert list(found.held_s.values()) == [each // 1000 for each in held]
    assert list(found.used_share.values()) == [mine / all_of_it for mine, all_of_it in zip(held, there, strict=True)]
    assert list(found.used_share) == list(found.held_s)


def test_work_and_reservations_are_those_recorded(run: tuple[WholeRun, RunMeasures, int]) -> None:
    """Containers, what was lost of them, nodes reserved in vain, and the longest standstill."""
    whole, found, until_ms = run
    lost = whole.losses()
    every = [ran_ms for some in lost.values() for ran_ms in some]
    most, most_by_one, vain_ms = whole.reservations(until_ms)

    assert found.containers == sum(type(each).__name__ == "Allocated" for _, each in whole.all())
    assert (found.preempted, found.preempted_s) == (len(lost["PREEMPTED"]), sum(lost["PREEMPTED"]) // 1000)
    assert (found.lost, found.lost_s) == (len(every), sum(every) // 1000)
    assert (found.reserved_most, found.reserved_most_by_one) == (most, most_by_one)
    assert found.reserved_in_vain_s == vain_ms // 1000
    assert found.standstill_ms == whole.standstill_ms(until_ms)


@pytest.mark.parametrize("by_user", [True, False])
def test_users_and_queues_have_their_shares(run: tuple[WholeRun, RunMeasures, int], by_user: bool) -> None:
    """The index counts where two or more have applications, something is held and somebody waits."""
    whole, found, until_ms = run
    jain_ms, contended_ms, shares = whole.evenness(until_ms, by_user=by_user)
    evenness = found.users if by_user else found.queues

    assert evenness.contended_ms == contended_ms
    assert (evenness.jain or 0.0) == pytest.approx(jain_ms / max(1, contended_ms))
    assert {name: share for name, share in evenness.dominant_share.items() if share} == {
        name: share for name, share in shares.items() if share
    }
