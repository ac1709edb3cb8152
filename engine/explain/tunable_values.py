"""What each tunable value may be set to for an application that waits.

Nothing is played here. The values of a candidate are in the order of the change, the least first.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, NamedTuple

from engine.explain.change import NOWHERE, Change, ValuePlace
from engine.explain.tunable_now import NO_LIMIT, ValuesNow
from engine.explain.tunable_places import Setup, TunablePlaces
from engine.model.resource import Resource
from engine.observe.snapshots import snapshot_of
from engine.schedulers.fair.queue_settings import parse_resources
from engine.settings.capacity_queue import CAPACITY
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.tunable_masters import MAPREDUCE_1
from engine.settings.tunable_masters import SPARK as SPARK_TUNABLES
from engine.settings.tunable_things import APPLICATIONS, MACHINES
from engine.settings.tunable_yarn import CAPACITY as CAPACITY_TUNABLES
from engine.settings.tunable_yarn import FAIR, RESOURCE_MANAGER
from engine.settings.tunables import Ladder, Takes, Tunable, ValueChoices
from engine.simulation.simulation import Simulation

TUNABLES: Final = (
    *CAPACITY_TUNABLES,
    *FAIR,
    *RESOURCE_MANAGER,
    *SPARK_TUNABLES,
    *MAPREDUCE_1,
    *APPLICATIONS,
    *MACHINES,
)
"""Every row there is."""

TIMES_S: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)
"""Times that an operator writes [s]."""

STEP_MB: Final = 256
"""Containers are made smaller in steps of this [MB]."""

NODE_STEP_MB: Final = 1024
"""Nodes are made larger in steps of this [MB]."""

MAPPED: Final = 4
"""Queues that a mapping is tried to."""

LARGER: Final = 4
"""Nodes are tried with up to so many times what they have."""

SHARED: Final = 20
"""The least capacity of a queue of which a part may go to a new one [%]."""


class Candidate(NamedTuple):
    """A value that may be varied, at one place."""

    tunable: Tunable
    place: ValuePlace
    before: str
    """Empty where nothing states it."""
    values: tuple[str, ...]
    """The least change first; of a list of choices in no order of effect."""
    scheduler: str

    def change(self, value: str) -> Change:
        """Return the change to one of its values."""
        row = self.tunable
        before = "" if self.before == NO_LIMIT else self.before
        where, takes, risk = row.where, row.takes, row.risk
        return Change(row.key, where, self.place, value, before, takes, risk, self.scheduler, row.is_blunt)

    @property
    def is_ordered(self) -> bool:
        """Tell whether a later value does more of the same."""
        return isinstance(self.tunable.vary, Ladder)


class Possibilities:
    """What may be varied for one application, as everything stands in a simulation."""

    def __init__(self, simulation: Simulation, setup: Setup, number: int | None, of: int | None = None) -> None:
        """Look at a simulation; `number` is a live application, `of` one that is refused or over."""
        self._simulation, self._setup = simulation, setup
        self._view: Any = simulation.control_plane.view()
        self._places = TunablePlaces(simulation, setup, number, of)
        self._now = ValuesNow(simulation, setup, number)

    def candidates(self, codes: Collection[str], *, is_all: bool = False) -> list[Candidate]:
        """Everything that governs some codes of obstacles and, unless `is_all`, has another value."""
        scheduler, wanted = self._setup.scheduler, frozenset(codes)
        found = []
        for row in TUNABLES:
            if not row.is_of(scheduler) or not row.governs & wanted:
                continue
            for place in self._places.of(row):
                before = self._now.of(row, place)
                values = tuple(self._values(row, place, before))
                if values or (is_all and not (row.where in ("own", "holder") and before is None)):
                    found.append(Candidate(row, place, before or "", values, scheduler))
        return found

    def with_needs(self, change: Change, row: Tunable) -> tuple[Change, ...]:
        """A change, and the settings that it needs where they are not as it needs them."""
        if row.key == "queues":
            return (change, *self._shares_for_default())
        scheduler = self._setup.scheduler
        needs = []
        for key, value in row.needs:
            now = self._now.whole(key)
            if now != value and not self._is_strict_enough(key, now, value):
                rows = (each.takes for each in TUNABLES if each.key == key and each.is_of(scheduler))
                takes: Takes = next(rows, "restart")
                needs.append(Change(key, "whole", NOWHERE, value, now or "", takes, "", scheduler))
        return (change, *needs)

    @staticmethod
    def _is_strict_enough(key: str, now: str | None, value: str) -> bool:
        return now is not None and now.isdecimal() and value.isdecimal() and int(now) <= int(value)

    # Values to try

    def _values(self, row: Tunable, place: ValuePlace, before: str | None) -> Iterator[str]:
        if isinstance(row.vary, ValueChoices):
            yield from self._choices(row, row.vary, place, before)
            return
        if row.where in ("own", "holder") and before is None:
            return
        yield from self._steps(row.vary, before, row.key)

    def _choices(self, row: Tunable, vary: ValueChoices, place: ValuePlace, before: str | None) -> Iterator[str]:
        first = vary.values[0]
        if row.where in ("own", "holder") and before is None:
            return
        if row.where == "release":
            yield self._setup.scheduler.replace("2.7", first)
        elif first.startswith("@"):
            yield from self._listed(first, row.key, place, before)
        else:
            now = (before or "").lower()
            yield from (each for each in vary.values if each.lower() != now and not now.endswith(f".{each.lower()}"))

    def _listed(self, name: str, key: str, place: ValuePlace, before: str | None) -> Iterator[str]:
        """The values that a name stands for."""
        if name in ("@leaves", "@pools"):
            name_of = self._view.policy.queue_name
            yield from (
                name_of(path) for path in self._places.leaves if path != self._places.path and name_of(path) != before
            )
        elif name == "@user":
            if self._places.user and before not in (None, "*"):
                users, _, groups = (before or "").strip().partition(" ")
                yield f"{','.join(filter(None, (users, self._places.user)))} {groups}".strip()
            elif self._places.user and self._setup.family == "fair":
                yield self._places.user
        elif name == "@mappings":
            kept = f",{before}" if before else ""
            for path in self._places.leaves[:MAPPED]:
                yield f"u:{self._places.user}:{self._view.policy.queue_name(path)}{kept}"
        elif name == "@default_queue":
            names = [each.strip() for each in (before or "").split(",") if each.strip()]
            if names and "default" not in names and self._largest_share() is not None:
                yield ",".join([*names, "default"])

    def _largest_share(self) -> tuple[str, float] | None:
        """Return the queue below root with the largest plain capacity [%]; None where there is none to share."""
        shares = []
        for path in [each for each in self._places.paths if each.count(".") == 1]:
            try:
                shares.append((float(self._now.settings.get(f"{PREFIX}{path}.{CAPACITY}", "")), path))
            except ValueError:
                return None
        share, path = max(shares, default=(0.0, ""))
        return (path, share) if share >= 20 else None

    def _shares_for_default(self) -> tuple[Change, ...]:
        """A tenth of the cluster for the queue `default`, taken from the largest one."""
        found = self._largest_share()
        assert found is not None, "a queue is added only where one can give"
        path, share = found
        made = [("root.default", "10", ""), (path, f"{share - 10:g}", f"{share:g}")]
        name, scheduler = str(CAPACITY), self._setup.scheduler
        return tuple(Change(name, "leaf", ValuePlace(p), v, b, "refresh", "", scheduler) for p, v, b in made)

    def _steps(self, vary: Ladder, before: str | None, key: str) -> Iterator[str]:
        """The rungs of a ladder from the value in force on."""
        now = None if before == NO_LIMIT and vary.way == "up" else _number(before)
        if vary.bound == "all_resources":
            yield from self._amounts(before, is_least=key == "minResources")
        elif vary.bound == "node_memory":
            most_mb = int(now or 0)
            yield from (str(mb) for mb in range(most_mb + NODE_STEP_MB, LARGER * most_mb + 1, NODE_STEP_MB))
        elif vary.way == "sooner":
            yield from _times(vary, now)
        elif vary.scale == 0:
            yield from (str(mb) for mb in range(int(now or 0) - STEP_MB, STEP_MB - 1, -STEP_MB))
        elif vary.way == "up" and before != NO_LIMIT:
            low, bound = 0.0 if now is None else now, self._figure(vary.bound, now)
            if 0 <= low < bound:  # below 0 is no limit
                rungs = _rungs(round(low * vary.scale), round(bound * vary.scale))
                yield from (_text(step, vary.scale) for step in rungs)
        elif vary.way == "down":
            yield from self._downwards(vary, now)

    def _downwards(self, vary: Ladder, now: float | None) -> Iterator[str]:
        start, bound = self._figure(vary.start, None) if vary.start else None, self._figure(vary.bound, now)
        is_unlimited = start is not None and (now is None or now < 0 or now > start)
        high = start if is_unlimited else now
        if high is not None and high > bound:
            first = round(high * vary.scale) - (not is_unlimited)
            yield from (_text(step, vary.scale) for step in range(first, round(bound * vary.scale) - 1, -1))

    def _amounts(self, before: str | None, *, is_least: bool) -> Iterator[str]:
        """Memory and vcores from an amount on up to those of the cluster, in steps of a GB."""
        nodes = self._simulation.world.nodes
        most = (sum(node.memory_mb for node in nodes), sum(node.vcores for node in nodes))
        if not before and not is_least:
            return  # there is no limit
        low = parse_resources(before) if before else Resource(0, 0)
        steps = max(
            1, -(-(most[0] - low.memory_mb) // NODE_STEP_MB), most[1] - low.vcores if most[0] <= low.memory_mb else 0
        )
        if most[0] <= low.memory_mb and most[1] <= low.vcores:
            return
        for step in range(1, steps + 1):
            memory_mb = max(low.memory_mb, low.memory_mb + (most[0] - low.memory_mb) * step // steps)
            vcores = max(low.vcores, low.vcores + -(-(most[1] - low.vcores) * step // steps))
            yield f"{memory_mb} mb, {vcores} vcores"

    def _figure(self, name: str, now: float | None) -> float:
        """Return the number that a bound stands for."""
        nodes = self._simulation.world.nodes
        if name == "apps":
            return (0 if now is None else now) + len(self._view.applications()) + 1
        if name == "node_vcores":
            return LARGER * (now or 0)
        if name == "largest_node":
            return max((node.memory_mb for node in nodes), default=1)
        if name == "most_vcores":
            return max((node.vcores for node in nodes), default=1)
        if name == "all_cores":
            return sum(node.vcores for node in nodes)
        if name in ("all_maps", "all_reduces"):
            return float(self._view.figures().total[name == "all_reduces"])
        return largest_ask(self._simulation) - 1 if name == "largest_ask" else float(name)


def _rungs(low: int, high: int) -> Sequence[int]:
    """Steps above a number; of very many those an operator would write, each twice the one before."""
    if high - low <= 100_000:
        return range(low + 1, high + 1)
    found, step = [], max(1, low)
    while step < high:
        step *= 2
        found.append(min(step, high))
    return found


def _times(vary: Ladder, now: float | None) -> Iterator[str]:
    """Times that an operator writes, the longest below the one in force first."""
    begin, least = now if now is not None and now >= 0 else _number(vary.start), float(vary.bound)
    for seconds in reversed((0, *TIMES_S)):
        if begin is not None and least <= seconds * vary.scale < begin:
            yield str(seconds * vary.scale)


def _text(step: int, scale: int) -> str:
    return str(step) if scale == 1 else f"{step / scale:g}"


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def largest_ask(simulation: Simulation) -> int:
    """The largest container that somebody waits for or a node is reserved for [MB]; 0 when there is none."""
    snapshot = snapshot_of(simulation)
    rows = snapshot.applications(why=False)
    asked = [ask.size[0] for row in rows for ask in row.listed_asks]
    reserved = [held.memory_mb for held in simulation.control_plane.view().reservations()]
    return max([*asked, *reserved], default=0)
