"""Settings of the fair scheduler that an operator may change while it runs."""

from engine.errors import RefusedError
from engine.model.java_number import float32
from engine.model.resource import Resource
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair.settings import RESERVATION_RULES, FairSettings
from engine.schedulers.fair.tree import QueueTree

QUEUE_ELEMENTS = {
    "weight": ("weights", "number"),
    "minResources": ("min_resources", "resource"),
    "maxResources": ("max_resources", "resource"),
    "maxRunningApps": ("max_running_apps", "count"),
    "maxAMShare": ("max_am_shares", "number"),
    "minSharePreemptionTimeout": ("min_share_timeouts_ms", "seconds"),
    "fairSharePreemptionTimeout": ("fair_share_timeouts_ms", "seconds"),
    "fairSharePreemptionThreshold": ("fair_share_thresholds", "number"),
}
"""Element of a `<queue>` in the allocation file → our field and how its text is read."""


def change_switch(settings: FairSettings, key: str, value: str) -> None:
    """Throw a switch of the scheduler as a whole.

    Raises:
        RefusedError: `IllegalArgumentException` for an unknown key or value; nothing has changed then.
    """
    if key == "preemption" and value in ("true", "false"):
        settings.preemption = value == "true"
    elif key == "reservation.rule" and value in RESERVATION_RULES:
        settings.reservation_rule = value
    elif key == "reservation.ratio":
        settings.reservable_nodes = float32(_number(key, value))
    else:
        raise RefusedError("IllegalArgumentException", f"{key} cannot be set to {value!r}")


def change_queue(tree: QueueTree, allocation: FairAllocation, key: str, value: str) -> FairAllocation:
    """An allocation with one value of one queue replaced.

    Args:
        tree: The queues.
        allocation: What to change a copy of.
        key: `queue.<full path>.<element>`.
        value: As the element's text in the file, e.g. `2.0` or `4096 mb, 4 vcores`.

    Raises:
        RefusedError: `IllegalArgumentException` for an unknown queue or element or an unreadable value.
    """
    path, _, element = key.removeprefix("queue.").rpartition(".")
    queue = tree.get(path)
    if queue is None or element not in QUEUE_ELEMENTS:
        raise RefusedError("IllegalArgumentException", f"there is no {key} to set")
    field, kind = QUEUE_ELEMENTS[element]
    changed = allocation.copy()
    getattr(changed, field)[queue.path] = _read(kind, key, value)
    return changed


def _read(kind: str, key: str, value: str) -> object:
    if kind == "resource":
        return _resource(key, value)
    number = _number(key, value)
    if kind == "number":
        return float32(number)
    return int(number * 1000) if kind == "seconds" else int(number)


def _number(key: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise RefusedError("IllegalArgumentException", f"{key}: {value!r} is not a number") from None


def _resource(key: str, value: str) -> Resource:
    words = value.lower().replace(",", " ").split()
    if len(words) == 4 and words[1] == "mb" and words[3] == "vcores" and words[0].isdigit() and words[2].isdigit():
        return Resource(int(words[0]), int(words[2]))
    raise RefusedError("IllegalArgumentException", f"{key}: {value!r} is not of the form '4096 mb, 4 vcores'")
