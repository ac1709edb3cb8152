"""Plays a scenario from its start with some values changed, and tells when an ask has what it waited for.

An ask is met when the application holds one container more than it does without the change at the instant asked about,
net of preempted ones. For an application that was refused or lost, it is met when it holds its first container, or ends
well.
"""

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, NamedTuple

from engine.control_plane.protocol import SettingsChanged
from engine.errors import ConfigError
from engine.explain.change import NO_LIMIT, Change
from engine.explain.counterfactuals import Ask, Lookahead
from engine.explain.remedy_trial import Ends
from engine.incremental import Incremental
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, ContainerId, Killed, owner_of
from engine.model.lifecycle import ENDED_WELL
from engine.model.request import full_name
from engine.observe.snapshots import LOSING, queue_word
from engine.run.player import Run
from engine.scenario import Scenario
from engine.scenario.acts import Act, Reload, SetQueueSetting, SetSetting
from engine.scenario.applications import ApplicationSpec, DynamicAllocation
from engine.scenario.cluster import Size
from engine.schedulers.placement import DEFAULT_QUEUE
from engine.settings.capacity_scheduler import PREFIX
from engine.simulation.records import EventRefused, Record, Submitted
from engine.simulation.simulation import Simulation

# Writes changes into a scenario, as if they had stood there from the start.

_QUEUES: Final = ("queue", "pool")

_SIZES: Final[Mapping[str, tuple[str, ...]]] = {
    "mapreduce": ("map", "reduce"),
    "spark": ("executor",),
    "tez": ("container",),
    "service": ("instance",),
}
"""Type of application → the fields with the size of its working containers."""


def changed(scenario: Scenario, changes: Sequence[Change]) -> Scenario:
    """Write each change where it stands: in a file, at a node, at an application, as the release."""
    for change in changes:
        scenario = _WRITERS.get(change.where, _in_a_file)(scenario, change)
        kept = tuple(each for each in scenario.script if not _sets(each.act, change))
        scenario = scenario.model_copy(update={"script": kept})
    return scenario


def _sets(act: Act, change: Change) -> bool:
    if isinstance(act, SetQueueSetting):
        return (full_name(act.queue), act.key) == (change.place.path, change.key)
    return isinstance(act, SetSetting) and act.key == change.property


def _in_a_file(scenario: Scenario, change: Change) -> Scenario:
    if change.has_xml_file:
        text = scenario.allocations_xml() or "<allocations/>"
        update = {"allocations": _with_element(text, change), "queues": (), "queue_defaults": {}}
        return scenario.model_copy(update=update)
    return scenario.model_copy(update={"settings": {**scenario.settings, change.property: change.value}})


def _with_element(text: str, change: Change) -> str:
    """An allocation file with one element set.

    The text was read by the product's own reader before, which refuses entities.
    """
    top = ET.fromstring(text)
    at = _above(top, change)
    for old in at.findall(change.key):
        at.remove(old)
    ET.SubElement(at, change.key).text = change.value
    return ET.tostring(top, encoding="unicode")


def without(scenario: Scenario, change: Change) -> Scenario | None:
    """The scenario without what states a value in a file; None where nothing does."""
    if change.where in _WRITERS:
        return None
    if not change.has_xml_file:
        left = {key: value for key, value in scenario.settings.items() if key != change.property}
        return scenario.model_copy(update={"settings": left}) if len(left) < len(scenario.settings) else None
    top = ET.fromstring(scenario.allocations_xml() or "<allocations/>")
    at = _above(top, change)
    stated = at.findall(change.key)
    for element in stated:
        at.remove(element)
    update = {"allocations": ET.tostring(top, encoding="unicode"), "queues": (), "queue_defaults": {}}
    return scenario.model_copy(update=update) if stated else None


def _above(top: ET.Element, change: Change) -> ET.Element:
    if change.where == "root":
        return top
    if change.where == "user":
        return _named(top, "user", change.place.path)
    return _queue(top, queue_word(change.scheduler), change.place.path.split("."))


def _named(above: ET.Element, tag: str, name: str) -> ET.Element:
    found = next((each for each in above if each.tag == tag and each.get("name") == name), None)
    return ET.SubElement(above, tag, name=name) if found is None else found


