"""Limits as Hadoop 3 writes them: amounts, or parts of what the cluster has.

Source: ConfigurableResource, FairSchedulerConfiguration#parseResourceConfigValue, Hadoop 3.4.1.
"""

import re

import msgspec

from engine.model.java_number import INT_MAX
from engine.model.java_values import LONG_MAX, parse_int, parse_long, trim
from engine.model.resource import Resource

UNBOUNDED = Resource(LONG_MAX, INT_MAX)
"""No limit. Source: Resources#unbounded, Hadoop 3.4.1."""

_PART = r"(-?[0-9]+(?:\.[0-9]*)?)\s*%\s*"
_NUMBER = r"(-?[0-9]+)(?:\.[0-9]*)?\s*"
_WORDS = re.compile(r"-?[0-9]+(?:\.[0-9]*)?\s*[a-z]+\s*", re.ASCII)
_TYPES = ("memory-mb", "vcores")


class Limit(msgspec.Struct, frozen=True):
    """An amount, or parts of the cluster's memory and vcores."""

    amount: Resource | None = None
    parts: tuple[float, float] | None = None
    """Of memory and of vcores, 1.0 for all; None where `amount` counts."""

    def of(self, cluster: Resource) -> Resource:
        """The amount in a cluster of this size; parts are cut to whole MB and vcores."""
        if self.parts is None:
            assert self.amount is not None, "a limit is an amount or parts"
            return self.amount
        memory, vcores = self.parts
        return Resource(int(cluster.memory_mb * memory), int(cluster.vcores * vcores))

    def __str__(self) -> str:
        if self.parts is not None:
            memory, vcores = (f"{part * 100:g}%" for part in self.parts)
            return memory if memory == vcores else f"{memory} memory, {vcores} cpu"
        return f"{self.amount.memory_mb} mb, {self.amount.vcores} vcores" if self.amount else "none"


def parse_limit(text: str) -> Limit:
    """A limit in any of the three forms; what the form `name=value` leaves out is not limited.

    `50%` or `40% memory, 60% cpu`; `memory-mb=1024, vcores=2` or `memory-mb=50%`; `1024 mb, 2 vcores`.

    Raises:
        ValueError: It is none of them, negative, or names another resource type.
    """
    return _parse(text, LONG_MAX)


def parse_least(text: str) -> Resource | None:
    """A minimum: as a limit, but what the form `name=value` leaves out is 0; None for parts, which have no effect.

    Raises:
        ValueError: As `parse_limit`.
    """
    return _parse(text, 0).amount


def _parse(text: str, missing: int) -> Limit:
    if not trim(text):
        raise ValueError("the amount is empty")
    if "=" in text:
        return _named(text, missing)
    folded = text.lower()
    return _parts(folded) if "%" in text else _amount(folded)


def _named(text: str, missing: int) -> Limit:
    in_parts = "%" in text
    values: dict[str, float] = dict.fromkeys(_TYPES, 1.0 if in_parts else missing)
    for item in _split(text, ","):
        pair = _split(item, "=")
        if len(pair) != 2:
            raise ValueError(f"{text!r}: each resource has the form name=value")
        name, value = trim(pair[0]), trim(pair[1])
        parsed = _part(value, "") if in_parts else parse_long(value)
        if name not in _TYPES:
            raise ValueError(f"{text!r}: there is no resource {name!r}, only {' and '.join(_TYPES)}")
        if parsed < 0:
            raise ValueError(f"{text!r}: an amount is not negative")
        values[name] = parsed
    memory, vcores = (values[name] for name in _TYPES)
    if in_parts:
        return Limit(parts=(memory, vcores))
    return Limit(Resource(int(memory), min(int(vcores), INT_MAX)))


def _parts(text: str) -> Limit:
    values = _split(text, ",")
    if len(values) == 1:
        part = _part(trim(values[0]), "")
        return Limit(parts=(part, part))
    return Limit(parts=(_part(_naming(values, "memory"), "memory"), _part(_naming(values, "cpu"), "cpu")))


def _amount(text: str) -> Limit:
    values = _split(text, ",")
    if len(values) != 2:
        values = _WORDS.findall(text)
    if len(values) != 2:
        raise ValueError(f"{text!r} is neither like '1024 mb, 2 vcores' nor '50%' nor 'memory-mb=1024, vcores=2'")
    return Limit(Resource(_number(_naming(values, "mb"), "mb"), _number(_naming(values, "vcores"), "vcores")))


def _naming(values: list[str], word: str) -> str:
    found = next((trim(value) for value in values if word in value), None)
    if found is None:
        raise ValueError(f"{', '.join(values)!r} says nothing of {word}")
    return found


def _number(text: str, unit: str) -> int:
    found = re.match(_NUMBER + unit, text, re.ASCII)
    if not found:
        raise ValueError(f"{text!r} is no number of {unit}")
    number = parse_int(found.group(1))
    if number < 0:
        raise ValueError(f"{text!r}: an amount is not negative")
    return number


def _part(text: str, word: str) -> float:
    found = re.fullmatch(_PART + word, text, re.ASCII)
    if not found:
        raise ValueError(f"{text!r} is no percentage{f' of {word}' if word else ''}")
    part = float(found.group(1)) / 100.0
    if part < 0:
        raise ValueError(f"{text!r}: a percentage is not negative")
    return part


def _split(text: str, separator: str) -> list[str]:
    """As Java's `String#split`: empty strings at the end are left out."""
    items = text.split(separator)
    while len(items) > 1 and not items[-1]:
        items.pop()
    return items if items != [""] or not text else []
