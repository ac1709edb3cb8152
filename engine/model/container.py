"""A container: an amount of one node given to, or reserved for, one application attempt.

Source: RMContainerImpl, Hadoop 2.7.2.
"""

from typing import TYPE_CHECKING

from engine.model.decision import ContainerId
from engine.model.lifecycle import CONTAINER, move
from engine.model.request import ResourceRequest
from engine.state import State

if TYPE_CHECKING:
    from engine.model.application import Attempt
    from engine.model.node import Node


class Container(metaclass=State):
    """A container as the control plane believes it to be."""

    attempt: "Attempt"
    id: ContainerId
    number: int
    """By which its attempt keeps it: its own number, or another one where it outlived the attempt that got it."""
    node: "Node"
    priority: int
    memory_mb: int
    vcores: int
    state: str
    created_ms: int
    """When it was allocated or, for a reservation, reserved."""
    is_am: bool
    recoverable: tuple[ResourceRequest, ...]
    """The requests it answered, each for one container; put back when it is killed before its AM fetched it."""
    partition: str
    """The partition its ask named; its node may be in another one."""
    warned_ms: int | None
    """When it was marked for preemption."""

    def __init__(
        self, attempt: "Attempt", number: int, node: "Node", priority: int, memory_mb: int, vcores: int, now_ms: int
    ) -> None:
        self.attempt = attempt
        self.id = (attempt.application.number, attempt.number, number)
        self.number = number
        self.node = node
        self.priority = priority
        self.memory_mb = memory_mb
        self.vcores = vcores
        self.state = "NEW"
        self.created_ms = now_ms
        self.is_am = False
        self.recoverable = ()
        self.partition = ""
        self.warned_ms = None

    def happen(self, happening: str) -> None:
        """Change state along the container table; raises `InvariantError` on an illegal move."""
        try:
            self.state = CONTAINER[self.state][happening]
        except KeyError:
            self.state = move(CONTAINER, self.state, happening)
