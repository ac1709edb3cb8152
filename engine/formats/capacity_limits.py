"""Limits of a leaf of the capacity scheduler that follow from several properties: applications, masters.

Source: LeafQueue#setupQueueConfigs, Hadoop 2.7.2; AbstractLeafQueue#updateMaximumApplications, Hadoop 3.4.1.
"""

from bisect import bisect_left
from collections.abc import Mapping
from math import isfinite
from typing import Final, NamedTuple

from engine.model.java_number import float32, truncate
from engine.schedulers.capacity.properties import Properties, Refusals
from engine.schedulers.capacity.view import CapacityQueueRow
from engine.settings.capacity import CAPACITY_34
from engine.settings.capacity_scheduler import (
    APPLICATIONS_OF_A_QUEUE,
    MAXIMUM_AM_PERCENT,
    MAXIMUM_APPLICATIONS,
    MINIMUM_USER_LIMIT,
    USER_LIMIT_FACTOR,
)
from engine.settings.site import MINIMUM_MB
from engine.settings.table import Key, SettingTable

LARGEST_MB: Final = 2**53
"""No cluster is as large."""


class Stated(NamedTuple):
    """A number, and the key that states it; no key where nothing does."""

    number: float
    key: str


class CapacityLimits:
    """Reads the properties of an accepted configuration."""

    def __init__(self, values: Mapping[str, str], table: SettingTable) -> None:
        self._values, self._table = values, table
        self._properties = Properties(values, Refusals(), table)
        self._least_mb = self._properties.everywhere(MINIMUM_MB)
        self._unstated: dict[str, Stated] = {}
        """Setting → what holds for every leaf that does not state it."""
        self._for_two: dict[tuple[float, float], int] = {}
        """(part, percent) → memory for two masters, as many leaves are alike."""

    def number(self, row: CapacityQueueRow, key: Key[float]) -> Stated:
        """The value of a setting of a leaf that holds."""
        own = key.of(row.path)
        if own in self._values:
            return Stated(self._properties.of_queue(key, row.path), own)
        if key.name not in self._unstated:
            wider = self._table.queue[key.name].wider
            stated = "" if wider is None or wider.everywhere not in self._values else wider.everywhere
            self._unstated[key.name] = Stated(self._properties.of_queue(key, row.path), stated)
        return self._unstated[key.name]

    def applications(self, row: CapacityQueueRow) -> Stated:
        """Return how many applications a leaf takes: its own limit, else its part of the limit of all, rounded down."""
        most = self._properties.of_queue(MAXIMUM_APPLICATIONS, row.path)
        if most >= 0:
            return Stated(most, MAXIMUM_APPLICATIONS.of(row.path))
        of_all = self._properties.everywhere(MAXIMUM_APPLICATIONS)
        if self._table is not CAPACITY_34:
            return Stated(truncate(float32(of_all * default_partition(row)[0])), "")
        of_each = self._properties.everywhere(APPLICATIONS_OF_A_QUEUE)
        if of_each > 0:
            return Stated(min(of_each, of_all), APPLICATIONS_OF_A_QUEUE.everywhere)
        parts = [each.capacity for each in row.partitions]
        return Stated(max((truncate(float32(of_all * part)) for part in parts), default=0), "")

    def applications_of_user(self, row: CapacityQueueRow) -> int:
        """Return how many of them one user may have."""
        most = self.applications(row).number
        percent = self.number(row, MINIMUM_USER_LIMIT).number
        factor = self.number(row, USER_LIMIT_FACTOR).number
        if self._table is CAPACITY_34 and factor == -1:
            return int(most)
        return truncate(float32(float32(most * float32(percent / 100)) * factor))

    def memory_for_two(self, row: CapacityQueueRow, part: float) -> int | None:
        """The smallest cluster whose leaf lets in a second application master of the smallest size [MB].

        The limit of masters is rounded up to whole smallest containers, and the first master always starts. `part` is
        the part of the cluster that is taken for the leaf's. None where no cluster is large enough.
        """
        percent = self.number(row, MAXIMUM_AM_PERCENT).number
        if not part * percent > 0 or not isfinite(part * percent):
            return None
        found = self._for_two.get((part, percent))
        if found is None:
            least = self._least_mb
            found = bisect_left(range(LARGEST_MB), True, key=lambda size: int(size * part) * percent > least)
            self._for_two[part, percent] = found
        return found if found < LARGEST_MB else None


def default_partition(row: CapacityQueueRow) -> tuple[float, float]:
    """The parts of the default partition that a queue has and may have, multiplied down the tree."""
    return next(((each.capacity, each.maximum) for each in row.partitions if not each.label), (0.0, 1.0))
