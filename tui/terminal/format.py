"""Text for memory, amounts, durations, times and ids, as short as operators read them; no limit `-`, unknown `?`."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from textwrap import wrap
from typing import Final, NamedTuple

from rich.cells import cell_len, set_cell_size

from engine.observe.snapshot import Amounts, Unknown
from engine.observe.snapshots import terms_for
from engine.units import moment_at
from engine.units import plural as plural  # noqa: PLC0414 -- one of the words of this module, too
from tui.terminal.edges import visible_line

# The glyphs of the screens, and what each becomes with `--ascii`.
#
# Renderers write these glyphs and nothing else, whatever the terminal: each is one cell wide. `IN_ASCII` is a table
# for `str.translate`, which `screen_edge` applies to every line. What one character cannot tell, a renderer asks of
# its `Look`: where `is_ascii` or `is_colourless` is set, containers are letters.

FRAME: Final = "─│╭╮╰╯"  # Edge, side, and the corners from the upper left on
FRAME_TEE: Final = "┬"
FOCUS_EDGE: Final = "═"  # The top edge of the focused frame where a colour may not show it
THUMB: Final = "┃"

METER_FULL: Final = "━"
METER_HALF: Final = "╸"
TRACK: Final = "─"
SHARE: Final = "│"
SHARE_ON_FILL: Final = "┃"
MINIMUM: Final = "╎"
MINIMUM_ON_FILL: Final = "┿"

BLOCK: Final = "▄"
BLOCK_LEFT: Final = "▖"
BLOCK_RIGHT: Final = "▗"
FREE: Final = "▁"
RESERVED: Final = "╌"
GONE: Final = "╌"
BLOCK_END: Final = "'"  # Where a container ends, of containers that are letters

BRAILLE: Final = 0x2800  # The braille pattern without a dot; the bits of the others are counted from it
FLAT: Final = "⣀"
GRIDLINE: Final = "┈"
MARK: Final = "┊"
CURSOR_LINE: Final = "│"
DOTTED: Final = "┄"

OK: Final = "●"
WATCH: Final = "▲"
FROZEN: Final = "■"
EVENT: Final = "◆"
QUEUE_DOT: Final = "•"
OPEN: Final = "▾"
FOLDED: Final = "▸"
CURSOR_BAR: Final = "▌"
RUNNING: Final = "►"
UP: Final = "↑"
DOWN: Final = "↓"
CRUMB: Final = "›"
TIMES: Final = "×"
NONE: Final = "–"
ARROW: Final = "→"
MINUS: Final = "−"
CUT: Final = "…"
DOT: Final = "·"

_SIGNS: Final = "╭╮╰╯┬├┤┴┼─│═┃━╸╎┿▄▖▗▁╌┈┊┄●▲■◆•▾▸▌►→←↑↓›×–—−…·"
_IN_ASCII: Final = "+++++++++-|=|=-:|#''_..:.o^#**v>>>><^v>x---~."
"""Below each of them the character that stands for it."""

_DOT_ROWS: Final = (0o11, 0o22, 0o44, 0o300)  # The bits of the four rows of dots in a braille pattern, from the top


def _braille_in_ascii(bits: int) -> str:
    """A stroke where dots are two rows apart or more, else the height of the uppermost one."""
    rows = [row for row, mask in enumerate(_DOT_ROWS) if bits & mask]
    if not rows:
        return " "
    return "|" if rows[-1] - rows[0] >= 2 else "'--_"[rows[0]]


IN_ASCII: Final = str.maketrans(_SIGNS, _IN_ASCII) | {BRAILLE + bits: _braille_in_ascii(bits) for bits in range(256)}
"""Every glyph → the character that stands for it."""


NO_LIMIT_FROM = 2**31 - 1  # Hadoop's unbounded: an amount from here on is no limit


def memory(megabytes: int) -> str:
    """Memory in the largest unit that keeps it readable.

    >>> [memory(n) for n in (0, 512, 4096, 10239, 10241, 101888, 102912, 1048575, 1048576, 1228800, 2**31 - 2, -2048)]
    ['0', '512M', '4G', '10239M', '10G', '99.5G', '100G', '1024G', '1T', '1.2T', '2048T', '-2G']
    """
    if megabytes < 0:
        return "-" + memory(-megabytes)
    if megabytes == 0:
        return "0"
    if megabytes >= NO_LIMIT_FROM:
        return "-"
    if megabytes >= 1024 * 1024:
        return _trimmed(megabytes / (1024 * 1024)) + "T"
    if megabytes % 1024 == 0 or megabytes >= 10240:
        return _trimmed(megabytes / 1024) + "G"
    return f"{megabytes}M"


def apart(*megabytes: int) -> list[str]:
    """Amounts of memory that stand in one sentence: in megabytes those that would be said alike and are not.

    >>> apart(64000, 45056), apart(64000, 63999), apart(1024, 1024)
    (['62.5G', '44G'], ['64000M', '63999M'], ['1G', '1G'])
    """
    words = [memory(one) for one in megabytes]
    said = {word: {one for one in megabytes if memory(one) == word} for word in words}
    return [f"{one}M" if len(said[word]) > 1 else word for one, word in zip(megabytes, words, strict=True)]


def _trimmed(value: float) -> str:
    """One decimal below 100, none when it is zero."""
    return f"{value:.0f}" if value >= 100 or f"{value:.1f}".endswith(".0") else f"{value:.1f}"


def dimension(name: str, amount: int) -> str:
    """One amount of a named dimension: memory in units, everything else as a count.

    >>> dimension("memory_mb", 2048), dimension("vcores", 8)
    ('2G', '8')
    """
    if amount >= NO_LIMIT_FROM:
        return "-"
    return memory(amount) if name == "memory_mb" else str(amount)


def part_of(name: str, part: int, whole: int) -> str:
    """How much of a named dimension is used; in gigabytes where both would be said alike and are not.

    >>> part_of("memory_mb", 742400, 1228800), part_of("memory_mb", 1225728, 1228800), part_of("vcores", 8, 32)
    ('725G of 1.2T', '1197G of 1.2T', '8 of 32')
    """
    words, all_words = dimension(name, part), dimension(name, whole)
    if words == all_words and part != whole and words.endswith("T"):
        words = f"{_trimmed(part // 1024)}G"
    return f"{words} of {all_words}"


_SUFFIXES = {"memory_mb": "", "vcores": "c", "cores": "c"}
_SLOTS = {"map_slots": "map", "reduce_slots": "reduce"}


def amounts(values: "Amounts | Unknown | None", dimensions: tuple[str, ...]) -> str:
    """All dimensions in one word; None is no limit.

    >>> amounts((24576, 8), ("memory_mb", "vcores"))
    '24G/8c'
    >>> amounts((1, 0), ("map_slots", "reduce_slots")), amounts((4, 2), ("map_slots", "reduce_slots"))
    ('1 map', '4 maps 2 reduces')
    """
    if isinstance(values, Unknown):
        return "?"
    return "-" if values is None else _amounts(values, dimensions)


@lru_cache(4096)
def _amounts(values: "Amounts", dimensions: tuple[str, ...]) -> str:
    if all(value >= NO_LIMIT_FROM for value in values):
        return "-"
    parts = list(zip(dimensions, values, strict=False))
    if dimensions[0] in _SLOTS:
        return " ".join(plural(value, _SLOTS[name]) for name, value in parts if value) or "no slots"
    return "/".join(dimension(name, value) + _SUFFIXES.get(name, "") for name, value in parts)


def lacking(short_by: "Amounts", dimensions: tuple[str, ...]) -> str:
    """The amounts that are missing; empty where none is.

    >>> lacking((1, 0), ("memory_mb", "vcores"))
    '1M'
    """
    return "/".join(amounts((value,), (name,)) for name, value in zip(dimensions, short_by, strict=False) if value > 0)


def count(value: "int | Unknown") -> str:
    """A count, or `?` when the source cannot tell."""
    return "?" if isinstance(value, Unknown) else str(value)


def duration(milliseconds: int) -> str:
    """Write a span in at most seven characters; less than nothing counts as nothing.

    >>> [duration(n) for n in (-5, 900, 59_999, 60_000, 3_599_999, 3_600_000, 86_399_999, 90_000_000)]
    ['0s', '0s', '59s', '1m00s', '59m59s', '1h00m', '23h59m', '1d01h']
    """
    seconds = max(0, milliseconds) // 1000
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m{seconds % 60:02d}s"
    if seconds < 86400:
        return f"{seconds // 3600}h{seconds // 60 % 60:02d}m"
    return f"{seconds // 86400}d{seconds // 3600 % 24:02d}h"


def age(since_ms: "int | None | Unknown", now_ms: int) -> str:
    """Write how long ago something began; empty for None, `?` when unknown."""
    if since_ms is None:
        return ""
    return "?" if isinstance(since_ms, Unknown) else duration(now_ms - since_ms)


def zone(offset_ms: int) -> str:
    """The time zone of what is shown.

    >>> zone(0), zone(7_200_000), zone(-12_600_000)
    ('UTC', 'UTC+2', 'UTC-3:30')
    """
    hours, minutes = divmod(abs(offset_ms) // 60_000, 60)
    sign = "-" if offset_ms < 0 else "+"
    return f"UTC{sign}{hours}{f':{minutes:02d}' if minutes else ''}" if offset_ms else "UTC"


def clock(time_ms: int, offset_ms: int) -> str:
    """Weekday and time of day at a place `offset_ms` east of Greenwich.

    >>> clock(1510363830343, 8 * 3600 * 1000)
    'Sat 09:30:30'
    """
    moment = moment_at(time_ms + offset_ms)
    return f"{_WEEKDAYS[moment.weekday()]} {moment:%H:%M:%S}"


_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def near_clock(time_ms: int, now_ms: int, offset_ms: int) -> str:
    """Time of day, with the weekday where it is not of the day of `now_ms`, and with the date where it is far from it.

    >>> near_clock(1510363830343, 1510363830343, 0), near_clock(1510363830343, 1510363830343 + 6 * 86_400_000, 0)
    ('01:30:30', 'Sat 01:30:30')
    >>> near_clock(1510363830343, 1510363830343 + 7 * 86_400_000, 0)
    '2017-11-11 01:30:30'
    """
    moment = moment_at(time_ms + offset_ms)
    return f"{_day(moment, moment_at(now_ms + offset_ms))}{moment:%H:%M:%S}"


def near_minute(time_ms: int, now_ms: int, offset_ms: int) -> str:
    """Write as `near_clock` does, without seconds.

    >>> near_minute(1510363830343, 1510363830343, 0), near_minute(1510363830343, 1510363830343 + 86_400_000, 0)
    ('01:30', 'Sat 01:30')
    """
    return near_clock(time_ms, now_ms, offset_ms)[:-3]


def _day(moment: datetime, beside: datetime) -> str:
    days = abs((moment.date() - beside.date()).days)
    if not days:
        return ""
    return f"{_WEEKDAYS[moment.weekday()]} " if days < len(_WEEKDAYS) else f"{moment:%Y-%m-%d} "


def beside(moment: datetime) -> "RelativeTimeFormat":
    """Writes instants beside the one of a place."""
    offset = moment.utcoffset() or timedelta()
    return RelativeTimeFormat(round(moment.timestamp() * 1000), round(offset.total_seconds() * 1000))


class RelativeTimeFormat(NamedTuple):
    """Writes instants beside another one: with their day where it is not the same."""

    now_ms: int  # The other instant [epoch ms]
    offset_ms: int  # East of Greenwich
    mark: str = ""  # What stands behind every instant to come, as ` if`
    has_ms: bool = True  # Whether `instant` tells milliseconds, where they may decide

    def clock(self, time_ms: int) -> str:
        """The time of day, as `near_clock`.

        >>> day = RelativeTimeFormat(1510363830343, 0, " if")
        >>> day.clock(1510363830343), day.clock(1510363890343)
        ('01:30:30', '01:31:30 if')
        """
        return near_clock(time_ms, self.now_ms, self.offset_ms) + self._marked(time_ms)

    def _marked(self, time_ms: int) -> str:
        return self.mark if time_ms > self.now_ms else ""

    def instant(self, time_ms: int) -> str:
        """The time of day to the millisecond, without a fraction of 0; with the date where it is of another day.

        >>> day = RelativeTimeFormat(1510363830343, 0)
        >>> day.instant(1510363830343), day.instant(1510450230000)
        ('01:30:30.343', '2017-11-12 01:30:30')

        A marked instant is no surer than to the second.

        >>> RelativeTimeFormat(1510363830343, 0, " if").instant(1510363890343)
        '01:31:30 if'
        """
        if self._marked(time_ms) or not self.has_ms:
            return self.clock(time_ms)
        moment = instant(time_ms, self.offset_ms).removesuffix(".000")
        day = date(time_ms, self.offset_ms)
        return moment if day == date(self.now_ms, self.offset_ms) else f"{day} {moment}"


def instant(time_ms: int, offset_ms: int) -> str:
    """Time of day with milliseconds.

    >>> instant(1510363830343, 8 * 3600 * 1000)
    '09:30:30.343'
    """
    return f"{moment_at(time_ms + offset_ms):%H:%M:%S}.{time_ms % 1000:03d}"


def near_instant(time_ms: int, now_ms: int, offset_ms: int) -> str:
    """Write as `instant` does, with the weekday where it is not of the day of `now_ms`.

    >>> near_instant(1510363830343, 1510363830343, 0), near_instant(1510363830343, 1510363830343 + 86_400_000, 0)
    ('01:30:30.343', 'Sat 01:30:30.343')
    """
    moment = moment_at(time_ms + offset_ms)
    return f"{_day(moment, moment_at(now_ms + offset_ms))}{instant(time_ms, offset_ms)}"


def since_start(milliseconds: int) -> str:
    """An instant as people write it, counted from a scenario's start.

    >>> since_start(61_500), since_start(0), since_start(-1)
    ('+61.500s', '+0.000s', '-0.001s')
    """
    return f"{'-' if milliseconds < 0 else '+'}{abs(milliseconds) / 1000:.3f}s"


def date(time_ms: int, offset_ms: int) -> str:
    return f"{moment_at(time_ms + offset_ms):%Y-%m-%d}"


def moment(time_ms: int, offset_ms: int) -> str:
    """The day and the time of day."""
    return f"{date(time_ms, offset_ms)} {instant(time_ms, offset_ms)}"


def percent(part: int, whole: int) -> str:
    """A share in whole per cent; empty when the whole is nothing.

    >>> percent(1228799, 1228800), percent(1, 1), percent(1, 0)
    ('99%', '100%', '')
    """
    return f"{100 * part // whole}%" if whole > 0 else ""


_APPLICATION_ID = re.compile(r"\b(?:application_)?\d{10,}_(\d{4,})\b")
_LAST_NUMBER = re.compile(r"(\d+)$")


def short_id(application: str) -> str:
    """Return the short name of an application: the number at its end; a driver of Spark's has a `d` before it.

    >>> short_id("application_1507795051888_183354"), short_id("app-20171111-0007"), short_id("driver-20171111-0007")
    ('183354', '0007', 'd0007')
    """
    found = _LAST_NUMBER.search(application)
    driver = "d" if application.startswith("driver-") else ""
    return f"{driver}{found.group(1)}" if found else application


def short_number(number: int) -> str:
    """The short name of an application by its number, which of a driver of Spark's is negative.

    >>> short_number(0), short_number(-1)
    ('0000', 'd0000')
    """
    return f"{number:04d}" if number >= 0 else f"d{-1 - number:04d}"


def with_short_ids(sentence: str) -> str:
    """A sentence with every application named by its number only.

    >>> with_short_ids("12 nodes reserved by 1507795051888_183354 and application_1507795051888_0007")
    '12 nodes reserved by 183354 and 0007'
    """
    return _APPLICATION_ID.sub(r"\1", sentence)


_MEGABYTES = re.compile(r"\b(\d+) MB\b")


def _with_short_amounts(sentence: str) -> str:
    """A sentence with every amount of memory as tables have it.

    >>> _with_short_amounts("best 10.120.117.101: 45056 MB free of 64000 MB wanted")
    'best 10.120.117.101: 44G free of 62.5G wanted'
    >>> _with_short_amounts("63999 MB free of 64000 MB wanted")
    '63999M free of 64000M wanted'
    >>> _with_short_amounts("0 MB and 0 vcores free of 1024 MB and 1 vcore wanted")
    '0G and 0 vcores free of 1G and 1 vcore wanted'
    """
    some = list(dict.fromkeys(map(int, _MEGABYTES.findall(sentence))))
    words = dict(zip(some, apart(*some), strict=True))
    if 0 in words:
        words[0] = "0G"  # a sentence has no heading that tells what a bare 0 is of
    return _MEGABYTES.sub(lambda found: words[int(found[1])], sentence)


def short_sentence(sentence: str) -> str:
    """A sentence of the engine as screens have it: ids by number, memory as in tables, nothing that steers a terminal.

    >>> short_sentence("application_1507795051888_0007 asks for 64000 MB")
    '0007 asks for 62.5G'
    """
    return _with_short_amounts(with_short_ids(plain(sentence)))


def short_node(node: str) -> str:
    """A node without its port.

    >>> short_node("10.120.117.100:45454"), short_node("worker-1")
    ('10.120.117.100', 'worker-1')
    """
    return node.rpartition(":")[0] or node


def short_queue(path: str) -> str:
    """A queue without the root everybody shares.

    >>> short_queue("root.etl.daily"), short_queue("root")
    ('etl.daily', 'root')
    """
    return path.removeprefix("root.")


def fit(text: str, width: int, *, right: bool = False, mark: str = "~") -> str:
    """Exactly `width` cells: padded, or cut with `mark` where something is missing; wide characters count as two.

    >>> fit("queue", 7), fit("queue", 3), fit("7", 3, right=True)
    ('queue  ', 'qu~', '  7')
    """
    text = visible_line(text)
    size = len(text) if text.isascii() else cell_len(text)
    if size > width:
        return "" if width <= 0 else set_cell_size(text, width - 1) + mark
    padding = " " * (width - size)
    return padding + text if right else text + padding


@lru_cache(maxsize=1000)  # many queues have the same settings
def indented(text: str, width: int, first: int, rest: int | None = None) -> tuple[str, ...]:
    """The lines of a text with so many blanks before the first and before the others; no word is broken.

    >>> indented("of the whole scheduler", 14, 1, 3)
    (' of the whole', '   scheduler')
    """
    lines = wrap(
        text,
        width,
        initial_indent=" " * first,
        subsequent_indent=" " * (first if rest is None else rest),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return tuple(lines)


def width_of(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed([]), listed(["a"]), listed(["a", "b", "c"])
    ('', 'a', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def times(count: int, amount: str) -> str:
    """A count and the amount of each.

    >>> times(12, "89G")
    '12 × 89G'
    """
    return f"{count} {TIMES} {amount}"


def format_usage(count: int, values: "Amounts", dimensions: tuple[str, ...]) -> str:
    """Write what so many containers hold together; slots say themselves how many there are.

    >>> format_usage(2, (2048, 2), ("memory_mb", "vcores")), format_usage(2, (1, 1), ("map_slots", "reduce_slots"))
    ('2G/2c in 2 containers', '1 map 1 reduce')
    """
    words = amounts(values, dimensions)
    return words if dimensions[0] in _SLOTS else f"{words} in {plural(count, terms_for(dimensions).container)}"


plain = visible_line  # Text that cannot move the cursor: control characters are written out, line ends are spaces
