"""Kept polls: those of a recorded ResourceManager, kept as a watch would."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from engine.live.alarms import parse_rules
from engine.live.inference import with_obstacles
from engine.live.watch_metrics import WatchedCluster
from engine.observe.documents import FixedSnapshot, section_rows
from engine.observe.snapshot import Snapshot
from engine.recorded.polls_writer import PollEvents, PollsWriter
from engine.simulation.records import Record
from tests.engine.live.recorded import rounds_of, snapshot_of

RULES: Final = ("all nodes reserved",)


def polled(series: str = "2.7.2-fair-kill") -> list[FixedSnapshot]:
    return [with_obstacles(snapshot_of(each)) for each in rounds_of(series)]


def at_time(snapshot: FixedSnapshot, time_ms: int) -> FixedSnapshot:
    header = msgspec.structs.replace(snapshot.header, time_ms=time_ms)
    rows = {name: section_rows(snapshot, name) for name in snapshot.sections}
    versions = dict.fromkeys(snapshot.sections, time_ms)
    return FixedSnapshot(snapshot.dialect, header, snapshot.sections, rows, versions)


class Kept:
    """A watch whose polls are kept."""

    def __init__(self, root: Path, first: Snapshot, keep_for_ms: int = 0) -> None:
        self.root = root
        self.watched = WatchedCluster(parse_rules(RULES), [self])
        self.writer = PollsWriter(
            root, None, first, "rm1:8088", created="2026-11-22", offset_ms=3_600_000, keep_for_ms=keep_for_ms
        )
        self._records: list[Record] = []

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._records += records

    def take(self, snapshot: Snapshot) -> None:
        self.watched.take(snapshot)
        if self.watched.alarms.is_to_judge(snapshot.header):
            self.watched.alarms.judge(snapshot.header, "nothing starts")
        records, self._records = self._records, []
        queues = {queue.path: queue.used[0] for queue in snapshot.queues() if queue.is_leaf}
        alerts, self.watched.alarms.news = self.watched.alarms.news, []
        self.writer.take(snapshot, PollEvents(self.watched.reading, queues, records, alerts))

    @property
    def path(self) -> Path:
        return self.root / self.writer.name


def keep(root: Path, snapshots: Sequence[Snapshot], keep_for_ms: int = 0) -> Kept:
    """Keep some polls; the writer is still open, as that of a program that is killed."""
    kept = Kept(root, snapshots[0], keep_for_ms)
    for each in snapshots:
        kept.take(each)
    return kept


def rows_of(snapshot: Snapshot) -> dict[str, list[msgspec.Struct]]:
    return {name: list(section_rows(snapshot, name)) for name in snapshot.sections}
