"""`schedlab import FILE...`: a scenario of logs, traces and workloads of other systems, and what was made of them."""

import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import dump_apart, workload_lines
from engine.formats.traces.application import MappingRules, TraceApplication
from engine.formats.traces.formats import read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.scenario import Scenario
from tui.cli.grammar import Given
from tui.cli.import_play import play_seconds, unstartable
from tui.cli.output import Targets, enveloped, targets_of
from tui.cli.source import source_of, suitable
from tui.cli.talk import warn
from tui.cli.traces import choice_of, reading, rules_of, selection_of
from tui.report.import_text import report_lines
from tui.terminal.edges import visible_lines
from tui.terminal.saving import write_file


def import_files(given: Given) -> None:
    """Make a scenario of traces; without `-o` only what was read, inferred and dropped is told."""
    targets = _targets(given)
    files = [Path(each) for each in given.words]
    for each in given.words:
        if each != "-":
            _ = suitable(source_of(each, given), given.verb, given)
    rules, selection, choice = rules_of(given), selection_of(given), choice_of(given)
    report = ImportReport()
    with (
        reading(files) as progressed,
        closing(read_traces(files, report, rules, wanted=given.text("format"), progressed=progressed)) as read,
    ):
        applications = list(selection.of(read, report))
    selection.hide_nodes(report)
    scenario = _proven(_scenario(applications, report, choice, rules, files), report)
    for target in targets.found:
        if target.form == "toml":
            _write(scenario, target.file, report, force=targets.force)
    play_s = play_seconds(scenario)
    source = {"kind": "trace", "name": " ".join(given.words), "digest": scenario.digest()}
    document = enveloped("import/1", source, {**report.document(), "play_seconds": round(play_s, 1)})
    if targets.on_stdout == "toml":
        for line in report_lines(report, scenario, play_s):
            warn(line)
    targets.write(
        {
            "text": lambda: visible_lines(report_lines(report, scenario, play_s)),
            "json": lambda: json.dumps(document) + "\n",
        }
    )


def _targets(given: Given) -> Targets:
    """What is asked for; `-` alone is the scenario on stdout."""
    named = ["toml" if each == "-" else each for each in given.many("output")]
    return targets_of(given._replace(values={**given.values, "output": tuple(named)}))


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
