"""Applications of a snapshot as a scenario takes them over."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil, isqrt
from statistics import median_low
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from engine.errors import Problem, Problems, nearest, quoted
from engine.grouping import grouped
from engine.live.twin.cluster_holdings import LEAST_AM, NAME, HeldByApplication, HeldContainers, UnseenAsk, kinds_of
from engine.observe.snapshot import UNKNOWN, Amounts, ApplicationRow, AskRow, ReservationRow, Unknown
from engine.scenario import (
    AskSpec,
    Assumption,
    RecoveredContainers,
    RecoveredReservation,
    RecoveredSpec,
    ScriptedSpec,
    Size,
)
from engine.units import UnitError, format_duration, parse_duration

# The assumptions of a cluster's twin about what is not known, and their words.

AS_LONG_AGAIN: Final = -1  # Remaining time of a container: as long as its application has run so far

UNSEEN_MS: Final = 60_000
"""How long containers run that an application will ask for, where no application like it says otherwise."""

Span = int | None  # A duration [ms]; None is for ever, `AS_LONG_AGAIN` what its application has run so far


class Assumptions(NamedTuple):
    remaining_ms: Span = AS_LONG_AGAIN
    """How long containers of running applications run of which nothing lets one conclude it."""
    of_application: Mapping[str, Span] = MappingProxyType({})  # The same of single applications, by id, number or name
    known_ms: Mapping[str, Span] = MappingProxyType({})
    """Id of a container → how long it will run, where that is known, as of a simulation."""

    def remaining(self, names: tuple[str, ...], ran_ms: int, concluded_ms: int | None = None) -> Span:
        """How long its containers run on [ms]; None is for ever. `names` are id, number, name."""
        otherwise = self.remaining_ms if concluded_ms is None else concluded_ms
        given = next((self.of_application[name] for name in names if name in self.of_application), otherwise)
        return max(ran_ms, 1000) if given == AS_LONG_AGAIN else given

    def check(self, rows: Iterable[ApplicationRow]) -> None:
        """Refuse names that no application has. Raises ConfigError with every such name, and the nearest one."""
        known = {name for row in rows for name in _names_of(row)}
        problems = Problems()
        for name in self.of_application:
            if name not in known:
                hint = nearest(name, known) or "an id, a number or a name of the list"
                problems.found.append(
                    Problem(f"no application is called {quoted(name)}", key="--assume remaining", hint=hint)
                )
        problems.check()


def _names_of(row: ApplicationRow) -> tuple[str, ...]:  # Its number also with the zeros of screens
    return row.id, str(row.number), f"{row.number:04d}", row.name


NOTHING_GIVEN: Final = Assumptions()  # Nothing says otherwise


def span_words(span: Span) -> str:
    """A duration for people.

    >>> span_words(None), span_words(90_000), span_words(AS_LONG_AGAIN)
    ('for ever', '1m30s', 'as long again as their application has run')
    """
    if span is None:
        return "for ever"
    return "as long again as their application has run" if span == AS_LONG_AGAIN else format_duration(span)


def read_assumptions(texts: Sequence[str]) -> Assumptions:
    """How long containers run on, for all and for single ones. Raises ConfigError with every text that is none."""
    problems = Problems()
    for_all: Span = AS_LONG_AGAIN
    of_application: dict[str, Span] = {}
    for text in texts:
        name, _, words = text.rpartition("=")
        try:
            span = None if words.strip() == "forever" else parse_duration(words)
        except UnitError as error:
            hint = "remaining=10m, remaining=forever, or remaining.APP=10m"
            problems.found.append(Problem(str(error), key="--assume", hint=hint))
            continue
        if name:
            of_application[name.strip()] = span
        else:
            for_all = span
    problems.check()
    return Assumptions(for_all, of_application)


# Infers how long containers run from what applications used: their own so far, and that of ended ones like them.
#
# A ResourceManager sums what each application was given [MB s]. That sum grows only while containers run, so that it
# says how much work was done, however long an application waited; how much there is in all, its progress says, or what
# applications like it used in all.

LEAST_MS: Final = 1_000  # A container whose time is over by the estimate runs so much longer

SPARK_PROGRESS: Final = 10.0
"""What Spark's masters always report [%]. Source: ApplicationMaster.launchReporterThread, Spark 2.4."""


