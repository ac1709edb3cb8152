"""The events of a ResourceManager's log as plain values by time: the base on which a log is shown as a run.

All instants are epoch ms. What the log does not say is None. Layouts of log4j that are read: `2017-11-11 09:00:30,343
INFO o.a.h.….RMAppImpl: …` (also with a time zone, in brackets, the level first) and, from consoles and shippers,
`17/11/11 09:00:30 INFO rmapp.RMAppImpl: …` anywhere in the line, which may be a JSON object. A thread's name may stand
before or behind the class; instead of the colon the place in the source may, as `rmapp.RMAppImpl
(RMAppImpl.java:handle(779)) - …` (Ambari) or `RMAppImpl:779 - …`, or a dash alone. Between bars the message comes
before its source: `2017-11-11 09:00:30,343 | INFO  | thread | … | RMAppImpl.java:779` (FusionInsight).
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, NamedTuple

import msgspec

from engine.formats.traces.application import whole
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.fair import FAIR_27, FAIR_34
from engine.settings.site import PRESERVES_WORK, RECOVERY, YARN_27, YARN_34


class LogNode(msgspec.Struct):
    """A node that registered, or that a line names."""

    id: str  # `host:port`, or the host alone where no line has the port
    rack: str | None = None
    memory_mb: int | None = None
    vcores: int | None = None
    states: list[tuple[int, str]] = msgspec.field(default_factory=list)
    """(since when, state), e.g. RUNNING, UNHEALTHY, LOST."""


class LogContainer(msgspec.Struct, gc=False):
    id: str
    application: str
    allocated_ms: int
    node: str | None = None
    memory_mb: int | None = None
    vcores: int | None = None
    is_master: bool = False
    running_ms: int | None = None  # When its node reported it
    ended_ms: int | None = None  # None while it runs, and where the log ends before
    end: str = ""  # How it ended: COMPLETED, KILLED, RELEASED, EXPIRED, or STOPPED with the ResourceManager
    preempted_ms: int | None = None  # When it was chosen for preemption


class LogReservation(msgspec.Struct, gc=False):
    application: str
    node: str | None
    since_ms: int
    until_ms: int | None = None  # None where it was still held at the log's end
    container: str | None = None
    memory_mb: int | None = None  # Inferred from what the application still holds when another of its reservations ends
    vcores: int | None = None
    end: str = ""
    """How it ended: ALLOCATED, UNRESERVED, REPLACED by another one, ENDED with its application, or STOPPED."""


class LogApplication(msgspec.Struct):
    id: str
    first_ms: int  # When the first line named it
    submitted_ms: int | None = None
    user: str | None = None
    queue: str | None = None  # The last one
    queues: list[tuple[int, str]] = msgspec.field(default_factory=list)
    """(since when, queue), as it was accepted and moved; empty where a line says that it moved, but not where to."""
    name: str = ""
    type: str = ""
    states: list[tuple[int, str]] = msgspec.field(default_factory=list)  # (since when, state) of RMApp
    registered_ms: int | None = None
    finished_ms: int | None = None
    final: str = ""  # SUCCEEDED, FAILED or KILLED; empty where unknown
    memory_seconds: int | None = None
    vcore_seconds: int | None = None

    @property
    def state(self) -> str:
        return self.states[-1][1] if self.states else ""


class ResourceManagerTimeline(msgspec.Struct):
    begin_ms: int = 0  # The instant of the first line
    end_ms: int = 0  # The instant of the last line
    offset_ms: int = 0  # How far the log's clock is east of Greenwich; 0 where no line shows it
    scheduler: str = ""  # Class of the scheduler, without its package
    version: str = ""  # The release, e.g. `2.7.2`; empty where no line says.
    settings: dict[str, str] = msgspec.field(default_factory=dict)  # Properties whose values a line says
    starts_ms: list[int] = msgspec.field(default_factory=list)  # When the ResourceManager started
    stops_ms: list[int] = msgspec.field(default_factory=list)  # When it stopped in order, or handed over
    recovers: bool = False  # Whether it read its state store at a start
    keeps_containers: bool = False  # Whether containers outlived a restart
    refused: int = 0  # Submissions that it refused
    applications: dict[str, LogApplication] = msgspec.field(default_factory=dict)
    containers: dict[str, LogContainer] = msgspec.field(default_factory=dict)
    reservations: list[LogReservation] = msgspec.field(default_factory=list)  # In the order they were made
    nodes: dict[str, LogNode] = msgspec.field(default_factory=dict)
    preemptions: list[tuple[int, str, str]] = msgspec.field(default_factory=list)
    """(when, queue or container, what the line says), those without a container included."""

    def running_at(self, time_ms: int) -> Iterator[LogContainer]:
        return (
            each
            for each in self.containers.values()
            if each.allocated_ms <= time_ms and (each.ended_ms is None or each.ended_ms > time_ms)
        )

    def reserved_at(self, time_ms: int) -> Iterator[LogReservation]:
        return (
            each
            for each in self.reservations
            if each.since_ms <= time_ms and (each.until_ms is None or each.until_ms > time_ms)
        )

    def forget_ended(self) -> None:
        """Keep applications, containers and reservations that have not ended, and the last state of each."""
        self.containers = {key: each for key, each in self.containers.items() if each.ended_ms is None}
        self.applications = {key: each for key, each in self.applications.items() if each.finished_ms is None}
        self.reservations[:] = [each for each in self.reservations if each.until_ms is None]
        self.preemptions.clear()
        del self.starts_ms[:-1], self.stops_ms[:-1]
        for states in (each.states for holders in (self.applications, self.nodes) for each in holders.values()):
            del states[:-1]


SCHEDULERS: Final = {
    "FairScheduler": (FAIR_27.name, FAIR_34.name),
    "CapacityScheduler": (CAPACITY_27.name, CAPACITY_34.name),
    "FifoScheduler": (YARN_27.name, YARN_34.name),
}
"""Class → the scheduler of 2.7, and that of 3.4."""
VERSION: Final = "STARTUP_MSG:   version = "
DOWN_MS: Final = 5_000  # How long a ResourceManager is away of which the log does not say when it stopped


class LoggedRestart(msgspec.Struct, frozen=True):
    stopped_ms: int  # Epoch ms
    down_ms: int


class LoggedCluster(msgspec.Struct, frozen=True):
    """The cluster as a log states it; what the log does not state is empty."""

    policy: str = ""
    named: str = ""  # The scheduler and its release as the log has them
    settings: dict[str, str] = {}
    restarts: tuple[LoggedRestart, ...] = ()


def logged_cluster(timeline: ResourceManagerTimeline) -> LoggedCluster:
    """The cluster of a log; a release between 2.7 and 3.4 is played as 2.7 where it is 2.x, else as 3.4."""
    policies = SCHEDULERS.get(timeline.scheduler)
    settings, restarts = dict(timeline.settings), tuple(_restarts(timeline))
    if restarts:
        settings[RECOVERY.name] = str(timeline.recovers).lower()
        settings[PRESERVES_WORK.name] = str(timeline.keeps_containers).lower()
    return LoggedCluster(
        policy=policies[(whole(timeline.version.partition(".")[0]) or 0) >= 3] if policies else "",
        named=f"{timeline.scheduler} {timeline.version}".strip(),
        settings=settings,
        restarts=restarts,
    )


def _restarts(timeline: ResourceManagerTimeline) -> Iterator[LoggedRestart]:
    first_ms = min((each.submitted_ms or each.first_ms for each in timeline.applications.values()), default=0)
    for before_ms, started_ms in zip(timeline.starts_ms, timeline.starts_ms[1:], strict=False):
        stopped_ms = max((each for each in timeline.stops_ms if before_ms < each < started_ms), default=None)
        if stopped_ms is None:
            stopped_ms = max(before_ms, started_ms - DOWN_MS)
        if stopped_ms > first_ms:
            yield LoggedRestart(stopped_ms, started_ms - stopped_ms)


_LEVEL: Final = r"\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b"
_THREAD: Final = r"(?:\[[^\]\n]{0,200}\] |\([^()\n]{0,200}\) )?"
_TIME: Final = (
    r"(?:(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)|(\d\d/\d\d/\d\d \d\d:\d\d:\d\d|\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d))"
    r"(?:[,.:](\d{3})\d{0,6})?(?: ?(Z|UTC|GMT|[+-]\d\d:?\d\d)| [A-Z]{3,4})?\]?"
)
_CLASS: Final = (
    r"\[?(?:[\w.]*\.)?([\w$]+)(?:(?: \([^)]{0,200}\))?: | \([^()]{0,200}\([^()]{0,20}\)\) (?:- )?"
    r"| \([^()]{0,200}\) - |:\d{1,6} - |\](?: -|:)? |(?: \[[^\]]{0,200}\])? - )(.*)"
)
_LINE: Final = re.compile(rf"{_TIME}[ \t]{_THREAD}{_LEVEL}\]?[ \t]+{_THREAD}{_CLASS}")
_PIPED: Final = re.compile(
    rf"{_TIME} \| {_LEVEL} *\| [^|]{{0,200}} \| (?P<message>.*) \| (?P<source>\w+)\.java:\d+\s*$"
)
_LEVEL_FIRST: Final = re.compile(rf"{_LEVEL}\]? +\[?{_TIME} {_THREAD}{_CLASS}")
IS_LOG: Final = re.compile(
    (
        rf"(?m)^(?:[^\n]{{0,400}}?{_TIME}[ \t](?:{_THREAD}|\| ){_LEVEL}\]?[ \t]|{_LEVEL}\]? +\[?{_TIME} "
        r'|\{[^\n]{0,2000}?"(?:log\.)?(?:level|severity)" ?: ?"(?:DEBUG|INFO|WARN|ERROR)")'
    ).encode(),
)
CONSOLE: Final = ("%y/%m/%d %H:%M:%S", "%d %b %Y %H:%M:%S")
WRAPPED: Final = (
    ("log", "message", "msg", "MESSAGE", "textPayload"),
    ("@timestamp", "timestamp", "date"),
    ("level", "severity", "log.level"),
)
"""Keys of a line that is a JSON object: of its text, of its time and of its level."""
LOGGERS: Final = ("logger_name", "loggerName", "logger", "name", "class", "log.logger")

MOST_SOURCES: Final = 10_000  # Beginnings of messages that are recognised again; names of threads may stand in them
SUMMARY: Final = re.compile(r"(\w+)=((?:[^,\\]|\\.)*)")
_ESCAPED: Final = re.compile(r"\\(.)")
RESOURCE: Final = r"<memory:(-?\d+), vCores:(-?\d+)[^>]*>"
CONTAINER: Final = r"(container_(?:e\d+_)?\d+_\d+_\d+_\d+)"
APPLICATION: Final = r"(application_\d+_\d+)"
_PARTS: Final = re.compile(r"container_(?:e\d+_)?(\d+)_(\d+)_(\d+)_(\d+)")


class LogLine(NamedTuple):
    time_ms: int  # On the log's own clock, read as if it were UTC
    source: str  # The class that writes, without its package
    message: str


class LineParser:
    """Reads lines one after the other; seconds that come again are not parsed again."""

    def __init__(self) -> None:
        self._second = ""
        self._second_ms = 0
        self.offset_ms: int | None = None  # how far its clock is east of Greenwich; None where no line has said
        self._sources: dict[str, str] = {}
        """What stands between time and message, in lines with ms → the class that writes."""

    def line(self, text: str) -> LogLine | None:
        """The line; None where it has no time, such as the lines of a stack trace."""
        if text[:19] == self._second and text[20:23].isdecimal() and text[19] in ",.":
            head, _, message = text[23:].partition(": ")
            source = self._sources.get(head, "")
            if source:
                return LogLine(self._second_ms + int(text[20:23]), source, message)
        if text.startswith("{"):
            return self._wrapped(text)
        match = (
            _LINE.match(text) or _LEVEL_FIRST.match(text) or _LINE.search(text, 0, 2000) or _PIPED.search(text, 0, 2000)
        )
        if match is None:
            return None
        iso, other, ms, zone, *rest = match.groups()
        source, message = reversed(rest) if match.re is _PIPED else rest
        second = iso or other
        if second != self._second:
            moment_ms = _moment_ms(second)
            if moment_ms is None:
                return None
            self._second, self._second_ms = second, moment_ms
        if zone and self.offset_ms is None:
            self.offset_ms = _offset_ms(zone)
        head, _, behind = text[23:].partition(": ")
        if ms and not match.start() and behind == message and len(self._sources) < MOST_SOURCES:
            self._sources[head] = source
        return LogLine(self._second_ms + int(ms or 0), source, message)

    def _wrapped(self, text: str) -> LogLine | None:
        """The line in a JSON object: of a container, a journal or a layout that writes its parts."""
        try:
            fields = msgspec.json.decode(text)
        except (msgspec.MsgspecError, RecursionError, ValueError):
            return None
        payload = fields.get("jsonPayload")  # of Google's Cloud Logging
        parts = fields | payload if isinstance(payload, dict) else fields
        texts = {key: value for key, value in parts.items() if isinstance(value, str)}
        said, time, level = (next((texts[key] for key in keys if texts.get(key)), "") for keys in WRAPPED)
        found = self.line(said) if not said.startswith("{") else None
        if found is not None or not time:
            return found
        logger = next((texts[key] for key in LOGGERS if texts.get(key)), "")
        return self.line(f"{time} {level} {logger}: {said}")


def _moment_ms(second: str) -> int | None:
    for form in ("", *CONSOLE):
        with suppress(ValueError):
            named = datetime.strptime(second, form).replace(tzinfo=UTC) if form else datetime.fromisoformat(second)
            return int(named.replace(tzinfo=UTC).timestamp()) * 1000
    return None


def _offset_ms(zone: str) -> int:
    """How far a zone is east of Greenwich.

    >>> _offset_ms("Z"), _offset_ms("+0530"), _offset_ms("-08:00")
    (0, 19800000, -28800000)
    """
    digits = zone[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:]) if digits.isdecimal() else 0
    return minutes * 60_000 * (-1 if zone.startswith("-") else 1)


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
