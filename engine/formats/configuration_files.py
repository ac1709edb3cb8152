"""Reads the configuration files of a cluster together; their contents decide what each of them is."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from engine.errors import ConfigError, Problem, Problems, nearest
from engine.formats.capacity_lint import warnings_of
from engine.formats.capacity_listing import (
    MOST_COMPARED,
    OTHER_ERA,
    CapacityListing,
    OtherEra,
    differences,
    has_capacity_keys,
    list_capacity,
    other_scheduler,
    read_rows,
)
from engine.formats.cluster_lint import ClusterLint
from engine.formats.fair_files import LoadedAllocation, read_fair_scheduler
from engine.formats.fair_listing import AllocationListing, EffectiveValue, QueueListing, list_allocation
from engine.formats.fair_placement import LoadedPools, read_pools
from engine.formats.finding import Finding, NodeSizes
from engine.formats.hadoop_configuration import HadoopConfiguration, RackTable, read_configurations, read_topology
from engine.formats.mapreduce1_lint import is_of_job_tracker, job_tracker_findings, task_queues, unread_tasks
from engine.formats.regular_files import is_a_folder, is_there, read_file_bytes
from engine.formats.site_lint import high_thresholds, misspelt_keys, odd_flags, site_problems
from engine.formats.spark_files import SPARK_FILES, SparkLint, is_spark_text, read_spark, spark_problems
from engine.formats.xml import Element, XmlDocument, decode_xml, parse_document
from engine.schedulers.capacity.view import CapacityQueueRow
from engine.schedulers.fair.settings import fair_settings
from engine.schedulers.fair34.settings import fair_settings_34
from engine.schedulers.mr1.settings import KNOWN as TASK_SETTINGS
from engine.settings.capacity import MONITOR_POLICIES, MONITORS, capacity_table
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.fair import ALLOCATION_FILE, AM_PREEMPTION, FAIR_27, FAIR_34, fair_table
from engine.settings.fair import PREEMPTION as FAIR_PREEMPTION
from engine.settings.fair import PREFIX as FAIR_PREFIX
from engine.settings.known import TASK_QUEUES, misspelt
from engine.settings.mapreduce1 import POOLS_FILE
from engine.settings.site import NODE_MEMORY, NODE_VCORES, SCHEDULER_CLASS

OF_A_FOLDER: Final = (
    "core-site.xml",
    "mapred-site.xml",
    "yarn-site.xml",
    "resource-types.xml",
    "capacity-scheduler.xml",
    "fair-scheduler.xml",
    *SPARK_FILES,
)
"""What is read of a folder. Source: ResourceManager#serviceInit, AllocationFileLoaderService, JobConf, SparkSubmit."""


class FileKind(Enum):
    ALLOCATIONS = "fair-scheduler.xml"
    PROPERTIES = "Hadoop configuration"
    TOPOLOGY = "topology table"
    SPARK = "Spark configuration"


class ConfigurationListing(msgspec.Struct, frozen=True):
    era: str  # The release that reads
    files: tuple[str, ...]  # The files as the user named them, and an allocation file that only the settings name
    allocation: AllocationListing | None
    allocation_file: str
    capacity: CapacityListing | None  # The queues that capacity-scheduler.xml configures; None where no file does
    other_era: OtherEra | None  # What the other release makes of them; None where there are none
    settings: tuple[EffectiveValue, ...]
    """What the scheduler reads of yarn-site.xml, with defaults; empty without such a file."""
    other_keys: int  # How many keys of yarn-site.xml the scheduler does not read
    topology: RackTable | None
    warnings: tuple[Problem, ...]
    findings: tuple[Finding, ...] = ()  # Warnings that a rule about the whole cluster gave, with their sources
    tasks: tuple[QueueListing, ...] = ()
    """Queues of a CapacityTaskScheduler of MapReduce 1, with what is stated of each."""
    pools: tuple[QueueListing, ...] = ()
    """Pools and users of a FairScheduler of MapReduce 1, and its defaults, with what is stated of each."""


class ClusterFile(NamedTuple):
    path: Path
    kind: FileKind
    document: XmlDocument | None  # None for a topology table and for files of Spark
    text: str

    @property
    def name(self) -> str:
        return str(self.path)


