"""SLS and Rumen traces: objects one behind the other, a job each, as Hadoop's Scheduler Load Simulator reads them.

The first object may be `{"num.nodes": …, "num.racks": …}`; nodes are otherwise those the tasks name, or those of a
node file. A task's start is not looked at, only how long it runs. A Rumen trace has MapReduce jobs with every task and
attempt, as read from job history; of a task the attempt counts that succeeded. Differs: of a task of a Rumen trace
SLSRunner takes the last attempt, whether it succeeded or not.

Source: SLSRunner, AMSimulator, MRAMSimulator, SLSUtils, Hadoop 2.7.2 to 3.4; LoggedJob, RumenToSLSConverter of 2.7.2.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

import msgspec

from engine.formats.traces.application import Kind, MappingRules, TraceApplication, TraceNode, TraceTasks, whole, words
from engine.formats.traces.report import TaskAttempt, TaskAttempts
from engine.formats.traces.source import TraceSource

MAX_NODES: Final = 100_000
MAX_COPIES: Final = 100_000  # Most copies of one job, and most copies of one task
SLOW_START: Final = "reduces are asked for after the last map, as SLS does"
BEFORE: Final = "what came before the beginning comes at it"
SIZES: Final = "memory and vcores"
UNKEPT: Final = {
    "job.label.expr": "node labels of jobs",
    "container.execution.type": "execution types of tasks (all are GUARANTEED)",
}
"""Keys whose values are not kept, and what they are of. Source: SLSConfiguration, Hadoop 3.4."""

SUCCEEDED: Final = frozenset({"SUCCESS", "SUCCEEDED"})
"""Results of an attempt that ended well. Source: Values of Rumen's Pre21JobHistoryConstants."""

Task = Mapping[str, Any]


