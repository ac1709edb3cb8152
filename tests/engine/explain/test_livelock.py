"""Containers taken back again and again: told from what happens, confirmed ahead, and over when one runs out."""

from engine.explain.alerts import Livelock
from engine.formats.scenario_toml import load
from engine.model.decision import Killed
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation

TAKEN = [Killed((number, 1, 2), "n1:8041", "PREEMPTED") for number in (1, 2)]
AT_ONCE = 1 << 40


def _at(name: str, seconds: int) -> Simulation:
    simulation = build_simulation(load(name))
    simulation.run_until(simulation.now_ms + seconds * 1000)
    return simulation


def test_it_takes_several_from_two_to_be_suspected() -> None:
    simulation, livelock = _at("pattern-preemption-livelock", 60), Livelock()
    livelock.on_records(0, TAKEN * 2)
    before = livelock.look(simulation, AT_ONCE)
    livelock.on_records(0, TAKEN)

    (alert,) = livelock.look(simulation, AT_ONCE)

    assert before == []
    assert (alert.kind, alert.applications) == ("livelock", (1, 2))
    assert alert.words == "preemption livelock: applications 1, 2"


def test_who_does_not_go_on_like_that_is_silent() -> None:
    """Where the closed world does not confirm it, it takes twice as many to be suspected again."""
    simulation, livelock = _at("pattern-preemption-livelock-twin", 1), Livelock()
    livelock.on_records(0, TAKEN * 3)

    assert livelock.is_due
    assert livelock.look(simulation, AT_ONCE) == []
    livelock.on_records(0, TAKEN)
    assert not livelock.is_due


def test_one_alone_is_told_where_what_is_taken_from_it_goes_to_it_again() -> None:
    """Nobody else is given anything, as CapacityScheduler serves the same queue first each time."""
    simulation, livelock = _at("preemption-livelock-capacity", 66), Livelock()
    livelock.on_records(0, [record for record in TAKEN * 3 if record.container[0] == 1])

    (alert,) = livelock.look(simulation, AT_ONCE)

    assert (alert.kind, alert.applications) == ("livelock", (1,))
    assert "go back to it" in alert.sentence
