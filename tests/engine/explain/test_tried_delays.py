"""What a trial says beside a baseline made by hand: who starts sooner, who is delayed, what was lost anyway."""

import msgspec
import pytest

from engine.explain.remedy import Remedy
from engine.explain.remedy_trial import FOLLOW_MS, GAIN_MS, Baseline, Delay, Losses, Trial, tried
from engine.incremental import finish
from engine.model.decision import Allocated, Completed, Killed
from engine.observe.lost_work import LOSING
from engine.scenario.acts import KillApplication
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, at, scene

MANY = 10**6
BESIDE = app("beside", '{ memory = "1g", duration = "2m" }', at=2, queue="root.b", waits=False)
KILL = Remedy(KillApplication(2))


@pytest.fixture(scope="module")
def here() -> Simulation:
    """Two halves, and somebody beside them who runs for two minutes."""
    return at(scene(HALVES + BESIDE), 60)


def base(here: Simulation, **more: object) -> Baseline:
    """A world without an act in which nothing happens, for an hour."""
    empty = Baseline(
        here.now_ms, here.now_ms + 3_600_000, ends=True, starts={}, first={}, over_ms={}, lost_ms=0, lost_containers=0
    )
    return msgspec.structs.replace(empty, **more)


def of(here: Simulation, against: Baseline, follow_ms: int = FOLLOW_MS) -> Trial:
    """The trial of the kill of the second, for the first."""
    trial = finish(tried(here, [(1, 2)], KILL, against, MANY, follow_ms=follow_ms))
    assert trial is not None
    return trial


def test_who_starts_or_ends_later_is_delayed(here: Simulation) -> None:
    """By a second at least, by the longer of both; those it is for and those killed do not count."""
    over_ms = of(here, base(here), 600_000)
    assert over_ms.delays == ()
    acted = here.fork(closed=True)
    acted.act(KillApplication(2))
    first, early = here.now_ms, here.now_ms - 5_000
    ended = {1: first, 2: first, 3: early}
    (delay,) = of(here, base(here, over_ms=ended), 600_000).delays

    assert (delay.application, delay.is_least) == (3, False)
    assert delay.by_ms > 60_000
    exact_ms = early + delay.by_ms
    for by_ms, delays in ((GAIN_MS - 1, ()), (GAIN_MS, (Delay(3, GAIN_MS, is_least=False),))):
        against = base(here, over_ms={3: exact_ms - by_ms})
        assert of(here, against, 600_000).delays == delays


def test_work_is_lost_by_a_cause_that_loses_it_and_by_the_act_itself(here: Simulation) -> None:
    """What began before and after; what ends by itself, or is not known, is not lost."""
    copy = here.fork(closed=True)
    losses, now_ms = Losses(copy), copy.now_ms
    given = [Allocated((5, 1, number), "n1:1", 1, 512, 3) for number in (1, 2, 3)]
    losses.records(now_ms + 10, given)
    losses.records(now_ms + 25, [Killed((5, 1, 1), "n1:1", min(LOSING)), Killed((6, 1, 1), "n1:1", "PREEMPTED")])
    losses.records(now_ms + 30, [Completed((5, 1, 2), "n1:1", 0)])

    assert (losses.containers, losses.lost_ms) == (1, 15)
    assert (losses.freed_mb, losses.freed_vcores, losses.drivers) == (0, 0, 0)
