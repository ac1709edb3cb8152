"""The CapacityScheduler of Hadoop 3.4.1: its front, which puts the parts in their order.

Source: CapacityScheduler, AbstractYarnScheduler, CapacityScheduler#preValidateMoveApplication, #moveApplication, Hadoop
3.4.1.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from engine.errors import ConfigError, RefusedError
from engine.model.decision import Decision
from engine.model.ledger import Application, Container, Node, change_queue
from engine.model.request import ANY, Resource, ResourceRequest
from engine.schedulers.capacity.properties import Properties, Refusals, as_properties
from engine.schedulers.capacity.space import NOTHING, SCHEDULE, AsynchronousRounds, minus
from engine.schedulers.capacity34.admission import Admission, ParallelLimit, amount, check_submission
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.commit import Commit
from engine.schedulers.capacity34.dynamic_queues import QueueUpkeep
from engine.schedulers.capacity34.leaf import headroom_of, remove, submit
from engine.schedulers.capacity34.nodes import SORT, MultiNodePlacement, Overcommit
from engine.schedulers.capacity34.preemption.ideal import read_preemption
from engine.schedulers.capacity34.preemption.within_victims import Preemption
from engine.schedulers.capacity34.probe import Probe
from engine.schedulers.capacity34.queue import CapacityAttempt, CapacityQueue, capacity_attempt
from engine.schedulers.capacity34.settings import CapacitySettings, read_intervals, read_settings
from engine.schedulers.capacity34.tree import CapacityTree
from engine.schedulers.capacity34.users import wishes_of
from engine.schedulers.capacity34.view import CapacityView34
from engine.schedulers.capacity34.walk import Walk
from engine.schedulers.containers import Release34
from engine.schedulers.interface import SchedulerStart
from engine.schedulers.obstacle_texts import Obstacle
from engine.schedulers.settings import maximum_at_start
from engine.schedulers.yarn_scheduler import Policy, YarnScheduler
from engine.settings.capacity import CAPACITY_34
from engine.settings.capacity_scheduler import CONTINUE_LOOKING
from engine.state import Shared, State

# An application moves to another leaf with all it holds.


def enter(queue: CapacityQueue, now_ms: int) -> None:
    queue.last_submitted_ms = now_ms
    for above in queue.ancestors():
        above.application_count += 1


def leave(queue: CapacityQueue) -> None:
    """Queues that drain stop when the last application has left. Source: #finishApplication, #appFinished."""
    if queue.state == "DRAINING" and not queue.number_of_applications():
        queue.state = "STOPPED"
    for above in queue.ancestors():
        above.application_count -= 1
        if above.state == "DRAINING" and not above.application_count:
            above.state = "STOPPED"


class Moving(metaclass=State):
    tree: CapacityTree
    space: PartitionResources
    commit: Commit

    def __init__(self, tree: CapacityTree, space: PartitionResources, commit: Commit) -> None:
        self.tree = tree
        self.space = space
        self.commit = commit

    def move(self, application: Application, queue: str) -> None:
        """Move an application; raises `RefusedError` where it may not."""
        target = self.tree.names.get(queue)
        if target is None or target.leaf is None:
            raise RefusedError("YarnException", f"{queue} is not a leaf" if target else f"there is no queue {queue}")
        attempt = capacity_attempt(application.attempt)
        self._check_move(attempt, target, queue)
        source = attempt.queue
        assert source.leaf is not None, "applications are in leaves"
        enter(target, application.submitted_ms)
        for container in [*attempt.live.values(), *attempt.reserved.values()]:
            self.commit.charge_to(source.leaf, attempt, container, container.node.partition, -1)
            self.commit.charge_to(target.leaf, attempt, container, container.node.partition, 1)
        remove(source.leaf, attempt, self.space)
        change_queue(attempt, target)
        self._submit_moved(attempt, source, target)
        leave(source)
        application.queue = target.path

    def _check_move(self, attempt: CapacityAttempt, target: CapacityQueue, requested: str) -> None:
        if self.space.exclusive is not None:
            accessible = target.settings.accessible
            # #checkQueuePartition takes it out of the application's own set, which headroom is summed up over.
            attempt.labels.discard("")
            missing = [label for label in attempt.labels if not target.is_accessible(label)]
            if missing and "*" not in accessible:
                raise RefusedError("YarnException", f"{target.path} may not use {', '.join(sorted(missing))}")
        try:
            check_submission(target, attempt.user, requested)
        except RefusedError as error:
            raise RefusedError("AccessControlException", str(error)) from error

    def _submit_moved(self, attempt: CapacityAttempt, source: CapacityQueue, target: CapacityQueue) -> None:
        """The new leaf takes the attempt; what it asks for counts there from now on."""
        assert source.leaf is not None, "applications are in leaves"
        assert target.leaf is not None, "applications move to leaves"
        submit(target.leaf, attempt, self.space)
        for label, pending in wishes_of(attempt.groups.values()).items():
            source.wish(label, minus(NOTHING, pending))
            target.wish(label, pending)
        source.leaf.users.deactivate(attempt.user, attempt.application.number)
        if attempt.pending:
            target.leaf.users.activate(attempt.user, attempt.application.number)
        self.commit.move_charge(attempt, source, target)


