"""Hadoop settings as typed values: how `Configuration#getInt` and its kin read a string.

Source: o.a.h.conf.Configuration, Hadoop 2.7.2; default values are those of the release's code.
"""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Final, NamedTuple, TypeVar

from engine.errors import ConfigError, Problem, RefusedError, quoted
from engine.model.java_number import float32
from engine.model.java_values import parse_float, parse_int, parse_long
from engine.model.resource import Resource
from engine.schedulers.calculator import MaximumAllocation

_Value = TypeVar("_Value")

_LONGEST_HEX: Final = 40
"""More characters than any hexadecimal number of Java has, leading zeros aside."""

MINIMUM_MB = "yarn.scheduler.minimum-allocation-mb"
MINIMUM_VCORES = "yarn.scheduler.minimum-allocation-vcores"
MAXIMUM_MB = "yarn.scheduler.maximum-allocation-mb"
MAXIMUM_VCORES = "yarn.scheduler.maximum-allocation-vcores"
MAXIMA: Final = (MAXIMUM_MB, MAXIMUM_VCORES)
SCHEDULING_WAIT = "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms"
"""How long after its start a ResourceManager allocates nothing, if it recovers, and answers with the configured
maximum allocation alone."""

MAX_ATTEMPTS: Final = "yarn.resourcemanager.am.max-attempts"
EXPIRY: Final = "yarn.nm.liveness-monitor.expiry-interval-ms"
"""How long a ResourceManager waits for a node's heartbeat before the node is lost."""

ALLOCATION_EXPIRY: Final = "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms"
"""How long a container that was fetched may not run before it is taken back."""

MASTER_EXPIRY: Final = "yarn.am.liveness-monitor.expiry-interval-ms"
"""How long a ResourceManager waits for an application master's call before its attempt has failed."""

RECOVERY: Final = "yarn.resourcemanager.recovery.enabled"
PRESERVES_WORK: Final = "yarn.resourcemanager.work-preserving-recovery.enabled"

RETRY_INTERVAL: Final = "yarn.resourcemanager.connect.retry-interval.ms"
"""How long nodes, application masters and clients wait before they try a ResourceManager again."""

HIGH_AVAILABILITY: Final = "yarn.resourcemanager.ha.enabled"
SESSION_TIMEOUT: Final = "yarn.resourcemanager.zk-timeout-ms"
"""After how long without a sign ZooKeeper gives up the active ResourceManager of a pair."""

NODE_RECOVERY: Final = "yarn.nodemanager.recovery.enabled"
"""Whether a node manager that starts again knows its containers, so that they run on."""

PORT_IN_NODE_NAME = "yarn.scheduler.include-port-in-node-name"


def with_defaults_34(values: Mapping[str, str]) -> Mapping[str, str]:
    """The settings, with what 3.x's code has as default where 2.7's has something else."""
    return {MAXIMUM_VCORES: "4", **values}


class HadoopSettings:
    """A mapping of Hadoop keys to strings, read with defaults; a value that cannot be read is a problem."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = dict(values)
        self.problems: list[Problem] = []

    def integer(self, key: str, default: int) -> int:
        """An int32 (also `0x…`), as `Configuration#getInt`."""
        return self._read(key, default, lambda text: _whole(text, parse_int), "a whole number")

    def long(self, key: str, default: int) -> int:
        """An int64 (also `0x…`), as `Configuration#getLong`."""
        return self._read(key, default, lambda text: _whole(text, parse_long), "a whole number")

    def single(self, key: str, default: float) -> float:
        """A float32, as `Configuration#getFloat`. Differs: Hadoop takes NaN and infinity."""
        return float32(self._read(key, default, _finite, "a finite number"))

    def positive(self, key: str, default: int) -> int:
        """An int64 above 0."""
        value = self.long(key, default)
        if value <= 0:
            self.problems.append(Problem(f"{value} is not greater than 0", key=key))
        return value

    def flag(self, key: str, default: bool) -> bool:
        """A boolean, as `Configuration#getBoolean`: anything but true and false is the default."""
        text = self.values.get(key, "").strip().lower()
        return {"true": True, "false": False}.get(text, default)

    def choice(self, key: str, default: str, allowed: Sequence[str]) -> str:
        """One of some words."""
        text = self.values.get(key, "").strip() or default
        if text in allowed:
            return text
        self.problems.append(Problem(f"{quoted(text)} is none of {', '.join(allowed)}", key=key))
        return default

    def check(self) -> None:
        """Raise what was found wrong so far.

        Raises:
            ConfigError: With every unreadable value.
        """
        if self.problems:
            raise ConfigError(self.problems)

    def _read(self, key: str, default: _Value, parse: Callable[[str], _Value], wanted: str) -> _Value:
        text = self.values.get(key, "").strip()
        if not text:
            return default
        try:
            return parse(text)
        except ValueError:
            self.problems.append(Problem(f"{quoted(text)} is not {wanted}", key=key))
            return default


def _finite(text: str) -> float:
    value = parse_float(text)
    if not isfinite(float32(value)):
        raise ValueError("not finite")
    return value


def _whole(text: str, parse: Callable[[str], int]) -> int:
    """A whole number; hexadecimal digits are handed to Java's parser as the decimal they mean."""
    negative, digits = text.startswith("-"), text.removeprefix("-")
    if digits[:2].lower() != "0x" or len(digits) > _LONGEST_HEX:
        return parse(text)
    return parse(f"{'-' if negative else ''}{int(digits, 16)}")


