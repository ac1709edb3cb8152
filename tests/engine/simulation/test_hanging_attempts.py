"""Attempts on trackers that say nothing more, with a time-out and without one."""

import pytest

from engine.control_plane.job_tracker_parts import container_of
from engine.model.decision import Allocated, Completed
from tests.engine.simulation.test_job_tracker_world import MINUTE_MS, final_states, job, played, run_on


def test_an_attempt_that_says_nothing_is_failed_by_its_tracker() -> None:
    """Half-way it falls silent; at the first heartbeat after the time-out it has failed; four times are too many."""
    hung = job(maps=1, reduces=0, map_duration_ms=(20_000, 20_000), hangs=0.99, task_timeout_ms=30_000)
    simulation, recorder = played("mr1-fifo", hung, settings={"mapred.map.tasks.speculative.execution": "false"})
    run_on(simulation, 5 * MINUTE_MS)
    begun = {each.container: at for at, each in recorder.kept if isinstance(each, Allocated)}
    ended = {each.container: (at, each.exit_status) for at, each in recorder.kept if isinstance(each, Completed)}
    first, second = container_of((1, 0, 0, 0)), container_of((1, 0, 0, 1))

    assert ended[first][1] == 1
    assert 40_000 < ended[first][0] - begun[first] <= 40_600
    assert begun[second] > ended[first][0]
    assert final_states(recorder) == {1: "FAILED"}


@pytest.mark.long
def test_without_a_time_out_an_attempt_hangs_for_ever() -> None:
    hung = job(maps=1, reduces=0, hangs=0.99, task_timeout_ms=0)
    simulation, recorder = played("mr1-fifo", hung, settings={"mapred.map.tasks.speculative.execution": "false"})
    run_on(simulation, 30 * MINUTE_MS)

    assert final_states(recorder) == {1: "RUNNING"}
    assert not simulation.world.has_news()
