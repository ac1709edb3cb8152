"""A container: an amount of one node given to, or reserved for, one application attempt.

Source: RMContainerImpl, Hadoop 2.7.2.
"""

from typing import TYPE_CHECKING, ClassVar

from engine.model.decision import ContainerId
from engine.model.lifecycle import CONTAINER, move
from engine.model.request import ResourceRequest
from engine.state import REFERENCE, REFERENCES, SHARED, Slots

if TYPE_CHECKING:
    from engine.model.application import Attempt
    from engine.model.node import Node


class Container:
    """A container as the control plane believes it to be."""

    STATE: ClassVar[Slots] = {
        "attempt": REFERENCE,
        "created_ms": SHARED,
        "id": SHARED,
        "is_am": SHARED,
        "memory_mb": SHARED,
        "node": REFERENCE,
        "number": SHARED,
        "partition": SHARED,
        "priority": SHARED,
        "recoverable": REFERENCES,
        "state": SHARED,
        "vcores": SHARED,
        "warned_ms": SHARED,
    }
    __slots__ = STATE

    def __init__(
        self, attempt: "Attempt", number: int, node: "Node", priority: int, memory_mb: int, vcores: int, now_ms: int
    ) -> None:
        self.attempt = attempt
        self.id: ContainerId = (attempt.application.number, attempt.number, number)
        self.number = number
        """By which its attempt keeps it: its own number, or another one where it outlived the attempt that got it."""
        self.node = node
        self.priority = priority
        self.memory_mb = memory_mb
        self.vcores = vcores
        self.state = "NEW"
        self.created_ms = now_ms
        """When it was allocated or, for a reservation, reserved."""
        self.is_am = False
        self.recoverable: tuple[ResourceRequest, ...] = ()
        """The requests it answered, each for one container; put back when it is killed before its AM fetched it."""
        self.partition = ""
        """The partition its ask named; its node may be in another one."""
        self.warned_ms: int | None = None
        """When it was marked for preemption."""

    def happen(self, happening: str) -> None:
        """Change state along the container table; raises `InvariantError` on an illegal move."""
        try:
            self.state = CONTAINER[self.state][happening]
        except KeyError:
            self.state = move(CONTAINER, self.state, happening)
