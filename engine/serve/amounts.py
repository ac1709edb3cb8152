"""Amounts of resources as answers write them.

Source: ResourceInfo, Hadoop 2.7.2 and 3.4.1.
"""

from typing import Final

from engine.model.resource import Resource
from engine.serve.fields import Document
from engine.serve.release import HadoopRelease

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
                _one("memory-mb", "Mi", memory_mb, smallest.memory_mb, largest.memory_mb),
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
