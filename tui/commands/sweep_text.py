"""A sweep as lines of a terminal, and its points as CSV."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine.observe.snapshot_document import csv_line
from engine.sweep import GOALS, Axis, StoredPoint
from tui.render.sweep_page import sweep_text
from tui.render.sweep_view import SweepView

BEST: Final = 20
"""Settings listed."""

VALUE: Final = 10


def summary_lines(view: SweepView) -> Iterator[str]:
    """The best settings, those on the front, what matters, and what could not be played."""
    goal = view.spec.goal
    counts = ", ".join(f"{count} {status}" for status, count in view.summary.counts.items()) or "no point played"
    yield f"{view.spec.name}: {counts}; {goal.title}{', lowest' if goal.is_less_better else ', highest'} first"
    for limit in view.spec.limits:
        yield f"limit: {limit.text}"
    yield ""
    yield from sweep_text(view, BEST)
    if len(view.summary.settings) > BEST:
        yield f"{len(view.summary.settings) - BEST} settings more: --csv and --screen have all"


def points_csv(points: Iterable[StoredPoint], axes: Sequence[Axis]) -> Iterator[str]:
    """Every point with all its figures."""
    keys = [axis.key for axis in axes]
    yield csv_line(["number", *keys, "seed", "status", "words", *GOALS])
    for each in points:
        measures = each.measures
        figures = [""] * len(GOALS) if measures is None else [f"{goal.of(measures):g}" for goal in GOALS.values()]
        settings = [each.settings.get(key, "") for key in keys]
        yield csv_line([str(each.number), *settings, str(each.seed), each.status, each.words, *figures])
