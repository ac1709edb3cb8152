"""Amounts, limits, people and placement rules of a fair-scheduler.xml in words."""

from collections.abc import Sequence

from engine.model.java_number import INT_MAX
from engine.model.java_values import LONG_MAX
from engine.model.resource import NONE, Resource
from engine.schedulers.fair34.placement import Rule34
from engine.schedulers.fair34.resources import Amount34
from engine.schedulers.placement import Default, NestedUserQueue, PlacementRule
from engine.units import format_duration


def rule_in_words(rule: PlacementRule) -> str:
    """A placement rule as one phrase.

    >>> rule_in_words(NestedUserQueue(Default("dev"), create=False))
    'nestedUserQueue of (default: root.dev), only into queues of the file'
    """
    words = rule.name
    if isinstance(rule, Default):
        words += f": {rule.queue}"
    if isinstance(rule, NestedUserQueue):
        words += f" of ({rule_in_words(rule.nested)})"
    return words if rule.create else f"{words}, only into queues of the file"


def rule_in_words_34(rule: Rule34) -> str:
    """A placement rule of 3.4 as one phrase.

    >>> rule_in_words_34(Rule34("user", parent=Rule34("primaryGroup", create=False)))
    'user below (primaryGroup, only into queues of the file)'
    """
    words = f"{rule.name}: {rule.queue}" if rule.name == "default" else rule.name
    if rule.parent is not None:
        words += f" below ({rule_in_words_34(rule.parent)})"
    return words if rule.create else f"{words}, only into queues of the file"


def amount(resource: Resource) -> str:
    """Memory and vcores as a file writes them.

    >>> amount(Resource(1024, 2)), amount(Resource(INT_MAX, INT_MAX)), amount(Resource(LONG_MAX, 4))
    ('1024 mb, 2 vcores', 'no limit', 'any memory, 4 vcores')
    """
    if resource == NONE:
        return "none"
    memory = "any memory" if resource.memory_mb in (INT_MAX, LONG_MAX) else f"{resource.memory_mb} mb"
    vcores = "any vcores" if resource.vcores == INT_MAX else f"{resource.vcores} vcores"
    return "no limit" if (memory, vcores) == ("any memory", "any vcores") else f"{memory}, {vcores}"


def part(limit: Amount34) -> str:
    """An amount, or parts of the cluster.

    >>> part(Amount34(None, (0.5, 0.25)))
    '50% memory, 25% cpu'
    """
    if limit.fixed is not None:
        return amount(limit.fixed)
    memory, vcores = (f"{share * 100:g}%" for share in limit.parts)
    return memory if memory == vcores else f"{memory} memory, {vcores} cpu"


def count(limit: int) -> str:
    """A number of applications."""
    return "no limit" if limit == INT_MAX else str(limit)


def timeout(value_ms: int | float) -> str:
    """How long a queue waits before it preempts."""
    if value_ms == LONG_MAX:
        return "never"
    return format_duration(int(value_ms)) if value_ms >= 0 else f"{value_ms} ms"


def people(users: Sequence[str], groups: Sequence[str]) -> str:
    """Users and groups in words."""
    parts = [*users, *(f"group {group}" for group in groups)]
    return ", ".join(parts)
