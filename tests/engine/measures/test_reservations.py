"""Reservations of a run: how many at once, and how long in vain."""

from engine.measures.meters import Reservations
from engine.model.decision import Allocated, Unreserved

NODE = "n1:1"


def unreserved(number: int, place: int) -> Unreserved:
    return Unreserved((number, 1, place), NODE, 0, 10, 1)


def test_the_most_at_once_is_counted_in_all_and_for_one() -> None:
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
