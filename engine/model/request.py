"""What an application asks for: counts per (priority, resource name), as YARN keeps them.

The number of containers wanted is the count at `*`; counts at hosts and racks only steer. Requests of one priority
form an `AskGroup`, which also holds the state of delay scheduling.

Source: AppSchedulingInfo, SchedulerApplicationAttempt, Hadoop 2.7.2.
"""

from typing import ClassVar, Final

from engine.state import REFERENCE, REFERENCES, SHARED, Slots

ANY: Final = "*"
"""The resource name that means any node. Source: ResourceRequest#ANY."""

NODE_LOCAL: Final = 1
RACK_LOCAL: Final = 2
OFF_SWITCH: Final = 3
LOCALITY_NAMES: Final = ("", "NODE_LOCAL", "RACK_LOCAL", "OFF_SWITCH")
"""Names of the locality levels, by their number."""


class ResourceRequest:
    """An ask for `count` containers of one size at one place."""

    STATE: ClassVar[Slots] = {
        "allocation_id": SHARED,
        "count": SHARED,
        "memory_mb": SHARED,
        "partition": SHARED,
        "priority": SHARED,
        "relax_locality": SHARED,
        "resource_name": SHARED,
        "vcores": SHARED,
    }
    __slots__ = STATE

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


class AskGroup:
    """All requests of one priority, and how long the group has waited for locality."""

    STATE: ClassVar[Slots] = {
        "allowed_locality": SHARED,
        "anywhere": REFERENCE,
        "by_name": REFERENCES,
        "level_changed_ms": SHARED,
        "missed_opportunities": SHARED,
        "priority": SHARED,
    }
    __slots__ = STATE

    def __init__(self, priority: int) -> None:
        self.priority = priority
        self.by_name: dict[str, ResourceRequest] = {}
        """By resource name, `*` included."""
        self.anywhere: ResourceRequest | None = None
        """The request at `*`; its count is the number of containers wanted."""
        self.missed_opportunities = 0
        self.allowed_locality = 0
        """0 before the first look, then `NODE_LOCAL`, `RACK_LOCAL` or `OFF_SWITCH`."""
        self.level_changed_ms: int | None = None
        """When the level last went up; None before that."""
