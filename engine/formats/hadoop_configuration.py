"""Reads yarn-site.xml and its like as Hadoop does: several files, the later over the earlier, `final` and `${…}`.

Source: o.a.h.conf.Configuration, Hadoop 2.7.2 and 3.4.1; Configuration#addDeprecations and
YarnConfiguration#addDeprecatedKeys, as the classes of 2.7.2 and 3.4.1 list them; Configuration#loadResource, Hadoop
2.7.2; Configuration.Parser, Hadoop 3.4.1; o.a.h.conf.Configuration#substituteVars, Hadoop 2.7.2 and 3.4.1;
o.a.h.net.TableMapping (`net.topology.table.file.name`), Hadoop 2.7.2.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from engine.errors import ConfigError, Problem, Problems
from engine.formats.xml import Element, Includer, parse_document, stray_text
from engine.model.java_values import trim
from engine.settings.fair import INCREMENT_MB, INCREMENT_VCORES

# The properties that each release finds in the elements of a configuration file.
#
# 2.7.2 looks at the children of the top element and takes the first child of `<name>` and `<value>` for their text.
# 3.4.1 reads a stream: it finds `<property>` at any depth, joins all text inside `<value>`, and reads attributes as
# well.

_FINAL: Final = "final counts only as the word true without blanks"
_PARTS: Final = ("name", "value", "final", "source", "tag")
_OTHERS: Final = ("property", "configuration", "include", "fallback")


class Property(NamedTuple):
    key: str
    value: str | None  # None where the file states none
    is_final: bool
    element: Element


def _properties_27(configuration: Element, problems: Problems) -> Iterator[Property]:
    for element in configuration.elements():
        if element.tag == "configuration":
            yield from _properties_27(element, problems)
            continue
        if element.tag != "property":
            _warn(problems, f"<{element.tag}> is not a <property>", element, element.tag)
        try:
            parts = _parts_27(element)
        except ConfigError as error:
            problems.found.extend(error.problems)
            continue
        key = trim(parts.get("name", ""))
        if not key:
            hint = "Hadoop 2.7 reads no attributes: write <name> and <value>" if element.attributes else ""
            _warn(problems, "a property without a name is ignored", element, element.tag, hint)
            continue
        final = parts.get("final", "false")
        if final != "true" and trim(final) != "false":
            _warn(problems, _FINAL, element, key)
        yield Property(key, parts.get("value"), final == "true", element)


def _parts_27(element: Element) -> dict[str, str]:
    parts: dict[str, str] = {}
    for field in element.elements():
        if field.tag not in ("name", "value", "final") or not field.children:
            continue
        text = field.children[0]
        if not isinstance(text, str):
            message = "does not begin with text"
            raise ConfigError([Problem(message, field.file, field.line, field.tag)], "ClassCastException")
        parts[field.tag] = text
    return parts


class _Stream34:  # As the parser of 3.4.1: one property at a time, one text at a time
    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._text: list[str] | None = None  # all text since the last start of a part; None before the first
        self._name: str | None = None
        self._value: str | None = None
        self._final = ""
        self._inside = False

    def properties(self, element: Element) -> Iterator[Property]:
        name = element.tag.rpartition(":")[2]
        if name == "property":
            self._start(element)
        elif name in _PARTS:
            self._text = []
        elif name not in _OTHERS and not self._inside:
            _warn(self._problems, f"<{element.tag}> is not a <property>: Hadoop 3 ignores it", element, element.tag)
        for child in element.children:
            if isinstance(child, Element):
                yield from self.properties(child)
            elif isinstance(child, str) and self._text is not None:
                self._text.append(child)
        if name == "property":
            yield from self._end(element)
        else:
            self._end_part(name)

    def _start(self, element: Element) -> None:
        attributes = {name.rpartition(":")[2]: text for name, text in element.attributes.items()}
        self._name, self._value = attributes.get("name"), attributes.get("value")
        self._final = attributes.get("final", "")
        self._inside = True

    def _end_part(self, name: str) -> None:
        text = "".join(self._text or ())
        if name == "name" and text:
            self._name = trim(text)
        elif name == "value" and text:
            self._value = text
        elif name == "final":
            self._final = text

    def _end(self, element: Element) -> Iterator[Property]:
        self._inside = False
        if not self._name:
            _warn(self._problems, "a property without a name is ignored", element, element.tag)
            return
        if self._final != "true" and trim(self._final) not in ("", "false"):
            _warn(self._problems, _FINAL, element, self._name)
        yield Property(self._name, self._value, self._final == "true", element)


def _warn(problems: Problems, message: str, element: Element, key: str, hint: str = "") -> None:
    problems.warnings.append(Problem(message, element.file, element.line, key, hint))


# Variables in the values of Hadoop's configuration files: `${key}`, Java's system properties, the environment.
#
# The properties of a server's Java (`user.name`) and its environment (`env.NAME`) are not known here and can be given.
# What is not given, and not the same on every Linux server, stays as written with a warning.

RENAMED: Final[Mapping[str, str]] = {
    "dfs.df.interval": "fs.df.interval",
    "dfs.nfs.exports.allowed.hosts": "nfs.exports.allowed.hosts",
    "dfs.umaskmode": "fs.permissions.umask-mode",
    "fs.default.name": "fs.defaultFS",
    "hadoop.configured.node.mapping": "net.topology.configured.node.mapping",
    "hadoop.native.lib": "io.native.lib.available",
    "topology.node.switch.mapping.impl": "net.topology.node.switch.mapping.impl",
    "topology.script.file.name": "net.topology.script.file.name",
    "topology.script.number.args": "net.topology.script.number.args",
    "yarn.client.max-nodemanagers-proxies": "yarn.client.max-cached-nodemanagers-proxies",
}
"""Old name → new name, in both releases."""

RENAMED_34: Final[Mapping[str, str]] = {
    "hadoop.http.rmwebapp.scheduler.page.class": "yarn.http.rmwebapp.scheduler.page.class",
    "yarn.resourcemanager.display.per-user-apps": "yarn.webapp.filter-entity-list-by-user",
    "yarn.resourcemanager.system-metrics-publisher.enabled": "yarn.system-metrics-publisher.enabled",
    "yarn.resourcemanager.zk-acl": "hadoop.zk.acl",
    "yarn.resourcemanager.zk-address": "hadoop.zk.address",
    "yarn.resourcemanager.zk-auth": "hadoop.zk.auth",
    "yarn.resourcemanager.zk-num-retries": "hadoop.zk.num-retries",
    "yarn.resourcemanager.zk-retry-interval-ms": "hadoop.zk.retry-interval-ms",
    "yarn.resourcemanager.zk-timeout-ms": "hadoop.zk.timeout-ms",
    **RENAMED,
}
"""The same in 3.4.1."""

SUPERSEDED_34: Final[Mapping[str, str]] = {
    INCREMENT_MB.name: "yarn.resource-types.memory-mb.increment-allocation",
    INCREMENT_VCORES.name: "yarn.resource-types.vcores.increment-allocation",
}
"""Old key → the one that goes before it in 3.4.1; both are read. Source: FairSchedulerConfiguration."""


def _new_name(key: str, era: str) -> str:  # Under which it is read
    return (RENAMED_34 if era == "3.4" else RENAMED).get(key, key)


MAX_SUBSTITUTIONS: Final = 20
"""Rounds of substitution; a value that is not done by then is an error in Hadoop. Source: Configuration#MAX_SUBST."""

