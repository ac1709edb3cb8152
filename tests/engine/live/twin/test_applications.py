"""Applications of a picture as a twin takes them over: what they hold, ask for and have reserved."""

from typing import Any

import pytest

from engine.live.twin.applications import Assumptions, Estimate, Surroundings, recovered_of
from engine.live.twin.cluster_holdings import HeldContainers
from engine.observe.snapshot import UNKNOWN, ApplicationRow, AskRow, ReservationRow
from engine.scenario import RecoveredReservation, RecoveredSpec
from tests.engine.live.rows import app

NOW_MS = 100_000
NAME = "application_1_0001"


def surroundings(**changes: Any) -> Surroundings:
    nothing = Surroundings(NOW_MS, frozenset({"n1", "n2"}), False, {}, {}, {}, {}, {}, frozenset(), Assumptions(), None)
    return nothing._replace(**changes)


def held(size: tuple[int, int] = (8, 1), count: int = 1, priority: int | None = None, **more: Any) -> HeldContainers:
    fields = {"is_am": False, "since_ms": None, **more}
    return HeldContainers("n1:1", size, count, priority, **fields)


MASTER = held((2, 1), is_am=True)


def recovered(row: ApplicationRow, holds: tuple[HeldContainers, ...] = (), **changes: Any) -> RecoveredSpec:
    return recovered_of(row, surroundings(holdings={row.id: holds}, **changes))


def spec(found: RecoveredSpec) -> Any:
    return found.application


@pytest.mark.parametrize(
    ("asks", "size", "found"),
    [
        ((AskRow(5, 1, (9, 1)), AskRow(6, 1, (8, 1))), (8, 1), (8, 1, 6)),
        ((AskRow(5, 1, (9, 1)), AskRow(6, 1, (8, 1))), (7, 1), (7, 1, 5)),
        ((), (8, 1), (8, 1, 0)),
    ],
)
def test_a_reservation_is_for_the_ask_of_its_size(asks: Any, size: Any, found: tuple[int, int, int]) -> None:
    row = ReservationRow("n1:1", NAME, "", size, (1, 1), (0, 0), UNKNOWN)
    held_for = recovered(app(1, *asks), (MASTER,), reserved={NAME: [row]}).reserved

    memory_mb, vcores, priority = found
    assert held_for == (
        RecoveredReservation(node="n1:1", memory_mb=memory_mb, vcores=vcores, priority=priority, since_ms=0),
    )


@pytest.mark.parametrize(
    ("known", "estimate", "given", "found"),
    [
        (UNKNOWN, None, {}, ((60_000, 60_000), (60_000, 60_000))),
        (UNKNOWN, Estimate(9_000, 4_000), {}, ((9_000, 9_000), (4_000, 4_000))),
        (UNKNOWN, Estimate(9_000, 4_000), {"1": 7}, ((7, 7), (7, 7))),
        (UNKNOWN, None, {"0001": None}, (None, None)),
        (5_000, None, {}, ((60_000, 60_000), (5_000, 5_000))),
        (None, None, {}, ((60_000, 60_000), None)),
    ],
)
def test_how_long_containers_run_is_known_or_given_or_concluded(
    known: Any, estimate: Estimate | None, given: dict[str, int | None], found: object
) -> None:
    row = app(1, AskRow(1, 1, (9, 1)), submitted_ms=40_000)
    done = recovered(
        row,
        (held(remaining_ms=known),),
        estimates={} if estimate is None else {NAME: estimate},
        assumptions=Assumptions(of_application=given),
    )

    assert (spec(done).asks[0].duration_ms, done.containers[0].remaining_ms) == found
