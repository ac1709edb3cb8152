"""Carries a scenario over to another policy: what its queues and settings become, and what is dropped.

Within a family (two releases of one scheduler) all stays but what only the other release reads. Between families the
queues are made anew from what they are as the scenario begins.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import ceil
from typing import Any, Final

import msgspec

from engine.errors import ConfigError, did_you_mean
from engine.model.request import upwards
from engine.observe.snapshot import CapacityQueueRow, QueueRow
from engine.observe.snapshots import snapshot_of
from engine.scenario import ApplicationSpec, QueueSpec, Scenario
from engine.scenario.scenario import POLICIES, family_of, system_of
from engine.settings.capacity import CAPACITY_27, MONITORS
from engine.settings.capacity_queue import CAPACITY, MAXIMUM_CAPACITY, QUEUES
from engine.settings.capacity_scheduler import MAXIMUM_AM_PERCENT, USER_LIMIT_FACTOR
from engine.settings.capacity_scheduler import PREFIX as CAPACITY_PREFIX
from engine.settings.fair import PREEMPTION, RESERVATION_RULE
from engine.settings.fair import PREFIX as FAIR_PREFIX
from engine.simulation.build import build_simulation
from engine.units import format_duration, iso_text

DEFAULT: Final = "default"
ROOT: Final = "root"
PREFIXES: Final = {"fair": (FAIR_PREFIX,), "capacity": (CAPACITY_PREFIX,)}
"""Family → beginnings of the keys that only it reads."""
BY_WEIGHT: Final = ": capacities by weight, a user may have all of a queue, masters half of it"
BY_CAPACITY: Final = ": weights by capacity, largest capacities as limits"
QUEUE_KEYS: Final = f"{CAPACITY_PREFIX}{ROOT}."


class ConvertedScenario(msgspec.Struct, frozen=True):
    scenario: Scenario
    mapped: tuple[str, ...] = ()  # What became something else, a sentence each
    dropped: tuple[str, ...] = ()  # What has no counterpart


def carried_over(scenario: Scenario, policy: str) -> ConvertedScenario:
    """The same under another policy, without expectations. Raises ConfigError for none, or one of another system."""
    if policy not in POLICIES:
        raise ConfigError.of(f"there is no policy {policy}", key="OTHER", hint=did_you_mean(policy, POLICIES))
    before, after = family_of(scenario.scheduler), family_of(policy)
    _check_system(scenario, policy)
    if policy == scenario.scheduler:
        return ConvertedScenario(scenario)
    if before == after:
        settings = {key: value for key, value in scenario.settings.items() if key != RESERVATION_RULE.name}
        ruled = RESERVATION_RULE.name in scenario.settings
        words = f"{RESERVATION_RULE.name}: each release has its own rule; scheduler={policy} keeps the one that is set"
        dropped = (words,) if ruled else ()
        return ConvertedScenario(_changed(scenario, scheduler=policy, settings=settings), (), dropped)
    return _other_family(scenario, policy, before, after)


def set_beside(scenario: Scenario, other: Scenario) -> ConvertedScenario:
    """Another scenario, with what differs beside. Raises ConfigError if it is of another kind of control plane."""
    _check_system(scenario, other.scheduler)
    mapped = []
    if other.start != scenario.start:
        mapped.append(f"its start, {iso_text(other.start_ms, other.start.tzinfo)}, is set beside that of A")
    if other.duration_ms != scenario.duration_ms:
        lasts, first = (format_duration(each.duration_ms) for each in (other, scenario))
        mapped.append(f"it lasts {lasts}, A {first}; all are played to the same end")
    return ConvertedScenario(other, tuple(mapped))


def _check_system(scenario: Scenario, policy: str) -> None:
    if scenario.system != system_of(policy):
        words = f"{scenario.scheduler} and {policy} do not run the same applications"
        raise ConfigError.of(words, key="OTHER", hint="YARN, Spark and MapReduce 1 are compared among themselves")


def _other_family(scenario: Scenario, policy: str, before: str, after: str) -> ConvertedScenario:
    rule = (RESERVATION_RULE.name,)
    settings = {key: value for key, value in scenario.settings.items() if key not in rule}
    fields: dict[str, object] = {"scheduler": policy, "settings": settings}
    mapped = list(_preemption(scenario, before, after, settings))
    own = PREFIXES.get(before, ())
    unread = [key for key in scenario.settings if (own and key.startswith(own)) or key in rule]
    dropped = [f"{key} = {scenario.settings[key]}" for key in unread if not key.startswith(QUEUE_KEYS)]
    if mapped:
        dropped = [each for each in dropped if not each.startswith(f"{PREEMPTION.name} ")]
    has_queues = {
        "fair": bool(scenario.queues) or scenario.allocations is not None,
        "capacity": QUEUES.of(ROOT) in scenario.settings,
    }
    if has_queues.get(after, False):
        mapped.append(f"the scenario configures {after} queues, too, and these hold")
        return ConvertedScenario(_changed(scenario, **fields), tuple(mapped), tuple(dropped))
    rows, total = _rows(scenario) if before in PREFIXES else ((), (0, 0))
    leaves = _leaves(rows, scenario)
    counted = f"{len(leaves)} queues" if len(leaves) > 1 else "1 queue"
    if after == "capacity":
        settings |= dict(_capacities(rows, leaves))
        mapped.append(f"{counted}{BY_WEIGHT}")
        dropped += list(_lost_of_fair(rows))
        if any(getattr(spec, "queue", None) is None for spec in _specs(scenario)):
            dropped.append("placement rules: applications that name no queue go to root.default")
        fields |= _renamed(scenario, _namer(leaves, is_path=policy != CAPACITY_27.name, above=f"{ROOT}."))
    elif after == "fair" and rows:
        fields["queues"] = tuple(_weighted(rows, total))
        mapped.append(f"{counted}{BY_CAPACITY}")
        dropped.append("limits of users and of application masters: FairScheduler's own hold")
        fields |= _renamed(scenario, _namer(leaves, is_path=True))
    elif rows:
        dropped.append(f"{counted}: FIFO has one, and serves in order of submission")
    return ConvertedScenario(_changed(scenario, **fields), tuple(mapped), tuple(dropped))


def _changed(scenario: Scenario, **fields: Any) -> Scenario:
    return scenario.model_copy(update={"expectations": (), **fields})


def _rows(scenario: Scenario) -> tuple[Sequence[QueueRow], Sequence[int]]:
    simulation = build_simulation(scenario.model_copy(update={"running": (), "recovered": ()}))
    snapshot = snapshot_of(simulation)
    return snapshot.queues(), snapshot.header.total


def _preemption(scenario: Scenario, before: str, after: str, settings: dict[str, str]) -> Iterator[str]:
    keys = {"fair": PREEMPTION.name, "capacity": MONITORS.name}
    if before in keys and after in keys and scenario.settings.get(keys[before]) is not None:
        settings[keys[after]] = scenario.settings[keys[before]]
        yield f"{keys[before]} is {keys[after]}"


def _specs(scenario: Scenario) -> Iterator[ApplicationSpec]:
    yield from scenario.workload
    yield from (each.application for each in scenario.running)
    yield from (each.application for each in scenario.recovered)


def _leaves(rows: Sequence[QueueRow], scenario: Scenario) -> list[str]:
    known = {row.path: row.is_leaf for row in rows}
    ends = {path.rpartition(".")[2]: path for path, is_leaf in known.items() if is_leaf}
    named = dict.fromkeys(getattr(spec, "queue", None) for spec in _specs(scenario))
    leaves = {path: None for path, is_leaf in known.items() if is_leaf and path != f"{ROOT}.{DEFAULT}"}
    for name in named:
        path = f"{ROOT}.{(name or DEFAULT).removeprefix(f'{ROOT}.')}"
        if path in known or (name or DEFAULT) in ends:
            path = path if path in known else ends[name or DEFAULT]
        if known.get(path, True):
            leaves[path] = None
    return list(leaves) or [f"{ROOT}.{DEFAULT}"]


def _namer(leaves: Sequence[str], *, is_path: bool, above: str = "") -> Callable[[str | None], str | None]:
    """Rewrites the queue a client names: to its path below `above`, or to the last name, as 2.7 knows queues."""
    paths = {each: each for each in leaves} | {each.removeprefix(f"{ROOT}."): each for each in leaves}
    paths |= {each.rpartition(".")[2]: each for each in leaves}

    def named(queue: str | None) -> str | None:
        path = paths.get(queue or DEFAULT, f"{ROOT}.{queue or DEFAULT}")
        return above + path.removeprefix(f"{ROOT}.") if is_path else path.rpartition(".")[2]

    return named


def _renamed(scenario: Scenario, path_of: Callable[[str | None], str | None]) -> dict[str, object]:
    def moved(spec: Any) -> Any:  # Any: each kind of application stays of its kind
        return spec.model_copy(update={"queue": path_of(spec.queue)}) if hasattr(spec, "queue") else spec

    def inside(parts: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(each.model_copy(update={"application": moved(each.application)}) for each in parts)

    workload = tuple(moved(spec) for spec in scenario.workload)
    return {"workload": workload, "running": inside(scenario.running), "recovered": inside(scenario.recovered)}


def _capacities(rows: Sequence[QueueRow], leaves: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Keys of capacity-scheduler.xml: children share their parent by weight, in thousandths of a per cent."""
    by_path = {row.path: row for row in rows}
    children: dict[str, dict[str, None]] = {}
    for leaf in leaves:
        for path, parent in pairwise(upwards(leaf)):
            children.setdefault(parent, {})[path] = None
    yield MAXIMUM_AM_PERCENT.everywhere, "0.5"
    whole = by_path[ROOT].steady_share if ROOT in by_path else None
    parts = {ROOT: 1.0}
    for parent in sorted(children, key=lambda path: path.count(".")):
        paths = list(children[parent])
        yield QUEUES.of(parent), ",".join(path.rpartition(".")[2] for path in paths)
        weights = [_weight(by_path.get(path)) for path in paths]
        left = 100_000
        for place, (path, weight) in enumerate(zip(paths, weights, strict=True)):
            share = left if place == len(paths) - 1 else round(100_000 * weight / (sum(weights) or 1))
            left -= share
            parts[path] = parts[parent] * share / 100_000
            yield CAPACITY.of(path), f"{share / 1000:g}"
            yield USER_LIMIT_FACTOR.of(path), str(ceil(1 / max(parts[path], 0.001)))
            yield from _largest(path, by_path.get(path), whole)


