"""An update pass of FairScheduler 2.7 that rests changes nothing that anybody sees, its starvation clocks included."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control_plane.resource_manager import ResourceManager
from engine.scenario import Scenario
from engine.scenario.acts import Act, KillApplication, RestartResourceManager, SetSetting
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.simulation.scenes import Log, scenario

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


def scene(jobs: list[dict[str, Any]]) -> Scenario:
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
    one = scene(jobs)
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
