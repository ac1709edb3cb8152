"""The CapacityScheduler of Hadoop 2.7.2: its front, which puts the parts in their order.

Source: CapacityScheduler, CapacityScheduler#allocateContainersToNode, ParentQueue#assignContainers,
LeafQueue#assignContainers, LeafQueue#recoverContainer, ParentQueue#recoverContainer, Hadoop 2.7.2.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import ClassVar

from engine.errors import RefusedError
from engine.model.decision import Decision, Unreserved
from engine.model.identity import application_name
from engine.model.ledger import Application, Container, Node
from engine.model.request import ANY, Resource, ResourceRequest
from engine.schedulers.capacity.properties import INPUT_OUTPUT, StatedLabel, as_properties, master_label
from engine.schedulers.capacity.space import NOTHING, SCHEDULE, Amount, AsynchronousRounds, first_size, minus
from engine.schedulers.capacity27.admission import (
    DEFAULT_QUEUE,
    Admission27,
    QueueTree27,
    add_attempt,
    am_excess,
    move_attempt,
    remove_attempt,
)
from engine.schedulers.capacity27.calculators import (
    DominantCalculator27,
    MemoryCalculator27,
    PartitionResources27,
    check_partition,
    labels_of,
    name_partition,
)
from engine.schedulers.capacity27.configuration import NO_LABEL, CapacityConfiguration27, read_configuration
from engine.schedulers.capacity27.evaluation import (
    ALLOCATE,
    NEXT_ASK,
    RESERVE,
    Evaluation27,
    EvaluationSettings27,
    evaluate,
    excess_in_queue,
    headroom,
    limit_of_child,
    minimum_factor,
    obstacle_of,
    on_node,
    over_maximum,
)
from engine.schedulers.capacity27.preemption import CapacityMonitor27, PreemptionSettings27, warnings
from engine.schedulers.capacity27.queue_walk import QueueWalk27, has_minimum, has_room, may_use_node, release
from engine.schedulers.capacity27.queues import Attempt27, CapacityQueue27, attempt_27, leaf_of
from engine.schedulers.capacity27.view import CapacityView27
from engine.schedulers.containers import Release27, resize, validate
from engine.schedulers.interface import PolicyView, SchedulerStart
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.schedulers.settings import maximum_at_start
from engine.schedulers.yarn_scheduler import Policy, YarnScheduler
from engine.settings.capacity import CAPACITY_27
from engine.settings.capacity_scheduler import QUEUE_MAPPINGS
from engine.state import Shared

# Says what stands in an application's way, in the queues and on a node; changes nothing.
#
# It goes the way of an offer that only this application may take, with the same evaluation.


def obstacle_in_queue(space: PartitionResources27, attempt: Attempt27) -> Obstacle | None:
    """Return the obstacle that holds on every node: nothing is asked for, or a limit on application masters."""
    if not attempt.pending:
        return Obstacle(Reason.NOTHING_ASKED)
    queue, leaf = leaf_of(attempt)
    if attempt.application.number in leaf.active:
        return None
    excess = am_excess(space, queue, leaf, attempt)
    if excess is None:  # it becomes active with the next change in its queue
        return Obstacle(Reason.NOT_COUNTED)
    is_users, wanted, most = excess
    numbers = space.numbers(minus(wanted, attempt.am), most, attempt.am)
    if is_users:
        return Obstacle(Reason.USER_AM_SHARE_EXHAUSTED, numbers, attempt.user)
    return Obstacle(Reason.AM_SHARE_EXHAUSTED, numbers, queue.path)


def obstacle_on_node(
    space: PartitionResources27, rules: EvaluationSettings27, attempt: Attempt27, node: Node
) -> Obstacle | None:
    """Return the obstacle of an active application on a node; None where an offer would allocate."""
    held = node.reserved
    if held is not None:
        group = held.attempt.groups.get(held.priority)
        anywhere = group.anywhere if group is not None else None
        is_wanted = group is not None and anywhere is not None and anywhere.count != 0
        if is_wanted and held.attempt is not attempt:
            holder = application_name(space.model.cluster_timestamp, held.id[0])
            numbers = space.numbers((held.memory_mb, held.vcores), (node.free_memory_mb, node.free_vcores))
            return Obstacle(Reason.NODE_RESERVED, numbers, holder)
        if is_wanted and group is not None and may_use_node(attempt.queue, node):
            found = on_node(space, rules, attempt, group, node, held, NOTHING)
            if not found.drops_reservation:
                return None if found.outcome == ALLOCATE else _does_not_fit(space, found, node)
    full = _too_full(space, attempt, node)
    if full is not None:
        return full
    queue = attempt.queue
    limit = _limit_on(space, rules, queue, node, first_size(attempt) or space.minimum)
    if not may_use_node(queue, node):
        return Obstacle(Reason.LABEL_NOT_ACCESSIBLE, (), queue.path)
    is_barred = isinstance(limit, Obstacle) and limit.reason is Reason.LABEL_NOT_ACCESSIBLE
    if not is_barred and not _asks_in(attempt, node.partition):  # no limit there keeps it from what it does not ask for
        return Obstacle(Reason.NOT_IN_PARTITION, partition=node.partition)
    if isinstance(limit, Obstacle):
        return limit
    if attempt.blacklist and not attempt.blacklist.isdisjoint((node.name, node.rack)):
        return Obstacle(Reason.BLACKLISTED)
    return _of_asks(space, rules, attempt, node, limit)


def _too_full(space: PartitionResources27, attempt: Attempt27, node: Node) -> Obstacle | None:
    if has_room(space, node) and has_minimum(space, node):
        return None
    wanted, total = first_size(attempt) or space.minimum, (node.total_memory_mb, node.total_vcores)
    if space.exceeds(wanted, total):
        return Obstacle(Reason.NODE_TOO_SMALL, space.numbers(wanted, total))
    return Obstacle(Reason.DOES_NOT_FIT, space.numbers(wanted, (node.free_memory_mb, node.free_vcores)))


def _asks_in(attempt: Attempt27, label: str) -> bool:
    asks = [attempt.groups[priority].anywhere for priority in attempt.priorities]
    return not asks or any(ask is not None and (ask.partition or "").strip() == label for ask in asks)


def _limit_on(
    space: PartitionResources27, rules: EvaluationSettings27, leaf: CapacityQueue27, node: Node, wanted: Amount
) -> Amount | Obstacle:
    """Return the limit of a leaf in the default partition, or of the queue above it where no container fits."""
    limit = space.total(NO_LABEL)
    for queue, child in pairwise([*reversed(leaf.ancestors()), leaf]):
        if not may_use_node(queue, node):
            return Obstacle(Reason.LABEL_NOT_ACCESSIBLE, (), queue.path)
        reserved = (queue.reserved_memory_mb, queue.reserved_vcores) if rules.continue_looking else None
        if excess_in_queue(space, queue, node.partition, limit, space.minimum, reserved) is None:
            return over_maximum(space, queue, node.partition, limit, wanted)
        limit = limit_of_child(space, queue, child, limit)
    return limit


def _of_asks(
    space: PartitionResources27, rules: EvaluationSettings27, attempt: Attempt27, node: Node, limit: Amount
) -> Obstacle | None:
    to_unreserve, last = NOTHING, Obstacle(Reason.NOTHING_ASKED)
    for priority in attempt.priorities:
        found = evaluate(space, rules, attempt, attempt.groups[priority], node, limit, to_unreserve)
        to_unreserve = found.to_unreserve
        if found.outcome == ALLOCATE:
            return None
        if found.outcome == RESERVE:
            return _does_not_fit(space, found, node)
        if found.reason is not Reason.NOTHING_ASKED:
            last = obstacle_of(attempt, found, node.partition)
        if found.outcome != NEXT_ASK:
            break
    return last


def _does_not_fit(space: PartitionResources27, found: Evaluation27, node: Node) -> Obstacle:
    request = found.request
    if request is None:
        return Obstacle(found.reason or Reason.DOES_NOT_FIT, found.numbers)
    wanted, free = (request.memory_mb, request.vcores), (node.free_memory_mb, node.free_vcores)
    return Obstacle(Reason.DOES_NOT_FIT, space.numbers(wanted, free))


def capacity_scheduler_27(start: SchedulerStart) -> YarnScheduler:
    """The scheduler with the policy `capacity-2.7`; raises `ConfigError` where the real class would not start."""
    policy = CapacityScheduler27(start)
    offers = not policy.asynchronous.enabled
    return YarnScheduler(
        policy,
        port_in_node_name=policy.port_in_node_name,
        offers_idle_heartbeats=offers,
        offers_busy_heartbeats=offers,
    )


class CapacityScheduler27(Policy[Attempt27]):
    values: Shared[dict[str, str]]  # The configuration in force; a reload lays another over it
    groups: Mapping[str, Sequence[str]]
    port_in_node_name: bool
    master_label: StatedLabel
    space: PartitionResources27
    tree: QueueTree27
    assignment: QueueWalk27
    admission: Shared[Admission27]
    asynchronous: AsynchronousRounds
    preemption: CapacityMonitor27

    probes_by_size: ClassVar[bool] = False

    def __init__(self, start: SchedulerStart) -> None:
        cluster, values = start.cluster, start.values
        known = labels_of(values)
        configuration, properties = read_configuration(values, sorted(known))
        properties.refusals.check()
        most = Resource(*configuration.maximum)
        maximum = maximum_at_start(values, most, start.now_ms, CAPACITY_27, lags=True)
        minimum = Resource(*configuration.minimum)
        super().__init__(CAPACITY_27.name, "capacity", cluster, minimum, maximum, Release27(cluster))
        self.values = dict(values)
        self.groups = start.groups
        self.port_in_node_name = configuration.port_in_node_name
        self.master_label = master_label(properties)
        calculator = MemoryCalculator27() if configuration.calculator == "memory" else DominantCalculator27()
        self.space = PartitionResources27(cluster, known, calculator, configuration.minimum)
        self.tree = QueueTree27(self.space, configuration.root)
        self.assignment = QueueWalk27(self.space, self._rules(configuration), self.tree.root)
        self.admission = self._admission(configuration)
        self.asynchronous = AsynchronousRounds(cluster, properties, has_threads=False)
        self.preemption = CapacityMonitor27(self.space, self.tree.root, PreemptionSettings27(properties))

    def _rules(self, configuration: CapacityConfiguration27) -> EvaluationSettings27:
        factors = {
            queue.path: minimum_factor(self.space, queue.configuration.maximum)
            for queue in self.tree.queues()
            if queue.leaf is not None
        }
        return EvaluationSettings27(configuration.continue_looking, configuration.node_locality_delay, factors)

    def _admission(self, configuration: CapacityConfiguration27) -> Admission27:
        return Admission27(self.tree, configuration.mappings, self.groups, overrides=configuration.mappings_override)

    # ---------------------------------------------------------------- passes

    def passes(self) -> tuple[tuple[str, int], ...]:
        return (*self.asynchronous.passes(), *self.preemption.passes())

    def run_pass(self, name: str, now_ms: int) -> list[Decision]:
        if name == SCHEDULE:
            return self.asynchronous.round(self.offer, super().is_idle, now_ms)
        dropped, marked, killed = self.preemption.round(now_ms)
        decisions: list[Decision] = [self.unreserve(container.node) for container in dropped]
        for container in marked:
            attempt_27(container.attempt).new_marks[container.number] = container
            container.warned_ms = self.preemption.first_marked_ms[container.id]
        decisions += warnings(marked)
        for container in killed:
            decisions += self.complete(container, "KILL", now_ms, "PREEMPTED")
        if decisions:
            self.cluster.version += 1
        return decisions

    def pass_is_idle(self, name: str) -> bool:
        """Preemption never does: a round depends on the time since the last."""
        return name == SCHEDULE and self.asynchronous.rests

    def longest_timer_ms(self) -> int:
        return self.preemption.longest_timer_ms()

    def view(self) -> PolicyView:
        return CapacityView27(
            self.space,
            self.tree,
            self.values,
            locality_delay=self.assignment.rules.node_locality_delay,
            preempts=self.preemption.settings.is_on,
        )

    # ---------------------------------------------------------------- nodes

    def on_node_added(self, node: Node) -> None:
        self.space.join(node.id, node.partition, (node.total_memory_mb, node.total_vcores))
        self.tree.cluster_changed()

    def before_node_removed(self, node: Node) -> list[Decision]:
        """Partition and queues follow before containers are lost."""
        self.space.leave(node.id)
        self.tree.cluster_changed()
        return []

    def after_node_resized(self, node: Node) -> list[Decision]:
        """The queues follow; its partition keeps counting the former total."""
        self.tree.cluster_changed()
        return []

    def knows_label(self, label: str) -> bool:
        return not label or label in self.space.known

    def label_node(self, node: Node, partition: str, now_ms: int) -> list[Decision]:
        """The node's containers are killed, its reservation is dropped. Source: #updateLabelsOnNode."""
        if not self.knows_label(partition):
            raise RefusedError("IOException", f"the cluster has no node label {partition}")
        if node.partition == partition:
            return []
        self.space.relabel(node.id, partition)
        decisions: list[Decision] = []
        for container in list(node.containers.values()):
            decisions += self.complete(container, "KILL", now_ms, "RELABELLED")
        if node.reserved is not None:
            decisions.append(self.unreserve(node))
        node.partition = partition
        self.cluster.version += 1
        return decisions

    def is_idle(self, node: Node) -> bool:
        """Nothing has changed since the last fruitless offer, or it has no room, and then that is so until it has."""
        version = self.cluster.version
        if node.idle_version != version and node.reserved is None and not has_room(self.space, node):
            node.idle_version = version
        return node.idle_version == version

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        version, assignment = self.cluster.version, self.assignment
        assignment.recorder = self.recorder
        decisions = assignment.offer(node, now_ms)
        if version == self.cluster.version and not assignment.side_effects:
            node.idle_version = version
        return decisions

    # ---------------------------------------------------------------- containers

    def complete(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        if container.state == "RESERVED":
            return [self.unreserve(container.node)]
        attempt = attempt_27(container.attempt)
        _ = attempt.new_marks.pop(container.number, None)
        decisions = self.release.end(container, happening, now_ms, cause)
        amount = (-container.memory_mb, -container.vcores)
        release(self.space, attempt, container.node.partition, amount, reorder=True)
        return decisions

    def unreserve(self, node: Node) -> Unreserved:
        self.assignment.decisions = []
        return self.assignment.drop_reservation(node, reorder=True)

    # ---------------------------------------------------------------- applications

    def admit(self, application: Application, now_ms: int) -> None:
        """Check and normalise the AM's ask; the client has asked for the maximum before. Source: RMAppManager."""
        _ = self.maximum.ask(now_ms)
        am = application.am
        if am is not None:
            label = application.partition or self.master_label.label
            ask = ResourceRequest(0, ANY, am.memory_mb, am.vcores, 1, partition=label)
            self.check([ask], now_ms, application.queue)
            application.master_partition = ask.partition  # the leaf that a mapping names instead has no say
            application.am = self._normalise(am, self.maximum.ask(now_ms))

    def place(self, application: Application, requested: str) -> None:
        name = self.admission.queue_name(application.user, requested)
        queue = self.tree.by_name.get(name)
        if queue is None or queue.leaf is None:
            what = "is not a leaf queue" if queue is not None else "is not there"
            none = f"; no queue is named, nor by {QUEUE_MAPPINGS.everywhere}" if requested == DEFAULT_QUEUE else ""
            none = none if name == requested else f"; {QUEUE_MAPPINGS.everywhere} names it"
            last = name.rpartition(".")[2]
            none = f"; a leaf is named without its path: {last}" if last != name and last in self.tree.by_name else none
            raise RefusedError("APP_REJECTED", f"the queue {name} {what}{none}")
        try:
            self.admission.check(queue, application.user)
        except RefusedError as error:
            raise RefusedError("APP_REJECTED", str(error)) from error
        application.queue = queue.path

    def start_attempt(self, application: Application, number: int, now_ms: int, kept: Sequence[Container]) -> Attempt27:
        queue = self.tree.leaf(application.queue.rpartition(".")[2])
        am = application.am or self.minimum
        attempt = application.attempt = Attempt27(application, number, queue, now_ms, (am.memory_mb, am.vcores))
        attempt.take_over(kept)
        assert queue.leaf is not None, "applications are placed in leaves"
        add_attempt(self.space, queue, queue.leaf, attempt)
        return attempt

    def finish_attempt(self, attempt: Attempt27) -> None:
        queue, leaf = leaf_of(attempt)
        remove_attempt(self.space, queue, leaf, attempt)
        leaf.count_asking(attempt, asks=False)

    def move_to_queue(self, application: Application, queue: str) -> None:
        """Move to another leaf; what is reserved stays charged to the old one. Source: #moveApplication."""
        attempt = attempt_27(application.attempt)
        target = self.tree.leaf(queue)
        self.admission.check(target, attempt.user)
        move_attempt(self.space, attempt, target)
        application.queue = target.path
        self.cluster.version += 1

    # ---------------------------------------------------------------- application masters

    def check(self, asks: Iterable[ResourceRequest], now_ms: int, queue: str) -> None:
        """Refuse asks above the maximum, or for a partition the queue may not use.

        An ask at `*` that names no partition gets the queue's default one. Source: SchedulerUtils, Hadoop 2.7.2.
        """
        maximum = self.maximum.ask(now_ms)
        leaf = self.tree.by_name.get(queue.rpartition(".")[2])
        asks = list(asks)
        name_partition(asks, leaf)
        for ask in asks:
            validate(Resource(ask.memory_mb, ask.vcores), maximum, self.maximum.configured)
            check_partition(ask, leaf, self.space, self.master_label)

    def normalize_requests(self, attempt: Attempt27, asks: Sequence[ResourceRequest], now_ms: int) -> None:
        admitted = attempt.application.master_partition
        if attempt.asks_for_master and admitted is not None:
            for ask in asks:
                ask.partition = admitted
        else:
            name_partition(asks, attempt.queue)
        maximum = self.maximum.ask(now_ms)
        resize(asks, lambda asked: self._normalise(asked, maximum))

    def after_allocate(self, attempt: Attempt27, asks: Sequence[ResourceRequest], *, blacklist_changed: bool) -> None:
        """The AM is told once of a mark; the user counts as one who asks, or not. Source: FiCaSchedulerApp."""
        attempt.marked, attempt.new_marks = attempt.new_marks, {}
        if any(ask.resource_name == ANY for ask in asks):
            leaf_of(attempt)[1].count_asking(attempt, asks=attempt.pending > 0)

    def _normalise(self, ask: Resource, maximum: Resource) -> Resource:
        size = self.space.calculator.normalise(
            (ask.memory_mb, ask.vcores), self.space.minimum, (maximum.memory_mb, maximum.vcores)
        )
        return Resource(*size)

    def headroom(self, attempt: Attempt27) -> Resource:
        return Resource(*headroom(self.space, attempt))

    # ---------------------------------------------------------------- restart

    def charge_recovered(self, container: Container) -> None:
        """Leaf, user and the queues above pay; none of these moves among its siblings."""
        amount = (container.memory_mb, container.vcores)
        release(self.space, attempt_27(container.attempt), container.node.partition, amount, reorder=False)

    def charge_reservation(self, held: Container) -> None:
        attempt_27(held.attempt).reserve_at(held.priority, held.node.id)
        self.charge_recovered(held)

    def order_anew(self, attempt: Attempt27) -> None:
        queue = attempt.queue
        while (parent := queue.parent) is not None:
            parent.put_back(queue)
            queue = parent

    # ---------------------------------------------------------------- questions

    def obstacle(self, attempt: Attempt27) -> Obstacle | None:
        return obstacle_in_queue(self.space, attempt)

    def obstacle_on(self, attempt: Attempt27, node: Node, now_ms: int) -> Obstacle | None:
        return obstacle_on_node(self.space, self.assignment.rules, attempt, node)

    # ---------------------------------------------------------------- configuration

    def change_settings(self, values: Mapping[str, str]) -> None:
        properties = as_properties(values, [queue.path for queue in self.tree.queues()], CAPACITY_27)
        self.reload({**self.values, **properties}, 0)
        self.preemption.reconfigure(properties, self.values)

    def reload(self, allocation: object, now_ms: int) -> None:
        """Load all properties anew, but for the calculator and the smallest container. Source: #reinitialize."""
        if not isinstance(allocation, Mapping):
            raise RefusedError("UnsupportedOperationException", f"{self.name} has no allocation file")
        configuration, properties = read_configuration(allocation, sorted(self.space.known))
        queues_refused = [each for each in properties.refusals.problems if each not in configuration.refused_mappings]
        if queues_refused:
            raise RefusedError(INPUT_OUTPUT, str(queues_refused[0]))
        former = self.maximum.configured
        self.maximum.configure(Resource(*configuration.maximum), self.cluster.nodes.values())
        try:
            self._change_queues(configuration)
        except RefusedError:
            self.maximum.configure(former, self.cluster.nodes.values())
            raise
        finally:
            self.cluster.version += 1
        self.values = dict(allocation)
        self.admission = self._admission(configuration)

    def _change_queues(self, configuration: CapacityConfiguration27) -> None:
        """Change queues, then mappings; a refusal undoes no change before it. Source: #reinitializeQueues."""
        self.tree.reload(configuration.root)
        self.assignment.rules = self._rules(configuration)
        if configuration.refused_mappings:
            raise RefusedError(INPUT_OUTPUT, str(configuration.refused_mappings[0]))
        self.tree.cluster_changed()
