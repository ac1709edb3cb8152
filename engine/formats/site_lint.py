"""Settings of a ResourceManager that do not do what they seem to do.

Preemption that never takes anything, access lists that keep no one out, containers of MapReduce that no node gives, and
keys that no release of YARN reads. The right to submit to a queue or to administer it, or a queue above it, lets a user
submit; root is open to all unless it says otherwise, other queues to none.

Source: ProportionalCapacityPreemptionPolicy, RMAppManager, AbstractCSQueue#hasAccess, #canAssignToThisQueue,
QueueCapacities, SchedulerUtils, MRJobConfig, ContainersMonitorImpl, YarnConfiguration, Hadoop 2.7.2 and 3.4.1.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from math import ceil
from typing import Any, Final

from engine.errors import Problem, close_matches, nearest, quoted
from engine.formats.capacity_listing import CapacityLimits, default_partition, other_scheduler
from engine.formats.daemon_lint import BEGINNINGS, NAMES
from engine.formats.finding import Finding, finding_of, found_at
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.model.java_values import setting_boolean
from engine.model.request import upwards
from engine.schedulers.capacity.properties import Properties, Refusals, master_label_key
from engine.schedulers.capacity.view import CapacityQueueRow
from engine.schedulers.settings import HadoopSettings, allocation_bounds
from engine.settings import site
from engine.settings.capacity import (
    BALANCE_WAIT,
    BALANCES,
    IGNORED_OVER_CAPACITY,
    LABELS_ENABLED,
    MONITOR_POLICIES,
    MONITORS,
    NATURAL_TERMINATION,
    OBSERVE_ONLY,
    PER_ROUND,
    PREEMPTION_POLICY,
    WAIT_BEFORE_KILL,
    WITHIN_QUEUES,
    capacity_table,
)
from engine.settings.capacity_queue import (
    ADMINISTER_ACL,
    CAPACITY,
    DEFAULT_LABEL,
    DISABLE_PREEMPTION,
    MAXIMUM_CAPACITY,
    QUEUES,
    SUBMIT_ACL,
)
from engine.settings.capacity_scheduler import MINIMUM_USER_LIMIT, PREFIX
from engine.settings.fair import NODE_THRESHOLD, RACK_THRESHOLD, fair_table
from engine.settings.fair import PREFIX as FAIR_PREFIX
from engine.settings.known import is_odd_flag, readers
from engine.settings.mapreduce1 import TASK_SCHEDULER, TASK_SCHEDULER_PACKAGE, TASK_SCHEDULERS
from engine.settings.table import INTEGER, SINGLE, Key, SettingTable
from engine.units import format_duration

_OF_POLICY: Final = OBSERVE_ONLY.name.rpartition(".")[0]  # Beginning of the keys of the policy
MARKS_LIVE: Final = 2  # The mark of a selected container is forgotten after so many `max_wait_before_kill`
SLOW_MS: Final = 600_000  # A wait for preemption longer than this is warned of [ms]


def preemption_findings(
    settings: HadoopConfiguration,
    rows: Sequence[CapacityQueueRow],
    properties: Properties,
    table: SettingTable,
    memory_mb: int,
) -> Iterator[Finding]:
    """Preemption that is off, only observes, is forbidden, takes nothing or late; `memory_mb` 0 is unknown."""
    if not properties.everywhere(MONITORS):
        yield from _without_effect(settings)
        return
    if PREEMPTION_POLICY not in (properties.names(MONITOR_POLICIES.name) or [PREEMPTION_POLICY]):
        message = "names no policy that preempts: nothing is ever preempted"
        yield found_at(settings, "preemption-nothing", MONITOR_POLICIES.name, message, PREEMPTION_POLICY)
        return
    if properties.everywhere(OBSERVE_ONLY):
        message = "true: what would be preempted is logged, and nothing is preempted"
        yield found_at(settings, "preemption-observes", OBSERVE_ONLY.name, message, f"{OBSERVE_ONLY}=false")
    for key in (PER_ROUND, NATURAL_TERMINATION):
        if properties.everywhere(key) <= 0:
            default = table.whole[key.everywhere].default
            yield found_at(settings, "preemption-nothing", key.name, "0: nothing is ever preempted", f"{default}")
    yield from _forbidden(settings, rows)
    yield from _late(settings, properties)
    leaves = [row for row in rows if row.is_leaf]
    if WITHIN_QUEUES.name in table.whole and properties.everywhere(WITHIN_QUEUES):
        yield from _between_users(settings, leaves, CapacityLimits(settings.values, table))
    elif leaves and all(maximum <= capacity for capacity, maximum in map(default_partition, leaves)):
        message = "preemption is on, and no queue may use more than its capacity: there is nothing to take"
        yield found_at(settings, "preemption-idle", MONITORS.name, message, f"{MAXIMUM_CAPACITY} above the capacity")
    if BALANCES.name in table.whole:
        yield from _little(settings, properties, memory_mb)
        yield from _balance(settings, properties)


def _without_effect(settings: HadoopConfiguration) -> Iterator[Finding]:
    """Keys of preemption where the monitor is off; only with a complete yarn-site.xml."""
    has_site = any(not key.startswith(PREFIX) for key in settings.values)
    stated = [key for key in settings.values if key.startswith(f"{_OF_POLICY}.") or key == MONITOR_POLICIES.name]
    if stated and has_site:
        message = f"has no effect: preemption is off, as {MONITORS} is not true"
        yield found_at(settings, "preemption-off", stated[0], message, f"{MONITORS}=true")


def _little(settings: HadoopConfiguration, properties: Properties, memory_mb: int) -> Iterator[Finding]:
    """Rounds that may take less than a container; 2.7 takes one all the same."""
    least_mb, round_mb = (
        properties.parsed(site.MINIMUM_MB.name, INTEGER, 1024),
        properties.everywhere(PER_ROUND) * memory_mb,
    )
    if 0 < round_mb < least_mb:
        message = f"a round may take {round_mb:.0f} MB, the smallest container has {least_mb} MB: nothing is preempted"
        enough = ceil(100 * least_mb / memory_mb) / 100
        yield found_at(settings, "preemption-round", PER_ROUND.name, message, f"{max(enough, 0.1):g} or more")


def _late(settings: HadoopConfiguration, properties: Properties) -> Iterator[Finding]:
    ignored = properties.everywhere(IGNORED_OVER_CAPACITY)
    if ignored >= 1:
        message = f"{ignored:g}: nothing is taken from a queue before it has {1 + ignored:g} times its guarantee"
        yield found_at(settings, "preemption-ignores", IGNORED_OVER_CAPACITY.name, message, "0.1, the default")
    wait_ms = properties.everywhere(WAIT_BEFORE_KILL)
    if wait_ms > SLOW_MS:
        message = f"a queue waits {format_duration(wait_ms)} for its guarantee before a container is killed for it"
        yield found_at(settings, "preemption-slow", WAIT_BEFORE_KILL.name, message, "15000, the default")


def _between_users(
    settings: HadoopConfiguration, leaves: Sequence[CapacityQueueRow], limits: CapacityLimits
) -> Iterator[Finding]:
    if leaves and all(limits.number(row, MINIMUM_USER_LIMIT).number >= 100 for row in leaves):
        message = (
            f"each user may have all of a queue ({MINIMUM_USER_LIMIT} 100), so nothing is taken from one for another"
        )
        fix = f"{MINIMUM_USER_LIMIT} of 25 for queues that users share"
        yield found_at(settings, "preemption-of-no-user", WITHIN_QUEUES.name, message, fix)


def _forbidden(settings: HadoopConfiguration, rows: Sequence[CapacityQueueRow]) -> Iterator[Finding]:
    keys = [_stating(settings, DISABLE_PREEMPTION, row.path) for row in rows if row.is_leaf]
    if keys and all(settings.values.get(key, "").strip().lower() == "true" for key in keys):
        message = "preemption is on, and nothing may be taken from any queue"
        fix = f"{DISABLE_PREEMPTION}=false for the queues that may grow beyond their capacity"
        yield found_at(settings, "preemption-forbidden", keys[0], message, fix)


def _balance(settings: HadoopConfiguration, properties: Properties) -> Iterator[Finding]:
    if not properties.everywhere(BALANCES):
        return
    wait_ms, mark_ms = properties.everywhere(BALANCE_WAIT), MARKS_LIVE * properties.everywhere(WAIT_BEFORE_KILL)
    if wait_ms <= mark_ms:
        return
    key: Key[Any] = BALANCE_WAIT if BALANCE_WAIT.name in settings.values else BALANCES
    message = (
        f"nothing is ever preempted for balance: a container is killed after {format_duration(wait_ms)}"
        f" ({BALANCE_WAIT}{'' if key is BALANCE_WAIT else ' by default'}), and its mark is forgotten after"
        f" {format_duration(mark_ms)}, twice {WAIT_BEFORE_KILL}"
    )
    yield found_at(settings, "balance-never", key.name, message, f"{BALANCE_WAIT}={mark_ms // MARKS_LIVE}")


def partition_findings(
    settings: HadoopConfiguration, rows: Sequence[CapacityQueueRow], properties: Properties, era: str
) -> Iterator[Finding]:
    """Leaves all of whose applications ask in a partition where nothing is theirs; each key that says so once.

    The root of 3.4 has all of every partition. Source: CapacitySchedulerConfiguration#getLabeledQueueCapacity, 3.4.1.
    """
    is_off = LABELS_ENABLED.name in settings.values and not properties.everywhere(LABELS_ENABLED)
    master, told = master_label_key(properties), set[str]()
    for row in rows:
        own = _stating(settings, DEFAULT_LABEL, row.path)
        for key, whose in ((own, "applications"), (master, "masters")):
            label = settings.values.get(key, "").strip()
            if not row.is_leaf or not label or key in told:
                continue
            if is_off:
                told.add(key)
                message = f"node labels are off: {whose} of {row.path} ask for {label}, and are refused"
                yield found_at(settings, "no-partition-capacity", key, message, f"{LABELS_ENABLED}=true")
                continue
            above = [each for each in upwards(row.path) if era == "2.7" or each != "root"]
            empty = [each for each in above[::-1] if not _has_part(properties, each, label)]
            if empty:
                told.add(key)
                keys = " and ".join(CAPACITY.of(each, label) for each in empty)
                message = f"{row.path} has no capacity in the partition {label}: its {whose} ask there, and none starts"
                yield found_at(settings, "no-partition-capacity", key, message, f"state {keys}, e.g. 100")


def _stating(settings: HadoopConfiguration, setting: Key[Any], path: str) -> str:
    """The key that states a setting for a queue: its own, or that of the nearest one above; empty for none."""
    return next((key for each in upwards(path) if (key := setting.of(each)) in settings.values), "")


def _has_part(properties: Properties, path: str, label: str) -> bool:
    text = properties.values.get(CAPACITY.of(path, label), "").strip()
    return text.startswith("[") or text.endswith("w") or properties.parsed(CAPACITY.of(path, label), SINGLE, 0.0) > 0


_RIGHTS = (SUBMIT_ACL, ADMINISTER_ACL)


def access_findings(settings: HadoopConfiguration, rows: Sequence[CapacityQueueRow]) -> Iterator[Finding]:
    """Lists that are not looked at, and lists of queues that are open all the same."""
    values = settings.values
    stated = [
        (right, row.path) for row in rows for right in _RIGHTS if values.get(right.of(row.path), "*").strip() != "*"
    ]
    if not stated:
        return
    keys = [right.of(path) for right, path in stated]
    for key in keys:
        users, _, groups = values[key].strip().partition(" ")
        if users.endswith(",") and groups.strip():
            message = f"a blank ends the list of users: {groups.strip()} is taken for groups"
            yield found_at(settings, "blank-in-list", key, message, "no blank after a comma")
    has_site = any(not key.startswith(PREFIX) for key in values)
    if has_site and not setting_boolean(values.get(site.ACL_ENABLE.name), False):
        others = f", as for {len(keys) - 1} more" if len(keys) > 1 else ""
        message = f"keeps no user out{others}: {site.ACL_ENABLE.name} is not true"
        yield found_at(settings, "acl-off", keys[0], message, f"{site.ACL_ENABLE.name}=true")
        return
    told: set[tuple[str, str]] = set()
    for right, path in stated:
        openers = _openers(values, path, submits=right is SUBMIT_ACL)
        if path == "root" or not openers or (right.name, openers[0]) in told:
            continue
        told.add((right.name, openers[0]))
        queue = openers[0].removeprefix(PREFIX).rpartition(".")[0]
        names = " and ".join(openers)
        message = f"keeps no user out: {queue} is open to everyone, and its child queues inherit that"
        yield found_at(settings, "acl-open", right.of(path), message, f"{names}: one blank is no user")


def _openers(values: Mapping[str, str], path: str, *, submits: bool) -> list[str]:
    """The lists, of a queue and those above it, by which everybody may use it; those of root first."""
    rights = _RIGHTS if submits else (ADMINISTER_ACL,)
    keys = [(right.of(each), "*" if each == "root" else " ") for each in [*upwards(path)][::-1] for right in rights]
    return [key for key, default in keys if values.get(key, default).strip() == "*"]


_MASTER: Final = "yarn.app.mapreduce.am.resource.mb"
_TASKS: Final = ("mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb")
_MASTER_MB: Final = 1536  # Source: MRJobConfig.DEFAULT_MR_AM_VMEM_MB

_OF_TASKS: Final = "mapred.child.java.opts"
_HEAPS: Final = {
    "mapreduce.map.java.opts": (_TASKS[0], 1024, _OF_TASKS),
    "mapreduce.reduce.java.opts": (_TASKS[1], 1024, _OF_TASKS),
    "yarn.app.mapreduce.am.command-opts": (_MASTER, _MASTER_MB, ""),
}
"""Options of a process → the key of its container's memory, the default of that [MB], and what counts otherwise."""

