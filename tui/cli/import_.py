"""The options of commands that read traces, and what they mean."""

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from engine.errors import ConfigError, Problem, listed, nearest, shortened
from engine.formats.scenario_toml import dump_apart, workload_lines
from engine.formats.traces.application import MappingRules, TraceApplication
from engine.formats.traces.formats import BY_NAME, TracePart, read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.source import size_of
from engine.formats.traces.spark_event_log import put_together
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.scenario import Scenario
from engine.settings.fair import FAIR_27
from engine.units import CENTURY_MS, UnitError, format_duration, parse_duration, parse_memory
from tui.cli import new_app
from tui.cli.cli_errors import reported_errors
from tui.cli.import_play import play_seconds, unstartable
from tui.cli.options import scheduler_names
from tui.cli.output import ProgressBar, target_of
from tui.cli.settings import Force
from tui.terminal.edges import visible_lines
from tui.terminal.format import plural
from tui.terminal.saving import write_file

POLICIES: Final = tuple(Scenario.model_fields["scheduler"].annotation.__args__)  # type: ignore[union-attr]  # it is a Literal of texts

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE", help="Traces, packed or not, or folders of them; - is the input.", show_default=False
    ),
]
Output = Annotated[
    str | None, typer.Option("-o", "--output", metavar="FILE", help="Write the scenario here; - is the output.")
]
Format = Annotated[
    str | None, typer.Option("--format", metavar="F", help=f"Take the files as {', '.join(BY_NAME)}; else by content.")
]
QueueMap = Annotated[
    list[str] | None, typer.Option("--queue-map", metavar="A=B", help="Call queue A of the trace B; repeatable.")
]
ScaleTime = Annotated[
    float, typer.Option("--scale-time", metavar="X", help="Stretch the time between arrivals by so much.")
]
Anonymise = Annotated[bool, typer.Option("--anonymise", help="Replace the names of users, queues, jobs and hosts.")]
First = Annotated[int | None, typer.Option("--first", metavar="N", min=1, help="Only the first N applications.")]
Between = Annotated[
    tuple[str, str] | None,
    typer.Option("--between", metavar="A B", help="Only those submitted in a stretch after the first: 1h 2h."),
]
Policy = Annotated[
    str | None,
    typer.Option(
        "--policy",
        metavar="P",
        help=f"The scheduler: {', '.join(POLICIES)}; else a log's, fifo for a batch log, else {FAIR_27.name}.",
        autocompletion=scheduler_names,
    ),
]
Nodes = Annotated[
    int | None, typer.Option("--nodes", metavar="N", min=1, max=100_000, help="So many nodes, not the trace's.")
]
NodeSize = Annotated[
    str | None, typer.Option("--node-size", metavar="M,V", help="Memory and vcores of a node, e.g. 64g,16.")
]
Container = Annotated[
    str | None, typer.Option("--container", metavar="M,V", help="Size of containers of unknown size, e.g. 1g,1.")
]
Split = Annotated[str, typer.Option("--split", metavar="M", help="Input of one map, where only bytes are known.")]
Processors = Annotated[
    int | None,
    typer.Option(
        "--processors",
        metavar="N",
        min=1,
        max=100_000,
        help="Processors of a container of a batch job; else the job is one container, with --nodes each processor.",
        show_default=False,
    ),
]
MapRate = Annotated[float, typer.Option("--map-rate", metavar="R", help="MB/s of one map.")]
ReduceRate = Annotated[float, typer.Option("--reduce-rate", metavar="R", help="MB/s of one reduce.")]


def selection_of(
    first: int | None, between: tuple[str, str] | None, queue_map: Sequence[str], scale_time: float, *, anonymise: bool
) -> TracePart:
    """Reads the options that choose from a trace and change it.

    Raises:
        ConfigError: An option is wrong.
    """
    return TracePart(
        first=first,
        between_ms=_stretch(between),
        queues=_pairs(queue_map),
        time_scale=_positive(scale_time, "--scale-time"),
        is_anonymous=anonymise,
    )


