"""The list that is sorted in place: always the order a full stable sort would give."""

from functools import cmp_to_key

from hypothesis import given
from hypothesis import strategies as st

from engine.schedulers.fair.ordering import Ordering
from engine.schedulers.fair.policies import FAIR, FIFO, Drf, Key, SharePolicy


class Member:
    """A stand-in for a queue or an attempt."""

    def __init__(self, number: int) -> None:
        self.used_memory_mb = 0
        self.used_vcores = 0
        self.demand_memory_mb = 0
        self.min_memory_mb = 0
        self.min_vcores = 0
        self.weight = 1.0
        self.tie: Key = (0, f"m{number:02}")
        self.key: Key = ()
        self.changed = True


AMOUNTS = st.integers(0, 6)
CHANGES = st.lists(
    st.tuples(st.integers(0, 11), AMOUNTS, AMOUNTS, AMOUNTS, st.sampled_from([0.0, 0.5, 1.0, 2.0])), max_size=4
)
POLICIES = st.sampled_from([FAIR, FIFO, Drf(100, 10), Drf(0, 0)])


def _java_sort(members: list[Member], policy: SharePolicy) -> list[Member]:
    """What Collections.sort gives with keys computed afresh."""

    def compare(left: Member, right: Member) -> int:
        return policy.compare(policy.key(left), policy.key(right))

    return sorted(members, key=cmp_to_key(compare))


@given(POLICIES, st.lists(CHANGES, max_size=8))
def test_moving_what_changed_equals_sorting_everything(
    policy: SharePolicy, rounds: list[list[tuple[int, ...]]]
) -> None:
    """Round after round, with weights of 0 and their NaN too."""
    members = [Member(number) for number in range(12)]
    ordering: Ordering[Member] = Ordering()
    for member in members:
        ordering.add(member)
    expected = list(members)

    for changes in rounds:
        for number, used, minimum, demand, weight in changes:
            member = members[number]
            member.used_memory_mb, member.used_vcores = used, used // 2
            member.min_memory_mb = member.min_vcores = minimum
            member.demand_memory_mb, member.weight = demand, weight
            ordering.touch(member)
        expected = _java_sort(expected, policy)
        assert ordering.sort(policy) == expected


def test_a_member_that_left_is_not_sorted_again() -> None:
    """Also when it had changed before; a second removal finds nothing."""
    first, second = Member(1), Member(2)
    ordering: Ordering[Member] = Ordering()
    ordering.add(second)
    ordering.add(first)
    ordering.sort(FAIR)
    first.used_memory_mb = 5
    ordering.touch(first)

    removed = [ordering.remove(first), ordering.remove(first)]

    assert removed == [True, False]
    assert ordering.sort(FAIR) == [second]
