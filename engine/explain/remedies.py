"""What would have helped, and until when: single remedies tried on copies of the past.

The remedies are a fixed list: kill one application, drop one reservation, switch the reservation rule off. A deadlock
is *inevitable* from the first instant whose closed world ends in it; a remedy is tried in the closed worlds between
that instant and the one at which it formed, by bisection, so it is taken to help before whenever it helps later.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from engine.control_plane.resource_manager import ResourceManager
from engine.explain.ahead import Ahead
from engine.explain.alerts import longest_waiting
from engine.explain.moments import Moments
from engine.explain.verdict import Inquiry
from engine.simulation.actions import KillApplication, SetReservationRule
from engine.simulation.rounds import wake_rounds_if_changed
from engine.simulation.simulation import Simulation

KILLS: Final = 24
"""How many applications are tried, those that hold and reserve most first."""

FIRST_STEP_MS: Final = 1000
"""How far back is looked first for an instant from which it was not inevitable [ms]."""


class Remedy(NamedTuple):
    """One thing an operator could do."""

    kind: str
    """`kill`, `unreserve` or `rule-off`."""
    application: int = 0
    node: str = ""

    @property
    def sentence(self) -> str:
        """In words."""
        if self.kind == "kill":
            return f"kill application {self.application}"
        return f"drop the reservation of {self.node}" if self.kind == "unreserve" else "switch the reservation rule off"


class Rescue(NamedTuple):
    """Until when a remedy would have prevented it."""

    sentence: str
    remedy: Remedy
    latest_ms: int
    """The latest instant at which it still prevented it [epoch ms], at most that at which it formed."""
    still_helps: bool
    """Whether it would end it at the instant it formed and after."""


class Return(NamedTuple):
    """The way back that there was."""

    formed_ms: int
    inevitable_ms: int
    """The first instant whose closed world ends in it [epoch ms]."""
    latest_ms: int | None
    """The point of no return: the latest instant at which the best single remedy prevented it; None: none ever did."""
    rescues: tuple[Rescue, ...]
    """What would have helped, the one that helped longest first."""


def point_of_no_return(moments: Moments, formed_ms: int) -> Return:
    """Until when the deadlock that formed at an instant could have been prevented.

    Args:
        moments: The past of the run.
        formed_ms: The instant from which nothing was allocated any more [epoch ms].
    """
    inevitable_ms = _inevitable(moments, formed_ms)
    rescues = []
    for remedy in remedies(moments.at(formed_ms)):
        still = helps(moments.at(formed_ms), remedy)
        latest_ms = formed_ms if still else _latest(moments, remedy, inevitable_ms, formed_ms)
        if latest_ms is not None:
            rescues.append(Rescue(remedy.sentence, remedy, latest_ms, still))
    rescues.sort(key=_order)
    return Return(formed_ms, inevitable_ms, rescues[0].latest_ms if rescues else None, tuple(rescues))


def _order(rescue: Rescue) -> int:
    return -rescue.latest_ms


def remedies(simulation: Simulation) -> Iterator[Remedy]:
    """The fixed list, for the state of an instant."""
    control_plane = simulation.control_plane
    if not isinstance(control_plane, ResourceManager):
        return
    cluster = control_plane.cluster
    attempts = [each.attempt for each in cluster.applications.values() if each.attempt is not None]
    heavy = sorted(
        (-len(each.reserved), -each.used_memory_mb, each.application.number) for each in attempts if each.used_memory_mb
    )
    for _, _, number in heavy[:KILLS]:
        yield Remedy("kill", application=number)
    for node in cluster.nodes.values():
        if node.reserved is not None:
            yield Remedy("unreserve", node=node.host)
    if cluster.reservations:
        yield Remedy("rule-off")


def helps(simulation: Simulation, remedy: Remedy) -> bool:
    """Whether a remedy, applied now to this copy, keeps its closed world from ending in a deadlock."""
    _apply(simulation, remedy)
    return not ends_deadlocked(simulation)


def _apply(simulation: Simulation, remedy: Remedy) -> None:
    if remedy.kind == "kill":
        simulation.act(KillApplication(remedy.application))
        return
    if remedy.kind == "rule-off":
        simulation.act(SetReservationRule("off"))
        return
    control_plane = simulation.control_plane
    assert isinstance(control_plane, ResourceManager), "only a ResourceManager's nodes are reserved"
    for node in control_plane.cluster.nodes.values():
        if node.host == remedy.node and node.reserved is not None:
            control_plane.scheduler.unreserve(node)
    wake_rounds_if_changed(simulation.world)


def ends_deadlocked(simulation: Simulation) -> bool:
    """Whether the closed world comes to rest with somebody waiting in, or behind, a cycle."""
    ahead = Ahead(simulation)
    while not ahead.advance():
        pass
    longest = longest_waiting(ahead.simulation) if ahead.still else None
    return longest is not None and Inquiry(ahead.simulation, longest.number).verdict().verdict == "deadlocked"


def formed(moments: Moments, allocated_ms: int, now_ms: int) -> int:
    """The first instant after which the closed world of a run that is frozen now makes no allocation.

    Args:
        moments: The past of the run.
        allocated_ms: When something was last allocated, or the start [epoch ms].
        now_ms: An instant at which it is frozen.
    """
    if _is_frozen(moments, allocated_ms):
        return allocated_ms
    return _turn(now_ms, allocated_ms, lambda at_ms: _is_frozen(moments, at_ms))


def _is_frozen(moments: Moments, at_ms: int) -> bool:
    return Ahead(moments.at(at_ms)).until_allocated(at_ms) is None


def _inevitable(moments: Moments, formed_ms: int) -> int:
    """The first instant from which the closed world ends in the deadlock."""
    bad_ms, step_ms = formed_ms, FIRST_STEP_MS
    good_ms = formed_ms - step_ms
    while good_ms > moments.first_ms and ends_deadlocked(moments.at(good_ms)):
        bad_ms, step_ms = good_ms, 2 * step_ms
        good_ms = max(good_ms - step_ms, moments.first_ms)
    return _turn(bad_ms, max(good_ms, moments.first_ms), lambda at_ms: ends_deadlocked(moments.at(at_ms)))


def _latest(moments: Moments, remedy: Remedy, inevitable_ms: int, formed_ms: int) -> int | None:
    """The latest instant from when it is inevitable at which a remedy helps; None when it never does."""
    if not helps(moments.at(inevitable_ms), remedy):
        return None
    return _turn(formed_ms, inevitable_ms, lambda at_ms: not helps(moments.at(at_ms), remedy)) - 1


def _turn(true_ms: int, false_ms: int, is_true: Callable[[int], bool]) -> int:
    """The first instant of a stretch at which something is true that is false at its begin and true at its end."""
    while true_ms - false_ms > 1:
        middle_ms = (true_ms + false_ms) // 2
        if is_true(middle_ms):
            true_ms = middle_ms
        else:
            false_ms = middle_ms
    return true_ms