def read_file(path: Path) -> ClusterFile:
    """A file and what it is. Raises ConfigError if it cannot be read, or is XML of another kind."""
    data = read_file_bytes(path)
    # Spark puts a sign for bytes that are no UTF-8. Source: Utils#getPropertiesFromFile, Spark 3.5.
    text = data.decode("utf-8", "replace") if path.name in SPARK_FILES else decode_xml(data, str(path))
    if path.suffix != ".xml" and text.lstrip()[:1] not in ("<", ""):
        racks = [rack.startswith("/") for rack in read_topology(text).racks.values()]
        if path.name in SPARK_FILES or (is_spark_text(text) and not (racks and all(racks))):  # paths are values, too
            return ClusterFile(path, FileKind.SPARK, None, text)
        if any(racks):
            return ClusterFile(path, FileKind.TOPOLOGY, None, text)
        message = "is neither XML nor a table of hosts and racks"
        raise ConfigError.of(message, str(path), hint="a line of a table is: HOST /RACK")
    document = parse_document(data, str(path))
    root = document.root
    if root.tag == "allocations":
        return ClusterFile(path, FileKind.ALLOCATIONS, document, text)
    # An include in the place of the top element can only be a property file: Hadoop includes in no other.
    if root.tag == "configuration" or root.tag.rpartition(":")[2] == "include":
        return ClusterFile(path, FileKind.PROPERTIES, document, text)
    message, hint = f"the top element is <{root.tag}>; <allocations> and <configuration> are read", ""
    if root.tag == "queues":
        message = "the top element is <queues>: queues of MapReduce's JobTracker, which no ResourceManager reads"
        hint = f"{PREFIX}root.queues"
    raise ConfigError.of(message, str(path), root.line, root.tag, hint)


class ConfigurationParts(NamedTuple):
    """The files of one cluster as they were read, before they are listed."""

    era: str
    files: tuple[ClusterFile, ...]
    settings: HadoopConfiguration
    rows: tuple[CapacityQueueRow, ...]  # Queues of a capacity scheduler; none where the files configure none
    loaded: LoadedAllocation | None
    allocation_file: str
    nodes: Sequence[NodeSizes]
    given: Mapping[str, str]
    missing: tuple[Problem, ...] = ()  # A warning where an allocation file is named and not there
    pools: LoadedPools | None = None  # Those of MapReduce 1; None where no file has them, or they are refused

    @property
    def scheduler(self) -> str:
        """Simple name of the scheduler's class; empty where the files tell of none."""
        if self.rows:
            return "CapacityScheduler"
        chosen = self.settings.values.get(SCHEDULER_CLASS.name, "").strip().rpartition(".")[2]
        return chosen or ("" if self.loaded is None else "FairScheduler")

    @property
    def queues(self) -> int:
        allocation = None if self.loaded is None else self.loaded.allocation
        named = () if allocation is None else {*allocation.configured_leaves, *allocation.configured_parents}
        return len(self.rows) or len(named)


def read_files(
    paths: Sequence[Path], era: str = "2.7", *, given: Mapping[str, str] | None = None, nodes: Sequence[NodeSizes] = ()
) -> ConfigurationListing:
    """Read the files of one cluster and list what they mean; arguments as `gather_parts`.

    Raises ConfigError with every problem of every file; or there are two allocation files or two topologies.
    """
    parts, problems = gather_parts(paths, era, given=given, nodes=nodes)
    problems.check()
    return listing_of(parts)


