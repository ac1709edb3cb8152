"""Measures a run while it is played; costs a few per cent of it at most."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from engine.control_plane.cluster_view import ApplicationSummary, ClusterView
from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.protocol import ControlPlane, ResourceManagerStarted
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.grouping import grouped
from engine.measures.run_measures import ApplicationTimes, Evenness, Quantiles, RunMeasures, quantiles
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
from engine.model.lifecycle import ENDED_WELL
from engine.model.mr1.tracker import CHORE
from engine.observe.history import SERIES
from engine.observe.snapshots import RunningContainer, held_now, loses_work
from engine.simulation.records import AskChanged, EventRefused, Record, Submitted
from engine.simulation.simulation import Simulation

# Follows containers: what each user, or queue, holds and how evenly that is, and the work that is lost.

WHOLE: Final = 1_000_000  # A share of 1; shares are whole millionths, so that sums are exact


class _Holder:
    __slots__ = ("active", "held", "share", "share_ms", "since_ms")

    def __init__(self, dimensions: int, now_ms: int) -> None:
        self.held = [0] * dimensions
        self.active = 0  # live applications
        self.share = 0
        self.share_ms = 0  # share × time until `since_ms`
        self.since_ms = now_ms


class ShareMeter:
    """Users, or queues, by name."""

    def __init__(self, dimensions: int) -> None:
        self._by_name: dict[str, _Holder] = {}
        self._dimensions = dimensions
        self._total: Sequence[int] = (0,) * dimensions
        self._active = 0
        self._sum = self._squares = 0  # sums of the shares of the active ones, and of their squares
        self._jain_ms = 0.0
        self._contended_ms = 0

    def pass_time(self, elapsed_ms: int, *, is_waited: bool) -> None:
        """Nothing changed for some time [ms]; tells whether an application waited meanwhile."""
        if is_waited and self._active > 1 and self._squares:
            self._jain_ms += elapsed_ms * (self._sum * self._sum) / (self._active * self._squares)
            self._contended_ms += elapsed_ms

    def resize(self, total: Sequence[int], now_ms: int) -> None:
        self._total = total
        for each in self._by_name.values():
            self._reckon(each, now_ms)

    def hold(self, name: str, amounts: Sequence[int], sign: int, now_ms: int) -> None:
        """One is given something (`sign` 1), or lets go of it (-1)."""
        holder = self._of(name, now_ms)
        held = holder.held
        for place, amount in enumerate(amounts):
            held[place] += sign * amount
        self._reckon(holder, now_ms)

    def enter(self, name: str, sign: int, now_ms: int) -> None:
        """One has an application more (`sign` 1), or less (-1)."""
        holder = self._of(name, now_ms)
        was_active = holder.active > 0
        holder.active += sign
        is_active = holder.active > 0
        if was_active != is_active:
            change = 1 if is_active else -1
            self._active += change
            self._sum += change * holder.share
            self._squares += change * holder.share * holder.share

    def sharing(self, from_ms: int, until_ms: int) -> Evenness:
        """Return how they shared the cluster between two instants [epoch ms], the second being the present."""
        length_ms = max(1, until_ms - from_ms)
        shares = {}
        for name, each in sorted(self._by_name.items()):
            share_ms = each.share_ms + each.share * (until_ms - each.since_ms)
            shares[name] = share_ms / (WHOLE * length_ms)
        jain = self._jain_ms / self._contended_ms if self._contended_ms else None
        return Evenness(jain, self._contended_ms, shares)

    def _of(self, name: str, now_ms: int) -> _Holder:
        holder = self._by_name.get(name)
        if holder is None:
            holder = self._by_name[name] = _Holder(self._dimensions, now_ms)
        return holder

    def _reckon(self, holder: _Holder, now_ms: int) -> None:
        share = 0
        for held, total in zip(holder.held, self._total, strict=True):
            if total and held * WHOLE > share * total:
                share = held * WHOLE // total
        before = holder.share
        if share == before:
            return
        holder.share_ms += before * (now_ms - holder.since_ms)
        holder.since_ms, holder.share = now_ms, share
        if holder.active > 0:
            self._sum += share - before
            self._squares += share * share - before * before


class Work:
    """The containers of a run; counts begin with `begin`."""

    def __init__(self, applications: Mapping[int, ApplicationTimes], users: ShareMeter, queues: ShareMeter) -> None:
        self.held: dict[ContainerId, RunningContainer] = {}
        self._applications = applications
        self._users, self._queues = users, queues
        self._of: dict[int, list[int]] = {}  # application → amounts it holds
        self.begin()

    def begin(self) -> None:
        self.containers = self.preempted = self.preempted_ms = self.lost = self.lost_ms = 0

    def allocated(self, record: Allocated, time_ms: int) -> None:
        self.containers += 1
        self.take(record.container, RunningContainer(time_ms, record.memory_mb, record.vcores), time_ms)

    def take(self, container: ContainerId, held: RunningContainer, now_ms: int) -> None:
        if container not in self.held:
            self.held[container] = held
            self._count(container, held, 1, now_ms)

    def ended(self, record: Completed | Killed, time_ms: int) -> None:
        held = self.held.pop(record.container, None)
        if held is None:
            return
        self._count(record.container, held, -1, time_ms)
        if loses_work(record):
            ran_ms = time_ms - held.since_ms
            self.lost += 1
            self.lost_ms += ran_ms
            if isinstance(record, Killed) and record.cause == "PREEMPTED":
                self.preempted += 1
                self.preempted_ms += ran_ms

    def move(self, number: int, left: str, now_ms: int) -> None:
        """An application left a queue; what it holds goes with it."""
        held = self._of.get(number)
        if held:
            self._queues.hold(left, held, -1, now_ms)
            self._queues.hold(self._applications[number].queue, held, 1, now_ms)

    def _count(self, container: ContainerId, held: RunningContainer, sign: int, now_ms: int) -> None:
        number = owner_of(container)
        application = self._applications.get(number)
        if application is None:
            return
        amounts = (held.memory_mb, held.vcores)
        mine = self._of.setdefault(number, [0, 0])
        mine[0] += sign * amounts[0]
        mine[1] += sign * amounts[1]
        self._users.hold(application.user, amounts, sign, now_ms)
        self._queues.hold(application.queue, amounts, sign, now_ms)


# Follows applications: when each was submitted, was given its first containers, and ended.


class ApplicationLog:
    """The applications of a run, by number; a Spark driver has a negative one, as `owner_of` says."""

    kind: str = ""  # That of the view of the control plane

    def __init__(self, users: ShareMeter, queues: ShareMeter) -> None:
        self.all: dict[int, ApplicationTimes] = {}
        self.refused = 0
        self.waiting_most = 0
        self._users, self._queues = users, queues
        self._waiting: set[int] = set()  # live ones that wait, for any container or for the first that they ask for
        self._asked: dict[int, set[int]] = {}  # application → priorities at which its master has asked for containers
        self._seats: dict[int, str] = {}  # live one → the queue it is in; none before the control plane named one

    def adopt(self, known: Iterable[ApplicationSummary], holding: Iterable[int], now_ms: int) -> None:
        for each in known:
            times = self.all.get(each.number)
            if times is None:
                times = ApplicationTimes(each.number, each.name, each.user, each.queue, each.submitted_ms)
                self._enter(times, now_ms)
                self._sit(times, each.queue, now_ms)
            times.submitted_ms = each.submitted_ms  # one that was taken over was handed in at the start
        for number in holding:
            if number in self.all:
                self.all[number].ran_at_start = True
                self._waiting.discard(number)
        self.waiting_most = len(self._waiting)

    def submitted(self, record: Submitted, time_ms: int) -> None:
        if record.rejected:
            self.refused += 1
        elif record.application not in self.all:
            times = ApplicationTimes(record.application, record.name, record.user, record.queue, time_ms)
            self._enter(times, time_ms)

    def asked(self, record: AskChanged, time_ms: int) -> None:
        times = self.all.get(record.application)
        if times is None or record.count <= 0:
            return
        self._asked.setdefault(record.application, set()).add(record.priority)
        self._begins_to_ask(times)

    def refused_ask(self, record: EventRefused, time_ms: int) -> None:
        times = self.all.get(record.application)
        if times is not None and record.event == "ApplicationMasterHeartbeat":
            self._begins_to_ask(times)

    def _begins_to_ask(self, times: ApplicationTimes) -> None:
        if not times.asks:
            times.asks = True
            if times.served_ms is None and times.ended_ms is None and not times.ran_at_start:
                self._wait(times.number)

    def given(self, record: Allocated, time_ms: int) -> None:
        number = owner_of(record.container)
        times = self.all.get(number)
        if times is None:
            return
        if times.first_ms is None:
            times.first_ms = time_ms
        if times.served_ms is None and self._is_asked_for(record):
            times.served_ms = time_ms
        if times.served_ms is not None or not times.asks:
            self._waiting.discard(number)

    def _is_asked_for(self, record: Allocated) -> bool:
        """Tell a container asked for from a master's, for which no record asks, and from a setup task's."""
        if self.kind == YarnClusterView.kind:
            return record.priority in self._asked.get(record.container[0], ())
        return self.kind != JobTrackerView.kind or record.priority != CHORE

    def transitioned(self, record: ApplicationTransitioned, time_ms: int) -> str:
        """Its state or queue changed, a client's name of a queue to its own; the queue it left, or nothing."""
        times = self.all.get(record.application)
        if times is None:
            return ""
        times.state = record.state
        if record.is_end:
            self._leave(times, time_ms)
            return ""
        if not record.queue or record.queue == self._seats.get(times.number):
            return ""
        left = self._seats.get(times.number, "")
        if left:
            self._queues.enter(left, -1, time_ms)
        self._sit(times, record.queue, time_ms)
        return left

    def _enter(self, times: ApplicationTimes, now_ms: int) -> None:
        self.all[times.number] = times
        self._wait(times.number)
        self._users.enter(times.user, 1, now_ms)

    def _wait(self, number: int) -> None:
        self._waiting.add(number)
        self.waiting_most = max(self.waiting_most, len(self._waiting))

    def _sit(self, times: ApplicationTimes, queue: str, now_ms: int) -> None:
        self._seats[times.number] = times.queue = queue
        self._queues.enter(queue, 1, now_ms)

    def _leave(self, times: ApplicationTimes, now_ms: int) -> None:
        if times.ended_ms is None:
            times.ended_ms = now_ms
            self._waiting.discard(times.number)
            self._users.enter(times.user, -1, now_ms)
            queue = self._seats.pop(times.number, "")
            if queue:
                self._queues.enter(queue, -1, now_ms)


