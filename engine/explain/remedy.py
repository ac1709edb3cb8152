"""Remedies: acts of an operator that may start a waiting application, as values and as sentences."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from engine.model.mr1.task_in_progress import PRIORITIES
from engine.model.request import YARN_DIMENSIONS
from engine.observe.snapshots import MAPREDUCE_1, terms_for
from engine.scenario import acts
from engine.settings.site import MAXIMUM_MB

_QUEUE_SETTING: Final = "queue-setting"

_KINDS: Final[Mapping[type[acts.Act], str]] = {
    acts.RestartResourceManager: "start",
    acts.RestartJobTracker: "start",
    acts.KillContainer: "kill-master",
    acts.ReturnNode: "return",
    acts.SetHealth: "return",
    acts.SetPreemption: "preemption",
    acts.SetReservationRule: "rule",
    acts.SetQueueSetting: _QUEUE_SETTING,
    acts.SetSetting: "setting",
    acts.SetPriority: "priority",
    acts.MoveApplication: "move",
    acts.AddNode: "add-node",
    acts.ResizeNode: "resize",
    acts.LabelNode: "label",
    acts.DrainNode: "drain",
    acts.KillApplication: "kill",
}

AGAIN_MS: Final = 1000  # Time after an act at which the applications that it lost are submitted again [ms]

NOW, PATCH, HARDWARE = "now", "patch", "hardware"
GROUPS: Final = (NOW, PATCH, HARDWARE)
"""Remedies that an on-call person can do now, that take a changed scheduler and a restart, that take other machines."""

_GROUPS: Final[Mapping[type[acts.Act], str]] = {
    acts.SetReservationRule: PATCH,
    acts.AddNode: HARDWARE,
    acts.ResizeNode: HARDWARE,
}
"""Acts that cannot be done now; no release has a setting for the reservation rule."""

_SETTINGS: Final = ("preemption", "rule", "setting", _QUEUE_SETTING)  # Kinds of remedies that change settings

KINDS: Final = tuple(dict.fromkeys(_KINDS.values()))  # Kinds of remedies, those that change least for others first


class Remedy(msgspec.Struct, frozen=True):
    """One act of an operator, with the names of what it is done to."""

    act: acts.Act  # Its application is a number
    name: str = ""  # Name of the application; empty where it has none
    host: str = ""  # Host of the node
    queue: str = ""  # Path of the queue whose setting it changes, or that it moves to
    setting: str = ""  # Name of the queue's setting, without what a file writes before it
    family: str = ""  # Remedies of one family that have the same effect count as one
    dimensions: tuple[str, ...] = YARN_DIMENSIONS  # What the sizes in its act mean; they tell which system it is for
    again: tuple[int, ...] = ()  # Applications that its act loses, and that are submitted again `AGAIN_MS` after it

    @property
    def kind(self) -> str:
        """One of `KINDS`."""
        return _QUEUE_SETTING if self.setting else _KINDS[type(self.act)]

    @property
    def is_setting(self) -> bool:
        return self.kind in _SETTINGS

    @property
    def group(self) -> str:
        """One of `GROUPS`."""
        return _GROUPS.get(type(self.act), NOW)

    @property
    def application(self) -> int:
        """Number of the application it kills, moves or ranks, or whose master it kills; 0 for none."""
        if isinstance(self.act, acts.KillContainer) and isinstance(self.act.container, tuple):
            return self.act.container[0]
        number = getattr(self.act, "application", 0)
        return number if isinstance(number, int) else 0


class RemedyRange(NamedTuple):
    """A remedy or, where its value is to be found, all values that one setting may be given.

    Values are tuples of ints, one for each axis, that only ever help more the larger they are.
    """

    kind: str
    make: Callable[[tuple[int, ...]], Remedy]  # The remedy of a value
    lows: tuple[int, ...] = ()  # The least value of each axis, mostly what is in force
    highs: tuple[int, ...] = ()  # The largest value tried. Without axes there is one remedy only.


def only(remedy: Remedy) -> RemedyRange:
    """The family of a remedy that has no value."""
    return RemedyRange(remedy.kind, lambda _: remedy)


class Wording(NamedTuple):
    """The form of names, sizes and values in a sentence."""

    application: Callable[[Remedy], str]
    host: Callable[[str], str]
    size: Callable[[tuple[int, int], tuple[str, ...]], str]  # Words for amounts and their dimensions
    setting: Callable[[str, str], str]  # A name and a value


def _application(remedy: Remedy) -> str:
    number, noun = remedy.application, terms_for(remedy.dimensions).application
    who = f"driver {-1 - number}" if number < 0 else f"{noun} {number}" if remedy.name else str(number)
    return f"{who} ({remedy.name})" if remedy.name else who


def exact_amounts(amounts: Sequence[int], dimensions: Sequence[str], joint: str = " and ") -> str:
    """Write each amount with its unit.

    >>> exact_amounts((64000, 1), ("memory_mb", "vcores")), exact_amounts((2, 1), ("map_slots", "reduce_slots"))
    ('64000 MB and 1 vcore', '2 map slots and 1 reduce slot')
    """
    units = [_UNITS.get(name, name.replace("_", " ").removesuffix("s")) for name in dimensions]
    pairs = zip(amounts, units, strict=False)
    return joint.join(f"{amount} {unit}{'s' * (amount != 1 and unit != 'MB')}" for amount, unit in pairs if amount)


_UNITS: Final = {"memory_mb": "MB"}

FULL: Final = Wording(
    application=_application,
    host=str,
    size=exact_amounts,
    setting=lambda name, value: f"set {name} to {value}",
)
"""With exact amounts and whole names."""


def remedy_sentence(remedy: Remedy, wording: Wording = FULL) -> str:
    """Write a remedy.

    >>> remedy_sentence(Remedy(acts.KillApplication(183354), name="weekly model"))
    'kill application 183354 (weekly model)'
    >>> remedy_sentence(Remedy(acts.SetPriority(2, 4), name="index", dimensions=("map_slots", "reduce_slots")))
    'give job 2 (index) priority VERY_HIGH'
    """
    match remedy.act:
        case acts.KillApplication() | acts.KillContainer():
            what = "the application master of " if isinstance(remedy.act, acts.KillContainer) else ""
            return f"kill {what}{wording.application(remedy)}"
        case acts.MoveApplication():
            return f"move {wording.application(remedy)} to {remedy.queue}"
        case acts.SetPriority(priority=priority):
            is_job = terms_for(remedy.dimensions) is MAPREDUCE_1
            level = PRIORITIES[-1 - priority] if is_job and 0 <= priority < len(PRIORITIES) else priority
            return f"give {wording.application(remedy)} priority {level}"
        case acts.ReturnNode(also=also):
            return f"return {_with(wording.host(remedy.host), also)}"
        case acts.SetHealth(also=also):
            return f"make {_with(wording.host(remedy.host), also)} healthy again"
        case acts.LabelNode(partition=partition):
            return f"move {wording.host(remedy.host)} to {_part(partition)}"
        case acts.DrainNode():
            return f"drain {wording.host(remedy.host)}"
        case acts.ResizeNode(memory_mb=memory_mb, vcores=vcores):
            return f"enlarge {wording.host(remedy.host)} to {wording.size((memory_mb, vcores), remedy.dimensions)}"
        case acts.AddNode(memory_mb=memory_mb, vcores=vcores, partition=partition):
            size, where = wording.size((memory_mb, vcores), remedy.dimensions), partition and f" in {_part(partition)}"
            return f"add a {terms_for(remedy.dimensions).node} of {size}{where}"
    return _switch(remedy, wording)


def _with(host: str, also: Sequence[str]) -> str:
    return f"{host} and {len(also)} more" if also else host


def _part(partition: str) -> str:
    return f"the partition {partition}" if partition else "the default partition"


def _again(remedy: Remedy) -> str:
    noun, whom = terms_for(remedy.dimensions).application, remedy.again
    if len(whom) < 2:
        return f", then submit {noun} {whom[0]} again, which it loses" if whom else ""
    return f", then submit the {len(whom)} {noun}s again that it loses"


def _switch(remedy: Remedy, wording: Wording) -> str:
    match remedy.act:
        case acts.RestartResourceManager() | acts.RestartJobTracker():
            return f"start the {terms_for(remedy.dimensions).master}{_again(remedy)}"
        case acts.SetPreemption(on=on):
            return f"switch preemption {'on' if on else 'off'}"
        case acts.SetReservationRule(rule=rule):
            return wording.setting("the reservation rule", rule)
        case acts.SetQueueSetting(value=value) | acts.SetSetting(value=value) if remedy.setting:
            return wording.setting(f"{remedy.setting} of {remedy.queue}", value or "nothing")
        case acts.SetSetting(key=key, value=value):
            later = " for later asks" if key == MAXIMUM_MB.name else ""
            return wording.setting(key, value) + later
    raise AssertionError(f"{type(remedy.act).__name__} is not a remedy")
