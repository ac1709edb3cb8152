"""Limits of a leaf of 2.7.2, kept and computed the short way, against the general rules computed anew."""

from hypothesis import given
from hypothesis import strategies as st

from engine.model.cluster import Cluster
from engine.schedulers.capacity27.calculators import MemoryCalculator27, PartitionResources27
from engine.schedulers.capacity27.configuration import read_configuration
from engine.schedulers.capacity27.evaluation import capacity_in, parts_of, user_limit
from engine.schedulers.capacity27.queues import CapacityQueue27

PREFIX = "yarn.scheduler.capacity.root."
AMOUNTS = st.tuples(st.integers(0, 2**26), st.integers(0, 2**8))


def _leaf(capacity: int, percent: int, factor: float) -> CapacityQueue27:
    values = {
        f"{PREFIX}queues": "a,b",
        f"{PREFIX}a.capacity": str(capacity),
        f"{PREFIX}b.capacity": str(100 - capacity),
        f"{PREFIX}a.maximum-capacity": str(max(capacity, 50)),
        f"{PREFIX}a.minimum-user-limit-percent": str(percent),
        f"{PREFIX}a.user-limit-factor": str(factor),
    }
    configuration, properties = read_configuration(values, [])
    properties.refusals.check()
    return CapacityQueue27(configuration.root.children[0], None)


def _space(total: tuple[int, int]) -> PartitionResources27:
    space = PartitionResources27(Cluster(1), frozenset(), MemoryCalculator27(), (1024, 1))
    space.default_total = space.cluster = total
    return space


@given(
    AMOUNTS,
    AMOUNTS,
    st.integers(1, 2**16),
    st.integers(0, 100),
    st.sampled_from((25, 33, 100)),
    st.sampled_from((0.5, 1.0, 100.0)),
    st.integers(0, 3),
)
def test_user_limits_by_memory_follow_the_general_rules(
    total: tuple[int, int],
    used: tuple[int, int],
    ask_mb: int,
    capacity: int,
    percent: int,
    factor: float,
    users: int,
) -> None:
    space, queue = _space(total), _leaf(capacity, percent, factor)
    assert queue.leaf is not None
    queue.charge_usage("", used)
    queue.leaf.active_users = {str(number): (number,) for number in range(users)}

    found = user_limit(space, queue, queue.leaf, (ask_mb, 1), "")
    space.by_memory = False

    assert found == user_limit(space, queue, queue.leaf, (ask_mb, 1), "")


@given(st.lists(st.tuples(AMOUNTS, st.integers(0, 100)), min_size=1, max_size=6))
def test_kept_parts_of_a_total_are_those_computed_anew(changes: list[tuple[tuple[int, int], int]]) -> None:
    space, queue = _space((0, 0)), _leaf(10, 100, 1.0)
    for total, capacity in changes:
        space.default_total = total
        assert queue.leaf is not None
        queue.configuration = _leaf(capacity, 100, 1.0).configuration
        parts, share = parts_of(space, queue, ""), capacity_in(queue, "")

        assert parts.capacity == space.calculator.part_up(total, share.absolute, space.minimum)
        assert parts.maximum == space.calculator.part_down(total, share.absolute_maximum, space.minimum)
        assert parts_of(space, queue, "") is parts
