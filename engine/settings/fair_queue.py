"""Settings of a queue in the allocation file of FairScheduler.

Source: AllocationFileLoaderService#loadQueue, Hadoop 2.7.2; AllocationFileQueueParser, Hadoop 3.4.1.
"""

from typing import Final

from engine.settings.kind import DOUBLE, INTEGER, LONG, SINGLE
from engine.settings.table import Key, SettingEntry, SettingHelp

_ELEMENT: Final = "AllocationFileLoaderService#loadQueue"
WEIGHT: Final = Key[float]("weight")
MIN_RESOURCES: Final = Key[str]("minResources")
MAX_RESOURCES: Final = Key[str]("maxResources")
MAX_RUNNING_APPS: Final = Key[int]("maxRunningApps")
MAX_AM_SHARE: Final = Key[float]("maxAMShare")
SCHEDULING_POLICY: Final = Key[str]("schedulingPolicy")
FAIR_SHARE_TIMEOUT: Final = Key[int]("fairSharePreemptionTimeout")
MIN_SHARE_TIMEOUT: Final = Key[int]("minSharePreemptionTimeout")
FAIR_SHARE_THRESHOLD: Final = Key[float]("fairSharePreemptionThreshold")

OF_QUEUE: Final = (
    SettingEntry(
        WEIGHT,
        "1.0",
        "The part of a queue among its siblings.",
        kind=DOUBLE,
        help=SettingHelp("2.0", "part among its siblings"),
        source=_ELEMENT,
    ),
    SettingEntry(
        MIN_RESOURCES,
        "0 mb, 0 vcores",
        "The resources that the queue gets before others get their fair shares.",
        help=SettingHelp("4096 mb, 4 vcores", "what it gets first"),
        source=_ELEMENT,
    ),
    SettingEntry(
        MAX_RESOURCES,
        "",
        "The resources that the queue never exceeds.",
        shown="no limit",
        help=SettingHelp("8192 mb, 8 vcores", "what it never exceeds"),
        source=_ELEMENT,
    ),
    SettingEntry(
        MAX_RUNNING_APPS,
        "2147483647",
        "The most running applications of the queue; more wait.",
        kind=INTEGER,
        shown="no limit",
        help=SettingHelp("10", "applications that run at once"),
        source=_ELEMENT,
    ),
    SettingEntry(
        MAX_AM_SHARE,
        "0.5",
        "The part of a leaf's fair share that application masters may use; -1.0 switches the limit off.",
        "part of 1",
        SINGLE,
        "up to 1; more counts as 1",
        of_leaf=True,
        help=SettingHelp("0.5", "for masters; -1.0: all"),
        source=_ELEMENT,
    ),
    SettingEntry(
        SCHEDULING_POLICY,
        "fair",
        "The order of the queue's applications or queues: `fair`, `fifo` (leaves alone) or `drf`.",
        help=SettingHelp("fair", "fair, fifo or drf"),
        source="SchedulingPolicy#parse",
    ),
    SettingEntry(
        FAIR_SHARE_TIMEOUT,
        "",
        "The time below its part of the fair share after which a queue takes containers of others.",
        "s",
        LONG,
        fallback="parent",
        shown="never",
        help=SettingHelp("30", "seconds below fair share"),
        source=_ELEMENT,
    ),
    SettingEntry(
        MIN_SHARE_TIMEOUT,
        "",
        "The time below its minimum after which a queue takes containers of others.",
        "s",
        LONG,
        fallback="parent",
        shown="never",
        help=SettingHelp("30", "seconds below min share"),
        source=_ELEMENT,
    ),
    SettingEntry(
        FAIR_SHARE_THRESHOLD,
        "0.5",
        "The part of its fair share below which a queue starves.",
        "part of 1",
        SINGLE,
        "0 to 1; others count as the nearer one",
        fallback="parent",
        help=SettingHelp("0.5", "part of fair share it insists on"),
        source=_ELEMENT,
    ),
)
"""The settings of both releases; `schedlab` changes all of them while the scheduler runs."""

LIVE: Final = tuple(entry.key for entry in OF_QUEUE)
