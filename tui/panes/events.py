"""Events: what the scheduler decided, what an operator did, what changed; rows, their fields, what they lead to."""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import msgspec

from engine.model.decision import ContainerId
from engine.model.identity import epoch_and_count
from engine.model.request import is_under
from engine.observe.mr1_snapshot import attempt_words
from engine.observe.snapshots import SPARK, SystemTerms, terms_for, translate_terms
from tui.panes.arrangement import Filter, SortFilter
from tui.panes.field import (
    APPLICATION,
    NODE,
    QUEUE,
    SPAN,
    USER,
    Draw,
    RowField,
    RowFields,
    joined,
    label,
    pair,
    text_cell,
    value_lines,
)
from tui.panes.fragments import Fragment, Fragments, RenderContext
from tui.panes.header import frozen_of
from tui.panes.pane_view import PaneView, Reference, Rows, RowSource, by_row
from tui.panes.table import Column
from tui.protocol.picture import EventRow, SessionState
from tui.terminal import format as text
from tui.terminal.format import DOT, TIMES


class EventText(NamedTuple):
    verb: str  # one word in capitals
    style: str  # how bad it is, as a token: `alarm`, `watch`, `held`, `text` or `good`
    sentence: str
    application: int | None = None  # number of the application it is about
    node: str | None = None  # id of the node it is about


class _Said(SimpleNamespace):
    """The fields of a record, and what is said of several of them; `w` are the words of its kind of cluster."""

    look: RenderContext

    @property
    def w(self) -> Any:
        return terms_for(self.look.dimensions)

    @property
    def who(self) -> str:
        """A container; of Spark's Master it is an executor, or a driver where its attempt is 0."""
        container = self.container
        if "map_slots" in self.look.dimensions:
            return attempt_words(container)
        if "cores" in self.look.dimensions:
            return f"executor {container[2]}" if container[1] else f"driver {container[0]}"
        epoch, count = epoch_and_count(container[2])
        return f"container {f'e{epoch:02d}_' if epoch else ''}{count}"

    @property
    def at(self) -> str:
        return self.look.node_name(self.node)

    @property
    def the_node(self) -> str:
        return f"{self.w.node} {self.at}"

    @property
    def amount(self) -> str:
        return size(self, self.look)

    @property
    def near(self) -> str:
        return {"NODE_LOCAL": f" (its {self.w.node})", "RACK_LOCAL": " (its rack)"}.get(self.locality, "")

    @property
    def rank(self) -> str:
        if self.w.ranks_asks:
            return f" at priority {self.priority}"
        return " in all" if self.count else ""  # a driver tells Spark's Master how many it wants together

    @property
    def named(self) -> str:
        return text.plain(self.name)

    @property
    def why(self) -> str:
        return str(self.detail or self.rejected)


def owner(container: ContainerId, look: RenderContext) -> int | None:
    """The application's number; None for a driver, which is none's."""
    return None if "cores" in look.dimensions and not container[1] else container[0]


def size(record: Any, look: RenderContext) -> str:
    second = record.vcores if hasattr(record, "vcores") else record.cores
    return text.amounts((record.memory_mb, second), look.dimensions)


_GOOD = {"FAILED": "alarm", "KILLED": "alarm", "RUNNING": "good", "FINISHED": "good", "SUCCEEDED": "good"}
_ALERTS = {"frozen": "alarm", "over": "good"}


def _state(r: _Said) -> str:
    return (
        str(r.state)
        + (f" in {text.short_queue(r.queue)}" if r.queue else "")
        + (f": {text.plain(r.detail)}" if r.detail else "")
    )


def _submitted(r: _Said) -> str:
    where = f" to {r.queue}" if r.queue else ""
    return f"{r.named} of {r.user}{where}: {r.why}" if r.rejected else f"{r.named} by {r.user}{where}, {r.type}"


def act_words(action: Mapping[str, Any], terms: SystemTerms) -> str:
    """An act by its fields and, under `kind`, its class."""
    named = _spaced(action["kind"])
    words = []
    for name, value in action.items():
        label, unit = (name[:-3], name[-3:]) if name[-3:] in _IN_UNITS else (name, "")
        if name != "kind" and value not in (None, "", ()):
            said = _IN_UNITS[unit](value) if unit else _value(value)
            words.append(said if name in ("on", "key", *named.split()) else f"{translate_terms(label, terms)} {said}")
    return f"{translate_terms(named, terms)} {', '.join(words)}".rstrip()


