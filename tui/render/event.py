"""Events: what the scheduler decided, what an operator did, what changed; told only when they are looked at."""

import re
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from engine.model.decision import ContainerId
from tui import format as text
from tui.render.line import Column, Look, Span, Spans
from tui.view_state import EventRow


class Told:
    """One event in words."""

    __slots__ = ("application", "node", "sentence", "style", "verb")

    def __init__(
        self, verb: str, style: str, sentence: str, *, application: int | None = None, node: str | None = None
    ) -> None:
        self.verb = verb
        """One word in capitals."""
        self.style = style
        self.sentence = sentence
        self.application = application
        """Number of the application it is about; None when about none."""
        self.node = node
        """Id of the node it is about; None when about none."""


def _container(container: ContainerId, look: Look) -> str:
    """What a container is called; before Spark's Master it is an executor, or a driver where its attempt is 0."""
    if "cores" not in look.dimensions:
        return f"container {container[2]}"
    return f"executor {container[2]}" if container[1] else f"driver {container[0]}"


def _owner(container: ContainerId, look: Look) -> int | None:
    """The application's number; None for a driver, which is none's."""
    return None if "cores" in look.dimensions and not container[1] else container[0]


def _size(record: Any, look: Look) -> str:
    return text.amounts((record.memory_mb, record.vcores), look.dimensions)


def _allocated(record: Any, look: Look) -> Told:
    near = {"NODE_LOCAL": " (its node)", "RACK_LOCAL": " (its rack)"}.get(record.locality, "")
    what = f"{_container(record.container, look)}, {_size(record, look)}, on {text.short_node(record.node)}{near}"
    return Told("ALLOC", "good", what, application=_owner(record.container, look), node=record.node)


def _reserved(record: Any, look: Look) -> Told:
    what = f"node {text.short_node(record.node)} held for {_size(record, look)}"
    return Told("RESERVE", "warn", what, application=record.container[0], node=record.node)


def _unreserved(record: Any, look: Look) -> Told:
    what = f"node {text.short_node(record.node)} no longer held for {_size(record, look)}"
    return Told("UNRESERVE", "info", what, application=record.container[0], node=record.node)


def _warned(record: Any, look: Look) -> Told:
    what = f"{_container(record.container, look)} of {record.queue} will be preempted, {text.memory(record.memory_mb)}"
    return Told("WARN", "warn", what, application=_owner(record.container, look), node=record.node)


def _killed(record: Any, look: Look) -> Told:
    cause = record.cause.lower().replace("_", " ")
    what = f"{_container(record.container, look)} on {text.short_node(record.node)}: {cause}"
    return Told("KILL", "bad", what, application=_owner(record.container, look), node=record.node)


def _completed(record: Any, look: Look) -> Told:
    how = "done" if record.exit_status == 0 else f"exit {record.exit_status}"
    what = f"{_container(record.container, look)} on {text.short_node(record.node)} {how}"
    style = "plain" if record.exit_status == 0 else "bad"
    return Told("END", style, what, application=_owner(record.container, look), node=record.node)


def _transitioned(record: Any, look: Look) -> Told:
    where = f" in {text.short_queue(record.queue)}" if record.queue else ""
    detail = f": {text.plain(record.detail)}" if record.detail else ""
    style = {"FAILED": "bad", "KILLED": "bad", "RUNNING": "good", "FINISHED": "good"}.get(record.state, "info")
    return Told("STATE", style, f"{record.state}{where}{detail}", application=record.application)


def _acted(record: Any, look: Look) -> Told:
    """Somebody outside, or a fault of the scenario, did something: the action's own words in capitals."""
    fields = dict(record.action)
    kind = fields.pop("kind")
    told_fields = _by_fields(kind, fields)
    return Told(
        "ACT",
        "info",
        f"{_spaced(kind)} {told_fields.sentence}",
        application=told_fields.application,
        node=told_fields.node,
    )


def _submitted(record: Any, look: Look) -> Told:
    where = f" to {record.queue}" if record.queue else ""
    if record.rejected:
        return Told(
            "REFUSED", "bad", f"{text.plain(record.name)} of {record.user}{where}: {record.detail or record.rejected}"
        )
    what = f"{text.plain(record.name)} by {record.user}{where}, {record.type}"
    return Told("SUBMIT", "info", what, application=record.application)


def _refused(record: Any, look: Look) -> Told:
    what = f"{_spaced(record.event)}: {record.detail or record.rejected}"
    return Told("REFUSED", "bad", what, application=record.application or None)


