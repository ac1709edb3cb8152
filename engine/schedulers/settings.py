"""Hadoop settings as typed values: how `Configuration#getInt` and its kin read a string.

Source: o.a.h.conf.Configuration, Hadoop 2.7.2; default values are those of the release's code.
"""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import NamedTuple, TypeVar

from engine.errors import ConfigError, Problem, RefusedError, plain_number, quoted
from engine.model.request import Resource
from engine.schedulers.containers import MaximumAllocation
from engine.settings import site as keys
from engine.settings.table import SINGLE, Key, SettingTable

_Value = TypeVar("_Value")


class HadoopSettings:
    """A mapping of Hadoop keys to strings, read with defaults; a value that cannot be read is a problem."""

    def __init__(self, values: Mapping[str, str], table: SettingTable) -> None:
        self.values = dict(values)
        self.table = table  # the settings of the release
        self.problems: list[Problem] = []

    def value(self, key: Key[_Value]) -> _Value:
        """A setting, or its default. Differs: a number that is infinite or none (`NaN`) is refused; Hadoop takes it."""
        kind, default = self.table.whole[key.name].kind, self.table.default(key)
        text = self.values.get(key.name, "").strip()
        if not text:
            return default
        try:
            found: _Value = kind.read(text, default)
            if isinstance(found, float) and not isfinite(found):
                raise ValueError("not finite")
        except ValueError:
            words = "a finite number" if kind is SINGLE else kind.words
            self.problems.append(
                Problem(f"{quoted(text)} is not {words}", key=key.name, hint=plain_number(text, key.name))
            )
            return default
        return found

    def positive(self, key: Key[int]) -> int:
        """A number above 0; another one is a problem."""
        value = self.value(key)
        if value <= 0:
            self.problems.append(Problem(f"{value} is not greater than 0", key=key.name))
        return value

    def choice(self, key: Key[str], allowed: Sequence[str]) -> str:
        """One of some words; another one is a problem."""
        text = self.values.get(key.name, "").strip() or self.table.default(key)
        if text in allowed:
            return text
        self.problems.append(Problem(f"{quoted(text)} is none of {', '.join(allowed)}", key=key.name))
        return self.table.default(key)

    def check(self) -> None:
        """Raise what was found wrong so far. Raises ConfigError with every unreadable value."""
        if self.problems:
            raise ConfigError(self.problems)


def allocation_bounds(settings: HadoopSettings) -> tuple[Resource, Resource]:
    """Smallest and largest container; contradictions are noted as problems. Source: FairScheduler#validateConf."""
    minimum = Resource(settings.value(keys.MINIMUM_MB), settings.value(keys.MINIMUM_VCORES))
    maximum = Resource(settings.value(keys.MAXIMUM_MB), settings.value(keys.MAXIMUM_VCORES))
    for minimum_key, maximum_key, least, most in (
        (keys.MINIMUM_MB, keys.MAXIMUM_MB, minimum.memory_mb, maximum.memory_mb),
        (keys.MINIMUM_VCORES, keys.MAXIMUM_VCORES, minimum.vcores, maximum.vcores),
    ):
        if least < 0 or least > most:
            message = f"the smallest container, {least}, is not between 0 and the largest, {most}"
            stated = minimum_key if minimum_key.name in settings.values else maximum_key
            settings.problems.append(Problem(message, key=stated.name))
    return minimum, maximum


class RecoverySettings(NamedTuple):
    enabled: bool  # Whether there is a store it recovers from
    preserves_work: bool  # Whether containers run on and are recovered; only with a store
    wait_ms: int  # How long it allocates nothing, so that nodes and masters may come back
    node_expiry_ms: int
    stores_moves: bool  # Whether the queue an application was moved to is stored, as in 3.x
    recovers_unmanaged: bool  # Whether containers of unmanaged applications are recovered, as in 3.x


def changed_maximum(values: Mapping[str, str], now: Resource) -> tuple[Resource, dict[str, str]]:
    """The largest container once some settings are changed while a scheduler of 3.4.1 runs, and the other settings.

    Its `rmadmin -refreshQueues` reads yarn-site.xml anew. Source: AdminService#loadNewConfiguration,
    AbstractYarnScheduler#refreshMaximumAllocation, Hadoop 3.4.1. Raises RefusedError with
    `IllegalArgumentException` for a value that is no whole number above 0.
    """
    present = {keys.MAXIMUM_MB.name: str(now.memory_mb), keys.MAXIMUM_VCORES.name: str(now.vcores)}
    settings = HadoopSettings({**present, **values}, keys.YARN_34)
    found = Resource(settings.positive(keys.MAXIMUM_MB), settings.positive(keys.MAXIMUM_VCORES))
    if settings.problems:
        raise RefusedError("IllegalArgumentException", str(settings.problems[0]))
    return found, {key: text for key, text in values.items() if key not in present}


class ResourceManagerSettings(NamedTuple):
    max_attempts: int  # Attempts of an application at most
    expiry_ms: int  # How long a node may be silent
    allocation_expiry_ms: int  # How long a fetched container may not run
    recovery: RecoverySettings


def resource_manager_settings(values: Mapping[str, str], *, is_34: bool = False) -> ResourceManagerSettings:
    """Read the settings, with the defaults of 3.x or those of 2.7.

    Raises ConfigError with every value that cannot be read or is not greater than 0.

    Source: ResourceManager#validateConfigs, Hadoop 2.7.2.
    """
    settings = HadoopSettings(values, keys.YARN_34 if is_34 else keys.YARN_27)
    expiry_ms = settings.positive(keys.NODE_EXPIRY)
    enabled = settings.value(keys.RECOVERY)
    found = ResourceManagerSettings(
        settings.positive(keys.MAX_ATTEMPTS),
        expiry_ms,
        settings.positive(keys.ALLOCATION_EXPIRY),
        RecoverySettings(
            enabled,
            enabled and settings.value(keys.PRESERVES_WORK),
            settings.value(keys.SCHEDULING_WAIT),
            expiry_ms,
            is_34,
            is_34,
        ),
    )
    for key in (keys.MASTER_EXPIRY, keys.RETRY_INTERVAL, keys.SESSION_TIMEOUT):
        settings.positive(key)
    settings.check()
    return found


def maximum_at_start(
    values: Mapping[str, str], configured: Resource, now_ms: int, table: SettingTable, *, lags: bool
) -> MaximumAllocation:
    """The maximum allocation of a ResourceManager that starts now; raises ConfigError."""
    settings = HadoopSettings(values, table)
    wait_ms = settings.value(keys.SCHEDULING_WAIT)
    settings.check()
    return MaximumAllocation(configured, now_ms + wait_ms, lags)
