"""The Fair Scheduler of Hadoop 2.7.2: its front, which puts the parts in their order.

Demand and shares are as of the last `update` pass; usage is live. A heartbeat's offer first looks after the node's
reservation; only where there is none the queues are walked.

Source: FairScheduler, FairScheduler#addNode, #removeNode, FSLeafQueue#recoverContainer, FSParentQueue#recoverContainer,
Hadoop 2.7.2.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from engine.errors import RefusedError
from engine.model.decision import Decision
from engine.model.ledger import Application, Container, Node
from engine.model.request import Resource, ResourceRequest
from engine.schedulers.containers import Release27, normalise, resize, unreserve
from engine.schedulers.fair.order import Amount
from engine.schedulers.fair.running_limit import RunningLimit
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairQueue, count_recovered_master
from engine.schedulers.fair.settings import (
    ADMINISTER_QUEUE,
    SUBMIT_APPLICATIONS,
    FairAllocation,
    FairSettings,
    default_allocation,
    fair_settings,
)
from engine.schedulers.fair.tree import QueueTree, change_queue, change_settings
from engine.schedulers.fair.view import FairView
from engine.schedulers.fair27.assignment import Assignment27, obstacle_in_queue
from engine.schedulers.fair27.preemption import Preemption27, move_clocks_on, update_starvation
from engine.schedulers.fair27.queue_manager import QueueManager27, update_demand
from engine.schedulers.interface import SchedulerStart
from engine.schedulers.obstacle_texts import Obstacle
from engine.schedulers.placement import DEFAULT_QUEUE
from engine.schedulers.settings import maximum_at_start
from engine.schedulers.yarn_scheduler import Policy, YarnScheduler
from engine.settings.fair import FAIR_27
from engine.state import Owned


def fair_scheduler_27(start: SchedulerStart) -> YarnScheduler:
    policy = FairScheduler27(start)
    settings = policy.settings
    return YarnScheduler(
        policy, port_in_node_name=settings.port_in_node_name, offers_idle_heartbeats=not settings.continuous
    )


class FairScheduler27(Policy[FairAttempt]):
    settings: FairSettings
    groups: Owned[Mapping[str, Sequence[str]]]
    queues: QueueManager27
    tree: QueueTree[FairAllocation]
    limit: RunningLimit
    preemption: Preemption27
    assignment: Assignment27
    _updated_version: int = -1
    _updated_ms: int = -1
    _passed_version: int = -1
    _walked_version: int = -1  # The version at which a walk over the queues last found nothing to do

    def __init__(self, start: SchedulerStart) -> None:
        cluster, values = start.cluster, start.values
        self.settings = fair_settings(values)
        maximum = maximum_at_start(values, self.settings.maximum, start.now_ms, FAIR_27, lags=True)
        super().__init__(FAIR_27.name, "fair", cluster, self.settings.minimum, maximum, Release27(cluster))
        self.groups = start.groups
        self.queues = QueueManager27(cluster, default_allocation(values), start.now_ms)
        if start.allocation is not None:
            assert isinstance(start.allocation, FairAllocation), "the file of this scheduler"
            self.queues.load(start.allocation, start.now_ms)
        self.tree = self.queues.tree
        self.limit = RunningLimit(self.tree)
        self.preemption = Preemption27(cluster, self.tree, self.settings)
        self.assignment = Assignment27(cluster, self.settings)

    # ---------------------------------------------------------------- passes

    def passes(self) -> tuple[tuple[str, int], ...]:
        interval_ms = self.settings.update_interval_ms
        update = (("update", interval_ms), ("preempt", interval_ms))
        if not self.settings.continuous:
            return update
        return (*update, ("continuous", max(self.settings.continuous_sleep_ms, 1)))

    def run_pass(self, name: str, now_ms: int) -> list[Decision]:
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
        self._updated_ms = now_ms
        if self._updated_version == self.cluster.version:
            return
        changed = update_demand(self.tree, self.settings.size_based_weight)
        self.tree.root.follows_cluster = True
        changed = self.tree.update_shares(counts_attempts=False) or changed
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

    def pass_is_idle(self, name: str) -> bool:
        """Preemption does while it is off, a continuous pass while the version stays; an update while both hold.

        Where the walk over the queues orders ties, an update is needed at one version again while nodes are offered.
        """
        if name == "preempt":
            return not self.settings.preemption
        if name == "update":
            if self.settings.preemption or self._updated_version != self.cluster.version:
                return False
            return not self.queues.order_matters or all(map(self.is_idle, self.cluster.nodes.values()))
        return name == "continuous" and self._passed_version == self.cluster.version

    def resume_pass(self, name: str, last_ms: int) -> None:
        """Starvation clocks of leaves that had what they are due at the last update, and the clock of checks."""
        if name == "update":
            move_clocks_on(self.tree, self._updated_ms, last_ms)
        if name == "preempt":
            self.preemption.move_check_on(self.settings.update_interval_ms, last_ms)

    def longest_timer_ms(self) -> int:
        delays_ms = int(sum(max(delay_ms, 0) for delay_ms in self.settings.locality_delays))
        return delays_ms + self.preemption.longest_timer_ms()

    # ---------------------------------------------------------------- offers

    def is_idle(self, node: Node) -> bool:
        """Nothing has changed since the last fruitless offer, or nothing can come of one and no tie is at stake."""
        if node.idle_version == self.cluster.version:
            return True
        held = node.reserved
        if held is not None:
            return not _fits(held, node) and self.assignment.rules.holds(held)
        order_matters = self.queues.order_matters
        if self.cluster.pending:
            return self.recorder is None and not order_matters and self.assignment.is_in_vain(node)
        return not order_matters or self._walked_version == self.cluster.version

    def all_nodes_idle(self) -> bool:
        if self.cluster.reservations:
            return False
        order_matters = self.queues.order_matters
        if self.cluster.pending:
            return self.recorder is None and not order_matters and self.assignment.is_in_vain_everywhere()
        return not order_matters or self._walked_version == self.cluster.version

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        """Fulfil or drop the node's reservation, or walk the queues. Source: FairScheduler#attemptScheduling."""
        if now_ms <= self.cluster.offers_after_ms:
            return []
        assignment, version = self.assignment, self.cluster.version
        decisions: list[Decision] = []
        # The update rests, which would put in order what a walk leaves.
        if self.queues.order_matters and self._updated_version == version and self.is_idle(node):
            return decisions
        assignment.begin(decisions, self.recorder)
        held = node.reserved
        if held is not None and not assignment.rules.holds(held):
            decisions.append(unreserve(self.cluster, node))
            held = None
        if held is not None:
            attempt = held.attempt
            if _fits(held, node) and isinstance(attempt, FairAttempt):
                assignment.assign(attempt, node, now_ms)
        else:
            if self.cluster.pending or self.queues.order_matters:
                assignment.walk(self.tree.root, node, now_ms)
            if self.queues.order_matters:
                self._updated_version = -1
        if version == self.cluster.version and not assignment.side_effects:
            node.idle_version = self._walked_version = version
        return decisions

    # ---------------------------------------------------------------- questions

    def view(self) -> FairView:
        return FairView(self.tree, self.settings)

    def obstacle(self, attempt: FairAttempt) -> Obstacle | None:
        return obstacle_in_queue(attempt, self.limit)

    def obstacle_on(self, attempt: FairAttempt, node: Node, now_ms: int) -> Obstacle | None:
        return self.assignment.rules.obstacle_on(attempt, node, now_ms)

    def max_am_resource(self, queue: FairQueue) -> Amount:
        return (0, 0)

    def container_maximum(self, path: str) -> Resource:
        return self.maximum.effective

    def is_preemptable(self, path: str) -> bool:
        return True

    # ---------------------------------------------------------------- applications

    def place(self, application: Application, requested: str) -> None:
        """Place it and make the queue, then ask the ACL, whatever `yarn.acl.enable` says. Source: #addApplication."""
        if not requested or requested.startswith(".") or requested.endswith("."):
            raise RefusedError("APP_REJECTED", f"{requested!r} is not a queue name")
        user, groups = application.user, self.groups.get(application.user, ())
        allocation = self.tree.allocation
        name = allocation.placement.assign_application(requested, user, groups)
        if name is None:
            none = "; it names no queue" if requested == DEFAULT_QUEUE else ""
            raise RefusedError("APP_REJECTED", f"rejected by the queue placement policy (queuePlacementPolicy){none}")
        leaf = self.queues.leaf(name, application.submitted_ms, create=True)
        if leaf is None:
            raise RefusedError("APP_REJECTED", f"{name} is not a leaf queue")
        application.queue = leaf.path
        if not any(
            allocation.has_access(leaf.path, right, user, groups) for right in (SUBMIT_APPLICATIONS, ADMINISTER_QUEUE)
        ):
            raise RefusedError("APP_REJECTED", f"user {user} may not submit to queue {leaf.path} (aclSubmitApps)")

    def start_attempt(
        self, application: Application, number: int, now_ms: int, kept: Sequence[Container]
    ) -> FairAttempt:
        leaf = self.tree.queues[application.queue]
        assert isinstance(leaf, FairLeaf), "applications live in leaves"
        timestamp = self.cluster.cluster_timestamp
        attempt = FairAttempt(application, number, leaf, timestamp, now_ms, forgets_priorities=False)
        self.limit.begin(attempt, kept, self.settings.size_based_weight)
        return attempt

    def finish_attempt(self, attempt: FairAttempt) -> None:
        self.limit.withdraw(attempt)

    def move_to_queue(self, application: Application, queue: str) -> None:
        """Move to another leaf, if a running one breaks no limit there. Source: FairScheduler#moveApplication."""
        self.limit.move_27(application, self.queues.leaf(queue, 0, create=False), queue)

    # ---------------------------------------------------------------- application masters

    def normalize_requests(self, attempt: FairAttempt, asks: Sequence[ResourceRequest], now_ms: int) -> None:
        """Normalise them; a single ask with nothing live is taken for the AM's own."""
        maximum, step = self.maximum.ask(now_ms), self.settings.increment
        resize(asks, lambda asked: normalise(asked, self.minimum, maximum, step))
        if not attempt.unmanaged and len(asks) == 1 and not attempt.has_live:
            attempt.am_memory_mb, attempt.am_vcores = asks[0].memory_mb, asks[0].vcores

    def headroom(self, attempt: FairAttempt) -> Resource:
        """Return the rest of cluster, queue maximum and queue share. Source: FSAppAttempt#getHeadroom."""
        cluster = self.cluster
        memory_mb = cluster.total_memory_mb - cluster.metrics_memory_mb
        return attempt.queue.headroom(memory_mb, cluster.total_vcores - cluster.metrics_vcores)

    # ---------------------------------------------------------------- nodes, restart

    def on_node_added(self, node: Node) -> None:
        self.queues.nodes_changed()

    def after_node_removed(self, node: Node) -> None:
        self.queues.nodes_changed()

    def after_node_resized(self, node: Node) -> list[Decision]:
        self.queues.nodes_changed()
        return []

    def count_master(self, container: Container) -> None:
        count_recovered_master(container)

    # ---------------------------------------------------------------- configuration

    def reload(self, allocation: object, now_ms: int) -> None:
        if not isinstance(allocation, FairAllocation):
            raise RefusedError("UnsupportedOperationException", f"{self.name} has no allocation file")
        self.queues.load(allocation, now_ms)
        self.limit.reloaded()

    def change_settings(self, values: Mapping[str, str]) -> None:
        allocation = change_settings(self.settings, self.tree.allocation, values, partial(change_queue, self.tree))
        if allocation is not self.tree.allocation:
            self.reload(allocation, 0)
        self.cluster.version += 1


def _fits(held: Container, node: Node) -> bool:
    return held.memory_mb <= node.free_memory_mb and held.vcores <= node.free_vcores
