"""Stops and starts ResourceManagers, and plays what nodes and application masters do meanwhile.

Nodes and masters go on. Each finds at its next call that there is no answer, and tries again at an interval. A node
that reaches the new ResourceManager registers with all its containers; a master registers and sends all its asks again.

Source: NodeStatusUpdaterImpl, RMProxy, RMFailoverProxyProvider, RMContainerAllocator#resync, ActiveStandbyElector,
Hadoop 2.7.2 and 3.4.1.
"""

from heapq import heappush
from typing import Final, cast

from engine.control_plane import protocol
from engine.control_plane.protocol import Answer
from engine.control_plane.recovery import EXIT_KILLED_BY_RM
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import RefusedError
from engine.simulation import world as kinds
from engine.simulation.heartbeats import draw, master_tries_again, node_tries_again, register_again, schedule_passes
from engine.simulation.node_manager import NodeManager
from engine.simulation.records import AskChanged
from engine.simulation.world import Event, World
from engine.workload.master import (
    ADRIFT,
    CRASHED,
    GONE,
    HUNG,
    LEAVING,
    REGISTERED,
    STARTED,
    WAITING,
    AmHeartbeat,
    ApplicationMaster,
)

FAILOVER_SHARES = (2 / 3, 1.1)
"""Least and largest part of ZooKeeper's session timeout until the standby takes over after a crash, as measured."""

ORDERLY_MS = (400, 1300)  # The same after an orderly stop [ms]


def stop_resource_manager(world: World, cause: str, down_ms: int | None) -> Answer:
    """Stop the ResourceManager and start it again after `down_ms`; None is never. A stopped one starts then, too."""
    if world.control_plane.answers:
        world.records.append(protocol.ResourceManagerStopped(cause))
        world.send(protocol.ResourceManagerStopped(cause))
        world.clock.drop(
            (kinds.ROUND, kinds.LONE_HEARTBEAT, kinds.NODE_EXPIRES, kinds.MASTER_EXPIRES, kinds.RECOVERY_DUE)
        )
        world.asleep = True
        world.reporting = {}
        schedule_passes(world)
        for node in world.nodes:
            _lose_contact(world, node)
        for master in world.masters.values():
            if master.stage == REGISTERED:
                master.move(ADRIFT)
                master.beat_ms = 0
                world.wake(master)
    if down_ms is not None:
        world.clock.drop((kinds.RESOURCE_MANAGER_STARTS,))
        due = world.clock.now_ms + max(down_ms, 1)
        world.clock.schedule((due, kinds.OUTSIDE_ACTION, 0, kinds.RESOURCE_MANAGER_STARTS))
    return Answer()


def failover_ms(world: World, *, orderly: bool) -> int:
    """Draw the time until the standby is active from the scenario's seed [ms]."""
    share = draw(world, "failover", world.clock.now_ms)
    least, most = ORDERLY_MS
    if not orderly:
        least, most = (int(world.ground.session_timeout_ms * each) for each in FAILOVER_SHARES)
    return least + int((most - least) * share)


def _lose_contact(world: World, node: NodeManager) -> None:
    """Let a node notice the outage at its next heartbeat; orders it has not got are lost, and masters repeat them."""
    node.expected_ms = -1
    if not node.member:
        return
    node.member = False
    for container in node.orders:
        master = world.masters.get(container[0])
        if master is not None and master.attempt == container[1]:
            master.releases.append(container)
    node.orders = []
    node.adrift = True
    due = world.clock.next_beat_ms(node.phase_ms, world.ground.heartbeat_ms, kinds.NODE_HEARTBEAT, node.index)
    node.retry_ms = due
    if node.up:
        world.clock.schedule((due, kinds.NODE_FACT, node.index, kinds.NODE_RECONNECTS))


def node_reconnects(world: World, event: Event) -> None:
    node = world.nodes[event[2]]
    if node.adrift and node.up and node.retry_ms == event[0]:
        reconnect(world, node)


def reconnect(world: World, node: NodeManager) -> None:
    """Register with the ResourceManager, if it answers; without work preserved, after all containers were killed."""
    if not world.control_plane.answers:
        node_tries_again(world, node)
        return
    node.adrift = False
    if world.ground.kills_on_resync:
        node.kill_everything(EXIT_KILLED_BY_RM)
        for master in world.masters.values():
            if master.node == node.index and master.stage not in (WAITING, GONE):
                master.move(GONE)
    register_again(world, node)


def resource_manager_starts(world: World, event: Event) -> None:
    """Start the ResourceManager: it loads its store; nodes and masters find it at their next tries."""
    world.records.append(protocol.ResourceManagerStarted())
    world.since_ms = world.clock.now_ms
    world.send(protocol.ResourceManagerStarted())
    schedule_passes(world)
    recovery = cast("ResourceManager", world.control_plane).recovery
    for due in {recovery.waits_until_ms + 1, recovery.gives_up_ms}:
        world.clock.schedule((max(due, world.clock.now_ms), kinds.POSTED, 0, kinds.RECOVERY_DUE))
    for number, attempt in recovery.unregistered.items():
        expect_master_expiry(world, number, attempt, world.clock.now_ms)


