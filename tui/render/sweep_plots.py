"""The plots of a sweep: the goal against what it costs, and every setting as a line through its values."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import log
from typing import Final

from engine.sweep import NODES, SettingFigures
from tui.glyphs import OK, QUEUE_DOT, TRACK
from tui.palettes import HUES
from tui.render import braille
from tui.render.line import Spans
from tui.render.panel import PanelRow
from tui.render.plot import Sheet
from tui.render.sweep_view import Drawn, SweepView, goal_text, short_key

MOST_LINES: Final = 60  # Settings drawn as lines beside those on the front
LARGE: Final = 20  # A goal whose largest value is so many times the least is drawn on a logarithmic scale


def front_plot(view: SweepView, size: tuple[int, int], chosen: int) -> Drawn:
    """Each setting as a point: what it costs across, the goal upwards."""
    goal, settings = view.spec.goal, view.summary.settings
    has_nodes = NODES in view.keys
    title, right = f"{goal.name} against {'nodes' if has_nodes else 'memory held'}", f"{OK} front: beaten by none"
    if not settings:
        return title, [], right
    sheet, gutter = Sheet(size[0] - 2, size[1] - 1), 9
    costs = [float(each.settings[NODES]) if has_nodes else 100 * each.used for each in settings]
    across, upwards = value_scale(costs), value_scale([each.goal for each in settings], may_be_large=True)
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


def value_scale(values: Sequence[float], *, may_be_large: bool = False) -> Callable[[float], float]:
    """The place of a value between the least and the largest, 0 to 1.

    >>> [value_scale([10, 20])(value) for value in (10, 15, 20)]
    [0.0, 0.5, 1.0]
    >>> round(value_scale([1, 10, 100], may_be_large=True)(10), 3)
    0.5
    """
    low, high = min(values), max(values)
    if may_be_large and 0 < low * LARGE <= high:
        return lambda value: log(value / low) / log(high / low)
    return lambda value: (value - low) / ((high - low) or 1)


def lines_plot(view: SweepView, size: tuple[int, int], chosen: int) -> Drawn:
    """Parallel coordinates: an upright for each key and one for the goal; each setting is a line through its values."""
    settings, goal, axes = view.summary.settings, view.spec.goal, view.spec.axes
    width, height = size[0] - 2, size[1] - 2
    right = f"the {MOST_LINES} best" if len(settings) > MOST_LINES else ""
    if not settings:
        return "Every setting", [], right
    upwards = value_scale([each.goal for each in settings], may_be_large=True)
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
