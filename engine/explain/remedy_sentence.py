"""Writes a remedy as a sentence; how names, sizes and values look is a parameter."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from engine.explain.remedy import Remedy
from engine.observe.system_words import words_of
from engine.scenario import acts
from engine.settings.site import MAXIMUM_MB


class Wording(NamedTuple):
    """The form of names, sizes and values in a sentence."""

    application: Callable[[Remedy], str]
    host: Callable[[str], str]
    size: Callable[[tuple[int, int], tuple[str, ...]], str]
    """Of amounts and their dimensions."""
    setting: Callable[[str, str], str]
    """A name and a value."""


def _application(remedy: Remedy) -> str:
    number, noun = remedy.application, words_of(remedy.dimensions).application
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
    """
    match remedy.act:
        case acts.KillApplication() | acts.KillContainer():
            what = "the application master of " if isinstance(remedy.act, acts.KillContainer) else ""
            return f"kill {what}{wording.application(remedy)}"
        case acts.MoveApplication():
            return f"move {wording.application(remedy)} to {remedy.queue}"
        case acts.SetPriority(priority=priority):
            return f"give {wording.application(remedy)} priority {priority}"
        case acts.ReturnNode():
            return f"return {wording.host(remedy.host)}"
        case acts.DrainNode():
            return f"drain {wording.host(remedy.host)}"
        case acts.ResizeNode(memory_mb=memory_mb, vcores=vcores):
            return f"enlarge {wording.host(remedy.host)} to {wording.size((memory_mb, vcores), remedy.dimensions)}"
        case acts.AddNode(memory_mb=memory_mb, vcores=vcores):
            return f"add a {words_of(remedy.dimensions).node} of {wording.size((memory_mb, vcores), remedy.dimensions)}"
    return _switch(remedy, wording)


def _again(remedy: Remedy) -> str:
    """The second half of a remedy whose act loses applications."""
    noun, whom = words_of(remedy.dimensions).application, remedy.again
    if len(whom) < 2:
        return f", then submit {noun} {whom[0]} again, which it loses" if whom else ""
    return f", then submit the {len(whom)} {noun}s again that it loses"


def _switch(remedy: Remedy, wording: Wording) -> str:
    match remedy.act:
        case acts.RestartResourceManager() | acts.RestartJobTracker():
            return f"start the {words_of(remedy.dimensions).master}{_again(remedy)}"
        case acts.SetPreemption(on=on):
            return f"switch preemption {'on' if on else 'off'}"
        case acts.SetReservationRule(rule=rule):
            return wording.setting("the reservation rule", rule)
        case acts.SetQueueSetting(value=value) | acts.SetSetting(value=value) if remedy.setting:
            return wording.setting(f"{remedy.setting} of {remedy.queue}", value)
        case acts.SetSetting(key=key, value=value):
            later = " for later asks" if key == MAXIMUM_MB.name else ""
            return wording.setting(key, value) + later
    raise AssertionError(f"{type(remedy.act).__name__} is no remedy")
