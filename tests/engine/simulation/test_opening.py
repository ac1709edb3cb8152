"""How a scenario opens: who asks at which priority, what comes first at the start, which nodes are held."""

from typing import Any

import pytest

from engine.control_plane.protocol import NodeLost
from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import load
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Reserved, Unreserved
from engine.observe.snapshots import snapshot_of
from engine.scenario import (
    AskSpec,
    PlacedContainers,
    RecoveredContainers,
    RecoveredReservation,
    RunningSpec,
    Scenario,
    ScriptedSpec,
)
from engine.scenario.acts import (
    FailOverResourceManager,
    KillContainer,
    LoseMaster,
    LoseResourceManager,
    RestartResourceManager,
)
from engine.simulation.build import build_simulation
from engine.simulation.initial_state import opens_ms
from engine.simulation.records import AskChanged, Started
from engine.workload.master import GONE, HUNG, REGISTERED
from tests.engine.simulation.scenes import Log, played, scenario
from tests.engine.simulation.test_outages import going_scene as world_scene
from tests.engine.simulation.test_outages import states

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


@pytest.mark.parametrize(("count", "missing"), [(9, "1 of 9"), (12, "4 of 12")])
def test_containers_that_have_no_room_are_counted(count: int, missing: str) -> None:
    one = scene("")
    (running,) = one.running
    placed = PlacedContainers(node="b", memory_mb=2048, vcores=1, count=count, priority=4)
    ask = asks_of(running)[2].model_copy(update={"count": 20})
    application = running.application.model_copy(update={"asks": (ask,)})
    full = running.model_copy(update={"placed": (placed,), "application": application})
    found = problem(one.model_copy(update={"running": (full,)}))
    words = f"{missing} containers of 2048 MB and 1 vcore cannot be placed on b"
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


# What a world does of itself: numbers of applications, tries while nobody answers, masters without containers.

STORE = '"yarn.resourcemanager.recovery.enabled" = "true"\n'
QUICK = '"yarn.resourcemanager.connect.retry-interval.ms" = "1000"\n'
PAIR = '"yarn.resourcemanager.ha.enabled" = "true"\n"yarn.resourcemanager.zk-timeout-ms" = "9000"\n'


def of(text: str = "", **fields: Any) -> Any:
    """The scenes of masters, with a store and quick tries."""
    return world_scene(duration='"forever"', settings=f"[settings]\n{STORE}{QUICK}{text}", **fields)


@pytest.mark.parametrize(("hangs", "attempt"), [(False, 2), (True, 2), (None, 1)])
def test_an_unmanaged_master_that_is_gone_starts_again_with_the_resource_manager(
    hangs: bool | None, attempt: int
) -> None:
    """It registers at its next call, and asks at the one after; one that lives goes on."""
    one = of(more='am = "unmanaged"')
    simulation, log = played(one, 10)
    master = simulation.world.masters[1]
    if hangs is not None:
        simulation.act(LoseMaster("job", hangs=hangs))
        assert (master.stage, master.attempt) == (HUNG if hangs else GONE, 1)
    simulation.act(RestartResourceManager(2_000))
    simulation.run_until(one.start_ms + 20_000)
    assert (master.stage, master.attempt) == (REGISTERED, attempt)
    assert states(one, log)[-2:] == [(12_000, "ACCEPTED"), (12_300, "RUNNING")]
    assert [at - one.start_ms for at in log.at(AskChanged)] == [1_300, 13_300]


@pytest.mark.parametrize("down_ms", [0, 700, 5_000])
def test_a_failover_may_be_given_its_time(down_ms: int) -> None:
    one = of(PAIR)
    simulation, _ = played(one, 10)
    simulation.act(FailOverResourceManager(down_ms=down_ms))
    simulation.run_until(one.start_ms + 10_000 + max(down_ms, 1) - 1)
    assert not simulation.control_plane.answers
    simulation.run_until(one.start_ms + 10_000 + max(down_ms, 1))
    assert simulation.control_plane.answers


def test_orders_that_a_node_had_not_got_are_repeated_by_their_master() -> None:
    one = of()
    simulation, _ = played(one, 10)
    simulation.act(KillContainer((1, 1, 2)))
    node, master = simulation.world.nodes[0], simulation.world.masters[1]
    assert node.orders == [(1, 1, 2)]
    simulation.act(LoseResourceManager())
    assert (node.orders, (1, 1, 2) in master.releases) == ([], True)


def test_a_master_that_may_not_come_back_ends_with_an_error() -> None:
    one = world_scene(duration='"forever"', settings=f"[settings]\n{QUICK}")
    simulation, log = played(one, 10)
    simulation.act(RestartResourceManager(1_000))
    simulation.run_until(one.start_ms + 40_000)
    ended = [(each.container, each.exit_status) for each in log.of(Completed)]
    assert [status for _, status in ended if status == 0] == []
    assert simulation.control_plane.answers


# Applications and nodes that a scenario takes over as they stand.

