"""`schedlab compare`: the same workload and faults under two or more policies, releases or settings."""

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from engine.compare import (
    ComparedRun,
    Comparison,
    ComparisonCandidate,
    ExplainedDivergence,
    compared,
    measure_rows,
    partings_of,
)
from engine.errors import ConfigError, Problem
from engine.observe.documents import csv_line
from engine.scenario import Scenario
from engine.units import instant_given
from tui.cli import new_app
from tui.cli.cli_errors import needs_terminal, reported_errors
from tui.cli.options import Assignments, Place, Trust, scheduler_names
from tui.cli.output import Progress, announced, report_target
from tui.cli.settings import Ascii, Force, Theme
from tui.cli.source import source_names, source_scenario
from tui.pages.compare import alike_until, badge, harm, headline, parting_lines, value_text, wait_cell, wait_text
from tui.session.definitions import ComparisonRequest, contestants_of
from tui.settings import resolve
from tui.terminal import format as text
from tui.terminal.edges import listening, visible_lines
from tui.terminal.saving import write_file

# A comparison as lines of a terminal, and as CSV.

NAME: Final = 34
CELL: Final = 13
APPLICATIONS: Final = 10  # Applications listed


def comparison_lines(comparison: Comparison, partings: Sequence[ExplainedDivergence]) -> Iterator[str]:
    """The whole comparison."""
    yield f"{comparison.scenario}: {headline(comparison)}."
    yield ""
    for run in comparison.runs:
        yield from _run_lines(run)
    for letter, (name, words) in comparison.refused.items():
        yield f"{letter} {name}  refused: {words}"
    yield ""
    yield f"Where they part: {alike_until(comparison)}"
    for parting in partings:
        for letter, line in parting_lines(parting, comparison.offset_ms):
            yield f"  {letter or ' '} {line}" if letter or line.startswith(" ") else f"  {line}"
    more = len(comparison.divergences) - len(partings)
    if more > 0:
        yield f"  and {more} more"
    yield ""
    yield from _measure_lines(comparison)
    yield from _queue_lines(comparison)
    yield from _application_lines(comparison)


def _run_lines(run: ComparedRun) -> Iterator[str]:
    _, words = badge(run)
    yield f"{run.letter} {run.name}  {words}  {harm(run)}"
    policy = f"  under {run.policy}" if run.policy != run.name else ""
    if policy:
        yield policy
    yield from (f"  mapped: {each}" for each in run.mapped)
    yield from (f"  dropped: {each}" for each in run.dropped)
    for mishap in run.mishaps:
        yield f"  {mishap.step} at {text.since_start(mishap.time_ms)} came to nothing: {mishap.reason}"


def _heads(comparison: Comparison, first: str) -> str:
    return f"{first:{NAME}}" + "".join(f"{run.letter:>{CELL}}" for run in comparison.runs)


def _measure_lines(comparison: Comparison) -> Iterator[str]:
    yield _heads(comparison, "measure")
    for group, rows in groupby(measure_rows(comparison), key=lambda row: row.group):
        yield group
        for row in rows:
            cells = "".join(f"{value_text(value, row.unit):>{CELL}}" for value in row.values)
            yield f"  {text.fit(row.name, NAME - 2)}{cells}"


def _queue_lines(comparison: Comparison) -> Iterator[str]:
    for title, waits in (
        ("queue: wait, median and 95 %", [run.measures.waits_of_queues for run in comparison.runs]),
        ("user: wait, median and 95 %", [run.measures.waits_of_users for run in comparison.runs]),
    ):
        yield ""
        yield _heads(comparison, title)
        for name in dict.fromkeys(name for each in waits for name in each if name):
            found = [each.get(name) for each in waits]
            cells = ["–" if one is None else f"{wait_text(one.median)} {wait_text(one.p95)}" for one in found]
            yield f"  {text.fit(text.short_queue(name), NAME - 2)}" + "".join(f"{cell:>{CELL}}" for cell in cells)


def _application_lines(comparison: Comparison) -> Iterator[str]:
    yield ""
    yield _heads(comparison, "application, by difference of waits")
    for row in comparison.applications[:APPLICATIONS]:
        cells = "".join(f"{wait_cell(row, run):>{CELL}}" for run in comparison.runs)
        yield f"  {text.fit(f'{row.number:04d} {row.name}', NAME - 2)}{cells}"


def comparison_csv(comparison: Comparison) -> str:
    """Every measure of every run: a line each, of the whole run, of queues and of users; times in ms, work in s."""
    runs = comparison.runs
    lines = [csv_line(["group", "measure", "unit", *(f"{run.letter} {run.name}" for run in runs)])]
    lines += [csv_line([row.group, row.name, row.unit, *row.values]) for row in measure_rows(comparison)]
    for kind, waits in (
        ("queue", [run.measures.waits_of_queues for run in runs]),
        ("user", [run.measures.waits_of_users for run in runs]),
    ):
        for name in dict.fromkeys(name for each in waits for name in each):
            for what in ("median", "p95", "worst"):
                values = [getattr(each[name], what) if name in each else None for each in waits]
                lines.append(csv_line([f"wait of {kind} {name}", what, "ms", *values]))
    return "".join(lines)


