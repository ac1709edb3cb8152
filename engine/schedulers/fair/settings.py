"""What yarn-site.xml says to the fair scheduler, typed and with the defaults of 2.7.2's code.

Source: FairSchedulerConfiguration, FairScheduler#initScheduler, Hadoop 2.7.2.
"""

from collections.abc import Mapping
from math import isnan
from typing import ClassVar

import msgspec

from engine.errors import Problem
from engine.model.java_number import divide, float32
from engine.model.resource import Resource
from engine.schedulers.settings import PORT_IN_NODE_NAME, HadoopSettings, allocation_bounds

PREFIX = "yarn.scheduler.fair."
RESERVATION_RULES = ("strict", "limited", "off")
"""`strict` is 2.7.2's: a node is held for whoever's ask does not fit. The others are ours, see `assignment`."""

RESERVATION_RULE = "schedlab.reservation.rule"
RESERVABLE_NODES = "yarn.scheduler.fair.reservable-nodes"


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
    reservation_rule: str = "strict"
    reservable_nodes: float = float32(0.05)
    """Part of the nodes one application may hold under the rule `limited`."""

    def may_preempt(self, used: tuple[int, int], total: tuple[int, int]) -> bool:
        """Whether preemption is switched on and more than the threshold is used of memory or vcores.

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


def fair_settings(values: Mapping[str, str]) -> FairSettings:
    """Read the settings.

    Raises:
        ConfigError: With every value that cannot be read or contradicts another.
    """
    settings = HadoopSettings(values)
    minimum, maximum = allocation_bounds(settings)
    # Differs: an interval of 0 lets Hadoop compute shares without a pause; here it is refused.
    update_interval_ms = settings.long(PREFIX + "update-interval-ms", 500)
    if update_interval_ms == 0:
        settings.problems.append(Problem("0 is not greater than 0", key=PREFIX + "update-interval-ms"))
    continuous = settings.flag(PREFIX + "continuous-scheduling-enabled", False)
    thresholds = (
        min(settings.single(PREFIX + "locality.threshold.node", -1.0), 1.0),
        min(settings.single(PREFIX + "locality.threshold.rack", -1.0), 1.0),
    )
    delays = (
        settings.long(PREFIX + "locality-delay-node-ms", -1),
        settings.long(PREFIX + "locality-delay-rack-ms", -1),
    )
    result = FairSettings(
        minimum=minimum,
        maximum=maximum,
        increment=Resource(
            settings.integer("yarn.scheduler.increment-allocation-mb", 1024),
            settings.integer("yarn.scheduler.increment-allocation-vcores", 1),
        ),
        continuous=continuous,
        continuous_sleep_ms=settings.integer(PREFIX + "continuous-scheduling-sleep-ms", 5),
        locality_thresholds=thresholds,
        locality_delays=delays,
        ignores_locality=any(bound < 0 for bound in (delays if continuous else thresholds)),
        preemption=settings.flag(PREFIX + "preemption", False),
        utilization_threshold=settings.single(PREFIX + "preemption.cluster-utilization-threshold", 0.8),
        preemption_interval_ms=settings.integer(PREFIX + "preemptionInterval", 5000),
        wait_before_kill_ms=settings.integer(PREFIX + "waitTimeBeforeKill", 15000),
        assign_multiple=settings.flag(PREFIX + "assignmultiple", False),
        max_assign=settings.integer(PREFIX + "max.assign", -1),
        size_based_weight=settings.flag(PREFIX + "sizebasedweight", False),
        update_interval_ms=update_interval_ms if update_interval_ms >= 0 else 500,
        port_in_node_name=settings.flag(PORT_IN_NODE_NAME, False),
        reservation_rule=settings.choice(RESERVATION_RULE, "strict", RESERVATION_RULES),
        reservable_nodes=settings.single(RESERVABLE_NODES, 0.05),
    )
    settings.check()
    return result
