"""Plays the heartbeats of nodes: one cursor walks the nodes in the order of their phases.

A heartbeat is skipped when the node has nothing to report and the control plane says that nothing would change: it
would leave no record, so the journal stays the same. After a whole round of skipped heartbeats at one version of the
control plane the cursor sleeps. Then a node that has something to report gets an event of its own, and the cursor wakes
as soon as the version changes.

Source: NodeManager, ContainerManagerImpl, NodeStatusUpdaterImpl, RMNodeImpl.ReconnectNodeTransition, Hadoop 2.7.2 and
3.4.1. Differs: with `yarn.nodemanager.recovery.enabled` containers outlive every stop; the real one kills them after a
while when it is stopped in order and is not supervised. What is brought to a node meanwhile never runs: the real master
tries for three minutes and gives the container back, here it is taken back when its allocation expires.

Source: RMProxy, RetryPolicies, YarnConfiguration#RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS, Hadoop 2.7.2 and 3.4.1.
"""

from bisect import bisect_left
from heapq import heapify, heappush

from engine.control_plane.applications import EXPIRE_ALLOCATIONS
from engine.control_plane.protocol import NOTHING, NodeHeartbeat, NodeJoined, NodeLost, NodeRegisteredAgain, NodeResized
from engine.simulation.node_manager import NodeManager
from engine.simulation.records import Started
from engine.simulation.world import (
    AM_HEARTBEAT,
    AM_HEARTBEAT_DUE,
    NODE_EXPIRES,
    NODE_FACT,
    NODE_HEARTBEAT,
    NODE_MANAGER_STARTS,
    NODE_RECONNECTS,
    PASS,
    PASS_RUNS,
    POSTED,
    ROUND,
    Event,
    World,
)
from engine.workload.master import LAUNCHED, STARTED, ApplicationMaster, stream

# Schedules the tries of nodes, application masters and clients to reach a ResourceManager that does not answer.
#
# Tries of a single ResourceManager come at an interval. Of a pair, each wait is drawn between half and one and a half
# of that interval.


def draw(world: World, *purpose: str | int) -> float:
    """Draw a number from 0 to 1 that depends on the scenario's seed and on its purpose alone."""
    return stream(world.ground.seed, *purpose).random()


def retry_ms(world: World, who: str, number: int) -> int:
    """Return the wait before the next try [ms]."""
    interval_ms = world.ground.retry_ms
    if not world.ground.session_timeout_ms:
        return interval_ms
    return max(int(interval_ms * (0.5 + draw(world, who, number, world.clock.now_ms))), 1)


def node_tries_again(world: World, node: NodeManager) -> None:
    node.adrift = True
    node.retry_ms = world.clock.now_ms + retry_ms(world, "node", node.index)
    heappush(world.clock.heap, (node.retry_ms, NODE_FACT, node.index, NODE_RECONNECTS))


def master_tries_again(world: World, master: ApplicationMaster) -> None:
    master.beat_ms = world.clock.now_ms + retry_ms(world, "master", master.number)
    heappush(world.clock.heap, (master.beat_ms, AM_HEARTBEAT, master.number, AM_HEARTBEAT_DUE))


# Runs background passes: each at multiples of its interval, in the control plane's order within an instant.
#
# A pass rests while the control plane says that it would change nothing, until the version changes. Then it goes on at
# the next of its instants, so resting changes no byte of the journal.


def schedule_passes(world: World) -> None:
    listed = world.control_plane.passes()
    passes = tuple((each.name, each.interval_ms) for each in listed)
    if passes == world.pass_names:
        return
    world.pass_names = passes
    world.clock.drop((PASS_RUNS,))
    world.resting = {}
    for order, each in enumerate(listed):
        if each.waits and not world.ground.naive:
            world.resting[order] = world.control_plane.version
        else:
            _schedule(world, order)


