"""The measures of several runs side by side, in groups, with what counts as worse."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from engine.compare.comparison import ComparedRun, Comparison

Value = float | int | None


class MeasureRow(msgspec.Struct, frozen=True):
    """One measure of every run."""

    group: str
    name: str
    unit: str
    """`ms`, `s` (of a container or node), `share` (0 to 1), `ratio` or empty for a number."""
    worse: str
    """`more`, `less`, or empty where neither is."""
    values: tuple[Value, ...]
    """The value of each run, in their order; None where there is none."""

    @property
    def is_alike(self) -> bool:
        """Tell whether all runs that have a value have the same."""
        return len({value for value in self.values if value is not None}) <= 1

    @property
    def spread(self) -> float:
        """Return how far apart they are, from 0 (alike) to 1 (one has all); shares and ratios by their difference."""
        known = [abs(value) for value in self.values if value is not None]
        most = max(known, default=0)
        return (most - min(known)) / most if most else 0.0

    def badness(self) -> list[float]:
        """Length of a bar for each run, 0 to 1: how much there is of what is bad; nothing where neither is worse."""
        most = max((value for value in self.values if value is not None), default=0)
        if not self.worse or not most:
            return [0.0] * len(self.values)
        parts = [None if value is None else value / most for value in self.values]
        return [0.0 if part is None else part if self.worse == "more" else 1 - part for part in parts]


class _Kind(NamedTuple):
    group: str
    name: str
    unit: str
    worse: str
    of: Callable[[ComparedRun], Value]


def _if_any(slowdown: float) -> Value:
    """A slowdown, which is at least 1; None where no application FINISHED."""
    return slowdown or None


def _of_masters(run: ComparedRun, quantile: str) -> Value:
    """A quantile of the waits for application masters; None where there are none."""
    waits = run.measures.master_waits
    return getattr(waits, quantile) if waits.number else None


WAITS: Final = "Waits for the first container asked for"
MASTERS: Final = "Waits for the application master"
SHARED: Final = "Fairness"
_KINDS: Final = (
    _Kind(WAITS, "median", "ms", "more", lambda run: run.measures.waits.median),
    _Kind(WAITS, "95 %", "ms", "more", lambda run: run.measures.waits.p95),
    _Kind(WAITS, "worst", "ms", "more", lambda run: run.measures.waits.worst),
    _Kind(WAITS, "slowdown, median", "ratio", "more", lambda run: _if_any(run.measures.slowdown.median)),
    _Kind(WAITS, "slowdown, 95 %", "ratio", "more", lambda run: _if_any(run.measures.slowdown.p95)),
    _Kind(WAITS, "applications waiting at once, most", "", "more", lambda run: run.measures.waiting_most),
    _Kind(MASTERS, "master, median", "ms", "more", lambda run: _of_masters(run, "median")),
    _Kind(MASTERS, "master, 95 %", "ms", "more", lambda run: _of_masters(run, "p95")),
    _Kind(MASTERS, "master, worst", "ms", "more", lambda run: _of_masters(run, "worst")),
    _Kind("Work done", "applications FINISHED", "", "less", lambda run: run.measures.finished),
    _Kind("Work done", "not ended", "", "more", lambda run: run.measures.unfinished),
    _Kind("Work done", "makespan", "ms", "more", lambda run: run.measures.makespan_ms),
    _Kind("Work done", "containers allocated", "", "", lambda run: run.measures.containers),
)
_AFTER: Final = (
    _Kind("Reservations", "nodes reserved at once, most", "", "more", lambda run: run.measures.reserved_most),
    _Kind("Reservations", "for one application, most", "", "more", lambda run: run.measures.reserved_most_by_one),
    _Kind("Reservations", "reserved in vain", "s", "more", lambda run: run.measures.reserved_in_vain_s),
    _Kind("Starving, deadlocked, lost", "deadlocked, proved", "ms", "more", lambda run: run.frozen_ms),
    _Kind("Starving, deadlocked, lost", "longest standstill", "ms", "more", lambda run: run.measures.standstill_ms),
    _Kind("Starving, deadlocked, lost", "waited over ten minutes", "", "more", lambda run: run.measures.starved),
    _Kind("Starving, deadlocked, lost", "never started", "", "more", lambda run: run.measures.never_started),
    _Kind(
        "Starving, deadlocked, lost",
        "refused, failed or killed",
        "",
        "more",
        lambda run: run.measures.refused + run.measures.failed,
    ),
    _Kind("Starving, deadlocked, lost", "containers preempted", "", "more", lambda run: run.measures.preempted),
    _Kind("Starving, deadlocked, lost", "their work", "s", "more", lambda run: run.measures.preempted_s),
    _Kind("Starving, deadlocked, lost", "work lost in all", "s", "more", lambda run: run.measures.lost_s),
)
DIMENSIONS: Final = {
    "memory_mb": "memory",
    "vcores": "vcores",
    "cores": "cores",
    "map_slots": "map slots",
    "reduce_slots": "reduce slots",
}
"""Dimension → its words."""


def measure_rows(comparison: Comparison) -> list[MeasureRow]:
    """The measures of a comparison in their order: waits, work, utilisation, fairness, reservations, harm."""
    return [MeasureRow(*each[:4], tuple(map(each.of, comparison.runs))) for each in _kinds(comparison.runs)]


def is_spark(runs: Sequence[ComparedRun]) -> bool:
    """Tell whether the runs are of Spark's Master, which spreads executors over workers or packs them."""
    return "cores" in runs[0].measures.used_share


def _kinds(runs: Sequence[ComparedRun]) -> Iterator[_Kind]:
    has_masters = any(run.measures.master_waits.number for run in runs)
    yield from (each for each in _KINDS if has_masters or each.group != MASTERS)
    for dimension in runs[0].measures.used_share:
        words = f"{DIMENSIONS[dimension]} held, mean"
        yield _Kind("Work done", words, "share", "", lambda run, of=dimension: run.measures.used_share.get(of))  # type: ignore[misc]  # the default binds the name
    if is_spark(runs):
        yield _Kind("Work done", "workers in use, mean", "ratio", "", lambda run: run.nodes_in_use)
    yield _Kind(SHARED, "Jain's index of users", "share", "less", lambda run: run.measures.users.jain)
    yield _Kind(SHARED, "Jain's index of queues", "share", "less", lambda run: run.measures.queues.jain)
    for queue in dict.fromkeys(path for run in runs for path in run.measures.queues.dominant_share if path):
        words = f"{queue.removeprefix('root.')}, dominant share, mean"
        yield _Kind(SHARED, words, "share", "", lambda run, of=queue: run.measures.queues.dominant_share.get(of))  # type: ignore[misc]  # the default binds the name
    yield from _AFTER
