"""Why a queue or a node gives nothing: who waits there and what stands in the way, asked without a change.

One waiter is found at a time, so that whoever asks decides how much is done at once.
"""

from collections.abc import Iterator

import msgspec

from engine.control_plane.resource_manager import ResourceManager
from engine.control_plane.spark_master import SparkMaster
from engine.explain.cluster_queries import reasons_of, waiting
from engine.explain.obstacles import Standing, standing
from engine.explain.reasons import ReasonRow, reason_rows
from engine.model.application import Attempt
from engine.observe.views import snapshot_of
from engine.simulation.simulation import Simulation


class Waiter(msgspec.Struct, frozen=True):
    """One application that waits, and what stands in its way there."""

    application: int
    name: str
    queue: str
    since_ms: int | None
    pending: int
    """Containers it still asks for."""
    reasons: tuple[ReasonRow, ...]


def waiting_in_queue(simulation: Simulation, path: str) -> Iterator[Waiter]:
    """Who waits in a queue or below it, longest first, with all that stands in its way."""
    for control_plane, attempt in _waiting(simulation):
        if attempt.queue.path == path or attempt.queue.path.startswith(path + "."):
            yield _waiter(control_plane, attempt, standing(control_plane.scheduler, attempt, simulation.now_ms))


def waiting_for_node(simulation: Simulation, node: str) -> Iterator[Waiter]:
    """Who waits and what stands in its way on one node (`host:port`), longest first.

    Spark's Master has one list for all workers: whoever waits in it waits for each of them.
    """
    for control_plane, attempt in _waiting(simulation):
        found = standing(control_plane.scheduler, attempt, simulation.now_ms)
        here = tuple(pair for pair in found.on_nodes if pair[0].id == node)
        yield _waiter(control_plane, attempt, Standing(found.in_queue, here))
    yield from _waiting_in_the_list(simulation)


def _waiting_in_the_list(simulation: Simulation) -> Iterator[Waiter]:
    control_plane = simulation.control_plane
    if not isinstance(control_plane, SparkMaster):
        return
    rows = snapshot_of(control_plane, simulation.now_ms).applications(why=False)
    pending = {row.number: row.pending_containers for row in rows}
    for each in waiting(control_plane):
        count = pending.get(each.number, 0)
        reasons = reasons_of(simulation, each.number)
        yield Waiter(
            each.number, each.name, each.queue, each.waiting_since_ms, count if isinstance(count, int) else 0, reasons
        )


def _waiting(simulation: Simulation) -> Iterator[tuple[ResourceManager, Attempt]]:
    control_plane = simulation.control_plane
    if not isinstance(control_plane, ResourceManager):
        return
    attempts = [
        each.attempt
        for each in control_plane.cluster.applications.values()
        if each.attempt is not None and each.attempt.pending
    ]
    for attempt in sorted(attempts, key=_since):
        yield control_plane, attempt


def _since(attempt: Attempt) -> tuple[int, int]:
    return (attempt.application.waiting_since_ms or 0, attempt.application.number)


def _waiter(control_plane: ResourceManager, attempt: Attempt, found: Standing) -> Waiter:
    application = attempt.application
    return Waiter(
        application=application.number,
        name=application.name,
        queue=application.queue,
        since_ms=application.waiting_since_ms,
        pending=attempt.pending,
        reasons=reason_rows(control_plane.scheduler, attempt, found),
    )
