"""What the log of a real ResourceManager says of its own rhythms and of draws, which no timeline keeps."""

import gzip
import re
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import linear_regression
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
CALL: Final = re.compile(
    r"(?:: pre-update applicationAttemptId=|: Allocation for application )appattempt_(\d+_\d+)_(\d+)"
)
"""FairScheduler and CapacityScheduler say that a master called."""
BEAT: Final = re.compile(r"cheduler: nodeUpdate: ([^:\s]+):")
ASKED: Final = re.compile(MOMENT + r"\S+ Available resource value after conversion")
"""Hadoop 3.4.1: twice for each request of a call."""
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
        self.asked_ms = [_epoch_ms(stamp) for stamp in ASKED.findall(self._text)]
        """When requests came in; none where the log does not say it [epoch ms]."""
        self._updated_ms: list[int] = []
        """When FairScheduler's update thread had done its work [epoch ms]."""
        self.beats_ms: dict[str, list[int]] = {}
        """Host → when its heartbeats were handled [epoch ms]."""
        self.calls_ms: dict[str, list[int]] = {}
        """Attempt, as the ids of its containers begin → when its master's calls were handled [epoch ms]."""
        if (folder / DEBUG_LOG).exists():
            self._read_debug(folder / DEBUG_LOG)

    def _read_debug(self, path: Path) -> None:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                if UPDATED in line:
                    self._updated_ms.append(_epoch_ms(line[:STAMP]))
                elif (beat := BEAT.search(line)) is not None:
                    self.beats_ms.setdefault(beat[1], []).append(_epoch_ms(line[:STAMP]))
                elif (call := CALL.search(line)) is not None:
                    attempt = f"container_{call[1]}_{int(call[2]):02d}"
                    self.calls_ms.setdefault(attempt, []).append(_epoch_ms(line[:STAMP]))

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
