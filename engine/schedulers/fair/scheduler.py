"""The Fair Scheduler of Hadoop 2.7.2: its front, which puts the parts in their order.

Demand and shares are as of the last `update` pass; usage is live.

Source: FairScheduler, Hadoop 2.7.2.
"""

from collections.abc import Mapping, Sequence
from typing import Self

from engine.errors import RefusedError
from engine.incremental import Incremental
from engine.model.application import Application, Attempt
from engine.model.cluster import Cluster
from engine.model.container import Container
from engine.model.decision import ContainerId, Decision
from engine.model.node import Node
from engine.model.request import ResourceRequest
from engine.model.resource import Resource
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.calculator import normalise, normalise_memory
from engine.schedulers.fair.allocation import (
    ADMINISTER_QUEUE,
    SUBMIT_APPLICATIONS,
    FairAllocation,
    default_allocation,
)
from engine.schedulers.fair.assignment import Assignment, group_fits_node, reservation_allowed
from engine.schedulers.fair.live_setting import change_queue, change_switch
from engine.schedulers.fair.preemption import Preemption, update_starvation
from engine.schedulers.fair.probe import obstacle_in_queue, obstacle_on_node
from engine.schedulers.fair.running_limit import RunningLimit, check_move
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairParent, FairQueue
from engine.schedulers.fair.settings import fair_settings
from engine.schedulers.fair.tree import QueueTree
from engine.schedulers.fair.update import update_demand, update_shares
from engine.schedulers.fair.view import FairView
from engine.schedulers.placement import NoGroupsError
from engine.schedulers.yarn_scheduler import FairBase

Groups = Mapping[str, Sequence[str]]
"""User → groups, the primary one first."""


