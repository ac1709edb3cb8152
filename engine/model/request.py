"""The asks of an application: counts per (priority, resource name), as YARN keeps them.

The number of containers wanted is the count at `*`; counts at hosts and racks only steer. Requests of one priority
form an `AskGroup`, which also holds the state of delay scheduling.

Source: AppSchedulingInfo, SchedulerApplicationAttempt, Hadoop 2.7.2.
"""

from typing import Final

from engine.state import State

ANY: Final = "*"
"""The resource name that means any node. Source: ResourceRequest#ANY."""

NODE_LOCAL: Final = 1
RACK_LOCAL: Final = 2
OFF_SWITCH: Final = 3
LOCALITY_NAMES: Final = ("", "NODE_LOCAL", "RACK_LOCAL", "OFF_SWITCH")
"""Names of the locality levels, by their number."""


class ResourceRequest(metaclass=State):
    """An ask for `count` containers of one size at one place."""

    priority: int
    resource_name: str
    memory_mb: int
    vcores: int
    count: int
    relax_locality: bool
    partition: str
    allocation_id: int

    def __init__(
        self,
        priority: int,
        resource_name: str,
        memory_mb: int,
        vcores: int,
        count: int,
        relax_locality: bool = True,
        partition: str = "",
        allocation_id: int = -1,
    ) -> None:
        self.priority = priority
        self.resource_name = resource_name
        self.memory_mb = memory_mb
        self.vcores = vcores
        self.count = count
        self.relax_locality = relax_locality
        self.partition = partition
        self.allocation_id = allocation_id

    def with_count(self, count: int) -> "ResourceRequest":
        """The same ask for another number of containers."""
        return ResourceRequest(
            self.priority,
            self.resource_name,
            self.memory_mb,
            self.vcores,
            count,
            self.relax_locality,
            self.partition,
            self.allocation_id,
        )


class AskGroup(metaclass=State):
    """All requests of one priority, and how long the group has waited for locality."""

    priority: int
    by_name: dict[str, ResourceRequest]
    """By resource name, `*` included."""
    anywhere: ResourceRequest | None
    """The request at `*`; its count is the number of containers wanted."""
    missed_opportunities: int
    allowed_locality: int
    """0 before the first look, then `NODE_LOCAL`, `RACK_LOCAL` or `OFF_SWITCH`."""
    level_changed_ms: int | None
    """When the level last went up; None before that."""

    def __init__(self, priority: int) -> None:
        self.priority = priority
        self.by_name = {}
        self.anywhere = None
        self.missed_opportunities = 0
        self.allowed_locality = 0
        self.level_changed_ms = None

    def take(self, host: str, rack: str, locality: int) -> tuple[ResourceRequest, ...]:
        """Count one container as given, near a host; a host's or rack's request that reaches 0 goes, `*` stays at 0.

        Returns:
            The requests it answered, to be put back if the container is lost before its AM fetched it.
        """
        anywhere = self.anywhere
        assert anywhere is not None, "a group without `*` has nothing to give"
        anywhere.count -= 1
        if locality == NODE_LOCAL:
            return (self._count_down(host), self._count_down(rack), anywhere)
        if locality == RACK_LOCAL:
            return (self._count_down(rack), anywhere)
        return (anywhere,)

    def _count_down(self, name: str) -> ResourceRequest:
        """Count one less at a host or rack."""
        request = self.by_name[name]
        request.count -= 1
        if request.count == 0:
            del self.by_name[name]
        return request

    def forget(self) -> tuple[ResourceRequest, ...]:
        """Drop all requests; returns them."""
        forgotten = tuple(self.by_name.values())
        self.by_name.clear()
        self.anywhere = None
        return forgotten
