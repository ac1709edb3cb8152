"""How a scenario opens: who asks at which priority, what comes first at the start, which nodes are held."""

import pytest

from engine.control_plane.protocol import NodeLost
from engine.errors import ConfigError, Problem
from engine.model.decision import Allocated, ApplicationTransitioned
from engine.scenario import AskSpec, PlacedContainers, RunningSpec, Scenario, ScriptedSpec
from engine.simulation.build import build_simulation
from engine.simulation.initial_state import opens_ms
from tests.engine.simulation.scenes import played, scenario

NODES = """
[[cluster.nodes]]
host = "a"
memory = "16g"
vcores = 8
phase = 0
[[cluster.nodes]]
host = "b"
memory = "16g"
vcores = 8
phase = 0.4
"""
RUNNING = """
[settings]
"yarn.scheduler.maximum-allocation-mb" = "16384"
[[running]]
{placed}
[running.application]
type = "scripted"
user = "ann"
name = "held"
queue = "default"
phase = 0
{more}
asks = [
    {{ memory = "1g", vcores = 2, priority = 5, count = 2, duration = 10 }},
    {{ memory = "2g", vcores = 1, priority = 3, count = 2, hosts = ["a"], duration = 20 }},
    {{ memory = "2g", vcores = 1, priority = 4, count = 2, duration = 20 }},
]
"""
UNMANAGED = 'am = "unmanaged"'


def scene(placed: str, more: str = UNMANAGED, **cluster: int) -> Scenario:
    """Two nodes, and an application that runs at the start."""
    made = scenario(NODES + RUNNING.format(placed=placed, more=more), count=1)
    return made.model_copy(update={"cluster": made.cluster.model_copy(update={"groups": (), **cluster})})


def asks_of(running: RunningSpec) -> tuple[AskSpec, ...]:
    assert isinstance(running.application, ScriptedSpec)
    return running.application.asks


def problem(one: Scenario) -> Problem:
    with pytest.raises(ConfigError) as error:
        build_simulation(one)
    (found,) = error.value.problems
    return found


@pytest.mark.parametrize(
    ("placed", "priority"),
    [
        ('memory = "1g", vcores = 2', 5),
        ('memory = "2g"', 3),
        ('memory = "1g"', 5),
        ('memory = "2g", vcores = 2', 5),
        ('memory = "2g", priority = 4', 4),
    ],
)
def test_what_is_placed_answers_the_first_ask_of_its_size(placed: str, priority: int) -> None:
    simulation, log = played(scene(f'placed = [{{ node = "a", {placed} }}]'), 0)
    before = [each for at, each in log.entries if isinstance(each, Allocated) and at < simulation.now_ms]
    assert [each.priority for each in before] == [priority]


@pytest.mark.parametrize(
    ("placed", "node"),
    [
        ('placed = [{ node = "b", memory = "1g", master = true }]', "b"),
        ('placed = [{ node = "b", memory = "1g", vcores = 2 }]', "b"),
        ("", "a"),
    ],
)
def test_a_master_runs_where_it_is_placed_or_beside_its_containers(placed: str, node: str) -> None:
    simulation, log = played(scene(placed, ""), 0)
    first = log.of(Allocated)[0]
    assert (first.node, first.container) == (f"{node}:8041", (1, 1, 1))
    assert simulation.world.masters[1].stage == "REGISTERED"
    states = [(time_ms, record.state) for time_ms, record in log.entries if isinstance(record, ApplicationTransitioned)]
    assert states == [(opens_ms(scene(placed, "")), "ACCEPTED"), (opens_ms(scene(placed, "")), "RUNNING")]


@pytest.mark.parametrize(
    ("count", "missing"),
    [(9, "1 of 9"), (12, "4 of 12")],
)
def test_containers_that_have_no_room_are_counted(count: int, missing: str) -> None:
    one = scene("")
    (running,) = one.running
    placed = PlacedContainers(node="b", memory_mb=2048, vcores=1, count=count, priority=4)
    ask = asks_of(running)[2].model_copy(update={"count": 20})
    application = running.application.model_copy(update={"asks": (ask,)})
    full = running.model_copy(update={"placed": (placed,), "application": application})
    found = problem(one.model_copy(update={"running": (full,)}))
    words = f"{missing} containers of 2048 MB and 1 vcores cannot be placed on b"
    assert found == Problem(words, key="running.held")


@pytest.mark.parametrize(
    ("delay", "registers_ms"),
    [("", 1_500), ("register_delay = 0.5", 500), ("register_delay = 0.6", 1_500), ("register_delay = 1.6", 2_500)],
)
def test_a_master_that_has_not_registered_does_so_after_its_delay(delay: str, registers_ms: int) -> None:
    """At the first of its calls after that; its own delay goes before the cluster's."""
    text = f"""
[[recovered]]
registered = false
containers = [{{ node = "n1", memory = "1g" }}]
[recovered.application]
type = "scripted"
user = "ann"
queue = "default"
phase = 0.5
{delay}
"""
    made = scenario(text, count=1)
    one = made.model_copy(update={"cluster": made.cluster.model_copy(update={"register_delay_ms": 1_250})})
    _, log = played(one, 5)
    running = [at for at, each in log.entries if isinstance(each, ApplicationTransitioned) and each.state == "RUNNING"]
    assert running == [one.start_ms + registers_ms]


def test_nodes_open_in_their_states() -> None:
    """One that is down has left; one that drains leaves with its first heartbeat."""
    states = ("UNHEALTHY", "LOST", "DECOMMISSIONED", "DECOMMISSIONING")
    nodes = "".join(
        f'[[cluster.nodes]]\nhost = "{state}"\nmemory = "1g"\nvcores = 1\nphase = 0.5\nstate = "{state}"\n'
        for state in states
    )
    one = scenario(nodes, count=1)
    simulation, log = played(one, 0)
    assert log.of(NodeLost) == [NodeLost(f"{state}:8041", state) for state in states[:3]]
    found = {node.host: (node.up, node.healthy, node.member, node.draining) for node in simulation.world.nodes}
    assert found == {
        "UNHEALTHY": (True, False, False, False),
        "LOST": (False, True, False, False),
        "DECOMMISSIONED": (False, True, False, False),
        "DECOMMISSIONING": (True, True, True, True),
        "n1": (True, True, True, False),
    }
    simulation.run_until(one.start_ms + 500)
    assert log.of(NodeLost)[3:] == [NodeLost("DECOMMISSIONING:8041", "DECOMMISSIONED")]
