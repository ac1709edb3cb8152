"""`schedlab check`: lint of configurations, scenarios and drills, and what a change of a configuration does to whom."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from engine.compare.harms import read_promises
from engine.errors import ConfigError, Problem, did_you_mean, nearest
from engine.explain.can_start import play_beginnings
from engine.formats.configuration_files import OF_A_FOLDER
from engine.formats.fair_files import ERAS
from engine.formats.file_schema import file_schema
from engine.formats.finding import NodeSizes
from engine.formats.named_problems import KNOWN, NamedProblem, checked
from engine.formats.regular_files import is_there
from engine.formats.scenario_overrides import Layers, override, parse
from engine.formats.scenario_references import idle_settings, placed
from engine.formats.scenario_toml import find, packaged, read, read_text, scenario_of
from engine.formats.spark_defaults import NAME as SPARK_DEFAULTS
from engine.incremental import run_to_end
from engine.run import Run
from engine.scenario import Scenario
from engine.training.drill import drill_model, drill_of, find_drill, load_drill, packaged_drills
from engine.training.drill_check import check_drill, check_tactics
from engine.training.variation import check_variations
from engine.units import plural
from tui.cli.check_output import CHANGE_FORMS, FORMS, CheckedTarget
from tui.cli.check_sources import GIT, HeldConfiguration, configuration_at, is_elsewhere
from tui.cli.config import nodes_given, properties_given, read_configuration, release_named, witnessed
from tui.cli.grammar import Given
from tui.cli.import_play import unstartable
from tui.cli.opened import opened
from tui.cli.output import json_text, targets_of
from tui.cli.source import SCENARIO, Source, source_of, suitable
from tui.cli.talk import WRONG, note, warn
from tui.cli.traces import node_sizes
from tui.cli.verbs import VERBS

CONFIGURED: Final = (*OF_A_FOLDER, SPARK_DEFAULTS)  # Names of files by which a folder is a cluster's
PROJECT: Final = ".schedlab.toml"
WITNESS: Final = "witness"  # The form that is a folder of scenarios, which show what was found
FIRST_MS: Final = 60_000  # Simulated time that a scenario is played at most until somebody has submitted
SCHEMAS: Final[Mapping[str, Callable[[], Any]]] = {"scenario": lambda: Scenario, "drill": drill_model}


# ---------------------------------------------------------------- what a project has decided


class ProjectIgnore(NamedTuple):
    """A rule nobody is to be told of."""

    rule: str
    reason: str
    file: str  # Empty for one of the command line
    line: int = 0


class CheckOptions(NamedTuple):
    """What is checked, and how: from the command line, else from the project's file."""

    release: str = ""  # Empty where nobody says
    nodes: tuple[NodeSizes, ...] = ()
    ignored: tuple[ProjectIgnore, ...] = ()
    is_strict: bool = False
    against: str = ""
    workloads: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()


_KEYS: Final[Mapping[str, tuple[type, ...]]] = {
    "release": (str,),
    "nodes": (str,),
    "ignore": (list, str),
    "strict": (bool,),
    "against": (str,),
    "workload": (list, str),
    "expect": (list, str),
}


def project_options(beside: Path) -> CheckOptions:
    """What the nearest `.schedlab.toml` above a path says."""
    folder = beside.resolve()
    file = next((each / PROJECT for each in (folder, *folder.parents) if (each / PROJECT).is_file()), None)
    if file is None:
        return CheckOptions()
    layers = parse(read_text(file, str(file)), str(file))
    table = layers.data.get("check", {})
    problems = [_unknown(layers, (key,), key, ("check",)) for key in layers.data if key != "check"]
    if not isinstance(table, dict):
        raise ConfigError([Problem("is not a table", str(file), layers.origin(("check",)).line, "check")])
    for key, value in table.items():
        if key not in _KEYS:
            problems.append(_unknown(layers, ("check", key), f"check.{key}", _KEYS))
        elif not isinstance(value, _KEYS[key]):
            kind = {str: "a text", bool: "true or false", list: "a list of texts"}[_KEYS[key][0]]
            problems.append(Problem(f"is not {kind}", str(file), layers.origin(("check", key)).line, f"check.{key}"))
    if problems:
        raise ConfigError(problems)
    return _options_of(table, layers, file)


