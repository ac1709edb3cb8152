"""A whole run in figures."""

from collections.abc import Sequence

import pytest

from engine.formats.scenario_toml import load
from engine.measures import Meter, Quantiles, RunMeasures, quantiles
from engine.measures.meter import Reservations
from engine.model.decision import Reserved, Unreserved
from engine.run import play
from engine.simulation.build import build_simulation
from engine.simulation.records import Record
from tests.engine.observe.added_up import AddedUp


def measured(name: str, until_ms: int | None = None, *assignments: str) -> RunMeasures:
    """A packaged scenario, played and measured."""
    scene, meter = load(name, assignments), Meter()
    outcome = play(scene, until_ms, [meter], begun=meter.follow)
    return meter.measures(scene.start_ms + outcome.ended_ms)


def test_the_95th_percentile_of_twenty_is_the_nineteenth() -> None:
    """One of twenty values may exceed it."""
    assert quantiles(range(20)) == Quantiles(20, 9, 18, 19)


def test_a_reservation_without_a_container_is_in_vain() -> None:
    """It counts from its begin, however often it is renewed, and so far while it stands."""
    reservations = Reservations()
    for time_ms in (0, 1000):
        reservations.reserved(Reserved((1, 1, 2), "n1:1", 0, 10, 1), time_ms)
    reservations.reserved(Reserved((1, 1, 3), "n2:1", 0, 10, 1), 1000)
    reservations.dropped(Unreserved((1, 1, 2), "n1:1", 0, 10, 1), 3000)
    assert (reservations.in_vain_ms(4000), reservations.most, reservations.most_by_one) == (6000, 2, 2)


def test_a_fair_start_shares_evenly() -> None:
    """What holds containers as the run begins has no wait, and the first of two users ends below two thirds."""
    found = measured("fair-two-users")
    assert found.applications == found.finished + found.failed + found.unfinished
    assert sum(each.number for each in found.waits_of_users.values()) == found.waits.number
    assert set(found.used_share) == {"memory_mb", "vcores"}
    assert found.users.jain is not None
    assert 0.5 < found.users.jain <= 1


def test_preempted_work_is_lost_work() -> None:
    """A preempted container is lost with the time it ran."""
    found = measured("preemption-minshare")
    assert found.preempted > 0
    assert (found.lost, found.lost_s) == (found.preempted, found.preempted_s)


def test_a_deadlock_is_a_standstill_with_reservations_in_vain() -> None:
    """From the freeze to the end somebody waits and nothing is allocated."""
    found = measured("reservation-deadlock-recorded")
    assert found.standstill_ms > 0
    assert found.reserved_in_vain_s > 0


class MemoryTime:
    """A listener that adds up from records alone what memory is held over time [MB x ms]."""

    def __init__(self, begin_ms: int) -> None:
        self._added_up, self._from_ms = AddedUp(), begin_ms
        self.held = 0

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Let time pass, then follow."""
        self.held += self._added_up.values()["used_memory_mb"] * max(0, time_ms - self._from_ms)
        self._from_ms = max(time_ms, self._from_ms)
        self._added_up.follow(records)


@pytest.mark.parametrize("name", ["spark-failing-executors", "reservation-deadlock-recorded", "lifespans-session"])
def test_what_is_held_adds_up_from_the_records(name: str) -> None:
    """Memory held over time, and the sum of the users' shares of it, are what containers held while they lived."""
    scene, meter = load(name), Meter()
    added_up = MemoryTime(scene.start_ms)
    simulation = build_simulation(scene, [meter, added_up])
    meter.follow(simulation)
    until_ms = simulation.now_ms + min(scene.duration_ms, 600_000)
    simulation.run_until(until_ms)
    found = meter.measures(until_ms)
    added_up.records(until_ms, [])
    assert found.held_s["memory_mb"] == added_up.held // 1000
    assert sum(found.users.dominant_share.values()) >= max(found.used_share.values()) - 0.001
