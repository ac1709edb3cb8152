"""Follows containers: who holds how much, and the work that is lost."""

from collections.abc import Mapping

from engine.measures.run_measures import ApplicationTimes
from engine.measures.share_meter import ShareMeter
from engine.model.decision import Allocated, Completed, ContainerId, Killed, owner_of
from engine.observe.lost_work import LOSING, Held


class Work:
    """The containers of a run; counts begin with `begin`."""

    def __init__(self, applications: Mapping[int, ApplicationTimes], users: ShareMeter, queues: ShareMeter) -> None:
        """Begin with none; users and queues are told what they hold."""
        self.held: dict[ContainerId, Held] = {}
        self._applications = applications
        self._users, self._queues = users, queues
        self._of: dict[int, list[int]] = {}
        """Application → amounts it holds."""
        self.begin()

    def begin(self) -> None:
        """The run begins; what is held stays."""
        self.containers = self.preempted = self.preempted_ms = self.lost = self.lost_ms = 0

    def allocated(self, record: Allocated, time_ms: int) -> None:
        """A container was allocated."""
        self.containers += 1
        self.take(record.container, Held(time_ms, record.memory_mb, record.vcores), time_ms)

    def take(self, container: ContainerId, held: Held, now_ms: int) -> None:
        """A container is held, which may be known already."""
        if container not in self.held:
            self.held[container] = held
            self._count(container, held, 1, now_ms)

    def ended(self, record: Completed | Killed, time_ms: int) -> None:
        """A container ended."""
        held = self.held.pop(record.container, None)
        if held is None:
            return
        self._count(record.container, held, -1, time_ms)
        if isinstance(record, Killed) and record.cause in LOSING:
            ran_ms = time_ms - held.since_ms
            self.lost += 1
            self.lost_ms += ran_ms
            if record.cause == "PREEMPTED":
                self.preempted += 1
                self.preempted_ms += ran_ms

    def move(self, number: int, left: str, now_ms: int) -> None:
        """An application left a queue; what it holds goes with it."""
        held = self._of.get(number)
        if held:
            self._queues.hold(left, held, -1, now_ms)
            self._queues.hold(self._applications[number].queue, held, 1, now_ms)

    def _count(self, container: ContainerId, held: Held, sign: int, now_ms: int) -> None:
        number = owner_of(container)
        application = self._applications.get(number)
        if application is None:
            return
        amounts = (held.memory_mb, held.vcores)
        mine = self._of.get(number)
        if mine is None:
            mine = self._of[number] = [0, 0]
        mine[0] += sign * amounts[0]
        mine[1] += sign * amounts[1]
        self._users.hold(application.user, amounts, sign, now_ms)
        self._queues.hold(application.queue, amounts, sign, now_ms)
