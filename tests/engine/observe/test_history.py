"""What a cluster was over time, as a listener reads it of the control plane."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.control_plane.protocol import ApplicationMasterHeartbeat, NodeJoined, NodeLost, NodeResized
from engine.errors import ConfigError, OutputError
from engine.formats.scenario_toml import load
from engine.model.decision import (
    Allocated,
    ApplicationTransitioned,
    Completed,
    ContainerId,
    Killed,
    Reserved,
    Unreserved,
)
from engine.observe.history import History, Steps
from engine.observe.journal import JournalHeader, JournalWriter, header_of
from engine.observe.snapshot import UNKNOWN, Header, Unknown
from engine.observe.snapshots import ENDED, IDLE, SERVED, STARTS, WAITS, WaitTotal, service_of, snapshot_of, waits_of
from engine.run import Run
from engine.scenario import Scenario
from engine.simulation.build import build_simulation
from engine.simulation.records import AskChanged, Record
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import Timeline
from tests import PATIENCE_S
from tests.build import START_MS, ask, heartbeat, resource_manager, submit, update
from tests.engine.measures.by_definition import WholeRun
from tests.engine.simulation.scenes import BUSY, Log, scenario


class AddedUp:
    """What records tell of the cluster: who is there, who holds what, who runs."""

    def __init__(self) -> None:
        self._nodes: dict[str, tuple[int, int]] = {}
        self._live: dict[ContainerId, tuple[int, int]] = {}
        self._reserved: dict[ContainerId, int] = {}
        self._states: dict[int, str] = {}
        self._queue_of: dict[int, str] = {}
        self._preempted = 0

    def follow(self, records: Sequence[Record]) -> None:
        for record in records:
            self._follow(record)

    def _follow(self, record: Record) -> None:
        match record:
            case Allocated():
                self._reserved.pop(record.container, None)
                self._live[record.container] = (record.memory_mb, record.vcores)
            case Completed() | Killed():
                self._live.pop(record.container, None)
                self._preempted += isinstance(record, Killed) and record.cause == "PREEMPTED"
            case Reserved():
                self._reserved[record.container] = record.memory_mb
            case Unreserved():
                self._reserved.pop(record.container, None)
            case ApplicationTransitioned():
                self._states[record.application] = record.state
                self._queue_of[record.application] = record.queue or self._queue_of.get(record.application, "")
            case NodeJoined() | NodeResized():
                self._nodes[record.node] = (record.memory_mb, record.vcores)
            case NodeLost():
                self._nodes.pop(record.node, None)
            case _:
                pass

    def values(self) -> dict[str, int]:
        """Figures of the cluster as a whole, and used memory [MB] by path of each leaf queue in use."""
        states = list(self._states.values())
        queues = Counter[str]()
        for container, (memory_mb, _) in self._live.items():
            queues[self._queue_of[container[0]]] += memory_mb
        return {
            "total_memory_mb": sum(memory_mb for memory_mb, _ in self._nodes.values()),
            "total_vcores": sum(vcores for _, vcores in self._nodes.values()),
            "used_memory_mb": sum(memory_mb for memory_mb, _ in self._live.values()),
            "used_vcores": sum(vcores for _, vcores in self._live.values()),
            "reserved_memory_mb": sum(self._reserved.values()),
            "reservations": len(self._reserved),
            "containers": len(self._live),
            "preempted_containers": self._preempted,
            "applications_running": states.count("RUNNING"),
            "applications_pending": states.count("SUBMITTED") + states.count("ACCEPTED"),
            "nodes": len(self._nodes),
            **queues,
        }


class Background:
    """A listener that writes down what the history noted and what records add up to, at every instant."""

    def __init__(self, history: History) -> None:
        self._history, self._added_up = history, AddedUp()
        self.noted: list[dict[str, int]] = []
        self.added_up: list[dict[str, int]] = []

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._added_up.follow(records)
        reading = self._history.cluster.at(time_ms)
        if reading is None:
            return
        queues = {path: steps.at(time_ms) or 0 for path, steps in self._history.queues.items()}
        self.noted.append(dict(zip(self._history.names, reading, strict=True)) | queues)
        self.added_up.append(self._added_up.values())


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

    def chosen(values: Sequence[dict[str, int]]) -> list[list[int]]:
        return [[one.get(name, 0) for name in (*beside.added_up[-1], *history.queues)] for one in values]

    assert len(history.queues) > 1
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


@pytest.mark.parametrize(("lasted_ms", "kept"), [(29_999, []), (30_000, [("root.a", 30_000)] * 2)])
def test_a_queue_that_was_starved_for_half_a_minute_is_kept(lasted_ms: int, kept: list[tuple[str, int]]) -> None:
    """From when it has less than its minimum until it wants nothing any more; here it is so twice."""
    rm = resource_manager(nodes=1, queues='<queue name="a"><minResources>4096 mb, 4 vcores</minResources></queue>')
    history, holder = History(), submit(rm, "b")
    history.follow(rm, START_MS)
    ask(rm, holder, 8)
    for _ in range(8):
        history.on_records(START_MS, heartbeat(rm).decisions)
    waits = submit(rm, "a")
    instants = [
        (begin_ms + after_ms, 4 if not after_ms else 0)
        for begin_ms in (START_MS, START_MS + 60_000)
        for after_ms in (0, lasted_ms)
    ]
    for container, (time_ms, count) in enumerate(instants, 1):
        ask(rm, waits, count)
        update(rm, time_ms)
        released = ApplicationMasterHeartbeat(holder, releases=((holder, 1, container),))
        history.on_records(time_ms, rm.handle(released, time_ms).decisions)

    assert [(one.queue, one.until_ms - one.since_ms) for one in history.starved] == kept


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
@example([(4_000, place % 2) for place in range(300)])
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
    "spark-cores-hoarded": 60_000,  # all is allocated in the first instant
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
    allocated = [time_ms for time_ms, each in whole.all() if isinstance(each, Allocated)]
    expected: dict[str, object] = {"allocated_containers": len(allocated)}
    assert history.last_allocated_ms(run.simulation.now_ms) == allocated[-1]
    assert history.last_allocated_ms(allocated[0]) == allocated[0]
    assert history.last_allocated_ms(allocated[0] - 1) is None
    for prefix, amounts in (("total_", figures.total), ("used_", figures.used)):
        names = [each for each in history.names if each.startswith(prefix)]
        expected |= dict(zip(names, amounts, strict=True))
    if "preempted_containers" in history.names:
        killed = [each.cause for _, each in whole.all() if isinstance(each, Killed)]
        expected["preempted_containers"] = killed.count("PREEMPTED")
    pending = next((each for each in history.names if each.startswith("pending_")), None)
    if pending is not None:
        at_least, is_known = figures.pending_at_least, figures.containers_pending is not UNKNOWN
        expected[pending] = figures.containers_pending if is_known else at_least
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


# How an application is served, from the fields of its row alone.


@pytest.mark.parametrize(
    ("state", "pending", "since_ms", "containers", "service"),
    [
        ("FINISHED", 3, 5, 2, ENDED),
        ("RUNNING", 1, None, 9, WAITS),
        ("RUNNING", 0, 5, 1, SERVED),
        ("RUNNING", 0, None, 0, IDLE),
        ("RUNNING", UNKNOWN, 5, 1, WAITS),
        ("RUNNING", UNKNOWN, None, 1, SERVED),
        ("ACCEPTED", 1, 5, 0, WAITS),
        ("ACCEPTED", 0, None, 0, WAITS),
        ("ACCEPTED", 0, None, 1, STARTS),
        ("WAITING", UNKNOWN, 5, 0, WAITS),
        ("WAITING", 0, 5, 0, WAITS),
        ("WAITING", 0, None, 0, IDLE),
    ],
)
def test_an_unmet_ask_decides(
    state: str, pending: int | Unknown, since_ms: int | None, containers: int, service: str
) -> None:
    """Where what is pending is unknown, whether it waits does; who does not run and has nothing waits, but in Spark."""
    assert service_of(state, pending, since_ms, containers) == service


def test_the_longest_wait_counts_from_the_first_that_waits() -> None:
    """Of those that wait only: since when another one waited is not looked at."""
    row = {"state": "RUNNING", "containers": 1}
    rows = [
        SimpleNamespace(**row, waiting_since_ms=since_ms, pending_containers=pending)
        for since_ms, pending in ((7, 1), (5, 1), (3, 0))
    ]

    assert (waits_of(rows), waits_of(rows[2:])) == (WaitTotal(0, 2, 5), WaitTotal())


# The journal on disk: written line by line.


ASKED = AskChanged(1, 20, 1024, 1, 5)
_LINE: msgspec.json.Decoder[tuple[int, Record]] = msgspec.json.Decoder(tuple[int, Record])


def written(path: Path) -> Log:
    """Write a minute of a busy scenario; the same records as remembered by a listener."""
    scene, log = scenario(BUSY, count=6), Log()
    with JournalWriter.to_file(path, scene) as writer:
        simulation = build_simulation(scene, [log, writer])
        simulation.run_until(scene.start_ms + 60_000)
    return log


def records(path: Path) -> list[tuple[int, Record]]:
    return [_LINE.decode(line) for line in path.read_bytes().splitlines()[1:]]


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    log = written(tmp_path / "run.jsonl")

    header, *lines = (tmp_path / "run.jsonl").read_bytes().splitlines()

    assert msgspec.json.decode(header, type=JournalHeader) == header_of(scenario(BUSY, count=6))
    assert [_LINE.decode(line) for line in lines] == log.entries


def test_every_instant_is_on_disk_at_once(tmp_path: Path) -> None:
    scene = scenario()
    writer = JournalWriter.to_file(tmp_path / "run.jsonl", scene)

    writer.on_records(scene.start_ms, [ASKED])

    assert records(tmp_path / "run.jsonl") == [(scene.start_ms, ASKED)]
    writer.close()


def test_a_killed_program_leaves_a_readable_journal(tmp_path: Path) -> None:
    """After kill -9 in the middle of a run every complete line is there."""
    path = tmp_path / "run.jsonl"
    code = (
        "import sys; from pathlib import Path; from engine.observe.journal import JournalWriter;"
        "from engine.simulation.build import build_simulation; from tests.engine.simulation.scenes import *;"
        "scene = scenario(BUSY, count=6); writer = JournalWriter.to_file(Path(sys.argv[1]), scene);"
        "simulation = build_simulation(scene, [writer]);"
        "[simulation.run_until(scene.start_ms + second * 1000) for second in range(10**9)]"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)]) as process:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and (not path.exists() or path.stat().st_size < 20_000):
            os.sched_yield()
        process.send_signal(signal.SIGKILL)

    header, *lines = path.read_bytes().split(b"\n")[:-1]

    assert msgspec.json.decode(header, type=JournalHeader) == header_of(scenario(BUSY, count=6))
    assert len([_LINE.decode(line) for line in lines]) > 100


def test_a_full_disk_is_a_problem() -> None:
    with pytest.raises(OutputError, match="cannot be written: no space left"):
        JournalWriter.to_file(Path("/dev/full"), scenario())


def test_a_file_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    """Neither a file nor a link, wherever it leads; nothing is left beside it."""
    kept, link = tmp_path / "kept", tmp_path / "link"
    kept.write_text("mine")
    link.symlink_to(kept)

    for path in (kept, link):
        with pytest.raises(ConfigError, match="is there already"):
            JournalWriter.to_file(path, scenario())

    assert (kept.read_text(), sorted(tmp_path.iterdir())) == ("mine", [kept, link])


def test_a_forced_journal_keeps_a_link_and_replaces_what_it_leads_to(tmp_path: Path) -> None:
    """The name is taken with the first records; until then everything is as it was."""
    kept, link = tmp_path / "kept", tmp_path / "link"
    kept.write_text("mine")
    link.symlink_to(kept)

    with JournalWriter.to_file(link, scenario(), force=True) as writer:
        assert link.is_symlink()
        writer.on_records(5, [ASKED])

    assert (kept.read_text().startswith('{"kind":"Header"'), link.is_symlink()) == (True, True)
    assert records(link) == [(5, ASKED)]