class FairScheduler(FairBase):
    """The policy `fair-2.7`."""

    name = "fair-2.7"
    has_queues = True
    probes_by_size = True

    def __init__(
        self,
        cluster: Cluster,
        values: Mapping[str, str],
        allocation: FairAllocation | None,
        groups: Groups,
        now_ms: int,
    ) -> None:
        self.settings = fair_settings(values)
        super().__init__(cluster, values, self.settings.minimum, self.settings.maximum, now_ms)
        self.groups = groups
        self.tree = QueueTree(cluster, default_allocation(values), now_ms)
        if allocation is not None:
            self.tree.load(allocation, now_ms)
        self.limit = RunningLimit(self.tree)
        self.preemption = Preemption(cluster, self.tree, self.settings)
        self.assignment = Assignment(cluster, self.settings)
        self._updated_version = -1
        self._passed_version = -1
        self._walked_version = -1
        """The version at which a walk over the queues last found nothing to do."""

    # ---------------------------------------------------------------- passes

    def passes(self) -> tuple[tuple[str, int], ...]:
        """The update thread's body as two passes, and the continuous one where it is switched on."""
        interval_ms = self.settings.update_interval_ms
        update = (("update", interval_ms), ("preempt", interval_ms))
        if not self.settings.continuous:
            return update
        return (*update, ("continuous", max(self.settings.continuous_sleep_ms, 1)))

    def run_pass(self, name: str, now_ms: int) -> list[Decision]:
        """Run `update`, `preempt` or `continuous`."""
        if name == "update":
            self.update(now_ms)
            return []
        if name == "preempt":
            return self.preemption.run(now_ms, lambda container: self.complete(container, "KILL", now_ms, "PREEMPTED"))
        if name == "continuous":
            return self.continuous(now_ms)
        raise NotImplementedError(name)

    def update(self, now_ms: int) -> None:
        """Starvation clocks with the old figures, then demand from the leaves up, then shares from the root down."""
        update_starvation(self.tree, now_ms)
        if self._updated_version == self.cluster.version:
            return
        changed = update_demand(self.tree, self.settings.size_based_weight)
        changed = update_shares(self.tree) or changed
        if changed:
            self.cluster.version += 1
        self._updated_version = self.cluster.version

    def continuous(self, now_ms: int) -> list[Decision]:
        """Offer every node with room for a smallest container, the freest first. Equals keep the map's order."""
        nodes = self.cluster.nodes
        order = sorted(map(nodes.__getitem__, self.cluster.node_order.keys()), key=lambda node: -node.free_memory_mb)
        decisions: list[Decision] = []
        is_quiet = True
        for node in order:
            roomy = node.free_memory_mb >= self.minimum.memory_mb and node.free_vcores >= self.minimum.vcores
            if roomy and not self.is_idle(node):
                decisions += self.offer(node, now_ms)
                is_quiet = is_quiet and self.is_idle(node)
        self._passed_version = self.cluster.version if is_quiet else -1
        return decisions

    def pass_rests(self, name: str) -> bool:
        """A continuous pass depends on nothing but the version; the update's clocks go on by themselves."""
        return name == "continuous" and self._passed_version == self.cluster.version

    # ---------------------------------------------------------------- offers

    def offers_on_heartbeat(self, completed: bool) -> bool:
        """With continuous scheduling, only after containers completed."""
        return completed or not self.settings.continuous

    def is_idle(self, node: Node) -> bool:
        """Nothing has changed since the last fruitless offer, or nothing can come of one and no tie is at stake."""
        if node.idle_version == self.cluster.version or node.reserved is not None:
            return node.idle_version == self.cluster.version
        if self.cluster.pending:
            return self.recorder is None and not self.tree.order_matters and self.assignment.is_in_vain(node)
        return not self.tree.order_matters or self._walked_version == self.cluster.version

    def is_quiet(self) -> bool:
        """Nobody wants anything, nothing is reserved, and no tie is at stake."""
        is_settled = not self.tree.order_matters or self._walked_version == self.cluster.version
        return is_settled and not self.cluster.pending and not self.cluster.reservations

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        """Fulfil or drop the node's reservation, or walk the queues. Source: FairScheduler#attemptScheduling."""
        assignment, version = self.assignment, self.cluster.version
        decisions: list[Decision] = []
        assignment.decisions = decisions
        assignment.side_effects = False
        assignment.recorder = self.recorder
        held = node.reserved
        if held is not None and not self._reservation_holds(held):
            decisions.append(self.unreserve(node))
            held = None
        if held is not None:
            attempt = held.attempt
            fits = held.memory_mb <= node.free_memory_mb and held.vcores <= node.free_vcores
            if fits and isinstance(attempt, FairAttempt):
                assignment.assign(attempt, node, now_ms)
        else:
            self._walk(node, now_ms)
            if self.tree.order_matters:
                self._updated_version = -1
        if version == self.cluster.version and not assignment.side_effects:
            node.idle_version = self._walked_version = version
        return decisions

    def _reservation_holds(self, held: Container) -> bool:
        attempt = held.attempt
        assert isinstance(attempt, FairAttempt), "the fair scheduler's attempts are its own"
        group = attempt.groups.get(held.priority)
        if group is None or not group_fits_node(group, held.node):
            return False
        if not attempt.queue.within_maximum_up(held.memory_mb, held.vcores):
            return False
        # Differs: a rule that was switched on over existing reservations drops what it would not have made.
        return reservation_allowed(attempt, held.node, 0, self.settings, self.cluster.nodes.values())

    def _walk(self, node: Node, now_ms: int) -> None:
        if not self.cluster.pending and not self.tree.order_matters:
            return
        settings, root = self.settings, self.tree.root
        assigned = 0
        while node.reserved is None and self._assign_in(root, node, now_ms):
            assigned += 1
            if not settings.assign_multiple or assigned >= settings.max_assign > 0:
                return

    def _assign_in(self, parent: FairParent, node: Node, now_ms: int) -> bool:
        """Depth first, best child first: the first that places or reserves ends the walk."""
        if parent.used_memory_mb > parent.max_memory_mb or parent.used_vcores > parent.max_vcores:
            return False
        for child in parent.order.sort(parent.policy):
            if isinstance(child, FairLeaf):
                if self._assign_in_leaf(child, node, now_ms):
                    return True
            elif isinstance(child, FairParent) and self._assign_in(child, node, now_ms):
                return True
        return False

    def _assign_in_leaf(self, leaf: FairLeaf, node: Node, now_ms: int) -> bool:
        if leaf.used_memory_mb > leaf.max_memory_mb or leaf.used_vcores > leaf.max_vcores:
            if self.recorder is not None:
                self._record_leaf(leaf, node)
            return False
        assign = self.assignment.assign
        for attempt in leaf.order.sort(leaf.policy):
            if not attempt.pending:
                continue
            if attempt.blacklist and not attempt.blacklist.isdisjoint((node.name, node.rack)):
                if self.recorder is not None:
                    self.recorder.refused(attempt, node, Reason.BLACKLISTED, ())
                continue
            if assign(attempt, node, now_ms):
                return True
        return False

    def _record_leaf(self, leaf: FairLeaf, node: Node) -> None:
        for attempt in leaf.order.members:
            if attempt.pending and self.recorder is not None:
                self.recorder.refused(
                    attempt, node, Reason.QUEUE_OVER_MAXIMUM, (leaf.used_memory_mb, leaf.max_memory_mb)
                )

    # ---------------------------------------------------------------- applications

    def normalise_am(self, ask: Resource, now_ms: int) -> Resource:
        """By memory alone, with the minimum as step. Source: RMAppManager#validateAndCreateResourceRequest, 2.7.2."""
        return normalise_memory(ask, self.minimum, self.maximum.ask(now_ms), self.minimum)

    def normalise(self, ask: Resource, now_ms: int) -> Resource:
        """In both dimensions, with the increment as step."""
        return normalise(ask, self.minimum, self.maximum.ask(now_ms), self.settings.increment)

    def place(self, application: Application, requested: str) -> None:
        """Apply the placement policy and the ACL; the queue is made before its ACL is looked at, as in 2.7.2."""
        if not requested or requested.startswith(".") or requested.endswith("."):
            raise RefusedError("APP_REJECTED", f"{requested!r} is no queue name")
        user, groups = application.user, self.groups.get(application.user, ())
        try:
            name = self.tree.allocation.placement.assign_application(requested, user, groups)
        except NoGroupsError as error:
            raise RefusedError("APP_REJECTED", str(error)) from error
        if name is None:
            raise RefusedError("APP_REJECTED", "rejected by the queue placement policy")
        leaf = self.tree.leaf(name, application.submitted_ms, create=True)
        if leaf is None:
            raise RefusedError("APP_REJECTED", f"{name} is not a leaf queue")
        application.queue = leaf.path
        if self.settings.acls and not any(
            self.tree.allocation.has_access(leaf.path, right, user, groups)
            for right in (SUBMIT_APPLICATIONS, ADMINISTER_QUEUE)
        ):
            raise RefusedError("APP_REJECTED", f"user {user} may not submit to queue {leaf.path}")

    def add_attempt(self, application: Application, now_ms: int) -> FairAttempt:
        """Begin an attempt, running or parked."""
        leaf = self.tree.queues[application.queue]
        assert isinstance(leaf, FairLeaf), "applications live in leaves"
        application.attempts_made += 1
        attempt = self.new_attempt(application, application.attempts_made, leaf, now_ms)
        if self.settings.size_based_weight:
            attempt.weight = 0.0  # that of no demand
        application.attempt = attempt
        self.limit.admit(attempt, self.limit.allows(leaf, application.user))
        self.cluster.version += 1
        return attempt

    def new_attempt(self, application: Application, number: int, leaf: FairLeaf, now_ms: int) -> FairAttempt:
        """An attempt in no queue's order yet."""
        return FairAttempt(application, number, leaf, self.cluster.cluster_timestamp, now_ms)

    def attempt_removed(self, attempt: Attempt, now_ms: int) -> None:
        """Take it out of its queue and let parked ones in."""
        assert isinstance(attempt, FairAttempt), "the fair scheduler's attempts are its own"
        if self.limit.withdraw(attempt):
            self.limit.left(attempt, attempt.queue)

    def overheard_ask(self, attempt: Attempt, asks: Sequence[ResourceRequest]) -> None:
        """A single ask of an attempt with nothing live is taken for its AM's. Source: FairScheduler#allocate."""
        if not attempt.unmanaged and len(asks) == 1 and not attempt.live:
            attempt.am_memory_mb, attempt.am_vcores = asks[0].memory_mb, asks[0].vcores

    def headroom(self, attempt: Attempt) -> Resource:
        """What is left of cluster, queue maximum and queue share. Source: FSAppAttempt#getHeadroom."""
        queue = attempt.queue
        assert isinstance(queue, FairQueue), "the fair scheduler's queues are its own"
        cluster = self.cluster
        available = Resource(
            min(cluster.total_memory_mb - cluster.metrics_memory_mb, queue.max_memory_mb - queue.used_memory_mb),
            min(cluster.total_vcores - cluster.metrics_vcores, queue.max_vcores - queue.used_vcores),
        )
        share = (queue.fair_memory_mb, queue.fair_vcores)
        return queue.policy.headroom(share, (queue.used_memory_mb, queue.used_vcores), available)

    def longest_timer_ms(self) -> int:
        """Locality delays, and preemption's timeouts where it is switched on."""
        delays_ms = int(sum(max(delay_ms, 0) for delay_ms in self.settings.locality_delays))
        return delays_ms + self.preemption.longest_timer_ms()

    def obstacle(self, attempt: Attempt) -> Obstacle | None:
        """What stands in the way in the queues."""
        assert isinstance(attempt, FairAttempt), "the fair scheduler's attempts are its own"
        return obstacle_in_queue(attempt, self.limit)

    def obstacle_on(self, attempt: Attempt, node: Node, now_ms: int) -> Obstacle | None:
        """What stands in the way on a node."""
        assert isinstance(attempt, FairAttempt), "the fair scheduler's attempts are its own"
        held = node.reserved if node.reserved is not None and self._reservation_holds(node.reserved) else None
        return obstacle_on_node(attempt, node, held, self.settings, self.cluster.nodes.values(), now_ms)

    def move_to_queue(self, application: Application, queue: str) -> None:
        """Move to another leaf, if a running one breaks no limit there. Source: FairScheduler#moveApplication."""
        attempt = application.attempt
        if not isinstance(attempt, FairAttempt):
            raise RefusedError("YarnException", "the application is unknown to the scheduler")
        target = self.tree.leaf(queue, 0, create=False)
        if target is None:
            raise RefusedError("YarnException", f"{queue} is not there or is not a leaf queue")
        if target is attempt.queue:
            return
        if attempt.runnable:
            check_move(attempt, target)
        self.cluster.version += 1
        self.limit.move(attempt, target)
        application.queue = target.path

    # ---------------------------------------------------------------- configuration

    def reload(self, allocation: object, now_ms: int) -> None:
        """Take over a newly loaded allocation file."""
        if not isinstance(allocation, FairAllocation):
            raise RefusedError("UnsupportedOperationException", f"{self.name} has no allocation file")
        self.tree.load(allocation, now_ms)
        self.limit.reloaded()

    def change_settings(self, values: Mapping[str, str]) -> None:
        """`preemption`, `reservation.rule`, `reservation.ratio`, or `queue.<path>.<element>` as in the file."""
        settings, allocation = self.settings.copy(), self.tree.allocation
        for key, value in values.items():
            if key.startswith("queue."):
                allocation = self.changed_queue(allocation, key, value)
            else:
                change_switch(settings, key, value)
        self.settings.take_over(settings)
        if allocation is not self.tree.allocation:
            self.reload(allocation, 0)
        self.cluster.version += 1

    def changed_queue(self, allocation: FairAllocation, key: str, value: str) -> FairAllocation:
        """The allocation with another setting of a queue; raises `RefusedError` for what cannot be."""
        return change_queue(self.tree, allocation, key, value)

    def view(self) -> FairView:
        """What observers may ask of it."""
        return FairView(self.tree, self.settings)

    def nodes_changed(self) -> None:
        """Shares follow the total."""
        self.tree.nodes_changed()

    def add_node(self, host: str, port: int, rack: str, memory_mb: int, vcores: int, partition: str) -> Node:
        """A node joins, named with its port if so configured."""
        node = super().add_node(host, port, rack, memory_mb, vcores, partition)
        if self.settings.port_in_node_name:
            node.name = node.id
        return node

    def forking(self) -> Incremental[Self]:
        """An independent copy, with its cluster, made in pieces."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.settings = self.settings.copy()
        other.tree = self.tree.copy()
        other.cluster, containers = yield from self.cluster.forking(other.tree.queues)
        other.tree.cluster = other.cluster
        attempts = {
            number: application.attempt
            for number, application in other.cluster.applications.items()
            if isinstance(application.attempt, FairAttempt)
        }
        other.tree.seat(self.tree, attempts)
        other.limit = type(self.limit)(other.tree)
        other.limit.take_over(self.limit, attempts)
        other.maximum = self.maximum.copy()
        other.recorder = None
        other.posted = []
        other.take_over_passes(self, attempts, containers)
        return other

    def take_over_passes(
        self,
        original: "FairScheduler",
        attempts: Mapping[int, FairAttempt],
        containers: Mapping[ContainerId, Container],
    ) -> None:
        """Make the parts that work on the copied cluster; attempts and containers are the copies of the original's."""
        self.preemption = Preemption(self.cluster, self.tree, self.settings)
        self.preemption.take_over(original.preemption, containers)
        self.assignment = Assignment(self.cluster, self.settings)