def gather_parts(
    paths: Sequence[Path], era: str = "2.7", *, given: Mapping[str, str] | None = None, nodes: Sequence[NodeSizes] = ()
) -> tuple[ConfigurationParts, Problems]:
    """Read the files of one cluster together: settings first, since they decide on placement.

    A folder stands for those of its files that a ResourceManager reads. An allocation file that only the settings name
    is read too.

    `given` are Java's system properties on the server, and its environment as `env.NAME`. Without `nodes` the files
    tell of them. Returns what is accepted, and why the rest is refused, with the warnings about the rest. Where the
    settings are refused, no allocation can be judged, and none is returned.
    """
    problems, given = Problems(), given or {}
    files: list[ClusterFile] = []
    for path in _unfolded(paths, problems):
        with problems.taken():
            files.append(read_file(path))
    _check_kinds(files, problems)
    sites = [file for file in files if file.kind is FileKind.PROPERTIES]
    allocations = next((file for file in files if file.kind is FileKind.ALLOCATIONS), None)
    missing: tuple[Problem, ...] = ()
    settings = nothing = HadoopConfiguration({}, {}, {}, frozenset(), ())
    with problems.taken():
        settings = _read_sites(sites, era, given)
        if allocations is None and sites:
            place, missing = _allocation_place(settings, sites[-1].path.parent)
            allocations = None if place is None else read_file(place)
            files += [] if allocations is None or not is_of_job_tracker(settings) else [allocations]
    loaded = None
    if allocations is not None:
        with problems.taken():
            source = allocations.document or allocations.text
            loaded = read_fair_scheduler(source, file=allocations.name, settings=settings.values, era=era)
    if loaded is not None or _uses_fair_scheduler(settings):
        problems.found += _setting_problems(settings, era)
    rows: tuple[CapacityQueueRow, ...] = ()
    if has_capacity_keys(settings) and not other_scheduler(settings):
        with problems.taken():
            rows = read_rows(settings, era)
    named = {each.key for each in problems.found}
    problems.found += [each for each in site_problems(settings, era) if each.key not in named]
    of_spark = [file for file in files if file.kind is FileKind.SPARK]
    problems.found += [
        each for file in of_spark for each, is_refused in spark_problems(file.name, file.text) if is_refused
    ]
    pools, of_pools = None, _of_pools(files, settings)
    if of_pools is not None:
        with problems.taken() if loaded is not None else suppress(ConfigError):
            pools = read_pools(of_pools.text, of_pools.name)
    name = "" if allocations is None else allocations.name
    loaded = None if settings is nothing else loaded
    return ConfigurationParts(era, tuple(files), settings, rows, loaded, name, nodes, given, missing, pools), problems


def _unfolded(paths: Sequence[Path], problems: Problems) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        inside = [path / name for name in OF_A_FOLDER if is_there(path / name)] if is_a_folder(path) else [path]
        if not inside:
            message, hint = "this folder holds no configuration", ", ".join(OF_A_FOLDER)
            problems.found.append(Problem(message, str(path), hint=hint))
        found += inside
    return found


def _check_kinds(files: Sequence[ClusterFile], problems: Problems) -> None:
    seen: set[FileKind] = set()
    for file in files:
        if file.kind in seen and file.kind in (FileKind.ALLOCATIONS, FileKind.TOPOLOGY):
            problems.found.append(Problem(f"is a second {file.kind.value}", file.name, hint="a cluster has one"))
        seen.add(file.kind)


def _read_sites(sites: Sequence[ClusterFile], era: str, given: Mapping[str, str]) -> HadoopConfiguration:
    parsed = {file.path: file.document.root for file in sites if file.document is not None}
    return read_configurations([file.path for file in sites], era=era, given=given, parsed=parsed)


def listing_of(parts: ConfigurationParts) -> ConfigurationListing:
    era, files, settings, rows, loaded, allocation_file, nodes, given, missing, read = parts
    sites = [file for file in files if file.kind is FileKind.PROPERTIES]
    tables = [file for file in files if file.kind is FileKind.TOPOLOGY]
    topology = next((read_topology(file.text, file.name) for file in tables), None)
    keys = (capacity_table(era) if rows else fair_table(era)).listed()
    nodes = nodes or _nodes(settings, 0 if topology is None else len(topology.racks))
    is_old = is_of_job_tracker(settings)
    of_pools = _of_pools(files, settings)
    pools = None if read is None else read.allocations
    of_yarn = None if pools is not None and is_old else loaded
    queues = [file.name for file in sites if file.path.name == "capacity-scheduler.xml" and not is_old]
    findings = ClusterLint(settings, rows, of_yarn, nodes, era).findings(allocation_file, "".join(queues[:1]))
    findings += tuple(job_tracker_findings(settings, pools, allocation_file, sum(each.nodes for each in nodes)))
    spark = [(file.name, file.text) for file in files if file.kind is FileKind.SPARK]
    stated = read_spark(spark)
    findings += tuple(SparkLint(stated, nodes, settings).findings()) if spark else ()
    capacity = list_capacity(rows, settings, era) if rows else None
    return ConfigurationListing(
        era=era,
        files=tuple(dict.fromkeys([*(file.name for file in files), *filter(None, [allocation_file])])),
        allocation=None if loaded is None else list_allocation(loaded, settings.values, allocation_file),
        allocation_file=allocation_file,
        capacity=capacity,
        tasks=task_queues(settings),
        pools=() if of_pools is None else tuple(_pools(of_pools)),
        other_era=None if capacity is None else _other_era(capacity, sites, given, OTHER_ERA[era]),
        settings=(
            *(_setting(settings, key, text) for key, text in keys.items() if sites and not is_old),
            *(_setting(settings, key, "") for key in settings.values if _is_of_tasks(key, is_old)),
            *(_setting(stated, key, "") for key in stated.values),
        ),
        other_keys=sum(
            key not in keys and not _is_of_tasks(key, is_old) and not (rows and key.startswith(PREFIX))
            for key in settings.values
            if not key.startswith(TASK_QUEUES)
        ),
        topology=topology,
        warnings=_in_order(
            files,
            [
                *settings.warnings,
                *missing,
                *_unknown_keys(settings, era),
                *misspelt_keys(settings, era),
                *odd_flags(settings, era),
                *(high_thresholds(settings, era) if _uses_fair_scheduler(settings) or loaded is not None else ()),
                *unread_tasks(settings),
                *(each for name, text in spark for each, is_refused in spark_problems(name, text) if not is_refused),
                *(warnings_of(settings, rows, era, _total(nodes)) if has_capacity_keys(settings) else ()),
                *(() if of_yarn is None else (*_not_read(settings, allocation_file), *of_yarn.warnings)),
                *(() if read is None or not is_old else read.warnings),
                *(() if topology is None else topology.warnings),
                *(finding.problem for finding in findings),
            ],
        ),
        findings=findings,
    )


