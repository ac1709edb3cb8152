"""Keys that no YARN release reads: those of MapReduce 1's schedulers, and names nearly like one that is read.

Source: CapacitySchedulerConf, FairScheduler of Hadoop 1.2.1; YarnConfiguration, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from engine.errors import Problem, nearest
from engine.formats.fair_listing import EffectiveValue, QueueListing
from engine.formats.finding import Finding, found_at
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.settings.capacity import capacity_table
from engine.settings.capacity_scheduler import PREFIX as CAPACITY_PREFIX
from engine.settings.fair import PREFIX as FAIR_PREFIX
from engine.settings.fair import fair_table
from engine.settings.mapreduce1 import CAPACITY_TASKS, TASKS_PREFIX

_QUEUE: Final = f"{TASKS_PREFIX}queue."
_FAIR_1: Final = "mapred.fairscheduler."
_LOOKED_AT: Final = (
    "yarn.scheduler.",
    "yarn.resourcemanager.scheduler.",
    "yarn.resourcemanager.monitor.capacity.",
    "yarn.nodemanager.resource.",
    "yarn.acl.",
    "yarn.node-labels.",
)
"""Beginnings of keys among which a misspelt one is looked for; each is short of what other daemons read."""
_ALIKE: Final = 0.93  # How like a key must be to one that is read [part of 1]


def mapreduce_1_findings(settings: HadoopConfiguration) -> Iterator[Finding]:
    """Keys of the two schedulers of MapReduce 1, each scheduler once."""
    for prefix, scheduler in ((TASKS_PREFIX, "CapacityTaskScheduler"), (_FAIR_1, "FairScheduler")):
        keys = [key for key in settings.values if key.startswith(prefix)]
        if keys:
            others = f", and {len(keys) - 1} more like it," if len(keys) > 1 else ""
            message = f"a key{others} of MapReduce 1's {scheduler} in a JobTracker: no YARN release reads it"
            yield found_at(settings, "mapreduce-1", keys[0], message, "YARN has yarn.scheduler.capacity.root.queues")


def mapreduce_1_queues(settings: HadoopConfiguration) -> tuple[QueueListing, ...]:
    """The queues of a CapacityTaskScheduler with what is stated of each, and what holds of its capacity otherwise."""
    queues: dict[str, list[EffectiveValue]] = {}
    for key, text in settings.values.items():
        if key.startswith(_QUEUE):
            name, _, setting = key.removeprefix(_QUEUE).partition(".")
            file, line = settings.places[key]
            queues.setdefault(name, []).append(EffectiveValue(setting, text.strip(), f"{file}:{line}"))
    return tuple(
        QueueListing(path=name, parent=False, place=values[0].origin, values=tuple(values))
        for name, values in queues.items()
    )


def misspelt_keys(settings: HadoopConfiguration, era: str) -> list[Problem]:
    """A warning for each key of YARN that is nearly like one that is read, and is none itself."""
    known = {
        *capacity_table(era).listed(),
        *capacity_table(era).whole,
        *fair_table(era).whole,
        *fair_table(era).listed(),
    }
    later = {*capacity_table("3.4").whole} - known
    whole = sorted(key for key in known if not key.startswith(CAPACITY_PREFIX))
    found = []
    for key in settings.values:
        is_looked_at = key.startswith(_LOOKED_AT) and not key.startswith((CAPACITY_PREFIX, FAIR_PREFIX))
        if not is_looked_at or key in known:
            continue
        alike = [each for each in whole if SequenceMatcher(None, key, each).ratio() >= _ALIKE]
        hint = "read by Hadoop 3 only" if key in later else nearest(key, alike)
        if hint:
            file, line = settings.places.get(key, ("", 0))
            found.append(Problem("unknown key: Hadoop ignores it", file, line, key, hint))
    return found


def unread_tasks(settings: HadoopConfiguration) -> list[Problem]:
    """A warning for each key below `mapred.capacity-scheduler.` that no scheduler reads."""
    found = []
    for key in settings.values:
        rest = key.removeprefix(_QUEUE).partition(".")[2] if key.startswith(_QUEUE) else ""
        is_known = rest in CAPACITY_TASKS.queue if rest else key in CAPACITY_TASKS.whole
        if key.startswith(TASKS_PREFIX) and not is_known:
            file, line = settings.places.get(key, ("", 0))
            hint = nearest(rest or key, CAPACITY_TASKS.queue if rest else CAPACITY_TASKS.whole)
            found.append(Problem("unknown key: MapReduce 1 ignores it, too", file, line, key, hint))
    return found
