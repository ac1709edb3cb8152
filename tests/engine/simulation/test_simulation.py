"""A run as a whole: skipping changes nothing, a fork goes on alike, every process plays the same."""

import gc
import subprocess
import sys
from hashlib import sha256

import pytest

from engine.incremental import finish
from engine.model.ledger import Container
from tests.engine.simulation.scenes import BUSY, Log, played, scenario

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
