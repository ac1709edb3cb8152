"""Keeps, from records, what a ResourceManager remembers of applications and the model of its cluster does not.

Source: RMAppAttemptImpl, RMAppMetrics, QueueMetrics, Hadoop 2.7.2 and 3.4.1.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.model.cluster import FINISHED_REMEMBERED
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, ContainerId, Killed
from engine.simulation.records import Record, Submitted

_ENDS: Final = {"FINISHED": "AppsCompleted", "FAILED": "AppsFailed", "KILLED": "AppsKilled"}


class PastAttempt:
    """An attempt of an application, as it began and ended."""

    def __init__(self, number: int, started_ms: int) -> None:
        self.number = number
        self.started_ms = started_ms
        self.finished_ms = 0
        """0 while it lives."""
        self.state = "SCHEDULED"
        """RMAppAttemptState, as far as it can be seen."""
        self.first: ContainerId | None = None
        """The first container it was given: its master's, unless that is unmanaged."""
        self.node = ""
        """`host:port` of it."""
        self.launched_ms = 0


class PreemptedContainer(NamedTuple):
    """A container that was taken back."""

    id: ContainerId
    memory_mb: int
    vcores: int
    held_ms: int


class PastApplication:
    """An application: its attempts, and what was taken back from it."""

    def __init__(self, user: str) -> None:
        self.user = user
        self.queue = ""
        self.attempts: list[PastAttempt] = []
        self.preempted: list[PreemptedContainer] = []


class HeldContainer(NamedTuple):
    """A container that has not ended: its size, and since when."""

    memory_mb: int
    vcores: int
    since_ms: int


class ApplicationPast:
    """A listener that remembers applications, and counts events by queue and user."""

    def __init__(self) -> None:
        self.applications: dict[int, PastApplication] = {}
        """By number; of those that ended the latest only."""
        self.counts: Counter[tuple[str, str, str]] = Counter()
        """(what, queue, user) → how often, under the names of QueueMetrics."""
        self._held: dict[ContainerId, HeldContainer] = {}
        self._ended: list[int] = []

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take the records of one instant."""
        for record in records:
            if isinstance(record, Allocated):
                self._allocated(record, time_ms)
            elif isinstance(record, Killed | Completed):
                self._container_ended(record, time_ms)
            elif isinstance(record, ApplicationTransitioned):
                self._moved_on(record, time_ms)
            elif isinstance(record, Submitted) and record.application:
                known = self.applications.setdefault(record.application, PastApplication(record.user))
                known.user = record.user

    def of(self, number: int) -> PastApplication:
        """Return the past of an application; an empty one where it is not remembered."""
        return self.applications.get(number) or PastApplication("")

    def _allocated(self, record: Allocated, time_ms: int) -> None:
        number, attempt, _ = record.container
        self._held[record.container] = HeldContainer(record.memory_mb, record.vcores, time_ms)
        known = self._known(number)
        self._count("AggregateContainersAllocated", known)
        self._count(f"Aggregate{_PLACES[record.locality]}ContainersAllocated", known)
        mine = next((each for each in known.attempts if each.number == attempt), None)
        if mine is not None and mine.first is None:
            mine.first, mine.node, mine.launched_ms, mine.state = record.container, record.node, time_ms, "LAUNCHED"

    def _container_ended(self, record: Killed | Completed, time_ms: int) -> None:
        held = self._held.pop(record.container, None)
        if held is None:
            return
        known = self._known(record.container[0])
        self._count("AggregateContainersReleased", known)
        if isinstance(record, Killed) and record.cause == "PREEMPTED":
            held_ms = time_ms - held.since_ms
            known.preempted.append(PreemptedContainer(record.container, held.memory_mb, held.vcores, held_ms))
            self._count("AggregateContainersPreempted", known)
            self._count("AggregateMemoryMBPreempted", known, by=held.memory_mb)
            self._count("AggregateVcoresPreempted", known, by=held.vcores)
            self._count("AggregateMemoryMBSecondsPreempted", known, by=held.memory_mb * held_ms // 1000)
            self._count("AggregateVcoreSecondsPreempted", known, by=held.vcores * held_ms // 1000)

    def _moved_on(self, record: ApplicationTransitioned, time_ms: int) -> None:
        known = self._known(record.application)
        known.queue = record.queue or known.queue
        living = known.attempts[-1] if known.attempts and not known.attempts[-1].finished_ms else None
        if record.state == "RUNNING" and living is not None:
            living.state = "RUNNING"
        elif record.state == "ACCEPTED" and record.detail != "recovered":
            self._end(living, "FAILED", time_ms)
            known.attempts.append(PastAttempt(len(known.attempts) + 1, time_ms))
            self._count("AppsSubmitted", known, only_if=living is None)
        elif record.state in _ENDS:
            self._end(living, record.state, time_ms)
            self._count(_ENDS[record.state], known, only_if=bool(known.attempts))
            self._ended.append(record.application)
            if len(self._ended) > FINISHED_REMEMBERED:
                self.applications.pop(self._ended.pop(0), None)

    def _end(self, attempt: PastAttempt | None, state: str, time_ms: int) -> None:
        if attempt is not None:
            attempt.state, attempt.finished_ms = state, time_ms

    def _known(self, number: int) -> PastApplication:
        return self.applications.setdefault(number, PastApplication(""))

    def _count(self, what: str, known: PastApplication, *, by: int = 1, only_if: bool = True) -> None:
        if only_if:
            self.counts[what, known.queue, known.user] += by


_PLACES: Final = {"NODE_LOCAL": "NodeLocal", "RACK_LOCAL": "RackLocal", "OFF_SWITCH": "OffSwitch"}
