"""`schedlab import FILE...`: a scenario of logs, traces and workloads of other systems, and what was made of them."""

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.errors import ConfigError, Problem, Problems, did_you_mean, shortened
from engine.explain.alerts import Alerts
from engine.explain.can_start import NeverStarts, never_starting
from engine.explain.remedy import remedy_sentence
from engine.explain.remedy_report import remedies_report
from engine.explain.remedy_search import RemedySearch
from engine.explain.why_question import WhyQuestion
from engine.formats.finding import NodeSizes
from engine.formats.scenario_toml import changed, dump_apart, workload_lines
from engine.formats.traces.application import MappingRules, TraceApplication
from engine.formats.traces.formats import TracePart, read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.source import size_of
from engine.formats.traces.spark_event_log import put_together
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.incremental import ANSWER_S, Budget, run_to_end
from engine.model.decision import Allocated, ApplicationTransitioned
from engine.run import Run
from engine.run.player import WatchedRun
from engine.scenario import ApplicationSpec, MapReduceSpec, Scenario, ScriptedSpec, SparkSpec, StandaloneSpec, TezSpec
from engine.scenario.scenario import POLICIES
from engine.simulation.records import Record
from engine.sweep.spec import with_nodes, without_nodes
from engine.units import CENTURY_MS, UnitError, parse_duration, parse_memory
from tui.cli.grammar import Given
from tui.cli.output import targets_of
from tui.cli.source import source_of, suitable
from tui.cli.talk import ProgressBar, warn
from tui.report.workload_text import report_lines
from tui.terminal.format import plural
from tui.terminal.saving import write_file

SCHEDULER: Final = "scheduler="  # What sets the scheduler that the workload is made for


def import_files(given: Given) -> None:
    problems, files = Problems(), [Path(each) for each in given.words]
    for each in given.words:
        with problems.taken():
            _ = None if each == "-" else suitable(source_of(each, given), given.verb, given)
    with problems.taken():
        named = tuple("toml" if each == "-" else each for each in given.many("output"))  # `-` alone: to stdout
        targets = targets_of(given._replace(values={**given.values, "output": named}))
    with problems.taken():
        rules, selection, choice = rules_of(given), _selection_of(given), _choice_of(given)
    problems.check()
    report = ImportReport()
    with applications_in(files, report, rules, given) as read:
        applications = list(selection.of(read, report))
    selection.hide_nodes(report)
    scenario = _scenario(applications, report, choice, rules, files)
    nodes, assignments = without_nodes([each for each in given.many("set") if not each.startswith(SCHEDULER)])
    scenario = changed(with_nodes(scenario, nodes) if nodes else scenario, assignments)
    stuck = [f"cannot start: {each}" for each in unstartable(scenario)]
    for sentence in stuck:
        report.note(sentence)
    report.can_all_start = not stuck
    scenario = scenario.model_copy(update={"about": "\n".join([scenario.about, *stuck])})
    for target in targets.found:
        if target.form == "toml":
            _write(scenario, target.file, report, force=targets.force)
    play_s = _play_seconds(scenario)
    source = {"kind": "trace", "name": " ".join(given.words), "digest": scenario.digest()}
    lines = list(report_lines(report, scenario, play_s))
    if targets.on_stdout == "toml":
        for line in lines:
            warn(line)
    own = {**report.document(), "play_seconds": round(play_s, 1)}
    targets.answer("import/1", lambda: lines, own, source)


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
        reasons = report.dropped_words()[:3]
        none = (
            f"the files hold {plural(len(report.nodes), 'node')} and no application"
            if report.nodes
            else "the files hold none"
        )
        hint = "; ".join([*([] if report.applications else [none]), *reasons])
        raise ConfigError([*report.problems[:10], Problem("no application can be played", str(files[0]), hint=hint)])
    about = [f"Imported from {', '.join(path.name for path in files)}.", *report.sentences()]
    return scenario.model_copy(update={"about": "\n".join(about)})


