"""Logs of a ResourceManager: the timeline of rotated files, in order of their first lines, and its applications."""

import re
from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from typing import Final

import msgspec

from engine.formats.traces.application import (
    MASTER_ALONE_S,
    WORKER_S,
    ApplicationSums,
    MappingRules,
    TraceApplication,
    TraceNode,
    TraceTasks,
    played_off,
    words,
)
from engine.formats.traces.resource_manager_answers import summarised, with_usual_work
from engine.formats.traces.rm_log_reader import Groups, TimelineReader
from engine.formats.traces.rm_timeline import (
    APPLICATION,
    CONTAINER,
    RESOURCE,
    VERSION,
    LineParser,
    LogApplication,
    LogContainer,
    LogLine,
    ResourceManagerTimeline,
    logged_cluster,
)
from engine.formats.traces.source import TraceSource
from engine.grouping import grouped
from engine.model.request import Resource

# The messages of a ResourceManager's log that count, and what each changes; other lines are passed over.
#
# A table names them for each class that writes, for Hadoop 2.4 to 3.4.

MODERN: Final = frozenset({"MultiNodeSortingManager", "ProxyCAManager", "RMAppLifetimeMonitor", "ResourceUtils"})
"""Classes that only releases from 3.0 on have."""
SCHEDULERS: Final = frozenset({"FairScheduler", "CapacityScheduler", "FifoScheduler"})
"""Classes of which only the one that schedules writes."""

_Change = Callable[[TimelineReader, int, Groups], None]


def _row(pattern: str, change: _Change) -> tuple[re.Pattern[str], _Change]:
    return re.compile(pattern), change


_ON_NODE: Final = (
    _row(
        rf"Assigned container {CONTAINER} of capacity {RESOURCE} on host ([^\s,]+),"
        rf"(?: which has \d+ containers, {RESOURCE} used and {RESOURCE} available)?",
        TimelineReader.assigned,
    ),
    _row(rf"Released container {CONTAINER} of capacity ", TimelineReader.released),
    _row(rf"Reserved container {CONTAINER} on node host: (\S+)", TimelineReader.reserved_on),
)
_OF_ATTEMPT: Final = (
    _row(r"Making reservation: node=(\S+) app_id=(application_\d+_\d+)", TimelineReader.reserved),
    _row(
        rf"Application {APPLICATION} unreserved +on node host: (\S+) .*currently has (\d+) at priority \S+;"
        rf" currentReservation {RESOURCE}",
        TimelineReader.unreserved,
    ),
    _row(rf"Preempting container {CONTAINER}", TimelineReader.preempted),
)
_OF_SCHEDULER: Final = (
    _row(rf"Accepted application {APPLICATION} from user: ([^,]+),(?: in queue: ([^,]+))?", TimelineReader.accepted),
    _row(rf"Application attempt \S+ released container {CONTAINER} on node", TimelineReader.released),
    _row(r"Preempting container \(.*\) from queue (\S+)", TimelineReader.preempted_queue),
    _row(rf"Killing container {{0,1}}{CONTAINER}", TimelineReader.preempted),
    _row(rf"App: {APPLICATION} successfully moved from \S+ to: (\S+)", TimelineReader.moved),
    _row(
        r"Recovering container container_id \{ app_attempt_id \{ application_id \{ id: (\d+)"
        r" cluster_timestamp: (\d+) \} attemptId: (\d+) \} id: (\d+) \} container_state: C_(\w+)"
        r" resource \{ memory: (\d+) virtual_cores: (\d+)",
        TimelineReader.recovered_27,
    ),
    _row(rf"Update resource on node: (\S+) from: {RESOURCE}, to: {RESOURCE}", TimelineReader.resized_node),
    _row(rf"Recovering container \[{CONTAINER}, .*?State: (\w+), Capability: {RESOURCE}", TimelineReader.recovered),
)

