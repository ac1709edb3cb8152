"""What a cluster was over time, as a listener reads it of the control plane."""

from collections.abc import Sequence

import pytest

from engine.formats.scenario_toml import load
from engine.observe.history import YARN, History
from engine.observe.snapshot import Header
from engine.observe.snapshots import snapshot_of
from engine.scenario import Scenario
from engine.simulation.build import build_simulation
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import Timeline
from tests.engine.observe.added_up import NAMES, AddedUp
from tests.engine.simulation.scenes import BUSY, scenario


class Background:
    """A listener that writes down what the history noted and what records add up to, at every instant."""

    def __init__(self, history: History) -> None:
        self._history, self._added_up = history, AddedUp()
        self.noted: list[dict[str, int]] = []
        self.added_up: list[dict[str, int]] = []

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
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
    return {"": list(zip(history.cluster.times, history.cluster.values, strict=True)), **queues}


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
