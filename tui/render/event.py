"""Events: what the scheduler decided, what an operator did, what changed; in words only when looked at."""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from engine.model.decision import ContainerId
from engine.observe.mr1_view import attempt_words
from tui import format as text
from tui.render.arrangement import Arrangement
from tui.render.facts import joined, label, pair, value_lines
from tui.render.field import SPAN, TEXT, Criteria, RowField
from tui.render.filter import Filter
from tui.render.health import frozen_of
from tui.render.line import Look, Span, Spans
from tui.render.noun import Noun, Reference, Rows, Source
from tui.render.scope import APPLICATION, NODE, QUEUE, USER, is_under
from tui.render.table import Column
from tui.view_state import EventRow, Picture


class EventText:
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
    if "map_slots" in look.dimensions:
        return attempt_words(container)
    if "cores" not in look.dimensions:
        return f"container {container[2]}"
    return f"executor {container[2]}" if container[1] else f"driver {container[0]}"


def _owner(container: ContainerId, look: Look) -> int | None:
    """The application's number; None for a driver, which is none's."""
    return None if "cores" in look.dimensions and not container[1] else container[0]


def _size(record: Any, look: Look) -> str:
    return text.amounts((record.memory_mb, record.vcores), look.dimensions)


def _allocated(record: Any, look: Look) -> EventText:
    near = {"NODE_LOCAL": " (its node)", "RACK_LOCAL": " (its rack)"}.get(record.locality, "")
    what = f"{_container(record.container, look)}, {_size(record, look)}, on {text.short_node(record.node)}{near}"
    return EventText("ALLOC", "good", what, application=_owner(record.container, look), node=record.node)


def _reserved(record: Any, look: Look) -> EventText:
    what = f"node {text.short_node(record.node)} held for {_size(record, look)}"
    return EventText("RESERVE", "watch", what, application=record.container[0], node=record.node)


def _unreserved(record: Any, look: Look) -> EventText:
    what = f"node {text.short_node(record.node)} no longer held for {_size(record, look)}"
    return EventText("UNRESERVE", "held", what, application=record.container[0], node=record.node)


def _warned(record: Any, look: Look) -> EventText:
    what = f"{_container(record.container, look)} of {record.queue} will be preempted, {text.memory(record.memory_mb)}"
    return EventText("WARN", "watch", what, application=_owner(record.container, look), node=record.node)


def _killed(record: Any, look: Look) -> EventText:
    cause = record.cause.lower().replace("_", " ")
    what = f"{_container(record.container, look)} on {text.short_node(record.node)}: {cause}"
    return EventText("KILL", "alarm", what, application=_owner(record.container, look), node=record.node)


def _completed(record: Any, look: Look) -> EventText:
    how = "done" if record.exit_status == 0 else f"exit {record.exit_status}"
    what = f"{_container(record.container, look)} on {text.short_node(record.node)} {how}"
    style = "text" if record.exit_status == 0 else "alarm"
    return EventText("END", style, what, application=_owner(record.container, look), node=record.node)


def _transitioned(record: Any, look: Look) -> EventText:
    where = f" in {text.short_queue(record.queue)}" if record.queue else ""
    detail = f": {text.plain(record.detail)}" if record.detail else ""
    style = {"FAILED": "alarm", "KILLED": "alarm", "RUNNING": "good", "FINISHED": "good"}.get(record.state, "held")
    return EventText("STATE", style, f"{record.state}{where}{detail}", application=record.application)


def _acted(record: Any, look: Look) -> EventText:
    """Somebody outside, or a fault of the scenario, did something: the action's own words in capitals."""
    act = dict(record.action)
    kind = act.pop("kind")
    fields = _by_fields(kind, act)
    named = _spaced(kind)
    words = [
        _value(value) if name == "on" or name in named.split() else f"{name} {_value(value)}"
        for name, value in act.items()
        if value not in (None, "", ())
    ]
    return EventText(
        "ACT",
        "held",
        f"{named} {', '.join(words)}",
        application=fields.application,
        node=fields.node,
    )


def _submitted(record: Any, look: Look) -> EventText:
    where = f" to {record.queue}" if record.queue else ""
    if record.rejected:
        return EventText(
            "REFUSED", "alarm", f"{text.plain(record.name)} of {record.user}{where}: {record.detail or record.rejected}"
        )
    what = f"{text.plain(record.name)} by {record.user}{where}, {record.type}"
    return EventText("SUBMIT", "held", what, application=record.application)


