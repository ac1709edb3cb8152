"""Reservations of a ResourceManager's log: when one begins, what names it, and how it ends."""

import pytest

from engine.formats.traces.rm_log_lines import application_of
from engine.formats.traces.rm_reservations import TOGETHER_MS, LogReservations
from engine.formats.traces.rm_timeline import LogContainer, LogReservation

APP, OTHER = "application_17_0001", "application_17_0002"
FIRST, SECOND = "container_17_0001_01_000002", "container_17_0001_01_000003"
ELSE = "container_17_0002_01_000002"


def empty() -> tuple[list[LogReservation], LogReservations]:
    """No reservation yet: those that will be made, and what keeps them."""
    made: list[LogReservation] = []
    return made, LogReservations(made)


def given(container: str, node: str = "n", memory_mb: int = 8, vcores: int = 2) -> LogContainer:
    return LogContainer(container, application_of(container), 0, node, memory_mb, vcores)


@pytest.mark.parametrize(("later_ms", "is_one"), [(0, True), (TOGETHER_MS, True), (TOGETHER_MS + 1, False)])
def test_lines_of_one_reservation_are_close_together(later_ms: int, *, is_one: bool) -> None:
    """A container reserved later is another one, of which nothing has named the node."""
    made, held = empty()
    held.hold(LogReservation(APP, "n", 5))
    held.reserve(FIRST, 5 + later_ms)

    alone = [LogReservation(APP, "n", 5), LogReservation(APP, None, 5 + later_ms, container=FIRST)]
    assert made == ([LogReservation(APP, "n", 5, container=FIRST)] if is_one else alone)


def test_a_container_placed_on_a_held_node_replaces_what_it_was_held_for() -> None:
    made, held = empty()
    held.hold(LogReservation(OTHER, "n", 1))
    held.place(FIRST, "n", 2)

    assert made == [LogReservation(OTHER, "n", 1, 2, end="REPLACED"), LogReservation(APP, "n", 2, container=FIRST)]


@pytest.mark.parametrize(
    ("container", "node", "ends"),
    [(FIRST, "n", True), (SECOND, "n", False), (ELSE, "n", False), (FIRST, "m", False)],
)
def test_a_reservation_ends_with_the_container_it_was_for(container: str, node: str, *, ends: bool) -> None:
    made, held = empty()
    held.place(FIRST, "n", 1)
    held.fulfil(given(container, node), 7)

    one = LogReservation(APP, "n", 1, 7, FIRST, 8, 2, "ALLOCATED")
    assert made == [one if ends else LogReservation(APP, "n", 1, container=FIRST)]


@pytest.mark.parametrize(("later_ms", "is_back"), [(TOGETHER_MS, True), (TOGETHER_MS + 1, False)])
def test_an_end_taken_for_the_oldest_is_that_of_the_one_allocated_just_after(later_ms: int, *, is_back: bool) -> None:
    made, held = empty()
    held.reserve(FIRST, 1)
    held.reserve(SECOND, 2)
    held.unreserve(APP, "n", 7)
    held.fulfil(given(SECOND), 7 + later_ms)

    first = LogReservation(APP, None, 1, container=FIRST)
    ended = LogReservation(APP, "n", 1, 7, FIRST, end="UNRESERVED")
    assert made == [first if is_back else ended, LogReservation(APP, "n", 2, 7 + later_ms, SECOND, 8, 2, "ALLOCATED")]
    held.end_all(99, "STOPPED")
    assert made[0].until_ms == (99 if is_back else 7)


@pytest.mark.parametrize(("now_ms", "is_excused"), [(7 + TOGETHER_MS, True), (8 + TOGETHER_MS, False)])
def test_what_is_forgotten_is_what_no_line_can_be_about(now_ms: int, *, is_excused: bool) -> None:
    """Ends a second old and more; what holds gets its size all the same."""
    made, held = empty()
    held.reserve(FIRST, 1)
    held.reserve(SECOND, 2)
    held.fulfil(given(FIRST), 7)
    held.forget_ended(now_ms)
    held.unreserve(APP, "n", 8)
    held.set_size(APP, 6, 3)

    assert made[1].until_ms == (None if is_excused else 8)
    assert [(each.memory_mb, each.vcores) for each in made] == [(8, 2), (6, 3)]
