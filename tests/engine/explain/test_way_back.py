"""Until when a deadlock could have been prevented, by their definitions."""

from collections.abc import Generator
from functools import cache
from typing import TypeVar

from engine.explain.answer import LastChanceReport
from engine.explain.counterfactuals import Lookahead
from engine.explain.instant import wait_of
from engine.explain.point_of_no_return import Search, ends_deadlocked, formed, helps
from engine.incremental import finish
from engine.observe.snapshots import held_now, snapshot_of
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
    there.close()
    ahead = Lookahead(there, is_own=True)
    while not ahead.advance():
        pass
    return ahead.last_ms is not None and ahead.last_ms > at_ms


def is_lost(at_ms: int, act: Act | None = None) -> bool:
    there = past().at(at_ms)
    if act is not None:
        there.act(act)
    return finish(ends_deadlocked(there))


def test_it_formed_at_the_first_instant_after_which_nothing_is_allocated() -> None:
    formed_ms = found().formed_ms

    assert (allocates_after(formed_ms - 1), allocates_after(formed_ms)) == (True, False)
    assert finish(formed(past(), last_allocated_ms(), past().now_ms)) == formed_ms


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
        assert finish(helps(past().at(report.formed_ms), each.remedy)) == each.still_helps


def test_all_that_might_help_is_tried() -> None:
    search = Search(past(), last_allocated_ms(), past().now_ms)
    assert (search.tried, search.of) == (0, None)
    while not search.advance():
        assert search.tried <= (search.of or 0)

    assert search.answer() == found()
    assert search.tried == search.of
    assert (search.of or 0) > len(found().remedies) > 0


def test_who_waits_for_nobody_in_a_circle_is_not_deadlocked() -> None:
    keeps = app("keeps", '{ memory = "9g", count = 2 }') + app("waits", '{ memory = "9g" }', at=5)

    assert not finish(ends_deadlocked(at(scene(keeps), 60)))
    assert finish(ends_deadlocked(at(scene(HALVES), 60)))
    assert not finish(ends_deadlocked(at(scene(app("one", '{ memory = "1g", duration = "9s" }', waits=False)), 5)))


# What a run's past tells, replayed in pieces.

Result = TypeVar("Result")

TURNS = app("first", '{ memory = "6g", duration = "30s" }') + app("second", '{ memory = "6g", duration = "30s" }', at=5)


def done(work: Generator[int, None, Result]) -> tuple[list[int], Result]:
    seen = []
    while True:
        try:
            seen.append(next(work))
        except StopIteration as end:
            found: Result = end.value
            return seen, found


def played(text: str, seconds: int, *, nodes: int = 2) -> Timeline:
    scenario = scene(text, nodes=nodes)
    timeline = Timeline(build_simulation(scenario))
    timeline.play(scenario.start_ms + seconds * 1000)
    return timeline


def test_the_longest_wait_of_one_that_is_over_is_found() -> None:
    timeline = played(TURNS, 120, nodes=1)
    rows = snapshot_of(timeline.live).applications(why=False)
    spells = [done(wait_of(timeline, row))[1] for row in sorted(rows, key=lambda row: row.number)]

    assert all(row.finished_ms is not None for row in rows)
    assert spells[1] is not None
    assert spells[1].until_ms - spells[1].from_ms > 20_000
    assert spells[0] is None or spells[0].until_ms - spells[0].from_ms < 3000
