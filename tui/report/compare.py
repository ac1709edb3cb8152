"""A comparison as a report: one HTML file with figures."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from shlex import join
from typing import Any, Final

from engine.compare import ComparedRun, Comparison, ExplainedDivergence, SideReason, measure_rows
from engine.compare.comparison import dimension_of, terms_of
from engine.measures import Quantiles
from engine.observe.journal import program_version
from engine.observe.snapshots import YARN, translate_terms
from engine.scenario import Scenario
from engine.units import moment_at
from tui.pages.compare import HUES, alike_until, quantile_words, value_text, wait_cell, wait_text, waits_by_name, whom
from tui.pages.compare_text import badge, harm, headline
from tui.report.page import (
    Cell,
    Html,
    ReportColumn,
    ReportGroup,
    ReportPage,
    ReportSection,
    Row,
    bar,
    element,
    joined,
    key_of,
    pairs,
    rows_table,
    table,
)
from tui.report.sweep_page import FigureCanvas, tone
from tui.terminal import format as text

# The figures of a comparison's report: over time, and waits by queue.

DASHES: Final[dict[str, Any]] = {
    "A": "solid",
    "B": (0, (1, 1.5)),
    "C": (0, (4, 1.8)),
    "D": (0, (6, 1.5, 1, 1.5)),
    "E": (0, (1, 3)),
    "F": (0, (2, 2)),
}  # Letter of a run → how its line is drawn, so that it is known without colour
LEFT: Final = 96
RIGHT: Final = 46
ROW: Final = 62  # Height of one run in `_over_time` [px]
LEAST_S: Final = 0.1  # Least wait on a logarithmic scale [s]


def _over_time(comparison: Comparison, parting: ExplainedDivergence | None) -> Html:
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
        _name(axes, f"{terms_of(comparison.runs).application}s\nwaiting")
        names = ", ".join(f"{run.letter} {run.name}" for run in runs)
        waiting = f"{terms_of(runs).application}s waiting"
        return canvas.html(f"Share of {dimension_of(runs)} held and {waiting} over time, by run: {names}")


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


def _marks(
    axes: Any, comparison: Comparison, run: ComparedRun, parting: ExplainedDivergence | None, top: float
) -> None:
    if parting is not None:
        axes.axvline(
            (parting.time_ms - comparison.start_ms) / 3_600_000, color=tone("faint"), linestyle=":", linewidth=1
        )
    for freeze in run.frozen:
        begin, end = ((at - comparison.start_ms) / 3_600_000 for at in (freeze.since_ms, freeze.until_ms))
        axes.plot([begin, end], [top * 0.5, top * 0.5], color=tone("alarm"), linewidth=2.4)
        words = f"nothing allocated for {text.duration(freeze.until_ms - freeze.since_ms)}"
        axes.text((begin + end) / 2, top * 0.45, words, color=tone("alarm"), ha="center", va="top")


def _waits_drawn(runs: Sequence[ComparedRun], kind: str, queues: Mapping[str, Sequence[Quantiles | None]]) -> Html:
    height = len(queues) * (len(runs) * 16 + 12)
    with FigureCanvas("queues", height + 40) as canvas:
        axes = canvas.axes(150, 4, 836 - 150 - 30, height)
        ticks: list[float] = []
        for place, waits in enumerate(queues.values()):
            middle = place * (len(runs) + 0.75)
            ticks.append(middle + (len(runs) - 1) / 2)
            for row, (run, wait) in enumerate(zip(runs, waits, strict=True)):
                if wait is not None:
                    _range(axes, run.letter, wait, middle + row)
        axes.set_xscale("log")
        worst = max((run.measures.waits.worst for run in runs), default=0) / 1000
        axes.set_xlim(LEAST_S * 0.8, max(worst, 1) * 1.3)
        steps = [each for each in (0.1, 1, 10, 60, 600, 3600, 36_000, 360_000) if each <= max(worst, 1) * 1.3]
        axes.set_xticks(steps, [wait_text(each * 1000) for each in steps])
        axes.minorticks_off()
        axes.set_yticks(ticks, [text.fit(text.short_queue(name), 18).strip() for name in queues])
        axes.set_ylim(len(queues) * (len(runs) + 0.75) - 0.6, -0.8)
        axes.grid(axis="x")
        axes.tick_params(length=0, labelcolor=tone("text"))
        axes.spines["left"].set_visible(False)
        first = f"Waits for the first {terms_of(runs).container}"
        return canvas.html(f"{first} by {kind} and run: median, 95 % and worst")


def _range(axes: Any, letter: str, waits: Quantiles, height: float) -> None:
    median, p95, worst = (max(LEAST_S, each / 1000) for each in (waits.median, waits.p95, waits.worst))
    colour = tone(HUES[letter])
    axes.plot([median, worst], [height, height], color=colour, linewidth=2)
    axes.plot([median], [height], color=colour, marker="o", markersize=6)
    axes.plot([p95], [height], color=colour, marker="|", markersize=9, markeredgewidth=2)


GLYPHS: Final = {"alarm": "■", "watch": "▲", "good": "●"}
MODELLED: Final = (
    "Held is what was granted, not what processes use; an application that waits may hold much, so more is not better.",
    "A wait is from submission to the first container that the application asks for; an application without one waits "
    "to the end.",
    "Deadlocked is proved: no heartbeat, end or time-out that is still to come can lead to an allocation.",
    "Jain's index is 1 when all users with live applications have the same dominant share while an application waits.",
    "Schedulers replay recorded decisions of the real classes. Each container lasts as long in "
    "every run, wherever it is. Network, disks and memory pressure are not modelled.",
    "One seed: schedlab tune --seeds says whether a small difference is more than chance.",
)


OF_YARN: Final = (
    "The first container that an application asks for is not its master's.",
    "Reserved in vain counts from a reservation to its end without a container of it, in node-seconds.",
)


def comparison_page(
    comparison: Comparison, partings: Sequence[ExplainedDivergence], scenario: Scenario, arguments: Sequence[str]
) -> ReportPage:
    runs = comparison.runs
    first = partings[0] if partings else None
    words, kind = terms_of(runs), next(waits_by_name(runs))[0]
    span = [
        text.near_minute(at, comparison.start_ms, comparison.offset_ms)
        for at in (comparison.start_ms, comparison.until_ms)
    ]
    modelled = [*(translate_terms(each, words) for each in MODELLED), *(OF_YARN if words == YARN else ())]
    sections = [
        ReportSection("Where they part", tuple(_parting(comparison, partings)), _at(comparison, first)),
        ReportSection("Measures", (_measures(comparison),), "bars grow towards the worse", is_long=True),
        ReportSection(
            "Over time", (_over_time(comparison, first),), f"one axis, share of the cluster's {dimension_of(runs)}"
        ),
        ReportSection(
            f"{kind.capitalize()} by {kind}",
            tuple(_queues(comparison)),
            f"waits for the first {words.container} asked for",
            is_long=True,
        ),
        ReportSection(
            f"{words.application.capitalize()} by {words.application}",
            (_applications(comparison),),
            "largest difference first",
            is_long=True,
        ),
        ReportSection("How it was run", tuple(_how(comparison, scenario, arguments))),
        ReportSection("What is modelled", (element("ol", *(element("li", each) for each in modelled)),)),
    ]
    if comparison.assumed:
        assumed = element("ol", *(element("li", each) for each in comparison.assumed))
        sections.insert(-1, ReportSection("What is assumed", (assumed,)))
    lead = f"{len(comparison.divergences)} differences of what an application has"
    lead += f"{' or has reserved' if words == YARN else ''} last {text.duration(comparison.lasting_ms)} or longer."
    return ReportPage(
        ("schedlab", "compare", comparison.scenario),
        f"{text.plural(len(runs), 'run')}{_what_is_one(comparison)}, {span[0]} to {span[1]}",
        headline(comparison) + ".",
        translate_terms(lead, words) if len(comparison.divergences) > 1 else "",
        element("div", *map(_summary, runs), class_="columns runs"),
        sections,
        (f"schedlab {program_version()} · compare", "A simulation; no cluster was asked."),
    )


def _what_is_one(comparison: Comparison) -> str:
    submitted = {run.measures.applications + run.measures.refused for run in comparison.runs}
    workload = ", one workload" if len(submitted) == 1 and not comparison.unlike else ""
    return workload + f", seed {comparison.seed}" * all("seed=" not in run.name for run in comparison.runs)


def _names(comparison: Comparison) -> Mapping[str, str]:
    return {run.letter: run.name for run in comparison.runs}


def _at(comparison: Comparison, parting: ExplainedDivergence | None) -> str:
    return "" if parting is None else text.instant(parting.time_ms, comparison.offset_ms)


def _summary(run: ComparedRun) -> Html:
    token, words = badge(run)
    sign = f"{GLYPHS[token]} {words}"
    state = element("span", sign, class_="good" if token == "good" else f"badge {token}")
    name = element("p", key_of({run.letter: run.name}))
    return element("div", name, element("p", state), element("p", harm(run)))


def _parting(comparison: Comparison, partings: Sequence[ExplainedDivergence]) -> Iterator[Html]:
    yield (
        element("p", f"The runs are {alike_until(comparison)}.", class_="note")
        if partings
        else element("p", alike_until(comparison))
    )
    for place, parting in enumerate(partings):
        name, more = whom(parting)
        at = f"{_at(comparison, parting)} " if place else ""
        yield element("p", element("b", f"{at}{name}"), more, class_="panel")
        yield element("div", *(_side(comparison, each) for each in parting.sides), class_="columns")


def _side(comparison: Comparison, side: SideReason) -> Html:
    words = terms_of(comparison.runs)
    given = f"was given {text.plural(side.has, words.container)} by then"
    if side.reserved or words == YARN:
        given += f", has {text.plural(side.reserved, words.node)} reserved"
    setting = f" ({side.setting})" if side.setting else ""
    rule = element("p", f"{side.rule}{setting}", class_="soft") if side.rule else ""
    return element(
        "div",
        element("h3", key_of({side.letter: _names(comparison)[side.letter]})),
        element("p", element("b", side.decided)),
        rule,
        element("p", given, class_="faint"),
    )


def _measures(comparison: Comparison) -> Html:
    runs = comparison.runs
    columns = [
        ReportColumn("measure"),
        *(ReportColumn(run.letter) for run in runs),
        ReportColumn("worse →", is_figure=False),
    ]
    groups = []
    for group, rows in groupby(measure_rows(comparison), key=lambda row: row.group):
        lines = []
        for row in rows:
            worst = max(row.severity_key())
            cells: list[Cell | str] = [
                Cell(value_text(value, row.unit), "strong" if bad == worst > 0 and not row.is_alike else "")
                for value, bad in zip(row.values, row.severity_key(), strict=True)
            ]
            fills = [(f"b{run.letter}", bad) for run, bad in zip(runs, row.severity_key(), strict=True)]
            about = Cell("alike", "faint") if row.is_alike else bar(fills) if row.is_ranked else ""
            lines.append(Row(row.name, [*cells, about]))
        groups.append(ReportGroup(group, lines))
    return table(columns, groups, key_of(_names(comparison)))


def _queues(comparison: Comparison) -> Iterator[Html]:
    runs = comparison.runs
    found = {kind: {name: waits for name, waits in every.items() if name} for kind, every in waits_by_name(runs)}
    drawn = next((kind for kind, every in found.items() if every), "")
    if not drawn:
        return
    yield _waits_drawn(runs, drawn, found[drawn])
    yield element(
        "p", "Dot: median. Upright stroke: 95 %. Line: to the worst. The scale is logarithmic.", class_="note"
    )
    heads = [f"{run.letter} {what}" for run in runs for what in ("median", "95 %", "worst")]
    for kind, every in found.items():
        rows = []
        for name, waits in every.items():
            cells = [("–",) * 3 if wait is None else quantile_words(wait) for wait in waits]
            rows.append(Row(text.short_queue(name), [*chain(*cells)]))
        if rows:
            yield rows_table([kind, *heads], rows)


def _applications(comparison: Comparison) -> Html:
    rows = []
    for row in comparison.applications[:20]:
        of = f"{row.number:04d} {row.name} ({', '.join(filter(None, (row.user, text.short_queue(row.queue))))})"
        rows.append(Row(of, [wait_cell(row, run) for run in comparison.runs]))
    return rows_table([terms_of(comparison.runs).application, *_names(comparison)], rows)


def _how(comparison: Comparison, scenario: Scenario, arguments: Sequence[str]) -> Iterator[Html]:
    yield element("pre", f"schedlab {join(arguments)}")
    names = [f"{run.letter} {run.name}" for run in comparison.runs]
    rows = [
        Row("decides as", [run.policy for run in comparison.runs]),
        Row("mapped", [_listed(run.mapped) for run in comparison.runs]),
        Row("dropped", [_listed(run.dropped) for run in comparison.runs]),
        Row(
            "script",
            [
                _listed([f"{each.step} came to nothing: {each.reason}" for each in run.mishaps])
                for run in comparison.runs
            ],
        ),
        Row("journal, SHA-256", [run.journal[:12] for run in comparison.runs]),
    ]
    yield rows_table(["setting", *names], rows, names)
    nodes, words = scenario.cluster.all_nodes(), terms_of(comparison.runs)
    memory = text.memory(sum(node.memory_mb for node in nodes))
    same = "the same command gives the same journals"
    yield pairs(
        {
            "program": f"schedlab {program_version()}",
            "scenario": f"{scenario.name}, seed {scenario.seed}, {scenario.digest()[:12]}: {same}",
            "cluster": f"{text.plural(len(nodes), words.node)}, {memory} in all",
            "workload": text.plural(comparison.runs[0].measures.applications, words.application),
        }
    )


def _listed(sentences: Sequence[str]) -> Html:
    return joined(*(element("div", each) for each in sentences))
