"""Applications of a snapshot as a scenario takes them over."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from engine.live.twin.assumptions import UNSEEN_MS, Assumptions, names_of, span_words
from engine.live.twin.durations import Estimate
from engine.live.twin.holdings import LEAST_AM, HeldByApplication, HeldContainers, UnseenAsk
from engine.observe.snapshot import UNKNOWN, ApplicationRow, AskRow, ReservationRow, Unknown
from engine.scenario import (
    AskSpec,
    Assumption,
    RecoveredContainers,
    RecoveredReservation,
    RecoveredSpec,
    ScriptedSpec,
    Size,
)

NOBODY: Final = "unknown"
"""User of an application of which that is not known."""

CONCLUDED: Final = (
    "how long containers run is concluded from the progress of their application and what it used, "
    "else from what ended applications of its name, or its type and queue, used"
)
NOTHING_MORE: Final = "applications whose asks are not known ask for nothing but what is reserved"
NOT_BEGUN: Final = "an application that has not begun asks for what others like it hold, and for as long as others took"

OFFERED_BY: Final = 1
"""Priority of asks that are not known."""


class Surroundings(NamedTuple):
    """The cluster's facts that applications are built with."""

    now_ms: int
    hosts: frozenset[str]
    """The hosts of the cluster's nodes."""
    short_queues: bool
    """Whether queues are called by the last part of their path."""
    holdings: HeldByApplication
    """Application → what it holds."""
    reserved: Mapping[str, Sequence[ReservationRow]]
    """Application → its reservations."""
    priorities: Mapping[str, int]
    """Reserved node → priority of the ask, where it is known."""
    unseen: Mapping[str, UnseenAsk]
    """Application that has not begun → what it will ask for."""
    estimates: Mapping[str, Estimate]
    """Application that runs → how long its containers run, where that can be concluded."""
    doubled: frozenset[int]
    """Numbers that two applications have, of two lives of a ResourceManager."""
    assumptions: Assumptions
    master_start_ms: int | None
    """From a master's container to its registration; None where too few were watched."""

    def still_starts_ms(self, since_ms: int | None) -> int | None:
        """From now on until a master that has its container since then [epoch ms] registers; None is as others.

        One of which nobody knows since when is taken to be half way.
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


class _Asks:
    """The asks of one application: what it waits for, and what its containers answered."""

    def __init__(self, row: ApplicationRow, seen: Surroundings) -> None:
        self._row, self._seen = row, seen
        ran_ms, names, estimate = seen.now_ms - row.submitted_ms, names_of(row), seen.estimates.get(row.id)
        concluded = (None, None) if estimate is None else estimate
        self._lasts, self._remaining = (seen.assumptions.remaining(names, ran_ms, each) for each in concluded)
        self._has_work = has_work(row, seen)
        waits = () if isinstance(row.asks, Unknown) or row.state != "RUNNING" else row.asks
        self.specs: list[AskSpec] = [spec for ask in waits for spec in self._waiting(ask)]
        if isinstance(row.asks, Unknown) and row.state == "RUNNING":
            self._add_reserved(seen.reserved.get(row.id, ()))

    def _add_reserved(self, reserved: Sequence[ReservationRow]) -> None:
        """One container of each size for which nodes are reserved, where nobody says what is asked for."""
        for size in dict.fromkeys(each.size for each in reserved if isinstance(each.size, tuple)):
            self.specs.append(
                AskSpec(priority=OFFERED_BY, memory_mb=size[0], vcores=size[1], duration_ms=_span(self._lasts))
            )

    def containers(self, held: HeldContainers) -> RecoveredContainers:
        """Containers with the ask that they answered."""
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
        """Add what an application will ask for when it has begun."""
        ask = self._seen.unseen[self._row.id]
        lasts = self._seen.assumptions.remaining(names_of(self._row), UNSEEN_MS, ask.duration_ms or UNSEEN_MS)
        self.specs.append(
            AskSpec(
                priority=OFFERED_BY,
                memory_mb=ask.size[0],
                vcores=ask.size[1],
                count=ask.number,
                duration_ms=_span(lasts),
            )
        )

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
        priority = self._priority(held)
        for index, ask in enumerate(self.specs):
            if (ask.priority, ask.memory_mb, ask.vcores) == (priority, *held.size) and not (ask.hosts or ask.racks):
                self.specs[index] = ask.model_copy(update={"count": ask.count + held.count})
                return index
        self.specs.append(
            AskSpec(
                priority=priority,
                memory_mb=held.size[0],
                vcores=held.size[1],
                count=held.count,
                duration_ms=_span(self._lasts),
            )
        )
        return len(self.specs) - 1

    def _priority(self, held: HeldContainers) -> int:
        """Return the priority that the source says, else that of an ask of the same size."""
        if held.priority is not None:
            return held.priority
        return next((ask.priority for ask in self.specs if (ask.memory_mb, ask.vcores) == held.size), OFFERED_BY)


def has_work(row: ApplicationRow, seen: Surroundings) -> bool:
    """Tell whether an application has more than its master, or will: its master ends with that."""
    holds_more = any(not each.is_am for each in seen.holdings.get(row.id, ()))
    return holds_more or bool(row.listed_asks) or row.id in seen.reserved or row.state != "RUNNING"


def _span(lasts: int | None) -> tuple[int, int] | None:
    return None if lasts is None else (lasts, lasts)


def assumed_of(rows: Sequence[ApplicationRow], seen: Surroundings) -> Iterator[Assumption]:
    """Return what had to be assumed of applications."""
    unknown = [
        row.id
        for row in rows
        if any(
            each.remaining_ms is UNKNOWN and not (each.is_am and has_work(row, seen))
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
