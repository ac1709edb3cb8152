"""Settings of a running ResourceManager that its `/conf` page says, as modes of the cluster.

Only the keys named here are kept: the page also has what is nobody's business.

Source: ConfServlet; FairSchedulerConfiguration, YarnConfiguration, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from engine.live.json_answers import read
from engine.observe.snapshot import UNKNOWN, Unknown
from engine.settings.capacity_scheduler import PREFIX as CAPACITY_PREFIX
from engine.settings.fair import ALLOCATION_FILE, INCREMENT_MB, PREEMPTION, RESERVABLE_NODES
from engine.settings.fair import PREFIX as FAIR_PREFIX
from engine.settings.monitor import LABELS_ENABLED, MONITORS
from engine.settings.site import (
    ACL_ENABLE,
    MAX_ATTEMPTS,
    MAXIMA,
    MINIMUM_MB,
    PORT_IN_NODE_NAME,
    PRESERVES_WORK,
    RECOVERY,
)
from engine.settings.table import Key

KEPT: Final = frozenset(
    key.name
    for key in (PREEMPTION, MONITORS, RECOVERY, PRESERVES_WORK, *MAXIMA, MINIMUM_MB, INCREMENT_MB, RESERVABLE_NODES)
)

SCHEDULING: Final = (
    CAPACITY_PREFIX,
    FAIR_PREFIX,
    "yarn.scheduler.increment-allocation-",
    "yarn.scheduler.maximum-allocation-",
    "yarn.scheduler.minimum-allocation-",
    PORT_IN_NODE_NAME.name,
    ACL_ENABLE.name,
    LABELS_ENABLED.name,
    MAX_ATTEMPTS.name,
    RECOVERY.name,
    "yarn.resourcemanager.work-preserving-recovery.",
    MONITORS.name,
    "yarn.resourcemanager.monitor.capacity.",
)
"""Beginnings of the keys that decide what is scheduled."""

PATHS: Final = frozenset({ALLOCATION_FILE.name})
"""Keys that name files of the server."""


class _Property(msgspec.Struct, frozen=True):
    key: str
    value: str | None = None


class _Properties(msgspec.Struct, frozen=True):
    properties: tuple[_Property, ...]


class Modes(NamedTuple):
    """The modes of a cluster; `UNKNOWN` where nobody says."""

    preemption: bool | Unknown = UNKNOWN
    reservation_rule: str | Unknown = UNKNOWN
    restart_keeps: str | Unknown = UNKNOWN


def read_settings(body: bytes) -> Mapping[str, str]:
    """`/conf?format=json`: key → value, of the keys that are kept.

    Raises:
        AnswerError: It is something else.
    """
    return {key: text for key, text in _read_all(body) if key in KEPT}


def read_scheduling(body: bytes) -> Mapping[str, str]:
    """The same page: key → value of everything that decides what is scheduled.

    Raises:
        AnswerError: It is something else.
    """
    return {key: text for key, text in _read_all(body) if key.startswith(SCHEDULING) and key not in PATHS}


def _read_all(body: bytes) -> Iterator[tuple[str, str]]:
    return ((each.key, each.value) for each in read(body, _Properties).properties if each.value is not None)


def modes_of(settings: Mapping[str, str], scheduler: str) -> Modes:
    """The modes of a cluster.

    `settings` are as `read_settings` answers, empty where the page could not be read; `scheduler` is `FairScheduler`,
    `CapacityScheduler` or `FifoScheduler`.
    """
    if not settings:
        return Modes()
    is_fair = scheduler == "FairScheduler"
    preempts = _is_on(settings, PREEMPTION if is_fair else MONITORS)
    keeps = "nothing"
    if _is_on(settings, RECOVERY):
        keeps = "containers" if _is_on(settings, PRESERVES_WORK) else "applications"
    return Modes(preempts and scheduler != "FifoScheduler", "strict" if is_fair else "", keeps)


def _is_on(settings: Mapping[str, str], key: Key[bool]) -> bool:
    return settings.get(key.name, "").strip().lower() == "true"
