"""Drawings to compare with stored ones: what lines say, and below a rule how each of them is styled.

Write them anew as golden screens are, then read them."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec

from engine.sweep import Axis, Effect, SettingFigures, StoredPoint, Summary, SweepSpec
from tests.stored import golden
from tui.pages.tune import SweepView, WorkerFigures
from tui.panes.fragments import Fragments, cell_width, flat

RULE = "─── styles, each with its cells"


def drawing(lines: Sequence[Fragments]) -> str:
    """The text of lines, then the styles of each line from left to right; a line with one style only says that."""
    words = [flat(line).rstrip() for line in lines]
    return "\n".join([*words, RULE, *map(_styles, lines)])


def _styles(line: Fragments) -> str:
    runs = [
        (style, cell_width(list(spans)))
        for style, spans in groupby((one for one in line if one[0]), lambda one: one[1])
    ]
    return runs[0][0] if len(runs) == 1 else ", ".join(f"{style} {cells}" for style, cells in runs)


def stored(name: str, lines: Sequence[Fragments]) -> tuple[list[str], list[str]]:
    """(lines of a drawing, lines of the one stored under a name); the same where it is drawn as it was."""
    drawn = drawing(lines)
    return drawn.splitlines(), golden(f"render/{name}", drawn).splitlines()


def gallery(name: str, pictures: Mapping[str, Sequence[Fragments]]) -> tuple[dict[str, str], dict[str, str]]:
    """(drawings by title, those stored in one file under a name); a file is read and written as a whole."""
    drawn = {title: drawing(lines) for title, lines in pictures.items()}
    written = "\n\n".join(f"### {title}\n{text}" for title, text in drawn.items())
    kept = golden(f"render/{name}", written).split("### ")[1:]
    return drawn, {title: text.rstrip("\n") for title, _, text in (each.partition("\n") for each in kept)}


# A sweep of two keys made by hand, without an engine.


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
