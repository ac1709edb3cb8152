"""Sessions and services in a simulation: their laws, and what a snapshot says of them."""

import pytest

from engine.observe.snapshots import snapshot_of_simulation
from tests.engine.simulation.scenes import played, scenario

LIVES = """
[[workload]]
type = "tez"
name = "hive"
user = "ann"
queue = "a"
at = 2
held = 1
session_timeout = "3m"
dags = [{ repeat = { times = 3, every = "1m" }, stages = [
    { tasks = 30, duration = ["4s", "12s"] }, { tasks = 3, duration = "5s" },
] }]
[[workload]]
type = "spark"
name = "shell"
user = "bob"
queue = "b"
executor = { memory = "4g", vcores = 2 }
dynamic = { idle = "15s", shuffle = "tracking", cached_idle = "1m" }
jobs = [
    { stages = [{ tasks = 40, duration = ["5s", "9s"] }, { tasks = 4, duration = "20s", caches = true }] },
    { at = "2m", stages = [{ tasks = 10, duration = "9s" }] },
]
[[workload]]
type = "service"
name = "llap"
user = "eve"
queue = "b"
at = 5
instances = 1
each_node = true
instance = { memory = "2g", vcores = 1 }
tasks_each = 2
jobs = [{ at = "20s", stages = [{ tasks = 20, duration = "7s" }] }]
[[faults]]
do = "lose"
node = "n2"
at = "70s"
"""


@pytest.mark.parametrize("scheduler", ["fair-2.7", "fair-3.4", "fifo", "capacity-2.7"])
def test_leaving_out_quiet_calls_changes_nothing(scheduler: str) -> None:
    """The journal is the same, byte for byte, when every heartbeat and every call is made."""
    queues = "" if not scheduler.startswith("capacity") else CAPACITY
    scene = scenario(queues + LIVES, top=f'scheduler = "{scheduler}"\nseed = 4')

    assert played(scene, 300)[1].journal == played(scene, 300, naive=True)[1].journal


CAPACITY = """
[settings]
"yarn.scheduler.capacity.root.queues" = "a,b"
"yarn.scheduler.capacity.root.a.capacity" = 50
"yarn.scheduler.capacity.root.b.capacity" = 50
"""


def test_a_snapshot_says_what_sessions_and_services_are_at() -> None:
    """Jobs done, idle since when, and with how many containers; of others it says nothing."""
    simulation, _ = played(scenario(LIVES), 60)
    rows = {row.name: row for row in snapshot_of_simulation(simulation).applications()}

    assert {name: row.lifespan for name, row in rows.items()} == {
        "hive": "session",
        "shell": "session",
        "llap": "service",
    }
    assert (rows["hive"].jobs, rows["hive"].jobs_done) == (3, 1)
    assert rows["hive"].idle_since_ms is not None
    assert (rows["llap"].jobs_done, rows["llap"].idle_containers) == (1, 4)
