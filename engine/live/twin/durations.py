"""Infers how long containers run from what applications used: their own so far, and that of ended ones like them.

A ResourceManager sums what each application was given [MB s]. That sum grows only while containers run, so that it says
how much work was done, however long an application waited; how much there is in all, its progress says, or what
applications like it used in all.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, isqrt
from statistics import median_low
from typing import Final, NamedTuple

from engine.live.twin.holdings import NAME, HeldByApplication, UnseenAsk, kinds_of
from engine.observe.snapshot import ApplicationRow, Unknown

LEAST_MS: Final = 1_000
"""A container whose time is over by the estimate runs so much longer."""

SPARK_PROGRESS: Final = 10.0
"""What Spark's masters always report [%]. Source: ApplicationMaster.launchReporterThread, Spark 2.4."""


class Estimate(NamedTuple):
    """The duration of each container of an application [ms]."""

    duration_ms: int
    """One that it asks for."""
    remaining_ms: int
    """One that runs, from now on."""


class UsualWork(NamedTuple):
    """The total use of applications of a kind."""

    megabyte_ms: int
    """The one in the middle."""
    elapsed_ms: int
    """From submission to the end; the shortest, which waited least."""
    is_named: bool
    """Whether they have one name: they do the same work. Others of a type and queue may do more, or less."""

    def span_ms(self, work_mb_ms: int, memory_mb: int) -> int:
        """Return how long containers of so much memory in all run for so much work.

        Of another name: midway, by ratio, between that and how long the whole application took.
        """
        span_ms = min(max(work_mb_ms // memory_mb, LEAST_MS), self.elapsed_ms)
        return span_ms if self.is_named else isqrt(span_ms * self.elapsed_ms)


Kind = tuple[str, ...]


def work_by_kind(rows: Sequence[ApplicationRow]) -> Mapping[Kind, UsualWork]:
    """Return what ended applications used, by name (digits aside), and by type and queue."""
    used: dict[Kind, list[tuple[int, int]]] = {}
    for row in rows:
        if row.state == "FINISHED" and row.finished_ms is not None and not isinstance(row.memory_seconds, Unknown):
            for kind in _kinds_of_work(row):
                used.setdefault(kind, []).append((row.memory_seconds * 1000, row.finished_ms - row.submitted_ms))
    return {
        kind: UsualWork(
            median_low(amount for amount, _ in some), max(min(span for _, span in some), LEAST_MS), kind[0] == NAME
        )
        for kind, some in used.items()
    }


def estimates(
    rows: Sequence[ApplicationRow], holdings: HeldByApplication, work: Mapping[Kind, UsualWork], now_ms: int
) -> Mapping[str, Estimate]:
    """Application that runs → how long its containers run; those of which nothing can be concluded are left out."""
    found = {}
    for row in rows:
        if row.state != "RUNNING" or isinstance(row.memory_seconds, Unknown):
            continue
        sizes = list(_sizes(row, holdings))
        master_mb = next((held.size[0] for held in holdings.get(row.id, ()) if held.is_am), 0)
        spent = max(row.memory_seconds * 1000 - master_mb * (now_ms - row.submitted_ms), 0)
        estimate = _by_progress(row, sizes, spent) or _by_others(row, sizes, spent, master_mb, work)
        if estimate is not None:
            found[row.id] = estimate
    return found


def with_durations(
    rows: Sequence[ApplicationRow], unseen: Mapping[str, UnseenAsk], work: Mapping[Kind, UsualWork]
) -> Mapping[str, UnseenAsk]:
    """Asks of applications that have not begun, which come to as much work as that of others like them."""
    found = {}
    for row in rows:
        alike, ask = _work_of_alike(row, work), unseen.get(row.id)
        if ask is None or alike is None:
            continue
        master_mb = row.listed_asks[0].size[0] if row.listed_asks else 0
        work_mb_ms = max(alike.megabyte_ms - master_mb * alike.elapsed_ms, 1)
        count = max(ask.number, ceil(work_mb_ms / (ask.size[0] * alike.elapsed_ms)))
        found[row.id] = UnseenAsk(ask.size, count, alike.span_ms(work_mb_ms, count * ask.size[0]))
    return {**unseen, **found}


def _kinds_of_work(row: ApplicationRow) -> Sequence[Kind]:
    """The kinds whose work is compared: of its name, and of its type and queue."""
    return kinds_of(row)[:2]


def _work_of_alike(row: ApplicationRow, work: Mapping[Kind, UsualWork]) -> UsualWork | None:
    """The work of the narrowest kind of which an application ended; None where none did."""
    return next((work[kind] for kind in _kinds_of_work(row) if kind in work), None)


def _sizes(row: ApplicationRow, holdings: HeldByApplication) -> Iterator[int]:
    """Memory of each container but the master's, of those that run and of those asked for [MB]."""
    for held in holdings.get(row.id, ()):
        yield from [held.size[0]] * (0 if held.is_am else held.count)
    for ask in row.listed_asks:
        yield from [ask.size[0]] * ask.count


def _by_progress(row: ApplicationRow, sizes: Sequence[int], spent: int) -> Estimate | None:
    """From its own containers that ended, if progress is the part of its containers that did."""
    progress = row.progress
    if isinstance(progress, Unknown) or not (0 < progress < 100 and sizes and spent):
        return None
    ended = round(progress / (100 - progress) * len(sizes))
    if not ended or (row.type == "SPARK" and progress == SPARK_PROGRESS):
        return None
    running = max(row.containers - 1, 0)  # each half way, as far as anybody knows
    duration_ms = max(2 * spent * len(sizes) // (sum(sizes) * (2 * ended + running)), LEAST_MS)
    return Estimate(duration_ms, max(duration_ms // 2, LEAST_MS))


def _by_others(
    row: ApplicationRow, sizes: Sequence[int], spent: int, master_mb: int, work: Mapping[Kind, UsualWork]
) -> Estimate | None:
    """From what is left of the work of others like it; None where it has done more already."""
    alike = _work_of_alike(row, work)
    left = 0 if alike is None else alike.megabyte_ms - master_mb * alike.elapsed_ms - spent
    if alike is None or left <= 0 or not sizes:
        return None
    span_ms = alike.span_ms(left, sum(sizes))
    return Estimate(span_ms, span_ms)
