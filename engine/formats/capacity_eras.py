"""What the other release makes of the properties of a capacity scheduler: what it refuses, and values that differ."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from engine.errors import Problem
from engine.formats.allocation_listing import EffectiveValue
from engine.formats.capacity_listing import CapacityListing

OTHER_ERA: Final = {"2.7": "3.4", "3.4": "2.7"}


class EraDifference(msgspec.Struct, frozen=True):
    """A property that has another value in the other release."""

    name: str
    here: str
    there: str
    queues: tuple[str, ...]
    """Where; empty for a property of the whole scheduler."""


class OtherEra(msgspec.Struct, frozen=True):
    """What the other release makes of the same files."""

    era: str
    refused: tuple[Problem, ...]
    """What it refuses them for; then nothing is compared."""
    values: tuple[EraDifference, ...]


def differences(here: CapacityListing, there: CapacityListing) -> tuple[EraDifference, ...]:
    """Properties that both releases have and read differently, each once for all its queues."""
    found: dict[tuple[str, str, str], list[str]] = {}
    others = {queue.path: queue for queue in there.queues}
    for queue in here.queues:
        for pair in _differing(queue.values, others[queue.path].values if queue.path in others else ()):
            found.setdefault(pair, []).append(queue.path)
    of_scheduler = [EraDifference(*pair, ()) for pair in _differing(here.settings, there.settings)]
    return (*of_scheduler, *(EraDifference(*pair, tuple(paths)) for pair, paths in found.items()))


def _differing(here: Sequence[EffectiveValue], there: Sequence[EffectiveValue]) -> Iterator[tuple[str, str, str]]:
    """Name and both texts."""
    texts = {value.name: value.text for value in there}
    for value in here:
        if texts.get(value.name, value.text) != value.text:
            yield value.name.strip(), value.text, texts[value.name]
