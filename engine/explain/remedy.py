"""Remedies: acts of an operator that may start a waiting application, as values and as steps of a script."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from engine.control_plane.cluster_view import ClusterView
from engine.simulation.actions import (
    Action,
    AddNode,
    DrainNode,
    KillApplication,
    MoveApplication,
    SetPreemption,
    SetPriority,
    SetQueueSetting,
    SetReservationRule,
    SetSetting,
)
from engine.simulation.faults import ResizeNode, ReturnNode

KINDS: Final = (
    "return",
    "preemption",
    "rule",
    "setting",
    "queue-setting",
    "priority",
    "move",
    "add-node",
    "resize",
    "drain",
    "kill",
)
"""Kinds of remedies, those that change least for others first."""


class Remedy(NamedTuple):
    """One act of an operator."""

    kind: str
    """One of `KINDS`."""
    action: Action
    sentence: str
    """In words, with the real names."""
    family: str = ""
    """Remedies of one family that have the same effect are told as one."""
    application: int = 0
    """Whom it kills, moves or ranks; 0 for nobody."""


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


_STEPS: Final[Mapping[type, Callable[[Any, ClusterView], dict[str, object]]]] = {
    KillApplication: lambda act, view: {"do": "kill", "application": view.application_id(act.application)},
    MoveApplication: lambda act, view: {
        "do": "move",
        "application": view.application_id(act.application),
        "queue": act.queue,
    },
    SetPriority: lambda act, view: {
        "do": "priority",
        "application": view.application_id(act.application),
        "priority": act.priority,
    },
    SetPreemption: lambda act, _: {"do": "preemption", "on": act.on},
    SetReservationRule: lambda act, _: {"do": "reservation-rule", "rule": act.rule},
    SetQueueSetting: lambda act, _: {
        "do": "queue-setting",
        "queue": act.queue,
        "key": act.key,
        "value": act.value,
    },
    SetSetting: lambda act, _: {"do": "setting", "key": act.key, "value": act.value},
    AddNode: lambda act, _: {
        "do": "add-node",
        "host": act.node.partition(":")[0],
        "memory": act.memory_mb,
        "vcores": act.vcores,
    },
    ResizeNode: lambda act, _: {
        "do": "resize",
        "node": act.node,
        "memory": act.memory_mb,
        "vcores": act.vcores,
    },
    DrainNode: lambda act, _: {"do": "drain", "node": act.node},
    ReturnNode: lambda act, _: {"do": "return", "node": act.node},
}
"""Act → the step of a script that does it, but for when."""


def script_step(action: Action, view: ClusterView) -> dict[str, object]:
    """The step of a scenario's script that does what a remedy does; `at` is to be added."""
    return _STEPS[type(action)](action, view)
