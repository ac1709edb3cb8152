"""`schedlab workload describe|export`: what a trace or a scenario submits, and the same for other programs."""

import io
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec
import typer

from engine.errors import ConfigError, Problem, nearest, shortened
from engine.formats.scenario_toml import load, packaged
from engine.formats.traces.application import MappingRules, TraceApplication
from engine.formats.traces.exports import (
    BUCKETS,
    Spread,
    WorkloadGroup,
    WorkloadPicture,
    applications_of,
    apps_json,
    described,
    sls_nodes,
    sls_trace,
    swim_trace,
)
from engine.formats.traces.formats import BY_NAME, read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.source import TraceSource
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.measures import Meter
from engine.run import Run
from engine.scenario import Scenario
from tui.cli import new_app
from tui.cli.cli_errors import reported_errors
from tui.cli.import_ import Format, found_lines, reading
from tui.cli.options import Budget, ScenarioName, Trust, scenario_names
from tui.panes.plot import Line, drawn, rule, scale
from tui.terminal.edges import visible_lines
from tui.terminal.format import BLOCK, BLOCK_LEFT, IN_ASCII, duration, fit, memory, plural
from tui.terminal.saving import STANDARD_OUTPUT, write_file

# What of a scenario's behaviour is lost where a form cannot hold all of it: both are played, settings alike.

SECONDS: Final = 20.0  # The most that each play may take [CPU s]
STEPS: Final = 50  # Parts in which a play is looked at for its budget
FAR_MS: Final = 5_000  # Waits that differ by less are as good as equal
CLUSTER: Final = "the scheduler {scheduler}, its settings, queues, script and faults are not written"
UNKNOWN: Final = f"playing it takes more than {SECONDS:g} s: whether what is not kept changes what happens is not known"
SAME: Final = "what is not kept changes neither who ends nor how long half of the applications wait, as playing shows"
CHANGED: Final = (
    "what is not kept changes what happens: half of the applications wait at most {after_wait}, {before_wait} in the"
    " scenario; {after_ended} of {after_all} end, {before_ended} of {before_all} in the scenario"
)


class _Behaviour(NamedTuple):
    """What came of a play."""

    applications: int
    ended: int
    wait_ms: int


def lost_by(scenario: Scenario, text: str, form: str) -> list[str]:
    """What a trace in this form does not do as the scenario does, in sentences."""
    sentences = [CLUSTER.format(scheduler=scenario.scheduler)]
    before, after = _played(scenario), _played(_read_back(scenario, text, form))
    if before is None or after is None:
        return [*sentences, UNKNOWN]
    far = abs(before.wait_ms - after.wait_ms) > max(FAR_MS, min(before.wait_ms, after.wait_ms))
    if not far and before.ended == after.ended:
        return [*sentences, SAME]
    changed = CHANGED.format(
        after_wait=_wait(after.wait_ms),
        before_wait=_wait(before.wait_ms),
        after_ended=after.ended,
        after_all=plural(after.applications, "application"),
        before_ended=before.ended,
        before_all=before.applications,
    )
    return [*sentences, changed]


def _wait(wait_ms: int) -> str:
    return "a second" if wait_ms < 1000 else duration(wait_ms)


def _read_back(scenario: Scenario, text: str, form: str) -> Scenario:
    report = ImportReport()
    with TraceSource([io.BytesIO(text.encode())], form, report) as source:
        read = list(BY_NAME[form].read([source], MappingRules()))
    queues = {each.name or each.id: each.queue for each in read}
    # Each keeps its queue as it is written, which the scenario has already.
    alike = [msgspec.structs.replace(each, queue=None) for each in read]
    again = imported_scenario(alike, report, ClusterChoice(policy=scenario.scheduler))
    later_ms = min((each.submitted_ms for each in read), default=0) - min(
        (spec.at_ms for spec in again.workload), default=0
    )
    workload = tuple(
        spec.model_copy(update={"queue": queues.get(spec.name), "at_ms": spec.at_ms + later_ms})
        for spec in again.workload
    )
    return scenario.model_copy(update={"workload": workload})


