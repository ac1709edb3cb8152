"""The pulse: containers allocated over the time of a run, in braille, with freezes, alerts, acts and the instant."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Final, NamedTuple

from engine.explain.alert import Alert
from engine.observe.history import ALLOCATED, History
from engine.observe.snapshots import WaitTotal, is_lost_by_restart, terms_for
from engine.scenario.acts import RESTARTS, KillApplication
from tui.panes import plot as braille
from tui.panes.fragments import Fragment, Fragments, RenderContext, cell_width, crop, line_meter, merge_fragments
from tui.panes.misfit import Misfit
from tui.panes.plot import Window, ticks
from tui.panes.waits import served_words
from tui.protocol.picture import EventRow, RunState, SessionState
from tui.terminal import format as text
from tui.terminal.format import CURSOR_BAR, CUT, EVENT, FLAT, FRAME, WATCH

# Marks on a time axis: alerts and acts, with the sign, the colour and the names of each.
#
# The last act has lines of its own below the header while it can be undone: what it changed, what came since.

LETTERS: Final[Mapping[str, str]] = {
    "DrainNode": "D",
    "KillApplication": "K",
    "KillContainer": "K",
    "MoveApplication": "M",
    "RestartResourceManager": "U",
    "RestartJobTracker": "U",
    "ReturnNode": "D",
    "SetPreemption": "P",
    "SetQueueSetting": "E",
    "SetReservationRule": "R",
    "SetSetting": "O",
    "SubmitApplication": "S",
}  # Act, by the name of its record → its key's letter; others have `EVENT`
STYLES: Final[Mapping[str, str]] = {"frozen": "alarm", "outage": "alarm", "over": "good", "returned": "good"}
"""Kind of an alert → token; others are of the second degree."""


class Mark(NamedTuple):
    time_ms: int
    sign: str  # `WATCH` of an alert; of an act its key's letter, or `EVENT`
    style: str
    names: Sequence[str] = ()  # What may stand beside it, the longest first

    @property
    def is_alert(self) -> bool:
        return self.sign == WATCH


def marks_of(run: RunState, now_ms: int, misfit: Misfit | None = None) -> list[Mark]:
    """Everything that was found to be wrong and everything that was done in a run, in order; a `misfit` that stands.

    A time of day is named with its day where that is not the day of `now_ms`.
    """
    near = partial(text.near_clock, now_ms=now_ms, offset_ms=run.offset_ms)
    acts = run.track.acts if run.track is not None else {}
    found = [_act(time_ms, name, near(time_ms)) for time_ms, name in acts.items()]
    found += [_alert(alert, near(alert.since_ms)) for alert in run.alerts]
    if misfit is not None:
        what = misfit.kind.replace("-", " ")
        found.append(Mark(misfit.since_ms, WATCH, "watch", (f"{near(misfit.since_ms)} {what}", what)))
    return sorted(found, key=lambda mark: mark.time_ms)


def _alert(alert: Alert, moment: str) -> Mark:
    what = alert.kind.replace("-", " ")
    names = [f"{moment} {what}", what]
    if len(alert.applications) == 1 and alert.kind != "frozen":
        names.insert(0, f"{moment} {alert.applications[0]} {what}")
    if alert.node:
        names.insert(0, f"{moment} {text.short_node(alert.node)} {what}")
    return Mark(alert.since_ms, WATCH, STYLES.get(alert.kind, "watch"), names)


def _act(time_ms: int, name: str, moment: str) -> Mark:
    letter = LETTERS.get(name, EVENT)
    return Mark(time_ms, letter, "accent", (f"{moment} {letter}", letter))


class Forecast(NamedTuple):
    starts: Mapping[int, int] = MappingProxyType({})  # Number of an application that starts by it → when [epoch ms]
    loses: int | None = None  # Containers that end; None where that was not said
    running: frozenset[int] = frozenset()  # Those of `starts` that run already, and get more

    @property
    def ends_ms(self) -> int:
        """When the last of them starts [epoch ms]."""
        return max(self.starts.values(), default=0)

    def waits(self, without: Collection[int] = ()) -> WaitTotal:
        numbers = self.starts.keys() - without
        more = len(numbers & self.running)
        return WaitTotal(len(numbers) - more, more)


class ActLine(NamedTuple):
    letter: str  # As on the pulse: its key's letter
    time_ms: int  # When it was done [epoch ms]
    words: str  # What was done, in a sentence
    forecast: Forecast = Forecast()
    records: int = 1  # How many acts it is: one for each thing that was marked

    @classmethod
    def of(cls, name: str, time_ms: int, words: str, forecast: Forecast | None, records: int) -> "ActLine":
        return cls(LETTERS.get(name, EVENT), time_ms, words, forecast or Forecast(), records)


class Thaw(NamedTuple):
    acted: ActLine
    came: int  # How many of the foretold were given something since the act
    coming: Mapping[int, int]  # Of the others: number → when it is foretold to start [epoch ms]
    is_on: bool  # True from the first of them until the last, or the instant foretold for it

    @property
    def of(self) -> int:
        return len(self.acted.forecast.starts)


def thaw_of(acted: ActLine, picture: SessionState) -> Thaw | None:
    """Compare what was foretold with what came; None where nothing was foretold, or it is not of this run."""
    starts, now_ms = acted.forecast.starts, picture.snapshot.header.time_ms
    if not starts or picture.run.present_ms is not None or now_ms < acted.time_ms:
        return None
    events = picture.events
    place = bisect_left(events, acted.time_ms, key=lambda row: row.time_ms)
    given = [row.fields.get("container") for row in islice(events, place, None) if row.kind == "Allocated"]
    seen = {each[0] for each in given if isinstance(each, tuple)}
    coming = {number: at_ms for number, at_ms in starts.items() if number not in seen}
    came = len(starts) - len(coming)
    return Thaw(acted, came, coming, bool(came and coming) and now_ms <= acted.forecast.ends_ms)


def act_line(acted: ActLine, keys: Sequence[tuple[str, str, bool]], look: RenderContext, width: int) -> Fragments:
    """A rule with the act at its left; at its right, never cut, the keys that undo and redo: (key, word, works)."""
    moment = text.near_clock(acted.time_ms, look.now_ms, look.offset_ms)
    right: Fragments = []
    for key, word, works in keys:
        right += [("  " if right else " ", "text"), (key, "bold accent" if works else "faint")]
        right.append((f" {word}", "soft" if works else "faint"))
    right.append((f" {FRAME[0]}", "accent"))
    words = text.plain(text.with_short_ids(acted.words)).rstrip(".")
    left: Fragments = [(f"{FRAME[0]} ", "accent"), (acted.letter, "bold accent")]
    left += [(f"  {moment}  ", "soft"), (words, "strong"), (" ", "text")]
    left = crop(left, max(0, width - cell_width(right)), CUT)
    return [*left, (FRAME[0] * (width - cell_width(left) - cell_width(right)), "accent"), *right]


def act_facts(
    acted: ActLine, thaw: Thaw | None, picture: SessionState, look: RenderContext, width: int
) -> list[Fragments]:
    """What an act changed, what came of what was foretold, what was lost, where undoing leads; none without record."""
    events = picture.events
    place = bisect_left(events, acted.time_ms, key=lambda row: row.time_ms)
    later = list(islice(events, place, None))
    acts = [at for at, row in enumerate(later) if row.kind == "Acted" and row.time_ms == acted.time_ms]
    if not acts:
        return []
    own = acts[-acted.records :][0]
    held = terms_for(look.dimensions).container
    at_once = Counter(row.kind for row in later[own:] if row.time_ms == acted.time_ms)
    gone = [row for row in later[own:] if row.time_ms == acted.time_ms and row.kind in ("Killed", "Completed")]
    gone += _gone_later(later[own:], acted, keeps=picture.snapshot.header.restart_keeps == "containers")
    ended, drivers = len(gone), sum(_is_of_driver(row, look) for row in gone)
    counts = {
        f"{held} ended": ended - drivers,
        "driver ended": drivers,
        "reservation dropped": at_once["Unreserved"],
        f"{held} given": at_once["Allocated"],
    }
    changed = ", ".join(_counted(count, what) for what, count in counts.items() if count) or "nothing at once"
    since_then = (row for row in later if row.kind == "Allocated" and row.time_ms > acted.time_ms)
    given = [row.fields["container"] for row in since_then if not _is_of_driver(row, look)]
    owners = {container[0] for container in given if isinstance(container, tuple)}
    to = f" to {text.plural(len(owners), terms_for(look.dimensions).application)}" if given else ""
    since = f"; since then {text.plural(len(given), held)} given{to}" if look.now_ms > acted.time_ms else ""
    moment = text.near_clock(acted.time_ms, look.now_ms, look.offset_ms)
    facts: dict[str, Fragments] = {"changed": [(changed, "text"), (since, "soft")]}
    if thaw is not None:
        facts["foretold"] = _foretold(thaw, look, width - LABEL)
    if acted.forecast.loses is not None:
        told = acted.forecast.loses
        rest = "as foretold" if told == ended else f"foretold {told}"
        with_drivers = f" and {text.plural(drivers, 'driver')}" if drivers else ""
        lost = f"{text.plural(ended - drivers, held)}{with_drivers}{' so far' if ended < told else ''}"
        facts["lost"] = [(lost, "text"), (f", {rest}", "soft")]
    way = f"back to just before {moment}; this way stays as a branch, and ctrl+r brings it back"
    facts["u"] = [(way, "soft")]
    return [[(f" {name:<{LABEL - 1}}", "faint"), *crop(spans, width - LABEL, CUT)] for name, spans in facts.items()]


def _gone_later(later: Sequence[EventRow], acted: ActLine, *, keeps: bool) -> list[EventRow]:
    """What ends of jobs that were killed, or as a control plane starts that keeps nothing or only applications."""
    acts = [row.fields.get("action") for row in later if row.kind == "Acted" and row.time_ms == acted.time_ms]
    told = [(each["kind"], str(each.get("application", ""))) for each in acts if isinstance(each, dict)]
    killed = {text.short_id(name).zfill(4) for kind, name in told if kind == KillApplication.__name__}
    restarts = any(kind in _RESTARTS for kind, _ in told)
    late = [row for row in later if row.kind in ("Killed", "Completed") and row.time_ms > acted.time_ms]
    new = {row.fields["container"] for row in later if row.kind == "Allocated"}
    lost = [row for row in late if row.fields["container"] not in new and (not keeps or is_lost_by_restart(row.fields))]
    return lost if restarts else [row for row in late if row.kind == "Killed" and _owner(row) in killed]


def _owner(row: EventRow) -> str:
    container = row.fields["container"]
    return str(container[0]).zfill(4) if isinstance(container, tuple) else ""


_RESTARTS: Final = frozenset(each.__name__ for each in RESTARTS)


LABEL: Final = 11  # Cells of what a line about an act begins with
BAR: Final = 36  # Cells of the bar of what came of what was foretold


def _foretold(thaw: Thaw, look: RenderContext, width: int) -> Fragments:
    by = text.near_clock(thaw.acted.forecast.ends_ms, look.now_ms, look.offset_ms)
    verb = served_words(thaw.acted.forecast.waits())
    line: Fragments = [(f"{thaw.of} {verb} by {by}  ", "text")]
    cells = max(8, min(BAR, width - 60))
    line += [*line_meter(cells, thaw.came, thaw.of, style="good"), (f"  seen {thaw.came}", "strong")]
    names = [str(number).zfill(4) for number in sorted(thaw.coming, key=lambda each: (thaw.coming[each], each))]
    if not names:
        return line
    verb = " to come" if look.now_ms <= thaw.acted.forecast.ends_ms else " did not come"
    head = f"  {len(names)}{verb}"
    room = width - cell_width(line) - len(head) - 1
    shown = names[: max(0, room // 7)]
    more = f": {' '.join(shown)}" if shown and len(shown) == len(names) else ""
    return [*line, (f"{head}{more}", "soft")]


def _is_of_driver(row: EventRow, look: RenderContext) -> bool:
    container = row.fields["container"]
    return "cores" in look.dimensions and isinstance(container, tuple) and not container[1]


def _counted(count: int, what: str) -> str:
    noun, _, verb = what.partition(" ")
    return f"{text.plural(count, noun)} {verb}"


NARROW: Final = 40  # Width below which the ends have no times
APART: Final = 30  # Cells from one time of the axis to the next, at least
PART_MS: Final = 125  # The least time that a sample stands for
CURVE: Final = 0.7  # The exponent of heights: small values stay visible beside the highest


class Freeze(NamedTuple):
    """A time in which nothing can be allocated, from the proof on [epoch ms]."""

    since_ms: int
    until_ms: int
    style: str = "alarm"  # The style of its line up to the instant looked at
    quiet: str = ""  # For how long nothing was allocated at that instant; empty for as long as the freeze lasts

    @property
    def words(self) -> Sequence[str]:
        """The captions for the middle of the flat line, the longest first."""
        lasted = self.quiet or text.duration(max(0, self.until_ms - self.since_ms))
        return f"nothing allocated for {lasted}", f"nothing for {lasted}"


class Pulse(NamedTuple):
    window: Window  # From where the past that is kept begins to the present
    here_ms: int  # The instant looked at
    allocated: Callable[[int], Sequence[float | None]]  # Containers allocated in so many equal parts; None: not known
    marks: Sequence[Mark] = ()  # In the order of their times
    freezes: Sequence[Freeze] = ()
    offset_ms: int = 0  # East of Greenwich, for times of day
    present_ms: int | None = None  # Where what is known ends; None is the end of the window

    @property
    def known(self) -> Window:
        return self.window if self.present_ms is None else Window(self.window.since_ms, self.present_ms)


def allocated(history: History, window: Window, parts: int) -> list[float | None]:
    """Containers allocated in each of so many equal parts of a window; None before anything was noted."""
    place, steps = history.names.index(ALLOCATED), history.cluster
    noted = steps.at(window.since_ms)
    before = None if noted is None else noted[place]
    found: list[float | None] = []
    for part in range(parts):
        noted = steps.at(window.moment(part, parts))
        now = None if noted is None else noted[place]
        found.append(None if now is None else now - (before if before is not None else steps.values[0][place]))
        before = now
    return found


BEFORE_ACT: Final = 7  # Part of the time shown of a thaw that lies before the act: one of so many


def thaw_window(thaw: Thaw) -> Window:
    """From shortly before an act to the end that was foretold."""
    since_ms, until_ms = thaw.acted.time_ms, thaw.acted.forecast.ends_ms
    return Window(since_ms - (until_ms - since_ms) // (BEFORE_ACT - 1), until_ms)


def with_foretold(came: Sequence[float | None], window: Window, thaw: Thaw, now_ms: int) -> list[float | None]:
    """Samples of a window, from now on with how many are foretold to start in each."""
    parts = len(came)
    due = Counter(window.cell(at_ms, parts) for at_ms in thaw.coming.values())
    here = window.cell(now_ms, parts)
    return [value if place <= here else float(due[place]) for place, value in enumerate(came)]


def steady(window: Window, parts: int, origin_ms: int) -> Window:
    """A window of so many equal parts around another one, in which a part stays what it is while the other one grows.

    A part is 125 ms long, or twice as long as often as it takes, so that two become one; the first begins a whole
    number of parts after `origin_ms`.

    >>> steady(Window(0, 1000), 8, 0), steady(Window(0, 1001), 8, 0), steady(Window(100, 1100), 8, 0)
    (Window(since_ms=0, until_ms=1000), Window(since_ms=0, until_ms=2000), Window(since_ms=0, until_ms=2000))
    """
    part_ms = PART_MS
    while (since_ms := window.since_ms - (window.since_ms - origin_ms) % part_ms) + part_ms * parts < window.until_ms:
        part_ms *= 2
    return Window(since_ms, since_ms + part_ms * parts)


def window_around(here_ms: int, whole: Window, length_ms: int | None) -> Window:
    """So much of the whole time [ms]: the last of it, or that around an instant which lies before that.

    >>> [tuple(window_around(here_ms, Window(0, 100), 40)) for here_ms in (100, 60, 59, 3)]
    [(60, 100), (60, 100), (39, 79), (0, 40)]
    """
    if length_ms is None or length_ms >= whole.until_ms - whole.since_ms:
        return whole
    since_ms = whole.until_ms - length_ms
    if here_ms < since_ms:
        since_ms = max(whole.since_ms, here_ms - length_ms // 2)
    return Window(since_ms, since_ms + length_ms)


def ends(window: Window, here_ms: int, offset_ms: int, width: int) -> tuple[str, str]:
    """The times at both ends, with the weekday where it is not that of the instant looked at; none on a narrow one."""
    if width < NARROW:
        return "", ""
    since, until = (text.near_minute(time_ms, here_ms, offset_ms) for time_ms in window)
    return f"{since} ", until


def _ends(pulse: Pulse, width: int) -> tuple[str, str]:
    return ends(pulse.known, pulse.here_ms, pulse.offset_ms, width)


def _edges(pulse: Pulse, width: int) -> tuple[int, int]:
    before, behind = _ends(pulse, width)
    return len(before), max(1, width - len(before) - len(behind))


def cell_of(time_ms: int, pulse: Pulse, width: int) -> int:
    """The cell of an instant; what lies outside is at an end."""
    first, cells = _edges(pulse, width)
    return first + pulse.window.cell(time_ms, cells)


def time_at(cell: int, pulse: Pulse, width: int) -> int:
    """The instant of a cell [epoch ms]; the last cell that is over is the present, and a mark's cell is the mark."""
    marked = [each.time_ms for each in pulse.marks if cell_of(each.time_ms, pulse, width) == cell]
    if marked:
        return marked[-1]
    first, cells = _edges(pulse, width)
    place = min(max(cell - first, 0), cells - 1)
    return min(pulse.window.moment(place, cells), pulse.known.until_ms) if place else pulse.window.since_ms