_IN_UNITS: Final[Mapping[str, Callable[[int], str]]] = {"_ms": text.duration, "_mb": text.memory}


Style = str | Callable[[_Said], str]
_SENTENCES: dict[str, tuple[Style, Style, Callable[[_Said], str]]] = {
    "Allocated": ("ALLOC", "good", lambda r: f"{r.who} on {r.at}, {r.amount}{r.near}"),
    "Reserved": ("RESERVE", "watch", lambda r: f"{r.at} reserved for {r.amount}"),
    "Unreserved": ("UNRESERVE", "held", lambda r: f"{r.at} no longer reserved for {r.amount}"),
    "Warned": ("WARN", "watch", lambda r: f"{r.who} of {r.queue} will be preempted, {text.memory(r.memory_mb)}"),
    "Killed": ("KILL", "alarm",
               lambda r: f"{r.who} on {r.at}: {translate_terms(r.cause.lower().replace('_', ' '), r.w)}"),
    "Completed": ("END", lambda r: "alarm" if r.exit_status else "text",
                  lambda r: f"{r.who} on {r.at} {f'exit {r.exit_status}' if r.exit_status else 'completed'}"),
    "ApplicationTransitioned": ("STATE", lambda r: _GOOD.get(r.state, "held"), _state),
    "Acted": ("ACT", "held", lambda r: act_words(r.action, r.w)),
    "Submitted": (lambda r: "REFUSED" if r.rejected else "SUBMIT",
                  lambda r: "alarm" if r.rejected else "held", _submitted),
    "DriverQueued": ("SUBMIT", "held", lambda r: f"driver {r.driver} {r.named} by {r.user}, {r.amount}"),
    "Refused": ("REFUSED", "alarm", lambda r: f"{_spaced(r.event)}: {r.why}"),
    "Asked": ("ASK", "text",
              lambda r: f"asks for {text.times(r.count, r.amount) if r.count else 'nothing more'}{r.rank}"),
    "Started": ("START", "text", lambda r: f"{r.who} runs on {r.at}"),
    "Alert": ("ALERT", lambda r: _ALERTS.get(r.kind, "watch"), lambda r: text.plain(r.sentence)),
    "Draining": ("DRAIN", "watch", lambda r: f"{r.the_node} gets no further {r.w.container}s"),
    "NodeJoined": ("JOIN", "good", lambda r: f"{r.the_node} with {r.amount}" + (f", {r.rack}" if r.w != SPARK else "")),
    "NodeLost": ("LOST", "alarm", lambda r: f"{r.the_node} is {r.state.lower()}"),
    "NodeRegisteredAgain": ("JOIN", "good",
                            lambda r: f"{r.the_node} registers again"
                            f" with {text.plural(len(r.containers), r.w.container)}"),
    "NodeRelabelled": ("LABEL", "held", lambda r: f"{r.the_node} moved to "
                       f"{f'partition {r.partition}' if r.partition else 'the default partition'}"),
    "NodeResized": ("RESIZE", "held", lambda r: f"{r.the_node} has {r.amount} now"),
    **dict.fromkeys(("JobTrackerStarted", "ResourceManagerStarted"),
                    ("UP", "good", lambda r: f"a {r.w.master} answers again")),
    **dict.fromkeys(("JobTrackerStopped", "ResourceManagerStopped"),
                    ("DOWN", "alarm", lambda r: f"no {r.w.master} answers"
                     + (f": {r.cause.lower()}" if getattr(r, 'cause', '') else ""))),
}  # fmt: skip
"""Kind of event → verb, style, sentence; any other event is put into words by its fields."""


def event_text(row: EventRow, look: RenderContext) -> EventText:
    fields, found = row.fields, _SENTENCES.get(row.kind)
    if found is None:
        words = ", ".join(f"{name} {_value(value)}" for name, value in fields.items() if value not in (None, "", ()))
        return EventText(row.kind.upper()[:9], "held", words, *_event_words_about(fields, look))
    said = _Said(**fields, look=look)
    verb, style, sentence = (one(said) if callable(one) else one for one in found)
    is_nobody = verb == "REFUSED" and row.kind == "Submitted"  # it never became an application
    acted = fields.get("action")
    told = acted if isinstance(acted, Mapping) else fields
    return EventText(verb, style, sentence, *_event_words_about({} if is_nobody else told, look))