_CHANGES: Final = {
    "RMAuditLogger": (
        _row(
            rf".*OPERATION=AM Allocated Container\s.*CONTAINERID={CONTAINER}(?:\s+RESOURCE={RESOURCE})?"
            r"(?:\s+QUEUENAME=(\S+))?",
            TimelineReader.allocated,
        ),
        _row(rf".*OPERATION=AM Released Container\s.*CONTAINERID={CONTAINER}", TimelineReader.released),
        _row(
            r"USER=(\S+)\s.*OPERATION=Submit Application Request\s.*RESULT=SUCCESS\s.*APPID=(application_\d+_\d+)"
            r"(?:\s(?:.*\s)?QUEUENAME=(\S+))?",
            TimelineReader.submitted,
        ),
        _row(r"USER=\S+\s.*OPERATION=Submit Application Request\s.*RESULT=FAILURE", TimelineReader.refused),
        _row(rf"USER=(\S+)\s.*OPERATION=Application Finished - (\w+)\s.*APPID={APPLICATION}", TimelineReader.finished),
        _row(
            r"USER=(?:\S+)\s.*OPERATION=Move Application Request\s.*RESULT=SUCCESS\s.*APPID=(application_\d+_\d+)()",
            TimelineReader.moved,
        ),
    ),
    "RMAppImpl": (_row(rf"{APPLICATION} State change from (\w+) to (\w+)", TimelineReader.changed_state),),
    "RMAppAttemptImpl": (
        _row(
            rf"Storing attempt: .*ContainerId: {CONTAINER},.* NodeId: (\S+),.* Resource: {RESOURCE}",
            TimelineReader.became_master,
        ),
    ),
    "RMAppManager$ApplicationSummary": (_row(r"(.*)", TimelineReader.summarised),),
    "RMAppManager": (_row(r"(appId=.*)", TimelineReader.summarised),),
    "RMContainerImpl": (
        _row(rf"{CONTAINER} Container Transitioned from (\w+) to (\w+)", TimelineReader.changed_container),
    ),
    "SchedulerNode": _ON_NODE,
    "FSSchedulerNode": _ON_NODE,
    "FiCaSchedulerNode": _ON_NODE,
    "FSAppAttempt": _OF_ATTEMPT,
    "FiCaSchedulerApp": _OF_ATTEMPT,
    "FSPreemptionThread": (_row(rf"(?:Preempting|Killing) container {CONTAINER}", TimelineReader.preempted),),
    "RMAppAttemptMetrics": (
        _row(rf"(?:Non-)?AM container preempted, .*containerId={CONTAINER}", TimelineReader.preempted),
    ),
    "FairScheduler": _OF_SCHEDULER,
    "CapacityScheduler": (
        *_OF_SCHEDULER,
        _row(
            rf"Initialized CapacityScheduler with calculator=class (\S+), minimumAllocation=<?{RESOURCE}>?,"
            rf" maximumAllocation=<?{RESOURCE}>?",
            TimelineReader.initialised,
        ),
    ),
    "FifoScheduler": _OF_SCHEDULER,
    "AbstractYarnScheduler": _OF_SCHEDULER,
    "ResourceTrackerService": (
        _row(
            rf"NodeManager from node .*registered with capability: {RESOURCE}, assigned nodeId (\S+)",
            TimelineReader.registered_node,
        ),
    ),
    "RMNodeImpl": (_row(r"(\S+) Node Transitioned from \w+ to (\w+)", TimelineReader.changed_node),),
    "RackResolver": (_row(r"Resolved (\S+) to (\S+)", TimelineReader.resolved_rack),),
    "ResourceManager": (
        _row(r"Transitioning to (active) state", TimelineReader.activated),
        _row(r"Transitioning to (standby) state|SHUTDOWN_MSG", TimelineReader.stopped),
        _row(r"Recovery started", TimelineReader.read_store),
        _row(r"Using Scheduler: (?:[\w.]*\.)?(\w+)", TimelineReader.started),
    ),
}
"""Class that writes → (message, what it changes); the first that fits counts."""


def take(reader: TimelineReader, line: LogLine) -> None:
    timeline, (time_ms, source, message) = reader.timeline, line
    if not timeline.begin_ms:
        timeline.begin_ms = time_ms
    timeline.end_ms = max(timeline.end_ms, time_ms)
    if source in MODERN:
        timeline.version = timeline.version or "3.x"
    elif source in SCHEDULERS:
        timeline.scheduler = timeline.scheduler or source
    for pattern, change in _CHANGES.get(source, ()):
        match = pattern.match(message)
        if match is not None:
            change(reader, time_ms, match.groups(default=""))
            return


