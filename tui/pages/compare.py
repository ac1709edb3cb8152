"""The screen of a comparison: one pulse a run, what differs, where they part, waits, and both runs at an instant."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from engine import compare
from engine.compare.comparison import Value, by_queue, dimension_of, terms_of
from engine.measures import Quantiles
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import YARN, WaitTotal, running_below, terms_for, translate_terms, waits_below, waits_of
from tui.pages.why import INSIDE, Page, Panel, PanelRow, TextColumn, beside, framed, height_of, ruled, stacked, table
from tui.panes import plot as braille
from tui.panes.fragments import Fragment, Fragments, folded, line_meter
from tui.panes.plot import Window
from tui.panes.pulse import Freeze, Pulse, level
from tui.panes.pulse import lines as pulse_lines
from tui.panes.waits import cell_words, sum_words
from tui.protocol.picture import WhySubject
from tui.terminal import format as text
from tui.terminal.format import QUEUE_DOT

# A comparison in words: values with their units, and where the runs part.

SHOWN: Final = 50  # Divergences that a screen goes through
HUES: Final = dict(zip("ABCDEF", ("q1", "q4", "q3", "q2", "q5", "q6"), strict=True))
"""Letter of a run → the token of its colour."""
SPREAD: Final = 5  # Applications named whose executors are on more or fewer workers
TENTH_MS: Final = 50  # Below this a wait is no tenth of a second
LEAST_MS: Final = 60_000  # From here on waits are given in minutes and hours; below in tenths of a second


def value_text(value: Value, unit: str) -> str:
    """A value as it stands in a table.

    >>> [value_text(*each) for each in ((232, "ms"), (3_599, "s"), (216_336, "s"), (0.564, "share"), (None, ""))]
    ['0.2s', '59m59s', '60h05m', '56.4%', '–']
    """
    if value is None:
        return "–"
    if unit == "ms":
        return wait_text(value)
    if unit == "s":
        hours, minutes = divmod(round(value) // 60, 60)
        return f"{hours}h{minutes:02d}m" if value >= 3600 else text.duration(round(value) * 1000)
    if unit == "share":
        return f"{100 * value:.1f}%"
    return f"{value:.1f}" if unit == "ratio" else f"{value:,}"


def wait_text(milliseconds: float) -> str:
    """A wait: under a minute with tenths of a second, one that would be none of them in ms.

    >>> wait_text(0), wait_text(0.4), wait_text(49), wait_text(50), wait_text(59_949), wait_text(60_000)
    ('0s', '1ms', '49ms', '0.1s', '59.9s', '1m00s')
    """
    if 0 < milliseconds < TENTH_MS:
        return f"{max(1, round(milliseconds))}ms"
    if 0 < milliseconds < LEAST_MS:
        return f"{milliseconds / 1000:.1f}s"
    return text.duration(round(milliseconds))


def waits_by_name(runs: Sequence[compare.ComparedRun]) -> Iterator[tuple[str, dict[str, list[Quantiles | None]]]]:
    """`queue` or its word where there are some, then `user`: name → the waits under every run; None where none."""
    words, users = terms_of(runs), [run.measures.waits_of_users for run in runs]
    if words.has_queues:
        yield words.queue, by_queue([run.measures.waits_of_queues for run in runs])
    yield "user", {name: [waits.get(name) for waits in users] for name in dict.fromkeys(chain(*users))}


def measure_name(row: compare.MeasureRow) -> str:
    return f"wait, {row.name}" if row.name in QUANTILES else row.name


def quantile_words(waits: Quantiles) -> tuple[str, str, str]:
    """The median of waits, what 95 % of them keep, and the worst."""
    return wait_text(waits.median), wait_text(waits.p95), wait_text(waits.worst)


def wait_cell(row: compare.ApplicationWaits, run: compare.ComparedRun) -> str:
    """The wait of an application in a run; a dash where it ran at the start."""
    if run.letter not in row.waits_ms:
        is_known = len({*row.numbers.values()}) < 2  # else its number may be another one's there
        is_refused = is_known and any(
            row.number in loss.applications for loss in run.losses if loss.kind == compare.REFUSED
        )
        return "refused" if is_refused else "–"
    wait = row.waits_ms[run.letter]
    return "–" if wait is None else wait_text(wait)


def alike_until(comparison: compare.Comparison) -> str:
    also, words = _unlike(comparison) + _spread(comparison), terms_of(comparison.runs)
    first = comparison.divergences[0].time_ms if comparison.divergences else None
    if comparison.unlike and all(len(row.numbers) < len(comparison.runs) for row in comparison.applications):
        return f"{_other_work(comparison)}{also}"
    if first is None:
        if len({run.journal for run in comparison.runs}) == 1:
            return "nowhere: every decision is the same"
        if comparison.unlike:
            return f"{_other_work(comparison)}{also}"
        return f"no lasting difference: every {words.application} soon has the same again{also}"
    trifle = None if comparison.unlike else comparison.first_trifle_ms
    alike = text.duration(first - comparison.start_ms) if first - comparison.start_ms >= 1000 else "less than a second"
    if trifle is None or trifle == first:
        other = f"{_other_work(comparison)}, and what is of both is " if comparison.unlike else ""
        return f"{other}alike for {alike}{also}"
    sooner = text.instant(trifle, comparison.offset_ms)
    known = f"alike for {alike} except nodes and exact times: containers are on other nodes from {sooner}"
    return translate_terms(known, words) + also


def _other_work(comparison: compare.Comparison) -> str:
    count, noun = len(comparison.runs), terms_of(comparison.runs).application
    is_same = all(len(row.numbers) == count for row in comparison.applications)
    return f"the same {noun}s come in another order" if is_same else "they do other work"


def _unlike(comparison: compare.Comparison) -> str:
    found = []
    for number in comparison.unlike[:SPREAD]:
        names = [
            row.name
            for run in comparison.runs
            for row in comparison.applications
            if row.numbers.get(run.letter) == number
        ]
        found.append(f"{number:04d} {' or '.join(dict.fromkeys(names))}")
    more, noun = len(comparison.unlike) - len(found), terms_of(comparison.runs).application
    words = f". Numbers that are not the same {noun}, and not followed: {', '.join(found)}" if found else ""
    return f"{words} and {more} more" if more > 0 else words


def _spread(comparison: compare.Comparison) -> str:
    if not compare.is_spark(comparison.runs):
        return ""
    letters = [run.letter for run in comparison.runs]
    rows = [
        row
        for row in comparison.applications
        if len({row.nodes.get(each, 0) for each in letters}) > 1 and len(row.numbers) == len(letters)
    ]
    found = []
    for row in rows[:SPREAD]:
        on = ", ".join(f"{row.nodes.get(run.letter, 0)} under {run.letter}" for run in comparison.runs)
        found.append(f"{row.number:04d} {row.name} is on {on}")
    if not found:
        return ""
    more = f" and {len(rows) - len(found)} more" if len(rows) > len(found) else ""
    return f". Workers at once, most: {'; '.join(found)}{more}"


def whom(parting: compare.ExplainedDivergence) -> tuple[str, str]:
    """Names the application of a parting, and adds what else is known of it."""
    words = terms_for(parting.dimensions)
    of = ", ".join(filter(None, (parting.user, text.short_queue(parting.queue) if words.has_queues else "")))
    asks = f" asks for {parting.asks}" if parting.asks else ""
    node = f", {words.node} {parting.node}" if parting.node else ""
    return f"{parting.application:04d} {parting.name}".strip(), f" ({of}){asks}{node}"


def parting_lines(parting: compare.ExplainedDivergence, offset_ms: int) -> Iterator[tuple[str, str]]:
    """(letter or nothing, line) of a parting: its application, then each run with what decided."""
    yield "", "".join((f"{text.instant(parting.time_ms, offset_ms)}  ", *whom(parting)))
    for side in parting.sides:
        yield side.letter, side.decided
        if side.rule:
            setting = f" ({side.setting})" if side.setting else ""
            yield "", f"  {side.rule}{setting}"


FRAMED_FROM: Final = 100  # Width from which panels have frames, below one another; else one is shown
BESIDE_FROM: Final = 170  # Width from which the first two stand beside each other
DIFFERS, PARTS, TIME, APPLICATIONS = "differs", "parts", "time", "applications"
PARTS_OF_PAGE: Final = (DIFFERS, PARTS, TIME, APPLICATIONS)  # Parts of the page in the order of their keys, 1 to 4
LINK: Final = "compared"  # The kind of a link that only holds the cursor
BAR: Final = 16
QUANTILES: Final = ("median", "95 %", "worst")  # Measures of waits by name
FIRST: Final = 10  # Measures listed beside other parts; a page of its own lists all
LISTED: Final = 200  # Applications listed at most


class CompareView(NamedTuple):
    comparison: compare.Comparison
    partings: Sequence[compare.ExplainedDivergence]
    chosen: int  # The place of the parting that is shown

    @property
    def parting(self) -> compare.ExplainedDivergence | None:
        return self.partings[self.chosen] if self.partings else None

    @property
    def here_ms(self) -> int:
        return self.comparison.until_ms if self.parting is None else self.parting.time_ms

    @property
    def window(self) -> Window:
        return Window(self.comparison.start_ms, self.comparison.until_ms)


def legend(runs: Sequence[compare.ComparedRun]) -> Fragments:
    spans: Fragments = []
    for run in runs:
        spans += [
            ("  ", "text"),
            (run.letter, f"bold {HUES[run.letter]}"),
            (" ", "text"),
            (text.plain(run.name), "strong"),
        ]
    return [(" ", "text"), *spans[1:]]


def pulses(view: CompareView, width: int) -> list[Fragments]:
    """One pulse a run: containers allocated, the instant shown, and stretches in which nothing can be."""
    comparison, found = view.comparison, []
    for run in comparison.runs:
        pulse = Pulse(
            view.window,
            view.here_ms,
            lambda parts, run=run: _resampled(run.series.allocated, parts),  # type: ignore[misc]  # the default binds the name
            (),
            [Freeze(each.since_ms, each.until_ms) for each in run.frozen],
            comparison.offset_ms,
        )
        head: Fragments = [(" ", "text"), (run.letter, f"bold {HUES[run.letter]}"), (" ", "text")]
        found.append([*head, *pulse_lines(pulse, max(1, width - 4), 1)[0]])
    return found


def _resampled(values: Sequence[float], parts: int) -> list[float]:
    """A series in another number of parts, the sum of which stays the same.

    >>> _resampled((4, 2), 4), _resampled((1, 2, 3, 4), 2)
    ([2.0, 2.0, 1.0, 1.0], [3.0, 7.0])
    """
    size = len(values)
    if parts >= size:
        return [values[place * size // parts] * size / parts for place in range(parts)]
    return [float(sum(values[place * size // parts : (place + 1) * size // parts])) for place in range(parts)]


def compare_page(view: CompareView, size: tuple[int, int], part: str) -> Page:
    """All parts below one another, the first two beside each other on a wide screen; else the only one named."""
    width, _ = size
    if width < FRAMED_FROM:
        return ruled(_panel(view, part or DIFFERS, width - 2), width, has_focus=True)
    if part:
        return framed(_panel(view, part, width - INSIDE), width, has_focus=True)
    if width >= BESIDE_FROM:
        left = width * 11 // 20
        first, second = _panel(view, DIFFERS, left - INSIDE, FIRST), _panel(view, PARTS, width - left - INSIDE)
        rows = max(height_of(first), height_of(second))
        top = beside(framed(first, left, rows, has_focus=True), framed(second, width - left, rows), left)
        rest: Sequence[str] = PARTS_OF_PAGE[2:]
    else:
        top = framed(_panel(view, DIFFERS, width - INSIDE, FIRST), width, has_focus=True)
        rest = PARTS_OF_PAGE[1:]
    return stacked([top, *(framed(_panel(view, each, width - INSIDE), width) for each in rest)])


def _panel(view: CompareView, part: str, width: int, most: int = 0) -> Panel:
    number: Fragment = (f"{PARTS_OF_PAGE.index(part) + 1} ", "faint")
    if part == DIFFERS:
        return _differs(view, width, number, most)
    if part == PARTS:
        return _parts(view, width, number)
    return _time(view, width, number) if part == TIME else _applications(view, width, number)


def _lettered(runs: Sequence[compare.ComparedRun], cells: Sequence[Sequence[str]]) -> list[TextColumn]:
    return [
        TextColumn(run.letter, [(cell, "text") for cell in column], right=True)
        for run, column in zip(runs, cells, strict=True)
    ]


def _bar(length: float, run: compare.ComparedRun, width: int) -> Fragments:
    hue = HUES[run.letter]
    return [(f"{run.letter} ", hue), *line_meter(_cells(width), round(1000 * length), 1000, style=hue)]


def _cells(width: int) -> int:
    return BAR if width >= FRAMED_FROM - INSIDE else BAR // 2


def _listed(columns: list[TextColumn], bars: Sequence[Fragments], width: int) -> list[PanelRow]:
    has_bars = width >= 60
    head, lines = table(columns, width - 4 - (_cells(width) + 4 if has_bars else 0))
    rows = [PanelRow([("  ", "text"), *head, *([("  WORSE", "faint")] if has_bars else [])])]
    for place, (line, bar) in enumerate(zip(lines, bars, strict=True)):
        spans: Fragments = [("  ", "text"), *line, *([("  ", "text"), *bar] if has_bars and bar else [])]
        rows.append(PanelRow(spans, WhySubject(LINK, str(place))))
    return rows


def _differs(view: CompareView, width: int, number: Fragment, most: int = 0) -> Panel:
    runs = view.comparison.runs
    rows = sorted(compare.measure_rows(view.comparison), key=lambda row: (row.is_alike, not row.worse, -row.spread))
    found = len(rows)
    rows = rows[: most or found]
    names = [measure_name(row) for row in rows]
    named = TextColumn(
        "MEASURE", [(name, "faint" if row.is_alike else "text") for name, row in zip(names, rows, strict=True)]
    )
    cells = [[value_text(row.values[place], row.unit) for row in rows] for place in range(len(runs))]
    bars: list[Fragments] = []
    for row in rows:
        bad = row.severity_key()
        worst = max(range(len(bad)), key=bad.__getitem__)
        bars.append(_bar(row.spread, runs[worst], width) if row.is_ranked else [])
    title: Fragments = [number, ("What differs", "strong"), (f"  {len(rows)} of {found}", "soft")]
    return Panel(DIFFERS, title, _listed([named, *_lettered(runs, cells)], bars, width), "largest first")


def _parts(view: CompareView, width: int, number: Fragment) -> Panel:
    parting, comparison = view.parting, view.comparison
    more = len(comparison.divergences)
    title: Fragments = [number, ("Where they part", "strong")]
    if parting is None:
        return Panel(PARTS, title, PanelRow.folded(alike_until(comparison), width, "text"))
    title.append((f"  {view.chosen + 1} of {more}", "soft"))
    rows: list[PanelRow] = []
    for letter, words in parting_lines(parting, comparison.offset_ms):
        style = "text" if letter else "soft" if words.startswith(" ") else "strong"
        for place, line in enumerate(folded(words.strip(), width - 4)):
            mark = "" if place else letter
            rows.append(PanelRow([(f"{mark:<2}", f"bold {HUES[letter]}" if letter else "text"), (line, style)]))
    until = (
        "not alike again"
        if parting.alike_ms is None
        else f"alike again after {text.duration(parting.alike_ms - parting.time_ms)}"
    )
    rows.append(PanelRow([("  ", "text"), (until, "faint")]))
    if not view.chosen:
        rows += [PanelRow([("  ", "text"), (line, "faint")]) for line in folded(alike_until(comparison), width - 4)]
    return Panel(PARTS, title, rows, "enter goes there")


def _time(view: CompareView, width: int, number: Fragment) -> Panel:
    rows: list[PanelRow] = []
    runs = view.comparison.runs
    titles = (f"{terms_of(runs).application}s waiting", f"{dimension_of(runs)} used")
    for title, name in zip(titles, ("waiting", "used_share"), strict=True):
        series = [getattr(run.series, name) for run in runs]
        top = max(max(each) for each in series) or 1
        most = f"{top:.0%}" if name == "used_share" else f"{top:,}"
        rows.append(PanelRow([(title, "soft"), (f"  0–{most}", "faint")]))
        for run, values in zip(runs, series, strict=True):
            cells = max(1, width - 2)
            rows.append(
                PanelRow(
                    [(f"{run.letter} ", f"bold {HUES[run.letter]}"), (_curve(values, top, cells), HUES[run.letter])]
                )
            )
    offset_ms = view.comparison.offset_ms
    since, until = (text.near_minute(each, view.comparison.start_ms, offset_ms) for each in view.window)
    return Panel(TIME, [number, ("Over time", "strong"), (f"  {since} to {until}", "soft")], rows)


def _curve(values: Sequence[float], top: float, cells: int) -> str:
    size = len(values)
    levels = [level(values[place * size // (2 * cells)], top, 1) for place in range(2 * cells)]
    return braille.bar_signs(levels)


def _applications(view: CompareView, width: int, number: Fragment) -> Panel:
    runs, rows = view.comparison.runs, view.comparison.applications[:LISTED]
    most, words = max((compare.apart_ms(row) for row in rows), default=0) or 1, terms_of(runs)
    waits = [[row.waits_ms.get(run.letter) for row in rows] for run in runs]
    columns = [
        TextColumn(words.application[:3].upper(), [(f"{row.number:04d}", "text") for row in rows]),
        TextColumn("NAME", [(text.fit(row.name, 20).rstrip(), "text") for row in rows], rank=1),
        TextColumn("USER", [(text.fit(row.user, 8).rstrip(), "text") for row in rows], rank=3),
        TextColumn(
            words.queue.upper(), [(text.fit(text.short_queue(row.queue), 10).rstrip(), "text") for row in rows], rank=2
        ),
        *_lettered(runs, [[wait_cell(row, run) for row in rows] for run in runs]),
    ]
    bars = []
    for place, row in enumerate(rows):
        worst = max(range(len(runs)), key=lambda each: waits[each][place] or 0)
        bars.append(_bar(compare.apart_ms(row) / most, runs[worst], width) if compare.apart_ms(row) else [])
    title: Fragments = [
        number,
        (f"{words.application}s".capitalize(), "strong"),
        ("  by how differently they waited", "soft"),
    ]
    return Panel(
        APPLICATIONS, title, _listed(columns, bars, width), f"{len(rows)} of {len(view.comparison.applications)}"
    )


def both_page(view: CompareView, snapshots: Sequence[Snapshot], width: int) -> Page:
    inside = (width if width < FRAMED_FROM else width // 2) - INSIDE
    runs = view.comparison.runs
    panels = [_state(view, run, snapshot, inside) for run, snapshot in zip(runs, snapshots, strict=True)]
    if width < FRAMED_FROM:
        return stacked([ruled(each, width) for each in panels])
    count = 2 if len(panels) > 1 else 1
    pages: list[Page] = []
    for begin in range(0, len(panels), count):
        some = panels[begin : begin + count]
        rows = max(map(height_of, some))
        left = width // 2 if len(some) > 1 else width
        page = framed(some[0], left, rows)
        pages.append(page if len(some) == 1 else beside(page, framed(some[1], width - left, rows), left))
    return stacked(pages)


def _state(view: CompareView, run: compare.ComparedRun, snapshot: Snapshot, width: int) -> Panel:
    header = snapshot.header
    rows: list[PanelRow] = []
    for name, used, total in zip(header.dimensions, header.used, header.total, strict=True):
        meter = line_meter(16, used, total, style="data")
        words = f" {text.percent(used, total):>4}  {text.dimension(name, used)} of {text.dimension(name, total)}"
        rows.append(PanelRow([(f"{name.partition('_')[0]:<8}", "soft"), *meter, (words, "text")]))
    applications = snapshot.applications(why=True)
    waits = waits_of(applications)
    terms = terms_for(header.dimensions)
    reserved = f", {text.plural(header.nodes_held, terms.node)} reserved" if header.nodes_held or terms is YARN else ""
    apart = sum_words(waits, header.dimensions, is_short=True)
    rows.append(PanelRow([(f"{header.applications_running} running, {waits.number} waiting{apart}{reserved}", "text")]))
    number = None if view.parting is None else view.parting.application
    about = next((row for row in applications if row.number == number), None)
    if about is not None:
        reason = "" if about.obstacle is None else f": {about.obstacle.sentence}"
        has = f"{about.number:04d} {about.state}, has {text.plural(about.containers, terms.container)}{reason}"
        rows += PanelRow.folded(has, width, "strong")
    waits_of_queues, running = waits_below(applications), running_below(applications)
    for queue in snapshot.queues() if terms.has_queues else ():
        if not queue.is_leaf:
            continue
        meter = line_meter(16, queue.used[0], header.total[0], style="data")
        wait = cell_words(waits_of_queues.get(queue.path, WaitTotal()))
        counts = f" {running[queue.path]} run, {wait} wait"
        name = text.fit(text.short_queue(queue.path), 10)
        rows.append(PanelRow([(f"{QUEUE_DOT} ", "q1"), (f"{name} ", "text"), *meter, (counts, "soft")]))
    title: Fragments = [(f"{run.letter} ", f"bold {HUES[run.letter]}"), (text.plain(run.name), "strong")]
    return Panel(run.letter, title, rows, text.instant(view.here_ms, view.comparison.offset_ms))
