"""The screen of a sweep: its best settings, the goal against what it costs, what matters, every setting as a line."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from engine.sweep import SettingFigures
from engine.sweep.playing import FAILED
from tui import format as text
from tui.answers import WhySubject
from tui.glyphs import METER_FULL, NONE, OK, SHARE_ON_FILL, TRACK
from tui.render.comparison import wait_text
from tui.render.line import Span, flat, folded
from tui.render.panel import (
    EDGES,
    INSIDE,
    Made,
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
from tui.render.sweep_plots import front_plot, lines_plot
from tui.render.sweep_view import (
    BAR,
    LONGEST_KEY,
    Drawn,
    SweepView,
    effect_words,
    goal_text,
    named,
    short_key,
    spread_text,
)

FRAMED_FROM: Final = 100
"""Width from which panels have frames and stand beside one another; a narrower screen shows one of them."""
BEST, FRONT, MATTERS, LINES, WORKERS, LEFT_OUT = "best", "front", "matters", "lines", "workers", "left out"
PARTS_OF_SWEEP: Final = (BEST, FRONT, MATTERS, LINES, WORKERS, LEFT_OUT)  # In the order of their keys, 1 to 6
LINK: Final = "setting"  # The kind of a link to a setting; its name is the place among the settings
FAILURE: Final = "failure"  # The kind of a link to a failed point; its name is the place among these
LISTED: Final = 5  # Settings listed beside other parts at least
PLOT: Final = 14  # Lines of a plot beside others
UNBOUNDED: Final = 10_000  # Cells of a line of text


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

    `part` is the only part, empty for all, which a narrow page never has; `chosen` is the place of the setting that is
    set off in plots.
    """
    width, height = size

    def panel(name: str, cells: int, lines: int) -> Panel:
        number: Span = (f"{PARTS_OF_SWEEP.index(name) + 1} ", "faint")
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
    goal, settings = view.spec.goal, view.summary.settings[: size[1]]
    worst, least = (end((each.goal for each in settings), default=0.0) for end in (max, min))
    figures = max(len(goal_text(goal, each)) for each in (worst, least)) + 1

    def column(title: str, cell: Callable[[SettingFigures], Span], widest: int, **more: Any) -> TextColumn:
        return TextColumn(title, Made(len(settings), lambda place: cell(settings[place])), widest=widest, **more)

    columns = [TextColumn("#", Made(len(settings), lambda place: (str(place + 1), "faint")), right=True, widest=2)]
    columns += [
        column(short_key(axis.key), partial(_value, key=axis.key), max(map(len, axis.values)))
        for axis in view.spec.axes
    ]
    broken = sorted({each.breaks for each in settings})
    columns += [
        column(
            goal.name,
            lambda each: (goal_text(goal, each.goal), "watch" if each.breaks else "strong"),
            figures,
            right=True,
        ),
        column("OVER SEEDS", lambda each: (spread_text(goal, each), "soft"), 2 * figures + 4, rank=2),
        *_harms(settings, column),
        column("USED", lambda each: (f"{each.used:.1%}", "text"), 6, rank=3, right=True),
        column("SEEDS", lambda each: (f"{each.done} of {len(view.spec.seeds)}", "soft"), 8, rank=4),
        column("FRONT", lambda each: (OK, "data") if each.is_front else ("", "text"), 1, rank=1),
        column(
            "BREAKS",
            lambda each: ("; ".join(each.breaks), "watch"),
            max(len("; ".join(each)) for each in broken or [()]),
            rank=1,
        ),
    ]
    if size[0] >= FRAMED_FROM - INSIDE:
        columns.append(
            column("", lambda each: (METER_FULL * round(BAR * each.goal / (worst or 1)), "data"), BAR, rank=5)
        )
    head, lines = table(columns, size[0] - 2)

    def row(place: int) -> PanelRow:
        return PanelRow([("  ", "text"), *lines[place]], _link(place))

    rows = Made(len(lines) + 1, lambda place: row(place - 1) if place else PanelRow([("  ", "text"), *head]))
    order = "lowest first" if goal.is_less_better else "highest first"
    return (
        f"Best settings  {len(settings)} of {len(view.summary.settings)}",
        rows,
        f"by {short_key(view.order)}" if view.order else f"{goal.title}, {order}",
    )


def _harms(settings: Sequence[SettingFigures], column: Callable[..., TextColumn]) -> Iterator[TextColumn]:
    """What stands before any goal, where there is such a thing, and the other wait."""
    if any(each.frozen for each in settings):
        yield column("FREEZES", lambda each: (f"{each.frozen} of {each.done}" if each.frozen else "", "alarm"), 8)
    if any(each.lost for each in settings):
        yield column("NOT DONE", lambda each: (f"{each.lost:.3g}" if each.lost else "", "watch"), 8, right=True)
    if any(each.master_wait_ms for each in settings):
        wait = column("95 % OF MASTERS", lambda each: (wait_text(each.master_wait_ms), "soft"), 8, rank=4, right=True)
        yield wait


def _value(each: SettingFigures, key: str) -> Span:
    return each.settings.get(key, NONE), "text"


def _link(place: int) -> WhySubject:
    return WhySubject(LINK, str(place))


def _matters(view: SweepView, size: tuple[int, int], _: int) -> Drawn:
    goal, effects = view.spec.goal, view.summary.effects
    most = max((each.high for each in effects), default=0) or 1
    rows = []
    for each in effects:
        cells = max(4, min(2 * BAR, size[0] - LONGEST_KEY - 8))
        low, high = (round(part / most * (cells - 1)) for part in (each.low, each.high))
        middle = (low + high) // 2
        line = f"{TRACK * low}{METER_FULL * (middle - low)}{SHARE_ON_FILL}"
        line += f"{METER_FULL * (high - middle)}{TRACK * (cells - 1 - high)}"
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


def _workers(view: SweepView, size: tuple[int, int], _: int) -> Drawn:
    """Return what each worker has done; those of a sweep that was played before are not known."""
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
    for place, each in enumerate(failed[:listed]):
        name = f"{named(each.settings)}, seed {each.seed}"
        rows.append(PanelRow([("failed ", "watch"), (name, "text")], WhySubject(FAILURE, str(place))))
        rows += [PanelRow([(f"  {line}", "soft")]) for line in folded(each.words, size[0] - 2)]
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
    FRONT: front_plot,
    MATTERS: _matters,
    LINES: lines_plot,
    WORKERS: _workers,
    LEFT_OUT: _left_out,
}
