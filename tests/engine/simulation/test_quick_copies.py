"""Copies of small runs of every kind go on as their original: forked, packed, and packed with a shared pool."""

from collections.abc import Sequence

import pytest

from engine.formats.scenario_toml import loads
from engine.scenario import Scenario
from engine.scenario.acts import Act, DrainNode, KillApplication, LoseNode, ReturnNode
from engine.simulation.build import build_simulation
from engine.simulation.checkpoint import from_bytes, pack, to_bytes, unpack
from engine.simulation.checkpoint_pool import CheckpointPool
from engine.simulation.simulation import Simulation
from tests.engine.simulation.scenes import Log

CLUSTER = """
name = "small"
duration = "5m"
scheduler = "{scheduler}"
[settings]
{settings}
[[cluster.groups]]
count = 12
prefix = "n"
memory = "8g"
vcores = 8
racks = ["/a", "/b"]
"""
MAPREDUCE = """
[[workload]]
type = "mapreduce"
user = "ann"
maps = 30
reduces = 3
replication = 2
map_duration = ["5s", "15s"]
failures = 0.1
repeat = { times = 2, every = 40 }
"""
SPARK = """
[[workload]]
type = "spark-standalone"
user = "ann"
executor_cores = 2
cores_max = 12
stages = [{ tasks = 60, duration = ["2s", "9s"], hosts = [["n01"], ["n02"]], away = 2.0 }, { tasks = 20 }]
dynamic = { idle = "5s", most = 6 }
[[workload]]
type = "spark-standalone"
user = "bob"
at = 3
driver = { memory = "1g" }
supervise = true
cores_max = 4
stages = [{ tasks = 30, duration = "3s" }]
exits_after = "20s"
"""
CAPACITY = """
"yarn.scheduler.capacity.root.queues" = "default"
"yarn.scheduler.capacity.root.default.capacity" = "100"
"""
KINDS = {
    "fair-3.4": MAPREDUCE,
    "capacity-2.7": MAPREDUCE,
    "capacity-3.4": MAPREDUCE,
    "mr1-fifo": MAPREDUCE,
    "spark": SPARK,
}
ACTS: Sequence[tuple[int, Act]] = (
    (22, LoseNode("n02:8041")),
    (25, DrainNode("n03:8041")),
    (31, ReturnNode("n02:8041")),
    (43, KillApplication(2)),
)


def scene(scheduler: str) -> Scenario:
    settings = CAPACITY if scheduler.startswith("capacity") else ""
    return loads(CLUSTER.format(scheduler=scheduler, settings=settings) + KINDS[scheduler], "small.toml")


def rest(simulation: Simulation, start_ms: int) -> bytes:
    """The journal of a run from where it stands, with acts."""
    log = Log()
    simulation.listeners.append(log)
    for second, act in ACTS:
        simulation.run_before(start_ms + second * 1000)
        simulation.act(act)
    simulation.run_until(start_ms + 50_000)
    return log.journal


@pytest.mark.parametrize("scheduler", [kind for kind in KINDS if kind != "mr1-fifo"])
def test_copies_go_on_as_the_original(scheduler: str) -> None:
    """From any instant; several copies with one pool, made as the run goes on."""
    one = scene(scheduler)
    simulation, pool = build_simulation(one), CheckpointPool()
    packed = []
    for second in (0, 7, 20):
        simulation.run_until(one.start_ms + second * 1000)
        packed.append(pack(simulation, pool))
    copies = [simulation.fork(), from_bytes(to_bytes(simulation)), *(unpack(each, pool) for each in packed)]
    for each in copies:
        each.run_until(simulation.now_ms)
    journals = {rest(each, one.start_ms) for each in (simulation, *copies)}

    assert [(each.time_ms - one.start_ms, each.acts) for each in packed] == [(each * 1000, 0) for each in (0, 7, 20)]
    assert len(journals) == 1
    assert len(journals.pop()) > 1000