def capacity_scheduler_34(start: SchedulerStart) -> YarnScheduler:
    policy = CapacityScheduler34(start)
    return YarnScheduler(policy, port_in_node_name=policy.settings.with_port)


class CapacityScheduler34(Policy[CapacityAttempt]):
    values: Shared[dict[str, str]]
    settings: Shared[CapacitySettings]
    groups: Mapping[str, Sequence[str]]
    space: PartitionResources
    tree: CapacityTree
    admission: Admission
    asynchronous: AsynchronousRounds
    multi_node: MultiNodePlacement
    parallel: ParallelLimit
    commit: Commit
    walk: Walk
    probe: Probe
    overcommit: Overcommit
    preemption: Preemption
    moving: Moving
    upkeep: QueueUpkeep

    probes_by_size: ClassVar[bool] = False

    def __init__(self, start: SchedulerStart) -> None:
        cluster, values, groups = start.cluster, start.values, start.groups
        refusals = Refusals()
        self.values = dict(values)
        properties = Properties(values, refusals, CAPACITY_34)
        self.settings = read_settings(properties)
        refusals.check()
        most = Resource(*self.settings.maximum)
        maximum = maximum_at_start(values, most, start.now_ms, CAPACITY_34, lags=False)
        minimum, release = Resource(*self.settings.minimum), Release34(cluster)
        super().__init__(CAPACITY_34.name, "capacity", cluster, minimum, maximum, release)
        self.groups = groups
        labels = self.settings.labels if self.settings.labels_enabled else None
        self.space = PartitionResources(self.settings.calculator, self.settings.minimum, self.settings.maximum, labels)
        self.space.continue_looking = properties.everywhere(CONTINUE_LOOKING)
        self.tree = CapacityTree(self.values, self.settings, self.space, refusals)
        self.admission = Admission(self.tree, groups)
        self.asynchronous = AsynchronousRounds(cluster, properties, has_threads=True)
        self.multi_node = MultiNodePlacement(cluster, properties, self.asynchronous.silence_ms)
        refusals.add_all(self.settings.refused_later)
        refusals.check()
        self.tree.cluster_changed()
        self.parallel = ParallelLimit(self.settings)
        self.commit = Commit(cluster, self.space, release)
        self.walk = Walk(self.tree.root, self.settings, self.space, self.commit)
        self.probe = Probe(self.walk, self.parallel)
        self.overcommit = Overcommit(cluster, self.settings.calculator)
        self.preemption = Preemption(cluster, self.space, read_preemption(properties))
        self.walk.multi_node = self.multi_node if self.multi_node.enabled else None
        self.moving = Moving(self.tree, self.space, self.commit)
        self.upkeep = QueueUpkeep(self.tree, self.space, deletes="delete_queues" in self.settings.policies)

    # ---------------------------------------------------------------- passes

    def passes(self) -> tuple[tuple[str, int], ...]:
        intervals = read_intervals(self.tree.properties)
        policies = tuple((name, max(intervals[name], 1)) for name in self.settings.policies)
        return (*self.multi_node.passes(), *self.asynchronous.passes(), *policies)

    def run_pass(self, name: str, now_ms: int) -> list[Decision]:
        if name == SORT:
            self.cluster.version += self.multi_node.sort()
            return []
        if name == SCHEDULE:
            return self.asynchronous.round(partial(self._offer, once=True), self._has_nothing_for, now_ms)
        if name == "manage_queues":
            changed = self.upkeep.manage(self.cluster.cluster_timestamp)
        elif name == "delete_queues":
            changed = self.upkeep.delete(now_ms)
        else:
            return self.preemption.run(self.tree.root, self.settings, self.commit, now_ms)
        self.cluster.version += changed
        return []

    def pass_is_idle(self, name: str) -> bool:
        return name in ("manage_queues", SORT) or (name == SCHEDULE and self.asynchronous.rests)

    def longest_timer_ms(self) -> int:
        """The time from a reason to preempt to a kill, where preemption is on."""
        if "preempt" not in self.settings.policies:
            return 0
        return self.preemption.settings.longest_wait_ms() + read_intervals(self.tree.properties)["preempt"]

    # ---------------------------------------------------------------- nodes

    def on_node_added(self, node: Node) -> None:
        self.space.join(node)
        self._follow_cluster()

    def before_node_removed(self, node: Node) -> list[Decision]:
        """Its partition loses a node, and its reservation is dropped before its containers are lost."""
        self.space.leave_partition(node)
        return self._drop_on(node)

    def after_node_removed(self, node: Node) -> None:
        self.space.leave(node)
        self.overcommit.forget(node)
        self._follow_cluster()

    def before_node_resized(self, node: Node) -> None:
        self.space.leave_partition(node)
        self.space.leave(node)

    def after_node_resized(self, node: Node, overcommit_ms: int = -1, now_ms: int = 0) -> list[Decision]:
        self.space.join(node)
        self.tree.cluster_changed()
        decisions = self._drop_on(node)
        self._follow_cluster()
        self.cluster.version += 1
        return [*decisions, *self.overcommit.resized(node, overcommit_ms, now_ms, self._end_or_spare, self.commit.mark)]

    def _follow_cluster(self) -> None:
        """The queues follow, and again as the label manager tells of the node: more applications may become active.

        Source: RMNodeLabelsManager#activateNode, #deactivateNode; CapacityScheduler#updateNodeLabelsAndQueueResource.
        """
        self.tree.cluster_changed()
        if self.cluster.applications:
            self.tree.cluster_changed()

    def knows_label(self, label: str) -> bool:
        return self.space.knows(label)

    def label_node(self, node: Node, partition: str, now_ms: int) -> list[Decision]:
        """A node goes to another partition, with what runs on it; its reservation is dropped.

        Nothing changes on a node that has the label; to one never labelled that no label is set is news.
        Source: RMNodeLabelsManager#getModifiedNodeLabelsMappings.
        """
        if not self.knows_label(partition):
            raise RefusedError("IOException", f"the cluster has no node label {partition}")
        before = node.partition
        if partition == before and node.id in self.space.labelled:
            return []
        self.space.labelled.add(node.id)
        self.space.leave_partition(node)
        self.space.add_to(partition, (node.total_memory_mb, node.total_vcores))
        for container in list(node.containers.values()):
            # One that has ended but that its node has not reported moves, too, though no queue is charged for it any
            # more.
            if container.attempt.application.number in self.cluster.applications:
                self._repartition(container, before, partition)
        decisions = self._drop_on(node)
        node.partition = partition
        self.cluster.version += 1
        self.tree.cluster_changed()
        return decisions

    def _repartition(self, container: Container, before: str, after: str) -> None:
        """Source: FiCaSchedulerApp#nodePartitionUpdated."""
        attempt = capacity_attempt(container.attempt)
        size = (container.memory_mb, container.vcores)
        leaf = attempt.queue.leaf
        assert leaf is not None, "applications are in leaves"
        attempt.use(before, minus(NOTHING, size))
        attempt.use(after, size)
        self.commit.move_usage(leaf, attempt, size, before, after)
        if container.is_am:
            attempt.am_label = after
            self.commit.move_master(leaf, attempt, size, before, after)

    def _drop_on(self, node: Node) -> list[Decision]:
        return [self.commit.unreserve(node)] if node.reserved is not None else []

    def overcommitted(self, node: Node, now_ms: int) -> Sequence[Container]:
        if not self.overcommit.until_ms:
            return ()
        return [container for container in self.overcommit.to_kill(node, now_ms) if not self._spare(container)]

    def _end_or_spare(self, container: Container, happening: str, now_ms: int, cause: str) -> list[Decision]:
        return [] if self._spare(container) else self.commit.end(container, happening, now_ms, cause)

    def _spare(self, container: Container) -> bool:
        """Let a container live until another takes its place, where preemption is lazy; True if it is."""
        if self.settings.is_lazy:
            self.commit.lazy.add(container)
        return self.settings.is_lazy

    def is_idle(self, node: Node) -> bool:
        """Nothing can come of an offer; also on a node without room, which is noted as a fruitless offer would be."""
        if self._hears_all:
            return False
        if self._has_nothing_for(node):
            return True
        if node.reserved is not None or self.overcommit.watches(node) or self.walk.has_room(node):
            return False
        node.idle_version = self.cluster.version
        return True

    @property
    def _hears_all(self) -> bool:
        return self.asynchronous.enabled or self.multi_node.enabled

    def _has_nothing_for(self, node: Node) -> bool:
        if node.idle_version == self.cluster.version and self.space.exclusive is None:
            return True
        return not self.cluster.pending and node.reserved is None and not self.overcommit.watches(node)

    def all_nodes_idle(self) -> bool:
        return not (self._hears_all or self.cluster.pending or self.cluster.reservations or self.overcommit.until_ms)

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        return [] if self.asynchronous.enabled else self._offer(node, now_ms, once=False)

    def _offer(self, node: Node, now_ms: int, *, once: bool) -> list[Decision]:
        walk, version = self.walk, self.cluster.version
        decisions: list[Decision] = []
        self.commit.decisions = decisions
        walk.recorder, walk.side_effects = self.recorder, False
        if now_ms > self.cluster.offers_after_ms and (self.cluster.pending or self.cluster.reservations):
            if once:
                walk.offer_once(node, now_ms)
            else:
                walk.offer(node, now_ms)
        if version == self.cluster.version and not walk.side_effects and not self.overcommit.watches(node):
            node.idle_version = version
        return decisions

    # ---------------------------------------------------------------- containers

    def complete(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        if container.state == "RESERVED":
            return [self.commit.unreserve(container.node)]
        return self.commit.end(container, happening, now_ms, cause)

    # ---------------------------------------------------------------- applications

    def admit(self, application: Application, now_ms: int) -> None:
        self.admission.admit(application, self.maximum.ask(now_ms))

    def place(self, application: Application, requested: str) -> None:
        queue = self.admission.find_leaf(application, requested, application.submitted_ms)
        enter(queue, application.submitted_ms)
        application.queue = queue.path

    def start_attempt(
        self, application: Application, number: int, now_ms: int, kept: Sequence[Container]
    ) -> CapacityAttempt:
        queue = self.tree.names.by_path[application.queue]
        leaf = queue.leaf
        assert leaf is not None, "applications are in leaves"
        size, label = self.space.minimum, ""
        if application.am is not None:
            admitted = application.master_partition
            size = amount(application.am)
            label = (application.partition or queue.settings.default_label or "") if admitted is None else admitted
        attempt = CapacityAttempt(application, number, queue, size, label, now_ms)
        attempt.take_over(kept)
        attempt.label = application.partition
        application.attempt = attempt
        self.parallel.check(attempt)
        self.parallel.track(attempt)
        submit(leaf, attempt, self.space)
        return attempt

    def finish_attempt(self, attempt: CapacityAttempt) -> None:
        leaf = attempt.queue.leaf
        assert leaf is not None, "applications are in leaves"
        remove(leaf, attempt, self.space)
        self.parallel.untrack(attempt)
        if attempt.runnable:
            self.parallel.after_removal(attempt, self.space)

    def drop_application(self, application: Application) -> None:
        queue = self.tree.names.by_path.get(application.queue)
        if queue is None or queue.leaf is None:
            return
        queue.leaf.users.deactivate(application.user, application.number)
        leave(queue)

    def move_to_queue(self, application: Application, queue: str) -> None:
        self.moving.move(application, queue)
        self.cluster.version += 1

    def change_priority(self, application: Application, priority: int) -> None:
        self.admission.change_priority(application, priority)
        self.cluster.version += 1

    # ---------------------------------------------------------------- application masters

    def check(self, asks: Iterable[ResourceRequest], now_ms: int, queue: str) -> None:
        found = self.tree.names.get(queue)
        maximum = self.admission.maximum_of(queue, self.maximum.ask(now_ms))
        for ask in asks:
            self.admission.check_ask(ask, found, maximum)

    def normalize_requests(self, attempt: CapacityAttempt, asks: Sequence[ResourceRequest], now_ms: int) -> None:
        self.admission.size(attempt, asks, amount(self.maximum.ask(now_ms)))

    def after_allocate(
        self, attempt: CapacityAttempt, asks: Sequence[ResourceRequest], *, blacklist_changed: bool
    ) -> None:
        attempt.marked, attempt.new_marks = attempt.new_marks, {}
        leaf = attempt.queue.leaf
        if not attempt.waits_for_master and leaf is not None and any(ask.resource_name == ANY for ask in asks):
            leaf.order.demand_changed(attempt)

    def headroom(self, attempt: CapacityAttempt) -> Resource:
        """Return the headroom of an application in the partitions it asks for. Source: CapacityHeadroomProvider."""
        return Resource(*headroom_of(attempt, self.tree.root, self.space))

    # ---------------------------------------------------------------- restart

    def charge_recovered(self, container: Container) -> None:
        self.commit.charge(container)

    def charge_reservation(self, held: Container) -> None:
        self.commit.charge_reservation(held)

    def order_anew(self, attempt: CapacityAttempt) -> None:
        if attempt.queue.leaf is not None:
            attempt.queue.leaf.order.usage_changed(attempt)

    # ---------------------------------------------------------------- questions

    def obstacle(self, attempt: CapacityAttempt) -> Obstacle | None:
        return self.probe.obstacle(attempt)

    def obstacle_on(self, attempt: CapacityAttempt, node: Node, now_ms: int) -> Obstacle | None:
        return self.probe.obstacle_on(attempt, node)

    def view(self) -> CapacityView34:
        return CapacityView34(self.tree, preempts="preempt" in self.settings.policies)

    # ---------------------------------------------------------------- configuration

    def change_settings(self, values: Mapping[str, str]) -> None:
        properties = as_properties(values, self.tree.names.by_path.keys(), CAPACITY_34)
        self.reload({**self.values, **properties}, 0)

    def reload(self, allocation: object, now_ms: int) -> None:
        """Take over a whole new set of Hadoop settings; raises `RefusedError` where the real class does."""
        if not isinstance(allocation, Mapping):
            raise RefusedError("UnsupportedOperationException", f"{self.name} has no allocation file")
        before = self.values, self.settings
        try:
            self._reload({str(key): str(text) for key, text in allocation.items()})
        except ConfigError as error:
            refused = self._restore(*before) or error
            raise RefusedError("IOException", str(refused)) from error
        finally:
            self.cluster.version += 1

    def _reload(self, values: dict[str, str]) -> None:
        refusals = Refusals()
        settings = read_settings(Properties(values, refusals, CAPACITY_34))
        refusals.check()
        self.maximum.configure(Resource(*settings.maximum), self.cluster.nodes.values())
        self._apply(values, settings)

    def _restore(self, values: dict[str, str], settings: CapacitySettings) -> ConfigError | None:
        """Take the former settings again; why the class refuses these, too, so that what is changed by then stays."""
        try:
            self._apply(values, settings)
        except ConfigError as error:
            return error
        self.maximum.configure(Resource(*settings.maximum), self.cluster.nodes.values())
        return None

    def _apply(self, values: dict[str, str], settings: CapacitySettings) -> None:
        """Source: CapacityScheduler#reinitialize; calculator, minimum and labels stay as they were at the start."""
        for kept in ("calculator", "minimum", "labels", "labels_enabled", "master_label", "acls_enabled", "with_port"):
            setattr(settings, kept, getattr(self.settings, kept))
        self.space.continue_looking = Properties(values, Refusals(), CAPACITY_34).everywhere(CONTINUE_LOOKING)
        self.tree.reload(values, settings)
        admission = Admission(self.tree, self.groups)
        self.tree.properties.refusals.add_all(settings.refused_later)
        self.tree.properties.refusals.check()
        self.admission = admission
        if "preempt" not in self.settings.policies:
            self.preemption.since.clear()
        self.preemption.settings = read_preemption(self.tree.properties)
        self.values, self.settings = values, settings
        self.walk.settings = self.parallel.settings = settings
        self.parallel.after_reload(self.tree.root, self.space)
