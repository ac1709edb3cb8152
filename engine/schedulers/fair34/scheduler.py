"""The Fair Scheduler of Hadoop 3.4.1: its front, which puts the parts in their order.

An offer first makes good what was taken back for starved applications on this node, then looks after the node's
reservation, then walks the queues; a reservation that does not hold any more is dropped on the way.

Source: FairScheduler, Hadoop 3.4.1.
"""

from collections.abc import Mapping, Sequence
from math import isnan

from engine.errors import RefusedError
from engine.model.application import Attempt
from engine.model.cluster import Cluster
from engine.model.container import Container
from engine.model.decision import ContainerId, Decision
from engine.model.java_number import divide, float32
from engine.model.node import Node
from engine.model.request import ANY
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair.policies import Amount
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf
from engine.schedulers.fair.scheduler import FairScheduler, Groups
from engine.schedulers.fair34.access import Access
from engine.schedulers.fair34.admission import Admission34
from engine.schedulers.fair34.allocation import FairAllocation34, default_allocation_34
from engine.schedulers.fair34.assignment import Assignment34
from engine.schedulers.fair34.live_setting import change_queue_34
from engine.schedulers.fair34.node_promises import TakenSpaces
from engine.schedulers.fair34.nodes import NodeIndex
from engine.schedulers.fair34.preemption import PreemptionThread
from engine.schedulers.fair34.probe import obstacle_in_queue_34, obstacle_on_node_34
from engine.schedulers.fair34.running_limit import RunningLimit34
from engine.schedulers.fair34.schedulable import FairAttempt34, FairLeaf34
from engine.schedulers.fair34.settings import fair_settings_34
from engine.schedulers.fair34.starvation import update_starved
from engine.schedulers.fair34.tree import QueueTree34
from engine.schedulers.fair34.update import update_demand_34, update_shares_34
from engine.schedulers.settings import with_defaults_34
from engine.schedulers.yarn_scheduler import FairBase

CLEAN_INTERVAL_MS = 10_000
"""How often empty queues are looked for. Source: AllocationFileLoaderService#ALLOC_RELOAD_INTERVAL_MS."""


