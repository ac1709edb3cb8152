"""Containers of an application of which only the sums over its life are known.

A ResourceManager adds memory and vcores over the time that each container was held, the master's with them, and cuts
the sums to whole seconds. So the master is one of the containers, a quotient of the sums is no size, and an
application whose containers were held for less than its life has waited for the rest of it.

Sizes are multiples of a step of memory, as a scheduler grants them: one size where the sums allow it, else the two
around their quotient, in the amounts that give both sums.

Source: RMAppAttemptMetrics#getAggregateAppResourceUsage, SchedulerUtils#normalizeRequest, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Sequence
from math import ceil, floor
from typing import Final, NamedTuple

from engine.formats.traces.application import TraceTasks

STEP_MB: Final = 1024  # Memory of a container is a multiple of it. Source: yarn.scheduler.minimum-allocation-mb.
LEAST_STEP_MB: Final = 128
CUT: Final = 0.02  # What the cut to whole seconds takes of the vcores, container by container, at most
MASTER_ALONE_S: Final = 2.0  # How long a master is held beyond its work: it registers and ends at heartbeats
WORKER_S: Final = 1.2  # How long a container is held beyond its work
MASTER_S: Final = 4.6
"""How long a master is held before its first container works, and after its last one has, together."""
MASTER_SPREAD_S: Final = 1.7  # How much more or less a master may be held
WORKER_SPREAD_S: Final = 0.6
EXACT: Final = 0.05  # Sums that are played within this part of what is stated are taken as equal
BANDS: Final = (0.1, 0.2, 0.5, 1.0)

RULE: Final = "those of the stated sizes, else of multiples of a step, that add up to memorySeconds and vcoreSeconds"
OFF: Final = "played up to {most} off: containers of few seconds begin and end at heartbeats, a second apart"
FAR_OFF: Final = "played more than twice: a master lives some seconds here, and less is stated"


class ContainerSize(NamedTuple):
    """The size of a container."""

    memory_mb: int
    vcores: int


class ApplicationSums(NamedTuple):
    """The sums over an application's life, and what it holds where it still runs."""

    memory_mb_s: int
    vcore_s: int
    run_s: float  # How long its master can have been held
    held_mb: int = 0
    held_vcores: int = 0
    held_containers: int = 0  # How many containers it holds now; 0 where it holds none, or nobody says


class SummedContainers(NamedTuple):
    """Containers that have the sums of an application."""

    master: ContainerSize
    master_ms: int | None  # How long the master works by itself; None where it works for the others
    tasks: tuple[TraceTasks, ...]
    off: str  # How far the sums that are played may be from those stated; empty within 5 %


class _Part(NamedTuple):
    """Containers of one size, and for how long they are held together."""

    size: ContainerSize
    held_s: float
    least: int = 1  # How many there are at least


def containers_of(sums: ApplicationSums) -> SummedContainers | None:
    """The containers of an application; None where its sums are 0 or it did not run."""
    if sums.memory_mb_s <= 0 or sums.run_s <= 0:
        return None
    first, *others = _held_parts(sums) or _parts(sums.memory_mb_s, sums.vcore_s)
    life_s = min(sums.run_s, first.held_s)
    rest = _Part(first.size, first.held_s - life_s, first.least)
    workers = [part for part in (rest, *others) if part.held_s >= WORKER_S]
    tasks = tuple(_tasks(part, life_s) for part in workers)
    master_ms = None if tasks else max(1, round((life_s - MASTER_ALONE_S) * 1000))
    return SummedContainers(first.size, master_ms, tasks, _off(first.size, life_s, tasks, sums))


def _parts(memory_mb_s: int, vcore_s: int) -> Sequence[_Part]:
    if vcore_s == 0:
        return [_Part(ContainerSize(STEP_MB, 1), memory_mb_s / STEP_MB)]
    mean_mb = memory_mb_s / vcore_s
    step_mb = STEP_MB
    while step_mb * (1 - CUT) > mean_mb and step_mb > LEAST_STEP_MB:
        step_mb //= 2
    if mean_mb < step_mb * (1 - CUT):
        return _of_vcores(memory_mb_s / step_mb, vcore_s, step_mb)
    low_mb = floor(mean_mb / step_mb) * step_mb
    nearest_mb = max(step_mb, round(mean_mb / step_mb) * step_mb)
    # The cut makes the quotient too large: of a single container by a part of a second, of many by one of each.
    least_mb = min(memory_mb_s / (vcore_s + 1), mean_mb * (1 - CUT))
    if low_mb >= max(step_mb, least_mb) or abs(nearest_mb - mean_mb) <= mean_mb * CUT / 2:
        size_mb = low_mb if low_mb >= max(step_mb, least_mb) else nearest_mb
        return [_Part(ContainerSize(size_mb, 1), memory_mb_s / size_mb)]
    high_s = (memory_mb_s - low_mb * vcore_s) / step_mb
    parts = [
        _Part(ContainerSize(low_mb, 1), vcore_s - high_s),
        _Part(ContainerSize(low_mb + step_mb, 1), high_s),
    ]
    return sorted(parts, key=lambda part: -part.held_s)


