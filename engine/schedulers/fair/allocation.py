"""The contents of a fair-scheduler.xml: limits, weights, timeouts, ACLs, policies, placement, by full queue name.

The values are as the file has them; what a queue inherits is asked of the queue, since Hadoop copies the inherited
timeouts into a queue only when the file is loaded or the queue is created.

Source: AllocationConfiguration, Hadoop 2.7.2.
"""

from collections.abc import Mapping, Sequence
from typing import Self

import msgspec

from engine.model.java_number import INT_MAX
from engine.model.resource import NONE, UNBOUNDED, Resource
from engine.schedulers.acl import EVERYBODY, NOBODY, AccessControlList
from engine.schedulers.placement import ConfiguredQueues, PlacementPolicy, policy_from_settings

SUBMIT_APPLICATIONS = "SUBMIT_APPLICATIONS"
"""The right to submit to a queue. Source: QueueACL."""

ADMINISTER_QUEUE = "ADMINISTER_QUEUE"
"""The right to kill and move applications of a queue; it includes submitting. Source: QueueACL."""

POLICIES = ("fair", "fifo", "drf")
"""Scheduling policies a queue may have."""


def _standard_placement() -> PlacementPolicy:
    return policy_from_settings({}, ConfiguredQueues())


class FairAllocation(msgspec.Struct, kw_only=True):
    """One loaded allocation file; without arguments, what Hadoop has before any file is loaded.

    The dicts hold only what the file states for a queue. The Struct is mutable so that one setting of one queue can
    be changed on a `copy`; a loaded allocation is never changed in place.
    """

    min_resources: dict[str, Resource] = {}
    max_resources: dict[str, Resource] = {}
    weights: dict[str, float] = {}
    """Rounded to float32."""
    max_running_apps: dict[str, int] = {}
    user_max_running_apps: dict[str, int] = {}
    """By user."""
    max_am_shares: dict[str, float] = {}
    """Share of a leaf's fair share for application masters, float32; negative switches the limit off."""
    min_share_timeouts_ms: dict[str, int] = {}
    fair_share_timeouts_ms: dict[str, int] = {}
    fair_share_thresholds: dict[str, float] = {}
    """Between 0 and 1, float32."""
    policies: dict[str, str] = {}
    """`fair`, `fifo` or `drf`."""
    acls: dict[str, dict[str, AccessControlList]] = {}
    """By queue, then by right."""
    user_max_apps_default: int = INT_MAX
    queue_max_apps_default: int = INT_MAX
    max_am_share_default: float = 0.5
    default_policy: str = "fair"
    placement: PlacementPolicy = msgspec.field(default_factory=_standard_placement)
    configured_leaves: tuple[str, ...] = ()
    """Leaves of the file in the order Hadoop creates them, which is that of a Java HashSet."""
    configured_parents: tuple[str, ...] = ()
    """Parents of the file in that order; made after the leaves."""
    reservable: frozenset[str] = frozenset()
    """Queues with a `<reservation>` element."""

    def min_share(self, queue: str) -> Resource:
        """Return the minimum share of a queue; nothing when not set."""
        return self.min_resources.get(queue, NONE)

    def max_share(self, queue: str) -> Resource:
        """Return the maximum share of a queue; unbounded when not set."""
        return self.max_resources.get(queue, UNBOUNDED)

    def weight(self, queue: str) -> float:
        """The queue's weight among its siblings, 1.0 when not set; may be 0 or negative."""
        return self.weights.get(queue, 1.0)

    def queue_max_apps(self, queue: str) -> int:
        """Return how many applications may run in the queue and below; the default holds for parents and root too."""
        return self.max_running_apps.get(queue, self.queue_max_apps_default)

    def user_max_apps(self, user: str) -> int:
        """Return how many applications of the user may run."""
        return self.user_max_running_apps.get(user, self.user_max_apps_default)

    def max_am_share(self, queue: str) -> float:
        """The share of a leaf that application masters may take; negative means no limit."""
        return self.max_am_shares.get(queue, self.max_am_share_default)

    def policy(self, queue: str) -> str:
        """The scheduling policy the file gives the queue."""
        return self.policies.get(queue, self.default_policy)

    def min_share_timeout_ms(self, queue: str) -> int:
        """Return how long the queue may stay below its minimum before it preempts; -1 means that of its parent."""
        return self.min_share_timeouts_ms.get(queue, -1)

    def fair_share_timeout_ms(self, queue: str) -> int:
        """Return how long it may stay below its fair-share threshold before it preempts; -1 means its parent's."""
        return self.fair_share_timeouts_ms.get(queue, -1)

    def fair_share_threshold(self, queue: str) -> float:
        """Below which part of its fair share the queue is starved; negative means its parent's."""
        return self.fair_share_thresholds.get(queue, -1.0)

    def acl(self, queue: str, right: str) -> AccessControlList:
        """The queue's own list for a right: everybody for root and nobody elsewhere when not set."""
        own = self.acls.get(queue, {}).get(right)
        if own is not None:
            return own
        return EVERYBODY if queue == "root" else NOBODY

    def has_access(self, queue: str, right: str, user: str, groups: Sequence[str]) -> bool:
        """Tell whether the queue or any queue above it gives the user the right.

        It is asked for submitting and for administering separately; either one lets an application in. The switch
        `yarn.acl.enable` has no effect here. Source: AllocationConfiguration#hasAccess, Hadoop 2.7.2.
        """
        name = queue
        while True:
            if self.acl(name, right).allows(user, groups):
                return True
            parent, dot, _ = name.rpartition(".")
            if not dot:
                return False
            name = parent

    def copy(self) -> Self:
        """An independent copy: changing one queue's value in it leaves this one alone."""
        copies: dict[str, object] = {}
        for name in self.__struct_fields__:
            value = getattr(self, name)
            copies[name] = dict(value) if isinstance(value, dict) else value
        return type(self)(**copies)  # type: ignore[arg-type]  # fields are copied by name, each with its own type


def default_allocation(settings: Mapping[str, str]) -> FairAllocation:
    """The allocation of a scheduler without an allocation file.

    No queue has a timeout then, root included. Source: AllocationConfiguration(Configuration), Hadoop 2.7.2.

    Of `settings`, `allow-undeclared-pools` and `user-as-default-queue` decide the placement.
    """
    return FairAllocation(placement=policy_from_settings(settings, ConfiguredQueues()))