def read_sls(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The jobs of an SLS trace."""
    for line, job in source.objects():
        if not isinstance(job, dict):
            source.fault("a job is a JSON object", line)
        elif "job.tasks" not in job:
            _count_nodes(job, source, line)
        else:
            yield from _applications(job, source, rules, line)


def read_sls_nodes(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The nodes of a node file, which holds no applications."""
    for line, rack in source.objects():
        nodes = rack.get("nodes")
        if not isinstance(nodes, list):
            source.fault("a rack has a list of nodes", line)
            continue
        path = _rack(words(rack.get("rack")))
        for node in nodes:
            host = words(node.get("node")) if isinstance(node, dict) else ""
            if not host:
                source.fault("a node has a name", line)
                continue
            label = words(node.get("labels")).partition(",")[0].partition("(")[0].strip()
            size = whole(node.get("memory-mb"), 1), whole(node.get("vcores"), 1)
            source.report.add_node(TraceNode(host.rpartition("/")[2], path, *size, label))
    yield from ()


def _rack(name: str) -> str:
    return "/" + name.strip("/") if name.strip("/") else "/default-rack"


def _count_nodes(job: Task, source: TraceSource, line: int) -> None:
    count = whole(job.get("num.nodes"), 1, MAX_NODES)
    if count is None:
        source.fault("this is neither a job with job.tasks nor a number of nodes (num.nodes)", line)
        return
    racks = whole(job.get("num.racks"), most=MAX_NODES) or 1
    for number in range(1, count + 1):
        source.report.add_node(TraceNode(f"node{number}", f"/rack{(number - 1) % racks + 1}"))


def _applications(job: Task, source: TraceSource, rules: MappingRules, line: int) -> Iterator[TraceApplication]:
    start_ms = whole(job.get("job.start.ms"), -(2**53))
    if start_ms is None:
        source.fault("a job has a job.start.ms", line)
        return
    listed = job.get("job.tasks")
    tasks = [task for task in listed if isinstance(task, dict)] if isinstance(listed, list) else []
    if not tasks:
        source.fault("a job has at least one task", line)
        return
    inferred = {} if start_ms >= 0 else {"arrival": BEFORE}
    kind = words(job.get("am.type") or job.get("yarn.sls.am.type") or "mapreduce")
    is_mapreduce = kind == "mapreduce"
    groups = tuple(_groups(tasks, source, line, is_mapreduce=is_mapreduce))
    if any(group.memory_mb is None or group.vcores is None for group in groups):
        inferred[SIZES] = rules.size_rule
    if any(not group.durations_ms for group in groups):
        source.report.drop("tasks that do not run for any time")
        groups = tuple(group for group in groups if group.durations_ms)
    if is_mapreduce and any(group.kind == "reduce" for group in groups):
        inferred["slow start"] = SLOW_START
    for key, what in UNKEPT.items():
        if (count := sum(bool(words(each.get(key))) for each in (job, *tasks))) > 0:
            source.report.drop(what, count)
    for task in tasks:
        _add_host(words(task.get("container.host")), source)
    memory_mb, vcores = whole(job.get("am.memory-mb"), 1), whole(job.get("am.vcores"), 1)
    copies = whole(job.get("job.count"), most=MAX_COPIES) or 1
    end_ms = whole(job.get("job.end.ms"), 1)
    identity = words(job.get("job.id")) if copies == 1 else ""
    for _ in range(copies):
        yield TraceApplication(
            id=identity or f"job_{source.report.applications + 1}",
            name=identity,
            submitted_ms=max(0, start_ms),
            finished_ms=end_ms,
            tasks=groups,
            behaviour="mapreduce" if is_mapreduce else "containers",
            user=words(job.get("job.user")) or "default",
            queue=words(job.get("job.queue.name")) or None,
            master=None if memory_mb is None else (memory_mb, vcores or 1),
            inferred=inferred,
        )


def _groups(tasks: Sequence[Task], source: TraceSource, line: int, *, is_mapreduce: bool) -> Iterator[TraceTasks]:
    keyed = [(_key(task, is_mapreduce=is_mapreduce), task) for task in tasks]
    if is_mapreduce:
        keyed.sort(key=lambda pair: pair[0][0])
    for key, same in groupby(keyed, key=lambda pair: pair[0]):
        kind, memory_mb, vcores, priority, at_ms = key
        durations: list[int] = []
        hosts: list[str] = []
        count = 0
        for _, task in same:
            copies = whole(task.get("count"), most=MAX_COPIES) or 1
            duration_ms = _duration_ms(task)
            if duration_ms is None:
                source.fault("a task has a duration, or a start and an end", line)
                continue
            count += copies
            durations += [duration_ms] * copies
            hosts += [words(task.get("container.host")).rpartition("/")[2]] * copies
        yield TraceTasks(
            "reduce" if kind == "reduce" else "map" if is_mapreduce else "container",
            count,
            tuple(durations[:1] if len(set(durations)) == 1 else durations),
            memory_mb,
            vcores,
            tuple(hosts) if any(hosts) else (),
            at_ms,
            priority,
        )


def _key(task: Task, *, is_mapreduce: bool) -> tuple[str, int | None, int | None, int | None, int]:
    """Return what tasks of one group share; the master of a MapReduce job sets priorities itself and asks at once."""
    delay = task.get("container.request.delay.ms", task.get("container.request.delay"))
    return (
        "reduce" if words(task.get("container.type")) == "reduce" else "map",
        whole(task.get("container.memory-mb"), 1),
        whole(task.get("container.vcores"), 1),
        None if is_mapreduce else whole(task.get("container.priority")),
        0 if is_mapreduce else whole(delay) or 0,
    )


def _duration_ms(task: Task) -> int | None:
    for key in ("container.duration.ms", "duration.ms"):
        if (given := whole(task.get(key), 1)) is not None:
            return given
    begin, end = whole(task.get("container.start.ms")), whole(task.get("container.end.ms"))
    return end - begin if begin is not None and end is not None and end > begin else None


def _add_host(path: str, source: TraceSource) -> None:
    rack, _, host = path.rpartition("/")
    if host and len(source.report.nodes) < MAX_NODES:
        source.report.add_node(TraceNode(host, _rack(rack)))


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
    ran = TaskAttempts(source.report)
    for number, task in enumerate(listed if isinstance(listed, list) else ()):
        found = task.get("attempts") if isinstance(task, dict) else None
        attempts = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
        if not attempts:
            source.report.drop("tasks without an attempt")
            continue
        ended = [attempt for each in attempts if (attempt := _attempt(each, kind, source)) is not None]
        if not ended:
            source.report.drop("tasks of which no attempt has a start and an end")
        for attempt in ended:
            ran.add(str(number), attempt)
    return msgspec.structs.replace(ran.tasks(kind, None, None, waits=False), hosts=ran.hosts(kind))


def _attempt(fields: Task, kind: Kind, source: TraceSource) -> TaskAttempt | None:
    """An attempt; None where it has no start or no end."""
    begin, end = whole(fields.get("startTime")), whole(fields.get("finishTime"))
    if begin is None or end is None or end < begin:
        return None
    rack, _, host = words(fields.get("hostName")).rpartition("/")
    if host and len(source.report.nodes) < MAX_NODES:
        source.report.add_node(TraceNode(host, "/" + rack.strip("/") if rack.strip("/") else None))
    return TaskAttempt(kind, begin, end, host, words(fields.get("result")).upper() in SUCCEEDED)
