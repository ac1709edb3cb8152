"""Scenarios, listeners and short ways to say things, for tests of the simulation."""

from collections.abc import Sequence
from typing import TypeVar

from engine.formats.scenario_toml import loads
from engine.observe.journal import encode_records
from engine.scenario import Scenario
from engine.simulation.build import build_simulation
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

NODES = """
[[cluster.groups]]
count = {count}
prefix = "n"
memory = "16g"
vcores = 16
racks = ["/r1", "/r2"]
"""

SPARK = """
[[workload]]
type = "spark"
user = "ann"
queue = "default"
at = 5
executors = 3
executor = { memory = "2g", vcores = 1 }
duration = 60
"""

BUSY = """
[settings]
"yarn.scheduler.fair.preemption" = "true"
"yarn.scheduler.maximum-allocation-mb" = "14000"
[[queues]]
name = "a"
min_resources = "8192 mb, 4 vcores"
min_share_preemption_timeout = 5
[[queues]]
name = "b"
weight = 2.0
[[workload]]
type = "mapreduce"
user = "ann"
queue = "a"
at = 5
maps = 60
reduces = 6
replication = 3
map_duration = ["10s", "30s"]
reduce_duration = "20s"
failures = 0.05
repeat = { times = 4, every = 90 }
[[workload]]
type = "spark"
user = "bob"
queue = "b"
at = 10
executors = 6
executor = { memory = "6g", vcores = 4 }
duration = "3m"
repeat = { times = 3, every = "4m" }
[[workload]]
type = "service"
user = "eve"
queue = "b"
at = 20
instances = 1
each_node = true
instance = { memory = "1g", vcores = 1 }
[[workload]]
type = "scripted"
user = "kim"
queue = "a"
at = 60
waits = true
asks = [
    { memory = "10g", vcores = 2, count = 2, duration = "90s" },
    { at = 30, memory = "12g", priority = 2, vcores = 2, count = 2, duration = "60s" },
]
[[workload]]
type = "scripted"
user = "lee"
queue = "a"
am = "unmanaged"
at = 70
asks = [{ memory = "1g", count = 2, hosts = ["n2"], relax = false, duration = "60s" }]
[[faults]]
do = "lose"
node = "n3"
at = "3m"
[[faults]]
do = "return"
node = "n3"
at = "16m"
[[faults]]
do = "health"
node = "n5"
healthy = false
at = "6m"
[[faults]]
do = "health"
node = "n5"
healthy = true
at = "8m"
[[faults]]
do = "resize"
node = "n6"
memory = "8g"
vcores = 8
at = "7m"
"""

R = TypeVar("R")


class Log:
    """A listener that remembers everything."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, Record]] = []
        self.lines: list[bytes] = []

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self.entries += [(time_ms, record) for record in records]
        self.lines.append(encode_records(time_ms, records))

    def of(self, kind: type[R]) -> list[R]:
        return [record for _, record in self.entries if isinstance(record, kind)]

    def at(self, kind: type) -> list[int]:
        """When records of one kind came [epoch ms]."""
        return [time_ms for time_ms, record in self.entries if isinstance(record, kind)]

    @property
    def journal(self) -> bytes:
        return b"".join(self.lines)


def scenario(text: str = "", *, count: int = 4, top: str = "") -> Scenario:
    """A scenario of some nodes and what `text` adds; `top` comes before the first table."""
    return loads(f'name = "scene"\nduration = "1h"\n{top}\n{NODES.format(count=count)}\n{text}', "scene")


def played(scene: Scenario, seconds: int, *, naive: bool = False) -> tuple[Simulation, Log]:
    """A simulation of a scenario after some seconds, and its log."""
    log = Log()
    simulation = build_simulation(scene, [log], naive=naive)
    simulation.run_until(scene.start_ms + seconds * 1000)
    return simulation, log
