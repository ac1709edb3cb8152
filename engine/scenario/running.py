"""Applications that run when a scenario starts: a policy gives them what they hold before the first instant."""

from pydantic import Field

from engine.scenario.applications import ApplicationSpec
from engine.scenario.parts import Count, JavaInt, MemoryMb, Part


class PlacedContainers(Part):
    """Containers that run on a node when the scenario starts."""

    node: str = Field(min_length=1)
    """Host, or `host:port`."""
    memory_mb: MemoryMb
    vcores: JavaInt = Field(default=1, ge=0)
    count: Count = Field(default=1, ge=1)
    priority: int | None = None
    """The ask they answer; without it the application's first ask of this size."""
    master: bool = False
    """True for the application master's own container."""


class ReservedNode(Part):
    """A node that is reserved when the scenario starts."""

    node: str = Field(min_length=1)
    memory_mb: MemoryMb
    vcores: JavaInt = Field(default=1, ge=0)
    priority: int | None = None


class RunningSpec(Part):
    """An application that runs when the scenario starts, and what it holds.

    Containers placed are subtracted from what the application asks for; durations count from the start.
    """

    application: ApplicationSpec
    placed: tuple[PlacedContainers, ...] = ()
    reserved: tuple[ReservedNode, ...] = ()