def _unknown(layers: Layers, path: tuple[str, ...], key: str, known: Sequence[str] | Mapping[str, object]) -> Problem:
    file, line = layers.origin(path)
    return Problem("unknown key", file, line, key, nearest(path[-1], known) or f"there is {', '.join(known)}")


def _options_of(table: Mapping[str, object], layers: Layers, file: Path) -> CheckOptions:
    line = layers.origin(("check", "ignore")).line
    ignored, problems = [], []
    for text in _texts(table.get("ignore", ())):
        rule, _, reason = (part.strip() for part in text.partition(":"))
        if rule not in KNOWN:
            problems.append(Problem(f"there is no rule {rule}", str(file), line, "check.ignore", nearest(rule, KNOWN)))
        elif not reason:
            hint = f'"{rule}: why the project wants it so"'
            problems.append(Problem(f"ignores {rule} without a reason", str(file), line, "check.ignore", hint))
        ignored.append(ProjectIgnore(rule, reason, str(file), line))
    if problems:
        raise ConfigError(problems)
    here = file.parent

    def beside(name: str) -> str:
        return str(here / name) if is_there(here / name) else name

    return CheckOptions(
        release_named(str(table["release"])) if "release" in table else "",
        tuple(node_sizes(str(table.get("nodes", "")))),
        tuple(ignored),
        table.get("strict") is True,
        beside(str(table["against"])) if "against" in table else "",
        tuple(map(beside, _texts(table.get("workload", ())))),
        tuple(map(beside, _texts(table.get("expect", ())))),
    )


def _texts(value: object) -> list[str]:
    return [value] if isinstance(value, str) else [str(each) for each in value] if isinstance(value, list) else []


# ---------------------------------------------------------------- what there is to look at


def configurations(given: Sequence[Path]) -> Iterator[tuple[str, list[Path]]]:
    """The clusters of paths: name and files of each.

    A folder is a cluster where it has files of the names that Hadoop reads, else each of its XML files is one, and so
    for the folders in it. A file of such a name stands for its folder, others that are named together for one cluster.
    """
    others: dict[Path, list[Path]] = {}
    folders: dict[Path, None] = {}
    for path in given:
        if not is_there(path):
            raise ConfigError([Problem("no such file", str(path))])
        if path.is_dir():
            found = list(_clusters_in(path))
            if not found:
                hint = ", ".join(CONFIGURED)
                raise ConfigError([Problem("this folder holds no configuration", str(path), hint=hint)])
            folders |= dict.fromkeys(found)
        elif path.name in CONFIGURED:
            folders[path.parent] = None
        else:
            others.setdefault(path.parent, []).append(path)
    for folder in folders:
        inside = [folder / name for name in CONFIGURED if is_there(folder / name)] if folder.is_dir() else [folder]
        yield str(folder), inside
    for folder, files in others.items():
        yield str(files[0] if len(files) == 1 else folder), files


def _clusters_in(folder: Path) -> Iterator[Path]:
    for each in [folder, *sorted(one for one in folder.rglob("*") if one.is_dir() and ".git" not in one.parts)]:
        named = [each / name for name in CONFIGURED if is_there(each / name)]
        yield from [each] if named else sorted(one for one in each.glob("*.xml") if not one.is_dir())


def check_configuration(
    name: str, files: Sequence[Path], options: CheckOptions, given: Mapping[str, str]
) -> CheckedTarget:
    """The files of one cluster."""
    rules = [each.rule for each in options.ignored]
    release = options.release or ERAS[0]
    found = checked(name, files, release, given=given, nodes=options.nodes, ignored=rules)
    about = f"read by {'Spark' if all(file.name == SPARK_DEFAULTS for file in files) else f'Hadoop {release}'}"
    if found.parts is not None and found.parts.scheduler:
        about += f" ({found.parts.scheduler}), {plural(found.parts.queues, 'queue')}"
    return CheckedTarget(name, "configuration", about, found.problems)


def check_scenario(name: str, given: Given) -> CheckedTarget:
    """A scenario: read, its references followed, one application of each kind played alone."""
    problems = []
    try:
        scenario = begun(name, given.many("set"), is_trusted=given.is_on("trust"))
        run_to_end(play_beginnings(scenario))
        for each in unstartable(scenario):
            problem = Problem(f"cannot start: {each.sentence()}", name)
            problems.append(NamedProblem("never-starts", "warning", problem, ""))
    except ConfigError as error:
        problems += [NamedProblem("scenario", "error", each, "") for each in error.problems]
    kept = () if problems else ("read, begun, and every application can start",)
    return CheckedTarget(name, "scenario", "scenario", tuple(problems), kept)


