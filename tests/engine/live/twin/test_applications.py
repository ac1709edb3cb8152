"""Applications of a picture as a twin takes them over: what they hold, ask for and have reserved."""

from typing import Any

import pytest

from engine.errors import ConfigError
from engine.live.twin.applications import Surroundings, recovered_of
from engine.live.twin.assumptions import Assumptions, read_assumptions
from engine.live.twin.durations import Estimate
from engine.live.twin.holdings import HeldContainers
from engine.observe.snapshot import UNKNOWN, ApplicationRow, AskRow, ReservationRow
from engine.scenario import AskSpec, RecoveredContainers, RecoveredReservation, RecoveredSpec
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


def test_an_application_that_runs_is_taken_over_with_what_it_holds_and_asks_for() -> None:
    row = app(1, AskRow(20, 3, (8, 1)), submitted_ms=40_000, waiting_since_ms=90_000, name="etl", type="TEZ")
    found = recovered(row, (MASTER, held(count=2, since_ms=70_000)))
    span = (60_000, 60_000)

    assert found.registered
    assert (found.attempt, found.waiting_since_ms, found.reserved) == (1, -10_000, ())
    assert found.containers == (
        RecoveredContainers(
            node="n1:1", memory_mb=2, vcores=1, count=1, priority=0, ask=None, since_ms=-60_000, remaining_ms=(0, 0)
        ),
        RecoveredContainers(
            node="n1:1", memory_mb=8, vcores=1, count=2, priority=1, ask=0, since_ms=-30_000, remaining_ms=span
        ),
    )
    one = spec(found)
    assert (one.name, one.user, one.queue, one.at_ms, one.number) == ("etl", "ann", "root.q", -60_000, 1)
    assert (one.application_type, one.am.memory_mb, one.am.vcores, one.register_delay_ms) == ("TEZ", 2, 1, None)
    assert one.asks == (AskSpec(priority=20, memory_mb=8, vcores=1, count=5, relax=True, duration_ms=span),)


@pytest.mark.parametrize(
    ("changes", "more", "found"),
    [
        ({"user": ""}, {}, ("unknown", "root.q", 1)),
        ({}, {"short_queues": True}, ("ann", "q", 1)),
        ({"queue": ""}, {}, ("ann", None, 1)),
        ({}, {"doubled": frozenset({1})}, ("ann", "root.q", None)),
        ({}, {"doubled": frozenset({2})}, ("ann", "root.q", 1)),
    ],
)
def test_who_where_and_which_it_is(changes: dict[str, Any], more: dict[str, Any], found: object) -> None:
    one = spec(recovered(app(1, **changes), (MASTER,), **more))

    assert (one.user, one.queue, one.number) == found


def test_a_strict_ask_for_as_many_hosts_as_containers_is_for_one_on_each() -> None:
    strict = AskRow(1, 2, (8, 1), ("n1", "/r", "n2"), False)
    three = AskRow(2, 3, (8, 1), ("n1", "/r", "n2"), False)
    loose = AskRow(3, 2, (8, 1), ("n2", "n1", "/r"), True)
    asks = spec(recovered(app(1, strict, three, loose), (MASTER,))).asks

    assert [(each.count, each.hosts, each.racks, each.relax) for each in asks] == [
        (1, ("n1",), (), False),
        (1, ("n2",), (), False),
        (3, ("n1", "n2"), ("/r",), False),
        (2, ("n2", "n1"), ("/r",), True),
    ]


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


def test_every_text_that_means_nothing_is_refused() -> None:
    with pytest.raises(ConfigError) as caught:
        read_assumptions(["soon", "1m", "a=later"])

    assert [(each.key, each.hint) for each in caught.value.problems] == [
        ("--remaining", "10m, forever, or APP=10m")
    ] * 2


def test_names_that_nobody_has_are_refused_with_a_way_out() -> None:
    with pytest.raises(ConfigError) as caught:
        Assumptions(1, {"etx": 2, "12": 3, "qqqqqqqq": None}).check([app(12, name="etl")])

    (first, second) = caught.value.problems
    assert first.message == "no application is called 'etx'"
    assert first.hint == "did you mean etl?"
    assert (second.message, second.hint) == (
        "no application is called 'qqqqqqqq'",
        "an id, a number or a name of the list",
    )
