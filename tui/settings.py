"""The settings of a user: one table, and the origin of each value in force.

A flag goes before an environment variable, that before the file, that before the default. `NO_COLOR` counts as an
environment variable for `theme`, after `SCHEDLAB_THEME`. The file is TOML: settings at its top or, where a name has a
point, in tables; a user's own keys in its table `keys`, clusters by name in tables `cluster.NAME`. Every problem is
found before any is reported.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import isinf
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import platformdirs

from engine.errors import ConfigError, Problem, Problems, close_matches, nearest, quoted, shortened
from engine.formats.regular_files import is_there, read_file_text
from engine.formats.scenario_overrides import Layers, parse
from tui.actions import ACTIONS, Action
from tui.keymap import clashing, key_name, rebound
from tui.terminal.palettes import PALETTES

PREFIX: Final = "SCHEDLAB_"  # What the environment variables of settings begin with
FILE_VARIABLE: Final = "SCHEDLAB_SETTINGS"  # The environment variable that names the file
OLD_VARIABLE: Final = "SCHEDLAB_CONFIG"  # Its former name
CLUSTER: Final = "cluster"  # The table of the file with clusters by name
OLD_KEYS: Final = {"runs": "runs_folder"}  # Former name of a setting → its name
OWN_FLAGS: Final = frozenset({"ascii", "read_only", "paused", "speed"})  # Settings that have an option of their own
KEYS: Final = "keys"  # The table of the file with a user's own keys

BETWEEN_RULES: Final = ";"  # What stands between rules of alarms that are one text

ALWAYS, LOSS, NEVER = "always", "loss", "never"
CONFIRM: Final = (ALWAYS, LOSS, NEVER)  # Every act asks, those that lose something, none


def asks(confirm: str, *, loses: bool) -> bool:
    """Tell whether an act asks first.

    >>> [asks(confirm, loses=False) for confirm in CONFIRM], [asks(confirm, loses=True) for confirm in CONFIRM]
    ([True, False, False], [True, True, False])
    """
    return confirm == ALWAYS or (confirm == LOSS and loses)


_YES: Final = frozenset({"1", "true", "yes", "on"})
_NO: Final = frozenset({"0", "false", "no", "off"})

Given = str | bool | int | float  # What a flag, a variable or the file may say


class WrongValueError(ValueError):
    """A value a setting does not take; `hint` is a way out."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def _one_of(names: Collection[str], refusal: str) -> Callable[[object], Given]:
    def read(given: object) -> Given:
        if isinstance(given, str) and given in names:
            return given
        hint = nearest(str(given), names) if isinstance(given, str) else ""
        raise WrongValueError(refusal.format(shortened(str(given))), hint or f"there is {', '.join(names)}")

    return read


def _switch(given: object) -> bool:
    if isinstance(given, bool):
        return given
    if isinstance(given, str) and given.lower() in _YES | _NO:
        return given.lower() in _YES
    raise WrongValueError(f"{quoted(given)} is neither true nor false")


def _speed(given: object) -> float:
    try:
        speed = -1.0 if isinstance(given, bool) else float(str(given))
    except ValueError:
        speed = -1.0
    if speed >= 0:
        return 0.0 if isinf(speed) else speed
    raise WrongValueError(f"{quoted(given)} is not a speed", "a number from 0, and 0 is flat out")


def _seconds(given: object) -> float:
    try:
        return _speed(given)
    except WrongValueError:
        raise WrongValueError(f"{quoted(given)} is not a time", "a number of seconds from 0") from None


def _folder(given: object) -> str:
    if not isinstance(given, str) or not given:
        raise WrongValueError(f"{quoted(given)} is not a folder", "a path")
    try:
        Path(given).expanduser()
    except RuntimeError:
        raise WrongValueError(f"{quoted(given)} begins with the name of no user", "a path") from None
    return given


