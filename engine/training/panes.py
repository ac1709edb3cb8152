"""The panes of the screen for a program: each as an object, or why it is shut."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from engine.errors import RefusedError, nearest
from engine.explain.alerts import Alerts
from engine.observe.snapshot import NodeRow, Snapshot
from engine.observe.snapshot_document import document
from engine.simulation.records import Record, kind_of
from engine.training.drill import WHY_PRICE
from engine.training.exam import Exam, ExamPage
from engine.training.exercise import Exercise
from engine.training.stage import DrillStage

SECTIONS: Final = {"workers": "nodes", "trackers": "nodes", "jobs": "applications", "pools": "queues"}
"""Pane of Spark or MapReduce 1 → the section that it shows."""
ROWS: Final = ("applications", "queues", "nodes", "reservations", "users", "executors", "containers")
"""Panes that are a section of the picture."""
EVENTS: Final = 200
"""So many of the latest records are told."""


class ProgramScreen:
    """The part of its exercise that a program can see."""

    def __init__(self, stage: DrillStage) -> None:
        """Show an exercise that begins at a stage."""
        self._alerts, self._pages_told = Alerts(), 0
        self._events: deque[tuple[int, Record]] = deque(maxlen=EVENTS)
        self.exercise = Exercise(stage, [self, self._alerts])
        self._panes: Mapping[str, Callable[[], dict[str, Any]]] = {
            "events": self._latest,
            "alerts": self._standing,
            "graphs": self._graphs,
            "settings": self._settings,
            "racks": self._racks,
        }

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Keep the latest records."""
        self._events.extend((time_ms, record) for record in records)

    @property
    def _exam(self) -> Exam:
        drill = self.exercise.stage.drill
        return drill.drill.exam if drill.is_exam else Exam()

    def new_pages(self) -> Sequence[ExamPage]:
        """The pages that came since the last call."""
        told, pages = self._pages_told, [one for one in self._exam.pages if one.at_ms <= self.exercise.now_ms]
        self._pages_told = len(pages)
        return pages[told:]

    def pane(self, name: str) -> dict[str, Any]:
        """The cluster as a whole, and what a pane shows.

        Raises:
            RefusedError: There is no such pane here, or it is shut.
        """
        wanted = SECTIONS.get(name.casefold(), name.casefold())
        snapshot: Snapshot = self.exercise.snapshot()
        if self.exercise.stage.drill.is_exam:
            snapshot = self._exam.reported(snapshot, self.exercise.now_ms)
        if wanted in snapshot.sections:
            return document(snapshot, [wanted])
        if wanted in self._panes:
            return {**document(snapshot, []), **self._panes[wanted]()}
        if wanted == "why":
            raise RefusedError("NoPane", 'ask why with {"do": "why", "application": ...}')
        there = sorted({*snapshot.sections, *self._panes})
        if wanted in ROWS:
            raise RefusedError("NoPane", f"this cluster has no {wanted}; there are {', '.join(there)}")
        raise RefusedError("NoPane", f"there is no pane {name[:40]!r}; {nearest(wanted, there) or ', '.join(there)}")

    def _latest(self) -> dict[str, Any]:
        view, rows = self.exercise.fork().control_plane.view(), []
        for time_ms, record in self._events:
            fields = msgspec.to_builtins(record)
            if isinstance(fields.get("container"), list | tuple):
                fields["container"] = view.container_id(tuple(fields["container"]))
            rows.append({"time_ms": time_ms, "kind": kind_of(record), **fields})
        return {"events": rows}

    def _standing(self) -> dict[str, Any]:
        if WHY_PRICE[self.exercise.drill.level] is None:
            raise RefusedError("AlertsAreShut", "alerts are shut in this drill: you are on your own")
        self._alerts.look(self.exercise.fork())
        return {"alerts": [msgspec.to_builtins(alert) for alert in self._alerts.standing]}

    def _graphs(self) -> dict[str, Any]:
        if not self._exam.has_graphs(self.exercise.now_ms):
            raise RefusedError("NoGraphs", "the graphs show nothing at this moment")
        return {"graphs": [sample._asdict() for sample in self.exercise.samples]}

    def _settings(self) -> dict[str, Any]:
        scenario = self.exercise.stage.drill.scenario
        rows = [{"key": key, "value": str(value)} for key, value in scenario.settings.items()]
        file = scenario.allocations_xml()
        files = [] if file is None else [{"key": "allocations", "value": file}]
        return {"settings": [*rows, *files]}

    def _racks(self) -> dict[str, Any]:
        racks: dict[str, list[NodeRow]] = {}
        for row in self.exercise.snapshot().nodes():
            racks.setdefault(row.rack, []).append(row)
        return {"racks": [{"rack": rack, "nodes": len(rows), "states": _states(rows)} for rack, rows in racks.items()]}


def _states(rows: Sequence[NodeRow]) -> dict[str, int]:
    """State → how many of the nodes are in it."""
    states = [str(row.state) for row in rows]
    return {state: states.count(state) for state in dict.fromkeys(states)}
