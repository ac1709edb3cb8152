"""Configuration files of a cluster, told apart by what is in them and read together."""

from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path

import msgspec

from engine.errors import ConfigError, Problem
from engine.formats.allocation_place import allocation_place, uses_fair_scheduler
from engine.formats.allocation_view import AllocationView, EffectiveValue, view_allocation
from engine.formats.fair_scheduler_xml import LoadedAllocation, read_fair_scheduler
from engine.formats.hadoop_configuration import HadoopConfiguration, read_configurations
from engine.formats.scheduler_keys import defaults_of, unknown_keys
from engine.formats.topology_table import RackTable, read_topology
from engine.formats.xml_tree import decode_xml, parse_xml, read_document
from engine.schedulers.fair.settings import fair_settings
from engine.schedulers.fair34.settings import fair_settings_34


class Kind(Enum):
    """What a file is."""

    ALLOCATIONS = "fair-scheduler.xml"
    PROPERTIES = "Hadoop configuration"
    TOPOLOGY = "topology table"


class ConfigurationView(msgspec.Struct, frozen=True):
    """The files of one cluster, read together."""

    allocation: AllocationView | None
    allocation_file: str
    settings: tuple[EffectiveValue, ...]
    """What the scheduler reads of yarn-site.xml, with defaults; empty without such a file."""
    other_keys: int
    """How many keys of yarn-site.xml the scheduler does not read."""
    topology: RackTable | None
    warnings: tuple[Problem, ...]


def kind_of(path: Path) -> Kind:
    """What a file is: by its top element, or by the racks in it.

    Raises:
        ConfigError: It cannot be read, or is XML of another kind.
    """
    data = read_document(path)
    text = decode_xml(data, str(path)).lstrip()
    if path.suffix != ".xml" and text[:1] not in ("<", ""):
        if any(rack.startswith("/") for rack in read_topology(text).racks.values()):
            return Kind.TOPOLOGY
        message = "is neither XML nor a table of hosts and racks"
        raise ConfigError([Problem(message, str(path), hint="a line of a table is: HOST /RACK")])
    root = parse_xml(data, str(path))
    if root.tag == "allocations":
        return Kind.ALLOCATIONS
    # An include in the place of the top element can only be a property file: Hadoop includes in no other.
    if root.tag == "configuration" or root.tag.rpartition(":")[2] == "include":
        return Kind.PROPERTIES
    message = f"the top element is <{root.tag}>; <allocations> and <configuration> are read"
    raise ConfigError([Problem(message, str(path), root.line, root.tag)])


def read_files(
    paths: Sequence[Path], era: str = "2.7", *, given: Mapping[str, str] | None = None, follow: bool = True
) -> ConfigurationView:
    """Read the files of one cluster together: settings first, since they decide on placement.

    Args:
        paths: The files.
        era: The release that reads.
        given: Java's system properties on the server, and its environment as `env.NAME`.
        follow: Whether an allocation file that only the settings name is read too.

    Raises:
        ConfigError: With every problem of every file; or there are two allocation files or two topologies.
    """
    problems: list[Problem] = []
    by_kind = _by_kind(paths, problems)
    settings = HadoopConfiguration({}, {}, {}, frozenset(), ())
    loaded: LoadedAllocation | None = None
    allocation_file = next(iter(by_kind[Kind.ALLOCATIONS]), None)
    missing: tuple[Problem, ...] = ()
    try:
        settings = read_configurations(by_kind[Kind.PROPERTIES], era=era, given=given)
    except ConfigError as error:
        problems.extend(error.problems)
    if follow and allocation_file is None and by_kind[Kind.PROPERTIES]:
        allocation_file, missing = allocation_place(settings, by_kind[Kind.PROPERTIES][-1].parent)
    try:
        loaded = None if allocation_file is None else _read_allocation(allocation_file, settings, era)
    except ConfigError as error:
        problems.extend(error.problems)
    if loaded is not None or uses_fair_scheduler(settings):
        problems.extend(_setting_problems(settings, era))
    if problems:
        raise ConfigError(problems)
    topology = next((_read_topology(path) for path in by_kind[Kind.TOPOLOGY]), None)
    shown = tuple(_setting(settings, key, text) for key, text in defaults_of(era).items())
    return ConfigurationView(
        allocation=None if loaded is None else view_allocation(loaded, settings.values, str(allocation_file)),
        allocation_file=str(allocation_file or ""),
        settings=shown if by_kind[Kind.PROPERTIES] else (),
        other_keys=sum(key not in defaults_of(era) for key in settings.values),
        topology=topology,
        warnings=(
            *settings.warnings,
            *missing,
            *unknown_keys(settings.values, settings.places, era),
            *(() if loaded is None else loaded.warnings),
            *(() if topology is None else topology.warnings),
        ),
    )


def summary(path: Path, era: str = "2.7") -> str:
    """One line on a file that loads, e.g. `fair-scheduler.xml, 5 queues, 2 warnings`.

    Raises:
        ConfigError: It does not load.
    """
    kind = kind_of(path)
    view = read_files([path], era, follow=False)
    if view.allocation is not None:
        size = plural(len(view.allocation.queues), "queue")
    elif view.topology is not None:
        size = plural(len(view.topology.racks), "host")
    else:
        given = sum(value.origin != "default" for value in view.settings)
        size = f"{plural(given + view.other_keys, 'key')}, {given} of the scheduler"
    return ", ".join([kind.value, size, plural(len(view.warnings), "warning")])


def plural(number: int, noun: str) -> str:
    """A number with its noun.

    >>> plural(1, "queue"), plural(0, "queue")
    ('1 queue', '0 queues')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _by_kind(paths: Sequence[Path], problems: list[Problem]) -> dict[Kind, list[Path]]:
    """The files by what they are; those that are nothing, or too many of one kind, become problems."""
    found: dict[Kind, list[Path]] = {kind: [] for kind in Kind}
    for path in paths:
        try:
            kind = kind_of(path)
        except ConfigError as error:
            problems.extend(error.problems)
            continue
        if found[kind] and kind is not Kind.PROPERTIES:
            problems.append(Problem(f"is a second {kind.value}", str(path), hint="a cluster has one"))
        found[kind].append(path)
    return found


def _read_allocation(path: Path, settings: HadoopConfiguration, era: str) -> LoadedAllocation:
    return read_fair_scheduler(read_document(path), file=str(path), settings=settings.values, era=era)


def _read_topology(path: Path) -> RackTable:
    return read_topology(decode_xml(read_document(path), str(path)), str(path))


def _setting_problems(settings: HadoopConfiguration, era: str) -> list[Problem]:
    """What the scheduler could not read of the settings, with their places."""
    try:
        if era == "3.4":
            fair_settings_34(settings.values)
        else:
            fair_settings(settings.values)
    except ConfigError as error:
        return [
            Problem(problem.message, *settings.places.get(problem.key, ("", 0)), problem.key, problem.hint)
            for problem in error.problems
        ]
    return []


def _setting(settings: HadoopConfiguration, key: str, default: str) -> EffectiveValue:
    if key not in settings.values:
        return EffectiveValue(key, default, "default")
    file, line = settings.places[key]
    return EffectiveValue(
        key, settings.values[key].strip(), f"{file}:{line}" + (" (final)" if key in settings.final else "")
    )
