"""An independent first come, first fit: the starts of a batch log's jobs on one machine, without any of the product.

A job asks one second after it has registered. At each heartbeat of the machine the processors of the jobs that have
ended become free; then every waiting job that fits starts, in the order of submission. A job begins to run when its
master, which calls once a second, fetches the container.
"""

from bisect import insort
from collections.abc import Iterator, Mapping
from heapq import heappop, heappush
from typing import NamedTuple

SECOND_MS = 1000


class Job(NamedTuple):
    """A line of the log."""

    name: str
    processors: int
    runs_ms: int


def jobs(text: str) -> Iterator[Job]:
    """The jobs that ran, in the order of the log."""
    for line in text.splitlines():
        columns = line.split()
        if columns and not line.startswith(";"):
            used, asked, run_s = int(columns[4]), int(columns[7]), int(columns[3])
            processors = used if used > 0 else asked
            if run_s > 0 and processors > 0:
                yield Job(columns[0], processors, run_s * SECOND_MS)


def starts(listed: list[Job], processors: int, registered_ms: Mapping[str, int], phase_ms: int) -> dict[str, int]:
    """Job → instant at which it is given its processors, for a machine that beats at `phase_ms` of each second."""
    asks = sorted((registered_ms[job.name] + SECOND_MS, place) for place, job in enumerate(listed))
    ends: list[tuple[int, int]] = []
    waiting: list[int] = []
    found: dict[str, int] = {}
    asked = 0
    while asked < len(asks) or ends:
        next_ms = min([when for when, _ in asks[asked : asked + 1]] + [when for when, _ in ends[:1]])
        beat_ms = next_ms + (phase_ms - next_ms) % SECOND_MS
        while ends and ends[0][0] <= beat_ms:
            processors += heappop(ends)[1]
        while asked < len(asks) and asks[asked][0] <= beat_ms:
            insort(waiting, asks[asked][1])
            asked += 1
        for place in list(waiting):
            job = listed[place]
            if job.processors <= processors:
                processors -= job.processors
                waiting.remove(place)
                found[job.name] = beat_ms
                begins_ms = beat_ms + (registered_ms[job.name] - beat_ms - 1) % SECOND_MS + 1
                heappush(ends, (begins_ms + job.runs_ms, job.processors))
            if not processors:
                break
    return found
