"""Which remedies are tried for an application: every act an operator has, those that free what it needs first.

An act that the control plane refuses is no remedy; that is found out when it is tried, and said with the reason.
Dropping a reservation is none: no real control plane can be asked to, but draining the node it is on does it too.
Settings, priorities and moves come from the tables of what may be varied.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from engine.control_plane.cluster_view import ApplicationSummary
from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.explain.explainers import explainer_of
from engine.explain.outages import is_lossy
from engine.explain.remedy import Family, Remedy, only
from engine.explain.tunable_families import setting_families
from engine.incremental import finish
from engine.model.ledger import Node
from engine.observe.snapshots import snapshot_of
from engine.observe.spark_snapshot import StandaloneRow
from engine.scenario import acts
from engine.scenario.cluster import DEFAULT_PORT
from engine.simulation.simulation import Simulation
from engine.workload.master import HUNG

KILLS: Final = 200
"""Number of applications whose kill is tried, holders of what is needed first."""

RESIZED: Final = 3
"""Number of nodes that are tried with more room, those that lack least first."""

DRAINED: Final = 12
"""Number of reserved nodes whose drain is tried."""

SMALLEST_MB: Final = 1024
"""The smallest node that is added [MB]."""

STEP_MB: Final = 512
"""Sizes of nodes are tried in steps of this [MB]."""

DOUBLED: Final = 2
"""A node is tried with up to so many times what it has."""


def candidates(simulation: Simulation, targets: Sequence[int]) -> list[Family]:
    """The remedies to try so that some waiting applications start, the one that matters most first; one kind in turn.

    To kill a single one that is asked about is no remedy; nor is what a control plane that is away would have to do.
    """
    view = simulation.control_plane.view()
    returns = (
        only(Remedy(acts.ReturnNode(node.id), host=node.host, family="node"))
        for node in simulation.world.nodes
        if node.draining or not node.up or not node.member
    )
    found = [*_starts(simulation, targets), *_hung_masters(simulation), *returns]
    if simulation.control_plane.answers:
        machines = _machines(view) if isinstance(view, YarnClusterView) else ()
        mine = setting_families(simulation, targets[0])
        found += [*kills(simulation, targets), *_added(simulation, targets), *mine, *machines]
    return [_of_system(each, simulation.control_plane.dimensions) for each in _in_turn(found)]


def _of_system(family: Family, dimensions: tuple[str, ...]) -> Family:
    return family._replace(make=lambda value: replace(family.make(value), dimensions=dimensions))


def _in_turn(families: Sequence[Family]) -> list[Family]:
    """The first of each kind, then the second of each, and so on."""
    seen: Counter[str] = Counter()
    turns: list[int] = []
    for each in families:
        turns.append(seen[each.kind])
        seen[each.kind] += 1
    return [each for _, each in sorted(zip(turns, families, strict=True), key=lambda pair: pair[0])]


def _machines(view: YarnClusterView) -> Iterator[Family]:
    """Nodes with more room, and nodes that are drained."""
    nodes = list(view.scheduler.cluster.nodes.values())
    for node in sorted(nodes, key=_lacking)[:RESIZED]:
        yield _resized(node)
    for node in [each for each in nodes if each.reserved is not None][:DRAINED]:
        yield only(Remedy(acts.DrainNode(node.id), host=node.host, family="node"))


def _lacking(node: Node) -> tuple[bool, int]:
    """Sorts reserved nodes by what the reservation lacks, then the others by what is free."""
    free_mb = node.total_memory_mb - node.used_memory_mb
    return (node.reserved is None, (node.reserved.memory_mb if node.reserved is not None else 0) - free_mb)


def _resized(node: Node) -> Family:
    """More room on a node."""
    memory_mb, vcores = node.total_memory_mb, node.total_vcores

    def make(value: tuple[int, ...]) -> Remedy:
        act = acts.ResizeNode(node.id, memory_mb + STEP_MB * value[0], vcores + value[1])
        return Remedy(act, host=node.host, family="node")

    most = (-(-(DOUBLED - 1) * memory_mb // STEP_MB), (DOUBLED - 1) * vcores)
    return Family("resize", make, (0, 0), most)


def _added(simulation: Simulation, targets: Sequence[int]) -> Iterator[Family]:
    """One node more, at most as large as the largest there is, or as the largest container that a target asks for."""
    world = simulation.world
    if not world.nodes:
        return
    names = (f"added{place}" for place in range(1, len(world.nodes) + 2))
    host = next(name for name in names if name not in world.ground.node_index)
    sizes = [(node.memory_mb, node.vcores) for node in world.nodes] + _asked(simulation, targets)
    largest = (max(memory_mb for memory_mb, _ in sizes), max(vcores for _, vcores in sizes))

    def make(value: tuple[int, ...]) -> Remedy:
        memory_mb = min(largest[0], SMALLEST_MB + STEP_MB * value[0])
        return Remedy(acts.AddNode(f"{host}:{DEFAULT_PORT}", memory_mb, value[1]))

    yield Family("add-node", make, (0, 1), (max(0, -(-(largest[0] - SMALLEST_MB) // STEP_MB)), largest[1]))


def _asked(simulation: Simulation, targets: Sequence[int]) -> list[tuple[int, int]]:
    """Sizes of the containers, executors or drivers that some applications ask for."""
    rows = snapshot_of(simulation).applications(why=False)
    found: list[tuple[int, int]] = []
    for row in [each for each in rows if each.number in targets]:
        found += [(ask.size[0], ask.size[1]) for ask in row.listed_asks]
        if isinstance(row, StandaloneRow):
            found.append((row.executor_memory_mb, row.executor_cores if isinstance(row.executor_cores, int) else 1))
    return found


_START: Final[Mapping[str, acts.Act]] = {
    YarnClusterView.kind: acts.RestartResourceManager(1),
    JobTrackerView.kind: acts.RestartJobTracker(1),
}
"""`ClusterView.kind` → what starts a control plane that is away; a Spark Master never is."""


def _starts(simulation: Simulation, targets: Sequence[int]) -> Iterator[Family]:
    """A control plane that is away, started at once; what that loses is submitted again."""
    view, world = simulation.control_plane.view(), simulation.world
    if view.kind in _START and not simulation.control_plane.answers:
        lost = targets if is_lossy(view) else ()
        again = tuple(number for number in lost if world.specification_of(number) is not None)
        yield only(Remedy(_START[view.kind], again=again))


def _hung_masters(simulation: Simulation) -> Iterator[Family]:
    """The processes of application masters that hang, ended, so that another attempt begins."""
    view = simulation.control_plane.view()
    for number, master in simulation.world.masters.items():
        own = view.application(number)
        if master.stage == HUNG and master.container is not None and own is not None:
            yield only(Remedy(acts.KillContainer(master.container), name=own.name))


def kills(simulation: Simulation, targets: Sequence[int] = ()) -> list[Family]:
    """Whoever holds what the first of some applications needs, then who reserves or holds anything, then who waits.

    Of several that wait, those come before all who reserve most nodes. To kill the only application that is asked about
    is no remedy.
    """
    view = simulation.control_plane.view()
    holds = finish(explainer_of(simulation).holds(targets[0])) if targets else []
    place = {hold.application: turn for turn, hold in enumerate(holds)}
    reserving = Counter(held.id[0] for held in view.reservations())
    culprits = reserving if len(targets) > 1 else Counter[int]()
    alive = [each for each in view.applications() if list(targets) != [each.number]]

    def turn(each: ApplicationSummary) -> tuple[int, int, bool, bool, int]:
        number = each.number
        return (-culprits[number], place.get(number, len(place)), number not in reserving, not each.works, number)

    return [kill_of(each) for each in sorted(alive, key=turn)[:KILLS]]


def kill_of(each: ApplicationSummary) -> Family:
    """The end of one application."""
    family = f"{each.name} {each.user} {each.queue}"
    return only(Remedy(acts.KillApplication(each.number), name=each.name, family=family))
