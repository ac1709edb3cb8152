"""A simulated MapReduce 1 cluster: its laws, and what becomes of jobs when trackers and attempts go."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_parts import container_of
from engine.control_plane.protocol import HeartbeatResponse, JobSubmitted, TrackerHeartbeat
from engine.explain.explainers import explainer_of
from engine.incremental import run_to_end
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.model.mr1.task_in_progress import InputSplit, JobDescription
from engine.model.mr1.tracker import TaskReport, TrackerReport
from engine.observe.snapshots import snapshot_of_simulation
from engine.scenario import Scenario
from engine.scenario.acts import (
    Act,
    DrainNode,
    KillApplication,
    LoseNode,
    Reload,
    RestartJobTracker,
    ReturnNode,
    SetHealth,
)
from engine.schedulers.mr1.fair import FairTaskScheduler
from engine.simulation.build import build_simulation
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation
from engine.state import declared, has_slots, is_state

SETTINGS: dict[str, dict[str, Any]] = {
    "mr1-fifo": {},
    "mr1-fair": {"mapred.fairscheduler.locality.delay": 0},
    "mr1-capacity": {"mapred.capacity-scheduler.queue.default.capacity": 100},
}
MINUTE_MS = 60_000
EVERY_SCHEDULER = pytest.mark.parametrize("scheduler", SETTINGS)


class Recorder:
    """Keeps all records with their instants."""

    def __init__(self) -> None:
        self.kept: list[tuple[int, Any]] = []

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self.kept += [(time_ms, record) for record in records]

    def of(self, kind: type) -> list[Any]:
        return [record for _, record in self.kept if isinstance(record, kind)]


def job(**keys: Any) -> dict[str, Any]:
    """A job of eight maps of 10 s and four reduces of 10 s, but for what is said."""
    plain = {"type": "mapreduce", "name": "job", "user": "ann", "maps": 8, "reduces": 4, "replication": 2}
    return {**plain, "map_duration_ms": (10_000, 10_000), "reduce_duration_ms": (10_000, 10_000), **keys}


def played(
    scheduler: str,
    *jobs: dict[str, Any],
    naive: bool = False,
    settings: dict[str, Any] | None = None,
    memory_mb: int = 8_192,
) -> tuple[Simulation, Recorder]:
    """A simulation of four trackers of two map and two reduce slots, at its start."""
    scenario = Scenario.model_validate(
        {
            "scheduler": scheduler,
            "seed": 5,
            "settings": {**SETTINGS.get(scheduler, {}), **(settings or {})},
            "cluster": {"groups": [{"count": 4, "racks": ("/a", "/b"), "memory_mb": memory_mb, "vcores": 8}]},
            "workload": jobs or [job(), job(name="second", user="bob", at_ms=5_000, failures=0.2)],
        }
    )
    recorder = Recorder()
    return build_simulation(scenario, [recorder], naive=naive), recorder


def run_on(simulation: Simulation, span_ms: int) -> None:
    simulation.run_until(simulation.now_ms + span_ms)


def final_states(recorder: Recorder) -> dict[int, str]:
    return {each.application: each.state for each in recorder.of(ApplicationTransitioned)}


def jobs_of(simulation: Simulation) -> JobTracker:
    assert isinstance(simulation.control_plane, JobTracker)
    return simulation.control_plane


@EVERY_SCHEDULER
def test_every_attempt_that_was_launched_ends_once(scheduler: str) -> None:
    """Jobs finish; each container is allocated before it ends and ends exactly once; nothing is left."""
    simulation, recorder = played(scheduler)

    run_on(simulation, 10 * MINUTE_MS)

    begun = [each.container for each in recorder.of(Allocated)]
    ended = [each.container for _, each in recorder.kept if isinstance(each, Completed | Killed)]
    assert set(final_states(recorder).values()) == {"SUCCEEDED"}
    assert sorted(begun) == sorted(ended)
    assert len(set(begun)) == len(begun)
    assert not jobs_of(simulation).containers.live


def test_maps_of_a_lost_tracker_run_again() -> None:
    """A tracker that is silent for the expiry interval is lost; its finished maps are repeated for the reduces."""
    simulation, recorder = played(
        "mr1-fifo", job(reduce_duration_ms=(120_000, 120_000)), settings={"mapred.tasktracker.expiry.interval": 30_000}
    )
    run_on(simulation, 30_000)
    assert jobs_of(simulation).cluster.jobs[1].finished[0] == 8

    simulation.act(LoseNode("node1:8041"))
    run_on(simulation, 40_000)

    assert {each.cause for each in recorder.of(Killed) if each.node == "node1:8041"} <= {"LOST"}
    assert jobs_of(simulation).cluster.jobs[1].launched_maps > 8
    simulation.act(ReturnNode("node1:8041"))
    run_on(simulation, 5 * MINUTE_MS)
    assert final_states(recorder) == {1: "SUCCEEDED"}
    assert jobs_of(simulation).cluster.active_trackers == 4


def test_an_excluded_tracker_leaves_at_once() -> None:
    simulation, recorder = played("mr1-fifo", job())
    run_on(simulation, 6_000)

    simulation.act(DrainNode("node2:8041"))

    assert {each.cause for each in recorder.of(Killed)} == {"LOST"}
    run_on(simulation, 3 * MINUTE_MS)
    assert final_states(recorder) == {1: "SUCCEEDED"}
    assert jobs_of(simulation).cluster.active_trackers == 3


def test_an_unhealthy_tracker_keeps_its_attempts_and_gets_none() -> None:
    simulation, _ = played("mr1-fifo", job(map_duration_ms=(60_000, 60_000)))
    run_on(simulation, 6_000)

    simulation.act(SetHealth("node1:8041", healthy=False))
    run_on(simulation, 1_000)
    sick = next(node for node in snapshot_of_simulation(simulation).nodes() if node.host == "node1")

    assert (sick.state, sick.used[0]) == ("UNHEALTHY", 2)
    assert snapshot_of_simulation(simulation).header.total == (6, 6)
    simulation.act(SetHealth("node1:8041", healthy=True))
    run_on(simulation, 1_000)
    assert snapshot_of_simulation(simulation).header.total == (8, 8)


def test_a_killed_job_ends_with_its_cleanup_task() -> None:
    simulation, recorder = played("mr1-fifo", job())
    run_on(simulation, 6_000)

    simulation.act(KillApplication(1))
    assert final_states(recorder) == {1: "RUNNING"}
    run_on(simulation, 10_000)

    assert final_states(recorder) == {1: "KILLED"}
    assert {each.cause for each in recorder.of(Killed)} == {"APPLICATION_ENDED"}
    assert simulation.act(KillApplication(1)).rejected == "JobNotFound"


def test_idle_map_slots_run_no_reduces() -> None:
    """Why a job waits names the slots of the wrong kind, and who holds those of the right one."""
    simulation, _ = played(
        "mr1-fifo",
        job(maps=4, reduces=8, reduce_duration_ms=(300_000, 300_000)),
        job(name="late", maps=1, reduces=4, at_ms=30_000),
    )
    run_on(simulation, 2 * MINUTE_MS)
    row = next(row for row in snapshot_of_simulation(simulation).applications() if row.number == 2)
    explainer = explainer_of(simulation)

    assert row.obstacle is not None
    assert row.obstacle.sentence == "all 8 reduce slots are taken; 8 map slots are idle and run no reduces"
    assert [hold.application for hold in run_to_end(explainer.holds(2))] == [1]


def test_slots_of_the_wrong_kind_cost_time_that_containers_do_not() -> None:
    """The same reduce-heavy job on the same four machines: half the slots idle, so it ends later than as containers."""
    heavy = job(maps=8, reduces=48, reduce_duration_ms=(30_000, 30_000), slow_start=1.0)
    slots, of_slots = played("mr1-fifo", heavy)
    containers, of_containers = played("fair-2.7", heavy, memory_mb=4_096)

    run_on(slots, 60_000)
    used, total = (snapshot_of_simulation(slots).header.used, snapshot_of_simulation(slots).header.total)
    run_on(slots, 9 * MINUTE_MS)
    run_on(containers, 10 * MINUTE_MS)

    assert (used, total) == ((0, 8), (8, 8))
    assert (final_states(of_slots), final_states(of_containers)) == ({1: "SUCCEEDED"}, {1: "FINISHED"})
    assert end_of(of_containers) + 30_000 < end_of(of_slots)  # at least one wave of reduces


def end_of(recorder: Recorder) -> int:
    return next(time_ms for time_ms, each in recorder.kept if isinstance(each, ApplicationTransitioned) and each.is_end)


POOLS = "<allocations><pool name='gold'><minMaps>{}</minMaps></pool></allocations>"


def test_a_changed_file_of_pools_is_read_when_it_is_five_seconds_old() -> None:
    """It is looked for every ten seconds; a pool it names for the first time is there then."""
    simulation, _ = played("mr1-fair", job())
    run_on(simulation, 11_000)

    simulation.act(Reload(POOLS.format(3)))
    seen = []
    for _ in range(20):
        run_on(simulation, 1_000)
        rows = {row.path: row for row in snapshot_of_simulation(simulation).queues()}
        seen.append("gold" in rows)

    assert seen.index(True) in range(5, 15)
    scheduler = jobs_of(simulation).scheduler
    assert isinstance(scheduler, FairTaskScheduler)
    assert scheduler.allocations.pool("gold").minimum == (3, 0)


def test_an_attempt_that_is_never_reported_fails_after_the_expiry_interval() -> None:
    """A tracker that took it and does not name it; the task is made again."""
    tracker = JobTracker({"mapred.tasktracker.expiry.interval": "30000"})
    tracker.handle(JobSubmitted(JobDescription("job", "ann", (InputSplit(()),), 0), 1), 0)

    def beat(now_ms: int, response: int, reports: tuple[TaskReport, ...] = ()) -> HeartbeatResponse:
        report = TrackerReport("tracker_n1:1", "n1", (2, 2), reports)
        answer = tracker.handle(TrackerHeartbeat(report, now_ms == 0, True, response), now_ms)
        assert isinstance(answer, HeartbeatResponse)
        return answer

    setup = beat(0, 0).launches[0]
    assert tracker.run_pass("launches", 30_000).decisions == ()

    container = container_of(setup.attempt)
    assert tracker.run_pass("launches", 30_001).decisions == (Killed(container, "n1:1", "LAUNCH_EXPIRED"),)
    assert tracker.run_pass("launches", 60_000).decisions == ()
    again = beat(61_000, 1).launches[0]
    assert again.attempt == (*setup.attempt[:3], setup.attempt[3] + 1)
    beat(62_000, 2, (TaskReport(again.attempt, "RUNNING", 0.5, 1, 61_000),))
    assert tracker.run_pass("launches", 200_000).decisions == ()


def test_maps_whose_output_cannot_be_fetched_run_again_before_their_tracker_is_lost() -> None:
    """Half of the reduces have to say so, and three at least, as the three that live do after their tries."""
    simulation, _ = played("mr1-fifo", job(maps=12, reduces=4, slow_start=0))
    run_on(simulation, 14_000)
    simulation.act(LoseNode("node1:8041"))
    cluster = jobs_of(simulation).cluster
    on_node = cluster.attempts.on_tracker["tracker_node1:8041"]
    lost = [task for task in cluster.jobs[1].tasks[0] if task.is_complete and task.successful in on_node]
    run_on(simulation, 140_000)
    assert lost
    assert all(task.is_complete for task in lost)

    run_on(simulation, 15_000)

    assert not any(task.is_complete for task in lost)
    assert cluster.jobs[1].failed_attempts[0] >= len(lost)
    run_on(simulation, 60_000)
    assert cluster.jobs[1].state == "SUCCEEDED"
    assert "tracker_node1:8041" in cluster.trackers


# Heartbeats of an idle JobTracker that are skipped leave no trace.

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


TIMEOUT_MS = 4 * MINUTE_MS
LONG_JOBS = (
    job(maps=9, map_duration_ms=(2 * MINUTE_MS,) * 2, slow_start=0.5, failures=0.2, task_timeout_ms=TIMEOUT_MS),
    job(
        name="other",
        user="bob",
        maps=4,
        map_duration_ms=(25_000, 220_000),
        reduces=2,
        hangs=0.1,
        replication=0,
        task_timeout_ms=TIMEOUT_MS,
    ),
)


LAST_MAP = job(maps=9, reduces=0, map_durations_ms=(10_000,) * 8 + (150_000,), replication=0)
"""The last map lags behind from the beginning, so that it gets a second attempt as soon as it is old enough."""


@EVERY_SCHEDULER
@pytest.mark.parametrize(
    ("jobs", "at_ms"),
    [
        *(pytest.param(LONG_JOBS, at_ms, marks=pytest.mark.long) for at_ms in (1_000, 90_000)),
        *((LONG_JOBS, 40_000), ((LAST_MAP,), 25_000)),
    ],
)
def test_what_happens_in_a_closed_world_happens_as_if_every_heartbeat_was_played(
    scheduler: str, jobs: tuple[dict[str, Any], ...], at_ms: int
) -> None:
    """Attempts run, fail, hang, lag and end at the same instants; what is skipped lies between."""
    kept = []
    for naive in (False, True):
        simulation, _ = played(scheduler, *jobs, settings=FAIR, naive=naive)
        simulation.run_until(simulation.now_ms + at_ms)
        closed, recorder = simulation.fork(closed=True), Recorder()
        closed.listeners.append(recorder)
        closed.run_until(closed.now_ms + 5 * MINUTE_MS)
        kept.append(recorder.kept)

    assert kept[0] == kept[1]
    assert len(kept[0]) > 5


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
