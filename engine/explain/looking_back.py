"""Reads a wait from the past of a run, replayed from the copies its timeline keeps, a few events at a time.

Each generator pauses with the instant it has come to [epoch ms]; nothing of the run itself is touched.
"""

from collections.abc import Generator

from engine.explain.facts import Facts, Spell
from engine.explain.instant import WORTH_MS, record_round
from engine.observe.snapshot import ApplicationRow
from engine.simulation.timeline import Timeline


def round_before(timeline: Timeline, time_ms: int, heartbeat_ms: int) -> Generator[int, None, Facts]:
    """Return the recorded offers of the last round of heartbeats up to the end of an instant [epoch ms]."""
    simulation = yield from timeline.reach(time_ms - heartbeat_ms)
    facts = record_round(simulation)
    for _ in timeline.replay(simulation, time_ms):
        yield simulation.now_ms
    return facts


def longest_wait(timeline: Timeline, row: ApplicationRow) -> Generator[int, None, Spell | None]:
    """The longest wait of an application that is over; None when it never waited for long."""
    if row.finished_ms is None:
        return None
    simulation = yield from timeline.reach(row.submitted_ms - 1)
    facts = Facts()
    simulation.listeners.append(facts)
    for _ in timeline.replay(simulation, row.finished_ms):
        yield simulation.now_ms
    spell = facts.longest_wait(row.number)
    return spell if spell is not None and spell.until_ms - spell.from_ms >= WORTH_MS else None
