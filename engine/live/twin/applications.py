"""Applications of a snapshot as a scenario takes them over."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine.live.twin.assumptions import AS_LONG_AGAIN, UNSEEN_MS, Assumption, Assumptions, span_words
from engine.live.twin.holdings import HeldContainers
from engine.observe.snapshot import Amounts, ApplicationRow, AskRow, ReservationRow, Unknown
from engine.scenario import AskSpec, RecoveredContainers, RecoveredReservation, RecoveredSpec, ScriptedSpec, Size

LEAST_AM: Final = (1024, 1)
"""A master's container where nothing is known of it."""

OFFERED_BY: Final = 1
"""Priority of asks that are not known."""


class Surroundings(NamedTuple):
    """What applications are seen before."""

    now_ms: int
    hosts: frozenset[str]
    """Of the cluster's nodes."""
    short_queues: bool
    """Whether queues are called by the last part of their path."""
    holdings: Mapping[str, Sequence[HeldContainers]]
    """Application → what it holds."""
    reserved: Mapping[str, Sequence[ReservationRow]]
    """Application → its reservations."""
    priorities: Mapping[str, int]
    """Reserved node → priority of the ask, where it is known."""
    unseen: Mapping[str, tuple[Amounts, int]]
    """Application that has not begun → size and number of containers it will ask for."""
    assumptions: Assumptions


def recovered_of(row: ApplicationRow, seen: Surroundings) -> RecoveredSpec:
    """An application that lives, with what it holds and asks for."""
    held = seen.holdings.get(row.id, ())
    reserved = seen.reserved.get(row.id, ())
    is_registered = row.state == "RUNNING"
    asks = _Asks(row, seen)
    containers = [asks.containers(each) for each in _master_first(held)]
    if not is_registered:
        asks.add_unseen()
    application = ScriptedSpec(
        type="scripted",
        name=row.name,
        user=row.user,
        queue=row.queue.rpartition(".")[2] if seen.short_queues else row.queue,
        at_ms=row.submitted_ms - seen.now_ms,
        number=row.number,
        am=_master_size(row, held, is_registered=is_registered),
        application_type=row.type,
        asks=tuple(asks.specs),
    )
    return RecoveredSpec(
        application=application,
        attempt=max((each.attempt for each in held), default=1),
        registered=is_registered,
        waiting_since_ms=None if row.waiting_since_ms is None else row.waiting_since_ms - seen.now_ms,
        containers=tuple(containers),
        reserved=tuple(_reservation(each, row, seen) for each in reserved),
    )


def _master_first(held: Sequence[HeldContainers]) -> list[HeldContainers]:
    return sorted(held, key=lambda each: not each.is_am)


def _master_size(row: ApplicationRow, held: Sequence[HeldContainers], *, is_registered: bool) -> Size | None:
    """Of the master's container; None where it runs outside the cluster."""
    master = next((each.size for each in held if each.is_am), None)
    if master is None:
        if is_registered or row.asks == ():
            return None
        master = LEAST_AM if isinstance(row.asks, Unknown) else row.asks[0].size
    return Size(memory_mb=master[0], vcores=master[1])


def _reservation(row: ReservationRow, application: ApplicationRow, seen: Surroundings) -> RecoveredReservation:
    asks = () if isinstance(application.asks, Unknown) else application.asks
    alike = next((ask.priority for ask in asks if ask.size == row.size), asks[0].priority if asks else 0)
    priority = seen.priorities.get(row.node, alike)
    since_ms = 0 if isinstance(row.since_ms, Unknown) else row.since_ms - seen.now_ms
    size = row.size if isinstance(row.size, tuple) else asks[0].size if asks else LEAST_AM
    return RecoveredReservation(node=row.node, memory_mb=size[0], vcores=size[1], priority=priority, since_ms=since_ms)


class _Asks:
    """The asks of one application: what it waits for, and what its containers answered."""

    def __init__(self, row: ApplicationRow, seen: Surroundings) -> None:
        self._row, self._seen = row, seen
        ran_ms = seen.now_ms - row.submitted_ms
        self._remaining = seen.assumptions.remaining((row.id, str(row.number), row.name), ran_ms)
        waits = () if isinstance(row.asks, Unknown) or row.state != "RUNNING" else row.asks
        self.specs: list[AskSpec] = [spec for ask in waits for spec in self._waiting(ask)]

    def containers(self, held: HeldContainers) -> RecoveredContainers:
        """Containers with the ask that they answered."""
        known = held.remaining_ms
        lasts = self._remaining if known is None else known
        if held.is_am and self._seen.assumptions.known_ms:
            lasts = known or 0  # a master of a simulation ends with its work
        return RecoveredContainers(
            node=held.node,
            memory_mb=held.size[0],
            vcores=held.size[1],
            count=held.count,
            priority=0 if held.is_am else held.priority or OFFERED_BY,
            ask=None if held.is_am else self._answered(held),
            since_ms=0 if held.since_ms is None else held.since_ms - self._seen.now_ms,
            remaining_ms=_span(lasts),
        )

    def add_unseen(self) -> None:
        """What it will ask for when it has begun."""
        size, count = self._seen.unseen.get(self._row.id, (LEAST_AM, 1))
        self.specs.append(
            AskSpec(
                priority=OFFERED_BY,
                memory_mb=size[0],
                vcores=size[1],
                count=count,
                duration_ms=_span(
                    self._seen.assumptions.remaining((self._row.id, str(self._row.number), self._row.name), UNSEEN_MS)
                ),
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
                duration_ms=_span(self._remaining),
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
                duration_ms=_span(self._remaining),
            )
        )
        return len(self.specs) - 1

    def _priority(self, held: HeldContainers) -> int:
        """As the source says, else that of an ask of the same size."""
        if held.priority is not None:
            return held.priority
        return next((ask.priority for ask in self.specs if (ask.memory_mb, ask.vcores) == held.size), OFFERED_BY)


def _span(lasts: int | None) -> tuple[int, int] | None:
    return None if lasts is None else (lasts, lasts)


def assumed_of(rows: Sequence[ApplicationRow], seen: Surroundings) -> Iterator[Assumption]:
    """What had to be assumed of applications."""
    unknown = tuple(
        row.id
        for row in rows
        if any(each.remaining_ms is None and not each.is_am for each in seen.holdings.get(row.id, ()))
    )
    if unknown:
        given = seen.assumptions.remaining_ms
        words = span_words(given) if given != AS_LONG_AGAIN else span_words(AS_LONG_AGAIN)
        yield Assumption("remaining", f"containers whose end is not known run {words}", unknown)
    waiting = tuple(row.id for row in rows if row.state != "RUNNING")
    if waiting:
        yield Assumption(
            "asks", "an application that has not begun asks for what others of its name or queue hold", waiting
        )
