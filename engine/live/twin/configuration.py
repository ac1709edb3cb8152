"""The configuration of a cluster as its twin needs it: scheduler, settings, queues, and how its processes talk."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine.errors import ConfigError, Problem
from engine.live.yarn_settings import SCHEDULING
from engine.model.lifecycle import still_live
from engine.observe.snapshot import Amounts, CapacityQueueRow, QueueRow, Snapshot, Unknown
from engine.scenario import Assumption, QueueSpec, Scenario
from engine.scenario.scenario import family_of
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.capacity_queue import CAPACITY, MAXIMUM_CAPACITY, QUEUES, STATE, STOPPED
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.fair import FAIR_27, FAIR_34
from engine.settings.releases import differences
from engine.settings.site import ACL_ENABLE, MAXIMA, YARN_27, YARN_34

POLICIES = {"fair": "fair", "fifo": "fifo", "drf": "drf", "dominantresourcefairness": "drf"}
"""What a server calls a policy of FairScheduler, in small letters → what the allocation file calls it."""


def fair_queues(rows: Sequence[QueueRow]) -> Iterator[QueueSpec]:
    """Queues of FairScheduler with their limits, policies and weights, which are not said: see `_weights`."""
    weights = _weights(rows)
    for row in rows:
        if row.path == "root":
            continue
        policy = row.policy.lower()
        yield QueueSpec(
            name=row.path.removeprefix("root."),
            min_resources=_words(row.min_share) if isinstance(row.min_share, tuple) and any(row.min_share) else None,
            max_resources=None
            if row.max_share is None or isinstance(row.max_share, Unknown)
            else _words(row.max_share),
            weight=weights.get(row.path),
            policy=POLICIES.get(policy),
        )


def _weights(rows: Sequence[QueueRow]) -> Mapping[str, float]:
    """Path of a queue → its weight, that of the smallest sibling being 1, as its steady share lets one conclude.

    A share that is the queue's minimum or maximum says nothing. Source: ComputeFairShares.computeSteadyShares, 2.7.2.
    """
    shares: dict[str, dict[str, int]] = {}
    for row in rows:
        steady = 0 if isinstance(row.steady_share, Unknown) else row.steady_share[0]
        bounds = [each[0] for each in (row.min_share, row.max_share) if isinstance(each, tuple)]
        if steady and steady not in bounds:
            shares.setdefault(row.path.rpartition(".")[0], {})[row.path] = steady
    return {
        path: round(share / min(siblings.values()), 2)
        for siblings in shares.values()
        for path, share in siblings.items()
    }


def _words(amounts: Amounts) -> str:
    return f"{amounts[0]} mb, {amounts[1]} vcores"


def capacity_settings(rows: Sequence[CapacityQueueRow], *, by_path: bool) -> Iterator[tuple[str, str]]:
    """(key, value) of capacity-scheduler.xml: queues, their capacities and largest capacities, in percent.

    The rows are in order, parents before their children. States are given with `by_path` alone.
    """
    by_name = {row.path: row for row in rows}
    for row in rows:
        children = [each for each in rows if each.path.rpartition(".")[0] == row.path]
        if children:
            yield QUEUES.of(row.path), ",".join(each.path.rpartition(".")[2] for each in children)
            yield from _shares(children)
        if row.state == STOPPED and by_path:
            yield STATE.of(row.path), row.state
        parent = by_name.get(row.path.rpartition(".")[0])
        if parent is not None:
            most, whole = _largest(row), _largest(parent)
            yield MAXIMUM_CAPACITY.of(row.path), f"{min(100.0, 100 * most / max(whole, 1e-9)):.3f}"


def _shares(children: Sequence[CapacityQueueRow]) -> Iterator[tuple[str, str]]:
    """Return what part of their parent each has; together all of it."""
    whole, left = sum(each.guaranteed[0] for each in children) or 1, 100.0
    for each in children[:-1]:
        share = round(100 * each.guaranteed[0] / whole, 3)
        left -= share
        yield CAPACITY.of(each.path), f"{share:.3f}"
    yield CAPACITY.of(children[-1].path), f"{left:.3f}"


def _largest(row: CapacityQueueRow) -> float:
    """The largest part of the cluster that a queue may use."""
    return next((each.maximum for each in row.partitions if not each.label), 0.0) or (
        1.0 if not isinstance(row.max_share, tuple) else float(row.max_share[0])
    )


SCHEDULER_CLASSES: Final = {"fairscheduler": "fair", "capacityscheduler": "capacity", "fifoscheduler": "fifo"}
"""What a server calls its scheduler, in small letters → how scenarios call the policy."""

NAMES: Final = {
    ("fair", "2.7"): FAIR_27.name,
    ("fair", "3.4"): FAIR_34.name,
    ("capacity", "2.7"): CAPACITY_27.name,
    ("capacity", "3.4"): CAPACITY_34.name,
    ("fifo", "2.7"): "fifo",
    ("fifo", "3.4"): YARN_34.name,
}


class TwinConfiguration(NamedTuple):
    """The configuration of a cluster's twin."""

    scheduler: str
    """As scenarios call it."""
    settings: Mapping[str, str]
    """Hadoop keys; of the Capacity Scheduler with its queues."""
    allocations: str | None = None
    """Text of fair-scheduler.xml."""
    queues: tuple[QueueSpec, ...] = ()
    """The queues of the Fair Scheduler where there is no such text."""
    like: Scenario | None = None
    """A scenario of the same cluster, for how its processes talk and who is in which group."""
    assumed: tuple[Assumption, ...] = ()