def rules_of(
    container: str | None,
    split: str,
    map_rate: float,
    reduce_rate: float,
    processors: int | None,
    node_size: str | None,
) -> MappingRules:
    """The rules of inference with the numbers given.

    Raises:
        ConfigError: One is no such number.
    """
    memory_mb, vcores = (1024, 1) if container is None else _size(container, "--container")
    try:
        split_mb = parse_memory(split)
    except UnitError as error:
        raise ConfigError([Problem(str(error), key="--split")]) from None
    rules = MappingRules(
        container_mb=memory_mb,
        container_vcores=vcores,
        split_mb=int(_positive(split_mb, "--split")),
        map_mb_per_s=_positive(map_rate, "--map-rate"),
        reduce_mb_per_s=_positive(reduce_rate, "--reduce-rate"),
        processors=processors,
    )
    if node_size is None:
        return rules
    machine_mb, machine_vcores = _size(node_size, "--node-size")
    return msgspec.structs.replace(rules, machine_mb=machine_mb, machine_vcores=machine_vcores)


def choice_of(policy: str | None, nodes: int | None, node_size: str | None) -> ClusterChoice:
    """The cluster asked for.

    Raises:
        ConfigError: There is no such scheduler, or the size is none.
    """
    if policy is not None and policy not in POLICIES:
        hint = nearest(policy, POLICIES) or f"there is {', '.join(POLICIES)}"
        raise ConfigError([Problem(f"there is no scheduler {shortened(policy)}", key="--policy", hint=hint)])
    if node_size is None:
        return ClusterChoice(policy=policy or "", nodes=nodes)
    memory_mb, vcores = _size(node_size, "--node-size")
    return ClusterChoice(policy=policy or "", nodes=nodes, node_mb=memory_mb, node_vcores=vcores, is_size_given=True)


def _size(given: str, key: str) -> tuple[int, int]:
    """Memory [MB] and vcores, as `64g,16`."""
    memory, _, vcores = given.partition(",")
    try:
        size = parse_memory(memory), int(vcores or "1")
    except ValueError:
        size = (0, 0)
    if not (0 < size[0] < 2**31 and 0 < size[1] < 2**31):
        raise ConfigError([Problem(f"{shortened(given)!r} is no size", key=key, hint="e.g. 64g,16")])
    return size


def _positive(number: float, key: str) -> float:
    if not (math.isfinite(number) and 0 < number < 1e9):
        raise ConfigError([Problem(f"{number} is not a number above 0", key=key)])
    return number


def _pairs(given: Sequence[str]) -> dict[str, str]:
    for each in given:
        if not all(each.partition("=")):
            raise ConfigError([Problem(f"{shortened(each)!r} is not A=B", key="--queue-map")])
    return dict(each.split("=", 1) for each in given)


def _stretch(between: tuple[str, str] | None) -> tuple[int, int] | None:
    if between is None:
        return None
    try:
        begin, end = parse_duration(between[0]), parse_duration(between[1])
    except UnitError as error:
        raise ConfigError([Problem(str(error), key="--between")]) from None
    if not begin < end <= CENTURY_MS:
        raise ConfigError([Problem("the stretch ends before it begins", key="--between")])
    return begin, end


# The report of an import as text.

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
    for each in report.files[:LISTED]:
        counts = f"{plural(each.applications, 'application')}, {plural(each.tasks, 'task')}"
        yield f"read      {each.file}: {BY_NAME[each.format].title}, {counts}"
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
    for reason, count in report.dropped.most_common():
        yield f"dropped   {count:,} {reason}"


def _faults(report: ImportReport) -> Iterator[str]:
    if not report.faults:
        return
    yield f"faulty    {plural(report.faults, 'place')}, left out"
    for line in listed(report.problems[:LISTED]):
        yield f"          {line}"
    if report.faults > LISTED:
        yield f"          and {report.faults - min(LISTED, len(report.problems)):,} more"


def _made(scenario: Scenario) -> str:
    nodes = len(scenario.cluster.all_nodes())
    return (
        f"a scenario of {plural(len(scenario.workload), 'application')} on {plural(nodes, 'node')}"
        f" under {scenario.scheduler}, {format_duration(scenario.duration_ms // 1000 * 1000)} long"
    )


# `schedlab import FILE…`: a scenario of logs, traces and workloads of other systems, and what was made of them.

app = new_app()


