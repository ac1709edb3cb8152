"""A comparison as lines of a terminal, as CSV and as Markdown."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from engine.compare import ComparedRun, Comparison, ExplainedDivergence, measure_rows
from engine.observe.documents import csv_line
from tui.pages.compare import (
    alike_until,
    badge,
    harm,
    headline,
    parting_lines,
    value_text,
    wait_cell,
    wait_text,
    waits_by_name,
)
from tui.terminal import format as text

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
    for kind, rows in waits_by_name(comparison.runs):
        yield ""
        yield _heads(comparison, f"{kind}: wait, median and 95 %")
        for name, waits in rows.items():
            if not name:
                continue
            cells = ["–" if wait is None else f"{wait_text(wait.median)} {wait_text(wait.p95)}" for wait in waits]
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
    for kind, rows in waits_by_name(runs):
        for name, waits in rows.items():
            for what in ("median", "p95", "worst"):
                values = [None if wait is None else getattr(wait, what) for wait in waits]
                lines.append(csv_line([f"wait of {kind} {name}", what, "ms", *values]))
    return "".join(lines)


def comparison_markdown(comparison: Comparison, partings: Sequence[ExplainedDivergence]) -> str:
    """The comparison as a page of a wiki: what came of it, a table of measures, and where the runs part."""
    heads = "".join(f" {run.letter} {run.name} |" for run in comparison.runs)
    lines = [f"# {comparison.scenario}", "", f"{headline(comparison)}.", ""]
    lines += [f"- **{run.letter} {run.name}**: {badge(run)[1]} {harm(run)}" for run in comparison.runs]
    lines += ["", f"| measure |{heads}", f"|---|{'---:|' * len(comparison.runs)}"]
    for row in measure_rows(comparison):
        lines.append(f"| {row.name} |" + "".join(f" {value_text(value, row.unit)} |" for value in row.values))
    lines += ["", f"Where they part: {alike_until(comparison)}", ""]
    for parting in partings:
        lines += [
            f"- {letter} {line}".replace("-  ", "- ") for letter, line in parting_lines(parting, comparison.offset_ms)
        ]
    return "\n".join(lines) + "\n"
