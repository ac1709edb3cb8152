"""A JobTracker that is restarted: what it loses, what it runs again, and how trackers come back."""

from typing import Any

import pytest

from engine.control_plane.job_tracker_events import JobTrackerStarted, JobTrackerStopped
from engine.control_plane.protocol import NodeJoined, NodeRegisteredAgain
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.observe.history import History
from engine.observe.snapshots import snapshot_of_simulation
from engine.scenario.acts import (
    Act,
    DrainNode,
    LoseNode,
    Reload,
    RestartJobTracker,
    RestartResourceManager,
    ReturnNode,
    SetPriority,
    SubmitApplication,
)
from engine.simulation.records import Submitted
from engine.simulation.simulation import Simulation
from tests.engine.simulation.test_job_tracker_world import (
    EVERY_SCHEDULER,
    Recorder,
    final_states,
    job,
    jobs_of,
    played,
    run_on,
)

RECOVERS = {"mapred.jobtracker.restart.recover": "true"}
LONG = job(maps=12, map_duration_ms=(60_000, 60_000))


def restarted(
    *jobs: dict[str, Any], scheduler: str = "mr1-fifo", settings: dict[str, Any] | None = None, down_ms: int = 5_000
) -> tuple[Simulation, Recorder]:
    """Restarted after twenty seconds, and played until it has been there for two."""
    simulation, recorder = played(scheduler, *jobs, settings=settings)
    run_on(simulation, 20_000)
    simulation.act(RestartJobTracker(down_ms))
    run_on(simulation, down_ms + 2_000)
    return simulation, recorder


@EVERY_SCHEDULER
def test_without_recovery_every_job_is_lost(scheduler: str) -> None:
    """Jobs that ran have failed, what they ran has ended, and the cluster is free for others."""
    simulation, recorder = restarted(LONG, scheduler=scheduler)

    assert final_states(recorder) == {1: "FAILED"}
    assert {each.cause for each in recorder.of(Killed)} == {"ORPHANED"}
    begun = [each.container for each in recorder.of(Allocated)]
    assert sorted(begun) == sorted(each.container for _, each in recorder.kept if isinstance(each, Completed | Killed))
    assert snapshot_of_simulation(simulation).header.used == (0, 0)
    simulation.act(SubmitApplication({"type": "mapreduce", "user": "bob", "maps": 2}))
    run_on(simulation, 120_000)
    assert final_states(recorder)[2] == "FINISHED"


@pytest.mark.slow
@EVERY_SCHEDULER
def test_recovered_jobs_run_again_from_their_beginning(scheduler: str) -> None:
    """Under their numbers, with none of their tasks kept, and from their first attempts."""
    simulation, recorder = restarted(LONG, scheduler=scheduler, settings=RECOVERS)
    again = jobs_of(simulation).cluster.jobs[1]

    assert again.start_ms == recorder.kept[0][0] + 25_000
    assert again.finished == [0, 0]
    run_on(simulation, 600_000)
    assert final_states(recorder) == {1: "FINISHED"}
    first_map = [each for each in recorder.of(Allocated) if each.container == (1, 1, 0)]
    assert len(first_map) == 2


def test_a_job_may_refuse_to_be_recovered() -> None:
    _, recorder = restarted(LONG, settings={**RECOVERS, "mapreduce.job.restart.recover": "false"})

    last = recorder.of(ApplicationTransitioned)[-1]
    assert (last.state, last.detail) == (
        "FAILED",
        "lost with the JobTracker: mapreduce.job.restart.recover is not true",
    )


def test_a_changed_priority_is_not_recovered() -> None:
    simulation, _ = played("mr1-fifo", LONG, settings=RECOVERS)
    run_on(simulation, 5_000)
    simulation.act(SetPriority(1, 4))
    simulation.act(RestartJobTracker(5_000))
    before = jobs_of(simulation).cluster.jobs[1].priority
    run_on(simulation, 6_000)

    assert (before, jobs_of(simulation).cluster.jobs[1].priority) == (0, 2)


def test_a_job_that_its_queue_takes_no_longer_is_lost() -> None:
    declared = {**RECOVERS, "mapred.fairscheduler.allow.undeclared.pools": "false"}
    simulation, recorder = played("mr1-fair", settings=declared)
    pools = '<allocations><pool name="ann"/></allocations>'
    simulation.act(Reload(pools))
    run_on(simulation, 30_000)
    simulation.act(SubmitApplication({"type": "mapreduce", "user": "ann", "queue": "ann", "maps": 2}))
    simulation.act(Reload("<allocations/>"))
    simulation.act(RestartJobTracker(1_000))
    run_on(simulation, 2_000)

    last = recorder.of(ApplicationTransitioned)[-1]
    assert last.state == "FAILED"
    assert last.detail.startswith("cannot be recovered: pool ann is not declared")


def test_trackers_are_counted_back() -> None:
    """Nobody answers for five seconds; a second later all have started over, and what they ran is gone."""
    simulation, recorder = played("mr1-fifo", LONG)
    run_on(simulation, 20_000)
    running = sum(len(node.running) for node in simulation.world.nodes)
    simulation.act(RestartJobTracker(5_000))
    run_on(simulation, 4_999)
    down = snapshot_of_simulation(simulation).header
    still = sum(len(node.running) for node in simulation.world.nodes)
    run_on(simulation, 1)
    begun = snapshot_of_simulation(simulation).header
    run_on(simulation, 1_301)
    back = snapshot_of_simulation(simulation).header

    assert still == running > 0
    assert down.recovery is not None
    assert down.recovery.is_down
    assert begun.recovery is not None
    assert (begun.recovery.is_down, begun.recovery.nodes_back, begun.recovery.nodes_known) == (False, 0, 4)
    assert (back.recovery, back.nodes) == (None, 4)
    assert [type(each) for _, each in recorder.kept if isinstance(each, JobTrackerStopped | JobTrackerStarted)] == [
        JobTrackerStopped,
        JobTrackerStarted,
    ]
    assert sum(len(node.running) for node in simulation.world.nodes) == 0