def _event_words_about(fields: Mapping[str, Any], look: RenderContext) -> tuple[int | None, str | None]:
    number, node = fields.get("application"), fields.get("node")
    if "container" in fields and not isinstance(fields["container"], str):
        number = owner(fields["container"], look)
    elif fields.get("applications"):
        number = fields["applications"][0]
    return (number or None) if isinstance(number, int) else None, node if isinstance(node, str) else None


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


SECOND_MS: Final = 1000
CUTS_FROM: Final = 40  # Bit of a version of the present from which on it counts how often the run was cut


class RepeatedEvent(EventRow, frozen=True, kw_only=True):
    """Events of one second that differ in nothing but their container: the first of them, and how many they are."""

    times: int = 1


class EventFolds:
    """The events of a run, those that repeat as one; what was folded before is not looked at again."""

    def __init__(self) -> None:
        self._known: tuple[object, ...] = ()  # Which run they are of: its cuts, its first event, the last seen
        self._last = -1
        self._rows: list[RepeatedEvent] = []

    def of(self, events: Sequence[EventRow], version: int) -> Sequence[RepeatedEvent]:
        """The events as rows, oldest first; `version` is that of the picture."""
        if not events:
            return ()
        place = bisect_right(events, self._last, key=lambda row: row.sequence)
        run = version >> CUTS_FROM if version >= 0 else version
        if not place or (run, events[0], events[place - 1]) != self._known:
            place, self._rows = 0, []
        rows = list(self._rows)
        for row in islice(events, place, None):
            last = rows[-1] if rows else None
            if last is not None and _what(last) == _what(row):
                rows[-1] = msgspec.structs.replace(last, times=last.times + 1)
            else:
                rows.append(RepeatedEvent(row.sequence, row.time_ms, row.kind, row.fields))
        self._known, self._last, self._rows = (run, events[0], events[-1]), events[-1].sequence, rows
        return rows


def _what(row: EventRow) -> tuple[object, ...]:
    """Return what is alike in events that repeat: all but the container, whose application counts."""
    container = row.fields.get("container")
    owner = container[:1] if isinstance(container, tuple) else container
    rest = {name: value for name, value in row.fields.items() if name != "container"}
    return row.time_ms // SECOND_MS, row.kind, owner, rest


_folds = EventFolds()


def events_of(thing: Reference, title: str, picture: SessionState) -> Filter:
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
    """Tells whether an event is about one of some applications; later ones are learnt from the events themselves."""

    def __init__(self, picture: SessionState, field: str, keeps: Callable[[str], bool]) -> None:
        self._field, self._keeps = field, keeps
        self._numbers = {r.number for r in picture.snapshot.applications(why=False) if keeps(getattr(r, field))}

    def __call__(self, row: EventRow, look: RenderContext) -> bool:
        number, value = event_text(row, look).application, row.fields.get(self._field)
        if isinstance(value, str) and self._keeps(value):
            if number is not None:
                self._numbers.add(number)
            return True
        return number in self._numbers


# To the second; of another day with the weekday.
_time: Draw[EventRow] = text_cell(lambda row, look: text.near_clock(row.time_ms, look.now_ms, look.offset_ms), "soft")


def _verb(row: EventRow, look: RenderContext, width: int) -> Fragment:
    return f"{event_text(row, look).verb:10}", "text" if is_problem(row, look) else "soft"


def _application(row: EventRow, look: RenderContext, width: int) -> Fragment:
    number = event_text(row, look).application
    return "" if number is None else text.short_number(number), "text"


def _sentence(row: RepeatedEvent, look: RenderContext, width: int) -> Fragment:
    return f"{f'{TIMES}{row.times} ' if row.times > 1 else ''}{event_text(row, look).sentence}", "soft"


