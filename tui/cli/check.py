"""`schedlab check`: lint of configurations, scenarios and drills, and the harm of a change of a configuration."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

from msgspec.structs import replace
from pydantic import BeforeValidator, ValidationError

from engine.compare import ComparisonCandidate, carried_over, compared
from engine.compare.configurations import Harm, change_of, refusals
from engine.compare.harms import (
    JudgedPromise,
    Promise,
    WorkloadEffect,
    accepted,
    effect_of,
    judged,
    judged_on,
    read_promises,
    without_shown,
)
from engine.errors import ConfigError, Problem, Problems, did_you_mean, nearest
from engine.explain.can_start import play_beginnings
from engine.formats.fair_files import ERAS
from engine.formats.file_schema import file_schema
from engine.formats.finding import NodeSizes
from engine.formats.named_problems import KNOWN, NamedProblem, checked
from engine.formats.regular_files import is_there, resolved
from engine.formats.scenario_overrides import override, parse, problems_of
from engine.formats.scenario_references import idle_settings, placed
from engine.formats.scenario_toml import ScenarioFile, find, packaged, read, read_text, scenario_of
from engine.incremental import run_to_end
from engine.run import Run
from engine.scenario import Scenario
from engine.scenario.cluster import ScenarioModel
from engine.settings.capacity_queue import QUEUES
from engine.settings.capacity_scheduler import PREFIX
from engine.training.drill import drill_model, drill_of, find_drill, load_drill, packaged_drills
from engine.training.drill_check import check_drill, check_tactics
from engine.training.exercise import DrillStage
from engine.training.score import ScoreBaselines
from engine.training.variation import check_variations
from engine.units import parse_instant_option, plural
from tui.cli import config
from tui.cli.grammar import Given
from tui.cli.import_ import node_sizes, unstartable
from tui.cli.opened import opened
from tui.cli.output import json_text, targets_of
from tui.cli.play import Progress
from tui.cli.source import CONFIGURATION, DRILL, LIVE, NamedSource, source_of, suitable
from tui.cli.talk import WRONG, announced, note, warn
from tui.cli.verbs import VERBS
from tui.report.change_text import JudgedChange, change_target
from tui.report.check_forms import CHANGE_FORMS, FORMS, CheckedTarget, as_object, row_of, text_lines
from tui.session.definitions import configured

PROJECT: Final = ".schedlab.toml"
WITNESS: Final = "witness"  # The form that is a folder of scenarios, which show what was found
FIRST_MS: Final = 60_000  # Simulated time that a scenario is played at most until the first submission
SCHEMAS: Final[Mapping[str, Callable[[], Any]]] = {"scenario": lambda: Scenario, "drill": drill_model}


# What a project has decided.


class ProjectIgnore(NamedTuple):
    rule: str
    reason: str
    file: str  # Empty for one of the command line
    line: int = 0


class CheckOptions(NamedTuple):
    release: str = ""  # Empty where not stated
    nodes: tuple[NodeSizes, ...] = ()
    ignored: tuple[ProjectIgnore, ...] = ()
    is_strict: bool = False
    against: str = ""
    workloads: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()


Texts = Annotated[tuple[str, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)]


class _Table(ScenarioModel):
    release: str = ""
    nodes: str = ""
    ignore: Texts = ()
    strict: bool = False
    against: str = ""
    workload: Texts = ()
    expect: Texts = ()


class _ProjectFile(ScenarioModel):
    check: _Table = _Table()


def _project_options(beside: Path) -> CheckOptions:
    folder = resolved(beside)
    file = next((each / PROJECT for each in (folder, *folder.parents) if is_there(each / PROJECT)), None)
    if file is None:
        return CheckOptions()
    layers = parse(read_text(file, str(file)), str(file))
    try:
        table = _ProjectFile.model_validate({key: value for key, value in layers.data.items() if key != "about"}).check
    except ValidationError as error:
        raise ConfigError(problems_of(error, layers, _ProjectFile)) from None
    here = file.parent

    def beside_it(name: str) -> str:
        return str(here / name) if name and is_there(here / name) else name

    return CheckOptions(
        table.release and config.release_named(table.release),
        tuple(node_sizes(table.nodes)),
        tuple(_ignored_by(table.ignore, str(file), layers.origin(("check", "ignore")).line)),
        table.strict,
        beside_it(table.against),
        tuple(map(beside_it, table.workload)),
        tuple(map(beside_it, table.expect)),
    )


def _ignored_by(texts: Sequence[str], file: str, line: int) -> list[ProjectIgnore]:
    ignored, problems = [], []
    for text in texts:
        rule, _, reason = (part.strip() for part in text.partition(":"))
        if rule not in KNOWN:
            problems.append(Problem(f"there is no rule {rule}", file, line, "check.ignore", nearest(rule, KNOWN)))
        elif not reason:
            hint = f'"{rule}: why the project wants it so"'
            problems.append(Problem(f"ignores {rule} without a reason", file, line, "check.ignore", hint))
        ignored.append(ProjectIgnore(rule, reason, file, line))
    if problems:
        raise ConfigError(problems)
    return ignored


# What there is to look at.


def _check_configuration(
    name: str, files: Sequence[Path], options: CheckOptions, given: Mapping[str, str]
) -> CheckedTarget:
    rules = [each.rule for each in options.ignored]
    release = options.release or ERAS[0]
    found = checked(name, files, release, given=given, nodes=options.nodes, ignored=rules)
    about = f"read by {found.reader}"
    if found.parts is not None and found.parts.scheduler:
        about += f" ({found.parts.scheduler}), {plural(found.parts.queues, 'queue')}"
    return CheckedTarget(name, "configuration", about, found.problems)


def _check_scenario(name: str, given: Given) -> CheckedTarget:
    with _told() as problems:
        scenario = begun(find(name), given)
        run_to_end(play_beginnings(scenario))
        for each in unstartable(scenario):
            problems.append(NamedProblem("never-starts", "warning", Problem(f"cannot start: {each}", name), ""))
    kept = () if problems else ("read, begun, and every application can start",)
    return CheckedTarget(name, "scenario", "scenario", tuple(problems), kept)


def _check_one_drill(name: str, given: Given) -> CheckedTarget:
    kept = []
    with _told() as problems:
        _ = begun(find_drill(name), given)
        drill, seeds = load_drill(name), given.whole("seeds") or 0
        yardstick = ScoreBaselines(DrillStage(drill))
        for line in chain(check_drill(yardstick), check_tactics(yardstick), check_variations(drill, seeds)):
            if line.ok:
                kept.append(f"{line.what} ({line.detail})" if line.detail else line.what)
            else:
                problem = Problem(line.what, name, hint=line.detail)
                problems.append(NamedProblem("drill", "error", problem, ""))
    return CheckedTarget(name, "drill", f"drill, {plural(len(kept), 'promise')} kept", tuple(problems), tuple(kept))


@contextmanager
def _told() -> Iterator[list[NamedProblem]]:
    problems: list[NamedProblem] = []
    try:
        yield problems
    except ConfigError as error:
        problems += [NamedProblem("scenario", "error", each, "") for each in error.problems]


def begun(file: ScenarioFile, given: Given) -> Scenario:
    """The scenario, or that of a drill, played until the first submission; of a drill `[drill]` is checked, too."""
    layers = read(file, is_trusted=given.is_on("trust"))
    problems = override(layers, given.many("set"))
    scenario = drill_of(layers).scenario if "drill" in layers.data else scenario_of(layers, problems)
    if problems:
        raise ConfigError(problems)
    for each in idle_settings(scenario, layers):
        warn(f"schedlab: {each}")
    with placed(layers):
        run = Run(scenario)
        arrivals = run.simulation.world.ground.arrivals
        run.advance(min(FIRST_MS, arrivals[0].at_ms if arrivals else 0))
    return scenario


def _sources_of(given: Given, problems: Problems) -> dict[str, NamedSource]:
    """Name → source of all words but git revisions, and files and folders that are of a configuration."""
    found = {}
    for name in given.words:
        if not name.startswith(config.GIT) and not _is_configured(name):
            with problems.taken():
                found[name] = suitable(source_of(name, given), "check", given)
    return found


def _is_configured(name: str) -> bool:
    path = Path(name)
    return is_there(path) and (path.is_dir() or path.suffix in (".xml", ".conf"))


def targets(
    given: Given, sources: Mapping[str, NamedSource], options: CheckOptions, properties: Mapping[str, str]
) -> Iterator[CheckedTarget]:
    paths: list[Path] = []
    for name in given.words:
        source = sources.get(name)
        if _is_configured(name):
            paths.append(Path(name))
        elif source is None or source.kind == LIVE:
            with ExitStack() as stack:
                held = config.configuration_at(name, (), stack, given)
                target = _check_configuration(name, held.paths, options, properties)
                yield replace(target, problems=held.shown(target.problems))
        elif source.kind == CONFIGURATION:
            paths += source.paths
        else:
            yield (_check_one_drill if source.kind == DRILL else _check_scenario)(source.file_name, given)
    for name, files in config.configurations(paths):
        yield _check_configuration(name, files, options, properties)


def _unused_ignores(found: Sequence[CheckedTarget], ignored: Sequence[ProjectIgnore]) -> list[NamedProblem]:
    broken = {each.rule for target in found for each in target.problems}
    unused = []
    for each in ignored:
        if each.rule not in broken:
            words, key = f"ignores {each.rule}, and nothing here breaks that rule", "" if each.file else "--ignore"
            unused.append(NamedProblem("ignore", "warning", Problem(words, each.file, each.line, key), "schedlab"))
    return unused


# A change of a configuration.


def changes(given: Given, options: CheckOptions) -> Iterator[CheckedTarget]:
    with ExitStack() as stack:
        paths = [Path(name) for name in given.words if is_there(Path(name)) and Path(name).suffix != ".toml"]
        news = [config.HeldConfiguration(name, tuple(files)) for name, files in config.configurations(paths)]
        news += [config.configuration_at(name, (), stack, given) for name in given.words if Path(name) not in paths]
        if len(news) > 1 and not options.against.startswith(config.GIT):
            words = f"{len(news)} configurations are compared with {options.against}"
            raise ConfigError.of(words, key="--against", hint="name one, or git:REF")
        played = given._replace(values={key: value for key, value in given.values.items() if key in ("trust", "c")})
        workloads = [
            stack.enter_context(opened(source_of(name, given), played, is_whole=True)).as_scenario()
            for name in options.workloads
        ]
        promises = [promise for file in options.expected for promise in read_promises(Path(file))]
        for new in news:
            old = config.configuration_at(options.against, new.paths, stack, given)
            eras = [each.era for each in workloads if each.system == "yarn"]
            release = options.release or new.release or old.release or next(iter(eras), ERAS[0])
            asked = ChangeRequest(new, old, options._replace(release=release), workloads, given.text("until"), promises)
            yield _changed_target(asked)


# The command.


def check(given: Given) -> int:
    given = given.with_words(*chain.from_iterable(map(_names, given.words)))
    if given.is_on("schema"):
        return _write_schema(given)
    if not given.words:
        raise ConfigError.of("PATH is missing", key="check", hint="schedlab check conf/")
    problems, options = Problems(), CheckOptions()
    with problems.taken():
        options = _options(given)
    is_change = bool(options.against) or given.is_on("against")
    sources = _sources_of(given, problems)
    if not is_change and any(given.is_on(name) for name in ("workload", "expect", "until")):
        problems.add("are about a change", key="--workload, --expect, --until", hint="--against OLD")
    known = [each for each in VERBS["check"].forms if is_change or each not in CHANGE_FORMS]
    with problems.taken():
        outputs = targets_of(given, known)
    problems.check()
    if (folder := outputs.file_of(WITNESS)) is not None:
        for _, files in config.configurations([Path(name) for name in given.words]):
            for line in config.witnessed(config.read_configuration(files, given), folder):
                note(line)
    if is_change:
        found = list(changes(given, options))
    else:
        found = list(targets(given, sources, options, config.properties_given(given.many("D"))))
        unused = _unused_ignores(found, options.ignored)
        if unused:
            found.append(CheckedTarget(PROJECT, "project", "", tuple(unused)))
    source = {"kind": found[0].kind, "name": found[0].name, "digest": ""} if len(found) == 1 else None
    forms = {form: partial(write, found) for form, write in FORMS.items()}
    rows = list(map(row_of, found))
    outputs.answer("check/1", lambda: text_lines(found), as_object(found), source, rows=rows, forms=forms)
    is_wrong = any(each.count("error") or (options.is_strict and each.count("warning")) for each in found)
    return WRONG if is_wrong else 0


def _names(word: str) -> Sequence[str]:
    packages = {"drills": packaged_drills, "scenarios": packaged}
    return packages[word]() if word in packages and not is_there(Path(word)) else (word,)


def _write_schema(given: Given) -> int:
    kind = given.text("schema") or ""
    if kind not in SCHEMAS:
        raise ConfigError.of(f"there is no schema {kind}", key="--schema", hint=did_you_mean(kind, list(SCHEMAS)))
    made = partial(json_text, file_schema(SCHEMAS[kind](), kind))
    targets_of(given, ("text", "json")).write({"text": made, "json": made})
    return 0


def _options(given: Given) -> CheckOptions:
    stated = _project_options(Path(given.words[0]))
    release, against = given.text("release"), given.text("against")
    expected = given.many("expect")
    return stated._replace(
        release=stated.release if release is None else config.release_named(release),
        nodes=tuple(config.nodes_given(given)) if given.is_on("nodes") else stated.nodes,
        ignored=(*stated.ignored, *map(_ignored, given.many("ignore"))),
        is_strict=given.is_on("strict") or stated.is_strict,
        against=against or stated.against,
        workloads=given.many("workload") or stated.workloads,
        expected=expected or stated.expected,
    )


def _ignored(rule: str) -> ProjectIgnore:
    if rule not in KNOWN:
        hint = nearest(rule, KNOWN) or "schedlab help config lists them"
        raise ConfigError.of(f"there is no rule {rule}", key="--ignore", hint=hint)
    return ProjectIgnore(rule, "--ignore", "")


# What a change means, and which applications it harms under a workload.


class ChangeRequest(NamedTuple):
    new: config.HeldConfiguration
    old: config.HeldConfiguration
    options: CheckOptions  # With the release of both
    workloads: Sequence[Scenario]
    until: str | None
    promises: Sequence[Promise]


def _changed_target(asked: ChangeRequest) -> CheckedTarget:
    options, ignored = asked.options, [each.rule for each in asked.options.ignored]
    nodes = options.nodes or [size for each in asked.workloads for size in node_sizes_of(each)]
    old, new = (
        checked(held.name, held.paths, held.release or options.release, nodes=nodes, ignored=ignored)
        for held in (asked.old, asked.new)
    )
    new, old = (
        replace(new, problems=asked.new.shown(new.problems)),
        replace(old, problems=asked.old.shown(old.problems)),
    )
    change = change_of(old, new)
    effects: list[WorkloadEffect] = []
    verdicts = list(judged(asked.promises, change.new))
    unplayed: list[str] = [*asked.new.assumed, *asked.old.assumed]
    for workload in asked.workloads:
        played = _played(workload, asked)
        if isinstance(played, str):
            unplayed.append(f"{workload.name} is not played: {played}")
            continue
        effect, scenario = played
        effects.append(effect)
        verdicts += judged_on(asked.promises, effect, scenario)
    alone = without_shown([*refusals(change)], effects)
    harms = accepted([*alone, *(each for effect in effects for each in effect.harms)], asked.promises)
    broken = [each for each in verdicts if not each.is_kept]
    harms = (*harms, *(_broken(each) for each in broken))
    file = str(asked.new.paths[0]) if asked.new.paths and not asked.new.copies else asked.new.name
    return change_target(JudgedChange(change, effects, verdicts, harms, unplayed, options.is_strict), file)


def node_sizes_of(scenario: Scenario) -> list[NodeSizes]:
    counted = Counter((node.memory_mb, node.vcores) for node in scenario.cluster.all_nodes())
    return [NodeSizes(count, *size) for size, count in counted.items()]


def _broken(judged_promise: JudgedPromise) -> Harm:
    promise = judged_promise.promise
    words = f"not as promised at {promise.file}:{promise.line}: {promise.words}; {judged_promise.found}"
    return Harm("promise", words, promise.of("queue"), workload=judged_promise.workload)


# A workload under both.


def _played(workload: Scenario, asked: ChangeRequest) -> tuple[WorkloadEffect, Scenario] | str:
    until_ms = workload.duration_ms
    if asked.until is not None:
        until_ms = min(until_ms, parse_instant_option(asked.until, workload.start, "--until"))
    family, _, era = workload.scheduler.partition("-")
    if era and era != asked.options.release and family in ("fair", "capacity"):
        workload = carried_over(workload, f"{family}-{asked.options.release}").scenario
    workload = _without_own(workload, asked)
    old, _ = configured(workload, asked.old.paths)
    try:
        new, _ = configured(workload, asked.new.paths)
        candidates = [ComparisonCandidate("A", "old", old), ComparisonCandidate("B", "new", new)]
        with Progress(until_ms, workload) as progress:
            comparison = compared(candidates, until_ms, progressed=progress.show)
    except ConfigError as error:
        return error.first_line
    return effect_of(comparison, is_strict=asked.options.is_strict), new


def _without_own(workload: Scenario, asked: ChangeRequest) -> Scenario:
    """The scenario without what either configuration states, which then holds alone, and with no queues but theirs."""
    with announced("reading both configurations"):
        stated: set[str] = set()
        for held in (asked.old, asked.new):
            found = checked(held.name, held.paths, held.release or asked.options.release)
            stated |= set() if found.parts is None else set(found.parts.settings.values)
    has_queues = QUEUES.of("root") in stated
    settings = {
        key: value
        for key, value in workload.settings.items()
        if key not in stated and not (has_queues and key.startswith(PREFIX))
    }
    return workload.model_copy(update={"settings": settings, "expectations": ()})
