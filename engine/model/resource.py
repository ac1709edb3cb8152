"""Amounts of memory and vcores as values.

Hot classes hold `memory_mb` and `vcores` inline; this value crosses module borders.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from engine.model.java_number import INT_MAX

MEMORY_MB: Final = "memory-mb"
VCORES: Final = "vcores"
"""Names of resource types. Source: ResourceInformation#MEMORY_URI, #VCORES_URI, Hadoop 3.x."""

YARN_DIMENSIONS: Final = ("memory_mb", "vcores")
SPARK_DIMENSIONS: Final = ("memory_mb", "cores")
MAPREDUCE_1_DIMENSIONS: Final = ("map_slots", "reduce_slots")

DIMENSIONS: Final[Mapping[str, tuple[str, str]]] = {
    "yarn": YARN_DIMENSIONS,
    "spark": SPARK_DIMENSIONS,
    "mr1": MAPREDUCE_1_DIMENSIONS,
}
"""Name of a system, as of `system_of` → what its resources are counted in, in the order of all amounts."""


class Resource(NamedTuple):
    """An amount of memory [MB], virtual cores and, rarely, other resource types.

    >>> Resource(4096, 2).fits_in(Resource(4096, 1))
    False
    """

    memory_mb: int
    """Memory [MB]; may be negative where a shrunk node is over-committed."""
    vcores: int
    """Virtual cores."""
    extra: tuple[tuple[str, int], ...] = ()
    """Other resource types by name, sorted; empty on almost every cluster."""

    def fits_in(self, other: "Resource") -> bool:
        """Tell whether no dimension exceeds `other`. Source: Resources#fitsIn, Hadoop 2.7.2."""
        return self.memory_mb <= other.memory_mb and self.vcores <= other.vcores

    def plus(self, other: "Resource") -> "Resource":
        """The sum in memory and vcores."""
        return Resource(self.memory_mb + other.memory_mb, self.vcores + other.vcores)

    def minus(self, other: "Resource") -> "Resource":
        """The difference in memory and vcores; may be negative."""
        return Resource(self.memory_mb - other.memory_mb, self.vcores - other.vcores)


NONE = Resource(0, 0)
"""Nothing at all. Source: Resources#none."""

UNBOUNDED = Resource(INT_MAX, INT_MAX)
"""No limit. Source: Resources#unbounded, Hadoop 2.7.2 (Integer.MAX_VALUE)."""
