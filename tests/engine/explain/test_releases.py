"""Who frees a reserved node, and when: told beforehand in the closed world, set against what then happens."""

from collections import Counter
from random import Random

import pytest

from engine.control_plane.resource_manager import ResourceManager
from engine.explain.waits import ReleaseSearch
from engine.formats.scenario_toml import load
from engine.model.decision import Allocated, ContainerId, Killed
from engine.model.ledger import Container, Node
from engine.observe.snapshot import NodeHolder, Release
from engine.run import Run
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.simulation.scenes import Log
from tests.gates.bench.starts import scenario_of

ENOUGH = 1_000_000
Held = tuple[str, ContainerId]
"""Node and container of a reservation."""


def _run(name: str, at_s: float) -> Run:
    run = Run(load(name))
    run.advance(int(at_s * 1000))
    return run


def _found(simulation: Simulation, pieces: int = ENOUGH) -> dict[Held, Release]:
    search = ReleaseSearch(simulation)
    search.advance(pieces)
    return search.found()


def _node(simulation: Simulation, name: str) -> Node:
    assert isinstance(simulation.control_plane, ResourceManager)
    return simulation.control_plane.cluster.nodes[name]


def _lacks(node: Node, reserved: Container) -> bool:
    return reserved.memory_mb > node.free_memory_mb or reserved.vcores > node.free_vcores


def test_in_the_incident_no_node_is_ever_freed() -> None:
    found = _found(_run("reservation-deadlock", 2400).simulation)

    assert [one.outcome for one in found.values()] == ["never"] * 12
    kept = {node.split(":")[0]: one.by for (node, _), one in found.items()}
    assert kept["10.120.117.101"][0] == NodeHolder("application_1507795051888_183314", 1, (8192, 1), waits=True)
    assert [(one.application[-6:], one.containers, one.size[0]) for one in kept["10.120.117.100"]] == [
        ("183342", 5, 40960), ("183312", 3, 24576), ("183351", 1, 8192), ("183358", 1, 8192), ("183376", 1, 8192),
        ("183380", 1, 8192),
    ]  # fmt: skip
    assert all(one.waits for by in kept.values() for one in by)


def test_before_it_froze_the_run_frees_the_node_as_foretold() -> None:
    """At 09:00:10 one node is held; it has room at 09:00:33.547, when a container of 183311 ends there."""
    run = _run("reservation-deadlock", 1810)
    begin_ms = run.simulation.now_ms
    [((name, reserved), release)] = _found(run.simulation).items()
    own = NodeHolder("application_1507795051888_183311", 1, (8192, 1), waits=False)
    assert release == Release("ends", begin_ms + 23_547, (own,), begin_ms)

    log = Log()
    run.simulation.listeners.append(log)
    node = _node(run.simulation, name)
    assert node.reserved is not None
    held = node.reserved
    run.simulation.run_before(begin_ms + 23_547)
    assert _lacks(node, held)
    run.simulation.run_until(begin_ms + 23_547)
    given = [time for time, record in log.entries if isinstance(record, Allocated) and record.container == reserved]
    assert given == [begin_ms + 23_547]


def _hits(case: int, foretold: Counter[str]) -> list[tuple[Held, Release]]:
    """Reservations of a random cluster, under some policy, of which something else became than foretold."""
    asked_s = 60 + Random(case + 2_000_000).random() * 600
    scenario = scenario_of(case, asked_s)
    log = Log()
    simulation = build_simulation(scenario, [log])
    simulation.run_until(scenario.start_ms + int(asked_s * 1000))
    found = _found(simulation)
    foretold.update(one.outcome for one in found.values())
    kept = {held: _node(simulation, held[0]).reserved for held in found}
    wrong = []
    for held, one in sorted(found.items(), key=lambda pair: pair[1].time_ms or 0):
        node, reserved = _node(simulation, held[0]), kept[held]
        assert reserved is not None
        if one.time_ms is not None:
            simulation.run_before(one.time_ms)
            was_held = node.reserved is not None and node.reserved.id[:2] == held[1][:2] and _lacks(node, reserved)
            simulation.run_until(one.time_ms)
            wrong += [] if was_held and _became(simulation, log, held, reserved) == one.outcome else [(held, one)]
    simulation.run_until(simulation.now_ms + 3_600_000)
    for held, one in found.items():
        is_held = _node(simulation, held[0]).reserved
        if one.outcome == "never" and (is_held is None or is_held.id[:2] != held[1][:2]):
            wrong.append((held, one))
    return wrong


def _became(simulation: Simulation, log: Log, held: Held, reserved: Container) -> str:
    """What has become of a reservation at the present instant."""
    now = [record for time, record in log.entries if time == simulation.now_ms]
    given = [one.node for one in now if isinstance(one, Allocated) and one.container[:2] == held[1][:2]]
    node = _node(simulation, held[0])
    if held[0] in given or (node.reserved is not None and not _lacks(node, reserved)):
        preempted = [one for one in now if isinstance(one, Killed) and (one.node, one.cause) == (held[0], "PREEMPTED")]
        return "preempted" if preempted else "ends"
    assert isinstance(simulation.control_plane, ResourceManager)
    if held[1][0] not in simulation.control_plane.cluster.applications:
        return "ended"
    return "given_elsewhere" if given else "dropped"


@pytest.mark.long
def test_it_comes_as_foretold_in_random_clusters() -> None:
    foretold: Counter[str] = Counter()
    wrong = [(case, *one) for case in range(60) for one in _hits(case, foretold)]

    assert wrong == []
    assert foretold["ends"] > 20, foretold
