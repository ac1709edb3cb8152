"""The settings of the fair scheduler in yarn-site.xml, typed and with the defaults of the release's code.

Source: FairSchedulerConfiguration, FairScheduler#initScheduler, Hadoop 2.7.2.
"""

from collections.abc import Mapping
from math import isnan
from typing import ClassVar

import msgspec

from engine.errors import Problem
from engine.model.java_number import divide, float32
from engine.model.resource import Resource
from engine.schedulers.settings import HadoopSettings, allocation_bounds
from engine.settings.fair import (
    ASSIGN_MULTIPLE,
    CONTINUOUS,
    CONTINUOUS_SLEEP,
    FAIR_27,
    INCREMENT_MB,
    INCREMENT_VCORES,
    MAX_ASSIGN,
    NODE_DELAY,
    NODE_THRESHOLD,
    PREEMPTION,
    PREEMPTION_INTERVAL,
    RACK_DELAY,
    RACK_THRESHOLD,
    RESERVABLE_NODES,
    RESERVATION_RULE,
    SIZE_BASED_WEIGHT,
    UPDATE_INTERVAL,
    UTILIZATION_THRESHOLD,
    WAIT_BEFORE_KILL,
)
from engine.settings.site import PORT_IN_NODE_NAME
from engine.settings.table import SettingTable

RESERVATION_RULES = ("strict", "limited", "off")
"""`strict` is 2.7.2's: a node is held for whoever's ask does not fit. The others are ours, see `assignment`."""


class FairSettings(msgspec.Struct, kw_only=True, eq=False):
    """Settings of one fair scheduler; the switches an operator may throw are changed in place."""

    is_copied_whole: ClassVar[bool] = True

    minimum: Resource
    maximum: Resource
    increment: Resource
    continuous: bool
    continuous_sleep_ms: int
    locality_thresholds: tuple[float, float]
    """Missed opportunities, as a fraction of the nodes, before a rack and before any node will do; negative is off."""
    locality_delays: tuple[float, float]
    """The same in ms, used instead with continuous scheduling."""
    ignores_locality: bool
    """Whether any locality is allowed at once, so that delay scheduling keeps no state."""
    preemption: bool
    utilization_threshold: float
    preemption_interval_ms: int
    wait_before_kill_ms: int
    assign_multiple: bool
    max_assign: int
    """Most containers per offer with `assign_multiple`; not above 0 is no limit."""
    size_based_weight: bool
    update_interval_ms: int
    port_in_node_name: bool
    reservation_rule: str
    reservable_nodes: float
    """Part of the nodes one application may hold under the rule `limited`."""

    def may_preempt(self, used: tuple[int, int], total: tuple[int, int]) -> bool:
        """Tell whether preemption is switched on and more than the threshold is used of memory or vcores.

        Source: FairScheduler#shouldAttemptPreemption.
        """
        memory = float32(divide(float32(used[0]), float32(total[0])))
        vcores = float32(divide(float32(used[1]), float32(total[1])))
        if isnan(memory) or isnan(vcores):  # Java's Math.max gives NaN, and NaN is not above anything
            return False
        return self.preemption and self.utilization_threshold < max(memory, vcores)

    def take_over(self, other: "FairSettings") -> None:
        """Become equal to another, in place: the parts of a scheduler share one object."""
        for field in self.__struct_fields__:
            setattr(self, field, getattr(other, field))


def fair_settings(values: Mapping[str, str], table: SettingTable = FAIR_27) -> FairSettings:
    """Read the settings of a release.

    Raises:
        ConfigError: With every value that cannot be read or contradicts another.
    """
    settings = HadoopSettings(values, table)
    minimum, maximum = allocation_bounds(settings)
    # Differs: an interval of 0 lets Hadoop compute shares without a pause; here it is refused.
    update_interval_ms = settings.value(UPDATE_INTERVAL)
    if update_interval_ms == 0:
        settings.problems.append(Problem("0 is not greater than 0", key=UPDATE_INTERVAL.name))
    continuous = settings.value(CONTINUOUS)
    thresholds = (
        min(settings.value(NODE_THRESHOLD), 1.0),
        min(settings.value(RACK_THRESHOLD), 1.0),
    )
    delays = (
        settings.value(NODE_DELAY),
        settings.value(RACK_DELAY),
    )
    result = FairSettings(
        minimum=minimum,
        maximum=maximum,
        increment=Resource(
            settings.value(INCREMENT_MB),
            settings.value(INCREMENT_VCORES),
        ),
        continuous=continuous,
        continuous_sleep_ms=settings.value(CONTINUOUS_SLEEP),
        locality_thresholds=thresholds,
        locality_delays=delays,
        ignores_locality=any(bound < 0 for bound in (delays if continuous else thresholds)),
        preemption=settings.value(PREEMPTION),
        utilization_threshold=settings.value(UTILIZATION_THRESHOLD),
        preemption_interval_ms=settings.value(PREEMPTION_INTERVAL),
        wait_before_kill_ms=settings.value(WAIT_BEFORE_KILL),
        assign_multiple=settings.value(ASSIGN_MULTIPLE),
        max_assign=settings.value(MAX_ASSIGN),
        size_based_weight=settings.value(SIZE_BASED_WEIGHT),
        update_interval_ms=update_interval_ms if update_interval_ms >= 0 else table.default(UPDATE_INTERVAL),
        port_in_node_name=settings.value(PORT_IN_NODE_NAME),
        reservation_rule=settings.choice(RESERVATION_RULE, RESERVATION_RULES),
        reservable_nodes=settings.value(RESERVABLE_NODES),
    )
    settings.check()
    return result
