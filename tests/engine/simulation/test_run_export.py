"""A run as a value: replayed, it gives the same journal byte for byte."""

from random import Random

import pytest

from engine.errors import ConfigError
from engine.simulation.actions import SetPreemption
from engine.simulation.build import build_simulation
from engine.simulation.run_export import Fingerprint, read_run, replay, run_of, write_run
from tests.engine.simulation.scenes import BUSY, Log, scenario
from tests.engine.simulation.test_simulation import random_action


@pytest.mark.parametrize("seed", range(3))
def test_a_replay_gives_the_same_journal(seed: int) -> None:
    """However a run was driven and acted upon, its actions at their positions repeat it."""
    random = Random(seed)
    scene = scenario(BUSY, count=8, top=f"seed = {seed}")
    log, again, fingerprint = Log(), Log(), Fingerprint()
    simulation = build_simulation(scene, [log, fingerprint])
    for turn in range(40):
        if turn % 3:
            simulation.run_events(1 + int(random.random() * 99), simulation.now_ms + 60_000)
        else:
            simulation.run_until(simulation.now_ms + int(random.random() * 20_000))
        simulation.act(random_action(random, simulation))
    simulation.run_until(simulation.now_ms + 60_000)

    read_scene, run = read_run(write_run(run_of(scene, simulation, fingerprint)))
    second = Fingerprint()
    replayed = replay(read_scene, run.acts, run.until_ms, [again, second])

    assert again.journal == log.journal
    assert (second.hexdigest(), second.lines) == (run.journal_hash, fingerprint.lines)
    assert replayed.acts == simulation.acts


def test_a_replay_can_stop_earlier() -> None:
    """Actions after the end asked for do not happen."""
    scene = scenario(BUSY, count=6)
    simulation = build_simulation(scene)
    simulation.run_until(scene.start_ms + 100_000)
    simulation.act(SetPreemption(on=True))

    replayed = replay(scene, simulation.acts, scene.start_ms + 50_000)

    assert (replayed.acts, replayed.now_ms) == ([], scene.start_ms + 50_000)


def test_a_run_without_a_fingerprint_has_no_hash() -> None:
    """Nothing is made up."""
    scene = scenario()

    assert run_of(scene, build_simulation(scene)).journal_hash == ""


@pytest.mark.parametrize("data", [b"{}", b"no json", b'{"scenario":{},"acts":[],"until_ms":0}'])
def test_what_is_no_run_is_a_problem(data: bytes) -> None:
    """A broken file is refused with its name."""
    with pytest.raises(ConfigError, match="this is no run") as refused:
        read_run(data, "run.json")

    assert refused.value.problems[0].file == "run.json"


def test_a_run_of_another_schema_is_refused() -> None:
    """A later program's runs are not guessed at."""
    scene = scenario()
    data = write_run(run_of(scene, build_simulation(scene))).replace(b'"schema":1', b'"schema":2')

    with pytest.raises(ConfigError, match="schema 2"):
        read_run(data)