VARIABLE: Final = re.compile(r"\$\{([^}$ ]+)\}")

_LONGEST: Final = 1_000_000
_ALIKE: Final = {"java.io.tmpdir": "/tmp", "file.separator": "/", "path.separator": ":", "os.name": "Linux"}
_OF_JAVA: Final = ("java.", "user.", "os.", "file.", "hadoop.log.", "hadoop.home.", "yarn.log.", "yarn.home.")
"""How properties begin that Java or Hadoop's start scripts set."""


class Variables:
    """Replaces variables by what a server would put in their place."""

    def __init__(self, raw: Mapping[str, str], given: Mapping[str, str], era: str) -> None:
        """`given`, system properties of the server, its environment as `env.NAME`, go before the files."""
        self._raw, self._given, self._era = raw, given, era
        self._reads_environment = era != "2.7"

    def replaced(self, text: str) -> str | None:
        """A value with every variable replaced, one at a time from the left, also in what was put in.

        A variable without a value ends it: what is left stays as written. In 3.x so does the whole value where a
        variable leads to itself at once. None where 20 rounds are not enough: Hadoop's IllegalStateException.
        """
        expression = text
        for _ in range(MAX_SUBSTITUTIONS):
            found = VARIABLE.search(text)
            value = self._value(found.group(1)) if found else None
            if found is None or value is None:
                return text
            if self._reads_environment and found.group() in value:
                return expression
            text = text[: found.start()] + value + text[found.end() :]
            if len(text) > _LONGEST:
                return None
        return None

    def _value(self, name: str) -> str | None:
        found = self._of_machine(name)
        return found if found is not None else self._raw.get(_new_name(name, self._era))

    def _of_machine(self, name: str) -> str | None:
        if not name.startswith("env.") or name == "env.":
            return self._given.get(name, _ALIKE.get(name))
        if not self._reads_environment:
            return None
        variable, sign, otherwise = _default_of(name)
        value = self._given.get(variable)
        is_missing = value is None if sign == "-" else not value
        return otherwise if sign and is_missing else value

    def left(self, text: str) -> tuple[str, str]:
        """Why a variable is left in a value after `replaced`, and a way out; nothing where none is left."""
        found = VARIABLE.search(text)
        if found is None:
            return "", ""
        name = found.group(1)
        hint = f"-D {_default_of(name)[0]}=VALUE gives it one"
        if name.startswith("env."):
            if not self._reads_environment:
                return f"{found.group()} stays as it is", "Hadoop reads the environment from 3.0 on"
            return f"{found.group()} is the environment of the server, not known here, and stays as it is", hint
        if name.startswith(_OF_JAVA):
            return f"{found.group()} is a property of the server's Java, not known here, and stays as it is", hint
        return f"{found.group()} has no value here and stays as it is", hint

    def assumed(self, text: str) -> str:
        """Which default of a variable of the environment counts in a value as written; nothing where none does."""
        for found in VARIABLE.finditer(text) if self._reads_environment else ():
            variable, sign, otherwise = _default_of(found.group(1))
            if variable.startswith("env.") and sign and variable not in self._given:
                return f"{variable.removeprefix('env.')} of the server's environment is not known here: {otherwise!r}"
        return ""


