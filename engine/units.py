"""Reads amounts (memory, durations, shares, instants) into the engine's integers and writes them back.

Memory is MB, durations and instants are ms. Everything refuses what it cannot represent exactly: a third of a MB or
of a ms is a mistake to show, not to round.
"""

import re
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from fractions import Fraction
from typing import Final

from typing_extensions import TypeIs

from engine.errors import ConfigError, quoted, shortened

# Instants as moments of a place, and spans of time in words.
#
# An instant is ms since 1970-01-01 UTC. `units` reads instants and durations; `tui.terminal.format` writes them for
# the screen.

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

    >>> span(0), span(3_599_999), span(3_600_000), span(-4_000)
    ('0m00s', '59m59s', '1h00m', '-0m04s')
    """
    sign, rest = ("-", -duration_ms) if duration_ms < 0 else ("", duration_ms)
    hours, minutes, seconds = rest // 3_600_000, rest // 60_000 % 60, rest // 1000 % 60
    return f"{sign}{hours}h{minutes:02d}m" if hours else f"{sign}{minutes}m{seconds:02d}s"


_G: Final = 1024
_T: Final = 1024 * 1024
MB_PER: Final = {"": 1, "m": 1, "mb": 1, "mib": 1, "g": _G, "gb": _G, "gib": _G, "t": _T, "tb": _T, "tib": _T}
"""MB in one of each memory unit; binary, as Hadoop and Spark count."""

MS_PER: Final = {"ms": 1, "s": 1000, "sec": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
"""Milliseconds in one of each duration unit."""

CENTURY_MS: Final = 100 * 366 * 86_400_000  # Longer than any run, and short enough for every calendar
_LONGEST: Final = 40  # More characters than any amount needs
_DAY_MS: Final = 86_400_000
_NUMBER: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)\s*")
_CLOCK: Final = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?")
_SCALE: Final = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1))


def _written(amount: object) -> str:
    """An amount in lower case without blanks around it; empty where it is too long to be one."""
    if isinstance(amount, int) and amount.bit_length() > _LONGEST * 3:
        return ""
    text = str(amount)
    return text.strip().lower() if len(text) <= _LONGEST else ""


class UnitError(ValueError):
    """A text is not an amount of the kind expected; the message says what would be."""


def parse_memory(text: str | int) -> int:
    """Read an amount of memory [MB]; a bare number is MB already.

    >>> parse_memory("64g"), parse_memory("1.5 GB"), parse_memory("64000"), parse_memory(512)
    (65536, 1536, 64000, 512)
    >>> parse_memory("64q")
    Traceback (most recent call last):
    engine.units.UnitError: '64q' is not an amount of memory; write 512m, 64g, 1.5t or MB without a unit

    Raises:
        UnitError: not a number with a memory unit, negative, or not a whole number of MB.
    """
    wrong = UnitError(f"{quoted(text)} is not an amount of memory; write 512m, 64g, 1.5t or MB without a unit")
    match = _NUMBER.fullmatch(_written(text))
    if match is None or match[2] not in MB_PER:
        raise wrong
    amount = Fraction(match[1]) * MB_PER[match[2]]
    if amount.denominator != 1:
        raise UnitError(f"{quoted(text)} is not a whole number of MB")
    return int(amount)


def format_memory(memory_mb: int) -> str:
    """Write memory so that `parse_memory` reads the same number back.

    >>> format_memory(1024), format_memory(64000), format_memory(1048576), format_memory(0)
    ('1g', '62.5g', '1t', '0m')
    >>> format_memory(1000)
    '1000m'
    """
    for unit, size in (("t", _T), ("g", _G)):
        tenths = memory_mb * 10
        if memory_mb >= size and tenths % size == 0:
            whole, tenth = divmod(tenths // size, 10)
            return f"{whole}.{tenth}{unit}" if tenth else f"{whole}{unit}"
    return f"{memory_mb}m"


def parse_duration(text: str | float) -> int:
    """Read a duration [ms]; a bare number is seconds.

    >>> parse_duration("1h30m"), parse_duration("500ms"), parse_duration("1.5s"), parse_duration(90)
    (5400000, 500, 1500, 90000)
    >>> parse_duration("soon")
    Traceback (most recent call last):
    engine.units.UnitError: 'soon' is not a duration; write 90s, 30m, 1h30m, 500ms or seconds without a unit

    Raises:
        UnitError: not numbers with time units, negative, or finer than 1 ms.
    """
    wrong = UnitError(f"{quoted(text)} is not a duration; write 90s, 30m, 1h30m, 500ms or seconds without a unit")
    rest = _written(text)
    parts = list(_NUMBER.finditer(rest))
    if not parts or "".join(part[0] for part in parts) != rest:
        raise wrong
    total = Fraction(0)
    for part in parts:
        unit = part[2] or ("s" if len(parts) == 1 else "?")
        if unit not in MS_PER:
            raise wrong
        total += Fraction(part[1]) * MS_PER[unit]
    if total.denominator != 1:
        raise UnitError(f"{quoted(text)} is not a whole number of milliseconds")
    return int(total)


def parse_whole(text: str) -> int:
    """Read a whole number that is not negative. Raises UnitError if it is none."""
    if not text.isascii() or not text.isdigit():
        raise UnitError(f"{text!r} is not a whole number")
    return int(text)


def format_duration(duration_ms: int) -> str:
    """Write a duration so that `parse_duration` reads the same number back.

    >>> format_duration(5_400_000), format_duration(1500), format_duration(0)
    ('1h30m', '1s500ms', '0s')
    """
    parts = []
    rest = duration_ms
    for unit, size in _SCALE:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


def parse_instant(text: str | float | time | datetime, start: datetime | None = None) -> int:
    """Read an instant as ms after `start`.

    Seconds and durations count from the start (`90`, `+30m`, `-5m`); a time of day (`09:00`, `09:00:30.500`) is its
    first occurrence at or after the start, in the start's time zone; a date and time is that instant.

    >>> start = datetime.fromisoformat("2017-11-11T08:30:00+08:00")
    >>> [parse_instant(text, start) for text in ("09:00", "+30m", 1800, "08:00")]
    [1800000, 1800000, 1800000, 84600000]
    >>> parse_instant("2017-11-11 09:00", start)
    1800000

    Raises:
        UnitError: none of these, or a time of day without a start to count from.
    """
    if isinstance(text, datetime):
        return _since(text, start)
    if isinstance(text, time):
        text = text.isoformat("milliseconds")
    plain = _written(text)
    clock = _CLOCK.fullmatch(plain)
    if clock is not None:
        return _time_of_day(clock, start)
    if re.match(r"\d{4}-\d{2}-\d{2}[ t]", plain):
        try:
            return _since(datetime.fromisoformat(plain.upper()), start)
        except ValueError:
            raise UnitError(f"{quoted(text)} is not a date and time; write 2017-11-11 09:00") from None
    sign = -1 if plain.startswith("-") else 1
    try:
        return sign * parse_duration(plain.lstrip("+-") if plain[:1] in "+-" else plain)
    except UnitError:
        raise UnitError(f"{quoted(text)} is not a time; write 09:00, +30m or seconds after the start") from None


def parse_instant_option(text: str, start: datetime, key: str, *, first_ms: int = 0, last_ms: int | None = None) -> int:
    """An instant that a user gave [ms after `start`].

    Args:
        key: The option it was given as, for the problem.
        first_ms: The earliest instant allowed, ms after `start`.
        last_ms: The latest instant allowed, ms after `start`; None for a century after it.

    Raises:
        ConfigError: With one problem: it is no instant, or before the earliest or after the latest one allowed. So is a
            time of day less than half a day before `start`: whoever gives it hardly means that of the next day.
    """
    try:
        time_ms = parse_instant(text, start)
    except UnitError as error:
        raise ConfigError.of(str(error), key=key) from None
    if time_ms > _DAY_MS // 2 and _CLOCK.fullmatch(_written(text)) is not None:
        moment = start + timedelta(milliseconds=time_ms)
        if moment.date() != start.date():
            hint = f"the next day's is {moment:%Y-%m-%d %H:%M:%S}"
            raise ConfigError.of(f"{shortened(text)} is before the start, {start:%H:%M:%S}", key=key, hint=hint)
    if time_ms < first_ms:
        raise ConfigError.of(f"{shortened(text)} is before the start", key=key)
    if time_ms > (CENTURY_MS if last_ms is None else last_ms):
        end = "a century" if last_ms is None else format_duration(last_ms)
        raise ConfigError.of(f"{shortened(text)} is after the end, {end} after the start", key=key)
    return time_ms


def _time_of_day(clock: re.Match[str], start: datetime | None) -> int:
    if start is None:
        raise UnitError(f"'{clock[0]}' is a time of day, but there is no start to count from; write +30m or seconds")
    hour, minute, second = int(clock[1]), int(clock[2]), int(clock[3] or 0)
    if hour > 23 or minute > 59 or second > 59:
        raise UnitError(f"{quoted(clock[0])} is not a time of day")
    micro = int((clock[4] or "0").ljust(3, "0")) * 1000
    wanted = start.replace(hour=hour, minute=minute, second=second, microsecond=micro)
    return (wanted - start) // timedelta(milliseconds=1) % _DAY_MS


def _since(moment: datetime, start: datetime | None) -> int:
    """Ms from `start` to `moment`, which takes the start's time zone when it has none."""
    if start is None:
        raise UnitError(f"{moment} is a date, but there is no start to count from; write +30m or seconds")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=start.tzinfo)
    return (moment - start) // timedelta(milliseconds=1)


def is_number(value: object) -> TypeIs[int | float]:
    """Tell whether it is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def plural(number: int, noun: str) -> str:
    """A number with its noun.

    >>> plural(1, "node"), plural(3, "node")
    ('1 node', '3 nodes')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
