"""The Master's settings in force."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec

from engine.errors import ConfigError, Problem, nearest, quoted
from engine.settings.spark import (
    DEFAULT_CORES,
    EXECUTOR_RETRIES,
    MAX_DRIVERS,
    PERSISTENCE,
    RETAINED_APPLICATIONS,
    RETAINED_DRIVERS,
    SEED,
    SELECTION_POLICY,
    SPARK,
    SPREAD_OUT,
    SPREAD_OUT_DRIVERS,
    SPREAD_OUT_FORMER,
    TIES,
    WORKER_TIMEOUT,
)


class SparkSettings(msgspec.Struct, frozen=True):
    """Settings of a standalone Master; an application cannot change any of them. Meaning: `engine.settings.spark`."""

    spread_out: bool
    spread_out_drivers: bool
    max_drivers: int
    default_cores: int
    """`INT_MAX` is no limit."""
    policy: str
    ties: str
    max_executor_retries: int
    worker_timeout_ms: int
    dead_worker_persistence: int
    retained_applications: int
    retained_drivers: int
    seed: int


_FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        SPREAD_OUT_FORMER.name: "spread_out",
        SPREAD_OUT.name: "spread_out",
        SPREAD_OUT_DRIVERS.name: "spread_out_drivers",
        MAX_DRIVERS.name: "max_drivers",
        DEFAULT_CORES.name: "default_cores",
        SELECTION_POLICY.name: "policy",
        EXECUTOR_RETRIES.name: "max_executor_retries",
        WORKER_TIMEOUT.name: "worker_timeout_ms",
        PERSISTENCE.name: "dead_worker_persistence",
        RETAINED_APPLICATIONS.name: "retained_applications",
        RETAINED_DRIVERS.name: "retained_drivers",
        TIES.name: "ties",
        SEED.name: "seed",
    }
)
"""Property → field."""

_DEFAULTS: Final = SparkSettings(**{_FIELDS[key]: SPARK.default(entry.key) for key, entry in SPARK.whole.items()})


def changed(settings: SparkSettings, values: Mapping[str, str], allowed: Iterable[str]) -> SparkSettings:
    """Settings with some values replaced; they hold from the next pass on.

    Raises:
        ConfigError: with one problem for each unknown key or unreadable value.
    """
    problems: list[Problem] = []
    fields: dict[str, Any] = {}
    # Where both names are given, the newer one holds.
    for key, text in sorted(values.items(), key=lambda item: item[0] == SPREAD_OUT.name):
        if key not in allowed:
            problems.append(Problem("not a setting of the Master", key=key, hint=nearest(key, allowed)))
            continue
        try:
            fields[_FIELDS[key]] = SPARK.whole[key].kind.read(text, None)
        except ValueError as error:
            problems.append(Problem(f"{quoted(text)}: {error if len(text) < 80 else 'too long'}", key=key))
    if problems:
        raise ConfigError(problems)
    return msgspec.structs.replace(settings, **fields)


def parse_settings(values: Mapping[str, str]) -> SparkSettings:
    """The settings a Master starts with; what is not given keeps Spark's default.

    Raises:
        ConfigError: with every problem found.
    """
    return changed(_DEFAULTS, values, SPARK.whole)
