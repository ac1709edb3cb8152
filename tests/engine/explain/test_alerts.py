"""Alerts in slices, and what they say of refusals."""

import re
from collections.abc import Callable

import pytest

from engine.explain.alert import Alert, frozen_words
from engine.explain.alerts import Alerts, FreezeDetector
from engine.explain.verdict import Proof, Verdict
from engine.incremental import UNBOUNDED
from engine.run import play
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, scene


def _told(text: str, pieces: int = UNBOUNDED) -> list[Alert]:
    """The alerts of five minutes, looked for every half second with so many pieces of work at a time."""
    alerts, scenario = Alerts(), scene(text)
    simulation = build_simulation(scenario, [alerts])
    for half in range(1, 600):
        simulation.run_until(scenario.start_ms + half * 500)
        alerts.look(simulation, pieces)
    return alerts.all


def test_slices_find_the_same_a_little_later() -> None:
    """A screen that gives it little time still hears of it, with the same verdict and instant."""
    at_once, in_slices = (
        [(each.kind, each.verdict, each.since_ms) for each in _told(HALVES, pieces)] for pieces in (UNBOUNDED, 3)
    )

    assert (at_once, at_once[0][1]) == (in_slices, "deadlocked")


def test_the_headline_of_a_freeze_counts_who_joins_it() -> None:
    text = HALVES + app("third", '{ memory = "8g" }', at=60)
    scenario, alerts = scene(text), Alerts()
    simulation = build_simulation(scenario, [alerts])
    words = []
    for half in range(1, 180):
        simulation.run_until(scenario.start_ms + half * 500)
        alerts.look(simulation)
        if alerts.frozen is not None and alerts.frozen.sentence not in words:
            words.append(alerts.frozen.sentence)

    to = "deadlocked: nothing will be allocated any more to any of"
    assert words == [f"{to} {count} applications; they wait for each other" for count in (2, 3)]
    assert (len(alerts.all), sorted(alerts.frozen_for)) == (1, [1, 2, 3])
    assert alerts.all[0].words == "deadlocked: 0001 and 0002 wait for each other"


def test_of_several_a_headline_says_only_of_the_first_who_blocks_it() -> None:
    verdict = Verdict("blocked", None, Proof(0, 0, 0, None, still=True))

    assert frozen_words(verdict, "", (7, 3, 4), "job") == (
        "blocked: nothing will be allocated any more to job 7, nor to 2 others that wait; "
        "holders never release what job 7 needs"
    )


def test_an_end_to_the_freeze_is_told() -> None:
    breaks = '\n[[script]]\ndo = "kill"\nat = 120\napplication = "second"\n'
    scenario = scene(HALVES + breaks)
    alerts = Alerts()

    play(scenario, 300_000, [alerts], watched=alerts.watch)

    assert [each.kind for each in alerts.all] == ["frozen", "over"]
    assert [(each.queue, each.first, each.more) for each in alerts.all[1].waiting] == [("root.a", 0, 2)]
    assert alerts.frozen is None


def test_an_ask_above_every_node_is_told_when_it_is_made() -> None:
    small = app("calm", '{ memory = "1g", count = 100, duration = "10s" }', waits=False)
    told = _told(app("huge", '{ memory = "12g" }', waits=False) + small)
    scenario = scene("")

    assert (told[0].kind, told[0].pattern, told[0].applications) == ("too-large", "ask above every node", (1,))
    assert told[0].found_ms - scenario.start_ms < 5000
    assert _told(app("large", '{ memory = "10g", duration = "5s" }') + small) == []


@pytest.mark.parametrize("late", [HALVES, app("huge", '{ memory = "12g" }', waits=False)])
@pytest.mark.parametrize("begin_s", [1800, 1803.7])
def test_looks_that_rest_while_nobody_waits_find_the_same(late: str, begin_s: float) -> None:
    early = app("early", '{ memory = "1g", duration = "20s" }', waits=False)
    scenario = scene(early + re.sub(r"(?m)^at = (\d+)$", lambda at: f"at = {begin_s + int(at[1]):g}", late))
    every, resting, looks = Alerts(), Alerts(), [0, 0]

    def look_always(simulation: Simulation) -> None:
        looks[0] += 1
        every.look(simulation)

    def look_and_rest(simulation: Simulation) -> Callable[[], int]:
        looks[1] += 1
        return resting.watch(simulation)

    play(scenario, 2_400_000, [every], watched=look_always)
    play(scenario, 2_400_000, [resting], watched=look_and_rest)

    assert resting.all == every.all
    assert every.all
    assert looks[1] < looks[0] - 1700 * 2


def test_where_something_runs_it_is_looked_ahead_nine_seconds_after_a_submission() -> None:
    runs = app("runs", '{ memory = "6g", count = 2, duration = "5m" }') + app("waits", '{ memory = "6g" }', at=5)
    assert _looked(runs + app("third", '{ memory = "6g" }', at=10), 8_000, 10_500) == 19_000


@pytest.mark.parametrize(("delay_ms", "due_ms"), [(0, 71_891), (1, None)])
def test_a_freeze_stands_over_a_submission_for_ten_seconds(delay_ms: int, due_ms: int | None) -> None:
    """Ten rounds of a second show that the run is still; with a delay beside it is looked ahead at once."""
    settings = f'"yarn.scheduler.fair.locality-delay-node-ms" = {delay_ms}'
    assert _looked(HALVES + app("third", '{ memory = "8g" }', at=60), 59_000, 65_000, settings) == due_ms


def _looked(text: str, first_ms: int, then_ms: int, settings: str = "") -> int | None:
    """When a detector of freezes that looks at two instants is to look again [ms after the start]."""
    scenario, detector = scene(text, settings=settings), FreezeDetector()
    simulation = build_simulation(scenario, [detector])
    for at_ms in (first_ms, then_ms):
        simulation.run_until(scenario.start_ms + at_ms)
        detector.look(simulation)
    return None if detector.due_ms is None else detector.due_ms - scenario.start_ms
