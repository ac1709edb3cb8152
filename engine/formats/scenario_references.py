"""Checks the names inside a scenario: nodes and applications that are not there, and faults of its allocation file."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

import msgspec
from pydantic import BaseModel

from engine.errors import LISTED_UP_TO, ConfigError, Problem, nearest, quoted, shortened
from engine.formats.fair_files import read_fair_scheduler
from engine.formats.fair_placement import read_pools
from engine.formats.scenario_overrides import Layers, Origin, Path
from engine.model import lifecycle
from engine.model.cluster import Cluster
from engine.model.java_values import INT_MAX, setting_boolean
from engine.model.spark.application import APPLICATION_MOVES, WORKER_MOVES
from engine.scenario import (
    ApplicationSpec,
    Expectation,
    JobSpec,
    MapReduceSpec,
    Scenario,
    ScriptedSpec,
    ServiceSpec,
    SparkSpec,
    StandaloneSpec,
)
from engine.scenario.acts import ONLY_YARN, AddNode, RestartJobTracker, SubmitApplication, nodes_of
from engine.scenario.cluster import Table
from engine.schedulers.capacity27.calculators import labels_of
from engine.schedulers.interface import SchedulerStart
from engine.schedulers.mr1.settings import check_settings
from engine.schedulers.registry import SCHEDULERS
from engine.schedulers.settings import resource_manager_settings
from engine.schedulers.spark.scheduling_pass import parse_settings
from engine.settings.capacity import CAPACITY_27, CAPACITY_34, LABELS_ENABLED
from engine.settings.capacity_queue import QUEUES
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.known import idle_words, is_odd_flag, nearest_known, readers
from engine.settings.site import NODE_MEMORY, NODE_VCORES

ROOT: Final = f"{PREFIX}root."
MAX_APPLICATIONS: Final = 1_000_000  # Most applications of a workload, repeats included
MAX_TASKS: Final = 4_000_000  # Most tasks and containers asked for by a workload, repeats included


def check_references(scenario: Scenario, layers: Layers) -> list[Problem]:
    problems = _size_problems(scenario, layers)
    if problems:
        return problems
    problems = [
        *_queue_problems(scenario, layers),
        *_early_problems(scenario, layers),
        *_expectation_problems(scenario, layers),
        *_setting_problems(scenario, layers),
        *_allocation_problems(scenario, layers),
        *_recovered_problems(scenario, layers),
    ]
    nodes = {name for node in scenario.cluster.all_nodes() for name in (node.host, node.id)}
    added = [act.node for step in scenario.script if isinstance(act := step.act, AddNode)]
    nodes |= {name for node in added for name in (node, node.partition(":")[0])}
    for path, name in _nodes_named(scenario):
        if name not in nodes:
            hint = nearest(name, sorted(nodes)) if len(problems) < LISTED_UP_TO else ""
            problems.append(_problem(layers, path, f"there is no node {shortened(name)}", hint))
    numbers, names = _applications(scenario)
    for path, name in _applications_named(scenario):
        if name not in names and not numbers.has(name):
            hint = nearest(name, sorted(names)) if len(problems) < LISTED_UP_TO else ""
            message = f"no application has the name or number {shortened(name)}"
            problems.append(_problem(layers, path, message, hint))
    return problems


def unknown_settings(scenario: Scenario, layers: Layers) -> list[Problem]:
    """Settings that no scheduler reads, where they are written for a simulation: in a scenario, or as an option.

    A yarn-site.xml may have them, as Hadoop ignores them. A flag that is an option has to be true or false.
    """
    found: list[Problem] = []
    for key, text in scenario.settings.items():
        origin = layers.origins.get(("settings", key))
        if origin is None or not (origin.line or origin.file.startswith("--set ")):
            continue
        if origin.file.startswith("--set ") and is_odd_flag(key, text):
            found.append(Problem(f"{quoted(text)} is neither true nor false", origin.file, origin.line, key))
        if readers(key):
            continue
        hint = nearest_known(key) if len(found) < LISTED_UP_TO else ""
        found.append(Problem("unknown key: no scheduler reads it", origin.file, origin.line, key, hint))
    return found


NODES_STATE_IT: Final = "does nothing here: each node of the cluster states its own size"


def idle_settings(scenario: Scenario, layers: Layers) -> list[Problem]:
    """What the topmost file, or an option, states and the scenario's scheduler does not read: it changes nothing."""

    def is_stated(origin: Origin) -> bool:
        top = layers.origins.get((), origin).file
        return origin.file.startswith("--set ") or (origin.file == top and origin.line > 0)

    found, unlisted = [], dict(_of_unlisted_queues(scenario)) if scenario.family == "capacity" else {}
    for key, text in scenario.settings.items():
        origin, words = layers.origin(("settings", key)), idle_words(key, scenario.scheduler)
        if is_odd_flag(key, text):
            words = words or f"{quoted(text)} is neither true nor false: it counts as not stated"
        if key in (NODE_MEMORY.name, NODE_VCORES.name) and not origin.file.startswith("--set "):
            words = words or NODES_STATE_IT
        words = words or unlisted.get(key, "")
        if words and is_stated(origin):
            found.append(Problem(words, origin.file, origin.line, key))
    found += [
        Problem(f"{words}, so its nodes join without one", origin.file, origin.line, "partition")
        for words, origin in _unknown_labels(scenario, layers)
        if is_stated(origin)
    ]
    found += [
        Problem(f"does nothing under {scenario.scheduler}: it is of {whose}", origin.file, origin.line, "do")
        for whose, origin in _foreign_faults(scenario, layers)
        if is_stated(origin)
    ]
    if scenario.system == "mr1" or scenario.scheduler == CAPACITY_34.name:
        return found
    ranked = (index for index, spec in enumerate(scenario.workload) if spec.priority is not None)
    first = next(ranked, None)
    if first is not None:
        origin = layers.origin(("workload", first, "priority"))
        if is_stated(origin):
            words = f"does nothing under {scenario.scheduler}: its applications have no priority"
            found.append(Problem(words, origin.file, origin.line, "priority"))
    return found


