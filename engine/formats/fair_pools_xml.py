"""Reads the allocation file of MapReduce 1's FairScheduler: pools, users and defaults.

Source: PoolManager#reloadAllocs, Hadoop 1.2.1 contrib. It stops at the first mistake; here all are collected.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from engine.errors import ConfigError, Problem, nearest
from engine.formats.xml_tree import Element, parse_document
from engine.model.java_values import parse_int, trim
from engine.schedulers.mr1.fair_allocations import NO_MAXIMUM, PoolAllocation, PoolAllocations
from engine.schedulers.mr1.live_settings import POOL_ELEMENTS

REFUSED: Final = "AllocationConfigurationException"
DEFAULTS: Final[Mapping[str, tuple[str, Callable[[str], Any]]]] = {
    "userMaxJobsDefault": ("user_max_jobs_default", parse_int),
    "poolMaxJobsDefault": ("pool_max_jobs_default", parse_int),
    "fairSharePreemptionTimeout": ("fair_share_timeout_ms", POOL_ELEMENTS["minSharePreemptionTimeout"]),
    "defaultMinSharePreemptionTimeout": ("min_share_timeout_ms", POOL_ELEMENTS["minSharePreemptionTimeout"]),
    "defaultPoolSchedulingMode": ("default_mode", POOL_ELEMENTS["schedulingMode"]),
}
"""Element of the whole file → field of `PoolAllocations`, and how its value is read."""


class LoadedPools(msgspec.Struct, frozen=True):
    """A file that was accepted."""

    allocations: PoolAllocations
    warnings: tuple[Problem, ...]
    """Elements that are ignored, in the order of lines."""


class _Reading:
    """The pools and defaults found so far."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.pools: dict[str, PoolAllocation] = {}
        self.users: dict[str, int] = {}
        self.fields: dict[str, Any] = {}

    def value(self, element: Element, read: Callable[[str], Any]) -> Any:
        """An element's value; None with a problem when it is none."""
        try:
            return read(trim(element.text()))
        except ValueError as error:
            self.problems.append(Problem(str(error), self.file, element.line, element.tag))
            return None

    def ignore(self, element: Element, known: tuple[str, ...]) -> None:
        """Warn of an element without effect."""
        hint = nearest(element.tag, known)
        self.warnings.append(Problem("is ignored", self.file, element.line, element.tag, hint))

    def top(self, element: Element) -> None:
        """One element of the file."""
        if element.tag == "pool":
            name = element.attributes.get("name", "")
            self.pools[name] = _pool(self._values(element, POOL_ELEMENTS))
        elif element.tag == "user":
            found = self._values(element, {"maxRunningJobs": parse_int})
            if "maxRunningJobs" in found:
                self.users[element.attributes.get("name", "")] = found["maxRunningJobs"]
        elif element.tag in DEFAULTS:
            field, read = DEFAULTS[element.tag]
            self.fields[field] = self.value(element, read)
        else:
            self.ignore(element, ("pool", "user", *DEFAULTS))

    def _values(self, element: Element, readers: Mapping[str, Callable[[str], Any]]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for child in element.elements():
            if child.tag in readers:
                values[child.tag] = self.value(child, readers[child.tag])
            else:
                self.ignore(child, tuple(readers))
        return values


def _pool(values: Mapping[str, Any]) -> PoolAllocation:
    return PoolAllocation(
        (values.get("minMaps") or 0, values.get("minReduces") or 0),
        (values.get("maxMaps", NO_MAXIMUM), values.get("maxReduces", NO_MAXIMUM)),
        values.get("maxRunningJobs"),
        values.get("weight", 1.0),
        values.get("schedulingMode"),
        values.get("minSharePreemptionTimeout"),
    )


def read_pools(text: str | bytes, file: str = "") -> LoadedPools:
    """The pools a file describes.

    Raises:
        ConfigError: Hadoop would refuse the file; with every problem.
    """
    root = parse_document(text, file).root
    if root.tag != "allocations":
        message = f"the top element is <{root.tag}>, not <allocations>"
        raise ConfigError([Problem(message, file, root.line, root.tag)], REFUSED)
    reading = _Reading(file)
    for element in root.elements():
        reading.top(element)
    if reading.problems:
        raise ConfigError(reading.problems, REFUSED)
    allocations = PoolAllocations(pools=reading.pools, user_max_jobs=reading.users, **reading.fields)
    return LoadedPools(allocations, tuple(reading.warnings))
