"""`schedlab import FILE…`: a scenario of logs, traces and workloads of other systems, and what was made of them."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import dump_apart, workload_lines
from engine.formats.traces.application import TraceApplication
from engine.formats.traces.read import read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import size_of
from engine.formats.traces.spark_pieces import put_together
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.scenario import Scenario
from tui.commands import new_app
from tui.commands.cli_errors import reported_errors
from tui.commands.import_estimate import play_seconds
from tui.commands.import_options import (
    Anonymise,
    Between,
    Container,
    Files,
    First,
    Format,
    MapRate,
    Nodes,
    NodeSize,
    Output,
    Policy,
    Processors,
    QueueMap,
    ReduceRate,
    ScaleTime,
    Split,
    choice_of,
    rules_of,
    selection_of,
)
from tui.commands.import_starts import unstartable
from tui.commands.import_text import report_lines
from tui.commands.progress import ProgressBar
from tui.commands.scenario_output import target_of
from tui.commands.settings import Force
from tui.saving import write_file
from tui.terminal_edge import visible_lines

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
    """The scenario of the applications."""
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
