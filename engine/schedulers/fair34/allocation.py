"""The contents of a fair-scheduler.xml that 3.x reads and 2.7 does not.

Source: AllocationConfiguration, Hadoop 3.4.1.
"""

from collections.abc import Mapping

import msgspec

from engine.model.resource import Resource
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair34.placement import PlacementPolicy34, policy_from_settings_34
from engine.schedulers.fair34.resources import UNBOUNDED_34, UNLIMITED, Amount34


def _standard_placement() -> PlacementPolicy34:
    return policy_from_settings_34({})


class FairAllocation34(FairAllocation, kw_only=True):
    """One loaded allocation file of 3.x; without arguments, what Hadoop has before any file is loaded."""

    maximums: dict[str, Amount34] = msgspec.field(default_factory=dict)
    """`maxResources`; the `max_resources` of 2.7 is not used."""
    child_maximums: dict[str, Amount34] = msgspec.field(default_factory=dict)
    """`maxChildResources`: of the queues below that are not in the file."""
    maximum_default: Amount34 = UNLIMITED
    container_maximums: dict[str, Resource] = msgspec.field(default_factory=dict)
    not_preemptable: frozenset[str] = frozenset()
    """Queues with `allowPreemptionFrom` false."""
    placement_34: PlacementPolicy34 = msgspec.field(default_factory=_standard_placement)

    def maximum_of(self, queue: str) -> Amount34:
        """Return the maximum of a queue, before its parent's `maxChildResources` is looked at."""
        return self.maximums.get(queue, self.maximum_default)

    def container_maximum(self, queue: str) -> Resource:
        """The largest container of the queue; unbounded means that of its parent."""
        return self.container_maximums.get(queue, UNBOUNDED_34)

    @property
    def configured(self) -> frozenset[str]:
        """All queues of the file."""
        return frozenset((*self.configured_leaves, *self.configured_parents))


def default_allocation_34(settings: Mapping[str, str]) -> FairAllocation34:
    """The allocation of a scheduler without an allocation file. Source: AllocationConfiguration(FairScheduler)."""
    return FairAllocation34(placement_34=policy_from_settings_34(settings))
