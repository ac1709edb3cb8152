"""Writes a scenario for other programs: as a trace and a node file of SLS, or as a ResourceManager's `/cluster/apps`.

A trace keeps arrivals, users, queues, names, the master's size, and of every task its size, duration, host, priority
and delay. Not kept, and named in the report: what `from_scenario` names, gangs, stages of executors, slow start.

In the answer of a ResourceManager every application has ended, as if nothing had ever waited: it ran as long as its
longest tasks of each kind one after the other. Spark's stages run on all cores of the executors.

Source: SLSRunner, SLSUtils, Hadoop 3.x; AppInfo, Hadoop 2.7.2.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

import msgspec

from engine.formats.traces.application import MIB, Behaviour, Kind, MappingRules, TraceApplication, TraceTasks
from engine.formats.traces.json_objects import JsonObject
from engine.formats.traces.report import ImportReport
from engine.grouping import grouped
from engine.scenario import (
    ApplicationSpec,
    JobSpec,
    MapReduceSpec,
    Scenario,
    ScriptedSpec,
    ServiceSpec,
    Size,
    SparkSpec,
    StandaloneSpec,
    TezSpec,
)
from engine.workload.arrivals import arrivals

# The workload of a scenario as applications of a trace: for its description, and for other simulators.
#
# What a trace cannot say is left out and named in the report.

FOREVER: Final = "tasks that run for ever have no duration"
RACKS: Final = "racks that asks name, and strictness, are not kept"
REUSE: Final = "containers that are used again are counted once for each task, stages of a DAG all at once"
EACH_NODE: Final = "asks for each node are counted for all nodes"


def applications_of(scenario: Scenario, report: ImportReport) -> Iterator[TraceApplication]:
    """The applications of a scenario in order of submission [ms after its start], repeated ones unrolled."""
    number = scenario.first_application
    nodes = len(scenario.cluster.all_nodes())
    for arrival in arrivals(scenario.workload):
        spec = arrival.spec
        if arrival.number is not None:
            number = max(number, arrival.number)
        tasks, behaviour = _Tasks(report, nodes).of(spec)
        am = None if isinstance(spec, StandaloneSpec) else spec.am
        yield TraceApplication(
            id=f"application_{scenario.timestamp}_{arrival.number or number:04d}",
            name=spec.name,
            submitted_ms=arrival.at_ms,
            tasks=tasks,
            behaviour=behaviour,
            user=spec.user,
            queue=spec.queue,
            type=spec.application_type,
            master=None if am is None else (am.memory_mb, am.vcores),
            has_master=am is not None,
        )
        number += 1


class _Tasks:
    def __init__(self, report: ImportReport, nodes: int) -> None:
        self._report, self._nodes = report, nodes

    def of(self, spec: ApplicationSpec) -> tuple[tuple[TraceTasks, ...], Behaviour]:
        match spec:
            case MapReduceSpec():
                return self._mapreduce(spec), "mapreduce"
            case SparkSpec():
                durations = self._durations(spec.duration_ms) if not spec.all_jobs else ()
                count = max(1, spec.executors, spec.dynamic.initial if spec.dynamic else 0)
                executors = self._sized("container", count, spec.executor, durations)
                return (executors, *self._stages(spec.all_jobs)), "spark"
            case StandaloneSpec():
                size = Size(memory_mb=spec.executor_memory_mb, vcores=spec.executor_cores or 1)
                return (
                    self._sized("container", spec.executor_limit or 1, size, ()),
                    *self._stages((JobSpec(stages=spec.stages),) if spec.stages else ()),
                ), "spark"
            case TezSpec():
                self._report.note(REUSE)
                return tuple(self._dags(spec)), "containers"
            case ServiceSpec():
                count = spec.instances * (self._nodes if spec.each_node else 1)
                self._report.note(FOREVER)
                return (self._sized("container", count, spec.instance, ()),), "containers"
            case ScriptedSpec():
                return tuple(self._asks(spec)), "gang" if spec.waits else "containers"

    def _mapreduce(self, spec: MapReduceSpec) -> tuple[TraceTasks, ...]:
        hosts = [places[0] if places else "" for places in spec.blocks]
        maps = TraceTasks(
            "map",
            spec.maps,
            spec.map_durations_ms or self._durations(spec.map_duration_ms),
            spec.map.memory_mb,
            spec.map.vcores,
            tuple(hosts[task % len(hosts)] for task in range(spec.maps)) if any(hosts) else (),
        )
        durations = spec.reduce_durations_ms or self._durations(spec.reduce_duration_ms)
        reduces = self._sized("reduce", spec.reduces, spec.reduce, durations)
        return tuple(tasks for tasks in (maps, reduces) if tasks.count)

    def _asks(self, spec: ScriptedSpec) -> Iterator[TraceTasks]:
        for ask in spec.asks:
            if ask.racks or not ask.relax:
                self._report.note(RACKS)
            if ask.each_node:
                self._report.note(EACH_NODE)
            yield TraceTasks(
                "container",
                ask.count * (self._nodes if ask.each_node else 1),
                self._durations(ask.duration_ms),
                ask.memory_mb,
                ask.vcores,
                ask.hosts[:1],
                ask.at_ms,
                ask.priority,
            )

    def _dags(self, spec: TezSpec) -> Iterator[TraceTasks]:
        size = spec.container
        for dag in spec.all_jobs:
            for stage in dag.stages:
                durations = self._durations(stage.duration_ms)
                yield TraceTasks("container", stage.tasks, durations, size.memory_mb, size.vcores, (), dag.at_ms)

    def _stages(self, jobs: Iterable[JobSpec]) -> Iterator[TraceTasks]:
        for job in jobs:
            for stage in job.stages:
                yield TraceTasks("stage", stage.tasks, stage.duration_ms or (), at_ms=job.at_ms)

    def _durations(self, span: tuple[int, int] | None) -> tuple[int, ...]:
        if span is None:
            self._report.note(FOREVER)
            return ()
        if span[0] != span[1]:
            self._report.note("durations that are drawn are the middle of their span")
        return ((span[0] + span[1]) // 2,)

    @staticmethod
    def _sized(kind: Kind, count: int, size: Size, durations: tuple[int, ...]) -> TraceTasks:
        return TraceTasks(kind, count, durations, size.memory_mb, size.vcores)


# Describes a workload: arrivals over time, and sizes and durations by queue and by user.

BUCKETS: Final = 120  # Stretches of time in which arrivals are counted
NO_NAME: Final = "–"  # What has no queue or no user


class Spread(msgspec.Struct, frozen=True):
    count: int
    low: float  # A tenth is not above it
    median: float
    high: float  # A tenth is above it
    most: float


class WorkloadGroup(msgspec.Struct, frozen=True):
    """The applications of a queue, of a user, or all."""

    name: str
    applications: int
    containers: Spread  # The containers of each application
    memory_mb: Spread  # The memory of each application's containers
    duration_ms: Spread  # Mean of each application's tasks
    work_ms: float  # Duration of all tasks together


class WorkloadPicture(msgspec.Struct, frozen=True):
    first_ms: int  # The first submission, on the trace's clock
    last_ms: int
    arrivals: tuple[int, ...]
    """Applications submitted in each of so many equal stretches from the first submission to the last."""
    total: WorkloadGroup
    queues: tuple[WorkloadGroup, ...]  # By number of applications, the largest first
    users: tuple[WorkloadGroup, ...]
    behaviours: dict[str, int]  # Kind of application → how many


class _Facts(msgspec.Struct, gc=False):
    behaviour: str
    submitted_ms: int
    queue: str
    user: str
    containers: int
    memory_mb: int
    duration_ms: float
    work_ms: float


def described(applications: Iterable[TraceApplication]) -> WorkloadPicture:
    """A picture of applications; of each only a few numbers are kept."""
    facts = [_facts(each) for each in applications]
    first_ms = min((each.submitted_ms for each in facts), default=0)
    last_ms = max((each.submitted_ms for each in facts), default=0)
    return WorkloadPicture(
        first_ms=first_ms,
        last_ms=last_ms,
        arrivals=_arrivals([each.submitted_ms - first_ms for each in facts], last_ms - first_ms),
        total=_group("all", facts),
        queues=_groups((each.queue, each) for each in facts),
        users=_groups((each.user, each) for each in facts),
        behaviours=dict(Counter(each.behaviour for each in facts)),
    )


def _facts(each: TraceApplication) -> _Facts:
    tasks = sum(group.count for group in each.tasks if group.durations_ms)
    return _Facts(
        behaviour=each.behaviour,
        submitted_ms=each.submitted_ms,
        queue=each.queue or NO_NAME,
        user=each.user or NO_NAME,
        containers=each.containers,
        memory_mb=max((group.memory_mb or 0 for group in each.tasks), default=0),
        duration_ms=each.work_ms / tasks if tasks else 0.0,
        work_ms=each.work_ms,
    )


def spread(values: Iterable[float]) -> Spread:
    """Return how values are spread; all 0 where there are none.

    >>> spread(range(11))
    Spread(count=11, low=1, median=5, high=9, most=10)
    """
    ordered = sorted(values)
    if not ordered:
        return Spread(0, 0, 0, 0, 0)
    last = len(ordered) - 1
    return Spread(len(ordered), ordered[last // 10], ordered[last // 2], ordered[last - last // 10], ordered[last])


def _arrivals(after_ms: Sequence[int], span_ms: int) -> tuple[int, ...]:
    counts = [0] * BUCKETS
    for each in after_ms:
        counts[min(BUCKETS - 1, each * BUCKETS // (span_ms + 1))] += 1
    return tuple(counts)


def _groups(named: Iterable[tuple[str, _Facts]]) -> tuple[WorkloadGroup, ...]:
    ordered = sorted(grouped(named).items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return tuple(_group(name, those) for name, those in ordered)


def _group(name: str, facts: Sequence[_Facts]) -> WorkloadGroup:
    return WorkloadGroup(
        name=name,
        applications=len(facts),
        containers=spread(each.containers for each in facts),
        memory_mb=spread(each.memory_mb for each in facts if each.memory_mb),
        duration_ms=spread(each.duration_ms for each in facts if each.duration_ms),
        work_ms=sum(each.work_ms for each in facts),
    )


STAGES: Final = "stages are not kept: executors run as long as their work takes on all of them"


def sls_trace(scenario: Scenario, report: ImportReport) -> Iterator[str]:
    """The trace, a piece for each job."""
    rack_of = {node.host: node.rack for node in scenario.cluster.all_nodes()}
    jobs = [spec for spec in scenario.workload if isinstance(spec, MapReduceSpec)]
    if any(spec.slow_start < 1 or spec.failures or spec.hangs for spec in jobs):
        report.note("slow start and failures are not kept: SLS asks for reduces after the last map")
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


def _job(each: TraceApplication, rack_of: dict[str, str], report: ImportReport) -> JsonObject | None:
    if each.behaviour == "gang":
        report.note("that an application waits for all its containers is not kept")
    if not each.has_master:
        report.note("applications without a master get one, as SLS has it")
    tasks = [task for group in _runnable(each, report) for task in _tasks(group, each, rack_of)]
    if not tasks:
        report.drop("applications without a task that ends")
        return None
    job: JsonObject = {
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


def _tasks(group: TraceTasks, each: TraceApplication, rack_of: dict[str, str]) -> Iterator[JsonObject]:
    """Tasks of a group: those alike that follow one another as one with a count."""
    durations, hosts = group.durations_ms, group.hosts or ("",)
    count = group.count if len(durations) > 1 or len(hosts) > 1 else 1
    alike = [(durations[task % len(durations)], hosts[task % len(hosts)]) for task in range(count)]
    for (duration_ms, host), same in groupby(alike):
        number = len(list(same)) if count > 1 else group.count
        task: JsonObject = {"container.duration.ms": duration_ms, "container.type": "map"}
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


def apps_json(scenario: Scenario, report: ImportReport) -> Iterator[str]:
    """The answer, a piece for each application."""
    report.note("instants and sums are those of a cluster on which nothing waits")
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


def _application(each: TraceApplication, elapsed_ms: int, start_ms: int) -> JsonObject:
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


# Writes the MapReduce jobs of a scenario as a SWIM trace: bytes that make as many maps and reduces when it is read.
# A line has a job, its submit second, the gap before it, and bytes of input, shuffle and output. Durations are those
# the bytes take at the rates of `rules`; bytes are chosen so that they come as near as the numbers of tasks allow.

UNKEPT: Final = "SWIM has arrivals and bytes alone: users, queues, sizes of containers and hosts are not kept"
OTHERS: Final = "applications that are no MapReduce jobs"
DURATIONS: Final = "durations of {kind} are those their bytes take: {mean_s:.0f} s on average, {kept_s:.0f} s here"


def swim_trace(scenario: Scenario, report: ImportReport) -> Iterator[str]:
    """The trace, a line for each job."""
    rules, before_s = MappingRules(), 0
    report.note(UNKEPT)
    kept: dict[str, list[float]] = {"maps": [0.0, 0.0, 0], "reduces": [0.0, 0.0, 0]}
    for each in applications_of(scenario, report):
        report.count(each)
        if each.behaviour != "mapreduce" or not each.containers:
            report.drop(OTHERS)
            continue
        second, amounts = each.submitted_ms // 1000, _bytes(each, rules, kept)
        name = "_".join((each.name or each.id).split())
        yield "\t".join(map(str, (name, second, second - before_s, *amounts))) + "\n"
        before_s = second
    for kind, (wanted_ms, written_ms, count) in kept.items():
        if abs(written_ms - wanted_ms) > wanted_ms / 20:
            means = wanted_ms / count / 1000, written_ms / count / 1000
            report.note(DURATIONS.format(kind=kind, kept_s=means[1], mean_s=means[0]))


def _bytes(each: TraceApplication, rules: MappingRules, kept: dict[str, list[float]]) -> tuple[int, int, int]:
    maps, map_ms = _of_kind(each, "map")
    reduces, reduce_ms = _of_kind(each, "reduce")
    maps = max(1, maps)
    moved = _moved(map_ms, rules.start_up_ms, rules.map_mb_per_s) * maps
    most = maps * rules.split_mb * MIB
    read = round(min(most, max(most - rules.split_mb * MIB + 1, moved)))
    most = reduces * rules.reduce_mb * MIB
    shuffled = round(min(most, max(most - rules.reduce_mb * MIB + 1, moved - read))) if reduces else 0
    if reduces:
        written = _moved(reduce_ms, rules.start_up_ms, rules.reduce_mb_per_s) * reduces - shuffled
    else:
        written = moved - read
    written = max(0, round(written))
    _count(kept["maps"], maps, map_ms, rules.map_ms((read + (shuffled if reduces else written)) / maps))
    if reduces:
        _count(kept["reduces"], reduces, reduce_ms, rules.reduce_ms((shuffled + written) / reduces))
    return read, shuffled, written


def _of_kind(each: TraceApplication, kind: str) -> tuple[int, float]:
    groups = [tasks for tasks in each.tasks if tasks.kind == kind]
    count = sum(tasks.count for tasks in groups)
    return count, sum(tasks.count * tasks.mean_ms for tasks in groups) / max(1, count)


def _moved(duration_ms: float, start_up_ms: int, mb_per_s: float) -> float:
    return max(0.0, duration_ms - start_up_ms) / 1000 * mb_per_s * MIB


def _count(kept: list[float], tasks: int, wanted_ms: float, written_ms: float) -> None:
    kept[0] += tasks * wanted_ms
    kept[1] += tasks * written_ms
    kept[2] += tasks
