"""Finds until when a deadlock could have been prevented: tries single remedies on copies of the past.

It tries kills, holders of what is needed first, and the switches of the scheduler. A deadlock is *inevitable* from the
first instant whose closed world ends in it; remedies are tried in the closed worlds between that instant and the one at
which it formed. The search bisects: it takes for granted that a remedy which helps at one instant also helps at earlier
ones.
"""

from typing import Final

from engine.control_plane.cluster_view import longest_waiting
from engine.explain.answer import LastChanceReport, RescueReport
from engine.explain.counterfactuals import Lookahead
from engine.explain.instant import SharedLookahead
from engine.explain.remedy import Remedy
from engine.explain.remedy_candidates import kills, switches
from engine.explain.verdict import severity_key
from engine.explain.verdict_search import verdicts
from engine.incremental import Incremental, Task, least
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import Timeline

FIRST_STEP_MS: Final = 1000  # First step back to an instant from which it was not inevitable [ms]

TRIED: Final = 25  # Number of remedies that are tried


class Search:
    """Looks for the way back there was from a deadlock, a piece at a time; the run it asks about is only looked at."""

    def __init__(self, past: Timeline, allocated_ms: int, now_ms: int) -> None:
        """Begin with the past of a run, deadlocked at `now_ms`; something was last allocated at `allocated_ms`."""
        self._past = past
        self._task = Task(self._find(allocated_ms, now_ms))
        self.tried = 0  # Number of remedies tried so far
        self.of: int | None = None
        """Number of remedies to try; None while it is not known since when the deadlock was inevitable."""

    def advance(self, pieces: int = 1) -> bool:
        """Do some pieces of the work; whether it is done."""
        return self._task.advance(pieces)

    def answer(self) -> LastChanceReport:
        """Until when it could have been prevented; the rest of the work is done first."""
        return self._task.result()

    def _find(self, allocated_ms: int, now_ms: int) -> Incremental[LastChanceReport]:
        past = self._past
        formed_ms = yield from formed(past, allocated_ms, now_ms)
        inevitable_ms = yield from _inevitable(past, formed_ms)
        there = yield from _at(past, formed_ms)
        to_try = _remedies(there)
        self.of = len(to_try)
        rescues = []
        for remedy in to_try:
            still = yield from helps((yield from there.fork_in_steps()), remedy)
            latest_ms = formed_ms if still else (yield from _latest(past, remedy, inevitable_ms, formed_ms))
            if latest_ms is not None:
                rescues.append(RescueReport(remedy=remedy, latest_ms=latest_ms, still_helps=still))
            self.tried += 1
        rescues.sort(key=lambda each: -each.latest_ms)
        return LastChanceReport(
            formed_ms=formed_ms,
            inevitable_ms=inevitable_ms,
            latest_ms=rescues[0].latest_ms if rescues else None,
            remedies=tuple(rescues),
        )


def _remedies(there: Simulation) -> list[Remedy]:
    families = [*switches(there), *kills(there)]
    return [family.make(()) for family in families][:TRIED]


def _at(past: Timeline, time_ms: int) -> Incremental[Simulation]:
    work = past.reach(time_ms)
    while True:
        try:
            next(work)
        except StopIteration as reached:
            there: Simulation = reached.value
            return there
        yield


def helps(simulation: Simulation, remedy: Remedy) -> Incremental[bool]:
    """Tell whether a remedy, applied to a copy, which is used up, keeps its closed world from ending in a deadlock."""
    _ = simulation.act(remedy.act)
    return not (yield from ends_deadlocked(simulation))


def ends_deadlocked(simulation: Simulation) -> Incremental[bool]:
    """Tell whether the closed world of a copy, which is used up, comes to rest with somebody in, or behind, a cycle."""
    simulation.drop_future_events()
    ahead = Lookahead(simulation, is_own=True)
    while not ahead.advance():
        yield
    longest = longest_waiting(ahead.simulation.control_plane.view()) if ahead.still else None
    if longest is None:
        return False
    found = yield from verdicts(SharedLookahead(ahead.simulation), longest)
    return max(found, key=severity_key).verdict == "deadlocked"


def formed(past: Timeline, allocated_ms: int, now_ms: int) -> Incremental[int]:
    """The first instant after which the closed world of a run that is frozen at `now_ms` makes no allocation."""
    if (yield from _is_frozen(past, allocated_ms)):
        return allocated_ms
    return (yield from least(allocated_ms, now_ms, lambda at_ms: _is_frozen(past, at_ms)))


def _is_frozen(past: Timeline, at_ms: int) -> Incremental[bool]:
    there = yield from _at(past, at_ms)
    there.drop_future_events()
    ahead = Lookahead(there, is_own=True)
    while (ahead.last_ms is None or ahead.last_ms <= at_ms) and not ahead.advance():
        yield
    return ahead.last_ms is None or ahead.last_ms <= at_ms


def _inevitable(past: Timeline, formed_ms: int) -> Incremental[int]:
    bad_ms, step_ms = formed_ms, FIRST_STEP_MS
    good_ms = formed_ms - step_ms
    while good_ms > past.first_ms and (yield from _is_lost(past, good_ms)):
        bad_ms, step_ms = good_ms, 2 * step_ms
        good_ms = max(good_ms - step_ms, past.first_ms)
    return (yield from least(max(good_ms, past.first_ms), bad_ms, lambda at_ms: _is_lost(past, at_ms)))


def _is_lost(past: Timeline, at_ms: int, remedy: Remedy | None = None) -> Incremental[bool]:
    there = yield from _at(past, at_ms)
    if remedy is not None:
        _ = there.act(remedy.act)
    return (yield from ends_deadlocked(there))


def _latest(past: Timeline, remedy: Remedy, inevitable_ms: int, formed_ms: int) -> Incremental[int | None]:
    """The latest instant from when it is inevitable at which a remedy helps; None when it never does."""
    if (yield from _is_lost(past, inevitable_ms, remedy)):
        return None
    return (yield from least(inevitable_ms, formed_ms, lambda at_ms: _is_lost(past, at_ms, remedy))) - 1
