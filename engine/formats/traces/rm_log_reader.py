"""Builds the timeline of a ResourceManager's log, line by line; lines that say nothing of it are passed over.

A table names, for each class that writes, the messages that count and what they change. Hadoop 2.4 to 3.4 print
different ones; each change is made by the first line that says it.

Source: RMAppImpl, RMAppAttemptImpl, RMContainerImpl, RMNodeImpl, RMAppManager, RMAuditLogger, ResourceTrackerService,
SchedulerNode, FSAppAttempt, FSSchedulerNode, FiCaSchedulerApp, FairScheduler, FSPreemptionThread, Hadoop 2.7.2, 3.4.1.
"""

import re
from collections.abc import Callable
from sys import intern
from typing import Final

from engine.formats.traces.application import whole, words
from engine.formats.traces.rm_log_lines import (
    APPLICATION,
    CONTAINER,
    RESOURCE,
    LogLine,
    application_of,
    number_of,
    summary_fields,
)
from engine.formats.traces.rm_log_nodes import Groups, LogNodes
from engine.formats.traces.rm_reservations import LogReservations
from engine.formats.traces.rm_timeline import LogApplication, LogContainer, LogReservation, ResourceManagerTimeline
from engine.model.lifecycle import FINAL_APPLICATION_STATES, FINAL_CONTAINER_STATES

ONE_START_MS: Final = 30_000
"""Lines of one start are written within this time."""
MODERN: Final = frozenset({"MultiNodeSortingManager", "ProxyCAManager", "RMAppLifetimeMonitor", "ResourceUtils"})
"""Classes that only releases from 3.0 on have."""
SCHEDULERS: Final = frozenset({"FairScheduler", "CapacityScheduler", "FifoScheduler"})
"""Classes of which only the one that schedules writes."""
QUARTER_MS: Final = 900_000
"""Time zones differ by quarters of an hour."""