def _of_unlisted_queues(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Each setting of a queue that no list of queues has, and what to say of it; none where queues make themselves."""
    below_root = {key.removeprefix(PREFIX): text for key, text in scenario.settings.items() if key.startswith(ROOT)}
    if any("auto-" in name for name in below_root):
        return
    queues = {"root"}
    for name, text in below_root.items():
        above, _, last = name.rpartition(".")
        queues |= {f"{above}.{each.strip()}" for each in text.split(",")} if last == QUEUES.name else set()
    for name in below_root:
        queue = max((each for each in queues if name.startswith(f"{each}.")), key=len)
        path, _, last = name.rpartition(".")
        if CAPACITY_34.reads(last) and not CAPACITY_34.reads(name.removeprefix(f"{queue}.")):
            hint = nearest(path, queues)
            yield f"{PREFIX}{name}", f"does nothing: no list of queues has {path}{f' ({hint})' if hint else ''}"


def _foreign_faults(scenario: Scenario, layers: Layers) -> Iterator[tuple[str, Origin]]:
    for table, steps in (("script", scenario.script), ("faults", scenario.faults)):
        for index, step in enumerate(steps):
            if scenario.system != "yarn" and isinstance(step.act, ONLY_YARN):
                yield "a ResourceManager and its nodes", layers.origin((table, index, "do"))
            elif scenario.system != "mr1" and isinstance(step.act, RestartJobTracker):
                yield "a JobTracker", layers.origin((table, index, "do"))


def _unknown_labels(scenario: Scenario, layers: Layers) -> Iterator[tuple[str, Origin]]:
    """Node labels that nodes state and the cluster does not have: what is so, and where the first node of each is."""
    settings, known = scenario.settings, frozenset[str]()
    has_labels = setting_boolean(settings.get(LABELS_ENABLED.name), default=False)
    if scenario.scheduler == CAPACITY_27.name or (scenario.scheduler == CAPACITY_34.name and has_labels):
        known = labels_of(settings)
    seen = {"", *known}
    for table in ("nodes", "groups"):
        for index, spec in enumerate(getattr(scenario.cluster, table)):
            if spec.partition in seen:
                continue
            seen.add(spec.partition)
            words = f"does nothing: the cluster has no node label {shortened(spec.partition)}"
            yield words, layers.origin(("cluster", table, index, "partition"))


def _located(problems: Sequence[Problem], layers: Layers) -> list[Problem]:
    # A key is as in the file (`faults.0.at`), of the settings, or `workload.NAME`, `running.NAME` and `recovered.NAME`;
    # an option of a command (`--at`), or a word of its usage (`OTHER`), stands in no file
    return [
        one
        if one.file or one.key.startswith("-") or one.key.isupper()
        else Problem(one.message, *layers.origin(_path_of(one.key, layers.data)), one.key, one.hint)
        for one in problems
    ]


@contextmanager
def placed(layers: Layers) -> Iterator[None]:
    """Give the problems that a run of a scenario begins with the file and line of their keys."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(_located(error.problems, layers), error.kind) from None


def _path_of(key: str, data: Table) -> Path:
    table, _, rest = key.partition(".")
    if key in data.get("settings", {}):
        return ("settings", key)
    items = data.get(table)
    if table not in ("workload", "running", "recovered") or not isinstance(items, list):
        return (table,) if table in data else ("settings",)
    specs = [item if table == "workload" else item.get("application", {}) for item in items]
    for index, spec in enumerate(specs):
        if rest in (spec.get("name"), str(index)) or (not spec.get("name") and rest == spec.get("type")):
            return (table, index)
    return (table,)


def _size_problems(scenario: Scenario, layers: Layers) -> list[Problem]:
    applications = tasks = 0
    nodes = len(scenario.cluster.all_nodes())
    for spec in scenario.workload:
        times = spec.repeat.times if spec.repeat is not None else 1
        applications += times
        tasks += times * _tasks(spec, nodes)
    found = []
    for number, most, what in ((applications, MAX_APPLICATIONS, "applications"), (tasks, MAX_TASKS, "tasks and asks")):
        if number > most:
            message = f"has {quoted(number)} {what} with their repeats; at most {most:,} are simulated"
            found.append(_problem(layers, ("workload",), message, ""))
    return found


def _tasks(spec: ApplicationSpec, nodes: int) -> int:
    if isinstance(spec, MapReduceSpec):
        return spec.maps + spec.reduces
    if isinstance(spec, ServiceSpec):
        return spec.instances * (nodes if spec.each_node else 1) + _job_tasks(spec.all_jobs)
    if isinstance(spec, ScriptedSpec):
        return sum(ask.count * (nodes if ask.each_node else 1) for ask in spec.asks)
    if isinstance(spec, StandaloneSpec):
        return sum(stage.tasks for stage in spec.stages)
    executors = spec.executors if isinstance(spec, SparkSpec) else 0
    return executors + _job_tasks(spec.all_jobs)


def _job_tasks(jobs: Iterable[JobSpec]) -> int:
    return sum(stage.tasks for job in jobs for stage in job.stages)


def _queue_problems(scenario: Scenario, layers: Layers) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    for index, queue in enumerate(scenario.queues):
        first = seen.setdefault(queue.path, index)
        if first != index:
            line = layers.origin(("queues", first)).line
            message = f"queue {shortened(queue.name)} stands at line {line} too"
            yield _problem(layers, ("queues", index, "name"), message, "")


def _early_problems(scenario: Scenario, layers: Layers) -> Iterator[Problem]:
    for index, spec in enumerate(scenario.workload):
        if spec.at_ms < 0:
            yield _problem(layers, ("workload", index, "at"), "is before the start", "")


def _setting_problems(scenario: Scenario, layers: Layers) -> list[Problem]:
    found: list[Problem] = []
    readers: list[Callable[[], object]] = [partial(parse_settings, scenario.settings)]
    if scenario.system == "mr1":
        readers = [partial(check_settings, scenario.settings, scenario.scheduler)]
    elif scenario.system == "yarn":
        make = partial(SCHEDULERS[scenario.scheduler], SchedulerStart(Cluster(1), scenario.settings, None, {}, 0))
        readers = [partial(resource_manager_settings, scenario.settings), make]
    for read in readers:
        try:
            read()
        except ConfigError as error:
            found += _located(error.problems, layers)
    return found


def _allocation_problems(scenario: Scenario, layers: Layers) -> list[Problem]:
    texts: list[tuple[Path, str | None]] = [(("allocations",), scenario.allocations_xml())]
    texts += [
        (("script", at, "allocations"), getattr(step, "allocations", None)) for at, step in enumerate(scenario.script)
    ]
    problems = []
    for path, text in texts:
        origin = layers.origin(path if scenario.allocations is not None or len(path) > 1 else ("queues",))
        try:
            if text is not None and scenario.system == "mr1":
                read_pools(text, origin.file)
            elif text is not None:
                read_fair_scheduler(text, file=origin.file, settings=scenario.settings, era=scenario.era)
        except ConfigError as error:
            is_table = not scenario.allocations and len(path) == 1
            problems += [
                msgspec.structs.replace(one, line=_line(one, origin, is_table=is_table)) for one in error.problems
            ]
    return problems


def _recovered_problems(scenario: Scenario, layers: Layers) -> Iterator[Problem]:
    down = {name for node in scenario.cluster.all_nodes() if node.is_down for name in (node.host, node.id)}
    ids = {node.host: node.id for node in scenario.cluster.all_nodes()}
    numbers: dict[int, int] = {}
    reserved: set[str] = set()
    for index, taken in enumerate(scenario.recovered):
        number = taken.application.number
        if number is not None and numbers.setdefault(number, index) != index:
            path: Path = ("recovered", index, "application", "number")
            yield _problem(layers, path, f"number {number} is taken by another application", "")
        for place, each in enumerate(taken.reserved):
            path = ("recovered", index, "reserved", place, "node")
            if (node := ids.get(each.node, each.node)) in reserved:
                yield _problem(layers, path, f"{each.node} is reserved twice", "")
            reserved.add(node)
        held: list[tuple[str, int, str]] = [("containers", at, one.node) for at, one in enumerate(taken.containers)]
        held += [("reserved", at, one.node) for at, one in enumerate(taken.reserved)]
        for table, place, name in held:
            if name in down:
                yield _problem(layers, ("recovered", index, table, place, "node"), f"{name} is down", "")


def _line(problem: Problem, origin: Origin, *, is_table: bool) -> int:
    """The line of a fault: as in the file, behind the key of an inline text, or of the tables it was made from."""
    if is_table or not problem.line:
        return origin.line
    return origin.line + problem.line if origin.line else problem.line


def _problem(layers: Layers, path: Path, message: str, hint: str) -> Problem:
    origin = layers.origin(path)
    return Problem(message, origin.file, origin.line, ".".join(str(part) for part in path), hint)


def _nodes_named(scenario: Scenario) -> Iterator[tuple[Path, str]]:
    steps = [("script", *each) for each in enumerate(scenario.script)]
    steps += [("faults", *each) for each in enumerate(scenario.faults)]
    for table, index, step in steps:
        yield from (((table, index, field), name) for field, name in nodes_of(step.act))
    parts: list[tuple[Path, BaseModel]] = []
    for index, running in enumerate(scenario.running):
        parts += [(("running", index, "placed", place), item) for place, item in enumerate(running.placed)]
        parts += [(("running", index, "reserved", place), item) for place, item in enumerate(running.reserved)]
    for index, taken in enumerate(scenario.recovered):
        parts += [(("recovered", index, "containers", place), one) for place, one in enumerate(taken.containers)]
        parts += [(("recovered", index, "reserved", place), one) for place, one in enumerate(taken.reserved)]
    for path, part in parts:
        if (node := getattr(part, "node", None)) is not None:
            yield (*path, "node"), node
    for index, expectation in enumerate(scenario.expectations):
        if expectation.node is not None:
            yield ("expectations", index, "node"), expectation.node
        if expectation.what == "nodes" and isinstance(expectation.equals, tuple):
            for name in expectation.equals:
                yield ("expectations", index, "equals"), name


def _applications_named(scenario: Scenario) -> Iterator[tuple[Path, str]]:
    for index, step in enumerate(scenario.script):
        if isinstance(name := getattr(step, "application", None), str):
            yield ("script", index, "application"), name
    for index, expectation in enumerate(scenario.expectations):
        if expectation.application is not None:
            yield ("expectations", index, "application"), expectation.application


_WORDS: Final = frozenset({"state", "queue", "refusal", "reserved_by"})  # Measures that are words
_STATES: Final[Mapping[str, Sequence[str]]] = {
    "yarn": tuple(lifecycle.APPLICATION),
    "spark": (*APPLICATION_MOVES, "UNKNOWN"),
    "mr1": ("PREP", "RUNNING", "SUCCEEDED", "FAILED", "KILLED"),
}  # System → the states of its applications
_WORKER_STATES: Final = (*WORKER_MOVES, "UNKNOWN")
_NODE_STATES: Final = (*lifecycle.NODE, "DECOMMISSIONING", "SHUTDOWN")


def _expectation_problems(scenario: Scenario, layers: Layers) -> Iterator[Problem]:
    """What no measure can be: a word for a number, a state that there is not."""
    for index, expectation in enumerate(scenario.expectations):
        for key, message, hint in _never_met(expectation, scenario.system):
            yield _problem(layers, ("expectations", index, key), message, hint)


def _never_met(expectation: Expectation, system: str) -> Iterator[tuple[str, str, str]]:
    what, equals = expectation.what, expectation.equals
    kind: type | tuple[type, ...] = str if what in _WORDS else (int, float)
    words = "a word" if what in _WORDS else "a number"
    if (expectation.of, what) == ("reservations", "nodes"):
        kind, words = tuple, "a list of hosts"
    if equals is not None and (isinstance(equals, bool) or not isinstance(equals, kind)):
        yield "equals", f"{quoted(equals)} is not {words}, as {what} of {expectation.of} is", ""
    for key in ("at_least", "at_most"):
        if getattr(expectation, key) is not None and words != "a number":
            yield key, f"{what} of {expectation.of} is {words}", "equals compares it"
    of_nodes = _WORKER_STATES if system == "spark" else _NODE_STATES
    states = of_nodes if expectation.of == "node" else _STATES[system]
    for key, state in (("state", expectation.state), ("equals", equals if what == "state" else None)):
        if (
            isinstance(state, str)
            and state not in states
            and not (system == "mr1" and state in lifecycle.EARLIER_STATES)
        ):
            yield key, f"there is no state {quoted(state)}", nearest(state, states) or f"there is {', '.join(states)}"


class _Numbers:  # Found by their last digits
    def __init__(self, numbers: Iterable[int]) -> None:
        self._numbers = frozenset(numbers)
        self._endings: dict[int, frozenset[int]] = {}  # how many digits → the ends of that length

    def has(self, name: str) -> bool:
        if name.startswith("driver-"):  # numbered from 0 in the order of their submission
            return name[-4:].isdecimal() and int(name[-4:]) < len(self._numbers)
        digits = name.rpartition("-" if name.startswith("app-") else "_")[2].lstrip("0")
        if not digits.isascii() or not digits.isdigit() or len(digits) > len(str(INT_MAX)):
            return False
        length = len(digits)
        if length not in self._endings:
            self._endings[length] = frozenset(number % 10**length for number in self._numbers)
        return int(digits) in self._endings[length]


def _applications(scenario: Scenario) -> tuple[_Numbers, frozenset[str]]:
    """(numbers, names) that applications are given; numbers dealt out while it runs are not known here."""
    specs: list[ApplicationSpec] = [running.application for running in scenario.running]
    specs += [taken.application for taken in scenario.recovered]
    specs += scenario.workload
    specs += [act.spec() for step in scenario.script if isinstance(act := step.act, SubmitApplication)]
    numbers: list[int] = []
    counted = 0
    for spec in specs:
        times = spec.repeat.times if spec.repeat is not None else 1
        if spec.number is not None:
            numbers += range(spec.number, spec.number + times)
        else:
            counted += times
    numbers += range(scenario.first_application, scenario.first_application + counted + len(numbers))
    return _Numbers(numbers), frozenset(spec.name for spec in specs if spec.name)