def _queue(top: ET.Element, tag: str, names: list[str]) -> ET.Element:
    """The element of a queue; where none is called root, root's queues stand at the top."""
    root = next((each for each in top if each.tag in _QUEUES and each.get("name") == "root"), None)
    if names == ["root"]:
        return _root(top, tag) if root is None else root
    at = top if root is None else root
    names = names[1:] if names[0] == "root" else names
    for depth, name in enumerate(names):
        whole = ".".join(names[: depth + 1])
        known = {name, f"root.{name}"} if depth == 0 else {name}
        child = next((each for each in at if each.tag in _QUEUES and each.get("name", "").strip() in known), None)
        if child is None:  # it may be written at the top by its whole path
            child = next(
                (e for e in top.iter() if e.tag in _QUEUES and e.get("name") in (whole, f"root.{whole}")), None
            )
        at = ET.SubElement(at, tag, name=name) if child is None else child
    return at


def _root(top: ET.Element, tag: str) -> ET.Element:
    queues = [each for each in top if each.tag in _QUEUES]
    root = ET.SubElement(top, tag, name="root")
    for queue in queues:
        top.remove(queue)
        root.append(queue)
    return root


def _nodes(scenario: Scenario, change: Change) -> Scenario:
    field = "memory_mb" if change.key == "memory" else "vcores"
    nodes = tuple(
        node.model_copy(update={field: max(getattr(node, field), int(change.value))})
        for node in scenario.cluster.all_nodes()
    )
    cluster = scenario.cluster.model_copy(update={"nodes": nodes, "groups": ()})
    return scenario.model_copy(update={"cluster": cluster})


def _release(scenario: Scenario, change: Change) -> Scenario:
    is_new = change.value.startswith("capacity") and change.family != "capacity"
    settings = {**(_SHIPPED if is_new else {}), **scenario.settings}
    return scenario.model_copy(update={"scheduler": change.value, "settings": settings})


_SHIPPED: Final = {f"{PREFIX}root.queues": DEFAULT_QUEUE, f"{PREFIX}root.{DEFAULT_QUEUE}.capacity": "100"}
"""The queues of the capacity-scheduler.xml that a release is shipped with."""


def _application(scenario: Scenario, change: Change) -> Scenario:
    write, workload = _FIELDS.get(change.key, _plain), list(scenario.workload)
    for index in (change.place.spec, *change.place.alike):
        workload[index] = workload[index].model_copy(update=write(workload[index], change))
    return scenario.model_copy(update={"workload": tuple(workload)})


def _plain(spec: ApplicationSpec, change: Change) -> dict[str, Any]:
    if change.key == "queue":
        return {"queue": change.value}
    return {change.key: float(change.value) if change.key == "slow_start" else int(change.value)}


def _size(spec: ApplicationSpec, change: Change) -> dict[str, Any]:
    """The memory or vcores of an application's working containers; for a scripted one, of its larger asks."""
    field, value = ("memory_mb" if change.key == "container" else "vcores"), int(change.value)
    if spec.type == "spark-standalone":
        return {"executor_memory_mb" if change.key == "container" else "executor_cores": value}
    if spec.type == "scripted":
        asks = (each.model_copy(update={field: min(getattr(each, field), value)}) for each in spec.asks)
        return {"asks": tuple(asks)}
    sizes = {name: getattr(spec, name) for name in _SIZES[spec.type]}
    return {name: size.model_copy(update={field: min(getattr(size, field), value)}) for name, size in sizes.items()}


def _master(spec: ApplicationSpec, change: Change) -> dict[str, Any]:
    own = "driver" if change.key.startswith("driver") else "am"
    field = "vcores" if change.key.endswith("_cores") else "memory_mb"
    return {own: getattr(spec, own).model_copy(update={field: int(change.value)})}


def _fixed(**values: Any) -> Callable[[ApplicationSpec, Change], dict[str, Any]]:
    return lambda spec, change: values


def _asks(spec: ApplicationSpec, change: Change) -> dict[str, Any]:
    freed: dict[str, Any] = {"relax": True} if change.key == "relax" else {"relax": True, "hosts": (), "racks": ()}
    return {"asks": tuple(each.model_copy(update=freed) for each in getattr(spec, "asks", ()))}


