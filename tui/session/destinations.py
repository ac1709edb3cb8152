"""Finds where the keys of time lead in a past, a simulated or a recorded one."""

from datetime import datetime
from typing import Final, NamedTuple, Protocol

from engine.units import UnitError, parse_instant

PRESENT: Final = "This is the present; [ and { go into the past."
FIRST: Final = "The recorded past begins here."


class Past(Protocol):
    """A past; instants are epoch ms."""

    @property
    def first_ms(self) -> int:
        """Its begin."""

    @property
    def now_ms(self) -> int:
        """Its end."""

    def previous_record(self, time_ms: int) -> int | None:
        """Return the last instant before this one at which something happened."""

    def next_record(self, time_ms: int) -> int | None:
        """Return the first instant after this one at which something happened."""

    def previous_mark(self, time_ms: int) -> int | None:
        """Return the last instant before this one that a mark leads to; of an act, the one before it."""

    def next_mark(self, time_ms: int) -> int | None:
        """Return the first instant after this one that a mark leads to; of an act, the one before it."""


class Destination(NamedTuple):
    """The target of a move through time."""

    time_ms: int | None = None
    """The instant [epoch ms]; None is the present."""
    refusal: str = ""
    """The reason of a refusal, in words; empty where there is a target."""


def destination(
    where: str, past: Past, looked_ms: int | None, start: datetime, *, end_words: str = PRESENT
) -> Destination:
    """Find the target of a wish.

    Args:
        where: `back`, `on`: to a record; `mark.back`, `mark.on`: to an alert or act; `second`: one on; `live`: to the
            present; else a time as people write it.
        looked_ms: The instant looked at [epoch ms]; None is the present.
        start: The start of the run, from which times count.
        end_words: The refusal of a wish to go beyond the end.
    """
    if where == "live":
        return Destination()
    if looked_ms is None and where in {"on", "mark.on", "second"}:
        return Destination(refusal=end_words)
    now_ms = past.now_ms if looked_ms is None else looked_ms
    if where in {"back", "mark.back"}:
        found = past.previous_record(now_ms) if where == "back" else past.previous_mark(now_ms)
        return Destination(found) if found is not None else Destination(refusal=FIRST)
    if where in {"on", "mark.on"}:
        return Destination(past.next_record(now_ms) if where == "on" else past.next_mark(now_ms))
    return Destination(now_ms + 1000) if where == "second" else _read(where, past, start)


def _read(words: str, past: Past, start: datetime) -> Destination:
    try:
        time_ms = round(start.timestamp() * 1000) + parse_instant(words.strip(), start)
    except UnitError as error:
        return Destination(refusal=str(error))
    if time_ms > past.now_ms:
        return Destination(refusal=f"{words} has not come yet.")
    if time_ms < past.first_ms:
        return Destination(refusal=FIRST)
    return Destination(time_ms)
