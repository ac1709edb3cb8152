"""Places waiting drivers on workers: one plan for a whole pass.

Source: Master#schedule, Spark 4.x; `spark.deploy.spreadOutDrivers`, `spark.deploy.maxDrivers`.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.model.request import Resource


class DriverPlace(NamedTuple):
    """A waiting driver and the worker chosen for it."""

    driver: int  # Position among the waiting drivers
    worker: int  # Position among the alive workers as given


def place_drivers(
    workers: Sequence[Resource], drivers: Sequence[Resource], may_start: int, round_robin: bool
) -> list[DriverPlace]:
    """The places of waiting drivers, in order of arrival.

    Args:
        workers: What is free on each alive worker, in the order to look at them: shuffled for `round_robin`, by
            worker id otherwise.
        drivers: What each waiting driver needs, in order of arrival.
        may_start: How many may start before `spark.deploy.maxDrivers` are running; not positive: none.
        round_robin: `spark.deploy.spreadOutDrivers`: each driver goes on from the worker after the last looked at;
            else each takes the first worker that fits.

    A driver that does not fit blocks nobody.

    >>> place_drivers([Resource(1024, 2), Resource(1024, 2)], [Resource(512, 1)] * 3, 9, True)
    [DriverPlace(driver=0, worker=0), DriverPlace(driver=1, worker=1), DriverPlace(driver=2, worker=0)]
    """
    free = list(workers)
    places: list[DriverPlace] = []
    start = 0
    for number, need in enumerate(drivers):
        if len(places) >= may_start:
            break
        # Packing looks from the first worker on for each driver.
        if not round_robin:
            start = 0
        for visited in range(len(free)):
            position = (start + visited) % len(free)
            if need.fits_in(free[position]):
                free[position] = free[position].minus(need)
                places.append(DriverPlace(number, position))
                start = (position + 1) % len(free)
                break
    return places