def begun(name: str, assignments: Sequence[str], *, is_trusted: bool) -> Scenario:
    """The scenario, or that of a drill, played until somebody has submitted; of a drill `[drill]` is checked, too."""
    layers = read(find_drill(name) if name in packaged_drills() else find(name), is_trusted=is_trusted)
    problems = override(layers, assignments)
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


def check_one_drill(name: str, given: Given) -> CheckedTarget:
    """A drill: unsolved idle and by blunt tactics, solved by its reference; so are its variations."""
    problems, kept = [], []
    try:
        _ = begun(name, given.many("set"), is_trusted=given.is_on("trust"))
        drill, seeds = load_drill(name), given.whole("seeds") or 0
        for line in chain(check_drill(drill), check_tactics(drill), check_variations(drill, seeds)):
            if line.ok:
                kept.append(f"{line.what} ({line.detail})" if line.detail else line.what)
            else:
                problem = Problem(line.what, name, hint=line.detail)
                problems.append(NamedProblem("drill", "error", problem, ""))
    except ConfigError as error:
        problems += [NamedProblem("scenario", "error", each, "") for each in error.problems]
    return CheckedTarget(name, "drill", f"drill, {plural(len(kept), 'promise')} kept", tuple(problems), tuple(kept))


def _is_drill(path: Path) -> bool:
    try:
        return "drill" in parse(read_text(path, str(path)), str(path)).data
    except ConfigError:
        return False


def targets(given: Given, options: CheckOptions, properties: Mapping[str, str]) -> Iterator[CheckedTarget]:
    """Everything that is named, looked at one after another."""
    paths: list[Path] = []
    for name in given.words:
        path = Path(name)
        if name in packaged_drills() or (path.suffix == ".toml" and is_there(path) and _is_drill(path)):
            yield check_one_drill(name, given)
        elif name in packaged() or path.suffix == ".toml":
            yield check_scenario(name, given)
        elif is_there(path):
            if not path.is_dir() and path.suffix not in (".xml", ".conf"):
                _ = suitable(source_of(name, given), "check", given)
            paths.append(path)
        elif is_elsewhere(name):
            with ExitStack() as stack:
                held = configuration_at(name, (), stack)
                target = check_configuration(name, held.paths, options, properties)
                yield replace(target, problems=held.shown(target.problems))
        else:
            yield from _named(suitable(source_of(name, given), "check", given), given, options, properties)
    for name, files in configurations(paths):
        yield check_configuration(name, files, options, properties)


def _named(
    source: Source, given: Given, options: CheckOptions, properties: Mapping[str, str]
) -> Iterator[CheckedTarget]:
    """What a name of the settings, or one with its kind before it, means."""
    if source.urls:
        yield from targets(given.with_words(",".join(source.urls)), options, properties)
    elif source.kind == SCENARIO:
        yield check_scenario(source.name.partition(":")[2] or source.name, given)
    else:
        yield from targets(given.with_words(*map(str, source.paths or (source.name,))), options, properties)


def unused_ignores(found: Sequence[CheckedTarget], ignored: Sequence[ProjectIgnore]) -> list[NamedProblem]:
    """A warning for each rule that a project ignores and nothing breaks."""
    broken = {each.rule for target in found for each in target.problems}
    return [
        NamedProblem(
            "ignore",
            "warning",
            Problem(f"ignores {each.rule}, and there is none", each.file, each.line, "" if each.file else "--ignore"),
            "schedlab",
        )
        for each in ignored
        if each.rule not in broken
    ]


# ---------------------------------------------------------------- a change


