"""The settings of the fair scheduler of 3.x in yarn-site.xml, typed and with the defaults of 3.4.1's code.

Source: FairSchedulerConfiguration, FSPreemptionThread, Hadoop 3.4.1.
"""

import re
from collections.abc import Mapping
from math import gcd

import msgspec

from engine.errors import ConfigError, Problem, quoted
from engine.model.java_values import parse_long, setting_boolean
from engine.model.resource import MEMORY_MB, Resource
from engine.schedulers.fair.settings import FairSettings, fair_settings
from engine.schedulers.settings import HadoopSettings
from engine.settings.fair import AM_PREEMPTION, DYNAMIC_MAX_ASSIGN, FAIR_34, RESERVATION_MULTIPLE, STARVATION_CHECK_WAIT
from engine.settings.site import ACL_ENABLE

_INCREMENT = "yarn.resource-types.{}.increment-allocation"
_VALUE = re.compile(r"^([0-9]+)[ \t]?([a-zA-Z]*)$")
_MEGABYTES = {"": 1.0, "Ki": 2**-10, "Mi": 1.0, "Gi": 2.0**10, "Ti": 2.0**20, "Pi": 2.0**30}
_MEGABYTES |= {"k": 1e3 / 2**20, "M": 1e6 / 2**20, "G": 1e9 / 2**20, "T": 1e12 / 2**20, "P": 1e15 / 2**20}
"""Mebibytes in each unit; no unit means the default one, Mi."""


class FairSettings34(FairSettings, kw_only=True, eq=False):
    """Settings of one fair scheduler of 3.x."""

    acls: bool
    """Whether an access list is asked before an application exists; the scheduler asks it in any case."""
    dynamic_max_assign: bool
    """Whether `assign_multiple` gives away half of what is free instead of `max_assign` containers."""
    reservation_threshold: Resource
    """The smallest ask a node is held for. Source: yarn.scheduler.reservation-threshold.increment-multiple."""
    am_preemption: bool
    am_preemption_in: dict[str, bool]
    """By full queue name, where it is set apart."""
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
        """Tell whether AM containers of a queue may be taken back."""
        return self.am_preemption_in.get(queue, self.am_preemption)


def fair_settings_34(values: Mapping[str, str]) -> FairSettings34:
    """Read the settings.

    Raises:
        ConfigError: With every value that cannot be read or contradicts another.
    """
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
