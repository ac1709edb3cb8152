"""By how much applications and leaves of 3.x are starved, at the boundaries of their shares and timeouts."""

from collections.abc import Callable

import pytest

from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf
from engine.schedulers.fair34.node_promises import (
    StarvedApps,
    is_starved,
    min_share_starvation,
    update_fair_share_starvation,
    update_starved,
)
from tests.build import START_MS, ask, submit, update
from tests.engine.schedulers.fair34.build import attempt, cluster, queue

TOTAL = (24_576, 24)


def _scene(applications: int = 1) -> tuple[FairLeaf, list[FairAttempt]]:
    """A leaf at half of its share as threshold, with applications that want 4096 MB and 4 vcores and have nothing."""
    rm = cluster()
    numbers = [submit(rm, "a") for _ in range(applications)]
    for number in numbers:
        ask(rm, number, 4)
    update(rm)
    leaf = queue(rm, "root.a")
    assert isinstance(leaf, FairLeaf)
    leaf.threshold, leaf.fair_share_timeout_ms, leaf.min_share_timeout_ms = 0.5, 5_000, 3_000
    attempts = [attempt(rm, number) for number in numbers]
    for one in attempts:
        one.fair_memory_mb, one.fair_vcores = 6_000, 6
    return leaf, attempts


@pytest.mark.parametrize(
    ("change", "starved"),
    [
        (lambda one: None, (3_000, 3)),
        (lambda one: one.charge(1_024, 1), (1_976, 2)),
        (lambda one: one.charge(2_999, 3), (1, 0)),
        (lambda one: one.charge(3_000, 0), (0, 0)),
        (lambda one: setattr(one, "demand_memory_mb", 100), (100, 3)),
        (lambda one: setattr(one, "demand_vcores", 1), (3_000, 1)),
    ],
)
def test_an_application_is_starved_up_to_the_threshold_or_what_it_wants(
    change: Callable[[FairAttempt], None], starved: tuple[int, int]
) -> None:
    _, (one,) = _scene()
    change(one)
    update_fair_share_starvation(one, TOTAL, START_MS + 5_000)

    assert (one.starved_memory_mb, one.starved_vcores) == starved


def test_an_application_is_starved_from_the_timeout_on() -> None:
    _, (one,) = _scene()
    found = []
    for ms in (4_999, 5_000):
        update_fair_share_starvation(one, TOTAL, START_MS + ms)
        found.append(one.starved_memory_mb)
    one.charge(3_000, 3)
    update_fair_share_starvation(one, TOTAL, START_MS + 6_000)
    one.charge(-3_000, -3)
    for ms in (10_999, 11_000):
        update_fair_share_starvation(one, TOTAL, START_MS + ms)
        found.append(one.starved_memory_mb)

    assert found == [0, 3_000, 0, 3_000]


@pytest.mark.parametrize(
    ("minimum", "demand", "used", "starved"),
    [
        ((2_000, 2), (4_096, 4), (0, 0), (2_000, 2)),
        ((2_000, 2), (1_000, 1), (0, 0), (1_000, 1)),
        ((2_000, 2), (4_096, 4), (500, 1), (1_500, 1)),
        ((2_000, 2), (4_096, 4), (2_000, 1), (0, 1)),
        ((2_000, 2), (4_096, 4), (3_000, 2), (0, 0)),
    ],
)
def test_a_leaf_misses_what_it_wants_of_its_minimum(
    minimum: tuple[int, int], demand: tuple[int, int], used: tuple[int, int], starved: tuple[int, int]
) -> None:
    leaf, _ = _scene()
    leaf.min_memory_mb, leaf.min_vcores = minimum
    leaf.demand_memory_mb, leaf.demand_vcores = demand
    leaf.used_memory_mb, leaf.used_vcores = used
    leaf.last_min_share_ms = START_MS

    assert min_share_starvation(leaf, START_MS + 2_999) == (0, 0)
    if starved != (0, 0):
        assert leaf.last_min_share_ms == START_MS
    assert min_share_starvation(leaf, START_MS + 3_000) == starved


def test_a_missing_minimum_is_handed_out_in_order() -> None:
    """The last one is given what it wants less what is left, as in Hadoop; who comes after it nothing."""
    leaf, attempts = _scene(3)
    leaf.min_memory_mb, leaf.min_vcores = 5_096, 7
    leaf.demand_memory_mb, leaf.demand_vcores = 12_288, 12
    leaf.fair_share_timeout_ms = 10**9
    attempts[2].min_starved_memory_mb = attempts[2].min_starved_vcores = 9
    starved = StarvedApps()
    changed = [update_starved(leaf, starved, TOTAL, START_MS + 3_000) for _ in range(2)]

    assert [(one.min_starved_memory_mb, one.min_starved_vcores) for one in attempts] == [(4_096, 4), (3_096, 1), (0, 0)]
    assert (set(starved.heap.items), changed) == (set(attempts[:2]), [True, False])


def test_what_is_starved_of_fair_share_is_no_missing_minimum() -> None:
    leaf, (one,) = _scene()
    leaf.min_memory_mb, leaf.min_vcores = 3_500, 5
    leaf.demand_memory_mb, leaf.demand_vcores = 4_096, 6
    one.demand_vcores = 6
    update_starved(leaf, StarvedApps(), TOTAL, START_MS + 5_000)

    assert (one.starved_memory_mb, one.starved_vcores) == (3_000, 3)
    assert (one.min_starved_memory_mb, one.min_starved_vcores) == (596, 1)
    assert one.starvation == (3_596, 4)


def test_who_was_helped_lately_is_not_looked_at() -> None:
    leaf, (one,) = _scene()
    one.next_check_ms = START_MS + 6_000
    starved = StarvedApps()
    found = []
    for ms in (5_999, 6_000):
        _ = update_starved(leaf, starved, TOTAL, START_MS + ms)
        found.append(len(starved.heap.items))

    assert found == [0, 1]


def test_the_first_that_is_not_starved_ends_the_look() -> None:
    leaf, (first, second) = _scene(2)
    first.charge(3_000, 3)
    first.demand_memory_mb = 4_096
    order = [standing.member for standing in leaf.order.sort(leaf.policy)]
    starved = StarvedApps()
    _ = update_starved(leaf, starved, TOTAL, START_MS + 5_000)

    assert order == [second, first]
    assert starved.heap.items == [second]


def test_who_is_below_its_share_or_its_queues_minimum_is_starved() -> None:
    _, (one,) = _scene()
    found = [is_starved(one, TOTAL)]
    one.charge(6_000, 0)
    found.append(is_starved(one, TOTAL))
    for name in ("min_starved_memory_mb", "min_starved_vcores"):
        setattr(one, name, 1)
        found.append(is_starved(one, TOTAL))
        setattr(one, name, 0)

    assert found == [True, False, True, True]


def test_smaller_starvation_is_helped_first() -> None:
    _, attempts = _scene(4)
    for one, memory_mb in zip(attempts, (4_000, 2_000, 3_000, 1_000), strict=True):
        one.starved_memory_mb = memory_mb
    starved = StarvedApps()
    for one in (*attempts, attempts[0]):
        starved.add(one)
    taken = [starved.take() for _ in range(5)]

    assert taken == [attempts[3], attempts[1], attempts[2], attempts[0], None]
