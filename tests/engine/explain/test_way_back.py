"""Until when a deadlock could have been prevented, by their definitions."""

from functools import cache

from engine.explain.answer import LastChanceReport
from engine.explain.counterfactuals import Lookahead
from engine.explain.point_of_no_return import Search, ends_deadlocked, formed, helps
from engine.incremental import run_to_end
from engine.observe.snapshots import held_now
from engine.scenario.acts import Act
from engine.simulation.build import build_simulation
from engine.simulation.timeline import Timeline
from tests.engine.explain.stuck import HALVES, app, at, scene

BYSTANDER = app("idle", '{ memory = "1g", duration = "20m" }', at=2, queue="root.b")
NOW_S = 60


@cache
def past(text: str = HALVES + BYSTANDER) -> Timeline:
    timeline = Timeline(build_simulation(scene(text)))
    timeline.follow([], scene(text).start_ms + 1000 * NOW_S)
    return timeline


def last_allocated_ms() -> int:
    held = held_now(at(scene(HALVES + BYSTANDER), NOW_S))
    return max(each.since_ms for each in held.values())


@cache
def found() -> LastChanceReport:
    return Search(past(), last_allocated_ms(), past().now_ms).answer()


def allocates_after(at_ms: int) -> bool:
    there = past().at(at_ms)
    there.drop_future_events()
    ahead = Lookahead(there, is_own=True)
    while not ahead.advance():
        pass
    return ahead.last_ms is not None and ahead.last_ms > at_ms


def is_lost(at_ms: int, act: Act | None = None) -> bool:
    there = past().at(at_ms)
    if act is not None:
        there.act(act)
    return run_to_end(ends_deadlocked(there))


def test_it_formed_at_the_first_instant_after_which_nothing_is_allocated() -> None:
    formed_ms = found().formed_ms

    assert (allocates_after(formed_ms - 1), allocates_after(formed_ms)) == (True, False)
    assert run_to_end(formed(past(), last_allocated_ms(), past().now_ms)) == formed_ms


def test_it_was_inevitable_from_the_first_instant_whose_future_ends_in_it() -> None:
    inevitable_ms = found().inevitable_ms

    assert inevitable_ms <= found().formed_ms
    assert is_lost(inevitable_ms)
    assert not is_lost(inevitable_ms - 1)


def test_a_remedy_helped_up_to_its_latest_instant() -> None:
    report = found()
    assert report.remedies
    latest = [each.latest_ms for each in report.remedies]
    assert latest == sorted(latest, reverse=True)
    assert report.latest_ms == latest[0]
    for each in report.remedies:
        assert each.still_helps == (not is_lost(report.formed_ms, each.remedy.act))
        assert not is_lost(each.latest_ms, each.remedy.act)
        if not each.still_helps:
            assert is_lost(each.latest_ms + 1, each.remedy.act)
        assert run_to_end(helps(past().at(report.formed_ms), each.remedy)) == each.still_helps


# What a run's past tells, replayed in pieces.
