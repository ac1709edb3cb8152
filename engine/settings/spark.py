"""Settings of a standalone Master. Keys under `schedlab.` are ours.

Source: org.apache.spark.internal.config.Deploy and Worker, Spark 4.0.1. Release 3.5 has no `spreadOutDrivers`,
`maxDrivers` and `workerSelectionPolicy`, and `spreadOut` is its only name of `spreadOutApps`; the defaults are equal.
"""

from collections.abc import Sequence
from typing import Final

from engine.model.java_values import INT_MAX
from engine.settings.table import Key, SettingEntry, SettingTable, kind_of

SPREAD_OUT_FORMER: Final = Key[bool]("spark.deploy.spreadOut")
SPREAD_OUT: Final = Key[bool]("spark.deploy.spreadOutApps")
SPREAD_OUT_DRIVERS: Final = Key[bool]("spark.deploy.spreadOutDrivers")
MAX_DRIVERS: Final = Key[int]("spark.deploy.maxDrivers")
DEFAULT_CORES: Final = Key[int]("spark.deploy.defaultCores")
SELECTION_POLICY: Final = Key[str]("spark.deploy.workerSelectionPolicy")
EXECUTOR_RETRIES: Final = Key[int]("spark.deploy.maxExecutorRetries")
WORKER_TIMEOUT: Final = Key[int]("spark.worker.timeout")
PERSISTENCE: Final = Key[int]("spark.dead.worker.persistence")
RETAINED_APPLICATIONS: Final = Key[int]("spark.deploy.retainedApplications")
RETAINED_DRIVERS: Final = Key[int]("spark.deploy.retainedDrivers")
TIES: Final = Key[str]("schedlab.spark.ties")
SEED: Final = Key[int]("schedlab.spark.seed")

TIES_BY_WORKER_ID: Final = "worker-id"  # Spark 4.x: among equals the ids decide, descending where the policy descends
TIES_BY_REGISTRATION: Final = "registration"
"""Spark 3.x: among equals the last registered first.

Differs: Spark 3.x orders equal workers by the hashes of their objects, otherwise in each run; here the last registered
is first.
"""
SELECTION_POLICIES: Final = ("CORES_FREE_DESC", "CORES_FREE_ASC", "MEMORY_FREE_DESC", "MEMORY_FREE_ASC", "WORKER_ID")


def _flag(text: str) -> bool:
    return _one_of(text.strip().lower(), ("true", "false"), "true or false") == "true"


def _positive(text: str) -> int:
    if int(text) < 1:
        raise ValueError("must be positive")
    return int(text)


def _one_of(text: str, allowed: Sequence[str], words: str = "") -> str:
    if text not in allowed:
        raise ValueError(f"expected {words or 'one of ' + ', '.join(allowed)}")
    return text


_FLAG: Final = kind_of("true or false", _flag)
_WHOLE: Final = kind_of("a whole number", int)
_POSITIVE: Final = kind_of("a whole number above 0", _positive)
_SECONDS: Final = kind_of("seconds", lambda text: _positive(text.strip().removesuffix("s")) * 1_000)
_POLICY: Final = kind_of("a policy", lambda text: _one_of(text.strip().upper(), SELECTION_POLICIES))
_TIES: Final = kind_of("an order", lambda text: _one_of(text.strip(), (TIES_BY_WORKER_ID, TIES_BY_REGISTRATION)))

_SPREADS: Final = "Spreads an application over as many workers as possible; else over as few."

SPARK: Final = SettingTable(
    "spark",
    (
        SettingEntry(SPREAD_OUT_FORMER, "true", _SPREADS, kind=_FLAG, source="Deploy.SPREAD_OUT_APPS"),
        SettingEntry(SPREAD_OUT, "true", _SPREADS, kind=_FLAG, source="Deploy.SPREAD_OUT_APPS"),
        SettingEntry(
            SPREAD_OUT_DRIVERS,
            "true",
            "Spreads drivers over workers; else each takes the first worker in order.",
            kind=_FLAG,
            source="Deploy.SPREAD_OUT_DRIVERS",
        ),
        SettingEntry(
            MAX_DRIVERS,
            str(INT_MAX),
            "The most drivers that run at the same time.",
            kind=_POSITIVE,
            bounds="above 0",
            source="Deploy.MAX_DRIVERS",
        ),
        SettingEntry(
            DEFAULT_CORES,
            str(INT_MAX),
            "The most cores of an application that sets no `spark.cores.max`.",
            "cores",
            _POSITIVE,
            "above 0",
            source="Deploy.DEFAULT_CORES, Master",
        ),
        SettingEntry(
            SELECTION_POLICY,
            SELECTION_POLICIES[0],
            "The order in which workers are offered.",
            kind=_POLICY,
            bounds=", ".join(SELECTION_POLICIES),
            source="Deploy.WORKER_SELECTION_POLICY",
        ),
        SettingEntry(
            EXECUTOR_RETRIES,
            "10",
            "The abnormal ends of executors after which an application fails; negative: never.",
            kind=_WHOLE,
            source="Deploy.MAX_EXECUTOR_RETRIES",
        ),
        SettingEntry(
            WORKER_TIMEOUT,
            "60",
            "The time without a heartbeat after which a worker is dead.",
            "s",
            _SECONDS,
            "above 0",
            source="Worker.WORKER_TIMEOUT",
        ),
        SettingEntry(
            PERSISTENCE,
            "15",
            "The worker timeouts for which a dead worker stays listed, less one.",
            kind=_WHOLE,
            source="Deploy.REAPER_ITERATIONS",
        ),
        SettingEntry(
            RETAINED_APPLICATIONS,
            "200",
            "The most completed applications that are listed.",
            kind=_POSITIVE,
            bounds="above 0",
            source="Deploy.RETAINED_APPLICATIONS",
        ),
        SettingEntry(
            RETAINED_DRIVERS,
            "200",
            "The most completed drivers that are listed.",
            kind=_POSITIVE,
            bounds="above 0",
            source="Deploy.RETAINED_DRIVERS",
        ),
        SettingEntry(
            TIES,
            TIES_BY_WORKER_ID,
            "The order of equal workers: `worker-id` is 4.x's, `registration` 3.x's.",
            kind=_TIES,
            bounds=f"{TIES_BY_WORKER_ID} or {TIES_BY_REGISTRATION}",
            source="Master#startExecutorsOnWorkers",
        ),
        SettingEntry(SEED, "0", "Seeds the shuffle that spreads drivers out.", kind=_WHOLE, source="Master#schedule"),
    ),
    live=(
        SPREAD_OUT_FORMER,
        SPREAD_OUT,
        SPREAD_OUT_DRIVERS,
        MAX_DRIVERS,
        DEFAULT_CORES,
        SELECTION_POLICY,
        EXECUTOR_RETRIES,
        TIES,
    ),
)
"""Differs: a real Master reads its settings once, at its start; here most of them may change while it runs."""
