"""A workload as text: what an import read, inferred and dropped; arrivals, sizes and durations by queue and user."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.errors import format_problems
from engine.formats.traces.exports import BUCKETS, Spread, WorkloadGroup, WorkloadPicture
from engine.formats.traces.formats import BY_NAME
from engine.formats.traces.report import ImportReport
from engine.scenario import Scenario
from engine.units import format_duration
from tui.pages.compare import wait_text
from tui.panes.plot import Line, drawn, rule, scale
from tui.terminal.format import BLOCK, BLOCK_LEFT, IN_ASCII, duration, fit, memory, plural

WIDTH: Final = BUCKETS // 2
HEIGHT: Final = 6
LISTED: Final = 12  # Most queues, users, files and faulty places that are listed; the rest is counted
NAME: Final = 20
HEADS: Final = ("applications", "containers", "memory", "duration", "work")
UNDER: Final = ("", "median to most", "median to most", "10 % · median · 90 %", "")
COLUMNS: Final = (13, 17, 17, 26, 10)
TENTHS_MS: Final = 10_000  # Below, stretches have tenths of a second
HOUR_MS: Final = 3_600_000
IN_HOURS_MS: Final = 10 * HOUR_MS  # From here on work is given in whole hours


def picture_lines(picture: WorkloadPicture, *, is_ascii: bool = False) -> list[str]:
    total = picture.total
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in picture.behaviours.items())
    spread_ms = picture.last_ms - picture.first_ms
    within = f" within {_span(spread_ms)}" if spread_ms else ""
    lines = [
        f"{plural(total.applications, 'application')}{within}: {kinds}",
        "",
        *_arrivals(picture),
        "",
        *(
            f"{'':{NAME}}{''.join(f'{head:>{width}}' for head, width in zip(heads, COLUMNS, strict=True))}"
            for heads in (HEADS, UNDER)
        ),
        _row(total),
        *_table("queue", picture.queues),
        *_table("user", picture.users),
    ]
    return [line.rstrip().translate(IN_ASCII) if is_ascii else line.rstrip() for line in lines]


def _arrivals(picture: WorkloadPicture) -> Iterator[str]:
    spread_ms = picture.last_ms - picture.first_ms
    if not spread_ms:
        yield "all arrive at one instant"
        return
    of = scale(max(picture.arrivals), HEIGHT)
    sheet = drawn([Line(picture.arrivals, "data")], of, (WIDTH, HEIGHT), is_colourless=True)
    rule(sheet, of, of.values)
    yield f"arrivals in each {_span(spread_ms / BUCKETS)}, up to {of.top:g}"
    for row, signs in enumerate(sheet.signs):
        label = f"{of.top:g}" if row == 0 else "0" if row == HEIGHT - 1 else ""
        yield f"{label:>6} {''.join(signs)}"
    end = _span(spread_ms)
    yield f"{'':7}0{end:>{WIDTH - 1}}"


def _span(milliseconds: float) -> str:
    return wait_text(milliseconds) if milliseconds < TENTHS_MS else duration(round(milliseconds))


def _table(kind: str, groups: Sequence[WorkloadGroup]) -> Iterator[str]:
    yield f"by {kind}, {plural(len(groups), kind)}"
    most = max((group.applications for group in groups), default=1)
    for group in groups[:LISTED]:
        yield _row(group, f"  {_bar(group.applications, most)}")
    if len(groups) > LISTED:
        rest = sum(group.applications for group in groups[LISTED:])
        yield f"  and {len(groups) - LISTED:,} more with {plural(rest, 'application')}"


def _row(group: WorkloadGroup, bar: str = "") -> str:
    cells = (
        f"{group.applications:,}",
        f"{group.containers.median:,.0f} to {group.containers.most:,.0f}",
        f"{memory(round(group.memory_mb.median))} to {memory(round(group.memory_mb.most))}"
        if group.memory_mb.count
        else "unknown",
        _durations(group.duration_ms),
        f"{group.work_ms / HOUR_MS:,.0f} h" if group.work_ms >= IN_HOURS_MS else duration(round(group.work_ms)),
    )
    name = fit(f"  {group.name}" if bar else group.name, NAME - 1)
    return f"{name:{NAME}}{''.join(f'{cell:>{width}}' for cell, width in zip(cells, COLUMNS, strict=True))}{bar}"


def _durations(spread: Spread) -> str:
    if not spread.count:
        return "unknown"
    return " · ".join(duration(round(each)) for each in (spread.low, spread.median, spread.high))


def _bar(part: int, whole: int, width: int = 8) -> str:
    halves = max(1, round(part / max(1, whole) * width * 2))
    return BLOCK * (halves // 2) + BLOCK_LEFT * (halves % 2)


# The report of an import, and the scenario it gives.

SHORT_S: Final = 2  # Plays of less are not told apart [s]

EACH_STARTS: Final = "each application can start, as playing one of each kind alone shows"


def report_lines(report: ImportReport, scenario: Scenario, play_s: float) -> list[str]:
    """The report of an import, the scenario it gives, and how long it takes to play [s]."""
    return [*found_lines(report), "", _made(scenario), *[EACH_STARTS] * report.can_all_start, _takes(play_s)]


def _takes(play_s: float) -> str:
    """Return how long, to one figure; less is not told apart.

    >>> _takes(1.9), _takes(2.0), _takes(84.0)
    ('playing it takes less than 2 s here', 'playing it takes about 2s here', 'playing it takes about 1m20s here')
    """
    if play_s < SHORT_S:
        return f"playing it takes less than {SHORT_S} s here"
    step = 10 ** (len(str(int(play_s))) - 1)
    return f"playing it takes about {format_duration(round(play_s / step) * step * 1000)} here"


def found_lines(report: ImportReport) -> list[str]:
    dropped = (f"dropped   {words}" for words in report.dropped_words())
    return [*_read(report), *_inferred(report), *dropped, *_faults(report)]


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
    for (value, reason), count in report.inferred.most_common():
        yield f"inferred  {value} of {plural(count, 'application')}: {reason}"
    for note in report.notes:
        yield f"note      {note}"


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