def _is_of_tasks(key: str, is_old: bool) -> bool:
    """Whether a key is one of MapReduce 1: in the files of a JobTracker every one but those of queues."""
    return key in TASK_SETTINGS or (is_old and not key.startswith(TASK_QUEUES))


def _pools(file: ClusterFile) -> Iterator[QueueListing]:
    top: list[EffectiveValue] = []
    for each in () if file.document is None else file.document.root.elements():
        inside = each.elements()
        if not inside:
            top.append(_stated_in(file, each))
            continue
        values = tuple(_stated_in(file, child) for child in inside)
        path = f"{each.tag} {each.attributes.get('name', '')}"
        yield QueueListing(path=path, parent=False, place=f"{file.name}:{each.line}", values=values)
    if top:
        yield QueueListing(path="defaults", parent=False, place=top[0].origin, values=tuple(top))


def _stated_in(file: ClusterFile, element: Element) -> EffectiveValue:
    return EffectiveValue(element.tag, element.text().strip(), f"{file.name}:{element.line}")


def _of_pools(files: Sequence[ClusterFile], settings: HadoopConfiguration) -> ClusterFile | None:
    is_old = is_of_job_tracker(settings)
    return next((file for file in files if _has_pools(file, is_old)), None)


def _has_pools(file: ClusterFile, is_old: bool) -> bool:
    """Tell whether a file is one of MapReduce 1's fair scheduler; YARN's may call queues pools, too."""
    if file.kind is not FileKind.ALLOCATIONS or (not is_old and "<queue " in file.text):
        return False
    return is_old or any(f"<{name}>" in file.text for name in _OF_POOLS)


_OF_POOLS: Final = (
    *("minMaps", "minReduces", "maxMaps", "maxReduces", "maxRunningJobs"),
    *("poolMaxJobsDefault", "userMaxJobsDefault"),
)
"""Elements that YARN does not know."""


def _nodes(settings: HadoopConfiguration, hosts: int) -> Sequence[NodeSizes]:
    try:
        sizes = [int(settings.values.get(key, "8")) for key in (NODE_MEMORY.name, NODE_VCORES.name)]
    except ValueError:
        return ()
    return (NodeSizes(hosts, *sizes),) if NODE_MEMORY.name in settings.values and min(sizes) > 0 else ()


def _total(nodes: Sequence[NodeSizes]) -> tuple[int, int]:
    return sum(node.nodes * node.memory_mb for node in nodes), sum(node.nodes * node.vcores for node in nodes)


def _other_era(here: CapacityListing, sites: Sequence[ClusterFile], given: Mapping[str, str], era: str) -> OtherEra:
    if len(here.queues) > MOST_COMPARED:
        return OtherEra(era, (), (), is_compared=False)
    try:
        settings = _read_sites(sites, era, given)
        rows = read_rows(settings, era)
    except ConfigError as error:
        return OtherEra(era, error.problems, ())
    return OtherEra(era, (), differences(here, list_capacity(rows, settings, era)))