def recovery_is_due(world: World, event: Event) -> None:
    """End a wait of the recovery, or give up what is missing."""
    world.send(protocol.RecoveryTimer())


def expect_master_expiry(world: World, number: int, attempt: int, last_ms: int) -> None:
    """Expire a silent master at the first check after the interval, a third of it apart. Source: PingChecker."""
    expiry_ms = world.ground.master_expiry_ms
    step = max(expiry_ms // 3, 1)
    due = world.since_ms + ((last_ms + expiry_ms - world.since_ms) // step + 1) * step
    world.clock.schedule((due, kinds.POSTED, number, kinds.MASTER_EXPIRES, attempt))


def master_expires(world: World, event: Event) -> None:
    """Expire a master that has been silent for too long, unless it called meanwhile."""
    master = world.masters.get(event[2])
    if master is not None and master.stage not in (REGISTERED, LEAVING):
        world.send(protocol.ApplicationMasterLost(event[2], event[4]))


def resync(world: World, master: ApplicationMaster) -> None:
    """Have a master that reaches a ResourceManager again register if it may; else end its process."""
    answer = world.send(protocol.ApplicationMasterHeartbeat(master.number))
    if answer.rejected == "ApplicationMasterNotRegisteredException":
        answer = world.send(protocol.ApplicationMasterRegistered(master.number))
    if answer.rejected:
        end_process(world, master, 1)
    else:
        master.move(REGISTERED)
        master.resync()


def end_process(world: World, master: ApplicationMaster, exit_status: int) -> None:
    if master.container is not None:
        node = world.nodes[master.node]
        if node.end(master.container, exit_status):
            world.expect_report(node)
    master.move(GONE)


def lose_master(world: World, master: ApplicationMaster, *, hangs: bool) -> None:
    """End a master's process, or let it hang."""
    if master.stage not in (STARTED, REGISTERED, ADRIFT):
        raise RefusedError("IllegalStateException", "its application master does not run")
    if not hangs:
        end_process(world, master, 1)
    else:
        rhythm = (master.phase_ms, world.ground.am_heartbeat_ms, kinds.AM_HEARTBEAT, master.number)
        last = world.clock.last_beat_ms(*rhythm)
        master.move(HUNG)
        master.silent_ms = last
        if world.control_plane.answers:
            expect_master_expiry(world, master.number, master.attempt, last)


# Plays the heartbeats of application masters: they register, ask, receive, launch and end.
#
# A heartbeat that would change no ask and fetch nothing is left out. Whatever gives the master something to send or to
# fetch schedules its next heartbeat, at the instant of its own rhythm at which it would have noticed.

SPEAKING: Final = (STARTED, REGISTERED, ADRIFT, LEAVING)  # The stages in which a master calls the ResourceManager


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
    answer = world.send(protocol.ApplicationMasterRegistered(master.number))
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
    said = master.call(world.clock.now_ms)
    if said.outcome:
        _leave(world, master, said)
        return
    event = protocol.ApplicationMasterHeartbeat(master.number, said.asks, said.releases)
    answer = world.control_plane.handle(event, world.clock.now_ms)
    if answer.rejected:
        world.refuse("ApplicationMasterHeartbeat", answer, master.number)
        finish(world, master, "FAILED", answer.detail or answer.rejected)
        return
    for ask in said.asks:
        if ask.resource_name == "*":
            changed = AskChanged(master.number, ask.priority, ask.memory_mb, ask.vcores, ask.count)
            world.records.append(changed)
    world.apply_answer(answer)
    for end in said.ends:
        node = world.nodes[world.ground.node_index[end.node]]
        world.end_later(node, end.container, end.at_ms, end.exit_status)
    for grant in answer.granted:
        node = world.nodes[world.ground.node_index[grant.node]]
        duration_ms = master.take(grant, node.host, world.clock.now_ms)
        if duration_ms is not None:
            world.launch(node, grant, duration_ms, master.exit_status(grant.container))


def _leave(world: World, master: ApplicationMaster, said: AmHeartbeat) -> None:
    ground = world.ground
    if said.outcome == CRASHED:
        end_process(world, master, 1)
        return
    if ground.am_own_rhythm and master.container is not None:
        world.send(protocol.ApplicationMasterUnregistered(master.number, said.outcome, said.detail))
    if not ground.exit_delay_ms:
        _end(world, master)
        return
    master.move(LEAVING)
    master.beat_ms = world.clock.now_ms + ground.exit_delay_ms
    heappush(world.clock.heap, (master.beat_ms, kinds.AM_HEARTBEAT, master.number, kinds.AM_HEARTBEAT_DUE))


def _end(world: World, master: ApplicationMaster) -> None:
    if world.ground.am_own_rhythm and master.container is not None:
        end_process(world, master, 0)
    else:
        finish(world, master, master.outcome, master.detail)


def finish(world: World, master: ApplicationMaster, state: str, detail: str) -> None:
    answer = world.send(protocol.ApplicationFinished(master.number, state, detail))
    if answer.rejected:
        world.refuse("ApplicationFinished", answer, master.number)
    world.masters.pop(master.number, None)
