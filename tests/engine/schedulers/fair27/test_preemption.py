"""What leaves of 2.7 are missing, at the boundaries of their shares and timeouts."""

import pytest

from engine.schedulers.fair.schedulable import FairLeaf
from engine.schedulers.fair27.preemption import missing_memory_mb
from engine.schedulers.fair27.scheduler import FairScheduler27
from tests.build import START_MS, resource_manager


def _leaf() -> FairLeaf:
    """A leaf with a minimum of 2000 MB, a share of 6000 MB of which half is its threshold, and a demand of 4000 MB."""
    rm = resource_manager(queues='<queue name="a"/>')
    assert isinstance(rm.scheduler.policy, FairScheduler27)
    leaf = rm.scheduler.policy.tree.queues["root.a"]
    assert isinstance(leaf, FairLeaf)
    leaf.min_memory_mb, leaf.fair_memory_mb, leaf.demand_memory_mb, leaf.threshold = 2_000, 6_000, 4_000, 0.5
    leaf.min_share_timeout_ms, leaf.fair_share_timeout_ms = 1_000, 5_000
    leaf.last_min_share_ms = leaf.last_fair_share_ms = START_MS
    return leaf


@pytest.mark.parametrize(
    ("used_mb", "starves"), [(1_999, (True, True)), (2_000, (False, True)), (3_000, (False, False))]
)
def test_a_leaf_starves_below_its_minimum_and_its_threshold(used_mb: int, starves: tuple[bool, bool]) -> None:
    leaf = _leaf()
    leaf.used_memory_mb = used_mb

    assert (leaf.starves_of_min_share, leaf.starves_of_fair_share) == starves


def test_a_leaf_never_starves_for_more_than_it_wants() -> None:
    leaf = _leaf()
    leaf.demand_memory_mb = leaf.used_memory_mb = 1_000
    satisfied = (leaf.starves_of_min_share, leaf.starves_of_fair_share)
    leaf.used_memory_mb = 999

    assert (satisfied, leaf.starves_of_min_share, leaf.starves_of_fair_share) == ((False, False), True, True)


@pytest.mark.parametrize(
    ("after_ms", "used_mb", "missing_mb"),
    [
        (1_000, 500, 0),
        (1_001, 500, 1_500),
        (5_000, 500, 1_500),
        (5_001, 500, 3_500),
        (5_001, 3_900, 100),
        (5_001, 4_100, 0),
    ],
)
def test_memory_is_missed_after_the_timeouts(after_ms: int, used_mb: int, missing_mb: int) -> None:
    """First up to the minimum, then up to the whole share, never more than is wanted."""
    leaf = _leaf()
    leaf.used_memory_mb = used_mb

    assert missing_memory_mb(leaf, START_MS + after_ms) == missing_mb


@pytest.mark.parametrize(("memory_mb", "vcores", "within"), [(1_000, 3, True), (1_001, 3, False), (1_000, 4, False)])
def test_a_maximum_may_be_reached_and_not_exceeded(memory_mb: int, vcores: int, *, within: bool) -> None:
    leaf = _leaf()
    leaf.max_memory_mb, leaf.max_vcores, leaf.used_memory_mb, leaf.used_vcores = 2_000, 5, 1_000, 2

    assert leaf.within_maximum(memory_mb, vcores) is within
    assert leaf.exceeded_by(memory_mb, vcores) is (None if within else leaf)
    assert leaf.within_maximum()
