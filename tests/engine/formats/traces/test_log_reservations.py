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
    """A container that was allocated."""
    return LogContainer(container, application_of(container), 0, node, memory_mb, vcores)


def test_a_node_holds_one_reservation_which_another_application_replaces() -> None:
    """The line of the same application is written again while it lasts."""
    made, held = empty()
    for application, at_ms in ((APP, 1), (APP, 2), (OTHER, 3)):
        held.hold(LogReservation(application, "n", at_ms))

    assert made == [LogReservation(APP, "n", 1, 3, end="REPLACED"), LogReservation(OTHER, "n", 3)]


@pytest.mark.parametrize(("later_ms", "is_one"), [(0, True), (TOGETHER_MS, True), (TOGETHER_MS + 1, False)])
def test_lines_of_one_reservation_are_close_together(later_ms: int, *, is_one: bool) -> None:
    """A container reserved later is another one, of which nothing has named the node."""
    made, held = empty()
    held.hold(LogReservation(APP, "n", 5))
    held.reserve(FIRST, 5 + later_ms)

    alone = [LogReservation(APP, "n", 5), LogReservation(APP, None, 5 + later_ms, container=FIRST)]
    assert made == ([LogReservation(APP, "n", 5, container=FIRST)] if is_one else alone)


def test_a_reservation_has_one_container_of_its_own_application() -> None:
    """A second container, and that of another application, are reservations of their own."""
    made, held = empty()
    held.hold(LogReservation(APP, "n", 5))
    for container in (ELSE, FIRST, SECOND):
        held.reserve(container, 5)

    assert made == [
        LogReservation(APP, "n", 5, container=FIRST),
        LogReservation(OTHER, None, 5, container=ELSE),
        LogReservation(APP, None, 5, container=SECOND),
    ]


def test_a_container_that_was_reserved_is_placed_on_its_node() -> None:
    """It keeps its beginning; one that no line reserved begins with its place."""
    made, held = empty()
    held.reserve(FIRST, 1)
    held.place(FIRST, "n", 2)
    held.place(ELSE, "m", 3)
    held.hold(LogReservation(APP, "k", 4))
    held.place(SECOND, "k", 9)

    assert made == [
        LogReservation(APP, "n", 1, container=FIRST),
        LogReservation(OTHER, "m", 3, container=ELSE),
        LogReservation(APP, "k", 4, container=SECOND),
    ]


def test_a_container_placed_on_a_held_node_replaces_what_it_was_held_for() -> None:
    """Where that is another application."""
    made, held = empty()
    held.hold(LogReservation(OTHER, "n", 1))
    held.place(FIRST, "n", 2)

    assert made == [LogReservation(OTHER, "n", 1, 2, end="REPLACED"), LogReservation(APP, "n", 2, container=FIRST)]


@pytest.mark.parametrize(
    ("container", "node", "ends"),
    [(FIRST, "n", True), (SECOND, "n", False), (ELSE, "n", False), (FIRST, "m", False)],
)
def test_a_reservation_ends_with_the_container_it_was_for(container: str, node: str, *, ends: bool) -> None:
    """On its node, with its size."""
    made, held = empty()
    held.place(FIRST, "n", 1)
    held.fulfil(given(container, node), 7)

    one = LogReservation(APP, "n", 1, 7, FIRST, 8, 2, "ALLOCATED")
    assert made == [one if ends else LogReservation(APP, "n", 1, container=FIRST)]


def test_a_reservation_without_a_node_ends_where_its_container_is_allocated() -> None:
    """The line that ends it there, written within a second, is that of no other."""
    for later_ms, ended in ((TOGETHER_MS, False), (TOGETHER_MS + 1, True)):
        made, held = empty()
        held.reserve(FIRST, 1)
        held.reserve(SECOND, 2)
        held.fulfil(given(FIRST), 7)
        held.unreserve(APP, "n", 7 + later_ms)

        second = LogReservation(APP, None, 2, container=SECOND)
        if ended:
            second = LogReservation(APP, "n", 2, 7 + later_ms, SECOND, end="UNRESERVED")
        assert made == [LogReservation(APP, "n", 1, 7, FIRST, 8, 2, "ALLOCATED"), second]


def test_the_line_of_one_allocated_is_excused_once() -> None:
    """The next one ends the oldest that is left."""
    made, held = empty()
    held.reserve(FIRST, 1)
    held.reserve(SECOND, 2)
    held.fulfil(given(FIRST), 7)
    for at_ms in (8, 9):
        held.unreserve(APP, "n", at_ms)

    assert made[1] == LogReservation(APP, "n", 2, 9, SECOND, end="UNRESERVED")


@pytest.mark.parametrize(("later_ms", "is_back"), [(TOGETHER_MS, True), (TOGETHER_MS + 1, False)])
def test_an_end_taken_for_the_oldest_is_that_of_the_one_allocated_just_after(later_ms: int, *, is_back: bool) -> None:
    """The oldest is reserved again, and the first to end."""
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


def test_a_node_is_not_held_any_more_for_the_application_it_was_held_for() -> None:
    """For another one nothing ends."""
    made, held = empty()
    held.hold(LogReservation(APP, "n", 1))
    held.unreserve(OTHER, "n", 2)
    held.unreserve(APP, "m", 3)
    assert made == [LogReservation(APP, "n", 1)]

    held.unreserve(APP, "n", 4)
    assert made == [LogReservation(APP, "n", 1, 4, end="UNRESERVED")]


def test_a_size_is_that_of_all_reservations_that_have_none() -> None:
    """Of one application; later ones have their own."""
    made, held = empty()
    for application, node in ((APP, "a"), (OTHER, "b"), (APP, "c")):
        held.hold(LogReservation(application, node, 1))
    made[0].memory_mb, made[0].vcores = 1, 1
    held.set_size(APP, 8, 2)
    held.hold(LogReservation(APP, "d", 2))

    assert [(each.memory_mb, each.vcores) for each in made] == [(1, 1), (None, None), (8, 2), (None, None)]


@pytest.mark.parametrize(("application", "ended"), [(None, 4), (APP, 2)])
def test_all_reservations_end_or_those_of_one_application(application: str | None, ended: int) -> None:
    """Whether their nodes are known or not."""
    made, held = empty()
    held.hold(LogReservation(APP, "n", 1))
    held.hold(LogReservation(OTHER, "m", 1))
    held.reserve(FIRST, TOGETHER_MS + 2)
    held.reserve(ELSE, TOGETHER_MS + 2)
    held.end_all(9_000, "ENDED", application)

    ends = [(each.until_ms, each.end) for each in made if each.application == APP or application is None]
    assert ends == [(9_000, "ENDED")] * ended
    assert sum(each.until_ms is None for each in made) == 4 - ended


def test_a_host_is_renamed_in_what_is_held_and_what_was() -> None:
    """What the node holds ends by its id."""
    made, held = empty()
    for node in ("h", "g"):
        held.hold(LogReservation(APP, node, 1))
    held.rename("h", "h:1")
    held.unreserve(APP, "h:1", 5)

    assert made == [LogReservation(APP, "h:1", 1, 5, end="UNRESERVED"), LogReservation(APP, "g", 1)]


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
