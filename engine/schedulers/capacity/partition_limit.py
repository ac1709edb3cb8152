"""Limits of queues and users in a partition as obstacles; one of nothing is no limit that is used up."""

from collections.abc import Sequence
from typing import Final

from engine.schedulers.obstacle_texts import Obstacle, Reason

_OF_PARTITION: Final = (Reason.QUEUE_OVER_MAXIMUM, Reason.USER_OVER_LIMIT, Reason.NO_CAPACITY)


def limit_obstacle(reason: Reason, numbers: Sequence[int], subject: str, label: str) -> Obstacle:
    """An obstacle with the partition of its limit; `NO_CAPACITY` of a queue whose maximum there is nothing.

    `numbers` are those of `OBSTACLE_TEXTS`: of a queue's maximum what is used, the maximum, what is wanted.

    >>> limit_obstacle(Reason.QUEUE_OVER_MAXIMUM, (0, 0, 1024), "root", "gpu").reason.name
    'NO_CAPACITY'
    """
    if label and reason is Reason.QUEUE_OVER_MAXIMUM and not any(numbers[1::3]):
        return Obstacle(Reason.NO_CAPACITY, (), subject, label)
    return Obstacle(reason, tuple(numbers), subject, label if reason in _OF_PARTITION else "")
