"""Events: what the scheduler decided, what an operator did, what changed; rows, their fields, what they lead to."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import islice
from types import SimpleNamespace
from typing import Any, Final

import msgspec

from engine.model.queue import is_under
from engine.observe.system_words import words_of
from tui import format as text
from tui.glyphs import DOT, TIMES
from tui.picture import EventRow, Picture
from tui.render.arrangement import Arrangement
from tui.render.event_words import event_text, owner, size
from tui.render.facts import joined, label, pair, value_lines
from tui.render.field import Draw, Fields, RowField, said
from tui.render.field_kind import SPAN
from tui.render.filter import Filter
from tui.render.health import frozen_of
from tui.render.line import Look, Span, Spans
from tui.render.noun import Leads, Noun, Reference, Rows, Shape, Source, Words, by_row
from tui.render.scope import APPLICATION, NODE, QUEUE, USER
from tui.render.table import Column

SECOND_MS: Final = 1000
CUTS_FROM: Final = 40  # Bit of a version of the present from which on it counts how often the run was cut


class RepeatedEvent(EventRow, frozen=True, kw_only=True):
    """Events of one second that differ in nothing but their container: the first of them, and how many they are."""

    times: int = 1


class EventFolds:
    """The events of a run, those that repeat as one; what was folded before is not looked at again."""

    def __init__(self) -> None:
        self._known: tuple[object, ...] = ()
        """Which run they are of: how often it was cut, its first event, and the last that was looked at."""
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
    """Tells whether an event is about one of some applications; later ones are learnt from the events themselves."""

    def __init__(self, picture: Picture, field: str, keeps: Callable[[str], bool]) -> None:
        """Keep those whose `field`, which records have under the same name, is given."""
        self._field, self._keeps = field, keeps
        self._numbers = {r.number for r in picture.snapshot.applications(why=False) if keeps(getattr(r, field))}

    def __call__(self, row: EventRow, look: Look) -> bool:
        number, value = event_text(row, look).application, row.fields.get(self._field)
        if isinstance(value, str) and self._keeps(value):
            if number is not None:
                self._numbers.add(number)
            return True
        return number in self._numbers


# To the second; of another day with the weekday.
_time: Draw[EventRow] = said(lambda row, look: text.near_clock(row.time_ms, look.now_ms, look.offset_ms), "soft")


def _verb(row: EventRow, look: Look, width: int) -> Span:
    """Return the verb, as wide as `LAST ALLOC`, which may stand over it."""
    return f"{event_text(row, look).verb:10}", "text" if is_problem(row, look) else "soft"


def _application(row: EventRow, look: Look, width: int) -> Span:
    number = event_text(row, look).application
    return "" if number is None else f"{number:04d}", "text"


def _sentence(row: RepeatedEvent, look: Look, width: int) -> Span:
    return f"{f'{TIMES}{row.times} ' if row.times > 1 else ''}{event_text(row, look).sentence}", "soft"


def details(row: RepeatedEvent, look: Look) -> list[Spans]:
    """Returns the lines of the strip about one event: the whole sentence."""
    one = event_text(row, look)
    when = f"{text.clock(row.time_ms, look.offset_ms)}.{row.time_ms % 1000:03d}"
    about = "" if one.application is None else f"  {words_of(look.dimensions).application} {one.application:04d}"
    alike = f"; the first of {row.times} alike in this second" if row.times > 1 else ""
    return [[(when, "text"), (f"  {one.verb}", "strong"), (about, "text")], [(f"{one.sentence}{alike}", "text")]]


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
    number = owner(record.container, look)
    head: Spans = [
        (text.near_clock(last.time_ms, look.now_ms, look.offset_ms), "text"),
        ("  LAST ALLOC", "strong"),
        ("" if number is None else f" {number:04d}", "text"),
    ]
    ago = text.duration(look.now_ms - last.time_ms)
    where = f" {size(record, look)} on {look.node_name(record.node)}"
    return [*head, (f"{where}; nothing since, for {ago}", "text")], [*head, (f" nothing since, for {ago}", "text")]


def _app_words(row: EventRow, look: Look) -> str:
    number = event_text(row, look).application
    return "" if number is None else str(number)


FIELDS: Fields[Any] = Fields(
    (
        RowField(
            "verb",
            help="what happened",
            own=lambda row, look: event_text(row, look).verb,
            column=Column("WHAT", 11, 0, _verb),
        ),
        RowField("app", help="application", own=_app_words, column=Column("APP", 8, 0, _application, gap=1)),
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
                "MS", 3, 5, said(lambda row, look: f"{row.time_ms % 1000:03d}", "faint"), gap=1, repeats=False
            ),
        ),
    )
)
COLUMNS = FIELDS.columns("ago ms verb app text")  # Milliseconds stand where the sentence has plenty of room


def is_problem(row: EventRow, look: Look) -> bool:
    """True for an event that loses, refuses or reserves something, or warns."""
    return event_text(row, look).style in {"alarm", "watch"}


def _about(row: EventRow, look: Look) -> Sequence[Reference]:
    what = event_text(row, look)
    application = [] if what.application is None else [Reference(APPLICATION, what.application)]
    return (*application, *([] if what.node is None else [Reference(NODE, what.node)]))


def _facts(row: EventRow, look: Look) -> list[str]:
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


def _rows(picture: Picture, arrangement: Arrangement) -> Rows:
    return _folds.of(picture.events, picture.events_version), arrangement


def _size(rows: Sequence[EventRow], picture: Picture, arrangement: Arrangement) -> str:
    return f"{len(rows)} {DOT} newest first" if not arrangement.sort else str(len(rows))


NOUN = Noun(
    name="events",
    title="Events",
    source=Source(_rows, lambda picture: picture.events_version),
    shape=Shape(columns=COLUMNS, pinned=pinned),
    identity=lambda row: str(row.sequence),
    details=by_row(details),
    table="events",
    criteria=FIELDS.criteria(is_problem),
    facts=_facts,
    is_newest_first=True,
    is_linked=True,
    words=Words(nothing="Nothing has happened yet. t makes a step.", size=_size),
    leads=Leads(about=_about, enter_help="Go to the application the event is about, else to its node."),
)
