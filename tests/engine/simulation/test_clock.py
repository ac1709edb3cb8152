"""Simulated time: a heap of tuples, and a position within the instant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.simulation.world import NODE_HEARTBEAT, Clock


def test_events_come_by_time_then_priority_then_order() -> None:
    clock = Clock(0)
    for event in [(5, 4, 2, 6), (5, 4, 1, 6), (5, 0, 9, 0), (3, 5, 0, 8)]:
        clock.schedule(event)

    taken = [clock.take() for _ in range(4)]

    assert taken == [(3, 5, 0, 8), (5, 0, 9, 0), (5, 4, 1, 6), (5, 4, 2, 6)]


def test_time_does_not_turn_back() -> None:
    with pytest.raises(ValueError, match="before 10"):
        Clock(10).schedule((9, 0, 0, 0))


@given(st.integers(0, 5000), st.integers(-1, 9), st.integers(0, 5), st.integers(0, 5000), st.integers(1, 2000))
def test_the_next_beat_is_the_first_that_has_not_been_passed(
    now_ms: int, edge: int, order: int, phase_ms: int, interval_ms: int
) -> None:
    """No beat of the rhythm lies between the position and the next one, and the last one lies behind."""
    clock = Clock(now_ms)
    clock.position = (now_ms, edge, 2)

    due = clock.next_beat_ms(phase_ms, interval_ms, NODE_HEARTBEAT, order)
    last = clock.last_beat_ms(phase_ms, interval_ms, NODE_HEARTBEAT, order)

    assert (due - phase_ms) % interval_ms == 0
    assert (due, NODE_HEARTBEAT, order) > clock.position
    assert (due - interval_ms, NODE_HEARTBEAT, order) <= clock.position
    assert last == due - interval_ms