def _not_read(settings: HadoopConfiguration, allocation_file: str) -> tuple[Problem, ...]:
    if _uses_fair_scheduler(settings):
        monitors = [key for key in (MONITORS.name, MONITOR_POLICIES.name) if key in settings.values]
        message = "FairScheduler is chosen; it does not read the keys of the capacity scheduler's preemption"
        return tuple(settings.problem(key, message, f"{FAIR_PREEMPTION}=true") for key in monitors[:1])
    if SCHEDULER_CLASS.name not in settings.values:
        return ()
    chosen = settings.values[SCHEDULER_CLASS.name].strip().rpartition(".")[2]
    return (settings.problem(SCHEDULER_CLASS.name, f"{chosen} is chosen; it does not read {allocation_file}"),)


def _in_order(files: Sequence[ClusterFile], warnings: Sequence[Problem]) -> tuple[Problem, ...]:
    ranks = {file.name: rank for rank, file in enumerate(files)}
    return tuple(sorted(warnings, key=lambda warning: (ranks.get(warning.file, len(ranks)), warning.line)))


def _uses_fair_scheduler(settings: HadoopConfiguration) -> bool:
    return settings.values.get(SCHEDULER_CLASS.name, "").strip().endswith("FairScheduler")


def _allocation_place(settings: HadoopConfiguration, beside: Path) -> tuple[Path | None, tuple[Problem, ...]]:
    # A relative name is looked for on Hadoop's class path, which begins with the folder of the settings. Settings of
    # another scheduler mean none. Source: AllocationFileLoaderService#getAllocationFile, Hadoop 2.7.2 and 3.4.1.
    is_chosen = ALLOCATION_FILE.name in settings.values and SCHEDULER_CLASS.name not in settings.values
    pools = settings.values.get(POOLS_FILE, "")
    tried = (beside / pools, beside / Path(pools).name)  # a whole path may be one of the JobTracker's machine
    if pools and (found := next(filter(is_there, tried), None)):
        return found, ()
    if not is_chosen and not _uses_fair_scheduler(settings):
        return None, ()
    name = settings.values.get(ALLOCATION_FILE.name, fair_table("2.7").default(ALLOCATION_FILE))
    path = Path(name) if name.startswith("/") else beside / name
    if name and is_there(path):
        return path, ()
    file, line = settings.places.get(ALLOCATION_FILE.name, settings.places.get(SCHEDULER_CLASS.name, ("", 0)))
    return None, (Problem(_missing(name, beside, path), file, line, ALLOCATION_FILE.name),)


def _missing(name: str, beside: Path, path: Path) -> str:
    if name.startswith("~"):
        return f"Hadoop takes the ~ of {name} as it stands: there is no such file"
    if ":/" in name:
        return f"{name} is not on this machine and is not read"
    if name.startswith("/"):
        return f"{path} is not here; where it is not, the scheduler does not start"
    where = "" if name == name.strip() else ", blanks and all"
    return f"{name!r} is not in {beside}{where}; where it is on no class path, the scheduler has no allocation file"


def _unknown_keys(settings: HadoopConfiguration, era: str) -> Iterator[Problem]:
    known, others, other = fair_table(era).listed(), FAIR_34.listed(), "3"
    if era == "3.4":
        others, other = FAIR_27.listed(), "2.7"
    for key in settings.values:
        if key in known or (era == "3.4" and key.startswith(f"{AM_PREEMPTION}.")):
            continue
        if key.startswith(FAIR_PREFIX):
            hint = f"read by Hadoop {other} only" if key in others else nearest(key, known)
            yield settings.problem(key, "unknown key: Hadoop ignores it", hint)
        elif not key.startswith(PREFIX) and (hint := misspelt(key)):
            yield settings.problem(key, "unknown key: Hadoop ignores it", hint)


def _setting_problems(settings: HadoopConfiguration, era: str) -> list[Problem]:
    try:
        if era == "3.4":
            fair_settings_34(settings.values)
        else:
            fair_settings(settings.values)
    except ConfigError as error:
        return [settings.problem(problem.key, problem.message, problem.hint) for problem in error.problems]
    return []


def _setting(settings: HadoopConfiguration, key: str, default: str) -> EffectiveValue:
    if key not in settings.values:
        return EffectiveValue(key, default, "default")
    return EffectiveValue(key, settings.values[key].strip(), settings.place(key))
