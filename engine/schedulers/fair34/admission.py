"""What happens to applications in the fair scheduler of 3.x: how they come in, what they may ask, what they are told.

Source: RMAppManager, FairScheduler#addApplication, #allocate, FSAppAttempt#getHeadroom, Hadoop 3.4.1.
"""

from collections.abc import Iterable, Sequence

from engine.errors import RefusedError
from engine.model.application import Application, Attempt
from engine.model.container import Container
from engine.model.decision import ContainerId, Decision
from engine.model.request import ANY, ResourceRequest
from engine.model.resource import Resource
from engine.schedulers.calculator import normalise
from engine.schedulers.fair.schedulable import FairLeaf
from engine.schedulers.fair.scheduler import FairScheduler
from engine.schedulers.fair34.access import Access
from engine.schedulers.fair34.nodes import NodeIndex
from engine.schedulers.fair34.resources import UNBOUNDED_34
from engine.schedulers.fair34.schedulable import FairAttempt34, FairLeaf34
from engine.schedulers.fair34.settings import FairSettings34
from engine.schedulers.fair34.tree import QueueTree34
from engine.schedulers.yarn34 import Yarn34


class Admission34(Yarn34, FairScheduler):
    """The part of the scheduler that applications and their masters talk to."""

    settings: FairSettings34
    tree: QueueTree34
    access: Access
    nodes: NodeIndex
    update_is_due = False
    """Whether an update pass is to be made before anything else happens, since the nodes are others now."""
    _placed = False
    """Whether a rule placed the application that is being submitted."""

    def catch_up(self, now_ms: int) -> None:
        """Make the update pass that follows a change of nodes; one for all that change together."""
        if self.update_is_due:
            self.update(now_ms)

    def allocate(
        self,
        attempt: Attempt,
        asks: Sequence[ResourceRequest],
        releases: Iterable[ContainerId],
        blacklist_add: Sequence[str],
        blacklist_remove: Sequence[str],
        now_ms: int,
    ) -> tuple[list[Container], list[Decision]]:
        """One AM call, after its checks."""
        self.catch_up(now_ms)
        return super().allocate(attempt, asks, releases, blacklist_add, blacklist_remove, now_ms)

    def admit(self, application: Application, now_ms: int) -> None:
        """Place the application, check its AM against that queue's maximum, then the access list.

        Source: RMAppManager#createAndPopulateNewRMApp, Hadoop 3.4.1.
        """
        self.catch_up(now_ms)
        user, groups = application.user, self.groups.get(application.user, ())
        queue = self.tree.allocation.placement_34.assign(application.queue, user, groups, self.tree)
        self._placed = queue is not None
        application.queue = queue or application.queue
        super().admit(application, now_ms)
        if not self.settings.acls or queue is None:
            return
        while self.tree.get(queue) is None:
            queue = queue.rpartition(".")[0]
        if not self.access.may_submit(queue, user, groups):
            raise RefusedError("AccessControlException", f"user {user} may not submit to queue {queue}")

    def place(self, application: Application, requested: str) -> None:
        """Find or make the leaf; the access list counts here even where ACLs are switched off."""
        if not self._placed:
            raise RefusedError("APP_REJECTED", "no placement rule placed the application")
        leaf = self.tree.leaf(requested, application.submitted_ms, create=True)
        if leaf is None:
            raise RefusedError("APP_REJECTED", f"{requested} is not a leaf queue")
        user, groups = application.user, self.groups.get(application.user, ())
        if not self.access.may_submit(leaf.path, user, groups):
            raise RefusedError("APP_REJECTED", f"user {user} may not submit to queue {leaf.path}")
        am = application.am
        if am is not None and ((not leaf.max_memory_mb and am.memory_mb) or (not leaf.max_vcores and am.vcores)):
            raise RefusedError("APP_REJECTED", f"{leaf.path} has a maximum of 0 of what the AM asks")
        application.queue = leaf.path

    def new_attempt(self, application: Application, number: int, leaf: FairLeaf, now_ms: int) -> FairAttempt34:
        """An attempt as of 3.x, in no queue's order yet."""
        assert isinstance(leaf, FairLeaf34), "applications live in leaves"
        attempt = FairAttempt34(application, number, leaf, self.cluster.cluster_timestamp, now_ms)
        attempt.preempts_master = self.settings.preempts_masters_of(leaf.path)
        return attempt

    def maximum_of(self, queue: str, now_ms: int) -> Resource:
        """The smaller of the scheduler's and the queue's."""
        maximum = self.maximum.ask(now_ms)
        own = self.tree.container_maximum(queue) if queue else UNBOUNDED_34
        return Resource(min(maximum.memory_mb, own.memory_mb), min(maximum.vcores, own.vcores))

    def normalise_to(self, ask: Resource, maximum: Resource) -> Resource:
        """In both dimensions, with the increment as step."""
        return normalise(ask, self.minimum, maximum, self.settings.increment)

    def check_against_queue(self, attempt: Attempt, asks: Sequence[ResourceRequest]) -> None:
        """Refuse what a maximum of 0 can never give."""
        leaf = attempt.queue
        assert isinstance(leaf, FairLeaf34), "applications live in leaves"
        if leaf.max_memory_mb and leaf.max_vcores:
            return
        for ask in asks:
            if (not leaf.max_memory_mb and ask.memory_mb > 0) or (not leaf.max_vcores and ask.vcores > 0):
                raise RefusedError(
                    "SchedulerInvalidResoureRequestException", f"{leaf.path} has a maximum of 0 of what is asked"
                )

    def change_blacklist(self, attempt: Attempt, add: Sequence[str], remove: Sequence[str]) -> bool:
        """Change the blacklist; headroom looks at the nodes again when it was the application's."""
        changed = super().change_blacklist(attempt, add, remove)
        assert isinstance(attempt, FairAttempt34), "attempts of 3.x"
        if changed and not attempt.waits_for_master:
            attempt.blacklist_changed = True
        return changed

    def headroom(self, attempt: Attempt) -> Resource:
        """What is left of cluster, queue maximum and queue share, without blacklisted nodes. Source: #getHeadroom."""
        assert isinstance(attempt, FairAttempt34), "attempts of 3.x"
        cluster, queue = self.cluster, attempt.queue
        if attempt.blacklist_changed:
            attempt.blacklist_changed = False
            attempt.blacklisted_nodes = tuple(
                node
                for node in self.nodes.named(ANY)
                if node.name in attempt.blacklist or node.rack in attempt.blacklist
            )
        memory_mb = cluster.total_memory_mb - cluster.used_memory_mb
        vcores = cluster.total_vcores - cluster.used_vcores
        for node in attempt.blacklisted_nodes:
            memory_mb = max(memory_mb - node.free_memory_mb, 0)
            vcores = max(vcores - node.free_vcores, 0)
        available = Resource(
            min(memory_mb, queue.max_memory_mb - queue.used_memory_mb),
            min(vcores, queue.max_vcores - queue.used_vcores),
        )
        share = (queue.fair_memory_mb, queue.fair_vcores)
        return queue.policy.headroom(share, (queue.used_memory_mb, queue.used_vcores), available)
