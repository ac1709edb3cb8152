"""A sweep as a report: one HTML file with figures."""

import re
from collections.abc import Iterator, Sequence
from io import StringIO
from shlex import join
from typing import Any, Final, Self

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from engine.observe.journal import program_version
from engine.observe.snapshots import translate_terms
from engine.sweep import Axis, Goal, SettingFigures, Summary, SweepSpec
from tui.pages import tune
from tui.panes.sensitivity_text import IF_ASSUMED
from tui.report.page import Html, ReportPage, ReportSection, Row, element, pairs, rows_table, text_table
from tui.terminal import format as text
from tui.terminal.palettes import PALETTES

# Figures of a report as vector drawings that take their colours from the page, drawn by matplotlib.
#
# A colour is named by its token (`tone("q1")`); in the file it is the page's variable, so that light and dark both
# fit. The same figure gives the same bytes: no date, fixed ids, nothing of the user's own matplotlib settings.

WIDTH_PX: Final = 836  # Width of a figure in a page

_TONES: Final = {name: f"#0ab{number:03x}" for number, name in enumerate(PALETTES["light"])}
"""Token → the colour that stands for it while matplotlib draws."""

_SETTINGS: Final = {
    "svg.fonttype": "none",
    "svg.hashsalt": "schedlab",
    "font.family": "DejaVu Sans Mono",
    "font.size": 11,
    "text.color": _TONES["faint"],
    "text.usetex": False,
    "text.parse_math": False,
    "axes.edgecolor": _TONES["line"],
    "axes.labelcolor": _TONES["faint"],
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 1,
    "axes.axisbelow": True,
    "grid.color": _TONES["grid"],
    "grid.linewidth": 1,
    "xtick.color": _TONES["line"],
    "ytick.color": _TONES["line"],
    "xtick.labelcolor": _TONES["faint"],
    "ytick.labelcolor": _TONES["faint"],
    "lines.linewidth": 1.6,
    "lines.solid_joinstyle": "miter",
    "figure.facecolor": "none",
}


def tone(token: str) -> str:
    return _TONES[token]


class FigureCanvas:
    """A figure to draw on, within `with`; its axes are matplotlib's."""

    def __init__(self, name: str, height_px: int) -> None:
        """Begin an empty figure. `name` is a word, its only one within its page; ids begin with it."""
        self._name = name
        self._size = (WIDTH_PX, height_px)
        plain = {key: value for key, value in mpl.rcParamsDefault.items() if not key.startswith("backend")}
        settings: Any = {**plain, **_SETTINGS}  # Any: of each key the type of the value is another one
        self._ours = mpl.rc_context(settings)
        self._figure = Figure(figsize=(WIDTH_PX / 72, height_px / 72), dpi=72)

    def __enter__(self) -> Self:
        self._ours.__enter__()
        return self

    def __exit__(self, *how: Any) -> None:
        self._ours.__exit__(*how)

    def axes(self, left: float, top: float, width: float, height: float, **more: Any) -> Axes:
        whole_width, whole_height = self._size
        place = (left / whole_width, 1 - (top + height) / whole_height, width / whole_width, height / whole_height)
        return self._figure.add_axes(place, **more)

    def html(self, label: str) -> Html:
        """The figure for a page; called within `with`. `label` says what it shows, for readers who do not see it."""
        out = StringIO()
        self._figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, facecolor="none")
        text = out.getvalue()
        text = text[text.index("<svg") :]
        text = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|font-family: [^;\"]*;?", "", text, flags=re.DOTALL)
        text = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{self._name}-", text)
        for name, colour in _TONES.items():
            text = text.replace(colour, f"var(--{name})")
        size = f'viewBox="0 0 {self._size[0]} {self._size[1]}"'
        head = element("svg", role="img", aria_label=label).removesuffix("></svg>")
        text = re.sub(r"^<svg[^>]*>", lambda found: f'{head} {size} xmlns:xlink="http://www.w3.org/1999/xlink">', text)
        return element("figure", Html(" ".join(text.split())))


