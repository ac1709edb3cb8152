"""A sweep as lines of a terminal, and its points as CSV."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from engine.observe.snapshot_document import csv_line
from engine.sweep import GOALS, Axis, Goal, SizeStep, Sizing, StoredPoint
from tui import format as text
from tui.render.sweep_page import SweepView, goal_text, sweep_text

BEST: Final = 20
"""Settings listed."""

VALUE: Final = 10


def rate_words(done: int, whole: int, counted: int, seconds: float) -> str:
    """How far a sweep is, how fast, and how long it takes yet.

    >>> rate_words(30, 100, 20, 40.0)
    '30 of 100 points, 0.5 a second, 2m20s left'
    """
    rate = counted / seconds if seconds > 0 else 0.0
    left = f", {text.duration(round((whole - done) / rate * 1000))} left" if rate else ""
    return f"{done} of {whole} points, {rate:.2g} a second{left}"


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


def sizing_lines(sizing: Sizing, goal: Goal, limit: str, others: Mapping[str, SizeStep | None]) -> Iterator[str]:
    """The answer with the proof at both sides, the steps, and what else it would take."""
    noun = "nodes" if sizing.key == "nodes" else sizing.key
    if sizing.answer is None:
        yield f"no answer: {limit} is not kept with every seed at the largest value of {noun} tried"
    else:
        keeps = "keeps" if sizing.answer == 1 else "keep"
        seeds = text.plural(sizing.seeds, "seed")
        yield f"{_amount(sizing.answer, sizing.key)} {keeps} {limit} with every one of {seeds}"
    yield ""
    yield f"  {'#':>2}  {noun.upper()[:12]:>12}  {goal.name:>{VALUE}}  {'OVER SEEDS':17}  KEPT"
    for place, step in enumerate(sizing.steps, start=1):
        yield f"  {place:2}  {step.value:12}  {_step(step, goal, sizing.seeds)}"
    if others:
        yield ""
        yield "what else it would take"
    for name, other in others.items():
        yield f"  {name:24}  {'not found' if other is None else _amount(other.value, sizing.key)}"


def _amount(value: int, key: str) -> str:
    return text.plural(value, "node") if key == "nodes" else f"{key} = {value}"


def _step(step: SizeStep, goal: Goal, seeds: int) -> str:
    if not step.values:
        return f"{'':{VALUE}}  {step.words.splitlines()[0] if step.words else 'not played'}"
    middle = sorted(step.values)[len(step.values) // 2]
    low, high = min(step.values), max(step.values)
    spread = "" if low == high else f"{goal_text(goal, low)} to {goal_text(goal, high)}"
    return f"{goal_text(goal, middle):>{VALUE}}  {spread:17}  {step.kept} of {seeds}"
