"""Looks for the best setting by asking Optuna which to play next; its study is kept in the file beside the sweep.

Rounds of `ROUND` settings are asked, played and told in order, so that the study is the same wherever it is played.
Only tuning loads this module. Source: optuna.samplers.TPESampler.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Final

import optuna

from engine.sweep.spec import Axis, Goal, GoalLimit, Point
from engine.sweep.store import StoredPoint, figures_of

ROUND: Final = 8  # Settings that are asked for before any of them is told
BROKEN: Final = "broken"  # Constraint of a trial: number of limits it breaks
FROZEN, LOST = "frozen", "lost"  # Constraints of a trial: seeds that freeze or go round; applications lost


def tuned(
    axes: Sequence[Axis],
    goal: Goal,
    limits: Sequence[GoalLimit],
    trials: int,
    seeds: Sequence[int],
    study_path: Path,
    played: Callable[[list[Point]], Mapping[int, StoredPoint]],
) -> None:
    """Play the settings that Optuna asks for with each seed; `played` returns fewer points when it was stopped."""
    with _study(study_path, goal) as study:
        spaces: dict[str, optuna.distributions.BaseDistribution] = {
            axis.key: optuna.distributions.CategoricalDistribution(axis.values) for axis in axes
        }
        done = len([each for each in study.trials if each.state.is_finished()])
        while done < trials:
            study.sampler = optuna.samplers.TPESampler(seed=done)  # so that a study that goes on asks as one in one go
            asked = [study.ask(spaces) for _ in range(min(ROUND, trials - done))]
            points = {
                each.number: [
                    Point(each.number * len(seeds) + place, dict(each.params), seed) for place, seed in enumerate(seeds)
                ]
                for each in asked
            }
            found = played([point for some in points.values() for point in some])
            for trial in asked:
                runs = [found[point.number] for point in points[trial.number] if point.number in found]
                figures = [each.measures for each in runs if each.measures is not None]
                values = figures_of(figures, goal)
                if len(runs) < len(seeds) or not values:
                    study.tell(trial, state=optuna.trial.TrialState.FAIL)
                    continue
                trial.set_constraint(BROKEN, sum(not all(limit.holds(run) for run in figures) for limit in limits))
                trial.set_constraint(FROZEN, sum(run.frozen_ms + run.livelock_ms > 0 for run in figures))
                trial.set_constraint(LOST, sum(run.lost_applications for run in figures))
                study.tell(trial, median(values))
            if any(len(points[each.number]) > sum(p.number in found for p in points[each.number]) for each in asked):
                return
            done += len(asked)


@contextmanager
def _study(path: Path, goal: Goal) -> Iterator[optuna.Study]:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
    try:
        yield optuna.create_study(
            study_name="sweep",
            storage=storage,
            direction="minimize" if goal.is_less_better else "maximize",
            load_if_exists=True,
        )
    finally:
        storage.remove_session()
        storage.engine.dispose()
