"""Simulated time: a heap of tuples, and a position within the instant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fork import fork
from engine.simulation.world import END_OF_INSTANT, NODE_HEARTBEAT, Clock


def test_events_come_by_time_then_priority_then_order() -> None:
    clock = Clock(0)
    for event in [(5, 4, 2, 6), (5, 4, 1, 6), (5, 0, 9, 0), (3, 5, 0, 8)]:
        clock.schedule(event)

    taken = [clock.take() for _ in range(4)]

    assert taken == [(3, 5, 0, 8), (5, 0, 9, 0), (5, 4, 1, 6), (5, 4, 2, 6)]


def test_taking_an_event_moves_time() -> None:
    clock = Clock(0)
    clock.schedule((7, 4, 1, 6))

    clock.take()

    assert (clock.now_ms, clock.position, clock.next_ms()) == (7, (7, 4, 1, 6), None)


def test_time_does_not_turn_back() -> None:
    with pytest.raises(ValueError, match="before 10"):
        Clock(10).schedule((9, 0, 0, 0))


def test_passing_to_an_instant_ends_it() -> None:
    clock = Clock(0)

    clock.pass_to(50)
    clock.pass_to(40)

    assert (clock.now_ms, clock.position) == (50, (50, END_OF_INSTANT))


def test_an_instant_can_be_reached_before_anything_in_it() -> None:
    """At the edge of an instant a beat in it is still to come."""
    clock = Clock(0)

    clock.pass_to(1000, ended=False)

    assert clock.next_beat_ms(0, 1000, NODE_HEARTBEAT, 3) == 1000


def test_a_fork_has_its_own_heap() -> None:
    clock = Clock(0)
    clock.schedule((5, 4, 1, 6))
    copy = fork(clock)

    copy.take()
    copy.schedule((9, 4, 1, 6))

    assert (clock.heap, clock.now_ms) == ([(5, 4, 1, 6)], 0)


def test_dropped_kinds_are_gone_and_the_heap_is_the_same_list() -> None:
    clock = Clock(0)
    heap = clock.heap
    for event in [(5, 4, 1, 6), (6, 4, 1, 7), (4, 5, 0, 8)]:
        clock.schedule(event)

    clock.drop((6, 8))

    assert clock.heap is heap
    assert heap == [(6, 4, 1, 7)]


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
