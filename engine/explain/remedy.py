"""Remedies: acts of an operator that may start a waiting application, as values."""

from collections.abc import Callable
from typing import Final, NamedTuple

from engine.scenario.acts import Act

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
    action: Act
    sentence: str
    """In words, with the real names."""
    family: str = ""
    """Remedies of one family that have the same effect count as one."""
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
