"""The order of sibling queues, as a Java TreeSet keeps it."""

from hypothesis import given
from hypothesis import strategies as st

from engine.schedulers.capacity27.sibling_order import SiblingOrder
from engine.state import fork


class _Sibling:
    """A queue of which only path and usage matter."""

    STATE = {"path": "shared", "used": "shared"}  # noqa: RUF012 - as classes of the state declare it
    __slots__ = STATE

    def __init__(self, path: str, used: float = 0.0) -> None:
        self.path = path
        self.used = used

    def order_key(self) -> tuple[float, str]:
        return (self.used, self.path)


def _paths(order: SiblingOrder[_Sibling]) -> list[str]:
    return [sibling.path for sibling in order]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 99)), unique_by=lambda pair: pair[1], max_size=40))
def test_siblings_are_sorted_by_usage_then_path(pairs: list[tuple[int, int]]) -> None:
    """As long as nothing changes behind the tree."""
    order: SiblingOrder[_Sibling] = SiblingOrder()
    for used, number in pairs:
        order.add(_Sibling(f"{number:02d}", used))

    assert _paths(order) == [f"{number:02d}" for _, number in sorted(pairs)]


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 5)), max_size=60))
def test_a_sibling_that_is_put_back_lands_where_its_usage_belongs(changes: list[tuple[int, int]]) -> None:
    """Every change is followed by putting back, so the order is always sorted and nobody is lost."""
    siblings = [_Sibling(f"{number:02d}") for number in range(12)]
    order: SiblingOrder[_Sibling] = SiblingOrder()
    for sibling in siblings:
        order.add(sibling)

    for number, used in changes:
        siblings[number].used = used
        order.put_back(siblings[number])

        assert _paths(order) == [one.path for one in sorted(siblings, key=_Sibling.order_key)]


def test_a_change_behind_the_tree_does_not_move_a_sibling() -> None:
    """Only the queue that was put back is compared; `a` stays first although it now uses the most."""
    first, second, third = (_Sibling(path) for path in "abc")
    order: SiblingOrder[_Sibling] = SiblingOrder()
    for sibling in (first, second, third):
        order.add(sibling)

    first.used = 9.0
    third.used = 1.0
    order.put_back(third)

    assert _paths(order) == ["a", "b", "c"]


def test_a_fork_keeps_the_shape_of_the_tree() -> None:
    """The copy has copies of the siblings, in the same order, and goes on alone."""
    siblings = [_Sibling(f"{number}") for number in range(7)]
    order: SiblingOrder[_Sibling] = SiblingOrder()
    for sibling in siblings:
        order.add(sibling)

    copy = fork(order)
    siblings[0].used = 1.0
    order.put_back(siblings[0])

    assert (_paths(copy), _paths(order)) == (list("0123456"), list("1234560"))
    assert set(copy).isdisjoint(order)