def _asked(record: Any, look: Look) -> Told:
    if not record.count:
        return Told(
            "ASK", "plain", f"asks for nothing more at priority {record.priority}", application=record.application
        )
    size = text.amounts((record.memory_mb, record.vcores), look.dimensions)
    return Told(
        "ASK", "plain", f"asks for {record.count}x{size} at priority {record.priority}", application=record.application
    )


def _started(record: Any, look: Look) -> Told:
    what = f"{_container(record.container, look)} runs on {text.short_node(record.node)}"
    return Told("START", "plain", what, application=_owner(record.container, look), node=record.node)


def _draining(record: Any, look: Look) -> Told:
    return Told("DRAIN", "warn", f"node {text.short_node(record.node)} gets no further containers", node=record.node)


def _joined(record: Any, look: Look) -> Told:
    size = text.amounts((record.memory_mb, record.vcores), look.dimensions)
    return Told("JOIN", "good", f"node {text.short_node(record.node)} with {size}, {record.rack}", node=record.node)


def _lost(record: Any, look: Look) -> Told:
    return Told("LOST", "bad", f"node {text.short_node(record.node)} is {record.state.lower()}", node=record.node)


def _resized(record: Any, look: Look) -> Told:
    size = text.amounts((record.memory_mb, record.vcores), look.dimensions)
    return Told("RESIZE", "info", f"node {text.short_node(record.node)} has {size} now", node=record.node)


_TELLERS: dict[str, Callable[[Any, Look], Told]] = {
    "Allocated": _allocated,
    "Reserved": _reserved,
    "Unreserved": _unreserved,
    "Warned": _warned,
    "Killed": _killed,
    "Completed": _completed,
    "ApplicationTransitioned": _transitioned,
    "Acted": _acted,
    "Submitted": _submitted,
    "Refused": _refused,
    "Asked": _asked,
    "Started": _started,
    "Draining": _draining,
    "NodeJoined": _joined,
    "NodeLost": _lost,
    "NodeResized": _resized,
}
"""Kind of event → how to tell it, from its fields as attributes; any other event is told by its fields."""


def told(row: EventRow, look: Look) -> Told:
    """One event in words."""
    teller = _TELLERS.get(row.kind)
    return teller(SimpleNamespace(**row.fields), look) if teller else _by_fields(row.kind, row.fields)


def _by_fields(kind: str, fields: Mapping[str, Any]) -> Told:
    """An event this file has no sentence for: its kind and its fields."""
    words = ", ".join(f"{name} {_value(value)}" for name, value in fields.items() if value not in (None, "", ()))
    number, node = fields.get("application"), fields.get("node")
    return Told(
        kind.upper()[:9],
        "info",
        words,
        application=number if isinstance(number, int) else None,
        node=node if isinstance(node, str) else None,
    )


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Mapping):
        return text.plain(str(value.get("name") or value.get("type") or ""))
    return text.plain(str(value))[:80]


def _spaced(name: str) -> str:
    """A type's name as words.

    >>> _spaced("KillApplication")
    'kill application'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def identity(row: EventRow) -> str:
    """What the cursor holds on to."""
    return str(row.sequence)


def _time(row: EventRow, look: Look, width: int) -> Span:
    return text.instant(row.time_ms, look.offset_ms), "dim"


def _verb(row: EventRow, look: Look, width: int) -> Span:
    one = told(row, look)
    return one.verb, one.style


def _application(row: EventRow, look: Look, width: int) -> Span:
    number = told(row, look).application
    return "" if number is None else f"{number:04d}", "strong"


def _sentence(row: EventRow, look: Look, width: int) -> Span:
    return told(row, look).sentence, "plain"


COLUMNS: tuple[Column[EventRow], ...] = (
    Column("TIME", 12, 1, _time),
    Column("WHAT", 9, 0, _verb),
    Column("APP", 6, 0, _application),
    Column("", 20, 0, _sentence, grow=1),
)


def details(row: EventRow, look: Look) -> list[Spans]:
    """What the strip says about one event: the whole sentence."""
    one = told(row, look)
    when = f"{text.clock(row.time_ms, look.offset_ms)}.{row.time_ms % 1000:03d}"
    about = "" if one.application is None else f"  application {one.application:04d}"
    return [[(when, "strong"), ("  ", "plain"), (one.verb, one.style), (about, "strong")], [(one.sentence, "plain")]]


def finds(row: EventRow, words: str) -> bool:
    """Whether `words`, in lower case, occur in the event's sentence."""
    one = told(row, _PLAIN_LOOK)
    return words in f"{one.verb} {one.application or ''} {one.sentence}".lower()


_PLAIN_LOOK = Look(0, ("memory_mb", "vcores"), (0, 0))
