"""Limits of a leaf of the capacity scheduler that follow from several properties: applications, masters.

Source: LeafQueue#setupQueueConfigs, Hadoop 2.7.2; AbstractLeafQueue#updateMaximumApplications, Hadoop 3.4.1.
"""

from bisect import bisect_left
from collections.abc import Mapping
from math import ceil, isfinite
from typing import NamedTuple

from engine.formats.capacity_keys import queue_keys
from engine.model.java_number import float32, truncate
from engine.schedulers.capacity.properties import PREFIX, Properties, Refusals
from engine.schedulers.capacity.queue_row import CapacityQueueRow
from engine.schedulers.settings import MINIMUM_MB


class Stated(NamedTuple):
    """A number, and the key that states it; no key where nothing does."""

    number: float
    key: str


class CapacityLimits:
    """Reads the properties of an accepted configuration."""

    def __init__(self, values: Mapping[str, str], era: str) -> None:
        self._values, self._era = values, era
        self._properties = Properties(values, Refusals())

    def number(self, row: CapacityQueueRow, name: str, default: float) -> Stated:
        """What holds of a property of a leaf."""
        falls_back = queue_keys(self._era)[name].falls_back == "global"
        for key in (own_key(row, name), *([f"{PREFIX}{name}"] if falls_back else [])):
            if key in self._values:
                return Stated(self._properties.single(key, default), key)
        return Stated(default, "")

    def applications(self, row: CapacityQueueRow) -> Stated:
        """How many applications a leaf takes: its own limit, else its part of the limit of all, rounded down."""
        own = own_key(row, "maximum-applications")
        most = self._properties.integer(own, -1)
        if most >= 0:
            return Stated(most, own)
        of_all = self._properties.integer(f"{PREFIX}maximum-applications", 10_000)
        if self._era == "3.4":
            key = f"{PREFIX}global-queue-max-application"
            of_each = self._properties.integer(key, -1)
            if of_each > 0:
                return Stated(min(of_each, of_all), key)
            parts = [each.capacity for each in row.partitions]
            return Stated(max((truncate(float32(of_all * part)) for part in parts), default=0), "")
        return Stated(truncate(float32(of_all * default_partition(row)[0])), "")

    def applications_of_user(self, row: CapacityQueueRow) -> int:
        """How many of them one user may have."""
        most = self.applications(row).number
        percent = self.number(row, "minimum-user-limit-percent", 100).number
        factor = self.number(row, "user-limit-factor", 1).number
        if self._era == "3.4" and factor == -1:
            return int(most)
        return truncate(float32(float32(most * float32(percent / 100)) * factor))

    def memory_for_two(self, row: CapacityQueueRow, part: float) -> int | None:
        """The smallest cluster whose leaf lets in a second application master of the smallest size [MB].

        The limit of masters is rounded up to whole smallest containers, and the first master always starts.

        Args:
            row: The leaf.
            part: The part of the cluster that is taken for the leaf's.

        Returns:
            None where no cluster is large enough.
        """
        percent = self.number(row, "maximum-am-resource-percent", float32(0.1)).number
        if not part * percent > 0 or not isfinite(part * percent):
            return None
        least = self._properties.integer(MINIMUM_MB, 1024)
        estimate = int(least / (part * percent)) + int(1 / part) + 2
        return bisect_left(range(estimate), True, key=lambda size: ceil(int(size * part) * percent) > least)


def own_key(row: CapacityQueueRow, name: str) -> str:
    """The key of a queue's property."""
    return f"{PREFIX}{row.path}.{name}"


def default_partition(row: CapacityQueueRow) -> tuple[float, float]:
    """The parts of the default partition that a queue has and may have, multiplied down the tree."""
    return next(((each.capacity, each.maximum) for each in row.partitions if not each.label), (0.0, 1.0))
