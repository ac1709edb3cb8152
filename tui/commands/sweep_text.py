"""A sweep as lines of a terminal, and its points as CSV."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from engine.observe.snapshot_document import csv_line
from engine.sweep import GOALS, Axis, Effect, Goal, SettingFigures, SizeStep, Sizing, StoredPoint, Summary, SweepSpec
from tui import format as text
from tui.render.comparison import value_text

BEST: Final = 20
"""Settings listed."""

BAR: Final = 24
"""Cells of a bar."""

VALUE: Final = 10
LONGEST_KEY: Final = 26


def goal_text(goal: Goal, value: float) -> str:
    """A value of a goal as tables have it."""
    return value_text(round(value) if not goal.unit else value, goal.unit)


def short_key(key: str) -> str:
    """The end of a long key, from a dot on.

    >>> short_key("yarn.scheduler.fair.assignmultiple"), short_key("nodes")
    ('fair.assignmultiple', 'nodes')
    """
    parts = key.split(".")
    while len(parts) > 1 and len(".".join(parts)) > LONGEST_KEY:
        parts = parts[1:]
    return ".".join(parts)


def rate_words(done: int, whole: int, counted: int, seconds: float) -> str:
    """How far a sweep is, how fast, and how long it takes yet.

    >>> rate_words(30, 100, 20, 40.0)
    '30 of 100 points, 0.5 a second, 2m20s left'
    """
    rate = counted / seconds if seconds > 0 else 0.0
    left = f", {text.duration(round((whole - done) / rate * 1000))} left" if rate else ""
    return f"{done} of {whole} points, {rate:.2g} a second{left}"


def summary_lines(spec: SweepSpec, summary: Summary) -> Iterator[str]:
    """The best settings, those on the front, what matters, and what could not be played."""
    goal = spec.goal
    counts = ", ".join(f"{count} {status}" for status, count in summary.counts.items()) or "no point played"
    yield f"{spec.name}: {counts}; {goal.title}{', lowest' if goal.is_less_better else ', highest'} first"
    for limit in spec.limits:
        yield f"limit: {limit.text}"
    yield ""
    yield from _settings(spec, summary, goal)
    yield ""
    yield from _effects(summary, goal, len(spec.seeds))
    if summary.errors:
        yield ""
    for status, words, count in summary.errors:
        first, *rest = words.splitlines() or [""]
        yield f"{status} {text.plural(count, 'point')}: {first}{' …' if rest else ''}"


def _settings(spec: SweepSpec, summary: Summary, goal: Goal) -> Iterator[str]:
    keys = [axis.key for axis in spec.axes]
    widths = [
        max(len(short_key(key)), *(len(value) for value in axis.values))
        for key, axis in zip(keys, spec.axes, strict=True)
    ]
    heads = "  ".join(f"{short_key(key):{width}}" for key, width in zip(keys, widths, strict=True))
    yield f"{'#':>3}  {heads}  {goal.name:>{VALUE}}  {'OVER SEEDS':17}  {'USED':>6}  SEEDS  FRONT"
    worst = max((each.goal for each in summary.settings), default=0.0)
    for place, each in enumerate(summary.settings[:BEST], start=1):
        values = "  ".join(f"{each.settings.get(key, ''):{width}}" for key, width in zip(keys, widths, strict=True))
        yield f"{place:3}  {values}  {_cells(each, goal, worst)}"
    if len(summary.settings) > BEST:
        yield f"and {len(summary.settings) - BEST} more (--csv has all)"


def _cells(each: SettingFigures, goal: Goal, worst: float) -> str:
    spread = "" if each.low == each.high else f"{goal_text(goal, each.low)} to {goal_text(goal, each.high)}"
    mark = "●" if each.is_front else ""
    broken = f"  breaks {'; '.join(each.breaks)}" if each.breaks else ""
    bar = "━" * round(BAR * each.goal / worst) if worst else ""
    value = f"{goal_text(goal, each.goal):>{VALUE}}"
    return f"{value}  {spread:17}  {each.used:6.1%}  {each.done:5}  {mark:5}  {bar}{broken}".rstrip()


def _effects(summary: Summary, goal: Goal, seeds: int) -> Iterator[str]:
    if not summary.effects:
        return
    yield f"what matters to {goal.name}, over {text.plural(seeds, 'seed')}"
    for each in summary.effects:
        yield f"  {short_key(each.key):{LONGEST_KEY}}  {each.share:4.0%}  {effect_words(each, goal)}"


def effect_words(each: Effect, goal: Goal) -> str:
    """How much an axis matters; no claim where seeds disagree."""
    spread = f"{goal_text(goal, each.low)} to {goal_text(goal, each.high)}"
    return (
        f"{spread}; {each.best} is best"
        if each.best
        else f"{spread}; no claim: one seed, seeds that disagree, or no difference"
    )


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
