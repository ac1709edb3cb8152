"""The records of a capacity-scheduler.xml (2.7.2); a `QueueConfiguration27` is one queue as configured.

Its capacities stand by partition. What is made of the records decides; `configuration_reader` makes them.

Source: CapacitySchedulerConfiguration, Hadoop 2.7.2.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from engine.errors import Problem
from engine.schedulers.acl import AccessControlList
from engine.schedulers.capacity.space import Amount

ROOT: Final = "root"
ANY_LABEL: Final = "*"
NO_LABEL: Final = ""
"""The partition of nodes without a label."""


class PartitionCapacity(NamedTuple):
    """A queue's capacity in one partition, as fractions (float32)."""

    of_parent: float
    maximum_of_parent: float
    absolute: float
    absolute_maximum: float


NO_CAPACITY: Final = PartitionCapacity(0.0, 0.0, 0.0, 0.0)


class LeafConfiguration27(NamedTuple):
    """The settings that only a leaf has."""

    user_limit_percent: int
    """Source: minimum-user-limit-percent."""
    user_limit_factor: float
    maximum_applications: int
    maximum_applications_per_user: int
    am_percent: float


class QueueConfiguration27(NamedTuple):
    """One queue as configured."""

    path: str
    capacities: Mapping[str, PartitionCapacity]
    """By partition; one that is missing has nothing."""
    accessible: frozenset[str]
    """Partitions it may use besides the default one; `*` is all."""
    default_label: str
    """The partition of asks that name none; empty for the default one."""
    is_running: bool
    submit_acl: AccessControlList
    administer_acl: AccessControlList
    maximum: Amount
    """Largest container."""
    preemption_disabled: bool
    leaf: LeafConfiguration27 | None
    children: tuple["QueueConfiguration27", ...] = ()

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition(".")[2]


class QueueMapping27(NamedTuple):
    """One rule `u:source:queue` or `g:source:queue`."""

    by_group: bool
    source: str
    queue: str


class CapacityConfiguration27(NamedTuple):
    """A whole configuration."""

    minimum: Amount
    maximum: Amount
    calculator: str
    """`memory` or `dominant`."""
    port_in_node_name: bool
    continue_looking: bool
    node_locality_delay: int
    mappings: tuple[QueueMapping27, ...]
    refused_mappings: tuple[Problem, ...]
    """The problems of the mappings, which the class meets after it has changed the queues."""
    mappings_override: bool
    root: QueueConfiguration27
