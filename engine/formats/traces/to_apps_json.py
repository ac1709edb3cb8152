"""Writes a scenario as the answer of a ResourceManager to `/ws/v1/cluster/apps`, as if nothing had ever waited.

Every application has ended: it ran as long as its longest tasks of each kind one after the other. Its sums are those
of its containers and of its master. Spark's stages run on all cores of the executors.

Source: AppInfo, Hadoop 2.7.2.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from engine.formats.traces.application import TraceApplication, TraceTasks
from engine.formats.traces.from_scenario import applications_of
from engine.formats.traces.report import ImportReport
from engine.scenario import Scenario

ENDLESS: Final = "applications that never end"
WITHOUT_WAITS: Final = "instants and sums are those of a cluster on which nothing waits"


def apps_json(scenario: Scenario, report: ImportReport) -> Iterator[str]:
    """The answer, a piece for each application."""
    report.note(WITHOUT_WAITS)
    between = '{"apps": {"app": [\n'
    for each in applications_of(scenario, report):
        report.count(each)
        elapsed_ms = _elapsed_ms(each)
        if elapsed_ms is None:
            report.drop(ENDLESS)
            continue
        yield between + json.dumps(_application(each, elapsed_ms, scenario.start_ms))
        between = ",\n"
    yield ('{"apps": null}' if between != ",\n" else "\n]}}") + "\n"


def _elapsed_ms(each: TraceApplication) -> int | None:
    """How long it runs where nothing waits; None for ever."""
    stages = [tasks for tasks in each.tasks if tasks.kind == "stage"]
    if stages:
        cores = sum(tasks.count * (tasks.vcores or 1) for tasks in each.tasks if tasks.kind != "stage")
        return round(sum(max(tasks.mean_ms, tasks.mean_ms * tasks.count / max(1, cores)) for tasks in stages))
    if not each.tasks or any(not tasks.durations_ms for tasks in each.tasks):
        return None
    if each.behaviour == "mapreduce":
        return sum(max(tasks.durations_ms) for tasks in each.tasks)
    return max(tasks.at_ms + max(tasks.durations_ms) for tasks in each.tasks)


def _application(each: TraceApplication, elapsed_ms: int, start_ms: int) -> dict[str, Any]:
    work = [tasks for tasks in each.tasks if tasks.kind != "stage"]
    sums = [_seconds(tasks, elapsed_ms) for tasks in work]
    if each.master is not None:
        sums.append((each.master[0] * elapsed_ms / 1000, each.master[1] * elapsed_ms / 1000))
    return {
        "id": each.id,
        "user": each.user,
        "name": each.name,
        "queue": each.queue or "default",
        "state": "FINISHED",
        "finalStatus": "SUCCEEDED",
        "applicationType": each.type or ("MAPREDUCE" if each.behaviour == "mapreduce" else "YARN"),
        "startedTime": start_ms + each.submitted_ms,
        "finishedTime": start_ms + each.submitted_ms + elapsed_ms,
        "elapsedTime": elapsed_ms,
        "memorySeconds": round(sum(memory for memory, _ in sums)),
        "vcoreSeconds": round(sum(vcores for _, vcores in sums)),
    }


def _seconds(tasks: TraceTasks, elapsed_ms: int) -> tuple[float, float]:
    """MB · s and vcore · s of containers; executors are held to the end."""
    seconds = tasks.count * (tasks.mean_ms or elapsed_ms) / 1000
    return (tasks.memory_mb or 0) * seconds, (tasks.vcores or 0) * seconds
