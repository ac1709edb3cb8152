"""Settings of one queue that an operator may change while the scheduler of 3.x runs."""

from engine.errors import RefusedError
from engine.schedulers.fair.live_setting import change_queue
from engine.schedulers.fair34.allocation import FairAllocation34
from engine.schedulers.fair34.resources import parse_amount
from engine.schedulers.fair34.tree import QueueTree34

_AMOUNTS = {"maxResources": "maximums", "maxChildResources": "child_maximums"}


def change_queue_34(tree: QueueTree34, allocation: FairAllocation34, key: str, value: str) -> FairAllocation34:
    """An allocation with one value of one queue replaced; maximums in any spelling of 3.x.

    Raises:
        RefusedError: `IllegalArgumentException` for an unknown queue or element or an unreadable value.
    """
    path, _, element = key.removeprefix("queue.").rpartition(".")
    queue = tree.get(path)
    if queue is None or element not in _AMOUNTS:
        changed = change_queue(tree, allocation, key, value)
        assert isinstance(changed, FairAllocation34), "a copy is of the same type"
        return changed
    try:
        amount = parse_amount(value.strip())
    except ValueError as error:
        raise RefusedError("IllegalArgumentException", f"{key}: {error}") from error
    changed = allocation.copy()
    getattr(changed, _AMOUNTS[element])[queue.path] = amount
    return changed
