"""A sweep of two keys made by hand, without an engine."""

from typing import Any

import msgspec

from engine.sweep import Axis, Effect, SettingFigures, StoredPoint, Summary, SweepSpec
from tui.pages.tune import SweepView, WorkerFigures

PREEMPTION = "yarn.scheduler.fair.preemption"
AXES = (Axis("nodes", ("40", "60", "80")), Axis(PREEMPTION, ("true", "false")))


def setting(nodes: str, preemption: str, goal: float, **changes: Any) -> SettingFigures:
    """A setting that was played with both seeds."""
    settings = {"nodes": nodes, PREEMPTION: preemption}
    found = SettingFigures(settings, 2, goal, goal / 2, goal * 1.5, int(nodes) / 100)
    return msgspec.structs.replace(found, **changes)


SETTINGS = (
    setting("80", "true", 1_500, is_front=True),
    setting("60", "true", 45_000, is_front=True),
    setting("80", "false", 61_000, low=61_000, high=61_000, done=1),
    setting("60", "false", 75_000),
    setting("40", "true", 240_000, is_front=True),
    setting("40", "false", 600_000, breaks=("p95_wait < 5m", "starved < 1")),
)
EFFECTS = (
    Effect("nodes", 178_000, 539_000, "80", 0.76),
    Effect(PREEMPTION, 0, 360_000, "", 0.2),
    Effect("policy", 9_000, 21_000, "", 0.04),
)
FAILED = tuple(
    StoredPoint(number, {"nodes": "40", PREEMPTION: "true"}, number, "failed", "ValueError: no such node", None, 1.0)
    for number in (3, 4)
)
SUMMARY = Summary(
    "p95_wait",
    SETTINGS,
    EFFECTS,
    {"done": 11, "failed": 2, "refused": 1},
    (("failed", "ValueError: no such node", 2), ("refused", "nodes 99999999 cannot be\nat most 100000", 1)),
    FAILED,
)
SPEC = SweepSpec("", "morning", AXES, (1, 2), limit_texts=("p95_wait < 5m", "starved < 1"))
WORKERS = (
    WorkerFigures("here", 8, 40.0, 350, 58.4),
    WorkerFigures("10.1.2.3", 3, 90.0, 1200, 61.0),
)


def view(**changes: Any) -> SweepView:
    """A sweep of fourteen points that has come to its end."""
    found = SweepView(SPEC, SUMMARY, 14, 14, "14 of 14 points", "this process", False)
    return found._replace(**changes)


EMPTY = Summary("p95_wait", (), (), {}, ())
