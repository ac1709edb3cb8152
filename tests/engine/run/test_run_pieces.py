"""A run driven in pieces: where it goes on from, what happens next, how long its slices are, when it is looked at."""

from collections.abc import Iterator
from typing import Any

import pytest

from engine.observe.snapshot import Snapshot
from engine.run import Mishap, Outcome, Run, play
from engine.run.player import play_on
from engine.scenario import ClusterSpec, Expectation, Scenario, acts
from engine.scenario.timed_acts import timed
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.run.test_player import Diary, scenario
from tests.engine.simulation.scenes import Log

SCRIPT = "".join(
    f'[[script]]\ndo = "preemption"\nat = {at}\non = {on}\n' for at, on in ((30, "true"), (10, "false"), (20, "true"))
)
LATE = '[[expectations]]\nof = "cluster"\nwhat = "containers"\nat = 50\nequals = 2\n'


def test_a_branch_does_what_the_script_has_left() -> None:
    """What was done up to the instant of the branch, that one included, is done; only the new listeners are told."""
    old, new = Diary(), Diary()
    run = Run(scenario(SCRIPT), [old])
    run.advance(10_000)
    fork = run.simulation.fork()
    run.branch(fork, [new])
    run.advance(60_000)

    start_ms = scenario().start_ms
    assert run.simulation is fork
    assert [time_ms - start_ms for time_ms, _ in old.acted] == [10_000]
    assert [time_ms - start_ms for time_ms, _ in new.acted] == [20_000, 30_000]


def test_a_branch_is_judged_like_the_run() -> None:
    """By what its own simulation comes to."""
    run = Run(scenario(LATE))
    run.advance(20_000)
    run.branch(run.simulation.fork())
    run.simulation.act(acts.KillApplication(1))
    run.advance(60_000)
    (result,) = run.outcome().results
    assert (result.verdict, result.time_ms, result.value) == ("failed", 50_000, 0)


def test_an_act_of_another_run_is_repeated_where_it_came() -> None:
    """In the order of events; its instant is judged only when all of it has happened."""
    promise = '[[expectations]]\nof = "cluster"\nwhat = "containers"\nat = 1.5\nequals = 1\n'
    scene, first, again = scenario(promise), Log(), Log()
    simulation = build_simulation(scene, [first])
    simulation.run_before(scene.start_ms + 1_500)
    simulation.act(acts.SetPreemption(on=True))
    simulation.run_until(scene.start_ms + 60_000)

    run = Run(scene, [again])
    for position, act in simulation.acts:
        run.repeat(position, act)
    run.advance(60_000)

    assert again.journal == first.journal
    assert [result.verdict for result in run.outcome().results] == ["met"]


@pytest.mark.parametrize("most_ms", [25_000, 60_000])
def test_a_run_knows_when_something_happens_next(most_ms: int) -> None:
    """The next event, the next step of the script, or its end."""
    run = Run(scenario(SCRIPT), until_ms=most_ms)
    for to_ms in (0, 499, 500, 9_999, 10_000, 20_000, 29_999, 30_000, 59_999, 99_000):
        run.advance(to_ms)
        steps = [at_ms for at_ms in (10_000, 20_000, 30_000) if at_ms > run.now_ms]
        event_ms = run.simulation.next_event_ms()
        assert event_ms is not None
        assert run.next_change_ms() == min(most_ms, *steps[:1], event_ms - run.scenario.start_ms)
    assert (run.now_ms, run.ended) == (most_ms, True)


def empty(*steps_ms: int, duration_ms: int = 1_000_000, expectations: tuple[Expectation, ...] = ()) -> Scenario:
    """A cluster without nodes, in which nothing happens by itself, with steps of the script."""
    script = tuple(timed(acts.SetPreemption(on=True), at_ms) for at_ms in steps_ms)
    return Scenario(
        scheduler="fifo", cluster=ClusterSpec(), script=script, duration_ms=duration_ms, expectations=expectations
    )


def test_where_nothing_happens_the_end_is_next() -> None:
    """After the steps of the script."""
    run = Run(empty(5_000))
    assert run.simulation.next_event_ms() is None
    assert run.next_change_ms() == 5_000
    run.advance(5_000)
    assert run.next_change_ms() == 1_000_000


DOUBLED = [10, 30, 70, 150, 310, 630, 1_270, 2_550, 5_110, 10_230, 20_470, 40_950, 81_910]
"""The ends of slices that double from the shortest on, up to the longest."""


