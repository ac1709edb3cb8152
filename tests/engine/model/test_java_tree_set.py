"""The order of a Java TreeSet, also where comparing is no total order or changes behind it."""

from hypothesis import given
from hypothesis import strategies as st

from engine.fork import fork
from engine.model.java_tree_set import JavaTreeSet, tree_set_order
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
    """Where comparing is a total order it is just that."""
    assert tree_set_order(numbers, lambda left, right: (left > right) - (left < right)) == sorted(set(numbers))


@given(st.lists(st.integers(0, 30), max_size=60, unique=True))
def test_a_tree_set_keeps_everything_that_is_never_equal(numbers: list[int]) -> None:
    """Also where the comparison is not transitive."""

    def odd(left: int, right: int) -> int:
        return -1 if (left * 7 + right) % 3 else 1

    assert sorted(tree_set_order(numbers, odd)) == sorted(numbers)
