"""The events about a queue, an application, a node or a user, as a filter of the events pane."""

from collections.abc import Callable

from engine.model.queue import is_under
from tui.picture import EventRow, Picture
from tui.render.event_words import event_text
from tui.render.filter import Filter
from tui.render.line import Look
from tui.render.noun import Reference
from tui.render.scope import APPLICATION, NODE, QUEUE, USER


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
