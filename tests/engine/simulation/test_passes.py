"""At which instants background passes run: multiples of their interval from where the control plane's life began."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control_plane.resource_manager import ResourceManager
from engine.scenario import Scenario
from engine.scenario.acts import Act, KillApplication, LoseNode, RestartResourceManager, SetPreemption, SetSetting
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from engine.simulation.world import PASS_RUNS
from tests.engine.simulation.scenes import Log, scenario

CAPACITY = {
    "yarn.scheduler.capacity.root.queues": "default",
    "yarn.scheduler.capacity.root.default.capacity": "100",
    "yarn.resourcemanager.scheduler.monitor.enable": "true",
}
HELD = """
[[workload]]
type = "scripted"
user = "ann"
queue = "default"
at = 5
asks = [{ memory = "1g", count = 3, duration = "forever" }]
"""


def scene(scheduler: str, **settings: str) -> Scenario:
    more = {**(CAPACITY if scheduler.startswith("capacity") else {}), **settings}
    update = {"scheduler": scheduler, "settings": {**more, "yarn.resourcemanager.recovery.enabled": "true"}}
    return scenario(HELD, count=2).model_copy(update=update)


def scheduled(simulation: Simulation) -> list[tuple[int, str]]:
    """(ms after the start, pass) of the passes on the clock."""
    world = simulation.world
    found = [(event[0], world.pass_names[event[2]][0]) for event in world.clock.heap if event[3] == PASS_RUNS]
    return [(time_ms - world.ground.start_ms, name) for time_ms, name in sorted(found)]


def resting(simulation: Simulation) -> list[str]:
    return [simulation.world.pass_names[order][0] for order in sorted(simulation.world.resting)]


@pytest.mark.parametrize(
    ("scheduler", "first"),
    [
        ("fair-2.7", [(500, "preempt"), (500, "update")]),
        ("fair-3.4", [(500, "due_kills"), (500, "preempt"), (500, "update")]),
        ("capacity-3.4", [(3_000, "preempt")]),
    ],
)
def test_a_pass_runs_first_an_interval_after_the_start(scheduler: str, first: list[tuple[int, str]]) -> None:
    """And so again after a restart; one that waits for something does not run."""
    one = scene(scheduler)
    simulation = build_simulation(one)
    assert (scheduled(simulation), resting(simulation)) == (first, ["expire_allocations"])
    simulation.run_until(one.start_ms + 20_123)
    simulation.act(RestartResourceManager(1_000))
    assert (scheduled(simulation), resting(simulation), simulation.world.resting) == ([], [], {})
    simulation.run_until(one.start_ms + 21_123)
    assert scheduled(simulation) == [(21_123 + time_ms, name) for time_ms, name in first]
    assert simulation.world.since_ms - one.start_ms == 21_123


@pytest.mark.parametrize("scheduler", ["fair-2.7", "fair-3.4", "capacity-3.4"])
def test_resting_changes_nothing_that_is_recorded(scheduler: str) -> None:
    one, logs = scene(scheduler), []
    for naive in (False, True):
        log = Log()
        simulation = build_simulation(one, [log], naive=naive)
        for second in (7, 12, 20):
            simulation.run_until(one.start_ms + second * 1_000)
            simulation.act(SetPreemption(on=second == 12))
        simulation.act(LoseNode("n1"))
        simulation.run_until(one.start_ms + 700_000)
        logs.append(log.journal)
    assert logs[0] == logs[1]


# An update pass of FairScheduler 2.7 that rests changes nothing that anybody sees, its starvation clocks included.

SCENE = """
[settings]
"yarn.scheduler.fair.preemption.cluster-utilization-threshold" = "0.1"
[[queues]]
name = "a"
min_resources = "8192 mb, 4 vcores"
min_share_preemption_timeout = 20
fair_share_preemption_timeout = 40
[[queues]]
name = "b"
"""

WORK = """
[[workload]]
type = "scripted"
user = "u{queue}"
queue = "{queue}"
am = "unmanaged"
at = {at}
asks = [{{ memory = "{gb}g", vcores = 1, count = {count}, duration = {duration} }}]
"""

JOBS = st.lists(
    st.fixed_dictionaries(
        {
            "queue": st.sampled_from("ab"),
            "at": st.integers(1, 300_000).map(lambda at_ms: at_ms / 1000),
            "gb": st.integers(1, 8),
            "count": st.integers(1, 20),
            "duration": st.integers(1, 250),
        }
    ),
    min_size=1,
    max_size=5,
)

ACTS = st.sampled_from(
    (
        None,
        SetSetting("preemption", "true"),
        SetSetting("preemption", "false"),
        SetSetting("queue.root.a.minResources", "12288 mb, 4 vcores"),
        KillApplication(1),
        RestartResourceManager(4_000),
    )
)


def resting_scene(jobs: list[dict[str, Any]]) -> Scenario:
    """Two queues, one of them with a minimum, on two nodes."""
    return scenario(SCENE + "".join(WORK.format(**job) for job in jobs), count=2)


def seen(simulation: Simulation) -> object:
    control_plane = simulation.control_plane
    assert isinstance(control_plane, ResourceManager)
    return control_plane.scheduler.policy.view().queues()


@settings(max_examples=40, deadline=None)
@given(JOBS, st.lists(st.tuples(st.integers(1, 60_000), ACTS), max_size=8))
def test_a_resting_update_is_seen_nowhere(jobs: list[dict[str, Any]], acts: list[tuple[int, Act | None]]) -> None:
    """Journals, and since when each queue starves, are those of a cluster played beat by beat."""
    one = resting_scene(jobs)
    log, naive_log = Log(), Log()
    simulation, naive = build_simulation(one, [log]), build_simulation(one, [naive_log], naive=True)
    at_ms = one.start_ms
    for wait_ms, act in [*acts, (60_000, None)]:
        at_ms += wait_ms
        for each in (simulation, naive):
            each.run_until(at_ms)
            if act is not None:
                each.act(act)
        assert seen(simulation) == seen(naive)

    assert log.journal == naive_log.journal
