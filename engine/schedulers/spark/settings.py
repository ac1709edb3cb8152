"""The Master's settings, parsed from Spark property names.

Source: `org.apache.spark.internal.config.Deploy` and `Worker`, Spark 4.x. `spark.deploy.spreadOut` is the older name
of `spark.deploy.spreadOutApps`. Keys under `schedlab.` are ours.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import msgspec

from engine.errors import ConfigError, Problem, nearest, quoted
from engine.model.java_number import INT_MAX
from engine.schedulers.spark.worker_order import POLICIES, TIES, TIES_BY_WORKER_ID


class SparkSettings(msgspec.Struct, frozen=True):
    """Settings of a standalone Master; an application cannot change any of them."""

    spread_out: bool = True
    """`spark.deploy.spreadOutApps`: over as many workers as possible, or on as few."""
    spread_out_drivers: bool = True
    max_drivers: int = INT_MAX
    """Drivers running at the same time."""
    default_cores: int = INT_MAX
    """`spark.cores.max` of applications that set none; `INT_MAX` is no limit."""
    policy: str = POLICIES[0]
    ties: str = TIES_BY_WORKER_ID
    max_executor_retries: int = 10
    """Abnormal executor ends after which an application fails; negative is never."""
    worker_timeout_ms: int = 60_000
    dead_worker_persistence: int = 15
    """Worker timeouts for which a DEAD worker stays listed, less one."""
    retained_applications: int = 200
    retained_drivers: int = 200
    seed: int = 0
    """Of the shuffle that places drivers when they are spread out."""


def _boolean(text: str) -> bool:
    if text.strip().lower() not in ("true", "false"):
        raise ValueError("expected true or false")
    return text.strip().lower() == "true"


def _positive(text: str) -> int:
    if int(text) < 1:
        raise ValueError("must be positive")
    return int(text)


def _seconds(text: str) -> int:
    return _positive(text.strip().removesuffix("s")) * 1000


def _policy(text: str) -> str:
    return _one_of(text.strip().upper(), POLICIES)


def _one_of(text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise ValueError(f"expected one of {', '.join(allowed)}")
    return text


KEYS: Mapping[str, tuple[str, Callable[[str], object]]] = MappingProxyType(
    {
        "spark.deploy.spreadOut": ("spread_out", _boolean),
        "spark.deploy.spreadOutApps": ("spread_out", _boolean),
        "spark.deploy.spreadOutDrivers": ("spread_out_drivers", _boolean),
        "spark.deploy.maxDrivers": ("max_drivers", _positive),
        "spark.deploy.defaultCores": ("default_cores", _positive),
        "spark.deploy.workerSelectionPolicy": ("policy", _policy),
        "spark.deploy.maxExecutorRetries": ("max_executor_retries", int),
        "spark.worker.timeout": ("worker_timeout_ms", _seconds),
        "spark.dead.worker.persistence": ("dead_worker_persistence", int),
        "spark.deploy.retainedApplications": ("retained_applications", _positive),
        "spark.deploy.retainedDrivers": ("retained_drivers", _positive),
        "schedlab.spark.ties": ("ties", lambda text: _one_of(text.strip(), TIES)),
        "schedlab.spark.seed": ("seed", int),
    }
)
"""Property name to field and parser."""

WHILE_RUNNING = (
    "spark.deploy.spreadOut",
    "spark.deploy.spreadOutApps",
    "spark.deploy.spreadOutDrivers",
    "spark.deploy.maxDrivers",
    "spark.deploy.defaultCores",
    "spark.deploy.workerSelectionPolicy",
    "spark.deploy.maxExecutorRetries",
    "schedlab.spark.ties",
)
"""Keys that may change on a running Master. Differs: the real one reads its settings once, at its start."""


def changed(settings: SparkSettings, values: Mapping[str, str], allowed: tuple[str, ...]) -> SparkSettings:
    """Settings with some values replaced; they hold from the next pass on.

    Raises:
        ConfigError: with one problem for each unknown key or unreadable value.
    """
    problems: list[Problem] = []
    fields: dict[str, object] = {}
    # Where both names are given, the newer one holds.
    for key, text in sorted(values.items(), key=lambda item: item[0] == "spark.deploy.spreadOutApps"):
        if key not in allowed:
            problems.append(Problem("not a setting of the Master", key=key, hint=nearest(key, allowed)))
            continue
        field, parse = KEYS[key]
        try:
            fields[field] = parse(text)
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
    return changed(SparkSettings(), values, tuple(KEYS))
