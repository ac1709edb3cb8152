"""What jobs ask of a JobTracker, what is in their way and who holds it, beside the cluster itself."""

from functools import cache

import pytest

from engine.control_plane.job_tracker_view import JobTrackerView
from engine.explain.job_tracker_explainer import JobTrackerExplainer
from engine.formats.scenario_toml import loads
from engine.incremental import finish
from engine.model.mr1.attempt import CHORE, MAP, REDUCE, RUNNING
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import at
from tests.engine.explain.test_job_tracker import HEAD, job

JOBS = (
    job("ann", 0, "3 x 60s", "3 x 60s", "slow_start = 0"),
    job("bob", 5, "6 x 60s", "2"),
    job("eve", 20, "2", "4", "slow_start = 1"),
    job("tom", 29.9, "1"),
)
AT_S = (3, 15, 30, 100)


def made(second: float) -> tuple[Simulation, JobTrackerView, JobTrackerExplainer]:
    """Two trackers of two map and two reduce slots, at a second."""
    text = HEAD.format(scheduler="mr1-fifo", settings="", top="") + "".join(JOBS)
    simulation = at(loads(text, "slots"), second)
    view = simulation.control_plane.view()
    assert isinstance(view, JobTrackerView)
    return simulation, view, JobTrackerExplainer(view, simulation)


@cache
def standing(second: float) -> tuple[Simulation, JobTrackerView, JobTrackerExplainer]:
    return made(second)


@pytest.mark.parametrize("second", AT_S)
def test_jobs_ask_for_what_is_left_of_their_tasks(second: float) -> None:
    """Setup and cleanup first of all; reduces that come later only when no map is left to be given."""
    _, view, explainer = standing(second)
    for number, known in view.cluster.live.items():
        chores, maps = bool(known.chores()), known.pending(MAP) > 0
        reduces = known.pending(REDUCE) > 0
        asks = explainer.priorities(number)
        assert (CHORE in asks) == chores
        if known.state == RUNNING and not chores and not known.is_ended:
            assert (MAP in asks) == maps
            assert (REDUCE in asks) == (reduces and (known.may_start_reduces() or not maps))
        for kind in (MAP, REDUCE, CHORE):
            assert explainer.is_due(number, kind) in {False, kind in asks}
    assert explainer.priorities(99) == []
    assert not explainer.is_due(99, MAP)


@pytest.mark.parametrize("second", AT_S)
def test_jobs_find_no_room_beside_others_when_their_slots_are_all_taken(second: float) -> None:
    _, view, explainer = standing(second)
    numbers = list(view.cluster.live)
    for others in ([], numbers, *([number] for number in numbers)):
        used = [0, 0]
        for container, live in view.containers.live.items():
            if container[0] in others:
                used[live.kind] += live.slots
        expected = set()
        for number, known in view.cluster.live.items():
            kind = REDUCE if known.is_initialized and known.pending(MAP) <= 0 and not known.chores() else MAP
            if used[kind] + 1 > view.cluster.slots[kind]:
                expected.add(number)
        assert explainer.without_room([*numbers, 99], others) == expected


@pytest.mark.parametrize("second", AT_S)
def test_who_waits_is_listed_with_its_reason(second: float) -> None:
    simulation, view, explainer = standing(second)
    waiters = list(explainer.waiting_for_node("n1"))
    since = [each.since_ms or 0 for each in waiters]

    assert since == sorted(since)
    for waiter in waiters:
        rows = finish(explainer.obstacles(waiter.application))
        assert waiter.obstacles == rows
        assert len(rows) == 1
        assert waiter.pending == view.pending(view.cluster.live[waiter.application])
        assert (rows[0].count, rows[0].of) == ((2, 2) if rows[0].level == "NODE" else (0, 0))
        assert rows[0].nodes == (("n1", "n2") if rows[0].level == "NODE" else ())
    assert list(explainer.waiting_in_queue("none")) == []
    queues = {waiter.queue for waiter in waiters}
    for queue in queues:
        assert list(explainer.waiting_in_queue(queue)) == [each for each in waiters if each.queue == queue]
    assert finish(explainer.obstacles(99)) == ()
    assert simulation.now_ms > 0
