"""The past as a place: any instant, by steps and marks, and branches; looking changes nothing."""

import os
import subprocess
import sys
from functools import partial

import pytest

from engine.control_plane.resource_manager import ResourceManager
from engine.explain.can_start import RecentDecisions
from engine.formats.scenario_toml import load
from engine.scenario.acts import SetPreemption
from engine.simulation.build import build_simulation
from engine.simulation.checkpoint import CheckpointPool, pack, unpack
from engine.simulation.records import Draining
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import RecordLog, Timeline
from tests.engine.simulation.scenes import BUSY, Log, scenario

END_MS = 600_000


class Work:
    """A clock of work that needs no clock."""

    def __init__(self) -> None:
        self.done_s = 0.0

    def __call__(self) -> float:
        self.done_s += 0.03
        return self.done_s


def rest(timeline: Timeline, simulation: Simulation) -> bytes:
    """The journal of a copy from where it stands to the present of its timeline."""
    log = Log()
    simulation.listeners.append(log)
    for _ in timeline._replayed(simulation, timeline.now_ms):
        pass
    return log.journal


def journal_after(log: Log, time_ms: int, until_ms: int) -> bytes:
    """What was recorded after one instant and up to another, as journal lines."""
    lines = log.journal.splitlines(keepends=True)
    return b"".join(line for line in lines if time_ms < int(line[1 : line.index(b",")]) <= until_ms)


@pytest.mark.parametrize("name", ["spark-worker-lost", "spark-locality", "reservation-deadlock"])
def test_instants_of_a_shipped_scenario_go_on_as_it_did(name: str) -> None:
    scene, log = load(name), Log()
    timeline = Timeline(build_simulation(scene, [log]), work=Work())
    timeline.play(scene.start_ms + min(scene.duration_ms, END_MS))
    for part in range(1, 8):
        time_ms = timeline.first_ms + (timeline.now_ms - timeline.first_ms) * part // 8
        assert rest(timeline, timeline.at(time_ms)) == journal_after(log, time_ms, timeline.now_ms)


@pytest.mark.long
def test_seeking_does_not_depend_on_hash_seeds() -> None:
    code = (
        "from hashlib import sha256; from tests.engine.simulation.test_timeline import seek_everywhere as seek\n"
        "pairs = seek('fair-2.7', 1); assert all(a == b for a, b in pairs)\n"
        "print(sha256(b'|'.join(found for _, found in pairs)).hexdigest())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(3)
    }

    assert len(printed) == 1


def test_looking_changes_nothing() -> None:
    """A run that is looked at everywhere on its way records what one records that nobody looks at."""
    scene = scenario(BUSY, count=6)
    unseen, seen = Log(), Log()
    build_simulation(scene, [unseen]).run_until(scene.start_ms + 300_000)
    timeline = Timeline(build_simulation(scene, [seen]), work=Work())
    for second in range(10, 310, 10):
        timeline.play(scene.start_ms + second * 1000)
        timeline.at(scene.start_ms + second * 500)
        timeline.previous_record(timeline.now_ms)

    assert seen.journal == unseen.journal


@pytest.mark.long
def test_steps_visit_every_recorded_instant_both_ways() -> None:
    scene = scenario(BUSY, count=6)
    log = Log()
    timeline = Timeline(build_simulation(scene, [log]), work=Work())
    timeline.play(scene.start_ms + 60_000)
    instants = sorted({time_ms for time_ms, _ in log.entries if time_ms > timeline.first_ms})
    forwards, backwards = [timeline.first_ms], [timeline.now_ms + 1]
    while (later := timeline.next_record(forwards[-1])) is not None:
        forwards.append(later)
    while (earlier := timeline.previous_record(backwards[-1])) is not None:
        backwards.append(earlier)

    assert (forwards[1:], backwards[:0:-1]) == (instants, instants)


def test_what_was_recorded_is_told_again_backwards() -> None:
    """Every record after the first instant, with its number in the run, from wherever one begins."""
    scene = scenario(BUSY, count=6)
    log = Log()
    timeline = Timeline(build_simulation(scene, [log]), work=Work())
    timeline.play(scene.start_ms + 60_000)
    lived_through = [(number, time_ms, record) for number, (time_ms, record) in enumerate(log.entries)]
    for end_ms in (timeline.now_ms, timeline.first_ms + 25_123):
        delivered = [tuple(each) for rows in reversed(list(timeline.records_before(end_ms))) for each in rows]
        assert delivered == [each for each in lived_through if timeline.first_ms < each[1] <= end_ms]


def test_a_copy_is_reached_with_what_was_recorded_on_the_way() -> None:
    scene = scenario(BUSY, count=6)
    log = Log()
    timeline = Timeline(build_simulation(scene, [log]), work=Work())
    timeline.play(scene.start_ms + 60_000)
    heard = RecordLog()
    simulation = timeline.at(timeline.first_ms + 25_123, heard)
    lived_through = [(number, time_ms, record) for number, (time_ms, record) in enumerate(log.entries)]

    assert simulation.listeners == []
    assert [tuple(each) for each in heard.rows] == [
        each for each in lived_through if heard.begin_ms < each[1] <= simulation.now_ms
    ]


