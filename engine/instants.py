"""Instants as moments of a place, and spans of time in words.

An instant is ms since 1970-01-01 UTC. `units` reads instants and durations; `tui.format` writes them for the screen.
"""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def moment_at(time_ms: int, zone: tzinfo | None = UTC) -> datetime:
    """The moment of an instant in a time zone; None is this machine's.

    >>> moment_at(1_510_363_830_343)
    datetime.datetime(2017, 11, 11, 1, 30, 30, 343000, tzinfo=datetime.timezone.utc)
    """
    moment = EPOCH + timedelta(milliseconds=time_ms)
    return moment if zone is UTC else moment.astimezone(zone)


def iso_text(time_ms: int, zone: tzinfo | None = UTC) -> str:
    """An instant with its date, milliseconds and time zone.

    >>> iso_text(1_510_363_830_343, zone_of(8 * 3_600_000))
    '2017-11-11T09:30:30.343+08:00'
    """
    return moment_at(time_ms, zone).isoformat(timespec="milliseconds")


def zone_of(offset_ms: int) -> tzinfo:
    """The time zone of a place so far east of Greenwich."""
    return timezone(timedelta(milliseconds=offset_ms))


def offset_at(time_ms: int, zone: tzinfo | None) -> int:
    """Return how far a place is east of Greenwich at an instant [ms]; None is this machine's.

    >>> offset_at(0, UTC)
    0
    """
    return round((moment_at(time_ms).astimezone(zone).utcoffset() or timedelta()).total_seconds() * 1000)


def span(duration_ms: int) -> str:
    """A span of time in words, or an instant after the beginning.

    >>> span(250_000), span(5_880_000), span(-4_000)
    ('4m10s', '1h38m', '-0m04s')
    """
    sign, rest = ("-", -duration_ms) if duration_ms < 0 else ("", duration_ms)
    hours, minutes, seconds = rest // 3_600_000, rest // 60_000 % 60, rest // 1000 % 60
    return f"{sign}{hours}h{minutes:02d}m" if hours else f"{sign}{minutes}m{seconds:02d}s"
