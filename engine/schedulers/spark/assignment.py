"""Spark's assignment rule in closed form: the number of cores one application gets on each usable worker.

The real rule gives one step of cores at a time, going round the workers when spreading out and staying on a worker
while packing. Here the number of whole rounds is computed instead; `rounds` takes the same steps singly, and a test
holds both equal.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.model.java_values import INT_MAX
from engine.model.request import Resource


class RemainingDemand(NamedTuple):
    """The most one resource profile of an application may still be given."""

    cores_left: int  # Cores until the application's maximum
    executor_cores: int | None  # Cores of each executor; None: one executor for each worker, growing by single cores
    memory_mb: int  # Memory of each executor
    executors_left: int = INT_MAX  # Executors until the profile's target; `INT_MAX` is no limit


def assign(cores: Sequence[int], memory_mb: Sequence[int], want: RemainingDemand, spread_out: bool) -> list[int]:
    """Cores assigned on each usable worker, in the workers' order.

    Args:
        cores: Free cores of each usable worker.
        memory_mb: Free memory of each usable worker.
        spread_out: `spark.deploy.spreadOutApps`: go round the workers; else exhaust one before the next.

    A remainder smaller than `executor_cores` is never given. Growing an executor that this plan has opened asks
    neither for memory nor for the executor limit. Source: Master#scheduleExecutorsOnWorkers, Spark 4.x.

    >>> assign([10, 7, 3], [10240, 1024, 2048], RemainingDemand(12, 2, 512), True)
    [6, 4, 2]
    >>> assign([10, 7, 3], [10240, 1024, 2048], RemainingDemand(12, None, 512), True)
    [5, 4, 3]
    """
    step = want.executor_cores or 1
    left = min(want.cores_left, sum(cores)) // step
    room = [free // step for free in cores]
    # Without a size each worker opens one executor, which grows: memory and the executor limit are asked only once.
    if want.executor_cores is None:
        # Spreading out opens an executor on each worker in the first round, as long as there are cores to hand out.
        _close_workers(room, memory_mb, want, left if spread_out else INT_MAX)
    else:
        left = min(left, want.executors_left)
        if want.memory_mb > 0:
            room = [min(steps, free // want.memory_mb) for steps, free in zip(room, memory_mb, strict=True)]
    room = [max(0, steps) for steps in room]
    steps = _spread(room, left) if spread_out else _pack(room, left)
    return [count * step for count in steps]


def _close_workers(room: list[int], memory_mb: Sequence[int], want: RemainingDemand, opened_at_most: int) -> None:
    """With one executor a worker there is no room where none may be opened: beyond the limit, or the cores."""
    opened = 0
    limit = min(want.executors_left, opened_at_most)
    for position, free_mb in enumerate(memory_mb):
        if room[position] < 1 or free_mb < want.memory_mb or opened >= limit:
            room[position] = 0
        else:
            opened += 1


def _pack(room: Sequence[int], left: int) -> list[int]:
    steps = []
    for here in room:
        given = min(here, max(left, 0))
        steps.append(given)
        left -= given
    return steps


def _spread(room: Sequence[int], left: int) -> list[int]:
    if left <= 0:
        return [0] * len(room)
    if sum(room) <= left:
        return list(room)
    rounds, spent = _whole_rounds(sorted(room), left)
    rest = left - spent
    steps = []
    for here in room:
        extra = 1 if rest > 0 and here > rounds else 0
        rest -= extra
        steps.append(min(here, rounds) + extra)
    return steps


def _whole_rounds(ascending: Sequence[int], left: int) -> tuple[int, int]:
    """The most rounds whose steps do not exceed `left`, and those steps; the total room is greater than `left`."""
    used_up = 0
    open_workers = len(ascending)
    for here in ascending:
        if used_up + here * open_workers > left:
            break
        used_up += here
        open_workers -= 1
    rounds = (left - used_up) // open_workers
    return rounds, used_up + rounds * open_workers


# Places waiting drivers on workers: one plan for a whole pass.
#
# By `Source:` Master#schedule, Spark 4.x, with `spark.deploy.spreadOutDrivers` and `spark.deploy.maxDrivers`.


class DriverPlace(NamedTuple):
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

    A driver that does not fit blocks no other.

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
