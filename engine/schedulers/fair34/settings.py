"""The settings of the fair scheduler of 3.x in yarn-site.xml, typed and with the defaults of 3.4.1's code.

Source: FairSchedulerConfiguration, FSPreemptionThread, AllocationConfiguration, Hadoop 3.4.1.
"""

import re
from collections.abc import Mapping
from math import gcd
from typing import NamedTuple

import msgspec

from engine.errors import ConfigError, Problem, quoted
from engine.model.java_values import INT_MAX, LONG_MAX, parse_double, parse_int, parse_long, setting_boolean, trim
from engine.model.request import MEMORY_MB, VCORES, Resource
from engine.schedulers.fair.settings import FairAllocation, FairSettings, fair_settings
from engine.schedulers.fair34.placement import PlacementPolicy34, policy_from_settings_34
from engine.schedulers.settings import HadoopSettings
from engine.settings.fair import AM_PREEMPTION, DYNAMIC_MAX_ASSIGN, FAIR_34, RESERVATION_MULTIPLE, STARVATION_CHECK_WAIT
from engine.settings.site import ACL_ENABLE

# Amounts in an allocation file of 3.x: absolute, as parts of the cluster, or by name.
#
# Source: ConfigurableResource, FairSchedulerConfiguration#parseResourceConfigValue, Hadoop 3.4.1.


UNBOUNDED_34 = Resource(LONG_MAX, INT_MAX)  # No limit. Source: Resources#unbounded, Hadoop 3.4.1 (Long.MAX_VALUE).

_SPACE = r"[ \t\n\x0b\f\r]*"
_PERCENTAGE = r"(-?([0-9]+)(\.[0-9]*)?)" + _SPACE + "%" + _SPACE
_NUMBER = r"^(-?[0-9]+)(\.[0-9]*)?" + _SPACE
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

    `missing` is what an absolute amount by name has where it names nothing; of `LONG_MAX` vcores only the lower half is
    left, -1, as Java casts it. Raises ValueError. Source: ResourceUtils#createResourceWithSameValue.
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
    if "memory" not in text or "cpu" not in text:
        raise ValueError(f"{text!r} is not of the form '50% memory, 60% cpu'")
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
    found = re.search(_NUMBER + unit, entry)
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


# The contents of a fair-scheduler.xml that 3.x reads and 2.7 does not.


class FairAllocation34(FairAllocation, kw_only=True):
    """One loaded allocation file of 3.x; without arguments, what Hadoop has before any file is loaded."""

    maximums: dict[str, Amount34] = msgspec.field(default_factory=dict)
    """`maxResources`; the `max_resources` of 2.7 is not used."""
    child_maximums: dict[str, Amount34] = msgspec.field(default_factory=dict)
    """`maxChildResources`: of the queues below that are not in the file."""
    maximum_default: Amount34 = UNLIMITED
    container_maximums: dict[str, Resource] = msgspec.field(default_factory=dict)
    not_preemptable: frozenset[str] = frozenset()  # Queues with `allowPreemptionFrom` false
    placement_34: PlacementPolicy34 = msgspec.field(default_factory=lambda: policy_from_settings_34({}))

    def maximum_of(self, queue: str) -> Amount34:
        """Return the maximum of a queue, before its parent's `maxChildResources` is looked at."""
        return self.maximums.get(queue, self.maximum_default)

    def container_maximum(self, queue: str) -> Resource:
        """The largest container of the queue; unbounded means that of its parent."""
        return self.container_maximums.get(queue, UNBOUNDED_34)

    @property
    def configured(self) -> frozenset[str]:
        return frozenset((*self.configured_leaves, *self.configured_parents))


def default_allocation_34(settings: Mapping[str, str]) -> FairAllocation34:
    """The allocation of a scheduler without an allocation file. Source: AllocationConfiguration(FairScheduler)."""
    return FairAllocation34(placement_34=policy_from_settings_34(settings))