class FairScheduler34(Admission34):
    """The policy `fair-3.4`."""

    name = "fair-3.4"
    assignment: Assignment34

    def __init__(
        self,
        cluster: Cluster,
        values: Mapping[str, str],
        allocation: FairAllocation | None,
        groups: Groups,
        now_ms: int,
    ) -> None:
        self.settings = fair_settings_34(values)
        bounds = (self.settings.minimum, self.settings.maximum)
        FairBase.__init__(self, cluster, with_defaults_34(values), *bounds, now_ms)
        self.groups = groups
        self.has_file = allocation is not None
        """Only then empty queues are removed, by the thread that watches the file."""
        self.tree = QueueTree34(cluster, default_allocation_34(values))
        self.limit = RunningLimit34(self.tree)
        self.access = Access()
        self.nodes = NodeIndex(cluster)
        self.spaces = TakenSpaces()
        self.thread = PreemptionThread(cluster, self.settings, self.nodes, self.spaces)
        self.assignment = Assignment34(cluster, self.settings, self.spaces)
        self.updates_promptly = True
        """Whether an update pass follows every node that joins or leaves, before anything else happens."""
        self._updated_version = -1
        self._passed_version = -1
        """The version at which a continuous pass last changed nothing."""
        if allocation is not None:
            self.reload(allocation, now_ms)

    # ---------------------------------------------------------------- passes

    def passes(self) -> tuple[tuple[str, int], ...]:
        """Due kills, the update thread's body, the preemption thread's, and what else runs in the background."""
        interval_ms = self.settings.update_interval_ms
        passes = [("due_kills", self.settings.kill_interval_ms), ("update", interval_ms), ("preempt", interval_ms)]
        if self.has_file:
            passes.append(("clean_queues", CLEAN_INTERVAL_MS))
        if self.settings.continuous:
            passes.append(("continuous", max(self.settings.continuous_sleep_ms, 1)))
        return tuple(passes)

    def run_pass(self, name: str, now_ms: int) -> list[Decision]:
        """Run one of the passes."""
        if name == "due_kills":
            return self.thread.kill_due(now_ms, lambda one: self.complete(one, "KILL", now_ms, "PREEMPTED"))
        if name == "preempt":
            return self.thread.run(now_ms)
        if name == "clean_queues":
            self.tree.remove_empty(now_ms)
            return []
        self.catch_up(now_ms)
        return super().run_pass(name, now_ms)

    def update(self, now_ms: int) -> None:
        """Demand from the leaves up, shares from the root down, then who is starved."""
        self.update_is_due = False
        if self._updated_version != self.cluster.version:
            changed = update_demand_34(self.tree, self.settings.size_based_weight)
            changed = update_shares_34(self.tree) or changed
            if changed:
                self.cluster.version += 1
            self._updated_version = self.cluster.version
        self._refresh_available()
        if not self.settings.preemption or not self._is_busy():
            return
        changed = False
        for leaf in self.tree.leaves:
            assert isinstance(leaf, FairLeaf34), "queues of 3.x"
            changed = update_starved(leaf, self.thread.starved, self._total(), now_ms) or changed
        if changed or self.thread.starved.waiting():
            self.cluster.version += 1

    def continuous(self, now_ms: int) -> list[Decision]:
        """Offer nodes with room for a smallest container, the freest first; of equally free ones only the first."""
        by_free_mb: dict[int, Node] = {}
        for node in self.nodes.named(ANY):
            by_free_mb.setdefault(node.free_memory_mb, node)
        decisions: list[Decision] = []
        is_quiet = True
        for _, node in sorted(by_free_mb.items(), reverse=True):
            roomy = node.free_memory_mb >= self.minimum.memory_mb and node.free_vcores >= self.minimum.vcores
            if roomy and not self.is_idle(node):
                decisions += self.offer(node, now_ms)
                is_quiet = is_quiet and self.is_idle(node)
        if is_quiet and not decisions:
            self._passed_version = self.cluster.version
        return decisions

    def pass_rests(self, name: str) -> bool:
        """Whether a pass that has just changed nothing waits for a change, and not for time."""
        if name == "due_kills":
            return not self.thread.kills
        if name == "preempt":
            return not self.thread.starved.waiting()
        if name == "update":
            return not self.settings.preemption and self._updated_version == self.cluster.version
        return name == "clean_queues" or self._passed_version == self.cluster.version

    def longest_timer_ms(self) -> int:
        """Locality delays, and preemption's timeouts where it is switched on."""
        settings = self.settings
        timer_ms = int(sum(max(delay_ms, 0) for delay_ms in settings.locality_delays))
        if settings.preemption:
            timeouts = (
                ms for leaf in self.tree.leaves for ms in (leaf.min_share_timeout_ms, leaf.fair_share_timeout_ms)
            )
            timer_ms += max((ms for ms in timeouts if ms < 2**62), default=0) + settings.next_check_ms
        return timer_ms

    def _is_busy(self) -> bool:
        cluster = self.cluster
        memory = float32(divide(float32(cluster.used_memory_mb), float32(cluster.total_memory_mb)))
        vcores = float32(divide(float32(cluster.used_vcores), float32(cluster.total_vcores)))
        if isnan(memory) or isnan(vcores):  # Java's Math.max gives NaN, and NaN is not above anything
            return False
        return self.settings.utilization_threshold < max(memory, vcores)

    def _total(self) -> Amount:
        return (self.cluster.total_memory_mb, self.cluster.total_vcores)

    def _refresh_available(self) -> None:
        cluster, available = self.cluster, self.tree.available
        available.memory_mb = cluster.total_memory_mb - cluster.used_memory_mb
        available.vcores = cluster.total_vcores - cluster.used_vcores

    # ---------------------------------------------------------------- offers

    def offers_on_heartbeat(self, completed: bool) -> bool:
        """Always, also with continuous scheduling."""
        return True

    def is_idle(self, node: Node) -> bool:
        """Nothing has changed since the last fruitless offer, or nobody wants anything."""
        if self.update_is_due:
            return False
        if node.idle_version == self.cluster.version:
            return True
        return not self.cluster.pending and node.reserved is None and not self.spaces.promised_on(node)

    def is_quiet(self) -> bool:
        """Nobody wants anything, nothing is reserved or promised."""
        cluster = self.cluster
        return not (self.update_is_due or cluster.pending or cluster.reservations or self.spaces.promises)

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        """Make good promises, fulfil or drop the reservation, walk the queues. Source: #attemptScheduling."""
        assignment, version = self.assignment, self.cluster.version
        decisions: list[Decision] = []
        assignment.decisions = decisions
        assignment.side_effects = False
        assignment.recorder = self.recorder
        if self.spaces.promised_on(node):
            self._make_good(node, now_ms)
        held = node.reserved
        # Differs: where the rule `off` was switched on, reservations made before are dropped.
        holds = (
            held is not None and self.settings.reservation_rule != "off" and assignment.assign_reserved(held, now_ms)
        )
        if held is not None and not holds:
            decisions.append(self.unreserve(node))
        if not holds:
            self._walk(node, now_ms)
        self._refresh_available()
        if version == self.cluster.version and not assignment.side_effects:
            node.idle_version = version
        return decisions

    def _make_good(self, node: Node, now_ms: int) -> None:
        """Offer the node to those for whom containers were taken back here. Source: #assignPreemptedContainers."""
        assignment = self.assignment
        for attempt, promised in self.spaces.still_promised(node, self._total()):
            left = promised
            while left != (0, 0) and not attempt.stopped:
                if not assignment.assign(attempt, node, now_ms) or assignment.memory_mb < 0:
                    break
                left = (max(left[0] - assignment.memory_mb, 0), max(left[1] - assignment.vcores, 0))

    def _walk(self, node: Node, now_ms: int) -> None:
        if not self.cluster.pending:
            return
        settings, root, assignment = self.settings, self.tree.root, self.assignment
        half = (int(node.free_memory_mb * 0.5), int(node.free_vcores * 0.5))
        assigned = memory_mb = vcores = 0
        while node.reserved is None and self._assign_in(root, node, now_ms):
            assigned += 1
            memory_mb += assignment.memory_mb
            vcores += assignment.vcores
            if not settings.assign_multiple:
                return
            if settings.dynamic_max_assign:
                if memory_mb > half[0] or vcores > half[1]:
                    return
            elif assigned >= settings.max_assign > 0:
                return

    def _assign_in_leaf(self, leaf: FairLeaf, node: Node, now_ms: int) -> bool:
        if leaf.used_memory_mb > leaf.max_memory_mb or leaf.used_vcores > leaf.max_vcores:
            if self.recorder is not None:
                self._record_leaf(leaf, node)
            return False
        assign = self.assignment.assign
        for attempt in leaf.order.sort(leaf.policy):
            if not attempt.pending or (
                attempt.demand_memory_mb == attempt.used_memory_mb and attempt.demand_vcores == attempt.used_vcores
            ):
                continue
            if attempt.blacklist and not attempt.blacklist.isdisjoint((node.name, node.rack)):
                if self.recorder is not None:
                    self.recorder.refused(attempt, node, Reason.BLACKLISTED, ())
                continue
            if assign(attempt, node, now_ms):
                return True
        return False

    def obstacle(self, attempt: Attempt) -> Obstacle | None:
        """What stands in the way in the queues."""
        assert isinstance(attempt, FairAttempt34), "attempts of 3.x"
        return obstacle_in_queue_34(attempt, self.limit)

    def obstacle_on(self, attempt: Attempt, node: Node, now_ms: int) -> Obstacle | None:
        """What stands in the way on a node."""
        assert isinstance(attempt, FairAttempt34), "attempts of 3.x"
        return obstacle_on_node_34(attempt, node, self.settings, self.cluster, self.spaces, now_ms)

    # ---------------------------------------------------------------- nodes, containers

    def heartbeat(
        self, node: Node, started: Sequence[ContainerId], completed: Sequence[tuple[ContainerId, int]], now_ms: int
    ) -> list[Decision]:
        """Settle what a node reports, then offer it."""
        self.catch_up(now_ms)
        return super().heartbeat(node, started, completed, now_ms)

    def add_node(self, host: str, port: int, rack: str, memory_mb: int, vcores: int, partition: str) -> Node:
        """A node joins."""
        node = super().add_node(host, port, rack, memory_mb, vcores, partition)
        self.nodes.add(node)
        self.update_is_due = self.updates_promptly
        return node

    def remove_node(self, node: Node, happening: str, now_ms: int) -> list[Decision]:
        """A node leaves: its containers are lost, its reservation is dropped."""
        decisions = super().remove_node(node, happening, now_ms)
        self.nodes.remove(node)
        self.spaces.forget(node)
        self.update_is_due = self.updates_promptly
        return decisions

    def resize_node(self, node: Node, memory_mb: int, vcores: int) -> None:
        """A node's total changes; it leaves and joins the list of nodes."""
        super().resize_node(node, memory_mb, vcores)
        self.nodes.remove(node)
        self.nodes.add(node)

    def nodes_changed(self) -> None:
        """Maximums and steady shares follow the total."""
        self.tree.nodes_changed()
        self._refresh_available()

    def complete(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        """A container or reservation ends."""
        decisions = super().complete(container, happening, now_ms, cause)
        self.spaces.released(container)
        self._refresh_available()
        return decisions

    # ---------------------------------------------------------------- configuration

    def reload(self, allocation: object, now_ms: int) -> None:
        """Take over a newly loaded allocation file."""
        if not isinstance(allocation, FairAllocation34):
            raise RefusedError("UnsupportedOperationException", f"{self.name} has no allocation file")
        self.access.load(allocation)
        self.tree.load_34(allocation, now_ms)
        self.limit.reloaded()

    def changed_queue(self, allocation: FairAllocation, key: str, value: str) -> FairAllocation:
        """The allocation with another setting of a queue; raises `RefusedError` for what cannot be."""
        assert isinstance(allocation, FairAllocation34), "an allocation file as 3.x reads it"
        return change_queue_34(self.tree, allocation, key, value)

    # ---------------------------------------------------------------- copying

    def take_over_passes(
        self,
        original: FairScheduler,
        attempts: Mapping[int, FairAttempt],
        containers: Mapping[ContainerId, Container],
    ) -> None:
        """Make the parts that work on the copied cluster; attempts and containers are the copies of the original's."""
        assert isinstance(original, FairScheduler34), "a copy is of its original's release"
        self.access = original.access.copy()
        self.nodes = original.nodes.copy(self.cluster)
        self.spaces = original.spaces.copy(self.cluster.applications, containers)
        self.assignment = Assignment34(self.cluster, self.settings, self.spaces)
        self.thread = PreemptionThread(self.cluster, self.settings, self.nodes, self.spaces)
        self.thread.take_over(original.thread, attempts, containers)
