"""Obstacles: why a scheduler gave an application nothing, as reasons with numbers, and who records them.

A reason is a value, not an exception. Schedulers report obstacles to a recorder only when there is one, so a run
without one pays nothing.

Source: the levels and states of o.a.h.yarn.server.resourcemanager.scheduler.activities (3.x), carried back to 2.7.
"""

from enum import Enum
from typing import NamedTuple, Protocol

from engine.model.ledger import Attempt, Node


class Reason(Enum):
    """The kinds of obstacles."""

    NODE_RESERVED = "the node is reserved by another application"
    NOT_COUNTED = "no update pass has counted what the application asks for"
    QUEUE_OVER_MAXIMUM = "the queue uses more than its maximum"
    QUEUE_WOULD_EXCEED_MAXIMUM = "a reservation would take the queue over its maximum"
    QUEUE_NOT_RUNNING_IT = "a limit on running applications holds it back"
    AM_SHARE_EXHAUSTED = "the queue's share for application masters is used up"
    USER_AM_SHARE_EXHAUSTED = "the user's share for application masters in the queue is used up"
    BLACKLISTED = "the application has blacklisted the node"
    NOTHING_ASKED = "the application asks for nothing"
    NODE_TOO_SMALL = "the ask is larger than the whole node"
    LOCALITY_NOT_RELAXED = "the ask insists on other hosts or racks"
    DELAY_SCHEDULING = "the application waits for a better place"
    DOES_NOT_FIT = "not enough is free on the node"
    RESERVATION_LIMIT = "the reservation rule lets it hold no more nodes"
    USER_OVER_LIMIT = "the user uses more than their limit in the queue"
    NOT_IN_PARTITION = "the ask is for another partition"
    LABEL_NOT_ACCESSIBLE = "the queue may not use the node's partition"
    NO_CAPACITY = "the queue has no capacity in the node's partition"
    OTHER_FIRST = "another application came first"
    NO_NODE = "the cluster has no node"
    NODE_SILENT = "the node is not heard of any more"
    NO_RESOURCE_MANAGER = "no ResourceManager answers"
    NO_JOB_TRACKER = "no JobTracker answers"
    MASTER_NOT_BACK = "its master has not registered since the ResourceManager started"
    RECOVERY_WAIT = "the ResourceManager recovers and allocates nothing yet"
    NODES_NOT_BACK = "nodes have not registered since the ResourceManager started"
    MAPS_FIRST = "reduces come after their job's maps"
    NODE_DRAINING = "the node is being drained"


class Obstacle(NamedTuple):
    """One reason, with what it is about."""

    reason: Reason
    numbers: tuple[int, ...] = ()
    """In the reason's own order, e.g. wanted and free memory [MB]."""
    subject: str = ""
    """The queue, user or application it is about; empty when none."""
    partition: str = ""
    """The partition whose limit it is; empty for the default one."""


class Recorder(Protocol):
    """Takes the obstacles that offers meet."""

    def passed_over(self, attempt: Attempt, node: Node, obstacle: Obstacle) -> None:
        """An offer of a node gave an application nothing."""
