"""The messages of a ResourceManager's log that count, and what each changes; other lines are passed over.

A table names them for each class that writes, for Hadoop 2.4 to 3.4.
"""

import re
from collections.abc import Callable
from typing import Final

from engine.formats.traces.rm_log_lines import APPLICATION, CONTAINER, RESOURCE, LogLine
from engine.formats.traces.rm_log_nodes import Groups, LogNodes
from engine.formats.traces.rm_log_reader import TimelineReader

MODERN: Final = frozenset({"MultiNodeSortingManager", "ProxyCAManager", "RMAppLifetimeMonitor", "ResourceUtils"})
"""Classes that only releases from 3.0 on have."""
SCHEDULERS: Final = frozenset({"FairScheduler", "CapacityScheduler", "FifoScheduler"})
"""Classes of which only the one that schedules writes."""

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


def take(reader: TimelineReader, line: LogLine) -> None:
    """Take a line."""
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
