"""What SOURCE means, one word in every command: a scenario, a file, a kept run, a log, a live cluster; and opens it."""

import getpass
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import platformdirs

from engine.errors import ConfigError, Problem, Problems, close_matches, nearest
from engine.formats.regular_files import NOWHERE, is_a_file, is_a_folder, is_there, leads_nowhere
from engine.formats.scenario_toml import packaged
from engine.recorded.polls_file import is_polls
from engine.run.run_store import NAME, delete, names
from engine.run.run_writer import RunWriter
from engine.scenario import Scenario
from engine.training.drill import find_drill, packaged_drills
from engine.training.unfinished import recover
from tui.cli.grammar import Given
from tui.cli.options import OPTIONS
from tui.cli.output import Targets, targets_of
from tui.cli.talk import note, warn
from tui.cli.verbs import VERBS
from tui.session.run_saver import wall_time
from tui.settings import NamedCluster, UserSettings, given_by_words, resolve

SCENARIO, DRILL, RUN, POLLS, LOG = "scenario", "drill", "run", "polls", "log"
TRACE, LIVE, CONFIGURATION, SWEEP, CLUSTER, FILE = "trace", "live", "configuration", "sweep", "cluster", "file"
PREFIXES: Final = (SCENARIO, DRILL, RUN, CLUSTER, FILE)
TOML, SQLITE = ".toml", b"SQLite format 3\x00"
CONFIGURATION_NAMES: Final = (
    *("fair-scheduler.xml", "capacity-scheduler.xml", "yarn-site.xml", "mapred-site.xml", "spark-defaults.conf"),
    *("mapred-queues.xml", "spark-env.sh"),
)
HEAD_BYTES: Final = 16_384  # How much of an XML file is looked at for its top element
AUTO: Final = "auto"  # The name of `--keep` that has one made
_ADDRESS: Final = re.compile(r"\w+://\S*|[\w.-]+:\d+(?:/\S*)?|\[[0-9a-fA-F:]+\]:\d+")


class NamedSource(NamedTuple):
    kind: str
    name: str  # As the user wrote it
    paths: tuple[Path, ...] = ()  # Of files
    urls: tuple[str, ...] = ()  # Of a live cluster
    cluster: NamedCluster | None = None  # Where it is one of the settings

    @property
    def file_name(self) -> str:
        return str(self.paths[0]) if self.paths else self.name

    def document(self, digest: str = "") -> dict[str, str]:
        return {"kind": self.kind, "name": self.name, "digest": digest}


def settings_of(given: Given, **flags: str | bool | float | None) -> UserSettings:
    """The settings in force for a command: `-c`, and options of their own under their names."""
    own: dict[str, str | bool | float | None] = dict(given_by_words(given.many("c")))
    for key in ("ascii", "read_only", "paused"):
        own |= {key: True} if given.is_on(key.replace("_", "-")) else {}
    if given.is_on("speed"):
        own["speed"] = given.number("speed")
    return resolve({**flags, **own})


def runs_folder(given: Given) -> Path:
    return settings_of(given).folder("runs_folder") or platformdirs.user_data_path("schedlab") / "runs"


def history_folder(given: Given) -> Path:
    return settings_of(given).folder("history_folder") or platformdirs.user_data_path("schedlab") / "drills"


def recover_in(folder: Path) -> None:
    for words in recover(folder):
        warn(f"schedlab: {words}")


def this_trainee(named: str | None) -> str:
    """Whose history it is: as named, else the user's name."""
    if named is not None:
        return named
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user id without a name
        return "trainee"


def keeper_of(
    given: Given, scenario: Scenario, *, is_first: bool = True, parent: str = "", branched_ms: int = 0
) -> RunWriter:
    """Begins to keep a run under the name of `--keep`, or the first free one where this is not the first.

    `parent` is the run it goes on from; until `branched_ms` [epoch ms] both are alike. `--force` deletes one first.
    """
    name, root = given.text("keep"), runs_folder(given)
    chosen = None if name == AUTO or not is_first else name
    if chosen is not None and chosen != parent and given.is_on("force") and chosen in names(root):
        delete(root, chosen)
    return RunWriter(root, chosen, scenario, created=wall_time(), parent=parent, branched_ms=branched_ms)


