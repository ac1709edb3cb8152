"""Expectations watched while a scenario is played: which hold, which fail, when and why."""

from collections.abc import Callable, Collection, Sequence
from typing import Final

import msgspec

from engine.model.decision import Allocated, Completed, Killed, Reserved, Unreserved, Warned
from engine.observe.snapshot import Snapshot
from engine.run.measures import Measured, measure
from engine.scenario import Expectation
from engine.simulation.records import Record, Submitted

_KINDS: Final[dict[str, Callable[[Record], bool]]] = {
    "allocated": lambda record: isinstance(record, Allocated),
    "reserved": lambda record: isinstance(record, Reserved),
    "unreserved": lambda record: isinstance(record, Unreserved),
    "warned": lambda record: isinstance(record, Warned),
    "preempted": lambda record: isinstance(record, Killed) and record.cause == "PREEMPTED",
    "killed": lambda record: isinstance(record, Killed),
    "completed": lambda record: isinstance(record, Completed),
    "submitted": lambda record: isinstance(record, Submitted) and not record.rejected,
    "rejected": lambda record: isinstance(record, Submitted) and bool(record.rejected),
}
"""Measure of `decisions` → whether a record counts."""


class Result(msgspec.Struct, frozen=True):
    """The result of one expectation."""

    expectation: Expectation
    verdict: str
    """`met`, `failed`, or `open` when the run ended before it could be judged."""
    time_ms: int | None = None
    """Ms after the start: when it was met or failed; None while open."""
    value: Measured = None
    """What was measured then."""

    @property
    def sentence(self) -> str:
        """Return what was expected, and what came instead when it failed."""
        wanted = describe(self.expectation)
        if self.verdict != "failed":
            return wanted
        return f"{wanted}; it was {'nothing there' if self.value is None else _written(self.value)}"


class Watch:
    """One expectation and what is known of it so far; times are ms after the start."""

    __slots__ = ("count", "end_ms", "expectation", "first_ms", "result")

    def __init__(self, expectation: Expectation) -> None:
        self.expectation = expectation
        self.count = 0
        self.result: Result | None = None
        at = expectation.at_ms
        self.first_ms = expectation.since_ms if at is None else at
        """From here on it is looked at."""
        self.end_ms = self._end_ms()
        """Here it is judged at the latest."""

    def _end_ms(self) -> int:
        one = self.expectation
        if one.at_ms is not None:
            return one.at_ms
        if one.until_ms is not None:
            return one.until_ms
        return one.since_ms + (one.within_ms or 0)

    def counts_at(self, now_ms: int) -> bool:
        """Tell whether what happens now counts: at the one instant, or after `since` up to the end."""
        if self.expectation.at_ms is not None:
            return now_ms == self.end_ms
        return self.first_ms < now_ms <= self.end_ms

    def judge(self, now_ms: int, value: Measured) -> None:
        """Look at the value at an instant when everything of it has happened."""
        one = self.expectation
        good = holds(one, value)
        is_last = now_ms >= self.end_ms
        is_final = is_last or (not good and self._stays_bad()) if one.within_ms is None else is_last or good
        if is_final:
            self.result = Result(one, "met" if good else "failed", now_ms, value)

    def _stays_bad(self) -> bool:
        """Tell whether a value that breaks it now has broken it: counts may still grow up to what is wanted."""
        one = self.expectation
        if one.of != "decisions":
            return True
        most = one.at_most if one.at_most is not None else one.equals
        return isinstance(most, int | float) and self.count > most


class Watches:
    """All expectations of a scenario; a listener that counts decisions and judges after each instant."""

    def __init__(self, expectations: Sequence[Expectation], start_ms: int) -> None:
        self._start_ms = start_ms
        self._open = [Watch(expectation) for expectation in expectations]
        self._all = list(self._open)
        self._names: dict[int, str] = {}

    def bounds(self) -> list[int]:
        """The instants [ms after the start] at which something has to be judged, sorted."""
        return sorted({time for watch in self._all for time in (watch.first_ms, watch.end_ms)})

    def stretches(self, measures: Collection[str]) -> list[tuple[int, int]]:
        """(first, last) instant [ms after the start] of the expectations that take one of these measures."""
        return [(watch.first_ms, watch.end_ms) for watch in self._all if watch.expectation.what in measures]

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Count what the expectations of decisions ask for; `time_ms` is epoch ms."""
        now = time_ms - self._start_ms
        for record in records:
            if isinstance(record, Submitted):
                self._names[record.application] = record.name
        for watch in self._open:
            if watch.expectation.of == "decisions" and watch.counts_at(now):
                watch.count += sum(self._is_meant(watch.expectation, record) for record in records)

    def _is_meant(self, expectation: Expectation, record: Record) -> bool:
        if not _KINDS[expectation.what](record):
            return False
        if expectation.node is not None and expectation.node not in _nodes(record):
            return False
        wanted = expectation.application
        if wanted is None:
            return True
        number = record.application if isinstance(record, Submitted) else getattr(record, "container", (0,))[0]
        end = wanted.rpartition("_")[2]
        return self._names.get(number) == wanted or (end.isdigit() and f"{number:04d}".endswith(end))

    def is_watching(self, now_ms: int) -> bool:
        """Tell whether any expectation may change its verdict at this instant [ms after the start]."""
        return any(watch.first_ms <= now_ms for watch in self._open)

    def judge(self, now_ms: int, snapshot: Snapshot) -> None:
        """Look at everything that is due once all of an instant [ms after the start] has happened."""
        for watch in self._open:
            if watch.first_ms <= now_ms:
                is_count = watch.expectation.of == "decisions"
                watch.judge(now_ms, watch.count if is_count else measure(watch.expectation, snapshot))
        self._open = [watch for watch in self._open if watch.result is None]

    def results(self) -> tuple[Result, ...]:
        """The verdicts, in the order of the scenario."""
        return tuple(watch.result or Result(watch.expectation, "open") for watch in self._all)


def _nodes(record: Record) -> tuple[str, str]:
    node: str = getattr(record, "node", "")
    return node, node.rpartition(":")[0]


def holds(expectation: Expectation, value: Measured) -> bool:
    """Tell whether a measured value meets the condition; nothing to measure meets none."""
    if value is None:
        return False
    if expectation.equals is not None:
        wanted = expectation.equals
        return value == (tuple(sorted(wanted)) if isinstance(wanted, tuple) else wanted)
    if not isinstance(value, int | float):
        return False
    low, high = expectation.at_least, expectation.at_most
    return (low is None or value >= low) and (high is None or value <= high)


def describe(expectation: Expectation) -> str:
    """An expectation in words, without its time.

    >>> describe(Expectation(at_ms=0, of="queue", queue="prod", what="used_memory_mb", at_least=1, at_most=3))
    'queue prod used_memory_mb at least 1 and at most 3'
    """
    one = expectation
    which = [f"{key} {value}" for key in _WHICH if (value := getattr(one, key)) is not None]
    subject = [] if one.of in ("queue", "node", "application") else [one.of]
    bounds = [f"at least {one.at_least}"] if one.at_least is not None else []
    bounds += [f"at most {one.at_most}"] if one.at_most is not None else []
    condition = " and ".join(bounds) if one.equals is None else f"= {_written(one.equals)}"
    return " ".join([*subject, *which, one.what, condition])


_WHICH: Final = ("queue", "node", "application", "state", "name")


def _written(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value) or "none"
    return f"{value:.4g}" if isinstance(value, float) else str(value) or "none"
