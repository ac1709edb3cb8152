"""The additions of an exam to a drill: pages that arrive, reports that are wrong, and more faults.

In an exam hints, `why` and alerts are shut. Every instant counts from the drill's beginning.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from pydantic import Field

from engine.model.ledger import Node
from engine.observe.rm_log_nodes import NodeFigures
from engine.observe.snapshot import UNKNOWN, ApplicationRow, Header, NodeRow, ReservationRow, Snapshot
from engine.scenario.parts import InstantMs, Part
from engine.scenario.timed_acts import ScriptedAct, Timed


class ExamPage(Timed):
    """A page that arrives while the trainee works."""

    sender: str = Field(min_length=1)
    words: str = Field(min_length=1, max_length=2_000)


class FalseReading(Timed):
    """A report that is wrong for a while, though the cluster goes on as ever."""

    until_ms: InstantMs
    node: str = ""
    """Host whose row is wrong; empty: no graph is drawn."""
    shows: Literal["full", "empty", "nothing"] = "nothing"
    """That all of the node is used, that none is, or not even its size."""

    def stands(self, at_ms: int) -> bool:
        """Tell whether it is wrong at an instant [ms after the drill's beginning]."""
        return self.at_ms <= at_ms < self.until_ms


class Exam(Part):
    """The additions of an exam to a drill."""

    pages: tuple[ExamPage, ...] = ()
    readings: tuple[FalseReading, ...] = ()
    faults: tuple[ScriptedAct, ...] = ()
    """Done to the cluster, whatever the trainee does."""

    def has_graphs(self, at_ms: int) -> bool:
        """Tell whether graphs are drawn at an instant."""
        return not any(not one.node and one.stands(at_ms) for one in self.readings)

    def reported(self, snapshot: Snapshot, at_ms: int) -> "ReportedSnapshot":
        """The cluster as it is reported at an instant."""
        return ReportedSnapshot(snapshot, self._wrong(at_ms))

    def reported_node(self, node: Node, at_ms: int) -> Node:
        """A node as its ResourceManager reports it at an instant."""
        shows = self._wrong(at_ms).get(node.host)
        if shows is None:
            return node
        figures = NodeFigures(
            len(node.containers), (node.used_memory_mb, node.used_vcores), (node.total_memory_mb, node.total_vcores)
        )
        wrong = misread(shows, figures)
        memory_mb, vcores = wrong.total
        shown = Node(node.host, node.port, node.rack, memory_mb, vcores, node.joined, node.partition)
        shown.state, shown.containers = node.state, node.containers if wrong.containers else {}
        shown.used_memory_mb, shown.used_vcores = wrong.used
        shown.free_memory_mb, shown.free_vcores = wrong.free
        return shown

    def reported_figures(self, host: str, figures: NodeFigures, at_ms: int) -> NodeFigures:
        """Return the figures that a log reports of a node at an instant."""
        shows = self._wrong(at_ms).get(host)
        return figures if shows is None else misread(shows, figures)

    def _wrong(self, at_ms: int) -> dict[str, str]:
        """Host → what it reports, of those that report wrongly."""
        return {one.node: one.shows for one in self.readings if one.node and one.stands(at_ms)}


def misread(shows: str, figures: NodeFigures) -> NodeFigures:
    """The figures of a node that reports wrongly, as `FalseReading.shows` says."""
    nothing = (0,) * len(figures.total)
    total = nothing if shows == "nothing" else figures.total
    return NodeFigures(0 if shows == "empty" else figures.containers, total if shows == "full" else nothing, total)


class ReportedSnapshot:
    """A cluster as an exam shows it: some nodes report wrongly, and nobody says what holds applications up."""

    def __init__(self, snapshot: Snapshot, wrong: Mapping[str, str]) -> None:
        """Show a snapshot; `wrong` has host → what it reports."""
        self._snapshot, self._wrong = snapshot, wrong
        self.header: Header = snapshot.header
        self.dialect = snapshot.dialect
        self.sections = snapshot.sections

    def __getattr__(self, name: str) -> Any:  # Any: whatever the snapshot has
        """The sections that are reported as they are."""
        return getattr(self._snapshot, name)

    def version(self, section: str) -> int:
        """Return the version; that of nodes differs for each set of wrong reports."""
        version = self._snapshot.version(section)
        return hash((version, *self._wrong.items())) if section == "nodes" and self._wrong else version

    def applications(self, *, why: bool = True) -> Sequence[ApplicationRow]:
        """All applications, without why they wait."""
        return self._snapshot.applications(why=False)

    def reservations(self) -> Sequence[ReservationRow]:
        """All reservations, without who could release them."""
        return [msgspec.structs.replace(row, released=UNKNOWN) for row in self._snapshot.reservations()]

    def nodes(self) -> Sequence[NodeRow]:
        """All nodes as they report."""
        rows = self._snapshot.nodes()
        return [self._reported(row) for row in rows] if self._wrong else rows

    def _reported(self, row: NodeRow) -> NodeRow:
        shows = self._wrong.get(row.host)
        if shows is None:
            return row
        wrong = misread(shows, NodeFigures(row.containers, row.used, row.total))
        return msgspec.structs.replace(
            row, total=wrong.total, used=wrong.used, free=wrong.free, containers=wrong.containers
        )
