"""Defines what an observer may read of a cluster, alike for every control plane; `ControlPlane.view` gives one.

Snapshots, graphs, explanations and screens ask a `ClusterView` and never test which control plane is behind it. What
needs types of their own is registered beside them by the view's `kind`: `observe.snapshots.OBSERVERS` and
`explain.explainers.EXPLAINERS`. Nothing here changes the cluster but, on copies, `take_apart`.
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from engine.model.ledger import Container
from engine.schedulers.interface import UNKNOWN, Amounts, PolicyView, Unknown
from engine.schedulers.obstacle_texts import Recorder


class ApplicationSummary(NamedTuple):
    """A live application, as far as every control plane knows it."""

    number: int
    name: str
    user: str
    queue: str
    submitted_ms: int
    waiting_since_ms: int | None
    """Since when it has been given nothing of what it waits for [epoch ms]; None when it waits for nothing."""
    waits: bool  # Whether it asks for more than it has
    works: bool  # Whether it has more than its application master
    unmet_since_ms: int | None = None  # Since when it asks for more than it has [epoch ms]; None when it does not


class ClusterFigures(NamedTuple):
    """The cluster as a whole; amounts have one int per dimension of the control plane."""

    total: Amounts  # Amounts of the nodes that are up
    used: Amounts
    reserved: Amounts | Unknown
    nodes: int  # Nodes that are up
    nodes_down: int
    nodes_reserved: int | Unknown
    applications: int  # That have not ended
    containers: int
    containers_pending: int | Unknown
    pending_at_least: int = 0  # Where that is unknown: those of applications of which it is known


class ClusterModes(NamedTuple):
    """Switches of the control plane as a whole that an operator wants to see."""

    preemption: bool | Unknown  # Whether containers may be preempted
    reservation_rule: str | Unknown  # The rule by which nodes are reserved; empty where there is none
    spread_out: bool | Unknown  # Whether executors are spread over workers or packed on few
    restart_keeps: str | Unknown = UNKNOWN
    """What outlives a restart of the control plane: `containers`, `applications` alone, or `nothing`."""


class RecoveryFigures(NamedTuple):
    """Progress of a control plane's recovery: down, how many nodes and applications are back."""

    is_down: bool  # Whether it does not answer
    since_ms: int  # Since when it is so [epoch ms]
    nodes_back: int
    nodes_known: int  # Nodes that were up when it went
    masters_missing: int  # Applications whose masters have not registered since
    waits_until_ms: int  # The last instant at which it allocates nothing [epoch ms]; -1 where it does not wait


class ClusterView:
    """Reads one cluster; every answer is of the moment it is asked for."""

    kind: str  # What its control plane is registered by: `yarn`, `spark`
    records_refusals: bool = False  # Whether it can tell which applications it passes by at an offer
    policy: PolicyView  # Reads its queues and settings

    def figures(self) -> ClusterFigures:
        """The cluster as a whole; cheap enough to be asked at every instant."""
        raise NotImplementedError

    def modes(self) -> ClusterModes:
        raise NotImplementedError

    def recovery(self) -> RecoveryFigures | None:
        """Return how far it is recovered; None when it is there and recovered, or has no such thing."""

    def applications(self) -> list[ApplicationSummary]:
        """All applications that have not ended, in order of submission."""
        raise NotImplementedError

    def application(self, number: int) -> ApplicationSummary | None:
        """A live application; None when there is none of that number."""
        raise NotImplementedError

    def service_fields(self, number: int) -> tuple[str, int | Unknown, int | None, int] | None:
        """What tells how a live application is served, as `service_of` takes it; None when there is none.

        State, containers it asks for, since when it waits [epoch ms], containers it has.
        """
        raise NotImplementedError

    def numbers_running(self) -> list[int]:
        raise NotImplementedError

    def ended(self) -> Iterator[tuple[int, int]]:
        """(number, submission [epoch ms]) of applications that ended, as far as they are remembered."""
        raise NotImplementedError

    def somebody_waits(self) -> bool:
        """Tell whether anybody waits; asked often, so it is cheap."""
        raise NotImplementedError

    def application_id(self, number: int) -> str:
        """The id by which users know an application, also one that ended."""
        raise NotImplementedError

    def container_id(self, container: tuple[int, int, int]) -> str:
        raise NotImplementedError

    def reservations(self) -> list[Container]:
        """All reservations, in order of node; none where nothing is ever reserved."""
        return []

    def take_apart(self) -> None:
        """Clear what the objects of a copy hold of one another, so that its memory is free as soon as it is let go."""

    def longest_timer_ms(self) -> int:
        """Return the longest wait of its passes for something that changes by time alone [ms], all waits in a row."""
        return 0

    def repeats(self, now_ms: int) -> bool:
        """Tell whether its passes go through the same again and again and decide nothing: when each runs matters."""
        return False

    def delay_offers(self, now_ms: int) -> int:
        """Return how many offers an application may still let pass to wait for a better place; 0 when none does."""
        return 0

    def has_room_ever(self, memory_mb: int, vcores: int) -> bool:
        """Tell whether some node could hold a container of this size were it empty; True while there is no node."""
        raise NotImplementedError

    def record_refusals(self, recorder: Recorder) -> None:
        """Record from now on which applications it passes by, if `records_refusals`."""


def longest_waiting(view: ClusterView, known: Collection[int] = ()) -> int | None:
    """The number of the application that waits longest, but for some who are known; None when none does."""
    return next((each.number for each in waiting(view) if each.number not in known), None)


def somebody_waits(view: ClusterView, known: Collection[int] = ()) -> bool:
    """Tell whether anybody waits, but for some who are known; asked often, so it is cheap."""
    return view.somebody_waits() and (not known or longest_waiting(view, known) is not None)


def waiting(view: ClusterView) -> list[ApplicationSummary]:
    """Return the applications that are given nothing of what they wait for, longest first."""
    found = [each for each in view.applications() if each.waiting_since_ms is not None]
    return sorted(found, key=lambda each: (each.waiting_since_ms or 0, each.number))


def asking(view: ClusterView) -> list[ApplicationSummary]:
    """Return applications that ask for more than they have, longest first; `waiting` has only those with nothing."""
    found = [each for each in view.applications() if each.waits]
    return sorted(found, key=lambda each: (each.unmet_since_ms or 0, each.number))