def report_kept(kept: Sequence[str], failures: Sequence[str], code: int = 0) -> int:
    """Say under which names runs were kept and what could not be kept to its end; the exit code."""
    for name in kept:
        warn(f"kept as {name}")
    for failure in failures:
        warn(f"schedlab: {failure}")
    return code or (2 if failures else 0)


# What a word means.


def source_of(word: str, given: Given) -> NamedSource:
    if _ADDRESS.fullmatch(word.split(",", maxsplit=1)[0]):
        return NamedSource(LIVE, word, urls=tuple(word.split(",")))
    kind, colon, name = word.partition(":")
    if colon and kind in PREFIXES:
        found = _meanings(name, given, (kind,))
    else:
        name, found = word, _meanings(word, given, PREFIXES)
    if len(found) > 1:
        kinds = list(found)
        words = f"{name} is {' and '.join(f'a {each}' for each in kinds)}"
        hint = " or ".join(f"{each}:{name}" for each in kinds)
        raise ConfigError.of(words, hint=f"write {hint}")
    if not found:
        raise ConfigError([_unknown(name, given)])
    return next(iter(found.values()))


def _meanings(name: str, given: Given, kinds: Sequence[str]) -> dict[str, NamedSource]:
    """Kind → what a name is, of these kinds."""
    found: dict[str, NamedSource] = {}
    is_path = "/" in name or name.endswith(TOML)
    paths = [Path(each) for each in name.split(",")]
    if FILE in kinds and name and (is_path or any(is_there(each) or leads_nowhere(each) for each in paths)):
        found[FILE] = _file(name)
    if is_path:
        return found
    if CLUSTER in kinds and name in (clusters := settings_of(given).clusters):
        found[CLUSTER] = NamedSource(LIVE, name, urls=tuple(clusters[name].url.split(",")), cluster=clusters[name])
    if RUN in kinds and NAME.fullmatch(name) and name in names(root := runs_folder(given)):
        found[RUN] = NamedSource(POLLS if is_polls(root, name) else RUN, name)
    if SCENARIO in kinds and name in packaged():
        found[SCENARIO] = NamedSource(SCENARIO, name)
    if DRILL in kinds and name in packaged_drills():
        found[DRILL] = NamedSource(DRILL, name)
    return found


def _file(name: str) -> NamedSource:
    paths = tuple(Path(each) for each in name.split(",")) if not is_there(Path(name)) else (Path(name),)
    gone = [each for each in paths if not is_there(each)]
    if gone:
        raise ConfigError([_gone(each) for each in gone])
    if len(paths) == 1 and paths[0].suffix == TOML and not is_a_folder(paths[0]):
        text = paths[0].read_bytes() if is_a_file(paths[0]) else b""
        return NamedSource(DRILL if re.search(rb"(?m)^\s*\[drill[\].]", text) else SCENARIO, name, paths)
    return NamedSource(_kind_of_files(paths), name, paths)


def _gone(path: Path) -> Problem:
    if leads_nowhere(path):
        return Problem(NOWHERE, str(path))
    names = [each.name for each in path.parent.iterdir() if is_there(each)] if is_a_folder(path.parent) else []
    return Problem("no such file", str(path), hint=nearest(path.name, names))


