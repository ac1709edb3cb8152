"""Rules of policies with one queue and containers sized by memory.

Source: FifoScheduler, Hadoop 2.7.2 and 3.4.1.

Source: FairScheduler#allocate, FifoScheduler#allocate, AppSchedulingInfo, Hadoop 2.7.2 and 3.4.1.
"""

from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.model.cluster import Cluster
from engine.model.ledger import Application, Attempt, Container
from engine.model.queue import Queue
from engine.model.request import ResourceRequest
from engine.model.resource import Resource
from engine.schedulers.calculator import MaximumAllocation, normalise_memory, validate
from engine.state import State


def check_asks(asks: Iterable[ResourceRequest], maximum: Resource) -> None:
    """Refuse asks above a maximum; raises `RefusedError`."""
    for ask in asks:
        validate(Resource(ask.memory_mb, ask.vcores), maximum)


def resize(asks: Iterable[ResourceRequest], size_of: Callable[[Resource], Resource]) -> None:
    """Give asks their normalised sizes, in place; each size is normalised once."""
    sizes: dict[tuple[int, int], Resource] = {}
    for ask in asks:
        asked = (ask.memory_mb, ask.vcores)
        size = sizes.get(asked)
        if size is None:
            size = sizes[asked] = size_of(Resource(*asked))
        ask.memory_mb, ask.vcores = size.memory_mb, size.vcores


def change_blacklist(cluster: Cluster, attempt: Attempt, add: Sequence[str], remove: Sequence[str]) -> bool:
    """Change the blacklist that holds for the attempt now; whether adding or removing changed it."""
    if not add and not remove:
        return False
    before = set(attempt.blacklist)
    attempt.blacklist.update(add)
    changed = attempt.blacklist != before
    before = set(attempt.blacklist)
    attempt.blacklist.difference_update(remove)
    cluster.version += 1
    return changed or attempt.blacklist != before


DEFAULT_QUEUE = "default"


class MemoryAsks(metaclass=State):
    """Sizes asks by memory alone, with the minimum as step; implements `AskRules`."""

    minimum: Resource
    maximum: MaximumAllocation

    def __init__(self, minimum: Resource, maximum: MaximumAllocation) -> None:
        self.minimum = minimum
        self.maximum = maximum

    def check(self, asks: Iterable[ResourceRequest], now_ms: int, queue: str) -> None:
        """Refuse asks above the maximum."""
        check_asks(asks, self.maximum.ask(now_ms))

    def size(self, attempt: Attempt, asks: Sequence[ResourceRequest], now_ms: int) -> None:
        """Normalise them."""
        maximum = self.maximum.ask(now_ms)
        resize(asks, lambda asked: normalise_memory(asked, self.minimum, maximum, self.minimum))

    def called(self, attempt: Attempt, asks: Sequence[ResourceRequest], *, blacklist_changed: bool) -> None:
        """Nothing follows."""


class OneQueue(metaclass=State):
    """Lets every application into the one queue; implements `ApplicationRules`."""

    asks: MemoryAsks
    forgets_priorities: bool
    """As of `Attempt`; in 3.x."""
    queue: Queue[Any]
    attempts: list[Attempt] = []
    """Attempts that live, in order of their applications' numbers."""
    new: dict[int, None] = {}
    """Numbers of applications whose attempt began since the policy last emptied it."""

    def __init__(self, asks: MemoryAsks, *, forgets_priorities: bool) -> None:
        self.asks = asks
        self.forgets_priorities = forgets_priorities
        self.queue = Queue(DEFAULT_QUEUE, None)

    def admit(self, application: Application, now_ms: int) -> None:
        """Check and normalise the AM's ask."""
        if application.am is not None:
            validate(application.am, self.asks.maximum.ask(now_ms))
            minimum, maximum = self.asks.minimum, self.asks.maximum.ask(now_ms)
            application.am = normalise_memory(application.am, minimum, maximum, minimum)

    def place(self, application: Application, requested: str) -> None:
        """Everything lands in the one queue."""
        application.queue = DEFAULT_QUEUE

    def begin(self, application: Application, number: int, now_ms: int, kept: Sequence[Container]) -> Attempt:
        """Begin an attempt."""
        attempt = Attempt(application, number, self.queue, now_ms, forgets_priorities=self.forgets_priorities)
        attempt.take_over(kept)
        application.attempt = attempt
        insort(self.attempts, attempt, key=lambda each: each.application.number)
        self.new[application.number] = None
        return attempt

    def withdraw(self, attempt: Attempt) -> None:
        """An attempt has ended."""
        self.attempts.remove(attempt)
        self.new.pop(attempt.application.number, None)

    def forget(self, application: Application) -> None:
        """It keeps nothing of an application without attempt."""
