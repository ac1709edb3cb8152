"""Harm done while a trainee works: work lost by cause, who waits, and what each ended application has cost."""

from typing import Any

import pytest

from engine.control_plane.protocol import NodeLost
from engine.model.decision import Allocated, ApplicationTransitioned, Killed
from engine.simulation.records import Record
from engine.training.harm import LOSSES, UNSERVED, HarmDone, HarmMeter, Sacrifice

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
        meter.records(time_ms, records)
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


@pytest.mark.parametrize("cause", ["APPLICATION_ENDED", "RELEASED", "EXPIRED"])
def test_work_of_a_container_that_is_let_go_is_not_lost(cause: str) -> None:
    own, others = met((2_000, [allocated(1)]), (3_000, [killed(1, cause)])), HarmDone()
    assert own.done() == others

    meter = met((2_000, [allocated(1)]), (3_000, [killed(1, cause), ended(1, "KILLED")]))
    assert meter.done() == HarmDone(lost_s=1.0, killed=1)


def test_harm_is_counted_from_the_beginning_of_the_drill_on() -> None:
    meter = met(
        (2_000, [allocated(1), allocated(2), NodeLost("a", "LOST"), ended(9, "KILLED")]),
        (3_000, [killed(1, "LOST")]),
        (4_000, [killed(2, "LOST"), NodeLost("b", "LOST"), NodeLost("c", "LOST")]),
        counting_from_ms=4_000,
    )

    assert meter.done() == HarmDone(lost_s=2.0, nodes_lost=2)
    assert meter.sacrificed() == {}


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
