"""Single keys of a scenario set by the user, written `dotted.key=value`, and the line of each key in a TOML text.

The standard library's reader forgets positions. The scanner here only finds them: it expects a text that the reader
has accepted and never judges it. Each character is looked at once.
"""

import re
import tomllib
import types
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin

import msgspec
from pydantic import BaseModel, ValidationError

from engine.errors import LISTED_UP_TO, ConfigError, Problem, begun_or_nearest, nearest, quoted, shortened
from engine.scenario.acts import OneOf
from engine.scenario.cluster import Table
from engine.scenario.scenario import flat_settings
from engine.settings.mapreduce1 import SLOW_START as OLD_SLOW_START
from engine.settings.site import NODE_MEMORY, NODE_VCORES, SLOW_START
from engine.units import CENTURY_MS

Path = tuple[str | int, ...]  # Keys and list indices from the top of a document

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_BLANK: Final = re.compile(r"\s+|#[^\n]*")
_SCALAR: Final = re.compile(r"[^,\]}\n#]*")
_ENDS: Final = {
    '"""': re.compile(r'\\.|("{3,5})', re.DOTALL),
    "'''": re.compile(r"('{3,5})"),
    '"': re.compile(r'\\.|(")', re.DOTALL),
    "'": re.compile(r"(')"),
}
"""How a string begins → what to look for in it: an escape, or, as a group, quotes with which it ends."""


def line_numbers(text: str) -> dict[Path, int]:
    r"""The 1-based line of every table and key of a valid TOML text, and of list items on another line than the list.

    >>> line_numbers('a = 1\n[[b]]\nc = [\n {d = 2},\n]')[("b", 0, "c", 0, "d")]
    4
    """
    scanner = _Scanner(text)
    scanner.document()
    return scanner.lines


class _Scanner:  # One pass over a text; `at` is the position, `lines` the answer
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Path, int] = {}
        self._counts: dict[Path, int] = {}
        self._line_at = 0  # position up to which line ends are counted in `_line_number`
        self._line_number = 1

    def document(self) -> None:
        table: Path = ()
        self._blank()
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._blank()

    def _header(self) -> Path:
        is_list = self.text.startswith("[[", self.at)
        line = self._line()
        self.at += 2 if is_list else 1
        path = self._last_item(self._dotted("]"))
        self.at += 2 if is_list else 1
        if is_list:
            index = self._counts.get(path, -1) + 1
            self._counts[path] = index
            self.lines.setdefault(path, line)
            path = (*path, index)
        self.lines.setdefault(path, line)
        return path

    def _last_item(self, keys: Path) -> Path:
        path: Path = ()
        for key in keys[:-1]:
            path = (*path, key)
            if path in self._counts:
                path = (*path, self._counts[path])
        return (*path, keys[-1])

    def _pair(self, table: Path) -> None:
        line = self._line()
        path = table
        for key in self._dotted("="):
            path = (*path, key)
            self.lines.setdefault(path, line)
        self.at += 1
        self._value(path)

    def _dotted(self, end: str) -> Path:
        keys: list[str | int] = []
        while self.text[self.at] != end:
            char = self.text[self.at]
            if char in "\"'":
                keys.append(self._string())
            elif match := _BARE.match(self.text, self.at):
                keys.append(match[0])
                self.at = match.end()
            else:
                self.at += 1
        return tuple(keys)

    def _value(self, path: Path) -> None:
        self._blank()
        char = self.text[self.at]
        if char == "[":
            self._list(path)
        elif char == "{":
            self._inline_table(path)
        elif char in "\"'":
            self._string()
        else:
            self.at = next(_SCALAR.finditer(self.text, self.at)).end()

    def _list(self, path: Path) -> None:
        begins = self._line()
        self.at += 1
        index = 0
        self._blank()
        while self.text[self.at] != "]":
            if self.text[self.at] == ",":
                self.at += 1
            else:
                line = self._line()
                if line != begins:
                    self.lines[*path, index] = line
                self._value((*path, index))
                index += 1
            self._blank()
        self.at += 1

    def _inline_table(self, path: Path) -> None:
        self.at += 1
        self._blank()
        while self.text[self.at] != "}":
            if self.text[self.at] == ",":
                self.at += 1
            else:
                self._pair(path)
            self._blank()
        self.at += 1

    def _string(self) -> str:
        quotes = next(each for each in _ENDS if self.text.startswith(each, self.at))
        begin = self.at + len(quotes)
        self.at = next(each.end() for each in _ENDS[quotes].finditer(self.text, begin) if each[1])
        return self.text[begin : self.at - len(quotes)]

    def _blank(self) -> None:
        while match := _BLANK.match(self.text, self.at):
            self.at = match.end()

    def _line(self) -> int:
        """The line of the position, which never goes back."""
        self._line_number += self.text.count("\n", self._line_at, self.at)
        self._line_at = self.at
        return self._line_number


