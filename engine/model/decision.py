"""Decisions of a control plane, as small frozen values in the order decided.

The same values serve the journal, the screens and the recorded cases. Node ids are `host:port`; a container id is
`(application number, attempt number, container number)`.
"""

import msgspec

from engine.model.lifecycle import ENDED_APPLICATION_STATES

ContainerId = tuple[int, int, int]
"""(application number, attempt number, container number); the cluster timestamp is the control plane's."""


def owner_of(container: ContainerId) -> int:
    """The number of the application a container belongs to; that of a Spark driver (attempt 0) counts from -1 down.

    >>> owner_of((3, 1, 2)), owner_of((3, 0, 0))
    (3, -4)
    """
    return container[0] if container[1] else -1 - container[0]


class Allocated(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    container: ContainerId
    node: str
    priority: int
    memory_mb: int
    vcores: int
    locality: str = "OFF_SWITCH"  # `NODE_LOCAL`, `RACK_LOCAL` or `OFF_SWITCH`: how it was matched


class Reserved(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A node was reserved for an application whose ask did not fit; nothing else is placed there meanwhile."""

    container: ContainerId
    node: str
    priority: int
    memory_mb: int
    vcores: int


class Unreserved(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A reservation was dropped without becoming an allocation."""

    container: ContainerId
    node: str
    priority: int
    memory_mb: int
    vcores: int


class Warned(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A container was marked for preemption; its application master learns of it at its next heartbeat."""

    container: ContainerId
    node: str
    queue: str
    memory_mb: int


class Killed(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A container ended by the control plane's will, or was lost with its node."""

    container: ContainerId
    node: str
    cause: str  # `PREEMPTED`, `LOST`, `RELABELLED`, `KILLED_BY_USER`, `APPLICATION_ENDED`, `RELEASED` or `EXPIRED`


class Completed(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A container ended by itself, as its node reported."""

    container: ContainerId
    node: str
    exit_status: int


class ApplicationTransitioned(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    application: int
    state: str  # The new state, in the words of its control plane
    queue: str = ""
    detail: str = ""  # Diagnostics in words, empty when none

    @property
    def is_end(self) -> bool:
        return self.state in ENDED_APPLICATION_STATES


Decision = Allocated | Reserved | Unreserved | Warned | Killed | Completed | ApplicationTransitioned
