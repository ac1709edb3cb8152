"""What is fixed for a run: times as settings and scenario say, places of nodes, and what a scheduler does not run."""

from typing import Any

import pytest

from engine.errors import ConfigError, Problem
from engine.scenario import ClusterSpec, NodeSpec, Scenario
from engine.scenario.acts import LoseMaster, LoseNode, SetHealth
from engine.simulation.build import build_simulation, node_managers
from engine.simulation.ground import Ground
from engine.simulation.scenario_ground import ground_of
from engine.workload.random_streams import stream

NODES = (
    NodeSpec(host="a", memory_mb=1024, vcores=2, rack="/r", phase_ms=250),
    NodeSpec(host="b", memory_mb=2048, vcores=3, partition="gpu"),
    NodeSpec(host="a", port=9, memory_mb=512, vcores=1),
)


def scene(scheduler: str = "fifo", nodes: tuple[NodeSpec, ...] = NODES, **more: Any) -> Scenario:
    """A scenario of some nodes."""
    cluster = ClusterSpec(nodes=nodes, heartbeat_ms=700, am_heartbeat_ms=300, launch_delay_ms=1, register_delay_ms=2)
    return Scenario.model_validate({"scheduler": scheduler, "cluster": cluster, "seed": 7, **more})


def ground(scheduler: str = "fifo", **settings: object) -> Ground:
    """What is fixed under some settings."""
    keys = {key.replace("__", ".").replace("_", "-"): value for key, value in settings.items()}
    return ground_of(scene(scheduler, settings=keys), naive=False)


def test_times_of_the_cluster_are_those_of_the_scenario() -> None:
    """And whether everything is played."""
    one = ground_of(scene(), naive=True)
    assert (one.seed, one.start_ms, one.heartbeat_ms, one.am_heartbeat_ms) == (7, scene().start_ms, 700, 300)
    assert (one.launch_delay_ms, one.register_delay_ms, one.exit_delay_ms, one.am_own_rhythm) == (1, 2, 0, False)
    assert (one.naive, ground().naive) == (True, False)


def test_a_host_is_its_first_node() -> None:
    """Others on it are known by their port."""
    assert ground().node_index == {"a:8041": 0, "b:8041": 1, "a:9": 2, "a": 0, "b": 1}


@pytest.mark.parametrize(
    ("scheduler", "expiry_ms", "retry_ms"),
    [("fifo", 600_000, 30_000), ("fair-3.4", 600_000, 30_000), ("mr1-fifo", 600_000, 1_000), ("spark", 0, 30_000)],
)
def test_a_silent_node_is_believed_alive_as_its_system_says(scheduler: str, expiry_ms: int, retry_ms: int) -> None:
    """A Spark Master knows at once; trackers try each second to connect."""
    one = ground(scheduler)
    assert (one.expiry_ms, one.retry_ms) == (expiry_ms, retry_ms)


def test_settings_say_how_a_restart_goes() -> None:
    """Each of them."""
    plain = ground()
    assert (plain.node_recovery, plain.master_expiry_ms, plain.session_timeout_ms) == (False, 600_000, 0)
    one = ground(
        yarn__nm__liveness_monitor__expiry_interval_ms=5_000,
        yarn__am__liveness_monitor__expiry_interval_ms=6_000,
        yarn__resourcemanager__connect__retry_interval__ms=7_000,
        yarn__resourcemanager__zk_timeout_ms=8_000,
        yarn__nodemanager__recovery__enabled=True,
        yarn__resourcemanager__ha__enabled=True,
        yarn__resourcemanager__work_preserving_recovery__enabled=False,
    )
    assert (one.expiry_ms, one.master_expiry_ms, one.retry_ms) == (5_000, 6_000, 7_000)
    assert (one.session_timeout_ms, one.node_recovery, one.kills_on_resync) == (8_000, True, True)
    kept = ground(yarn__resourcemanager__work_preserving_recovery__enabled=True)
    assert not kept.kills_on_resync
    assert ground("mr1-fifo", mapred__tasktracker__expiry__interval=9_000).expiry_ms == 9_000