# A scenario's raw tables, one layer laid over another.
#
# Tables are merged key by key, everything else (lists too) is replaced. The origin of every key is kept, so that a
# fault in the merged tables still names the file and line it came from.


MAX_CHARACTERS: Final = 10_000_000  # Longest text read [characters]
MAX_KEYS: Final = 400_000  # Most keys of a text, and most items of its lists: signs `=`, and signs `,`
MAX_DEPTH: Final = 100  # Most parts of a dotted key

_LONG_KEY: Final = re.compile(rf"""(?<![\w.-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){{{MAX_DEPTH}}}""")

_LONG_NUMBER: Final = re.compile(r"[0-9_]{1000}")

DOTTED: Final = ("settings", "queue_defaults")  # Tables whose keys contain dots themselves


class Origin(NamedTuple):
    file: str
    line: int


class Layers(msgspec.Struct):
    """The merged tables, where each key came from, and the leading comment of the topmost file that has one."""

    data: Table
    origins: dict[Path, Origin]
    about: str = ""
    name: str = ""

    def origin(self, path: Path) -> Origin:
        """The place of a key, or of the nearest table around it; of a table without a head, its first key's."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        inside = [place for key, place in self.origins.items() if path and key[: len(path)] == path]
        return min(inside, key=lambda place: place.line, default=self.origins.get((), Origin("", 0)))


def parse(text: str, name: str) -> Layers:
    """One TOML text as a layer. Raises ConfigError if it is none, nested too deeply or beyond a limit."""
    check_limits(text, name)
    try:
        data = tomllib.loads(text)
        lines = line_numbers(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([_decode_problem(str(error), name)]) from None
    except ValueError:
        found = _LONG_NUMBER.search(text)
        line = 0 if found is None else text.count("\n", 0, found.start()) + 1
        raise ConfigError.of("a number has too many digits", name, line) from None
    except RecursionError:
        raise ConfigError.of("is nested too deeply", name) from None
    except (IndexError, StopIteration):
        raise ConfigError.of("is TOML in which the lines of keys cannot be found", name) from None
    origins = {path: Origin(name, line) for path, line in lines.items()}
    origins[()] = Origin(name, 0)
    layer = Layers(data, origins, _leading_comment(text))
    for table in DOTTED:
        _flatten(layer, table)
    return layer


def check_limits(text: str, name: str) -> None:
    """Raises ConfigError if the text is too long to be read in time, or has a key or a number that is."""
    if len(text) > MAX_CHARACTERS:
        raise ConfigError.of(f"is longer than {MAX_CHARACTERS:,} characters", name)
    for sign, what in (("=", "keys"), (",", "list items")):
        if text.count(sign) > MAX_KEYS:
            raise ConfigError.of(f"has more than {MAX_KEYS:,} {what} (signs {sign})", name)
    found = _LONG_KEY.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise ConfigError.of(f"a dotted key has more than {MAX_DEPTH} parts", name, line)


def _flatten(layer: Layers, table: str) -> None:
    nested = layer.data.get(table)
    if isinstance(nested, dict) and nested:
        layer.data[table] = flat_settings(nested)
        inside = {path: place for path, place in layer.origins.items() if len(path) > 1 and path[0] == table}
        layer.origins |= {(table, ".".join(map(str, path[1:]))): place for path, place in inside.items()}


def _decode_problem(text: str, file: str) -> Problem:
    message, _, place = text.rpartition(" (at ")
    digits = place.removeprefix("line ").split(",")[0]
    line = int(digits) if message and digits.isdigit() else 0
    hint = "it is given twice" if message == "Cannot overwrite a value" else ""
    return Problem(f"is not TOML: {message or text}", file, line, hint=hint)


def _leading_comment(text: str) -> str:
    """The comment block a file begins with, without its marks and without the schema that editors look for (`#:`)."""
    lines = []
    for line in text.splitlines():
        if line.startswith("#:"):
            continue
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").removeprefix(" "))
    return "\n".join(lines).strip()


def lay_over(below: Layers, above: Layers) -> Layers:
    """Merge two layers; neither is used afterwards."""
    replaced: set[Path] = set()
    _merge(below.data, above.data, (), replaced)
    below.origins = {path: place for path, place in below.origins.items() if not _is_within(path, replaced)}
    below.origins |= {path: place for path, place in above.origins.items() if _is_within(path, replaced)}
    below.origins[()] = above.origin(())
    below.about = above.about or below.about
    below.name = above.name
    return below


def _is_within(path: Path, places: Container[Path]) -> bool:
    return any(path[:length] in places for length in range(1, len(path) + 1))


def _merge(below: Table, above: Table, path: Path, replaced: set[Path]) -> None:
    for key, value in above.items():
        old = below.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            _merge(old, value, (*path, key), replaced)
        else:
            below[key] = value
            replaced.add((*path, key))


# Words the faults that pydantic finds in a scenario as problems of its file.
#
# The models refuse with paths through Python types; here they become problems with file, line, dotted key and the
# nearest valid name.

_MESSAGES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "is not a whole number"),
    "int_parsing_size": "is too large",
    **dict.fromkeys(("float_type", "float_parsing"), "is not a number"),
    "string_type": "is not a text",
    "string_too_short": "is empty",
    "too_short": "has too few items, at least {min_length} is needed",
    "too_long": "has too many items, at most {max_length} may be there",
    **dict.fromkeys(("bool_type", "bool_parsing"), "is neither true nor false"),
    "tuple_type": "is not a list",
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "is not a table"),
    "timezone_aware": "has no time zone; write 2017-11-11T08:30:00+08:00",
    **dict.fromkeys(
        ("datetime_type", "datetime_parsing", "datetime_from_date_parsing", "datetime_object_invalid"),
        "is not a date and time; write 2017-11-11T08:30:00+08:00",
    ),
    "finite_number": "is not a finite number",
    "greater_than_equal": "is less than {ge}",
    "greater_than": "is not more than {gt}",
    "less_than_equal": "is more than {le}",
    "less_than": "is not less than {lt}",
}
"""pydantic's error type → what we say, with the bound it names."""
LONGEST_LIST: Final = 200  # Of the keys that a hint lists [characters]


