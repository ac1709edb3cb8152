"""The screen of a sweep: its best settings, the goal against what it costs, what matters, every setting as a line."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import log
from typing import Final, NamedTuple

from engine.sweep import NODES, Effect, Goal, SettingFigures, Summary, SweepSpec
from tui import format as text
from tui.answers import WhySubject
from tui.glyphs import METER_FULL, NONE, OK, QUEUE_DOT, SHARE_ON_FILL, TRACK
from tui.palettes import HUES
from tui.render import braille
from tui.render.comparison import value_text
from tui.render.line import Span, Spans, flat, folded, length
from tui.render.meter import line_meter
from tui.render.panel import (
    EDGES,
    INSIDE,
    Page,
    Panel,
    PanelRow,
    TextColumn,
    beside,
    framed,
    height_of,
    ruled,
    stacked,
    table,
)
from tui.render.plot import Sheet

FRAMED_FROM: Final = 100
"""Width from which panels have frames and stand beside one another; a narrower screen shows one of them."""
BEST, FRONT, MATTERS, LINES, LEFT_OUT = "best", "front", "matters", "lines", "left out"
PARTS_OF_SWEEP: Final = (BEST, FRONT, MATTERS, LINES, LEFT_OUT)  # In the order of their keys, 1 to 5
LINK: Final = "setting"  # The kind of a link to a setting; its name is the place among the settings
BAR: Final = 24
LISTED: Final = 5  # Settings listed beside other parts at least
PLOT: Final = 14  # Lines of a plot beside others
UNBOUNDED: Final = 10_000  # Cells of a line of text
MOST_LINES: Final = 60  # Settings drawn as lines beside those on the front
LARGE: Final = 20  # A goal whose largest value is so many times the least is drawn on a logarithmic scale
LONGEST_KEY: Final = 26


class SweepView(NamedTuple):
    """What there is of a sweep."""

    spec: SweepSpec
    summary: Summary
    done: int
    whole: int
    rate: str
    """How far it is, how fast, and how long it takes yet."""
    place: str
    """Where it is played."""
    is_running: bool

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
    """How much an axis matters; no claim where seeds disagree."""
    spread = f"{goal_text(goal, each.low)} to {goal_text(goal, each.high)}"
    if each.best:
        return f"{spread}; {each.best} is best"
    why = (
        "only one seed" if seeds == 1 else "seeds disagree on the best" if each.low else "no difference with some seed"
    )
    return f"{spread}; no claim: {why}"


def sweep_head(view: SweepView) -> list[Spans]:
    """The state and the best setting; how far it is and where it runs."""
    settings, goal = view.summary.settings, view.spec.goal
    best = settings[0] if settings else None
    badge: Span = ("RUNNING", "bold data") if view.is_running else ("DONE", "good")
    if view.done < view.whole and not view.is_running:
        badge = ("STOPPED", "bold watch")
    said = "no point is played yet" if best is None else f"{named(best)}: {goal.title} {goal_text(goal, best.goal)}"
    counts = ", ".join(f"{count} {status}" for status, count in view.summary.counts.items())
    meter = line_meter(BAR, view.done, max(1, view.whole))
    words = f" {view.rate}" if view.is_running else f" {view.done} of {view.whole} points"
    return [
        [(" ", "text"), badge, ("  ", "text"), (text.plain(said), "strong")],
        [(" ", "text"), *meter, (words, "text"), (f"  {counts}  on {view.place}" if counts else "", "soft")],
    ]


def named(each: SettingFigures) -> str:
    """A setting by its values."""
    return ", ".join(f"{short_key(key)} {value}" for key, value in each.settings.items())


def sweep_text(view: SweepView, listed: int) -> Iterator[str]:
    """The best settings, what matters and what was left out, as lines of a text."""
    for name in (BEST, MATTERS, LEFT_OUT):
        title, rows, right = _PARTS[name](view, (UNBOUNDED, listed), 0)
        if name == BEST or (view.summary.errors if name == LEFT_OUT else view.summary.effects):
            yield f"{title}  {right}"
            yield from (flat(row.spans).rstrip() for row in rows)
            yield ""


def sweep_page(view: SweepView, size: tuple[int, int], part: str, chosen: int) -> Page:
    """The parts for which there is room, or one.

    Args:
        part: The only part; empty for all, which a narrow page never has.
        chosen: The place of the setting that is set off in plots.
    """
    width, height = size

    def panel(name: str, cells: int, lines: int) -> Panel:
        number: Span = (f"{PARTS_OF_SWEEP.index(name) + 1} ", "faint")
        title, rows, right = _PARTS[name](view, (cells, max(3, lines)), chosen)
        return Panel(name, [number, (title, "strong")], rows, right)

    lines = len(view.summary.settings) if (part or BEST) == BEST else height - EDGES
    if width < FRAMED_FROM:
        return ruled(panel(part or BEST, width - 2, lines), width, has_focus=True)
    if part:
        return framed(panel(part, width - INSIDE, lines), width, has_focus=True)
    left = width * 11 // 20
    plot = panel(FRONT, left - INSIDE, PLOT)
    aside = [panel(each, width - left - INSIDE, PLOT) for each in (MATTERS, LEFT_OUT)]
    rows = max(height_of(plot), sum(map(height_of, aside)))
    below = stacked([framed(aside[0], width - left), framed(aside[1], width - left, rows - height_of(aside[0]))])
    best = framed(panel(BEST, width - INSIDE, max(LISTED, height - rows - 3)), width, has_focus=True)
    every = framed(panel(LINES, width - INSIDE, PLOT), width)
    return stacked([best, beside(framed(plot, left, rows), below, left), every])


Drawn = tuple[str, list[PanelRow], str]  # Title, rows, and what stands at the right


def _best(view: SweepView, size: tuple[int, int], _: int) -> Drawn:
    goal, settings, has_bars = view.spec.goal, view.summary.settings[: size[1]], size[0] >= FRAMED_FROM - INSIDE
    columns = [TextColumn("#", [(str(place), "faint") for place in range(1, len(settings) + 1)], right=True)]
    columns += [
        TextColumn(short_key(key), [(each.settings.get(key, NONE), "text") for each in settings]) for key in view.keys
    ]
    values = [(goal_text(goal, each.goal), "watch" if each.breaks else "strong") for each in settings]
    columns += [
        TextColumn(goal.name, values, right=True),
        TextColumn("OVER SEEDS", [(spread_text(goal, each), "soft") for each in settings], rank=2),
        TextColumn("USED", [(f"{each.used:.1%}", "text") for each in settings], rank=3, right=True),
        TextColumn("SEEDS", [(f"{each.done} of {len(view.spec.seeds)}", "soft") for each in settings], rank=4),
        TextColumn("FRONT", [(OK, "data") if each.is_front else ("", "text") for each in settings], rank=1),
        TextColumn("BREAKS", [("; ".join(each.breaks), "watch") for each in settings], rank=1),
    ]
    worst = max((each.goal for each in settings), default=0) or 1
    head, lines = table(columns, size[0] - 2 - (BAR + 2 if has_bars else 0))
    taken = [length(line) for line in lines]
    wide = max(taken, default=0) + 2
    rows = [PanelRow([("  ", "text"), *head])]
    for place, (line, each, cells) in enumerate(zip(lines, settings, taken, strict=True)):
        blank = " " * (wide - cells) if has_bars else ""
        bar = [(blank, "text"), (METER_FULL * round(BAR * each.goal / worst), "data")] if has_bars else []
        rows.append(PanelRow([("  ", "text"), *line, *bar], WhySubject(LINK, str(place))))
    order = "lowest first" if goal.is_less_better else "highest first"
    return f"Best settings  {len(settings)} of {len(view.summary.settings)}", rows, f"{goal.title}, {order}"


def _front(view: SweepView, size: tuple[int, int], chosen: int) -> Drawn:
    """Each setting as a point: what it costs across, the goal upwards."""
    goal, settings = view.spec.goal, view.summary.settings
    has_nodes = NODES in view.keys
    title, right = f"{goal.name} against {'nodes' if has_nodes else 'memory held'}", f"{OK} front: beaten by none"
    if not settings:
        return title, [], right
    sheet, gutter = Sheet(size[0] - 2, size[1] - 1), 9
    costs = [float(each.settings[NODES]) if has_nodes else 100 * each.used for each in settings]
    across, upwards = _scale(costs), _scale([each.goal for each in settings], may_be_large=True)
    top, bottom = (goal_text(goal, end(each.goal for each in settings)) for end in (max, min))
    for row, label in ((0, top), (sheet.height - 2, bottom if bottom != top else "")):
        sheet.put(row, 0, f"{label:>{gutter - 2}}", "soft")
    sheet.put(sheet.height - 1, gutter, TRACK * sheet.width, "line")
    order = sorted(range(len(settings)), key=lambda place: (place == chosen, settings[place].is_front))
    for place in order:
        each = settings[place]
        cell = gutter + round(across(costs[place]) * (sheet.width - gutter - 1))
        row = round((1 - upwards(each.goal)) * (sheet.height - 2))
        style = "accent" if place == chosen else "data" if each.is_front else _hue(view, each)
        sheet.put(row, cell, OK if each.is_front or place == chosen else QUEUE_DOT, style)
    low, high = (f"{end(costs):g}{'' if has_nodes else '%'}" for end in (min, max))
    room = " " * max(1, sheet.width - gutter - len(low) - len(high))
    words: Spans = [(f"{'':{gutter}}", "text"), (f"{low}{room}{high if high != low else ''}", "soft")]
    return title, [PanelRow(spans) for spans in (*sheet.lines(), words)], right


def _hue(view: SweepView, each: SettingFigures) -> str:
    """The colour of the value of the first key; one for all where there are more values than colours."""
    axis = view.spec.axes[0]
    value = each.settings.get(axis.key)
    return HUES[axis.values.index(value)] if value in axis.values and len(axis.values) <= len(HUES) else "soft"


def _scale(values: Sequence[float], *, may_be_large: bool = False) -> Callable[[float], float]:
    """The place of a value between the least and the largest, 0 to 1.

    >>> [_scale([10, 20])(value) for value in (10, 15, 20)], round(_scale([1, 10, 100], may_be_large=True)(10), 3)
    ([0.0, 0.5, 1.0], 0.5)
    """
    low, high = min(values), max(values)
    if may_be_large and 0 < low * LARGE <= high:
        return lambda value: log(value / low) / log(high / low)
    return lambda value: (value - low) / ((high - low) or 1)


def _matters(view: SweepView, size: tuple[int, int], _: int) -> Drawn:
    goal, effects = view.spec.goal, view.summary.effects
    most = max((each.high for each in effects), default=0) or 1
    rows = []
    for each in effects:
        cells = max(4, min(2 * BAR, size[0] - LONGEST_KEY - 8))
        low, high = (round(part / most * (cells - 1)) for part in (each.low, each.high))
        line = f"{TRACK * low}{METER_FULL * (high - low)}{SHARE_ON_FILL}{TRACK * (cells - 1 - high)}"
        style = "data" if each.best else "faint"
        rows.append(
            PanelRow(
                [(f"{short_key(each.key):{LONGEST_KEY}}", "text"), (line, style), (f"{each.share:6.0%}", "strong")]
            )
        )
        rows += [
            PanelRow([(f"  {words}", "soft")])
            for words in folded(effect_words(each, goal, len(view.spec.seeds)), size[0] - 2)
        ]
    return f"What matters to {goal.name}", rows, text.plural(len(view.spec.seeds), "seed")


def _lines(view: SweepView, size: tuple[int, int], chosen: int) -> Drawn:
    """Parallel coordinates: an upright for each key and one for the goal; each setting is a line through its values."""
    settings, goal, axes = view.summary.settings, view.spec.goal, view.spec.axes
    width, height = size[0] - 2, size[1] - 2
    right = f"the {MOST_LINES} best" if len(settings) > MOST_LINES else ""
    if not settings:
        return "Every setting", [], right
    upwards = _scale([each.goal for each in settings], may_be_large=True)
    label = max(8, width // (4 * len(axes) + 4))
    steps = [place * (2 * (width - label) - 1) // len(axes) for place in range(len(axes) + 1)]
    sheet, order = Sheet(width, height), list(range(min(len(settings), MOST_LINES)))
    fronts = [place for place, each in enumerate(settings) if each.is_front]
    for places, style in ((order, "faint"), (fronts, "data"), ([min(chosen, len(settings) - 1)], "accent")):
        grid = braille.DotGrid(width, height)
        for place in places:
            grid.draw(list(_through(_heights(view, settings[place], upwards), steps, 4 * height - 1)))
        dots = ((row, cell, each) for row, bits in enumerate(grid.bits) for cell, each in enumerate(bits) if each)
        for row, cell, each in dots:
            sheet.put(row, cell, braille.sign(each), style)
    heads = Sheet(width, 1)
    worst, best = (goal_text(goal, end(each.goal for each in settings)) for end in (max, min))
    ends = [(worst, best) if goal.is_less_better else (best, worst)]
    for place, (title, (top, bottom)) in enumerate(
        zip(
            [*map(short_key, view.keys), goal.name],
            [*((axis.values[-1], axis.values[0]) for axis in axes), *ends],
            strict=True,
        )
    ):
        cell = steps[place] // 2
        heads.put(0, cell, title[: steps[1] // 2 - 1], "strong" if place == len(axes) else "soft")
        for row, words in ((0, top), (height - 1, bottom)):
            sheet.put(row, cell, f"{words[:label]} ", "text")
    return "Every setting", [PanelRow(spans) for spans in (*heads.lines(), *sheet.lines())], right


def _heights(view: SweepView, each: SettingFigures, upwards: Callable[[float], float]) -> Iterator[float]:
    """The place of a setting on each upright, 0 to 1 from the bottom."""
    for axis in view.spec.axes:
        value = each.settings.get(axis.key)
        yield axis.values.index(value) / max(1, len(axis.values) - 1) if value in axis.values else 0.0
    yield upwards(each.goal)


def _through(heights: Iterator[float], steps: Sequence[int], last: int) -> Iterator[int]:
    """The row of dots for each column, straight from upright to upright."""
    rows = [(1 - height) * last for height in heights]
    for place, (since, until) in enumerate(pairwise(steps)):
        for column in range(until - since):
            yield round(rows[place] + (rows[place + 1] - rows[place]) * column / (until - since))
    yield round(rows[-1])


def _left_out(view: SweepView, size: tuple[int, int], _: int) -> Drawn:
    rows = []
    for status, words, count in view.summary.errors:
        rows.append(PanelRow([(f"{status} {text.plural(count, 'point')}", "watch")]))
        rows += [PanelRow([(f"  {line}", "soft")]) for each in words.splitlines() for line in folded(each, size[0] - 2)]
    return "Refused and failed", rows or [PanelRow([("none", "faint")])], "in no figure"


_PARTS: Final[dict[str, Callable[[SweepView, tuple[int, int], int], Drawn]]] = {
    BEST: _best,
    FRONT: _front,
    MATTERS: _matters,
    LINES: _lines,
    LEFT_OUT: _left_out,
}
