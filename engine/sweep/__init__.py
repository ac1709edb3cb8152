"""Plays one scenario at many points: every combination of settings, policies, node counts and seeds.

`axes` reads what varies, `points` makes the points, `playing` plays one of them in any process, `runner` has all of
them played by an executor and keeps what comes of them in a `store`, `summary` says what the figures mean.
`latin`, `tuning` and `dask_workers` need libraries of their own and are loaded by whoever uses them.
"""

from engine.sweep.runner import Bounds, PointOutcome, SweepBase, SweepSpec, WorkPlace, local_place, play_all, play_point
from engine.sweep.sizing import SizeStep, Sizing, sized
from engine.sweep.spec import (
    GOALS,
    GROWTH,
    LOST_RACKS,
    NODES,
    POLICY,
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
