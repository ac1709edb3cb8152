"""What a history notes is what the control plane says at that instant, of every kind."""

import pytest

from engine.formats.scenario_toml import load
from engine.model.decision import Allocated, Killed
from engine.observe.history import History
from engine.observe.journal import Fingerprint
from engine.observe.lost_work import LOSING
from engine.observe.snapshots import keep_plans_of, plans_of, snapshot_of_simulation
from engine.run.player import Run
from engine.scenario.acts import LoseNode
from tests.engine.measures.by_definition import WholeRun

SCENES = {
    "reservation-deadlock-recorded": 90_000,
    "preemption-minshare": 60_000,
    "spark-worker-lost": 120_000,
    "mr1-slots-of-the-wrong-kind": 120_000,
}


def played(name: str) -> tuple[Run, History, WholeRun]:
    """A run with its history and all its records."""
    history, whole = History(), WholeRun()
    run = Run(load(name), [history, whole], is_judged=False)
    history.follow(run.simulation.control_plane, run.simulation.now_ms)
    whole.follow(run.simulation)
    run.advance(SCENES[name])
    return run, history, whole


@pytest.mark.parametrize("name", SCENES)
def test_the_last_reading_is_the_cluster_as_it_stands(name: str) -> None:
    """Its sums, what is counted from the beginning, and used memory by queue."""
    run, history, whole = played(name)
    figures = run.simulation.control_plane.view().figures()
    latest = history.latest()
    expected: dict[str, object] = {
        "allocated_containers": sum(isinstance(each, Allocated) for _, each in whole.all()),
    }
    for prefix, amounts in (("total_", figures.total), ("used_", figures.used)):
        names = [each for each in history.names if each.startswith(prefix)]
        expected |= dict(zip(names, amounts, strict=True))
    if "preempted_containers" in history.names:
        killed = [each.cause for _, each in whole.all() if isinstance(each, Killed)]
        expected["preempted_containers"] = killed.count("PREEMPTED")
    pending = next((each for each in history.names if each.startswith("pending_")), None)
    if pending is not None:
        expected[pending] = figures.containers_pending
    running = next(each for each in history.names if each.endswith("_running"))
    waiting = next(each for each in history.names if each.endswith("_pending"))
    numbers = len(run.simulation.control_plane.view().numbers_running())
    expected |= {running: numbers, waiting: figures.applications - numbers}

    assert {name: latest[name] for name in expected} == expected
    assert {path: latest[path] for path in history.queues} == {
        path: run.simulation.control_plane.view().policy.used_memory_mb(path) for path in history.queues
    }
    assert set(latest) == {*history.names, *history.queues}
    assert history.reading(run.simulation.control_plane, run.simulation.now_ms) == history.cluster.values[-1]


@pytest.mark.parametrize("name", SCENES)
def test_the_last_allocation_is_known(name: str) -> None:
    """None before there was one."""
    _, history, whole = played(name)
    assert history.last_allocated_ms() == max(time_ms for time_ms, each in whole.all() if isinstance(each, Allocated))
    assert (History().latest(), History().cluster.values) == ({}, [])


def test_what_was_counted_before_is_kept_when_a_history_follows_again() -> None:
    """From an instant in between: what was noted after it is forgotten, the counts go on from there."""
    run, history, whole = played("preemption-minshare")
    again = History()
    other = Run(load("preemption-minshare"), [again], is_judged=False)
    again.follow(other.simulation.control_plane, other.simulation.now_ms)
    other.advance(45_000)
    before = again.latest()
    again.follow(other.simulation.control_plane, other.simulation.now_ms)
    assert again.latest() == before
    other.advance(SCENES["preemption-minshare"])

    assert again.latest() == history.latest()
    assert before["preempted_containers"] == 1
    assert sum(isinstance(each, Killed) and each.cause in LOSING for _, each in whole.all()) == 1
    assert run.now_ms == other.now_ms


def test_a_fingerprint_is_of_every_record() -> None:
    """The same run has the same, another one another."""
    texts = []
    for name in ("preemption-minshare", "preemption-minshare", "preemption-minshare-3.4"):
        fingerprint = Fingerprint()
        run = Run(load(name), [fingerprint], is_judged=False)
        run.advance(5000)
        texts.append(fingerprint.hexdigest())

    assert texts[0] == texts[1] != texts[2]
    assert len(texts[0]) == 64


def test_a_master_on_a_node_that_is_not_heard_of_is_said_to_be_silent() -> None:
    """Since it was last there, while it counts as alive; masters elsewhere are not."""
    run = Run(load("reservation-deadlock-recorded"), is_judged=False)
    run.advance(40_000)
    masters = {row.application: row.node for row in run.snapshot().containers() if row.is_am}
    node = next(iter(masters.values()))
    run.simulation.act(LoseNode(node))
    run.advance(45_000)
    rows = snapshot_of_simulation(run.simulation).applications()
    words = f"its master is on {node.partition(':')[0]}, silent for "
    silent = [row.id for row in rows if row.obstacle is not None and row.obstacle.sentence.startswith(words)]
    lives = {row.id for row in rows if row.state == "RUNNING"}

    assert silent == [row.id for row in rows if masters.get(row.id) == node and row.id in lives]
    assert not any(" silent for " in row.obstacle.sentence for row in run.snapshot().applications() if row.obstacle)


def test_plans_are_kept_where_a_control_plane_makes_any() -> None:
    """As many as were asked for, and one of the pass that would come."""
    run = Run(load("spark-packing"), is_judged=False)
    plane = run.simulation.control_plane
    keep_plans_of(plane, 2)
    run.advance(60_000)
    assert 1 <= len(plans_of(plane, run.simulation.now_ms)) <= 3
    other = Run(load("preemption-minshare"), is_judged=False)
    keep_plans_of(other.simulation.control_plane, 2)
    assert plans_of(other.simulation.control_plane, 0) == ()