def _details(row: RepeatedEvent, look: RenderContext) -> list[Fragments]:
    one = event_text(row, look)
    when = f"{text.clock(row.time_ms, look.offset_ms)}.{row.time_ms % 1000:03d}"
    about = ""
    if one.application is not None:
        about = f"  {terms_for(look.dimensions).application} {text.short_number(one.application)}"
    alike = f"; the first of {row.times} alike in this second" if row.times > 1 else ""
    return [[(when, "text"), (f"  {one.verb}", "strong"), (about, "text")], [(f"{one.sentence}{alike}", "text")]]


def pinned(picture: SessionState, look: RenderContext) -> tuple[Fragments, ...]:
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
    number = owner(record.container, look)
    head: Fragments = [
        (text.near_clock(last.time_ms, look.now_ms, look.offset_ms), "text"),
        ("  LAST ALLOC", "strong"),
        ("" if number is None else f" {text.short_number(number)}", "text"),
    ]
    ago = text.duration(look.now_ms - last.time_ms)
    where = f" {size(record, look)} on {look.node_name(record.node)}"
    return [*head, (f"{where}; nothing since, for {ago}", "text")], [*head, (f" nothing since, for {ago}", "text")]


FIELDS: RowFields[Any] = RowFields(
    (
        RowField(
            "verb",
            help="what happened",
            own=lambda row, look: event_text(row, look).verb,
            column=Column("WHAT", 11, 0, _verb),
        ),
        RowField(
            "app",
            help="application",
            own=lambda row, look: str(event_text(row, look).application or ""),
            column=Column("APP", 8, 0, _application, gap=1),
        ),
        RowField("node", help="node", own=lambda row, look: event_text(row, look).node or ""),
        RowField(
            "text",
            help="sentence",
            own=lambda row, look: event_text(row, look).sentence,
            column=Column("", 60, 0, _sentence, grow=1, least=20, gap=1, repeats=False),
        ),
        RowField("ago", "time_ms", SPAN, help="how long ago", column=Column("TIME", 12, 0, _time)),
        RowField(
            "ms",
            column=Column(
                "MS", 3, 5, text_cell(lambda row, look: f"{row.time_ms % 1000:03d}", "faint"), gap=1, repeats=False
            ),
        ),
    )
)
COLUMNS = FIELDS.columns("ago ms verb app text")  # Milliseconds stand where the sentence has plenty of room


def is_problem(row: EventRow, look: RenderContext) -> bool:
    """True for an event that loses, refuses or reserves something, or warns."""
    return event_text(row, look).style in {"alarm", "watch"}


def _refers_to(row: EventRow, look: RenderContext) -> Sequence[Reference]:
    what = event_text(row, look)
    application = [] if what.application is None else [Reference(APPLICATION, what.application)]
    return (*application, *([] if what.node is None else [Reference(NODE, what.node)]))


def _facts(row: EventRow, look: RenderContext) -> list[str]:
    what = event_text(row, look)
    head = [
        "WHAT",
        *pair("what happened", [f"{what.verb}: {what.sentence}"]),
        *pair("when", [text.moment(row.time_ms, look.offset_ms)]),
        *pair("", [f"{text.duration(look.now_ms - row.time_ms)} ago"]),
    ]
    record = ["RECORD", *pair("kind", [row.kind])]
    for name, value in row.fields.items():
        record += pair(label(name), value_lines(name, value, look))
    return joined([head, record])


def _rows(picture: SessionState, arrangement: SortFilter) -> Rows:
    return _folds.of(picture.events, picture.events_version), arrangement


def _size(rows: Sequence[RepeatedEvent], picture: SessionState, arrangement: SortFilter) -> str:
    number = sum(row.times for row in rows)  # as the tab says
    return f"{number} {DOT} newest first" if not arrangement.sort else str(number)


VIEW = PaneView(
    name="events",
    title="Events",
    source=RowSource(_rows, lambda picture: picture.events_version),
    columns=COLUMNS,
    pinned=pinned,
    identity=lambda row: str(row.sequence),
    details=by_row(_details),
    criteria=FIELDS.criteria(is_problem),
    facts=_facts,
    is_newest_first=True,
    is_linked=True,
    empty_text="Nothing has happened yet. t makes a step.",
    size=_size,
    refers_to=_refers_to,
    enter_help="Go to the application the event is about, else to its node.",
)
