"""Words the log of a ResourceManager, record by record: messages that begin with the class that writes them.

Source: RMAppImpl, RMAppAttemptImpl, RMContainerImpl, RMNodeImpl, RMAuditLogger, RMAppManager.ApplicationSummary,
ResourceTrackerService, SchedulerNode, FairScheduler, FSAppAttempt, FSSchedulerNode, FiCaSchedulerApp,
CapacityScheduler, FifoScheduler, Hadoop 2.7.2 and 3.4.1. Differs: states that an application or a container passes in
no time here are all written at one instant; the age of a container that is to be preempted counts from its warning.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from engine.control_plane.protocol import NodeJoined, NodeLost, NodeResized
from engine.errors import ConfigError
from engine.model.decision import (
    Allocated,
    ApplicationTransitioned,
    Completed,
    ContainerId,
    Killed,
    Reserved,
    Unreserved,
    Warned,
)
from engine.model.identity import application_name, container_name
from engine.observe.journal import NewFile
from engine.scenario import Scenario
from engine.scenario.acts import MoveApplication
from engine.simulation.records import Acted, Record, Started, Submitted
from engine.units import moment_at


def resource(memory_mb: int, vcores: int) -> str:
    """An amount as Hadoop prints it.

    >>> resource(1024, 1)
    '<memory:1024, vCores:1>'
    """
    return f"<memory:{memory_mb}, vCores:{vcores}>"


class NodeFigures(NamedTuple):
    containers: int
    used: tuple[int, ...]  # Memory [MB], vcores
    total: tuple[int, ...]

    @property
    def free(self) -> tuple[int, ...]:
        return tuple(total - used for total, used in zip(self.total, self.used, strict=True))


class _NodeAmounts:
    def __init__(self, reported: Callable[[str, NodeFigures], NodeFigures]) -> None:
        self._reported = reported
        self._total: dict[str, tuple[int, int]] = {}
        self._used: dict[str, tuple[int, int, int]] = {}  # node → containers, memory [MB], vcores

    def join(self, node: str, memory_mb: int, vcores: int) -> None:
        self._total[node] = memory_mb, vcores
        self._used[node] = 0, 0, 0

    def resize(self, node: str, memory_mb: int, vcores: int) -> None:
        self._total[node] = memory_mb, vcores

    def total(self, node: str) -> str:
        return resource(*self._total.get(node, (0, 0)))

    def assign(self, node: str, memory_mb: int, vcores: int) -> str:  # How the line on it ends
        self._change(node, 1, memory_mb, vcores)
        count, used, free = self._words(node)
        return f"which has {count} containers, {used} used and {free} available after allocation"

    def release(self, node: str, memory_mb: int, vcores: int) -> str:  # How the line on it ends
        self._change(node, -1, memory_mb, vcores)
        count, used, free = self._words(node)
        return f"which currently has {count} containers, {used} used and {free} available, release resources=true"

    def words(self, node: str) -> str:
        count, used, free = self._words(node)
        return f"{node} #containers={count} available={free} used={used}"

    def _change(self, node: str, sign: int, memory_mb: int, vcores: int) -> None:
        count, used_mb, used_vcores = self._used.get(node, (0, 0, 0))
        self._used[node] = count + sign, used_mb + sign * memory_mb, used_vcores + sign * vcores

    def _words(self, node: str) -> tuple[int, str, str]:
        count, *used = self._used.get(node, (0, 0, 0))
        said = self._reported(node, NodeFigures(count, tuple(used), self._total.get(node, (0, 0))))
        return said.containers, resource(*said.used), resource(*said.free)


SCHEDULERS: Final = {
    "fair": ("scheduler.fair.FairScheduler", "scheduler.fair.FSAppAttempt", "scheduler.fair.FSSchedulerNode"),
    "capacity": (
        "scheduler.capacity.CapacityScheduler",
        "scheduler.common.fica.FiCaSchedulerApp",
        "scheduler.common.fica.FiCaSchedulerNode",
    ),
    "fifo": (
        "scheduler.fifo.FifoScheduler",
        "scheduler.common.fica.FiCaSchedulerApp",
        "scheduler.common.fica.FiCaSchedulerNode",
    ),
}
"""Family → class of the scheduler, of an attempt, of a node."""

ENDS: Final = frozenset({"RELEASED", "EXPIRED"})  # Causes of a container's end that are its state; else KILLED
FINAL: Final = {"FINISHED": "SUCCEEDED", "FAILED": "FAILED", "KILLED": "KILLED"}
STEPS: Final = {
    "ACCEPTED": ("NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED"),
    "RUNNING": ("ACCEPTED", "RUNNING"),
    "FINISHED": ("RUNNING", "FINAL_SAVING", "FINISHING", "FINISHED"),
    "FAILED": ("RUNNING", "FINAL_SAVING", "FAILED"),
    "KILLED": ("RUNNING", "KILLING", "FINAL_SAVING", "KILLED"),
}
"""State an application reaches → those on the way."""
_ESCAPED: Final = re.compile(r"[,\\]")


class _Submission:
    __slots__ = ("memory_ms", "name", "queue", "started_ms", "state", "type", "user", "vcore_ms")

    def __init__(self, record: Submitted, time_ms: int) -> None:
        self.name, self.user, self.queue, self.type = record.name, record.user, record.queue, record.type
        self.started_ms = time_ms
        self.state = "NEW"
        self.memory_ms = self.vcore_ms = 0


class RmLogFormatter:
    """Knows what is needed to say of a record what the ResourceManager would."""

    def __init__(self, scenario: Scenario, reported: Callable[[str, NodeFigures], NodeFigures]) -> None:
        self._timestamp = scenario.timestamp
        self._is_34 = scenario.era == "3.4"
        self._family = scenario.family
        self._scheduler, self._attempt, self._node_class = SCHEDULERS[self._family]
        self._nodes = _NodeAmounts(reported)
        self._reserved: dict[ContainerId, Reserved] = {}
        self._applications: dict[int, _Submission] = {}
        self._held: dict[ContainerId, tuple[int, Allocated]] = {}  # since when, and what
        self._warned: dict[ContainerId, int] = {}

    def started(self) -> list[str]:
        return [f"ResourceManager: Using Scheduler: org.apache.hadoop.yarn.server.resourcemanager.{self._scheduler}"]

    def of(self, record: Record, time_ms: int) -> list[str]:
        """The messages of a record; many records have none."""
        say = _SAYINGS.get(type(record))
        return say(self, record, time_ms) if say is not None else []

    def _id(self, number: int) -> str:
        return application_name(self._timestamp, number)

    def _container(self, container: ContainerId) -> str:
        return container_name(self._timestamp, container)

    def _audit(self, container: ContainerId, operation: str, size: str) -> str:
        found = self._applications.get(container[0])
        user, queue = ("", "") if found is None else (found.user, found.queue)
        more = f"\tRESOURCE={size}\tQUEUENAME={queue}" if self._is_34 else ""
        return (
            f"RMAuditLogger: USER={user}\tOPERATION={operation}\tTARGET=SchedulerApp"
            f"\tRESULT=SUCCESS\tAPPID={self._id(container[0])}\tCONTAINERID={self._container(container)}{more}"
        )

    def node_joined(self, record: NodeJoined, time_ms: int) -> list[str]:
        host, _, port = record.node.partition(":")
        size = resource(record.memory_mb, record.vcores)
        self._nodes.join(record.node, record.memory_mb, record.vcores)
        return [
            f"RackResolver: Resolved {host} to {record.rack}",
            f"ResourceTrackerService: NodeManager from node {host}(cmPort: {port} httpPort: 8042) registered with"
            f" capability: {size}, assigned nodeId {record.node}",
            f"rmnode.RMNodeImpl: {record.node} Node Transitioned from NEW to RUNNING",
        ]

    def node_lost(self, record: NodeLost, time_ms: int) -> list[str]:
        return [f"rmnode.RMNodeImpl: {record.node} Node Transitioned from RUNNING to {record.state}"]

    def node_resized(self, record: NodeResized, time_ms: int) -> list[str]:
        before = self._nodes.total(record.node)
        self._nodes.resize(record.node, record.memory_mb, record.vcores)
        after = resource(record.memory_mb, record.vcores)
        return [f"scheduler.AbstractYarnScheduler: Update resource on node: {record.node} from: {before}, to: {after}"]

    def submitted(self, record: Submitted, time_ms: int) -> list[str]:
        if not record.application or record.rejected:
            return []
        self._applications[record.application] = _Submission(record, time_ms)
        return [
            f"ClientRMService: Application with id {record.application} submitted by user {record.user}",
            f"RMAuditLogger: USER={record.user}\tOPERATION=Submit Application Request\tTARGET=ClientRMService"
            f"\tRESULT=SUCCESS\tAPPID={self._id(record.application)}",
        ]

    def transitioned(self, record: ApplicationTransitioned, time_ms: int) -> list[str]:
        found = self._applications.get(record.application)
        steps = STEPS.get(record.state)
        if found is None or steps is None:
            return []
        found.queue = record.queue or found.queue
        identity = self._id(record.application)
        steps = (found.state, *steps[1:])
        lines = [
            f"rmapp.RMAppImpl: {identity} State change from {before} to {after}" for before, after in pairwise(steps)
        ]
        found.state = record.state
        if record.state == "ACCEPTED":
            queue = "" if self._family == "fifo" else f" in queue: {found.queue},"
            count = sum(each.state in ("ACCEPTED", "RUNNING") for each in self._applications.values())
            lines.append(
                f"{self._scheduler}: Accepted application {identity} from user: {found.user},{queue}"
                f" currently num of applications: {count}"
            )
        if record.state in FINAL:
            lines.append(self._summary(record.application, found, time_ms))
            del self._applications[record.application]
        return lines

    def _summary(self, number: int, found: _Submission, time_ms: int) -> str:
        fields = {
            "appId": self._id(number),
            "name": found.name,
            "user": found.user,
            "queue": found.queue,
            "state": found.state,
            "trackingUrl": "N/A",
            "appMasterHost": "N/A",
            "startTime": found.started_ms,
            "finishTime": time_ms,
            "finalStatus": FINAL[found.state],
            "memorySeconds": found.memory_ms // 1000,
            "vcoreSeconds": found.vcore_ms // 1000,
            "applicationType": found.type,
        }
        words = {key: _ESCAPED.sub(r"\\\g<0>", " ".join(str(value).split())) for key, value in fields.items()}
        written = ",".join(f"{key}={value}" for key, value in words.items())
        return f"RMAppManager$ApplicationSummary: {written}"

    def allocated(self, record: Allocated, time_ms: int) -> list[str]:
        identity, size = self._container(record.container), resource(record.memory_mb, record.vcores)
        before = "NEW" if self._reserved.pop(record.container, None) is None else "RESERVED"
        self._held[record.container] = time_ms, record
        after = self._nodes.assign(record.node, record.memory_mb, record.vcores)
        lines = [
            f"rmcontainer.RMContainerImpl: {identity} Container Transitioned from {before} to ALLOCATED",
            self._audit(record.container, "AM Allocated Container", size),
            f"scheduler.SchedulerNode: Assigned container {identity} of capacity {size} on host {record.node}, {after}",
            f"rmcontainer.RMContainerImpl: {identity} Container Transitioned from ALLOCATED to ACQUIRED",
        ]
        application, attempt, number = record.container
        if number == 1:
            host = record.node.partition(":")[0]
            lines.append(
                f"rmapp.attempt.RMAppAttemptImpl: Storing attempt: AppId: {self._id(application)} AttemptId:"
                f" appattempt_{self._timestamp}_{application:04d}_{attempt:06d} MasterContainer: Container:"
                f" [ContainerId: {identity}, NodeId: {record.node}, NodeHttpAddress: {host}:8042, Resource: {size},"
                f" Priority: {record.priority}, Token: null, ]"
            )
        return lines

    def running(self, record: Started, time_ms: int) -> list[str]:
        identity = self._container(record.container)
        return [f"rmcontainer.RMContainerImpl: {identity} Container Transitioned from ACQUIRED to RUNNING"]

    def completed(self, record: Completed, time_ms: int) -> list[str]:
        return self._ended(record.container, "COMPLETED", "FINISHED", time_ms)

    def killed(self, record: Killed, time_ms: int) -> list[str]:
        lines = []
        if record.cause == "PREEMPTED" and record.container in self._held:
            lines = self._preempted(record.container, time_ms)
        state = record.cause if record.cause in ENDS else "KILLED"
        return lines + self._ended(record.container, state, "KILL", time_ms)

    def _preempted(self, container: ContainerId, time_ms: int) -> list[str]:
        identity, (_, held) = self._container(container), self._held[container]
        since_ms = self._warned.pop(container, time_ms)
        if self._family == "fair" and not self._is_34:  # without a blank, and misspelt: so it is printed
            waited = f"(after waiting for premption for {time_ms - since_ms}ms)"
            return [f"{self._scheduler}: Killing container{identity} {waited}"]
        if self._family == "fair":
            return [f"scheduler.fair.FSPreemptionThread: Killing container {identity}"]
        attempt = f"appattempt_{self._timestamp}_{container[0]:04d}_{container[1]:06d}"
        return [
            f"rmapp.attempt.RMAppAttemptMetrics: {'AM' if container[2] == 1 else 'Non-AM'} container preempted,"
            f" current appAttemptId={attempt}, containerId={identity}, resource={resource(held.memory_mb, held.vcores)}"
        ]

    def _ended(self, container: ContainerId, state: str, event: str, time_ms: int) -> list[str]:
        if container not in self._held:
            return []
        since_ms, held = self._held.pop(container)
        self._warned.pop(container, None)
        found = self._applications.get(container[0])
        if found is not None:
            found.memory_ms += held.memory_mb * (time_ms - since_ms)
            found.vcore_ms += held.vcores * (time_ms - since_ms)
        identity, size = self._container(container), resource(held.memory_mb, held.vcores)
        after = self._nodes.release(held.node, held.memory_mb, held.vcores)
        attempt = f"appattempt_{self._timestamp}_{container[0]:04d}_{container[1]:06d}"
        return [
            f"rmcontainer.RMContainerImpl: {identity} Container Transitioned from RUNNING to {state}",
            self._audit(container, "AM Released Container", size),
            f"scheduler.SchedulerNode: Released container {identity} of capacity {size} on host {held.node}, {after}",
            f"{self._scheduler}: Application attempt {attempt} released container {identity} on node: host:"
            f" {self._nodes.words(held.node)} with event: {event}",
        ]

    def warned(self, record: Warned, time_ms: int) -> list[str]:
        self._warned[record.container] = time_ms
        if self._family != "fair" or record.container not in self._held:
            return []
        if self._is_34:
            identity = self._container(record.container)
            return [f"scheduler.fair.FSPreemptionThread: Preempting container {identity} from queue: {record.queue}"]
        _, held = self._held[record.container]
        size = resource(held.memory_mb, held.vcores)
        return [f"{self._scheduler}: Preempting container (prio={held.priority}res={size}) from queue {record.queue}"]

    def reserved(self, record: Reserved, time_ms: int) -> list[str]:
        if record.container in self._reserved:
            return []
        self._reserved[record.container] = record
        identity, application = self._container(record.container), self._id(record.container[0])
        node = self._nodes.words(record.node)
        made = f"{self._attempt}: Making reservation: node={record.node.partition(':')[0]} app_id={application}"
        return [
            *([made] if self._family == "fair" else []),
            f"rmcontainer.RMContainerImpl: {identity} Container Transitioned from NEW to RESERVED",
            f"{self._node_class}: Reserved container {identity} on node host: {node} for application {application}",
        ]

    def unreserved(self, record: Unreserved, time_ms: int) -> list[str]:
        if self._reserved.pop(record.container, None) is None:
            return []
        own = [held for held in self._reserved.values() if held.container[0] == record.container[0]]
        count = sum(held.priority == record.priority for held in own)
        left = resource(sum(held.memory_mb for held in own), sum(held.vcores for held in own))
        return [
            f"{self._attempt}: Application {self._id(record.container[0])} unreserved  on node host:"
            f" {self._nodes.words(record.node)}, currently has {count} at priority {record.priority};"
            f" currentReservation {left}"
        ]

    def acted(self, record: Acted, time_ms: int) -> list[str]:
        act = record.action
        if not isinstance(act, MoveApplication) or act.application not in self._applications:
            return []
        found = self._applications[act.application]
        before, found.queue = found.queue, act.queue
        return [
            f"{self._scheduler}: App: {self._id(act.application)} successfully moved from {before} to: {found.queue}"
        ]


_SAYINGS: Final[dict[type, Callable[[RmLogFormatter, Any, int], list[str]]]] = {
    NodeJoined: RmLogFormatter.node_joined,
    NodeLost: RmLogFormatter.node_lost,
    NodeResized: RmLogFormatter.node_resized,
    Submitted: RmLogFormatter.submitted,
    ApplicationTransitioned: RmLogFormatter.transitioned,
    Allocated: RmLogFormatter.allocated,
    Started: RmLogFormatter.running,
    Completed: RmLogFormatter.completed,
    Killed: RmLogFormatter.killed,
    Warned: RmLogFormatter.warned,
    Reserved: RmLogFormatter.reserved,
    Unreserved: RmLogFormatter.unreserved,
    Acted: RmLogFormatter.acted,
}
"""Record → what is said of it."""


PACKAGE: Final = "org.apache.hadoop.yarn.server.resourcemanager."


class ResourceManagerLogWriter:
    """A listener that writes the log of a run, without start-up, tokens and state store; closed as a context."""

    def __init__(
        self,
        file: NewFile,
        scenario: Scenario,
        reported: Callable[[str, NodeFigures], NodeFigures] = lambda node, figures: figures,
    ) -> None:
        """Write the first line. `reported` is what is said of a node (`host:port`) and its figures."""
        self._file = file
        self._offset_ms = scenario.offset_ms
        self._words = RmLogFormatter(scenario, reported)
        self._write(scenario.start_ms, self._words.started())

    @classmethod
    def to_file(cls, path: Path, scenario: Scenario, *, force: bool = False) -> Self:
        """A writer of a new file; arguments and errors as `NewFile.create`.

        Raises ConfigError if the scenario has no ResourceManager, or the file is there already or cannot be opened,
        OutputError if it cannot be written.
        """
        if scenario.system != "yarn":
            raise ConfigError.of(f"{scenario.scheduler} has no ResourceManager", key="--rm-log")
        return cls(NewFile.create(path, force=force), scenario)

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Raises ConfigError if the file cannot take its name, OutputError if it cannot be written."""
        self._write(time_ms, [line for record in records for line in self._words.of(record, time_ms)])
        self._file.take_name()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _write(self, time_ms: int, messages: Sequence[str]) -> None:
        if not messages:
            return
        moment = moment_at(time_ms + self._offset_ms)
        when = f"{moment:%Y-%m-%d %H:%M:%S},{time_ms % 1000:03d}"
        self._file.write("".join(f"{when} INFO {PACKAGE}{message}\n" for message in messages).encode())