class Reservations:
    """The reservations of a run; nodes reserved before `begin` count from there."""

    def __init__(self) -> None:
        self._since_ms: dict[ContainerId, int] = {}
        self._of: dict[int, int] = {}  # application → nodes reserved for it
        self._vain_ms = 0
        self.most = 0  # most at once
        self.most_by_one = 0  # most at once for one application
        self.most_of: dict[int, int] = {}  # application → most at once for it

    def begin(self, now_ms: int) -> None:
        """The run begins [epoch ms]; what stands began here."""
        self._vain_ms = 0
        self._since_ms = dict.fromkeys(self._since_ms, now_ms)
        self.most, self.most_by_one = len(self._since_ms), max(self._of.values(), default=0)

    def reserved(self, record: Reserved, time_ms: int) -> None:
        self.stands(record.container, time_ms)

    def stands(self, container: ContainerId, time_ms: int) -> None:
        """A reservation stands, which may be known already."""
        if container in self._since_ms:
            return
        self._since_ms[container] = time_ms
        number = container[0]
        held = self._of[number] = self._of.get(number, 0) + 1
        self.most = max(self.most, len(self._since_ms))
        self.most_by_one = max(self.most_by_one, held)
        self.most_of[number] = max(self.most_of.get(number, 0), held)

    def dropped(self, record: Unreserved, time_ms: int) -> None:
        since_ms = self._since_ms.get(record.container)
        if since_ms is not None:
            self._vain_ms += time_ms - since_ms
            self._end(record.container)

    def used(self, record: Allocated) -> None:
        if record.container in self._since_ms:
            self._end(record.container)

    def dropped_all(self, time_ms: int) -> None:
        self._vain_ms += sum(time_ms - since_ms for since_ms in self._since_ms.values())
        self._since_ms, self._of = {}, {}

    def in_vain_ms(self, until_ms: int) -> int:
        """Node-milliseconds in vain up to an instant [epoch ms]; what stands then has been so far."""
        return self._vain_ms + sum(until_ms - since_ms for since_ms in self._since_ms.values())

    def _end(self, container: ContainerId) -> None:
        del self._since_ms[container]
        self._of[container[0]] -= 1


