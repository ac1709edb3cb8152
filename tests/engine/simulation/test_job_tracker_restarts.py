"""A JobTracker that is restarted: what it loses, what it runs again, and how trackers come back."""

import gzip
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from engine.control_plane.protocol import NodeJoined, NodeLost, NodeRegisteredAgain, ResourceManagerStarted
from engine.formats.scenario_toml import loads
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.observe.snapshots import snapshot_of_simulation
from engine.scenario import Scenario
from engine.scenario.acts import (
    DrainNode,
    LoseNode,
    Reload,
    RestartJobTracker,
    ReturnNode,
    SetPriority,
    SubmitApplication,
)
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.simulation.scenes import Log
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
    assert final_states(recorder)[2] == "SUCCEEDED"


@EVERY_SCHEDULER
def test_recovered_jobs_run_again_from_their_beginning(scheduler: str) -> None:
    """Under their numbers, with none of their tasks kept, and from their first attempts."""
    simulation, recorder = restarted(LONG, scheduler=scheduler, settings=RECOVERS)
    again = jobs_of(simulation).cluster.jobs[1]

    assert again.start_ms == recorder.kept[0][0] + 25_000
    assert again.finished == [0, 0]
    run_on(simulation, 600_000)
    assert final_states(recorder) == {1: "SUCCEEDED"}
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


# The simulation beside real ResourceManagers that were stopped and started again, instant by instant.

GOLDEN: Final = Path(__file__).parent.parent.parent / "cases" / "recorded" / "restarts.json.gz"
RECORDINGS: Final[Mapping[str, Any]] = json.loads(gzip.decompress(GOLDEN.read_bytes()))
BEFORE_S: Final = 11.4
"""Until then all had been given what they asked for [s of the recording]."""
LOOK_S: Final = 20 / 3
"""Between two looks at who is silent."""
NAMES: Final = {1: "survivor", 2: "worker", 3: "orphan"}

HEAD: Final = """
title = "recorded restart"
start = 2024-01-01T00:00:00Z
scheduler = "{scheduler}"
[settings]
"yarn.resourcemanager.recovery.enabled" = true
"yarn.resourcemanager.work-preserving-recovery.enabled" = {preserves}
"yarn.am.liveness-monitor.expiry-interval-ms" = 20000
"yarn.resourcemanager.connect.retry-interval.ms" = 1000
"yarn.nodemanager.recovery.enabled" = true
"yarn.scheduler.capacity.root.queues" = "default"
"yarn.scheduler.capacity.root.default.capacity" = 100
"yarn.scheduler.capacity.maximum-am-resource-percent" = 0.9
[cluster]
nodes = [{nodes}]
"""
"""The keys of `rm_restart.py`; masters and nodes were played to retry every second."""


class Recording:
    """One of them, read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.polls: Sequence[tuple[float, int | None, int | None]] = RECORDINGS[name]["polls"]
        self.events: Sequence[tuple[float, str, str]] = [tuple(each) for each in RECORDINGS[name]["events"]]
        self.down_s = next(at for at, what, _ in self.events if what == "rm-down")
        self.up_s = next(at for at, what, _ in self.events if what == "rm-up")
        self.is_plain = name.endswith("plain")
        launched = any(at < self.down_s for at in self.times("am-launch", "appattempt_0004"))
        self.start_s = 11.04 if launched else BEFORE_S
        """Second of the recording at which the scenario starts; FairScheduler's update thread counts from there."""
        self.scheduler = f"{'fair' if name.endswith('fair') else 'capacity'}-{name[:3]}"

    def times(self, what: str, of: str = "", after_s: float = 0.0) -> list[float]:
        return [at for at, kind, words in self.events if kind == what and words.startswith(of) and at > after_s]

    def placed(self) -> list[tuple[int, int, str, float]]:
        """(application, container, node, since when) of what ran when the real one went."""
        found = []
        for at, what, words in self.events:
            match = re.search(r"container_(\d+)_01_(\d+) on (node\d+)", words)
            if what in ("am-launch", "am-got") and match is not None and at < BEFORE_S:
                found.append((int(match[1]), int(match[2]), match[3], at))
        return found

    def phase(self, number: int) -> float:
        """At which fraction of a second an application's master calls."""
        calls = self.times("am-told", f"appattempt_{number:04d}") or self.times("am-ask", f"appattempt_{number:04d}")
        return calls[0] % 1

    def node_phase(self, node: str) -> float:
        seen = self.times("nm-register", node)
        return seen[0] % 1 if seen else 0.3