class TimelineReader:
    """Takes the lines of a log in order."""

    def __init__(self) -> None:
        self.timeline = ResourceManagerTimeline()
        self.offset_ms: int | None = None
        """How far the log's clock is east of Greenwich, as the first summary shows; None while there was none."""
        self._open: dict[str, LogContainer] = {}
        """Containers that have not ended, by id."""
        self._reservations = LogReservations(self.timeline.reservations)
        self.nodes = LogNodes(self.timeline, self._reservations)

    def take(self, line: LogLine) -> None:
        """Take a line."""
        timeline, (time_ms, source, message) = self.timeline, line
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
                change(self, time_ms, match.groups(default=""))
                return

    def forget_ended(self) -> None:
        """Keep only what has not ended, so that a log may be followed for as long as it is written."""
        self.timeline.forget_ended()
        self._reservations.forget_ended(self.timeline.end_ms)

    # Applications

    def _application(self, identity: str, time_ms: int) -> LogApplication:
        found = self.timeline.applications.get(identity)
        if found is None:
            found = self.timeline.applications[identity] = LogApplication(identity, time_ms)
        return found

    def submitted(self, time_ms: int, groups: Groups) -> None:
        """A user handed in an application."""
        user, identity = groups
        each = self._application(identity, time_ms)
        each.user = each.user or user
        each.submitted_ms = each.submitted_ms or time_ms

    def accepted(self, time_ms: int, groups: Groups) -> None:
        """A scheduler took an application into a queue."""
        identity, user, queue = groups
        each = self._application(identity, time_ms)
        each.user = user or each.user
        each.queue = queue or each.queue
        if queue:
            each.queues.append((time_ms, queue))

    def changed_state(self, time_ms: int, groups: Groups) -> None:
        """An application changed its state."""
        identity, before, state = groups
        each = self._application(identity, time_ms)
        if before == "NEW":
            each.submitted_ms = each.submitted_ms or time_ms
        each.states.append((time_ms, intern(state)))
        if state == "RUNNING":
            each.registered_ms = each.registered_ms or time_ms
        if state in FINAL_APPLICATION_STATES:
            each.finished_ms = time_ms
            self._reservations.end_all(time_ms, "ENDED", identity)

    def moved(self, time_ms: int, groups: Groups) -> None:
        """An application moved to another queue."""
        each = self._application(groups[0], time_ms)
        each.queue = groups[1] or each.queue
        each.queues.append((time_ms, groups[1]))

    def summarised(self, time_ms: int, groups: Groups) -> None:
        """An application's summary was written at its end."""
        fields = summary_fields(groups[0])
        identity = fields.get("appId", "")
        if not identity.startswith("application_"):
            return
        each = self._application(identity, time_ms)
        finished_ms = whole(fields.get("finishTime"), 1)
        if finished_ms is not None and self.offset_ms is None:
            self.offset_ms = round((time_ms - finished_ms) / QUARTER_MS) * QUARTER_MS
        offset_ms = self.offset_ms or 0
        started_ms = whole(fields.get("startTime"), 1)
        if started_ms is not None:
            each.submitted_ms = started_ms + offset_ms
        each.finished_ms = time_ms if finished_ms is None else finished_ms + offset_ms
        each.name, each.user = words(fields.get("name")), words(fields.get("user")) or each.user
        each.queue = words(fields.get("queue")) or each.queue
        each.type = words(fields.get("applicationType")) or each.type
        each.final = words(fields.get("finalStatus")) or words(fields.get("state"))
        each.memory_seconds = whole(fields.get("memorySeconds"))
        each.vcore_seconds = whole(fields.get("vcoreSeconds"))

    # Containers

    def _container(self, identity: str, time_ms: int) -> LogContainer:
        found = self.timeline.containers.get(identity)
        if found is None:
            application = self._application(application_of(identity), time_ms).id
            found = LogContainer(identity, application, time_ms, is_master=number_of(identity) == 1)
            self.timeline.containers[identity] = self._open[identity] = found
        return found

    def assigned(self, time_ms: int, groups: Groups) -> None:
        """A node was given a container."""
        identity, memory_mb, vcores, node, *room = groups
        each = self._container(identity, time_ms)
        each.memory_mb, each.vcores = whole(memory_mb), whole(vcores)
        each.node = self.nodes.id_of(node)
        self.nodes.filled(each.node, room)
        self._reservations.fulfil(each, time_ms)

    def allocated(self, time_ms: int, groups: Groups) -> None:
        """The audit log names a container given."""
        identity, memory_mb, vcores = groups
        each = self._container(identity, time_ms)
        if memory_mb and each.memory_mb is None:
            each.memory_mb, each.vcores = whole(memory_mb), whole(vcores)

    def became_master(self, time_ms: int, groups: Groups) -> None:
        """A container was stored as the application master's."""
        identity, node, memory_mb, vcores = groups
        each = self._container(identity, time_ms)
        each.is_master = True
        each.node = each.node or self.nodes.id_of(node)
        if each.memory_mb is None:
            each.memory_mb, each.vcores = whole(memory_mb), whole(vcores)

    def changed_container(self, time_ms: int, groups: Groups) -> None:
        """A container changed its state."""
        identity, before, state = groups
        if state == "RESERVED":
            if before == "NEW":
                _ = self._application(application_of(identity), time_ms)
                self._reservations.reserve(identity, time_ms)
            return
        if before == "RESERVED" and state in FINAL_CONTAINER_STATES:
            return
        each = self._container(identity, time_ms)
        if state == "RUNNING":
            each.running_ms = each.running_ms or time_ms
        elif state in FINAL_CONTAINER_STATES:
            self._end_container(each, time_ms, state)

    def released(self, time_ms: int, groups: Groups) -> None:
        """A container's room was given back."""
        found = self.timeline.containers.get(groups[0])
        if found is not None:
            self._end_container(found, time_ms, "COMPLETED")

    def _end_container(self, each: LogContainer, time_ms: int, end: str) -> None:
        if each.ended_ms is None:
            _ = self._open.pop(each.id, None)
            each.ended_ms, each.end = time_ms, intern(end)

    def recovered(self, time_ms: int, groups: Groups) -> None:
        """A container that outlived the ResourceManager was recovered."""
        identity, state, memory_mb, vcores = groups
        each = self._container(identity, time_ms)
        each.memory_mb, each.vcores = whole(memory_mb), whole(vcores)
        if state == "RUNNING":
            each.ended_ms, each.end = None, ""
            self._open[identity] = each
            self.timeline.keeps_containers = True

    def recovered_27(self, time_ms: int, groups: Groups) -> None:
        """The same, as 2.7 prints it."""
        number, cluster, attempt, container, state, memory_mb, vcores = groups
        identity = f"container_{cluster}_{int(number[:9]):04d}_{int(attempt[:9]):02d}_{int(container[:9]):06d}"
        self.recovered(time_ms, (identity, state, memory_mb, vcores))

    # Reservations

    def reserved(self, time_ms: int, groups: Groups) -> None:
        """A node is held for an application."""
        host, application = groups
        _ = self._application(application, time_ms)
        self._reservations.hold(LogReservation(application, self.nodes.id_of(host), time_ms))

    def reserved_on(self, time_ms: int, groups: Groups) -> None:
        """A node names the container it is held for."""
        container, node = groups
        self._reservations.place(container, self.nodes.id_of(node), time_ms)

    def unreserved(self, time_ms: int, groups: Groups) -> None:
        """A node is not held any more; what its application still holds shows the size of one."""
        application, node, left, memory_mb, vcores = groups
        self._reservations.unreserve(application, self.nodes.id_of(node), time_ms)
        count = int(left[:9])
        if count:
            self._reservations.set_size(application, int(memory_mb) // count, int(vcores) // count)

    # Preemption

    def preempted(self, time_ms: int, groups: Groups) -> None:
        """A container was chosen for preemption."""
        identity = groups[0]
        found = self.timeline.containers.get(identity)
        if found is not None:
            found.preempted_ms = found.preempted_ms or time_ms
        self.timeline.preemptions.append((time_ms, identity, "container"))

    def preempted_queue(self, time_ms: int, groups: Groups) -> None:
        """A container of a queue was chosen, without its name."""
        self.timeline.preemptions.append((time_ms, groups[0], "queue"))

    # The ResourceManager itself

    def started(self, time_ms: int, groups: Groups) -> None:
        """The ResourceManager started: it knows of nothing but what it recovers."""
        self.timeline.scheduler = groups[0]
        self.activated(time_ms, groups)

    def stopped(self, time_ms: int, groups: Groups) -> None:
        """It stopped, or handed over to the other of a pair; both lines of one stop are written within a moment."""
        starts, stops = self.timeline.starts_ms, self.timeline.stops_ms
        if starts and (not stops or stops[-1] < starts[-1]):
            stops.append(time_ms)

    def read_store(self, time_ms: int, groups: Groups) -> None:
        """It reads its state store."""
        self.timeline.recovers = True

    def initialised(self, time_ms: int, groups: Groups) -> None:
        """The CapacityScheduler says how it compares resources, and the smallest and largest container."""
        calculator, least_mb, least_vcores, most_mb, most_vcores = groups
        self.timeline.settings = {
            "yarn.scheduler.capacity.resource-calculator": calculator,
            "yarn.scheduler.minimum-allocation-mb": least_mb,
            "yarn.scheduler.minimum-allocation-vcores": least_vcores,
            "yarn.scheduler.maximum-allocation-mb": most_mb,
            "yarn.scheduler.maximum-allocation-vcores": most_vcores,
        }

    def activated(self, time_ms: int, groups: Groups) -> None:
        """It became active, which is also written a moment after it started."""
        starts, stops = self.timeline.starts_ms, self.timeline.stops_ms
        is_up = starts and (not stops or stops[-1] < starts[-1])
        if is_up and time_ms - starts[-1] < ONE_START_MS:
            return
        starts.append(time_ms)
        for each in list(self._open.values()):
            self._end_container(each, time_ms, "STOPPED")
        self._reservations.end_all(time_ms, "STOPPED")


_Change = Callable[[TimelineReader, int, Groups], None]


def _row(pattern: str, change: _Change) -> tuple[re.Pattern[str], _Change]:
    return re.compile(pattern), change


def _node_row(pattern: str, change: Callable[[LogNodes, int, Groups], None]) -> tuple[re.Pattern[str], _Change]:
    """A row of a message about a node."""
    return re.compile(pattern), lambda reader, time_ms, groups: change(reader.nodes, time_ms, groups)


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
    _node_row(rf"Update resource on node: (\S+) from: {RESOURCE}, to: {RESOURCE}", LogNodes.resized),
    _row(rf"Recovering container \[{CONTAINER}, .*?State: (\w+), Capability: {RESOURCE}", TimelineReader.recovered),
)

