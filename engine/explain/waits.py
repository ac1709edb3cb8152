"""Finds who holds what an application needs, and cycles of such waits.

An application waits for whoever has reserved a node it could use, whose containers fill one, or who uses up a limit of
its queue. Only what is really held counts: somebody who merely waits as well is nobody's holder.
"""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from engine.explain.obstacle_rows import ObstacleRow
from engine.explain.obstacles import AttemptObstacles
from engine.incremental import Incremental
from engine.model.decision import ContainerId
from engine.model.ledger import Attempt, Container
from engine.model.queue import is_under
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.scheduler_view import subject_of
from engine.schedulers.yarn_scheduler import YarnScheduler

FULL = (Reason.DOES_NOT_FIT, Reason.RESERVATION_LIMIT, Reason.QUEUE_WOULD_EXCEED_MAXIMUM)
"""Reasons on a node that go away when containers on it end."""

AM_LIMITS = (Reason.AM_SHARE_EXHAUSTED, Reason.USER_AM_SHARE_EXHAUSTED)
"""Limits on application masters."""

OF_USERS = (Reason.USER_OVER_LIMIT, Reason.USER_AM_SHARE_EXHAUSTED)
"""Limits on what one user has in a queue."""

LIMITS = (Reason.QUEUE_OVER_MAXIMUM, Reason.QUEUE_NOT_RUNNING_IT, *AM_LIMITS, *OF_USERS)
"""Reasons that go away when others in the queue, or of the user, release something or end."""

PIECE: Final = 5_000
"""Containers looked at in one piece, about."""

STEPS: Final = 2_000
"""Steps along the graph in one piece."""


class Hold(NamedTuple):
    """The resources one application holds that another one needs."""

    application: int
    because: Reason
    """The first reason that led to it."""
    containers: tuple[ContainerId, ...]
    memory_mb: int
    vcores: int
    reservations: tuple[str, ...]
    """Ids of nodes reserved for it."""
    nodes: tuple[str, ...]
    """Ids of the nodes its containers are on."""


class Waiter(NamedTuple):
    """One application that waits, and the obstacles at the place asked about."""

    application: int
    name: str
    queue: str
    since_ms: int | None
    pending: int
    """Containers it still asks for."""
    obstacles: tuple[ObstacleRow, ...]
    """Without settings: which of them decide is looked for only where one application is asked about."""


class Wait(NamedTuple):
    """One step of a chain: `application` waits for what `holder` holds."""

    application: int
    holder: int
    because: Reason
    node: str
    """One node it is about; empty when it is about a queue."""


class Holders:
    """Collects holds, by application, in the order they are met."""

    def __init__(self) -> None:
        self._because: dict[int, Reason] = {}
        self._containers: dict[int, dict[ContainerId, Container]] = {}
        self._reserved: dict[int, dict[str, None]] = {}

    def reserves(self, held: Container, because: Reason) -> None:
        """A node is reserved by somebody."""
        self._because.setdefault(held.id[0], because)
        self._reserved.setdefault(held.id[0], {})[held.node.id] = None

    def holds(self, containers: Iterable[Container], because: Reason) -> None:
        """Containers are in the way."""
        for container in containers:
            self._because.setdefault(container.id[0], because)
            self._containers.setdefault(container.id[0], {})[container.id] = container

    def found(self) -> list[Hold]:
        """Every holder, those in the way on most nodes, then those with most memory, first."""
        return sorted((self._hold(number) for number in self._because), key=weight)

    def _hold(self, number: int) -> Hold:
        held = self._containers.get(number, {}).values()
        memory_mb, vcores = sum([one.memory_mb for one in held]), sum([one.vcores for one in held])
        nodes = tuple(dict.fromkeys([one.node.id for one in held]))
        reservations = tuple(self._reserved.get(number, ()))
        ids = tuple([one.id for one in held])
        return Hold(number, self._because[number], ids, memory_mb, vcores, reservations, nodes)


