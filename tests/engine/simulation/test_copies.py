"""Forks and checkpoints of whole simulations are like their originals, and share with them only what never changes."""

import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.formats.scenario_toml import load
from engine.model.ledger import Application
from engine.model.spark.application import DRIVER_MOVES, Driver, SparkApplication
from engine.observe.journal import Fingerprint
from engine.observe.snapshots import snapshot_of_simulation
from engine.scenario import ClusterSpec, MapReduceSpec, NodeGroup, Repeat, Scenario, Size, SparkSpec
from engine.scenario.acts import KillApplication, SetPreemption
from engine.simulation.build import build_simulation, replay
from engine.simulation.checkpoint import CheckpointPool, pack, unpack
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import Timeline
from engine.simulation.world import RunConstants
from engine.state import DROPPED, LAZY, NESTED, OWNED, REFERENCES, SHARED, declared, has_slots, is_state
from engine.workload.master import Topology
from tests.engine.simulation.scenes import BUSY, Log, scenario

CHANGEABLE = (list, dict, set, deque)


def is_open(each: Any) -> bool:
    """Whether it is an object of the state that may still change: not an application or driver that has ended."""
    if isinstance(each, Application):
        return not each.is_final or each.attempt is not None
    if isinstance(each, SparkApplication):
        return each.finished_ms is None
    if isinstance(each, Driver):
        return bool(DRIVER_MOVES[each.state])
    return is_state(type(each)) and has_slots(type(each))


def unpacked(simulation: Simulation) -> Simulation:
    pool = CheckpointPool()
    return unpack(pack(simulation, pool), pool)


def scenes() -> Iterator[Any]:
    """Scenarios with what may be in a state: every scheduler, preemption, reservations, lost workers, ended drivers."""
    text = BUSY.replace('hosts = ["n2"], relax = false, ', "").replace("each_node = true\n", "")
    for scheduler in ("fair-2.7", "fair-3.4", "fifo", "fifo-3.4"):
        yield pytest.param(scenario(text, count=8, top=f'seed = 3\nscheduler = "{scheduler}"'), id=scheduler)
    for name in ("preemption-3.4", "reservation-deadlock", "spark-worker-lost", "spark-locality"):
        yield pytest.param(load(name), id=name)