_CHANGES: Final = {
    "RMAuditLogger": (
        _row(
            rf".*OPERATION=AM Allocated Container\s.*CONTAINERID={CONTAINER}(?:\s+RESOURCE={RESOURCE})?",
            TimelineReader.allocated,
        ),
        _row(rf".*OPERATION=AM Released Container\s.*CONTAINERID={CONTAINER}", TimelineReader.released),
        _row(
            r"USER=(\S+)\s.*OPERATION=Submit Application Request\s.*RESULT=SUCCESS\s.*APPID=(application_\d+_\d+)",
            TimelineReader.submitted,
        ),
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
        _node_row(
            rf"NodeManager from node .*registered with capability: {RESOURCE}, assigned nodeId (\S+)",
            LogNodes.registered,
        ),
    ),
    "RMNodeImpl": (_node_row(r"(\S+) Node Transitioned from \w+ to (\w+)", LogNodes.changed_state),),
    "RackResolver": (_node_row(r"Resolved (\S+) to (\S+)", LogNodes.resolved),),
    "ResourceManager": (
        _row(r"Transitioning to (active) state", TimelineReader.activated),
        _row(r"Transitioning to standby state|SHUTDOWN_MSG", TimelineReader.stopped),
        _row(r"Recovery started", TimelineReader.read_store),
        _row(r"Using Scheduler: (?:[\w.]*\.)?(\w+)", TimelineReader.started),
    ),
}
"""Class that writes → (message, what it changes); the first that fits counts."""
