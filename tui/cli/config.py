"""Configurations as a source: files, a git revision, what a server or a scenario states; and what they mean."""

import gc
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

import msgspec
from msgspec.structs import replace

from engine.errors import ConfigError, Problem
from engine.formats.cluster_lint import witness_of
from engine.formats.configuration_files import OF_A_FOLDER, ConfigurationListing, read_files
from engine.formats.fair_files import ERAS
from engine.formats.finding import NodeSizes
from engine.formats.named_problems import NamedProblem
from engine.formats.regular_files import is_a_folder, is_there
from engine.formats.scenario_toml import load, loads
from engine.run import play
from engine.scenario import Scenario
from engine.settings.site import SCHEDULER_CLASS, SCHEDULER_CLASSES
from tui.cli.grammar import Given
from tui.cli.import_ import node_sizes
from tui.cli.opened import GetQuestion, looked_at, opened, series_of
from tui.cli.output import enveloped, json_text
from tui.cli.source import CONFIGURATION, LIVE, SCENARIO, NamedSource, source_of
from tui.cli.talk import NOT_ANSWERED
from tui.report.configuration_text import described
from tui.terminal.saving import write_file

_SIZES: Final = re.compile(r"\d+x\d")


def get_settings(asked: GetQuestion) -> None:
    source, given, targets = asked.source, asked.given, asked.targets
    if source.kind == CONFIGURATION:
        try:
            listing = read_configuration(source.paths, given)
        except ConfigError as error:
            if targets.on_stdout != "json":
                raise
            refused = {"era": release_of(given), "refused": error.problems}
            document = enveloped("settings/1", source.document(), refused)
            sys.stdout.write(json_text(msgspec.to_builtins(document)))
            raise SystemExit(NOT_ANSWERED) from None
        own, lines = msgspec.to_builtins(listing), described(listing)
        settings: Mapping[str, str] = {each.name: each.text for each in listing.settings if each.origin != "default"}
    else:
        settings = _settings_of(source, given)
        own, lines = {"settings": settings}, [f"{key} = {value}" for key, value in settings.items()]
    forms = {"xml": lambda: f'<?xml version="1.0"?>\n{_configuration_xml(settings)}'}
    targets.answer("settings/1", lambda: lines, own, source.document(), forms=forms)


def read_configuration(paths: Sequence[Path], given: Given) -> ConfigurationListing:
    properties, sizes = properties_given(given.many("D")), nodes_given(given)
    gc.disable()  # what reading makes stays until the end
    try:
        return read_files(list(paths), release_of(given), given=properties, nodes=sizes)
    finally:
        gc.enable()


def release_of(given: Given) -> str:
    return release_named(given.text("release") or ERAS[0])


def release_named(text: str) -> str:
    """The release, as `3.4` or as `3.4.1`."""
    found = next((each for each in ERAS if text == each or text.startswith(f"{each}.")), None)
    if found is None:
        raise ConfigError.of(f"there is no release {text}", key="--release", hint=f"there is {', '.join(ERAS)}")
    return found


def _settings_of(source: NamedSource, given: Given) -> Mapping[str, str]:
    if source.kind == LIVE:
        return looked_at(source, given).settings or {}
    if series_of(source, given) is not None:
        raise ConfigError.of(f"{source.name} does not say its settings", hint="get conf/ settings reads files")
    with opened(source, given) as run:
        return dict(sorted(run.scenario.settings.items()))


def properties_given(given: Sequence[str]) -> dict[str, str]:
    """Values of `-D NAME=VALUE` by name; of two of one name the last."""
    for each in given:
        if not each.partition("=")[0] or "=" not in each:
            raise ConfigError.of(f"{each!r} is not NAME=VALUE", key="-D", hint="e.g. -D user.name=yarn")
    return {name: value for name, _, value in (each.partition("=") for each in given)}


