"""A resource as a table of its fields, in the order servers write them; a document is what such a table says.

A document is made of dicts, lists, texts, numbers and booleans; `bodies` writes it. What is written
differently in the two forms has signs of its own: `TYPE`, `Repeated`, and an empty dict.

Source: ResourceInfo, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

from engine.model.java_number import float32
from engine.model.resource import MEMORY_MB, Resource
from engine.serve.release import HadoopRelease

Thing = TypeVar("Thing")

Document = dict[str, Any]
"""Names in order; Any: dicts, lists, `Repeated` and plain values."""

TYPE: Final = "@type"
"""The name of what is a field `type` in JSON and an attribute `xsi:type` in XML."""

_DIGITS: Final = 9
"""So many digits tell any two float32 apart."""


class Repeated(NamedTuple):
    """Several things under one name. The real JSON writer repeats the name, so that readers keep the last one only."""

    items: Sequence[Any]
    """Any: parts of a document."""


def entries(pairs: Sequence[tuple[str, str]]) -> Document:
    """A map of texts."""
    return {"entry": Repeated([{"key": key, "value": value} for key, value in pairs])} if pairs else {}


class Field(NamedTuple, Generic[Thing]):
    """A field of a resource."""

    name: str
    read: Callable[[Thing], Any]
    """Any: a part of a document; None leaves the field out."""
    since_34: bool = False
    """True if 2.7.2 has no such field."""


Table = Sequence[Field[Thing]]


def written(table: Table[Thing], thing: Thing, release: HadoopRelease) -> Document:
    """Write a thing as the fields of a table."""
    return {
        each.name: value
        for each in table
        if (release.is_34 or not each.since_34) and (value := each.read(thing)) is not None
    }


def constant(value: object) -> Callable[[object], Any]:
    """Reads the same of everything."""
    return lambda thing: value


def single(value: float) -> float:
    """A number as Java writes it as a float: the shortest that is the same float32.

    >>> single(1 / 3), single(99.14216), single(100)
    (0.33333334, 99.14216, 100.0)
    """
    exact = float32(value)
    for digits in range(1, _DIGITS):
        short = float(f"{exact:.{digits}g}")
        if float32(short) == exact:
            return short
    return float(f"{exact:.{_DIGITS}g}")


LONG_MAX: Final = 2**63 - 1
ANY_SIZE: Final = (Resource(0, 0), Resource(LONG_MAX, LONG_MAX))
"""(smallest, largest) container where no setting says one."""


def amount(
    release: HadoopRelease, memory_mb: int, vcores: int, sizes: tuple[Resource, Resource] = ANY_SIZE
) -> Document:
    """An amount; 3.4.1 also lists it by type, with the smallest and the largest container."""
    plain = {"memory": memory_mb, "vCores": vcores}
    if not release.is_34:
        return plain
    smallest, largest = sizes
    return {
        **plain,
        "resourceInformations": {
            "resourceInformation": [
                _one(MEMORY_MB, "Mi", memory_mb, smallest.memory_mb, largest.memory_mb),
                _one("vcores", "", vcores, smallest.vcores, largest.vcores),
            ]
        },
    }


def _one(name: str, units: str, value: int, smallest: int, largest: int) -> Document:
    return {
        "attributes": {},
        "maximumAllocation": largest,
        "minimumAllocation": smallest,
        "name": name,
        "resourceType": "COUNTABLE",
        "units": units,
        "value": value,
    }