def _alarms(given: object) -> str:
    from engine.live.alarms import parse_rules  # noqa: PLC0415 -- only a user who sets rules pays for it

    parts = given if isinstance(given, list) else str(given).split(BETWEEN_RULES)
    texts = [each.strip() for each in parts if isinstance(each, str)]
    if not texts or len(texts) < len(parts):
        raise WrongValueError(f"{quoted(given)} is not a list of rules", '["all nodes reserved for 4s"]')
    try:
        parse_rules(texts)
    except ConfigError as error:
        raise WrongValueError(error.problems[0].message, error.problems[0].hint) from None
    return f"{BETWEEN_RULES} ".join(texts)


def _whole(least: int, most: int) -> Callable[[object], Given]:
    def read(given: object) -> Given:
        try:
            number = -1 if isinstance(given, bool) else int(str(given))
        except ValueError:
            number = -1
        if least <= number <= most:
            return number
        raise WrongValueError(f"{quoted(given)} is no whole number from {least} to {most}")

    return read


def _period(shortest_ms: int) -> Callable[[object], Given]:
    def read(given: object) -> Given:
        from engine.units import UnitError, parse_duration  # noqa: PLC0415 -- only a user who sets one pays for it

        try:
            is_good = parse_duration(str(given)) >= shortest_ms
        except UnitError as error:
            raise WrongValueError(str(error), "30m") from None
        if is_good:
            return str(given)
        raise WrongValueError(f"{quoted(given)} is shorter than {shortest_ms // 1000} s", "30m")

    return read


def _names(given: object) -> str:
    parts = given if isinstance(given, list) else str(given).split(",")
    return ",".join(str(each).strip() for each in parts)


class UserSetting(NamedTuple):
    """One thing a user may set."""

    key: str  # Its name in the file; in capitals behind `SCHEDLAB_` the environment variable
    default: Given | None  # None where the program chooses
    read: Callable[[object], Given]
    """A value from what was given.

    Raises:
        WrongValueError: It is none.
    """
    about: str

    @property
    def variable(self) -> str:
        return PREFIX + self.key.upper().replace(".", "_")

    @property
    def flag(self) -> str:
        return "--" + self.key.replace("_", "-") if self.key in OWN_FLAGS else f"-c {self.key}"


SETTINGS: Final = (
    UserSetting("theme", "dark", _one_of(PALETTES, "no theme {}"), f"colours: {', '.join(PALETTES)}"),
    UserSetting("ascii", False, _switch, "draw with ASCII characters only"),
    UserSetting("read_only", False, _switch, "look only: keys that act are off"),
    UserSetting(
        "confirm",
        LOSS,
        _one_of(CONFIRM, "{} is not when to ask"),
        "acts that ask first: always, loss (acts that lose something), never",
    ),
    UserSetting("paused", False, _switch, "begin paused"),
    UserSetting("speed", None, _speed, "simulated seconds per second; 0 is flat out; by default it fits the scenario"),
    UserSetting("alerts", True, _switch, "play: tell when nothing will be allocated any more"),
    UserSetting("alarm", None, _alarms, "watch: rules of alarms; by default all nodes reserved, and flat memory"),
    UserSetting("runs_folder", None, _folder, "where kept runs are; by default in the user's data"),
    UserSetting("history_folder", None, _folder, "where histories of drills are; by default in the user's data"),
    UserSetting("keep_for", "7d", _period(60_000), "watch: how long kept polls are kept"),
    UserSetting("save_folder", ".", _folder, "where saved screens and tables go; terminal: hands them to the terminal"),
    UserSetting("hints", True, _switch, "demo: say what to try, also after it was hidden, where this is set"),
    UserSetting("hosts", "", _names, "names a server is asked by, beside addresses and this machine's name"),
    UserSetting("serve.open", False, _switch, "serve: let anyone who reaches it act without a token"),
    UserSetting("web.visitors", 4, _whole(1, 100), "--web: how many may be there at once"),
    UserSetting(
        "web.idle", "30m", _period(10_000), "--web: end the program of a visitor who types nothing for so long"
    ),
    UserSetting("web.memory", 2048, _whole(256, 65536), "--web: memory of each program [MB] (Linux)"),
    UserSetting("drill.answer_seconds", 60.0, _seconds, "drill play --agent: longest time for a step [s]; 0: no limit"),
    UserSetting("tune.point_seconds", None, _seconds, "tune: wall time of a point [s]"),
    UserSetting("tune.point_memory", None, _whole(1, 2**30), "tune: memory of a process [MB]"),
)  # Every setting, in the order they are listed

