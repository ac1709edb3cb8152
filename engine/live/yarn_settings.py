"""Settings of a running ResourceManager that its `/conf` page says, as modes of the cluster.

Only the keys named here are kept: the page also has what is nobody's business.

Source: ConfServlet; FairSchedulerConfiguration, YarnConfiguration, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from engine.live.json_answers import read
from engine.observe.snapshot import UNKNOWN, Unknown

FAIR_PREEMPTION: Final = "yarn.scheduler.fair.preemption"
MONITOR: Final = "yarn.resourcemanager.scheduler.monitor.enable"
RECOVERY: Final = "yarn.resourcemanager.recovery.enabled"
PRESERVES_WORK: Final = "yarn.resourcemanager.work-preserving-recovery.enabled"
MAXIMUM_MB: Final = "yarn.scheduler.maximum-allocation-mb"
MAXIMUM_VCORES: Final = "yarn.scheduler.maximum-allocation-vcores"
RESERVABLE: Final = "yarn.scheduler.fair.reservable-nodes"

KEPT: Final = frozenset({FAIR_PREEMPTION, MONITOR, RECOVERY, PRESERVES_WORK, MAXIMUM_MB, MAXIMUM_VCORES, RESERVABLE})


SCHEDULING: Final = (
    "yarn.scheduler.capacity.",
    "yarn.scheduler.fair.",
    "yarn.scheduler.increment-allocation-",
    "yarn.scheduler.maximum-allocation-",
    "yarn.scheduler.minimum-allocation-",
    "yarn.scheduler.include-port-in-node-name",
    "yarn.acl.enable",
    "yarn.node-labels.enabled",
    "yarn.resourcemanager.am.max-attempts",
    "yarn.resourcemanager.recovery.enabled",
    "yarn.resourcemanager.work-preserving-recovery.",
    "yarn.resourcemanager.scheduler.monitor.enable",
    "yarn.resourcemanager.monitor.capacity.",
)
"""Beginnings of the keys that decide what is scheduled."""


PATHS: Final = frozenset({"yarn.scheduler.fair.allocation.file"})
"""Those of them that name files of the server."""


class _Property(msgspec.Struct, frozen=True):
    key: str
    value: str | None = None


class _Properties(msgspec.Struct, frozen=True):
    properties: tuple[_Property, ...]


class Modes(NamedTuple):
    """How a cluster behaves; `UNKNOWN` where nobody says."""

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

    Args:
        settings: As `read_settings` answers; empty where the page could not be read.
        scheduler: `FairScheduler`, `CapacityScheduler`, `FifoScheduler`.
    """
    if not settings:
        return Modes()
    is_fair = scheduler == "FairScheduler"
    preempts = _is_on(settings, FAIR_PREEMPTION if is_fair else MONITOR)
    keeps = "nothing"
    if _is_on(settings, RECOVERY):
        keeps = "containers" if _is_on(settings, PRESERVES_WORK) else "applications"
    return Modes(preempts and scheduler != "FifoScheduler", "strict" if is_fair else "", keeps)


def _is_on(settings: Mapping[str, str], key: str) -> bool:
    return settings.get(key, "").strip().lower() == "true"
