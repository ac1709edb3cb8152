"""What the log of a real ResourceManager says of its own rhythms and of draws, which no timeline keeps."""

import gzip
import re
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import linear_regression, median
from typing import Final

UPDATE_MS: Final = 500
"""How long FairScheduler's update thread sleeps."""
MOMENT: Final = r"(\S+ \S+) INFO "
ACQUIRED: Final = re.compile(
    MOMENT + r"\S+ (container_\d+_\d+_\d+_\d+) Container Transitioned from ALLOCATED to ACQUIRED"
)
SCHEDULED: Final = re.compile(MOMENT + r"\S+ appattempt_\d+_(\d+)_000001 State change from SUBMITTED to SCHEDULED")
MOVED: Final = re.compile(
    MOMENT + r".*OPERATION=Move Application Request.*RESULT=SUCCESS\s+APPID=application_\d+_(\d+)"
)
MONITOR: Final = re.compile(MOMENT + r"\S+ Starting SchedulingMonitor")
UPDATED: Final = "FSParentQueue: The updated demand for root is"
BEAT: Final = re.compile(r"cheduler: nodeUpdate: ([^:\s]+):")
DEBUG_LOG: Final = "rm-debug.log.gz"
STAMP: Final = 23
"""Letters of a line's time."""


def _epoch_ms(stamp: str) -> int:
    """The instant of a line, whose clock is that of Greenwich."""
    return round(datetime.strptime(stamp + "000+0000", "%Y-%m-%d %H:%M:%S,%f%z").timestamp() * 1000)


class LogText:
    """The lines of `rm-info.log.gz`, and of `rm-debug.log.gz` where it is there."""

    def __init__(self, folder: Path) -> None:
        with gzip.open(folder / "rm-info.log.gz", "rt", encoding="utf-8") as lines:
            self._text = lines.read()
        self._updated_ms: list[int] = []
        """When FairScheduler's update thread had done its work [epoch ms]."""
        self._beats_ms: dict[str, list[int]] = {}
        """Host → when its heartbeats were handled [epoch ms]."""
        if (folder / DEBUG_LOG).exists():
            self._read_debug(folder / DEBUG_LOG)

    def _read_debug(self, path: Path) -> None:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                if UPDATED in line:
                    self._updated_ms.append(_epoch_ms(line[:STAMP]))
                elif (beat := BEAT.search(line)) is not None:
                    self._beats_ms.setdefault(beat[1], []).append(_epoch_ms(line[:STAMP]))

    def acquired(self) -> Iterator[tuple[int, str]]:
        """(epoch ms, id) of the containers that masters fetched, in this order."""
        for stamp, container in ACQUIRED.findall(self._text):
            yield _epoch_ms(stamp), container

    def scheduled(self) -> dict[int, int]:
        """Number of the application → when the scheduler had taken its first attempt in [epoch ms]."""
        return {int(number): _epoch_ms(stamp) for stamp, number in SCHEDULED.findall(self._text)}

    def moves(self) -> Iterator[tuple[int, int]]:
        """(epoch ms, number) of applications that were moved."""
        for stamp, number in MOVED.findall(self._text):
            yield _epoch_ms(stamp), int(number)

    def monitor_ms(self) -> int | None:
        """When CapacityScheduler's preemption began to look [epoch ms]."""
        found = MONITOR.search(self._text)
        return None if found is None else _epoch_ms(found[1])

    def updates(self, after_ms: int) -> tuple[int, int] | None:
        """(an instant [epoch ms], interval) of FairScheduler's update thread; None where no log says it.

        The thread sleeps for 500 ms between two updates, so the interval grows with the time they take. Both are those
        of the straight line through all updates.
        """
        ticks = [
            after
            for before, after in pairwise(self._updated_ms)
            if after - before > UPDATE_MS * 0.9 and after > after_ms
        ]
        if len(ticks) < 2:
            return None
        slope, first = linear_regression(range(len(ticks)), [tick - after_ms for tick in ticks])
        return after_ms + round(first), round(slope)

    def phases(self, beat_ms: int, from_ms: int) -> dict[str, int]:
        """Host → when in each interval after an instant its heartbeat is handled, as a scheduler says that logs it."""
        found = {}
        for host, instants in self._beats_ms.items():
            due = (instants[0] - from_ms) % beat_ms
            late = [(each - from_ms - due + beat_ms // 2) % beat_ms - beat_ms // 2 for each in instants]
            found[host] = (due + round(median(late))) % beat_ms
        return found
