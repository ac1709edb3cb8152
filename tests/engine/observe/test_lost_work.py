"""What runs at an instant, by the containers of the control plane."""

from engine.explain.instant import instant_of
from engine.formats.scenario_toml import loads
from engine.model.cluster import EPOCH_BITS
from engine.observe.snapshots import held_now

RESTARTED = """
duration = "1h"
scheduler = "fair-3.4"
[settings]
"yarn.resourcemanager.recovery.enabled" = true
"yarn.resourcemanager.work-preserving-recovery.enabled" = true
"yarn.resourcemanager.connect.retry-interval.ms" = 1000
[cluster]
nodes = [{ host = "n1", memory = "8g", vcores = 8 }]
[[workload]]
type = "scripted"
user = "ann"
at = 1
am = "unmanaged"
asks = [{ memory = "1g", duration = "5m" }, { memory = "2g", vcores = 2, priority = 2, at = 30, duration = "5m" }]
[[faults]]
do = "rm_restart"
at = 20
down = 5
"""


def test_what_a_restarted_resource_manager_gave_is_held() -> None:
    """Its containers have its epoch in their numbers, those of its former life have none."""
    scenario = loads(RESTARTED, "restarted")
    held = held_now(instant_of(scenario, 60_000).simulation)

    sizes = {number >> EPOCH_BITS: (one.memory_mb, one.vcores) for (_, _, number), one in held.items()}
    assert sizes == {0: (1024, 1), 1: (2048, 2)}
    assert all(each.since_ms > scenario.start_ms for each in held.values())


def test_what_runs_on_nodes_that_have_yet_to_register_again_is_held() -> None:
    """Just before the ResourceManager stops, while it is away, as it starts again, and when the node has found it."""
    scenario = loads(RESTARTED, "restarted")
    held = [held_now(instant_of(scenario, at_ms).simulation) for at_ms in (19_999, 22_000, 25_000, 27_000)]

    assert [len(each) for each in held] == [1, 1, 1, 1]
    assert held[1:] == held[:1] * 3
