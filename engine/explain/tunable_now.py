"""The tunable values in force, as texts."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final

from engine.explain.change import ValuePlace
from engine.explain.changed_scenario import size_of
from engine.explain.tunable_places import FAIR_TOP, Setup
from engine.model.java_number import INT_MAX
from engine.model.mr1.job_description import PRIORITIES
from engine.scenario.applications import ApplicationSpec
from engine.schedulers.fair.allocation import SUBMIT_APPLICATIONS, FairAllocation
from engine.schedulers.fair34.allocation import FairAllocation34
from engine.schedulers.mr1.fair_allocations import PoolAllocations
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.capacity_queue import CAPACITY
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.fair import FAIR_27, FAIR_34
from engine.settings.fair_queue import MAX_RESOURCES
from engine.settings.mapreduce1 import JOB_TRACKER
from engine.settings.mapreduce1_capacity import CAPACITY_TASKS, TASKS_PREFIX
from engine.settings.mapreduce1_fair import FAIR_TASKS
from engine.settings.site import YARN_27, YARN_34
from engine.settings.spark import SPARK
from engine.settings.table import LABELS, SettingTable
from engine.settings.tunables import Tunable
from engine.simulation.simulation import Simulation

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

NO_LIMIT: Final = str(INT_MAX)

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
    "fairSharePreemptionThreshold": FairAllocation.fair_share_threshold,
    "fairSharePreemptionTimeout": lambda file, path: _seconds(file.fair_share_timeout_ms(path)),
    "minSharePreemptionTimeout": lambda file, path: _seconds(file.min_share_timeout_ms(path)),
    "maxResources": lambda file, path: _amount(file.max_share(path)),
    "minResources": lambda file, path: _amount(file.min_share(path)),
}
"""Element of a queue → its value in force."""


def _seconds(time_ms: int) -> str:
    return "" if time_ms < 0 or time_ms >= INT_MAX else str(time_ms // 1000)


def _acl(file: FairAllocation, path: str) -> str:
    """Return who may submit to a queue, as its file writes it."""
    listed = file.acl(path, SUBMIT_APPLICATIONS)
    return "*" if listed.all_allowed else f"{','.join(listed.users)} {','.join(listed.groups)}"


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
                return self._of_queue(row.key, place.path)
            case "user":
                return self._of_user(place.path)
            case "own" | "holder":
                return self._of_application(row.key, place)
        return self._of_machines(row)

    def _of_machines(self, row: Tunable) -> str:
        if row.where == "release":
            return self._setup.scheduler
        field = "memory_mb" if row.key == "memory" else "vcores"
        return str(max((getattr(node, field) for node in self._simulation.world.nodes), default=0))

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
            return _of_specification(self._setup.workload[place.spec], key)
        if key == "queue":  # of a live application whose specification is not known
            return str(self._view.policy.queue_name(self._view.application(self._number).queue))
        if self._setup.system == "mr1":
            return str(len(PRIORITIES) - 1 - self._view.cluster.live[self._number].priority)
        return str(self._view.scheduler.cluster.applications[self._number].priority or 0)

    def _at_top(self, key: str) -> str | None:
        file = self._view.policy.allocation()
        if isinstance(file, FairAllocation):
            return str(getattr(file, FAIR_TOP[key]))
        if isinstance(file, PoolAllocations):
            fields = {
                "poolMaxJobsDefault": file.pool_max_jobs_default,
                "userMaxJobsDefault": file.user_max_jobs_default,
            }
            return str(fields[key]) if key in fields else _seconds(file.fair_share_timeout_ms)
        return self.settings.get(f"{PREFIX}root.{key}")

    def _of_queue(self, key: str, path: str) -> str | None:
        file, setup = self._view.policy.allocation(), self._setup
        if isinstance(file, FairAllocation34) and key == MAX_RESOURCES.name:
            return _amount(file.maximum_of(path).of(*self._view.figures().total))
        if isinstance(file, FairAllocation):
            return str(_FAIR_GETTERS[key](file, path)) if key in _FAIR_GETTERS else _acl(file, path)
        if isinstance(file, PoolAllocations):
            return _of_pool(file, key, path)
        prefix = f"{TASKS_PREFIX}queue." if setup.system == "mr1" else PREFIX
        own = self.settings.get(f"{prefix}{path}.{key}")
        entry = next((each.queue[key] for each in _TABLES[setup.scheduler] if key in each.queue), None)
        if own is not None or entry is None:
            return own
        wide = entry.default if entry.wider is None else self.whole(entry.wider.everywhere)
        return entry.default if wide is None else wide

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
    if key in _POOL_FIELDS:
        field, at = _POOL_FIELDS[key]
        value = getattr(pool, field)
        return str(value if at is None else value[at])
    return "" if pool.min_share_timeout_ms is None else _seconds(pool.min_share_timeout_ms)


def _of_specification(spec: ApplicationSpec, key: str) -> str | None:
    """Return the value of an application's field; None where it has none, or one that says nothing."""
    if key in ("container", "cores"):
        return str(size_of(spec)[key == "cores"] or "") or None
    if key in ("master", "driver"):
        size = getattr(spec, "am" if key == "master" else "driver", None)
        return None if size is None else str(size.memory_mb)
    if key in ("relax", "hosts"):
        asks = getattr(spec, "asks", ())
        is_strict = any(not each.relax for each in asks)
        is_placed = any(each.hosts or each.racks for each in asks)
        return ("false" if key == "relax" else "some") if (is_strict if key == "relax" else is_placed) else None
    if key == "dynamic.most":
        dynamic = getattr(spec, "dynamic", None)
        return None if dynamic is None or dynamic.most is None else str(dynamic.most)
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