def _refused(record: Any, look: Look) -> EventText:
    what = f"{_spaced(record.event)}: {record.detail or record.rejected}"
    return EventText("REFUSED", "alarm", what, application=record.application or None)


def _asked(record: Any, look: Look) -> EventText:
    if not record.count:
        return EventText(
            "ASK", "text", f"asks for nothing more at priority {record.priority}", application=record.application
        )
    size = text.amounts((record.memory_mb, record.vcores), look.dimensions)
    return EventText(
        "ASK", "text", f"asks for {record.count}x{size} at priority {record.priority}", application=record.application
    )


def _started(record: Any, look: Look) -> EventText:
    what = f"{_container(record.container, look)} runs on {text.short_node(record.node)}"
    return EventText("START", "text", what, application=_owner(record.container, look), node=record.node)


def _alert(record: Any, look: Look) -> EventText:
    style = {"frozen": "alarm", "over": "good"}.get(record.kind, "watch")
    number = record.applications[0] if record.applications else None
    return EventText("ALERT", style, text.plain(record.sentence), application=number)


def _draining(record: Any, look: Look) -> EventText:
    return EventText(
        "DRAIN", "watch", f"node {text.short_node(record.node)} gets no further containers", node=record.node
    )


def _joined(record: Any, look: Look) -> EventText:
    size = text.amounts((record.memory_mb, record.vcores), look.dimensions)
    return EventText(
        "JOIN", "good", f"node {text.short_node(record.node)} with {size}, {record.rack}", node=record.node
    )


def _lost(record: Any, look: Look) -> EventText:
    return EventText(
        "LOST", "alarm", f"node {text.short_node(record.node)} is {record.state.lower()}", node=record.node
    )


def _resized(record: Any, look: Look) -> EventText:
    size = text.amounts((record.memory_mb, record.vcores), look.dimensions)
    return EventText("RESIZE", "held", f"node {text.short_node(record.node)} has {size} now", node=record.node)


def _relabelled(record: Any, look: Look) -> EventText:
    where = f"partition {record.partition}" if record.partition else "the default partition"
    return EventText("LABEL", "held", f"node {text.short_node(record.node)} moved to {where}", node=record.node)


_SENTENCES: dict[str, Callable[[Any, Look], EventText]] = {
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
    "Alert": _alert,
    "Draining": _draining,
    "NodeJoined": _joined,
    "NodeLost": _lost,
    "NodeRelabelled": _relabelled,
    "NodeResized": _resized,
}
"""Kind of event → its sentence, from its fields as attributes; any other event is put into words by its fields."""


def event_text(row: EventRow, look: Look) -> EventText:
    """One event in words."""
    sentence_of = _SENTENCES.get(row.kind)
    return sentence_of(SimpleNamespace(**row.fields), look) if sentence_of else _by_fields(row.kind, row.fields)


