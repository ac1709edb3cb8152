"""Settings of the fair scheduler that an operator may change while it runs."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from engine.errors import RefusedError, nearest
from engine.fork import fork
from engine.model.java_values import parse_float
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair.queue_settings import QUEUE_SETTINGS, with_queue_setting
from engine.schedulers.fair.settings import RESERVATION_RULES, FairSettings
from engine.schedulers.fair.tree import QueueTree
from engine.settings.site import MAXIMA

_Allocation = TypeVar("_Allocation", bound=FairAllocation)

SWITCHES = ("preemption", "reservation.rule", "reservation.ratio")
"""Switches of the scheduler as a whole."""


def change_settings(
    settings: FairSettings,
    allocation: _Allocation,
    values: Mapping[str, str],
    change_queue: Callable[[_Allocation, str, str], _Allocation],
) -> _Allocation:
    """Change settings, in place, all or none; the allocation to be loaded, the same one where no queue changes.

    Args:
        values: `preemption`, `reservation.rule`, `reservation.ratio`, or `queue.<path>.<element>` as in the file.
        change_queue: Gives an allocation with one value of one queue replaced.

    Raises:
        RefusedError: `IllegalArgumentException` for an unknown key or value; nothing has changed then.
    """
    changed = fork(settings)
    for key, value in values.items():
        if key.startswith("queue."):
            allocation = change_queue(allocation, key, value)
        else:
            _change_switch(changed, key, value)
    settings.take_over(changed)
    return allocation


def _change_switch(settings: FairSettings, key: str, value: str) -> None:
    """Throw a switch of the scheduler as a whole.

    Raises:
        RefusedError: `IllegalArgumentException` for an unknown key or value; nothing has changed then.
    """
    if key == "preemption" and value in ("true", "false"):
        settings.preemption = value == "true"
    elif key == "reservation.rule" and value in RESERVATION_RULES:
        settings.reservation_rule = value
    elif key == "reservation.ratio":
        settings.reservable_nodes = _ratio(value)
    elif key in [each.name for each in MAXIMA]:
        raise RefusedError(
            "UnsupportedOperationException", f"{key} is read when a ResourceManager starts; it takes a restart"
        )
    elif key in SWITCHES:
        raise _refused(f"{key} cannot be {value!r}")
    else:
        raise _refused(f"there is no setting {key}", nearest(key, (*SWITCHES, "queue.<path>.<element>")))


def change_queue(tree: QueueTree[_Allocation], allocation: _Allocation, key: str, value: str) -> _Allocation:
    """An allocation with one value of one queue replaced.

    Args:
        key: `queue.<full path>.<element>`.
        value: As the element's text in the file, e.g. `2.0` or `4096 mb, 4 vcores`.

    Raises:
        RefusedError: `IllegalArgumentException` for an unknown queue or element or an unreadable value.
    """
    path, _, element = key.removeprefix("queue.").rpartition(".")
    queue = tree.get(path)
    if queue is None:
        raise _refused(f"there is no queue {path}", nearest(path, tree.queues))
    try:
        return with_queue_setting(allocation, queue.path, element, value)
    except KeyError:
        raise _refused(f"a queue has no setting {element}", nearest(element, QUEUE_SETTINGS)) from None
    except ValueError as error:
        raise _refused(f"{key}: {error}") from error


def _ratio(value: str) -> float:
    try:
        return parse_float(value)
    except ValueError as error:
        raise _refused(f"reservation.ratio: {error}") from error


def _refused(message: str, hint: str = "") -> RefusedError:
    return RefusedError("IllegalArgumentException", f"{message}; {hint}" if hint else message)
