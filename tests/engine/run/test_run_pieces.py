"""A run driven in pieces: where it goes on from, what happens next, how long its slices are, when it is looked at."""

from engine.run import Run
from engine.scenario import acts
from engine.simulation.build import build_simulation
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
