"""Reads yarn-site.xml and its like as Hadoop does: several files, the later over the earlier, `final` and `${…}`.

Source: o.a.h.conf.Configuration, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

from engine.errors import ConfigError, Problem, Problems
from engine.formats.property_elements import Property, properties_of
from engine.formats.substitution import SUPERSEDED_34, Variables, new_name
from engine.formats.xml_include import Includer
from engine.formats.xml_tree import Element, parse_xml, stray_text

MAX_REPLACED: Final = 20_000_000
"""Most characters of all values together, variables replaced; what comes after stays as written."""

SHIPPED_EMPTY: Final = frozenset(f"yarn.scheduler.capacity.{name}mappings" for name in ("queue-", "workflow-priority-"))
"""Properties that Hadoop's own capacity-scheduler.xml leaves without a value."""


class HadoopConfiguration(msgspec.Struct, frozen=True):
    """The properties of one or more configuration files."""

    values: Mapping[str, str]
    """Key → value with variables replaced; blanks around a value are kept, as Hadoop's getters trim it."""
    raw: Mapping[str, str]
    """Key → value as written."""
    places: Mapping[str, tuple[str, int]]
    """Key → (file, line) of the property that counts."""
    final: frozenset[str]
    """Keys that no later file may change."""
    warnings: tuple[Problem, ...]


def read_configurations(
    paths: Sequence[Path],
    *,
    era: str = "2.7",
    given: Mapping[str, str] | None = None,
    parsed: Mapping[Path, Element] = MappingProxyType({}),
) -> HadoopConfiguration:
    """The properties of files, each laid over those before it.

    Args:
        paths: The files in order, e.g. yarn-default.xml, yarn-site.xml; what one includes lies in its folder.
        given: Java's system properties on the server, and its environment as `env.NAME`.
        parsed: The root elements of files that have been parsed already.

    Raises:
        ConfigError: With one problem per file that cannot be read, and every property that Hadoop would fail on.
    """
    reader = _Reader(era, given or {})
    for path in paths:
        try:
            reader.add(Includer(path.parent).read(path, parsed.get(path)))
        except ConfigError as error:
            reader.problems.found.extend(error.problems)
    return reader.result()


def parse_configuration(source: str | bytes, file: str = "", *, era: str = "2.7") -> HadoopConfiguration:
    """The properties of one document, which may include nothing; `era` is the release that reads.

    Raises:
        ConfigError: As `read_configurations`.
    """
    reader = _Reader(era)
    root = parse_xml(source, file)
    reader.add(Includer(None).expand(root, Path()))
    return reader.result()


class _Reader:
    """Collects the properties of the files read so far."""

    def __init__(self, era: str = "2.7", given: Mapping[str, str] | None = None) -> None:
        self._era, self._given = era, given or {}
        self.problems = Problems()
        self._replaced = 0
        """Characters of all values with their variables replaced."""
        self._raw: dict[str, str] = {}
        self._places: dict[str, tuple[str, int]] = {}
        self._final: dict[str, tuple[str, int]] = {}
        self._again: dict[tuple[str, str], tuple[int, int, int]] = {}
        """File and key → place of its warning, first line that is replaced, and how many are."""

    def add(self, root: Element) -> None:
        """Lay the properties of a document over those read before."""
        if root.tag != "configuration":
            message = f"the top element is <{root.tag}>, not <configuration>"
            hint = "this looks like a fair-scheduler.xml" if root.tag == "allocations" else ""
            self._refuse(message, root, root.tag, hint)
            return
        self.problems.warnings.extend(stray_text(root, {"configuration", "property"}))
        for read in properties_of(root, self._era, self.problems):
            self._add_property(read)

    def result(self) -> HadoopConfiguration:
        """Everything read, with variables replaced."""
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
        """Lay one property over those before it."""
        key, element = self._renamed(read.key, read.element), read.element
        if read.value is None and key not in SHIPPED_EMPTY:
            self._warn("has no value and is not set", element, key)
        elif read.value is not None:
            self._set(key, read.value, element)
        if read.is_final:
            self._final[key] = (element.file, element.line)

    def _set(self, key: str, value: str, element: Element) -> None:
        place = self._places.get(key)
        if key in self._final:
            if value != self._raw.get(key):
                file, line = self._final[key]
                self._warn(f"has no effect: it is final at {file}:{line}", element, key)
            return
        if place is not None and place[0] == element.file:
            self._warn_again(element, key, place[1])
        self._raw[key] = value
        self._places[key] = (element.file, element.line)

    def _warn_again(self, element: Element, key: str, before: int) -> None:
        """One warning for each key of a file, however often it is given."""
        warnings = self.problems.warnings
        at, first, count = self._again.get((element.file, key), (len(warnings), before, 0))
        which = f"{count + 1} lines from {first} on have" if count else f"line {first} has"
        warnings[at : at + 1] = [Problem(f"given again; {which} no effect", element.file, element.line, key)]
        self._again[element.file, key] = at, first, count + 1

    def _renamed(self, key: str, element: Element) -> str:
        name = new_name(key, self._era)
        if name != key:
            self._warn("an old name that Hadoop still reads", element, key, name)
        return name

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

    def _refuse(self, message: str, element: Element, key: str, hint: str = "") -> None:
        self.problems.found.append(Problem(message, element.file, element.line, key, hint))

    def _warn(self, message: str, element: Element, key: str, hint: str = "") -> None:
        self.problems.warnings.append(Problem(message, element.file, element.line, key, hint))