_HEAP: Final = re.compile(r"-Xmx(\d+)([kKmMgG])")
_NO_SIZE: Final = re.compile(r"-Xm[xs](?!\d+[kKmMgGtT]?(?:[\s\x22\x27]|$))(?![^\d\s])\S*|-Xm[xs]\d{1,6}(?=\s|$)")
"""A heap that is no whole number with a unit, or one of less than 1 MB, as bytes are without a unit."""
_UNITS_KB: Final = {"k": 1, "m": 1024, "g": 1024 * 1024}


def container_findings(
    settings: HadoopConfiguration, most_mb: int, node_mb: int, *, sizes_follow_heaps: bool
) -> Iterator[Finding]:
    """Sizes above the largest container, or above the largest node; 0 where the nodes are not known.

    From Hadoop 3 on the size of a task that is not stated follows its heap. Source: JobConf#getMemoryRequired, 3.4.1.
    """
    values = settings.values
    for key in (*_TASKS, _MASTER):
        text = values.get(key, "").strip()
        if text.isdecimal():
            yield from _too_large(settings, key, int(text), (most_mb, node_mb), key)
    for own, (size_key, default_mb, otherwise) in _HEAPS.items():
        key = own if own in values else otherwise
        follows = sizes_follow_heaps and size_key in _TASKS and values.get(size_key, "-1").strip().startswith("-")
        heap, size = _HEAP.search(values.get(key, "")), values.get(size_key, str(default_mb)).strip()
        heap_mb = int(heap[1]) * _UNITS_KB[heap[2].lower()] // 1024 if heap else 0
        if size.isdecimal() and heap_mb >= int(size) > 0 and not follows and (key == own or size_key in values):
            message = f"a heap of {heap_mb} MB in a container of {size} MB: it is killed once it uses what it may"
            fix = f"{size_key} of {ceil(heap_mb * 1.25)} or more"
            yield found_at(settings, "heap-above-container", key, message, fix)
    for key in (*_HEAPS, _OF_TASKS):
        if no_size := _NO_SIZE.search(values.get(key, "")):
            message = f"{quoted(no_size[0])} is no size of a heap: Java ends at once"
            yield found_at(settings, "heap-no-size", key, message, "a whole number with its unit, e.g. -Xmx819m")
    runs_jobs = any(key.startswith("mapreduce.") for key in values)
    if runs_jobs and _MASTER not in values:
        place = next((key for key in (site.MAXIMUM_MB.name, site.NODE_MEMORY.name) if key in values), _MASTER)
        yield from _too_large(settings, place, _MASTER_MB, (most_mb, node_mb), f"{_MASTER} by default")


