"""Where waiting drivers go."""

from engine.model.resource import Resource
from engine.schedulers.spark.driver_placement import DriverPlace, place_drivers

SMALL = Resource(512, 1)
EQUAL = [Resource(1024, 4)] * 3


def workers_of(places: list[DriverPlace]) -> list[int]:
    """The chosen workers in order of the drivers."""
    return [place.worker for place in places]


def test_round_robin_goes_on_after_the_last_worker() -> None:
    """Three equal workers get one driver each, a fourth begins again."""
    assert workers_of(place_drivers(EQUAL, [SMALL] * 4, 9, True)) == [0, 1, 2, 0]


def test_without_spreading_the_first_that_fits_is_filled() -> None:
    """Drivers stay on the first worker while its memory lasts."""
    assert workers_of(place_drivers(EQUAL, [SMALL] * 4, 9, False)) == [0, 0, 1, 1]


def test_a_driver_that_does_not_fit_blocks_nobody() -> None:
    """The one behind it starts, and it is not among the places."""
    assert place_drivers(EQUAL, [Resource(9999, 1), SMALL], 9, True) == [DriverPlace(1, 0)]


def test_no_more_start_than_may_run() -> None:
    """The maximum counts those already running; none or less means none."""
    assert [len(place_drivers(EQUAL, [SMALL] * 3, room, True)) for room in (2, 0, -1)] == [2, 0, 0]


def test_without_workers_nobody_starts() -> None:
    """An empty cluster places no driver."""
    assert place_drivers([], [SMALL], 9, True) == []
