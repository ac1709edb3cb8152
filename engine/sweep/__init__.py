"""Plays one scenario at many points: every combination of settings, policies, node counts and seeds.

`axes` reads what varies, `points` makes the points, `playing` plays one of them in any process, `runner` has all of
them played by an executor and keeps what comes of them in a `store`, `summary` says what the figures mean.
"""

from engine.sweep.axes import NODES, POLICY, Axis, axis_of
from engine.sweep.executors import Place, dask_place, local_place
from engine.sweep.goals import GOALS, Goal, Limit, goal_named, limit_of
from engine.sweep.playing import Bounds, Outcome, PointJob, packed, play_point
from engine.sweep.points import Point, grid, sampled, varied
from engine.sweep.runner import play_all
from engine.sweep.sizing import Sizing, Step, sized
from engine.sweep.spec import SweepSpec
from engine.sweep.store import StoredPoint, SweepStore
from engine.sweep.strains import GROWTH, LOST_RACKS
from engine.sweep.summary import Effect, SettingFigures, Summary, summarised
from engine.sweep.tuning import tuned

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
    "Limit",
    "Outcome",
    "Place",
    "Point",
    "PointJob",
    "SettingFigures",
    "Sizing",
    "Step",
    "StoredPoint",
    "Summary",
    "SweepSpec",
    "SweepStore",
    "axis_of",
    "dask_place",
    "goal_named",
    "grid",
    "limit_of",
    "local_place",
    "packed",
    "play_all",
    "play_point",
    "sampled",
    "sized",
    "summarised",
    "tuned",
    "varied",
]
