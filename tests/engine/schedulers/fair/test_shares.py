"""Fair shares by doubling and halving."""

from hypothesis import given
from hypothesis import strategies as st

from engine.model.java_values import INT_MAX
from engine.schedulers.fair.tree import fair_shares

LIMITS = st.tuples(
    st.sampled_from([0.5, 1.0, 2.0, 3.0]), st.integers(0, 4096), st.sampled_from([1024, 8192, INT_MAX])
).map(lambda kind: (kind[0], min(kind[1], kind[2]), kind[2]))


@given(st.lists(LIMITS, min_size=1, max_size=8), st.integers(0, 100_000))
def test_shares_keep_to_minimums_and_maximums_and_use_up_what_is_there(
    limits: list[tuple[float, int, int]], total: int
) -> None:
    """Up to what truncation loses, one unit per member; minimums may take more than there is."""
    shares = fair_shares(limits, total)

    given_out = sum(shares[kind] for kind in limits)
    wanted = min(total, sum(maximum for _, _, maximum in limits))
    assert all(minimum <= shares[weight, minimum, maximum] <= maximum for weight, minimum, maximum in limits)
    assert given_out >= wanted - len(limits)
    assert given_out <= max(wanted, sum(minimum for _, minimum, _ in limits)) + len(limits)


@given(st.integers(1, 50), st.integers(0, 1_000_000))
def test_equals_share_equally(members: int, total: int) -> None:
    kind = (1.0, 0, INT_MAX)

    assert abs(fair_shares([kind] * members, total)[kind] - total // members) <= 1


def test_nobody_gets_nothing() -> None:
    assert fair_shares([], 4096) == {}