def changes(given: Given, options: CheckOptions) -> Iterator[CheckedTarget]:
    """What each configuration that is named changes against `--against`."""
    from tui.cli.check_change import ChangeRequest, changed_target  # noqa: PLC0415 -- only a change pays for playing

    with ExitStack() as stack:
        paths = [Path(name) for name in given.words if is_there(Path(name)) and Path(name).suffix != ".toml"]
        news = [HeldConfiguration(name, tuple(files)) for name, files in configurations(paths)]
        news += [configuration_at(name, (), stack) for name in given.words if Path(name) not in paths]
        if len(news) > 1 and not options.against.startswith(GIT):
            words = f"{len(news)} configurations are compared with {options.against}"
            raise ConfigError([Problem(words, key="--against", hint="name one, or git:REF")])
        played = given._replace(values={key: value for key, value in given.values.items() if key in ("trust", "c")})
        workloads = [
            stack.enter_context(opened(source_of(name, given), played, is_whole=True)).as_scenario()
            for name in options.workloads
        ]
        promises = [promise for file in options.expected for promise in read_promises(Path(file))]
        for new in news:
            old = configuration_at(options.against, new.paths, stack)
            eras = [each.era for each in workloads if each.system == "yarn"]
            release = options.release or new.release or old.release or next(iter(eras), ERAS[0])
            rules = [each.rule for each in options.ignored]
            yield changed_target(
                ChangeRequest(
                    new, old, release, options.nodes, rules, workloads, given.text("until"), promises, options.is_strict
                )
            )


# ---------------------------------------------------------------- the command


def check(given: Given) -> int:
    """Check everything that is named, or what a change of it does; the exit code.

    Files of one folder are one cluster's.
    """
    given = given.with_words(*chain.from_iterable(map(_names, given.words)))
    if given.is_on("schema"):
        return _write_schema(given)
    if not given.words:
        raise ConfigError([Problem("PATH is missing", key="check", hint="schedlab check conf/")])
    options = _options(given)
    is_change = bool(options.against)
    if not is_change and any(given.is_on(name) for name in ("workload", "expect", "until")):
        raise ConfigError([Problem("are about a change", key="--workload, --expect, --until", hint="--against OLD")])
    known = [each for each in VERBS["check"].forms if is_change or each not in CHANGE_FORMS]
    outputs = targets_of(given, known)
    if (folder := outputs.file_of(WITNESS)) is not None:
        for _, files in configurations([Path(name) for name in given.words]):
            for line in witnessed(read_configuration(files, given), folder):
                note(line)
    if is_change:
        found = list(changes(given, options))
    else:
        found = list(targets(given, options, properties_given(given.many("D"))))
        unused = unused_ignores(found, options.ignored)
        if unused:
            found.append(CheckedTarget(PROJECT, "project", "", tuple(unused)))
    outputs.write({form: partial(FORMS[form], found) for form in known if form != WITNESS})
    is_wrong = any(each.count("error") or (options.is_strict and each.count("warning")) for each in found)
    return WRONG if is_wrong else 0


def _names(word: str) -> Sequence[str]:
    """A word, or all that `drills` and `scenarios` stand for where there is no such path."""
    packages = {"drills": packaged_drills, "scenarios": packaged}
    return packages[word]() if word in packages and not is_there(Path(word)) else (word,)


def _write_schema(given: Given) -> int:
    kind = given.text("schema") or ""
    if kind not in SCHEMAS:
        raise ConfigError(
            [Problem(f"there is no schema {kind}", key="--schema", hint=did_you_mean(kind, list(SCHEMAS)))]
        )
    made = partial(json_text, file_schema(SCHEMAS[kind](), kind))
    targets_of(given, ("text", "json")).write({"text": made, "json": made})
    return 0


def _options(given: Given) -> CheckOptions:
    stated = project_options(Path(given.words[0]))
    release, against = given.text("release"), given.text("against")
    expected = given.many("expect")
    return stated._replace(
        release=stated.release if release is None else release_named(release),
        nodes=tuple(nodes_given(given)) if given.is_on("nodes") else stated.nodes,
        ignored=(*stated.ignored, *map(_ignored, given.many("ignore"))),
        is_strict=given.is_on("strict") or stated.is_strict,
        against=against or stated.against,
        workloads=given.many("workload") or stated.workloads,
        expected=expected or stated.expected,
    )


def _ignored(rule: str) -> ProjectIgnore:
    if rule not in KNOWN:
        hint = nearest(rule, KNOWN) or "schedlab check -o json names the rules of what it found"
        raise ConfigError([Problem(f"there is no rule {rule}", key="--ignore", hint=hint)])
    return ProjectIgnore(rule, "--ignore", "")
