"""Finds where tunable values stand for an application: its queue and the queues above, its user, its specification."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

import msgspec

from engine.explain.change import NOWHERE, ValuePlace
from engine.explain.explainers import explainer_of
from engine.explain.start_play import field_of, task_sizes
from engine.incremental import run_to_end
from engine.model.request import full_name, upwards
from engine.scenario import Scenario
from engine.scenario.applications import ApplicationSpec
from engine.scenario.scenario import family_of, system_of
from engine.schedulers.capacity.properties import is_made
from engine.schedulers.placement import DEFAULT_QUEUE
from engine.settings.capacity_scheduler import NODE_LABELS
from engine.settings.tunable_yarn import REFUSED, Ladder, Tunable
from engine.simulation.simulation import Simulation
from engine.simulation.spark_world import SparkWorld
from engine.workload.services import arrivals

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
        """Some that hold what is wanted; of a number also all who live with one, are of its type and have the same."""
        yield from (self._place_of(index) for index in self._holders[:HOLDERS])
        groups: dict[tuple[str, str | None], list[int]] = {}
        live = [*self._holders, *self._others] if self._holders and isinstance(row.vary, Ladder) else []
        for index in live:
            spec = self._setup.workload[index]
            groups.setdefault((spec.type, field_of(spec, row.key)), []).append(index)
        held = [alike for alike in groups.values() if alike[0] in self._holders]
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