def pass_runs(world: World, event: Event) -> None:
    now_ms, order, control_plane = event[0], event[2], world.control_plane
    name, interval_ms = world.pass_names[order]
    version = control_plane.version
    answer = control_plane.run_pass(name, now_ms)
    if answer is not NOTHING:
        world.apply_answer(answer)
    elif control_plane.version == version and not world.ground.naive and control_plane.pass_is_idle(name):
        world.resting[order] = version
        return
    world.clock.schedule((now_ms + interval_ms, PASS, order, PASS_RUNS))


def wake_passes(world: World) -> None:
    """Wake resting passes whose version is not the present one."""
    version = world.control_plane.version
    for order in [order for order, rested in world.resting.items() if rested != version]:
        del world.resting[order]
        _schedule(world, order)


def _schedule(world: World, order: int) -> None:
    interval_ms = world.pass_names[order][1]
    start_ms = world.since_ms
    due = world.clock.next_beat_ms(start_ms, interval_ms, PASS, order)
    if due <= start_ms:
        due = start_ms + interval_ms
    world.control_plane.resume_pass(world.pass_names[order][0], due - interval_ms)
    world.clock.schedule((due, PASS, order, PASS_RUNS))


def wake_rounds(world: World) -> None:
    """Have the cursor go on from the present, unless it is awake."""
    if not world.asleep:
        return
    world.asleep = False
    world.idle_beats = 0
    world.seen_version = world.control_plane.version
    clock, ground = world.clock, world.ground
    behind = (clock.now_ms - ground.start_ms) % ground.heartbeat_ms
    edge, order = clock.position[1], clock.position[2] if len(clock.position) > 2 else 0
    first = behind if edge <= NODE_HEARTBEAT else behind + 1
    world.place = bisect_left(world.rhythm, (first, order + 1 if edge == NODE_HEARTBEAT else -1))
    world.round_ms = clock.now_ms - behind
    if world.place >= len(world.rhythm):
        world.place = 0
        world.round_ms += world.ground.heartbeat_ms
    if world.nodes:
        _push(world, busy=0)


def wake_rounds_if_changed(world: World) -> None:
    """Wake a sleeping cursor when something has changed that an offer depends on, unless no offer matters."""
    control_plane = world.control_plane
    if world.asleep and control_plane.version != world.seen_version:
        if control_plane.all_nodes_idle() and not world.ground.naive:
            world.seen_version = control_plane.version
        else:
            wake_rounds(world)


def restart_rounds(world: World) -> None:
    """Put the cursor back to the present: heartbeats that it skipped ahead may matter after an act."""
    if world.asleep:
        return
    world.clock.drop((ROUND,))
    world.asleep = True
    wake_rounds(world)


def rest_until_changed(world: World) -> None:
    """Have the cursor sleep and passes rest, as they were seen to change nothing, until the version changes."""
    clock, version = world.clock, world.control_plane.version
    for event in [event for event in clock.heap if event[3] == PASS_RUNS]:
        if world.pass_names[event[2]][0] != EXPIRE_ALLOCATIONS:  # its interval is long, and longer than any wait
            world.resting[event[2]] = version
            clock.heap.remove(event)
    heapify(clock.heap)
    if not world.asleep:
        clock.drop((ROUND,))
        world.seen_version = version
        _sleep(world)


def cursor_arrives(world: World, event: Event) -> None:
    """Play the heartbeat of the node at the cursor if it matters, then go on."""
    node, control_plane = world.nodes[event[2]], world.control_plane
    if event[4] or _matters(world, node):
        beat(world, node)
    # A beat may also count a missed opportunity without a new version; then the node still matters.
    world.idle_beats = 0 if _matters(world, node) else world.idle_beats + 1
    if control_plane.version != world.seen_version:
        world.seen_version = control_plane.version
        # The node that has just beaten counts only when the version was the same before.
        world.idle_beats = 0
        if control_plane.all_nodes_idle() and not world.ground.naive:
            _sleep(world)
            return
    _walk(world)