def _write(scenario: Scenario, target: Path | None, report: ImportReport, *, force: bool) -> None:
    beside = Path("workload.jsonl") if target is None else target.parent / f"{target.stem}.workload.jsonl"
    text, workload = dump_apart(scenario, beside.name)
    if target is None:
        if workload:
            message = f"{len(workload):,} applications are too many for one file"
            raise ConfigError.of(message, key="-o", hint="with -o FILE they stand in another beside it")
        sys.stdout.write(text)
        return
    with ExitStack() as undo:
        if workload:
            write_file(beside, workload_lines(workload), force=force)
            undo.callback(beside.unlink, missing_ok=True)
            report.note(f"the applications are in {beside.name} beside the scenario, which names it (workload_file)")
        write_file(target, [text.encode()], force=force)
        undo.pop_all()


# How long it takes to play an imported scenario: its beginning is played for a second.

SECONDS: Final = 1.0  # How long is played [CPU s]
FIRST_MS: Final = 10_000  # Simulated time of the first step; steps grow while they take less than `STEP_S` [CPU s]
STEP_S: Final = 0.05
ENDS: Final = frozenset({"FINISHED", "FAILED", "KILLED"})


class _Counts:
    def __init__(self) -> None:
        self.containers = self.ended = 0

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated):
                self.containers += 1
            elif isinstance(record, ApplicationTransitioned) and record.state in ENDS:
                self.ended += 1


class _Sample(NamedTuple):
    now_ms: int  # How far [ms after the start]
    built_s: float  # CPU time until it could begin
    played_s: float  # CPU time since
    part: float  # Part of the containers that was allocated; 1 where all applications have ended
    is_done: bool


def _play_seconds(scenario: Scenario) -> float:
    """About how long `play` takes here, its alerts with it [CPU s], by what its beginning takes."""
    bare = _beginning(scenario, None, scenario.duration_ms)
    total_s = bare.built_s + bare.played_s / bare.part
    watched = _beginning(scenario, Alerts(), bare.now_ms)
    longer_s = watched.played_s * bare.now_ms / max(1, watched.now_ms) - bare.played_s
    return total_s + max(0.0, longer_s) / bare.part


def _beginning(scenario: Scenario, alerts: Alerts | None, until_ms: int) -> _Sample:
    counts, begin_s = _Counts(), time.process_time()
    run = Run(scenario, [counts] if alerts is None else [counts, alerts], is_judged=False)
    advance = run.advance if alerts is None else WatchedRun(run, alerts.watch).advance
    built_s = last_s = time.process_time()
    step_ms, is_done = FIRST_MS, False
    while not is_done and last_s - built_s < SECONDS and run.now_ms < until_ms:
        advance(min(run.now_ms + step_ms, until_ms))
        now_s = time.process_time()
        step_ms, last_s = step_ms * (2 if now_s - last_s < STEP_S else 1), now_s
        is_done = run.ended or counts.ended == len(scenario.workload)
    wanted = max(1, sum(map(_containers, scenario.workload)))
    part = 1.0 if is_done else counts.containers / wanted or run.now_ms / scenario.duration_ms
    return _Sample(max(1, run.now_ms), built_s - begin_s, last_s - built_s, min(1.0, part), is_done)


def _containers(spec: ApplicationSpec) -> int:
    match spec:
        case MapReduceSpec():
            return 1 + spec.maps + spec.reduces
        case ScriptedSpec():
            return (spec.am is not None) + sum(ask.count for ask in spec.asks)
        case SparkSpec():
            return 1 + max(spec.executors, 1)
        case TezSpec():
            return 1 + max(stage.tasks for dag in spec.dags for stage in dag.stages)
        case StandaloneSpec():
            return spec.executor_limit or 1
        case _:
            return 1


# Which applications of an imported scenario can never start, why, and what to change, in words.

NAMED: Final = 5  # Most kinds that are told of


def unstartable(scenario: Scenario) -> list[str]:
    """Who cannot start under the scenario's scheduler, in sentences, most first; empty proves that each one can."""
    found = sorted(run_to_end(never_starting(scenario)), key=lambda each: -len(each.kind.specs))
    budget, told, rest = Budget(ANSWER_S), list[str](), found[NAMED:]
    for each in found[:NAMED]:
        words = _together(each) or _reason(each, budget)
        told.append(f"{_alike(len(each.kind.specs), each)}: {words}")
    if rest:
        others = _alike(sum(len(each.kind.specs) for each in rest), rest[0])
        told.append(f"{others}: of other sizes, which cannot start either")
    return told