def test_a_run_played_by_somebody_else_has_a_past_too() -> None:
    scene = scenario(BUSY, count=6)
    simulation = build_simulation(scene)
    timeline = Timeline(simulation, work=Work())
    for second in range(5, 100, 5):
        timeline.timed(partial(simulation.run_until, scene.start_ms + second * 1000))

    assert len(timeline) > 2
    assert timeline.at(scene.start_ms + 45_000).now_ms == scene.start_ms + 45_000


def test_marks_are_alerts_and_acts() -> None:
    """What was marked and what came from outside can be gone to, in order of time."""
    scene = scenario(BUSY, count=6)
    timeline = Timeline(build_simulation(scene))
    timeline.play(scene.start_ms + 5_000)
    timeline.live.act(SetPreemption(on=True))
    timeline.play(scene.start_ms + 9_000)
    timeline.mark(scene.start_ms + 2_000)
    timeline.mark(scene.start_ms + 2_000)

    start = scene.start_ms
    assert timeline.marks() == [start + 2_000, start + 5_000]
    assert (timeline.next_mark(start + 2_000), timeline.next_mark(start + 4_999)) == (start + 4_999, None)
    assert (timeline.previous_mark(start + 4_999), timeline.previous_mark(start)) == (start + 2_000, None)


def test_a_mark_of_an_act_leads_to_before_it() -> None:
    """Right after the act, too; a branch from there is a run without it."""
    scene = scenario(BUSY, count=6)
    timeline = Timeline(build_simulation(scene))
    timeline.play(scene.start_ms + 5_000)
    timeline.live.act(SetPreemption(on=True))
    found = timeline.previous_mark(timeline.now_ms)

    assert found == scene.start_ms + 4_999
    assert timeline.branch(found).acts == []


def test_an_act_in_the_first_instant_is_a_mark_there() -> None:
    scene = scenario(BUSY, count=6)
    timeline = Timeline(build_simulation(scene))
    timeline.live.act(SetPreemption(on=True))
    timeline.play(scene.start_ms + 5_000)

    assert timeline.previous_mark(timeline.now_ms) == timeline.first_ms


def test_an_instant_beyond_the_ends_is_the_nearest_end() -> None:
    scene = scenario(BUSY, count=6)
    timeline = Timeline(build_simulation(scene))
    timeline.play(scene.start_ms + 5_000)

    assert timeline.at(0).now_ms == timeline.first_ms
    assert timeline.at(scene.start_ms + 99_000).now_ms == scene.start_ms + 5_000


def test_a_copy_is_made_while_the_run_stands() -> None:
    """It is kept when it is whole; one of a run that went on meanwhile begins anew."""
    scene = scenario(BUSY, count=6)
    timeline = Timeline(build_simulation(scene, [log := Log()]), work=Work())
    timeline.in_pieces = True
    timeline.play(scene.start_ms + 60_000)
    was_due, had = timeline.copying, len(timeline)
    timeline.copy_on()
    timeline.live.run_until(scene.start_ms + 61_000)
    while not timeline.copy_on():
        pass
    time_ms = timeline.now_ms
    timeline.live.run_until(scene.start_ms + 90_000)
    found = rest(timeline, timeline.at(time_ms))

    assert (was_due, had, timeline.copying, len(timeline)) == (True, 1, False, 2)
    assert found == journal_after(log, time_ms, timeline.now_ms)


def test_a_packed_copy_leaves_out_who_listens() -> None:
    """Neither what listeners are still to be told nor a recorder is in a copy; the run keeps both."""
    scene = scenario(BUSY, count=6)
    simulation = build_simulation(scene, [Log()])
    simulation.run_until(scene.start_ms + 20_000)
    assert isinstance(simulation.control_plane, ResourceManager)
    facts = RecentDecisions()
    simulation.control_plane.scheduler.policy.recorder = facts
    simulation.world.records.append(Draining("n1:1"))
    stock, delivered = CheckpointPool(), simulation.world.delivered
    with_recorder = unpack(pack(simulation, stock), stock)
    simulation.control_plane.scheduler.policy.recorder = None
    without = unpack(pack(simulation, stock), stock)
    for copy in (with_recorder, without):
        assert isinstance(copy.control_plane, ResourceManager)
        assert (copy.control_plane.scheduler.policy.recorder, copy.listeners) == (None, [])
        assert (copy.world.records, copy.world.delivered) == ([], delivered + 1)

    assert (simulation.world.records, simulation.world.delivered) == ([Draining("n1:1")], delivered)


def test_a_branch_goes_on_as_the_run_would_have_without_later_acts() -> None:
    scene = scenario(BUSY, count=6)
    straight, log = Log(), Log()
    build_simulation(scene, [straight]).run_until(scene.start_ms + 120_000)
    timeline = Timeline(build_simulation(scene), work=Work())
    timeline.play(scene.start_ms + 90_000)
    timeline.live.act(SetPreemption(on=True))
    timeline.play(scene.start_ms + 100_000)

    branch = timeline.branch(scene.start_ms + 60_000)
    branch.listeners.append(log)
    timeline.play(scene.start_ms + 120_000)

    assert log.journal == journal_after(straight, scene.start_ms + 60_000, scene.start_ms + 120_000)
    assert (timeline.marks(), timeline.live) == ([], branch)
    assert timeline.at(scene.start_ms + 30_000).now_ms == scene.start_ms + 30_000
