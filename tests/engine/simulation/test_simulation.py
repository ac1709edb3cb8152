"""A run as a whole: skipping changes nothing, a fork goes on alike, every process plays the same."""

import gc
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ConfigError, InvariantError
from engine.incremental import run_to_end
from engine.model.decision import Allocated
from engine.model.ledger import Container
from engine.observe.journal import encode_records
from engine.scenario import Size, SparkSpec
from engine.scenario.acts import KillApplication, LoseNode, ResizeNode, ReturnNode, SetHealth, SubmitApplication
from engine.simulation.build import build_simulation
from engine.simulation.records import Acted, AskChanged, Record
from engine.simulation.world import NODE_HEARTBEAT, Clock
from tests.engine.simulation.scenes import BUSY, Log, played, scenario

HOUR_S = 3600


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["fair-2.7", "fair-3.4", "fifo", "fifo-3.4"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_skipping_changes_no_byte_of_the_journal(scheduler: str, seed: int) -> None:
    """With every heartbeat and call played, half an hour of everything gives the same journal."""
    scene = scenario(BUSY, count=8, top=f'scheduler = "{scheduler}"\nseed = {seed}')

    simulation, log = played(scene, HOUR_S // 2)
    naive, naive_log = played(scene, HOUR_S // 2, naive=True)

    assert log.journal == naive_log.journal
    assert naive.world.heartbeats > 8 * 1500
    assert simulation.world.heartbeats < naive.world.heartbeats / 4


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["drf", "fifo"])
def test_skipping_changes_nothing_where_the_order_of_ties_matters(policy: str) -> None:
    text = BUSY.replace('name = "a"', f'name = "a"\npolicy = "{policy}"')
    text = text.replace("[settings]", '[settings]\n"yarn.scheduler.fair.continuous-scheduling-enabled" = "true"')
    scene = scenario(text, count=6)

    _, log = played(scene, 240)
    _, naive_log = played(scene, 240, naive=True)

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


def test_a_fork_in_pieces_is_never_torn(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the original goes on meanwhile, it is copied anew, and the copy is one of a single instant."""
    monkeypatch.setattr("engine.fork.PIECE", 20)
    scene = scenario(BUSY, count=6)
    simulation, log = played(scene, 200)
    work = simulation.fork_in_steps()
    next(work)
    simulation.run_until(scene.start_ms + 210_000)
    before, forked = len(log.entries), Log()

    fork = run_to_end(work)
    fork.listeners.append(forked)
    for each in (simulation, fork):
        each.run_until(scene.start_ms + 400_000)

    assert forked.entries == log.entries[before:]
    assert forked.entries


def test_what_stands_still_is_not_played() -> None:
    simulation, _ = played(scenario(BUSY, count=6), 100)
    simulation.stands = True
    later_ms = simulation.now_ms + 1_000
    plays: list[Callable[[], object]] = [
        lambda: simulation.run_until(later_ms),
        lambda: simulation.run_events(1, later_ms),
        lambda: simulation.run_to((later_ms,)),
        lambda: simulation.act(KillApplication(1)),
    ]
    for play in plays:
        with pytest.raises(InvariantError, match="stands still"):
            play()


@pytest.mark.parametrize("stands", [False, True])
def test_a_discarded_fork_is_gone_at_once(stands: bool) -> None:
    simulation = played(scenario(BUSY, count=6), 100)[0].fork()
    if stands:
        simulation.stands = True
    _ = gc.collect()
    gc.disable()
    try:
        before = sum(type(each) is Container for each in gc.get_objects())
        fork = run_to_end(simulation.fork_in_steps())
        fork.run_until(simulation.now_ms + 5_000)
        between = sum(type(each) is Container for each in gc.get_objects())
        fork.discard()
        after = sum(type(each) is Container for each in gc.get_objects())
    finally:
        gc.enable()

    assert before == after < between
    assert run_to_end(simulation.fork_in_steps()).next_event_ms() == simulation.next_event_ms()


# Simulated time: a heap of tuples, and a position within the instant.


def test_time_does_not_turn_back() -> None:
    with pytest.raises(ValueError, match="before 10"):
        Clock(10).schedule((9, 0, 0, 0))


@given(st.integers(0, 5000), st.integers(-1, 9), st.integers(0, 5), st.integers(0, 5000), st.integers(1, 2000))
def test_the_next_beat_is_the_first_that_has_not_been_passed(
    now_ms: int, edge: int, order: int, phase_ms: int, interval_ms: int
) -> None:
    """No beat of the rhythm lies between the position and the next one, and the last one lies behind."""
    clock = Clock(now_ms)
    clock.position = (now_ms, edge, 2)

    due = clock.next_beat_ms(phase_ms, interval_ms, NODE_HEARTBEAT, order)
    last = clock.last_beat_ms(phase_ms, interval_ms, NODE_HEARTBEAT, order)

    assert (due - phase_ms) % interval_ms == 0
    assert (due, NODE_HEARTBEAT, order) > clock.position
    assert (due - interval_ms, NODE_HEARTBEAT, order) <= clock.position
    assert last == due - interval_ms


# From a scenario to a simulation.


def test_a_broken_allocation_file_is_a_problem() -> None:
    with pytest.raises(ConfigError):
        build_simulation(
            scenario().model_copy(
                update={"allocations": "<allocations><queue name='a'><weight>x</weight></queue></allocations>"}
            )
        )


def test_faults_are_resolved_and_in_order() -> None:
    scene = scenario(BUSY, count=8)
    faults = build_simulation(scene).world.ground.faults

    assert [fault for _, fault in faults] == [
        LoseNode("n3:8041"),
        SetHealth("n5:8041", healthy=False),
        ResizeNode("n6:8041", 8192, 8),
        SetHealth("n5:8041", healthy=True),
        ReturnNode("n3:8041"),
    ]
    assert faults[0][0] == scene.start_ms + 180_000


# Records as journal lines.


def test_each_record_is_a_line_with_its_time() -> None:
    """A line is a pair of epoch ms and a record tagged by its kind."""
    lines = encode_records(7, [AskChanged(1, 20, 1024, 1, 5), Acted(KillApplication(1), (7, 9))])

    assert lines == (
        b'[7,{"kind":"Asked","application":1,"priority":20,"memory_mb":1024,"vcores":1,"count":5}]\n'
        b'[7,{"kind":"Acted","action":{"kind":"KillApplication","application":1},"position":[7,9]}]\n'
    )


def test_records_come_back_as_they_were() -> None:
    spec = SparkSpec(type="spark", user="ann", executors=2, executor=Size(memory_mb=1024))
    records: list[Record] = [Allocated((1, 1, 2), "n1:8041", 1, 1024, 1), Acted(SubmitApplication.of(spec), (7, 4, 2))]

    lines = encode_records(7, records).splitlines()

    assert [msgspec.json.decode(line, type=tuple[int, Record]) for line in lines] == [(7, each) for each in records]