LISTED: Final = 100  # Settings in the table

LABELLED: Final = 8  # Values of a key that are all written at its upright; of more the ends

MODELLED: Final = (
    "Figures of a setting are over its seeds: the median, and the least and greatest.",
    "A setting that stalls, so that by proof nothing can be allocated, or leaves more applications refused, failed or "
    "not ended stands below one that does not, whatever its figures.",
    "A setting that breaks a limit with any seed is listed below those that keep it and lose no more, and is never on "
    "the front.",
    "What matters: from the worst to the best value of one key, the others averaged, for each seed; where seeds "
    "disagree on the best value nothing is claimed.",
    "Schedulers replay recorded decisions of the real classes. Network, disks and memory pressure are not modelled.",
)


def sweep_page(spec: SweepSpec, summary: Summary, place: str, arguments: Sequence[str]) -> ReportPage:
    sections = [
        ReportSection("Settings", tuple(_settings(spec, summary)), f"{summary.title}, best first", is_long=True),
        ReportSection(
            "All settings", tuple(_lines(spec, summary)), "a line is a setting; the dark ones are on the front"
        ),
        ReportSection("The front", tuple(_front(spec, summary)), "settings that no other beats"),
        ReportSection("What matters", (_effects(spec, summary),), text.plural(len(spec.seeds), "seed")),
    ]
    if summary.errors:
        rows = [Row(str(count), [status, words]) for status, words, count in summary.errors]
        errors = rows_table(["points", "state", "words"], rows, ["state", "words"])
        sections.append(ReportSection("Not played", (errors,), "in the words of the class", is_long=True))
    sections += [
        ReportSection("How it was run", (_how(spec, summary, place, arguments),)),
        ReportSection(
            "What is modelled",
            (element("ol", *(element("li", translate_terms(each, summary.terms)) for each in MODELLED)),),
        ),
    ]
    best = summary.settings[0] if summary.settings else None
    headline = "No point was played." if best is None else f"{_headline(best, spec.goal, summary)}."
    if spec.assumed:
        assumed = element("ol", *(element("li", each) for each in spec.assumed))
        sections.insert(-1, ReportSection("What is assumed", (assumed,)))
        headline = f"{IF_ASSUMED} {headline}"
    lead = f"The first of {text.plural(len(summary.settings), 'setting')}, by {summary.title}."
    return ReportPage(
        ("schedlab", "sweep", spec.name),
        f"{text.plural(sum(summary.counts.values()), 'point')}, {text.plural(len(spec.seeds), 'seed')}",
        headline,
        lead if best is not None else "",
        element("div"),
        sections,
        (f"schedlab {program_version()} · sweep", "A simulation; no cluster was asked."),
    )


def _headline(best: SettingFigures, goal: Goal, summary: Summary) -> str:
    figures = f"{tune.named(best.settings)}: {tune.goal_text(goal, best.goal)}"
    if best.frozen:
        return tune.best_words(best, goal, summary)
    return f"{figures}{tune.lost_words(best, summary.terms)}{tune.broken_words(best)}"


def _settings(spec: SweepSpec, summary: Summary) -> Iterator[Html]:
    yield text_table(tune.setting_columns(spec, summary.settings[:LISTED]))
    if len(summary.settings) > LISTED:
        yield element("p", f"and {len(summary.settings) - LISTED} more", class_="note")


