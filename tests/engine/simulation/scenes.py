"""Scenarios, listeners and short ways to say things, for tests of the simulation."""

from collections.abc import Sequence
from pathlib import Path
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

BUSY = (Path(__file__).parents[2] / "cases" / "scenes" / "busy.toml").read_text(encoding="utf-8")

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
