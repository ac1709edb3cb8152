"""The measures of a run worked out anew from all that was recorded of it, by their definitions alone."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.measures import ApplicationTimes
from engine.measures.meters import WHOLE
from engine.model.decision import (
    Allocated,
    ApplicationTransitioned,
    Completed,
    ContainerId,
    Killed,
    Reserved,
    Unreserved,
    owner_of,
)
from engine.observe.snapshots import held_now, loses_work
from engine.simulation.records import AskChanged, Record, Submitted
from engine.simulation.simulation import Simulation

Size = tuple[int, int]


class Instant(NamedTuple):
    """What was recorded at an instant, and how the cluster stands after it."""

    time_ms: int
    records: Sequence[Record]
    used: Sequence[int]
    total: Sequence[int]
    somebody_waits: bool


class WholeRun:
    """A listener that keeps everything of a run from `follow` on."""

    def __init__(self) -> None:
        self.instants: list[Instant] = []

    def follow(self, simulation: Simulation) -> None:
        self.plane = simulation.control_plane
        self.known = self.plane.view().applications()
        self.held = held_now(simulation)
        self.reserved = [each.id for each in self.plane.view().reservations()]
        self.instants.append(self._instant(simulation.now_ms, []))

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        if self.instants:
            self.instants.append(self._instant(time_ms, records))

    def _instant(self, time_ms: int, records: Sequence[Record]) -> Instant:
        view = self.plane.view()
        figures = view.figures()
        return Instant(time_ms, records, figures.used, figures.total, view.somebody_waits())

    def all(self) -> Iterator[tuple[int, Record]]:
        return ((instant.time_ms, record) for instant in self.instants for record in instant.records)

    def stretches(self, until_ms: int) -> Iterator[tuple[int, Instant]]:
        ends = [*(each.time_ms for each in self.instants[1:]), until_ms]
        return ((end - each.time_ms, each) for each, end in zip(self.instants, ends, strict=True))

    def applications(self) -> list[ApplicationTimes]:
        holding = {owner_of(each) for each in self.held}
        found = {
            each.number: ApplicationTimes(
                each.number, each.name, each.user, each.queue, each.submitted_ms, ran_at_start=each.number in holding
            )
            for each in self.known
        }
        asked: set[tuple[int, int]] = set()
        for time_ms, record in self.all():
            if isinstance(record, Submitted) and not record.rejected:
                times = ApplicationTimes(record.application, record.name, record.user, record.queue, time_ms)
                found.setdefault(record.application, times)
            elif isinstance(record, Allocated) and owner_of(record.container) in found:
                times = found[owner_of(record.container)]
                times.first_ms = time_ms if times.first_ms is None else times.first_ms
                is_task = (times.number, record.priority) in asked or self.plane.view().kind != "yarn"
                times.served_ms = time_ms if is_task and times.served_ms is None else times.served_ms
            elif isinstance(record, AskChanged) and record.count and record.application in found:
                asked.add((record.application, record.priority))
                found[record.application].asks = True
            elif isinstance(record, ApplicationTransitioned) and record.application in found:
                times = found[record.application]
                times.state = record.state
                if record.is_end:
                    times.ended_ms = time_ms
                else:
                    times.queue = record.queue or times.queue
        return list(found.values())

    def losses(self) -> dict[str, list[int]]:
        since = {container: each.since_ms for container, each in self.held.items()}
        lost: dict[str, list[int]] = defaultdict(list)
        for time_ms, record in self.all():
            if isinstance(record, Allocated):
                since[record.container] = time_ms
            elif isinstance(record, Completed | Killed) and record.container in since:
                begun_ms = since.pop(record.container)
                if loses_work(record):
                    lost[getattr(record, "cause", "RESTART")].append(time_ms - begun_ms)
        return lost

    def reservations(self, until_ms: int) -> tuple[int, int, int]:
        standing = dict.fromkeys(self.reserved, self.instants[0].time_ms)
        vain_ms, most, most_by_one = 0, len(standing), max(Counter(each[0] for each in standing).values(), default=0)
        for time_ms, record in self.all():
            if isinstance(record, Reserved):
                standing.setdefault(record.container, time_ms)
            elif isinstance(record, Unreserved) and record.container in standing:
                vain_ms += time_ms - standing.pop(record.container)
            elif isinstance(record, Allocated):
                standing.pop(record.container, None)
            most = max(most, len(standing))
            most_by_one = max([most_by_one, *Counter(each[0] for each in standing).values()])
        return most, most_by_one, vain_ms + sum(until_ms - since_ms for since_ms in standing.values())

    def standstill_ms(self, until_ms: int) -> int:
        longest_ms = so_far_ms = 0
        for length_ms, instant in self.stretches(until_ms):
            if any(isinstance(each, Allocated) for each in instant.records) or not instant.somebody_waits:
                so_far_ms = 0
            so_far_ms += length_ms if instant.somebody_waits else 0
            longest_ms = max(longest_ms, so_far_ms)
        return longest_ms

    def evenness(self, until_ms: int, *, by_user: bool) -> tuple[float, int, dict[str, float]]:
        names = _Names(self, by_user=by_user)
        jain_ms, contended_ms, share_ms = 0.0, 0, Counter[str]()
        for length_ms, instant in self.stretches(until_ms):
            names.follow(instant)
            shares = {name: _dominant(held, instant.total) for name, held in names.held().items()}
            rivals = [shares.get(name, 0) for name in names.active()]
            if instant.somebody_waits and len(rivals) > 1 and any(rivals):
                jain_ms += length_ms * sum(rivals) ** 2 / (len(rivals) * sum(each * each for each in rivals))
                contended_ms += length_ms
            share_ms.update({name: length_ms * share for name, share in shares.items()})
        length_ms = until_ms - self.instants[0].time_ms
        return jain_ms, contended_ms, {name: each / (WHOLE * length_ms) for name, each in sorted(share_ms.items())}


class _Names:
    """Who is active and who holds what, at one instant after the other."""

    def __init__(self, run: WholeRun, *, by_user: bool) -> None:
        self._name = {each.number: each.user if by_user else each.queue for each in run.known}
        self._by_user = by_user
        self._containers: dict[ContainerId, Size] = {
            each: (held.memory_mb, held.vcores) for each, held in run.held.items()
        }
        self._live = {each.number for each in run.known}

    def follow(self, instant: Instant) -> None:
        for record in instant.records:
            match record:
                case Submitted() if not record.rejected:
                    self._name[record.application] = record.user if self._by_user else record.queue
                    self._live |= {record.application} if self._by_user else set()
                case ApplicationTransitioned() if record.is_end:
                    self._live.discard(record.application)
                case ApplicationTransitioned() if record.queue and not self._by_user:
                    self._name[record.application] = record.queue
                    self._live.add(record.application)
                case Allocated():
                    self._containers[record.container] = (record.memory_mb, record.vcores)
                case Completed() | Killed():
                    self._containers.pop(record.container, None)
                case _:
                    pass

    def active(self) -> set[str]:
        return {self._name[number] for number in self._live}

    def held(self) -> dict[str, Size]:
        found = dict.fromkeys(self._name.values(), (0, 0))
        for container, size in self._containers.items():
            name = self._name.get(owner_of(container))
            if name is not None:
                found[name] = (found[name][0] + size[0], found[name][1] + size[1])
        return found


def _dominant(held: Size, total: Sequence[int]) -> int:
    return max([0, *(mine * WHOLE // whole for mine, whole in zip(held, total, strict=True) if whole)])
