"""A heap whose equal members leave it as they leave Java's."""

from hypothesis import given
from hypothesis import strategies as st

from engine.schedulers.capacity34.preemption.heap import JavaHeap


def _heap(members: list[tuple[int, str]]) -> JavaHeap[tuple[int, str]]:
    heap: JavaHeap[tuple[int, str]] = JavaHeap(lambda one, other: one[0] - other[0])
    for member in members:
        heap.add(member)
    return heap


@given(st.lists(st.integers(0, 9)))
def test_members_leave_in_order(numbers: list[int]) -> None:
    """The least one first."""
    heap = _heap([(number, "") for number in numbers])

    assert [heap.remove()[0] for _ in numbers] == sorted(numbers)


def test_equal_members_leave_as_the_array_has_them() -> None:
    """`java.util.PriorityQueue` gives a, d, c, b for four equal members that were put in by name."""
    heap = _heap([(1, "a"), (1, "b"), (1, "c"), (1, "d")])

    assert [heap.remove()[1] for _ in range(4)] == ["a", "d", "c", "b"]