def level(value: float | None, top: float, rows: int) -> int:
    """Tells how many dots high a sample stands in so many rows; what is not nothing has at least one.

    >>> [level(value, 100, 1) for value in (None, 0, 0.1, 20, 50, 100)], level(50, 100, 2)
    ([0, 0, 1, 1, 2, 4], 5)
    """
    if not value:
        return 0
    return max(1, min(4 * rows, round(4 * rows * float((value / top) ** CURVE))))


def lines(pulse: Pulse, width: int, rows: int) -> list[Fragments]:
    """The pulse in so many rows, exactly `width` cells wide, with the times of both ends beside the lowest."""
    first, cells = _edges(pulse, width)
    here = pulse.window.cell(pulse.here_ms, cells)
    drawn = curve(pulse.allocated(2 * cells), rows, here)
    for freeze in pulse.freezes:
        flat_line(drawn[-1], freeze, pulse.window, here)
    for mark in sorted(pulse.marks, key=lambda each: each.is_alert):  # in a cell of both the alert is seen
        drawn[-1][pulse.window.cell(mark.time_ms, cells)] = (mark.sign, mark.style)
    for row in drawn:
        row[here] = (CURSOR_BAR, "accent")
    found = [merge_fragments(row) for row in drawn]
    if not first:
        return found
    before, behind = _ends(pulse, width)
    above: list[Fragments] = [[(" " * len(before), "faint"), *row, (" " * len(behind), "faint")] for row in found[:-1]]
    over = pulse.window.cell(pulse.known.until_ms, cells) + 1
    rest = " " * (cells - over)
    return [*above, [(before, "faint"), *merge_fragments(drawn[-1][:over]), (behind, "faint"), (rest, "faint")]]


