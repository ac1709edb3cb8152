"""The twin of a recorded cluster goes on as the real ResourceManager did after the same kill."""

import pytest

from engine.live.twin.twin import configuration_of_cluster, twin_of
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import snapshot_of_simulation
from engine.scenario.acts import KillApplication
from engine.simulation.build import build_simulation
from tests.engine.live.recorded import rounds_of, snapshot_of

BEHIND_MS = 4_300
"""Of the clock of the recorded rounds, behind the ResourceManager's."""
MASTER_START_MS = 2_000
"""As the rounds before the standstill show."""
SETTINGS = {
    "yarn.scheduler.minimum-allocation-mb": "1024",
    "yarn.scheduler.maximum-allocation-mb": "64000",
    "yarn.scheduler.maximum-allocation-vcores": "32",
    "yarn.scheduler.fair.user-as-default-queue": "false",
}


def started(snapshot: Snapshot, waiting: set[int]) -> int:
    return sum(row.state != "ACCEPTED" for row in snapshot.applications(why=False) if row.number in waiting)


@pytest.mark.parametrize(("round_number", "killed", "agrees_s"), [(3, 10, 7), (13, 16, 9)])
def test_a_kill_on_the_twin_comes_out_as_the_recorded_one(round_number: int, killed: int, agrees_s: int) -> None:
    """So many of those that waited began by each second, and so many nodes were reserved within a few."""
    rounds = [
        each._replace(time_ms=each.time_ms + BEHIND_MS, master_start_ms=MASTER_START_MS)
        for each in rounds_of("2.7.2-fair-kill")
    ]
    before, *after = map(snapshot_of, rounds[round_number : round_number + agrees_s + 1])
    waiting = {row.number for row in before.applications(why=False) if row.state == "ACCEPTED"}
    twin = build_simulation(twin_of(before, configuration_of_cluster(before, SETTINGS)))

    twin.run_until(after[0].header.time_ms - 20)
    _ = twin.act(KillApplication(killed))

    for real in after:
        twin.run_until(real.header.time_ms)
        played = snapshot_of_simulation(twin)
        assert abs(started(played, waiting) - started(real, waiting)) <= 1
        assert isinstance(played.header.nodes_reserved, int)
        assert isinstance(real.header.nodes_reserved, int)
        assert abs(played.header.nodes_reserved - real.header.nodes_reserved) <= 2
