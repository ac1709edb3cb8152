"""Finds the outages of a simulation where it stands: a control plane that is away, no node in service, silent masters.

An outage is seen from outside: a server does not answer, or a node or master has not called. Its end is known when it
is on the clock: a start, an expiry, a node that comes back or becomes healthy in the scenario.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import takewhile
from types import MappingProxyType
from typing import Final, NamedTuple

from engine.control_plane.cluster_view import ClusterView
from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.explain.answer import ReturnReport
from engine.explain.counterfactuals import STARTS
from engine.explain.obstacles import AT_MOST, NODES_NAMED, STARVED, ObstacleRow
from engine.grouping import grouped
from engine.model.cluster import Cluster
from engine.model.ledger import Node
from engine.observe.snapshots import SystemTerms, snapshot_of, terms_for
from engine.scenario import ApplicationSpec
from engine.scenario.acts import LoseNode, ReturnNode, SetHealth, nodes_of
from engine.schedulers.interface import Setting
from engine.schedulers.obstacle_texts import Reason
from engine.settings.mapreduce1 import RESTART_RECOVERS
from engine.settings.site import RECOVERY
from engine.settings.spark import CORES_MAX, EXECUTOR_INSTANCES, MAX_EXECUTORS
from engine.simulation.node_manager import NodeManager
from engine.simulation.simulation import Simulation
from engine.simulation.world import ARRIVAL, FAULT, MASTER_EXPIRES, NODE_EXPIRES, NODE_MANAGER_STARTS
from engine.units import format_duration, plural
from engine.workload.master import HUNG, LAUNCHED, STARTED, CoreShortage

RECOVERS: Final[Mapping[str, str]] = MappingProxyType(
    {YarnClusterView.kind: str(RECOVERY), JobTrackerView.kind: str(RESTART_RECOVERS)}
)
"""`ClusterView.kind` → the key without which a restart loses every application; a Spark Master never restarts."""

Key = tuple[str, str]  # Kind of an outage (`control-plane`, `nodes`, `master`) and what is away


class Outage(NamedTuple):
    """Something that is away, and what it keeps from going on."""

    key: Key  # The same while it lasts
    since_ms: int  # When it was last heard of [epoch ms]
    what: str  # What is away, in words
    blocks: str  # What cannot go on, in words
    ends: str  # The words before `ends_ms`: what happens then
    ends_ms: int | None  # When it ends, or is noticed [epoch ms]; None where that is not known
    applications: tuple[int, ...]  # Applications that it keeps from going on


def control_plane_key(simulation: Simulation) -> Key:
    return ("control-plane", simulation.control_plane.view().kind)


def is_lossy(view: ClusterView) -> bool:
    """Tell whether a restart of the control plane loses every application."""
    return view.modes().restart_keeps == "nothing"


def outages(simulation: Simulation) -> Iterator[Outage]:
    """All that is away now, the gravest first."""
    view = simulation.control_plane.view()
    words = terms_for(simulation.control_plane.dimensions)
    yield from _control_plane(simulation, view, words)
    yield from _nodes(simulation, view, words)
    if simulation.control_plane.answers:
        yield from _hung_masters(simulation, view)


def _control_plane(simulation: Simulation, view: ClusterView, words: SystemTerms) -> Iterator[Outage]:
    figures = view.recovery()
    if figures is None or not figures.is_down:
        return
    numbers = tuple(each.number for each in view.applications())
    starts_ms = min((event[0] for event in simulation.world.clock.heap if event[3] in STARTS), default=None)
    whom = plural(len(numbers), words.application) if numbers else f"new {words.application}s"
    blocks = f"nothing is given to {whom}"
    if tried := _tried_again(simulation):
        blocks += f", {plural(tried, 'submission')} {'is' if tried == 1 else 'are'} tried again"
    if is_lossy(view):
        blocks += f", and a restart loses every {words.application}: {RECOVERS[view.kind]} is not true"
    yield Outage(
        control_plane_key(simulation),
        figures.since_ms,
        f"no {words.master} answers",
        blocks,
        "it starts again" if starts_ms is not None else "no start is planned",
        starts_ms,
        numbers,
    )


def _tried_again(simulation: Simulation) -> int:
    world = simulation.world
    first = min((event[2] for event in world.clock.heap if event[3] == ARRIVAL), default=len(world.ground.arrivals))
    due = takewhile(lambda each: world.ground.start_ms + each.at_ms < simulation.now_ms, world.ground.arrivals[first:])
    return sum(1 for _ in due)


def is_in_service(node: NodeManager) -> bool:
    """Tell whether a node may be given something: it reports, is healthy, and is not being drained."""
    return node.up and node.healthy and not node.draining


def _nodes(simulation: Simulation, view: ClusterView, words: SystemTerms) -> Iterator[Outage]:
    world = simulation.world
    if not world.nodes or any(map(is_in_service, world.nodes)):  # first, since it is cheap and mostly so
        return
    numbers = tuple(each.number for each in view.applications())
    if not numbers:
        return
    starts = [event[0] for event in world.clock.heap if event[3] == NODE_MANAGER_STARTS]
    returns = min([*starts, *(each.returns_ms for each in returns_to_come(simulation))], default=None)
    reporting = [node for node in world.nodes if node.up]
    states = Counter("unhealthy" if not node.healthy else "being drained" for node in reporting)
    told = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    does = f"is in service, {told}" if reporting else "reports"
    some = f"none of {len(world.nodes)} {words.node}s {does}" if len(world.nodes) > 1 else f"no {words.node} {does}"
    is_busy = any(node.running for node in reporting)
    since_ms = max((node.silent_ms for node in world.nodes if not (node.up and node.healthy)), default=-1)
    yield Outage(
        ("nodes", ""),
        since_ms if since_ms >= 0 else simulation.now_ms,
        some,
        f"nothing {'is given to' if is_busy else 'runs for'} {plural(len(numbers), words.application)}",
        "one is back" if returns is not None else "no return is planned",
        returns,
        numbers,
    )


def returns_to_come(simulation: Simulation) -> tuple[ReturnReport, ...]:
    """The nodes that the scenario has come back, or be well again, after an instant, soonest first.

    One that is lost only later than the instant comes back to what is left out as well.
    """
    world = simulation.world
    first = min((event[2] for event in world.clock.heap if event[3] == FAULT), default=len(world.ground.faults))
    later = world.ground.faults[first:]  # each is put on the clock by the one before it
    found, lost_later = list[ReturnReport](), set[str]()
    for time_ms, fault in later:
        names = [name for _, name in nodes_of(fault)]
        if isinstance(fault, ReturnNode) or (isinstance(fault, SetHealth) and fault.healthy):
            found += [ReturnReport(node=name, returns_ms=time_ms) for name in names if name not in lost_later]
        elif isinstance(fault, LoseNode | SetHealth):
            lost_later.update(names)
    return tuple(found)


def _hung_masters(simulation: Simulation, view: ClusterView) -> Iterator[Outage]:
    for number, master in simulation.world.masters.items():
        if master.stage == HUNG and view.application(number) is not None:
            yield Outage(
                ("master", str(number)),
                master.silent_ms,
                f"the application master of application {number} hangs, it does not call",
                "what it holds is idle, and what it is given is not used",
                "it is given up",
                _expires_ms(simulation, number, master.attempt),
                (number,),
            )


def _expires_ms(simulation: Simulation, number: int, attempt: int) -> int | None:
    """Return when a silent master is given up [epoch ms]; None where no timer runs."""
    heap = simulation.world.clock.heap
    return min(
        (each[0] for each in heap if each[3] == MASTER_EXPIRES and (each[2], each[4]) == (number, attempt)),
        default=None,
    )


def waits_of(simulation: Simulation, number: int) -> tuple[ObstacleRow, ...]:
    """Return what an application waits for that its control plane does not know of.

    Its master hangs or has not registered yet, what it holds is on nodes that are silent, or its tasks wait for its own
    cores.
    """
    rows = []
    master, now_ms = simulation.world.masters.get(number), simulation.now_ms
    if master is not None and master.stage == HUNG:
        until = _in(_expires_ms(simulation, number, master.attempt), now_ms)
        silent = format_duration(now_ms - master.silent_ms)
        sentence = f"its application master hangs: no call for {silent}; it expires {until}"
        rows.append(ObstacleRow("MASTER_HANGS", sentence, "APP", "SKIPPED"))
    elif master is not None and master.stage in (LAUNCHED, STARTED):
        sentence = "its application master starts and has not registered yet"
        rows.append(ObstacleRow("MASTER_STARTS", sentence, "APP", "SKIPPED"))
    held = _on_silent(simulation, number)
    if held:
        rows.append(ObstacleRow(Reason.NODE_SILENT.name, _silence_words(simulation, held), "APP", "SKIPPED"))
    return (*rows, *_short_of_cores(simulation, number))


def _short_of_cores(simulation: Simulation, number: int) -> Iterator[ObstacleRow]:
    """Spark tasks that wait for a core of their own application: endless tasks hold all that it may have."""
    short, spec = simulation.world.core_shortage(number), simulation.world.specification_of(number)
    if not short.waiting or spec is None:
        return
    most, waits = _most_executors(spec, short), "waits" if short.waiting == 1 else "wait"
    if short.endless:
        are = "that never ends has" if short.endless == 1 else "that never end have"
        sentence = f"{plural(short.endless, 'task')} {are} all its cores, and {short.waiting} {waits} for one"
        yield ObstacleRow(STARVED, sentence, "APP", "SKIPPED", decided_by=most)
    elif most is not None:
        has = f"it has all it may have, {plural(short.executors, 'executor')} with {plural(short.cores, 'core')}"
        sentence = f"{has}: {plural(short.waiting, 'task')} {waits} for one of them"
        yield ObstacleRow(AT_MOST, sentence, "APP", "SKIPPED", decided_by=most)


def _most_executors(spec: ApplicationSpec, short: CoreShortage) -> Setting | None:
    """The setting by which an application of Spark has no more executors than now; None where none does."""
    if spec.type == "spark-standalone" and spec.cores_max and short.cores + (spec.executor_cores or 1) > spec.cores_max:
        return Setting(CORES_MAX, str(spec.cores_max))
    if spec.type not in ("spark", "spark-standalone"):
        return None
    if spec.dynamic is not None:
        most = spec.dynamic.most
        return None if most is None or short.executors < most else Setting(MAX_EXECUTORS, str(most))
    if spec.type == "spark-standalone" or short.executors < spec.executors:  # a Master reads no number of them
        return None
    return Setting(EXECUTOR_INSTANCES, str(spec.executors))


def _on_silent(simulation: Simulation, number: int) -> dict[NodeManager, int]:
    """Containers of an application that its control plane believes on nodes that are silent, by node."""
    silent = {node.id: node for node in simulation.world.nodes if not node.up and node.member}
    held: Counter[NodeManager] = Counter()
    if silent:
        view = simulation.control_plane.view()
        rows = snapshot_of(simulation).containers(application=view.application_id(number))
        held.update(silent[row.node] for row in rows if row.node in silent)
    return dict(held)


def stranded(simulation: Simulation) -> set[int]:
    """Applications whose master hangs, and applications with containers on silent nodes; they need not ask for more."""
    masters = simulation.world.masters.items()
    view = simulation.control_plane.view()
    snapshot = snapshot_of(simulation)
    silent = [node.id for node in simulation.world.nodes if not node.up and node.member]
    held = {row.application for node in silent for row in snapshot.containers(node=node)}
    found = {each.number for each in view.applications() if held and view.application_id(each.number) in held}
    return found | {number for number, master in masters if master.stage == HUNG and view.application(number)}


def _silence_words(simulation: Simulation, held: Mapping[NodeManager, int]) -> str:
    words, now_ms = terms_for(simulation.control_plane.dimensions), simulation.now_ms
    first = min(held, key=lambda node: (node.silent_ms, node.index))
    others = f" and {plural(len(held) - 1, f'other {words.node}')}" if len(held) > 1 else ""
    expiries = (
        each[0]
        for each in simulation.world.clock.heap
        if each[3] == NODE_EXPIRES and simulation.world.nodes[each[2]] in held
    )
    return (
        f"{plural(sum(held.values()), words.container)} on {first.host}{others}, silent for "
        f"{_seconds(now_ms - first.silent_ms)}: counted as lost {_in(min(expiries, default=None), now_ms)}"
    )


def _in(time_ms: int | None, now_ms: int) -> str:
    return "never" if time_ms is None else f"in {_seconds(time_ms - now_ms)}"


def _seconds(span_ms: int) -> str:
    return format_duration(span_ms // 1000 * 1000)


# Nodes that are out of service, as obstacles: they offer no room.

_WORDS: Final = {
    "UNHEALTHY": "unhealthy",
    "LOST": "lost, no heartbeat within the expiry interval",
    "DECOMMISSIONED": "decommissioned",
}
"""State of a node → why nothing runs there."""

_NAMED: Final = 4


def rows_of_gone(cluster: Cluster) -> tuple[ObstacleRow, ...]:
    """A row for each state in which nodes of a ResourceManager are out of service, counted over all it has known."""
    of, states = len(cluster.nodes) + len(cluster.down), grouped((node.state, node) for node in cluster.down.values())
    return tuple(_row(state, nodes, of) for state, nodes in states.items() if state in _WORDS)


def _row(state: str, nodes: list[Node], of: int) -> ObstacleRow:
    hosts = tuple(node.host for node in nodes[:NODES_NAMED])
    return ObstacleRow(
        code=f"NODE_{state}",
        answer=f"{_WORDS[state]} ({named(hosts, len(nodes))})",
        level="NODE",
        state="REJECTED",
        count=len(nodes),
        of=of,
        nodes=hosts,
        noun="node",
    )


def named(hosts: tuple[str, ...], count: int) -> str:
    """The first hosts of so many.

    >>> named(("n1", "n2", "n3", "n4"), 4), named(("n1", "n2", "n3", "n4", "n5"), 5)
    ('n1, n2, n3, n4', 'n1, n2, n3, n4 and 1 more')
    """
    more = f" and {count - _NAMED} more" if count > _NAMED else ""
    return f"{', '.join(hosts[:_NAMED])}{more}"
