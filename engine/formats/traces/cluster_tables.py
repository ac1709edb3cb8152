"""Google's tables of 2011 (clusterdata-2011): `task_events`, and the machines of `machine_events`.

A task becomes a container of its job, asked for when it was submitted. It runs as long as the run did with which it
finished, else as its last run.

Source: "Google cluster-usage traces: format + schema", 2011-2.
"""

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Final

import msgspec

from engine.formats.traces.application import MappingRules, TraceApplication, TraceNode, TraceTasks, ratio, whole, words
from engine.formats.traces.parsing import Columns, Row, rows
from engine.formats.traces.source import TraceSource

TASKS: Final = (
    rb"\d+,\d?,\d+,\d+,\d*,[0-8],[^,\n]*,[0-3]?,\d{0,2},[\d.eE-]*,[\d.eE-]*,"
    rb"|(?i:(?=[^\n]*job.?id)(?=[^\n]*task.?i(?:nde|d)x)(?=[^\n]*event.?type)[^\n]*\btime)"
)
MACHINES: Final = (
    rb"\d+,\d+,[0-2],[\w+/=-]{8,},[\d.]*,[\d.]*\r?\n"
    rb"|(?i:(?=[^\n]*machine.?id)(?=[^\n]*event.?type)(?=[^\n]*platform.?id)[^\n]*\btime)"
)
JOBS: Final = rb"\d+,\d?,\d+,[0-8],[^,\n]*,[0-3]?,[\w+/=-]{8,},[\w+/=-]{8,}\r?\n"
"""How the table of jobs begins, which is not read."""

_TASK: Final = Columns(
    (
        *("time", "missinginfo", "jobid", "taskindex", "machineid", "eventtype", "user", "schedulingclass"),
        *("priority", "cpurequest", "memoryrequest", "diskspacerequest", "differentmachinesrestriction"),
    ),
    {
        "timestamp": "time",
        "taskidx": "taskindex",
        "username": "user",
        "resourcerequestforcpucores": "cpurequest",
        "resourcerequestforram": "memoryrequest",
    },
)
_MACHINE: Final = Columns(
    ("time", "machineid", "eventtype", "platformid", "cpus", "memory"),
    {"timestamp": "time", "cpu": "cpus", "capacitycpu": "cpus", "capacitymemory": "memory"},
)
SUBMIT, SCHEDULE, FINISH, UPDATE = 0, 1, 4, 7
ENDS: Final = {2: "EVICTED", 3: "FAILED", FINISH: "FINISHED", 5: "KILLED", 6: "LOST"}
LATEST_US: Final = 2**62  # Times from here on are behind the trace
RUN: Final = "of each task's run that finished, else of its last one"
TO_END: Final = "duration of what has not ended: to the last instant of the table"
NOT_STARTED: Final = "tasks that never started"
OTHER_RUNS: Final = "other runs of tasks (evicted, failed, killed or lost)"


class _Task(msgspec.Struct, gc=False):
    submitted_us: int
    size: tuple[int, int]  # Memory [MB] and vcores
    started_us: int = -1  # -1: it does not run
    run_us: int = -1  # Duration of the run that counts; -1: none has ended
    has_finished: bool = False


class _Job(msgspec.Struct):
    user: str
    tasks: dict[str, _Task] = {}
    state: str = ""
    last_us: int = 0


def read_google_tasks(sources: Sequence[TraceSource], rules: MappingRules) -> Iterator[TraceApplication]:
    """The jobs of the pieces of a table, as they were submitted; pieces are read in the order of their names."""
    report = sources[0].report
    report.machine_size = rules.machine_mb, rules.machine_vcores
    report.note("priorities, scheduling classes and constraints between tasks are not kept")
    jobs: dict[str, _Job] = {}
    last_us = 0
    for source in sorted(sources, key=lambda each: each.name):
        for number, row in rows(source, _TASK):
            at_us, kind = whole(row.get("time"), 0, 2**63), whole(row.get("eventtype"), 0, 8)
            identity, index = row.get("jobid"), row.get("taskindex")
            if at_us is None or kind is None or not identity or not index:
                source.fault("an event has a time, a job, a task and a type from 0 to 8", number)
                continue
            if at_us < LATEST_US:
                last_us = max(last_us, at_us)
                job = jobs.setdefault(identity, _Job(words(row.get("user"))))
                _take(job, index, (at_us, kind), row, rules, source)
    for identity, job in sorted(jobs.items(), key=lambda each: _first_us(each[1])):
        yield _application(identity, job, last_us, sources[0], rules)


def _first_us(job: _Job) -> int:
    return min(task.submitted_us for task in job.tasks.values())


def _take(job: _Job, index: str, event: tuple[int, int], row: Row, rules: MappingRules, source: TraceSource) -> None:
    at_us, kind = event
    task = job.tasks.get(index)
    if task is None:
        task = job.tasks[index] = _Task(at_us, _size(row, rules))
    if kind >= UPDATE:
        source.report.drop("changes of what a task asks for")
    elif kind == SCHEDULE:
        task.started_us = at_us
    elif kind in ENDS:
        job.state, job.last_us = ENDS[kind], max(job.last_us, at_us)
        if task.started_us >= 0:
            if task.run_us >= 0:
                source.report.drop(OTHER_RUNS)
            if not task.has_finished:
                task.run_us, task.has_finished = at_us - task.started_us, kind == FINISH
            task.started_us = -1


