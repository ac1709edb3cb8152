"""One line of a ResourceManager's log: when, who says it, and what; and the pieces its messages are made of.

Two layouts of log4j are read: `2017-11-11 09:00:30,343 INFO o.a.h.….RMAppImpl: …` and, from consoles and shippers,
`17/11/11 09:00:30 INFO rmapp.RMAppImpl: …` anywhere in the line. A thread's name may stand before or behind the class.
"""

import re
from datetime import UTC, datetime
from typing import Final, NamedTuple

_LINE: Final = re.compile(
    r"(?:(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[,.](\d{3})|(\d\d/\d\d/\d\d \d\d:\d\d:\d\d)) "
    r"(?:\[[^\]]{0,200}\] )?(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) +(?:\[[^\]]{0,200}\] )?"
    r"(?:[\w.]*\.)?([\w$]+)(?: \([^)]{0,200}\))?: (.*)"
)
IS_LOG: Final = re.compile(
    rb"(?m)^[^\n]{0,400}?(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}|\d\d/\d\d/\d\d \d\d:\d\d:\d\d)"
    rb" (?:\[[^\]\n]{0,200}\] )?(?:DEBUG|INFO|WARN|ERROR|FATAL) "
)
CONSOLE: Final = "%y/%m/%d %H:%M:%S"

MOST_SOURCES: Final = 10_000  # Beginnings of messages that are recognised again; names of threads may stand in them
SUMMARY: Final = re.compile(r"(\w+)=((?:[^,\\]|\\.)*)")
_ESCAPED: Final = re.compile(r"\\(.)")
RESOURCE: Final = r"<memory:(-?\d+), vCores:(-?\d+)[^>]*>"
CONTAINER: Final = r"(container_(?:e\d+_)?\d+_\d+_\d+_\d+)"
APPLICATION: Final = r"(application_\d+_\d+)"
_PARTS: Final = re.compile(r"container_(?:e\d+_)?(\d+)_(\d+)_(\d+)_(\d+)")


class LogLine(NamedTuple):
    """A line of the log."""

    time_ms: int  # On the log's own clock, read as if it were UTC
    source: str  # The class that writes, without its package
    message: str


class LineParser:
    """Reads lines one after the other; seconds that come again are not parsed again."""

    def __init__(self) -> None:
        self._second = ""
        self._second_ms = 0
        self._sources: dict[str, str] = {}
        """What stands between time and message, in lines with ms → the class that writes."""

    def line(self, text: str) -> LogLine | None:
        """The line; None where it has no time, such as the lines of a stack trace."""
        if text[:19] == self._second and text[20:23].isdecimal() and text[19] in ",.":
            head, _, message = text[23:].partition(": ")
            source = self._sources.get(head, "")
            if source:
                return LogLine(self._second_ms + int(text[20:23]), source, message)
        match = _LINE.match(text) or _LINE.search(text, 0, 2000)
        if match is None:
            return None
        iso, ms, console, source, message = match.groups()
        second = iso or console
        if second != self._second:
            try:
                if iso:
                    moment = datetime.fromisoformat(iso).replace(tzinfo=UTC)
                else:
                    moment = datetime.strptime(console, CONSOLE).replace(tzinfo=UTC)
            except ValueError:
                return None
            self._second, self._second_ms = second, int(moment.timestamp()) * 1000
        head, _, rest = text[23:].partition(": ")
        if iso and not match.start() and rest == message and len(self._sources) < MOST_SOURCES:
            self._sources[head] = source
        return LogLine(self._second_ms + int(ms or 0), source, message)


def summary_fields(message: str) -> dict[str, str]:
    r"""The fields of an ApplicationSummary line; commas within a value are escaped.

    >>> summary_fields("appId=application_1_1,name=select a\\,b,user=ann")["name"]
    'select a,b'
    """
    fields = dict(SUMMARY.findall(message))
    return {name: _ESCAPED.sub(r"\1", value) for name, value in fields.items()} if "\\" in message else fields


def application_of(container: str) -> str:
    """The application of a container, by its id.

    >>> application_of("container_e08_17_0003_01_000002")
    'application_17_0003'
    """
    match = _PARTS.match(container)
    return f"application_{match[1]}_{match[2]}" if match else ""


def container_id(container: str) -> tuple[int, int, int]:
    """(application number, attempt, number) of a container; zeros where its id is none.

    >>> container_id("container_e08_17_0003_01_000002")
    (3, 1, 2)
    """
    match = _PARTS.match(container)
    return (int(match[2][:9]), int(match[3][:9]), int(match[4][:9])) if match else (0, 0, 0)


def number_of(container: str) -> int:
    """The number of a container within its attempt; the first is the application master's."""
    return container_id(container)[2]
