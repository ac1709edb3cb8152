"""What a study is told of each setting, and what is asked for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import optuna
import pytest

from engine.sweep import Axis, Point, StoredPoint, goal_named, limit_of
from engine.sweep.tuning import BROKEN, FROZEN, LOST, ROUND, tuned
from tests.engine.sweep.test_summary import point

pytestmark = pytest.mark.slow

AXES = [Axis("k", tuple(map(str, range(20)))), Axis("m", ("x", "y"))]


def wait_ms(each: Point) -> float:
    """The figure of a point: by its setting and its seed."""
    return 10.0 * int(each.settings["k"]) + each.seed


class Played:
    """Plays points, all but those of some trials, and keeps what it was asked for."""

    def __init__(self, *, missing: int = -1, refused: int = -1) -> None:
        self.asked: list[list[Point]] = []
        self._missing, self._refused = missing, refused

    def __call__(self, points: list[Point]) -> Mapping[int, StoredPoint]:
        self.asked.append(points)
        found = {each.number: point(each.number, wait_ms(each), each.seed, 0.5, **each.settings) for each in points}
        for each in points:
            if each.number // 3 == self._refused:
                found[each.number] = StoredPoint(each.number, each.settings, each.seed, "refused", "no", None, 0.0)
        return {number: each for number, each in found.items() if number != 3 * self._missing + 2}


def study(path: Path, played: Played, trials: int, goal: str = "p95_wait", *limits: str) -> list[Any]:
    chosen = [limit_of(each, "-") for each in limits]
    tuned(AXES, goal_named(goal, "-"), chosen, trials, [3, 4, 5], path, played)
    return optuna.load_study(study_name="sweep", storage=f"sqlite:///{path}").trials


def test_each_trial_is_told_the_median_of_its_seeds_and_the_limits_it_breaks(tmp_path: Path) -> None:
    played = Played()
    trials = study(tmp_path / "s", played, ROUND + 1, "p95_wait", "p95_wait < 55ms", "starved < 1")
    points = [each for some in played.asked for each in some]

    assert [len(some) for some in played.asked] == [3 * ROUND, 3]
    assert [each.number for each in points] == list(range(3 * (ROUND + 1)))
    assert [each.seed for each in points] == [3, 4, 5] * (ROUND + 1)
    for number, trial in enumerate(trials):
        mine = points[3 * number : 3 * number + 3]
        assert [dict(each.settings) for each in mine] == [trial.params] * 3
        assert trial.value == wait_ms(mine[1])
        assert trial.constraints == {BROKEN: 1 + (int(trial.params["k"]) >= 5), FROZEN: 0, LOST: 42}
    assert len(trials) == ROUND + 1
    found = optuna.load_study(study_name="sweep", storage=f"sqlite:///{tmp_path / 's'}")
    assert found.direction.name == "MINIMIZE"
