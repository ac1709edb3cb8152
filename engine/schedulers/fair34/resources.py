"""Amounts in an allocation file of 3.x: absolute, as parts of the cluster, or by name.

Source: ConfigurableResource, FairSchedulerConfiguration#parseResourceConfigValue, Hadoop 3.4.1.
"""

import re
from typing import NamedTuple

from engine.model.java_values import INT_MAX, LONG_MAX, parse_double, parse_int, parse_long, trim
from engine.model.request import MEMORY_MB, VCORES, Resource

UNBOUNDED_34 = Resource(LONG_MAX, INT_MAX)  # No limit. Source: Resources#unbounded, Hadoop 3.4.1 (Long.MAX_VALUE).

_SPACE = r"[ \t\n\x0b\f\r]*"
_PERCENTAGE = r"(-?([0-9]+)(\.[0-9]*)?)" + _SPACE + "%" + _SPACE
_VALUE = r"^(-?[0-9]+)(\.[0-9]*)?" + _SPACE
_SEPARATED_BY_BLANKS = re.compile(r"(?:-|(?<![0-9]))[0-9]+(?:\.[0-9]*)?" + _SPACE + "[a-z]+" + _SPACE)
_NAMES = (MEMORY_MB, VCORES)


class Amount34(NamedTuple):
    """An amount that is fixed, or a part of what the cluster has."""

    fixed: Resource | None
    parts: tuple[float, float] = (1.0, 1.0)  # Parts of memory and of vcores, where it is not fixed

    def of(self, memory_mb: int, vcores: int) -> Resource:
        """The amount in a cluster of this size; parts are cut to whole numbers."""
        if self.fixed is not None:
            return self.fixed
        return Resource(int(memory_mb * self.parts[0]), int(vcores * self.parts[1]))


UNLIMITED = Amount34(UNBOUNDED_34)


def parse_amount(text: str, missing: int = LONG_MAX) -> Amount34:
    """An amount in any spelling: `1024 mb, 2 vcores`, `50%`, `50% memory, 40% cpu`, `memory-mb=1024,vcores=25%`.

    Args:
        text: Trimmed.
        missing: What an absolute amount by name has where it names nothing; of `LONG_MAX` vcores only the lower half
            is left, -1, as Java casts it. Source: ResourceUtils#createResourceWithSameValue.

    Raises:
        ValueError: It is none of these.
    """
    if not trim(text):
        raise ValueError("the amount is empty")
    if "=" in text:
        return _by_name(text, missing)
    if "%" in text:
        return Amount34(None, _old_percentages(text.lower()))
    return Amount34(_old(text))


def _by_name(text: str, missing: int) -> Amount34:
    in_parts = "%" in text
    parts: list[float] = [1.0, 1.0]
    amounts: list[int] = [missing, -1 if missing == LONG_MAX else missing]
    for entry in _split(text):
        name, equals, value = (trim(part) for part in entry.partition("="))
        if not equals or "=" in value or not value or name not in _NAMES:
            raise ValueError(f"{text!r}: {entry!r} is not of the form memory-mb=1024 or vcores=4")
        if in_parts:
            parts[_NAMES.index(name)] = _percentage(value, "")
        else:
            amounts[_NAMES.index(name)] = _whole(text, value)
    if in_parts:
        return Amount34(None, (parts[0], parts[1]))
    return Amount34(Resource(amounts[0], min(amounts[1], INT_MAX)))


def _whole(text: str, value: str) -> int:
    number = parse_long(value)
    if number < 0:
        raise ValueError(f"{text!r}: an amount must not be negative")
    return number


def _old_percentages(text: str) -> tuple[float, float]:
    entries = _split(text)
    if len(entries) == 1:
        part = _percentage(_entry(entries, ""), "")
        return (part, part)
    return (_percentage(_entry(entries, "memory"), "memory"), _percentage(_entry(entries, "cpu"), "cpu"))


def _percentage(text: str, unit: str) -> float:
    found = re.fullmatch(_PERCENTAGE + unit, text)
    if found is None:
        raise ValueError(f"{text!r} is not a percentage" + (f" of {unit}" if unit else ""))
    part = parse_double(found.group(1)) / 100.0
    if part < 0:
        raise ValueError(f"{text!r}: a percentage must not be negative")
    return part


def _old(text: str) -> Resource:
    entries = _split(text.lower())
    if len(entries) != 2:
        entries = _SEPARATED_BY_BLANKS.findall(text.lower())
    if len(entries) != 2:
        raise ValueError(f"{text!r} is not of the form '1024 mb, 2 vcores'")
    return Resource(_old_amount(entries, "mb"), _old_amount(entries, "vcores"))


def _old_amount(entries: list[str], unit: str) -> int:
    entry = _entry(entries, unit)
    found = re.search(_VALUE + unit, entry)
    if found is None:
        raise ValueError(f"{entry!r} is not a number of {unit}")
    value = parse_int(found.group(1))
    if value < 0:
        raise ValueError(f"{entry!r}: an amount must not be negative")
    return value


def _split(text: str) -> list[str]:
    """The parts between commas, as Java splits: empty ones at the end do not count."""
    parts = text.split(",")
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts


def _entry(entries: list[str], unit: str) -> str:
    for entry in entries:
        if unit in entry:
            return trim(entry)
    raise ValueError(f"{unit} is missing")
