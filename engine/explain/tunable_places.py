"""Finds where tunable values stand for an application (its queue, those above, its user, itself) and what they are."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

import msgspec

from engine.explain.change import NOWHERE, ValuePlace
from engine.explain.explainers import explainer_of
from engine.explain.start_play import field_of, task_sizes
from engine.incremental import run_to_end
from engine.model.java_values import INT_MAX
from engine.model.mr1.task_in_progress import PRIORITIES
from engine.model.request import full_name, upwards
from engine.scenario import Scenario
from engine.scenario.applications import ApplicationSpec
from engine.scenario.scenario import family_of, system_of
from engine.schedulers.capacity.properties import is_made, makes_queues
from engine.schedulers.fair.settings import SUBMIT_APPLICATIONS, FairAllocation
from engine.schedulers.fair34.settings import FairAllocation34
from engine.schedulers.mr1.settings import PoolAllocations
from engine.schedulers.placement import DEFAULT_QUEUE
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.capacity_queue import CAPACITY, TEMPLATE
from engine.settings.capacity_scheduler import NODE_LABELS, PREFIX
from engine.settings.fair import FAIR_27, FAIR_34, MAX_RESOURCES, WEIGHT
from engine.settings.mapreduce1 import CAPACITY_TASKS, FAIR_TASKS, JOB_TRACKER, TASKS_PREFIX
from engine.settings.site import YARN_27, YARN_34
from engine.settings.spark import SPARK
from engine.settings.table import LABELS, SettingEntry, SettingTable
from engine.settings.tunable_yarn import REFUSED, Ladder, Tunable
from engine.simulation.simulation import Simulation
from engine.simulation.spark_world import SparkWorld
from engine.workload.arrivals import arrivals

HOLDERS: Final = 3  # Number of holders that are varied

PLACED: Final = 4  # Queues of a user's name that are tried

LOOKED_AT: Final = 20  # Holders among which they are looked for

FAIR_TOP: Final[Mapping[str, str]] = {
    "queueMaxAppsDefault": "queue_max_apps_default",
    "userMaxAppsDefault": "user_max_apps_default",
    "queueMaxAMShareDefault": "max_am_share_default",
    "queueMaxResourcesDefault": "maximum_default",
}
"""Element of a whole allocation file of FairScheduler → its field."""


class Setup(NamedTuple):
    """The things a cluster was started with, as far as values are written there."""

    scheduler: str
    settings: Mapping[str, str]
    workload: tuple[ApplicationSpec, ...] = ()
    taken: tuple[int, ...] = ()  # Numbers of the applications that run at the start
    first_application: int = 1

    @property
    def family(self) -> str:
        """`capacity`, `fair`, `fifo`, `spark` or `mr1`."""
        return family_of(self.scheduler)

    @property
    def system(self) -> str:
        """`yarn`, `spark` or `mr1`."""
        return system_of(self.scheduler)


def setup_of(scenario: Scenario) -> Setup:
    """What a scenario states: its scheduler, settings and applications; for a twin also what runs at the start."""
    first = scenario.first_application
    taken = tuple(each.application.number or first + place for place, each in enumerate(scenario.running))
    return Setup(scenario.scheduler, scenario.settings, scenario.workload, taken, first)


def numbers_of(setup: Setup) -> dict[int, ApplicationSpec]:
    """Each submission of the workload by the number that a ResourceManager gives it, in order of submission."""
    found = {}
    following = max((setup.first_application, *(number + 1 for number in setup.taken)))
    for arrival in arrivals(setup.workload):
        number = following if arrival.number is None else arrival.number
        found[number] = arrival.spec
        following = max(following, number + 1)
    return found


class TunablePlaces:
    """The places that matter to one application, as a simulation stands."""

    def __init__(self, simulation: Simulation, setup: Setup, number: int | None, of: int | None = None) -> None:
        """Look at a simulation; `number` is a live application, `of` one that is refused or over."""
        self._simulation, self._setup, self._number = simulation, setup, number
        self._view: Any = simulation.control_plane.view()
        self.own = self._view.application(number) if number is not None else None
        asked = number if number is not None else of
        self._spec = None if asked is None else self._spec_of(asked)

    def beside(self, path: str) -> list[str]:
        """The queues that have the same parent."""
        above = path.rpartition(".")[0]
        return [each for each in self.paths if each.rpartition(".")[0] == above and each != path]

    def of_user(self, row: Tunable) -> Tunable:
        """The row of the user of the application, where its key has a place for one (`%user`)."""
        return msgspec.structs.replace(row, key=row.key.replace("%user", self.user)) if "%user" in row.key else row

    def of(self, row: Tunable) -> Iterable[ValuePlace]:
        """Every place where the value of a row stands."""
        match row.where:
            case "root":
                return self._root(row.key)
            case "user":
                return [ValuePlace(self.user)] if self.user else []
            case "leaf":
                is_made = row.governs == {REFUSED} and self._setup.family == "fair"
                some = self._placed_leaves if is_made else self._own_leaves
                return (ValuePlace(path) for path in some if self._is_of_itself(path))
            case "queue":
                return (ValuePlace(path) for path in self._own_paths if self._is_of_itself(path))
            case "others":
                # A missing queue is added at a queue that has others below it.
                own = set(self.leaves if row.governs == {REFUSED} else upwards(self.path))
                return (ValuePlace(path) for path in self.paths if path not in own)
            case "partition":
                return self._partitions()
            case "own":
                return self._application(row.key)
            case "holder":
                return self._of_holders(row)
        return [NOWHERE]

    @property
    def path(self) -> str:
        """The queue of the application; empty of one that is not there."""
        return self.own.queue if self.own is not None else ""

    @cached_property
    def paths(self) -> list[str]:
        return [row.path for row in self._view.policy.queues()]

    @cached_property
    def leaves(self) -> list[str]:
        return [row.path for row in self._view.policy.queues() if row.is_leaf]

    def _root(self, key: str) -> Iterator[ValuePlace]:
        if self._setup.family == "capacity" or key in FAIR_TOP or self._setup.scheduler == "mr1-fair":
            yield NOWHERE

    @cached_property
    def labels(self) -> list[str]:
        texts = self._setup.settings.get(NODE_LABELS, "").split(",")
        return [text.partition("(")[0].strip() for text in texts if text.strip()]

    def _partitions(self) -> Iterator[ValuePlace]:
        return (ValuePlace(path, name) for path in self._own_paths for name in self.labels)

    def _application(self, key: str) -> Iterator[ValuePlace]:
        if self._spec is not None:
            tasks = task_sizes(self._setup.workload[self._spec], key)
            yield msgspec.structs.replace(self._place_of(self._spec), tasks=tasks)
        elif self.own is not None and key in ("queue", "priority"):
            yield ValuePlace(name=self.own.name)

    def _is_of_itself(self, path: str) -> bool:
        """Tell whether a value stated for a queue changes that alone.

        Naming one frees it of `maxChildResources`; of one that is made the template of its parent tells.
        """
        above = path.rpartition(".")[0]
        if self._setup.scheduler == "capacity-3.4" and is_made(self._setup.settings, path):
            return False
        file = self._view.policy.allocation() if self._setup.scheduler == "fair-3.4" else None
        return file is None or path in file.configured or above not in file.child_maximums

    @property
    def user(self) -> str:
        """Return the user of the application; empty where that is not known."""
        if self.own is not None:
            return str(self.own.user)
        return "" if self._spec is None else self._setup.workload[self._spec].user

    @property
    def named(self) -> str:
        """The queue that the application names; empty for none."""
        return "" if self._spec is None else self._setup.workload[self._spec].queue or ""

    @cached_property
    def _own_leaves(self) -> list[str]:
        """Its queue; of one that is not let in the queue it names."""
        if self.path:
            return [self.path]
        named = self.named
        likely = (self.user, DEFAULT_QUEUE) if self._setup.family == "fair" else (DEFAULT_QUEUE,)
        names = [named.rpartition(".")[2]] if named else likely
        found = [each for name in names for each in self.leaves if each.rpartition(".")[2] == name]
        is_written = self._missing and self._missing in self._written  # in the file, and not made
        return found or ([self._missing] if is_written else [])

    @property
    def _missing(self) -> str:
        """The queue that an application names and that is not there, under a fair scheduler; empty for none."""
        path = f"root.{self.named.removeprefix('root.')}"
        return path if self.named and self._setup.family == "fair" and path not in self.paths else ""

    @property
    def _written(self) -> Collection[str]:
        file = self._view.policy.allocation()
        return {full_name(each) for each in (*file.configured_leaves, *file.configured_parents)}

    @cached_property
    def _placed_leaves(self) -> list[str]:
        """Missing queues: the one that is named, or the ones in which rules may place a user who names none."""
        if self._missing and self._missing not in self._written:
            return [self._missing]
        if self.own is not None or self.named:
            return []
        configuration: Any = getattr(self._simulation.control_plane, "configuration", None)
        groups = () if configuration is None else configuration.groups.get(self.user, ())
        parents = [path for path in self.paths if path not in self.leaves]
        names = [*(f"{path}.{self.user}" for path in parents[::-1]), *(f"root.{group}" for group in groups)]
        return [each for each in names if self.user and each not in self.paths][:PLACED]

    @cached_property
    def _own_paths(self) -> list[str]:
        if self._setup.system == "mr1":
            return self._own_leaves
        return list(dict.fromkeys(path for leaf in self._own_leaves for path in upwards(leaf)))

    def _of_holders(self, row: Tunable) -> Iterator[ValuePlace]:
        """Some that hold what is wanted; of a number also all alike that live, its own included, with the same one."""
        yield from (self._place_of(index) for index in self._holders[:HOLDERS])
        groups: dict[tuple[str, str | None], list[int]] = {}
        live = {*self._holders, *self._others} if self._holders and isinstance(row.vary, Ladder) else set()
        own = {self._spec} if live and self._spec is not None else set()
        for index in sorted(live | own):
            spec = self._setup.workload[index]
            groups.setdefault((spec.type, field_of(spec, row.key)), []).append(index)
        held = [alike for alike in groups.values() if not set(alike).isdisjoint(self._holders)]
        first, *others = max(held, key=len, default=[-1])
        if others:
            yield msgspec.structs.replace(self._place_of(first, *others), alike=tuple(others))

    @cached_property
    def _holders(self) -> list[int]:
        if self._number is None or not self._setup.workload:
            return []
        holds = run_to_end(explainer_of(self._simulation).holds(self._number))
        return self._specs_of(hold.application for hold in holds[:LOOKED_AT])

    @cached_property
    def _others(self) -> list[int]:
        live = self._specs_of(each.number for each in self._view.applications()[:LOOKED_AT])
        return [index for index in live if index not in self._holders]

    def _specs_of(self, numbers: Iterable[int]) -> list[int]:
        found = (self._spec_of(number) for number in numbers)
        return list(dict.fromkeys(index for index in found if index is not None and index != self._spec))

    def _spec_of(self, number: int) -> int | None:
        """Return the index of an application in the workload; None of one that is not there."""
        workload, world = self._setup.workload, self._simulation.world
        spec = world.specification_of(number)
        if isinstance(world, SparkWorld) and (lost := world.lost_driver(number)) is not None:
            spec = world.submitted[lost.origin]
        for index, application in enumerate(workload):
            if application is spec or application == spec:
                return index
        view = self._view.application(number)
        if view is not None:
            return next((i for i, each in enumerate(workload) if each.name and each.name == view.name), None)
        return self._by_number.get(number)

    @cached_property
    def _by_number(self) -> dict[int, int]:
        index_of = {id(spec): index for index, spec in enumerate(self._setup.workload)}
        return {number: index_of[id(spec)] for number, spec in numbers_of(self._setup).items()}

    def _place_of(self, index: int, *alike: int) -> ValuePlace:
        spec = self._setup.workload[index]
        repeats = [self._setup.workload[each].repeat for each in (index, *alike)]
        others = sum(each.times if each is not None else 1 for each in repeats) - 1
        name = f"{spec.name or spec.type}{f' and {others} alike' if others else ''}"
        return ValuePlace(spec=index, name=name, kind=spec.type)


# The tunable values in force, as texts.

_TABLES: Final[Mapping[str, tuple[SettingTable, ...]]] = {
    "fifo": (YARN_27,),
    "fifo-3.4": (YARN_34,),
    "capacity-2.7": (CAPACITY_27, YARN_27),
    "capacity-3.4": (CAPACITY_34, YARN_34),
    "fair-2.7": (FAIR_27, YARN_27),
    "fair-3.4": (FAIR_34, YARN_34),
    "spark": (SPARK,),
    "mr1-fifo": (JOB_TRACKER,),
    "mr1-fair": (FAIR_TASKS, JOB_TRACKER),
    "mr1-capacity": (CAPACITY_TASKS, JOB_TRACKER),
}
"""Scheduler → the tables of the settings that it reads."""

MAX_CHILD: Final = "maxChildResources"
MAX_CONTAINER: Final = "maxContainerAllocation"
ALLOW_PREEMPTION: Final = "allowPreemptionFrom"
MAX_RESOURCES_DEFAULT: Final = "queueMaxResourcesDefault"

_POOL_FIELDS: Final[Mapping[str, tuple[str, int | None]]] = {
    "maxMaps": ("maximum", 0),
    "maxReduces": ("maximum", 1),
    "minMaps": ("minimum", 0),
    "minReduces": ("minimum", 1),
    "weight": ("weight", None),
}
"""Element of a pool → the field of `PoolAllocation`, and the place in it."""

_FAIR_GETTERS: Final[Mapping[str, Callable[[FairAllocation, str], object]]] = {
    "maxRunningApps": FairAllocation.queue_max_apps,
    "maxAMShare": FairAllocation.max_am_share,
    "weight": FairAllocation.weight,
    "schedulingPolicy": FairAllocation.policy,
    "fairSharePreemptionThreshold": lambda file, path: _inherited(file.fair_share_threshold, path),
    "fairSharePreemptionTimeout": lambda file, path: _seconds(int(_inherited(file.fair_share_timeout_ms, path))),
    "minSharePreemptionTimeout": lambda file, path: _seconds(int(_inherited(file.min_share_timeout_ms, path))),
    "maxResources": lambda file, path: _amount(file.max_share(path)),
    "minResources": lambda file, path: _amount(file.min_share(path)),
}
"""Element of a queue → its value in force."""


def _inherited(value_of: Callable[[str], float], path: str) -> float:
    """The value of a queue, or of the nearest one above that has one; -1 where none has."""
    return next((value for each in upwards(path) if (value := value_of(each)) >= 0), -1)


def _seconds(time_ms: int) -> str:
    return "" if time_ms < 0 or time_ms >= INT_MAX else str(time_ms // 1000)


def _written(value: object) -> str:
    """A value of an allocation file as it is written; of a float32 without the digits that it has not."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _amount(resource: Any) -> str:
    return "" if resource.memory_mb >= INT_MAX else f"{resource.memory_mb} mb, {resource.vcores} vcores"


