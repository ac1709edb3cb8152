"""Harm done while a trainee works: work lost by cause, who waits, and what each ended application has cost."""

from typing import Any

import pytest

from engine.control_plane.protocol import NodeLost
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.simulation.records import Record
from engine.training.harm import LOSSES, UNSERVED, HarmDone, HarmFigures, HarmMeter, Sacrifice, Toll, harm_beyond
from tests.build.rows import app, header, snapshot

START_MS = 1_000


def allocated(application: int, number: int = 1) -> Allocated:
    fields: dict[str, Any] = dict.fromkeys(Allocated.__struct_fields__, 0)
    return Allocated(**{**fields, "container": (application, 1, number), "node": "n"})


def killed(application: int, cause: str, number: int = 1) -> Killed:
    return Killed((application, 1, number), "n", cause)


def ended(application: int, state: str) -> ApplicationTransitioned:
    return ApplicationTransitioned(application, state, "q", "")


def met(*instants: tuple[int, list[Record]], counting_from_ms: int = 0) -> HarmMeter:
    meter = HarmMeter(START_MS)
    for time_ms, records in instants:
        meter.is_counting = time_ms >= counting_from_ms
        meter.on_records(time_ms, records)
    return meter


@pytest.mark.parametrize("cause", sorted(LOSSES))
def test_work_of_a_container_that_is_taken_is_lost(cause: str) -> None:
    meter = met((2_000, [allocated(1)]), (3_500, [killed(1, cause)]))

    assert meter.done() == HarmDone(lost_s=1.5, preempted_s=1.5 if cause == "PREEMPTED" else 0.0)


def test_work_of_several_causes_adds_up() -> None:
    meter = met(
        (2_000, [allocated(1), allocated(1, 2), allocated(2)]),
        (3_000, [killed(1, "PREEMPTED")]),
        (4_000, [killed(1, "LOST", 2), killed(2, "PREEMPTED")]),
    )

    assert meter.done() == HarmDone(lost_s=5.0, preempted_s=3.0)


@pytest.mark.parametrize(("cause", "late_s"), [("APPLICATION_ENDED", 1), ("RELEASED", 0), ("EXPIRED", 0)])
def test_work_of_a_container_that_is_let_go_is_not_lost(cause: str, late_s: float) -> None:
    """But where its application is killed, which a JobTracker says when all its attempts are gone."""
    late = met((2_000, [allocated(1)]), (3_000, [killed(1, cause)]), (4_000, [ended(1, "KILLED")]))
    assert late.done() == HarmDone(lost_s=late_s, killed=1)
    own, others = met((2_000, [allocated(1)]), (3_000, [killed(1, cause)])), HarmDone()
    assert own.done() == others

    meter = met((2_000, [allocated(1)]), (3_000, [killed(1, cause), ended(1, "KILLED")]))
    assert meter.done() == HarmDone(lost_s=1.0, killed=1)


@pytest.mark.parametrize(("exit_status", "lost_s"), [(0, 0), (1, 0), (-106, 1)])
def test_work_that_a_restarted_resource_manager_has_ended_is_lost(exit_status: int, lost_s: float) -> None:
    """Its nodes report such containers as ended by it."""
    done = met((2_000, [allocated(1)]), (3_000, [Completed((1, 1, 1), "n", exit_status)])).done()

    assert done == HarmDone(lost_s=lost_s)


IDLE = Toll({1: 50.0}, {1: 60.0, 2: 60.0}, frozenset(), 3, 4)
PAR = Toll({1: 10.0, 2: 30.0}, {2: 20.0}, frozenset({2}), 3, 3)


@pytest.mark.parametrize(
    ("own", "beyond"),
    [
        (IDLE, HarmFigures(0, 0, 0, 0)),
        (PAR, HarmFigures(0, 1, 0, 0)),
        (Toll({1: 70.0}, {}, frozenset(), 3, 4), HarmFigures(0, 0, 0, 0)),
        (Toll({1: 70.0, 2: 90.0}, {}, frozenset({2}), 3, 4), HarmFigures(10, 1, 0, 0)),
        (Toll({3: 40.0}, {}, frozenset({3}), 3, 4), HarmFigures(5, 1, 0, 0)),
        (Toll({}, {1: 70.0, 2: 65.0, 9: 99.0}, frozenset(), 3, 4), HarmFigures(0, 0, 15_000, 0)),
        (Toll({}, {1: 70.0}, frozenset({1}), 3, 1), HarmFigures(0, 1, 0, 2)),
        (Toll({}, {}, frozenset(), 1, 9), HarmFigures(0, 2, 0, 0)),
    ],
)
def test_harm_is_what_neither_idle_nor_par_does(own: Toll, beyond: HarmFigures) -> None:
    """Of 200 container-seconds at stake; who ends in place of par's costs no more, who came later nothing."""
    assert harm_beyond(own, IDLE, PAR, 200.0) == beyond


def test_harm_is_counted_from_the_beginning_of_the_drill_on() -> None:
    meter = met(
        (2_000, [allocated(1), allocated(2), NodeLost("a", "LOST"), ended(9, "KILLED")]),
        (3_000, [killed(1, "LOST")]),
        (4_000, [killed(2, "LOST"), NodeLost("b", "LOST"), NodeLost("c", "LOST")]),
        counting_from_ms=4_000,
    )

    assert meter.done() == HarmDone(lost_s=2.0, nodes_lost=2)
    assert meter.sacrificed() == {}


def test_who_was_killed_waits_no_more_and_goes_on_costing() -> None:
    meter = met((2_000, [ended(1, "KILLED")]))
    rows = [app(number, waiting_since_ms=since_ms) for number, since_ms in ((1, None), (2, 0), (3, None))]

    assert meter.pass_time(snapshot(header(), applications=rows), 1_500) == 1
    assert meter.done() == HarmDone(waiting_s=1.5, unserved_s=1.5, killed=1)


@pytest.mark.parametrize("state", sorted(UNSERVED))
def test_what_an_ended_application_costs_is_its_work_and_its_waiting_since(state: str) -> None:
    meter = met(
        (2_000, [allocated(1), allocated(3)]),
        (3_000, [ended(1, state), killed(1, "APPLICATION_ENDED"), ended(2, state), ended(3, "FINISHED")]),
        (4_000, [killed(3, "APPLICATION_ENDED"), ended(1, "FAILED")]),
        (5_500, []),
    )

    assert meter.sacrificed() == {1: Sacrifice(3_000, 1.0, 2.5), 2: Sacrifice(3_000, 0.0, 2.5)}
    assert meter.done() == HarmDone(lost_s=1.0, killed=2)
