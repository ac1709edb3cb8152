"""A search for remedies in several processes."""

import pytest

from engine.explain.remedy_search import RemedySearch
from engine.explain.remedy_workers import search_on_all_cores
from tests.engine.explain.stuck import HALVES, at, scene


def test_alone_all_is_done_here() -> None:
    """With one worker no process is started, and the clock is not asked."""
    search = RemedySearch(at(scene(HALVES), 60), (1,))

    assert search_on_all_cores(search, lambda: True, 1, lambda: 0.0)
    assert search.tried == search.of > 0


def test_it_ends_when_it_is_to() -> None:
    """What is known by then stays."""
    search, turns = RemedySearch(at(scene(HALVES), 60), (1,)), iter([True] * 40)

    assert not search_on_all_cores(search, lambda: next(turns, False), 1, lambda: 0.0)
    assert 0 <= search.tried < search.of


@pytest.mark.slow
def test_other_processes_find_the_same() -> None:
    """From the first moment on, as the clock says that a second is over."""
    simulation, ticks = at(scene(HALVES), 60), iter(range(0, 10_000, 5))
    here, there = RemedySearch(simulation, (1,)), RemedySearch(simulation, (1,))

    assert search_on_all_cores(there, lambda: True, 2, lambda: next(ticks))
    assert there.found() == here.answer()
