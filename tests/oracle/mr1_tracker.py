"""What the recorder of MapReduce 1 had attempts do: durations by attempt, failures and commits of a submission."""

from typing import Any

from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.tracker import RUNNING, Launch
from engine.simulation.job_tracker_world import AttemptPlan

Json = dict[str, Any]


def recorded_plan(launch: Launch, specs: dict[int, Json], cluster: MapReduceCluster) -> AttemptPlan:
    """What an attempt is to do, by the submission of its job."""
    number, kind, task, count = launch.attempt
    spec, tasks = specs[number], cluster.jobs[number].wanted(kind)
    is_user = task < tasks
    if launch.is_cleanup:
        state = cluster.attempts.tasks[launch.attempt].statuses[launch.attempt].state
        return AttemptPlan(spec.get("task_cleanup_ms", 500), is_user, state=state)
    if not is_user:
        return AttemptPlan(spec.get("cleanup_ms" if task == tasks else "setup_ms", 500), is_user, state=RUNNING)
    own = spec[("maps", "reduces")[kind]][task]
    duration = own["ms"][min(count, len(own["ms"]) - 1)] if isinstance(own["ms"], list) else own["ms"]
    return AttemptPlan(duration, is_user, count in (own.get("fail") or ()), spec.get("commit", False))