@pytest.mark.parametrize(
    ("steps_ms", "ends"),
    [
        ((), [1_000_000]),
        ((300_000,), [300_000, 1_000_000]),
        ((100_000, 145_910), [145_910, 1_000_000]),
        ((145_911,), [145_911, 1_000_000]),
        ((145_909,), [145_910, 1_000_000]),
    ],
)
def test_a_slice_of_the_longest_goes_to_where_something_happens(steps_ms: tuple[int, ...], ends: list[int]) -> None:
    """Or as far as it is long."""
    seen: list[int] = []
    assert play_on(Run(empty(*steps_ms)), progressed=seen.append, wall=lambda: 0.0)
    assert seen == [*DOUBLED, *ends]


def clock(*slices_s: float) -> Iterator[float]:
    """A clock on the wall by which slices take so long, one after another."""
    now = 0.0
    for each in slices_s:
        yield now
        now += each
        yield now


def test_a_slice_is_never_shorter_than_the_least() -> None:
    """One that takes as long as a look may is long."""
    wall, seen = clock(0.1, 0.5, 0.09, 0.09, 0.11), list[int]()
    run = Run(empty(), until_ms=90)
    assert play_on(run, progressed=seen.append, wall=lambda: next(wall))
    assert seen == [10, 20, 30, 50, 90]


class Looked(Run):
    """A run that remembers when somebody looked at its cluster."""

    def __init__(self, scene: Scenario) -> None:
        self.looks: list[int] = []
        super().__init__(scene)

    def snapshot(self) -> Snapshot:
        """Note it."""
        self.looks.append(self.now_ms)
        return super().snapshot()


@pytest.mark.parametrize(
    ("fields", "looks"),
    [
        ({"what": "demand_mb", "until": 2}, [0, 500, 1000, 1500, 2000]),
        ({"what": "demand_mb", "since": 0.7, "until": 1.6}, [700, 1000, 1500, 1600]),
        ({"what": "demand_mb", "since": 0.5, "until": 1}, [500, 1000]),
        ({"what": "fair_share_mb", "since": 0.5, "until": 1.001}, [500, 1000, 1001]),
        ({"what": "applications_running", "until": 2}, [0, 2000]),
        ({"what": "demand_mb", "at": 2}, [2000]),
    ],
)
def test_what_changes_without_a_record_is_looked_at_twice_a_second(fields: dict[str, Any], looks: list[int]) -> None:
    """Throughout its stretch; everything else at the first and the last instant, where nothing is recorded."""
    promise = Expectation.model_validate({"of": "queue", "queue": "root.default", "at_most": 10**9, **fields})
    for pieces in (5_000, 300):
        scene = empty(duration_ms=5_000, expectations=(promise,))
        run = Looked(scene.model_copy(update={"scheduler": "fair-2.7"}))
        for to_ms in range(pieces, 5_001, pieces):
            run.advance(to_ms)
        assert run.looks == looks


def test_whoever_begins_a_run_is_shown_its_start() -> None:
    """Before time passes."""
    seen: list[int] = []

    def begun(simulation: Simulation) -> None:
        seen.append(simulation.now_ms)

    outcome = play(empty(duration_ms=20), begun=begun, progressed=seen.append)
    assert seen == [empty().start_ms, 10, 20]
    assert outcome == Outcome(scenario="", ended_ms=20, interrupted=False, results=(), mishaps=())


def test_a_step_that_is_refused_is_a_mishap_with_its_reason() -> None:
    """Whether the name means nobody or the control plane says no."""
    script = (
        timed(acts.KillApplication("gone"), 10),
        timed(acts.KillApplication(7), 20),
        timed(acts.LabelNode("n9", "x"), 30),
    )
    outcome = play(empty(duration_ms=50).model_copy(update={"script": script}))
    assert outcome.mishaps[0] == Mishap(10, "kill", "no single application is meant by gone")
    assert [(each.time_ms, each.step) for each in outcome.mishaps] == [(10, "kill"), (20, "kill"), (30, "label")]
    assert all(each.reason for each in outcome.mishaps)


def test_a_run_that_is_not_judged_has_no_results() -> None:
    """Whatever its scenario promises."""
    run = Run(scenario(LATE), is_judged=False)
    run.advance(60_000)
    assert run.outcome() == Outcome(
        scenario=run.scenario.name, ended_ms=60_000, interrupted=False, results=(), mishaps=()
    )
    assert run.outcome(interrupted=True).interrupted