def ends_s(number: int, container: int, since_s: float) -> float | None:
    """When a container of `worker` runs out: nine seconds and one more for each it had; those of others never do."""
    return since_s + 9 + container - 1 if number == 2 else None


def scenario_of(recording: Recording) -> Scenario:
    """What stood when the real ResourceManager went, and what was done after."""

    def moment(second: float) -> float:
        return round(second - recording.start_s, 3)

    def phase(fraction: float) -> float:
        return round((fraction - recording.start_s) % 1, 3)

    nodes = ", ".join(
        f'{{ host = "node0{n}", memory = "8g", vcores = 8, phase = {phase(recording.node_phase(f"node0{n}"))} }}'
        for n in range(1, 5)
    )
    text = HEAD.format(scheduler=recording.scheduler, preserves=str(not recording.is_plain).lower(), nodes=nodes)
    for number, name in NAMES.items():
        asks, placed = [], []
        for _, container, node, since_s in (each for each in recording.placed() if each[0] == number):
            if container == 1:
                placed.append(f'{{ node = "{node}", memory = "1g", master = true }}')
                continue
            end_s = ends_s(number, container, since_s)
            lasts = '"forever"' if end_s is None else str(max(moment(end_s), 0.001))
            asks.append(f'{{ memory = "1g", priority = {container}, duration = {lasts} }}')
            placed.append(f'{{ node = "{node}", memory = "1g", priority = {container} }}')
        asks.append('{ at = 99999, memory = "1g", priority = 99 }')
        text += (
            f'[[running]]\napplication = {{ type = "scripted", name = "{name}", number = {number}, user = "{name}", '
            f'queue = "default", am = {{ memory = "1g" }}, phase = {phase(recording.phase(number))}, '
            f"asks = [{', '.join(asks)}] }}\nplaced = [{', '.join(placed)}]\n"
        )
    for number, name, at_s in ((4, "late", 11.5), (5, "after", 20.0)):
        text += (
            f'[[workload]]\ntype = "scripted"\nname = "{name}"\nnumber = {number}\nuser = "{name}"\nqueue = "default"\n'
            f'at = {moment(at_s)}\nam = {{ memory = "1g" }}\n'
            'asks = [{ memory = "1g", count = 2, duration = "forever" }]\n'
        )
    down_s = round(recording.up_s - recording.down_s, 3)
    text += f'[[faults]]\ndo = "rm_restart"\nat = {moment(recording.down_s)}\ndown = {down_s}\n'
    text += f'[[faults]]\ndo = "node_manager_restart"\nat = {moment(12.3)}\nnode = "node04"\ndown = "1h"\n'
    return loads(text + f'[[faults]]\ndo = "master_lost"\nat = {moment(12.5)}\napplication = "orphan"\nhangs = true\n')


class Played:
    """The scenario of a recording, played to a minute, and looked at whenever the real one was polled."""

    def __init__(self, name: str) -> None:
        self.recording = Recording(name)
        scene, self.log = scenario_of(self.recording), Log()
        self.begins_ms = scene.start_ms - round(self.recording.start_s * 1000)
        simulation = build_simulation(scene, [self.log])
        self.polls: list[tuple[float, int, int]] = []
        """(second, nodes, containers)."""
        for at, _, _ in self.recording.polls:
            if at > self.recording.start_s:
                simulation.run_until(self.begins_ms + round(at * 1000))
                figures = simulation.control_plane.view().figures()
                self.polls.append((at, figures.nodes, figures.containers))

    def seconds(self, kind: type, after_s: float = 12.0) -> list[float]:
        """When records of a kind came, in seconds of the recording."""
        found = [(at - self.begins_ms) / 1000 for at in self.log.at(kind)]
        return [at for at in found if at > after_s]

    def second_masters(self) -> dict[int, float]:
        return {
            each.container[0]: (at - self.begins_ms) / 1000
            for at, each in self.log.entries
            if isinstance(each, Allocated) and each.container[1] == 2 and each.priority == 0
        }


played_recorded_restarts = cache(Played)
PRESERVING: Final = [name for name in RECORDINGS if not name.endswith("plain")]
PLAIN: Final = [name for name in RECORDINGS if name.endswith("plain")]


@pytest.mark.parametrize("name", RECORDINGS)
def test_nodes_are_back_at_the_recorded_instants(name: str) -> None:
    """Each at its first try after the start, to the hundredth of a second."""
    one = played_recorded_restarts(name)

    assert one.seconds(NodeRegisteredAgain) == pytest.approx(one.recording.times("nm-register", after_s=12.0), abs=0.01)


