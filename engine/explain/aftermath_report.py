"""The consequences of an act as values: events, starts, ended containers, memory and nodes.

Units and ids are those of `report`.
"""

from engine.explain.node_use import NodeUse
from engine.explain.remedy import Remedy
from engine.explain.report_part import Report


class HappeningReport(Report, frozen=True, kw_only=True):
    """Something that follows an act."""

    at_ms: int
    words: str
    is_target: bool


class BegunReport(Report, frozen=True, kw_only=True):
    """Who is given something of those that waited."""

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


class MemoryChange(Report, frozen=True, kw_only=True):
    """Memory before an act, and at its most after it; None where nothing was played."""

    before: MemoryReport | None
    most: MemoryReport | None


class NodesChange(Report, frozen=True, kw_only=True):
    """The nodes now, and when memory is at its most."""

    now: tuple[NodeUse, ...]
    then: tuple[NodeUse, ...]


class AftermathReport(Report, frozen=True, kw_only=True):
    """The consequences of a remedy or an act."""

    number: int = 0
    """Number of the remedy; 0 for an act."""
    remedy: Remedy | None
    """None for an act."""
    """Empty for an act."""
    happenings: tuple[HappeningReport, ...]
    refused: str
    """Why the act is not taken; empty when it is."""
    bucket_s: int
    allocated: tuple[int, ...]
    """Containers in each bucket after the act."""
    before: tuple[int, ...]
    """The same before it."""
    begun: tuple[BegunReport, ...]
    killed: int
    dropped: int
    preempted: int
    stays: tuple[StayReport, ...]
    memory: MemoryChange
    nodes: NodesChange
