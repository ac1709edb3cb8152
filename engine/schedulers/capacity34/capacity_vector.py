"""A queue's capacity resource by resource: each is a percentage, an absolute amount or a weight.

Source: QueueCapacityConfigParser, QueueCapacityVector, Hadoop 3.4.1.
"""

import re
from typing import Final, NamedTuple

from engine.model.java_number import float32
from engine.model.java_values import parse_float
from engine.model.resource import MEMORY_MB, VCORES
from engine.schedulers.capacity.properties import NUMBER_FORMAT, Properties

PERCENTAGE: Final = "%"
ABSOLUTE: Final = ""
WEIGHT: Final = "w"
VECTOR: Final = re.compile(r"^\[([\w\.,\-_%\\ /]+=[\w\.,\-_%\\ /]+)+\]$")
UNIFORM: Final = re.compile(r"^([0-9.]+)(.*)")
UNITS: Final = {
    "p": 1e-12,
    "n": 1e-9,
    "u": 1e-6,
    "m": 1e-3,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
    "Pi": 2**50,
}
"""Source: UnitsConversionUtil#KNOWN_UNITS; no unit means MB."""


class Measure(NamedTuple):
    """One resource of a capacity."""

    value: float
    kind: str
    """`PERCENTAGE`, `ABSOLUTE` or `WEIGHT`."""


Vector = tuple[Measure, Measure]
"""Memory, then vcores."""

WHOLE: Final[Vector] = (Measure(100.0, PERCENTAGE), Measure(100.0, PERCENTAGE))
ONE_WEIGHT: Final[Vector] = (Measure(1.0, WEIGHT), Measure(1.0, WEIGHT))
NO_MAXIMUM: Final[Vector] = (Measure(0.0, ABSOLUTE), Measure(0.0, ABSOLUTE))
"""What a maximum that is not given stands for: that of the parent."""


def kinds(vector: Vector | None) -> set[str]:
    """The kinds of a capacity's measures; empty where there is none."""
    return {measure.kind for measure in vector or ()}


def uniform(percent: float) -> Vector:
    """The same percentage of all resources."""
    return (Measure(percent, PERCENTAGE), Measure(percent, PERCENTAGE))


def weight_of(vector: Vector | None) -> float | None:
    """The weight of a capacity that gives all resources the same one."""
    if vector is None or kinds(vector) != {WEIGHT} or vector[0].value != vector[1].value:
        return None
    return float32(vector[0].value)


def read_vector(properties: Properties, key: str) -> Vector | None:
    """A capacity; None where there is none or its text has no known form."""
    text = properties.text(key)
    return None if text is None else parse_vector(text, properties, key)


def parse_vector(text: str, properties: Properties, key: str) -> Vector | None:
    """Read as `read_vector` does, from a text in place of the key's."""
    text = text.replace(" ", "")
    try:
        if VECTOR.match(text):
            return _one_by_one(text[1:-1])
        found = UNIFORM.match(text)
        if found is None or found.group(2) not in ("", WEIGHT):
            return None
        measure = Measure(float32(parse_float(found.group(1))), WEIGHT if found.group(2) else PERCENTAGE)
    except ValueError:
        if not properties.refusals.names(key):
            properties.refusals.add(NUMBER_FORMAT, f"{text!r} holds something that is no number", key)
        return None
    return (measure, measure)


def _one_by_one(text: str) -> Vector | None:
    """`memory=4Gi,vcores=50%`; None where no memory is given."""
    found = {MEMORY_MB: Measure(0.0, ABSOLUTE), VCORES: Measure(0.0, ABSOLUTE)}
    for pair in text.split(","):
        name, _, rest = pair.partition("=")
        amount = rest.partition("=")[0]
        measure = _measure(amount) if amount else None
        if measure is not None:
            found[MEMORY_MB if name == "memory" else name] = measure
    memory, vcores = found[MEMORY_MB], found[VCORES]
    return (memory, vcores) if memory.value else None


def _measure(text: str) -> Measure | None:
    unit = re.sub("[0-9.]", "", text)
    if not text.endswith(unit):
        return None
    value = float32(parse_float(text.removesuffix(unit) if unit else text))
    if unit in UNITS:
        return Measure(float32(float(int(int(value) * UNITS[unit] / UNITS["Mi"]))), ABSOLUTE)
    return Measure(value, unit if unit in (PERCENTAGE, WEIGHT) else ABSOLUTE)