def _kind_of_files(paths: Sequence[Path]) -> str:
    from engine.formats.traces.formats import LOGS, trace_format  # noqa: PLC0415 -- only a file pays for the readers

    first = paths[0]
    if first.is_dir():
        inside = sorted(each for each in first.iterdir() if each.is_file())
        if any(each.name in CONFIGURATION_NAMES for each in inside):
            return CONFIGURATION
        return LOG if inside and trace_format(inside[0]) == LOGS else TRACE
    if any(each.name in CONFIGURATION_NAMES or _is_configuration(each) for each in paths):
        return CONFIGURATION
    if is_a_file(first) and _begins(first, SQLITE):
        return SWEEP
    found = trace_format(first) if is_a_file(first) else ""
    if not found and is_a_file(first) and _reads_as_configuration(first):
        return CONFIGURATION
    return LOG if found == LOGS else TRACE


def _is_configuration(path: Path) -> bool:
    if path.suffix != ".xml" or not is_a_file(path):
        return False
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return b"<configuration" in head or b"<allocations" in head


def _reads_as_configuration(path: Path) -> bool:
    from engine.formats.configuration_files import read_file  # noqa: PLC0415 -- only what is no trace pays for it

    try:
        return read_file(path) is not None
    except ConfigError:
        return False


def _begins(path: Path, sign: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(sign)) == sign


def _unknown(name: str, given: Given) -> Problem:
    runs, clusters = names(runs_folder(given)), list(settings_of(given).clusters)
    files = [each.name for each in Path().iterdir()]
    near = close_matches(name, [*packaged(), *packaged_drills(), *runs, *clusters, *files], 3)
    hint = f"did you mean {' or '.join(near)}?" if near else "schedlab get lists scenarios, drills, clusters and runs"
    return Problem(f"there is no scenario, file, kept run or cluster called {name}", hint=hint)


# What a command cannot do with a kind of source, and what to do instead.

_RUNS_NOTHING: Final = (
    "{0} is a configuration and runs nothing: compare SOURCE {0} plays SOURCE with it, check {0} reads it"
)
_HAPPENED: Final = "{0} is what happened, nothing to check or import: get {0} -o x.toml makes a scenario of it"
_RECORDED: Final = "{0} is what happened, nothing to check: import {0} -o x.toml makes a scenario of it"
_FOLLOWS: Final = "watch follows a live cluster; play {0} tells the alerts of this one"
_STANDS: Final = "{0} is a live cluster: get {0} -o now.toml writes how it stands now"
_WHOLE: Final = "{0} is a scenario already"
NO_PAST: Final = "{0} has no past: watch {0} --keep NAME keeps one"
ITSELF: Final = "{0} itself is not changed; open {0} --acts asks before each act"
_OWN_KEYS: Final = "the keys of {0} are its own; --set works on its twin: get {0} -o now.toml"
_SWEPT: Final = "{0} is a kept sweep: tune {0} shows it"

_DRILL_OF_LOG: Final = "{0} is a log: import {0} -o x.toml, then drill new x.toml --at T"
_DRILL_OF_POLLS: Final = "{0} is a live cluster or polls of one: get {0} -o x.toml, then drill new x.toml --at T"
_UNPLAYABLE: Final = {CONFIGURATION: _RUNS_NOTHING, SWEEP: _SWEPT}

UNSUITABLE: Final[Mapping[str, Mapping[str, str]]] = {
    "get": {SWEEP: _SWEPT},
    **dict.fromkeys(("open", "why", "fix", "play", "compare", "serve"), _UNPLAYABLE),
    "drill new": {**_UNPLAYABLE, LOG: _DRILL_OF_LOG, POLLS: _DRILL_OF_POLLS, LIVE: _DRILL_OF_POLLS},
    "tune": {CONFIGURATION: _RUNS_NOTHING},
    "check": {RUN: _HAPPENED, POLLS: _HAPPENED, LOG: _RECORDED, TRACE: _RECORDED, SWEEP: _SWEPT},
    "import": {
        RUN: _HAPPENED,
        POLLS: _HAPPENED,
        LIVE: _STANDS,
        CONFIGURATION: _RUNS_NOTHING,
        SCENARIO: _WHOLE,
        DRILL: _WHOLE,
        SWEEP: _SWEPT,
    },
    "watch": {
        **dict.fromkeys((SCENARIO, DRILL, TRACE, RUN, POLLS, LOG), _FOLLOWS),
        CONFIGURATION: _RUNS_NOTHING,
        SWEEP: _SWEPT,
    },
}  # Verb → kind of source it cannot take → what is said