def _most(spec: ApplicationSpec, change: Change) -> dict[str, Any]:
    dynamic = getattr(spec, "dynamic", None)
    assert dynamic is not None, "it is varied only where there is one"
    most = int(change.value)
    update = {"most": most, "initial": min(dynamic.initial, most), "least": min(dynamic.least, most)}
    return {"dynamic": dynamic.model_copy(update=update)}


def _number(spec: ApplicationSpec, change: Change) -> dict[str, Any]:
    path, unit = NUMBERS[change.key]
    above, _, field = path.rpartition(".")
    if not above:
        return {field: unit * int(change.value)}
    return {above: getattr(spec, above).model_copy(update={field: unit * int(change.value)})}


NUMBERS: Final[Mapping[str, tuple[str, int]]] = {
    "dynamic.least": ("dynamic.least", 1),
    "dynamic.idle": ("dynamic.idle_ms", 1000),
    "dynamic.backlog": ("dynamic.backlog_ms", 1000),
    "dynamic.cached": ("dynamic.cached_idle_ms", 1000),
    "dynamic.shuffled": ("dynamic.shuffle_timeout_ms", 1000),
    "task_timeout": ("task_timeout_ms", 1),
    "held": ("held", 1),
    "session_timeout": ("session_timeout_ms", 1000),
    "instances": ("instances", 1),
    "max_attempts": ("max_attempts", 1),
    "validity": ("attempt_failures_validity_interval_ms", 1000),
}
"""Field of an application → where its number stands, and how many of that are one of the change's."""

_FIELDS: Final[Mapping[str, Callable[[ApplicationSpec, Change], dict[str, Any]]]] = {
    "container": _size,
    "cores": _size,
    **dict.fromkeys(("master", "master_cores", "driver", "driver_cores"), _master),
    "deploy_mode": _fixed(driver=None),
    "supervise": _fixed(supervise=True),
    "relax": _asks,
    "hosts": _asks,
    "dynamic": _fixed(dynamic=DynamicAllocation()),
    "dynamic.most": _most,
    **dict.fromkeys(NUMBERS, _number),
}
"""Field of an application → its new values, where it is more than one number."""

_WRITERS: Final[Mapping[str, Callable[[Scenario, Change], Scenario]]] = {
    "nodes": _nodes,
    "release": _release,
    "own": _application,
    "holder": _application,
}
"""Where → how it is written, where it is neither a property nor an element."""


def size_of(spec: ApplicationSpec) -> tuple[int, int]:
    """Memory [MB] and vcores of an application's working containers, the largest of each; 0 where not stated."""
    if spec.type == "spark-standalone":
        return spec.executor_memory_mb, spec.executor_cores or 0
    if spec.type == "scripted":
        return max((a.memory_mb for a in spec.asks), default=0), max((a.vcores for a in spec.asks), default=0)
    sizes = _sizes(spec)
    return max(each.memory_mb for each in sizes), max(each.vcores for each in sizes)


def _sizes(spec: ApplicationSpec) -> list[Size]:
    names = _SIZES[spec.type]
    if spec.type == "mapreduce" and not spec.reduces:
        names = names[:1]
    return [getattr(spec, name) for name in names]


def task_sizes(spec: ApplicationSpec, key: str) -> tuple[int, ...]:
    """Memory [MB] (`container`) or vcores (`cores`) of a job's maps and, where it has some, reduces; else nothing."""
    field = {"container": "memory_mb", "cores": "vcores"}.get(key)
    return tuple(getattr(size, field) for size in _sizes(spec)) if field and spec.type == "mapreduce" else ()


