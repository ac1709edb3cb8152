"""Those named as holders held against the cluster: what each really has, whether it is in the way, who is missing."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

from engine.explain.answer import HolderReport
from engine.explain.waits import BlockingResources
from engine.model.decision import ContainerId
from engine.model.request import is_under
from engine.observe.snapshots import snapshot_of
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
    answer, places, holds = question.answer, _places(question.here), question.holds()
    circle = {step.application for step in question.found.proof.cycle}
    is_nobody = answer.verdict in ("impossible", "outage")
    numbers = {row.id: row.number for row in snapshot_of(question.here).applications(why=False)}
    named = {numbers[holder.application] for holder in answer.holders}
    yield Claim("holders", not (is_nobody and named), f"{question}: {named} hold back what nobody does")
    is_alone = question.number in named and question.number not in circle
    yield Claim("holders", not is_alone, f"{question}: it is a holder itself, and in no circle: {circle}")
    reserved = {each.node.host: each.id[0] for each in question.here.control_plane.view().reservations()}
    for holder in answer.holders:
        hold = holds.get(holder.application)
        number = numbers[holder.application]
        is_in_way = (
            _is_first(question, holder, number) if hold is None else _is_in_way(question, hold, places, reserved)
        )
        yield Claim("holders", is_in_way, f"{question}: {holder.name} is not in the way: {hold}")
    missing = _in_the_way(question, holds, places, reserved) - named - {question.number}
    yield Claim("holders", is_nobody or not missing, f"{question}: {missing} are in the way, and not among {named}")


def _is_first(question: Question, holder: HolderReport, number: int) -> bool:
    """Whether one that has nothing it needs comes first by the proof."""
    return holder.because == Reason.OTHER_FIRST.name and number in question.found.proof.ends


def _is_in_way(
    question: Question, hold: BlockingResources, places: dict[ContainerId, Place], reserved: dict[str, int]
) -> bool:
    """Whether all it is said to hold is its own, and on a node or in a limit that is a reason."""
    rows, holder = question.answer.reasons, question.here.control_plane.view().application(hold.application)
    if holder is None or not (hold.containers or hold.reservations):
        return False
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


def _in_the_way(
    question: Question, holds: dict[str, BlockingResources], places: dict[ContainerId, Place], reserved: dict[str, int]
) -> set[int]:
    """Everybody on a node that is too full, or who has reserved one; with slots of the kind that others hold."""
    rows = question.answer.reasons
    if question.here.control_plane.view().kind == "mr1":
        others = [hold for hold in holds.values() if hold.application != question.number]
        kinds = {places[each].where for hold in others for each in hold.containers}
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
        known = [each for each in view.containers.live.items() if view.application(each[0][0]) is not None]
        return {each: Place(each[0], str(live.kind)) for each, live in known}
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
