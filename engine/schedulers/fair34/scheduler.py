"""The Fair Scheduler of Hadoop 3.4.1: its front, which puts the parts in their order.

An offer first makes good what was taken back for starved applications on this node, then looks after the node's
reservation, then walks the queues; a reservation that does not hold any more is dropped on the way.

Source: FairScheduler, RMAppManager#createAndPopulateNewRMApp, FairScheduler#addApplication, #setQueueAcls,
ConfiguredYarnAuthorizer, Hadoop 3.4.1.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from engine.errors import RefusedError
from engine.model.decision import Decision
from engine.model.ledger import Application, Container, Node
from engine.model.request import ANY, Resource, ResourceRequest, upwards
from engine.schedulers.containers import (
    MaximumAllocation,
    Release34,
    check_asks,
    normalise,
    resize,
    unreserve,
    validate,
)
from engine.schedulers.fair.order import Amount
from engine.schedulers.fair.running_limit import RunningLimit
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairQueue, count_recovered_master
from engine.schedulers.fair.settings import ADMINISTER_QUEUE, SUBMIT_APPLICATIONS
from engine.schedulers.fair.tree import QueueTree, change_settings
from engine.schedulers.fair.view import FairView
from engine.schedulers.fair34.assignment import Assignment34, am_share, obstacle_in_queue
from engine.schedulers.fair34.node_promises import NodePromises
from engine.schedulers.fair34.preemption import NodeIndex, Preemption34
from engine.schedulers.fair34.queue_manager import QueueManager34, change_queue_34, update_demand
from engine.schedulers.fair34.settings import (
    UNBOUNDED_34,
    FairAllocation34,
    FairSettings34,
    default_allocation_34,
    fair_settings_34,
)
from engine.schedulers.interface import SchedulerStart
from engine.schedulers.obstacle_texts import Obstacle
from engine.schedulers.placement import DEFAULT_QUEUE, EVERYBODY, AccessControlList
from engine.schedulers.settings import changed_maximum, maximum_at_start
from engine.schedulers.yarn_scheduler import Policy, YarnScheduler
from engine.settings.fair import FAIR_34, USER_QUEUE
from engine.settings.site import MAXIMA
from engine.state import Owned, State

# Admits applications to a queue in 3.x: placed and checked before they exist, then put into a leaf.
#
# An access list is that of the authorizer, which keeps the lists of queues that left the file.

_EVERYTHING = {SUBMIT_APPLICATIONS: EVERYBODY, ADMINISTER_QUEUE: EVERYBODY}


class Access(metaclass=State):
    """The access lists of all queues that ever were in a file."""

    _lists: Owned[dict[str, Mapping[str, AccessControlList]]]

    def __init__(self) -> None:
        self._lists = {"root": _EVERYTHING}

    def load(self, allocation: FairAllocation34) -> None:
        """Take over the lists of a file; root is open to everybody where it does not say otherwise."""
        self._lists["root"] = _EVERYTHING
        for queue in sorted(allocation.configured):
            own = allocation.acls.get(queue, {})
            self._lists[queue] = _EVERYTHING | own if queue == "root" else own

    def may_submit(self, queue: str, user: str, groups: Sequence[str]) -> bool:
        lists = [acl for each in upwards(queue) for acl in self._lists.get(each, {}).values()]
        return any(acl.allows(user, groups) for acl in lists)


class Admission34(metaclass=State):
    """The checks that an application passes on its way into a queue."""

    queues: QueueManager34
    maximum: MaximumAllocation
    settings: FairSettings34
    groups: Owned[Mapping[str, Sequence[str]]]
    access: Access
    _placed: bool = False  # Whether a rule placed the application that is being submitted
    _renamed: bool = False  # Whether it did so elsewhere than where the client wanted it

    def __init__(
        self,
        queues: QueueManager34,
        maximum: MaximumAllocation,
        settings: FairSettings34,
        groups: Mapping[str, Sequence[str]],
    ) -> None:
        self.queues = queues
        self.maximum = maximum
        self.settings = settings
        self.groups = groups
        self.access = Access()

    def maximum_of(self, queue: str, now_ms: int) -> Resource:
        """The largest container in a queue: the smaller of the scheduler's and the queue's; "" for no queue."""
        maximum = self.maximum.ask(now_ms)
        own = self.queues.container_maximum(queue) if queue else UNBOUNDED_34
        return Resource(min(maximum.memory_mb, own.memory_mb), min(maximum.vcores, own.vcores))

    def limits_of(self, queue: str) -> tuple[Resource, Resource, str]:
        """What sets the largest container in a queue beside the nodes, as of `validate`."""
        own = self.queues.container_maximum(queue) if queue else UNBOUNDED_34
        return self.maximum.configured, own, f"{queue}.maxContainerAllocation"

    def admit(self, application: Application, now_ms: int) -> None:
        """Place it, check its AM against that queue's maximum, then the access list; raises RefusedError."""
        tree = self.queues.tree
        user, groups = application.user, self.groups.get(application.user, ())
        queue = tree.allocation.placement_34.assign(application.queue, user, groups, self.queues)
        self._placed = queue is not None
        self._renamed = queue not in (None, application.queue, f"root.{application.queue}")
        application.queue = queue or application.queue
        if application.am is not None:
            maximum = self.maximum_of(application.queue, now_ms)
            validate(application.am, maximum, *self.limits_of(application.queue))
            application.am = normalise(application.am, self.settings.minimum, maximum, self.settings.increment)
        if not self.settings.acls or queue is None:
            return
        while tree.get(queue) is None:
            queue = queue.rpartition(".")[0]
        if not self.access.may_submit(queue, user, groups):
            raise RefusedError("AccessControlException", f"user {user} may not submit to queue {queue} (aclSubmitApps)")

    def place(self, application: Application, requested: str) -> None:
        """Find or make the leaf; the access list counts here even where ACLs are off. Raises RefusedError."""
        if not self._placed:
            why = "it names no queue" if requested == DEFAULT_QUEUE else self.queues.forbidden_by(requested)
            detail = f"no placement rule placed the application (queuePlacementPolicy){'; ' if why else ''}{why}"
            raise RefusedError("APP_REJECTED", detail)
        leaf = self.queues.leaf(requested, application.submitted_ms, create=True)
        if leaf is None:
            why = self.queues.forbidden_by(requested)
            by = f"; it is placed there by queuePlacementPolicy, else by {USER_QUEUE}" if self._renamed else ""
            raise RefusedError("APP_REJECTED", f"{requested} is not a leaf queue{': ' if why else ''}{why}{by}")
        user, groups = application.user, self.groups.get(application.user, ())
        if not self.access.may_submit(leaf.path, user, groups):
            raise RefusedError("APP_REJECTED", f"user {user} may not submit to queue {leaf.path} (aclSubmitApps)")
        am = application.am
        never = "" if am is None else _never_given(leaf, am.memory_mb, am.vcores)
        if never:
            raise RefusedError("APP_REJECTED", f"{never}, which the application master needs")
        application.queue = leaf.path


