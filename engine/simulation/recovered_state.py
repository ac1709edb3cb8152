"""Takes over applications and nodes as they stand at a scenario's start (`scenario.recovered`).

The control plane takes over each application with all its containers; node managers and masters go on from there.
"""

from collections.abc import Sequence
from typing import Final

from engine.control_plane.protocol import ApplicationRecovered, NodeContainer, ReservationRecovered
from engine.errors import ConfigError, Problem
from engine.scenario import RecoveredContainers, RecoveredReservation, RecoveredSpec
from engine.simulation.am_heartbeats import call, register
from engine.simulation.node_heartbeats import leave
from engine.simulation.node_manager import NodeManager
from engine.simulation.world import World
from engine.workload.arrivals import submission_of
from engine.workload.master import HELD, LAUNCHED, STARTED, ApplicationMaster
from engine.workload.random_streams import drawn, stream
from engine.workload.scripted import ScriptedMaster

MASTER: Final = 1
"""Number of a master's container; others follow in the order they were allocated."""


def start_in_state(world: World, node: NodeManager, state: str) -> None:
    """Put a node that has joined into another state than running; a node that drains enters it with its next report."""
    if state == "DECOMMISSIONING":
        node.draining = True
        return
    node.healthy = state != "UNHEALTHY"
    leave(world, node, state)
    node.up = not node.healthy


def take_over(world: World, recovered: Sequence[RecoveredSpec]) -> list[ApplicationMaster]:
    """Take over applications with their containers and reservations; their masters have sent the asks that are left.

    Raises:
        ConfigError: The control plane does not take something.
    """
    masters: list[ApplicationMaster] = [_take_over(world, spec) for spec in recovered]
    held = [(each.since_ms, place, each) for place, spec in enumerate(recovered) for each in spec.reserved]
    for _, place, each in sorted(held, key=lambda one: one[:2]):
        _reserve(world, recovered[place], masters[place].number, each)
    return masters


def _take_over(world: World, spec: RecoveredSpec) -> ScriptedMaster:
    application, start_ms = spec.application, world.ground.start_ms
    number = application.number or world.next_application
    held = _numbered(world, spec, number)
    submission = submission_of(application, number)
    waits_ms = None if spec.waiting_since_ms is None else start_ms + spec.waiting_since_ms
    event = ApplicationRecovered(
        submission,
        start_ms + application.at_ms,
        spec.attempt,
        spec.has_master,
        waits_ms,
        tuple((node.id, known) for node, known, _ in held),
        MASTER + sum(each.count for each in spec.containers) + len(spec.reserved),
    )
    answer = world.hand_in(application, submission, event)
    if answer.rejected:
        raise _problem(spec, f"is not taken over: {answer.detail or answer.rejected}")
    master = world.masters[number]
    assert isinstance(master, ScriptedMaster), "only scripted applications are taken over"
    if spec.master is not None:
        node, known, _ = held[0]
        node.recover(known)
        master.begin_attempt(spec.attempt)
        master.container, master.node = known.container, node.index
        master.move(LAUNCHED)
        master.move(STARTED)
    if spec.has_master and spec.registered:
        _go_on(world, spec, master, held)
    return master


def _reserve(world: World, spec: RecoveredSpec, number: int, each: RecoveredReservation) -> None:
    since_ms = world.ground.start_ms + each.since_ms
    event = ReservationRecovered(
        number, _node(world, spec, each.node).id, each.priority, each.memory_mb, each.vcores, since_ms
    )
    answer = world.send(event)
    if answer.rejected:
        raise _problem(spec, f"{each.node} is not reserved for it: {answer.detail or answer.rejected}")


Held = tuple[NodeManager, NodeContainer, RecoveredContainers]


def _numbered(world: World, spec: RecoveredSpec, number: int) -> list[Held]:
    """Yield the containers of an application, each with its node and number, the master's first."""
    start_ms = world.ground.start_ms
    ordered = sorted(spec.containers, key=lambda each: each.ask is not None)
    first = MASTER if spec.master is not None else MASTER + 1
    return [
        (
            _node(world, spec, each.node),
            NodeContainer(
                (number, spec.attempt, first + place),
                each.priority,
                each.memory_mb,
                each.vcores,
                start_ms + each.since_ms,
            ),
            each,
        )
        for place, each in enumerate(each for group in ordered for each in [group] * group.count)
    ]


def _go_on(world: World, spec: RecoveredSpec, master: ScriptedMaster, held: list[Held]) -> None:
    """Let a master that has registered go on: it knows its containers, which run on, and asks for the rest."""
    start_ms = world.ground.start_ms
    random = stream(world.ground.seed, "recovered", master.number)
    register(world, master)
    for node, known, each in held:
        lasts_ms = HELD if each.remaining_ms is None else drawn(random, each.remaining_ms)
        if each.ask is None:
            master.stays_until_ms = HELD if lasts_ms == HELD else start_ms + lasts_ms
            continue
        node.recover(known)
        master.begin(known.container, each.ask, node.id, node.host, lasts_ms)
        if lasts_ms != HELD:
            world.end_later(node, known.container, start_ms + lasts_ms, 0)
    if any(master.wanted.values()):
        call(world, master)
        if master.number not in world.masters:
            raise _problem(spec, "its asks are refused")


def _node(world: World, spec: RecoveredSpec, name: str) -> NodeManager:
    """Find a node that is up, by host or `host:port`.

    Raises:
        ConfigError: There is none of this name.
    """
    index = world.ground.node_index.get(name)
    if index is None:
        raise _problem(spec, f"there is no node {name}")
    return world.nodes[index]


def _problem(spec: RecoveredSpec, message: str) -> ConfigError:
    name = spec.application.name or spec.application.type
    return ConfigError([Problem(message, key=f"recovered.{name}")])