def field_of(spec: ApplicationSpec, key: str) -> str | None:
    """Return the value of an application's field; None where it has none, or one that says nothing."""
    if key in ("container", "cores"):
        return str(size_of(spec)[key == "cores"] or "") or None
    if key in ("master", "master_cores", "driver", "driver_cores", "deploy_mode", "supervise"):
        return _of_process(spec, key)
    if key in ("relax", "hosts"):
        asks = getattr(spec, "asks", ())
        is_strict = any(not each.relax for each in asks)
        is_placed = any(each.hosts or each.racks for each in asks)
        return ("false" if key == "relax" else "some") if (is_strict if key == "relax" else is_placed) else None
    if key in ("dynamic", "dynamic.most"):
        return _of_allocation(spec, key)
    if key in NUMBERS:
        return _number_of(spec, key)
    if key == "executors":
        executors = 0 if getattr(spec, "dynamic", None) is not None else getattr(spec, key, 0)
        return str(executors) if executors > 1 else None
    if key == "slow_start":
        return str(spec.slow_start) if spec.type == "mapreduce" and spec.reduces else None
    if key == "cores_max":
        return None if spec.type != "spark-standalone" else str(spec.cores_max or NO_LIMIT)
    if key == "priority":
        return str(spec.priority or 0)
    return spec.queue or "" if key == "queue" else None


def _of_allocation(spec: ApplicationSpec, key: str) -> str | None:
    """Return whether executors come and go as tasks wait, or how many there are at most; None where it never does."""
    dynamic = getattr(spec, "dynamic", None)
    if key == "dynamic.most":
        return None if dynamic is None else str(dynamic.most or NO_LIMIT)
    has_tasks = spec.type == "spark-standalone" or (spec.type == "spark" and bool(spec.all_jobs) and not spec.waits)
    return "false" if dynamic is None and has_tasks else None


def _of_process(spec: ApplicationSpec, key: str) -> str | None:
    """Return a value of an application master or a driver; None where there is none."""
    size: Size | None = getattr(spec, "am" if key.startswith("master") else "driver", None)
    if size is None:
        return None
    if key == "deploy_mode":
        return "cluster"
    if key == "supervise":
        return str(getattr(spec, key)).lower()
    return str(size.vcores if key.endswith("_cores") else size.memory_mb)


