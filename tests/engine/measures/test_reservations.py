"""Reservations of a run: how many at once, and how long in vain."""

from engine.measures.meter import Reservations
from engine.model.decision import Allocated, Reserved, Unreserved

NODE = "n1:1"


def reserved(number: int, place: int) -> Reserved:
    """A node reserved for an application."""
    return Reserved((number, 1, place), NODE, 0, 10, 1)


def unreserved(number: int, place: int) -> Unreserved:
    """It is dropped."""
    return Unreserved((number, 1, place), NODE, 0, 10, 1)


def test_a_reservation_without_a_container_is_in_vain() -> None:
    """It counts from its begin, however often it is renewed, and so far while it stands."""
    reservations = Reservations()
    for time_ms in (0, 1000):
        reservations.reserved(reserved(1, 2), time_ms)
    reservations.reserved(reserved(1, 3), 1000)
    reservations.dropped(unreserved(1, 2), 3000)
    assert (reservations.in_vain_ms(4000), reservations.most, reservations.most_by_one) == (6000, 2, 2)


def test_a_reservation_that_is_used_is_not_in_vain() -> None:
    """Nor is a container that was never reserved, and dropping what does not stand counts nothing."""
    reservations = Reservations()
    reservations.reserved(reserved(1, 2), 0)
    reservations.used(Allocated((1, 1, 9), NODE, 0, 10, 1))
    reservations.used(Allocated((1, 1, 2), NODE, 0, 10, 1))
    reservations.dropped(unreserved(1, 2), 3000)

    assert reservations.in_vain_ms(4000) == 0


def test_the_most_at_once_is_counted_in_all_and_for_one() -> None:
    """What ended before another begins is not at once with it."""
    reservations = Reservations()
    for number, place in ((1, 2), (2, 2), (2, 3)):
        reservations.stands((number, 1, place), 0)
    reservations.dropped(unreserved(2, 3), 1)
    reservations.used(Allocated((2, 1, 2), NODE, 0, 10, 1))
    reservations.stands((2, 1, 4), 2)
    assert (reservations.most, reservations.most_by_one) == (3, 2)
    for place in (5, 6):
        reservations.stands((2, 1, place), 3)

    assert (reservations.most, reservations.most_by_one) == (4, 3)


def test_what_stands_as_the_run_begins_counts_from_there() -> None:
    """And what was before does not."""
    reservations = Reservations()
    for place in (2, 3, 4):
        reservations.stands((1, 1, place), 0)
    reservations.stands((2, 1, 2), 0)
    reservations.dropped(unreserved(1, 2), 10)
    reservations.begin(100)

    assert (reservations.most, reservations.most_by_one, reservations.in_vain_ms(103)) == (3, 2, 9)


def test_a_run_may_begin_without_any() -> None:
    """There is nothing at once and nothing in vain."""
    reservations = Reservations()
    reservations.begin(100)

    assert (reservations.most, reservations.most_by_one, reservations.in_vain_ms(200)) == (0, 0, 0)
    assert (Reservations().most, Reservations().most_by_one, Reservations().in_vain_ms(9)) == (0, 0, 0)
