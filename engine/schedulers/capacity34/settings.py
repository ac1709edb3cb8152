"""The settings of the whole scheduler.

Source: CapacitySchedulerConfiguration, CapacityScheduler#initScheduler, CapacitySchedulerConfigValidator,
YarnConfiguration, Hadoop 3.4.1.
"""

import re
from collections.abc import Mapping
from typing import Final

from engine.model.java_values import trim
from engine.schedulers.capacity.properties import (
    CLASS_NOT_FOUND,
    RUNTIME,
    Properties,
    Refusals,
    StatedLabel,
    master_label,
)
from engine.schedulers.capacity.space import Amount
from engine.schedulers.capacity34.calculators import CALCULATORS, DEFAULT_CALCULATOR, DOMINANT_CALCULATOR, Calculator
from engine.schedulers.capacity34.queue_settings import cluster_maximum
from engine.settings import capacity
from engine.settings import capacity_scheduler as keys
from engine.settings.site import ACL_ENABLE, MAXIMUM_MB, MAXIMUM_VCORES, MINIMUM_MB, MINIMUM_VCORES, PORT_IN_NODE_NAME
from engine.settings.table import INTEGER

_OF_EVERY_NODE: Final = ("memory-mb", "vcores")  # Source: ResourceUtils#addMandatoryResources

SCHEDULER_PACKAGE: Final = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity."
MANAGEMENT: Final = f"{SCHEDULER_PACKAGE}QueueManagementDynamicEditPolicy"
DELETION: Final = f"{SCHEDULER_PACKAGE}AutoCreatedQueueDeletionPolicy"
POLICIES: Final[Mapping[str, str]] = {
    capacity.PREEMPTION_POLICY: "preempt",
    MANAGEMENT: "manage_queues",
    DELETION: "delete_queues",
}
"""Class of a monitor policy → the pass it is here."""

_LABEL = re.compile(r"([\w-]+)(?:\(exclusive=(true|false)\))?")


class CapacitySettings:
    minimum: Amount
    maximum: Amount
    max_applications: int
    max_applications_of_a_queue: int
    multiple_assignments: bool
    max_assignments: int  # Containers in one heartbeat; -1 for any number
    max_offswitch: int
    is_lazy: bool  # Whether containers selected for preemption live until others take their place
    acls_enabled: bool
    maximum_priority: int
    labels_enabled: bool
    master_label: StatedLabel  # The node label of masters whose submission names none; empty for that of their queue
    labels: dict[str, bool]  # Node labels of the cluster → whether exclusive
    max_parallel_of_users: int
    with_port: bool

    def __init__(self) -> None:
        self.calculator: Calculator = CALCULATORS[DEFAULT_CALCULATOR]()
        self.policies: tuple[str, ...] = ()  # passes of the monitor policies, in order
        self.max_parallel_of_user: dict[str, int] = {}
        self.refused_later = Refusals()  # what the class refuses after it has read the queues


def read_settings(properties: Properties) -> CapacitySettings:
    """The scheduler's settings; refusals are noted, those that the class meets after the queues in `refused_later`."""
    settings = CapacitySettings()
    _read_bounds(settings, properties)
    _read_calculator(settings, properties)
    _read_rest(settings, Properties(properties.values, settings.refused_later, properties.table))
    return settings


def _read_rest(settings: CapacitySettings, properties: Properties) -> None:
    settings.maximum_priority = properties.everywhere(capacity.MAXIMUM_PRIORITY)
    settings.with_port = properties.everywhere(PORT_IN_NODE_NAME)
    settings.acls_enabled = properties.everywhere(ACL_ENABLE)
    settings.max_applications = properties.everywhere(keys.MAXIMUM_APPLICATIONS)
    settings.max_applications_of_a_queue = properties.everywhere(keys.APPLICATIONS_OF_A_QUEUE)
    settings.is_lazy = properties.everywhere(keys.LAZY_PREEMPTION)
    settings.multiple_assignments = properties.everywhere(keys.MULTIPLE_ASSIGNMENTS)
    settings.max_assignments = properties.everywhere(keys.MAXIMUM_ASSIGNMENTS)
    settings.max_offswitch = max(properties.everywhere(keys.MAXIMUM_OFFSWITCH), 1)
    settings.labels_enabled = properties.everywhere(capacity.LABELS_ENABLED)
    settings.master_label = master_label(properties)
    settings.labels = _labels(properties) if settings.labels_enabled else {}
    _read_policies(settings, properties)
    _read_parallel(settings, properties)
    if properties.everywhere(keys.ASYNCHRONOUS):
        # Not used here, but what is no number is refused.
        properties.everywhere(keys.ASYNCHRONOUS_BACKLOGS)