app = new_app()

EXPLAINED: Final = 5  # Divergences whose reasons are said
SHOWN: Final = 50  # Divergences that a screen goes through


Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME|FILE|RUN",
        help="A scenario, a kept run, a trace, or a ResourceManager's log.",
        show_default=False,
        autocompletion=source_names,
    ),
]
With = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="P|KEY=VALUE",
        help="Compare with a policy, a setting, or both joined by a comma; repeatable.",
        autocompletion=scheduler_names,
    ),
]
Configs = Annotated[
    list[Path] | None,
    typer.Option("--config", metavar="FILE", help="Compare with an XML file or a folder of them; two: one another."),
]
Logs = Annotated[
    list[Path] | None, typer.Option("--from-log", metavar="FILE", help="Files of a trace or log, in place of NAME.")
]
Until = Annotated[str | None, typer.Option("--until", metavar="T", help="End: 09:00, +30m or seconds after the start.")]
Report = Annotated[
    str | None, typer.Option("-o", "--output", metavar="FILE.html", help="Write a report as one HTML file.")
]


@app.command()
def compare(
    name: Name = None,
    withs: With = None,
    configs: Configs = None,
    logs: Logs = None,
    assignments: Assignments = None,
    until: Until = None,
    output: Report = None,
    as_json: Annotated[bool, typer.Option("--json", help="The comparison as one JSON object.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="The measures as CSV.")] = False,
    on_screen: Annotated[bool, typer.Option("--screen", help="Look at the comparison on screen.")] = False,
    theme: Theme = None,
    ascii_only: Ascii = None,
    trust: Trust = False,
    runs: Place = None,
    force: Force = False,
) -> None:
    """Play the same workload and faults under several policies, releases or settings, and say where they part.

    The source as it is comes first. Exit code 2: the input was refused; 130: interrupted, after what is known so far.
    """
    with reported_errors():
        if as_json + as_csv + on_screen > 1:
            raise ConfigError([Problem("are one or the other", key="--json, --csv and --screen")])
        if on_screen:
            needs_terminal("schedlab compare")
        settings = resolve({"theme": theme, "ascii": ascii_only})
        target = report_target(output, "-o", force=force)
        with announced(f"reading {name or 'the log'}"):
            scenario = source_scenario(name, logs or (), assignments or (), runs, is_trusted=trust)
        contestants = contestants_of(scenario, ComparisonRequest(withs or (), configs or ()))
        until_ms = scenario.duration_ms if until is None else instant_given(until, scenario.start, "--until")
        with listening() as interruption, Progress(until_ms, scenario) as progress:
            comparison = compared(contestants, until_ms, is_stopped=interruption.came, progressed=progress.show)
        explained = comparison.divergences[: SHOWN if on_screen else EXPLAINED]
        with announced("asking for the reasons"):
            partings = partings_of(_played(contestants, comparison), explained)
        if target is not None:
            _write_report(comparison, partings, scenario, target, force=force)
        if as_json:
            sys.stdout.write(json.dumps(document(comparison, partings), indent=1) + "\n")
        elif as_csv:
            sys.stdout.write(comparison_csv(comparison))
        elif on_screen:
            from tui.cli.compare_screen import look_at  # noqa: PLC0415 -- only a screen pays for textual

            look_at(_played(contestants, comparison), comparison, partings, settings)
        else:
            sys.stdout.write(visible_lines(comparison_lines(comparison, partings)))
    if interruption.signal:
        raise typer.Exit(128 + interruption.signal)


def _played(contestants: Sequence[ComparisonCandidate], comparison: Comparison) -> list[ComparisonCandidate]:
    return [each for each in contestants if each.letter not in comparison.refused]


def document(comparison: Comparison, partings: tuple[ExplainedDivergence, ...]) -> dict[str, object]:
    """The comparison as JSON, with its first divergences explained under `partings`."""
    return {**msgspec.to_builtins(comparison, str_keys=True), "partings": msgspec.to_builtins(partings)}


def _write_report(
    comparison: Comparison, partings: tuple[ExplainedDivergence, ...], scenario: Scenario, target: Path, *, force: bool
) -> None:
    from tui.report.compare import comparison_page  # noqa: PLC0415 -- only a report pays for matplotlib

    page = comparison_page(comparison, partings, scenario, sys.argv[1:])
    write_file(target, [page.html().encode()], force=force)
