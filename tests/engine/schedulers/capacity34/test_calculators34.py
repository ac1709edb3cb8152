"""The two ways to compare amounts, on figures worked out by hand from the sources."""

from hypothesis import given
from hypothesis import strategies as st

from engine.schedulers.capacity34.calculators import DominantCalculator, MemoryCalculator

AMOUNTS = st.tuples(st.integers(0, 2**20), st.integers(0, 2**10))
STEP = (1024, 1)


def test_memory_alone_answers_with_one_vcore() -> None:
    calculator = MemoryCalculator()

    assert calculator.round_up((1025, 7), STEP) == (2048, 1)
    assert calculator.round_up((0, 7), STEP) == (0, 0)
    assert calculator.normalise((1, 9), STEP, (8192, 4)) == (1024, 1)


def test_the_dominant_share_decides_then_the_other_one() -> None:
    compare = DominantCalculator().compare
    cluster = (100, 10)

    assert compare(cluster, (50, 1), (10, 4)) > 0
    assert compare(cluster, (50, 1), (10, 6)) < 0
    assert compare(cluster, (50, 1), (50, 1)) == 0


def test_of_an_empty_cluster_only_what_is_larger_in_one_and_smaller_in_none_is_more() -> None:
    compare = DominantCalculator().compare

    assert compare((0, 0), (2, 1), (1, 1)) == 1
    assert compare((0, 0), (2, 1), (1, 2)) == 0


@given(AMOUNTS)
def test_rounding_up_reaches_a_multiple_that_is_no_smaller(amount: tuple[int, int]) -> None:
    memory_mb, vcores = DominantCalculator().round_up(amount, (1024, 4))

    assert memory_mb >= amount[0] > memory_mb - 1024
    assert vcores >= amount[1] > vcores - 4
    assert memory_mb % 1024 == vcores % 4 == 0
