"""Incremental work: it is done in small pieces, and its caller decides how many at a time."""

import gc
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Sequence
from typing import Any, Final, Generic, TypeVar

Result = TypeVar("Result")
Thing = TypeVar("Thing")
Job = TypeVar("Job")

Incremental = Generator[None, None, Result]  # Work that pauses after each piece and ends with a result


UNBOUNDED: Final = 1 << 62  # As many pieces of work as it takes


def run_to_end(work: Generator[object, None, Result]) -> Result:
    """Do all that is left of some work at once; its result."""
    while True:
        try:
            next(work)
        except StopIteration as done:
            result: Result = done.value
            return result


def without_gc(work: Incremental[Result]) -> Incremental[Result]:
    """The same work with the garbage collector off while a piece is done: what it makes lives on."""
    while True:
        was_collecting = gc.isenabled()
        gc.disable()
        try:
            next(work)
        except StopIteration as done:
            result: Result = done.value
            return result
        finally:
            if was_collecting:
                gc.enable()
        yield


def least(low: int, high: int, is_enough: Callable[[int], Incremental[bool]]) -> Incremental[int]:
    """The least number that is enough, by halving, between one that is not and one that is."""
    while high - low > 1:
        middle = (low + high) // 2
        if (yield from is_enough(middle)):
            high = middle
        else:
            low = middle
    return high


def one_minimal(
    things: Sequence[Thing], is_enough: Callable[[Sequence[Thing]], Incremental[bool]]
) -> Incremental[list[Thing]]:
    """A part of some things that are enough, of which none can go: not the smallest. Those go first that come last."""
    needed, kept = deque(reversed(things)), 0
    while len(needed) > 1 and kept < len(needed):  # what another one made necessary may not be so without it
        each = needed.popleft()
        if (yield from is_enough([one for one in things if one in needed])):
            kept = 0
        else:
            needed.append(each)
            kept += 1
    return [one for one in things if one in needed]


class Task(Generic[Result]):
    """Incremental work under way; how many pieces are done at a time makes no difference to its result."""

    def __init__(self, work: Incremental[Result]) -> None:
        self._work = work
        self._found: tuple[Result] | None = None

    @property
    def done(self) -> bool:
        return self._found is not None

    def advance(self, pieces: int = 1) -> bool:
        """Do some pieces; whether the result is there."""
        while pieces > 0 and self._found is None:
            try:
                next(self._work)
            except StopIteration as done:
                self._found = (done.value,)
            pieces -= 1
        return self._found is not None

    def close(self) -> None:
        """Leave the rest of the work undone."""
        self._work.close()

    def result(self) -> Result:
        """The result; the rest of the work is done first."""
        if self._found is None:
            self._found = (run_to_end(self._work),)
        return self._found[0]


class SharedSearch(ABC, Generic[Job]):
    """A search made of jobs of which none needs another one of its turn."""

    def __init__(self) -> None:
        self.between_jobs = False  # True after a job, until the next one is begun or has to be found
        self._working = Task(self._work())

    def advance(self, pieces: int = 1) -> bool:
        """Do some pieces of the work; whether all of it is done."""
        return self._working.advance(pieces)

    def _work(self) -> Incremental[None]:
        yield from self.begin()
        while jobs := (yield from self.more()):
            yield from self.do(jobs[0])
            yield

    def do(self, job: Job) -> Incremental[None]:
        self.between_jobs = False
        self.take(job, (yield from self.work_on(job)))
        self.between_jobs = True

    @abstractmethod
    def begin(self) -> Incremental[None]:
        """Do what comes before the first job."""

    @abstractmethod
    def more(self) -> Incremental[list[Job]]:
        """The jobs that can be done now, in the order of promise, once the last ones are; none when all is known."""

    @abstractmethod
    def work_on(self, job: Job) -> Incremental[Any]:
        """Do a job, for `take`."""

    @abstractmethod
    def order(self, job: Job) -> tuple[Any, ...]:
        """What another process calls to do a job, and with what."""

    @abstractmethod
    def take(self, job: Job, found: Any) -> None:
        """Take what came of a job."""


# A bound on the time that is spent on an answer.
#
# Counted is what its own process computes, as on a busy machine it would else look at less; by the clock it is at most
# `MOST` times as long. How much is found within it depends on the machine; what is found never does.

ANSWER_S: Final = 5.0  # How much there is when nothing else is said
MOST: Final = 2  # How often the time for an answer may pass by the clock


class Budget:
    def __init__(self, seconds: float, is_stopped: Callable[[], bool] = lambda: False) -> None:
        """Begin to count so many seconds, 0 of which never end; nothing is left once it is stopped."""
        clocks = ((time.process_time, seconds), (time.monotonic, MOST * seconds))
        self._ends = [(clock, clock() + most) for clock, most in clocks if seconds]
        self._is_stopped = is_stopped

    def goes_on(self) -> bool:
        return not self._is_stopped() and all(clock() < end for clock, end in self._ends)

    def spend(self, advance: Callable[[], bool]) -> bool:
        """Do pieces of some work until it says that it is done, or nothing is left; whether it is done."""
        while not advance():
            if not self.goes_on():
                return False
        return True
