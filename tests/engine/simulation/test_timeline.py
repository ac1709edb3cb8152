"""The past as a place: any instant, by steps and marks, and branches; looking changes nothing."""

import os
import subprocess
import sys

import pytest

from engine.formats.scenario_toml import load
from engine.scenario.acts import SetPreemption
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import Timeline
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
    log = Log()
    simulation.listeners.append(log)
    for _ in timeline._replayed(simulation, timeline.now_ms):
        pass
    return log.journal


def journal_after(log: Log, time_ms: int, until_ms: int) -> bytes:
    lines = log.journal.splitlines(keepends=True)
    return b"".join(line for line in lines if time_ms < int(line[1 : line.index(b",")]) <= until_ms)


def sought(name: str) -> list[tuple[bytes, bytes]]:
    """(what was recorded after an instant, what a copy sought there records), for some instants of a scenario."""
    scene, log = load(name), Log()
    timeline = Timeline(build_simulation(scene, [log]), work=Work())
    timeline.play(scene.start_ms + min(scene.duration_ms, END_MS))
    times = [timeline.first_ms + (timeline.now_ms - timeline.first_ms) * part // 8 for part in range(1, 8)]
    return [(journal_after(log, each, timeline.now_ms), rest(timeline, timeline.at(each))) for each in times]


@pytest.mark.parametrize("name", ["spark-worker-lost", "spark-locality", "reservation-deadlock"])
def test_instants_of_a_shipped_scenario_go_on_as_it_did(name: str) -> None:
    for expected, found in sought(name):
        assert found == expected


@pytest.mark.long
def test_seeking_does_not_depend_on_hash_seeds() -> None:
    code = (
        "from hashlib import sha256; from tests.engine.simulation.test_timeline import sought\n"
        "print(sha256(b'|'.join(found for _, found in sought('spark-locality'))).hexdigest())"
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
    scene = scenario(BUSY, count=6)
    log = Log()
    timeline = Timeline(build_simulation(scene, [log]), work=Work())
    timeline.play(scene.start_ms + 60_000)
    lived_through = [(number, time_ms, record) for number, (time_ms, record) in enumerate(log.entries)]
    for end_ms in (timeline.now_ms, timeline.first_ms + 25_123):
        delivered = [tuple(each) for rows in reversed(list(timeline.records_before(end_ms))) for each in rows]
        assert delivered == [each for each in lived_through if timeline.first_ms < each[1] <= end_ms]


def test_marks_are_alerts_and_acts() -> None:
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
    scene = scenario(BUSY, count=6)
    timeline = Timeline(build_simulation(scene))
    timeline.play(scene.start_ms + 5_000)
    timeline.live.act(SetPreemption(on=True))
    found = timeline.previous_mark(timeline.now_ms)

    assert found == scene.start_ms + 4_999
    assert timeline.branch(found).acts == []


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
