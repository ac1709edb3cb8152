"""The consequences of an act as values: events, starts, ended containers, memory and nodes.

Units and ids are those of `report`.
"""

import msgspec

from engine.explain.remedy import Remedy
from engine.explain.report_part import Report


class NodeBlock(msgspec.Struct, frozen=True, array_like=True):
    """A container, or an executor."""

    queue: str
    """Empty for an executor."""
    application: str
    memory_mb: int


class NodeUse(msgspec.Struct, frozen=True):
    """One node."""

    node: str
    total_mb: int
    free_mb: int
    is_reserved: bool
    blocks: tuple[NodeBlock, ...]
    """By queue, application, container."""


class HappeningReport(Report, frozen=True, kw_only=True):
    """Something that follows an act."""

    at_ms: int
    words: str
    is_target: bool


class BegunReport(Report, frozen=True, kw_only=True):
    """One of those that waited and is given something."""

    application: str
    at_ms: int
    ran: bool


class StayReport(Report, frozen=True, kw_only=True):
    """A reservation that an act does not end."""

    application: str
    node: str
    until_ms: int | None


class MemoryReport(Report, frozen=True, kw_only=True):
    """Memory in use at an instant."""

    at_ms: int
    used_mb: int
    total_mb: int
    percent: int


class MemoryChange(Report, frozen=True, kw_only=True, omit_defaults=False):
    """Memory before an act, and at its most after it; None where nothing was played."""

    before: MemoryReport | None = None
    most: MemoryReport | None = None


class NodesChange(Report, frozen=True, kw_only=True, omit_defaults=False):
    """The nodes now, and when memory is at its most."""

    now: tuple[NodeUse, ...] = ()
    then: tuple[NodeUse, ...] = ()


class AftermathReport(Report, frozen=True, kw_only=True, omit_defaults=False):
    """The consequences of a remedy or an act."""

    number: int = 0
    """Number of the remedy; 0 for an act."""
    remedy: Remedy | None = None
    """None for an act."""
    happenings: tuple[HappeningReport, ...] = ()
    """In the order of time."""
    refused: str = ""
    """Why the act is not taken; empty when it is, and then the rest holds."""
    bucket_s: int
    allocated: tuple[int, ...] = ()
    """Containers in each bucket after the act."""
    before: tuple[int, ...]
    """The same before it."""
    begun: tuple[BegunReport, ...] = ()
    """The soonest first."""
    killed: int = 0
    """Containers gone at once."""
    dropped: int = 0
    """Reservations gone at once."""
    preempted: int = 0
    """Containers preempted afterwards."""
    stays: tuple[StayReport, ...] = ()
    """In order of nodes."""
    memory: MemoryChange = MemoryChange()
    nodes: NodesChange = NodesChange()