def nodes_given(given: Given) -> list[NodeSizes]:
    """The nodes that `--nodes` names: sizes, or a running cluster, a log or kept polls that tell them."""
    text = given.text("nodes") or ""
    if not text or _SIZES.match(text):
        return node_sizes(text)
    try:
        source = source_of(text, given)
    except ConfigError:
        return node_sizes(text)
    sizes: dict[tuple[int, int], int] = {}
    for node in looked_at(source, given).snapshot.nodes():
        memory_mb, vcores = node.total[:2]
        if memory_mb and vcores:
            sizes[memory_mb, vcores] = sizes.get((memory_mb, vcores), 0) + 1
    if not sizes:
        raise ConfigError.of("reports no node sizes", text, key="--nodes", hint="e.g. 40x128g/32")
    return [NodeSizes(count, *size) for size, count in sizes.items()]


def witnessed(listing: ConfigurationListing, folder: Path) -> Iterator[str]:
    """A line for each finding: the files that show it and what came of playing them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError.of("cannot be made a folder", str(folder), hint=str(error.strerror)) from None
    scheduler = f"{'fair' if listing.allocation is not None else 'capacity'}-{listing.era}"
    for rule, finding in {each.rule: each for each in listing.findings}.items():
        found = witness_of(finding, scheduler)
        if found is None:
            yield f"no example scenario for {rule}: it makes no application wait"
            continue
        if not all(play(loads(text)).ok for text in found):
            yield f"no example scenario for {rule}: the smallest does not show it with these values"
            continue
        paths = folder / f"{rule}.toml", folder / f"{rule}-mended.toml"
        for path, text in zip(paths, found, strict=True):
            write_file(path, [text.encode()])
        yield f"{paths[0]}: simulated, the application gets nothing; {paths[1]}: with the fix it starts"


def _configuration_xml(values: Mapping[str, str]) -> str:
    rows = [
        f"  <property><name>{escape(key)}</name><value>{escape(text)}</value></property>"
        for key, text in values.items()
    ]
    return "\n".join(["<configuration>", *rows, "</configuration>", ""])


def configurations(given: Sequence[Path]) -> Iterator[tuple[str, list[Path]]]:
    """The clusters of paths: name and files of each.

    A folder is a cluster where it has files of the names that Hadoop reads, else each of its XML files is one, and so
    for the folders in it. A file of such a name stands for its folder, others that are named together for one cluster.
    """
    others: dict[Path, list[Path]] = {}
    folders: dict[Path, None] = {}
    for path in given:
        if not is_there(path):
            raise ConfigError.of("no such file", str(path))
        if path.is_dir():
            found = list(_clusters_in(path))
            if not found:
                raise ConfigError.of("this folder holds no configuration", str(path), hint=", ".join(OF_A_FOLDER))
            folders |= dict.fromkeys(found)
        elif path.name in OF_A_FOLDER:
            folders[path.parent] = None
        else:
            others.setdefault(path.parent, []).append(path)
    for folder in folders:
        inside = [folder / name for name in OF_A_FOLDER if is_there(folder / name)] if is_a_folder(folder) else [folder]
        yield str(folder), inside
    for folder, files in others.items():
        yield str(files[0] if len(files) == 1 else folder), files


def _clusters_in(folder: Path) -> Iterator[Path]:
    for each in [folder, *sorted(one for one in folder.rglob("*") if one.is_dir() and ".git" not in one.parts)]:
        named = [each / name for name in OF_A_FOLDER if is_there(each / name)]
        yield from [each] if named else sorted(one for one in each.glob("*.xml") if not one.is_dir())


# The configuration that a word of `schedlab check` names: of files, a git revision, a cluster, a scenario.

GIT: Final = "git:"


class HeldConfiguration(NamedTuple):
    """The files of a configuration, which may be copies that go at the end of the call."""

    name: str  # As the user named it
    paths: tuple[Path, ...]
    copies: str = ""  # The folder of the copies; empty where the files are the user's own
    release: str = ""  # The release that it is of, where the source says so
    assumed: tuple[str, ...] = ()  # What the source does not say, in sentences

    def shown(self, problems: Sequence[NamedProblem]) -> tuple[NamedProblem, ...]:
        return tuple(replace(each, problem=self._shown(each.problem)) for each in problems)

    def _shown(self, problem: Problem) -> Problem:
        if not self.copies or not problem.file.startswith(self.copies):
            return problem
        return replace(problem, file=f"{self.name}{problem.file.removeprefix(self.copies)}")


def configuration_at(word: str, same: Sequence[Path], stack: ExitStack, given: Given) -> HeldConfiguration:
    """The configuration that a word names: a folder, a file, `git:REF` of the `same` paths, a cluster, a scenario."""
    path = Path(word)
    if word.startswith(GIT):
        return _of_git(word, same, _folder(stack))
    if is_there(path) and path.suffix != ".toml":
        paths = tuple(path / name for name in OF_A_FOLDER if is_there(path / name)) if path.is_dir() else (path,)
        if not paths:
            raise ConfigError.of("this folder holds no configuration", word, hint=", ".join(OF_A_FOLDER))
        return HeldConfiguration(word, paths)
    source = source_of(word, given)
    if source.kind == LIVE:
        return _of_server(source, given, _folder(stack))
    if source.kind == SCENARIO:
        return of_scenario(load(source.file_name), word, _folder(stack))
    hint = "a folder, git:REF, http://rm1:8088 or a scenario"
    raise ConfigError.of(f"{word} states no configuration", key="--against", hint=hint)


def _folder(stack: ExitStack) -> Path:
    return Path(stack.enter_context(TemporaryDirectory(prefix="schedlab-check-")))


# A git revision.


def _of_git(word: str, same: Sequence[Path], folder: Path) -> HeldConfiguration:
    reference = word.removeprefix(GIT)
    beside = next(iter(same), Path())
    place = beside if beside.is_dir() else beside.parent
    if not reference or reference.startswith("-"):
        raise ConfigError.of(f"{word} names no revision", key="--against", hint="git:origin/main")
    listed = _git(place, "ls-tree", "-z", "--name-only", reference, "./", key=word).decode().split("\0")
    names = [name for name in listed if name.endswith((".xml", ".conf")) or name in OF_A_FOLDER]
    for name in names:
        (folder / name).write_bytes(_git(place, "show", f"{reference}:./{name}", key=word))
    paths = tuple(folder / name for name in OF_A_FOLDER if name in names)
    if not paths:  # files of other names
        wanted = {each.name for each in same if not each.is_dir()}
        paths = tuple(folder / name for name in names if name in wanted)
    if not paths:
        raise ConfigError.of(f"{place} has no configuration at {reference}", key="--against")
    return HeldConfiguration(word, paths, str(folder))


def _git(place: Path, *arguments: str, key: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(place), *arguments], capture_output=True, check=False)
    except OSError:
        raise ConfigError.of("git is not installed here", key=key) from None
    if done.returncode:
        told = done.stderr.decode(errors="replace").strip().splitlines()
        raise ConfigError.of(told[-1] if told else "git refuses", key=key)
    return done.stdout


# A cluster, a scenario.


def _of_server(source: NamedSource, given: Given, folder: Path) -> HeldConfiguration:
    name, values = source.name, looked_at(source, given).settings
    if values is None:
        raise ConfigError.of(f"{name} is no ResourceManager: it has no /conf", key="--against")
    has_queues = any(key.startswith("yarn.scheduler.capacity.root.") for key in values)
    words = f"{name} says nothing of its queues: /conf names their file, and does not hold it"
    return HeldConfiguration(name, (_site(folder, values),), str(folder), "", () if has_queues else (words,))


def of_scenario(scenario: Scenario, name: str, folder: Path) -> HeldConfiguration:
    if scenario.family not in SCHEDULER_CLASSES:
        raise ConfigError.of(f"{scenario.scheduler} is configured in no files of YARN", name, key="--against")
    values = {key: text for key, text in scenario.settings.items() if not key.startswith("schedlab.")}
    paths = []
    if scenario.family == "fair":
        allocation = folder / "fair-scheduler.xml"
        allocation.write_text(scenario.allocations_xml() or "<allocations/>\n", encoding="utf-8")
        paths.append(allocation)
    site = _site(folder, {SCHEDULER_CLASS.name: SCHEDULER_CLASSES[scenario.family], **values})
    return HeldConfiguration(name, (site, *paths), str(folder), scenario.era)


def _site(folder: Path, values: Mapping[str, str]) -> Path:
    path = folder / "yarn-site.xml"
    path.write_text(_configuration_xml(values), encoding="utf-8")
    return path