def _alike(count: int, first: NeverStarts) -> str:
    example = f", e.g. {first.kind.sample.name}" if first.kind.sample.name else ""
    return f"{plural(count, 'application')}{example}"


def _reason(each: NeverStarts, budget: Budget) -> str:
    simulation, rows = each.run.simulation, each.run.snapshot().applications(why=False)
    if not rows:
        return _refusal(each.run.scenario)
    why = WhyQuestion(simulation, rows[0].number).answer()
    reason = why.reasons[0].sentence if why.reasons else why.application.diagnostics or why.verdict
    if why.proof is None:
        return reason
    search = RemedySearch(simulation, (rows[0].number,))
    _ = budget.spend(search.advance)
    best = search.found()
    remedies = remedies_report(simulation.control_plane, best).remedies if best is not None else ()
    return f"{reason}; to change: {remedy_sentence(remedies[0].remedy)}" if remedies else reason


def _refusal(scenario: Scenario) -> str:
    alerts = Alerts()
    run = Run(scenario, [alerts])
    run.advance(run.until_ms)
    refused = [each.sentence for each in alerts.look(run.simulation) if each.kind == "refused"]
    return refused[0].partition(" is ")[2] if refused else "not submitted"


def _together(each: NeverStarts) -> str:
    nodes = each.run.scenario.cluster.all_nodes()
    memory_mb, vcores = sum(node.memory_mb for node in nodes), sum(node.vcores for node in nodes)
    *_, wanted_mb, wanted_vcores = each.kind.sizes
    if wanted_mb <= memory_mb and wanted_vcores <= vcores:
        return ""
    return (
        f"needs all its containers at once, {wanted_mb} MB and {plural(wanted_vcores, 'vcore')};"
        f" {plural(len(nodes), 'node')} with {memory_mb} MB and {plural(vcores, 'vcore')}"
    )


# The options of commands that read traces, and what they mean.

RATES: Final = {"map_rate": "map_mb_per_s", "reduce_rate": "reduce_mb_per_s"}
KEYS: Final = ("remaining", "container", "split", *RATES, "processors")
"""What `--assume` may say, `remaining` also of one application."""
NO_NODES: Final = "{!r} does not say how many nodes of which size"


@contextmanager
def reading(files: Sequence[Path]) -> Iterator[Callable[[int], None]]:
    """A bar of how much of the files has been read; yields what takes the bytes read."""
    size = sum(size_of(path) for pieces in put_together(files) for path in pieces.paths)
    with ProgressBar() as bar:
        yield lambda read: bar.draw(read / size if size else 0.0, f"{read / 1e6:,.0f} MB")


@contextmanager
def applications_in(
    files: Sequence[Path], report: ImportReport, rules: MappingRules, given: Given
) -> Iterator[Iterator[TraceApplication]]:
    """The applications of files, while a bar shows how far they are read."""
    with (
        reading(files) as progressed,
        closing(read_traces(files, report, rules, wanted=given.text("format"), progressed=progressed)) as found,
    ):
        yield found


def assumed_by(given: Given) -> dict[str, str]:
    """Values of `--assume KEY=VALUE` by key; of two of one key the last."""
    found: dict[str, str] = {}
    problems = Problems()
    for each in given.many("assume"):
        key, _, value = each.partition("=")
        name = key.partition(".")[0]
        if name not in KEYS or not value:
            hint = f"there is {', '.join(KEYS)}" if name in KEYS else did_you_mean(name, KEYS)
            problems.add(f"{shortened(each)!r} assumes nothing", key="--assume", hint=hint)
        found[key] = value
    problems.check()
    return found


def _selection_of(given: Given) -> TracePart:
    scale = given.number("scale-time")
    return TracePart(
        first=given.whole("first"),
        between_ms=_stretch(given.text("between")),
        queues=_pairs(given.many("queue-map")),
        time_scale=1.0 if scale is None else _positive(scale, "--scale-time"),
        is_anonymous=given.is_on("anonymise"),
    )