def _too_large(
    settings: HadoopConfiguration, place: str, asked_mb: int, limits: tuple[int, int], name: str
) -> Iterator[Finding]:
    most_mb, node_mb = limits
    if asked_mb > most_mb:
        message = f"{name} is {asked_mb} MB, and the largest container {most_mb} MB: every such job is refused"
        yield found_at(settings, "container-above-maximum", place, message, f"{site.MAXIMUM_MB} of {asked_mb} or more")
    elif 0 < node_mb < asked_mb:
        message = f"{name} is {asked_mb} MB, and no node has more than {node_mb} MB: no such container starts"
        fix = f"{name.partition(' ')[0]} of at most {node_mb}, or larger nodes"
        yield found_at(settings, "container-above-maximum", place, message, fix)


def start_findings(settings: HadoopConfiguration, properties: Properties, capacity_file: str) -> Iterator[Finding]:
    """A scheduler without queues, values by which no ResourceManager starts, and applications that are tried once."""
    if capacity_file and QUEUES.of("root") not in settings.values and not other_scheduler(settings):
        message = "is not stated, so root has no queue: no ResourceManager starts"
        problem = Problem(message, capacity_file, 0, QUEUES.of("root"), "default, with a capacity of 100")
        yield finding_of("no-queues", problem)
    most = properties.parsed(site.MAX_ATTEMPTS.name, INTEGER, 2)
    if most < 1:
        message = f"{most}: an application needs an attempt, and no ResourceManager starts"
        yield found_at(settings, "no-start", site.MAX_ATTEMPTS.name, message, "2, the default")
    elif most == 1:
        message = "1: an application is over once its first master fails"
        yield found_at(settings, "one-attempt", site.MAX_ATTEMPTS.name, message, "2, the default")
    expiry_ms = properties.parsed(site.NODE_EXPIRY.name, INTEGER, 600_000)
    heartbeat_ms = properties.parsed(site.HEARTBEAT_INTERVAL.name, INTEGER, 1000)
    if expiry_ms < heartbeat_ms:
        message = f"{expiry_ms} ms, less than a heartbeat of {heartbeat_ms} ms: no ResourceManager starts"
        yield found_at(settings, "no-start", site.NODE_EXPIRY.name, message, "600000, the default")
    if site.FULL_DISK in settings.values and (full := properties.parsed(site.FULL_DISK, SINGLE, 90.0)) <= 1:
        message = f"{full:g} %: nearly every disk counts as full, and its node as unhealthy"
        yield found_at(settings, "disks-called-bad", site.FULL_DISK, message, "90, the default: it is a percentage")
    if (healthy := properties.parsed(HEALTHY_DISKS, SINGLE, 0.25)) > 1:
        message = f"{healthy:g}: a node is healthy only with more disks than it has"
        yield found_at(settings, "disks-called-bad", HEALTHY_DISKS, message, "0.25, the default: a part of its disks")


