"""Alerts from beginning to end."""

import pytest

from engine.explain.alert import Alert, episodes_of, standing_of

FROZEN = Alert("frozen", 1_000, 2_000, "nothing moves", "deadlocked", applications=(1, 2))
STUCK = Alert("stuck", 1_000, 2_000, "0003 is stuck", applications=(3,))
OVER = Alert("over", 1_000, 9_000, "allocations go on again")


@pytest.mark.parametrize(
    ("end", "ends_ms"),
    [
        (OVER, [9_000, None]),
        (Alert("over", 1_000, 9_000, "it waits no longer", applications=(3,)), [None, 9_000]),
        (Alert("over", 1_001, 9_000, "another"), [None, None]),
    ],
    ids=["freeze", "application", "since another time"],
)
def test_an_end_names_since_when_and_whose_alert_it_ends(end: Alert, ends_ms: list[int | None]) -> None:
    assert [each.until_ms for each in episodes_of((FROZEN, STUCK, end))] == ends_ms


def test_a_freeze_that_is_over_does_not_stand() -> None:
    assert standing_of((FROZEN, OVER)) == []
    assert standing_of((FROZEN, OVER, FROZEN)) == [FROZEN]


def test_a_lost_node_is_lost_until_it_is_back() -> None:
    lost = Alert("lost", 1, 1, "it is lost", node="n1")
    other, back = Alert("returned", 2, 2, "it is back", node="n2"), Alert("returned", 3, 3, "it is back", node="n1")

    assert standing_of((lost, other)) == [lost]
    assert [each.until_ms for each in episodes_of((lost, other, back))] == [3]


def test_what_happened_once_is_over_at_once() -> None:
    some = [Alert(kind, 5, 6, "refused") for kind in ("refused", "too-large")]

    assert [each.until_ms for each in episodes_of(some)] == [5, 5]