def allocation_bounds(settings: HadoopSettings) -> tuple[Resource, Resource]:
    """Smallest and largest container, checked against each other.

    Raises nothing; contradictions are added to the settings' problems.

    Source: FairScheduler#validateConf, FifoScheduler#validateConf, Hadoop 2.7.2.
    """
    minimum = Resource(settings.integer(MINIMUM_MB, 1024), settings.integer(MINIMUM_VCORES, 1))
    maximum = Resource(settings.integer(MAXIMUM_MB, 8192), settings.integer(MAXIMUM_VCORES, 32))
    for key, least, most in (
        (MINIMUM_MB, minimum.memory_mb, maximum.memory_mb),
        (MINIMUM_VCORES, minimum.vcores, maximum.vcores),
    ):
        if least < 0 or least > most:
            settings.problems.append(Problem(f"{least} is not between 0 and the maximum allocation {most}", key=key))
    return minimum, maximum


class RecoverySettings(NamedTuple):
    """What a ResourceManager does when it starts on a state store."""

    enabled: bool = False
    """Whether there is a store it recovers from."""
    preserves_work: bool = False
    """Whether containers run on and are recovered; only with a store."""
    wait_ms: int = 10_000
    """How long it allocates nothing, so that nodes and masters may come back."""
    node_expiry_ms: int = 600_000
    stores_moves: bool = False
    """Whether the queue an application was moved to is stored, as in 3.x."""
    recovers_unmanaged: bool = False
    """Whether containers of unmanaged applications are recovered, as in 3.x."""


def changed_maximum(values: Mapping[str, str], now: Resource) -> tuple[Resource, dict[str, str]]:
    """The largest container once some settings are changed while a scheduler of 3.4.1 runs, and the other settings.

    Its `rmadmin -refreshQueues` reads yarn-site.xml anew. Source: AdminService#loadNewConfiguration,
    AbstractYarnScheduler#refreshMaximumAllocation, Hadoop 3.4.1.

    Raises:
        RefusedError: `IllegalArgumentException` for a value that is no whole number above 0.
    """
    settings = HadoopSettings({MAXIMUM_MB: str(now.memory_mb), MAXIMUM_VCORES: str(now.vcores), **values})
    found = Resource(settings.positive(MAXIMUM_MB, now.memory_mb), settings.positive(MAXIMUM_VCORES, now.vcores))
    if settings.problems:
        raise RefusedError("IllegalArgumentException", str(settings.problems[0]))
    return found, {key: text for key, text in values.items() if key not in MAXIMA}


class ResourceManagerSettings(NamedTuple):
    """What a ResourceManager itself reads, whatever its scheduler."""

    max_attempts: int
    """Attempts of an application at most."""
    expiry_ms: int
    """How long a node may be silent."""
    allocation_expiry_ms: int
    """How long a fetched container may not run."""
    recovery: RecoverySettings


def resource_manager_settings(values: Mapping[str, str], *, is_34: bool = False) -> ResourceManagerSettings:
    """Read the settings, with the defaults of 3.x or those of 2.7.

    Source: ResourceManager#validateConfigs, Hadoop 2.7.2.

    Raises:
        ConfigError: With every value that cannot be read or is not greater than 0.
    """
    settings = HadoopSettings(values)
    expiry_ms = settings.positive(EXPIRY, 600_000)
    enabled = settings.flag(RECOVERY, False)
    found = ResourceManagerSettings(
        settings.positive(MAX_ATTEMPTS, 2),
        expiry_ms,
        settings.positive(ALLOCATION_EXPIRY, 600_000),
        RecoverySettings(
            enabled,
            enabled and settings.flag(PRESERVES_WORK, True),
            settings.long(SCHEDULING_WAIT, 10_000),
            expiry_ms,
            is_34,
            is_34,
        ),
    )
    for key, default in ((MASTER_EXPIRY, 600_000), (RETRY_INTERVAL, 30_000), (SESSION_TIMEOUT, 10_000)):
        settings.positive(key, default)
    settings.check()
    return found


def maximum_at_start(values: Mapping[str, str], configured: Resource, now_ms: int, *, lags: bool) -> MaximumAllocation:
    """The maximum allocation of a ResourceManager that starts now; `lags` as of `MaximumAllocation`.

    Raises:
        ConfigError: The length of the start-up period cannot be read.
    """
    settings = HadoopSettings(values)
    wait_ms = settings.long(SCHEDULING_WAIT, 10_000)
    settings.check()
    return MaximumAllocation(configured, now_ms + wait_ms, lags)