RECOVERED = """
[settings]
"yarn.scheduler.maximum-allocation-mb" = "16384"
[[recovered]]
attempt = 2
containers = [
    { node = "n2", memory = "1g" },
    { node = "n1", memory = "4g", vcores = 2, count = 2, priority = 3, ask = 0, since = "-1m", remaining = 30 },
]
reserved = [{ node = "n1", memory = "12g", vcores = 1, priority = 3, since = "-20s" }]
[recovered.application]
type = "scripted"
user = "ann"
queue = "default"
number = 7
at = "-2m"
asks = [
    { memory = "4g", vcores = 2, count = 2, priority = 3, duration = 30 },
    { memory = "12g", priority = 3, hosts = ["n1"], relax = false, duration = 10 },
]
"""
ALONE = """
[[recovered]]
containers = [{ node = "n1", memory = "1g", remaining = "10s" }]
application = { type = "scripted", user = "ann", queue = "default" }
"""


def ends(log: Log) -> list[tuple[int, str]]:
    moves = [(at, one) for at, one in log.entries if isinstance(one, ApplicationTransitioned)]
    return [(at, one.state) for at, one in moves if one.state in {"FINISHED", "FAILED", "KILLED"}]


def test_what_is_taken_over_is_there_at_the_start_without_a_decision() -> None:
    simulation, log = played(scenario(RECOVERED), 0)
    snapshot = snapshot_of(simulation)
    start_ms = simulation.now_ms

    (row,) = snapshot.applications()
    assert (row.state, row.used, row.containers, row.pending_containers) == ("RUNNING", (9216, 5), 3, 1)
    assert [(one.node, one.size, one.since_ms) for one in snapshot.reservations()] == [
        ("n1:8041", (12288, 1), start_ms - 20_000)
    ]
    assert [(one.id[-9:], one.since_ms) for one in snapshot.containers(application=row.id)][1:3] == [
        ("02_000002", start_ms - 60_000),
        ("02_000003", start_ms - 60_000),
    ]
    assert not log.of(Allocated)


def test_a_container_ends_when_its_remaining_time_is_over() -> None:
    """Not a ms before, and then the ask that was reserved for is met."""
    scene = scenario(RECOVERED)
    simulation, log = played(scene, 0)

    simulation.run_until(scene.start_ms + 29_999)
    before = len(log.of(Completed))
    simulation.run_until(scene.start_ms + 32_000)

    assert before == 0
    assert len(log.of(Completed)) == 2
    assert [one.memory_mb for one in log.of(Allocated)] == [12288]


def test_a_container_that_is_killed_is_asked_for_again() -> None:
    text = RECOVERED.replace("reserved", "#").replace('"12g"', '"1g"')
    scene = scenario(text)
    simulation, log = played(scene, 0)

    simulation.act(KillContainer((7, 2, 2)))
    simulation.run_until(scene.start_ms + 5_000)

    assert sorted(one.memory_mb for one in log.of(Allocated)) == [1024, 4096]


@pytest.mark.parametrize(("remaining", "ended_s"), [('"10s"', 10), ('"0s"', 0)])
def test_an_application_with_nothing_to_do_stays_as_long_as_its_master_remains(remaining: str, ended_s: int) -> None:
    scene = scenario(ALONE.replace('"10s"', remaining))
    _, log = played(scene, 30)

    ((time_ms, state),) = ends(log)
    assert state == "FINISHED"
    assert ended_s * 1000 <= time_ms - scene.start_ms <= ended_s * 1000 + 1000


def test_a_master_that_has_not_registered_does_so_after_the_start() -> None:
    scene = scenario(ALONE.replace("[[recovered]]", "[[recovered]]\nregistered = false"))
    simulation, log = played(scene, 0)
    (row,) = snapshot_of(simulation).applications()

    simulation.run_until(scene.start_ms + 1_000)

    assert (row.state, row.containers) == ("ACCEPTED", 1)
    assert "RUNNING" in [one.state for one in log.of(ApplicationTransitioned)]


@pytest.mark.parametrize("state", ["UNHEALTHY", "LOST", "DECOMMISSIONED"])
def test_a_node_that_is_down_at_the_start_is_down(state: str) -> None:
    text = f'[[cluster.nodes]]\nhost = "x"\nmemory = "8g"\nvcores = 8\nstate = "{state}"\n'
    simulation, _ = played(scenario(text, count=1), 10)
    snapshot = snapshot_of(simulation)

    assert [row.state for row in snapshot.nodes() if row.host == "x"] == [state]
    assert snapshot.header.nodes_down == 1


def test_what_cannot_be_taken_over_is_said_of_the_application() -> None:
    scene = scenario(RECOVERED)
    (taken,) = scene.recovered
    nowhere = taken.model_copy(update={"containers": (RecoveredContainers(node="n9", memory_mb=1),)})
    held = RecoveredReservation(node="n1", memory_mb=1024, since_ms=-1)
    twice = taken.model_copy(update={"reserved": (held, held)})

    for update, words in ((nowhere, "there is no node n9"), (twice, "n1 is not reserved for it")):
        with pytest.raises(ConfigError, match=words) as caught:
            build_simulation(scene.model_copy(update={"recovered": (update,)}))
        assert caught.value.problems[0].key == "recovered.scripted"


