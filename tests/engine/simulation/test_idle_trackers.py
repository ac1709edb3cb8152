"""Heartbeats of an idle JobTracker that are skipped leave no trace."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.scenario.acts import Act, LoseNode, RestartJobTracker, ReturnNode, SetHealth
from engine.simulation.simulation import Simulation
from engine.state import declared, has_slots, is_state
from tests.engine.simulation.test_job_tracker_world import EVERY_SCHEDULER, MINUTE_MS, job, played

NODE = "node1:8041"
ACTS: tuple[Act, ...] = (
    LoseNode(NODE),
    ReturnNode(NODE),
    SetHealth(NODE, healthy=False),
    SetHealth(NODE, healthy=True),
    RestartJobTracker(down_ms=20_000),
)
LEFT_OUT = ("plays_all", "looks_ms", "horizon_ms")
JOBS = (job(), job(at_ms=3 * MINUTE_MS, maps=1, reduces=0), job(at_ms=6 * MINUTE_MS, failures=0.2))
FAIR = {"mapred.fairscheduler.preemption": "true", "mapred.fairscheduler.update.interval": 700}


def state(simulation: Simulation) -> str:
    """All of it, but for whether, when and how far it skips."""
    seen: dict[int, int] = {}

    def described(each: Any) -> Any:
        if isinstance(each, dict):
            return [(described(key), described(value)) for key, value in each.items()]
        if isinstance(each, list | tuple):
            return [described(member) for member in each]
        if not is_state(type(each)) or not has_slots(type(each)):
            return type(each).__name__ if " at 0x" in repr(each) else repr(each)
        if id(each) in seen:
            return seen[id(each)]
        seen[id(each)] = len(seen)
        return [(slot, described(getattr(each, slot))) for slot in declared(type(each)) if slot not in LEFT_OUT]

    simulation.world.clock.heap.sort()
    return repr(described(simulation.world))


@EVERY_SCHEDULER
@settings(max_examples=8)
@example(steps=[(24_431, SetHealth(NODE, healthy=False), True), (301, None, False)])
@example(steps=[(23_831, LoseNode(NODE), True), (527, None, False)])  # a dead tracker's heartbeat is due
@given(
    steps=st.lists(
        st.tuples(st.integers(1, 3 * MINUTE_MS), st.sampled_from((None, *ACTS)), st.booleans()), min_size=1, max_size=3
    )
)
def test_state_and_records_are_as_if_every_heartbeat_was_played(
    scheduler: str, steps: list[tuple[int, Act | None, bool]]
) -> None:
    """At any instant, with acts in between, and where time goes on event by event."""
    one, kept = played(scheduler, *JOBS, settings=FAIR)
    other, all_kept = played(scheduler, *JOBS, settings=FAIR, naive=True)

    for span_ms, act, is_whole in steps:
        if is_whole:
            one.run_until(one.now_ms + span_ms)
        else:
            one.run_events(40, one.now_ms + span_ms)
        other.run_to(one.world.clock.position)
        assert state(one) == state(other)
        if act is not None:
            one.act(act)
            other.act(act)

    assert kept.kept == all_kept.kept


@pytest.mark.parametrize("scheduler", ["mr1-fifo", "mr1-fair"])
@pytest.mark.parametrize("span_ms", [25_000, 26_017])
def test_a_little_idleness_leaves_everything_as_if_it_was_played(scheduler: str, span_ms: int) -> None:
    """Where heartbeats and passes come next, what was counted, and the instant it stands at."""
    one, _ = played(scheduler, job(maps=1, reduces=0), settings=FAIR)
    other, _ = played(scheduler, job(maps=1, reduces=0), settings=FAIR, naive=True)
    one.run_until(one.now_ms + span_ms)
    other.run_until(other.now_ms + span_ms)
    assert state(one) == state(other)
    assert one.world.heartbeats == other.world.heartbeats

    one.run_events(1, one.now_ms + MINUTE_MS)
    other.run_to(one.world.clock.position)
    assert state(one) == state(other)
