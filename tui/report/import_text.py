"""The report of an import as text: what was read, inferred and dropped, and the scenario it gives."""

from collections.abc import Iterator
from typing import Final

from engine.errors import format_problems
from engine.formats.traces.formats import BY_NAME
from engine.formats.traces.report import ImportReport
from engine.scenario import Scenario
from engine.units import format_duration
from tui.terminal.format import plural

LISTED: Final = 12  # Most files, and most faulty places, that are listed; the rest is counted

SHORT_S: Final = 2  # Plays of less are not told apart [s]

EACH_STARTS: Final = "each application can start, as playing one of each kind alone shows"


def report_lines(report: ImportReport, scenario: Scenario, play_s: float) -> list[str]:
    """The report of an import, the scenario it gives, and how long it takes to play [s]."""
    return [*found_lines(report), "", _made(scenario), *[EACH_STARTS] * report.can_all_start, _takes(play_s)]


def _takes(play_s: float) -> str:
    """Return how long, to one figure; less is not told apart.

    >>> _takes(0.1), _takes(84.0)
    ('playing it takes less than 2 s here', 'playing it takes about 1m20s here')
    """
    if play_s < SHORT_S:
        return f"playing it takes less than {SHORT_S} s here"
    step = 10 ** (len(str(int(play_s))) - 1)
    return f"playing it takes about {format_duration(round(play_s / step) * step * 1000)} here"


def found_lines(report: ImportReport) -> list[str]:
    """The report of an import: what was read, inferred, dropped and unreadable."""
    return [*_read(report), *_inferred(report), *_dropped(report), *_faults(report)]


def _read(report: ImportReport) -> Iterator[str]:
    for file in report.files[:LISTED]:
        counts = f"{plural(file.applications, 'application')}, {plural(file.tasks, 'task')}"
        yield f"read      {file.file}: {BY_NAME[file.format].title}, {counts}"
    if len(report.files) > LISTED:
        yield f"          and {plural(len(report.files) - LISTED, 'more file')}"
    if len(report.files) > 1:
        yield f"          {plural(report.applications, 'application')} and {plural(report.tasks, 'task')} in all"
    for problem in report.skipped[:LISTED]:
        yield f"skipped   {problem.file}: {problem.message}"
    if len(report.skipped) > LISTED:
        yield f"          and {plural(len(report.skipped) - LISTED, 'more file')}"
    if report.nodes:
        yield f"          {plural(len(report.nodes), 'node')} named"


def _inferred(report: ImportReport) -> Iterator[str]:
    for (value, rule), count in report.inferred.most_common():
        yield f"inferred  {value} of {plural(count, 'application')}: {rule}"
    for note in report.notes:
        yield f"note      {note}"


def _dropped(report: ImportReport) -> Iterator[str]:
    yield from (f"dropped   {words}" for words in report.dropped_words())


def _faults(report: ImportReport) -> Iterator[str]:
    if not report.faults:
        return
    yield f"faulty    {plural(report.faults, 'place')}, left out"
    for line in format_problems(report.problems[:LISTED]):
        yield f"          {line}"
    if report.faults > LISTED:
        yield f"          and {report.faults - min(LISTED, len(report.problems)):,} more"


def _made(scenario: Scenario) -> str:
    nodes = len(scenario.cluster.all_nodes())
    return (
        f"a scenario of {plural(len(scenario.workload), 'application')} on {plural(nodes, 'node')}"
        f" under {scenario.scheduler}, {format_duration(scenario.duration_ms // 1000 * 1000)} long"
    )
