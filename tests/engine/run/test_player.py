"""Playing scenarios: the script is followed, expectations are judged, and a run can be stopped."""

from collections.abc import Sequence

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import loads
from engine.run import Outcome, Run, play
from engine.run.player import play_on
from engine.scenario import Scenario, acts
from engine.simulation.records import Acted, Record

BASE = """
start = 2024-03-04T09:00:00Z
duration = "1m"
[cluster]
nodes = [{host = "n1", memory = "4g", vcores = 4, phase = 0.5}, {host = "n2", memory = "4g", vcores = 4, phase = 0.6}]
[[workload]]
type = "scripted"
name = "one"
user = "u"
queue = "a"
am = "unmanaged"
asks = [{memory = "1g", count = 2}]
"""


def scenario(more: str = "") -> Scenario:
    return loads(BASE + more, "small.toml")


class Diary:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.acted: list[tuple[int, object]] = []

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        self.acted += [(time_ms, record.action) for record in records if isinstance(record, Acted)]


def played(more: str) -> tuple[Outcome, Diary]:
    """The outcome of the small scenario with more at its end."""
    diary = Diary()
    return play(scenario(more), listeners=[diary]), diary


def test_a_run_without_promises_is_good() -> None:
    outcome, _ = played("")
    assert (outcome.ok, outcome.ended_ms, outcome.interrupted, outcome.results) == (True, 60_000, False, ())


def test_the_script_acts_at_its_instants_in_its_order() -> None:
    outcome, diary = played(
        '[[script]]\ndo = "kill"\nat = 30\napplication = "one"\n'
        '[[script]]\ndo = "preemption"\nat = 20\non = true\n'
        '[[script]]\ndo = "reservation-rule"\nat = 20\nrule = "off"\n'
    )
    start_ms = scenario().start_ms
    assert diary.acted == [
        (start_ms + 20_000, acts.SetPreemption(on=True)),
        (start_ms + 20_000, acts.SetReservationRule("off")),
        (start_ms + 30_000, acts.KillApplication(1)),
    ]
    assert outcome.mishaps == ()


def test_an_action_comes_first_in_its_instant() -> None:
    outcome, _ = played(
        '[[script]]\ndo = "kill"\nat = 1.5\napplication = "one"\n'
        '[[expectations]]\nof = "decisions"\nwhat = "allocated"\nuntil = "1m"\nequals = 0\n'
    )
    assert outcome.ok


def test_an_expectation_of_an_instant_sees_all_of_it() -> None:
    """Also where the script acts in it, and a heartbeat comes after the act."""
    outcome, _ = played(
        '[[script]]\ndo = "preemption"\nat = 1.5\non = true\n'
        '[[expectations]]\nof = "decisions"\nwhat = "allocated"\nat = 1.5\nequals = 1\n'
        '[[expectations]]\nof = "cluster"\nwhat = "containers"\nat = 1.5\nequals = 1\n'
    )
    assert [result.verdict for result in outcome.results] == ["met", "met"]


def test_a_step_that_comes_to_nothing_is_told() -> None:
    outcome, _ = played(
        '[[script]]\ndo = "kill"\nat = 30\napplication = "one"\n'
        '[[script]]\ndo = "move"\nat = 40\napplication = "one"\nqueue = "b"\n'
    )
    (mishap,) = outcome.mishaps
    assert (mishap.time_ms, mishap.step) == (40_000, "move")
    assert (outcome.ok, outcome.ended_ms) == (True, 60_000)


def test_a_refused_name_is_told() -> None:
    outcome, _ = played(
        '[[workload]]\ntype = "scripted"\nname = "one"\nuser = "u"\nqueue = "b"\n'
        'am = "unmanaged"\nasks = [{memory = 1}]\n'
        '[[script]]\ndo = "kill"\nat = 30\napplication = "one"\n'
    )
    assert "no single application" in outcome.mishaps[0].reason


def test_a_failed_expectation_makes_the_outcome_bad() -> None:
    outcome, _ = played(
        '[[expectations]]\nof = "queue"\nqueue = "a"\nwhat = "used_memory_mb"\nuntil = 30\nequals = 0\n'
    )
    (failed,) = outcome.failed
    assert (failed.verdict, failed.time_ms, failed.value) == ("failed", 1500, 1024)
    assert not outcome.ok


def test_shares_are_looked_at_between_records() -> None:
    outcome, _ = played(
        '[[expectations]]\nof = "queue"\nqueue = "a"\nwhat = "fair_share_mb"\nwithin = 2\nequals = 8192\n'
    )
    (result,) = outcome.results
    assert (result.verdict, result.time_ms) == ("met", 500)


def test_a_run_may_end_before_its_promises() -> None:
    outcome = play(scenario('[[expectations]]\nof = "cluster"\nwhat = "nodes"\nat = 30\nequals = 9\n'), until_ms=10_000)
    assert (outcome.ok, outcome.results[0].verdict) == (True, "open")


def test_a_run_may_be_stopped() -> None:
    seen: list[int] = []
    long = scenario().model_copy(update={"duration_ms": 600_000})
    outcome = play(long, is_stopped=lambda: len(seen) == 2, progressed=seen.append)
    assert (outcome.interrupted, outcome.ended_ms, len(seen)) == (True, seen[-1], 2)


def test_whoever_may_stop_a_run_is_asked_often() -> None:
    """Slices double as long as they are short by the clock on the wall, and are halved when they are long."""
    clock = iter([0.0, 0.01, 1.0, 1.01, 2.0, 2.2, 3.0, 3.2, 4.0, 4.01])
    seen: list[int] = []
    run = Run(scenario(), is_judged=False)

    ended = play_on(run, is_stopped=lambda: len(seen) == 5, progressed=seen.append, wall=lambda: next(clock))

    assert (ended, seen) == (False, [10, 30, 70, 90, 100])


def test_a_run_goes_in_pieces_as_in_one_piece() -> None:
    more = (
        '[[script]]\ndo = "kill"\nat = 30\napplication = "one"\n'
        '[[expectations]]\nof = "cluster"\nwhat = "containers"\nuntil = 29\nat_most = 2\n'
    )
    run = Run(scenario(more))
    for to_ms in range(0, 70_000, 777):
        run.advance(to_ms)
    assert run.ended
    assert run.outcome() == play(scenario(more))


def test_settings_the_scheduler_refuses_are_problems() -> None:
    with pytest.raises(ConfigError):
        play(scenario('[settings]\n"yarn.scheduler.minimum-allocation-mb" = "lots"\n'))


EVENTS = [500, 1500, 2500, 3500, 10_500, 11_000, 11_500]
"""The looks after something has happened."""


@pytest.mark.parametrize(("rests", "looks"), [(False, [*range(500, 60_001, 500)]), (True, [*EVENTS, 60_000])])
def test_who_watches_and_rests_is_shown_what_happens(*, rests: bool, looks: list[int]) -> None:
    """The look after each event and each step of the script, and the end."""
    run = Run(loads(f'scheduler = "fifo"{BASE}[[script]]\ndo = "kill"\nat = 10.2\napplication = "one"\n', "small.toml"))
    seen: list[int] = []

    def look(_simulation: object) -> bool:
        seen.append(run.now_ms)
        return rests

    play_on(run, watched=look)

    assert seen == looks
