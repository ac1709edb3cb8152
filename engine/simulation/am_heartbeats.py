"""Plays the heartbeats of application masters: they register, ask, receive, launch and end.

A heartbeat that would change no ask and fetch nothing is left out. Whatever gives the master something to send or to
fetch schedules its next heartbeat, at the instant of its own rhythm at which it would have noticed.
"""

from heapq import heappush
from typing import Final

from engine.control_plane.protocol import (
    ApplicationFinished,
    ApplicationMasterHeartbeat,
    ApplicationMasterRegistered,
    ApplicationMasterUnregistered,
    Ask,
    Grant,
)
from engine.simulation.events import AM_HEARTBEAT, AM_HEARTBEAT_DUE, Event
from engine.simulation.outages import end_process, resync
from engine.simulation.records import AskChanged
from engine.simulation.retries import master_tries_again
from engine.simulation.world import World
from engine.workload.master import ADRIFT, CRASHED, LEAVING, REGISTERED, STARTED, AmHeartbeat, ApplicationMaster

SPEAKING: Final = (STARTED, REGISTERED, ADRIFT, LEAVING)
"""The stages in which a master calls the ResourceManager."""


def am_heartbeat_is_due(world: World, event: Event) -> None:
    """Play one heartbeat of an application master, unless it was put off or the application has ended."""
    master = world.masters.get(event[2])
    if master is None or master.beat_ms != event[0]:
        return
    master.beat_ms = 0
    if not world.control_plane.answers:
        if master.stage in SPEAKING:
            master_tries_again(world, master)
        return
    if master.stage == STARTED:
        register(world, master)
    elif master.stage == ADRIFT:
        resync(world, master)
    elif master.stage == REGISTERED:
        call(world, master)
    elif master.stage == LEAVING:
        _end(world, master)
    if world.masters.get(master.number) is master:
        rest(world, master)


def rest(world: World, master: ApplicationMaster) -> None:
    """Schedule a master's next heartbeat: the next of its rhythm when it has something to send, else on its wish."""
    if master.stage != REGISTERED:
        return
    if world.ground.naive or master.changed or master.inbox or master.releases:
        world.wake(master)
    elif master.wake_ms:
        world.wake(master, master.wake_ms)


def register(world: World, master: ApplicationMaster) -> None:
    """Register a master that runs; it begins to work."""
    answer = world.send(ApplicationMasterRegistered(master.number))
    if answer.rejected:
        world.refuse("ApplicationMasterRegistered", answer, master.number)
        if answer.rejected == "InvalidApplicationMasterRequestException":
            end_process(world, master, 1)
    elif world.masters.get(master.number) is master and master.stage == STARTED:
        master.move(REGISTERED)
        if answer.granted:
            master.take_over([each.container for each in answer.granted], world.clock.now_ms)
        master.registered(world.clock.now_ms)


def call(world: World, master: ApplicationMaster) -> None:
    """Make one allocate call of a master, and apply the answer."""
    said = master.call(world.clock.now_ms)
    if said.outcome:
        _leave(world, master, said)
        return
    event = ApplicationMasterHeartbeat(master.number, said.asks, said.releases)
    answer = world.control_plane.handle(event, world.clock.now_ms)
    if answer.rejected:
        world.refuse("ApplicationMasterHeartbeat", answer, master.number)
        finish(world, master, "FAILED", answer.detail or answer.rejected)
        return
    for ask in said.asks:
        _write_down(world, master.number, ask)
    world.settle(answer)
    for end in said.ends:
        node = world.nodes[world.ground.node_index[end.node]]
        world.end_later(node, end.container, end.at_ms, end.exit_status)
    for grant in answer.granted:
        _use(world, master, grant)


def _use(world: World, master: ApplicationMaster, grant: Grant) -> None:
    node = world.nodes[world.ground.node_index[grant.node]]
    duration_ms = master.take(grant, node.host, world.clock.now_ms)
    if duration_ms is not None:
        world.launch(node, grant, duration_ms, master.exit_status(grant.container))


def _write_down(world: World, application: int, ask: Ask) -> None:
    if ask.resource_name == "*":
        world.records.append(AskChanged(application, ask.priority, ask.memory_mb, ask.vcores, ask.count))


def _leave(world: World, master: ApplicationMaster, said: AmHeartbeat) -> None:
    """Let a master that is done end its application, as soon as its own container has had the time to end."""
    ground = world.ground
    if said.outcome == CRASHED:
        end_process(world, master, 1)
        return
    if ground.am_own_rhythm and master.container is not None:
        world.send(ApplicationMasterUnregistered(master.number, said.outcome, said.detail))
    if not ground.exit_delay_ms:
        _end(world, master)
        return
    master.move(LEAVING)
    master.beat_ms = world.clock.now_ms + ground.exit_delay_ms
    heappush(world.clock.heap, (master.beat_ms, AM_HEARTBEAT, master.number, AM_HEARTBEAT_DUE))


def _end(world: World, master: ApplicationMaster) -> None:
    """End a master's process: the application ends at once, or when its node reports it (own rhythms)."""
    if world.ground.am_own_rhythm and master.container is not None:
        end_process(world, master, 0)
    else:
        finish(world, master, master.outcome, master.detail)


def finish(world: World, master: ApplicationMaster, state: str, detail: str) -> None:
    """End an application as its master reports it."""
    answer = world.send(ApplicationFinished(master.number, state, detail))
    if answer.rejected:
        world.refuse("ApplicationFinished", answer, master.number)
    world.masters.pop(master.number, None)
