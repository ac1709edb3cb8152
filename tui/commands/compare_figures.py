"""The figures of a comparison's report: over time, and waits by queue."""

from collections.abc import Sequence
from typing import Any, Final

from engine.compare import ComparedRun, Comparison, Parting
from engine.instants import moment_at
from engine.measures import Quantiles
from tui import format as text
from tui.render.comparison import HUES, wait_text
from tui.report import Html
from tui.report.drawing import FigureCanvas, tone

DASHES: Final[dict[str, Any]] = {
    "A": "solid",
    "B": (0, (1, 1.5)),
    "C": (0, (4, 1.8)),
    "D": (0, (6, 1.5, 1, 1.5)),
    "E": (0, (1, 3)),
    "F": (0, (2, 2)),
}
"""Letter of a run → how its line is drawn, so that it is known without colour."""
LEFT: Final = 96
RIGHT: Final = 46
ROW: Final = 62
"""Height of one run in `over_time` [px]."""
LEAST_S: Final = 0.1
"""Least wait on a logarithmic scale [s]."""


def over_time(comparison: Comparison, parting: Parting | None) -> Html:
    """Memory held by each run, one under the other on one scale, then the applications that wait."""
    runs = comparison.runs
    hours = [(comparison.until_ms - comparison.start_ms) / 3_600_000 * place / 239 for place in range(240)]
    top = max((max(run.series.used_share) for run in runs), default=0.0) or 1.0
    with FigureCanvas("time", ROW * len(runs) + 150) as canvas:
        width = 836 - LEFT - RIGHT
        for place, run in enumerate(runs):
            axes = canvas.axes(LEFT, 14 + ROW * place, width, ROW - 16)
            _line(axes, run, hours, run.series.used_share)
            axes.fill_between(hours, run.series.used_share, color=tone(HUES[run.letter]), alpha=0.16, linewidth=0)
            _frame(axes, top, hours[-1])
            axes.set_yticks([0, top], ["0", f"{top:.0%}"])
            axes.set_xticks([])
            _name(axes, f"{run.letter} {text.fit(run.name, 11).strip()}")
            _marks(axes, comparison, run, parting, top)
        axes = canvas.axes(LEFT, ROW * len(runs) + 30, width, 92)
        most = max(max(run.series.waiting) for run in runs) or 1
        for run in runs:
            _line(axes, run, hours, run.series.waiting)
        _frame(axes, most, hours[-1])
        axes.set_yticks([0, most])
        places = [hours[-1] * step / 6 for step in range(7)]
        axes.set_xticks(places, [_minute(comparison, hour) for hour in places])
        axes.tick_params(length=0)
        _name(axes, "applications\nwaiting")
        names = ", ".join(f"{run.letter} {run.name}" for run in runs)
        return canvas.html(f"Share of memory held and applications waiting over time, by run: {names}")


def _minute(comparison: Comparison, hour: float) -> str:
    moment = moment_at(comparison.start_ms + round(hour * 3_600_000) + comparison.offset_ms)
    return f"{moment:%H:%M}" if comparison.until_ms - comparison.start_ms >= 1_800_000 else f"{moment:%H:%M:%S}"


def _line(axes: Any, run: ComparedRun, hours: Sequence[float], values: Sequence[float]) -> None:
    letter = run.letter
    axes.plot(hours, values, color=tone(HUES[letter]), linestyle=DASHES[letter], drawstyle="steps-post")


def _frame(axes: Any, top: float, last: float) -> None:
    axes.set_xlim(0, last)
    axes.set_ylim(0, top * 1.04)
    axes.yaxis.tick_right()
    axes.grid(axis="y")
    axes.spines["left"].set_visible(False)
    axes.tick_params(length=0)


def _name(axes: Any, words: str) -> None:
    axes.annotate(
        words,
        (0, 1),
        xycoords="axes fraction",
        xytext=(-LEFT, 0),
        textcoords="offset points",
        ha="left",
        va="top",
        color=tone("text"),
    )


def _marks(axes: Any, comparison: Comparison, run: ComparedRun, parting: Parting | None, top: float) -> None:
    """The instant at which they part, and stretches in which nothing can be allocated."""
    if parting is not None:
        axes.axvline(
            (parting.time_ms - comparison.start_ms) / 3_600_000, color=tone("faint"), linestyle=":", linewidth=1
        )
    for each in run.frozen:
        begin, end = ((at - comparison.start_ms) / 3_600_000 for at in (each.since_ms, each.until_ms))
        axes.plot([begin, end], [top * 0.5, top * 0.5], color=tone("alarm"), linewidth=2.4)
        words = f"nothing allocated for {text.duration(each.until_ms - each.since_ms)}"
        axes.text((begin + end) / 2, top * 0.45, words, color=tone("alarm"), ha="center", va="top")


def waits_of_queues(comparison: Comparison) -> Html:
    """Median, 95 % and worst wait of every queue under each run, on a logarithmic scale."""
    runs = comparison.runs
    names = list(dict.fromkeys(name for run in runs for name in run.measures.waits_of_queues))
    height = len(names) * (len(runs) * 16 + 12)
    with FigureCanvas("queues", height + 40) as canvas:
        axes = canvas.axes(150, 4, 836 - 150 - 30, height)
        ticks: list[float] = []
        for place, name in enumerate(names):
            middle = place * (len(runs) + 0.75)
            ticks.append(middle + (len(runs) - 1) / 2)
            for row, run in enumerate(runs):
                waits = run.measures.waits_of_queues.get(name)
                if waits is not None:
                    _range(axes, run.letter, waits, middle + row)
        axes.set_xscale("log")
        worst = max((run.measures.waits.worst for run in runs), default=0) / 1000
        axes.set_xlim(LEAST_S * 0.8, max(worst, 1) * 1.3)
        steps = [each for each in (0.1, 1, 10, 60, 600, 3600, 36_000, 360_000) if each <= max(worst, 1) * 1.3]
        axes.set_xticks(steps, [wait_text(each * 1000) for each in steps])
        axes.minorticks_off()
        axes.set_yticks(ticks, [text.fit(text.short_queue(name), 18).strip() for name in names])
        axes.set_ylim(len(names) * (len(runs) + 0.75) - 0.6, -0.8)
        axes.grid(axis="x")
        axes.tick_params(length=0, labelcolor=tone("text"))
        axes.spines["left"].set_visible(False)
        return canvas.html("Waits for the first container by queue and run: median, 95 % and worst")


def _range(axes: Any, letter: str, waits: Quantiles, height: float) -> None:
    median, p95, worst = (max(LEAST_S, each / 1000) for each in (waits.median, waits.p95, waits.worst))
    colour = tone(HUES[letter])
    axes.plot([median, worst], [height, height], color=colour, linewidth=2)
    axes.plot([median], [height], color=colour, marker="o", markersize=6)
    axes.plot([p95], [height], color=colour, marker="|", markersize=9, markeredgewidth=2)
