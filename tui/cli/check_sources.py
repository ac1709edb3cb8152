"""The configuration that a word of `schedlab check` names: of files, a git revision, a cluster, a scenario."""

import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.errors import ConfigError, Problem
from engine.formats.configuration_files import OF_A_FOLDER
from engine.formats.named_problems import NamedProblem
from engine.formats.regular_files import is_there
from engine.formats.scenario_toml import load
from engine.scenario import Scenario
from engine.settings.fair import ALLOCATION_FILE
from engine.settings.site import SCHEDULER_CLASS
from tui.cli.config import configuration_xml
from tui.cli.grammar import Given
from tui.cli.opened import looked_at
from tui.cli.source import LIVE, SCENARIO, NamedSource, source_of

GIT: Final = "git:"
_CLASSES: Final = "org.apache.hadoop.yarn.server.resourcemanager.scheduler"
_SCHEDULERS: Final = {
    "fair": f"{_CLASSES}.fair.FairScheduler",
    "capacity": f"{_CLASSES}.capacity.CapacityScheduler",
    "fifo": f"{_CLASSES}.fifo.FifoScheduler",
}


class HeldConfiguration(NamedTuple):
    """The files of a configuration, which may be copies that go at the end of the call."""

    name: str  # As the user named it
    paths: tuple[Path, ...]
    copies: str = ""  # The folder of the copies; empty where the files are the user's own
    release: str = ""  # The release that it is of, where the source says so
    assumed: tuple[str, ...] = ()  # What the source does not say, in sentences

    def shown(self, problems: Sequence[NamedProblem]) -> tuple[NamedProblem, ...]:
        """Problems with the files named as the user knows them."""
        return tuple(replace(each, problem=self._shown(each.problem)) for each in problems)

    def _shown(self, problem: Problem) -> Problem:
        if not self.copies or not problem.file.startswith(self.copies):
            return problem
        return replace(problem, file=f"{self.name}{problem.file.removeprefix(self.copies)}")


def configuration_at(word: str, same: Sequence[Path], stack: ExitStack, given: Given) -> HeldConfiguration:
    """The configuration that a word names.

    Args:
        word: A folder or file, `git:REF`, a cluster, or a scenario.
        same: The paths of the other configuration; of a git revision those are meant.
        stack: What is copied goes when it ends.
        given: The words of the command.
    """
    path = Path(word)
    if word.startswith(GIT):
        return _of_git(word, same, _folder(stack))
    if is_there(path) and path.suffix != ".toml":
        paths = tuple(path / name for name in OF_A_FOLDER if is_there(path / name)) if path.is_dir() else (path,)
        if not paths:
            hint = ", ".join(OF_A_FOLDER)
            raise ConfigError([Problem("this folder holds no configuration", word, hint=hint)])
        return HeldConfiguration(word, paths)
    source = source_of(word, given)
    if source.kind == LIVE:
        return _of_server(source, given, _folder(stack))
    if source.kind == SCENARIO:
        return of_scenario(load(source.file_name), word, _folder(stack))
    hint = "a folder, git:REF, http://rm1:8088 or a scenario"
    raise ConfigError([Problem(f"{word} states no configuration", key="--against", hint=hint)])


def _folder(stack: ExitStack) -> Path:
    return Path(stack.enter_context(TemporaryDirectory(prefix="schedlab-check-")))


# ---------------------------------------------------------------- git


def _of_git(word: str, same: Sequence[Path], folder: Path) -> HeldConfiguration:
    """The files beside those of the other configuration, as they were at a revision."""
    reference = word.removeprefix(GIT)
    beside = next(iter(same), Path())
    place = beside if beside.is_dir() else beside.parent
    if not reference or reference.startswith("-"):
        raise ConfigError([Problem(f"{word} names no revision", key="--against", hint="git:origin/main")])
    listed = _git(place, "ls-tree", "-z", "--name-only", reference, "./", key=word).decode().split("\0")
    names = [name for name in listed if name.endswith((".xml", ".conf")) or name in OF_A_FOLDER]
    for name in names:
        (folder / name).write_bytes(_git(place, "show", f"{reference}:./{name}", key=word))
    paths = tuple(folder / name for name in OF_A_FOLDER if name in names)
    if not paths:  # files of other names
        wanted = {each.name for each in same if not each.is_dir()}
        paths = tuple(folder / name for name in names if name in wanted)
    if not paths:
        raise ConfigError([Problem(f"{place} has no configuration at {reference}", key="--against")])
    return HeldConfiguration(word, paths, str(folder))


def _git(place: Path, *arguments: str, key: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(place), *arguments], capture_output=True, check=False)
    except OSError:
        raise ConfigError([Problem("git is not installed here", key=key)]) from None
    if done.returncode:
        told = done.stderr.decode(errors="replace").strip().splitlines()
        raise ConfigError([Problem(told[-1] if told else "git refuses", key=key)])
    return done.stdout


# ---------------------------------------------------------------- a cluster, a scenario


def _of_server(source: NamedSource, given: Given, folder: Path) -> HeldConfiguration:
    """What `/conf` of a ResourceManager says of scheduling."""
    name, values = source.name, looked_at(source, given).settings
    if values is None:
        raise ConfigError([Problem(f"{name} is no ResourceManager: it has no /conf", key="--against")])
    has_queues = any(key.startswith("yarn.scheduler.capacity.root.") for key in values)
    words = f"{name} says nothing of its queues: /conf names their file, and does not hold it"
    return HeldConfiguration(name, (_site(folder, values),), str(folder), "", () if has_queues else (words,))


def of_scenario(scenario: Scenario, name: str, folder: Path) -> HeldConfiguration:
    """The configuration that a scenario states, as files of Hadoop in a folder."""
    family = scenario.scheduler.partition("-")[0]
    if family not in _SCHEDULERS:
        raise ConfigError([Problem(f"{scenario.scheduler} is configured in no files of YARN", name, key="--against")])
    values = {key: text for key, text in scenario.settings.items() if not key.startswith("schedlab.")}
    paths = []
    if family == "fair":
        allocation = folder / "fair-scheduler.xml"
        allocation.write_text(scenario.allocations_xml() or "<allocations/>\n", encoding="utf-8")
        values[ALLOCATION_FILE.name] = str(allocation)
        paths.append(allocation)
    site = _site(folder, {SCHEDULER_CLASS.name: _SCHEDULERS[family], **values})
    return HeldConfiguration(name, (site, *paths), str(folder), scenario.era)


def _site(folder: Path, values: Mapping[str, str]) -> Path:
    path = folder / "yarn-site.xml"
    path.write_text(configuration_xml(values), encoding="utf-8")
    return path
