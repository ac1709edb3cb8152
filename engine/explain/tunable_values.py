"""Lists what each tunable value may be set to for an application that waits.

Nothing is played here. The values of a candidate are in the order of the change, the least first.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from engine.explain.change import NO_LIMIT, NOWHERE, Candidate, Change, ValuePlace
from engine.explain.remedy_trial import largest_ask
from engine.explain.tunable_places import Setup, TunablePlaces, ValuesNow
from engine.model.request import Resource, upwards
from engine.schedulers.fair.settings import parse_resources
from engine.schedulers.placement import DEFAULT_QUEUE
from engine.settings.capacity import TUNABLE as CAPACITY_TUNABLE
from engine.settings.capacity_queue import CAPACITY, DEFAULT_LABEL, MAXIMUM_CAPACITY
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.fair import MAX_RESOURCES, UNDECLARED_POOLS
from engine.settings.mapreduce1 import TASKS_PREFIX
from engine.settings.spark import LEAST_HEAP_MB, LEAST_OVERHEAD_MB
from engine.settings.table import LABELS
from engine.settings.tunable_yarn import (
    APPLICATIONS,
    FAIR,
    MACHINES,
    MAPREDUCE_1,
    RESOURCE_MANAGER,
    Ladder,
    Takes,
    Tunable,
    ValueChoices,
    Where,
)
from engine.settings.tunable_yarn import SPARK as SPARK_TUNABLES
from engine.simulation.simulation import Simulation

TUNABLES: Final = (
    *CAPACITY_TUNABLE,
    *FAIR,
    *RESOURCE_MANAGER,
    *SPARK_TUNABLES,
    *MAPREDUCE_1,
    *APPLICATIONS,
    *MACHINES,
)
"""Every row there is."""

TIMES_S: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)  # Times that an operator writes [s]

STEP_MB: Final = 256  # Containers are made smaller in steps of this [MB]

_LEAST_MB: Final[Mapping[str, int]] = {
    "spark": LEAST_HEAP_MB + LEAST_OVERHEAD_MB,
    "spark-standalone": LEAST_HEAP_MB,
}
"""Type of application → the least memory with which one of its processes runs [MB]."""

NODE_STEP_MB: Final = 1024  # Nodes are made larger in steps of this [MB]
AMOUNTS: Final = 1000  # Most steps from an amount to another one

_DEFAULT: Final = f"root.{DEFAULT_QUEUE}"

MAPPED: Final = 4  # Queues that a mapping is tried to

LARGER: Final = 4  # Nodes are tried with up to so many times what they have

FEW: Final = 256  # Up to so many steps down each is one; of more those that an operator would write

SHARED: Final = 20  # The least capacity of a queue of which a part may go to a new one [%]


class Possibilities:
    """What may be varied for one application, as everything stands in a simulation."""

    def __init__(self, simulation: Simulation, setup: Setup, number: int | None, of: int | None = None) -> None:
        """Look at a simulation; `number` is a live application, `of` one that is refused or over."""
        self._simulation, self._setup = simulation, setup
        self._view: Any = simulation.control_plane.view()
        self._places = TunablePlaces(simulation, setup, number, of)
        self._now = ValuesNow(simulation, setup, number)
        self._steps_of: dict[tuple[Ladder, str, str | None], tuple[str, ...]] = {}
        """(Ladder, key, value now) → the values to try, alike for many queues: on a large cluster tens of thousands."""

    def candidates(self, codes: Collection[str], *, is_all: bool = False) -> list[Candidate]:
        """Everything that governs some codes of obstacles and, unless `is_all`, has another value."""
        scheduler, wanted = self._setup.scheduler, frozenset(codes)
        found = []
        for row in map(self._places.of_user, TUNABLES):
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
            return (change, *self._shared(_DEFAULT, SHARED / 2))
        if row.key == str(CAPACITY) and row.where == "leaf" and change.value:
            share = float(change.value)
            return (change, self._shared(change.place.path, share)[1], *self._room_for(change.place, share))
        if row.key == str(CAPACITY) and row.where == "partition":
            own, *given = self._halved(change.place.path, change.place.label)
            return (msgspec.structs.replace(change, value=own.value), *given)
        if row.key == str(DEFAULT_LABEL) and change.value:
            return (change, *self._lent(change.place.path, change.value))
        scheduler = self._setup.scheduler
        needs = []
        for key, value in (*row.needs, *_largest_container(change)):
            now = self._now.whole(key)
            other = next((each for each in TUNABLES if each.key == key and each.is_of(scheduler)), None)
            if now != value and not _is_far_enough(other, now, value):
                takes: Takes = "restart" if other is None else other.takes
                needs.append(Change(key, "whole", NOWHERE, value, now or "", takes, "", scheduler))
        return (change, *needs)

    # Values to try

    def _values(self, row: Tunable, place: ValuePlace, before: str | None) -> Iterable[str]:
        if isinstance(row.vary, ValueChoices):
            return self._choices(row, row.vary, place, before)
        if row.where in ("own", "holder") and before is None:
            return ()
        if row.where == "queue" and "." in row.key and before is None:
            return ()  # a template, or the weight of a user, counts where there is one
        if row.key == str(CAPACITY):
            given, own = self._giver(place.path)[1], _number(before)
            most = int(given) - (self._setup.system == "mr1")  # there a queue of no capacity refuses its jobs
            return () if own is None else (f"{own + step:g}" for step in range(1, most + 1))
        if row.key == "minResources" and row.vary.way == "up":  # a minimum above the maximum raises that as well
            maximum = self._now.of_queue(MAX_RESOURCES.name, place.path)
            texts = self._steps(row.vary, row.key, before)
            return (each for each in texts if not maximum or parse_resources(each).fits_in(parse_resources(maximum)))
        known = (row.vary, row.key, before)
        if known not in self._steps_of:
            self._steps_of[known] = tuple(self._steps(*known))
        steps = self._steps_of[known]
        if row.key in ("cores_max", "spark.deploy.defaultCores") and self._setup.workload:  # the rest is never given
            free = [each for each in self._setup.workload if getattr(each, "cores_max", 0) is None]
            some = free if row.where == "whole" else [self._setup.workload[place.spec]]
            most = max((getattr(each, "executor_cores", None) or 1 for each in some), default=1)
            return (value for value in steps if int(value) % most == 0)
        least_mb = _LEAST_MB.get(place.kind, 0) if row.vary.scale == 0 else 0
        return (value for value in steps if int(value) >= least_mb) if least_mb else steps

    def _choices(self, row: Tunable, vary: ValueChoices, place: ValuePlace, before: str | None) -> Iterator[str]:
        first = vary.values[0]
        if row.where in ("own", "holder") and before is None:
            return
        if row.where == "release":
            yield _other_scheduler(self._setup.scheduler, first)
        elif first.startswith("@"):
            yield from self._listed(first, row.key, place, before)
        else:
            now = (before or "").lower()
            yield from (each for each in vary.values if each.lower() != now and not now.endswith(f".{each.lower()}"))

    def _listed(self, name: str, key: str, place: ValuePlace, before: str | None) -> Iterator[str]:
        if name in ("@leaves", "@pools"):
            name_of = self._view.policy.queue_name
            names = [name_of(path) for path in self._places.leaves if path != self._places.path]
            meant = self._places.named.rpartition(".")[2]
            names.sort(key=lambda name: [meant not in name.split(".")[start:] for start in (-1, 0)])
            yield from (each for each in (*names, *self._own_queue(names)) if each != before)
        elif name == "@user":
            yield from self._with_user(before)
        elif name == "@mappings":
            kept = f",{before}" if before else ""
            for path in sorted(self._places.leaves, key=lambda path: path != _DEFAULT)[:MAPPED]:
                yield f"u:{self._places.user}:{self._view.policy.queue_name(path)}{kept}"
        elif name == "@default_queue":
            names = [each.strip() for each in (before or "").split(",") if each.strip()]
            if names and DEFAULT_QUEUE not in names and self._giver(_DEFAULT)[1] >= SHARED:
                yield ",".join([*names, DEFAULT_QUEUE])
        elif name == "@labels":
            yield from (label for label in self._places.labels if label != before)
        elif name == "@partitions":
            stated = {node.partition for node in self._simulation.world.nodes if node.partition}
            yield from (",".join(filter(None, (before, each))) for each in sorted(stated - {*self._places.labels}))
        elif name == "@shared":
            yield from _shared_labels(before or "")

    def _own_queue(self, names: Collection[str]) -> Iterator[str]:
        """The queue called as the user is, where naming it makes it."""
        name = f"root.{self._places.user}"
        is_made = self._setup.family == "fair" and self._now.whole(UNDECLARED_POOLS.name) != "false"
        if is_made and self._places.user and name not in (*names, self._places.path):
            yield name

    def _with_user(self, before: str | None) -> Iterator[str]:
        user = self._places.user
        if user and before not in (None, "*"):
            users, _, groups = (before or "").strip().partition(" ")
            yield f"{','.join(filter(None, (users, user)))} {groups}".strip()
        elif user and self._setup.family == "fair":
            yield user

    def _giver(self, beside: str) -> tuple[str, float]:
        """The queue beside another one with the largest plain capacity [%], 0 where none is written so."""
        shares = [(self._share_of(path), path) for path in self._places.beside(beside)]
        known = [(share, path) for share, path in shares if share is not None]
        share, path = max(known, default=(0.0, "")) if len(known) == len(shares) else (0.0, "")
        return (path, share)

    def _share_of(self, path: str) -> float | None:
        prefix = f"{TASKS_PREFIX}queue." if self._setup.system == "mr1" else PREFIX
        return _number(self._now.settings.get(f"{prefix}{path}.{CAPACITY}", ""))

    def _shared(self, path: str, share: float) -> tuple[Change, ...]:
        """A share of a queue, and what the one beside it keeps [%]."""
        giver, given = self._giver(path)
        own = self._share_of(path) or 0
        made = [(path, f"{share:g}", f"{own:g}" if own else ""), (giver, f"{given - share + own:g}", f"{given:g}")]
        return tuple(self._refreshed(CAPACITY, "leaf", ValuePlace(path), value, now) for path, value, now in made)

    def _refreshed(self, key: object, where: Where, place: ValuePlace, value: str, before: str) -> Change:
        """A change that a refresh of the queues reads, beside the one that is tried."""
        return Change(str(key), where, place, value, before, "refresh", "", self._setup.scheduler)

    def _room_for(self, place: ValuePlace, share: float) -> Iterator[Change]:
        """The maximum of a queue, where it is below a capacity that the queue is to have."""
        stated = self._now.settings.get(f"{PREFIX}{place.path}.{MAXIMUM_CAPACITY}", "")
        most = _number(stated)
        if most is not None and 0 <= most < share:
            yield self._refreshed(MAXIMUM_CAPACITY, "leaf", place, f"{share:g}", stated)

    def _lent(self, path: str, label: str) -> Iterator[Change]:
        """What a queue needs beside those that have a partition: that it and all above may use it, and a part of it."""
        for each in upwards(path):
            labels = self._now.settings.get(f"{PREFIX}{each}.{LABELS}", "*" if each == "root" else "").strip()
            if labels != "*" and label not in labels.split(","):
                own = ",".join(filter(None, (labels, label)))
                yield self._refreshed(LABELS, "queue", ValuePlace(each), own, labels)
            if not self._part(each, label):
                yield from self._halved(each, label)

    def _halved(self, path: str, label: str) -> Iterator[Change]:
        """Half of the largest share of a partition that a queue beside it has; all of it where none has a share."""
        parts = [(self._part(one, label), one) for one in self._places.beside(path)]
        most, other = max(parts, default=(0.0, ""))
        own = f"{self._part(path, label) + most / 2:g}" if most else "100"
        yield self._refreshed(CAPACITY, "partition", ValuePlace(path, label), own, "")
        if most:
            yield self._refreshed(CAPACITY, "partition", ValuePlace(other, label), f"{most / 2:g}", f"{most:g}")

    def _part(self, path: str, label: str) -> float:
        return _number(self._now.settings.get(f"{PREFIX}{path}.{LABELS}.{label}.{CAPACITY}", "")) or 0

    def _steps(self, vary: Ladder, key: str, before: str | None) -> Iterator[str]:
        now = None if before == NO_LIMIT and vary.way == "up" else _number(before)
        if (before or "").lstrip().startswith("["):
            yield from self._absolute(before or "") if vary.way == "up" else ()
        elif vary.bound == "all_resources":
            amounts = self._amounts(before, is_least=key == "minResources") if vary.way == "up" else self._less(before)
            yield from amounts
        elif vary.bound == "users":  # the part that each of two, of three… users has
            parts = dict.fromkeys(100 // users for users in range(2, 101))
            yield from (str(part) for part in parts if part < (now or 0))
        elif vary.bound == "node_memory":
            first_mb = (int(now or 0) // NODE_STEP_MB + 1) * NODE_STEP_MB
            most_mb = LARGER * int(self._figure("largest_node", now))
            yield from (str(mb) for mb in range(first_mb, max(first_mb, most_mb) + 1, NODE_STEP_MB))
        elif vary.way == "sooner":
            yield from _times(vary, now)
        elif vary.scale == 0:
            first_mb = (int(now or 0) - 1) // STEP_MB * STEP_MB
            yield from (str(mb) for mb in range(first_mb, STEP_MB - 1, -STEP_MB))
        elif vary.way == "up" and before != NO_LIMIT:
            low, bound = 0.0 if now is None else now, self._figure(vary.bound, now)
            if 0 <= low < bound:  # below 0 is no limit
                rungs = _rungs(round(low * vary.scale), round(bound * vary.scale))
                yield from (_text(step, vary.scale) for step in rungs)
                yield from (vary.free,) if vary.free else ()
        elif vary.way == "down":
            yield from self._downwards(vary, now)

    def _downwards(self, vary: Ladder, now: float | None) -> Iterator[str]:
        start, bound = self._figure(vary.start, None) if vary.start else None, self._figure(vary.bound, now)
        is_unlimited = start is not None and (now is None or now < 0 or now > start)
        high = start if is_unlimited else now
        if high is not None and high > bound:
            first = round(high * vary.scale) - (not is_unlimited)
            yield from (_text(step, vary.scale) for step in _rungs_down(first, round(bound * vary.scale)))

    def _amounts(self, before: str | None, *, is_least: bool) -> Iterator[str]:
        """Memory and vcores from an amount on up to those of the cluster, in steps of a GB or more."""
        nodes = self._simulation.world.nodes
        most = (sum(node.memory_mb for node in nodes), sum(node.vcores for node in nodes))
        if not before and not is_least:
            return  # there is no limit
        low = parse_resources(before) if before else Resource(0, 0)
        more_mb, more_vcores = max(0, most[0] - low.memory_mb), max(0, most[1] - low.vcores)
        if not more_mb and not more_vcores:
            return
        steps = min(AMOUNTS, -(-more_mb // NODE_STEP_MB) or more_vcores)
        for step in range(1, steps + 1):
            memory_mb, vcores = low.memory_mb + more_mb * step // steps, low.vcores + -(-more_vcores * step // steps)
            yield f"{memory_mb} mb, {vcores} vcores"

    def _absolute(self, before: str) -> Iterator[str]:
        """Amounts in brackets from those of a queue of the capacity scheduler on up to those of the cluster."""
        named = dict(part.partition("=")[::2] for part in before.strip("[] ").replace(" ", "").split(","))
        if all(named.get(name, "").isdecimal() for name in ("memory", "vcores")):
            for more in self._amounts(f"{named['memory']} mb, {named['vcores']} vcores", is_least=False):
                amount = parse_resources(more)
                larger = {**named, "memory": str(amount.memory_mb), "vcores": str(amount.vcores)}
                yield f"[{','.join(f'{name}={value}' for name, value in larger.items())}]"

    def _less(self, before: str | None) -> Iterator[str]:
        """Memory and vcores below an amount, or those of the cluster where there is no limit; a GB or more apart."""
        nodes = self._simulation.world.nodes
        most = Resource(sum(node.memory_mb for node in nodes), sum(node.vcores for node in nodes))
        now = parse_resources(before) if before else most
        high = Resource(min(now.memory_mb, most.memory_mb), min(now.vcores, most.vcores))
        steps = min(high.memory_mb // NODE_STEP_MB, AMOUNTS)
        for step in range(steps - 1, 0, -1):
            yield f"{high.memory_mb * step // steps} mb, {-(-high.vcores * step // steps)} vcores"

    def _figure(self, name: str, now: float | None) -> float:
        nodes = self._simulation.world.nodes
        if name == "apps":
            return (0 if now is None else now) + len(self._view.applications()) + 1
        if name == "four_times":
            return LARGER * max(1, now or 0)
        if name == "four_nodes":
            return LARGER * max((node.vcores for node in nodes), default=1)
        if name == "largest_node":
            return max((node.memory_mb for node in nodes), default=1)
        if name == "most_vcores":
            return max((node.vcores for node in nodes), default=1)
        if name == "all_cores":
            return sum(node.vcores for node in nodes)
        if name in ("all_maps", "all_reduces"):
            return float(self._view.figures().total[name == "all_reduces"])
        return largest_ask(self._simulation) - 1 if name == "largest_ask" else float(name)


def _shared_labels(labels: str) -> Iterator[str]:
    texts = labels.split(",")
    for turn, text in enumerate(texts):
        if text.strip() and "exclusive=false" not in text:
            yield ",".join([*texts[:turn], f"{text.partition('(')[0].strip()}(exclusive=false)", *texts[turn + 1 :]])


def _largest_container(change: Change) -> Iterator[tuple[str, str]]:
    """The largest container that fills a larger node; larger ones are refused where a maximum is less than that."""
    if change.where == "nodes" and change.family != "spark":
        yield f"yarn.scheduler.maximum-allocation-{'mb' if change.key == 'memory' else change.key}", change.value


def _is_far_enough(row: Tunable | None, now: str | None, value: str) -> bool:
    if now is None or not now.isdecimal() or not value.isdecimal():
        return False
    is_up = row is not None and isinstance(row.vary, Ladder) and row.vary.way == "up"
    return int(now) >= int(value) if is_up else int(now) <= int(value)


def _rungs(low: int, high: int) -> Sequence[int]:
    """Steps above a number; of very many those an operator would write, each twice the one before."""
    if high - low <= 100_000:
        return range(low + 1, high + 1)
    found, step = [], max(1, low)
    while step < high:
        step *= 2
        found.append(min(step, high))
    return found


def _rungs_down(high: int, low: int) -> Sequence[int]:
    """Steps from a number on down; of very many its halves, or multiples of the lowest one."""
    if high - low <= FEW:
        return range(high, low - 1, -1)
    if low > 1:
        return [high, *range((high - 1) // low * low, low - 1, -low)]
    return [1 << bits for bits in range(high.bit_length() - 1, -1, -1)]


def _times(vary: Ladder, now: float | None) -> Iterator[str]:
    is_never = now is None or now < 0 or str(round(now)) == vary.free
    begin, least = _number(vary.start) if is_never else now, float(vary.bound)
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


def _other_scheduler(now: str, other: str) -> str:
    """The scheduler of another family, in the same release, or the same one in another release."""
    if other[0].isdecimal():
        return now.replace("2.7", other)
    return other if "-" in other else f"{other}-{'3.4' if now.endswith('3.4') else '2.7'}"