AT_ONCE: Final = "all containers are asked for when the master registers; each runs as long as it ran"
ALONE: Final = "the master alone, for as long as its last container ran"
UNTIL_END: Final = "duration of what the log does not end: to the end of its application, else of the log"
LIFE: Final = "the master lives as long as its containers, which begin and end at heartbeats, a second apart"
MANGLED: Final = re.compile(r"\b(?:INFO|WARN|ERROR)\b.{0,80}\bresourcemanager\.")  # A line of its own, not of a trace
NO_LINES: Final = "no line has a time, a level and a class as 2017-11-11 09:00:30,343 INFO a.b.RMAppImpl: said"
TIMED: Final = frozenset({"states", "queues", "preemptions"})
"""Fields whose items begin with an instant."""
BACK_MS: Final = 60_000  # Threads write later what happened before, but not by as much
BACKWARDS: Final = "{file}: time goes back by over a minute at {count} of its lines; is its last line first (`tac`)?"
_JAR: Final = re.compile(r"/hadoop-yarn-server-resourcemanager-(\d[\w.-]*)\.jar")
"""The ResourceManager's own jar, whose name ends with the release."""


def read_rm_logs(sources: Sequence[TraceSource], rules: MappingRules) -> Iterator[TraceApplication]:
    """The applications of the files of one log, in the order they were first named."""
    report = sources[0].report
    timeline = timeline_of(sources)
    report.logged = logged_cluster(timeline)
    if timeline.refused:
        report.drop("submissions that the ResourceManager refused", timeline.refused)
    for node in timeline.nodes.values():
        report.add_node(TraceNode(node.id.partition(":")[0], node.rack, node.memory_mb, node.vcores))
    together = grouped((container.application, container) for container in timeline.containers.values())
    for each in timeline.applications.values():
        yield _application(each, together.get(each.id, ()), timeline.end_ms, rules)


def timeline_of(sources: Sequence[TraceSource]) -> ResourceManagerTimeline:
    """Return what the files of one log say, in epoch ms; lines that are none are counted in the report.

    Files that overlap in time are those of a pair, of which one stands by.
    """
    reader = TimelineReader()
    files = [_lines(source, reader) for source in sorted(sources, key=first_ms)]
    for line in merge(*files, key=lambda each: each.time_ms):
        take(reader, line)
    if reader.offset_ms is None and reader.timeline.applications:
        sources[0].report.note("no summary shows the log's time zone: its times are taken as UTC")
    reader.timeline.offset_ms = reader.offset_ms or 0
    _shift(reader.timeline, -reader.timeline.offset_ms)
    return reader.timeline


def _lines(source: TraceSource, reader: TimelineReader) -> Iterator[LogLine]:
    parser = LineParser()
    before_ms = backwards = first = 0
    for number, text in source.lines():
        line, first = parser.line(text), first or number
        if line is not None:
            if reader.offset_ms is None:
                reader.offset_ms = parser.offset_ms
            backwards += line.time_ms < before_ms - BACK_MS
            before_ms = line.time_ms
            yield line
        elif text.startswith(VERSION):
            reader.timeline.version = words(text.removeprefix(VERSION))
        elif text.startswith("STARTUP_MSG:   classpath = ") and (jar := _JAR.search(text)) is not None:
            reader.timeline.version = reader.timeline.version or jar[1]
        elif MANGLED.search(text, 0, 400) is not None:
            source.fault("the time of this line, or its class, cannot be read", number)
        else:
            source.report.drop("lines without a time, such as stack traces")
    if first and not before_ms and not source.report.faults:
        source.fault(NO_LINES, first)
    if backwards:
        source.report.note(BACKWARDS.format(file=source.name, count=backwards))


def first_ms(source: TraceSource) -> int:
    """Return when the first line of a file was written that has a time; 0 where its beginning has none."""
    parser = LineParser()
    lines = source.head.decode("utf-8", "replace").splitlines()
    return next((line.time_ms for text in lines if (line := parser.line(text)) is not None), 0)


def _shift(timeline: ResourceManagerTimeline, by_ms: int) -> None:
    nodes, applications = timeline.nodes.values(), timeline.applications.values()
    for item in (timeline, *nodes, *applications, *timeline.containers.values(), *timeline.reservations):
        for name in item.__struct_fields__:
            value = getattr(item, name)
            if name in TIMED:
                setattr(item, name, [(time_ms + by_ms, *said) for time_ms, *said in value])
            elif name.endswith("_ms") and name != "offset_ms" and value is not None:
                moved = [each + by_ms for each in value] if isinstance(value, list) else value + by_ms
                setattr(item, name, moved)