def check_against_queue(leaf: FairLeaf, asks: Sequence[ResourceRequest]) -> None:
    """Refuse asks that a maximum of 0 can never give; raises `RefusedError`, and then nothing has changed."""
    for ask in asks:
        if never := _never_given(leaf, ask.memory_mb, ask.vcores):
            raise RefusedError("SchedulerInvalidResoureRequestException", f"{never}, and some is asked for")


def _never_given(leaf: FairLeaf, memory_mb: int, vcores: int) -> str:
    """What is asked for of which the leaf may have nothing, as the beginning of a sentence; empty where it may."""
    if not leaf.max_memory_mb and memory_mb > 0:
        return f"{leaf.path} may have no memory (maxResources)"
    return f"{leaf.path} may have no vcores (maxResources)" if not leaf.max_vcores and vcores > 0 else ""


CLEAN_INTERVAL_MS = 10_000
"""How often empty queues are looked for. Source: AllocationFileLoaderService#ALLOC_RELOAD_INTERVAL_MS."""


def fair_scheduler_34(start: SchedulerStart) -> YarnScheduler:
    policy = FairScheduler34(start)
    return YarnScheduler(policy, port_in_node_name=policy.settings.port_in_node_name)


class FairScheduler34(Policy[FairAttempt]):
    settings: FairSettings34
    has_file: bool  # Only then empty queues are removed, by the thread that watches the file
    queues: QueueManager34
    tree: QueueTree[FairAllocation34]
    limit: RunningLimit
    admission: Admission34
    nodes: NodeIndex
    promises: NodePromises
    preemption: Preemption34
    assignment: Assignment34
    updates_promptly: bool = True
    """Whether an update pass follows every node that joins or leaves, before anything else happens."""
    update_is_due: bool = False
    """Whether an update pass is to be made before anything else happens, since the nodes are others now."""
    _updated_version: int = -1
    _passed_version: int = -1  # The version at which a continuous pass last changed nothing

    def __init__(self, start: SchedulerStart) -> None:
        cluster, values, allocation = start.cluster, start.values, start.allocation
        self.settings = fair_settings_34(values)
        maximum = maximum_at_start(values, self.settings.maximum, start.now_ms, FAIR_34, lags=False)
        super().__init__(FAIR_34.name, "fair", cluster, self.settings.minimum, maximum, Release34(cluster))
        self.has_file = allocation is not None
        self.queues = QueueManager34(cluster, default_allocation_34(values))
        self.tree = self.queues.tree
        self.limit = RunningLimit(self.tree)
        self.admission = Admission34(self.queues, self.maximum, self.settings, start.groups)
        self.nodes = NodeIndex(cluster)
        self.promises = NodePromises()
        self.preemption = Preemption34(cluster, self.settings, self.queues, self.nodes, self.promises)
        self.assignment = Assignment34(cluster, self.settings, self.promises, self.queues.available)
        if allocation is not None:
            self.reload(allocation, start.now_ms)

    # ---------------------------------------------------------------- passes

    def passes(self) -> tuple[tuple[str, int], ...]:
        interval_ms = self.settings.update_interval_ms
        passes = [("due_kills", self.settings.kill_interval_ms), ("update", interval_ms), ("preempt", interval_ms)]
        if self.has_file:
            passes.append(("clean_queues", CLEAN_INTERVAL_MS))
        if self.settings.continuous:
            passes.append(("continuous", max(self.settings.continuous_sleep_ms, 1)))
        return tuple(passes)

    def run_pass(self, name: str, now_ms: int) -> list[Decision]:
        if name == "due_kills":
            return self.preemption.kill_due(now_ms, lambda one: self.complete(one, "KILL", now_ms, "PREEMPTED"))
        if name == "preempt":
            return self.preemption.run(now_ms)
        if name == "clean_queues":
            self.queues.remove_empty(now_ms)
            return []
        self.catch_up(now_ms)
        if name == "update":
            self.update(now_ms)
            return []
        if name == "continuous":
            return self.continuous(now_ms)
        raise NotImplementedError(name)

    def update(self, now_ms: int) -> None:
        self.update_is_due = False
        if self._updated_version != self.cluster.version:
            changed = update_demand(self.tree.root, self.settings.size_based_weight)
            changed = self.tree.update_shares(counts_attempts=True) or changed
            if changed:
                self.cluster.version += 1
            self._updated_version = self.cluster.version
        self.queues.available.refresh(self.cluster)
        self.preemption.update(now_ms)

    def catch_up(self, now_ms: int) -> None:
        """Make the update pass that follows a change of nodes; one for all that change together."""
        if self.update_is_due:
            self.update(now_ms)

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

    def pass_is_idle(self, name: str) -> bool:
        if name == "due_kills":
            return not self.preemption.kills
        if name == "preempt":
            return not self.preemption.starved.heap.items
        if name == "update":
            return not self.settings.preemption and self._updated_version == self.cluster.version
        return name == "clean_queues" or self._passed_version == self.cluster.version

    def resume_pass(self, name: str, last_ms: int) -> None:
        """Starvation clocks of those that had what they are due at the last update."""
        if name == "update":
            self.preemption.move_clocks_on(last_ms)

    def longest_timer_ms(self) -> int:
        delays_ms = int(sum(max(delay_ms, 0) for delay_ms in self.settings.locality_delays))
        return delays_ms + self.preemption.longest_timer_ms()

    def repeats(self, now_ms: int) -> bool:
        return self.preemption.repeats(now_ms)

    # ---------------------------------------------------------------- offers

    def is_idle(self, node: Node) -> bool:
        if self.update_is_due:
            return False
        if node.idle_version == self.cluster.version:
            return True
        return not self.cluster.pending and node.reserved is None and not self.promises.any_on(node)

    def all_nodes_idle(self) -> bool:
        cluster = self.cluster
        return not (self.update_is_due or cluster.pending or cluster.reservations or self.promises.count)

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        """Make good promises, fulfil or drop the reservation, walk the queues. Source: #attemptScheduling."""
        if now_ms <= self.cluster.offers_after_ms:
            return []
        assignment, version = self.assignment, self.cluster.version
        decisions: list[Decision] = []
        assignment.begin(decisions, self.recorder)
        if self.promises.any_on(node):
            assignment.make_good(node, now_ms)
        held = node.reserved
        if held is not None and assignment.rules.holds(held, now_ms):
            assignment.assign_reserved(held, now_ms)
        else:
            if held is not None:
                decisions.append(unreserve(self.cluster, node))
            assignment.walk(self.tree.root, node, now_ms)
        self.queues.available.refresh(self.cluster)
        if version == self.cluster.version and not assignment.side_effects:
            node.idle_version = version
        return decisions

    # ---------------------------------------------------------------- questions

    def view(self) -> FairView:
        return FairView(self.tree, self.settings, tuple(key.name for key in MAXIMA), within_queues=True)

    def obstacle(self, attempt: FairAttempt) -> Obstacle | None:
        return obstacle_in_queue(attempt, self.limit, self.assignment.rules)

    def obstacle_on(self, attempt: FairAttempt, node: Node, now_ms: int) -> Obstacle | None:
        return self.assignment.rules.obstacle_on(attempt, node, now_ms)

    def max_am_resource(self, queue: FairQueue) -> Amount:
        """Return the limit of application masters in a queue; only leaves have one."""
        return am_share(queue, self.queues.available) if isinstance(queue, FairLeaf) else (0, 0)

    def container_maximum(self, path: str) -> Resource:
        most, own = self.maximum.effective, self.queues.container_maximum(path)
        return Resource(min(most.memory_mb, own.memory_mb), min(most.vcores, own.vcores))

    def is_preemptable(self, path: str) -> bool:
        return self.queues.limits[path].is_preemptable

    # ---------------------------------------------------------------- applications

    def admit(self, application: Application, now_ms: int) -> None:
        self.admission.admit(application, now_ms)

    def place(self, application: Application, requested: str) -> None:
        self.admission.place(application, requested)

    def start_attempt(
        self, application: Application, number: int, now_ms: int, kept: Sequence[Container]
    ) -> FairAttempt:
        leaf = self.tree.queues[application.queue]
        assert isinstance(leaf, FairLeaf), "applications live in leaves"
        timestamp = self.cluster.cluster_timestamp
        attempt = FairAttempt(application, number, leaf, timestamp, now_ms, forgets_priorities=True)
        attempt.preempts_master = self.settings.preempts_masters_of(leaf.path)
        self.limit.begin(attempt, kept, self.settings.size_based_weight)
        return attempt

    def finish_attempt(self, attempt: FairAttempt) -> None:
        self.limit.withdraw(attempt)

    def move_to_queue(self, application: Application, queue: str) -> None:
        """Move to another leaf, if a running one breaks no limit there. Source: FairScheduler#moveApplication."""
        self.limit.move_34(application, self.queues.leaf(queue, 0, create=False), queue)

    # ---------------------------------------------------------------- application masters

    def check(self, asks: Iterable[ResourceRequest], now_ms: int, queue: str) -> None:
        check_asks(asks, self.admission.maximum_of(queue, now_ms), *self.admission.limits_of(queue))

    def normalize_requests(self, attempt: FairAttempt, asks: Sequence[ResourceRequest], now_ms: int) -> None:
        leaf = attempt.queue
        check_against_queue(leaf, asks)
        maximum, step = self.admission.maximum_of(leaf.path, now_ms), self.settings.increment
        resize(asks, lambda asked: normalise(asked, self.minimum, maximum, step))

    def after_allocate(self, attempt: FairAttempt, asks: Sequence[ResourceRequest], *, blacklist_changed: bool) -> None:
        if blacklist_changed and not attempt.waits_for_master:
            attempt.blacklist_changed = True

    def headroom(self, attempt: FairAttempt) -> Resource:
        """Return the rest of cluster, queue maximum and share, without blacklisted nodes. Source: #getHeadroom."""
        cluster = self.cluster
        if attempt.blacklist_changed:
            attempt.blacklist_changed = False
            refused = attempt.blacklist
            attempt.blacklisted_nodes = tuple(
                node for node in self.nodes.named(ANY) if node.name in refused or node.rack in refused
            )
        memory_mb = cluster.total_memory_mb - cluster.used_memory_mb
        vcores = cluster.total_vcores - cluster.used_vcores
        for node in attempt.blacklisted_nodes:
            memory_mb = max(memory_mb - node.free_memory_mb, 0)
            vcores = max(vcores - node.free_vcores, 0)
        return attempt.queue.headroom(memory_mb, vcores)

    # ---------------------------------------------------------------- nodes, containers

    def complete(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        decisions = self.release.end(container, happening, now_ms, cause)
        self.promises.released(container)
        self.queues.available.refresh(self.cluster)
        return decisions

    def on_node_added(self, node: Node) -> None:
        self.queues.nodes_changed()
        self.nodes.add(node)
        self.update_is_due = self.updates_promptly

    def after_node_removed(self, node: Node) -> None:
        self.queues.nodes_changed()
        self.nodes.remove(node)
        self.promises.forget(node)
        self.update_is_due = self.updates_promptly

    def after_node_resized(self, node: Node) -> list[Decision]:
        self.queues.nodes_changed()
        self.nodes.remove(node)
        self.nodes.add(node)
        return []

    # ---------------------------------------------------------------- restart

    def charge_recovered(self, container: Container) -> None:
        """The first container that is recovered counts as the master."""
        if not container.attempt.unmanaged:
            count_recovered_master(container)
        self.queues.available.refresh(self.cluster)

    def count_master(self, container: Container) -> None:
        count_recovered_master(container)

    # ---------------------------------------------------------------- configuration

    def reload(self, allocation: object, now_ms: int) -> None:
        if not isinstance(allocation, FairAllocation34):
            raise RefusedError("UnsupportedOperationException", f"{self.name} has no allocation file")
        self.admission.access.load(allocation)
        self.queues.load(allocation, now_ms)
        self.limit.reloaded()

    def change_settings(self, values: Mapping[str, str]) -> None:
        """Change the settings as 2.7 does, and the largest container of later asks. Source: #reinitialize."""
        maximum, others = changed_maximum(values, self.maximum.configured)
        allocation = change_settings(self.settings, self.tree.allocation, others, partial(change_queue_34, self.tree))
        self.maximum.configure(maximum, self.cluster.nodes.values())
        if allocation is not self.tree.allocation:
            self.reload(allocation, 0)
        self.cluster.version += 1