CALLED: Final = {RUN: "a kept run", POLLS: "kept polls", LIVE: "a live cluster"}
_PLAYED: Final = (SCENARIO, TRACE)  # What a run of its own is begun from
_SETTABLE: Final = (*_PLAYED, LOG, POLLS, LIVE)  # A kept run and a drill have settings of their own
USED_BY: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(("ca", "insecure", "kerberos", "interval", "rm-log"), (LIVE,)),
    "trust": (SCENARIO, DRILL),
    "format": (LOG, TRACE),
    "nodes": (CONFIGURATION, LOG, TRACE),
    "D": (CONFIGURATION,),
    **dict.fromkeys(("at", "speed", "paused"), (*_PLAYED, RUN, LOG, POLLS)),
    "share": (*_PLAYED, RUN, DRILL),
    "keep": (*_PLAYED, RUN, LIVE),
    "output": _PLAYED,
    **dict.fromkeys(("set", "config", "assume"), _SETTABLE),
    "acts": (*_PLAYED, RUN, LIVE, DRILL),
}  # Option → kinds of source that have a use for it; of others it is said to be idle
OF_OPEN: Final = ("at", "speed", "paused", "share", "keep", "output", "set", "config", "assume", "acts")
"""Those of them that only `open` looks at, which refuses them: the screen would not be what was asked for."""
OF_ONE_SOURCE: Final = ("open", "get", "why", "fix", "play", "tune", "serve", "watch", "drill new")


def suitable(source: NamedSource, verb: str, given: Given) -> NamedSource:
    """The source, unless the command can do nothing with it."""
    words = UNSUITABLE.get(verb, {}).get(source.kind)
    if words is None and source.kind == LIVE and given.many("set") and verb in ("open", "watch"):
        words = _OWN_KEYS
    if words == _RECORDED:
        from engine.formats.traces.formats import trace_format  # noqa: PLC0415 -- only what cannot be checked pays for it

        for path in filter(is_a_file, source.paths):
            trace_format(path, is_needed=True)
    if words is not None:
        raise ConfigError.of(words.format(source.name))
    return source


def named_source(given: Given) -> NamedSource:
    """The source that a command's words name, if the command can take it; tells which options it has no use for."""
    source = suitable(source_of(given.words[0], given), given.verb, given)
    called = CALLED.get(source.kind, f"a {source.kind}")
    idle = [option for option, kinds in USED_BY.items() if given.is_on(option) and source.kind not in kinds]
    refused = [option for option in idle if option in OF_OPEN and given.many(option) != ("screen",)]
    if given.verb == "open" and refused:
        words = f"does nothing to {source.name}, which is {called}"
        raise ConfigError([Problem(words, key=f"--{option}") for option in refused])
    for option in idle:
        if option not in OF_OPEN and given.verb in OF_ONE_SOURCE:
            note(f"{OPTIONS[option].flag} is not used: {source.name} is {called}")
    return source


def asked(given: Given, *, only_files: bool = False) -> tuple[NamedSource, Targets]:
    problems = Problems()
    with problems.taken():
        source = named_source(given)
    with problems.taken():
        targets = targets_of(given, only_files=only_files)
    problems.check()
    return source, targets


def also_wrong(given: Given) -> Sequence[Problem]:
    """What is wrong with the source or the drills, and the outputs, of words that are refused for another reason."""
    problems, takes = Problems(), VERBS[given.verb].usage
    if given.words and takes.startswith(("SOURCE", "[SOURCE]", "URL")):
        with problems.taken():
            _ = named_source(given)
    if given.verb in ("drill show", "drill play"):
        for name in given.words:
            with problems.taken():
                _ = find_drill(name)
    with problems.taken():
        _ = targets_of(given)
    return problems.found
