"""The tree of fair queues: what it inherits, shares, and the order of members."""

from functools import cmp_to_key

from hypothesis import given
from hypothesis import strategies as st

from engine.model.java_collections import tree_set_order
from engine.model.java_values import INT_MAX
from engine.schedulers.fair.order import FIFO, Key, MemberOrder, MemberSortKey, SharePolicy
from engine.schedulers.fair.tree import fair_shares
from engine.schedulers.fair27.queue_manager import FAIR_27, Drf27
from engine.schedulers.fair34.queue_manager import FAIR_34, Drf34

# Fair shares by doubling and halving.

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


# The members of a queue in order: sorted in place as in 2.7, or beside their order of arrival as in 3.x.


class Member(MemberSortKey[str]):
    """Where a queue or an attempt stands."""

    used_memory_mb: int
    used_vcores: int
    demand_memory_mb: int
    min_memory_mb: int
    min_vcores: int
    weight: float
    is_wanting: bool

    def __init__(self, number: int, used_mb: int = 0, weight: float = 1.0) -> None:
        super().__init__(f"m{number:02}")
        self.used_memory_mb = used_mb
        self.used_vcores = 0
        self.demand_memory_mb = 0
        self.min_memory_mb = 0
        self.min_vcores = 0
        self.weight = weight
        self.is_wanting = True

    def key_now(self, policy: SharePolicy) -> Key:
        used, minimum = (self.used_memory_mb, self.used_vcores), (self.min_memory_mb, self.min_vcores)
        return policy.key(used, self.demand_memory_mb, minimum, self.weight, (0, self.member))

    def wants_more(self) -> bool:
        return self.is_wanting


AMOUNTS = st.integers(0, 6)
CHANGES = st.lists(
    st.tuples(st.integers(0, 11), AMOUNTS, AMOUNTS, AMOUNTS, st.sampled_from([0.0, 0.5, 1.0, 2.0])), max_size=4
)
POLICIES = st.sampled_from([FAIR_27, FIFO, Drf27(100, 10), Drf27(0, 0)])


def _java_sort(members: list[Member], policy: SharePolicy) -> list[Member]:
    def compare(left: Member, right: Member) -> int:
        return policy.compare(left.key_now(policy), right.key_now(policy))

    return sorted(members, key=cmp_to_key(compare))


@given(POLICIES, st.lists(CHANGES, max_size=8))
def test_moving_what_changed_equals_sorting_everything(
    policy: SharePolicy, rounds: list[list[tuple[int, ...]]]
) -> None:
    members = [Member(number) for number in range(12)]
    ordering: MemberOrder[str] = MemberOrder(keeps_arrival=False)
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
    first, second = Member(1), Member(2)
    ordering: MemberOrder[str] = MemberOrder(keeps_arrival=False)
    ordering.add(second)
    ordering.add(first)
    ordering.sort(FAIR_27)
    first.used_memory_mb = 5
    ordering.touch(first)

    removed = [ordering.remove(first), ordering.remove(first)]

    assert removed == [True, False]
    assert ordering.sort(FAIR_27) == [second]


def _by_arrival(*members: Member) -> MemberOrder[str]:
    ordering: MemberOrder[str] = MemberOrder(keeps_arrival=True)
    for member in members:
        ordering.add(member)
    return ordering


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 9)), max_size=30),
)
def test_the_view_is_always_sorted(start: list[int], changes: list[tuple[int, int]]) -> None:
    members = [Member(place, used) for place, used in enumerate(start)]
    for member in members:
        member.demand_memory_mb = 10
    ordering = _by_arrival(*members)
    for place, used in changes:
        member = members[place % len(members)]
        member.used_memory_mb = used
        ordering.touch(member)
        assert ordering.sort(FAIR_34) == sorted(members, key=lambda member: member.key_now(FAIR_34))
    assert ordering.members == [member.member for member in members]


def test_a_member_that_left_is_gone_from_the_view() -> None:
    a, b, c, d = (Member(number, used) for number, used in enumerate((4, 3, 2, 1)))
    ordering = _by_arrival(a, b, c, d)
    assert ordering.sort(FAIR_34) == [d, c, b, a]
    ordering.touch(c)
    assert ordering.remove(c)
    assert not ordering.remove(c)
    assert ordering.sort(FAIR_34) == [d, b, a]


def test_shares_without_a_number_are_ordered_by_javas_tree() -> None:
    drf = Drf34(100, 10)
    few = [Member(1, 2), Member(2, 0, weight=0.0), Member(3, 1), Member(4, 0, weight=0.0)]
    few[3].is_wanting = False
    ordering = _by_arrival(*few)
    expected = tree_set_order(few[:3], lambda left, right: drf.compare(left.key_now(drf), right.key_now(drf)))
    assert ordering.sort(drf) == expected
    few[2].used_memory_mb = 3
    ordering.touch(few[2])
    assert len(ordering.sort(drf)) == 3
