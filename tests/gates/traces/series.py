"""A ResourceManager's log beside what its REST interface answered at the same time, second by second.

A folder holds `rm-info.log.gz` and one poll a second in `series-*.jsonl.gz`: metrics, and the applications, whose
start and elapsed time together are the instant of the poll.
"""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engine.formats.traces.report import ImportReport
from engine.formats.traces.rm_log import timeline_of
from engine.formats.traces.rm_timeline import ResourceManagerTimeline
from engine.formats.traces.source import TraceSource

BEAT_MS = 1_000
"""A poll may see a change that the log writes within this time."""


class Agreement(NamedTuple):
    """How far a log and a series agree."""

    polls: int
    memory: int
    """Polls whose allocated memory is the log's, within a beat."""
    reservations: int
    """Polls whose number of reservations is the log's, within a beat."""
    worst_mb: int


def folders(top: Path) -> list[Path]:
    """The folders below one that hold a log and a series."""
    return sorted({path.parent for path in top.rglob("series-*.jsonl.gz") if (path.parent / "rm-info.log.gz").exists()})


def agreement(folder: Path) -> Agreement:
    """Compare the log of a folder with its series."""
    with TraceSource.of_file(folder / "rm-info.log.gz", ImportReport()) as source:
        timeline = timeline_of([source])
    polls = [poll for path in sorted(folder.glob("series-*.jsonl.gz")) for poll in _polls(path)]
    memory = reservations = worst_mb = 0
    for time_ms, metrics in polls:
        near = [time_ms + shift for shift in range(-BEAT_MS, BEAT_MS + 1, 50)]
        off = min(abs(value - metrics["allocatedMB"]) for value in allocated_mb(timeline, near))
        memory += off == 0
        worst_mb = max(worst_mb, off)
        reservations += metrics["containersReserved"] in reservations_held(timeline, near)
    return Agreement(len(polls), memory, reservations, worst_mb)


def _polls(path: Path) -> list[tuple[int, dict[str, Any]]]:
    """(epoch ms, metrics) of a series, as far as its polls have an application that runs."""
    found = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            poll = json.loads(line)
            listed = ((poll.get("apps") or {}).get("apps") or {}).get("app") or []
            times = [each["startedTime"] + each["elapsedTime"] for each in listed if not each["finishedTime"]]
            if times:
                found.append((max(times), poll["metrics"]["clusterMetrics"]))
    return found


def allocated_mb(timeline: ResourceManagerTimeline, times_ms: Sequence[int]) -> list[int]:
    """Allocated memory at instants in order [MB]."""
    containers = timeline.containers.values()
    changes = [(each.allocated_ms, each.memory_mb or 0) for each in containers]
    changes += [(each.ended_ms, -(each.memory_mb or 0)) for each in containers if each.ended_ms]
    return _summed(sorted(changes), times_ms)


def reservations_held(timeline: ResourceManagerTimeline, times_ms: Sequence[int]) -> list[int]:
    """How many reservations hold at instants in order."""
    changes = [(each.since_ms, 1) for each in timeline.reservations]
    changes += [(each.until_ms, -1) for each in timeline.reservations if each.until_ms is not None]
    return _summed(sorted(changes), times_ms)


def _summed(changes: Sequence[tuple[int, int]], times_ms: Sequence[int]) -> list[int]:
    """The sum of all changes up to and including each instant."""
    sums: list[int] = []
    total = place = 0
    for time_ms in times_ms:
        while place < len(changes) and changes[place][0] <= time_ms:
            total += changes[place][1]
            place += 1
        sums.append(total)
    return sums
