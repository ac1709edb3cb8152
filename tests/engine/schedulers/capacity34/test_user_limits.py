"""Limits of users where memory alone counts: the short way answers what the general rules answer."""

from hypothesis import given
from hypothesis import strategies as st

from engine.schedulers.capacity34.calculators import MemoryCalculator, PartitionResources
from engine.schedulers.capacity34.users import UNLIMITED_FACTOR, Share, Users

AMOUNTS = st.tuples(st.integers(0, 2**26), st.integers(0, 2**8))
CHARGES = st.lists(st.tuples(st.sampled_from("abc"), AMOUNTS), max_size=8)


class Leaf:
    """A queue with one share."""

    def __init__(self, share: Share) -> None:
        self._share = share

    def share(self, label: str) -> Share:
        return self._share


@given(
    CHARGES,
    AMOUNTS,
    AMOUNTS,
    AMOUNTS,
    st.integers(1, 4096),
    st.sampled_from((0.0, 25.0, 33.3, 100.0)),
    st.sampled_from((UNLIMITED_FACTOR, 0.5, 1.0, 2.5, 100.0)),
    st.booleans(),
    st.booleans(),
)
def test_limits_by_memory_follow_the_general_rules(
    charges: list[tuple[str, tuple[int, int]]],
    total: tuple[int, int],
    guaranteed: tuple[int, int],
    maximum: tuple[int, int],
    step_mb: int,
    percent: float,
    factor: float,
    respects: bool,
    active: bool,
) -> None:
    space = PartitionResources(MemoryCalculator(), (step_mb, 1), (2**20, 64), None)
    space.add_to("", total)
    share, users = Share(), Users()
    share.effective_minimum, share.effective_maximum = guaranteed, maximum
    users.minimum_percent, users.factor = percent, factor
    for number, (name, amount) in enumerate(charges):
        users.get(name).active = number % 2
        users.activate(name, number)
        users.charge(name, "", amount, space)

    found = users.compute("", respects, active, Leaf(share), space)
    space.by_memory = False

    assert found == users.compute("", respects, active, Leaf(share), space)