def _by_fields(kind: str, fields: Mapping[str, Any]) -> EventText:
    """An event this file has no sentence for: its kind and its fields."""
    words = ", ".join(f"{name} {_value(value)}" for name, value in fields.items() if value not in (None, "", ()))
    number, node = fields.get("application"), fields.get("node")
    return EventText(
        kind.upper()[:9],
        "held",
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
    """To the millisecond; of another day the weekday instead of these."""
    return text.near_instant(row.time_ms, look.now_ms, look.offset_ms)[:width], "faint"


def _verb(row: EventRow, look: Look, width: int) -> Span:
    one = event_text(row, look)
    return one.verb, one.style


def _application(row: EventRow, look: Look, width: int) -> Span:
    number = event_text(row, look).application
    return "" if number is None else f"{number:04d}", "strong"


def _sentence(row: EventRow, look: Look, width: int) -> Span:
    return event_text(row, look).sentence, "text"


COLUMNS: tuple[Column[EventRow], ...] = (
    Column("TIME", 12, 1, _time),
    Column("WHAT", 9, 0, _verb),
    Column("APP", 6, 0, _application),
    Column("", 20, 0, _sentence, grow=1),
)


def details(row: EventRow, look: Look) -> list[Spans]:
    """What the strip says about one event: the whole sentence."""
    one = event_text(row, look)
    when = f"{text.clock(row.time_ms, look.offset_ms)}.{row.time_ms % 1000:03d}"
    about = "" if one.application is None else f"  application {one.application:04d}"
    return [[(when, "strong"), ("  ", "text"), (one.verb, one.style), (about, "strong")], [(one.sentence, "text")]]


# The pane


def pinned(picture: Picture, look: Look) -> tuple[Spans, ...]:
    """The last allocation before the freeze that stands; nothing where there is none, or it is no longer kept."""
    freeze = frozen_of(picture)
    if freeze is None:
        return ()
    events = picture.events
    end = bisect_right(events, freeze.found_ms, key=lambda row: row.time_ms)
    last = next((row for row in (events[place] for place in range(end - 1, -1, -1)) if row.kind == "Allocated"), None)
    if last is None:
        return ()
    record = SimpleNamespace(**last.fields)
    number = _owner(record.container, look)
    head: Spans = [
        (text.near_clock(last.time_ms, look.now_ms, look.offset_ms), "text"),
        ("  LAST ALLOC", "strong"),
        ("" if number is None else f" {number:04d}", "text"),
    ]
    ago = text.duration(look.now_ms - last.time_ms)
    where = f" {_size(record, look)} on {look.node_name(record.node)}"
    return [*head, (f"{where}; nothing since, for {ago}", "text")], [*head, (f"; nothing for {ago}", "text")]


def _app_words(row: EventRow, look: Look) -> str:
    number = event_text(row, look).application
    return "" if number is None else str(number)


FIELDS = (
    RowField("verb", "", TEXT, lambda row, look: event_text(row, look).verb, "what happened"),
    RowField("app", "", TEXT, _app_words, "application"),
    RowField("node", "", TEXT, lambda row, look: event_text(row, look).node or "", "node"),
    RowField("text", "", TEXT, lambda row, look: event_text(row, look).sentence, "sentence"),
    RowField("ago", "", SPAN, lambda row, look: look.now_ms - row.time_ms, "how long ago"),
)


def is_problem(row: EventRow, look: Look) -> bool:
    """Whether something was lost, refused, reserved or warned of."""
    return event_text(row, look).style in {"alarm", "watch"}


def _about(row: EventRow, look: Look) -> Sequence[Reference]:
    what = event_text(row, look)
    application = [] if what.application is None else [Reference(APPLICATION, what.application)]
    return (*application, *([] if what.node is None else [Reference(NODE, what.node)]))


def _facts(row: EventRow, look: Look) -> list[str]:
    """What it says, when, and what its record holds."""
    what = event_text(row, look)
    head = [
        "WHAT",
        *pair("what happened", [f"{what.verb}: {what.sentence}"]),
        *pair("when", [f"{text.date(row.time_ms, look.offset_ms)} {text.instant(row.time_ms, look.offset_ms)}"]),
        *pair("", [f"{text.duration(look.now_ms - row.time_ms)} ago"]),
    ]
    record = ["RECORD", *pair("kind", [row.kind])]
    for name, value in row.fields.items():
        record += pair(label(name), value_lines(name, value, look))
    return joined([head, record])


def _rows(picture: Picture, arrangement: Arrangement) -> Rows:
    return picture.events, arrangement


NOUN = Noun(
    "events",
    "Events",
    Source(_rows, lambda picture: picture.events_version),
    COLUMNS,
    identity,
    details,
    "Nothing has happened yet. t makes a step.",
    table="events",
    criteria=Criteria(FIELDS, is_problem),
    about=_about,
    enter_help="Go to the application the event is about, else to its node.",
    facts=_facts,
    follows=True,
    pinned=pinned,
)


def events_of(thing: Reference, title: str, picture: Picture) -> Filter:
    """A scope that keeps the events about a thing; those of a queue or user are those of their applications."""
    key = str(thing.key)
    if thing.kind == NODE:
        return Filter(title, (lambda row, look: event_text(row, look).node == key,))
    if thing.kind == APPLICATION:
        return Filter(title, (lambda row, look: event_text(row, look).application == thing.key,))
    if thing.kind == USER:
        return Filter(title, (_OfSome(picture, "user", lambda name: name == key),))
    assert thing.kind == QUEUE, f"there are no events of a {thing.kind}"
    return Filter(title, (_OfSome(picture, "queue", lambda queue: is_under(queue, key)),))


class _OfSome:
    """Whether an event is about one of some applications; later ones are learnt from the events themselves."""

    def __init__(self, picture: Picture, field: str, keeps: Callable[[str], bool]) -> None:
        """Those whose `field`, which records have under the same name, is to be kept."""
        self._field, self._keeps = field, keeps
        self._numbers = {r.number for r in picture.snapshot.applications(why=False) if keeps(getattr(r, field))}

    def __call__(self, row: EventRow, look: Look) -> bool:
        number, value = event_text(row, look).application, row.fields.get(self._field)
        if isinstance(value, str) and self._keeps(value):
            if number is not None:
                self._numbers.add(number)
            return True
        return number in self._numbers
