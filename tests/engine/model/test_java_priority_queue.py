"""A heap whose equal members leave it as they leave Java's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.java_priority_queue import JavaPriorityQueue, Keyed, by_key


def _by_number(one: tuple[int, str], other: tuple[int, str]) -> int:
    return one[0] - other[0]


def _heap(members: list[tuple[int, str]]) -> JavaPriorityQueue[tuple[int, str]]:
    heap = JavaPriorityQueue[tuple[int, str]]()
    for member in members:
        heap.add(member, _by_number)
    return heap


@given(st.lists(st.integers(0, 9)))
def test_members_leave_in_order(numbers: list[int]) -> None:
    heap = _heap([(number, "") for number in numbers])

    assert [heap.poll(_by_number)[0] for _ in numbers] == sorted(numbers)


def test_equal_members_leave_as_the_array_has_them() -> None:
    """`java.util.PriorityQueue` gives a, d, c, b for four equal members that were put in by name."""
    heap = _heap([(1, "a"), (1, "b"), (1, "c"), (1, "d")])

    assert [heap.poll(_by_number)[1] for _ in range(4)] == ["a", "d", "c", "b"]


def test_equals_come_out_as_a_jvm_gave_them() -> None:
    """The order of equals among a run of adds and polls is the one that java.util.PriorityQueue printed."""
    draw, queue, polled = 1, JavaPriorityQueue[Keyed](), []
    for number in range(60):
        draw = (draw * 1103515245 + 12345) & 0x7FFFFFFF
        if (draw >> 8) % 10 < 6 or not queue.items:
            queue.add(((draw >> 12) % 4, number), by_key)
        else:
            polled.append(queue.poll(by_key)[1])

    expected = [0, 3, 1, 6, 8, 10, 12, 16, 15, 19, 21, 13, 24, 27, 29, 30, 26, 34, 36, 37, 45, 43, 50, 52, 44, 41]
    assert polled[: len(expected)] == expected[: len(polled)]


@pytest.mark.parametrize(
    ("steps", "array"),
    [
        (12, [8, 5, 3, 9, 6, 7, 0, 11]),
        (40, [17, 38, 16, 19, 33, 3, 15, 23, 9, 14, 35, 7, 11, 0, 18, 27, 26, 29, 12, 6, 5, 36]),
    ],
)
def test_the_array_is_that_of_a_jvm(steps: int, array: list[int]) -> None:
    draw, queue = 7, JavaPriorityQueue[Keyed]()
    for number in range(steps):
        draw = (draw * 1103515245 + 12345) & 0x7FFFFFFF
        if (draw >> 8) % 10 < 7 or not queue.items:
            queue.add(((draw >> 12) % 5, number), by_key)
        else:
            queue.poll(by_key)

    assert [number for _, number in queue.items] == array
