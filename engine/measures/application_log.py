"""Follows applications: when each was submitted, was given its first containers, and ended."""

from collections.abc import Iterable

from engine.control_plane.cluster_view import ApplicationSummary
from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.measures.run_measures import ApplicationTimes
from engine.measures.share_meter import ShareMeter
from engine.model.decision import Allocated, ApplicationTransitioned, owner_of
from engine.model.mr1.attempt import CHORE
from engine.simulation.records import AskChanged, Submitted


class ApplicationLog:
    """The applications of a run, by number; a Spark driver has a negative one, as `owner_of` says."""

    kind: str = ""
    """That of the view of the control plane."""

    def __init__(self, users: ShareMeter, queues: ShareMeter) -> None:
        """Begin with none; users and queues are told who is active."""
        self.all: dict[int, ApplicationTimes] = {}
        self.refused = 0
        self.waiting_most = 0
        self._users, self._queues = users, queues
        self._waiting: set[int] = set()
        """Live ones that wait, for any container or for the first that they ask for."""
        self._asked: dict[int, set[int]] = {}
        """Application → priorities at which its master has asked for containers."""
        self._seats: dict[int, str] = {}
        """Live one → the queue it is in; none before the control plane named one."""

    def adopt(self, known: Iterable[ApplicationSummary], holding: Iterable[int], now_ms: int) -> None:
        """The run begins with these; applications that hold containers have no wait."""
        for each in known:
            if each.number not in self.all:
                times = ApplicationTimes(each.number, each.name, each.user, each.queue, each.submitted_ms)
                self._enter(times, now_ms)
                self._sit(times, each.queue, now_ms)
        for number in holding:
            if number in self.all:
                self.all[number].ran_at_start = True
                self._waiting.discard(number)
        self.waiting_most = len(self._waiting)

    def submitted(self, record: Submitted, time_ms: int) -> None:
        """A client handed one in."""
        if record.rejected:
            self.refused += 1
        elif record.application not in self.all:
            times = ApplicationTimes(record.application, record.name, record.user, record.queue, time_ms)
            self._enter(times, time_ms)

    def asked(self, record: AskChanged, time_ms: int) -> None:
        """Its master asks for containers, or for fewer."""
        times = self.all.get(record.application)
        if times is None or record.count <= 0:
            return
        self._asked.setdefault(record.application, set()).add(record.priority)
        if not times.asks:
            times.asks = True
            if times.served_ms is None and times.ended_ms is None and not times.ran_at_start:
                self._wait(times.number)

    def given(self, record: Allocated, time_ms: int) -> None:
        """It was given a container."""
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
        """Tell a container asked for from a master's, which nobody asks for by record, and from a setup task's."""
        if self.kind == YarnClusterView.kind:
            return record.priority in self._asked.get(record.container[0], ())
        return self.kind != JobTrackerView.kind or record.priority != CHORE

    def transitioned(self, record: ApplicationTransitioned, time_ms: int) -> str:
        """Its state or queue changed; the queue it left, or nothing.

        A client's name of a queue gives way to the queue's own.
        """
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
