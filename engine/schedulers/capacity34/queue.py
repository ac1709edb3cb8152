"""The queues of a capacity scheduler and what each keeps for every partition.

A queue's *used* counts reservations too, unlike `Queue.used_memory_mb`, which is what its live containers cost.

Source: AbstractCSQueue, AbstractLeafQueue, QueueCapacities, ResourceUsage, QueueResourceQuotas, Hadoop 3.4.1.
"""

from typing import TYPE_CHECKING, Final

from engine.model.decision import ContainerId
from engine.model.ledger import Container
from engine.model.queue import Queue
from engine.schedulers.capacity.amounts import NOTHING, Amount, plus
from engine.schedulers.capacity34.calculators import Calculator
from engine.schedulers.capacity34.capacity_vector import NO_MAXIMUM, Vector
from engine.schedulers.capacity34.queue_settings import ANY_LABEL, NO_LABEL, QueueSettings
from engine.state import Shared, State

if TYPE_CHECKING:
    from engine.schedulers.capacity34.leaf import Leaf
    from engine.schedulers.capacity34.managed_parent import ManagedParent

ROOT: Final = "root"

OrderKey = tuple[float, ...]


class Share(metaclass=State):
    """What a queue may use and does use of one partition; ratios are float32."""

    capacity: float = 0.0
    """Share of the parent."""
    maximum: float = 0.0
    absolute: float = 0.0
    """Share of the partition."""
    absolute_maximum: float = 0.0
    am_percent: float = 0.0
    vector: Vector | None = None
    """Its capacity resource by resource."""
    maximum_vector: Vector = NO_MAXIMUM
    weight: float = -1.0
    normalised_weight: float = 0.0
    minimum_resource: Amount = NOTHING
    """The configured absolute capacity."""
    maximum_resource: Amount = NOTHING
    effective_minimum: Amount = NOTHING
    """The guarantee in resources."""
    effective_maximum: Amount = NOTHING
    used: Amount = NOTHING
    """Containers and reservations."""
    reserved: Amount = NOTHING
    pending: Amount = NOTHING
    am_used: Amount = NOTHING
    """What the application masters of active applications need."""
    am_limit: Amount = NOTHING
    user_am_limit: Amount = NOTHING
    used_ratio: float = 0.0
    """Used of the guarantee."""
    used_divisor: float | None = None
    """What `used` is divided by for it; None until it is computed anew."""
    order_key: OrderKey | None = None
    """By what it is ordered among its siblings' shares, see `queue_order`; None until it is computed anew."""

    def capacity_changed(self) -> None:
        """What follows from its capacity has to be computed anew."""
        self.used_divisor = self.order_key = None

    def absolute_used(self, total: Amount, calculator: Calculator) -> float:
        """Used of the partition, whose total is given; 0 of an empty one."""
        if calculator.compare(total, total, NOTHING) <= 0:
            return 0.0
        return calculator.divide(total, self.used, total)


class CapacityQueue(Queue):
    """A queue: a parent with children, or a leaf with what `leaf` holds."""

    settings: Shared[QueueSettings]
    children: "list[CapacityQueue]" = []
    leaf: "Leaf | None" = None
    managed: "ManagedParent | None" = None
    """For a parent whose leaves are made on submission (the older kind)."""
    is_dynamic: bool = False
    """Whether it was made on submission (the newer kind)."""
    state: str = ""
    """`RUNNING`, `DRAINING` or `STOPPED`; empty before it is set up."""
    shares: dict[str, Share]
    absolute_mode: bool = False
    """Whether its capacity is given as absolute resources."""
    effective_ratios: dict[str, tuple[float | None, float | None]] = {}
    """Parent: by how much its children's absolute resources are scaled, by partition."""
    ordering: str = "utilization"
    killable: dict[str, dict[ContainerId, Container]] = {}
    """By partition, containers in and below it that anyone may kill to take their place."""
    application_count: int = 0
    """Parent: applications in and below it."""
    runnable_below: int = 0
    """Parent: applications below it that count against limits on parallel ones."""
    metrics_reserved: Amount = NOTHING
    """What its metrics say is reserved, in the default partition."""
    last_submitted_ms: int = 0

    parent: "CapacityQueue | None"

    def __init__(self, path: str, parent: "CapacityQueue | None", settings: QueueSettings) -> None:
        super().__init__(path, parent)
        self.settings = settings
        self.shares = {NO_LABEL: Share()}

    def share(self, label: str) -> Share:
        """What it has of a partition, made when it is new."""
        try:
            return self.shares[label]
        except KeyError:
            found = self.shares[label] = Share()
            return found

    def killable_amount(self, label: str) -> Amount:
        """What may be killed in and below it of a partition."""
        total = NOTHING
        for container in self.killable.get(label, {}).values():
            total = plus(total, (container.memory_mb, container.vcores))
        return total

    def is_accessible(self, label: str) -> bool:
        """Whether its applications may use a partition."""
        accessible = self.settings.accessible
        return not label or ANY_LABEL in accessible or label in accessible

    @property
    def labels(self) -> list[str]:
        """The partitions it deals with, sorted; the default one included. Source: #getNodeLabelsForQueue."""
        accessible = self.settings.accessible
        names = set(self.shares) if ANY_LABEL in accessible else set(accessible)
        return sorted(names | {NO_LABEL})

    def number_of_applications(self) -> int:
        """Waiting, active and parked ones."""
        return self.application_count if self.leaf is None else self.leaf.number_of_applications()

    def number_of_runnable(self) -> int:
        """Those that count against limits on parallel applications."""
        return self.runnable_below if self.leaf is None else len(self.leaf.runnable)

    def leaves(self) -> "list[CapacityQueue]":
        """The leaves in and below it, in order of declaration."""
        if self.leaf is not None:
            return [self]
        return [leaf for child in self.children for leaf in child.leaves()]

    def walk(self) -> "list[CapacityQueue]":
        """It and all queues below, parents first."""
        return [self, *(below for child in self.children for below in child.walk())]