_LOOKED_AT: Final = (
    "yarn.scheduler.",
    "yarn.resourcemanager.scheduler.",
    "yarn.resourcemanager.monitor.capacity.",
    "yarn.nodemanager.resource.",
    "yarn.nodemanager.disk-health-checker.",
    "yarn.acl.",
    "yarn.node-labels.",
)
"""Beginnings of keys among which a misspelt one is looked for; each is short of what other daemons read."""
_DISKS: Final = "yarn.nodemanager.disk-health-checker."
HEALTHY_DISKS: Final = f"{_DISKS}min-healthy-disks"
_OF_DISKS: Final = (
    *(f"{_DISKS}{name}" for name in ("enable", "interval-ms", "min-free-space-per-disk-mb")),
    HEALTHY_DISKS,
    site.FULL_DISK,
)
"""Keys by which a node manager calls its disks full or bad. Source: LocalDirsHandlerService, 2.7.2 and 3.4.1."""
_ALIKE: Final = 0.93  # How like a key must be to one that is read [part of 1]


def misspelt_keys(settings: HadoopConfiguration, era: str) -> list[Problem]:
    """A warning for each key of YARN that is nearly like one that is read, and is none itself."""
    known = {*capacity_table(era).whole, *fair_table(era).whole, *_OF_DISKS, *NAMES}
    later = {*capacity_table("3.4").whole} - known
    whole = sorted(key for key in known if not key.startswith(PREFIX))
    found = []
    for key in settings.values:
        is_looked_at = key.startswith(_LOOKED_AT) and not key.startswith((PREFIX, FAIR_PREFIX))
        if key in known or not (is_looked_at or key.startswith(BEGINNINGS)):
            continue
        hint = "read by Hadoop 3 only" if key in later else nearly(key, whole if is_looked_at else NAMES)
        if hint:
            found.append(settings.problem(key, "unknown key: Hadoop ignores it", hint))
    return found


