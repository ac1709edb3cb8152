"""Which setting decides a reason: its key as an operator writes it, and its value now.

Keys are those of yarn-site.xml, `<queue path>.<element>` of the allocation file, or what the application itself said.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from engine.explain.obstacles import subject_of
from engine.model.application import Attempt
from engine.model.node import Node
from engine.model.resource import INT_MAX
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.interface import YarnScheduler

NODE_MEMORY: Final = "yarn.nodemanager.resource.memory-mb"
NODE_VCORES: Final = "yarn.nodemanager.resource.cpu-vcores"

ELEMENTS: Final = {
    Reason.QUEUE_OVER_MAXIMUM: "maxResources",
    Reason.QUEUE_WOULD_EXCEED_MAXIMUM: "maxResources",
    Reason.QUEUE_NOT_RUNNING_IT: "maxRunningApps",
    Reason.AM_SHARE_EXHAUSTED: "maxAMShare",
    Reason.OTHER_FIRST: "schedulingPolicy",
}
"""Reasons that an element of the allocation file decides."""

SWITCHES: Final = {
    Reason.NODE_RESERVED: ("schedlab.reservation.rule", "reservation_rule"),
    Reason.RESERVATION_LIMIT: ("yarn.scheduler.fair.reservable-nodes", "reservable_nodes"),
}
"""Reasons that a switch of the scheduler decides: its key, and the field of its settings."""

OWN: Final = {
    Reason.LOCALITY_NOT_RELAXED: ("relaxLocality", "false"),
    Reason.BLACKLISTED: ("blacklist", ""),
}
"""Reasons that the application itself decides, and what it said."""


class Decider(msgspec.Struct, frozen=True):
    """A setting and its value now; the value is empty where the policy does not tell it."""

    key: str
    value: str


def decider_of(scheduler: YarnScheduler, attempt: Attempt, obstacle: Obstacle, nodes: Sequence[Node]) -> Decider | None:
    """The setting that decides an obstacle; None when none does."""
    reason = obstacle.reason
    if reason in ELEMENTS:
        return _of_queue(scheduler, attempt, obstacle)
    if reason in SWITCHES:
        key, field = SWITCHES[reason]
        return Decider(key, _text(getattr(_settings(scheduler), field, "")))
    if reason is Reason.DELAY_SCHEDULING:
        return _delay(scheduler, obstacle)
    if reason in OWN:
        key, value = OWN[reason]
        return Decider(key, value or ",".join(sorted(attempt.blacklist)))
    if nodes:
        return _of_nodes(obstacle, nodes)
    return None


def _settings(scheduler: YarnScheduler) -> Any:  # Any: each policy has settings of its own type, or none
    return getattr(scheduler, "settings", None)


def _of_queue(scheduler: YarnScheduler, attempt: Attempt, obstacle: Obstacle) -> Decider | None:
    if not scheduler.has_queues:
        return None
    element = ELEMENTS[obstacle.reason]
    subject, is_user = subject_of(obstacle, attempt)
    path = subject or attempt.queue.path
    if is_user:
        return Decider(f"user {subject}.{element}", str(obstacle.numbers[1]))
    queue: Any = attempt.queue  # Any: limits belong to each policy's own queues
    while queue.parent is not None and queue.path != path:
        queue = queue.parent
    values = {
        "maxResources": _amount(queue),
        "maxRunningApps": _text(getattr(queue, "max_apps", "")),
        "maxAMShare": _text(getattr(queue, "max_am_share", "")),
        "schedulingPolicy": _text(getattr(getattr(queue, "policy", None), "name", "")),
    }
    return Decider(f"{path}.{element}", values[element])


def _amount(queue: Any) -> str:  # Any: limits belong to each policy's own queues
    memory_mb, vcores = getattr(queue, "max_memory_mb", None), getattr(queue, "max_vcores", None)
    if memory_mb is None or vcores is None or (memory_mb >= INT_MAX and vcores >= INT_MAX):
        return ""
    return f"{memory_mb} mb, {vcores} vcores"


def _delay(scheduler: YarnScheduler, obstacle: Obstacle) -> Decider:
    settings = _settings(scheduler)
    by_time = bool(getattr(settings, "continuous", False))
    place = 0 if obstacle.numbers[1:] == (1,) else 1
    which = ("node", "rack")[place]
    values = getattr(settings, "locality_delays" if by_time else "locality_thresholds", ("", ""))
    key = (
        f"yarn.scheduler.fair.locality-delay-{which}-ms"
        if by_time
        else f"yarn.scheduler.fair.locality.threshold.{which}"
    )
    return Decider(key, _text(values[place]))


def _of_nodes(obstacle: Obstacle, nodes: Sequence[Node]) -> Decider:
    """What nodes offer: vcores where memory would do, else memory."""
    numbers = obstacle.numbers
    if len(numbers) > 3 and numbers[0] <= numbers[1]:
        return Decider(NODE_VCORES, str(max(node.total_vcores for node in nodes)))
    return Decider(NODE_MEMORY, str(max(node.total_memory_mb for node in nodes)))


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