def _read_bounds(settings: CapacitySettings, properties: Properties) -> None:
    settings.minimum = (properties.everywhere(MINIMUM_MB), properties.everywhere(MINIMUM_VCORES))
    settings.maximum = cluster_maximum(properties)
    for key, most_key in ((MINIMUM_MB, MAXIMUM_MB), (MINIMUM_VCORES, MAXIMUM_VCORES)):
        # As an int32 here: the class reads it once more.
        least, most = properties.everywhere(key), properties.everywhere(most_key)
        if least <= 0 or least > most:
            stated = key.name if key.name in properties.values else most_key.name
            message = f"the smallest container, {least}, is not between 1 and the largest, {most}"
            properties.refusals.add(RUNTIME, message, stated)


def _read_calculator(settings: CapacitySettings, properties: Properties) -> None:
    key = keys.RESOURCE_CALCULATOR.everywhere
    name = trim(properties.text(key) or DEFAULT_CALCULATOR)
    others = [each for each in properties.names(capacity.RESOURCE_TYPES.name) or () if each not in _OF_EVERY_NODE]
    if name not in CALCULATORS:
        properties.refusals.add(CLASS_NOT_FOUND, f"there is no resource calculator {name!r}", key)
        return
    settings.calculator = CALCULATORS[name]()
    if others and name == DEFAULT_CALCULATOR:
        message = f"the resource calculator counts memory alone, and there is {others[0]}, too"
        properties.refusals.add(RUNTIME, message, capacity.RESOURCE_TYPES.name, f"set {key} to {DOMINANT_CALCULATOR}")


def _labels(properties: Properties) -> dict[str, bool]:
    labels = {}
    for text in (properties.text(keys.NODE_LABELS) or "").split(","):
        found = _LABEL.fullmatch(text.strip())
        if found:
            labels[found.group(1)] = found.group(2) != "false"
        elif text.strip():
            properties.refusals.add("IOException", f"{text.strip()!r} is not a node label", keys.NODE_LABELS)
    return labels


def _read_policies(settings: CapacitySettings, properties: Properties) -> None:
    if not properties.everywhere(capacity.MONITORS):
        return
    key = capacity.MONITOR_POLICIES.name
    names = properties.names(key) or [capacity.PREEMPTION_POLICY]
    for name in names:
        if name not in POLICIES:
            properties.refusals.add(CLASS_NOT_FOUND, f"there is no monitor policy {name!r}", key)
    settings.policies = tuple(POLICIES[name] for name in names if name in POLICIES)


def _read_parallel(settings: CapacitySettings, properties: Properties) -> None:
    # The class reads these when an application is submitted, and fails there.
    properties = Properties(properties.values, Refusals(), properties.table)
    settings.max_parallel_of_users = properties.everywhere(keys.MAX_PARALLEL_OF_USERS)
    for rest in properties.starting_with(f"{keys.PREFIX}user."):
        user, dot, _ = rest.rpartition(f".{keys.MAX_PARALLEL}")
        if dot:
            most = properties.parsed(f"{keys.PREFIX}user.{rest}", INTEGER, settings.max_parallel_of_users)
            settings.max_parallel_of_user[user] = most


def read_intervals(properties: Properties) -> dict[str, int]:
    """Read the interval of each pass [ms]."""
    return {
        "preempt": properties.everywhere(capacity.MONITORING_INTERVAL),
        "manage_queues": properties.everywhere(capacity.QUEUE_MANAGEMENT_INTERVAL),
        "delete_queues": properties.everywhere(keys.QUEUE_EXPIRATION) * 1000,
    }