STARVED_MS: Final = 600_000  # From this wait on an application is starved [ms]
SHORT_RUN_MS: Final = 10_000  # Runs count at least so long for a slowdown [ms]
DIMENSIONS: Final = 2  # The number of dimensions, the same on every control plane


class Meter:
    """A listener that measures a run from `follow` on; what it heard before is how the run opened."""

    def __init__(self) -> None:
        self._users, self._queues = ShareMeter(DIMENSIONS), ShareMeter(DIMENSIONS)
        self._log = ApplicationLog(self._users, self._queues)
        self._work = Work(self._log.all, self._users, self._queues)
        self._reservations = Reservations()
        self._plane: ControlPlane | None = None
        self._names: tuple[str, ...] = ()
        self._from_ms = self._now_ms = self._still_since_ms = 0
        self._standstill_ms = 0
        self._is_waited = False
        self._total: tuple[int, ...] = (0,) * DIMENSIONS
        self._used: tuple[int, ...] = self._total
        self._capacity_ms, self._held_ms = [0] * DIMENSIONS, [0] * DIMENSIONS
        self._handlers: Mapping[type, Callable[[Any, int], None]] = {
            Allocated: self._allocated,
            Completed: self._work.ended,
            Killed: self._work.ended,
            Reserved: self._reservations.reserved,
            Unreserved: self._reservations.dropped,
            ResourceManagerStarted: lambda _, time_ms: self._reservations.dropped_all(time_ms),
            Submitted: self._log.submitted,
            AskChanged: self._log.asked,
            EventRefused: self._log.refused_ask,
            ApplicationTransitioned: self._transitioned,
        }

    @property
    def applications(self) -> Iterable[ApplicationTimes]:
        return self._log.all.values()

    @property
    def reserved_most_of(self) -> Mapping[int, int]:
        return self._reservations.most_of

    def follow(self, simulation: Simulation) -> None:
        """Measure from here on: before time passes, with all the simulation opened with."""
        self._plane, view = simulation.control_plane, simulation.control_plane.view()
        now_ms = self._from_ms = self._now_ms = self._still_since_ms = simulation.now_ms
        names = SERIES[view.kind][0]
        self._log.kind = view.kind
        self._names = tuple(name.removeprefix("total_") for name in names if name.startswith("total_"))
        held = held_now(simulation)
        self._log.adopt(view.applications(), map(owner_of, held), now_ms)
        for container, each in held.items():
            self._work.take(container, each, now_ms)
        self._work.begin()
        for reserved in view.reservations():
            self._reservations.stands(reserved.id, now_ms)
        self._reservations.begin(now_ms)
        self._look(view)

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        plane = self._plane
        if plane is not None:
            self._pass_time(time_ms)
        handlers = self._handlers
        for record in records:
            handler = handlers.get(type(record))
            if handler is not None:
                handler(record, time_ms)
        if plane is not None:
            self._look(plane.view())  # a control plane that starts again has another cluster

    def _allocated(self, record: Allocated, time_ms: int) -> None:
        self._log.given(record, time_ms)
        self._reservations.used(record)
        self._work.allocated(record, time_ms)
        self._moved_on(time_ms)

    def _transitioned(self, record: ApplicationTransitioned, time_ms: int) -> None:
        left = self._log.transitioned(record, time_ms)
        if left:
            self._work.move(record.application, left, time_ms)

    def measures(self, until_ms: int) -> RunMeasures:
        """The run from `follow` up to an instant [epoch ms], which is not before the last record."""
        self._pass_time(until_ms)
        if self._is_waited:
            self._moved_on(until_ms)
        log, work, held_for = self._log, self._work, self._reservations
        applications = log.all.values()
        waits = [(each, wait) for each in applications if (wait := each.wait_ms(until_ms)) is not None]
        has_masters = log.kind == YarnClusterView.kind
        masters = (each.master_wait_ms(until_ms) for each in applications if has_masters)
        ended = [each.ended_ms for each in applications if each.ended_ms is not None]
        finished = [each for each in applications if each.state in ENDED_WELL]
        first_ms = min((each.submitted_ms for each in applications), default=until_ms)
        last_ms = max(ended, default=first_ms) if len(ended) == len(applications) else until_ms
        return RunMeasures(
            until_ms=until_ms - self._from_ms,
            applications=len(applications),
            refused=log.refused,
            finished=len(finished),
            failed=len(ended) - len(finished),
            unfinished=len(applications) - len(ended),
            makespan_ms=last_ms - first_ms,
            waits=quantiles(wait for _, wait in waits),
            waits_of_queues=_grouped((each.queue, wait) for each, wait in waits),
            waits_of_users=_grouped((each.user, wait) for each, wait in waits),
            never_started=sum(each.start_ms is None for each, _ in waits),
            still_waiting=sum(each.start_ms is None and each.ended_ms is None for each, _ in waits),
            starved=sum(wait >= STARVED_MS for _, wait in waits),
            waiting_most=log.waiting_most,
            slowdown=quantiles(filter(None, map(_slowdown, finished))),
            used_share={
                name: held / whole if whole else 0.0
                for name, held, whole in zip(self._names, self._held_ms, self._capacity_ms, strict=True)
            },
            held_s={name: held // 1000 for name, held in zip(self._names, self._held_ms, strict=True)},
            users=self._users.sharing(self._from_ms, until_ms),
            queues=self._queues.sharing(self._from_ms, until_ms),
            containers=work.containers,
            preempted=work.preempted,
            preempted_s=work.preempted_ms // 1000,
            lost=work.lost,
            lost_s=work.lost_ms // 1000,
            reserved_most=held_for.most,
            reserved_most_by_one=held_for.most_by_one,
            reserved_in_vain_s=held_for.in_vain_ms(until_ms) // 1000,
            standstill_ms=self._standstill_ms,
            master_waits=quantiles(wait for wait in masters if wait is not None),
        )

    def _pass_time(self, time_ms: int) -> None:
        elapsed_ms = time_ms - self._now_ms
        if elapsed_ms <= 0:
            return
        self._now_ms = time_ms
        for place, (held, whole) in enumerate(zip(self._used, self._total, strict=True)):
            self._held_ms[place] += held * elapsed_ms
            self._capacity_ms[place] += whole * elapsed_ms
        self._users.pass_time(elapsed_ms, is_waited=self._is_waited)
        self._queues.pass_time(elapsed_ms, is_waited=self._is_waited)

    def _look(self, view: ClusterView) -> None:
        figures = view.figures()
        self._used = figures.used
        if figures.total != self._total:
            self._total = figures.total
            self._users.resize(figures.total, self._now_ms)
            self._queues.resize(figures.total, self._now_ms)
        is_waited = view.somebody_waits()
        if is_waited != self._is_waited:
            self._moved_on(self._now_ms)
            self._is_waited = is_waited

    def _moved_on(self, time_ms: int) -> None:
        if self._is_waited:
            self._standstill_ms = max(self._standstill_ms, time_ms - self._still_since_ms)
        self._still_since_ms = time_ms


def _slowdown(application: ApplicationTimes) -> float | None:
    if application.start_ms is None or application.ended_ms is None or application.ran_at_start:
        return None
    run_ms = application.ended_ms - application.start_ms
    return max(1.0, (application.ended_ms - application.submitted_ms) / max(run_ms, SHORT_RUN_MS))


def _grouped(waits: Iterable[tuple[str, int]]) -> dict[str, Quantiles]:
    return {name: quantiles(some) for name, some in sorted(grouped(waits).items())}
