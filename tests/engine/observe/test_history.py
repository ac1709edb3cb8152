"""What a cluster was over time, as a listener reads it of the control plane."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.scenario_toml import load
from engine.model.decision import Allocated, Killed
from engine.observe.history import YARN, History, Steps
from engine.observe.snapshot import Header
from engine.observe.snapshots import snapshot_of
from engine.run import Run
from engine.scenario import Scenario
from engine.simulation.build import build_simulation
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import Timeline
from tests.engine.measures.by_definition import WholeRun
from tests.engine.observe.added_up import NAMES, AddedUp
from tests.engine.simulation.scenes import BUSY, scenario


class Background:
    """A listener that writes down what the history noted and what records add up to, at every instant."""

    def __init__(self, history: History) -> None:
        self._history, self._added_up = history, AddedUp()
        self.noted: list[dict[str, int]] = []
        self.added_up: list[dict[str, int]] = []

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._added_up.follow(records)
        values = self._added_up.values()
        reading = self._history.cluster.at(time_ms)
        if reading is None:
            return
        queues = {path: steps.at(time_ms) or 0 for path, steps in self._history.queues.items()}
        self.noted.append(dict(zip(self._history.names, reading, strict=True)) | queues)
        self.added_up.append({name: value for name, value in values.items() if name in YARN or value})


def followed(scene: Scenario) -> tuple[Simulation, History]:
    history = History()
    simulation = build_simulation(scene, [history])
    history.follow(simulation.control_plane, simulation.now_ms)
    return simulation, history


def told(header: Header) -> dict[str, object]:
    spark = header.scheduler == "spark"
    return {
        "total_memory_mb": header.total[0],
        f"total_{header.dimensions[1]}": header.total[1],
        "used_memory_mb": header.used[0],
        f"used_{header.dimensions[1]}": header.used[1],
        "executors" if spark else "containers": header.containers,
        "applications_running": header.applications_running,
        "applications_pending": header.applications_pending,
        "workers" if spark else "nodes": header.nodes,
    }


def steps_of(history: History) -> dict[str, Sequence[tuple[int, object]]]:
    queues = {path: list(zip(steps.times, steps.values, strict=True)) for path, steps in history.queues.items()}
    starved = [(one.since_ms, one) for one in history.starved]
    return {"": list(zip(history.cluster.times, history.cluster.values, strict=True)), **queues, " starved": starved}


@pytest.mark.parametrize("name", ["busy", "preemption-minshare", "preemption-minshare-3.4"])
def test_it_is_what_records_add_up_to(name: str) -> None:
    history, scene = History(), scenario(BUSY, count=8) if name == "busy" else load(name, ())
    beside = Background(history)
    simulation = build_simulation(scene, [history, beside])
    history.follow(simulation.control_plane, simulation.now_ms)
    simulation.run_until(scene.start_ms + 300_000)
    compared = [name for name in NAMES if name in YARN and not name.startswith("pending")]
    paths = list(history.queues)

    def chosen(values: Sequence[dict[str, int]]) -> list[list[int]]:
        return [[one.get(name, 0) for name in (*compared, *paths)] for one in values]

    assert len(paths) > 1
    assert len(beside.noted) > 10
    assert chosen(beside.noted) == chosen(beside.added_up)
    assert bool(beside.added_up[-1]["preempted_containers"]) == (name != "busy")


@pytest.mark.parametrize(
    "name", ["reservation-deadlock", "fair-two-users-3.4", "pattern-fifo-head-of-line", "spark-worker-lost"]
)
def test_it_is_what_a_snapshot_tells(name: str) -> None:
    simulation, history = followed(load(name, ()))
    start_ms = simulation.now_ms
    for after_ms in (60_000, 600_000):
        simulation.run_until(start_ms + after_ms)
        header = snapshot_of(simulation).header
        reading = history.cluster.at(simulation.now_ms)
        assert reading is not None
        values = dict(zip(history.names, reading, strict=True))

        assert {key: values[key] for key in told(header)} == told(header)
        assert reading == history.reading(simulation.control_plane, simulation.now_ms)
        if isinstance(header.reserved, tuple):
            assert (values["reservations"], values["reserved_memory_mb"]) == (header.nodes_reserved, header.reserved[0])
            assert values["pending_containers"] == header.containers_pending


@pytest.mark.parametrize("name", ["busy", "preemption-minshare"])
def test_a_branch_goes_on_from_the_cut(name: str) -> None:
    scene = scenario(BUSY, count=8) if name == "busy" else load(name, ())
    straight, expected = followed(scene)
    straight.run_until(scene.start_ms + 240_000)
    simulation, history = followed(scene)
    timeline = Timeline(simulation)
    timeline.play(scene.start_ms + 200_000)

    branch = timeline.branch(scene.start_ms + 100_000)
    history.follow(branch.control_plane, branch.now_ms)
    assert history.cluster.times[-1] <= branch.now_ms
    branch.listeners.append(history)
    branch.run_until(scene.start_ms + 240_000)

    assert steps_of(history) == steps_of(expected)
    assert name == "busy" or {one.queue for one in history.starved} == {"root.queueB"}


# Step functions in bounded memory.

WALKS = st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 9)), min_size=1, max_size=300)
"""(how long after the one before [ms], value)."""


def walked(walk: list[tuple[int, int]], most: int = 8) -> tuple[Steps[int], list[tuple[int, int]]]:
    """The steps of a walk, and all of it as (time, value)."""
    steps: Steps[int] = Steps(most)
    everything, time_ms = [], 1_000_000
    for wait_ms, value in walk:
        time_ms += wait_ms
        steps.note(time_ms, value)
        everything.append((time_ms, value))
    return steps, everything


@given(WALKS)
def test_memory_is_bounded_and_the_present_exact(walk: list[tuple[int, int]]) -> None:
    """However many values come, few are kept, in order, from the very first on."""
    steps, everything = walked(walk)

    assert len(steps) <= 8
    assert steps.times == sorted(set(steps.times))
    assert steps.times[0] == everything[0][0]
    assert steps.at(everything[-1][0]) == everything[-1][1]


@given(WALKS, st.integers(0, 300_000))
def test_what_is_cut_off_is_as_if_it_had_never_come(walk: list[tuple[int, int]], after_ms: int) -> None:
    cut_ms = 1_000_000 + after_ms
    steps, _ = walked(walk, most=1_000)
    same, _ = walked([])
    same = Steps(1_000)
    time_ms = 1_000_000
    for wait_ms, value in walk:
        time_ms += wait_ms
        if time_ms <= cut_ms:
            same.note(time_ms, value)

    steps.cut(cut_ms)

    assert (steps.times, steps.values) == (same.times, same.values)


def test_everything_is_kept_up_to_the_bound_then_at_most_half() -> None:
    steps: Steps[int] = Steps(64)
    lengths = []
    for second in range(65):
        steps.note(second * 1000, second)
        lengths.append(len(steps))

    assert lengths[:64] == list(range(1, 65))
    assert lengths[64] <= 32


@given(st.lists(st.integers(1, 20_000), min_size=65, max_size=65))
def test_the_last_change_of_each_stretch_is_kept(waits_ms: list[int]) -> None:
    """Stretches of 1 s double with each doubling of the age; fewer an age when more than half would be kept."""
    steps: Steps[int] = Steps(64)
    times = [sum(waits_ms[: number + 1]) for number in range(65)]
    for number, time_ms in enumerate(times):
        steps.note(time_ms, number)

    expected = next(kept for share in (8, 4, 2, 1, 0) if len(kept := thinned(times, share)) <= 32 or not share)
    assert steps.times == expected
    assert steps.values == [times.index(time_ms) for time_ms in expected]


def thinned(times: list[int], share: int) -> list[int]:
    """The first time, and the last of each stretch, with `share` stretches for an age."""
    last: dict[tuple[int, int], int] = {}
    for time_ms in times[1:]:
        doublings = ((times[-1] - time_ms) // (1000 * max(1, share))).bit_length()
        last[doublings, time_ms // (1000 << doublings)] = time_ms
    return [times[0], *last.values()]


# What a history notes is what the control plane says at that instant, of every kind.

SCENES = {
    "reservation-deadlock-recorded": 90_000,
    "preemption-minshare": 60_000,
    "spark-worker-lost": 120_000,
    "mr1-slots-of-the-wrong-kind": 120_000,
}


def played(name: str) -> tuple[Run, History, WholeRun]:
    history, whole = History(), WholeRun()
    run = Run(load(name), [history, whole], is_judged=False)
    history.follow(run.simulation.control_plane, run.simulation.now_ms)
    whole.follow(run.simulation)
    run.advance(SCENES[name])
    return run, history, whole


@pytest.mark.parametrize("name", SCENES)
def test_the_last_reading_is_the_cluster_as_it_stands(name: str) -> None:
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