DIFFERENT: Final = {
    "2.7.2-restart": (4, 2),
    "2.7.2-restart-fair": (0, 0),
    "3.4.1-restart": (1, 1),
    "3.4.1-restart-fair": (0, 0),
}
"""Recording → how many polls show another number of containers from the start to 38 s, and by how many at most.

2.7.2: the real wait began a quarter of a second before the real one answered, and AMs ask a heartbeat sooner.
"""


@pytest.mark.parametrize("name", PRESERVING)
def test_nodes_and_containers_are_those_of_every_poll(name: str) -> None:
    """Two polls a second, from the instant the new ResourceManager answers to the first look at who is silent."""
    one = played_recorded_restarts(name)
    both = [
        (real, mine)
        for real, mine in zip(one.recording.polls[-len(one.polls) :], one.polls, strict=True)
        if one.recording.up_s + 0.1 < real[0] < 38 and real[1] is not None and real[2] is not None
    ]
    differences = [abs((real[2] or 0) - mine[2]) for real, mine in both if real[2] != mine[2]]

    assert len(both) > 35
    assert [real[1] for real, _ in both] == [mine[1] for _, mine in both]
    assert (len(differences), max(differences, default=0)) == DIFFERENT[name]


@pytest.mark.parametrize("name", PRESERVING)
def test_the_first_allocation_comes_within_the_poll_that_shows_it(name: str) -> None:
    one = played_recorded_restarts(name)
    counts = [(at, count) for at, _, count in one.recording.polls if at > one.recording.up_s + 2 and count is not None]
    grown_s = next(at for (_, before), (at, count) in pairwise(counts) if count > before)
    first_s = one.seconds(Allocated, after_s=one.recording.up_s)[0]

    assert 0 <= grown_s - first_s <= 0.5
    assert first_s - one.seconds(ResourceManagerStarted)[0] > 10


@pytest.mark.parametrize("name", PLAIN)
def test_without_work_preserved_masters_come_a_heartbeat_sooner_than_recorded(name: str) -> None:
    """A node heartbeats as soon as it has registered; the recorded ones were played to wait for a second."""
    one = played_recorded_restarts(name)
    real = min(one.recording.times("am-launch", after_s=12.0))

    assert real - min(one.second_masters().values()) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("name", PRESERVING)
def test_the_silent_master_expires_at_the_look_after_its_interval(name: str) -> None:
    """As recorded to half a second; once a look later, as its interval really began 0.8 s before it answered."""
    one = played_recorded_restarts(name)
    (real,) = one.recording.times("am-launch", "appattempt_0003_000002")
    late_s = LOOK_S if name == "3.4.1-restart" else 0.0

    assert one.second_masters()[3] - real == pytest.approx(late_s, abs=0.5)


# Journals of small jobs on trackers, which report every 300 ms; setup and cleanup tasks take a second.


@pytest.mark.parametrize("expiry_ms", [30_000, 45_000])
def test_a_silent_tracker_is_lost_after_the_expiry_interval(expiry_ms: int) -> None:
    settings = {"mapred.tasktracker.expiry.interval": expiry_ms}
    simulation, recorder = played("mr1-fifo", job(map_duration_ms=(90_000, 90_000)), settings=settings)
    run_on(simulation, 20_000)
    node = simulation.world.nodes[0]
    last_ms = node.last_beat_ms
    simulation.act(LoseNode("node1"))
    run_on(simulation, expiry_ms + 10_000)
    ((lost_ms, record),) = [each for each in recorder.kept if isinstance(each[1], NodeLost)]
    assert record == NodeLost("node1:8041", "LOST")
    assert last_ms + expiry_ms - 1_000 <= lost_ms <= last_ms + expiry_ms + 1_000
    assert {each.cause for each in recorder.of(Killed)} == {"LOST"}


def test_an_excluded_tracker_is_gone_until_it_returns() -> None:
    simulation, recorder = played("mr1-fifo", job())
    run_on(simulation, 5_000)
    simulation.act(DrainNode("node2"))
    simulation.act(DrainNode("node2"))
    assert recorder.of(NodeLost) == [NodeLost("node2:8041", "DECOMMISSIONED")]
    node = simulation.world.nodes[1]
    assert (node.up, node.member) == (False, False)
    simulation.act(ReturnNode("node2"))
    assert (node.up, node.member) == (True, True)
    simulation.act(RestartJobTracker(5_000))
    answer = simulation.act(DrainNode("node1"))
    assert (answer.rejected, answer.detail) == ("ConnectException", "no JobTracker answers")
