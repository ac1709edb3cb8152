"""The screen of a sweep: its best settings, the goal against what it costs, what matters, every setting as a line."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import log
from typing import Any, Final, NamedTuple

from engine.observe.documents import csv_line
from engine.observe.snapshots import SystemTerms
from engine.sweep import GOALS, NODES, SEED, Axis, Effect, Goal, SettingFigures, StoredPoint, Summary, SweepSpec
from engine.sweep.runner import FAILED
from tui.pages.compare import value_text, wait_text
from tui.pages.why import (
    EDGES,
    INSIDE,
    LazySequence,
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
from tui.panes import plot as braille
from tui.panes.fragments import Fragment, Fragments, cell_width, flat, folded, line_meter
from tui.panes.plot import CellGrid
from tui.protocol.picture import WhySubject
from tui.terminal import format as text
from tui.terminal.format import METER_FULL, NONE, OK, QUEUE_DOT, SHARE_ON_FILL, TRACK
from tui.terminal.palettes import HUES

# The results of a sweep in words: names, figures, its state and its pulse.

BAR: Final = 24
LONGEST_KEY: Final = 26


class WorkerFigures(NamedTuple):
    name: str
    points: int = 0
    busy_s: float = 0.0  # CPU time
    memory_mb: int = 0  # Resident, after its last point
    last_s: float = 0.0  # When its last point came, after the sweep was begun or gone on with


Drawn = tuple[str, Sequence[PanelRow], str]  # A part of the screen: its title, rows, and what stands at the right


class SweepView(NamedTuple):
    spec: SweepSpec
    summary: Summary
    done: int
    whole: int
    rate: str  # How far it is, how fast, and how long it takes yet
    place: str  # Where it is played
    is_running: bool
    is_paused: bool = False
    workers: Sequence[WorkerFigures] = ()
    pulse: Sequence[int] = ()  # Points done in each second since it was begun or gone on with
    seconds: float = 0.0  # How long that is
    order: str = ""  # What settings are sorted by; empty is the goal

    @property
    def keys(self) -> list[str]:
        return [axis.key for axis in self.spec.axes]

    @property
    def is_none_kept(self) -> bool:
        return bool(self.spec.limits) and all(each.breaks for each in self.summary.settings)


def goal_text(goal: Goal, value: float | None) -> str:
    """A value of a goal as tables have it; a dash where there is none."""
    if value is None:
        return NONE
    return value_text(round(value) if not goal.unit else value, goal.unit)


def short_key(key: str) -> str:
    """The end of a long key, from a dot on.

    >>> short_key("yarn.scheduler.capacity.root.q1"), short_key("yarn.scheduler.capacity.root.etl"), short_key("nodes")
    ('scheduler.capacity.root.q1', 'capacity.root.etl', 'nodes')
    """
    parts = key.split(".")
    while len(parts) > 1 and len(".".join(parts)) > LONGEST_KEY:
        parts = parts[1:]
    return ".".join(parts)


def spread_text(goal: Goal, low: float | None, high: float | None) -> str:
    """The least and the greatest value of a goal; empty where they are one."""
    return "" if low == high else f"{goal_text(goal, low)} to {goal_text(goal, high)}"


def effect_words(each: Effect, goal: Goal, seeds: int) -> str:
    """Return how much an axis matters; no claim where seeds disagree."""
    low, high = (goal_text(goal, value) for value in (each.low, each.high))
    spread = low if low == high else f"{low} to {high}"
    if each.best:
        return f"{spread}; {each.best} is best"
    why = (
        "only one seed" if seeds == 1 else "seeds disagree on the best" if each.low else "no difference with some seed"
    )
    return f"{spread}; no claim: {why}"


LEAST: Final = 6  # Cells of the shortest meter, with its edges


def sweep_head(view: SweepView, width: int) -> list[Fragments]:
    """The state and the best setting; how far it is and where it runs: with less room a shorter meter, no place."""
    settings, goal = view.summary.settings, view.spec.goal
    best = settings[0] if settings else None
    badge: Fragment = ("RUNNING", "bold data") if view.is_running else ("DONE", "good")
    if view.is_paused and view.is_running:
        badge = ("PAUSED", "bold watch")
    elif view.done < view.whole and not view.is_running:
        badge = ("STOPPED", "bold watch")
    said = "no point was played to its end" if view.summary.counts else "no point is played yet"
    if best is not None:
        said = best_words(best, goal, view.summary)
    counts = ", ".join(f"{count} {status}" for status, count in view.summary.counts.items())
    words = f" {view.rate}" if view.is_running else f" {view.done} of {view.whole} points"
    rest: Fragments = [(words, "text"), (f"  {counts}" if counts else "", "soft")]
    place: Fragments = [(f"  on {view.place}" if counts else "", "soft")]
    rest += place if cell_width([*rest, *place]) + LEAST <= width else []
    meter = line_meter(min(BAR, max(1, width - 1 - cell_width(rest))), view.done, max(1, view.whole))
    return [
        [(" ", "text"), badge, ("  ", "text"), (text.plain(said), "strong")],
        [(" ", "text"), *meter, *rest],
    ]


def best_words(best: SettingFigures, goal: Goal, summary: Summary) -> str:
    """The best setting; where every one stalls it is none to be proud of."""
    if best.frozen:
        return f"every setting stalls, {named(best.settings)} with {text.plural(best.frozen, 'seed')}"
    lost = f"{lost_words(best, summary.terms)}{broken_words(best)}"
    return f"{named(best.settings)}: {summary.title} {goal_text(goal, best.goal)}{lost}"


def lost_words(setting: SettingFigures, terms: SystemTerms) -> str:
    """What no figure makes good, after the figures; nothing where nothing is lost."""
    lost = f", {setting.lost:.3g} {terms.application}s not done" if setting.lost else ""
    livelocked = f", a livelock with {text.plural(setting.livelocked, 'seed')}" if setting.livelocked else ""
    return f"{lost}{livelocked}"


def broken_words(setting: SettingFigures) -> str:
    """The limits that a setting breaks, after its figures; nothing where it keeps all."""
    return f", breaks {text.listed(setting.breaks)}" if setting.breaks else ""


def named(settings: Mapping[str, str]) -> str:
    return ", ".join(f"{short_key(key)} {value}" for key, value in settings.items())


def has_words(each: SettingFigures, words: str) -> bool:
    """Tell whether a setting has words that begin with each of these: keys, values, `front`, `breaks` (a limit).

    >>> one = SettingFigures({"policy": "fair-2.7", "nodes": "40"}, 1, 0.0, 0.0, 0.0, 0.0, is_front=True)
    >>> [has_words(one, words) for words in ("", "fair 4", "FRONT", "0")]
    [True, True, True, False]
    """
    said = f" {named(each.settings)} {'breaks' * bool(each.breaks)} {'front' * each.is_front}".lower()
    return all(f" {word}" in said or f".{word}" in said for word in words.lower().split())


def pulse_line(view: SweepView, width: int) -> Fragments:
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
    for rate in rates:
        last = last if rate is None else rate
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


# The plots of a sweep: the goal against what it costs, and every setting as a line through its values.

MOST_LINES: Final = 60  # Settings drawn as lines beside those on the front
LARGE: Final = 20  # A goal whose largest value is so many times the least is drawn on a logarithmic scale


def _front_plot(view: SweepView, size: tuple[int, int], chosen: int) -> Drawn:
    goal, settings = view.spec.goal, view.summary.settings
    has_nodes, costs = costs_of(view.spec, settings)
    title, right = f"{goal.name} against {'nodes' if has_nodes else view.summary.held}", f"{OK} front: beaten by none"
    values = known_values(settings)
    if not values:
        return title, [], right
    sheet, gutter = CellGrid(size[0] - 2, size[1] - 1), 9
    across, upwards = value_scale(costs), value_scale(values, may_be_large=True)
    top, bottom = (goal_text(goal, end(values)) for end in (max, min))
    for row, label in ((0, top), (sheet.height - 2, bottom if bottom != top else "")):
        sheet.put(row, 0, f"{label:>{gutter - 2}}", "soft")
    sheet.put(sheet.height - 1, gutter, TRACK * sheet.width, "line")
    first = view.spec.axes[0]
    order = sorted(range(len(settings)), key=lambda place: (place == chosen, settings[place].is_front))
    for place in order:
        each = settings[place]
        if each.goal is None:
            continue
        cell = gutter + round(across(costs[place]) * (sheet.width - gutter - 1))
        row = round((1 - upwards(each.goal)) * (sheet.height - 2))
        value = each.settings.get(first.key)
        hue = HUES[first.values.index(value)] if value in first.values and len(first.values) <= len(HUES) else "soft"
        style = "accent" if place == chosen else "data" if each.is_front else hue
        sheet.put(row, cell, OK if each.is_front or place == chosen else QUEUE_DOT, style)
    low, high = (f"{end(costs):g}{'' if has_nodes else '%'}" for end in (min, max))
    room = " " * max(1, sheet.width - gutter - len(low) - len(high))
    words: Fragments = [(f"{'':{gutter}}", "text"), (f"{low}{room}{high if high != low else ''}", "soft")]
    return title, [PanelRow(spans) for spans in (*sheet.lines(), words)], right


def known_values(settings: Sequence[SettingFigures]) -> list[float]:
    return [each.goal for each in settings if each.goal is not None]


def costs_of(spec: SweepSpec, settings: Sequence[SettingFigures]) -> tuple[bool, list[float]]:
    """Whether settings cost nodes, else a part of the memory [%]; and what each costs."""
    has_nodes = any(axis.key == NODES for axis in spec.axes)
    return has_nodes, [float(each.settings[NODES]) if has_nodes else 100 * each.used for each in settings]


def value_scale(values: Sequence[float], *, may_be_large: bool = False) -> Callable[[float], float]:
    """The place of a value between the least and the largest, 0 to 1.

    >>> [value_scale([10, 20])(value) for value in (10, 15, 20)]
    [0.0, 0.5, 1.0]
    >>> round(value_scale([1, 20], may_be_large=True)(20**0.5), 3), value_scale([1, 19], may_be_large=True)(10)
    (0.5, 0.5)
    """
    low, high = min(values), max(values)
    if may_be_large and 0 < low * LARGE <= high:
        return lambda value: log(value / low) / log(high / low)
    return lambda value: (value - low) / ((high - low) or 1)


def _lines_plot(view: SweepView, size: tuple[int, int], chosen: int) -> Drawn:
    settings, goal, axes = view.summary.settings, view.spec.goal, view.spec.axes
    width, height = size[0] - 2, size[1] - 2
    right = f"the {MOST_LINES} best" if len(settings) > MOST_LINES else ""
    values = known_values(settings)
    if not values:
        return "Every setting", [], right
    upwards = value_scale(values, may_be_large=True)
    label = max(8, width // (4 * len(axes) + 4))
    steps = [place * (2 * (width - label) - 1) // len(axes) for place in range(len(axes) + 1)]
    sheet, order = CellGrid(width, height), list(range(min(len(settings), MOST_LINES)))
    fronts = [place for place, each in enumerate(settings) if each.is_front]
    for places, style in ((order, "faint"), (fronts, "data"), ([min(chosen, len(settings) - 1)], "accent")):
        grid = braille.DotGrid(width, height)
        for each in (settings[place] for place in places):
            if each.goal is not None:
                heights = [*_heights(view, each), upwards(each.goal)]
                grid.draw(list(_through(heights, steps, 4 * height - 1)))
        sheet.put_dots(grid, style)
    heads = CellGrid(width, 1)
    worst, best = (goal_text(goal, end(values)) for end in (max, min))
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


def _heights(view: SweepView, each: SettingFigures) -> Iterator[float]:
    for axis in view.spec.axes:
        value = each.settings.get(axis.key)
        yield axis.values.index(value) / max(1, len(axis.values) - 1) if value in axis.values else 0.0


def _through(heights: Iterable[float], steps: Sequence[int], last: int) -> Iterator[int]:
    rows = [(1 - height) * last for height in heights]
    for place, (since, until) in enumerate(pairwise(steps)):
        for column in range(until - since):
            yield round(rows[place] + (rows[place + 1] - rows[place]) * column / (until - since))
    yield round(rows[-1])


FRAMED_FROM: Final = 100  # Width from which panels have frames, beside one another; else one is shown
BEST, FRONT, MATTERS, LINES, WORKERS, LEFT_OUT = "best", "front", "matters", "lines", "workers", "left out"
PARTS_OF_SWEEP: Final = (BEST, FRONT, MATTERS, LINES, WORKERS, LEFT_OUT)  # In the order of their keys, 1 to 6
LINK: Final = "setting"  # The kind of a link to a setting; its name is the place among the settings
FAILURE: Final = "failure"  # The kind of a link to a failed point; its name is the place among these
LISTED: Final = 5  # Settings listed beside other parts at least
PLOT: Final = 14  # Lines of a plot beside others
UNBOUNDED: Final = 10_000  # Cells of a line of text


def sweep_text(view: SweepView, listed: int) -> Iterator[str]:
    for name in (BEST, MATTERS, LEFT_OUT):
        title, rows, right = _PARTS[name](view, (UNBOUNDED, listed), 0)
        if name == BEST or (view.summary.errors if name == LEFT_OUT else view.summary.effects):
            yield f"{title}  {right}"
            yield from (flat(row.spans).rstrip() for row in rows)
            yield ""


def sweep_page(view: SweepView, size: tuple[int, int], part: str, chosen: int) -> Page:
    """The parts for which there is room, or the only one named; `chosen` is the place of the setting set off."""
    width, height = size

    def panel(name: str, cells: int, lines: int) -> Panel:
        number: Fragment = (f"{PARTS_OF_SWEEP.index(name) + 1} ", "faint")
        title, rows, right = _PARTS[name](view, (cells, max(3, lines)), chosen)
        link = (lambda place: _link(place - 1) if place else None) if name == BEST else None
        return Panel(name, [number, (title, "strong")], rows, right, link)

    whole = {BEST: len(view.summary.settings), LEFT_OUT: 2 * len(view.summary.failed)}
    lines = whole.get(part or BEST, height - EDGES)
    if width < FRAMED_FROM:
        return ruled(panel(part or BEST, width - 2, lines), width, has_focus=True)
    if part:
        return framed(panel(part, width - INSIDE, lines), width, has_focus=True)
    left = width * 11 // 20
    plot = panel(FRONT, left - INSIDE, PLOT)
    shown = (MATTERS, *([WORKERS] if view.workers else []), LEFT_OUT)
    aside = [panel(each, width - left - INSIDE, PLOT) for each in shown]
    rows = max(height_of(plot), sum(map(height_of, aside)))
    taken = sum(map(height_of, aside[:-1]))
    below = stacked(
        [*(framed(each, width - left) for each in aside[:-1]), framed(aside[-1], width - left, rows - taken)]
    )
    best = framed(panel(BEST, width - INSIDE, max(LISTED, height - rows - 3)), width, has_focus=True)
    every = framed(panel(LINES, width - INSIDE, PLOT), width)
    return stacked([best, beside(framed(plot, left, rows), below, left), every])


def _best(view: SweepView, size: tuple[int, int], _: int) -> Drawn:
    settings = view.summary.settings[: size[1]]
    columns = setting_columns(view.spec, settings)
    if size[0] >= FRAMED_FROM - INSIDE:
        worst = max(known_values(settings), default=0) or 1
        parts = [round(BAR * (each.goal or 0) / worst) for each in settings]
        bars = LazySequence(len(settings), lambda at: (METER_FULL * parts[at], "data"))
        columns.append(TextColumn("", bars, rank=5, widest=BAR))
    head, lines = table(columns, size[0] - 2)

    def row(place: int) -> PanelRow:
        return PanelRow([("  ", "text"), *lines[place]], _link(place))

    rows = LazySequence(len(lines) + 1, lambda place: row(place - 1) if place else PanelRow([("  ", "text"), *head]))
    return (
        f"Best settings  {len(settings)} of {len(view.summary.settings)}",
        rows,
        f"by {short_key(view.order)}" if view.order else _ranking_words(view),
    )


def _ranking_words(view: SweepView) -> str:
    goal, title, settings = view.spec.goal, view.summary.title, view.summary.settings
    before: dict[str, list[float]] = {
        "frozen last": [each.harm[0] for each in settings],
        "fewest not done first": [each.harm[1] for each in settings],
        "livelocks last": [each.harm[2] for each in settings],
        "limits kept first": [bool(each.breaks) for each in settings],
    }
    differ = [words for words, values in before.items() if len(set(values)) > 1]
    return ", then ".join([*differ, f"{title}, {'lowest' if goal.is_less_better else 'highest'} first"])


def setting_columns(spec: SweepSpec, settings: Sequence[SettingFigures]) -> list[TextColumn]:
    """The table of settings, the best first: its values, the goal over the seeds, what harms, what it costs."""
    goal = spec.goal
    figures = 1 + max(len(goal_text(goal, end(known_values(settings), default=0.0))) for end in (max, min))

    def column(title: str, cell: Callable[[SettingFigures], Fragment], widest: int, **more: Any) -> TextColumn:
        return TextColumn(
            title, LazySequence(len(settings), lambda place: cell(settings[place])), widest=widest, **more
        )

    return [
        TextColumn("#", LazySequence(len(settings), lambda place: (str(place + 1), "faint")), right=True, widest=2),
        *(column(short_key(axis.key), partial(_value, key=axis.key), max(map(len, axis.values))) for axis in spec.axes),
        column(
            goal.name,
            lambda each: (goal_text(goal, each.goal), "watch" if each.breaks else "strong"),
            figures,
            right=True,
        ),
        column("OVER SEEDS", lambda each: (spread_text(goal, each.low, each.high), "soft"), 2 * figures + 4, rank=2),
        *_harms(settings, column),
        column("USED", lambda each: (f"{each.used:.1%}", "text"), 6, rank=3, right=True),
        column("SEEDS", lambda each: (f"{each.done} of {len(spec.seeds)}", "soft"), 8, rank=4),
        column("FRONT", lambda each: (OK, "data") if each.is_front else ("", "text"), 1, rank=1),
        column(
            "BREAKS",
            lambda each: ("; ".join(each.breaks), "watch"),
            max((len("; ".join(each.breaks)) for each in settings), default=0),
            rank=1,
        ),
    ]


def _harms(settings: Sequence[SettingFigures], column: Callable[..., TextColumn]) -> Iterator[TextColumn]:
    if any(each.frozen for each in settings):
        yield column("STALLS", partial(_seeds, name="frozen"), 8)
    if any(each.livelocked for each in settings):
        yield column("LIVELOCKS", partial(_seeds, name="livelocked"), 8)
    if any(each.lost for each in settings):
        yield column("NOT DONE", lambda each: (f"{each.lost:.3g}" if each.lost else "", "watch"), 8, right=True)
    if any(each.master_wait_ms for each in settings):
        wait = column("95 % OF MASTERS", lambda each: (wait_text(each.master_wait_ms), "soft"), 8, rank=4, right=True)
        yield wait


def _seeds(each: SettingFigures, name: str) -> Fragment:
    seeds = getattr(each, name)
    return f"{seeds} of {each.done}" if seeds else "", "alarm"


def _value(each: SettingFigures, key: str) -> Fragment:
    return each.settings.get(key, NONE), "text"


def _link(place: int) -> WhySubject:
    return WhySubject(LINK, str(place))


def _matters(view: SweepView, size: tuple[int, int], _: int) -> Drawn:
    goal, effects = view.spec.goal, view.summary.effects
    most = max((each.high for each in effects), default=0) or 1
    rows = []
    for effect in effects:
        cells = max(4, min(2 * BAR, size[0] - LONGEST_KEY - 8))
        low, high = (round(part / most * (cells - 1)) for part in (effect.low, effect.high))
        middle = (low + high) // 2
        line = f"{TRACK * low}{METER_FULL * (middle - low)}{SHARE_ON_FILL}"
        line += f"{METER_FULL * (high - middle)}{TRACK * (cells - 1 - high)}"
        style = "data" if effect.best else "faint"
        rows.append(
            PanelRow(
                [(f"{short_key(effect.key):{LONGEST_KEY}}", "text"), (line, style), (f"{effect.share:6.0%}", "strong")]
            )
        )
        rows += [
            PanelRow([(f"  {words}", "soft")])
            for words in folded(effect_words(effect, goal, len(view.spec.seeds)), size[0] - 2)
        ]
    return f"What matters to {goal.name}", rows, text.plural(len(view.spec.seeds), "seed")


def _workers(view: SweepView, size: tuple[int, int], _: int) -> Drawn:
    some = view.workers
    columns = [
        TextColumn("WORKER", [(each.name, "text") for each in some]),
        TextColumn("POINTS", [(str(each.points), "strong") for each in some], right=True),
        TextColumn(
            "BUSY", [(f"{min(1.0, each.busy_s / max(0.1, view.seconds)):.0%}", "text") for each in some], right=True
        ),
        TextColumn("A POINT", [(f"{each.busy_s / each.points:.2g} s", "text") for each in some], 2, right=True),
        TextColumn("MEMORY", [(f"{each.memory_mb}M", "text") for each in some], 1, right=True),
        TextColumn(
            "LAST", [(f"{max(0.0, view.seconds - each.last_s):.0f} s ago", "soft") for each in some], 3, right=True
        ),
    ]
    head, lines = table(columns, size[0] - 2)
    rows = [PanelRow(head), *map(PanelRow, lines)] if some else [PanelRow([("none has played a point yet", "faint")])]
    return f"Workers  {len(some)}", rows, view.place


def _left_out(view: SweepView, size: tuple[int, int], _: int) -> Drawn:
    rows, failed, listed = [], view.summary.failed, size[1] // 2
    for place, point in enumerate(failed[:listed]):
        name = f"{named(point.settings)}, seed {point.seed}"
        rows.append(PanelRow([("failed ", "watch"), (name, "text")], WhySubject(FAILURE, str(place))))
        rows += [PanelRow([(f"  {line}", "soft")]) for line in folded(point.words, size[0] - 2)]
    if len(failed) > listed:
        rows.append(PanelRow([(f"and {len(failed) - listed} more failed", "watch")]))
    for status, words, count in view.summary.errors:
        if status == FAILED:
            continue
        rows.append(PanelRow([(f"{status} {text.plural(count, 'point')}", "watch")]))
        rows += [PanelRow([(f"  {line}", "soft")]) for each in words.splitlines() for line in folded(each, size[0] - 2)]
    return "Refused and failed", rows or [PanelRow([("none", "faint")])], "in no figure"


_PARTS: Final[dict[str, Callable[[SweepView, tuple[int, int], int], Drawn]]] = {
    BEST: _best,
    FRONT: _front_plot,
    MATTERS: _matters,
    LINES: _lines_plot,
    WORKERS: _workers,
    LEFT_OUT: _left_out,
}


# A sweep as lines of a terminal, and as CSV.

IN_TEXT: Final = 20  # Settings in the text


def summary_lines(view: SweepView) -> Iterator[str]:
    """The best settings, those on the front, what matters, and what could not be played."""
    counts = ", ".join(f"{count} {status}" for status, count in view.summary.counts.items()) or "no point played"
    yield f"{view.spec.name}: {counts}; {_ranking_words(view)}"
    for limit in view.spec.limits:
        yield f"limit: {limit.text}"
    if view.is_none_kept:
        yield "no setting keeps every limit"
    yield ""
    yield from sweep_text(view, IN_TEXT)
    if len(view.summary.settings) > IN_TEXT:
        yield f"{text.plural(len(view.summary.settings) - IN_TEXT, 'more setting')}: -o csv and -o screen have all"


def points_csv(points: Iterable[StoredPoint], axes: Sequence[Axis]) -> Iterator[str]:
    """Every point with all its figures; a seed that varies is told once."""
    keys = [axis.key for axis in axes]
    has_seed = SEED not in keys
    yield csv_line(["number", *keys, *(["seed"] if has_seed else []), "status", "words", *GOALS])
    for point in points:
        measures = point.measures
        values = [None if measures is None else goal.figure(measures) for goal in GOALS.values()]
        figures = ["" if value is None else f"{value:g}" for value in values]
        settings = [point.settings.get(key, "") for key in keys] + ([str(point.seed)] if has_seed else [])
        yield csv_line([str(point.number), *settings, point.status, point.words, *figures])
