"""How an application is served, from the fields of its row alone."""

from types import SimpleNamespace

import pytest

from engine.observe.snapshot import UNKNOWN, Unknown
from engine.observe.snapshots import ENDED, IDLE, SERVED, STARTS, WAITS, WaitTotal, service_of, waits_of


@pytest.mark.parametrize(
    ("state", "pending", "since_ms", "containers", "service"),
    [
        ("FINISHED", 3, 5, 2, ENDED),
        ("RUNNING", 1, None, 9, WAITS),
        ("RUNNING", 0, 5, 1, SERVED),
        ("RUNNING", 0, None, 0, IDLE),
        ("RUNNING", UNKNOWN, 5, 1, WAITS),
        ("RUNNING", UNKNOWN, None, 1, SERVED),
        ("ACCEPTED", 1, 5, 0, WAITS),
        ("ACCEPTED", 0, None, 0, WAITS),
        ("ACCEPTED", 0, None, 1, STARTS),
        ("WAITING", UNKNOWN, 5, 0, WAITS),
    ],
)
def test_an_unmet_ask_decides(
    state: str, pending: int | Unknown, since_ms: int | None, containers: int, service: str
) -> None:
    """Where what is pending is unknown, whether it waits does; who holds nothing and does not run waits."""
    assert service_of(state, pending, since_ms, containers) == service


def test_the_longest_wait_counts_from_the_first_that_waits() -> None:
    """Of those that wait only: since when another one waited is not looked at."""
    row = {"state": "RUNNING", "containers": 1}
    rows = [
        SimpleNamespace(**row, waiting_since_ms=since_ms, pending_containers=pending)
        for since_ms, pending in ((7, 1), (5, 1), (3, 0))
    ]

    assert (waits_of(rows), waits_of(rows[2:])) == (WaitTotal(0, 2, 5), WaitTotal())
