"""A small real run, with a wall clock that is moved by hand; nothing sleeps."""

from typing import Any

from engine.formats.scenario_toml import loads
from engine.run.player import Run
from engine.scenario import Scenario
from tui.session.event_log import EventLog
from tui.session.session import Session

SMALL = """
name = "small"
start = 2017-11-11T08:30:00+08:00
duration = "10m"
seed = 4

[cluster]
groups = [{ count = 2, prefix = "n", memory_mb = 4096, vcores = 4 }]

[[workload]]
type = "scripted"
name = "holder"
user = "eve"
number = 7
at = "5s"
asks = [{ memory_mb = 1024, count = 2 }]

[[script]]
at = "30s"
do = "kill"
application = "holder"
"""


class Wall:
    """A wall clock that only moves when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """What it says."""
        return self.now


def small_scenario() -> Scenario:
    """Two nodes and one application, which is killed at 30 s."""
    return loads(SMALL, "small.toml")


def small_session(**options: Any) -> tuple[Session, Run, Wall]:
    """A session on it, its run, and the wall clock."""
    wall, log = Wall(), EventLog()
    run = Run(small_scenario(), [log])
    return Session(run, log, wall=wall, **options), run, wall


def play(session: Session, wall: Wall, seconds: float) -> None:
    """Let wall time pass in slices of 1/64 s."""
    for _ in range(round(seconds * 64)):
        wall.now += 1 / 64
        session.slice()
