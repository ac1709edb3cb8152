"""The order of a Java TreeSet, also where comparing is no total order or changes behind it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fork import fork
from engine.model.java_collections import JavaTreeSet, tree_set_order
from engine.state import State


class _Queue(metaclass=State):
    """A queue of which only path and usage matter."""

    path: str
    used: float

    def __init__(self, path: str, used: float = 0.0) -> None:
        self.path = path
        self.used = used


def _compare(left: _Queue, right: _Queue) -> int:
    mine, other = (left.used, left.path), (right.used, right.path)
    return (mine > other) - (mine < other)


def _set_of(queues: list[_Queue]) -> JavaTreeSet[_Queue]:
    tree: JavaTreeSet[_Queue] = JavaTreeSet()
    for queue in queues:
        tree.add(queue, _compare)
    return tree


def _put_back(tree: JavaTreeSet[_Queue], queue: _Queue) -> None:
    tree.remove(queue)
    tree.add(queue, _compare)


def _paths(tree: JavaTreeSet[_Queue]) -> list[str]:
    return [queue.path for queue in tree]


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 5)), max_size=60))
def test_an_element_that_is_put_back_lands_where_its_key_belongs(changes: list[tuple[int, int]]) -> None:
    """Every change is followed by putting back, so the order is always sorted and nobody is lost."""
    queues = [_Queue(f"{number:02d}") for number in range(12)]
    tree = _set_of(queues)

    for number, used in changes:
        queues[number].used = used
        _put_back(tree, queues[number])

        assert _paths(tree) == [one.path for one in sorted(queues, key=lambda each: (each.used, each.path))]


def test_a_change_behind_the_tree_does_not_move_an_element() -> None:
    """Only the queue that was put back is compared; `a` stays first although it now uses the most."""
    first, second, third = (_Queue(path) for path in "abc")
    tree = _set_of([first, second, third])

    first.used = 9.0
    third.used = 1.0
    _put_back(tree, third)

    assert _paths(tree) == ["a", "b", "c"]


def test_a_fork_keeps_the_shape_of_the_tree() -> None:
    """The copy has copies of the elements, in the same order, and goes on alone."""
    queues = [_Queue(f"{number}") for number in range(7)]
    tree = _set_of(queues)

    copy = fork(tree)
    queues[0].used = 1.0
    _put_back(tree, queues[0])

    assert (_paths(copy), _paths(tree)) == (list("0123456"), list("1234560"))
    assert set(copy).isdisjoint(tree)


@given(st.lists(st.integers(), max_size=200))
def test_a_tree_set_sorts_and_leaves_doubles_out(numbers: list[int]) -> None:
    assert tree_set_order(numbers, lambda left, right: (left > right) - (left < right)) == sorted(set(numbers))


@given(st.lists(st.integers(0, 30), max_size=60, unique=True))
def test_a_tree_set_keeps_everything_that_is_never_equal(numbers: list[int]) -> None:
    def odd(left: int, right: int) -> int:
        return -1 if (left * 7 + right) % 3 else 1

    assert sorted(tree_set_order(numbers, odd)) == sorted(numbers)


@pytest.mark.parametrize(
    ("bound", "steps", "expected"),
    [
        (40, 50, [17, 39, 14, 34, 24, 21, 23, 28, 3, 38, 25, 20, 30, 35, 22, 32]),
        (40, 200, [11, 36, 26, 6, 33, 18, 35, 5, 25, 12, 27, 22, 7, 17, 37, 39, 34, 4, 24, 14]),
        (40, 600, [7, 17, 27, 12, 29, 4, 39, 34, 9, 26, 21, 1, 36, 16, 6, 31, 8, 18, 13, 33, 10, 5]),
        (
            120,
            50,
            [
                *(47, 72, 17, 7, 62, 119, 54, 29, 114, 69, 24, 61, 63, 28, 3, 78, 65, 80, 70, 85, 100, 5, 0, 75),
                *(36, 116),
            ],
        ),
        (
            120,
            200,
            [
                *(47, 17, 7, 59, 119, 91, 116, 51, 21, 1, 61, 41, 111, 31, 66, 6, 11, 8, 68, 78, 48, 33, 58, 108),
                *(118, 35, 85, 95, 115, 40, 55, 45, 65, 5, 0, 75, 107, 87, 32, 52, 22, 72, 77, 49, 34, 109, 114, 104),
                *(69, 84, 94, 74, 99, 89),
            ],
        ),
        (
            120,
            600,
            [
                *(17, 71, 111, 31, 56, 38, 18, 28, 53, 73, 118, 13, 93, 113, 33, 68, 48, 110, 55, 50, 115, 75, 90, 95),
                *(20, 30, 65, 80, 10, 40, 25, 82, 27, 2, 92, 67, 117, 37, 107, 102, 7, 62, 109, 59, 34, 14, 114, 29),
                *(104, 24, 89, 69, 54, 99, 74, 84, 79, 45, 60, 106, 21, 76, 116, 41, 36, 6),
            ],
        ),
    ],
)
def test_a_set_without_an_order_is_walked_as_javas_is(bound: int, steps: int, expected: list[int]) -> None:
    """What a JVM printed after a run of adding and taking out by a comparison that goes round in a circle."""

    def circle(left: int, right: int) -> int:
        return 0 if left == right else -1 if (7 * left + 3 * right) % 5 < 2 else 1

    draw, tree = 1, JavaTreeSet[int]()
    for _ in range(steps):
        draw = (draw * 1103515245 + 12345) & 0x7FFFFFFF
        number = (draw >> 8) % bound
        if number in list(tree):
            tree.remove(number)
        else:
            tree.add(number, circle)

    assert list(tree) == expected


def test_the_last_element_can_be_taken_out() -> None:
    """Then the set is empty and takes others; what is not there cannot be taken out."""
    tree, queue = JavaTreeSet[_Queue](), _Queue("a")
    tree.add(queue, _compare)
    tree.remove(queue)
    assert list(tree) == []

    with pytest.raises(KeyError):
        tree.remove(queue)
    tree.add(queue, _compare)
    with pytest.raises(KeyError):
        tree.remove(_Queue("a"))
    assert list(tree) == [queue]