def test_a_refused_application_is_a_problem() -> None:
    scene = scenario(RECOVERED)
    taken = scene.recovered[0]
    with pytest.raises(ConfigError, match="is not taken over: application 7 is already there"):
        build_simulation(scene.model_copy(update={"recovered": (taken, taken)}))

    huge = taken.application.asks[1].model_copy(update={"memory_mb": 1_000_000})
    asks = (taken.application.asks[0], huge)
    application = taken.application.model_copy(update={"asks": asks})
    with pytest.raises(ConfigError, match="its asks are refused"):
        build_simulation(
            scene.model_copy(update={"recovered": (taken.model_copy(update={"application": application}),)})
        )


def test_only_yarn_takes_over_applications_and_nodes_that_are_down() -> None:
    scene = scenario(RECOVERED)
    master = load("spark-packing")
    node = master.cluster.all_nodes()[0].model_copy(update={"state": "LOST"})
    cluster = master.cluster.model_copy(update={"nodes": (node,), "groups": ()})

    with pytest.raises(ConfigError) as caught:
        build_simulation(master.model_copy(update={"recovered": scene.recovered, "cluster": cluster}))

    assert [problem.key for problem in caught.value.problems] == ["recovered", "cluster"]


# What runs and is reserved when a scenario starts.

RECOVERED_RUNNING = """
[settings]
"yarn.scheduler.maximum-allocation-mb" = "16384"
[[running]]
placed = [
    {{ node = "n2", memory = "1g", master = true }},
    {{ node = "n1", memory = "4g", vcores = 2, count = 3 }},
    {{ node = "n3:8041", memory = "4g", vcores = 2 }},
]
{reserved}
[running.application]
type = "scripted"
user = "ann"
queue = "default"
number = 7
waits = true
asks = [
    {{ memory = "4g", vcores = 2, count = 4, duration = 30 }},
    {{ memory = "16g", vcores = 2, priority = 2, duration = 60 }},
]
"""
RESERVED = 'reserved = [{ node = "n1", memory = "16g", vcores = 2 }, { node = "n3", memory = "16g", vcores = 2 }]'
PLAIN = RECOVERED_RUNNING.format(reserved="")


def placed(text: str, seconds: int = 0, count: int = 3) -> tuple[list[tuple[str, int, int]], Log]:
    """(node, memory, time before the start in s) of everything allocated, and the log."""
    scene = scenario(text, count=count)
    _, log = played(scene, seconds)
    return [
        (record.node, record.memory_mb, (scene.start_ms - time_ms) // 1000)
        for time_ms, record in log.entries
        if isinstance(record, Allocated)
    ], log


def test_reservations_hold_and_the_asks_behind_them_become_free() -> None:
    scene = scenario(RECOVERED_RUNNING.format(reserved=RESERVED), count=3)
    _, log = played(scene, 60)

    assert {record.node for record in log.of(Reserved)} >= {"n1:8041", "n3:8041"}
    assert log.at(Reserved)[1] < scene.start_ms
    assert log.of(Unreserved) == []
    assert log.of(AskChanged)[0].count == 1


def test_a_service_can_run_at_the_start() -> None:
    text = """
[[running]]
placed = [{ node = "n1", memory = "2g" }, { node = "n2", memory = "2g" }]
[running.application]
type = "service"
user = "ann"
am = "unmanaged"
instances = 1
each_node = true
instance = { memory = "2g" }
"""
    allocated, log = placed(text, 30, count=2)

    assert [node for node, _, _ in allocated] == ["n1:8041", "n2:8041"]
    assert log.of(AskChanged) == []
    assert len(log.of(Started)) == 2


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("count = 3", "count = 5", "1 of 5 containers of 4096 MB and 2 vcores cannot be placed on n1"),
        ('"n3:8041", memory = "4g", vcores = 2', '"n3:8041", memory = "4g", vcores = 2, count = 2', "more is placed"),
        ('queue = "default"', 'queue = "default"\nam = { memory = "99g" }', "the application is refused"),
        ("[settings]", "[queue_defaults]\nqueueMaxAMShareDefault = 0.01\n[settings]", "cannot be placed on n2"),
        ('"n3:8041", memory = "4g"', '"n3:8041", memory = "20g"', "its ask is refused"),
    ],
)
def test_what_cannot_be_is_a_problem_of_the_scenario(before: str, after: str, message: str) -> None:
    scene = scenario(PLAIN.replace(before, after, 1), count=3)

    with pytest.raises(ConfigError, match=message) as refused:
        build_simulation(scene)

    assert refused.value.problems[0].key == "running.scripted"
