"""Measures a run while it is played; costs a few per cent of it at most."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from engine.control_plane.cluster_view import ClusterView
from engine.control_plane.protocol import ControlPlane, ResourceManagerStarted
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.measures.application_log import ApplicationLog
from engine.measures.run_measures import ApplicationTimes, Quantiles, RunMeasures, quantiles
from engine.measures.share_meter import ShareMeter, Work
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
from engine.observe.history import SERIES
from engine.observe.lost_work import held_now
from engine.simulation.records import AskChanged, Record, Submitted
from engine.simulation.simulation import Simulation


class Reservations:
    """The reservations of a run; nodes reserved before `begin` count from there."""

    def __init__(self) -> None:
        self._since_ms: dict[ContainerId, int] = {}
        self._of: dict[int, int] = {}
        """Application → nodes reserved for it."""
        self._vain_ms = 0
        self.most = 0
        """Most at once."""
        self.most_by_one = 0
        """Most at once for one application."""

    def begin(self, now_ms: int) -> None:
        """The run begins [epoch ms]; what stands began here."""
        self._vain_ms = 0
        self._since_ms = dict.fromkeys(self._since_ms, now_ms)
        self.most, self.most_by_one = len(self._since_ms), max(self._of.values(), default=0)

    def reserved(self, record: Reserved, time_ms: int) -> None:
        """A node was reserved, or is so already."""
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

    def dropped(self, record: Unreserved, time_ms: int) -> None:
        """A reservation ended without a container."""
        since_ms = self._since_ms.get(record.container)
        if since_ms is not None:
            self._vain_ms += time_ms - since_ms
            self._end(record.container)

    def used(self, record: Allocated) -> None:
        """A container was allocated, perhaps a reserved one."""
        if record.container in self._since_ms:
            self._end(record.container)

    def dropped_all(self, time_ms: int) -> None:
        """The control plane started again: it knows of none."""
        self._vain_ms += sum(time_ms - since_ms for since_ms in self._since_ms.values())
        self._since_ms, self._of = {}, {}

    def in_vain_ms(self, until_ms: int) -> int:
        """Node-milliseconds in vain up to an instant [epoch ms]; what stands then has been so far."""
        return self._vain_ms + sum(until_ms - since_ms for since_ms in self._since_ms.values())

    def _end(self, container: ContainerId) -> None:
        del self._since_ms[container]
        self._of[container[0]] -= 1


STARVED_MS: Final = 600_000
"""From this wait on an application is starved [ms]."""

SHORT_RUN_MS: Final = 10_000
"""Runs count at least so long for a slowdown [ms]."""

DIMENSIONS: Final = 2
"""The number of dimensions, the same on every control plane."""


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
            ApplicationTransitioned: self._transitioned,
        }

    @property
    def applications(self) -> Iterable[ApplicationTimes]:
        """Return the outcome of each application, in order of submission."""
        return self._log.all.values()

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

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Let time pass up to an instant, and note what its records change."""
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
        ended = [each.ended_ms for each in applications if each.ended_ms is not None]
        finished = [each for each in applications if each.state == "FINISHED"]
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
            master_waits=self._master_waits(until_ms),
        )

    def _master_waits(self, until_ms: int) -> Quantiles:
        if self._log.kind != YarnClusterView.kind:
            return Quantiles()
        waits = (each.master_wait_ms(until_ms) for each in self.applications)
        return quantiles(wait for wait in waits if wait is not None)

    def _pass_time(self, time_ms: int) -> None:
        """All stayed as it was since the last look."""
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
        """See how the cluster stands now that all of an instant has happened."""
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
        """A stretch without an allocation ends here, and another one may begin."""
        if self._is_waited:
            self._standstill_ms = max(self._standstill_ms, time_ms - self._still_since_ms)
        self._still_since_ms = time_ms


def _slowdown(application: ApplicationTimes) -> float | None:
    if application.start_ms is None or application.ended_ms is None or application.ran_at_start:
        return None
    run_ms = application.ended_ms - application.start_ms
    return max(1.0, (application.ended_ms - application.submitted_ms) / max(run_ms, SHORT_RUN_MS))


def _grouped(waits: Iterable[tuple[str, int]]) -> dict[str, Quantiles]:
    """Quantiles by name, in order of name."""
    groups: dict[str, list[int]] = {}
    for name, wait in waits:
        groups.setdefault(name, []).append(wait)
    return {name: quantiles(groups[name]) for name in sorted(groups)}
