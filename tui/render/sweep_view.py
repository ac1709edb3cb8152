"""The results of a sweep in words: names, figures, its state and its pulse."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from engine.sweep import Effect, Goal, SettingFigures, Summary, SweepSpec
from tui import format as text
from tui.glyphs import TRACK
from tui.render import braille
from tui.render.comparison import value_text
from tui.render.line import Span, Spans, length
from tui.render.meter import line_meter
from tui.render.panel import PanelRow

BAR: Final = 24
LONGEST_KEY: Final = 26


class WorkerFigures(NamedTuple):
    """The work of one worker."""

    name: str
    points: int = 0
    busy_s: float = 0.0
    """CPU time."""
    memory_mb: int = 0
    """Resident, after its last point."""
    last_s: float = 0.0
    """When its last point came, after the sweep was begun or gone on with."""


Drawn = tuple[str, Sequence[PanelRow], str]
"""A part of the screen: its title, rows, and what stands at the right."""


class SweepView(NamedTuple):
    """The results of a sweep so far."""

    spec: SweepSpec
    summary: Summary
    done: int
    whole: int
    rate: str
    """How far it is, how fast, and how long it takes yet."""
    place: str
    """Where it is played."""
    is_running: bool
    is_paused: bool = False
    workers: Sequence[WorkerFigures] = ()
    pulse: Sequence[int] = ()
    """Points done in each second since it was begun or gone on with."""
    seconds: float = 0.0
    """How long that is."""
    order: str = ""
    """What settings are sorted by; empty is the goal."""

    @property
    def keys(self) -> list[str]:
        """The keys that vary."""
        return [axis.key for axis in self.spec.axes]


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


def spread_text(goal: Goal, each: SettingFigures) -> str:
    """The goal's figures over the seeds; nothing where they are alike."""
    return "" if each.low == each.high else f"{goal_text(goal, each.low)} to {goal_text(goal, each.high)}"


def effect_words(each: Effect, goal: Goal, seeds: int) -> str:
    """Return how much an axis matters; no claim where seeds disagree."""
    spread = f"{goal_text(goal, each.low)} to {goal_text(goal, each.high)}"
    if each.best:
        return f"{spread}; {each.best} is best"
    why = (
        "only one seed" if seeds == 1 else "seeds disagree on the best" if each.low else "no difference with some seed"
    )
    return f"{spread}; no claim: {why}"


LEAST: Final = 6
"""Cells of the shortest meter, with its edges."""


def sweep_head(view: SweepView, width: int) -> list[Spans]:
    """The state and the best setting; how far it is and where it runs: with less room a shorter meter, no place."""
    settings, goal = view.summary.settings, view.spec.goal
    best = settings[0] if settings else None
    badge: Span = ("RUNNING", "bold data") if view.is_running else ("DONE", "good")
    if view.is_paused and view.is_running:
        badge = ("PAUSED", "bold watch")
    elif view.done < view.whole and not view.is_running:
        badge = ("STOPPED", "bold watch")
    said = "no point was played to its end" if view.summary.counts else "no point is played yet"
    if best is not None:
        said = best_words(best, goal)
    counts = ", ".join(f"{count} {status}" for status, count in view.summary.counts.items())
    words = f" {view.rate}" if view.is_running else f" {view.done} of {view.whole} points"
    rest: Spans = [(words, "text"), (f"  {counts}" if counts else "", "soft")]
    place: Spans = [(f"  on {view.place}" if counts else "", "soft")]
    rest += place if length([*rest, *place]) + LEAST <= width else []
    meter = line_meter(min(BAR, max(1, width - 1 - length(rest))), view.done, max(1, view.whole))
    return [
        [(" ", "text"), badge, ("  ", "text"), (text.plain(said), "strong")],
        [(" ", "text"), *meter, *rest],
    ]


def best_words(best: SettingFigures, goal: Goal) -> str:
    """The best setting; where every one freezes it is none to be proud of."""
    if best.frozen:
        return f"every setting freezes, {named(best.settings)} with {text.plural(best.frozen, 'seed')}"
    lost = f", {best.lost:.3g} applications not done" if best.lost else ""
    return f"{named(best.settings)}: {goal.title} {goal_text(goal, best.goal)}{lost}"


def named(settings: Mapping[str, str]) -> str:
    """A setting by its values."""
    return ", ".join(f"{short_key(key)} {value}" for key, value in settings.items())


def has_words(each: SettingFigures, words: str) -> bool:
    """Tell whether a setting has words that begin with each of these: keys, values, `front`, `breaks` (a limit).

    >>> one = SettingFigures({"policy": "fair-2.7", "nodes": "40"}, 1, 0.0, 0.0, 0.0, 0.0, is_front=True)
    >>> [has_words(one, words) for words in ("", "fair 4", "FRONT", "0")]
    [True, True, True, False]
    """
    said = f" {named(each.settings)} {'breaks' * bool(each.breaks)} {'front' * each.is_front}".lower()
    return all(f" {word}" in said or f".{word}" in said for word in words.lower().split())


def pulse_line(view: SweepView, width: int) -> Spans:
    """Points done over the time it has been played, and the time left."""
    done = sum(view.pulse)
    left_s = view.seconds * (view.whole - view.done) / done if view.is_running and done else 0.0
    ends = text.duration(round(view.seconds * 1000)), text.duration(round(left_s * 1000)) if left_s else ""
    room = width - sum(map(len, ends)) - 6
    whole_s = view.seconds + left_s
    cells = max(1, round(room * view.seconds / whole_s)) if whole_s else 1
    parts = [round(len(view.pulse) * place / (2 * cells)) for place in range(2 * cells + 1)]
    rates = [sum(view.pulse[a:b]) / (b - a) if b > a else None for a, b in pairwise(parts)]
    filled = [each for each in rates if each is not None]
    most, last, dots = max(filled, default=0) or 1, 0.0, list[int | None]()
    for each in rates:
        last = last if each is None else each
        dots.append(round((1 - last / most) * 3) if last else None)
    grid = braille.DotGrid(cells, 1)
    grid.draw(dots)
    drawn = "".join(map(braille.sign, grid.bits[0]))
    track = TRACK * max(0, room - cells) if left_s else ""
    return [(" ", "text"), (drawn, "data"), (f" {ends[0]} ", "strong"), (track, "line"), (f" {ends[1]}", "soft")]


def rate_words(done: int, whole: int, counted: int, seconds: float) -> str:
    """Return how far a sweep is, how fast, and how long it takes yet.

    >>> rate_words(30, 100, 20, 40.0)
    '30 of 100 points, 0.5 a second, 2m20s left'
    """
    rate = counted / seconds if seconds > 0 else 0.0
    left = f", {text.duration(round((whole - done) / rate * 1000))} left" if rate else ""
    return f"{done} of {whole} points, {rate:.2g} a second{left}"
