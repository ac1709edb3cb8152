"""A search for remedies that shares its jobs with an executor."""

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from typing import Any

import pytest

from engine.explain.remedy_search import ALONE_S, Remedies, RemedySearch, shared
from engine.incremental import finish
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, at, scene


class Failing(Executor):
    """Does so many jobs at once, then has lost its workers."""

    def __init__(self, jobs: int) -> None:
        self.left = jobs

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if not self.left:
            raise BrokenExecutor
        self.left -= 1
        future = Future[Any]()
        future.set_result(fn(*args, **kwargs))
        return future


@cache
def stuck() -> Simulation:
    return at(scene(HALVES), 60)


@cache
def alone() -> Remedies:
    return RemedySearch(stuck(), (1,)).answer()


def found(make: Callable[[], Executor], workers: int, *clock_s: float) -> Remedies:
    """What is found with one; the clock stands at its last reading."""
    search, readings = RemedySearch(stuck(), (1,)), list(clock_s)
    finish(shared(search, make, workers, lambda: readings.pop(0) if len(readings) > 1 else readings[0]))
    return search.answer()


def none() -> Executor:
    raise AssertionError


def test_no_executor_is_made_without_workers_or_before_the_time() -> None:
    assert found(none, 0, 0.0, ALONE_S) == alone()
    assert found(none, 1, 0.0, ALONE_S - 0.001) == alone()
    with pytest.raises(AssertionError):
        found(none, 1, 0.0, ALONE_S)


def test_a_lost_worker_leaves_its_jobs_to_this_process() -> None:
    early, late = Failing(0), Failing(3)

    assert found(lambda: early, 1, 0.0, ALONE_S) == alone()
    assert found(lambda: late, 1, 0.0, ALONE_S) == alone()
    assert late.left == 0


@pytest.mark.long
def test_other_processes_find_the_same() -> None:
    """From the first job on, as the clock says that a second is over."""
    assert found(lambda: ProcessPoolExecutor(2, get_context("spawn")), 2, 0.0, ALONE_S) == alone()
