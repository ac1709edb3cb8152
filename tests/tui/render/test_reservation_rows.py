"""Reservations by application: groups, their headlines, and what rows say of a node."""

from typing import Any

import pytest

from engine.observe.snapshot import UNKNOWN, ReservationRow
from tests.tui import fakes
from tui.picture import Picture, RunState
from tui.render import reservation
from tui.render.group import Grouping
from tui.render.line import Look, flat

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)


def _row(host: str, number: int = 183354, **changes: Any) -> ReservationRow:
    application = fakes.application_row(number).id
    return fakes.reservation_row(host, **{"application": application, "since_ms": fakes.NOW - 90_000, **changes})


def _grouping(*rows: ReservationRow) -> Grouping:
    snapshot = fakes.FakeSnapshot(fakes.header(), applications=[fakes.application_row(183354, name="weekly")])
    return reservation.by_application(rows, Picture(snapshot, RunState("x"), (), 1), LOOK)


def test_who_holds_most_nodes_stands_first() -> None:
    groups = _grouping(_row("a", 7), _row("b"), _row("c")).groups

    assert [group.places for group in groups] == [[1, 2], [0]]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "2 nodes for 183354 weekly: 62.5G/1c each since 08:59:30"),
        ({"size": (1024, 1)}, "2 nodes for 183354 weekly since 08:59:30"),
        ({"since_ms": UNKNOWN}, "2 nodes for 183354 weekly: 62.5G/1c each since 08:59:30"),
        ({"since_ms": fakes.NOW - 120_000}, "2 nodes for 183354 weekly: 62.5G/1c each since 08:59:00"),
    ],
)
def test_the_headline_says_once_what_all_rows_share(changes: dict[str, Any], words: str) -> None:
    (group,) = _grouping(_row("a"), _row("b", **changes)).groups

    assert flat(group.words) == words


def test_an_application_that_is_gone_has_a_number_only() -> None:
    (group,) = _grouping(_row("a", 7)).groups

    assert flat(group.words) == "1 node for 0007: 62.5G/1c since 08:59:30"
