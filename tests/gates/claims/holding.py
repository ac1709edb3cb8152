"""Those named as holders held against the cluster: what each really has, whether it is in the way, who is missing."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

from engine.explain.reporting import Holder
from engine.model.decision import ContainerId
from engine.model.request import is_under
from engine.schedulers.obstacle_texts import Reason
from engine.schedulers.spark.scheduling_pass import DRIVER_ATTEMPT, EXECUTOR_ATTEMPT
from engine.simulation.simulation import Simulation
from engine.simulation.spark_world import SparkWorld
from tests.gates.claims.cases import Claim, Question

FULL: Final = ("DOES_NOT_FIT", "RESERVATION_LIMIT")
"""Codes of reasons for which everybody on their nodes is in the way."""


class Place(NamedTuple):
    """Whose a container is, and where."""

    application: int
    where: str
    """Host; on a JobTracker the kind of its slots."""


def holding(question: Question) -> Iterator[Claim]:
    """Who is named holds what is in the way, nobody who does is missing, and nobody is held back by itself alone."""
    answer, places = question.answer, _places(question.here)
    circle = {step.application for step in answer.found.proof.cycle} if answer.found is not None else set()
    is_nobody = answer.verdict in ("impossible", "outage")
    named = {holder.hold.application for holder in answer.holders}
    yield Claim("holders", not (is_nobody and named), f"{question}: {named} hold back what nobody does")
    is_alone = answer.number in named and answer.number not in circle
    yield Claim("holders", not is_alone, f"{question}: it is a holder itself, and in no circle: {circle}")
    reserved = {each.node.host: each.id[0] for each in question.here.control_plane.view().reservations()}
    for holder in answer.holders:
        is_in_way = _is_in_way(question, holder, places, reserved)
        yield Claim("holders", is_in_way, f"{question}: {holder.name} is not in the way: {holder.hold}")
    missing = _in_the_way(question, places, reserved) - named - {answer.number}
    yield Claim("holders", is_nobody or not missing, f"{question}: {missing} are in the way, and not among {named}")


def _is_in_way(question: Question, holder: Holder, places: dict[ContainerId, Place], reserved: dict[str, int]) -> bool:
    """Whether all it is said to hold is its own, and on a node or in a limit that is a reason."""
    hold, rows = holder.hold, question.answer.obstacles
    if not hold.containers and not hold.reservations:
        found = question.answer.found
        return hold.because is Reason.OTHER_FIRST and found is not None and hold.application in found.proof.ends
    owned = [places.get(each) for each in hold.containers]
    if any(each is None or each.application != hold.application for each in owned):
        return False
    hosts = [each.rpartition(":")[0] for each in hold.reservations]
    if any(reserved.get(host) != hold.application for host in hosts):
        return False
    nodes = {host for row in rows for host in row.nodes}
    limits = [row.subject for row in rows if row.subject]
    is_limited = holder.user in limits or any(is_under(holder.queue, each) for each in limits)
    is_by_slots = question.here.control_plane.view().kind == "mr1"
    return is_by_slots or is_limited or nodes.issuperset([*hosts, *(each.where for each in owned if each is not None)])


def _in_the_way(question: Question, places: dict[ContainerId, Place], reserved: dict[str, int]) -> set[int]:
    """Everybody on a node that is too full, or who has reserved one; with slots of the kind that others hold."""
    holders, rows = question.answer.holders, question.answer.obstacles
    if question.here.control_plane.view().kind == "mr1":
        kinds = {places[each].where for holder in holders for each in holder.hold.containers}
        return {each.application for each in places.values() if each.where in kinds}
    full = {host for row in rows if row.code in FULL for host in row.nodes}
    kept = {host for row in rows if row.code == Reason.NODE_RESERVED.name for host in row.nodes}
    on_full = {each.application for each in places.values() if each.where in full}
    return on_full | {number for host, number in reserved.items() if host in kept}


def _places(here: Simulation) -> dict[ContainerId, Place]:
    """Every container of an application that has not ended."""
    view: Any = here.control_plane.view()  # what it has differs by kind
    if view.kind == "yarn":
        cluster = view.scheduler.cluster
        on_nodes = [each for node in cluster.nodes.values() for each in node.containers.values()]
        return {each.id: Place(each.id[0], each.node.host) for each in on_nodes if each.id[0] in cluster.applications}
    if view.kind == "mr1":
        return {each: Place(each[0], str(live.kind)) for each, live in view.containers.live.items()}
    drivers = cast("SparkWorld", here.world).drivers.values()
    driven = {each.container[0]: each.number for each in drivers if each.container is not None}
    found: dict[ContainerId, Place] = {}
    for worker in view.cluster.workers:
        host = worker.node.rpartition(":")[0]
        for executor in worker.executors.values():
            found[executor.application, EXECUTOR_ATTEMPT, executor.id] = Place(executor.application, host)
        for driver in worker.drivers.values():
            if driver.number in driven:
                found[driver.number, DRIVER_ATTEMPT, 0] = Place(driven[driver.number], host)
    return found