def problems_of(error: ValidationError, layers: Layers, model: type[BaseModel]) -> list[Problem]:
    """Every fault of a validation, in the order of the file, each place once."""
    found: dict[tuple[Path, str], Problem] = {}
    for detail in error.errors(include_url=False):
        path, written = _document_path(detail["loc"], layers.data, is_missing=detail["type"] == "missing")
        value = detail["input"] if written is None else written  # the model's is in MB and ms
        message, hint = _words({**detail, "input": value}, path, model, seeks_hint=len(found) < LISTED_UP_TO)
        key = ".".join(str(part) for part in path)
        origin = layers.origin(path)
        found.setdefault((path, message), Problem(message, origin.file, origin.line, key, hint))
    return sorted(found.values(), key=lambda problem: (problem.file, problem.line))


def _document_path(loc: tuple[int | str, ...], data: object, *, is_missing: bool) -> tuple[Path, object]:
    """The part of an error's place that is in the document, without the names of types and variants; what is there."""
    path: Path = ()
    is_tag_told = False
    for index, part in enumerate(loc):
        # It may be the variant of a table, which may be the name of a key of it, too.
        is_tag = isinstance(data, dict) and part in (data.get("type"), data.get("do"))
        if not is_tag_told and index < len(loc) - 1 and is_tag:
            is_tag_told = True
        elif _holds(data, part):
            data, is_tag_told = data[part], False  # type: ignore[index]  # just seen to hold it
            path = (*path, part)
        elif is_missing and index == len(loc) - 1:
            return (*path, part), None
    return path, data


def _holds(data: object, part: int | str) -> bool:
    if isinstance(data, list):
        return isinstance(part, int) and part < len(data)
    return isinstance(data, dict) and part in data


