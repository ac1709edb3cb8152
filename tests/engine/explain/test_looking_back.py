"""What a run's past tells, replayed in pieces."""

from collections.abc import Generator
from typing import TypeVar

from engine.explain.instant import wait_of
from engine.observe.snapshots import snapshot_of
from engine.simulation.build import build_simulation
from engine.simulation.timeline import Timeline
from tests.engine.explain.stuck import app, scene

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