def holders(scheduler: YarnScheduler, attempt: Attempt, found: AttemptObstacles) -> Incremental[list[Hold]]:
    """Return who holds what an attempt needs, those in the way on most nodes, then those with most memory, first."""
    collected, looked_at = Holders(), 0
    for limit in limits_in(found):
        for other in _in_the_limit(scheduler, attempt, limit):
            collected.holds(_charged(other, limit.reason), limit.reason)
    for node, obstacle in found.on_nodes:
        held = node.reserved
        if obstacle.reason is Reason.NODE_RESERVED and held is not None:
            if held.attempt is not attempt:  # else it is reserved for another ask of its own
                collected.reserves(held, obstacle.reason)
        elif obstacle.reason in FULL:
            # Containers of an application that has ended go with the node's next heartbeat.
            live = scheduler.cluster.applications
            collected.holds([one for one in node.containers.values() if one.id[0] in live], obstacle.reason)
            looked_at += len(node.containers)
            if looked_at >= PIECE:
                looked_at = 0
                yield
    return collected.found()


def limits_in(found: AttemptObstacles) -> list[Obstacle]:
    """The limits among some obstacles, each once: that of the queue first, then those that nodes are refused for."""
    known: dict[tuple[Reason, str], Obstacle] = {}
    for obstacle in (found.in_queue, *(each for _, each in found.on_nodes)):
        if obstacle is not None and obstacle.reason in LIMITS:
            known.setdefault((obstacle.reason, obstacle.subject), obstacle)
    return list(known.values())


def weight(hold: Hold) -> tuple[int, int, int]:
    """Sorts those in the way on most nodes, then those with most memory, first."""
    return (-len(hold.reservations) - len(hold.nodes), -hold.memory_mb, hold.application)


def _in_the_limit(scheduler: YarnScheduler, attempt: Attempt, obstacle: Obstacle) -> list[Attempt]:
    """The attempts whose use of a queue, or of a user's limit, is in the way."""
    subject, is_user = subject_of(obstacle, attempt)
    attempts = [other.attempt for other in scheduler.cluster.applications.values() if other.attempt is not None]
    if is_user:
        return [other for other in attempts if other.user == subject and other.live]
    if obstacle.reason in OF_USERS:
        path = attempt.queue.path
        return [other for other in attempts if other.user == subject and other.queue.path == path and other.live]
    return [other for other in attempts if other.live and is_under(other.queue.path, subject)]


def _charged(other: Attempt, reason: Reason) -> Iterable[Container]:
    """Return the containers that count against a limit: of one on application masters only those."""
    if reason not in AM_LIMITS:
        return other.live.values()
    return [other.live[other.master]] if other.master in other.live else []


class Waits:
    """The graph of who waits for whom at one instant, looked at only as far as it is followed."""

    def __init__(self, ask: Callable[[int], Incremental[list[Hold]]]) -> None:
        """Begin; `ask` tells who holds what an application of a number waits for, nobody when it waits for nothing."""
        self._ask = ask
        self._holds: dict[int, list[Hold]] = {}

    def of(self, number: int) -> Incremental[list[Hold]]:
        """Return who holds what an application waits for; nobody when it waits for nothing."""
        if number not in self._holds:
            self._holds[number] = yield from self._ask(number)
        return self._holds[number]

    def keeps(self, number: int) -> None:
        """From now on an application counts as waiting for nothing: it keeps what it has whatever it is given."""
        self._holds[number] = []

    def cycle_from(self, number: int) -> Incremental[list[Wait]]:
        """The steps of a cycle that an application is part of or leads to; empty when there is none."""
        path: list[Wait] = []
        places = {number: 0}
        done: set[int] = set()
        branches = [iter((yield from self.of(number)))]
        steps = 0
        while branches:
            steps += 1
            if steps % STEPS == 0:
                yield
            hold = next(branches[-1], None)
            here = path[-1].holder if path else number
            if hold is None:
                branches.pop()
                done.add(here)
                if path:
                    path.pop()
                continue
            if hold.application == here or hold.application in done:
                continue
            step = Wait(here, hold.application, hold.because, next(iter(hold.reservations or hold.nodes), ""))
            if hold.application in places:
                return [*path[places[hold.application] :], step]
            path.append(step)
            places[hold.application] = len(path)
            branches.append(iter((yield from self.of(hold.application))))
        return []

    def ends_of(self, number: int, is_end: Callable[[int], bool]) -> Incremental[list[int]]:
        """Holders reached from an application for which `is_end` says yes, nearest first."""
        seen, queue, ends = {number: None}, [number], []
        for here in queue:
            yield
            for hold in (yield from self.of(here)):
                if hold.application in seen:
                    continue
                seen[hold.application] = None
                queue.append(hold.application)
                if is_end(hold.application):
                    ends.append(hold.application)
        return ends
