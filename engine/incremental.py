"""Incremental work: it is done in small pieces, and its caller decides how many at a time."""

import gc
from collections.abc import Generator
from typing import Generic, TypeVar

Result = TypeVar("Result")

Incremental = Generator[None, None, Result]  # Work that pauses after each piece and ends with a result


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


class Task(Generic[Result]):
    """Incremental work under way; how many pieces are done at a time makes no difference to its result."""

    def __init__(self, work: Incremental[Result]) -> None:
        self._work = work
        self._found: tuple[Result] | None = None

    @property
    def done(self) -> bool:
        """Tell whether the result is there."""
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
