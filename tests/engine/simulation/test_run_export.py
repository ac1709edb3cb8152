"""A run as a value: replayed, it gives the same journal byte for byte."""

from random import Random

import msgspec
import pytest

from engine.observe.journal import Fingerprint
from engine.scenario import Scenario
from engine.scenario.acts import SetPreemption
from engine.simulation.build import build_simulation
from engine.simulation.run_export import RunExport, replay, write_run
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

    fields = scene.model_dump(mode="json")
    written = write_run(RunExport(fields, tuple(simulation.acts), simulation.now_ms, fingerprint.hexdigest()))
    run, second = msgspec.json.decode(written, type=RunExport), Fingerprint()
    replayed = replay(Scenario.model_validate(run.scenario), run.acts, run.until_ms, [again, second])

    assert again.journal == log.journal
    assert (second.hexdigest(), second.lines) == (run.journal_hash, fingerprint.lines)
    assert replayed.acts == simulation.acts


def test_a_replay_can_stop_earlier() -> None:
    scene = scenario(BUSY, count=6)
    simulation = build_simulation(scene)
    simulation.run_until(scene.start_ms + 100_000)
    simulation.act(SetPreemption(on=True))

    replayed = replay(scene, simulation.acts, scene.start_ms + 50_000)

    assert (replayed.acts, replayed.now_ms) == ([], scene.start_ms + 50_000)
