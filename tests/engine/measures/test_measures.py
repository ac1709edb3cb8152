"""A whole run in figures: what the meter adds up while it is played is what the definitions say of it afterwards."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.scenario_toml import load, loads
from engine.measures import ApplicationTimes, Meter, Quantiles, RunMeasures, quantiles
from engine.measures.meters import SHORT_RUN_MS, STARVED_MS, WHOLE, Reservations, ShareMeter, Work
from engine.model.decision import Allocated, Killed, Unreserved
from engine.run import Run
from engine.scenario import Scenario
from tests.engine.measures.by_definition import WholeRun

MOVED: Final = Path(__file__).parents[2] / "cases" / "scenes" / "moved.toml"
"""What runs at the start, is moved, refused, too large for the cluster, reserves a node, and is killed."""

SCENES: dict[str, Callable[[], Scenario]] = {
    "moved": lambda: loads(MOVED.read_text(), "moved"),
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


# Reservations of a run: how many at once, and how long in vain.

NODE = "n1:1"


def test_the_most_at_once_is_counted_in_all_and_for_one() -> None:
    reservations = Reservations()
    for number, place in ((1, 2), (2, 2), (2, 3)):
        reservations.stands((number, 1, place), 0)
    reservations.dropped(Unreserved((2, 1, 3), NODE, 0, 10, 1), 1)
    reservations.used(Allocated((2, 1, 2), NODE, 0, 10, 1))
    reservations.stands((2, 1, 4), 2)
    assert (reservations.most, reservations.most_by_one) == (3, 2)
    for place in (5, 6):
        reservations.stands((2, 1, place), 3)

    assert (reservations.most, reservations.most_by_one) == (4, 3)


# Quantiles and waits, by their definitions.


@given(st.lists(st.integers(-100, 100), min_size=1, max_size=130))
def test_a_quantile_is_the_least_value_that_enough_values_do_not_exceed(values: list[int]) -> None:
    def least(percent: int) -> int:
        return min(one for one in values if 100 * sum(each <= one for each in values) >= percent * len(values))

    assert quantiles(values) == Quantiles(len(values), least(50), least(95), max(values))


@pytest.mark.parametrize(
    ("times", "wait_ms"),
    [
        (ApplicationTimes(1, submitted_ms=10), 90),
        (ApplicationTimes(1, submitted_ms=10, first_ms=30), 20),
        (ApplicationTimes(1, submitted_ms=10, first_ms=10, ended_ms=50), 0),
        (ApplicationTimes(1, submitted_ms=10, ended_ms=50), 40),
        (ApplicationTimes(1, submitted_ms=10, ran_at_start=True, first_ms=30), None),
        (ApplicationTimes(1, submitted_ms=0, first_ms=0), 0),
    ],
)
def test_a_wait_ends_with_the_first_container_the_end_or_the_run(times: ApplicationTimes, wait_ms: int | None) -> None:
    assert times.wait_ms(100) == wait_ms


# How evenly a cluster is shared.

STEPS = st.lists(
    st.tuples(
        st.sampled_from(("ann", "bob", "eve")),
        st.sampled_from(("enter", "leave", "take", "drop", "resize")),
        st.integers(0, 9),
        st.integers(1, 1000),
        st.booleans(),
    ),
    min_size=1,
    max_size=30,
)
"""(name, what it does, an amount, how long all stays so then [ms], whether somebody waits meanwhile)."""


def two_users() -> ShareMeter:
    """Ann and Bob, each with an application, on a cluster of (100, 10)."""
    holders = ShareMeter(2)
    holders.resize((100, 10), 0)
    for name in ("ann", "bob"):
        holders.enter(name, 1, 0)
    return holders


def test_no_index_without_contention() -> None:
    """Time in which nothing waits, one alone is active or nothing is held does not count."""
    holders = two_users()
    holders.pass_time(1000, is_waited=True)
    holders.hold("ann", (70, 1), 1, 0)
    holders.pass_time(1000, is_waited=False)
    holders.enter("bob", -1, 2000)
    holders.pass_time(1000, is_waited=True)
    assert holders.sharing(0, 3000).jain is None


def test_shares_follow_the_size_of_the_cluster() -> None:
    """A cluster twice as large halves a share from then on; its mean is over time."""
    holders = two_users()
    holders.hold("ann", (50, 0), 1, 0)
    holders.resize((200, 20), 500)
    holders.pass_time(1000, is_waited=True)
    assert holders.sharing(0, 1000).dominant_share["ann"] == 0.375


@given(STEPS)
def test_shares_and_index_are_those_of_their_definition(steps: list[tuple[str, str, int, int, bool]]) -> None:
    """Whatever is held, by however many: recomputed from each stretch of time by itself."""
    meter, total, now_ms = ShareMeter(2), (0, 0), 0
    held, active = {name: [0, 0] for name in ("ann", "bob", "eve")}, Counter[str]()
    known, share_ms, jain_ms, contended_ms = set[str](), Counter[str](), 0.0, 0
    for name, what, amount, elapsed_ms, is_waited in steps:
        sign = -1 if what in {"leave", "drop"} else 1
        if what == "resize":
            total = (10 * amount, amount)
            meter.resize(total, now_ms)
        elif what in {"enter", "leave"}:
            known.add(name)
            active[name] += sign
            meter.enter(name, sign, now_ms)
        else:
            known.add(name)
            held[name] = [held[name][0] + sign * amount, held[name][1] + sign]
            meter.hold(name, (amount, 1), sign, now_ms)
        meter.pass_time(elapsed_ms, is_waited=is_waited)
        now_ms += elapsed_ms

        shares = {
            each: max([0, *(mine * WHOLE // whole for mine, whole in zip(held[each], total, strict=True) if whole)])
            for each in known
        }
        rivals = [shares[each] for each in known if active[each] > 0]
        if is_waited and len(rivals) >= 2 and any(rivals):
            jain_ms += elapsed_ms * sum(rivals) ** 2 / (len(rivals) * sum(each * each for each in rivals))
            contended_ms += elapsed_ms
        for each, share in shares.items():
            share_ms[each] += elapsed_ms * share

    found = meter.sharing(0, now_ms)
    assert (found.jain is None, found.contended_ms) == (not contended_ms, contended_ms)
    assert (found.jain or 0.0) == pytest.approx(jain_ms / max(1, contended_ms))
    assert list(found.dominant_share) == sorted(known)
    assert found.dominant_share == {each: share_ms[each] / (WHOLE * now_ms) for each in known}


# The containers of a run and the work that is lost with them.

ONE, OTHER = (1, 1, 2), (1, 1, 3)


class Holds(ShareMeter):
    """Notes what is held instead of measuring it."""

    def __init__(self) -> None:
        super().__init__(2)
        self.noted: list[tuple[str, tuple[int, ...], int, int]] = []

    def hold(self, name: str, amounts: Sequence[int], sign: int, now_ms: int) -> None:
        self.noted.append((name, tuple(amounts), sign, now_ms))


class Scene:
    """One application of Ann in the queue `a`, and the containers of a run."""

    def __init__(self) -> None:
        self.users, self.queues = Holds(), Holds()
        self.application = ApplicationTimes(1, user="ann", queue="a")
        self.work = Work({1: self.application}, self.users, self.queues)

    def counts(self) -> tuple[int, int, int, int, int]:
        """Containers, those preempted with their time, those lost with theirs."""
        work = self.work
        return work.containers, work.preempted, work.preempted_ms, work.lost, work.lost_ms


@pytest.mark.parametrize(
    ("cause", "counts"),
    [
        ("PREEMPTED", (1, 1, 30, 1, 30)),
        ("LOST", (1, 0, 0, 1, 30)),
        ("RELABELLED", (1, 0, 0, 1, 30)),
        ("KILLED_BY_USER", (1, 0, 0, 1, 30)),
        ("ORPHANED", (1, 0, 0, 1, 30)),
        ("APPLICATION_ENDED", (1, 0, 0, 0, 0)),
        ("RELEASED", (1, 0, 0, 0, 0)),
        ("EXPIRED", (1, 0, 0, 0, 0)),
    ],
)
def test_a_cause_decides_whether_work_is_lost(cause: str, counts: tuple[int, int, int, int, int]) -> None:
    scene = Scene()
    scene.work.allocated(Allocated(ONE, "n1:1", 1, 512, 3), 10)
    scene.work.ended(Killed(ONE, "n1:1", cause), 40)
    scene.work.ended(Killed(ONE, "n1:1", cause), 50)

    assert scene.counts() == counts