def _number_of(spec: ApplicationSpec, key: str) -> str | None:
    """Return a number of an application's; None where it has no such field, empty where it is without one."""
    path, unit = NUMBERS[key]
    above, _, field = path.rpartition(".")
    within = getattr(spec, above) if above and getattr(spec, above, None) is not None else spec
    if field not in type(within).model_fields or not _has_effect(within, key):
        return None
    value = getattr(within, field)
    return "" if value is None else str(value // unit)


def _has_effect(within: Any, key: str) -> bool:
    """Tell whether a number changes anything: a time-out does where there is what it is for."""
    if key == "task_timeout":
        return bool(within.hangs)
    return key != "dynamic.shuffled" or within.shuffle == "tracking"


def refreshed(simulation: Simulation, scenario: Scenario, changes: Sequence[Change]) -> bool:
    """Make changes of files while a cluster runs, as a refresh does; False where it does not take them."""
    if all(change.has_xml_file for change in changes):
        return not simulation.act(Reload(changed(scenario, changes).allocations_xml() or "")).rejected
    if any(change.family not in ("capacity", "mr1") for change in changes):
        return False
    keys = [f"queue.{each.place.path}.{each.key}" if each.family == "mr1" else each.property for each in changes]
    values = dict(zip(keys, (each.value for each in changes), strict=True))
    answer = simulation.world.send(SettingsChanged(values))
    simulation.changed()
    return not answer.rejected


LOOKED_MS: Final = 6 * 3_600_000  # How far it is played after the instant at most [ms]

STEADY_MS: Final = 600_000  # Least time that a working container is kept; crashing executors exit sooner [ms]

SLICE_MS: Final = 60_000  # Time that is played in one piece before the instant [ms]


class AskTally:
    """A listener that counts what each ask holds, and notes how each application ends."""

    def __init__(self) -> None:
        self._held: Counter[tuple[int, int]] = Counter()
        self._cores: Counter[int] = Counter()
        self._asks: dict[ContainerId, tuple[tuple[int, int], int, int]] = {}
        """Container → its ask, since when it runs [epoch ms], and its cores."""
        self._reached: dict[tuple[int, int], list[int]] = {}
        """Ask → when it held 1, 2, 3… for the first time [epoch ms]."""
        self.named: dict[str, int] = {}  # Name → the number of the first application of that name
        self.first: dict[int, int] = {}  # When each application was first given something [epoch ms]
        self.over: dict[int, int] = {}  # When each application ended [epoch ms]
        self.finished: dict[int, int] = {}  # When each application ended well [epoch ms]
        self.failed: set[int] = set()
        self.refused = 0  # Submissions and requests that were refused
        self.lost_ms = 0  # Run time of containers that were killed [container ms]
        self.lost_containers = 0

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated):
                self._begin(record, time_ms)
            elif isinstance(record, Killed):
                self._killed(record, time_ms)
            elif isinstance(record, Completed):
                _ = self._asks.pop(record.container, None)
            elif isinstance(record, ApplicationTransitioned):
                self._transitioned(record, time_ms)
            elif isinstance(record, EventRefused) or (isinstance(record, Submitted) and record.rejected):
                self.refused += 1
            elif isinstance(record, Submitted):
                _ = self.named.setdefault(record.name, record.application)

    def _begin(self, record: Allocated, time_ms: int) -> None:
        ask = (owner_of(record.container), record.priority)
        self._asks[record.container] = (ask, time_ms, record.vcores)
        self._held[ask] += 1
        self._cores[ask[0]] += record.vcores
        reached = self._reached.setdefault(ask, [])
        if self._held[ask] > len(reached):
            reached.append(time_ms)
        _ = self.first.setdefault(ask[0], time_ms)

    def _killed(self, record: Killed, time_ms: int) -> None:
        ask, since_ms, cores = self._asks.pop(record.container, (None, 0, 0))
        if ask is not None and record.cause in LOSING:  # what goes with the end of its application is not taken from it
            self._held[ask] -= 1
            self._cores[ask[0]] -= cores
            self.lost_ms += time_ms - since_ms
            self.lost_containers += 1

    def _transitioned(self, record: ApplicationTransitioned, time_ms: int) -> None:
        if record.state == "FAILED":
            self.failed.add(record.application)
        if record.state in ENDED_WELL:
            self.finished[record.application] = time_ms
        if record.is_end:
            self.over[record.application] = time_ms

    def count(self, target: Ask) -> int:
        """Return how many containers an ask has had, less what was taken from it."""
        return sum(held for ask, held in self._held.items() if _is_of(ask, target))

    def cores(self, number: int) -> int:
        """Return how many cores an application has had, less what was taken from it."""
        return self._cores[number]

    @property
    def ends(self) -> Ends:
        """Return when each application began, and ended."""
        return self.first, self.over

    def lasts_ms(self, number: int, now_ms: int) -> int:
        """Return how long the container of an application that runs longest has run [ms]; 0 where it has none."""
        return max((now_ms - since_ms for ask, since_ms, _ in self._asks.values() if ask[0] == number), default=0)

    def given_by(self, until_ms: int) -> dict[tuple[int, int], list[int]]:
        """When each ask held 1, 2, 3… for the first time, by an instant [epoch ms]."""
        some = {ask: [each for each in all_ms if each <= until_ms] for ask, all_ms in self._reached.items()}
        return {ask: all_ms for ask, all_ms in some.items() if all_ms}

    def reached_ms(self, target: Ask, count: int) -> int | None:
        """Return when an ask had so many for the first time [epoch ms]; None while it had not."""
        times = sorted(time_ms for ask, all_ms in self._reached.items() if _is_of(ask, target) for time_ms in all_ms)
        return times[count - 1] if len(times) >= count else None


def _is_of(ask: tuple[int, int], target: Ask) -> bool:
    return ask[0] == target[0] and target[1] in (None, ask[1])


class Played(NamedTuple):
    """One play, as far as it was followed."""

    starts: Mapping[Ask, int]  # When each ask had what it waited for [epoch ms]; unmet asks are left out
    tally: AskTally
    until_ms: int
    end: Simulation

    def is_as(self, other: "Played") -> bool:
        """Tell whether all are given the same at the same instants as in another play, as far as both go."""
        until_ms = min(self.until_ms, other.until_ms)
        return self.tally.given_by(until_ms) == other.tally.given_by(until_ms)