def test_a_tracker_that_stays_away_is_given_up() -> None:
    """It counts as missing for the expiry interval after the start, and is no lost tracker: nobody knows it."""
    simulation, _ = played("mr1-fifo", settings={"mapred.tasktracker.expiry.interval": 30_000})
    run_on(simulation, 20_000)
    gone = simulation.world.nodes[0].id
    simulation.act(LoseNode(gone))
    simulation.act(RestartJobTracker(5_000))
    run_on(simulation, 30_000)
    waits = snapshot_of_simulation(simulation).header.recovery
    run_on(simulation, 10_000)
    header = snapshot_of_simulation(simulation).header

    assert waits is not None
    assert (waits.nodes_back, waits.nodes_known) == (3, 4)
    assert (header.recovery, header.nodes, header.nodes_down) == (None, 3, 0)
    simulation.act(ReturnNode(gone))
    run_on(simulation, 2_000)
    assert snapshot_of_simulation(simulation).header.nodes == 4


def test_a_tracker_that_starts_while_nobody_answers_is_there_afterwards() -> None:
    simulation, _ = played("mr1-fifo")
    run_on(simulation, 20_000)
    gone = simulation.world.nodes[0].id
    simulation.act(LoseNode(gone))
    simulation.act(RestartJobTracker(5_000))
    run_on(simulation, 1_000)
    simulation.act(ReturnNode(gone))
    run_on(simulation, 6_000)

    assert snapshot_of_simulation(simulation).header.nodes == 4


def test_clients_wait_and_operators_are_refused_while_nobody_answers() -> None:
    """A submission of the scenario comes when it can, within a second; an act is refused."""
    late = job(name="late", at_ms=21_000)
    simulation, recorder = played("mr1-fifo", LONG, late)
    run_on(simulation, 20_000)
    simulation.act(RestartJobTracker(5_000))
    act: Act
    for act in (DrainNode(simulation.world.nodes[0].id), SetPriority(1, 3)):
        assert simulation.act(act).rejected == "ConnectException"
    assert [row.obstacle.code for row in snapshot_of_simulation(simulation).applications() if row.obstacle] == [
        "NO_JOB_TRACKER"
    ]
    run_on(simulation, 7_000)

    submitted = [at for at, each in recorder.kept if isinstance(each, Submitted) and each.name == "late"]
    assert submitted == [recorder.kept[0][0] + 25_000]


def test_a_second_stop_changes_when_it_starts_and_nothing_else() -> None:
    simulation, recorder = restarted(LONG, down_ms=5_000)
    simulation.act(RestartJobTracker(60_000))
    simulation.act(RestartJobTracker(3_000))
    run_on(simulation, 5_000)

    assert len(recorder.of(JobTrackerStopped)) == len(recorder.of(JobTrackerStarted)) == 2
    assert jobs_of(simulation).answers


def test_graphs_follow_the_new_job_tracker() -> None:
    simulation, recorder = played("mr1-fifo", LONG)
    history = History()
    history.follow(simulation.control_plane, simulation.now_ms)
    simulation.listeners.append(history)
    run_on(simulation, 20_000)
    simulation.act(RestartJobTracker(5_000))
    run_on(simulation, 8_000)
    simulation.act(SubmitApplication({"type": "mapreduce", "user": "bob", "maps": 2}))

    last = history.cluster.at(simulation.now_ms)
    assert last == history.reading(simulation.control_plane, simulation.now_ms)
    assert recorder.kept


@pytest.mark.parametrize("settings", [{}, RECOVERS])
def test_a_fork_in_the_middle_of_a_restart_goes_on_alike(settings: dict[str, Any]) -> None:
    simulation, recorder = played("mr1-fair", settings=settings)
    run_on(simulation, 20_000)
    simulation.act(RestartJobTracker(5_000))
    run_on(simulation, 2_000)
    before, late = len(recorder.kept), Recorder()
    copy = simulation.fork()
    copy.listeners.append(late)
    run_on(simulation, 60_000)
    run_on(copy, 60_000)

    assert recorder.kept[before:] == late.kept


def test_each_control_plane_has_its_own_restart() -> None:
    simulation, _ = played("mr1-fifo")

    assert simulation.act(RestartResourceManager(1_000)).rejected == "UnsupportedOperationException"


@EVERY_SCHEDULER
def test_a_tracker_that_runs_is_not_started_anew_while_the_job_tracker_is_down(scheduler: str) -> None:
    """It keeps what it runs; one that died meanwhile starts with nothing and serves once the JobTracker is back."""
    simulation, recorder = played(scheduler, LONG, settings=RECOVERS)
    run_on(simulation, 20_000)
    simulation.act(RestartJobTracker(60_000))
    run_on(simulation, 10_000)
    first, second = (node.id for node in simulation.world.nodes[:2])
    simulation.act(LoseNode(second))
    before = len(recorder.kept)
    simulation.act(ReturnNode(first))
    simulation.act(ReturnNode(second))
    run_on(simulation, 1)

    assert not [each for _, each in recorder.kept[before:] if isinstance(each, NodeJoined | NodeRegisteredAgain)]
    run_on(simulation, 120_000)
    assert second in {each.node for _, each in recorder.kept[before:] if isinstance(each, NodeRegisteredAgain)}
    assert {each.node for _, each in recorder.kept[before:] if isinstance(each, Allocated)} >= {first, second}