def _played(scenario: Scenario) -> _Behaviour | None:
    """What comes of a scenario; None where it takes too long."""
    meter, budget = Meter(), Budget(SECONDS, time.process_time)
    run = Run(scenario, [meter], is_judged=False)
    meter.follow(run.simulation)
    step_ms = max(1, -(-scenario.duration_ms // STEPS))
    while not run.ended:
        if not budget.goes_on():
            return None
        run.advance(run.now_ms + step_ms)
    found = meter.measures(run.until_ms)
    return _Behaviour(found.applications, found.applications - found.unfinished, round(found.waits.median))


WIDTH: Final = BUCKETS // 2
HEIGHT: Final = 6
LISTED: Final = 12  # Most queues and users that are listed; the rest is counted
NAME: Final = 20
HEADS: Final = ("applications", "containers", "memory", "duration", "work")
UNDER: Final = ("", "median to most", "median to most", "10 % · median · 90 %", "")
COLUMNS: Final = (13, 17, 17, 24, 10)


def picture_lines(picture: WorkloadPicture, *, is_ascii: bool = False) -> list[str]:
    """The picture as lines."""
    total = picture.total
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in picture.behaviours.items())
    lines = [
        f"{plural(total.applications, 'application')} within {duration(picture.last_ms - picture.first_ms)}: {kinds}",
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
    if not picture.total.applications:
        return
    of = scale(max(picture.arrivals), HEIGHT)
    sheet = drawn([Line(picture.arrivals, "data")], of, (WIDTH, HEIGHT), is_colourless=True)
    rule(sheet, of, of.values)
    stretch = duration((picture.last_ms - picture.first_ms) // BUCKETS)
    yield f"arrivals in each {stretch}, up to {of.top:g}"
    for row, signs in enumerate(sheet.signs):
        label = f"{of.top:g}" if row == 0 else "0" if row == HEIGHT - 1 else ""
        yield f"{label:>6} {''.join(signs)}"
    end = duration(picture.last_ms - picture.first_ms)
    yield f"{'':7}0{end:>{WIDTH - 1}}"


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
        f"{group.work_ms / 3_600_000:,.0f} h",
    )
    name = fit(f"  {group.name}" if bar else group.name, NAME - 1)
    return f"{name:{NAME}}{''.join(f'{cell:>{width}}' for cell, width in zip(cells, COLUMNS, strict=True))}{bar}"


def _durations(spread: Spread) -> str:
    if not spread.count:
        return "unknown"
    return " · ".join(duration(round(each)) for each in (spread.low, spread.median, spread.high))


def _bar(part: int, whole: int, width: int = 8) -> str:
    """A bar of blocks to the half of one, at least a half."""
    halves = max(1, round(part / max(1, whole) * width * 2))
    return BLOCK * (halves // 2) + BLOCK_LEFT * (halves % 2)


app = new_app("Describe the applications of a trace or a scenario, or write them for other programs.")

KINDS: Final[dict[str, Callable[[Scenario, ImportReport], Iterator[str]]]] = {
    "sls": sls_trace,
    "sls-nodes": lambda scenario, _report: sls_nodes(scenario),
    "apps": apps_json,
    "swim": swim_trace,
}
"""What `export` writes → how."""

PLAYED: Final = frozenset({"sls", "swim"})  # Kinds of which it is said whether they behave as the scenario does

SCENARIO_SUFFIX: Final = ".toml"


@app.command()
def describe(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|NAME", help="Traces, or one scenario.", show_default=False, autocompletion=scenario_names
        ),
    ],
    wanted: Format = None,
    trust: Trust = False,
    plain: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII signs only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Describe arrivals, sizes and durations by queue and user."""
    with reported_errors():
        report = ImportReport()
        if files[0] in packaged() or files[0].endswith(SCENARIO_SUFFIX):
            if len(files) > 1:
                raise ConfigError([Problem("one scenario is described at a time", files[1])])
            applications = iter(list(applications_of(load(files[0], is_trusted=trust), report)))
            picture = described(applications)
        else:
            picture = described(_read([Path(each) for each in files], report, wanted))
        if as_json:
            typer.echo(msgspec.json.encode({"workload": picture, "report": report.document()}).decode())
            return
        typer.echo(visible_lines([*picture_lines(picture, is_ascii=plain), *found_lines(report)]), nl=False)


def _read(paths: list[Path], report: ImportReport, wanted: str | None) -> Iterator[TraceApplication]:
    with reading(paths) as progressed:
        yield from read_traces(paths, report, wanted=wanted, progressed=progressed)


@app.command()
def export(
    name: ScenarioName,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="A new file; - is the output.", show_default=False)
    ] = STANDARD_OUTPUT,
    kind: Annotated[str, typer.Option("--as", metavar="KIND", help=f"What to write: {', '.join(KINDS)}.")] = "sls",
    trust: Trust = False,
) -> None:
    """Write a scenario's applications as an SLS or SWIM trace or /ws/v1/cluster/apps, or its nodes as SLS has them.

    What the form cannot hold is said on the error output, and of a trace whether that changes what happens.
    """
    with reported_errors():
        write = KINDS.get(kind)
        if write is None:
            hint = nearest(kind, KINDS) or f"there is {', '.join(KINDS)}"
            raise ConfigError([Problem(f"nothing is written as {shortened(kind)}", key="--as", hint=hint)])
        report = ImportReport()
        scenario = load(name, is_trusted=trust)
        pieces = list(write(scenario, report))
        write_file(output, (piece.encode() for piece in pieces))
        for sentence in lost_by(scenario, "".join(pieces), kind) if kind in PLAYED else ():
            report.note(sentence)
        typer.echo(visible_lines(found_lines(report)), nl=False, err=True)
