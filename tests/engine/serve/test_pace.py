"""How the time of a served run passes: kept acts come again, a new act ends them, its end is its end."""

import asyncio
from typing import Any

import pytest

from engine.formats.scenario_toml import load
from engine.observe.journal import Fingerprint
from engine.run import Run
from engine.scenario.acts import KillApplication
from engine.serve.served import REST_S, SLICE_S, ServedPace
from tests.engine.serve.test_beans import small

NAME = "reservation-deadlock-recorded"


def played(until_ms: int) -> tuple[Run, Fingerprint]:
    """A run without its script, and the hash of what happens in it."""
    journal = Fingerprint()
    run = Run(load(NAME).model_copy(update={"script": ()}), [journal], until_ms, is_judged=False)
    return run, journal


def test_acts_of_a_kept_run_come_again_at_their_time() -> None:
    first, journal = played(90_000)
    first.advance(70_000)
    first.simulation.act(KillApplication(10))
    first.advance(90_000)

    again, repeated = played(90_000)
    pace = ServedPace(again, first.simulation.acts)
    for to_ms in (30_000, 70_500, 90_000):
        pace.advance(to_ms)

    assert repeated.hexdigest() == journal.hexdigest()


def test_a_new_act_ends_those_that_were_kept() -> None:
    first, _ = played(90_000)
    first.advance(70_000)
    first.simulation.act(KillApplication(10))

    pace = ServedPace(played(90_000)[0], first.simulation.acts)
    pace.advance(60_000)
    pace.act(KillApplication(1))
    pace.advance(80_000)

    assert [action for _, action in pace.played.simulation.acts] == [KillApplication(1)]


async def test_it_goes_on_until_it_is_stopped() -> None:
    now_s, rests = [0.0], []

    async def sleep(seconds: float) -> None:
        rests.append(seconds)
        now_s[0] += 1.0
        if len(rests) == 5:
            raise StopAsyncIteration

    pace = ServedPace(played(90_000)[0], clock=lambda: now_s[0], sleep=sleep)
    with pytest.raises(StopAsyncIteration):
        await pace.run()
    assert pace.played.now_ms == 4_000


async def test_of_several_walks_one_goes_at_a_time() -> None:
    """The second begins when the first is where it was to go, so questions never wait for two slices."""
    now_s, walked = [0.0], list[str]()

    async def sleep(seconds: float) -> None:
        task = asyncio.current_task()
        assert task is not None
        walked.append(task.get_name())
        await asyncio.sleep(0)

    def clock() -> float:
        now_s[0] += 0.6 * SLICE_S  # one piece of work in a slice
        return now_s[0]

    pace = ServedPace(played(90_000)[0], clock=clock, sleep=sleep)
    await asyncio.gather(
        *(asyncio.create_task(pace.walk(to_ms), name=name) for name, to_ms in (("a", 5_000), ("b", 9_000)))
    )

    assert (walked, pace.played.now_ms) == (sorted(walked), 9_000)
    assert set(walked) == {"a", "b"}


# How fast the time of a served run passes, by a clock that is set by hand.


class Clock:
    """A wall clock that goes on by a step at each look."""

    def __init__(self, step_s: float = 0.0) -> None:
        self.now_s, self.step_s, self.looks = 0.0, step_s, 0

    def __call__(self) -> float:
        self.looks += 1
        self.now_s += self.step_s
        return self.now_s


def paced(clock: Clock, **how: Any) -> ServedPace:
    return ServedPace(Run(small(), is_judged=False), clock=clock, **how)


@pytest.mark.parametrize("speed", [0.5, 1.0, 20.0])
def test_simulated_time_passes_at_its_speed(speed: float) -> None:
    clock = Clock()
    pace = paced(clock, speed=speed)
    assert (pace.speed, pace.paused, pace.slice(), pace.played.now_ms) == (speed, False, REST_S, 0)
    clock.now_s = 2.0
    pace.slice()
    assert pace.played.now_ms == 2000 * speed
    pace.set(paused=True)
    clock.now_s = 3.0
    assert (pace.slice(), pace.paused, pace.speed) == (REST_S, True, speed)
    pace.set(paused=False, speed=2 * speed)
    clock.now_s = 4.0
    pace.slice()
    assert (pace.played.now_ms, pace.speed) == (4000 * speed, 2 * speed)
