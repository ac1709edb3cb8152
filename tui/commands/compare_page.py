"""A comparison as a report: one HTML file with figures."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from shlex import join
from typing import Final

from engine.compare import ComparedRun, Comparison, Parting, SideReason, measure_rows
from engine.observe.journal import program_version
from engine.scenario import Scenario
from tui import format as text
from tui.commands.compare_figures import over_time, waits_of_queues
from tui.render.comparison import alike_until, badge, harm, headline, value_text, wait_cell, wait_text, whom
from tui.report import (
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
    table,
)

GLYPHS: Final = {"alarm": "■", "watch": "▲", "good": "●"}
MODELLED: Final = (
    "Memory held is what was granted, not what processes use; who waits may hold much, so more is not better.",
    "A wait is from submission to the first container that the application asks for, which its master is not; an "
    "application without one waits to the end.",
    "Reserved in vain counts from a reservation to its end without a container of it, in node-seconds.",
    "Deadlocked is proved: no heartbeat, end or time-out that is still to come can lead to an allocation.",
    "Jain's index is 1 when all users with live applications have the same dominant share while somebody waits.",
    "Schedulers replay recorded decisions of the real classes. Containers last as long in every run, "
    "wherever they are. Network, disks and memory pressure are not modelled.",
    "One seed: schedlab sweep with --seeds says whether a small difference is more than chance.",
)


def comparison_page(
    comparison: Comparison, partings: Sequence[Parting], scenario: Scenario, arguments: Sequence[str]
) -> ReportPage:
    """The report.

    `scenario` is the one that the first run played; `arguments` are those of the command line, without the program.
    """
    runs = comparison.runs
    first = partings[0] if partings else None
    span = [
        text.near_minute(at, comparison.start_ms, comparison.offset_ms)
        for at in (comparison.start_ms, comparison.until_ms)
    ]
    sections = [
        ReportSection("Where they part", tuple(_parting(comparison, partings)), _at(comparison, first)),
        ReportSection("Measures", (_measures(comparison),), "bars grow towards the worse", is_long=True),
        ReportSection("Over time", (over_time(comparison, first),), "one axis, share of the cluster's memory"),
        ReportSection(
            "Queue by queue", tuple(_queues(comparison)), "waits for the first container asked for", is_long=True
        ),
        ReportSection(
            "Application by application", (_applications(comparison),), "largest difference first", is_long=True
        ),
        ReportSection("How it was run", tuple(_how(comparison, scenario, arguments))),
        ReportSection("What is modelled", (element("ol", *(element("li", each) for each in MODELLED)),)),
    ]
    return ReportPage(
        ("schedlab", "compare", comparison.scenario),
        f"{text.plural(len(runs), 'run')}, one workload, seed {comparison.seed}, {span[0]} to {span[1]}",
        headline(comparison) + ".",
        _lead(comparison),
        element("div", *map(_summary, runs), class_="columns runs"),
        sections,
        (f"schedlab {program_version()} · compare", "A simulation; no cluster was asked."),
    )


def _names(comparison: Comparison) -> Mapping[str, str]:
    return {run.letter: run.name for run in comparison.runs}


def _at(comparison: Comparison, parting: Parting | None) -> str:
    return "" if parting is None else text.instant(parting.time_ms, comparison.offset_ms)


def _lead(comparison: Comparison) -> str:
    number = len(comparison.divergences)
    differences = (
        f"{text.plural(number, 'difference')} of what an application has or has reserved last "
        f"{text.duration(comparison.lasting_ms)} or longer."
    )
    return differences if number > 1 else ""


def _summary(run: ComparedRun) -> Html:
    token, words = badge(run)
    sign = f"{GLYPHS[token]} {words}"
    state = element("span", sign, class_="good" if token == "good" else f"badge {token}")
    name = element("p", key_of({run.letter: run.name}))
    return element("div", name, element("p", state), element("p", harm(run)))


def _parting(comparison: Comparison, partings: Sequence[Parting]) -> Iterator[Html]:
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
    has = f"has {text.plural(side.has, 'container')} by then, {text.plural(side.reserved, 'node')} reserved"
    setting = f" ({side.setting})" if side.setting else ""
    rule = element("p", f"{side.rule}{setting}", class_="soft") if side.rule else ""
    return element(
        "div",
        element("h3", key_of({side.letter: _names(comparison)[side.letter]})),
        element("p", element("b", side.decided)),
        rule,
        element("p", has, class_="faint"),
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
            worst = max(row.badness())
            cells: list[Cell | str] = [
                Cell(value_text(value, row.unit), "strong" if bad == worst > 0 and not row.is_alike else "")
                for value, bad in zip(row.values, row.badness(), strict=True)
            ]
            fills = [(f"b{run.letter}", bad) for run, bad in zip(runs, row.badness(), strict=True)]
            about = Cell("alike", "faint") if row.is_alike else bar(fills) if row.worse else ""
            lines.append(Row(row.name, [*cells, about]))
        groups.append(ReportGroup(group, lines))
    return table(columns, groups, key_of(_names(comparison)))


def _queues(comparison: Comparison) -> Iterator[Html]:
    runs = comparison.runs
    yield waits_of_queues(comparison)
    yield element(
        "p", "Dot: median. Upright stroke: 95 %. Line: to the worst. The scale is logarithmic.", class_="note"
    )
    for title, waits in (
        ("queue", [run.measures.waits_of_queues for run in runs]),
        ("user", [run.measures.waits_of_users for run in runs]),
    ):
        columns = [
            ReportColumn(title),
            *(ReportColumn(f"{run.letter} {what}") for run in runs for what in ("median", "95 %", "worst")),
        ]
        rows = []
        for name in dict.fromkeys(name for each in waits for name in each):
            cells = [
                wait_text(value) if found is not None else "–"
                for found in (each.get(name) for each in waits)
                for value in ((found.median, found.p95, found.worst) if found is not None else (0, 0, 0))
            ]
            rows.append(Row(text.short_queue(name), cells))
        yield table(columns, [ReportGroup("", rows)])


def _applications(comparison: Comparison) -> Html:
    columns = [ReportColumn("application"), *(ReportColumn(run.letter) for run in comparison.runs)]
    rows = []
    for row in comparison.applications[:20]:
        of = f"{row.number:04d} {row.name} ({', '.join(filter(None, (row.user, text.short_queue(row.queue))))})"
        rows.append(Row(of, [wait_cell(row, run) for run in comparison.runs]))
    return table(columns, [ReportGroup("", rows)])


def _how(comparison: Comparison, scenario: Scenario, arguments: Sequence[str]) -> Iterator[Html]:
    yield element("pre", f"schedlab {join(arguments)}")
    columns = [
        ReportColumn("setting"),
        *(ReportColumn(f"{run.letter} {run.name}", is_figure=False) for run in comparison.runs),
    ]
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
    yield table(columns, [ReportGroup("", rows)])
    nodes = scenario.cluster.all_nodes()
    memory = text.memory(sum(node.memory_mb for node in nodes))
    same = "the same command gives the same journals"
    yield pairs(
        {
            "program": f"schedlab {program_version()}",
            "scenario": f"{scenario.name}, seed {scenario.seed}, {scenario.digest()[:12]}: {same}",
            "cluster": f"{text.plural(len(nodes), 'node')}, {memory} in all",
            "workload": text.plural(comparison.runs[0].measures.applications, "application"),
        }
    )


def _listed(sentences: Sequence[str]) -> Html:
    return joined(*(element("div", each) for each in sentences))
