"""What the parts of a fair-scheduler.xml reader share: the draft they fill, refusals in Hadoop's order, values.

Source: AllocationFileLoaderService, Hadoop 2.7.2.
"""

from collections.abc import Callable
from typing import TypeVar

from engine.errors import ConfigError, Problem, Problems
from engine.formats.xml_tree import Element
from engine.model.java_values import trim
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair.queue_settings import BAD_ALLOCATION, NUMBER_FORMAT

_Value = TypeVar("_Value")


class AllocationFileError(ConfigError):
    """A fair-scheduler.xml that Hadoop would refuse; carries every problem."""

    def __init__(self, problems: list[Problem], kind: str) -> None:
        self.kind = kind
        """Simple name of the exception Hadoop stops with: that of the first problem in Hadoop's order."""
        super().__init__(problems)


class Draft:
    """An allocation being read, what was wrong, and where each value stands.

    Problems must be added in the order Hadoop would meet them: its exception is the first one's.
    """

    __slots__ = ("allocation", "kinds", "leaves", "lines", "parents", "problems")

    def __init__(self, file: str, allocation: FairAllocation | None = None) -> None:
        self.allocation = FairAllocation() if allocation is None else allocation
        self.problems = Problems(file)
        self.kinds: list[str] = []
        self.lines: dict[tuple[str, str], int] = {}
        """(full queue name, `user NAME` or "", element) → line; the last one where repeated."""
        self.leaves: list[str] = []
        self.parents: list[str] = []

    def refuse(self, message: str, element: Element, *, key: str = "", hint: str = "", kind: str = "") -> None:
        """Note what the file is refused for; `kind` is an AllocationConfigurationException when empty."""
        self.problems.add(message, line=element.line, key=key or element.tag, hint=hint)
        self.kinds.append(kind or BAD_ALLOCATION)

    def warn(self, message: str, element: Element, *, key: str = "", hint: str = "") -> None:
        """Note what is accepted but has no effect or another one than it seems."""
        self.problems.warn(message, line=element.line, key=key or element.tag, hint=hint)

    def note_line(self, scope: str, name: str, element: Element) -> None:
        """Remember where a value stands; a second one for the same place is warned about."""
        before = self.lines.get((scope, name))
        if before is not None:
            self.warn(f"given again; line {before} has no effect", element, key=dotted(scope, name))
        self.lines[scope, name] = element.line

    def check(self) -> None:
        """Return if nothing was refused.

        Raises:
            AllocationFileError: Something was.
        """
        if self.problems.found:
            raise AllocationFileError(self.problems.found, self.kinds[0])

    def text(self, element: Element, key: str, *, as_is: bool = False) -> str | None:
        """The value of an element: its first child if that is text, trimmed unless `as_is`; None when refused."""
        first = element.children[0] if element.children else None
        if first is None:
            self.refuse("has no value", element, key=key, kind="NullPointerException")
            return None
        if not isinstance(first, str):
            self.refuse("does not begin with its value", element, key=key, kind="ClassCastException")
            return None
        if trim(element.text()) != trim(first) or element.elements():
            self.warn("only the text before the first element or CDATA border counts", element, key=key)
        return first if as_is else trim(first)

    def value(
        self, element: Element, key: str, parse: Callable[[str], _Value], kind: str = NUMBER_FORMAT
    ) -> _Value | None:
        """The parsed value of an element; None when refused."""
        text = self.text(element, key)
        if text is None:
            return None
        try:
            return parse(text)
        except ValueError as error:
            self.refuse(str(error), element, key=key, kind=kind)
            return None


def dotted(scope: str, name: str) -> str:
    """The key of a value for messages: `root.a.weight`, `user alice.maxRunningApps` or `userMaxAppsDefault`."""
    return f"{scope}.{name}" if scope else name
