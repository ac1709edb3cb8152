"""Settings of a running ResourceManager that its `/conf` page says, as modes of the cluster.

Only the keys named here are kept: the page also has what is nobody's business.

Source: ConfServlet; FairSchedulerConfiguration, YarnConfiguration, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Mapping
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
    found = read(body, _Properties).properties
    return {each.key: each.value for each in found if each.key in KEPT and each.value is not None}


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