def _application(identity: str, job: _Job, last_us: int, source: TraceSource, rules: MappingRules) -> TraceApplication:
    first_us = _first_us(job)
    groups: dict[tuple[tuple[int, int], int], list[int]] = {}
    inferred = {"duration": RUN, "memory and vcores": rules.machine_rule}
    for task in job.tasks.values():
        run_us = task.run_us
        if task.started_us >= 0 and not task.has_finished:
            if run_us >= 0:
                source.report.drop(OTHER_RUNS)
            run_us = last_us - task.started_us
            inferred["end"] = TO_END
        if run_us < 0:
            source.report.drop(NOT_STARTED)
        else:
            at_ms = (task.submitted_us - first_us) // 1000
            groups.setdefault((task.size, at_ms), []).append(max(1, run_us // 1000))
    return TraceApplication(
        id=words(identity),
        name=words(identity),
        submitted_ms=first_us // 1000,
        finished_ms=job.last_us // 1000 or None,
        tasks=tuple(
            TraceTasks("container", len(durations), tuple(durations), *size, at_ms=at_ms)
            for (size, at_ms), durations in groups.items()
        ),
        user=job.user or None,
        state=job.state,
        has_master=False,
        inferred=inferred,
    )


def _size(row: Row, rules: MappingRules) -> tuple[int, int]:
    memory, cores = ratio(row.get("memoryrequest"), 1.0), ratio(row.get("cpurequest"), 1.0)
    return (
        rules.container_mb if memory is None else max(1, ceil(memory * rules.machine_mb)),
        rules.container_vcores if cores is None else max(1, ceil(cores * rules.machine_vcores)),
    )


def read_google_machines(source: TraceSource, rules: MappingRules) -> None:
    """The machines that were added, each as it was first; the table holds no applications."""
    source.report.note(rules.machine_rule)
    for number, row in rows(source, _MACHINE):
        host, cores = words(row.get("machineid")), ratio(row.get("cpus"), 1.0)
        memory, kind = ratio(row.get("memory"), 1.0), whole(row.get("eventtype"), 0, 2)
        if not host or kind is None:
            source.fault("an event has a machine and a type from 0 to 2", number)
        elif kind == 0 and cores is not None and memory is not None:
            size = max(1, int(memory * rules.machine_mb)), max(1, int(cores * rules.machine_vcores))
            source.report.add_node(TraceNode(host, None, *size))


# Alibaba's openb tables (cluster-trace-gpu-v2023): pods and nodes as CSV with a line of names.
#
# A pod becomes an application of one container without a master. GPUs are not simulated.

PODS: Final = b"name,cpu_milli,memory_mib"
NODES: Final = b"sn,cpu_milli,memory_mib"
ONE: Final = "one container without an application master, vcores rounded up"
QUEUE: Final = "the pod's quality of service"
USER: Final = "one user for all pods"
AT_ONCE: Final = "the table has no times: all arrive at once"


def read_openb_pods(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    for number, row in rows(source, Columns()):
        cpu, memory_mb = whole(row.get("cpumilli")), whole(row.get("memorymib"))
        if cpu is None or memory_mb is None or not row.get("name"):
            source.fault("a pod has a name, a cpu_milli and a memory_mib", number)
            continue
        if whole(row.get("numgpu"), 1):
            source.report.drop("GPUs of pods, which are not simulated")
        yield _pod(row, max(1, ceil(cpu / 1000)), max(1, memory_mb), rules)


def _pod(row: Row, vcores: int, memory_mb: int, rules: MappingRules) -> TraceApplication:
    created, deleted = whole(row.get("creationtime")), whole(row.get("deletiontime"))
    scheduled = whole(row.get("scheduledtime"))
    inferred = {"containers": ONE, "user": USER}
    if row.get("qos"):
        inferred["queue"] = QUEUE
    duration_ms = rules.duration_ms
    if created is None:
        inferred["arrival"] = AT_ONCE
    if deleted is None or created is None:
        inferred["duration"] = rules.duration_rule
    elif scheduled is None:
        inferred["duration"] = "duration of what was not scheduled: from its creation to its deletion"
        duration_ms = (deleted - created) * 1000
    else:
        duration_ms = (deleted - scheduled) * 1000
    return TraceApplication(
        id=words(row.get("name")),
        name=words(row.get("name")),
        submitted_ms=(created or 0) * 1000,
        finished_ms=None if deleted is None else deleted * 1000,
        tasks=(TraceTasks("container", 1, (duration_ms,), memory_mb, vcores),) if duration_ms > 0 else (),
        user="pods",
        queue=words(row.get("qos")) or None,
        state=words(row.get("podphase")),
        has_master=False,
        inferred=inferred,
    )


def read_openb_nodes(source: TraceSource, rules: MappingRules) -> None:
    """The machines of a table, which holds no applications."""
    for number, row in rows(source, Columns()):
        host, cpu, memory_mb = words(row.get("sn")), whole(row.get("cpumilli")), whole(row.get("memorymib"), 1)
        if not host or cpu is None or memory_mb is None:
            source.fault("a node has an sn, a cpu_milli and a memory_mib", number)
            continue
        if whole(row.get("gpu"), 1):
            source.report.drop("GPUs of nodes, which are not simulated")
        source.report.add_node(TraceNode(host, None, memory_mb, max(1, cpu // 1000)))