def _weight(row: QueueRow | None) -> float:
    return row.weight if row is not None and isinstance(row.weight, float) else 1.0


def _largest(path: str, row: QueueRow | None, whole: object) -> Iterator[tuple[str, str]]:
    if row is not None and isinstance(row.max_share, tuple) and isinstance(whole, tuple) and whole[0]:
        yield MAXIMUM_CAPACITY.of(path), f"{min(100.0, 100 * row.max_share[0] / whole[0]):g}"


def _part(total: Sequence[int], part: float) -> str:
    memory_mb, vcores = (round(whole * part) for whole in total)
    return f"{memory_mb} mb, {vcores} vcores"


def _weighted(rows: Sequence[QueueRow], total: Sequence[int]) -> Iterator[QueueSpec]:
    for row in rows:
        if row.path == ROOT or not isinstance(row, CapacityQueueRow):
            continue
        limit = next((each for each in row.partitions if not each.label), None)
        yield QueueSpec(
            name=row.path.removeprefix(f"{ROOT}."),
            weight=max(0.001, row.guaranteed[0] / 1024),
            max_resources=None if limit is None or limit.maximum >= 1 else _part(total, limit.maximum),
            policy="fifo" if row.is_leaf and row.policy.lower() == "fifo" else None,
        )


def _lost_of_fair(rows: Sequence[QueueRow]) -> Iterator[str]:
    shares = [row.path for row in rows if isinstance(row.min_share, tuple) and any(row.min_share)]
    if shares:
        yield f"minimum shares of {', '.join(shares)}"
    orders = [row.path for row in rows if row.is_leaf and row.policy != "fifo" and row.path != f"{ROOT}.{DEFAULT}"]
    if orders:
        yield f"sharing among the applications of {', '.join(orders)}: a queue of CapacityScheduler serves in order"
