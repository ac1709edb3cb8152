"""Builds the timeline of a ResourceManager's log, change by change.

Hadoop 2.4 to 3.4 print different lines; each change is made by the first one that says it.

Source: RMAppImpl, RMAppAttemptImpl, RMContainerImpl, RMNodeImpl, RMAppManager, RMAuditLogger, ResourceTrackerService,
SchedulerNode, FSAppAttempt, FSSchedulerNode, FiCaSchedulerApp, FairScheduler, FSPreemptionThread, Hadoop 2.7.2, 3.4.1;
RMNodeImpl, ResourceTrackerService, RackResolver, AbstractYarnScheduler, Hadoop 2.7.2, 3.4.1.
"""

from collections.abc import Sequence
from sys import intern
from typing import Final

from engine.formats.traces.application import whole, words
from engine.formats.traces.rm_timeline import (
    LogApplication,
    LogContainer,
    LogNode,
    LogReservation,
    ResourceManagerTimeline,
    application_of,
    number_of,
    summary_fields,
)
from engine.model.lifecycle import FINAL_APPLICATION_STATES, FINAL_CONTAINER_STATES

# Reservations as the lines of a ResourceManager's log show them: which node is held for which application, since and
# until when.
#
# A node holds one reservation at most. Lines name the node, the container or both: `Making reservation: node=…
# app_id=…` (fair), `Reserved container … on node`, `… Transitioned from NEW to RESERVED`, `… unreserved on node …`.

TOGETHER_MS: Final = 1000  # Lines of one reservation are written so close together


