"""A run as a whole: skipping changes nothing, a fork goes on alike, every process plays the same."""

import gc
import subprocess
import sys
from hashlib import sha256
from random import Random

import pytest

from engine.control_plane.resource_manager import ResourceManager
from engine.incremental import finish
from engine.model.decision import Allocated, ApplicationTransitioned
from engine.model.ledger import Container
from engine.scenario.acts import (
    Act,
    DrainNode,
    KillApplication,
    KillContainer,
    LoseNode,
    MoveApplication,
    ReturnNode,
    SetPreemption,
    SetReservationRule,
    SubmitApplication,
)
from engine.simulation.build import build_simulation
from engine.simulation.records import Acted, Submitted
from engine.simulation.simulation import Simulation
from tests.engine.simulation.scenes import BUSY, SPARK, Log, played, scenario

HOUR_S = 3600


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["fair-2.7", "fair-3.4", "fifo", "fifo-3.4"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_skipping_changes_no_byte_of_the_journal(scheduler: str, seed: int) -> None:
    """With every heartbeat and call played, an hour of everything gives the same journal."""
    scene = scenario(BUSY, count=8, top=f'scheduler = "{scheduler}"\nseed = {seed}')

    simulation, log = played(scene, HOUR_S)
    naive, naive_log = played(scene, HOUR_S, naive=True)

    assert log.journal == naive_log.journal
    assert naive.world.heartbeats > 8 * 3000
    assert simulation.world.heartbeats < naive.world.heartbeats / 4


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["drf", "fifo"])
def test_skipping_changes_nothing_where_the_order_of_ties_matters(policy: str) -> None:
    text = BUSY.replace('name = "a"', f'name = "a"\npolicy = "{policy}"')
    text = text.replace("[settings]", '[settings]\n"yarn.scheduler.fair.continuous-scheduling-enabled" = "true"')
    scene = scenario(text, count=6)

    _, log = played(scene, 600)
    _, naive_log = played(scene, 600, naive=True)

    assert log.journal == naive_log.journal


FULL = """
[settings]
"schedlab.reservation.rule" = "{rule}"
[[workload]]
type = "service"
user = "eve"
at = 1
instances = 56
instance = {{ memory = "2g", vcores = 1 }}
[[workload]]
type = "mapreduce"
user = "ann"
at = 20
maps = 300
map = {{ memory = "2g", vcores = 1 }}
map_duration = ["20s", "40s"]
[[workload]]
type = "spark"
user = "bob"
at = 40
executors = 2
executor = {{ memory = "6g", vcores = 16 }}
duration = "1m"
"""


@pytest.mark.parametrize("rule", ["off", "limited", "strict"])
def test_offers_in_vain_are_skipped_on_full_nodes(rule: str) -> None:
    """Where nothing fits and nobody may reserve, heartbeats are left out while others change things, unseen."""
    scene = scenario(FULL.format(rule=rule), count=8)

    simulation, log = played(scene, 900)
    naive, naive_log = played(scene, 900, naive=True)

    assert log.journal == naive_log.journal
    assert simulation.world.heartbeats < naive.world.heartbeats / (2 if rule == "strict" else 4)


@pytest.mark.long
def test_the_journal_does_not_hang_on_the_hash_seed() -> None:
    code = (
        "from hashlib import sha256; from tests.engine.simulation.scenes import *;"
        "print(sha256(played(scenario(BUSY, count=6), 600)[1].journal).hexdigest())"
    )
    hashes = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout.strip()
        for seed in ("0", "1", "77")
    ]

    assert hashes == [sha256(played(scenario(BUSY, count=6), 600)[1].journal).hexdigest()] * 3


def test_an_idle_cluster_costs_nothing() -> None:
    simulation, _ = played(scenario(SPARK, count=50), 10 * HOUR_S)

    assert simulation.world.heartbeats < 500


def test_without_anything_to_do_no_event_is_left() -> None:
    simulation, _ = played(scenario(top='scheduler = "fifo"'), 10)

    assert simulation.next_event_ms() is None
    assert not simulation.step()


def test_a_fork_goes_on_alike() -> None:
    """A copy made in the middle and its original write the same from there on."""
    scene = scenario(BUSY, count=6)
    simulation, log = played(scene, 200)
    fork, forked = simulation.fork(), Log()
    fork.listeners.append(forked)
    before = len(log.entries)

    simulation.run_until(scene.start_ms + 1200_000)
    fork.run_until(scene.start_ms + 1200_000)

    assert forked.entries == log.entries[before:]
    assert len(forked.entries) > 500