@app.command()
def import_trace(
    files: Files,
    output: Output = None,
    wanted: Format = None,
    queue_map: QueueMap = None,
    scale_time: ScaleTime = 1.0,
    anonymise: Anonymise = False,
    first: First = None,
    between: Between = None,
    policy: Policy = None,
    nodes: Nodes = None,
    node_size: NodeSize = None,
    container: Container = None,
    split: Split = "128m",
    map_rate: MapRate = 20.0,
    reduce_rate: ReduceRate = 20.0,
    processors: Processors = None,
    as_json: Annotated[bool, typer.Option("--json", help="The report as one JSON object.")] = False,
    force: Force = False,
) -> None:
    """Make a scenario of logs, traces and workloads, and say what was read, inferred and dropped.

    Without -o nothing is written. Exit code 2: a file is no trace, or nothing in it can be played.
    """
    with reported_errors():
        each = 1 if processors is None and nodes is not None else processors
        rules = rules_of(container, split, map_rate, reduce_rate, each, node_size)
        selection = selection_of(first, between, queue_map or (), scale_time, anonymise=anonymise)
        choice = choice_of(policy, nodes, node_size)
        target = target_of(output, force=force)
        report = ImportReport()
        with (
            reading(files) as progressed,
            closing(read_traces(files, report, rules, wanted=wanted, progressed=progressed)) as read,
        ):
            applications = list(selection.of(read, report))
        selection.hide_nodes(report)
        scenario = _proven(_scenario(applications, report, choice, rules, files), report)
        if output is not None:
            _write(scenario, target, report, force=force)
        play_s = play_seconds(scenario)
        document = {**report.document(), "play_seconds": round(play_s, 1)}
        answer = json.dumps(document) + "\n" if as_json else visible_lines(report_lines(report, scenario, play_s))
        typer.echo(answer, nl=False, err=output is not None and target is None)


@contextmanager
def reading(files: Sequence[Path]) -> Iterator[Callable[[int], None]]:
    """A bar of how much of the files has been read; yields what takes the bytes read."""
    size = sum(size_of(path) for pieces in put_together(files) for path in pieces.paths)
    with ProgressBar() as bar:
        yield lambda read: bar.draw(read / size if size else 0.0, f"{read / 1e6:,.0f} MB")


def _scenario(
    applications: Sequence[TraceApplication],
    report: ImportReport,
    choice: ClusterChoice,
    rules: MappingRules,
    files: Sequence[Path],
) -> Scenario:
    name = files[0].name.split(".")[0] or "imported"
    scenario = imported_scenario(applications, report, choice, rules, name=name)
    if not scenario.workload:
        reasons = [f"{count} {reason}" for reason, count in report.dropped.most_common(3)]
        hint = "; ".join(reasons) or "the files hold none"
        raise ConfigError([*report.problems[:10], Problem("no application can be played", str(files[0]), hint=hint)])
    about = [f"Imported from {', '.join(path.name for path in files)}.", *report.sentences()]
    return scenario.model_copy(update={"about": "\n".join(about)})


def _proven(scenario: Scenario, report: ImportReport) -> Scenario:
    """The scenario, with those that can never start noted in the report and in what it says of itself."""
    found = [f"cannot start: {each.sentence()}" for each in unstartable(scenario)]
    for sentence in found:
        report.note(sentence)
    report.can_all_start = not found
    return scenario.model_copy(update={"about": "\n".join([scenario.about, *found])})


def _write(scenario: Scenario, target: Path | None, report: ImportReport, *, force: bool) -> None:
    """Write a scenario to a file (a long workload to another beside it), or to the output."""
    beside = Path("workload.jsonl") if target is None else target.parent / f"{target.stem}.workload.jsonl"
    text, workload = dump_apart(scenario, beside.name)
    if target is None:
        if workload:
            message = f"{len(workload):,} applications are too many for one file"
            raise ConfigError([Problem(message, key="-o", hint="with -o FILE they stand in another beside it")])
        sys.stdout.write(text)
        return
    with ExitStack() as undo:
        if workload:
            write_file(beside, workload_lines(workload), force=force)
            undo.callback(beside.unlink, missing_ok=True)
            report.note(f"the applications are in {beside.name} beside the scenario, which names it (workload_file)")
        write_file(target, [text.encode()], force=force)
        undo.pop_all()