class _LogReservations:  # That hold now, and the count of all
    def __init__(self, made: list[LogReservation]) -> None:
        """None yet; those made are added to a list."""
        self._made = made
        self._unsized: dict[str, list[LogReservation]] = {}
        """Application → its reservations of which nothing has said how large they are since the last size."""
        self._held: dict[str, LogReservation] = {}  # node → the reservation it holds now
        self._unplaced: dict[str, LogReservation] = {}
        """Container → its reservation, of which no line has named the node yet."""

        self._taken: dict[tuple[str, str], tuple[int, LogReservation]] = {}
        """(application, node) → when a line ended a reservation there that was taken for the oldest, and which."""
        self._fulfilled: dict[tuple[str, str], int] = {}
        """(application, node) → when a container that had been reserved was allocated there."""

    def hold(self, reservation: LogReservation) -> None:
        node = reservation.node or ""
        before = self._held.get(node)
        if before is not None and before.application == reservation.application:
            return  # the line is written again while it lasts
        self._end(node, reservation.since_ms, "REPLACED")
        self._held[node] = reservation
        self._add(reservation)

    def _add(self, reservation: LogReservation) -> None:
        self._made.append(reservation)
        self._unsized.setdefault(reservation.application, []).append(reservation)

    def reserve(self, container: str, time_ms: int) -> None:
        application = application_of(container)
        for each in self._held.values():
            is_new = each.container is None and time_ms - each.since_ms <= TOGETHER_MS
            if is_new and each.application == application:
                each.container = container
                return
        found = LogReservation(application, None, time_ms, container=container)
        self._unplaced[container] = found
        self._add(found)

    def place(self, container: str, node: str, time_ms: int) -> None:
        application = application_of(container)
        held = self._held.get(node)
        found = self._unplaced.pop(container, None)
        if found is not None:
            found.node = node
            self._made.remove(found)
            self.hold(found)
        elif held is not None and held.application == application:
            held.container = container
        else:
            self.hold(LogReservation(application, node, time_ms, container=container))

    def fulfil(self, container: LogContainer, time_ms: int) -> None:
        node = container.node or ""
        held = self._held.get(node) or self._unplaced.get(container.id)
        if held is None or held.application != container.application or held.container not in (None, container.id):
            return
        held.memory_mb, held.vcores = container.memory_mb, container.vcores
        held.node = node
        if self._unplaced.pop(container.id, None) is not None:
            held.until_ms, held.end = time_ms, "ALLOCATED"
            self._undo(container.application, node, time_ms)
        else:
            self._end(node, time_ms, "ALLOCATED")

    def _undo(self, application: str, node: str, time_ms: int) -> None:
        # The line just before was that of the one allocated now
        ended_ms, other = self._taken.pop((application, node), (0, None))
        if other is None or other.container is None or time_ms - ended_ms > TOGETHER_MS:
            self._fulfilled[application, node] = time_ms
            return
        other.node, other.until_ms, other.end = None, None, ""
        self._unplaced = {other.container: other} | self._unplaced

    def unreserve(self, application: str, node: str, time_ms: int) -> None:
        held = self._held.get(node)
        if held is not None and held.application == application:
            self._end(node, time_ms, "UNRESERVED")
            return
        if time_ms - self._fulfilled.pop((application, node), -TOGETHER_MS - 1) <= TOGETHER_MS:
            return
        container = next((key for key, each in self._unplaced.items() if each.application == application), None)
        if container is not None:  # the oldest of which no line named the node
            found = self._unplaced.pop(container)
            found.node, found.until_ms, found.end = node, time_ms, "UNRESERVED"
            self._taken[application, node] = time_ms, found

    def set_size(self, application: str, memory_mb: int, vcores: int) -> None:
        for each in self._unsized.pop(application, ()):
            if each.memory_mb is None:
                each.memory_mb, each.vcores = memory_mb, vcores

    def end_all(self, time_ms: int, end: str, application: str | None = None) -> None:
        for node in [key for key, each in self._held.items() if application in (None, each.application)]:
            self._end(node, time_ms, end)
        for container in [key for key, each in self._unplaced.items() if application in (None, each.application)]:
            found = self._unplaced.pop(container)
            found.until_ms, found.end = time_ms, end

    def forget_ended(self, now_ms: int) -> None:  # Of those that ended what no further line can be about
        first_ms = now_ms - TOGETHER_MS
        self._unsized = {
            name: some
            for name, found in self._unsized.items()
            if (some := [each for each in found if each.until_ms is None])
        }
        self._taken = {key: each for key, each in self._taken.items() if each[0] >= first_ms}
        self._fulfilled = {key: at_ms for key, at_ms in self._fulfilled.items() if at_ms >= first_ms}

    def rename(self, host: str, node: str) -> None:
        if host in self._held:
            self._held[node] = self._held.pop(host)
        for each in self._made:
            if each.node == host:
                each.node = node

    def _end(self, node: str, time_ms: int, end: str) -> None:
        held = self._held.pop(node, None)
        if held is not None:
            held.until_ms, held.end = time_ms, end


Groups = tuple[str, ...]

ONE_START_MS: Final = 30_000  # Lines of one start are written within this time
QUARTER_MS: Final = 900_000  # Time zones differ by quarters of an hour


