"""The answer of `schedlab tune --smallest`: the steps that prove it, what else it takes, and the goal over the size."""

from collections.abc import Iterator, Mapping
from statistics import median
from typing import Final, NamedTuple

from engine.sweep import NODES, Goal, SizeStep, Sizing
from tui.pages import why
from tui.pages.tune import FRAMED_FROM, goal_text, spread_text, value_scale
from tui.panes import plot as braille
from tui.panes.fragments import Fragments, flat, folded
from tui.panes.plot import CellGrid
from tui.protocol.picture import WhySubject
from tui.terminal import format as text
from tui.terminal.format import GRIDLINE, OK, TRACK

STEPS, OTHERS, CURVE = "steps", "others", "curve"
PARTS_OF_SIZE: Final = (STEPS, OTHERS, CURVE)
LEAST_CURVE: Final = 10  # Lines of the curve at least
GUTTER: Final = 9  # Cells left of the curve
LINK: Final = "size"
TEXT_WIDTH: Final = 76
OTHERS_WIDTH: Final = 46  # Cells of a sentence among what else it would take


class SizeView(NamedTuple):
    name: str
    goal: Goal
    limit: str  # As the user wrote it
    bound: float  # Its value
    sizing: Sizing
    others: Mapping[str, SizeStep]  # What else was asked → the least that keeps the goal, else the largest
    file: str
    is_stopped: bool = False
    is_running: bool = False
    share: float = 0.0  # How much of the size that is played now is done
    doing: str = ""  # What is played now

    @property
    def noun(self) -> str:
        return "nodes" if self.sizing.key == NODES else self.sizing.key


def answer_words(view: SizeView) -> str:
    sizing = view.sizing
    if view.is_stopped:
        return f"stopped after {text.plural(len(sizing.steps), 'size')}: no answer yet"
    if sizing.answer is None and view.is_running:
        return f"looking for the least {view.noun} that keep {view.limit}: {view.doing}"
    if sizing.answer is None:
        largest = max(sizing.steps, key=lambda step: step.value, default=None)
        is_there = largest is None or largest.values
        words = "is not kept with every seed" if is_there else f"cannot be judged: there is no {view.goal.name}"
        return f"no answer: {view.limit} {words} at the largest value of {view.noun} tried"
    keeps = "keeps" if sizing.answer == 1 else "keep"
    seeds = "the one seed" if sizing.seeds == 1 else f"every one of {sizing.seeds} seeds"
    return f"{_amount(view, sizing.answer)} {keeps} {view.limit} with {seeds}"


def size_text(view: SizeView) -> Iterator[str]:
    yield answer_words(view)
    for part in (_steps(view), *([_others(view)] if view.others else []), _curve(view, (TEXT_WIDTH, LEAST_CURVE + 2))):
        yield ""
        yield f"{flat(part.title)}  {part.right}"
        yield from (flat(row.spans).rstrip() for row in part.rows)


def size_page(view: SizeView, size: tuple[int, int], part: str) -> why.Page:
    width, height = size
    if part or width < FRAMED_FROM:
        name = part or STEPS
        inside = (width - why.INSIDE, height - why.EDGES)
        panel = {STEPS: _steps, OTHERS: _others}[name](view) if name != CURVE else _curve(view, inside)
        return (
            why.framed(panel, width, has_focus=True)
            if width >= FRAMED_FROM
            else why.ruled(panel, width, has_focus=True)
        )
    left = width * 11 // 20
    above = [_steps(view), _others(view)]
    rows = max(map(why.height_of, above))
    top = why.beside(why.framed(above[0], left, rows, has_focus=True), why.framed(above[1], width - left, rows), left)
    curve = _curve(view, (width - why.INSIDE, max(LEAST_CURVE, height - rows - why.EDGES)))
    return why.stacked([top, why.framed(curve, width)])


def _amount(view: SizeView, value: int) -> str:
    return text.plural(value, "node") if view.sizing.key == NODES else f"{view.noun} = {value}"


def _steps(view: SizeView) -> why.Panel:
    goal, sizing = view.goal, view.sizing
    steps = [each for each in sizing.steps if each.values]
    columns = [
        why.TextColumn("#", [(str(place), "faint") for place in range(1, len(steps) + 1)], right=True),
        why.TextColumn(view.noun.upper(), [(str(each.value), "strong") for each in steps], right=True),
        why.TextColumn(goal.name, [(goal_text(goal, median(each.values)), "strong") for each in steps], right=True),
        why.TextColumn(
            "OVER SEEDS", [(spread_text(goal, min(each.values), max(each.values)), "soft") for each in steps]
        ),
        why.TextColumn(
            "KEPT",
            [(_kept(each, sizing.seeds), "good" if each.kept == sizing.seeds else "watch") for each in steps],
        ),
    ]
    head, lines = why.table(columns, TEXT_WIDTH)
    rows = [why.PanelRow(head)]
    rows += [why.PanelRow(line, WhySubject(LINK, str(step.value))) for line, step in zip(lines, steps, strict=True)]
    for each in sizing.steps:
        if not each.values:
            words = each.words.splitlines()[0] if each.words else "not played"
            rows.append(why.PanelRow([(f"{each.value}: {words}", "watch")]))
    return why.Panel(STEPS, [("1 ", "faint"), ("Steps", "strong")], rows, text.plural(sizing.seeds, "seed"))