def _of_vcores(held_s: float, vcore_s: int, memory_mb: int) -> Sequence[_Part]:
    """Containers of several vcores, where there is less memory for a vcore than any container has."""
    low = floor(vcore_s / held_s)
    more_s = vcore_s - low * held_s
    parts = [
        _Part(ContainerSize(memory_mb, low), held_s - more_s),
        _Part(ContainerSize(memory_mb, low + 1), more_s),
    ]
    return sorted((part for part in parts if part.held_s > 0), key=lambda part: -part.held_s)


def _held_parts(sums: ApplicationSums) -> Sequence[_Part]:
    """The master and others of the sizes that are held now; none where the sums are not those of such containers."""
    sizes = _held_sizes(sums)
    if sizes is None:
        return ()
    master, worker = sizes
    master_s = min(sums.run_s, sums.memory_mb_s / master.memory_mb)
    worker_s = (sums.memory_mb_s - master_s * master.memory_mb) / worker.memory_mb
    vcore_s = master_s * master.vcores + worker_s * worker.vcores
    if abs(vcore_s - sums.vcore_s) > max(sums.held_containers, sums.vcore_s * EXACT):
        return ()
    if master == worker:
        return [_Part(master, master_s + worker_s, sums.held_containers - 1)]
    return [_Part(master, master_s), _Part(worker, worker_s, sums.held_containers - 1)]


def _held_sizes(sums: ApplicationSums) -> tuple[ContainerSize, ContainerSize] | None:
    """Sizes of the master and of each other container; None where none add up to what is held."""
    others = sums.held_containers - 1
    if others < 0 or sums.held_mb <= 0 or sums.held_vcores < sums.held_containers:
        return None
    if sums.held_mb % (others + 1) == 0 and sums.held_vcores % (others + 1) == 0:
        size = ContainerSize(sums.held_mb // (others + 1), sums.held_vcores // (others + 1))
        return size, size
    for step_mb in (STEP_MB, LEAST_STEP_MB):
        for master_mb in range(step_mb, sums.held_mb, step_mb):
            worker_mb, rest_mb = divmod(sums.held_mb - master_mb, others)
            if rest_mb == 0 and worker_mb % step_mb == 0 and worker_mb > 0:
                worker_vcores = max(1, (sums.held_vcores - 1) // others)
                master_vcores = max(1, sums.held_vcores - worker_vcores * others)
                return ContainerSize(master_mb, master_vcores), ContainerSize(worker_mb, worker_vcores)
    return None


def _tasks(part: _Part, life_s: float) -> TraceTasks:
    """Containers that are held so long together, each within the life of its master, and to its end."""
    longest_s = max(WORKER_S, life_s - MASTER_S + WORKER_S)
    count = ceil(part.held_s / longest_s - 1e-9)
    if part.held_s > part.least * WORKER_S:
        count = max(count, part.least)
    work_s = part.held_s / count - WORKER_S
    return TraceTasks(
        "container",
        count,
        (max(1, round(work_s * 1000)),),
        part.size.memory_mb,
        part.size.vcores,
        at_ms=max(0, round((life_s - MASTER_S - work_s) * 1000)),
    )


def _off(master: ContainerSize, life_s: float, tasks: Sequence[TraceTasks], sums: ApplicationSums) -> str:
    least_s = MASTER_S if tasks else MASTER_ALONE_S
    held_s, spread_s = max(life_s, least_s), MASTER_SPREAD_S
    played = [held_s * each for each in master]
    spread = [spread_s * each for each in master]
    for each in tasks:
        size = each.memory_mb or 0, each.vcores or 0
        for place, amount in enumerate(size):
            played[place] += amount * each.count * (each.mean_ms / 1000 + WORKER_S)
            # Containers that are held together begin and end at the same heartbeats.
            spread[place] += amount * each.count * WORKER_SPREAD_S
    stated = sums.memory_mb_s, max(1, sums.vcore_s)
    cut = 0, 1 + sum(each.count for each in tasks)
    far = max(
        max(0.0, abs(played[place] - stated[place]) + spread[place] - cut[place]) / stated[place] for place in (0, 1)
    )
    if far <= EXACT:
        return ""
    band = next((each for each in BANDS if far <= each), None)
    return FAR_OFF if band is None else OFF.format(most=f"{band:.0%}")
