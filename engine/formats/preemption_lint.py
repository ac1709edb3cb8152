"""Preemption of the capacity scheduler that is configured and never takes anything.

Source: ProportionalCapacityPreemptionPolicy, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Any, Final

from engine.formats.capacity_listing import CapacityLimits, default_partition
from engine.formats.finding import Finding, found_at
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.model.request import upwards
from engine.schedulers.capacity.properties import Properties
from engine.schedulers.capacity.view import CapacityQueueRow
from engine.settings.capacity import (
    BALANCE_WAIT,
    BALANCES,
    IGNORED_OVER_CAPACITY,
    MONITOR_POLICIES,
    MONITORS,
    NATURAL_TERMINATION,
    OBSERVE_ONLY,
    PER_ROUND,
    WAIT_BEFORE_KILL,
    WITHIN_QUEUES,
)
from engine.settings.capacity_queue import DISABLE_PREEMPTION, MAXIMUM_CAPACITY
from engine.settings.capacity_scheduler import MINIMUM_USER_LIMIT, PREFIX
from engine.settings.site import MINIMUM_MB
from engine.settings.table import INTEGER, Key, SettingTable
from engine.units import format_duration

_OF_POLICY: Final = OBSERVE_ONLY.name.rpartition(".")[0]  # Beginning of the keys of the policy

MARKS_LIVE: Final = 2  # The mark of a selected container is forgotten after so many `max_wait_before_kill`

SLOW_MS: Final = 600_000  # Who waits longer for preemption than this is warned of [ms]


def preemption_findings(
    settings: HadoopConfiguration,
    rows: Sequence[CapacityQueueRow],
    properties: Properties,
    table: SettingTable,
    memory_mb: int,
) -> Iterator[Finding]:
    """Preemption that is off, only observes, is forbidden everywhere, takes nothing or late, or forgets whom it chose.

    `memory_mb` is the memory of the cluster; 0 where nobody knows it.
    """
    if not properties.everywhere(MONITORS):
        yield from _without_effect(settings)
        return
    if properties.everywhere(OBSERVE_ONLY):
        message = "true: what would be preempted is logged, and nothing is"
        yield found_at(settings, "preemption-observes", OBSERVE_ONLY.name, message, f"{OBSERVE_ONLY}=false")
    for key in (PER_ROUND, NATURAL_TERMINATION):
        if properties.everywhere(key) <= 0:
            default = table.whole[key.everywhere].default
            yield found_at(settings, "preemption-nothing", key.name, "0: nothing is ever preempted", f"{default}")
    yield from _forbidden(settings, rows)
    yield from _late(settings, properties)
    leaves = [row for row in rows if row.is_leaf]
    if WITHIN_QUEUES.name in table.whole and properties.everywhere(WITHIN_QUEUES):
        yield from _between_users(settings, leaves, CapacityLimits(settings.values, table))
    elif leaves and all(maximum <= capacity for capacity, maximum in map(default_partition, leaves)):
        message = "preemption is on, and no queue may use more than its capacity: there is nothing to take"
        yield found_at(settings, "preemption-idle", MONITORS.name, message, f"{MAXIMUM_CAPACITY} above the capacity")
    if BALANCES.name in table.whole:
        yield from _little(settings, properties, memory_mb)
        yield from _balance(settings, properties)


def _without_effect(settings: HadoopConfiguration) -> Iterator[Finding]:
    """Keys of preemption where the monitor is off; only with a yarn-site.xml nobody doubts that it is."""
    has_site = any(not key.startswith(PREFIX) for key in settings.values)
    stated = [key for key in settings.values if key.startswith(f"{_OF_POLICY}.") or key == MONITOR_POLICIES.name]
    if stated and has_site:
        message = f"has no effect: preemption is off, as {MONITORS} is not true"
        yield found_at(settings, "preemption-off", stated[0], message, f"{MONITORS}=true")


def _little(settings: HadoopConfiguration, properties: Properties, memory_mb: int) -> Iterator[Finding]:
    """Rounds that may take less than a container; 2.7 takes one all the same."""
    least_mb, round_mb = properties.parsed(MINIMUM_MB.name, INTEGER, 1024), properties.everywhere(PER_ROUND) * memory_mb
    if 0 < round_mb < least_mb:
        message = f"a round may take {round_mb:.0f} MB, the smallest container has {least_mb} MB: nothing is preempted"
        enough = ceil(100 * least_mb / memory_mb) / 100
        yield found_at(settings, "preemption-round", PER_ROUND.name, message, f"{max(enough, 0.1):g} or more")


def _late(settings: HadoopConfiguration, properties: Properties) -> Iterator[Finding]:
    """Preemption from few, or long after a queue is below its guarantee."""
    ignored = properties.everywhere(IGNORED_OVER_CAPACITY)
    if ignored >= 1:
        message = f"{ignored:g}: nothing is taken from a queue before it has {1 + ignored:g} times its guarantee"
        yield found_at(settings, "preemption-ignores", IGNORED_OVER_CAPACITY.name, message, "0.1, the default")
    wait_ms = properties.everywhere(WAIT_BEFORE_KILL)
    if wait_ms > SLOW_MS:
        message = f"a queue waits {format_duration(wait_ms)} for its guarantee before a container is killed for it"
        yield found_at(settings, "preemption-slow", WAIT_BEFORE_KILL.name, message, "15000, the default")


def _between_users(
    settings: HadoopConfiguration, leaves: Sequence[CapacityQueueRow], limits: CapacityLimits
) -> Iterator[Finding]:
    if leaves and all(limits.number(row, MINIMUM_USER_LIMIT).number >= 100 for row in leaves):
        message = (
            f"each user may have all of a queue ({MINIMUM_USER_LIMIT} 100), so nothing is taken from one for another"
        )
        fix = f"{MINIMUM_USER_LIMIT} of 25 for queues that users share"
        yield found_at(settings, "preemption-of-no-user", WITHIN_QUEUES.name, message, fix)


def _forbidden(settings: HadoopConfiguration, rows: Sequence[CapacityQueueRow]) -> Iterator[Finding]:
    leaves = [row.path for row in rows if row.is_leaf]
    keys = [_protected_by(settings, path) for path in leaves]
    if keys and all(keys):
        message = "preemption is on, and nothing may be taken from any queue"
        fix = f"{DISABLE_PREEMPTION}=false for the queues that may grow beyond their capacity"
        yield found_at(settings, "preemption-forbidden", keys[0], message, fix)


def _protected_by(settings: HadoopConfiguration, path: str) -> str:
    """The key that keeps preemption from a queue; empty where none does."""
    values = settings.values
    key = next((key for each in upwards(path) if (key := DISABLE_PREEMPTION.of(each)) in values), "")
    return key if values.get(key, "").strip().lower() == "true" else ""


def _balance(settings: HadoopConfiguration, properties: Properties) -> Iterator[Finding]:
    if not properties.everywhere(BALANCES):
        return
    wait_ms, mark_ms = properties.everywhere(BALANCE_WAIT), MARKS_LIVE * properties.everywhere(WAIT_BEFORE_KILL)
    if wait_ms <= mark_ms:
        return
    key: Key[Any] = BALANCE_WAIT if BALANCE_WAIT.name in settings.values else BALANCES
    message = (
        f"nothing is ever preempted for balance: a container is killed after {format_duration(wait_ms)}"
        f" ({BALANCE_WAIT}{'' if key is BALANCE_WAIT else ' by default'}), and its mark is forgotten after"
        f" {format_duration(mark_ms)}, twice {WAIT_BEFORE_KILL}"
    )
    yield found_at(settings, "balance-never", key.name, message, f"{BALANCE_WAIT}={mark_ms // MARKS_LIVE}")