class TimelineReader:
    """Takes what the lines of a log say, in their order."""

    def __init__(self) -> None:
        self.timeline = ResourceManagerTimeline()
        self.offset_ms: int | None = None
        """How far the log's clock is east of Greenwich, as the first summary shows; None while there was none."""
        self._made_ms = 0  # when the last scheduler was made of which no line says yet whether it began to work
        self._tells_of_turns = False  # whether lines tell who is active; before Hadoop 2.4 none does
        self._open: dict[str, LogContainer] = {}  # containers that have not ended, by id
        self._reservations = _LogReservations(self.timeline.reservations)
        self._node_ids: dict[str, str] = {}  # host → the node's id
        self._racks: dict[str, str] = {}

    def forget_ended(self) -> None:
        """Keep only what has not ended, so that a log may be followed for as long as it is written."""
        self.timeline.forget_ended()
        self._reservations.forget_ended(self.timeline.end_ms)

    # Nodes, by host before their ids are known

    def _node_id(self, name: str) -> str:
        host = name.partition(":")[0]
        known = self._node_ids.get(host)
        if known is None:
            known = self._node_ids[host] = name
            self.timeline.nodes[name] = LogNode(name, self._racks.get(host))
        elif known == host and name != host:
            self._name_port(host, name)
            known = name
        return known

    def _name_port(self, host: str, identity: str) -> None:
        self._node_ids[host] = identity
        node = self.timeline.nodes.pop(host)
        node.id = identity
        self.timeline.nodes[identity] = node
        self._reservations.rename(host, identity)
        for each in self.timeline.containers.values():
            if each.node == host:
                each.node = identity

    def resolved_rack(self, time_ms: int, groups: Groups) -> None:
        host, rack = groups
        self._racks[host] = rack
        if host in self._node_ids:
            self.timeline.nodes[self._node_ids[host]].rack = rack

    def registered_node(self, time_ms: int, groups: Groups) -> None:
        memory_mb, vcores, name = groups
        node = self.timeline.nodes[self._node_id(name)]
        node.memory_mb, node.vcores = whole(memory_mb), whole(vcores)

    def _fill_node(self, identity: str, room: Sequence[str]) -> None:
        node = self.timeline.nodes[identity]
        if node.memory_mb is None and any(room):
            used_mb, used_vcores, left_mb, left_vcores = map(int, room)
            node.memory_mb, node.vcores = used_mb + left_mb, used_vcores + left_vcores

    def resized_node(self, time_ms: int, groups: Groups) -> None:
        name, _, _, memory_mb, vcores = groups
        self.registered_node(time_ms, (memory_mb, vcores, name))

    def changed_node(self, time_ms: int, groups: Groups) -> None:
        name, state = groups
        self.timeline.nodes[self._node_id(name)].states.append((time_ms, state))

    # Applications

    def _application(self, identity: str, time_ms: int) -> LogApplication:
        found = self.timeline.applications.get(identity)
        if found is None:
            found = self.timeline.applications[identity] = LogApplication(identity, time_ms)
        return found

    def submitted(self, time_ms: int, groups: Groups) -> None:
        user, identity, queue = groups
        each = self._application(identity, time_ms)
        each.user, each.queue = each.user or user, each.queue or queue or None
        each.submitted_ms = each.submitted_ms or time_ms

    def refused(self, time_ms: int, groups: Groups) -> None:
        self.timeline.refused += 1

    def accepted(self, time_ms: int, groups: Groups) -> None:
        identity, user, queue = groups
        each = self._application(identity, time_ms)
        each.user = user or each.user
        each.queue = queue or each.queue
        if queue:
            each.queues.append((time_ms, queue))

    def changed_state(self, time_ms: int, groups: Groups) -> None:
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

    def finished(self, time_ms: int, groups: Groups) -> None:
        """Its end, as the audit log tells of it."""
        user, end, identity = groups
        each = self._application(identity, time_ms)
        each.user, each.final = each.user or user, each.final or end.upper()
        each.finished_ms = each.finished_ms or time_ms

    def moved(self, time_ms: int, groups: Groups) -> None:
        each = self._application(groups[0], time_ms)
        each.queue = groups[1] or each.queue
        each.queues.append((time_ms, groups[1]))

    def summarised(self, time_ms: int, groups: Groups) -> None:
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
        identity, memory_mb, vcores, node, *room = groups
        each = self._container(identity, time_ms)
        each.memory_mb, each.vcores = whole(memory_mb), whole(vcores)
        each.node = self._node_id(node)
        self._fill_node(each.node, room)
        self._reservations.fulfil(each, time_ms)

    def allocated(self, time_ms: int, groups: Groups) -> None:
        identity, memory_mb, vcores, queue = groups
        each = self._container(identity, time_ms)
        if memory_mb and each.memory_mb is None:
            each.memory_mb, each.vcores = whole(memory_mb), whole(vcores)
        application = self._application(each.application, time_ms)
        if queue and not application.queues:  # else a line has said where it was accepted
            application.queue = queue

    def became_master(self, time_ms: int, groups: Groups) -> None:
        identity, node, memory_mb, vcores = groups
        each = self._container(identity, time_ms)
        each.is_master = True
        each.node = each.node or self._node_id(node)
        if each.memory_mb is None:
            each.memory_mb, each.vcores = whole(memory_mb), whole(vcores)

    def changed_container(self, time_ms: int, groups: Groups) -> None:
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
        found = self.timeline.containers.get(groups[0])
        if found is not None:
            self._end_container(found, time_ms, "COMPLETED")

    def _end_container(self, each: LogContainer, time_ms: int, end: str) -> None:
        if each.ended_ms is None:
            _ = self._open.pop(each.id, None)
            each.ended_ms, each.end = time_ms, intern(end)

    def recovered(self, time_ms: int, groups: Groups) -> None:
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
        host, application = groups
        _ = self._application(application, time_ms)
        self._reservations.hold(LogReservation(application, self._node_id(host), time_ms))

    def reserved_on(self, time_ms: int, groups: Groups) -> None:
        container, node = groups
        self._reservations.place(container, self._node_id(node), time_ms)

    def unreserved(self, time_ms: int, groups: Groups) -> None:
        """A node is not held any more; what its application still holds shows the size of one."""
        application, node, left, memory_mb, vcores = groups
        self._reservations.unreserve(application, self._node_id(node), time_ms)
        count = int(left[:9])
        if count:
            self._reservations.set_size(application, int(memory_mb) // count, int(vcores) // count)

    # Preemption

    def preempted(self, time_ms: int, groups: Groups) -> None:
        identity = groups[0]
        found = self.timeline.containers.get(identity)
        if found is not None:
            found.preempted_ms = found.preempted_ms or time_ms
        self.timeline.preemptions.append((time_ms, identity, "container"))

    def preempted_queue(self, time_ms: int, groups: Groups) -> None:  # Of a container only its queue is named
        self.timeline.preemptions.append((time_ms, groups[0], "queue"))

    # The ResourceManager itself

    def started(self, time_ms: int, groups: Groups) -> None:
        """A scheduler was made: where a ResourceManager starts, and where it stands by, as the other of a pair does."""
        self.timeline.scheduler = groups[0]
        self._made_ms = time_ms
        if not self._tells_of_turns:
            self._start(time_ms)

    def stopped(self, time_ms: int, groups: Groups) -> None:
        """It stopped, or handed over to the other of a pair; both lines of one stop are written within a moment."""
        self._tells_of_turns = True
        made_ms, self._made_ms = self._made_ms, 0
        if groups[0] and time_ms - made_ms < ONE_START_MS:
            return  # it begins by standing by
        starts, stops = self.timeline.starts_ms, self.timeline.stops_ms
        if starts and (not stops or stops[-1] < starts[-1]):
            stops.append(time_ms)

    def read_store(self, time_ms: int, groups: Groups) -> None:
        self.timeline.recovers = True

    def initialised(self, time_ms: int, groups: Groups) -> None:
        calculator, least_mb, least_vcores, most_mb, most_vcores = groups
        self.timeline.settings = {
            "yarn.scheduler.capacity.resource-calculator": calculator,
            "yarn.scheduler.minimum-allocation-mb": least_mb,
            "yarn.scheduler.minimum-allocation-vcores": least_vcores,
            "yarn.scheduler.maximum-allocation-mb": most_mb,
            "yarn.scheduler.maximum-allocation-vcores": most_vcores,
        }

    def activated(self, time_ms: int, groups: Groups) -> None:
        self._tells_of_turns, self._made_ms = True, 0
        self._start(time_ms)

    def _start(self, time_ms: int) -> None:
        """It knows of nothing but what it recovers."""
        starts, stops = self.timeline.starts_ms, self.timeline.stops_ms
        is_up = starts and (not stops or stops[-1] < starts[-1])
        if is_up and time_ms - starts[-1] < ONE_START_MS:
            return
        starts.append(time_ms)
        for each in list(self._open.values()):
            self._end_container(each, time_ms, "STOPPED")
        self._reservations.end_all(time_ms, "STOPPED")
