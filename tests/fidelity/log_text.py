"""What the log of a real ResourceManager says of its own rhythms and of draws, which no timeline keeps."""

import gzip
import re
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Final

UPDATE_MS: Final = 500
"""How long FairScheduler's update thread sleeps."""
MOMENT: Final = r"(\S+ \S+) INFO "
ACQUIRED: Final = re.compile(r"(container_\d+_\d+_\d+_\d+) Container Transitioned from ALLOCATED to ACQUIRED")
SCHEDULED: Final = re.compile(MOMENT + r"\S+ appattempt_\d+_(\d+)_000001 State change from SUBMITTED to SCHEDULED")
MOVED: Final = re.compile(
    MOMENT + r".*OPERATION=Move Application Request.*RESULT=SUCCESS\s+APPID=application_\d+_(\d+)"
)
MONITOR: Final = re.compile(MOMENT + r"\S+ Starting SchedulingMonitor")
UPDATED: Final = "FSParentQueue: The updated demand for root is"
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
        self._debug = folder / "rm-debug.log.gz"

    def acquired(self) -> list[str]:
        """The containers that masters fetched, in this order."""
        return ACQUIRED.findall(self._text)

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
        """(an instant [epoch ms], mean interval) of FairScheduler's update thread; None where no log says it.

        The thread sleeps for 500 ms between two updates, so the interval grows with the time they take.
        """
        if not self._debug.exists():
            return None
        with gzip.open(self._debug, "rt", encoding="utf-8") as lines:
            seen = [_epoch_ms(line[:STAMP]) for line in lines if UPDATED in line]
        ticks = [after for before, after in pairwise(seen) if after - before > UPDATE_MS * 0.9 and after > after_ms]
        return (ticks[0], round((ticks[-1] - ticks[0]) / (len(ticks) - 1))) if len(ticks) > 1 else None