def test_faults_are_sorted_by_time_and_know_their_nodes() -> None:
    """Of one instant in their order; a master keeps its name."""
    faults = [
        {"do": "health", "node": "b", "healthy": False, "at_ms": 9},
        {"do": "lose", "node": "b", "at_ms": 5},
        {"do": "master_lost", "application": "etl", "at_ms": 5},
        {"do": "lose", "node": "gone:1", "at_ms": 7},
    ]
    one = ground_of(scene(faults=faults), naive=False)
    start_ms = scene().start_ms
    assert one.faults == (
        (start_ms + 5, LoseNode("b:8041")),
        (start_ms + 5, LoseMaster("etl")),
        (start_ms + 7, LoseNode("gone:1")),
        (start_ms + 9, SetHealth("b:8041", healthy=False)),
    )


def test_nodes_have_their_phase_or_one_from_the_seed() -> None:
    """Drawn for each of them, whether it is used or not."""
    random = stream(7, "nodes")
    drawn = [int(random.random() * 700) for _ in NODES]
    found = [
        (node.index, node.id, node.rack, node.memory_mb, node.vcores, node.partition, node.phase_ms - scene().start_ms)
        for node in node_managers(scene())
    ]
    assert found == [
        (0, "a:8041", "/r", 1024, 2, "", 250),
        (1, "b:8041", "/default-rack", 2048, 3, "gpu", drawn[1]),
        (2, "a:9", "/default-rack", 512, 1, "", drawn[2]),
    ]


def refused(one: Scenario) -> list[Problem]:
    """The problems of a scenario that cannot be built."""
    with pytest.raises(ConfigError) as error:
        build_simulation(one)
    return list(error.value.problems)


MAPREDUCE = {"type": "mapreduce", "user": "u", "maps": 1}
STANDALONE = {"type": "spark-standalone", "user": "u", "name": "shell"}
SCRIPTED = {"type": "scripted", "user": "u"}


@pytest.mark.parametrize(
    ("scheduler", "workload", "refusals"),
    [
        ("fifo", [MAPREDUCE, SCRIPTED], []),
        ("fifo", [MAPREDUCE, STANDALONE], [("spark-standalone", "workload.shell")]),
        ("spark", [STANDALONE], []),
        ("spark", [MAPREDUCE, STANDALONE, SCRIPTED], [("mapreduce", "workload.0"), ("scripted", "workload.2")]),
        ("mr1-fifo", [MAPREDUCE], []),
        (
            "mr1-fifo",
            [SCRIPTED, MAPREDUCE, STANDALONE],
            [("scripted", "workload.0"), ("spark-standalone", "workload.shell")],
        ),
    ],
)
def test_a_scheduler_runs_its_own_applications(
    scheduler: str, workload: list[dict[str, Any]], refusals: list[tuple[str, str]]
) -> None:
    """The others are named, by their name or place."""
    one = scene(scheduler, workload=workload)
    if not refusals:
        assert build_simulation(one).now_ms == one.start_ms
    else:
        assert refused(one) == [
            Problem(f"type {kind} does not run on scheduler {scheduler}", key=key) for kind, key in refusals
        ]


@pytest.mark.parametrize("scheduler", ["spark", "mr1-fifo"])
def test_nothing_runs_before_the_start_but_on_yarn(scheduler: str) -> None:
    """Nor is a node down."""
    workload = {"type": "spark-standalone", "user": "u"} if scheduler == "spark" else MAPREDUCE
    runs = refused(scene(scheduler, running=[{"application": workload}]))
    assert runs == [Problem(f"on scheduler {scheduler} nothing runs before the start", key="running")]
    taken = refused(scene(scheduler, recovered=[{"application": SCRIPTED}]))
    assert taken == [Problem(f"on scheduler {scheduler} nothing runs before the start", key="recovered")]
    down = (NODES[0].model_copy(update={"state": "LOST"}), NODES[1])
    words = f"on scheduler {scheduler} every node is up at the start"
    assert refused(scene(scheduler, nodes=down)) == [Problem(words, key="cluster")]
