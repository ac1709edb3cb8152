"""Which copies a timeline keeps of a run: when one is due, which goes first, and what a branch forgets.

The copy that a seek begins from is the one whose instant its log begins in.
"""

import pytest

from engine.scenario.acts import SetPreemption
from engine.simulation.build import build_simulation
from engine.simulation.timeline import LONGEST_S, Timeline
from tests.engine.simulation.scenes import BUSY, SPARK, Log, scenario

SCENE = scenario(SPARK, count=2)
START_MS = SCENE.start_ms


class Work:
    """A clock of work on which each look takes so long."""

    def __init__(self, look_s: float = 0.0) -> None:
        self.done_s, self.look_s = 0.0, look_s

    def __call__(self) -> float:
        self.done_s += self.look_s
        return self.done_s


def timeline(look_s: float = 0.0, **rooms: int) -> Timeline:
    """The timeline of a small run at its start, with a copy due after a second of work."""
    return Timeline(build_simulation(SCENE), work=Work(look_s), spacing_s=1.0, **rooms)


def lived(one: Timeline, *steps: tuple[int, float]) -> None:
    """Let a run go on to some seconds after its start, each time with so much work."""
    for second, done_s in steps:
        one.live.run_until(START_MS + second * 1000)
        one.grow(done_s)


@pytest.mark.parametrize(("work_s", "count"), [(LONGEST_S / 2, 3), (LONGEST_S / 2 + 0.01, 4)])
def test_no_copy_goes_before_a_seek_would_take_long(work_s: float, count: int) -> None:
    one = Timeline(build_simulation(SCENE), work=Work(), spacing_s=0.1, room_bytes=0)
    lived(one, (1, work_s), (2, work_s), (3, work_s))
    assert len(one) == count


def test_a_run_follows_the_acts_of_another() -> None:
    scene = scenario(BUSY, count=6)
    first, again = Log(), Log()
    simulation = build_simulation(scene, [first])
    for second in (3, 5, 7):
        simulation.run_until(scene.start_ms + second * 1000)
        simulation.act(SetPreemption(on=second == 5))
    simulation.run_until(scene.start_ms + 20_000)
    one = Timeline(build_simulation(scene, [again]), work=Work())
    one.follow(simulation.acts, scene.start_ms + 5_000)
    assert (one.live.acts, one.now_ms) == (simulation.acts[:2], scene.start_ms + 5_000)
    one.follow(simulation.acts[2:], scene.start_ms + 20_000)
    assert again.journal == first.journal


def test_a_copy_is_played_on_as_the_run_went() -> None:
    one = timeline()
    lived(one, (60, 0.0))
    copy = one.at(START_MS + 10_000)
    for _ in one.replay(copy, START_MS + 20_000):
        pass
    assert copy.now_ms == START_MS + 20_000
    for _ in one.replay(copy, START_MS + 99_000):
        pass
    assert copy.now_ms == START_MS + 60_000