def _front(spec: SweepSpec, summary: Summary) -> Iterator[Html]:
    goal, (has_nodes, costs) = spec.goal, tune.costs_of(spec, summary.settings)
    with FigureCanvas("front", 300) as canvas:
        axes = canvas.axes(110, 16, 680, 230)
        scale = 60_000 if goal.unit == "ms" else 1
        for setting, cost in zip(summary.settings, costs, strict=True):
            if setting.goal is None:
                continue
            colour = tone("accent" if setting.is_front else "watch" if setting.breaks else "data")
            low, middle, high = (each / scale for each in (setting.low, setting.goal, setting.high) if each is not None)
            axes.plot([cost, cost], [low, high], color=colour, linewidth=1)
            axes.plot([cost], [middle], marker="o" if setting.is_front else ".", color=colour)
        axes.grid(visible=True, axis="y")
        axes.set_xlabel("nodes" if has_nodes else f"{summary.held}, % of the cluster")
        axes.set_ylabel(f"{goal.name}{', minutes' if goal.unit == 'ms' else ''}")
        yield canvas.html(f"{summary.title} of each setting over its cost; those on the front are filled")
    yield element(
        "p",
        "On the front: ",
        "; ".join(tune.named(each.settings) for each in summary.settings if each.is_front) or "none",
    )


def _lines(spec: SweepSpec, summary: Summary) -> Iterator[Html]:
    goal, settings = spec.goal, [each for each in summary.settings if each.goal is not None]
    if not settings:
        return
    titles = [*(tune.short_key(axis.key) for axis in spec.axes), goal.name, "used"]
    figures = [tune.known_values(settings), [each.used for each in settings]]
    (least, most), (idle, busy) = ends = [(min(some), max(some)) for some in figures]
    labels = [_value_labels(axis) for axis in spec.axes]
    labels += [
        [(0.0, tune.goal_text(goal, least)), (1.0, tune.goal_text(goal, most))],
        [(0.0, f"{idle:.1%}"), (1.0, f"{busy:.1%}")],
    ]

    def heights(each: SettingFigures) -> Iterator[float]:
        for axis in spec.axes:
            last = len(axis.values) - 1
            yield axis.values.index(each.settings[axis.key]) / last if last else 0.5
        for value, (low, high) in zip((*tune.known_values([each]), each.used), ends, strict=True):
            yield (value - low) / (high - low) if high > low else 0.5

    with FigureCanvas("lines", 300) as canvas:
        axes = canvas.axes(70, 34, 700, 240)
        for setting in sorted(settings, key=lambda one: (one is settings[0], one.is_front)):
            colour = "accent" if setting is settings[0] else "data" if setting.is_front else "line"
            axes.plot(list(heights(setting)), color=tone(colour), linewidth=2.4 if setting is settings[0] else 1)
        for place, title in enumerate(titles):
            axes.axvline(place, color=tone("faint"), linewidth=1)
            axes.text(place, 1.09, title, ha="center", color=tone("text"), size=9)
        for place, label in enumerate(labels):
            for height, words in label:
                axes.text(place + 0.03, height, words, size=9)
        axes.set_axis_off()
        yield canvas.html(f"Every setting as a line through its values, {summary.title} and what is held")


def _value_labels(axis: Axis) -> list[tuple[float, str]]:
    last = len(axis.values) - 1
    steps = range(last + 1) if last < LABELLED else (0, last)
    return [(step / last if last else 0.5, axis.values[step]) for step in steps]


def _effects(spec: SweepSpec, summary: Summary) -> Html:
    rows = [
        Row(each.key, [f"{each.share:.0%}", tune.effect_words(each, spec.goal, len(spec.seeds))])
        for each in summary.effects
    ]
    return rows_table(["key", "share", "from worst to best"], rows, ["from worst to best"])


def _how(spec: SweepSpec, summary: Summary, place: str, arguments: Sequence[str]) -> Html:
    counts = ", ".join(f"{count} {status}" for status, count in summary.counts.items())
    varied = "; ".join(f"{axis.key}: {', '.join(axis.values)}" for axis in spec.axes)
    facts = {
        "command": f"schedlab {join(arguments)}",
        "varied": varied,
        "seeds": ", ".join(map(str, spec.seeds)),
        "limits": "; ".join(spec.limit_texts) or "none",
        "points": counts,
        "played on": place,
    }
    return pairs(facts)