def nearly(key: str, known: Iterable[str]) -> str:
    """Return `did you mean …?` with the known key that is nearly the same; empty where none is."""
    return nearest(key, [each for each in known if SequenceMatcher(None, key, each).ratio() >= _ALIKE])


def odd_flags(settings: HadoopConfiguration, era: str) -> list[Problem]:
    """A warning for each flag whose text is neither true nor false; not of keys of the other release."""
    found = []
    for key, text in settings.values.items():
        is_read = any(name.endswith(era) or not name.endswith(("2.7", "3.4")) for name in readers(key))
        if is_read and key in settings.places and is_odd_flag(key, text):
            message = f"{quoted(text)} is neither true nor false: it counts as not stated"
            found.append(settings.problem(key, message))
    return found


def site_problems(settings: HadoopConfiguration, era: str) -> list[Problem]:
    """What every ResourceManager or node refuses, whichever scheduler is chosen: no number, no class of a scheduler.

    Source: Configuration#getInt; ResourceManager#createScheduler, which takes blanks for a part of the name.
    """
    read = HadoopSettings(settings.values, site.yarn_table(era))
    for entry in read.table.whole.values():
        read.value(entry.key)
    allocation_bounds(read)
    read.problems += _no_class(
        settings, site.SCHEDULER_CLASS.name, site.SCHEDULER_PACKAGE, tuple(site.SCHEDULER_CLASSES.values())
    )
    read.problems += _no_class(settings, TASK_SCHEDULER, TASK_SCHEDULER_PACKAGE, TASK_SCHEDULERS)
    return [settings.problem(each.key, each.message, each.hint) for each in dict.fromkeys(read.problems)]


