"""Remedies: acts of an operator that may start a waiting application, as values."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import msgspec

from engine.scenario import acts

_QUEUE_SETTING: Final = "queue-setting"

_KINDS: Final[Mapping[type[acts.Act], str]] = {
    acts.RestartResourceManager: "start",
    acts.RestartJobTracker: "start",
    acts.KillContainer: "kill-master",
    acts.ReturnNode: "return",
    acts.SetPreemption: "preemption",
    acts.SetReservationRule: "rule",
    acts.SetSetting: "setting",
    acts.SetQueueSetting: _QUEUE_SETTING,
    acts.SetPriority: "priority",
    acts.MoveApplication: "move",
    acts.AddNode: "add-node",
    acts.ResizeNode: "resize",
    acts.DrainNode: "drain",
    acts.KillApplication: "kill",
}

AGAIN_MS: Final = 1000
"""Time after an act at which the applications that it lost are submitted again [ms]."""

NOW, PATCH, HARDWARE = "now", "patch", "hardware"
GROUPS: Final = (NOW, PATCH, HARDWARE)
"""Remedies that an on-call person can do now, that take a changed scheduler and a restart, that take other machines."""

_GROUPS: Final[Mapping[type[acts.Act], str]] = {
    acts.SetReservationRule: PATCH,
    acts.AddNode: HARDWARE,
    acts.ResizeNode: HARDWARE,
}
"""Acts that cannot be done now; no release has a setting for the reservation rule."""

KINDS: Final = tuple(dict.fromkeys(_KINDS.values()))
"""Kinds of remedies, those that change least for others first."""


class Remedy(msgspec.Struct, frozen=True):
    """One act of an operator, with the names of what it is done to."""

    act: acts.Act
    """Its application is a number."""
    name: str = ""
    """Name of the application; empty where it has none."""
    host: str = ""
    """Host of the node."""
    queue: str = ""
    """Path of the queue whose setting it changes, or that it moves to."""
    setting: str = ""
    """Name of the queue's setting, without what a file writes before it."""
    family: str = ""
    """Remedies of one family that have the same effect count as one."""
    dimensions: tuple[str, ...] = ("memory_mb", "vcores")
    """What the sizes in its act mean; they tell which system it is for."""
    again: tuple[int, ...] = ()
    """Applications that its act loses, and that are submitted again `AGAIN_MS` after it."""

    @property
    def kind(self) -> str:
        """One of `KINDS`."""
        return _QUEUE_SETTING if self.setting else _KINDS[type(self.act)]

    @property
    def group(self) -> str:
        """One of `GROUPS`."""
        return _GROUPS.get(type(self.act), NOW)

    @property
    def application(self) -> int:
        """Number of the application it kills, moves or ranks, or whose master it kills; 0 for nobody."""
        if isinstance(self.act, acts.KillContainer) and isinstance(self.act.container, tuple):
            return self.act.container[0]
        number = getattr(self.act, "application", 0)
        return number if isinstance(number, int) else 0


class Family(NamedTuple):
    """A remedy or, where its value is to be found, all values that one setting may be given.

    Values are tuples of ints, one for each axis, that only ever help more the larger they are.
    """

    kind: str
    make: Callable[[tuple[int, ...]], Remedy]
    """The remedy of a value."""
    lows: tuple[int, ...] = ()
    """The least value of each axis, mostly what is in force."""
    highs: tuple[int, ...] = ()
    """The largest value tried. Without axes there is one remedy only."""


def only(remedy: Remedy) -> Family:
    """The family of a remedy that has no value."""
    return Family(remedy.kind, lambda _: remedy)