class PlayGoal(NamedTuple):
    """What a play is to show."""

    scenario: Scenario
    at_ms: int  # The instant asked about [ms after the start]
    counts: Mapping[Ask, int]  # Ask → how many containers it is to have
    until_end: bool = False  # True for applications that are to end well, whatever they hold
    then_ms: int = 0  # How far it is played on once all have what they waited for [ms]
    runs_all: bool = False  # True for applications that are to have a core for each of their tasks
    client: int = -1  # Place in the workload of an application that lost its driver, and has to start again

    def alive(self, tally: AskTally, end: Simulation, *, is_still: bool = False) -> dict[Ask, int]:
        """Applications that are to end well and run on with all they ask for, as a stream does; each with the instant.

        Where nothing can happen any more (`is_still`) they need not have run for long.
        """
        least_ms = 1 if is_still else STEADY_MS
        view = end.control_plane.view()
        live = {target: end.world.goes_on_as(target[0]) for target in (self.counts if self.until_end else ())}
        known = {target: (number, view.application(number)) for target, number in live.items() if number is not None}
        return {
            target: end.now_ms
            for target, (number, own) in known.items()
            if tally.lasts_ms(number, end.now_ms) >= least_ms and (own is None or not own.waits)
        }

    def starts(self, tally: AskTally, end: Simulation) -> dict[Ask, int]:
        """When each ask had what it waited for [epoch ms]; unmet asks are left out."""
        if self.runs_all:
            live = [target for target in self.counts if tally.lasts_ms(target[0], end.now_ms)]
            return {target: end.now_ms for target in live if not end.world.core_shortage(target[0]).endless}
        found = {}
        for target, count in self.counts.items():
            time_ms = ended_well_ms(tally, end, target[0]) if self.until_end else tally.reached_ms(target, count)
            if target[0] < 0 and self.client >= 0:
                time_ms = tally.first.get(tally.named.get(self.scenario.workload[self.client].name, 0))
            if time_ms is not None:
                found[target] = time_ms
        return found


def ended_well_ms(tally: AskTally, end: Simulation, number: int) -> int | None:
    """Return when an application, or its driver's next one, ended well [epoch ms]; None while it has not."""
    last = end.world.goes_on_as(number)
    return None if last is None else tally.finished.get(last)


def play(goal: PlayGoal, changes: Sequence[Change], late_ms: int, follow_ms: int = 0) -> Incremental[Played | None]:
    """Play until all asks have what they waited for, or an instant [epoch ms]; None where the changes are refused.

    It is played on for `follow_ms` after the instant asked about at least.
    """
    tally = AskTally()
    client = next((each.place.spec for each in changes if each.key == "deploy_mode"), -1)
    try:
        goal = goal._replace(scenario=changed(goal.scenario, changes), client=client)
        run = Run(goal.scenario, [tally], goal.at_ms, is_judged=False)
    except ConfigError:
        return None
    here = yield from to_the_instant(run)
    return (yield from play_on(goal, here, tally, late_ms, follow_ms))


def to_the_instant(run: Run) -> Incremental[Simulation]:
    """Play a run to its end; nothing is looked at but records."""
    run.simulation.world.skip_unrecorded()
    while not run.ended:
        run.advance(run.now_ms + SLICE_MS)
        yield
    return run.simulation


def play_on(
    goal: PlayGoal, simulation: Simulation, tally: AskTally, late_ms: int, follow_ms: int = 0
) -> Incremental[Played]:
    """Play a closed copy of an instant on, with what was counted by then."""
    closed = yield from simulation.fork_in_steps(closed=True)
    tally = deepcopy(tally)
    closed.listeners.append(tally)
    ahead = Lookahead(closed, LOOKED_MS, is_own=True)
    followed_ms = ahead.from_ms + follow_ms

    def is_served() -> bool:
        starts = goal.starts(tally, closed)
        served_ms = max(starts.values(), default=0) + goal.then_ms
        return len(starts) == len(goal.counts) and ahead.now_ms >= max(served_ms, followed_ms)

    while not is_served() and ahead.now_ms < max(late_ms, followed_ms) and not ahead.advance(is_served):
        yield
    alive = goal.alive(tally, closed, is_still=ahead.still)
    return Played({**alive, **goal.starts(tally, closed)}, tally, ahead.now_ms, closed)