def instants(scene: Scenario) -> Iterator[Simulation]:
    simulation = build_simulation(scene)
    for part in (2, 4, 6):
        simulation.run_until(scene.start_ms + min(scene.duration_ms, 1_200_000) * part // 7)
        yield simulation


def slots(root: Any) -> Iterator[tuple[Any, str, str, Any]]:
    """(object, slot, what it is, its value) of all the state an object leads to."""
    seen, todo = {id(root)}, [root]
    while todo:
        each = todo.pop()
        for name, what in declared(type(each)).items():
            value = value_of(each, name, what)
            yield each, name, what, value
            for other in () if what in (SHARED, OWNED, DROPPED) else members(value):
                if is_open(other) and id(other) not in seen:
                    seen.add(id(other))
                    todo.append(other)


def value_of(each: Any, name: str, what: str) -> Any:
    """What is in a slot; what is lazy is made for that."""
    return getattr(each, name.removeprefix("_") if what == LAZY else name)


def members(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, RunConstants | Topology):
        return
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    for each in inner:
        yield from members(each)


def changeable(root: Any) -> dict[int, str]:
    """Whatever may change of the state: its objects, and the lists, dicts and sets in their slots; by identity."""
    found = {}
    for each, name, what, value in slots(root):
        found[id(each)] = type(each).__name__
        for one in members(value) if what == NESTED else (value,) if what in (OWNED, REFERENCES, LAZY) else ():
            if isinstance(one, CHANGEABLE):
                found[id(one)] = f"{type(each).__name__}.{name}"
    return found


def difference(one: Any, other: Any) -> str:
    """Where two states differ first; empty when they are alike, objects that name each other included."""
    partner: dict[int, Any] = {}
    todo = [("", one, other)]
    while todo:
        where, mine, theirs = todo.pop()
        if type(mine) is not type(theirs):
            return where
        if isinstance(mine, dict):
            todo += [(f"{where}.{place}", *pair) for place, pair in enumerate(zip(mine, theirs, strict=True))]
            mine, theirs = list(mine.values()), list(theirs.values())
        if isinstance(mine, list | tuple | deque):
            if len(mine) != len(theirs):
                return where
            todo += [(f"{where}[{place}]", *pair) for place, pair in enumerate(zip(mine, theirs, strict=True))]
        elif is_open(mine):
            if id(mine) not in partner:
                partner[id(mine)] = theirs
                kind = type(mine)
                todo += [
                    (f"{kind.__name__}.{name}", value_of(mine, name, what), value_of(theirs, name, what))
                    for name, what in declared(kind).items()
                ]
            elif partner[id(mine)] is not theirs:
                return where
        elif not is_state(type(mine)) and type(mine).__module__ == "builtins" and mine != theirs:
            return where
    return ""


def standing(simulation: Simulation) -> Simulation:
    """A copy of a copy that stands still, and is packed and copied again before anybody looks at it."""
    here = simulation.fork()
    here.stands = True
    again = here.fork()
    again.stands = True
    assert difference(unpacked(here.fork()).world, simulation.world) == ""
    return again.fork()


@pytest.mark.parametrize("scene", [*scenes()])
def test_a_copy_is_like_its_original_and_has_its_own_state(scene: Scenario) -> None:
    """Every slot has an equal value, every reference leads to the same copy, and nothing that may change is shared."""
    for simulation in instants(scene):
        mine = changeable(simulation.world)
        for copied in (Simulation.fork, standing, unpacked):
            other = copied(simulation)

            assert difference(simulation.world, other.world) == ""
            assert {mine[each] for each in mine.keys() & changeable(other.world).keys()} == set()


@pytest.mark.parametrize("scene", [*scenes()])
def test_copies_go_on_alike(scene: Scenario) -> None:
    """What is copied only once it is needed is as if all had been, whatever was done to another copy before."""
    for simulation in instants(scene):
        here = simulation.fork()
        here.stands = True
        one, other, killed = simulation.fork(), here.fork(), here.fork()
        for number in list(killed.world.masters):
            killed.act(KillApplication(number))
        for each in (killed, one, other):
            each.run_until(simulation.now_ms + 20_000)

        assert difference(one.world, other.world) == difference(here.world, simulation.world) == ""


@pytest.mark.parametrize("scene", [*scenes()])
def test_what_is_declared_as_shared_cannot_change(scene: Scenario) -> None:
    """No list, dict, set or object of the state is shared, and none is inside what is owned, save what has ended."""
    for simulation in instants(scene):
        for each, name, what, value in slots(simulation.world):
            if what not in (SHARED, OWNED):
                continue
            kept = members(value) if what == SHARED else members(list(value)) if isinstance(value, CHANGEABLE) else ()
            for place, one in enumerate(kept):
                is_own_list = what == OWNED and place == 0
                assert is_own_list or not (isinstance(one, CHANGEABLE) or is_open(one)), f"{type(each)}.{name}"


# The past as a place: any instant, by steps and marks, and branches; looking changes nothing.

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
        "from hashlib import sha256; from tests.engine.simulation.test_copies import sought\n"
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


def test_what_was_unpacked_has_counts_of_its_own() -> None:
    """Those of a JobTracker, which are neither lists nor plain dicts."""
    scene, pool = load("mr1-slots-of-the-wrong-kind"), CheckpointPool()
    simulation = build_simulation(scene, [])
    simulation.run_until(scene.start_ms + 20_000)
    copy = unpack(pack(simulation, pool), pool)
    copy.act(KillApplication(1))
    copy.run_until(scene.start_ms + 60_000)

    counts = [snapshot_of_simulation(each).applications()[0].containers for each in (simulation, copy)]
    assert counts == [48, 0]


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


# Whole days: what the short tests cannot see, because it goes wrong only after hours.

HOUR_MS = 3_600_000


def day() -> Scenario:
    """A day of three teams on 24 nodes, full by day and half empty by night, with preemption on."""
    jobs = tuple(
        MapReduceSpec(
            type="mapreduce",
            user=f"team{team}",
            at_ms=team * 100_000,
            maps=60 + 40 * team,
            reduces=6,
            map=Size(memory_mb=2048, vcores=1),
            reduce=Size(memory_mb=6144, vcores=1),
            map_duration_ms=(20_000, 300_000),
            reduce_duration_ms=(60_000, 900_000),
            replication=3,
            failures=0.02,
            repeat=Repeat(times=90, every_ms=960_000),
        )
        for team in range(3)
    )
    nightly = SparkSpec(
        type="spark",
        user="night",
        at_ms=HOUR_MS,
        executors=30,
        executor=Size(memory_mb=12_288, vcores=4),
        duration_ms=(HOUR_MS, 2 * HOUR_MS),
        repeat=Repeat(times=4, every_ms=6 * HOUR_MS),
    )
    racks = ("/a", "/b", "/c")
    return Scenario(
        name="a whole day",
        seed=7,
        duration_ms=24 * HOUR_MS,
        settings={
            "yarn.scheduler.fair.assignmultiple": "true",
            "yarn.scheduler.fair.preemption": "true",
            "yarn.scheduler.fair.locality.threshold.node": "0.5",
            "yarn.scheduler.fair.locality.threshold.rack": "0.7",
        },
        queue_defaults={"defaultFairSharePreemptionTimeout": "120"},
        cluster=ClusterSpec(groups=(NodeGroup(count=24, memory_mb=24_576, vcores=16, racks=racks),)),
        workload=(*jobs, nightly),
    )


def fingerprint(scenario: Scenario, *, naive: bool) -> tuple[str, int]:
    """Hash and number of the journal's lines of a whole run."""
    counted = Fingerprint()
    build_simulation(scenario, [counted], naive=naive).run_until(scenario.start_ms + scenario.duration_ms)
    return counted.hexdigest(), counted.lines


@pytest.mark.parametrize("scheduler", ["capacity-2.7", "capacity-3.4"])
def test_skipping_changes_no_byte_where_a_reservation_kept_in_vain_earns_others(scheduler: str) -> None:
    day = Path(__file__).parents[2] / "cases" / "fix" / "reservations-at-a-limit" / "day.toml"
    scenario = load(day).model_copy(update={"scheduler": scheduler})

    assert fingerprint(scenario, naive=False) == fingerprint(scenario, naive=True)


@pytest.mark.long
def test_skipping_idle_heartbeats_changes_no_byte_of_a_day() -> None:
    """A run that plays every heartbeat and call writes the same journal as one that leaves out those without effect."""
    scenario = day()

    skipped, played = fingerprint(scenario, naive=False), fingerprint(scenario, naive=True)

    assert skipped == played
    assert played[1] > 10_000


@pytest.mark.long
@pytest.mark.parametrize("name", ["reservation-deadlock", "reservation-deadlock-continuous"])
def test_skipping_changes_no_byte_of_the_incident(name: str) -> None:
    """Also not while all nodes are reserved, which is where offers burn container numbers without a decision."""
    scenario = load(name)

    assert fingerprint(scenario, naive=False) == fingerprint(scenario, naive=True)


@pytest.mark.long
def test_copies_taken_over_a_day_go_on_as_the_original() -> None:
    scenario = day()
    simulation = build_simulation(scenario)

    for hour in range(1, 24, 4):
        simulation.run_until(scenario.start_ms + hour * HOUR_MS + 137)
        fork = simulation.fork()
        ours, its = Fingerprint(), Fingerprint()
        simulation.listeners, fork.listeners = [ours], [its]
        for each in (fork, simulation):
            each.run_until(scenario.start_ms + (hour + 1) * HOUR_MS)
        assert (its.lines, its.hexdigest()) == (ours.lines, ours.hexdigest())


@pytest.mark.long
def test_a_day_replayed_to_any_hour_goes_on_as_the_first_time() -> None:
    """What a replay has rebuilt is the state itself, not only its journal so far."""
    scenario = day()
    hour_ms = scenario.start_ms + 21 * HOUR_MS + 137
    first, again = Fingerprint(), Fingerprint()
    simulation = build_simulation(scenario)
    simulation.run_until(hour_ms)
    simulation.listeners.append(first)
    simulation.run_until(scenario.start_ms + scenario.duration_ms)

    replayed = replay(scenario, (), hour_ms)
    replayed.listeners.append(again)
    replayed.run_until(scenario.start_ms + scenario.duration_ms)

    assert again.hexdigest() == first.hexdigest()