def _no_class(settings: HadoopConfiguration, key: str, package: str, classes: Sequence[str]) -> Iterator[Problem]:
    """A class of Hadoop's own package that is not there; others may be."""
    chosen = settings.values.get(key, "")
    is_of_hadoop = "." not in chosen or chosen.strip().startswith(package)
    if chosen and is_of_hadoop and chosen not in classes:
        names = {name.rpartition(".")[2]: name for name in classes}
        close = close_matches(chosen.strip().rpartition(".")[2], names)
        hint = f"did you mean {names[close[0]]}?" if close else ""
        yield Problem(f"there is no class {quoted(chosen)}", key=key, hint=hint)


def high_thresholds(settings: HadoopConfiguration, era: str) -> list[Problem]:
    """A warning for each threshold of FairScheduler's delay scheduling that is no part of the nodes, as it has to be.

    Source: FSAppAttempt#getAllowedLocalityLevel, Hadoop 2.7.2 and 3.4.1.
    """
    found = []
    properties = Properties(settings.values, Refusals(), fair_table(era))
    for key in (NODE_THRESHOLD, RACK_THRESHOLD):
        stated = properties.parsed(key.name, SINGLE, -1.0)
        if stated > 1:
            message = f"{stated:g} counts as 1: it is a part of the nodes; an ask lets an offer of each pass"
            found.append(settings.problem(key.name, message, "0.5 for half of them, -1 for none"))
    return found
