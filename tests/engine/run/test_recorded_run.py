"""A run whose past is kept: what is kept of it, and from when on."""

from engine.control_plane.spark_master import SparkMaster
from engine.observe.history import History
from engine.run import Run
from engine.run.recorded_run import PLANS_KEPT, PLANS_UP_TO, SLICE_MS, RecordedRun
from engine.scenario import ClusterSpec, NodeGroup, Scenario
from tests.engine.run.test_player import Diary, scenario
from tests.engine.run.test_run_pieces import LATE, SCRIPT


def test_a_run_begins_with_its_past_kept() -> None:
    """From its start on, without expectations; other listeners are told, too."""
    diary = Diary()
    recorded = RecordedRun.begin(scenario(SCRIPT + LATE), [diary], until_ms=30_000)
    recorded.run.advance(99_000)

    start_ms = scenario().start_ms
    assert (recorded.run.now_ms, recorded.run.outcome().results) == (30_000, ())
    assert len(diary.acted) == 3
    assert recorded.history.cluster.times[0] == start_ms
    assert recorded.history.latest()["containers"] == 2
    assert recorded.timeline.live is recorded.run.simulation


def test_a_history_given_is_the_one_that_is_kept() -> None:
    """Also an empty one."""
    history = History()
    assert RecordedRun.begin(scenario(), history=history).history is history


def test_a_run_of_others_is_recorded_from_where_it_stands() -> None:
    """With a history of its own."""
    run = Run(scenario())
    run.advance(1_000)
    recorded = RecordedRun.of(run)
    run.advance(20_000)

    assert recorded.run is run
    assert recorded.history.cluster.times[0] == run.scenario.start_ms + 1_000
    assert recorded.history.latest()["containers"] == 2
    assert recorded.timeline.live is run.simulation


def test_a_slice_is_so_long_at_most() -> None:
    """And ends where it is told to, or the run does."""
    recorded = RecordedRun.begin(scenario())
    ends = []
    for to_ms in (SLICE_MS - 1, 60_000, SLICE_MS * 2 - 1, 99_000, 99_000, 99_000, 99_000, 99_000):
        recorded.advance(to_ms)
        ends.append(recorded.run.now_ms)
    assert ends == [9_999, 19_999, 19_999, 29_999, 39_999, 49_999, 59_999, 60_000]


def spark(workers: int) -> SparkMaster:
    """The Master of a recorded run with so many workers."""
    cluster = ClusterSpec(groups=(NodeGroup(count=workers, memory_mb=1024, vcores=1),))
    master = RecordedRun.begin(Scenario(scheduler="spark", cluster=cluster)).run.simulation.control_plane
    assert isinstance(master, SparkMaster)
    return master


def test_plans_of_a_small_cluster_are_kept() -> None:
    """Up to so many workers."""
    assert spark(PLANS_UP_TO).recorder is not None
    assert spark(PLANS_UP_TO + 1).recorder is None
    assert PLANS_KEPT == 100
