"""Reduces of a MapReduce job: when they are asked for, how long they run, and when one gives way to a map."""

import pytest

from engine.workload.mapreduce import MAP, MAP_AGAIN, REDUCE, STARVED_MS
from engine.workload.master import HELD
from tests.engine.workload.test_mapreduce import job


def test_reduces_wait_for_slow_start() -> None:
    """Half of the maps have to be done, then at most half of the reduces are asked for while maps wait."""
    counter = job(reduces=6, slow_start=0.5)
    counter.call()
    first, second, *_ = counter.give(MAP, count=3)
    counter.end(first)
    counter.call()
    before = (REDUCE, "*") in counter.counts

    counter.end(second)
    counter.call()

    assert (before, counter.counts[REDUCE, "*"]) == (False, 3)


def test_all_reduces_are_asked_for_once_every_map_has_a_container() -> None:
    counter = job(reduces=6, slow_start=0.5)
    counter.call()
    containers = counter.give(MAP, count=4)
    counter.end(containers[0])
    counter.end(containers[1])
    counter.call()

    assert counter.counts[REDUCE, "*"] == 6


def test_a_reduce_shuffles_until_the_last_map_has_ended() -> None:
    counter = job(maps=2, reduces=1, slow_start=0.0)
    counter.call()
    maps = counter.give(MAP, count=2)
    reduce = counter.give(REDUCE)[0]
    assert counter.runs[reduce] == HELD

    for container in maps:
        counter.end(container)
    call = counter.call()

    assert [(end.container, end.at_ms - counter.now_ms) for end in call.ends] == [(reduce, 20_000)]


def test_a_map_that_starves_behind_the_jobs_own_reduces_gets_one_of_their_places() -> None:
    counter = job(maps=2, reduces=2, slow_start=0.0)
    counter.call()
    first, _ = counter.give(MAP, count=2)
    reduces = counter.give(REDUCE, count=2)
    counter.end(first, "LOST")
    counter.call()
    assert counter.master.wake_ms > counter.now_ms

    call = counter.call(after_ms=STARVED_MS)

    assert call.releases == (reduces[1],)
    assert counter.wanted() == {(MAP_AGAIN, "*"): 1}

    counter.give(MAP_AGAIN)
    counter.call()
    assert counter.wanted() == {(REDUCE, "*"): 1}


@pytest.mark.parametrize(("completed", "due"), [(0, 0), (1, 0), (2, 2), (3, 3), (5, 5), (6, 5), (8, 5)])
def test_reduces_ramp_up_with_the_maps_that_are_done(completed: int, due: int) -> None:
    counter = job(maps=10, reduces=10, slow_start=0.2)
    counter.call()
    for container in counter.give(MAP, count=completed):
        counter.end(container)
    counter.call()

    assert counter.wanted().get((REDUCE, "*"), 0) == due
