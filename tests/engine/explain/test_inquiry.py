"""An ask that those which wait for nothing keep from starting is found without playing what others go on with."""

from engine.explain.verdict import Verdict
from engine.scenario import Scenario
from tests.engine.explain.stuck import app, scene, verdict_on

BUSY = app("busy", '{ memory = "1g", count = 1000, duration = "20s" }', at=2, queue="root.b", waits=False)
"""Goes on for more than a quarter of an hour beside whoever is blocked."""

WANTS = app("wants", '{ memory = "9g" }', at=20, queue="root.c")


def keeper(asks: str = '{ memory = "2g", count = 2 }') -> str:
    """Holds 2 GB of each of two nodes for ever."""
    return app("keeper", asks, at=1, queue="root.a")


def judged_at_a_minute(scenario: Scenario) -> tuple[Verdict, float]:
    """The verdict on the third application, and how far the world it rests on was played [s]."""
    found, _ = verdict_on(scenario, 60, 3)
    return found, (found.proof.looked_until_ms - scenario.start_ms) / 1000


def test_keepers_alone_prove_that_it_is_blocked() -> None:
    """Nobody else is in the world that proves it, which is still at once; only the keepers are named."""
    found, until_s = judged_at_a_minute(scene(keeper() + BUSY + WANTS))

    assert (found.verdict, found.proof.ends, found.proof.still) == ("blocked", (1,), True)
    assert until_s < 120
