"""The asks of an application: counts per (priority, resource name), as YARN keeps them.

The number of containers wanted is the count at `*`; counts at hosts and racks only steer. Requests of one priority
form an `AskGroup`, which also holds the state of delay scheduling.

Source: AppSchedulingInfo, SchedulerApplicationAttempt, Hadoop 2.7.2.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, Generic, NamedTuple

from typing_extensions import TypeVar

from engine.model.java_values import INT_MAX
from engine.state import State

# A queue: a place in the tree and what its applications use. Limits and shares belong to the policies.
#
# Its ledger is *charge*: what its live containers cost it. Reservations are counted apart, as in the fair scheduler.

Parent = TypeVar("Parent", bound="Queue", default=Any)  # The policy's own class of queues that have others below


class Queue(Generic[Parent], metaclass=State):
    """One queue of the tree; policies extend it."""

    path: str  # Full name, e.g. `root.etl.daily`.
    name: str
    parent: Parent | None
    wanting: int = 0  # Attempts that are in it, not below it, and want something
    used_memory_mb: int = 0
    used_vcores: int = 0
    reserved_memory_mb: int = 0
    reserved_vcores: int = 0

    def __init__(self, path: str, parent: Parent | None) -> None:
        self.path = path
        self.name = path.rpartition(".")[2]
        self.parent = parent

    def ancestors(self) -> list[Parent]:
        """All queues above it, the root last."""
        above: list[Parent] = []
        queue = self.parent
        while queue is not None:
            above.append(queue)
            queue = queue.parent
        return above

    def reserve(self, memory_mb: int, vcores: int) -> None:
        """Add to (or, negative, take from) what is reserved here and in every ancestor."""
        queue: Queue | None = self
        while queue is not None:
            queue.reserved_memory_mb += memory_mb
            queue.reserved_vcores += vcores
            queue = queue.parent


def is_under(path: str, above: str) -> bool:
    """True where a path is that of a queue or of one below it.

    >>> is_under("root.etl.daily", "root.etl"), is_under("root.etl", "root.etl"), is_under("root.etl2", "root.etl")
    (True, True, False)
    """
    return path == above or path.startswith(above + ".")


def upwards(path: str) -> Iterator[str]:
    """A queue and all above it, the root last.

    >>> list(upwards("root.etl.daily"))
    ['root.etl.daily', 'root.etl', 'root']
    """
    while path:
        yield path
        path = path.rpartition(".")[0]


def full_name(name: str) -> str:
    """The name of a queue with `root.` in front unless it is there.

    >>> full_name("etl"), full_name("root.etl"), full_name("root")
    ('root.etl', 'root.etl', 'root')
    """
    return name if is_under(name, "root") else f"root.{name}"


def queue_named(name: str, paths: Collection[str]) -> str | None:
    """The path that is meant by a name, with or without the root; None where there is none."""
    return next((path for path in (name, f"root.{name}") if path in paths), None)


ANY: Final = "*"  # The resource name that means any node. Source: ResourceRequest#ANY.
DEFAULT_RACK: Final = "/default-rack"  # Of nodes whose rack is not named. Source: NetworkTopology.DEFAULT_RACK.

NODE_LOCAL: Final = 1
RACK_LOCAL: Final = 2
OFF_SWITCH: Final = 3
LOCALITY_NAMES: Final = ("", "NODE_LOCAL", "RACK_LOCAL", "OFF_SWITCH")  # Names of the locality levels, by their number


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
    """All requests of one priority, and how long the group has waited for locality.

    Differs: asks of one priority with several allocation ids are one group, where the last one counts;
    SchedulerRequestKey of Hadoop 3.x keeps them apart.
    """

    priority: int
    by_name: dict[str, ResourceRequest]  # By resource name, `*` included
    anywhere: ResourceRequest | None  # The request at `*`; its count is the number of containers wanted
    missed_opportunities: int
    allowed_locality: int  # 0 before the first look, then `NODE_LOCAL`, `RACK_LOCAL` or `OFF_SWITCH`
    level_changed_ms: int | None  # When the level last went up; None before that

    def __init__(self, priority: int) -> None:
        self.priority = priority
        self.by_name = {}
        self.anywhere = None
        self.missed_opportunities = 0
        self.allowed_locality = 0
        self.level_changed_ms = None

    def take(self, host: str, rack: str, locality: int) -> tuple[ResourceRequest, ...]:
        """Count one container as given; the requests it answered. Those of a host or rack go when they reach 0."""
        anywhere = self.anywhere
        assert anywhere is not None, "a group without `*` has nothing to give"
        anywhere.count -= 1
        if locality == NODE_LOCAL:
            return (self._count_down(host), self._count_down(rack), anywhere)
        if locality == RACK_LOCAL:
            return (self._count_down(rack), anywhere)
        return (anywhere,)

    def _count_down(self, name: str) -> ResourceRequest:
        request = self.by_name[name]
        request.count -= 1
        if request.count == 0:
            del self.by_name[name]
        return request

    def forget(self) -> tuple[ResourceRequest, ...]:
        forgotten = tuple(self.by_name.values())
        self.by_name.clear()
        self.anywhere = None
        return forgotten


# Amounts of memory and vcores as values.
#
# Hot classes hold `memory_mb` and `vcores` inline; this value crosses module borders.

MEMORY_MB: Final = "memory-mb"
VCORES: Final = "vcores"  # Names of resource types. Source: ResourceInformation#MEMORY_URI, #VCORES_URI, Hadoop 3.x.

YARN_DIMENSIONS: Final = ("memory_mb", "vcores")
SPARK_DIMENSIONS: Final = ("memory_mb", "cores")
MAPREDUCE_1_DIMENSIONS: Final = ("map_slots", "reduce_slots")

DIMENSIONS: Final[Mapping[str, tuple[str, str]]] = {
    "yarn": YARN_DIMENSIONS,
    "spark": SPARK_DIMENSIONS,
    "mr1": MAPREDUCE_1_DIMENSIONS,
}
"""Name of a system, as of `system_of` → what its resources are counted in, in the order of all amounts."""


class Resource(NamedTuple):
    """An amount of memory [MB] and virtual cores.

    >>> Resource(4096, 2).fits_in(Resource(4096, 1))
    False
    """

    memory_mb: int  # Memory [MB]; may be negative where a shrunk node is over-committed
    vcores: int  # Virtual cores

    def fits_in(self, other: "Resource") -> bool:
        """Tell whether no dimension exceeds `other`. Source: Resources#fitsIn, Hadoop 2.7.2."""
        return self.memory_mb <= other.memory_mb and self.vcores <= other.vcores

    def minus(self, other: "Resource") -> "Resource":
        return Resource(self.memory_mb - other.memory_mb, self.vcores - other.vcores)


NONE = Resource(0, 0)  # Nothing at all. Source: Resources#none.
UNBOUNDED = Resource(INT_MAX, INT_MAX)  # No limit. Source: Resources#unbounded, Hadoop 2.7.2 (Integer.MAX_VALUE).
