"""Tries mutants, each in a fork of a process that has collected all tests: what it costs is the tests alone."""

import os
import resource
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from types import FunctionType

import pytest

from tests.gates.mutants.changes import Mutant
from tests.gates.mutants.patching import Place, exchange
from tests.gates.mutants.reach import LONGEST_S, Reach, passes

MEMORY_BYTES = 4 << 30


class Outcome(Enum):
    """What came of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    UNTESTED = "no test runs it"
    IMPOSSIBLE = "cannot be put into a running process"
    EQUAL = "changes no behaviour"


class Trials:
    """Tries mutants against the tests that run their lines."""

    def __init__(
        self,
        root: Path,
        items: Sequence[pytest.Item],
        reach: Reach,
        seconds: float,
        in_use: dict[Place, list[FunctionType]],
    ) -> None:
        """`seconds` bounds how long the chosen tests of one mutant take by the recording."""
        self._root = root
        self._items = {item.nodeid: item for item in items}
        self._reach = reach
        self._seconds = seconds
        self._in_use = in_use

    def outcomes(self, mutants: Iterable[Mutant], jobs: int) -> Iterator[tuple[Mutant, Outcome]]:
        """Whether a test notices each mutant, some at a time; a test that hangs or dies does."""
        running: dict[int, Mutant] = {}
        for mutant in mutants:
            begun = self._begin(mutant)
            if isinstance(begun, Outcome):
                yield mutant, begun
                continue
            running[begun] = mutant
            if len(running) >= jobs:
                yield _ended(running)
        while running:
            yield _ended(running)

    def _begin(self, mutant: Mutant) -> Outcome | int:
        """The process that tries a mutant, or what is known without one."""
        chosen = self._tests(mutant)
        if not chosen:
            return Outcome.UNTESTED
        put = exchange(mutant, self._root, self._in_use)
        if put is None:
            return Outcome.IMPOSSIBLE
        return forked(lambda: self._notices(put, chosen))

    def _tests(self, mutant: Mutant) -> list[str]:
        """The tests to run, within the bound: first those of the module's own folder, for they tell most."""
        folder = f"tests/{Path(mutant.path).parent.as_posix()}/"
        chosen, left = [], self._seconds
        for test in self._reach.tests(mutant, folder):
            left -= self._reach.seconds[test]
            if test in self._items and left > 0:
                chosen.append(test)
        return chosen

    def _notices(self, put: Callable[[], None], tests: Sequence[str]) -> int:
        put()
        for test in tests:
            signal.setitimer(signal.ITIMER_PROF, 20 + 20 * self._reach.seconds[test])
            signal.alarm(LONGEST_S)
            if not passes(self._items[test]):
                return 1
        return 0


def _ended(running: dict[int, Mutant]) -> tuple[Mutant, Outcome]:
    child, status = os.wait()
    return running.pop(child), Outcome.KILLED if status else Outcome.SURVIVED


def forked(work: Callable[[], int]) -> int:
    """Do something in a silent fork of this process, whose exit status it returns: the fork's id."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    status = 1
    try:
        status = work()
    finally:
        os._exit(status)