class ValuesNow:
    """Reads the values in force in a simulation."""

    def __init__(self, simulation: Simulation, setup: Setup, number: int | None) -> None:
        self._simulation, self._setup, self._number = simulation, setup, number
        self._view: Any = simulation.control_plane.view()

    def of(self, row: Tunable, place: ValuePlace) -> str | None:
        """Return the value of a row at a place; None where nothing tells."""
        match row.where:
            case "whole":
                return self.whole(row.key)
            case "root":
                return self._at_top(row.key)
            case "partition":
                key = f"{PREFIX}{place.path}.{LABELS}.{place.label}.{row.key}"
                return self.settings.get(key, "0" if row.key == str(CAPACITY) else "100")
            case "queue" | "leaf" | "others":
                return self.of_queue(row.key, place.path)
            case "user":
                return self._of_user(place.path)
            case "own" | "holder":
                return self._of_application(row.key, place)
        return self._of_machines(row)

    def _of_machines(self, row: Tunable) -> str:
        if row.where == "release":
            return self._setup.scheduler
        field = "memory_mb" if row.key == "memory" else "vcores"
        return str(min((getattr(node, field) for node in self._simulation.world.nodes), default=0))

    @cached_property
    def settings(self) -> Mapping[str, str]:
        """The settings of the whole scheduler and of queues that are stated, with later changes."""
        properties = getattr(self._view.policy, "properties", dict)
        return {**self._setup.settings, **properties()}

    def whole(self, key: str) -> str | None:
        """Return the value of a setting of the whole scheduler; None of an unknown one."""
        if key in self.settings:
            return self.settings[key]
        tables = _TABLES.get(self._setup.scheduler, ())
        return next((table.whole[key].default for table in tables if key in table.whole), None)

    def _of_application(self, key: str, place: ValuePlace) -> str | None:
        is_live = self._number is not None and self._view.application(self._number) is not None
        if place.spec >= 0 and not (key == "priority" and is_live and self._setup.system == "mr1"):
            return field_of(self._setup.workload[place.spec], key)
        if key == "queue":  # of a live application whose specification is not known
            return str(self._view.policy.queue_name(self._view.application(self._number).queue))
        if self._setup.system == "mr1":
            return str(len(PRIORITIES) - 1 - self._view.cluster.live[self._number].priority)
        return str(self._view.scheduler.cluster.applications[self._number].priority or 0)

    def _at_top(self, key: str) -> str | None:
        file = self._view.policy.allocation()
        if isinstance(file, FairAllocation34) and key == MAX_RESOURCES_DEFAULT:
            return _amount(file.maximum_default.of(*self._view.figures().total))
        if isinstance(file, FairAllocation):
            return _written(getattr(file, FAIR_TOP[key]))
        if isinstance(file, PoolAllocations):
            fields = {
                "poolMaxJobsDefault": file.pool_max_jobs_default,
                "userMaxJobsDefault": file.user_max_jobs_default,
            }
            return str(fields[key]) if key in fields else _seconds(file.fair_share_timeout_ms)
        return self.settings.get(f"{PREFIX}root.{key}")

    def of_queue(self, key: str, path: str) -> str | None:
        file, setup = self._view.policy.allocation(), self._setup
        if isinstance(file, FairAllocation34) and key == MAX_RESOURCES.name:
            return _amount(file.maximum_of(path).of(*self._view.figures().total))
        if isinstance(file, FairAllocation34) and key == MAX_CHILD:
            most = file.child_maximums.get(path)
            return "" if most is None else _amount(most.of(*self._view.figures().total))
        if isinstance(file, FairAllocation34) and key == MAX_CONTAINER:
            return _amount(file.container_maximum(path))
        if isinstance(file, FairAllocation34) and key == ALLOW_PREEMPTION:
            return str(path not in file.not_preemptable).lower()
        if key == WEIGHT.name and path not in {row.path for row in self._view.policy.queues()}:
            return ""
        if isinstance(file, FairAllocation):
            getter = _FAIR_GETTERS.get(key)
            return str(file.acl(path, SUBMIT_APPLICATIONS)) if getter is None else _written(getter(file, path))
        if isinstance(file, PoolAllocations):
            return _of_pool(file, key, path)
        prefix = f"{TASKS_PREFIX}queue." if setup.system == "mr1" else PREFIX
        entry = self._entry(key)
        holds = upwards(path) if entry is not None and entry.fallback == "parent" else (path,)
        own = next((text for each in holds if (text := self.settings.get(f"{prefix}{each}.{key}")) is not None), None)
        if own is not None:
            return own
        template, _, name = key.rpartition(".")
        if template == TEMPLATE and makes_queues(self.settings, path):
            entry = self._entry(name)
        return None if entry is None else self._by_default(entry)

    def _entry(self, key: str) -> SettingEntry | None:
        return next((each.queue[key] for each in _TABLES[self._setup.scheduler] if key in each.queue), None)

    def _by_default(self, entry: SettingEntry) -> str:
        wide = entry.default if entry.wider is None else self.whole(entry.wider.everywhere)
        return "" if wide == entry.unset else entry.default if wide is None else wide

    def _of_user(self, user: str) -> str | None:
        file = self._view.policy.allocation()
        if isinstance(file, FairAllocation):
            return str(file.user_max_apps(user))
        if isinstance(file, PoolAllocations):
            return str(file.max_jobs_of(user))
        own = self.settings.get(f"{PREFIX}user.{user}.max-parallel-apps")
        return self.whole(f"{PREFIX}user.max-parallel-apps") if own is None else own


def _of_pool(file: PoolAllocations, key: str, name: str) -> str:
    pool = file.pool(name)
    if key == "maxRunningJobs":
        return str(file.max_running_jobs(name))
    if key == "schedulingMode":
        return file.mode(name)
    if key in _POOL_FIELDS:
        field, at = _POOL_FIELDS[key]
        value = getattr(pool, field)
        return str(value if at is None else value[at])
    return "" if pool.min_share_timeout_ms is None else _seconds(pool.min_share_timeout_ms)
