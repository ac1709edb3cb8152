"""The bare clock beside SimPy's, both in the same process: a heap of constant size in which each event begets one.

Both get the same delays in the same order. SimPy is given its cheapest form, a timeout with a callback and no process.
"""

import random
import time
from typing import Any

import simpy

from engine.simulation.world import Clock

PENDING = 20_000
EVENTS = 1_000_000


def delays() -> list[int]:
    """The delays [ms] to draw from, a power of two of them, so that taking one costs the same everywhere."""
    source = random.Random(1)
    return [1 + source.getrandbits(12) for _ in range(1 << 16)]


def clock_events_per_s() -> float:
    """Events per CPU second of the engine's clock."""
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
    """Events per CPU second of SimPy's environment."""
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