def test_a_fork_leaves_its_original_alone() -> None:
    scene = scenario(BUSY, count=6)
    simulation, log = played(scene, 100)
    undisturbed = played(scene, 700)[1].journal

    fork = simulation.fork()
    for number in list(fork.world.masters):
        fork.act(KillApplication(number))
    fork.run_until(fork.now_ms + 600_000)
    simulation.run_until(scene.start_ms + 700_000)

    assert log.journal == undisturbed


def test_a_fork_in_pieces_is_never_torn(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the original goes on meanwhile, it is copied anew, and the copy is one of a single instant."""
    monkeypatch.setattr("engine.fork.PIECE", 20)
    scene = scenario(BUSY, count=6)
    simulation, log = played(scene, 200)
    work = simulation.forking()
    next(work)
    simulation.run_until(scene.start_ms + 210_000)
    before, forked = len(log.entries), Log()

    fork = finish(work)
    fork.listeners.append(forked)
    for each in (simulation, fork):
        each.run_until(scene.start_ms + 400_000)

    assert forked.entries == log.entries[before:]
    assert forked.entries


def test_a_discarded_fork_is_gone_at_once() -> None:
    simulation, _ = played(scenario(BUSY, count=6), 100)
    _ = gc.collect()
    gc.disable()
    try:
        before = sum(type(each) is Container for each in gc.get_objects())
        fork = finish(simulation.forking())
        between = sum(type(each) is Container for each in gc.get_objects())
        fork.discard()
        after = sum(type(each) is Container for each in gc.get_objects())
    finally:
        gc.enable()

    assert before == after < between
    simulation.run_until(simulation.now_ms + 5_000)


def test_a_closed_fork_sees_no_later_arrival_and_no_fault() -> None:
    scene = scenario(BUSY, count=6)
    simulation, _ = played(scene, 100)
    log = Log()

    fork = simulation.fork(closed=True)
    fork.listeners.append(log)
    fork.run_until(scene.start_ms + HOUR_S * 1000)

    assert (log.of(Submitted), log.of(Acted)) == ([], [])
    assert log.of(ApplicationTransitioned)


def test_stepping_is_the_same_as_running() -> None:
    """Event by event, slice by slice or at one go: the journal is the same."""
    scene = scenario(BUSY, count=6)
    expected = played(scene, 200)[1].journal
    end_ms = scene.start_ms + 200_000

    stepped, sliced = Log(), Log()
    by_step, by_slice = build_simulation(scene, [stepped]), build_simulation(scene, [sliced])
    while (due := by_step.next_event_ms()) is not None and due <= end_ms:
        by_step.step()
    while by_slice.run_events(7, end_ms):
        pass

    assert (stepped.journal, sliced.journal) == (expected, expected)


def test_an_action_before_an_instant_comes_first_in_it() -> None:
    scene = scenario(SPARK)
    log = Log()
    simulation = build_simulation(scene, [log])
    simulation.run_before(scene.start_ms + 5000)
    assert log.of(Submitted) == []

    simulation.act(SetPreemption(on=True))
    simulation.run_until(scene.start_ms + 5000)

    kinds = [type(record) for time_ms, record in log.entries if time_ms == scene.start_ms + 5000]
    assert kinds[:2] == [Acted, Submitted]


def test_listeners_get_an_instant_at_a_time() -> None:
    times: list[int] = []

    class Instants:
        def records(self, time_ms: int, records: object) -> None:
            times.append(time_ms)

    scene = scenario(BUSY, count=6)
    simulation = build_simulation(scene, [Instants()])
    simulation.run_until(scene.start_ms + 120_000)

    assert times == sorted(set(times))


def test_the_control_plane_can_be_looked_at() -> None:
    scene = scenario(SPARK)
    simulation, log = played(scene, 30)

    assert isinstance(simulation.control_plane, ResourceManager)
    assert simulation.now_ms == scene.start_ms + 30_000
    assert len(log.of(Allocated)) == 4


def random_action(random: Random, simulation: Simulation) -> Act:
    node = f"n{1 + int(random.random() * 8)}:8041"
    applications = sorted(simulation.world.masters) or [1]
    application = applications[int(random.random() * len(applications))]
    spec = scenario(SPARK).workload[0]
    choices: list[Act] = [
        SetPreemption(on=random.random() < 0.5),
        SetReservationRule("off" if random.random() < 0.5 else "strict"),
        DrainNode(node),
        ReturnNode(node),
        LoseNode(node),
        SubmitApplication.of(spec),
        KillApplication(application),
        KillContainer((application, 1, 1 + int(random.random() * 5))),
        MoveApplication(application, "b"),
    ]
    return choices[int(random.random() * len(choices))]
