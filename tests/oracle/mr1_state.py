"""The state of a JobTracker in the words of the recorded cases."""

from typing import Any

from engine.control_plane.job_tracker import JobTracker
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.task_search import HOST_LEVEL, RACK_LEVEL
from engine.model.mr1.tracker import MAP, REDUCE
from engine.schedulers.mr1.capacity import CapacityTaskQueue, CapacityTaskScheduler
from engine.schedulers.mr1.fair import FairTaskScheduler
from engine.schedulers.mr1.fair_pools import JobInfo, PoolSchedulable

Json = dict[str, Any]


def state_of(jt: JobTracker, specs: dict[int, Json], now_ms: int, *, whole: bool) -> Json:
    """Cluster and jobs; `whole` leaves out nothing."""
    cluster = jt.cluster
    state: Json = {}
    if whole:
        state["cluster"] = {
            "trackers": cluster.active_trackers,
            "blacklisted": cluster.faulty.blacklisted,
            "graylisted": cluster.faulty.graylisted,
            "maps": cluster.running[MAP],
            "reduces": cluster.running[REDUCE],
            "map_slots": cluster.slots[MAP],
            "reduce_slots": cluster.slots[REDUCE],
        }
    state["jobs"] = {spec["job"]: job_figures(cluster.jobs[number]) if whole else {} for number, spec in specs.items()}
    if isinstance(jt.scheduler, FairTaskScheduler):
        _add_fair(state, jt.scheduler, specs, now_ms)
    if whole and isinstance(jt.scheduler, CapacityTaskScheduler):
        _add_capacity(state, jt, jt.scheduler, specs)
    return state


def _add_capacity(state: Json, jt: JobTracker, scheduler: CapacityTaskScheduler, specs: dict[int, Json]) -> None:
    state["queues"] = {name: _queue_figures(queue) for name, queue in scheduler.queues.items()}
    names = {number: spec["job"] for number, spec in specs.items()}
    reserved = {
        tracker.name.partition(":")[2]: [job and names[job.number] for job in tracker.reserved_for]
        for tracker in jt.cluster.trackers.values()
        if any(tracker.reserved_for)
    }
    if reserved:
        state["reserved"] = reserved
    for number, name in names.items():
        job = jt.cluster.jobs[number]
        state["jobs"][name] |= {"slots_per_task": list(job.slots_per_task), "opportunities": job.opportunities}


def _queue_figures(queue: CapacityTaskQueue) -> Json:
    rows = [
        {"capacity": use.capacity, "max": use.maximum, "running": use.running, "occupied": use.occupied}
        for use in queue.usage
    ]
    jobs = [len(queue.waiting), len(queue.initializing), len(queue.running)]
    return {"map": rows[MAP], "reduce": rows[REDUCE], "jobs": jobs}


def _add_fair(state: Json, scheduler: FairTaskScheduler, specs: dict[int, Json], now_ms: int) -> None:
    parts = zip(scheduler.pools(MAP), scheduler.pools(REDUCE), strict=True)
    state["pools"] = {
        maps.name: {"map": _pool_figures(maps, now_ms), "reduce": _pool_figures(reduces, now_ms)}
        for maps, reduces in parts
    }
    for number, spec in specs.items():
        info = scheduler.jobs.get(number)
        row = state["jobs"][spec["job"]]
        if info is not None:
            row |= _fair_figures(info)
        elif not row:
            del state["jobs"][spec["job"]]


def _pool_figures(pool: PoolSchedulable, now_ms: int) -> Json:
    return {
        "demand": pool.demand,
        "running": pool.running(),
        "fair": pool.fair_share,
        "min": pool.min_share(),
        "starved_min_ms": now_ms - pool.at_min_share_ms,
        "starved_fair_ms": now_ms - pool.at_half_share_ms,
    }


def _fair_figures(info: JobInfo) -> Json:
    parts = info.schedulables
    return {
        "runnable": info.is_runnable,
        "fair": [part.fair_share for part in parts],
        "demand": [part.demand for part in parts],
        "weight": [part.weight() for part in parts],
        "last_level": {HOST_LEVEL: "NODE", RACK_LEVEL: "RACK"}.get(info.last_level, "ANY"),
        "waited_ms": info.waited_ms,
        "skipped": info.was_skipped,
    }


def job_figures(job: JobInProgress) -> Json:
    figures: Json = {
        "state": job.state,
        "maps": [job.running[MAP], job.finished[MAP], job.failed_tasks[MAP], job.pending(MAP)],
        "reduces": [job.running[REDUCE], job.finished[REDUCE], job.failed_tasks[REDUCE], job.pending(REDUCE)],
        "failed_attempts": list(job.failed_attempts),
    }
    if job.flaky_trackers > 0:
        figures["flaky"] = job.flaky_hosts()
    figures["local"] = [*job.local_maps, job.launched_maps]
    figures["slot_ms"] = [*job.slot_ms, *job.fallow_slot_ms]
    return figures
