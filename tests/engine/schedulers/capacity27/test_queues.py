"""Queues of the capacity scheduler of 2.7.2."""

from math import nan

import pytest

from engine.schedulers.capacity27.queues import CapacityQueue27, compare_siblings


def _queue(path: str, used_capacity: float) -> CapacityQueue27:
    queue = CapacityQueue27.__new__(CapacityQueue27)
    queue.path, queue.used_capacity = path, used_capacity
    return queue


@pytest.mark.parametrize(
    ("left", "right", "sign"),
    [
        (("root.b", 0.1), ("root.a", 0.2), -1),
        (("root.a", 0.2), ("root.b", 0.1), 1),
        (("root.a", 0.1), ("root.b", 0.1), -1),
        (("root.a", nan), ("root.b", 0.1), -1),
        (("root.b", nan), ("root.a", 0.1), 1),
    ],
)
def test_siblings_compare_by_usage_then_path(left: tuple[str, float], right: tuple[str, float], sign: int) -> None:
    """Usage that is not a number is neither less nor more than any, so the path decides."""
    assert compare_siblings(_queue(*left), _queue(*right)) == sign