def _words(detail: Table, path: Path, model: type[BaseModel], *, seeks_hint: bool) -> tuple[str, str]:
    kind, value, context = detail["type"], detail.get("input"), detail.get("ctx", {})
    last = str(path[-1]) if path else ""
    if kind == "extra_forbidden":
        keys = _keys(model, detail["loc"][:-1]) if seeks_hint else []
        listed = ", ".join(keys)
        hint = nearest(last, keys) or (f"there is {listed}" if 0 < len(listed) <= LONGEST_LIST else "")
        return "is not a key of this table", hint
    if kind == "missing":
        return "is missing", ""
    if kind == "union_tag_not_found":
        return f"has no {str(context['discriminator']).strip(chr(39))}", ""
    if kind in ("union_tag_invalid", "literal_error"):
        valid = re.findall(r"'([^']*)'", str(context.get("expected_tags") or context.get("expected")))
        given = context["tag"] if "tag" in context else value if isinstance(value, str) else quoted(value)
        return f"{quoted(given)} is not one of {', '.join(valid)}", begun_or_nearest(given, valid)
    if kind in ("value_error", "assertion_error"):
        return str(context["error"]), ""
    if kind in _MESSAGES:
        bounds = {name: "a century" if bound == CENTURY_MS else bound for name, bound in context.items()}
        return f"{quoted(value)} {_MESSAGES[kind].format(**bounds)}", ""
    return f"{quoted(value)} is refused: {detail['msg'][:1].lower()}{detail['msg'][1:]}", ""


