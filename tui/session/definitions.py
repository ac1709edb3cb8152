"""Finds how queues, nodes and applications were defined, in the words of the file that defines them."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape

import msgspec

from engine.compare import LETTERS, ComparisonCandidate, carried_over, set_beside
from engine.compare.policy_conversion import BY_CAPACITY, BY_WEIGHT
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.errors import ConfigError, Problems
from engine.formats.configuration_files import FileKind, read_file
from engine.formats.fair_files import LoadedAllocation, read_fair_scheduler
from engine.formats.fair_listing import queue_definition
from engine.formats.hadoop_configuration import read_configurations
from engine.formats.regular_files import is_a_folder
from engine.formats.scenario_overrides import Layers
from engine.formats.scenario_toml import changed, defaults, entry, find, read
from engine.live.twin.twin import scheduler_named
from engine.observe.snapshot import ApplicationRow, NodeRow, QueueRow, Snapshot
from engine.observe.snapshots import SPARK, YARN, queue_word, snapshot_of, terms_for
from engine.scenario import ApplicationSpec, Scenario, StandaloneSpec
from engine.scenario.acts import Reload, SubmitApplication
from engine.scenario.cluster import ELEMENTS
from engine.scenario.scenario import POLICIES, system_of
from engine.schedulers.fair.settings import FairAllocation
from engine.settings.capacity_queue import QUEUES
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.known import idle_words
from engine.settings.site import SCHEDULER_CLASS
from engine.simulation.simulation import Simulation
from engine.sweep.spec import with_nodes, without_nodes
from engine.workload.arrivals import arrivals
from tui.protocol.picture import APPLICATION, NODE, QUEUE, Definition
from tui.terminal import format as text


class ComparisonRequest(NamedTuple):
    """The runs that a user compares: those beside the scenario as it is, in their order.

    One is a policy or KEY=VALUE, or several of them joined by `,`; a file or folder of a configuration; or a scenario
    as it is, with the name of its source.
    """

    others: Sequence[str | Path | tuple[str, Scenario]]
    name: str = ""  # Of the first beside other scenarios


def contestants_of(scenario: Scenario, wanted: ComparisonRequest) -> list[ComparisonCandidate]:
    """The runs in their order, the scenario as it is first; a `ConfigError` where words are wrong, or too many."""
    is_named = any(isinstance(other, tuple) for other in wanted.others)
    runs = [ComparisonCandidate("", wanted.name if is_named else scenario.scheduler, scenario)]
    problems = Problems()
    alike = [each for each in POLICIES if each != scenario.scheduler and system_of(each) == scenario.system]
    hint = ", ".join([*alike, "KEY=VALUE", "or the path of a configuration"])
    for other in wanted.others:
        with problems.taken():
            if isinstance(other, Path):
                runs.append(ComparisonCandidate("", other.name, *configured(scenario, configuration_files(other))))
            elif isinstance(other, tuple):
                beside = set_beside(scenario, other[1])
                runs.append(ComparisonCandidate("", other[0], beside.scenario, beside.mapped))
            elif other != scenario.scheduler:  # under its own it is the first run
                runs.append(_with(scenario, other))
    problems.check()
    if not 2 <= len(runs) <= len(LETTERS):
        words = f"two to {len(LETTERS)} runs are compared, not {len(runs)}"
        if len(runs) < 2 and wanted.others:
            words = f"{scenario.scheduler} is what it runs under as it is"
        raise ConfigError.of(words, key="OTHER", hint=hint)
    return [msgspec.structs.replace(run, letter=letter) for letter, run in zip(LETTERS, runs, strict=False)]


def _with(scenario: Scenario, words: str) -> ComparisonCandidate:
    policy: str = scenario.scheduler
    settings: list[str] = []
    for word in words.split(","):
        if word.startswith("scheduler="):
            policy = word.partition("=")[2]
        elif "=" in word:
            settings.append(word)
        elif settings:
            settings[-1] += f",{word}"  # a comma within a value
        else:
            policy = word.strip()
    try:
        count, settings = without_nodes(settings)
        carried = carried_over(with_nodes(scenario, count) if count else scenario, policy)
        other = changed(carried.scenario, settings)
    except ConfigError as error:
        asked = [msgspec.structs.replace(each, file=each.file.replace("--set ", "")) for each in error.problems]
        raise ConfigError(asked) from None
    keys = [setting.partition("=")[0].strip() for setting in settings]
    idle = [f"{key}: {said}" for key in keys if (said := idle_words(key, carried.scenario.scheduler))]
    mapped = (*carried.mapped, *set_beside(scenario, other).mapped)
    return ComparisonCandidate("", words, other, mapped, (*carried.dropped, *idle))


def configuration_files(path: Path) -> list[Path]:
    """A file, or those of a folder; a `ConfigError` where it has none."""
    paths = sorted(path.glob("*.xml")) if is_a_folder(path) else [path]
    if not paths:
        raise ConfigError.of("has no .xml files", str(path))
    return paths


def configured(scenario: Scenario, paths: Sequence[Path]) -> tuple[Scenario, tuple[str, ...]]:
    """A scenario with configuration files on top of its own settings, and what became something else."""
    files = [read_file(each) for each in paths]
    sites = [each.path for each in files if each.kind is FileKind.PROPERTIES]
    settings = dict(read_configurations(sites, era=scenario.era).values) if sites else {}
    allocations = next((each for each in files if each.kind is FileKind.ALLOCATIONS), None)
    policy = _policy(scenario, settings, has_allocations=allocations is not None)
    carried = carried_over(scenario, policy)
    kept = {
        key: value
        for key, value in carried.scenario.settings.items()
        if not (QUEUES.of("root") in settings and key.startswith(PREFIX))
    }
    fields: dict[str, Any] = {
        "settings": kept | {key: value for key, value in settings.items() if key.startswith("yarn.")}
    }
    if allocations is not None:
        read_fair_scheduler(allocations.text, file=allocations.name, settings=settings, era=scenario.era)
        fields |= {"allocations": allocations.text, "queues": (), "queue_defaults": {}}
    mapped = carried.mapped if policy != scenario.scheduler else ()
    if allocations is not None or QUEUES.of("root") in settings:
        mapped = tuple(each for each in mapped if not each.endswith((BY_WEIGHT, BY_CAPACITY)))
    return carried.scenario.model_copy(update=fields), mapped


def _policy(scenario: Scenario, settings: dict[str, str], *, has_allocations: bool) -> str:
    era = scenario.era
    named = settings.get(SCHEDULER_CLASS.name, "").strip().rpartition(".")[2]
    if named:
        return scheduler_named(f"{named} {'3' if era == '3.4' else '2'}")
    if QUEUES.of("root") in settings:
        return f"capacity-{era}"
    return f"fair-{era}" if has_allocations else scenario.scheduler


_MEANINGLESS: Final = ("am", "priority", "queue")  # Keys without meaning to an application of Spark's Master


class _Origin(NamedTuple):
    words: str
    table: str  # `workload` or `running` of the scenario file; empty when it is not from there
    place: int
    part: Any  # The entry


class Definitions:
    def __init__(self, scenario: Scenario, source: str, offset_ms: int) -> None:
        """`source` is the name or path of the scenario's file, empty for none; `offset_ms` is for times of day."""
        self._scenario = scenario
        self._source = source
        self._offset_ms = offset_ms
        self._layers: Layers | None = None

    def of(self, kind: str, name: str, simulation: Simulation) -> Definition | None:
        makers: dict[str, Callable[[str, Simulation, Snapshot], Definition | None]] = {
            QUEUE: self._queue,
            NODE: self._node,
            APPLICATION: self._application,
        }
        maker = makers.get(kind)
        snapshot = snapshot_of(simulation)
        return None if maker is None else maker(name, simulation, snapshot)

    # Queues

    def _queue(self, path: str, simulation: Simulation, snapshot: Snapshot) -> Definition | None:
        row = next((row for row in snapshot.queues() if row.path == path), None)
        if row is None:
            return None
        plane = simulation.control_plane
        view = plane.view()
        if isinstance(view, YarnClusterView) and (properties := view.policy.properties()):
            return Definition(path, self._properties(row, snapshot, properties), "xml")
        allocation = view.policy.allocation()
        if not isinstance(allocation, FairAllocation):
            return Definition(path, (f"<!-- {path}: {self._without_lines(plane.name, snapshot)} -->",), "xml")
        reloaded = [act.allocations for _, act in simulation.acts if isinstance(act, Reload)]
        is_of_file = bool(reloaded) or self._scenario.allocations is not None
        where = (lambda scope, name, line: f"allocation file, line {line}") if is_of_file else self._line_of_queue
        lines = queue_definition(path, allocation, self._loaded(reloaded), where, parent=not row.is_leaf)
        return Definition(path, (f"<!-- {self._queue_words(row)} -->", *lines), "xml")

    def _without_lines(self, policy: str, snapshot: Snapshot) -> str:
        is_given = policy == "mr1-fair" and self._scenario.allocations_xml() is not None
        which = "the only" if len(snapshot.queues()) == 1 else "a"
        where = "its settings are not shown here" if is_given or policy == "mr1-capacity" else "no file defines it"
        return f"{which} {queue_word(policy)} of {policy}; {where}"

    def _properties(self, row: QueueRow, snapshot: Snapshot, properties: Mapping[str, str]) -> tuple[str, ...]:
        """Return the properties of a queue in force, as in capacity-scheduler.xml, with their lines of the scenario."""
        own = f"{PREFIX}{row.path}."
        below = tuple(f"{PREFIX}{each.path}." for each in snapshot.queues() if each.path.startswith(f"{row.path}."))
        lines = [f"<!-- {self._queue_words(row)} -->"]
        for key, value in properties.items():
            if key.startswith(own) and not key.startswith(below):
                is_given = str(self._scenario.settings.get(key)) == value
                where = self._line("settings", key) if is_given else "changed while it ran"
                lines.append(f"<property><name>{key}</name><value>{escape(value)}</value></property> <!-- {where} -->")
        return (*lines, *(() if len(lines) > 1 else ("<!-- no property of its own: defaults hold -->",)))

    def _queue_words(self, row: QueueRow) -> str:
        kind = "leaf" if row.is_leaf else "parent"
        return f"{row.path}, a {kind} queue, as Hadoop {self._scenario.era} has it in force"

    def _loaded(self, reloaded: Sequence[str]) -> LoadedAllocation | None:
        words = reloaded[-1] if reloaded else self._scenario.allocations_xml()
        if words is None:
            return None
        return read_fair_scheduler(words, settings=self._scenario.settings, era=self._scenario.era)

    def _line_of_queue(self, scope: str, name: str, line: int) -> str:
        if not scope:
            return self._line("queue_defaults", name)
        places = [place for place, queue in enumerate(self._scenario.queues) if f"root.{queue.path}" == scope]
        key = next((key for key, element in ELEMENTS.items() if element == name), name)
        return self._line("queues", *places[:1], key)

    def _line(self, *path: str | int) -> str:
        if self._layers is None and self._source:
            try:
                self._layers = read(find(self._source))
            except ConfigError:  # it was moved or changed since it was opened
                self._source = ""
        origin = None if self._layers is None else self._layers.origin(tuple(path))
        return f"{origin.file}:{origin.line}" if origin is not None and origin.line else "the scenario"

    # Nodes

    def _node(self, node: str, simulation: Simulation, snapshot: Snapshot) -> Definition | None:
        row = next((row for row in snapshot.nodes() if row.id == node), None)
        if row is None:
            return None
        cluster, head = self._scenario.cluster, (row.host, row.id)
        specs = cluster.all_nodes()
        found = [place for place, spec in enumerate(specs) if spec.id == node]
        found = found or [place for place, spec in enumerate(specs) if spec.host in head]
        dimensions = snapshot.header.dimensions
        label = f"node label {row.partition}, " if row.partition else "no node label, "
        label = label if terms_for(dimensions) is YARN else ""
        rack = "" if terms_for(dimensions) is SPARK else f"rack {row.rack}, "
        says = [f"{row.id}, {rack}{label}{row.state}", *_in_settings(row, dimensions)]
        if not found:
            return Definition(node, (*_comments(says), "# it is not of the scenario"), "toml")
        spec = specs[found[0]]
        if terms_for(dimensions) is YARN and (spec.memory_mb, spec.vcores) != tuple(row.total):
            says.append(f"now {text.amounts(row.total, dimensions)}: it was resized while it ran")
        says.append(self._place_of_node(found[0]))
        lines = (*_comments(says), *entry("cluster.nodes", spec), *_taken(defaults(spec)))
        return Definition(node, lines, "toml")

    def _place_of_node(self, place: int) -> str:
        cluster = self._scenario.cluster
        if place < len(cluster.nodes):
            return self._line("cluster", "nodes", place)
        place -= len(cluster.nodes)
        sizes = [len(group.hosts) or group.count for group in cluster.groups]
        index = 0
        while place >= sizes[index]:
            place, index = place - sizes[index], index + 1
        return f"{self._line('cluster', 'groups', index)}, node {place + 1} of a group of {sizes[index]}"

    # Applications

    def _application(self, application: str, simulation: Simulation, snapshot: Snapshot) -> Definition | None:
        rows = snapshot.applications(why=False)
        row = next((row for row in rows if row.id == application), None)
        if row is None:
            return None
        submitted = f"submitted {text.clock(row.submitted_ms, self._offset_ms)}"
        where = f" to {row.queue}" if row.queue else ""
        says = [f"{row.id}, {submitted}{where}"]
        found = self._origin(row, rows, simulation)
        if found is None:
            return Definition(row.id, _comments([*says, "how it was submitted is not known"]), "toml")
        spec = found.part.application if found.table == "running" else found.part
        without = _MEANINGLESS if isinstance(spec, StandaloneSpec) else ()
        lines = [*_comments([*says, found.words]), *entry(found.table or "workload", found.part)]
        return Definition(row.id, (*lines, *_taken(defaults(spec, without=without))), "toml")

    def _origin(self, row: ApplicationRow, rows: Sequence[ApplicationRow], simulation: Simulation) -> _Origin | None:
        """Find the entry of an application: that of its master while it has one, else the one that fits."""
        spec = simulation.world.specification_of(row.number)
        known = self._origins(row, simulation)
        if spec is not None:
            specs = [one.part.application if one.table == "running" else one.part for one in known]
            known = [one for one, its in zip(known, specs, strict=True) if its == spec] or known
        likeness = attrgetter("name", "user", "submitted_ms")
        twins = sorted(one.number for one in rows if likeness(one) == likeness(row))
        return known[min(twins.index(row.number), len(known) - 1)] if known else None

    def _origins(self, row: ApplicationRow, simulation: Simulation) -> list[_Origin]:
        scenario = self._scenario
        found = []
        for place, running in enumerate(scenario.running):
            spec = running.application
            if _is_of(spec, row) and row.submitted_ms <= scenario.start_ms:
                words = f"{self._line('running', place)}: it runs when the scenario starts"
                found.append(_Origin(words, "running", place, running))
        for arrival in arrivals(scenario.workload):
            is_it = arrival.number is None or arrival.number == row.number
            if is_it and _is_of(arrival.spec, row) and scenario.start_ms + arrival.at_ms == row.submitted_ms:
                place = next(i for i, spec in enumerate(scenario.workload) if spec is arrival.spec)
                words = self._line("workload", place) + _turn(arrival.spec, arrival.at_ms)
                found.append(_Origin(words, "workload", place, arrival.spec))
        for position, act in simulation.acts:
            if isinstance(act, SubmitApplication) and position[0] == row.submitted_ms:
                spec = act.spec()
                if _is_of(spec, row):
                    found.append(_Origin("submitted by hand or by the script", "", 0, spec))
        return found