def scheduler_named(words: str) -> str:
    """Return the name by which scenarios know the scheduler of a snapshot.

    >>> scheduler_named("FairScheduler 2.7.2"), scheduler_named("CapacityScheduler 3.3.6"), scheduler_named("fifo")
    ('fair-2.7', 'capacity-3.4', 'fifo')

    Raises:
        ConfigError: It is none of YARN's.
    """
    if words in NAMES.values():
        return words
    kind, _, version = words.partition(" ")
    policy = SCHEDULER_CLASSES.get(kind.lower())
    if policy is None:
        hint = f"--scheduler names it: {', '.join(NAMES.values())}"
        raise ConfigError([Problem(f"{words!r} is none of YARN's schedulers", hint=hint)])
    return NAMES[policy, "3.4" if version.startswith("3") else "2.7"]


def configuration_of_cluster(
    snapshot: Snapshot,
    settings: Mapping[str, str] | None = None,
    allocations: str | None = None,
    scheduler: str | None = None,
) -> TwinConfiguration:
    """That of a running cluster, as far as it is given; the rest is inferred from the snapshot.

    Args:
        settings: Hadoop keys, those of capacity-scheduler.xml among them; None where nobody gave any.
        allocations: Text of fair-scheduler.xml; None where nobody gave it.
        scheduler: As scenarios call it; None takes what the snapshot names.

    Raises:
        ConfigError: Its scheduler is none of YARN's.
    """
    named, scheduler = snapshot.header.scheduler, scheduler_named(scheduler or snapshot.header.scheduler)
    chosen = {key: text for key, text in (settings or {}).items() if key.startswith(SCHEDULING)}
    assumed = []
    if words := differences(family_of(scheduler), named.partition(" ")[2]):
        assumed.append(Assumption(what="release", sentence=words))
    if settings is None:
        chosen |= _limits(snapshot)
        assumed.append(Assumption(what="settings", sentence="no yarn-site.xml is given: Hadoop's defaults hold"))
    if chosen.get(ACL_ENABLE.name, "").strip().lower() == "true":
        chosen[ACL_ENABLE.name] = "false"
        assumed.append(
            Assumption(what="settings", sentence="who is in which group is not known: queues are open to everybody")
        )
    queues: tuple[QueueSpec, ...] = ()
    if family_of(scheduler) == "fair" and allocations is None:
        queues = tuple(fair_queues(snapshot.queues()))
        assumed.append(
            Assumption(
                what="queues",
                sentence="no fair-scheduler.xml is given: queues have the limits and shares shown, the rest is default",
            )
        )
    if family_of(scheduler) == "capacity" and not any(key.startswith(f"{PREFIX}root.") for key in chosen):
        rows = [row for row in snapshot.queues() if isinstance(row, CapacityQueueRow)]
        if not rows:
            words = "a log does not say how CapacityScheduler's queues are set"
            raise ConfigError([Problem(words, hint="--capacity-scheduler FILE, and --yarn-site FILE for the rest")])
        chosen |= dict(capacity_settings(rows, by_path=scheduler != CAPACITY_27.name))
        assumed.append(
            Assumption(
                what="queues",
                sentence="no capacity-scheduler.xml is given: queues have the capacities shown, the rest is default",
            )
        )
    return TwinConfiguration(scheduler, chosen, allocations, queues, assumed=tuple(assumed))


def _limits(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """The largest container: no smaller than what is asked for, and than the mean of what an application has."""
    live = still_live(snapshot.applications(why=False))
    sizes: list[Amounts] = [ask.size for row in live for ask in row.listed_asks]
    sizes += [tuple(-(-each // row.containers) for each in row.used) for row in live if row.containers]
    for dimension, key in enumerate(MAXIMA):
        yield key.name, str(max((YARN_27.default(key), *(size[dimension] for size in sizes))))


def configuration_of_scenario(scenario: Scenario) -> TwinConfiguration:
    """That of a simulation of a scenario."""
    return TwinConfiguration(
        scenario.scheduler,
        scenario.settings,
        scenario.allocations_xml(),
        like=scenario,
    )
