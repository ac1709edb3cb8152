"""What an exam adds to a drill: pages that arrive, reports that are wrong, and more faults.

In an exam hints, `why` and alerts are shut. Every instant counts from the drill's beginning.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from pydantic import Field

from engine.observe.snapshot import ApplicationRow, Header, NodeRow, Snapshot
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
        """Whether it is wrong at an instant [ms after the drill's beginning]."""
        return self.at_ms <= at_ms < self.until_ms


class Exam(Part):
    """What an exam adds to a drill."""

    pages: tuple[ExamPage, ...] = ()
    readings: tuple[FalseReading, ...] = ()
    faults: tuple[ScriptedAct, ...] = ()
    """Done to the cluster, whatever the trainee does."""

    def has_graphs(self, at_ms: int) -> bool:
        """Whether graphs are drawn at an instant."""
        return not any(not one.node and one.stands(at_ms) for one in self.readings)

    def reported(self, snapshot: Snapshot, at_ms: int) -> "ReportedSnapshot":
        """The cluster as it is reported at an instant."""
        wrong = {one.node: one.shows for one in self.readings if one.node and one.stands(at_ms)}
        return ReportedSnapshot(snapshot, wrong)


class ReportedSnapshot:
    """A cluster as an exam shows it: some nodes report wrongly, and nobody says why applications wait."""

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
        """Of nodes another one for each set of wrong reports."""
        version = self._snapshot.version(section)
        return hash((version, *self._wrong.items())) if section == "nodes" and self._wrong else version

    def applications(self, *, why: bool = True) -> Sequence[ApplicationRow]:
        """All applications, without why they wait."""
        return self._snapshot.applications(why=False)

    def nodes(self) -> Sequence[NodeRow]:
        """All nodes as they report."""
        rows = self._snapshot.nodes()
        return [self._reported(row) for row in rows] if self._wrong else rows

    def _reported(self, row: NodeRow) -> NodeRow:
        shows = self._wrong.get(row.host)
        if shows is None:
            return row
        nothing = (0,) * len(row.total)
        total = nothing if shows == "nothing" else row.total
        used = total if shows == "full" else nothing
        free = nothing if shows == "full" else total
        return msgspec.structs.replace(
            row, total=total, used=used, free=free, containers=0 if shows == "empty" else row.containers
        )