class Estimate(NamedTuple):
    """The duration of each container of an application [ms]."""

    duration_ms: int  # One that it asks for
    remaining_ms: int  # One that runs, from now on


class UsualWork(NamedTuple):
    """The total use of applications of a kind."""

    megabyte_ms: int  # The one in the middle
    elapsed_ms: int  # From submission to the end; the shortest, which waited least
    is_named: bool  # Whether they have one name: they do the same work. Others of a type and queue may do more, or less

    def span_ms(self, work_mb_ms: int, memory_mb: int) -> int:
        """Return how long containers of so much memory in all run for so much work.

        Of another name: midway, by ratio, between that and how long the whole application took.
        """
        span_ms = min(max(work_mb_ms // memory_mb, LEAST_MS), self.elapsed_ms)
        return span_ms if self.is_named else isqrt(span_ms * self.elapsed_ms)


Kind = tuple[str, ...]


def work_by_kind(rows: Sequence[ApplicationRow]) -> Mapping[Kind, UsualWork]:
    """Return what ended applications used, by name (digits aside), and by type and queue."""
    used = grouped(
        (kind, (row.memory_seconds * 1000, row.finished_ms - row.submitted_ms))
        for row in rows
        if row.state == "FINISHED" and row.finished_ms is not None and not isinstance(row.memory_seconds, Unknown)
        for kind in _kinds_of_work(row)
    )
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
    return kinds_of(row)[:2]


def _work_of_alike(row: ApplicationRow, work: Mapping[Kind, UsualWork]) -> UsualWork | None:
    """The work of the narrowest kind of which an application ended; None where none did."""
    return next((work[kind] for kind in _kinds_of_work(row) if kind in work), None)


def _sizes(row: ApplicationRow, holdings: HeldByApplication) -> Iterator[int]:  # Memory [MB]; the master's is left out
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


NOBODY: Final = "unknown"  # User of an application of which that is not known

CONCLUDED: Final = (
    "how long containers run is concluded from the progress of their application and what it used, "
    "else from what ended applications of its name, or its type and queue, used"
)
NOTHING_MORE: Final = "applications with unknown requests are assumed to want only what they reserved"
NOT_BEGUN: Final = "an application that has not begun asks for what others like it hold, and for as long as others took"

OFFERED_BY: Final = 1  # Priority of asks that are not known


class Surroundings(NamedTuple):
    """The cluster's facts that applications are built with."""

    now_ms: int
    hosts: frozenset[str]  # The hosts of the cluster's nodes
    short_queues: bool  # Whether queues are called by the last part of their path
    holdings: HeldByApplication  # Application → what it holds
    reserved: Mapping[str, Sequence[ReservationRow]]  # Application → its reservations
    priorities: Mapping[str, int]  # Reserved node → priority of the ask, where it is known
    unseen: Mapping[str, UnseenAsk]  # Application that has not begun → what it will ask for
    estimates: Mapping[str, Estimate]
    """Application that runs → how long its containers run, where that can be concluded."""
    doubled: frozenset[int]  # Numbers that two applications have, of two lives of a ResourceManager
    assumptions: Assumptions
    master_start_ms: int | None  # From a master's container to its registration; None where too few were watched

    def still_starts_ms(self, since_ms: int | None) -> int | None:
        """From now on until a master that has its container since then [epoch ms] registers; None is as others.

        One with an unknown start is taken to be half way.
        """
        if self.master_start_ms is None:
            return None
        if since_ms is None:
            return self.master_start_ms // 2
        return max(since_ms + self.master_start_ms - self.now_ms, 0)

    def before(self, time_ms: int) -> int:
        """An instant [ms after the start], at the latest the start: two clocks may differ by a little."""
        return min(time_ms - self.now_ms, 0)


def recovered_of(row: ApplicationRow, seen: Surroundings) -> RecoveredSpec:
    """An application that lives, with what it holds and asks for."""
    held = _master_first(seen.holdings.get(row.id, ()))
    reserved = seen.reserved.get(row.id, ())
    is_registered = row.state == "RUNNING" or any(not each.is_am for each in held)
    asks = _Asks(row, seen)
    containers = [asks.containers(each) for each in held]
    if not is_registered:
        asks.add_unseen()
    application = ScriptedSpec(
        type="scripted",
        name=row.name,
        user=row.user or NOBODY,
        queue=(row.queue.rpartition(".")[2] if seen.short_queues else row.queue) or None,
        at_ms=seen.before(row.submitted_ms),
        number=row.number if row.number not in seen.doubled else None,
        am=_master_size(row, held, reserved, is_registered=is_registered),
        application_type=row.type,
        asks=tuple(asks.specs),
        register_delay_ms=None if is_registered or not held else seen.still_starts_ms(held[0].since_ms),
    )
    return RecoveredSpec(
        application=application,
        attempt=max((each.attempt for each in held), default=1),
        registered=is_registered,
        waiting_since_ms=None if row.waiting_since_ms is None else seen.before(row.waiting_since_ms),
        containers=tuple(containers),
        reserved=tuple(_reservation(each, row, seen, is_registered=is_registered) for each in reserved),
    )


def _master_first(held: Sequence[HeldContainers]) -> list[HeldContainers]:
    """The master of the latest attempt first; those of earlier ones are containers like others."""
    masters = [each for each in held if each.is_am]
    master = max(masters, key=lambda each: each.attempt, default=None)
    others = [
        each if not each.is_am else msgspec.structs.replace(each, is_am=False) for each in held if each is not master
    ]
    return others if master is None else [master, *others]


def _master_size(
    row: ApplicationRow, held: Sequence[HeldContainers], reserved: Sequence[ReservationRow], *, is_registered: bool
) -> Size | None:
    """Return the size of the master's container; None where it runs outside the cluster."""
    master = next((each.size for each in held if each.is_am), None)
    if master is None:
        if is_registered or row.asks == ():
            return None
        sizes = [each.size for each in reserved if isinstance(each.size, tuple)]
        master = next(iter(sizes), LEAST_AM) if isinstance(row.asks, Unknown) else row.asks[0].size
    return Size(memory_mb=master[0], vcores=master[1])


def _reservation(
    row: ReservationRow, application: ApplicationRow, seen: Surroundings, *, is_registered: bool
) -> RecoveredReservation:
    asks = application.listed_asks
    usual = OFFERED_BY if is_registered and isinstance(application.asks, Unknown) else 0
    alike = next((ask.priority for ask in asks if ask.size == row.size), asks[0].priority if asks else usual)
    priority = seen.priorities.get(row.node, alike)
    since_ms = 0 if isinstance(row.since_ms, Unknown) else seen.before(row.since_ms)
    size = LEAST_AM if isinstance(row.size, Unknown) else row.size
    return RecoveredReservation(node=row.node, memory_mb=size[0], vcores=size[1], priority=priority, since_ms=since_ms)


class _Asks:  # What it waits for, and what its containers answered
    def __init__(self, row: ApplicationRow, seen: Surroundings) -> None:
        self._row, self._seen = row, seen
        ran_ms, names, estimate = seen.now_ms - row.submitted_ms, _names_of(row), seen.estimates.get(row.id)
        concluded = (None, None) if estimate is None else estimate
        self._lasts, self._remaining = (seen.assumptions.remaining(names, ran_ms, each) for each in concluded)
        self._has_work = _has_work(row, seen)
        waits = () if isinstance(row.asks, Unknown) or row.state != "RUNNING" else row.asks
        self.specs: list[AskSpec] = [spec for ask in waits for spec in self._waiting(ask)]
        if isinstance(row.asks, Unknown) and row.state == "RUNNING":
            # Its asks are not stated: one container of each size for which nodes are reserved.
            reserved = seen.reserved.get(row.id, ())
            for size in dict.fromkeys(each.size for each in reserved if isinstance(each.size, tuple)):
                self._add(size, 1, self._lasts)

    def _add(self, size: Amounts, count: int, lasts: int | None, priority: int = OFFERED_BY) -> None:
        mb, vcores = size
        ask = AskSpec(priority=priority, memory_mb=mb, vcores=vcores, count=count, duration_ms=_span(lasts))
        self.specs.append(ask)

    def containers(self, held: HeldContainers) -> RecoveredContainers:
        known = held.remaining_ms
        if held.is_am:
            known = 0 if self._has_work else UNKNOWN  # it ends with its work
        lasts = self._remaining if isinstance(known, Unknown) else known
        return RecoveredContainers(
            node=held.node,
            memory_mb=held.size[0],
            vcores=held.size[1],
            count=held.count,
            priority=0 if held.is_am else held.priority or OFFERED_BY,
            ask=None if held.is_am else self._answered(held),
            since_ms=self._seen.before(self._row.submitted_ms if held.since_ms is None else held.since_ms),
            remaining_ms=_span(lasts),
        )

    def add_unseen(self) -> None:
        ask = self._seen.unseen[self._row.id]
        lasts = self._seen.assumptions.remaining(_names_of(self._row), UNSEEN_MS, ask.duration_ms or UNSEEN_MS)
        self._add(ask.size, ask.number, lasts)

    def _waiting(self, ask: AskRow) -> Iterator[AskSpec]:
        """A pending ask; a strict one with as many hosts as containers is for one on each."""
        hosts = tuple(place for place in ask.places if place in self._seen.hosts)
        racks = tuple(place for place in ask.places if place not in self._seen.hosts)
        is_one_each = not ask.relax_locality and len(hosts) == ask.count
        for part in [(host,) for host in hosts] if is_one_each else [hosts]:
            yield AskSpec(
                priority=ask.priority,
                memory_mb=ask.size[0],
                vcores=ask.size[1],
                count=len(part) if is_one_each else ask.count,
                hosts=part,
                racks=() if is_one_each else racks,
                relax=ask.relax_locality,
                duration_ms=_span(self._lasts),
            )

    def _answered(self, held: HeldContainers) -> int:
        """The place of the ask that containers answered: one of their size for anywhere, made where there is none."""
        priority = held.priority
        if priority is None:
            sized = (ask.priority for ask in self.specs if (ask.memory_mb, ask.vcores) == held.size)
            priority = next(sized, OFFERED_BY)
        for index, ask in enumerate(self.specs):
            if (ask.priority, ask.memory_mb, ask.vcores) == (priority, *held.size) and not (ask.hosts or ask.racks):
                self.specs[index] = ask.model_copy(update={"count": ask.count + held.count})
                return index
        self._add(held.size, held.count, self._lasts, priority)
        return len(self.specs) - 1


def _has_work(row: ApplicationRow, seen: Surroundings) -> bool:  # Else its master ends
    holds_more = any(not each.is_am for each in seen.holdings.get(row.id, ()))
    return holds_more or bool(row.listed_asks) or row.id in seen.reserved or row.state != "RUNNING"


def _span(lasts: int | None) -> tuple[int, int] | None:
    return None if lasts is None else (lasts, lasts)


def assumed_of(rows: Sequence[ApplicationRow], seen: Surroundings) -> Iterator[Assumption]:
    unknown = [
        row.id
        for row in rows
        if any(
            each.remaining_ms is UNKNOWN and not (each.is_am and _has_work(row, seen))
            for each in seen.holdings.get(row.id, ())
        )
    ]
    silent = tuple(each for each in unknown if each not in seen.estimates)
    if silent:
        given = seen.assumptions.remaining_ms
        yield Assumption(
            what="remaining", sentence=f"containers whose end is not known run {span_words(given)}", applications=silent
        )
    if seen.estimates:
        yield Assumption(what="durations", sentence=CONCLUDED, applications=tuple(seen.estimates))
    silent = tuple(row.id for row in rows if row.state == "RUNNING" and isinstance(row.asks, Unknown))
    if silent:
        yield Assumption(what="asks", sentence=NOTHING_MORE, applications=silent)
    waiting = tuple(row.id for row in rows if row.state != "RUNNING")
    if waiting:
        yield Assumption(what="asks", sentence=NOT_BEGUN, applications=waiting)
