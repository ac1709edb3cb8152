"""Whole days: what the short tests cannot see, because it goes wrong only after hours."""

import pytest

from engine.formats.scenario_toml import load
from engine.observe.journal import Fingerprint
from engine.scenario import ClusterSpec, MapReduceSpec, NodeGroup, Repeat, Scenario, Size, SparkSpec
from engine.simulation.build import build_simulation
from engine.simulation.run_export import replay

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
