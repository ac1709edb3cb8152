"""The bare clock beside SimPy's, both in the same process: a heap of constant size in which each event begets one.

Both get the same delays in the same order. SimPy is given its cheapest form, a timeout with a callback and no process.
"""

import random
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import simpy

from engine.observe.journal import JournalWriter
from engine.scenario import ClusterSpec, Scenario
from engine.simulation.world import Clock

PENDING = 20_000
EVENTS = 1_000_000


def delays() -> list[int]:
    """The delays [ms] to draw from, a power of two of them, so that taking one costs the same everywhere."""
    source = random.Random(1)
    return [1 + source.getrandbits(12) for _ in range(1 << 16)]


def clock_events_per_s() -> float:
    wait, clock = delays(), Clock(0)
    for number in range(PENDING):
        clock.schedule((wait[number], 4, number, 7))
    take, schedule = clock.pop, clock.schedule
    begin = time.process_time()
    for count in range(EVENTS):
        time_ms, priority, order, kind = take()
        schedule((time_ms + wait[count & 0xFFFF], priority, order, kind))
    return EVENTS / (time.process_time() - begin)


def simpy_events_per_s() -> float:
    wait, environment = delays(), simpy.Environment()
    count = 0

    def happen(_: simpy.Event) -> None:
        nonlocal count
        simpy.Timeout(environment, wait[count & 0xFFFF]).callbacks.append(happen)
        count += 1

    for number in range(PENDING):
        simpy.Timeout(environment, wait[number]).callbacks.append(happen)
    step = environment.step
    begin = time.process_time()
    for _ in range(EVENTS):
        step()
    return EVENTS / (time.process_time() - begin)


def clock() -> dict[str, Any]:
    """Events per CPU second of both clocks."""
    ours, theirs = clock_events_per_s(), simpy_events_per_s()
    return {
        "bench": "clock",
        "events_per_cpu_s": round(ours),
        "simpy_events_per_cpu_s": round(theirs),
        "ratio": round(ours / theirs, 2),
    }


# How much memory this process has needed.


def peak_memory_mb() -> int:
    """The most memory this process ever held [MB]."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (2**20 if sys.platform == "darwin" else 1024)


# The journal while something is measured: the real one, in a file of its own.


UNPLAYED = Scenario(name="speed", cluster=ClusterSpec())
"""What the header says where no scenario is played."""


@contextmanager
def journal(scenario: Scenario = UNPLAYED) -> Iterator[tuple[JournalWriter, Path]]:
    """A journal in a new folder, gone afterwards, and its file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        with JournalWriter.to_file(path, scenario) as writer:
            yield writer, path