def node_comes_alone(world: World, event: Event) -> None:
    """Play the heartbeat of a node with something to report while the cursor sleeps; awake, the cursor plays it."""
    if world.asleep:
        beat(world, world.nodes[event[2]])


def _matters(world: World, node: NodeManager) -> bool:
    if not node.up:
        return False
    if world.ground.naive or node.index in world.reporting:
        return True
    return node.member and not world.control_plane.heartbeat_is_idle(node.id)


def _walk(world: World) -> None:
    """Go on to the next heartbeat that matters, or as far as nothing else happens; sleep after an idle round."""
    nodes, rhythm, is_naive = world.nodes, world.rhythm, world.ground.naive
    reporting, heartbeat_is_idle = world.reporting, world.control_plane.heartbeat_is_idle
    heap = world.clock.heap
    after: Event = (world.horizon_ms + 1,)
    if heap and heap[0] < after:
        after = heap[0]
    enough, place, idle_beats = len(rhythm), world.place, world.idle_beats
    while is_naive or idle_beats < enough:
        place += 1
        if place == enough:
            place = 0
            world.round_ms += world.ground.heartbeat_ms
        offset, index = rhythm[place]
        due = world.round_ms + offset
        is_beyond = due >= after[0] and (due, NODE_HEARTBEAT, index) > after
        node = nodes[index]
        # As in `_matters`: this loop is where an almost idle cluster spends its time.
        if is_beyond or (
            node.up and (is_naive or index in reporting or (node.member and not heartbeat_is_idle(node.id)))
        ):
            world.place, world.idle_beats = place, idle_beats
            _push(world, busy=int(not is_beyond))
            return
        idle_beats += 1
    world.place, world.idle_beats = place, idle_beats
    _sleep(world)


def _sleep(world: World) -> None:
    """Put the cursor to sleep; nodes with something to report get events of their own."""
    world.asleep = True
    for index in world.reporting:
        world.schedule_alone(world.nodes[index])


def _push(world: World, *, busy: int) -> None:
    offset, index = world.rhythm[world.place]
    heappush(world.clock.heap, (world.round_ms + offset, NODE_HEARTBEAT, index, ROUND, busy))


def beat(world: World, node: NodeManager) -> None:
    now_ms = world.clock.now_ms
    if node.last_beat_ms == now_ms or not node.up or node.adrift:
        return
    node.last_beat_ms = now_ms
    world.reporting.pop(node.index, None)
    if node.healthy is not node.member:
        if node.healthy:
            join(world, node)
        else:
            leave(world, node, "UNHEALTHY")
    if node.member and not (node.draining and _has_drained(world, node)):
        report(world, node)


def report(world: World, node: NodeManager) -> None:
    """Report what started and ended on a node, take the offer, and obey the orders that come back.

    Orders that follow from this heartbeat itself come with the answer to the next one.

    Source: ResourceTrackerService#nodeHeartbeat, which makes the answer before it handles the report.
    """
    started, completed = node.report()
    orders, node.orders = node.orders, []
    world.heartbeats += 1
    if started:
        world.records.extend([Started(container, node.id) for container in started])
    world.send(NodeHeartbeat(node.id, started, completed))
    for container in started:
        master = world.masters.get(container[0])
        if master is not None and master.container == container and master.stage == LAUNCHED:
            master.move(STARTED)
            world.wake(master, world.clock.now_ms + world.ground.register_delay_ms)
    node.stop(orders)
    if node.has_report():
        world.expect_report(node)


def _has_drained(world: World, node: NodeManager) -> bool:
    """Shrink a draining node to what still runs on it; when nothing does, it leaves.

    Source: DecommissioningNodesWatcher, Hadoop 2.8 and later, which does this for graceful decommissioning.
    Differs: a node is drained under every release; Hadoop 2.7.2 knows no draining and decommissions it at once.
    """
    if node.launching or node.running:
        show(world, node, *node.load())
        return False
    leave(world, node, "DECOMMISSIONED")
    node.up = False
    node.draining = False
    return True