def _is_of(spec: ApplicationSpec, row: ApplicationRow) -> bool:
    return (spec.name, spec.user) == (row.name, row.user)


def _turn(spec: ApplicationSpec, at_ms: int) -> str:
    if spec.repeat is None or not spec.repeat.every_ms:
        return ""
    return f", number {(at_ms - spec.at_ms) // spec.repeat.every_ms + 1} of {spec.repeat.times}"


def _in_settings(row: NodeRow, dimensions: tuple[str, ...]) -> list[str]:
    if "cores" in dimensions:
        return [f"spark-env.sh: SPARK_WORKER_MEMORY={row.total[0]}m SPARK_WORKER_CORES={row.total[1]}"]
    file, keys = "yarn-site.xml", ["yarn.nodemanager.resource.memory-mb", "yarn.nodemanager.resource.cpu-vcores"]
    if "map_slots" in dimensions:
        file = "mapred-site.xml"
        keys = [f"mapred.tasktracker.{kind}.tasks.maximum" for kind in ("map", "reduce")]
    return [f"{file}: {key} = {amount}" for key, amount in zip(keys, row.total, strict=False)]


def _comments(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"# {text.plain(line)}" for line in lines)


def _taken(lines: Sequence[str]) -> tuple[str, ...]:
    return ("# by default:", *(f"#   {line}" for line in lines)) if lines else ()
