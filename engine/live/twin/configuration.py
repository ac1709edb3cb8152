"""The configuration of a cluster as its twin needs it: scheduler, settings, queues, and how its processes talk."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from engine.errors import ConfigError, Problem
from engine.live.twin.assumptions import Assumption
from engine.scenario import QueueSpec, Scenario

SCHEDULER_CLASSES: Final = {"fairscheduler": "fair", "capacityscheduler": "capacity", "fifoscheduler": "fifo"}
"""What a server calls its scheduler, in small letters → how scenarios call the policy."""

NAMES: Final = {
    ("fair", "2.7"): "fair-2.7",
    ("fair", "3.4"): "fair-3.4",
    ("capacity", "2.7"): "capacity-2.7",
    ("capacity", "3.4"): "capacity-3.4",
    ("fifo", "2.7"): "fifo",
    ("fifo", "3.4"): "fifo-3.4",
}


class TwinConfiguration(NamedTuple):
    """What a cluster's twin is configured with."""

    scheduler: str
    """As scenarios call it."""
    settings: Mapping[str, str]
    """Hadoop keys; of the Capacity Scheduler with its queues."""
    allocations: str | None = None
    """Text of fair-scheduler.xml."""
    queues: tuple[QueueSpec, ...] = ()
    """Of the Fair Scheduler where there is no such text."""
    like: Scenario | None = None
    """A scenario of the same cluster, for how its processes talk and who is in which group."""
    assumed: tuple[Assumption, ...] = ()


def scheduler_named(words: str) -> str:
    """How scenarios call the scheduler that a snapshot names.

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
        raise ConfigError([Problem(f"{words or 'a cluster without a scheduler'} has no twin: it is not one of YARN's")])
    return NAMES[policy, "3.4" if version.startswith("3") else "2.7"]


def configuration_of_scenario(scenario: Scenario) -> TwinConfiguration:
    """That of a simulation of a scenario."""
    return TwinConfiguration(
        scenario.scheduler,
        scenario.settings,
        scenario.allocations_xml(),
        like=scenario,
    )
