"""The settings of the fair scheduler of 3.x in yarn-site.xml, typed and with the defaults of 3.4.1's code.

Source: FairSchedulerConfiguration, FSPreemptionThread, Hadoop 3.4.1.

Source: AllocationConfiguration, Hadoop 3.4.1.
"""

import re
from collections.abc import Mapping
from math import gcd

import msgspec

from engine.errors import ConfigError, Problem, quoted
from engine.model.java_values import parse_long, setting_boolean
from engine.model.request import MEMORY_MB, Resource
from engine.schedulers.fair.settings import FairAllocation, FairSettings, fair_settings
from engine.schedulers.fair34.placement import PlacementPolicy34, policy_from_settings_34
from engine.schedulers.fair34.resources import UNBOUNDED_34, UNLIMITED, Amount34
from engine.schedulers.settings import HadoopSettings
from engine.settings.fair import AM_PREEMPTION, DYNAMIC_MAX_ASSIGN, FAIR_34, RESERVATION_MULTIPLE, STARVATION_CHECK_WAIT
from engine.settings.site import ACL_ENABLE

# The contents of a fair-scheduler.xml that 3.x reads and 2.7 does not.


def _standard_placement() -> PlacementPolicy34:
    return policy_from_settings_34({})


class FairAllocation34(FairAllocation, kw_only=True):
    """One loaded allocation file of 3.x; without arguments, what Hadoop has before any file is loaded."""

    maximums: dict[str, Amount34] = msgspec.field(default_factory=dict)
    """`maxResources`; the `max_resources` of 2.7 is not used."""
    child_maximums: dict[str, Amount34] = msgspec.field(default_factory=dict)
    """`maxChildResources`: of the queues below that are not in the file."""
    maximum_default: Amount34 = UNLIMITED
    container_maximums: dict[str, Resource] = msgspec.field(default_factory=dict)
    not_preemptable: frozenset[str] = frozenset()  # Queues with `allowPreemptionFrom` false
    placement_34: PlacementPolicy34 = msgspec.field(default_factory=_standard_placement)

    def maximum_of(self, queue: str) -> Amount34:
        """Return the maximum of a queue, before its parent's `maxChildResources` is looked at."""
        return self.maximums.get(queue, self.maximum_default)

    def container_maximum(self, queue: str) -> Resource:
        """The largest container of the queue; unbounded means that of its parent."""
        return self.container_maximums.get(queue, UNBOUNDED_34)

    @property
    def configured(self) -> frozenset[str]:
        """All queues of the file."""
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
    """Settings of one fair scheduler of 3.x."""

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
