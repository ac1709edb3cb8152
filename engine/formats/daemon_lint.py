"""Finds settings of daemons and of jobs around the scheduler by which something does not start, or is soon lost.

Source: HAUtil, AuxServices, ContainersMonitorImpl, NodeManagerHardwareUtils, RMAppImpl, AMLivelinessMonitor,
YarnClientProtocolProvider, RMContainerAllocator, SchedulerUtils#validateResourceRequest, Hadoop 2.7.2 and 3.4.1.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from engine.errors import plain_number, quoted
from engine.formats.capacity_listing import other_scheduler
from engine.formats.finding import Finding, found_at
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.model.java_values import setting_boolean, trim
from engine.schedulers.capacity.properties import Properties
from engine.schedulers.capacity.view import CapacityQueueRow
from engine.settings import capacity, site
from engine.settings.capacity_scheduler import QUEUE_MAPPINGS
from engine.settings.mapreduce1 import SLOTS
from engine.settings.table import INTEGER, SINGLE, ValueKind

_NODE: Final = "yarn.nodemanager."
_MANAGER: Final = "yarn.resourcemanager."
_MASTER: Final = "yarn.app.mapreduce.am."
_SERVICES: Final = f"{_NODE}aux-services"
_RATIO: Final = f"{_NODE}vmem-pmem-ratio"
_CHECK: Final = f"{_NODE}vmem-check-enabled"
_CPU_LIMIT: Final = f"{_NODE}resource.percentage-physical-cpu-limit"
_IDS: Final = f"{_MANAGER}ha.rm-ids"
_CLUSTER: Final = f"{_MANAGER}cluster-id"
_ELECTS: Final = (f"{_MANAGER}ha.automatic-failover.enabled", f"{_MANAGER}ha.automatic-failover.embedded")
_STORE: Final = f"{_MANAGER}store.class"
_ZOOKEEPERS: Final = (f"{_MANAGER}zk-address", "hadoop.zk.address")
_FRAMEWORK: Final = "mapreduce.framework.name"
FRAMEWORKS: Final = ("yarn", "local", "classic", "yarn-tez")
_GLOBAL: Final = f"{_MANAGER}am.global.max-attempts"  # Bounds attempts where it is stated, from Hadoop 3.3 on
_ATTEMPTS: Final = "mapreduce.am.max-attempts"
_QUEUE: Final = "mapreduce.job.queuename"
_FORMER: Final = {_QUEUE: "mapred.job.queue.name", site.SLOW_START: "mapred.reduce.slowstart.completed.maps"}
"""Names of settings of a job → the former ones, which a job reads as well. Source: mapreduce.util.ConfigUtil."""
_SHUFFLE: Final = "mapreduce_shuffle"
_SERVICE: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_VCORES: Final = ("mapreduce.map.cpu.vcores", "mapreduce.reduce.cpu.vcores", f"{_MASTER}resource.cpu-vcores")
_SLOWEST: Final = 3000  # Masters of Spark call this often [ms]; those of MapReduce more often

_DAEMONS: Final = {_NODE: "NodeManager", "mapred.tasktracker.": "TaskTracker", "mapred.": "JobTracker"}

NUMBERS: Final[dict[str, ValueKind[int] | ValueKind[float]]] = {
    **dict.fromkeys((_RATIO, site.FULL_DISK, site.SLOW_START), SINGLE),
    **dict.fromkeys((_CPU_LIMIT, _ATTEMPTS, *_VCORES, f"{_MASTER}resource.mb"), INTEGER),
    **dict.fromkeys(("mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb"), INTEGER),
}
"""Keys that other daemons and jobs read as numbers."""

NAMES: Final = (
    *NUMBERS,
    *(_SERVICES, _IDS, _CLUSTER, _STORE, _FRAMEWORK, _QUEUE),
    *(_CHECK, f"{_NODE}pmem-check-enabled", f"{_NODE}resource.detect-hardware-capabilities"),
    *("yarn.log-aggregation-enable", "yarn.log-aggregation.retain-seconds", str(site.MASTER_EXPIRY)),
    *(f"{_MASTER}command-opts", f"{_MASTER}admin-command-opts", f"{_MASTER}resource.vcores", f"{_MASTER}env"),
    *(f"{_MASTER}resource.memory-mb", "mapreduce.map.java.opts", "mapreduce.reduce.java.opts"),
    *("mapreduce.map.maxattempts", "mapreduce.reduce.maxattempts", "mapreduce.job.reduces", "mapreduce.job.maps"),
    *(f"{_MANAGER}ha.id", f"{_MANAGER}ha.enabled", f"{_MANAGER}recovery.enabled", f"{_NODE}recovery.enabled"),
    *("mapreduce.map.env", "mapreduce.map.speculative", "mapreduce.reduce.env", "mapreduce.reduce.speculative"),
)
"""Keys of other daemons and of jobs among which a misspelt one is looked for."""
BEGINNINGS: Final = (_NODE, _MANAGER, _MASTER, "yarn.log", "mapreduce.", "mapred.framework.")


def daemon_findings(
    settings: HadoopConfiguration, rows: Sequence[CapacityQueueRow], properties: Properties, era: str
) -> Iterator[Finding]:
    """All of them; `rows` are the queues of a capacity scheduler, none where there is none."""
    yield from number_findings(settings, NUMBERS)
    yield from _services(settings, era)
    yield from _pair(settings, era)
    yield from _jobs(settings, properties)
    yield from _queue_of_jobs(settings, rows)
    yield from _bounds(settings, properties)


def _read(settings: HadoopConfiguration, key: str) -> float | None:
    """The number a key states; None where it states none, or no number."""
    try:
        return float(trim(settings.values[key]))
    except (KeyError, ValueError):
        return None


def _stated(settings: HadoopConfiguration, key: str) -> str:
    """The name under which a setting of a job is stated."""
    return key if key in settings.values else _FORMER[key]


def number_findings(settings: HadoopConfiguration, kinds: Mapping[str, ValueKind[Any]]) -> Iterator[Finding]:
    """Values that are not what a daemon or a job reads under the key."""
    for key, kind in kinds.items():
        text = settings.values.get(key, "")
        if not text or "${" in text:
            continue
        try:
            _ = kind.read(text, 0)
        except ValueError:
            daemon = next((who for begins, who in _DAEMONS.items() if key.startswith(begins)), "")
            what = f"no {daemon} starts" if daemon else "no such job runs"
            yield found_at(
                settings, "no-number", key, f"{quoted(text)} is not {kind.words}: {what}", plain_number(trim(text), key)
            )


def _services(settings: HadoopConfiguration, era: str) -> Iterator[Finding]:
    """Services that keep a NodeManager from starting, and those that are asked for and not there."""
    values = settings.values
    names = [each for each in values.get(_SERVICES, "").split(",") if each]
    named = {trim(each) for each in names}
    for name in names:
        meant = trim(name).replace(".", "_").replace("-", "_")
        if not _SERVICE.fullmatch(name if era == "2.7" else trim(name)):
            message = f"{quoted(name)} is no name of a service (letters, digits and _ alone): no NodeManager starts"
            yield found_at(settings, "no-service", _SERVICES, message, meant)
        elif trim(name) != _SHUFFLE and f"{_SERVICES}.{trim(name)}.class" not in values:
            message = f"{trim(name)} has no class: no NodeManager starts"
            yield found_at(settings, "no-service", _SERVICES, message, f"{_SERVICES}.{trim(name)}.class")
    for key in values:
        name = key.removeprefix(f"{_SERVICES}.").removesuffix(".class")
        if key == f"{_SERVICES}.{name}.class" and name not in named and name.replace(".", "_") not in named:
            message = f"is never started: {_SERVICES} does not name {name}"
            yield found_at(settings, "service-not-named", key, message, f"{_SERVICES}={','.join([*names, name])}")
    is_whole = any(key.startswith(_NODE) for key in values)
    if is_whole and trim(values.get(_FRAMEWORK, "")) == "yarn" and not {_SHUFFLE, "mapreduce.shuffle"} & named:
        message = f"jobs of MapReduce need the service {_SHUFFLE}, and {_SERVICES} does not name it: their tasks fail"
        key = _SERVICES if _SERVICES in values else _FRAMEWORK
        yield found_at(settings, "no-shuffle", key, message, f"{_SERVICES}={','.join([*names, _SHUFFLE])}")


def _pair(settings: HadoopConfiguration, era: str) -> Iterator[Finding]:
    """A pair of ResourceManagers that does not start, and one, or a single one, that keeps no applications."""
    values, ha, recovery = settings.values, str(site.HIGH_AVAILABILITY), str(site.RECOVERY)
    recovers = setting_boolean(values.get(recovery), False)
    if recovers and trim(values.get(_STORE, "")).endswith("MemoryRMStateStore"):
        message = "keeps applications in the memory of the ResourceManager: none is there when it starts again"
        yield found_at(settings, "nothing-recovered", _STORE, message, "a FileSystemRMStateStore or ZKRMStateStore")
    if not setting_boolean(values.get(ha), False):
        return
    ids = [trim(each) for each in values.get(_IDS, "").split(",") if trim(each)]
    if any("{" in each for each in ids):  # of a template
        return
    if len(ids) < 2:
        key = _IDS if ids else ha
        message = f"{_IDS} names {len(ids) or 'no'} ResourceManager, and a pair needs two: none starts"
        yield found_at(settings, "no-pair", key, message, f"{_IDS}=rm1,rm2")
    for each in ids:
        if not any(key in values for key in (f"{_MANAGER}hostname.{each}", f"{_MANAGER}address.{each}")):
            message = f"{each} has no address: no ResourceManager starts"
            yield found_at(settings, "no-pair", _IDS, message, f"{_MANAGER}hostname.{each}")
    elects = all(setting_boolean(values.get(key), True) for key in _ELECTS)
    missing = [_CLUSTER] if _CLUSTER not in values else []
    missing += [_ZOOKEEPERS[0]] if era == "2.7" and not any(key in values for key in _ZOOKEEPERS) else []
    for key in missing if elects else ():
        message = f"{key} is not stated, and the pair elects its active one with it: no ResourceManager starts"
        yield found_at(settings, "no-pair", ha, message, key)
    if not recovers:
        message = f"{recovery} is not true: when the active ResourceManager ends, every application is lost"
        yield found_at(settings, "nothing-recovered", ha, message, f"{recovery}=true")


def _jobs(settings: HadoopConfiguration, properties: Properties) -> Iterator[Finding]:
    values = settings.values
    framework = values.get(_FRAMEWORK, "yarn")
    if framework not in FRAMEWORKS and "${" not in framework:
        message = f"{quoted(framework)} is no framework: no job of MapReduce is submitted"
        meant = trim(framework).lower()
        yield found_at(settings, "no-framework", _FRAMEWORK, message, meant if meant in FRAMEWORKS else "yarn")
    slots = next((key for key in map(str, SLOTS) if key in values), "")
    if slots and trim(values.get(_FRAMEWORK, "")) == "yarn":
        message = "slots of MapReduce 1's TaskTracker: no YARN release reads them"
        yield found_at(settings, "slots-of-mapreduce-1", slots, message, f"{site.NODE_MEMORY} and {site.NODE_VCORES}")
    slow = _stated(settings, site.SLOW_START)
    if (share := _read(settings, slow) or 0) > 1:
        message = f"{share:g} is {100 * share:g} % of the maps: no reduce ever starts"
        yield found_at(settings, "reduces-never", slow, message, "0.05 to 1: it is a part of the maps")
    most = properties.parsed(site.MAXIMUM_VCORES.name, INTEGER, 32)
    for key in _VCORES if site.MAXIMUM_VCORES.name in values else ():
        if (asked := _read(settings, key) or 0) > most:
            message = f"{asked:g} vcores, and the largest container has {most}: every such job fails"
            yield found_at(settings, "container-above-maximum", key, message, f"at most {most}")
    attempts, of_all = _read(settings, _ATTEMPTS), properties.parsed(site.MAX_ATTEMPTS.name, INTEGER, 2)
    if attempts is not None and attempts > of_all and _GLOBAL not in values:
        message = f"{attempts:g} counts as {of_all}: {site.MAX_ATTEMPTS} is the most"
        yield found_at(settings, "attempts-capped", _ATTEMPTS, message, f"{site.MAX_ATTEMPTS}={attempts:g}")


def _queue_of_jobs(settings: HadoopConfiguration, rows: Sequence[CapacityQueueRow]) -> Iterator[Finding]:
    """A queue that jobs name and that a capacity scheduler without mappings does not have."""
    key = _stated(settings, _QUEUE)
    name = trim(settings.values.get(key, ""))
    leaves = [row.path for row in rows if row.is_leaf]
    is_mapped = any(str(QUEUE_MAPPINGS) in key and text.strip() for key, text in settings.values.items())
    makes = any("auto-create" in key or "auto-queue-creation" in key for key in settings.values)
    if not name or not leaves or is_mapped or makes or other_scheduler(settings) or "${" in name:
        return
    if not any(path == name or path.rpartition(".")[2] == name for path in leaves):
        message = f"there is no leaf queue {quoted(name)}: every job that names no other is refused"
        listed = ", ".join(path.removeprefix("root.") for path in leaves[:3])
        yield found_at(settings, "no-such-queue", key, message, listed)


def _bounds(settings: HadoopConfiguration, properties: Properties) -> Iterator[Finding]:
    """Numbers that are read, and of which the daemon makes what nobody wants."""
    ratio, limit = _read(settings, _RATIO), _read(settings, _CPU_LIMIT)
    checks = setting_boolean(settings.values.get(_CHECK), True)
    if checks and ratio is not None and ratio < 1:
        message = f"{ratio:g}: a container may use less virtual memory than it is given, and is killed"
        yield found_at(settings, "memory-limit", _RATIO, message, "2.1, the default")
    if limit is not None and limit <= 0:
        message = f"{limit:g} % of the processors are for containers: no NodeManager starts"
        yield found_at(settings, "no-processors", _CPU_LIMIT, message, "100, the default")
    expiry_ms = properties.parsed(site.MASTER_EXPIRY.name, INTEGER, 600_000)
    if expiry_ms <= _SLOWEST:
        message = f"{expiry_ms} ms: masters call every 1 to 3 s, and are given up between two calls"
        yield found_at(settings, "masters-given-up", site.MASTER_EXPIRY.name, message, "600000, the default")
    for key in (capacity.PER_ROUND, capacity.NATURAL_TERMINATION):
        if (part := _read(settings, key.name) or 0) > 1:
            message = f"{part:g} is {100 * part:g} %: it is a part from 0 to 1"
            yield found_at(settings, "preemption-part", key.name, message, f"{part / 100:g}")
