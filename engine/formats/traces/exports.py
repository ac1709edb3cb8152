"""Writes a scenario for other programs: as a trace and a node file of SLS, or as a ResourceManager's `/cluster/apps`.

A trace keeps arrivals, users, queues, names, the master's size, and of every task its size, duration, host, priority
and delay. Not kept, and named in the report: what `from_scenario` names, gangs, stages of executors, slow start.

In the answer of a ResourceManager every application has ended, as if nothing had ever waited: it ran as long as its
longest tasks of each kind one after the other. Spark's stages run on all cores of the executors.

Source: SLSRunner, SLSUtils, Hadoop 3.x; AppInfo, Hadoop 2.7.2.
"""

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

from engine.formats.traces.application import TraceApplication, TraceTasks
from engine.formats.traces.from_scenario import applications_of
from engine.formats.traces.report import ImportReport
from engine.scenario import MapReduceSpec, Scenario

SLOW_START: Final = "slow start and failures are not kept: SLS asks for reduces after the last map"
GANG: Final = "that an application waits for all its containers is not kept"
NO_MASTER: Final = "applications without a master get one, as SLS has it"
STAGES: Final = "stages are not kept: executors run as long as their work takes on all of them"


def sls_trace(scenario: Scenario, report: ImportReport) -> Iterator[str]:
    """The trace, a piece for each job."""
    rack_of = {node.host: node.rack for node in scenario.cluster.all_nodes()}
    jobs = [spec for spec in scenario.workload if isinstance(spec, MapReduceSpec)]
    if any(spec.slow_start < 1 or spec.failures or spec.hangs for spec in jobs):
        report.note(SLOW_START)
    for each in applications_of(scenario, report):
        report.count(each)
        job = _job(each, rack_of, report)
        if job is not None:
            yield json.dumps(job, indent=1) + "\n"


def sls_nodes(scenario: Scenario) -> Iterator[str]:
    """The node file; nodes in their order, those of one rack that follow one another together."""
    for rack, nodes in groupby(scenario.cluster.all_nodes(), key=lambda node: node.rack):
        listed = [
            {"node": node.host, "memory-mb": node.memory_mb, "vcores": node.vcores}
            | ({"labels": node.partition} if node.partition else {})
            for node in nodes
        ]
        yield json.dumps({"rack": rack, "nodes": listed}, indent=1) + "\n"


def _job(each: TraceApplication, rack_of: dict[str, str], report: ImportReport) -> dict[str, Any] | None:
    """One job; None where it has no task that ends."""
    if each.behaviour == "gang":
        report.note(GANG)
    if not each.has_master:
        report.note(NO_MASTER)
    tasks = [task for group in _runnable(each, report) for task in _tasks(group, each, rack_of)]
    if not tasks:
        report.drop("applications without a task that ends")
        return None
    job: dict[str, Any] = {
        "am.type": "mapreduce" if each.behaviour == "mapreduce" else "dag",
        "job.start.ms": each.submitted_ms,
        "job.id": each.name or each.id,
        "job.user": each.user,
    }
    if each.queue is not None:
        job["job.queue.name"] = each.queue
    if each.master is not None:
        job |= {"am.memory-mb": each.master[0], "am.vcores": each.master[1]}
    return job | {"job.tasks": tasks}


def _runnable(each: TraceApplication, report: ImportReport) -> Iterator[TraceTasks]:
    """The containers with a duration; those of executors last as long as the stages take on all their cores."""
    stages = [tasks for tasks in each.tasks if tasks.kind == "stage"]
    if stages:
        report.note(STAGES)
    work_ms = sum(tasks.mean_ms * tasks.count for tasks in stages)
    for tasks in each.tasks:
        if tasks.kind == "stage":
            continue
        if tasks.durations_ms:
            yield tasks
        elif stages:
            cores = max(1, tasks.count * (tasks.vcores or 1))
            yield TraceTasks("container", tasks.count, (max(1, round(work_ms / cores)),), tasks.memory_mb, tasks.vcores)
        else:
            report.drop("tasks that run for ever", tasks.count)


def _tasks(group: TraceTasks, each: TraceApplication, rack_of: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Tasks of a group: those alike that follow one another as one with a count."""
    durations, hosts = group.durations_ms, group.hosts or ("",)
    count = group.count if len(durations) > 1 or len(hosts) > 1 else 1
    alike = [(durations[task % len(durations)], hosts[task % len(hosts)]) for task in range(count)]
    for (duration_ms, host), same in groupby(alike):
        number = len(list(same)) if count > 1 else group.count
        task: dict[str, Any] = {"container.duration.ms": duration_ms, "container.type": "map"}
        if number > 1:
            task["count"] = number
        if group.kind == "reduce":
            task["container.type"] = "reduce"
        if host:
            task["container.host"] = f"{rack_of.get(host, '/default-rack')}/{host}"
        if group.memory_mb is not None:
            task |= {"container.memory-mb": group.memory_mb, "container.vcores": group.vcores or 1}
        if each.behaviour != "mapreduce":
            task |= {"container.priority": group.priority or 0, "container.request.delay.ms": group.at_ms}
        yield task


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
    """Return how long it runs where nothing waits; None for ever."""
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
