"""Kept polls: those of a recorded ResourceManager, kept as a watch would."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.formats.traces.report import ImportReport
from engine.formats.traces.rm_log import timeline_of
from engine.formats.traces.rm_timeline import (
    LogApplication,
    LogContainer,
    LogNode,
    LogReservation,
    ResourceManagerTimeline,
)
from engine.formats.traces.source import TraceSource
from engine.live.alarms import parse_rules
from engine.live.inference import with_obstacles
from engine.live.watch_metrics import WatchedCluster
from engine.observe.documents import FixedSnapshot, section_rows
from engine.observe.snapshot import Snapshot
from engine.recorded.log_series import LogSeries
from engine.recorded.polls_writer import PollEvents, PollsWriter
from engine.simulation.records import Record
from tests.engine.formats.traces.samples import source
from tests.engine.live.recorded import FOLDER, rounds_of, snapshot_of

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


# Logs as recorded pasts: the one a real ResourceManager wrote while it was polled, and small ones made by hand.


POLLED_FROM_MS: Final = 1_795_220_504_310
"""Second 0 of the polls that were made of the ResourceManager while it wrote the log [epoch ms]."""
BEGIN_MS: Final = 1_510_390_800_000
"""09:00 of the small logs, as if it were UTC."""
CLASS: Final = "INFO org.apache.hadoop.yarn.server.resourcemanager"

STATE: Final = "rmapp.RMAppImpl: application_17_{} State change from {} to {}"
ACCEPTED: Final = "scheduler.fair.FairScheduler: Accepted application application_17_{} from user: ann, in queue: {}, n"
ASSIGNED: Final = (
    "scheduler.SchedulerNode: Assigned container container_17_{}_01_{:06d}"
    " of capacity <memory:{}, vCores:1> on host n1:1,"
)
RESERVED: Final = "scheduler.fair.FSAppAttempt: Making reservation: node={} app_id=application_17_{}"


def incident() -> LogSeries:
    """The log of the recorded reservation deadlock of 2.7.2."""
    report = ImportReport()
    with TraceSource.of_file(FOLDER / "2.7.2-fair-rm-info.log.gz", report) as opened:
        return LogSeries("rm.log", timeline_of([opened]))


def lines(*messages: str) -> str:
    return "\n".join(f"2017-11-11 09:00:{n:02d},000 {CLASS}.{words}" for n, words in enumerate(messages))


def series(*messages: str) -> LogSeries:
    """A log of lines a second apart."""
    return LogSeries("small.log", timeline_of([source(lines(*messages))]))


def second(number: int) -> int:
    """The instant of a line [epoch ms]."""
    return BEGIN_MS + number * 1000


# Timelines made by hand, as lines of a log would make them.


def app(number: int, *states: tuple[int, str], **more: Any) -> LogApplication:
    """An application whose first line is at 10."""
    fields: dict[str, Any] = {"id": f"application_7_{number:04d}", "first_ms": 10, "states": list(states)}
    return LogApplication(**{**fields, **more})


def container(number: int, since_ms: int, until_ms: int | None = None, of: int = 1, **more: Any) -> LogContainer:
    """A container of 100 MB and one vcore on a node, which completed."""
    fields: dict[str, Any] = {
        "id": f"container_7_{of:04d}_01_{number:06d}",
        "application": f"application_7_{of:04d}",
        "allocated_ms": since_ms,
        "ended_ms": until_ms,
        "node": "n1:1",
        "memory_mb": 100,
        "vcores": 1,
        "end": "" if until_ms is None else "COMPLETED",
    }
    return LogContainer(**{**fields, **more})


def held(
    since_ms: int, until_ms: int | None = None, of: int = 1, node: str | None = "n1:1", **more: Any
) -> LogReservation:
    """A reservation of a node for 300 MB and two vcores."""
    fields: dict[str, Any] = {"memory_mb": 300, "vcores": 2}
    return LogReservation(f"application_7_{of:04d}", node, since_ms, until_ms, **{**fields, **more})


def node(name: str, *states: tuple[int, str], **more: Any) -> LogNode:
    """A node of 1000 MB and eight vcores."""
    return LogNode(name, **{"memory_mb": 1000, "vcores": 8, "states": list(states), **more})


def timeline(*parts: LogApplication | LogContainer | LogReservation | LogNode, **more: Any) -> ResourceManagerTimeline:
    """A log of these, from 0 to 1000."""
    return ResourceManagerTimeline(
        **{
            "begin_ms": 0,
            "end_ms": 1_000,
            "applications": {each.id: each for each in parts if isinstance(each, LogApplication)},
            "containers": {each.id: each for each in parts if isinstance(each, LogContainer)},
            "reservations": [each for each in parts if isinstance(each, LogReservation)],
            "nodes": {each.id: each for each in parts if isinstance(each, LogNode)},
            **more,
        }
    )
