"""Plays one scenario at many points: every combination of settings, policies, node counts and seeds.

`spec` reads what varies and makes the points; `runner` plays a point in any process and has all of them played by an
executor; their outcomes are kept in a `store`, which also says what the figures of a setting mean and which of them no
other beats. A point whose worker is lost is played again, alone; one that fails counts as failed. A sweep that was
stopped goes on where it was. `tuning` and `dask_workers` need libraries of their own; their users load them.

The outcome of a point depends on its scenario and seed alone, never on where or when it was played.
"""

from engine.sweep.runner import Bounds, PointOutcome, SweepBase, SweepSpec, WorkPlace, local_place, play_all, play_point
from engine.sweep.sizing import SizeStep, Sizing, sized
from engine.sweep.spec import (
    GOALS,
    GROWTH,
    LOST_RACKS,
    NODES,
    POLICY,
    SEED,
    Axis,
    Goal,
    GoalLimit,
    Point,
    axis_of,
    goal_named,
    grid,
    limit_of,
    varied,
)
from engine.sweep.store import Effect, SettingFigures, StoredPoint, Summary, SweepStore, stored, summarised

__all__ = [
    "GOALS",
    "GROWTH",
    "LOST_RACKS",
    "NODES",
    "POLICY",
    "SEED",
    "Axis",
    "Bounds",
    "Effect",
    "Goal",
    "GoalLimit",
    "Point",
    "PointOutcome",
    "SettingFigures",
    "SizeStep",
    "Sizing",
    "StoredPoint",
    "Summary",
    "SweepBase",
    "SweepSpec",
    "SweepStore",
    "WorkPlace",
    "axis_of",
    "goal_named",
    "grid",
    "limit_of",
    "local_place",
    "play_all",
    "play_point",
    "sized",
    "stored",
    "summarised",
    "varied",
]