def _kept(step: SizeStep, seeds: int) -> str:
    lost = f"{step.lost} refused or failed" if step.lost and step.kept < seeds else ""
    frozen = f"stalls with {step.frozen}" if step.frozen else ""
    livelocked = f"a livelock with {step.livelocked}" if step.livelocked else ""
    cut = f"cut off by the end with {step.cut}" if step.cut else ""
    return ", ".join(filter(None, (f"{step.kept} of {seeds}", frozen, livelocked, cut, lost)))


def _others(view: SizeView) -> why.Panel:
    answer = view.sizing.answer or 0
    rows: list[Fragments] = []
    for name, step in view.others.items():
        if step.kept == view.sizing.seeds:
            more = (f"  +{step.value - answer}", "soft")
            rows.append([(f"{name:24}", "text"), (_amount(view, step.value), "strong"), more])
            continue
        tried = f"{goal_text(view.goal, max(step.values))} at worst" if step.values else ""
        rows.append([(f"{name:24}", "text"), (f"not with {_amount(view, step.value)}", "watch")])
        rows += [[(f"  {line}", "soft")] for line in folded(tried or step.words.splitlines()[-1], OTHERS_WIDTH)]
    return why.Panel(
        OTHERS,
        [("2 ", "faint"), ("What else it would take", "strong")],
        [why.PanelRow(row) for row in rows or [[("not asked yet" if view.is_running else "not asked", "faint")]]],
        "same goal",
    )


def _curve(view: SizeView, size: tuple[int, int]) -> why.Panel:
    goal, steps = view.goal, sorted((each for each in view.sizing.steps if each.values), key=lambda each: each.value)
    title, right = [("3 ", "faint"), (f"{goal.name} against {view.noun}", "strong")], f"{GRIDLINE * 3} {view.limit}"
    if not steps:
        return why.Panel(CURVE, title, [why.PanelRow([("no size is played", "faint")])], right)
    sheet, values = CellGrid(size[0], size[1] - 1), [median(each.values) for each in steps]
    width, height = sheet.width - GUTTER - 1, sheet.height - 1
    upwards = value_scale([*values, view.bound], may_be_large=True)
    across = value_scale([each.value for each in steps])
    places = [(round(across(each.value) * (width - 1)), value) for each, value in zip(steps, values, strict=True)]
    grid = braille.DotGrid(width, height)
    grid.draw([round((1 - upwards(each)) * (4 * height - 1)) for each in _between(places, 2 * width)])
    bound = round((1 - upwards(view.bound)) * (height - 1))
    sheet.put(bound, GUTTER, GRIDLINE * width, "watch")
    sheet.put_dots(grid, "data", GUTTER)
    for row, value in ((bound, view.bound), (0, max(*values, view.bound)), (height - 1, min(*values, view.bound))):
        sheet.put(row, 0, f"{goal_text(goal, value):>{GUTTER - 2}}", "soft")
    sheet.put(height, GUTTER, TRACK * width, "line")
    below = CellGrid(size[0], 1)
    for step, (cell, value) in zip(steps, places, strict=True):
        is_answer = step.value == view.sizing.answer
        sheet.put(round((1 - upwards(value)) * (height - 1)), GUTTER + cell, OK, "accent" if is_answer else "data")
        if is_answer or below.is_free(0, GUTTER + cell - 1, len(str(step.value)) + 2):
            below.put(
                0,
                min(GUTTER + cell, size[0] - len(str(step.value))),
                str(step.value),
                "strong" if is_answer else "soft",
            )
    return why.Panel(CURVE, title, [why.PanelRow(spans) for spans in (*sheet.lines(), *below.lines())], right)


def _between(places: list[tuple[int, float]], dots: int) -> Iterator[float]:
    for dot in range(dots):
        after = next((place for place, (cell, _) in enumerate(places) if 2 * cell >= dot), len(places) - 1)
        (since, low), (until, high) = places[max(0, after - 1)], places[after]
        part = (dot / 2 - since) / (until - since) if until > since else 1.0
        yield low + (high - low) * min(1.0, part)