def _default_of(name: str) -> tuple[str, str, str]:
    """A variable of the environment, `:-` or `-` where it has a default, and that.

    >>> _default_of("env.HOME:-/root"), _default_of("env.HOME")
    (('env.HOME', ':-', '/root'), ('env.HOME', '', ''))
    """
    found = re.match(r"(env\.(?:(?!:-|-).)*)(:-|-)(.*)", name)
    return (found.group(1), found.group(2), found.group(3)) if found else (name, "", "")


# The table of hosts and racks that Hadoop's `TableMapping` reads.
#
# One host (or address) and one rack per line, divided by blanks; `#` begins a comment line.


class RackTable(msgspec.Struct, frozen=True):
    racks: Mapping[str, str]  # Host → rack
    lines: Mapping[str, int]  # Host → line
    warnings: tuple[Problem, ...]


def read_topology(text: str, file: str = "") -> RackTable:
    """The racks of a table; lines without two columns are ignored with a warning, as Hadoop does."""
    problems = Problems(file)
    racks: dict[str, str] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        columns = line.split()
        if not columns or columns[0].startswith("#"):
            continue
        if len(columns) != 2:
            problems.warn("does not have two columns, host and rack; Hadoop ignores the line", line=number)
            continue
        host, rack = columns
        if host in racks:
            problems.warn(f"given again; line {lines[host]} has no effect", line=number, key=host)
        if not rack.startswith("/"):
            problems.warn(f"the rack {rack} does not begin with /", line=number, key=host, hint=f"/{rack} is meant")
        racks[host] = rack
        lines[host] = number
    return RackTable(racks, lines, tuple(problems.warnings))


MAX_REPLACED: Final = 20_000_000
"""Most characters of all values together, variables replaced; what comes after stays as written."""

SHIPPED_EMPTY: Final = frozenset(f"yarn.scheduler.capacity.{name}mappings" for name in ("queue-", "workflow-priority-"))
"""Properties that Hadoop's own capacity-scheduler.xml leaves without a value."""


class HadoopConfiguration(msgspec.Struct, frozen=True):
    values: Mapping[str, str]
    """Key → value with variables replaced; blanks around a value are kept, as Hadoop's getters trim it."""
    raw: Mapping[str, str]  # Key → value as written
    places: Mapping[str, tuple[str, int]]  # Key → (file, line) of the property that counts
    final: frozenset[str]  # Keys that no later file may change
    warnings: tuple[Problem, ...]

    def problem(self, key: str, message: str, hint: str = "") -> Problem:
        """What is wrong with a key, at its place if it has one."""
        file, line = self.places.get(key, ("", 0))
        return Problem(message, file, line, key, hint)

    def place(self, key: str) -> str:
        """`FILE:LINE` of a key, and whether it is final; empty where nothing states it."""
        if key not in self.places:
            return ""
        file, line = self.places[key]
        return f"{file}:{line}" + (" (final)" if key in self.final else "")