def rules_of(given: Given) -> MappingRules:
    """The rules of inference with the numbers of `--assume` and the nodes of `--nodes`."""
    assumed, (nodes, size) = assumed_by(given), nodes_of(given.text("nodes"))
    memory_mb, vcores = _size(assumed.get("container", "1024m,1"), ",")
    rules = MappingRules(container_mb=memory_mb, container_vcores=vcores, processors=1 if nodes is not None else None)
    if "split" in assumed:
        try:
            rules = replace(rules, split_mb=int(_positive(parse_memory(assumed["split"]), "split")))
        except UnitError as error:
            raise ConfigError.of(str(error), key="--assume split") from None
    for key, field in RATES.items():
        if key in assumed:
            rules = replace(rules, **{field: _positive(_number(assumed[key], key), key)})
    if "processors" in assumed:
        rules = replace(rules, processors=int(_positive(_number(assumed["processors"], "processors"), "")))
    return rules if size is None else replace(rules, machine_mb=size[0], machine_vcores=size[1])


def _choice_of(given: Given) -> ClusterChoice:
    policy = next((each.partition("=")[2] for each in given.many("set") if each.startswith(SCHEDULER)), "")
    if policy and policy not in POLICIES:
        hint = did_you_mean(policy, POLICIES)
        raise ConfigError.of(f"there is no scheduler {shortened(policy)}", key="--set", hint=hint)
    nodes, size = nodes_of(given.text("nodes"))
    if size is None:
        return ClusterChoice(policy=policy, nodes=nodes)
    return ClusterChoice(policy=policy, nodes=nodes, node_mb=size[0], node_vcores=size[1], is_size_given=True)


def nodes_of(given: str | None) -> tuple[int | None, tuple[int, int] | None]:
    """A number of nodes, and the memory [MB] and vcores of each: `40`, `40x64g/16`, `x64g/16`."""
    if given is None:
        return None, None
    count, times, size = given.partition("x")
    if (count and not (count.isdecimal() and 0 < int(count) <= 100_000)) or "," in size or (times and not size):
        hint = "40x64g/16; an import makes nodes of one size"
        raise ConfigError.of(NO_NODES.format(shortened(given)), key="--nodes", hint=hint)
    return int(count) if count else None, _size(size, "/") if size else None


def node_sizes(given: str) -> list[NodeSizes]:
    """The nodes that `--nodes` names for a lint.

    >>> node_sizes("40x128g/32")
    [NodeSizes(nodes=40, memory_mb=131072, vcores=32)]
    """
    sizes = []
    for each in filter(str.strip, given.split(",")):
        count, _, size = each.strip().partition("x")
        memory, _, vcores = size.partition("/")
        try:
            found = NodeSizes(int(count), parse_memory(memory), int(vcores or "8"))
        except ValueError:
            found = NodeSizes(0, 0, 0)
        if not all(0 < each < 2**31 for each in found):
            raise ConfigError.of(NO_NODES.format(each), key="--nodes", hint="e.g. 40x128g/32")
        sizes.append(found)
    return sizes


def _size(given: str, between: str) -> tuple[int, int]:
    memory, _, vcores = given.partition(between)
    try:
        size = parse_memory(memory), int(vcores or "1")
    except ValueError:
        size = (0, 0)
    if not (0 < size[0] < 2**31 and 0 < size[1] < 2**31):
        raise ConfigError.of(f"{shortened(given)!r} is not a size", hint=f"e.g. 64g{between}16")
    return size


def _number(given: str, key: str) -> float:
    try:
        return float(given)
    except ValueError:
        raise ConfigError.of(f"{shortened(given)!r} is not a number", key=f"--assume {key}") from None


def _positive(number: float, key: str) -> float:
    if not (math.isfinite(number) and 0 < number < 1e9):
        raise ConfigError.of(f"{number} is not a number above 0", key=key)
    return number


def _pairs(given: Sequence[str]) -> dict[str, str]:
    for each in given:
        if not all(each.partition("=")):
            raise ConfigError.of(f"{shortened(each)!r} is not A=B", key="--queue-map")
    return dict(each.split("=", 1) for each in given)


def _stretch(between: str | None) -> tuple[int, int] | None:
    if between is None:
        return None
    first, dots, last = between.partition("..")
    try:
        begin, end = parse_duration(first), parse_duration(last)
    except UnitError as error:
        raise ConfigError.of(str(error), key="--between", hint="" if dots else "1h..2h") from None
    if not begin < end <= CENTURY_MS:
        raise ConfigError.of("the stretch ends before it begins", key="--between")
    return begin, end
