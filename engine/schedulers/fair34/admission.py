"""Admits applications to a queue in 3.x: placed and checked before they exist, then put into a leaf.

An access list is that of the authorizer, which keeps the lists of queues that left the file.

Source: RMAppManager#createAndPopulateNewRMApp, FairScheduler#addApplication, #setQueueAcls, ConfiguredYarnAuthorizer,
Hadoop 3.4.1.
"""

from collections.abc import Mapping, Sequence

from engine.errors import RefusedError
from engine.model.ledger import Application
from engine.model.request import ResourceRequest
from engine.model.resource import Resource
from engine.schedulers.acl import EVERYBODY, AccessControlList
from engine.schedulers.calculator import MaximumAllocation, normalise, validate
from engine.schedulers.fair.allocation import ADMINISTER_QUEUE, SUBMIT_APPLICATIONS
from engine.schedulers.fair.schedulable import FairLeaf
from engine.schedulers.fair34.allocation import FairAllocation34
from engine.schedulers.fair34.queue_manager import QueueManager34
from engine.schedulers.fair34.resources import UNBOUNDED_34
from engine.schedulers.fair34.settings import FairSettings34
from engine.state import Owned, State

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
        """Tell whether the queue or any above it lets the user submit or administer."""
        name = queue
        while name:
            lists = self._lists.get(name, {})
            if any(each.allows(user, groups) for each in lists.values()):
                return True
            name = name.rpartition(".")[0]
        return False


class Admission34(metaclass=State):
    """The checks that an application passes on its way into a queue."""

    queues: QueueManager34
    maximum: MaximumAllocation
    settings: FairSettings34
    groups: Owned[Mapping[str, Sequence[str]]]
    access: Access
    _placed: bool = False
    """Whether a rule placed the application that is being submitted."""

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

    def admit(self, application: Application, now_ms: int) -> None:
        """Place an application, check its AM against that queue's maximum, then the access list.

        Raises:
            RefusedError: It may not exist.
        """
        tree = self.queues.tree
        user, groups = application.user, self.groups.get(application.user, ())
        queue = tree.allocation.placement_34.assign(application.queue, user, groups, self.queues)
        self._placed = queue is not None
        application.queue = queue or application.queue
        if application.am is not None:
            maximum = self.maximum_of(application.queue, now_ms)
            validate(application.am, maximum)
            application.am = normalise(application.am, self.settings.minimum, maximum, self.settings.increment)
        if not self.settings.acls or queue is None:
            return
        while tree.get(queue) is None:
            queue = queue.rpartition(".")[0]
        if not self.access.may_submit(queue, user, groups):
            raise RefusedError("AccessControlException", f"user {user} may not submit to queue {queue} (aclSubmitApps)")

    def place(self, application: Application, requested: str) -> None:
        """Find or make the leaf; the access list counts here even where ACLs are switched off.

        Raises:
            RefusedError: `APP_REJECTED`.
        """
        if not self._placed:
            raise RefusedError("APP_REJECTED", "no placement rule placed the application (queuePlacementPolicy)")
        leaf = self.queues.leaf(requested, application.submitted_ms, create=True)
        if leaf is None:
            why = self.queues.forbidden_by(requested)
            raise RefusedError("APP_REJECTED", f"{requested} is not a leaf queue{': ' if why else ''}{why}")
        user, groups = application.user, self.groups.get(application.user, ())
        if not self.access.may_submit(leaf.path, user, groups):
            raise RefusedError("APP_REJECTED", f"user {user} may not submit to queue {leaf.path} (aclSubmitApps)")
        am = application.am
        if am is not None and _is_never_given(leaf, am.memory_mb, am.vcores):
            raise RefusedError("APP_REJECTED", f"{leaf.path} has a maximum of 0 of what the AM asks")
        application.queue = leaf.path


def check_against_queue(leaf: FairLeaf, asks: Sequence[ResourceRequest]) -> None:
    """Refuse asks that a maximum of 0 can never give; raises `RefusedError`, and then nothing has changed."""
    if any(_is_never_given(leaf, ask.memory_mb, ask.vcores) for ask in asks):
        raise RefusedError(
            "SchedulerInvalidResoureRequestException", f"{leaf.path} has a maximum of 0 of what is asked"
        )


def _is_never_given(leaf: FairLeaf, memory_mb: int, vcores: int) -> bool:
    return (not leaf.max_memory_mb and memory_mb > 0) or (not leaf.max_vcores and vcores > 0)