def read_configurations(
    paths: Sequence[Path],
    *,
    era: str = "2.7",
    given: Mapping[str, str] | None = None,
    parsed: Mapping[Path, Element] = MappingProxyType({}),
) -> HadoopConfiguration:
    """The properties of files, each laid over those before it; what one includes lies in its folder.

    `given` are Java's system properties on the server, and its environment as `env.NAME`; `parsed` has the root
    elements of files that have been parsed already. Raises ConfigError with one problem per file that cannot be read,
    and every property that Hadoop would fail on.
    """
    reader = _Reader(era, given or {})
    for path in paths:
        with reader.problems.taken():
            reader.add(Includer(path.parent).read(path, parsed.get(path)))
    return reader.result()


def parse_configuration(source: str | bytes, file: str = "", *, era: str = "2.7") -> HadoopConfiguration:
    """One document, which may include nothing. Raises ConfigError as `read_configurations`."""
    reader = _Reader(era)
    reader.add(Includer(None).expand(parse_document(source, file).root, Path()))
    return reader.result()


class _Reader:
    def __init__(self, era: str = "2.7", given: Mapping[str, str] | None = None) -> None:
        self._era, self._given = era, given or {}
        self.problems = Problems()
        self._replaced = 0  # characters of all values with their variables replaced
        self._raw: dict[str, str] = {}
        self._places: dict[str, tuple[str, int]] = {}
        self._final: dict[str, tuple[str, int]] = {}
        self._again: dict[tuple[str, str], tuple[int, int, int]] = {}
        """File and key → place of its warning, first line that is replaced, and how many are."""

    def add(self, root: Element) -> None:
        if root.tag != "configuration":
            message = f"the top element is <{root.tag}>, not <configuration>"
            hint = "this looks like a fair-scheduler.xml" if root.tag == "allocations" else ""
            self.problems.found.append(Problem(message, root.file, root.line, root.tag, hint))
            return
        self.problems.warnings.extend(stray_text(root, {"configuration", "property"}))
        is_34 = self._era == "3.4"
        for read in _Stream34(self.problems).properties(root) if is_34 else _properties_27(root, self.problems):
            self._add_property(read)

    def result(self) -> HadoopConfiguration:
        self.problems.check()
        variables = Variables(self._raw, self._given, self._era)
        values = {key: self._value(variables, key, raw) for key, raw in self._raw.items()}
        for old, new in SUPERSEDED_34.items() if self._era == "3.4" else ():
            if old in self._raw:
                message = "has no effect: its new name is given too" if new in self._raw else "an old name still read"
                self.problems.warnings.append(Problem(message, *self._places[old], old, new))
        return HadoopConfiguration(
            values, self._raw, self._places, frozenset(self._final), tuple(self.problems.warnings)
        )

    def _add_property(self, read: Property) -> None:
        key, element = _new_name(read.key, self._era), read.element
        if key != read.key:
            _warn(self.problems, "an old name that Hadoop still reads", element, read.key, key)
        if read.value is None and key not in SHIPPED_EMPTY:
            _warn(self.problems, "has no value and is not set", element, key)
        elif read.value is not None:
            self._set(key, read.value, element)
        if read.is_final:
            self._final[key] = (element.file, element.line)

    def _set(self, key: str, value: str, element: Element) -> None:
        place = self._places.get(key)
        if key in self._final:
            if value != self._raw.get(key):
                file, line = self._final[key]
                _warn(self.problems, f"has no effect: it is final at {file}:{line}", element, key)
            return
        if place is not None and place[0] == element.file:
            self._warn_again(element, key, place[1])
        self._raw[key] = value
        self._places[key] = (element.file, element.line)

    def _warn_again(self, element: Element, key: str, before: int) -> None:
        warnings = self.problems.warnings
        at, first, count = self._again.get((element.file, key), (len(warnings), before, 0))
        which = f"{count + 1} lines from {first} on have" if count else f"line {first} has"
        warnings[at : at + 1] = [Problem(f"given again; {which} no effect", element.file, element.line, key)]
        self._again[element.file, key] = at, first, count + 1

    def _value(self, variables: Variables, key: str, raw: str) -> str:
        value = variables.replaced(raw) if self._replaced <= MAX_REPLACED else None
        self._replaced += 0 if value is None else len(value)
        file, line = self._places[key]
        if value is None:
            message = f"{raw!r} refers to itself or to too many variables; Hadoop fails when it reads it"
            self.problems.warnings.append(Problem(message, file, line, key))
            return raw
        left, hint = variables.left(value)
        if left:
            self.problems.warnings.append(Problem(left, file, line, key, hint))
        elif assumed := variables.assumed(raw):
            self.problems.warnings.append(Problem(assumed, file, line, key, "the default"))
        return value
