"""Rumen traces: MapReduce jobs with every task and attempt, as read from job history.

Of a task, the last attempt counts: its host, and how long it ran.

Source: LoggedJob, LoggedTask; RumenToSLSConverter and SLSRunner, Hadoop 2.7.2.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine.formats.traces.application import Kind, TraceApplication, TraceNode, TraceTasks, whole, words
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import TraceSource

MAX_NODES: Final = 100_000
SLOW_START: Final = "reduces are asked for after the last map, as SLS does"

Table = Mapping[str, Any]


def read_rumen(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The jobs of a Rumen trace."""
    for line, job in source.objects():
        submitted_ms = whole(job.get("submitTime"))
        if submitted_ms is None:
            source.fault("a job has a submitTime", line)
            continue
        tasks = [
            tasks
            for kind, key in (("map", "mapTasks"), ("reduce", "reduceTasks"))
            if (tasks := _tasks(job.get(key), "map" if kind == "map" else "reduce", source)).count
        ]
        inferred = {"memory and vcores": rules.size_rule}
        if len(tasks) > 1:
            inferred["slow start"] = SLOW_START
        yield TraceApplication(
            id=words(job.get("jobID")),
            name=words(job.get("jobName")),
            submitted_ms=submitted_ms,
            finished_ms=whole(job.get("finishTime"), 1),
            tasks=tuple(tasks),
            behaviour="mapreduce",
            user=words(job.get("user")) or None,
            queue=words(job.get("queue")) or None,
            state=words(job.get("outcome")),
            inferred=inferred,
        )


def _tasks(listed: object, kind: Kind, source: TraceSource) -> TraceTasks:
    """The tasks of a list that ran, together."""
    durations: list[int] = []
    hosts: list[str] = []
    for task in listed if isinstance(listed, list) else ():
        attempts = task.get("attempts") if isinstance(task, dict) else None
        last = attempts[-1] if isinstance(attempts, list) and attempts else None
        if not isinstance(last, dict):
            source.report.drop("tasks without an attempt")
            continue
        begin, end = whole(last.get("startTime")), whole(last.get("finishTime"))
        if begin is None or end is None or end < begin:
            source.report.drop("tasks whose last attempt has no start or no end")
            continue
        rack, _, host = words(last.get("hostName")).rpartition("/")
        if host and len(source.report.nodes) < MAX_NODES:
            source.report.add_node(TraceNode(host, "/" + rack.strip("/") if rack.strip("/") else None))
        durations.append(max(1, end - begin))
        hosts.append(host)
    return TraceTasks(kind, len(durations), tuple(durations), hosts=tuple(hosts) if any(hosts) else ())
