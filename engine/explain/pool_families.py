"""Remedies that raise the limits of a pool of MapReduce 1, the least value that helps."""

from collections.abc import Iterator

from engine.control_plane.job_tracker_view import JobTrackerView
from engine.explain.remedy import Family, Remedy
from engine.model.mr1.attempt import MAP, REDUCE
from engine.scenario.acts import SetQueueSetting
from engine.schedulers.mr1.fair_allocations import NO_MAXIMUM


def pool_families(view: JobTrackerView, pool: str) -> Iterator[Family]:
    """The limits that a pool has in the file of pools; nothing where no file defines any."""
    allocations = view.policy.allocation()
    if allocations is None:
        return
    maximum = allocations.pool(pool).maximum
    jobs = len(view.applications())
    limits = (
        ("maxRunningJobs", allocations.max_running_jobs(pool), jobs),
        ("maxMaps", maximum[MAP], view.cluster.slots[MAP]),
        ("maxReduces", maximum[REDUCE], view.cluster.slots[REDUCE]),
    )
    for key, now, more in limits:
        if now < NO_MAXIMUM and more:
            yield _raised(pool, key, now, now + more)


def _raised(pool: str, key: str, now: int, most: int) -> Family:
    def make(value: tuple[int, ...]) -> Remedy:
        return Remedy(SetQueueSetting(pool, key, str(value[0])), queue=pool, setting=key)

    return Family("queue-setting", make, (now,), (most,))
