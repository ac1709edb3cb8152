"""The properties that each release finds in the elements of a configuration file.

2.7.2 looks at the children of the top element and takes the first child of `<name>` and `<value>` for their text.
3.4.1 reads a stream: it finds `<property>` at any depth, joins all text inside `<value>`, and reads attributes as well.

Source: Configuration#loadResource, Hadoop 2.7.2; Configuration.Parser, Hadoop 3.4.1.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.errors import ConfigError, Problem, Problems
from engine.formats.xml_tree import Element
from engine.model.java_values import trim

_FINAL: Final = "final counts only as the word true without blanks"
_PARTS: Final = ("name", "value", "final", "source", "tag")
_OTHERS: Final = ("property", "configuration", "include", "fallback")


class Property(NamedTuple):
    """One property as written."""

    key: str
    value: str | None
    """None where the file states none."""
    is_final: bool
    element: Element


def properties_of(root: Element, era: str, problems: Problems) -> Iterator[Property]:
    """The properties of a document in the order they are read.

    `root` is the top element, with includes in place; `problems` gets what is refused, and warnings of what is not
    read.
    """
    if era == "3.4":
        yield from _Stream34(problems).properties(root)
    else:
        yield from _properties_27(root, problems)


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
    """The texts of name, value and final; of repeated ones the last counts.

    Raises:
        ConfigError: One of them does not begin with text, on which the real class fails.
    """
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


class _Stream34:
    """Goes through a document as the parser of 3.4.1 does: one property at a time, one text at a time."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._text: list[str] | None = None
        """All text since the last start of a part; None before the first."""
        self._name: str | None = None
        self._value: str | None = None
        self._final = ""
        self._inside = False

    def properties(self, element: Element) -> Iterator[Property]:
        """Return those of an element and of all below it."""
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