def show(world: World, node: NodeManager, memory_mb: int, vcores: int) -> None:
    """Tell the control plane a node's total, if it has changed."""
    if not node.member or node.shown == (memory_mb, vcores):
        return
    node.shown = (memory_mb, vcores)
    resized = NodeResized(node.id, memory_mb, vcores)
    world.records.append(resized)
    world.send(resized)


def join(world: World, node: NodeManager) -> None:
    """Register a node with the control plane; without an answer it tries again."""
    if not world.control_plane.answers:
        node_tries_again(world, node)
        return
    joined = NodeJoined(node.id, node.rack, node.memory_mb, node.vcores, node.partition)
    node.member = True
    node.shown = (node.memory_mb, node.vcores)
    world.records.append(joined)
    world.send(joined)
    if node.has_report():  # it is still unhealthy, which registering does not say
        world.expect_report(node)


def leave(world: World, node: NodeManager, state: str) -> None:
    """Tell the control plane that a node is out; all its containers are lost."""
    lost = NodeLost(node.id, state)
    if node.up:
        node.silent_ms = world.clock.now_ms
    node.member = False
    world.kill_processes(node)
    world.records.append(lost)
    world.send(lost)


def fall_silent(world: World, node: NodeManager) -> None:
    """Let a node die; the control plane counts it as alive until it expires."""
    node.adrift = False
    world.kill_processes(node)
    go_silent(world, node)


def go_silent(world: World, node: NodeManager) -> None:
    """Stop the heartbeats of a node; it expires unless it comes back in time.

    Source: AbstractLivelinessMonitor, Hadoop 2.7.2. Differs: a silent node is lost when the
    expiry interval has passed; Hadoop looks only every third of the interval, so it may notice up to that much later.
    """
    clock, ground = world.clock, world.ground
    last = clock.last_beat_ms(node.phase_ms, ground.heartbeat_ms, NODE_HEARTBEAT, node.index)
    node.up = False
    node.silent_ms = last
    if node.member:
        due = max(last + ground.expiry_ms, clock.now_ms + 1)
        heappush(clock.heap, (due, POSTED, node.index, NODE_EXPIRES, node.life))


def node_expires(world: World, event: Event) -> None:
    """Take out a node that has been silent for too long, unless it came back meanwhile."""
    node = world.nodes[event[2]]
    if not node.up and node.member and node.life == event[4]:
        leave(world, node, "LOST")


# Restarts node managers: containers die with them, or outlive them where they are recovered.


def stop_node_manager(world: World, node: NodeManager, down_ms: int) -> None:
    """Stop a node manager and start it again after `down_ms`; one that is down stays down."""
    if not node.up:
        return
    if world.ground.node_recovery:
        node.life += 1
        world.reporting.pop(node.index, None)
    else:
        world.kill_processes(node)
    go_silent(world, node)
    node.starts_ms = world.clock.now_ms + max(down_ms, 1)
    world.clock.schedule((node.starts_ms, NODE_FACT, node.index, NODE_MANAGER_STARTS))


def node_manager_starts(world: World, node: NodeManager) -> None:
    """Start a node manager: it registers with what it still runs; after it was lost it runs nothing and joins anew."""
    if node.member:
        register_again(world, node)
    else:
        world.kill_processes(node)
        join(world, node)


def register_again(world: World, node: NodeManager) -> None:
    node.shown = (node.memory_mb, node.vcores)
    again = NodeRegisteredAgain(
        node.id, node.rack, node.memory_mb, node.vcores, node.partition, node.known_containers()
    )
    node.member = True
    world.records.append(again)
    world.send(again)
    if node.has_report():
        world.expect_report(node)
