"""Points played, lost and played again, kept, and summed up."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import load
from engine.observe.journal import program_version
from engine.sweep import (
    Axis,
    Bounds,
    Point,
    PointJob,
    PointOutcome,
    SweepStore,
    WorkPlace,
    axis_of,
    grid,
    packed,
    play_all,
    play_point,
    summarised,
)
from engine.sweep.goals import goal_named, limit_of

SCENARIO = packed(load("pattern-am-only"))
FIRST, SECOND = grid([axis_of("cluster.heartbeat=1s,2s")], [1])


def job(point: Point = FIRST, *, version: str = "", bounds: Bounds | None = None) -> PointJob:
    """Two minutes of a small scenario."""
    return PointJob(SCENARIO, point, version or program_version(), 120_000, bounds or Bounds())


class FakeExecutor(Executor):
    """Plays a job when it is submitted, or loses it as a pool does whose worker was killed."""

    def __init__(self, is_lost: Callable[[Point], bool]) -> None:
        self._is_lost = is_lost

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Play or lose it."""
        future: Future[Any] = Future()
        if self._is_lost(args[0].point):
            future.set_exception(BrokenProcessPool())
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def place(is_lost: Callable[[Point], bool] = lambda point: False) -> WorkPlace:
    """This process."""
    return WorkPlace("here", 1, lambda: FakeExecutor(is_lost), (BrokenProcessPool,))


def test_a_grid_is_every_combination_under_every_seed() -> None:
    """The last axis changes fastest."""
    points = grid([Axis("a", ("1", "2")), Axis("b", ("x",))], [3, 4])
    assert [(point.number, dict(point.settings), point.seed) for point in points] == [
        (0, {"a": "1", "b": "x"}, 3),
        (1, {"a": "1", "b": "x"}, 4),
        (2, {"a": "2", "b": "x"}, 3),
        (3, {"a": "2", "b": "x"}, 4),
    ]


@pytest.mark.parametrize("words", ["nodes", "nodes=", "nodes=1,,2", "nodes=1,1", "nodes=8..4/1", "nodes=0", "a=1..x"])
def test_what_names_no_values_is_refused(words: str) -> None:
    """In one message that has what was written."""
    with pytest.raises(ConfigError, match=f"--vary {words}: "):
        axis_of(words)


def test_a_point_goes_over_no_bound_and_refusals_have_words() -> None:
    """Neither has figures."""
    late, large = play_point(job(bounds=Bounds(seconds=0))), play_point(job(bounds=Bounds(memory_mb=0)))
    refused = play_point(job(Point(0, {"clustr.heartbeat": "1s"}, 1)))
    assert [each.status for each in (late, large, refused)] == ["failed", "failed", "refused"]
    assert late.measures is large.measures is refused.measures is None
    assert "clustr" in refused.words


def test_a_worker_of_another_version_is_refused_by_name() -> None:
    """The message has both versions."""
    with pytest.raises(ConfigError, match=rf"the worker \S+:\d+ has schedlab {program_version()}, not 0\.0"):
        play_all([job(version="0.0")], place(), lambda point, outcome: None)


def test_what_is_lost_with_a_worker_is_played_again_and_fails_at_the_third_loss() -> None:
    """Only the point that kills its workers fails."""
    for losses, status in ((2, "done"), (3, "failed")):
        tries: Counter[int] = Counter()

        def is_lost(point: Point, tries: Counter[int] = tries, losses: int = losses) -> bool:
            tries[point.number] += 1
            return point == FIRST and tries[point.number] <= losses

        kept: dict[int, PointOutcome] = {}

        def keep(point: Point, outcome: PointOutcome, kept: dict[int, PointOutcome] = kept) -> None:
            kept[point.number] = outcome

        play_all([job(), job(SECOND)], place(is_lost), keep)
        assert {number: each.status for number, each in kept.items()} == {0: status, 1: "done"}


def test_a_file_has_the_same_points_in_whatever_order_they_came(tmp_path: Path) -> None:
    """Number, setting, seed, status, words and figures; the time that a point took differs."""
    rows = []
    for name, jobs in (("a", [job(), job(SECOND)]), ("b", [job(SECOND), job()])):
        with SweepStore.created(tmp_path / name, {}) as store:
            play_all(jobs, place(), store.keep)
        with SweepStore.opened(tmp_path / name) as store:
            rows.append([(p.number, p.settings, p.seed, p.status, p.words, p.measures) for p in store.points()])
    assert rows[0] == rows[1]
    assert len(rows[0]) == 2
    with pytest.raises(ConfigError, match="is there already"):
        SweepStore.created(tmp_path / "a", {})


def test_a_file_that_is_no_sweep_is_refused(tmp_path: Path) -> None:
    """Text, and nothing at all."""
    (tmp_path / "text").write_bytes(b"some text" * 100)
    for name in ("text", "missing"):
        with pytest.raises(ConfigError):
            SweepStore.opened(tmp_path / name)


def test_settings_are_ranked_and_limits_named(tmp_path: Path) -> None:
    """What breaks a limit comes after what keeps it, and is not on the front."""
    with SweepStore.created(tmp_path / "a", {}) as store:
        play_all([job(), job(SECOND)], place(), store.keep)
        points = list(store.points())
    axis = axis_of("cluster.heartbeat=1s,2s")
    goal = goal_named("p95", "--goal")
    found = summarised(points, [axis], goal, [limit_of("starved < 0", "--limit")])
    assert [each.breaks for each in found.settings] == [("starved < 0",)] * 2
    assert not any(each.is_front for each in found.settings)
    assert any(each.is_front for each in summarised(points, [axis], goal).settings)
    assert found.counts == {"done": 2}