_BY_KEY: Final = {setting.key: setting for setting in SETTINGS}


class ValueSource(NamedTuple):
    """The origin of a value."""

    kind: str  # `flag`, `variable`, `file` or `default`
    name: str = ""  # The flag, the variable, or the path of the file
    line: int = 0  # In the file; 0 elsewhere

    def __str__(self) -> str:
        return f"{self.name}:{self.line}" if self.line else self.name or self.kind


class SettingValue(NamedTuple):
    """The value in force."""

    value: Given | None
    source: ValueSource


class OwnKeys(NamedTuple):
    """The keys a user gives to an action."""

    keys: tuple[str, ...]  # As textual names them
    source: ValueSource


class NamedCluster(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cluster of the settings: how it is asked."""

    url: str
    config: str = ""
    rm_log: str = ""
    ca: str = ""
    kerberos: bool = False
    user: str = ""
    token_file: str = ""
    interval: str = ""


class UserSettings(NamedTuple):
    """Everything in force."""

    file: Path  # Where the file is, or would be
    is_there: bool
    values: Mapping[str, SettingValue]  # In the order of `SETTINGS`
    keys: Mapping[str, OwnKeys]  # Id of an action → a user's keys for it
    notes: tuple[str, ...] = ()  # What is probably not meant
    clusters: Mapping[str, NamedCluster] = {}

    def whole(self, key: str) -> int | None:
        value = self.values[key].value
        return None if value is None else int(value)

    def is_chosen(self, key: str) -> bool:
        return self.values[key].source.kind != "default"

    @property
    def registry(self) -> tuple[Action, ...]:
        return rebound({action_id: own.keys for action_id, own in self.keys.items()})

    def is_on(self, key: str) -> bool:
        return self.values[key].value is True

    def text(self, key: str) -> str:
        return str(self.values[key].value)

    def folder(self, key: str) -> Path | None:
        """A folder, `~` resolved; None where the program chooses."""
        value = self.values[key].value
        return None if value is None else Path(str(value)).expanduser()

    def rules(self) -> list[str]:
        value = self.values["alarm"].value
        return [] if value is None else [each.strip() for each in str(value).split(BETWEEN_RULES)]

    def screen_options(self, **others: Any) -> dict[str, Any]:
        """Options of an app as they are set, with `others` of it in their place or beside them."""
        found = {
            "palette": self.text("theme"),
            "ascii_only": self.is_on("ascii"),
            "read_only": self.is_on("read_only"),
            "registry": self.registry,
            "save_folder": self.folder("save_folder") or Path(),
            "confirm": self.text("confirm"),
        }
        return found | others

    def number(self, key: str) -> float | None:
        value = self.values[key].value
        return None if value is None else float(value)


def resolve(
    flags: Mapping[str, Given | None], config: Path | None = None, environment: Mapping[str, str] = os.environ
) -> UserSettings:
    """All settings in force, None being a flag that was not used; a `ConfigError` with all that is wrong anywhere."""
    problems = Problems()
    file, layer = _file(config, environment, problems)
    given: list[Mapping[str, tuple[object, ValueSource]]] = [
        _given_by_file(layer, str(file), problems),
        _given_by_environment(environment),
        {key: (value, ValueSource("flag", _BY_KEY[key].flag)) for key, value in flags.items() if value is not None},
    ]
    values: dict[str, SettingValue] = {}
    for setting in SETTINGS:
        values[setting.key] = SettingValue(setting.default, ValueSource("default"))
        for source in given:
            if setting.key in source:
                values[setting.key] = _read(setting, *source[setting.key], problems) or values[setting.key]
    keys = _own_keys(layer, str(file), problems) if layer is not None else {}
    clusters = _clusters(layer, str(file), problems) if layer is not None else {}
    problems.found.sort(key=lambda problem: problem.line if problem.file else 0)
    problems.check()
    return UserSettings(file, layer is not None, values, keys, tuple(_strangers(environment)), clusters)


def _file(config: Path | None, environment: Mapping[str, str], problems: Problems) -> tuple[Path, Layers | None]:
    variable = next((each for each in (FILE_VARIABLE, OLD_VARIABLE) if environment.get(each)), "")
    named = config or (Path(environment[variable]) if variable else None)
    file = named or Path(platformdirs.user_config_dir("schedlab")) / "config.toml"
    asker = "" if config else variable
    if named is None and not is_there(file):
        return file, None
    try:
        return file, parse(read_file_text(file), str(file))
    except ConfigError as error:
        problems.found.extend(
            msgspec.structs.replace(one, key=one.key or ("" if one.line else asker)) for one in error.problems
        )
    return file, None


def _given_by_file(layer: Layers | None, file: str, problems: Problems) -> dict[str, tuple[object, ValueSource]]:
    given: dict[str, tuple[object, ValueSource]] = {}
    if layer is None:
        return given
    top = {key: value for key, value in layer.data.items() if key not in (KEYS, CLUSTER)}
    tables = {key.partition(".")[0] for key in _BY_KEY if "." in key}
    grouped = {key: value for key, value in top.items() if key in tables}
    rest = [((key,), value) for key, value in top.items() if key not in tables]
    for path, value in (*rest, *_flat(grouped, ())):
        key, line = ".".join(path), layer.origin(path).line
        key = OLD_KEYS.get(key, key)
        if key in _BY_KEY:
            given[key] = (value, ValueSource("file", file, line))
        else:
            hint = nearest(key, [*_BY_KEY, KEYS]) or f"there is {', '.join([*_BY_KEY, KEYS])}"
            problems.found.append(Problem("no such setting", file, line, key, hint))
    return given


def _clusters(layer: Layers, file: str, problems: Problems) -> dict[str, NamedCluster]:
    tables = layer.data.get(CLUSTER, {})
    found: dict[str, NamedCluster] = {}
    for name, table in (tables if isinstance(tables, dict) else {"": tables}).items():
        known = NamedCluster.__struct_fields__
        keys = [*table] if isinstance(table, dict) else []
        for key in (key for key in keys if key not in known):
            line = layer.origin((CLUSTER, name, key)).line
            hint = nearest(key, known) or f"there is {', '.join(known)}"
            problems.found.append(Problem("no such setting", file, line, f"{CLUSTER}.{name}.{key}", hint))
        try:
            mine = {key: table[key] for key in keys if key in known} if keys else table
            found[name] = msgspec.convert(mine, NamedCluster)
        except msgspec.ValidationError as error:
            hint = '[cluster.prod] url = "http://rm1:8088"'
            path = (CLUSTER, name) if name else (CLUSTER,)
            problems.found.append(Problem(str(error), file, layer.origin(path).line, ".".join(path), hint))
    return found


def _given_by_environment(environment: Mapping[str, str]) -> dict[str, tuple[object, ValueSource]]:
    given: dict[str, tuple[object, ValueSource]] = {}
    if environment.get("NO_COLOR"):
        given["theme"] = ("none", ValueSource("variable", "NO_COLOR"))
    variables = {PREFIX + old.upper(): key for old, key in OLD_KEYS.items()}
    variables |= {setting.variable: setting.key for setting in SETTINGS}
    for variable, key in variables.items():
        if environment.get(variable):
            given[key] = (environment[variable], ValueSource("variable", variable))
    return given


def given_by_words(words: Sequence[str]) -> dict[str, str]:
    """Settings as `-c KEY=VALUE` has them; a `ConfigError` where one has no value, or there is no such setting."""
    problems = Problems()
    found: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        key = OLD_KEYS.get(key.strip(), key.strip()).replace("-", "_")
        if key not in _BY_KEY:
            hint = nearest(key, _BY_KEY) or "schedlab settings lists them"
            problems.found.append(Problem(f"there is no setting {shortened(key)}", key="-c", hint=hint))
        elif not equals:
            problems.found.append(Problem(f"{key} has no value", key="-c", hint=f"-c {key}=VALUE"))
        else:
            found[key] = value
    problems.check()
    return found


def _read(setting: UserSetting, given: object, source: ValueSource, problems: Problems) -> SettingValue | None:
    try:
        return SettingValue(setting.read(given), source)
    except WrongValueError as error:
        is_file = source.kind == "file"
        place = (source.name, source.line, setting.key) if is_file else ("", 0, source.name)
        problems.found.append(Problem(str(error), *place, error.hint))
        return None


def _strangers(environment: Mapping[str, str]) -> Iterator[str]:
    others = ("SCHEDLAB_TOKEN", OLD_VARIABLE, *(PREFIX + old.upper() for old in OLD_KEYS))
    known = [FILE_VARIABLE, *(setting.variable for setting in SETTINGS), *others]
    ends = {name.removeprefix(PREFIX): name for name in known}
    for name in sorted(environment):
        if not name.startswith(PREFIX) or name in known:
            continue
        meant = close_matches(name.removeprefix(PREFIX), ends)
        if meant:
            yield f"{name} sets nothing (did you mean {ends[meant[0]]}?)"


def _own_keys(layer: Layers, file: str, problems: Problems) -> dict[str, OwnKeys]:
    table = layer.data.get(KEYS, {})
    if not isinstance(table, dict):
        problems.found.append(Problem("is not a table", file, layer.origin((KEYS,)).line, KEYS, '[keys] kill = "x"'))
        return {}
    ids = [action.id for action in ACTIONS]
    own: dict[str, OwnKeys] = {}
    for path, written in _flat(table, ()):
        action_id, line = ".".join(path), layer.origin((KEYS, *path)).line
        if action_id not in ids:
            hint = nearest(action_id, ids) or "schedlab settings lists them"
            problems.found.append(Problem("no such action", file, line, f"{KEYS}.{action_id}", hint))
            continue
        names = [
            key_name(one) if isinstance(one, str) else None
            for one in (written if isinstance(written, list) else [written])
        ]
        if names and all(names):
            own[action_id] = OwnKeys(tuple(filter(None, names)), ValueSource("file", file, line))
            continue
        words = f"{written!r} is not a key, nor a list of keys"
        hint = 'as in "x", "+", "f5", "ctrl+x", ["K", "f9"]'
        problems.found.append(Problem(words, file, line, f"{KEYS}.{action_id}", hint))
    problems.found.extend(_clash_problems(own))
    return own


def _flat(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, (*path, key))
        else:
            yield (*path, key), value


def _clash_problems(own: Mapping[str, OwnKeys]) -> Iterator[Problem]:
    titles = {action.id: action.help for action in ACTIONS}
    for action_id, key, other in clashing({action_id: one.keys for action_id, one in own.items()}):
        place = own[action_id].source
        whose = f"{KEYS}.{other} (line {own[other].source.line})" if other in own else other
        words = f"the key {key} is taken by {whose}: {titles[other]}"
        yield Problem(words, place.name, place.line, f"{KEYS}.{action_id}", f"give {other} another key, or choose one")
