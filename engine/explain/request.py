"""What stands in the way of one request of an application, asked of a copy that looks at no other."""

from engine.control_plane.resource_manager import ResourceManager
from engine.errors import RefusedError
from engine.explain.cluster_queries import attempt_of
from engine.explain.obstacles import standing
from engine.explain.reasons import ReasonRow, reason_rows
from engine.simulation.simulation import Simulation


def request_reasons(simulation: Simulation, number: int, priority: int) -> tuple[ReasonRow, ...]:
    """All that stands in the way of what an application asks for at one priority, the first reason first.

    On a node that it holds reserved for another priority the reservation's own obstacle is told: only that one is tried
    there.

    Args:
        simulation: The instant asked about; it is not changed.
        number: The application.
        priority: The request's.

    Raises:
        RefusedError: It asks for nothing at that priority.
    """
    other = simulation.fork()
    attempt, control_plane = attempt_of(other, number), other.control_plane
    asked = sorted({ask.priority for ask in attempt.asks()}) if attempt is not None else []
    if attempt is None or not isinstance(control_plane, ResourceManager) or priority not in asked:
        where = f"it asks at {', '.join(map(str, asked))}" if asked else "it asks for nothing by priority"
        raise RefusedError("UnknownPriority", f"nothing is asked for at priority {priority}; {where}")
    attempt.priorities = [priority]
    return reason_rows(control_plane.scheduler, attempt, standing(control_plane.scheduler, attempt, simulation.now_ms))