_INCREMENT = "yarn.resource-types.{}.increment-allocation"
_VALUE = re.compile(r"^([0-9]+)[ \t]?([a-zA-Z]*)$")
_MEGABYTES = {"": 1.0, "Ki": 2**-10, "Mi": 1.0, "Gi": 2.0**10, "Ti": 2.0**20, "Pi": 2.0**30}
_MEGABYTES |= {"k": 1e3 / 2**20, "M": 1e6 / 2**20, "G": 1e9 / 2**20, "T": 1e12 / 2**20, "P": 1e15 / 2**20}
"""Mebibytes in each unit; no unit means the default one, Mi."""


class FairSettings34(FairSettings, kw_only=True, eq=False):
    acls: bool  # Whether an access list is asked before an application exists; the scheduler asks it in any case
    dynamic_max_assign: bool
    """Whether `assign_multiple` gives away half of what is free instead of `max_assign` containers."""
    reservation_threshold: Resource
    """The smallest ask a node is held for. Source: yarn.scheduler.reservation-threshold.increment-multiple."""
    am_preemption: bool
    am_preemption_in: dict[str, bool]  # By full queue name, where it is set apart
    starvation_check_wait_ms: int
    """How long an application is left alone after containers were picked for it, beyond the wait for their kill."""

    @property
    def next_check_ms(self) -> int:
        """Return how long after a pick an application's starvation is looked at again [ms].

        The node heartbeats in Hadoop's formula count 0, since the interval is read before it is known.
        """
        allocation_ms = 10 * self.continuous_sleep_ms if self.continuous else 0
        return self.wait_before_kill_ms + allocation_ms + self.starvation_check_wait_ms

    @property
    def kill_interval_ms(self) -> int:
        """An interval that meets every instant at which a kill can be due; the real one has a timer."""
        return gcd(self.update_interval_ms, self.wait_before_kill_ms) or 1

    def preempts_masters_of(self, queue: str) -> bool:
        return self.am_preemption_in.get(queue, self.am_preemption)


def fair_settings_34(values: Mapping[str, str]) -> FairSettings34:
    """Read the settings. Raises ConfigError with every value that cannot be read or contradicts another."""
    shared = fair_settings(values, FAIR_34)
    settings = HadoopSettings(values, FAIR_34)
    increment = Resource(
        _increment(settings, MEMORY_MB, shared.increment.memory_mb),
        _increment(settings, "vcores", shared.increment.vcores),
    )
    if increment.memory_mb <= 0 or increment.vcores <= 0:
        settings.problems.append(Problem("the increments must be greater than 0", key="yarn.scheduler"))
    multiple = settings.value(RESERVATION_MULTIPLE)
    prefix = f"{AM_PREEMPTION}."
    result = FairSettings34(
        **msgspec.structs.asdict(shared) | {"increment": increment},
        acls=settings.value(ACL_ENABLE),
        dynamic_max_assign=settings.value(DYNAMIC_MAX_ASSIGN),
        reservation_threshold=Resource(int(increment.memory_mb * multiple), int(increment.vcores * multiple)),
        am_preemption=settings.value(AM_PREEMPTION),
        am_preemption_in={
            key.removeprefix(prefix): setting_boolean(values[key], FAIR_34.default(AM_PREEMPTION))
            for key in values
            if key.startswith(prefix)
        },
        starvation_check_wait_ms=settings.value(STARVATION_CHECK_WAIT),
    )
    if settings.problems:
        raise ConfigError(settings.problems)
    return result


def _increment(settings: HadoopSettings, name: str, otherwise: int) -> int:
    key = _INCREMENT.format(name)
    text = settings.values.get(key)
    if text is None:
        return otherwise
    found = _VALUE.match(text)
    if found is None or found.group(2) not in _MEGABYTES:
        settings.problems.append(
            Problem(f"{quoted(text)} is not a number with a unit", key=key, hint="e.g. 512 or 1Gi")
        )
        return otherwise
    try:
        number = parse_long(found.group(1))
    except ValueError:
        settings.problems.append(Problem(f"{quoted(text)} is too large", key=key))
        return otherwise
    return int(number * _MEGABYTES[found.group(2)]) if name == MEMORY_MB else number
