"""The settings of CapacityScheduler 2.7.2 and 3.4.1."""

from typing import Final

from engine.settings import capacity_queue, capacity_queue_34, capacity_scheduler, monitor, site
from engine.settings.capacity_queue import (
    CAPACITY,
    DISABLE_PREEMPTION,
    DISABLE_WITHIN,
    MAXIMUM_CAPACITY,
    ORDERING_POLICY,
    PRIORITY,
    STATE,
)
from engine.settings.capacity_scheduler import (
    MAX_PARALLEL,
    MAXIMUM_AM_PERCENT,
    MAXIMUM_APPLICATIONS,
    MINIMUM_USER_LIMIT,
    USER_LIMIT_FACTOR,
)
from engine.settings.table import LABELS, SettingTable

_LIVE: Final = (
    CAPACITY,
    MAXIMUM_CAPACITY,
    USER_LIMIT_FACTOR,
    MINIMUM_USER_LIMIT,
    MAXIMUM_AM_PERCENT,
    MAXIMUM_APPLICATIONS,
    STATE,
    DISABLE_PREEMPTION,
)

CAPACITY_27: Final = SettingTable(
    "capacity-2.7",
    (
        *site.CHOICE,
        *site.SIZES,
        site.PORT,
        *monitor.PREEMPTION,
        *capacity_scheduler.BOTH,
        *site.RESOURCE_MANAGER,
        monitor.ADMINISTRATORS,
    ),
    capacity_queue.BOTH,
    live=_LIVE,
    families=(f"{LABELS}.",),
)

CAPACITY_34: Final = SettingTable(
    "capacity-3.4",
    (
        *site.CHOICE,
        *site.SIZES_34,
        site.PORT,
        *monitor.PREEMPTION_34,
        *capacity_scheduler.ALL_34,
        *site.RESOURCE_MANAGER_34,
        monitor.ADMINISTRATORS,
        *monitor.ONLY_34,
    ),
    capacity_queue_34.ALL_34,
    live=(*_LIVE, ORDERING_POLICY, MAX_PARALLEL, PRIORITY, DISABLE_WITHIN),
    families=(
        f"{LABELS}.",
        "user-settings.",
        "auto-create-child-queue.",
        "leaf-queue-template.",
        "auto-queue-creation-v2.",
    ),
)


def capacity_table(era: str) -> SettingTable:
    """The settings of a release, `2.7` or `3.4`."""
    return CAPACITY_34 if era == "3.4" else CAPACITY_27
