"""What is fixed for a run: times as settings and scenario say, places of nodes, and what a scheduler does not run."""

from typing import Any

import pytest

from engine.errors import ConfigError, Problem
from engine.scenario import ClusterSpec, NodeSpec, Scenario
from engine.simulation.build import build_simulation
from engine.simulation.ground import Ground
from engine.simulation.scenario_ground import ground_of

NODES = (
    NodeSpec(host="a", memory_mb=1024, vcores=2, rack="/r", phase_ms=250),
    NodeSpec(host="b", memory_mb=2048, vcores=3, partition="gpu"),
    NodeSpec(host="a", port=9, memory_mb=512, vcores=1),
)


def scene(scheduler: str = "fifo", nodes: tuple[NodeSpec, ...] = NODES, **more: Any) -> Scenario:
    cluster = ClusterSpec(nodes=nodes, heartbeat_ms=700, am_heartbeat_ms=300, launch_delay_ms=1, register_delay_ms=2)
    return Scenario.model_validate({"scheduler": scheduler, "cluster": cluster, "seed": 7, **more})


def ground(scheduler: str = "fifo", **settings: object) -> Ground:
    keys = {key.replace("__", ".").replace("_", "-"): value for key, value in settings.items()}
    return ground_of(scene(scheduler, settings=keys), naive=False)


@pytest.mark.parametrize(
    ("scheduler", "expiry_ms", "retry_ms"),
    [("fifo", 600_000, 30_000), ("fair-3.4", 600_000, 30_000), ("mr1-fifo", 600_000, 1_000), ("spark", 0, 30_000)],
)
def test_a_silent_node_is_believed_alive_as_its_system_says(scheduler: str, expiry_ms: int, retry_ms: int) -> None:
    one = ground(scheduler)
    assert (one.expiry_ms, one.retry_ms) == (expiry_ms, retry_ms)


def refused(one: Scenario) -> list[Problem]:
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
    one = scene(scheduler, workload=workload)
    if not refusals:
        assert build_simulation(one).now_ms == one.start_ms
    else:
        assert refused(one) == [
            Problem(f"type {kind} does not run on scheduler {scheduler}", key=key) for kind, key in refusals
        ]
