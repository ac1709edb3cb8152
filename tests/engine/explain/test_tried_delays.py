"""What a trial says beside a baseline made by hand: who starts sooner, who is delayed, what was lost anyway."""

import msgspec
import pytest

from engine.explain.remedy import Remedy
from engine.explain.remedy_trial import FOLLOW_MS, GAIN_MS, Baseline, Delay, Losses, Start, Trial, tried
from engine.incremental import finish
from engine.model.decision import Allocated, Completed, Killed
from engine.observe.lost_work import LOSING
from engine.scenario.acts import KillApplication, SetPreemption
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


def test_who_starts_sooner_by_a_second_is_helped(here: Simulation) -> None:
    """And who would not start at all."""
    start_ms = of(here, base(here)).start_ms

    assert of(here, base(here)).starts == (Start(1, start_ms, None),)
    for expected_ms in (start_ms + GAIN_MS, start_ms + GAIN_MS + 1):
        trial = of(here, base(here, starts={(1, 2): expected_ms}))
        assert trial.starts == (Start(1, start_ms, expected_ms),)
    assert of(here, base(here, starts={(1, 2): start_ms + GAIN_MS - 1})).starts == ()


def test_who_would_have_started_by_now_is_not_waited_for(here: Simulation) -> None:
    """The world is played no further than to when it would have."""
    trial = of(here, base(here, starts={(1, 2): here.now_ms}))

    assert (trial.helps, trial.until_ms - here.now_ms < 1_000) == (False, True)


@pytest.mark.parametrize("follow_ms", [0, 30_000, FOLLOW_MS])
def test_worlds_are_compared_for_a_while_at_least(here: Simulation, follow_ms: int) -> None:
    """Though all have started, unless nothing more can come."""
    trial = of(here, base(here), follow_ms)

    assert trial.until_ms >= max(trial.start_ms, min(here.now_ms + follow_ms, trial.start_ms + 60_000))
    assert trial.is_whole


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


def test_who_has_not_started_by_the_end_is_delayed_by_that_much_at_least(here: Simulation) -> None:
    """Unless it has ended; the longest delay comes first, of equal ones the lower number."""
    first = {9: here.now_ms, 3: here.now_ms, 8: here.now_ms, 7: here.now_ms - 1}
    trial = of(here, base(here, first=first), 600_000)
    by_ms = trial.until_ms - here.now_ms

    assert trial.delays == (
        Delay(7, by_ms + 1, is_least=True),
        Delay(8, by_ms, is_least=True),
        Delay(9, by_ms, is_least=True),
    )
    assert trial.harm_s == (trial.lost_ms + 3 * by_ms + 1) // 1000
    both = of(here, base(here, first={8: here.now_ms}, over_ms={8: here.now_ms - 7}), 600_000)
    assert [(each.application, each.by_ms - by_ms) for each in both.delays] == [(8, 7)]


def test_what_is_lost_anyway_does_not_count(here: Simulation) -> None:
    """As far as the world without the act was played no further; less than nothing is lost by none."""
    plain = of(here, base(here, until_ms=here.now_ms))
    assert (plain.lost_containers, plain.lost_ms > 3) == (1, True)

    for lost_ms, containers, expected in (
        (plain.lost_ms - 1, 0, (1, 1)),
        (plain.lost_ms, 0, (0, 0)),
        (plain.lost_ms + 1, 0, (0, 0)),
        (1, 2, (plain.lost_ms - 1, 0)),
    ):
        against = base(here, until_ms=here.now_ms, lost_ms=lost_ms, lost_containers=containers)
        trial = of(here, against)
        assert (trial.lost_ms, trial.lost_containers) == expected
    for until_ms, left in ((plain.until_ms, 1), (plain.until_ms + 1, plain.lost_ms)):
        assert of(here, base(here, until_ms=until_ms, lost_ms=plain.lost_ms - 1)).lost_ms == left


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


def test_what_the_act_ends_is_freed(here: Simulation) -> None:
    """A refused act ends nothing."""
    copy = here.fork(closed=True)
    for number, freed in ((9, (0, 0, 0)), (2, (1, 6144, 1))):
        losses = Losses(copy)
        copy.listeners.append(losses)
        answer = losses.act(copy, Remedy(KillApplication(number)))
        assert bool(answer) == (number == 9)
        assert (losses.containers, losses.freed_mb, losses.freed_vcores) == freed
    assert Losses(copy).act(copy, Remedy(SetPreemption(on=False))) == ""
