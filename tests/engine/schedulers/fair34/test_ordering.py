"""The sorted view beside the order of arrival, and Java's tree where comparing is no total order."""

from hypothesis import given
from hypothesis import strategies as st

from engine.schedulers.fair.policies import Key
from engine.schedulers.fair34.ordering import Ordering34
from engine.schedulers.fair34.policies import FAIR_34, Drf34
from engine.schedulers.fair34.tree_set import tree_set_order
from tests.engine.schedulers.fair34.test_policies import Member


class Ordered(Member):
    """A member of an ordering."""

    def __init__(self, name: str, used: tuple[int, int] = (0, 0), **more: float) -> None:
        super().__init__(name, used, **more)
        self.key: Key = ()
        self.changed = True
        self.wants_more = True


def _names(members: list[Ordered]) -> str:
    return "".join(str(member.tie[1]) for member in members)


def _ordering(*members: Ordered) -> Ordering34[Ordered]:
    ordering: Ordering34[Ordered] = Ordering34()
    for member in members:
        ordering.add(member)
    return ordering


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 9)), max_size=30),
)
def test_the_view_is_always_sorted(start: list[int], changes: list[tuple[int, int]]) -> None:
    """Whatever changes in between, and the members stay as they came."""
    members = [Ordered(chr(ord("a") + place), (used, 0)) for place, used in enumerate(start)]
    ordering = _ordering(*members)
    for place, used in changes:
        member = members[place % len(members)]
        member.used_memory_mb = used
        ordering.touch(member)
        assert ordering.sort(FAIR_34) == sorted(members, key=FAIR_34.key)
    assert ordering.members == members


def test_a_member_that_leaves_is_gone_from_the_view() -> None:
    """Also one that had changed."""
    a, b, c, d = (Ordered(name, (used, 0)) for name, used in (("a", 4), ("b", 3), ("c", 2), ("d", 1)))
    ordering = _ordering(a, b, c, d)
    assert _names(ordering.sort(FAIR_34)) == "dcba"
    ordering.touch(c)
    assert ordering.remove(c)
    assert not ordering.remove(c)
    assert _names(ordering.sort(FAIR_34)) == "dba"


def test_a_copy_keeps_the_order_of_arrival() -> None:
    """And sorts for itself."""
    a, b = Ordered("a", (2, 0)), Ordered("b", (1, 0))
    copy = _ordering(a, b).copy([a, b])
    assert _names(copy.members) == "ab"
    assert _names(copy.sort(FAIR_34)) == "ba"


def test_shares_without_a_number_are_ordered_by_javas_tree() -> None:
    """Only what wants more is put into it."""
    drf = Drf34(100, 10)
    few = [Ordered("a", (2, 0)), Ordered("b", (0, 0), weight=0), Ordered("c", (1, 0)), Ordered("d", (0, 0), weight=0)]
    few[3].wants_more = False
    ordering = _ordering(*few)
    expected = tree_set_order(few[:3], lambda left, right: drf.compare(drf.key(left), drf.key(right)))
    assert ordering.sort(drf) == expected
    few[2].used_memory_mb = 3
    ordering.touch(few[2])
    assert len(ordering.sort(drf)) == 3


@given(st.lists(st.integers(), max_size=200))
def test_a_tree_set_sorts_and_leaves_doubles_out(numbers: list[int]) -> None:
    """Where comparing is a total order it is just that."""
    assert tree_set_order(numbers, lambda left, right: (left > right) - (left < right)) == sorted(set(numbers))


@given(st.lists(st.integers(0, 30), max_size=60, unique=True))
def test_a_tree_set_keeps_everything_that_is_never_equal(numbers: list[int]) -> None:
    """Also where the comparison is not transitive."""

    def odd(left: int, right: int) -> int:
        return -1 if (left * 7 + right) % 3 else 1

    assert sorted(tree_set_order(numbers, odd)) == sorted(numbers)