def _application(
    each: LogApplication, containers: Sequence[LogContainer], end_ms: int, rules: MappingRules
) -> TraceApplication:
    submitted_ms = each.first_ms if each.submitted_ms is None else each.submitted_ms
    end_ms = each.finished_ms or end_ms
    fields = {
        "id": each.id,
        "name": each.name,
        "user": each.user,
        "queue": each.queue,
        "applicationType": each.type,
        "finalStatus": each.final or each.state,
        "memorySeconds": each.memory_seconds,
        "vcoreSeconds": each.vcore_seconds,
    }
    inferred: dict[str, str] = {} if each.submitted_ms is not None else {"arrival": "the first line that names it"}
    workers = [container for container in containers if not container.is_master]
    if not workers:
        found = summarised(fields, submitted_ms, end_ms, rules)
        found = msgspec.structs.replace(found, inferred={**found.inferred, **inferred})
        found = found if found.is_granted else _alone(found, containers, end_ms)
        is_waiting = each.finished_ms is None and found.master_ms is None and not found.tasks
        return with_usual_work(found, rules) if is_waiting else found
    inferred["containers"] = AT_ONCE
    if any(container.ended_ms is None for container in workers):
        inferred["duration"] = UNTIL_END
    if any(container.memory_mb is None for container in workers):
        inferred["memory and vcores"] = rules.size_rule
    master = next((c for c in containers if c.is_master and c.memory_mb is not None), None)
    tasks = tuple(_tasks(workers, end_ms))
    if master is not None and (off := _off(master, tasks, containers, end_ms)):
        inferred["sums"] = off
    return TraceApplication(
        id=each.id,
        name=each.name or each.id,
        submitted_ms=submitted_ms,
        finished_ms=each.finished_ms,
        tasks=tasks,
        user=each.user,
        queue=each.queue,
        type=each.type,
        state=each.final or each.state,
        is_granted=True,
        master=None if master is None or master.memory_mb is None else (master.memory_mb, master.vcores or 1),
        inferred=inferred,
    )


def _alone(found: TraceApplication, containers: Sequence[LogContainer], end_ms: int) -> TraceApplication:
    ran = [each for each in containers if each.running_ms is not None]
    if not ran:
        return found
    master = ran[-1]
    ended_ms = end_ms if master.ended_ms is None else master.ended_ms
    run_ms = ended_ms - master.allocated_ms - round(MASTER_ALONE_S * 1000)
    return msgspec.structs.replace(
        found,
        master=None if master.memory_mb is None else (master.memory_mb, master.vcores or 1),
        master_ms=max(1, run_ms),
        is_granted=True,
        inferred={**found.inferred, "containers": ALONE} | ({"duration": UNTIL_END} if master.ended_ms is None else {}),
    )


def _tasks(containers: Sequence[LogContainer], end_ms: int) -> Iterator[TraceTasks]:
    sizes: dict[tuple[int | None, int | None], list[int]] = {}
    for container in containers:
        work_ms = round((_held_s(container, end_ms) - WORKER_S) * 1000)
        sizes.setdefault((container.memory_mb, container.vcores), []).append(max(1, work_ms))
    for (memory_mb, vcores), durations in sizes.items():
        yield TraceTasks("container", len(durations), tuple(durations), memory_mb, vcores)


def _held_s(container: LogContainer, end_ms: int) -> float:
    return ((end_ms if container.ended_ms is None else container.ended_ms) - container.allocated_ms) / 1000


def _off(master: LogContainer, tasks: Sequence[TraceTasks], containers: Sequence[LogContainer], end_ms: int) -> str:
    held = [(_held_s(each, end_ms), each.memory_mb or 0, each.vcores or 0) for each in containers]
    memory_mb_s, vcore_s = (round(sum(each[0] * each[place] for each in held)) for place in (1, 2))
    sums = ApplicationSums(memory_mb_s, vcore_s, _held_s(master, end_ms))
    return played_off(Resource(master.memory_mb or 0, master.vcores or 0), None, tasks, sums, LIFE)
