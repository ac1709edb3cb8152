"""Tells which keys any scheduler reads, which of them do, and the nearest of those for one that none does.

The tables hold what is read here. A real configuration has many keys besides, so files of Hadoop are not held to this;
what is written for a simulation is.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Final

from engine.errors import nearest
from engine.model.java_values import trim
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.capacity_queue import TEMPLATE
from engine.settings.capacity_scheduler import MAX_PARALLEL, NODE_LABELS, QUEUE_MAPPINGS
from engine.settings.capacity_scheduler import PREFIX as CAPACITY_PREFIX
from engine.settings.fair import AM_PREEMPTION, FAIR_27, FAIR_34
from engine.settings.mapreduce1 import CAPACITY_TASKS, FAIR_TASKS, JOB_TRACKER, TASKS_PREFIX
from engine.settings.site import YARN_27, YARN_34
from engine.settings.spark import SPARK
from engine.settings.table import FLAG, LABELS, SettingEntry, SettingTable

TABLES: Final[Mapping[str, tuple[SettingTable, ...]]] = MappingProxyType(
    {
        "fair-2.7": (FAIR_27,),
        "fair-3.4": (FAIR_34,),
        "capacity-2.7": (CAPACITY_27,),
        "capacity-3.4": (CAPACITY_34,),
        "fifo": (YARN_27,),
        "fifo-3.4": (YARN_34,),
        "spark": (SPARK,),
        "mr1-fifo": (JOB_TRACKER,),
        "mr1-fair": (JOB_TRACKER, FAIR_TASKS),
        "mr1-capacity": (JOB_TRACKER, CAPACITY_TASKS),
    }
)
"""Scheduler → the tables of what it and its control plane read."""

TASK_QUEUES: Final = f"{TASKS_PREFIX}queue."
"""Begins the keys of a queue of MapReduce 1's CapacityTaskScheduler; the queue and the setting's name follow."""

NESTED: Final = (f"{LABELS}.", f"{TEMPLATE}.")
"""Beginnings of names of settings of a queue whose last part is itself the name of one."""

SHORT_WORD: Final = 5  # Letters of a word of a key below which another letter may be another word, as `am` and `nm` are


def readers(key: str) -> tuple[str, ...]:
    """Return the schedulers that read a key; none where it is unknown."""
    return tuple(name for name, tables in TABLES.items() if any(_reads(table, key) for table in tables))


def idle_words(key: str, scheduler: str) -> str:
    """Say that a key is another scheduler's and does nothing under this one; empty where it is read, or unknown."""
    who = readers(key)
    if not who or scheduler in who:
        return ""
    return f"does nothing under {scheduler}: only {', '.join(who)} {'reads' if len(who) == 1 else 'read'} it"


def is_odd_flag(key: str, text: str) -> bool:
    """Tell whether a text is neither true nor false where Hadoop reads one, which then counts as not stated.

    Source: Configuration#getBoolean.

    >>> is_odd_flag("yarn.scheduler.fair.preemption", "yes"), is_odd_flag("yarn.scheduler.fair.preemption", " True")
    (True, False)
    """
    if trim(text).lower() in ("true", "false"):
        return False
    entries = chain.from_iterable(
        (table.whole.get(key), *_of_queues(table, key)) for tables in TABLES.values() for table in tables
    )
    return any(entry is not None and entry.kind is FLAG for entry in entries)


def _of_queues(table: SettingTable, key: str) -> Iterator[SettingEntry]:
    if key.startswith(CAPACITY_PREFIX):
        yield from (entry for name, entry in table.queue.items() if key.endswith(f".{name}"))


def misspelt(key: str, also: Collection[str] = ()) -> str:
    """`did you mean …?` where a key is one letter off one that is known or in `also`; real files have many others."""
    if key in also or readers(key):
        return ""
    hints = (nearest(key, also), nearest_known(key))
    known = ((hint, hint.removeprefix("did you mean ").removesuffix("?")) for hint in hints if hint)
    return next((hint for hint, name in known if _is_a_letter_away(key, name)), "")


def _is_a_letter_away(one: str, other: str) -> bool:
    """Tell whether one letter is left out, added, replaced or swapped with the next, in a word that is not short."""
    begin = 0
    while begin < min(len(one), len(other)) and one[begin] == other[begin]:
        begin += 1
    word = other[other.rfind(".", 0, begin) + 1 :].partition(".")[0]
    if len(word) < SHORT_WORD:
        return False
    mine, its = one[begin:], other[begin:]
    return mine[1:] == its or mine == its[1:] or mine[1:] == its[1:] or (mine[:2] == its[1::-1] and mine[2:] == its[2:])