def axis(pulse: Pulse, width: int) -> Fragments:
    """Round times below the pulse; alerts are named, and times give way to them."""
    first, cells = _edges(pulse, width)
    row: list[Fragment] = [(" ", "faint")] * width
    for mark in pulse.marks:
        if mark.is_alert:
            begin = first + pulse.window.cell(mark.time_ms, cells)
            _ = any(_put(row, begin, [(f"{mark.sign} {name}", mark.style)]) for name in mark.names)
    over = pulse.window.cell(pulse.known.until_ms, cells)
    for tick in ticks(pulse.window, cells, pulse.offset_ms, APART):
        if tick.cell <= over:
            _ = _put(row, first + tick.cell, [(tick.words, "faint")])
    return merge_fragments(row)


def _put(row: list[Fragment], begin: int, spans: Fragments) -> bool:
    size = cell_width(spans)
    around = row[max(0, begin - 1) : begin + size + 1]
    fits = begin + size <= len(row) and all(sign == " " for sign, _ in around)
    if fits:
        row[begin : begin + size] = [(sign, style) for words, style in spans for sign in words]
    return fits


def curve(samples: Sequence[float | None], rows: int, here: int) -> list[list[Fragment]]:
    """So many rows of cells, two samples in each; what came after the cell `here` is of no weight."""
    top = max([each for each in samples if each], default=1.0)
    levels = [level(each, top, rows) for each in samples]
    drawn = (braille.bar_signs(levels, 4 * (rows - 1 - row)) for row in range(rows))
    return [[(sign, "data" if cell <= here else "room") for cell, sign in enumerate(signs)] for signs in drawn]


def flat_line(row: list[Fragment], freeze: Freeze, window: Window, here: int) -> None:
    """Draw a freeze over the cells of a window, faint from the cell `here` on; its words stand in the middle."""
    begin, end = (window.cell(time_ms, len(row)) for time_ms in (freeze.since_ms, freeze.until_ms))
    words = next((f" {each} " for each in freeze.words if len(each) + 6 <= end - begin), "")
    signs = f"{words:{FLAT}^{end - begin}}"
    row[begin:end] = [(sign, freeze.style if begin + at <= here else "room") for at, sign in enumerate(signs)]
