"""The pace of a run through the steps of its script, one event or one second at a time."""

from math import inf

from engine.formats.scenario_toml import loads
from engine.run.player import Run
from tests.tui.small_run import SMALL, Wall
from tui.session.alert_monitor import EventLog
from tui.session.time_travel import ScriptPace

SECOND = """
[[script]]
at = "50s"
do = "preemption"
on = true
"""


def paced(seconds: float = 0, *, speed: float = 1.0) -> tuple[ScriptPace, Run, Wall]:
    """A pace of the small run with a second step in its script."""
    log, wall = EventLog(), Wall()
    run = Run(loads(SMALL + SECOND, "small.toml"), [log])
    run.advance(round(seconds * 1000))
    return ScriptPace(run, log, speed=speed, paused=False, wall=wall), run, wall


def acts(run: Run) -> list[int]:
    return [position[0] - run.scenario.start_ms for position, _ in run.simulation.acts]


def test_single_events_come_one_by_one_and_a_step_of_the_script_among_them() -> None:
    pace, run, _ = paced(29.5)
    seen = []
    while run.now_ms < 30_000:
        due = run.simulation.next_event_ms()
        pace.step_event()
        seen.append((due is not None and due < run.scenario.start_ms + 30_000, run.simulation.now_ms == due))

    assert acts(run) == [30_000]
    assert all(is_event for is_before, is_event in seen if is_before)
    assert run.now_ms == 30_000


def test_after_a_branch_the_steps_ahead_come_again() -> None:
    pace, run, _ = paced(60, speed=inf)
    other = Run(run.scenario)
    other.advance(40_000)
    run.branch(other.simulation, [])
    pace.branch(other.simulation)
    for _ in range(1000):
        _ = pace.slice()

    assert (run.now_ms, acts(run)) == (600_000, [30_000, 50_000])