def nearest_known(key: str) -> str:
    """Return `did you mean …?` with the known key that is most like one; empty where none is."""
    if key.startswith(f"{CAPACITY_PREFIX}root."):
        path = key.rpartition(".")[0]
        return nearest(key, [f"{path}.{name}" for name in (*CAPACITY_34.queue, *CAPACITY_27.queue)])
    rooted = key.replace(CAPACITY_PREFIX, f"{CAPACITY_PREFIX}root.", 1)
    if key.startswith(CAPACITY_PREFIX) and readers(rooted):
        return f"did you mean {rooted}?"
    if key.startswith(TASK_QUEUES):
        queue = key.removeprefix(TASK_QUEUES).rpartition(".")[0]
        return nearest(key, [f"{TASK_QUEUES}{queue}.{each}" for each in CAPACITY_TASKS.queue])
    return nearest(key, [*dict.fromkeys(_whole()), NODE_LABELS])


def _whole() -> Iterator[str]:
    return chain.from_iterable(table.whole for tables in TABLES.values() for table in tables)


def _reads(table: SettingTable, key: str) -> bool:
    if key in table.whole:
        return True
    if table is FAIR_34:
        return key.startswith(f"{AM_PREEMPTION}.")
    if table is CAPACITY_TASKS:
        return key.startswith(TASK_QUEUES) and key.rpartition(".")[2] in table.queue
    if table not in (CAPACITY_27, CAPACITY_34):
        return False
    is_of_it = key.startswith(CAPACITY_PREFIX)
    return key == NODE_LABELS or (is_of_it and _reads_of_capacity(table, key.removeprefix(CAPACITY_PREFIX)))


def _reads_of_capacity(table: SettingTable, rest: str) -> bool:
    if rest.startswith(QUEUE_MAPPINGS.name):
        return True
    if rest.startswith("user."):
        return rest.endswith(f".{MAX_PARALLEL}")
    if not rest.startswith("root."):
        return False
    parts = rest.split(".")
    return any(_is_name(table, ".".join(parts[place:])) for place in range(1, len(parts)))


def _is_name(table: SettingTable, name: str) -> bool:
    """Tell whether a release reads a setting of this name of a queue; of a nested one by its last part, too."""
    if name in table.queue:
        return True
    if not table.reads(name):
        return False
    beginning = next((each for each in NESTED if name.startswith(each)), "")
    return not beginning or any(_is_name(table, part) for part in _ends(name.removeprefix(beginning)))


def _ends(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[place:]) for place in range(len(parts)))


# Releases of Hadoop between those whose schedulers are played, 2.7 and 3.4, and what differs there.
#
# Source: the classes of 3.3.6 asked the same as those of 3.4.1; YARN-11073.


_RELEASE: Final = re.compile(r"(\d{1,3})\.(\d{1,3})")

NOTHING: Final = "no difference is known"

BEFORE_34: Final[Mapping[str, tuple[str, ...]]] = {
    "fair": (
        "the queue root.default is always there, so that steady shares are split over one queue more",
        "placement by secondary groups leaves out a user's first group",
    ),
    "capacity": (
        "capacities in weights (2w) and new queues of two levels are refused",
        "a queue that is full at its own maximum leaves more headroom to others",
        "a mapping to a queue that is not there fails the submission",
        "preemption may take from a queue of small capacity without need (YARN-11073)",
    ),
}
"""Family of a scheduler → what differs from 3.4 in 3.0 to 3.3."""


def differences(family: str, version: str) -> str:
    """Tell as which release a release is played, and what differs; empty where it is one of those that are played.

    >>> differences("fair", "2.7.2"), differences("fair", "3.4.0"), differences("fifo", "3.3.6")
    ('', '', '3.3.6 is played as 3.4; no difference is known')
    """
    release = _RELEASE.match(version)
    if release is None or (int(release[1]), int(release[2])) <= (2, 7) or (int(release[1]), int(release[2])) >= (3, 4):
        return ""
    if release[1] != "3":
        return f"{version} is played as 2.7: what differs was not looked at"
    known = BEFORE_34.get(family, ())
    return f"{version} is played as 3.4{f', though in {version} ' if known else '; '}{'; '.join(known) or NOTHING}"