def _keys(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    here: Any = model
    for part in loc:
        here = _inside(here, part)
    if isinstance(here, type) and issubclass(here, BaseModel):
        return [field.alias or name for name, field in here.model_fields.items()]
    return []


def _inside(annotation: Any, part: int | str) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for name, field in annotation.model_fields.items():
            if part in (name, field.alias):
                return _plain(field.annotation)
        return None
    origin = get_origin(annotation)
    if origin is tuple:
        return _plain(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return next((member for member in _members(annotation) if part in _tags(member)), None)
    return None


def _members(union: Any) -> Iterator[Any]:
    for member in map(_plain, get_args(union)):
        if get_origin(member) in (Union, types.UnionType):
            yield from _members(member)
        else:
            yield member


def _plain(annotation: Any) -> Any:
    if get_origin(annotation) is Annotated:
        kind, *constraints = get_args(annotation)
        return _plain(next((each.tables for each in constraints if isinstance(each, OneOf)), kind))
    if get_origin(annotation) in (Union, types.UnionType):
        members = [member for member in get_args(annotation) if member is not types.NoneType]
        return _plain(members[0]) if len(members) == 1 else annotation
    return annotation


def _tags(member: Any) -> tuple[object, ...]:
    for name in ("type", "do"):
        field = getattr(member, "model_fields", {}).get(name)
        if field is not None and get_origin(field.annotation) is Literal:
            return get_args(field.annotation)
    return ()


_SHORTHANDS: Final = {
    "yarn.": "settings.yarn.",
    "spark.": "settings.spark.",
    "mapred.": "settings.mapred.",
    "schedlab.": "settings.schedlab.",
    "reservation.": "settings.schedlab.reservation.",
}
"""Beginnings of keys → what they stand for."""

_NODES: Final[tuple[tuple[str, ...], ...]] = (("cluster", "groups"), ("cluster", "nodes"))
_JOBS: Final[tuple[tuple[str, ...], ...]] = (("workload",),)
_OF_ITEMS: Final[Mapping[str, tuple[tuple[tuple[str, ...], ...], str]]] = {
    NODE_MEMORY.name: (_NODES, "memory"),
    NODE_VCORES.name: (_NODES, "vcores"),
    str(OLD_SLOW_START): (_JOBS, "slow_start"),
    SLOW_START: (_JOBS, "slow_start"),
}
"""Property of NodeManagers or of MapReduce jobs → the lists of those, and the field of each that it is."""

_LONGEST_VALUE: Final = 100_000  # Longest text read as TOML [characters]; a longer one is a text
_NAMES: Final = ("name", "host", "number", "user")  # Keys whose value names an item of a list


def override(layers: Layers, assignments: Sequence[str]) -> list[Problem]:
    """Set single keys on top of what was read; answers what could not be set.

    A value is read as TOML, and as plain text when it is none. Items of lists are named by index, by their name
    (`queues.prod.weight=3`), or all at once by `*`.
    """
    problems = []
    for assignment in assignments:
        key, separator, text = assignment.partition("=")
        origin = Origin(f"--set {assignment}", 0)
        if not separator or not key.strip():
            problems.append(Problem("is not key=value", origin.file))
            continue
        problem = assign(layers, key.strip(), _plain_value(text.strip()), origin)
        if problem is not None:
            problems.append(problem)
    return problems


def assign(layers: Layers, key: str, value: object, origin: Origin) -> Problem | None:
    """Set one dotted key; answers why it could not be set."""
    try:
        paths = _set_items(layers.data, key.removeprefix("settings.").strip('"'), value)
        if not paths or "yarn." in key:
            paths |= _assign(layers.data, key, value)
    except _NoSuchKeyError as error:
        return Problem(str(error), origin.file, origin.line, error.key, error.hint)
    replaced = {path for path, was_table in paths.items() if was_table}
    if replaced:
        layers.origins = {path: place for path, place in layers.origins.items() if not _is_within(path, replaced)}
    for path in paths:
        layers.origins[path] = origin
        for length in range(1, len(path) + 1):  # tables that this made
            layers.origins.setdefault(path[:length], origin)
    return None


def _set_items(data: Table, key: str, value: object) -> dict[Path, bool]:
    """Give every node, or every MapReduce job, what a property of theirs states; answers the paths of what was set."""
    lists, field = _OF_ITEMS.get(key, ((), ""))
    if lists and key.startswith("yarn.") and type(value) is not int:
        raise _NoSuchKeyError(f"{quoted(value)} is not a whole number", (key,))
    found: dict[Path, bool] = {}
    for path in lists:
        table = data if len(path) == 1 else data.get(path[0])
        listed = table.get(path[-1]) if isinstance(table, dict) else None
        for place, item in enumerate(listed if isinstance(listed, list | tuple) else ()):
            if isinstance(item, dict) and item.get("type", "mapreduce") == "mapreduce":  # nodes have no type
                item[field] = f"{value}m" if field == "memory" else value
                found[*path, place, field] = False
    return found


class _NoSuchKeyError(Exception):
    """A dotted key names nothing; it becomes a `Problem`."""

    def __init__(self, message: str, path: Path, hint: str = "") -> None:
        self.key = ".".join(str(part) for part in path)
        self.hint = hint
        super().__init__(message)


def _plain_value(text: str) -> object:
    try:
        return tomllib.loads(f"value = {text}")["value"] if len(text) <= _LONGEST_VALUE else text
    except (ValueError, RecursionError):  # also what Python cannot hold: the text stays, and is judged as one
        return text


def _assign(data: Table, key: str, value: object) -> dict[Path, bool]:
    """Set one key and answer its path, or paths, and whether a table or list was there; tables on the way are made."""
    for short, whole in _SHORTHANDS.items():
        key = key.replace(short, whole, 1) if key.startswith(short) else key
    parts = key.split(".")
    if parts[0] in DOTTED and len(parts) > 1:
        table = data.setdefault(parts[0], {})
        if not isinstance(table, dict):
            raise _NoSuchKeyError("is not a table", (parts[0],))
        name = ".".join(parts[1:])
        name = name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name
        table[name] = value
        return {(parts[0], name): False}
    if len(parts) > MAX_DEPTH:
        raise _NoSuchKeyError(f"has more than {MAX_DEPTH} parts", (key,))
    return _assign_below(data, (), parts, value)


def _assign_below(target: Any, path: Path, parts: list[str], value: object) -> dict[Path, bool]:
    if isinstance(target, list) and parts[0] == "*":
        found: dict[Path, bool] = {}
        for index in range(len(target)):
            found |= _assign_below(target, path, [str(index), *parts[1:]], value)
        return found
    step, used = _step(target, parts, path)
    here = (*path, step)
    if used == len(parts):
        old = target.get(step) if isinstance(target, dict) else target[step]
        target[step] = value
        return {here: isinstance(old, dict | list)}
    if isinstance(target, dict) and step not in target:
        target[step] = {}
    if not isinstance(target[step], dict | list):
        raise _NoSuchKeyError("is not a table", here)
    return _assign_below(target[step], here, parts[used:], value)


def _step(target: Any, parts: list[str], path: Path) -> tuple[Any, int]:
    if isinstance(target, dict):
        return parts[0], 1
    if parts[0].isascii() and parts[0].isdigit() and len(parts[0]) < 10 and int(parts[0]) < len(target):
        return int(parts[0]), 1
    names = _item_names(target)
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if name in names:
            return names[name], length
    hint = nearest(parts[0], names) or (f"there is {shortened(', '.join(names), 300)}" if names else "")
    raise _NoSuchKeyError(f"has no item {shortened(parts[0])}", path, hint)


def _item_names(items: list[Any]) -> dict[str, int]:
    """Name → index of the items of a list that have one; the first of a name wins."""
    names: dict[str, int] = {}
    for index, item in enumerate(items):
        for key in _NAMES:
            if isinstance(item, dict) and key in item:
                names.setdefault(str(item[key]), index)
    return names
