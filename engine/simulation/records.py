"""Defines records, the values that tell what happened, and listeners, which receive them.

A record is a decision of the control plane, an act, or a report of a node or an application that changed something. An
event without effect leaves no record. Listeners get the records of an instant when all its events have happened (or
after a single step); they never change anything.
"""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import msgspec

from engine.control_plane import protocol
from engine.model import decision
from engine.scenario.acts import Act


class Acted(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """An act was carried out, or a fault of the scenario happened."""

    action: Act
    position: tuple[int, ...] | None = None
    """The event before it, after which a replay repeats it; None for a fault, which the scenario repeats."""


class Submitted(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    application: int  # The number it got; 0 when it got none
    name: str
    user: str
    queue: str  # The queue that the client named; empty when it named none
    type: str
    rejected: str = ""  # The reason of a refusal; empty when it was taken
    detail: str = ""


class DriverQueued(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A client handed in a driver in cluster mode, which asks Spark's Master for a worker."""

    driver: int  # Its number among drivers
    name: str
    user: str
    memory_mb: int
    cores: int


class EventRefused(msgspec.Struct, frozen=True, gc=False, tag="Refused", tag_field="kind"):
    """The control plane refused an event other than a submission."""

    event: str  # The refused event's type, e.g. `ApplicationMovedToQueue`.
    rejected: str
    detail: str = ""
    application: int = 0  # The application concerned; 0 when none


class AskChanged(msgspec.Struct, frozen=True, gc=False, tag="Asked", tag_field="kind"):
    """An application master changed how many containers it asks for anywhere (`*`) at one priority."""

    application: int
    priority: int
    memory_mb: int
    vcores: int
    count: int  # Number of containers that it still asks for; 0 ends the ask


class Started(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    container: decision.ContainerId
    node: str


class Draining(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A node began to be drained: it gets no further containers."""

    node: str


Record: TypeAlias = (
    decision.Allocated
    | decision.Reserved
    | decision.Unreserved
    | decision.Warned
    | decision.Killed
    | decision.Completed
    | decision.ApplicationTransitioned
    | Acted
    | Submitted
    | DriverQueued
    | EventRefused
    | AskChanged
    | Started
    | Draining
    | protocol.NodeJoined
    | protocol.NodeLost
    | protocol.NodeRegisteredAgain
    | protocol.NodeRelabelled
    | protocol.NodeResized
    | protocol.ResourceManagerStopped
    | protocol.ResourceManagerStarted
    | protocol.JobTrackerStopped
    | protocol.JobTrackerStarted
)


def kind_of(record: Record) -> str:
    return str(record.__struct_config__.tag)


class Listener(Protocol):
    """Gets the records of a simulation."""

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take the records of one instant, in the order they came about; `time_ms` never goes back."""
