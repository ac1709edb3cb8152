"""The header: what is looked at and when, how the cluster is, its meters and counts. The pulse stands below it."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Final, NamedTuple

import msgspec

from engine.observe.section import column
from engine.observe.service import WaitTotal
from engine.observe.snapshot import Header, NodeRow, Unknown
from engine.observe.system_words import words_of
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.fair import FAIR_27, FAIR_34
from engine.settings.site import YARN_34
from tui import format as text
from tui.glyphs import DOT, RUNNING, TIMES
from tui.picture import LIVE, Reception, RunState
from tui.render.frame import EdgeWords, length_of
from tui.render.health import BUSY, HARMED, Health, again_words
from tui.render.line import Span, Spans, crop, length
from tui.render.meter import line_meter
from tui.render.waits import sum_words

WIDE_FROM: Final = 110  # Width from which on names are said at length
VERY_WIDE_FROM: Final = 170  # Width from which on there is room for every amount
METER_NAMES: Final = {
    "memory_mb": ("mem", "memory"),
    "vcores": ("vc", "vcores"),
    "cores": ("co", "cores"),
    "map_slots": ("maps", "map slots"),
    "reduce_slots": ("reds", "reduce slots"),
}
"""Dimension → (short, long) title of its meter."""
_SCHEDULERS: Final = {
    CAPACITY_27.name: ("Capacity 2.7.2", "CapacityScheduler 2.7.2"),
    CAPACITY_34.name: ("Capacity 3.4", "CapacityScheduler 3.4"),
    FAIR_27.name: ("Fair 2.7.2", "FairScheduler 2.7.2"),
    FAIR_34.name: ("Fair 3.4", "FairScheduler 3.4"),
    "fifo": ("Fifo 2.7.2", "FifoScheduler 2.7.2"),
    YARN_34.name: ("Fifo 3.4", "FifoScheduler 3.4"),
    "spark": ("Spark", "Spark standalone"),
    "mr1-fifo": ("JobTracker", "JobTracker 1.2.1 · JobQueueTaskScheduler"),
    "mr1-fair": ("JobTracker Fair", "JobTracker 1.2.1 · FairScheduler"),
    "mr1-capacity": ("JobTracker Capacity", "JobTracker 1.2.1 · CapacityTaskScheduler"),
}
"""What a scheduler is called → (short, long) name."""


class DrillClock(NamedTuple):
    """The header's facts of a drill."""

    badge: str
    ends_ms: int
    """When time is up [epoch ms]."""
    pages: Callable[[], int] | None = None
    """In an exam, where only symptoms are shown: how many pages have come."""

    @property
    def is_exam(self) -> bool:
        """Tell whether only symptoms are shown."""
        return self.pages is not None


class PartitionMeter(NamedTuple):
    """The used memory of a partition [MB]."""

    label: str
    total: int
    used: int


HeaderLine = list[EdgeWords]  # Words from left to right; some stand for an action, in the words of the keymap


def speed_words(run: RunState) -> str:
    """The clock's speed, as `×60` or `max`."""
    return "max" if run.speed == inf else f"{TIMES}{run.speed:g}"


def identity_line(
    header: Header,
    run: RunState,
    offset_ms: int,
    width: int,
    *,
    read_only: bool = False,
    drill: DrillClock | None = None,
) -> HeaderLine:
    """The header: the source, the scheduler, its rules, the clock; the clock is cropped last."""
    wide = width >= WIDE_FROM
    brand = [EdgeWords((("schedlab ", "soft"),))] if wide else []
    brand += [] if drill is None else _drill(drill, header.time_ms)
    kind = run.recorded.upper() if run.reception is None else "LIVE"
    brand += [EdgeWords(((f" {kind} ", "bold onbadge on accent"), (" ", "text")))] if kind else []
    left = [*brand, EdgeWords(((text.plain(run.name), "strong"),)), EdgeWords((("   " if wide else "  ", "text"),))]
    facts = _facts(header, run, wide=wide)
    right = _clock(header, run, offset_ms, wide=wide)
    if run.reception is not None and length_of([*left, *_dotted(facts), *right]) > width - 20:
        run = msgspec.structs.replace(run, reception=msgspec.structs.replace(run.reception, cost_ms=0))
        right = _clock(header, run, offset_ms, wide=wide)
    if drill is not None and drill.is_exam:
        left_s = text.duration(drill.ends_ms - header.time_ms)
        words = "paused  " if run.paused else "wall clock  "
        right[0] = EdgeWords(((words, "watch" if run.paused else "soft"), (left_s, "strong"), (" left ", "soft")))
    if read_only:
        right.insert(0, EdgeWords((("READ-ONLY  ", "watch"),)))
    while facts and length_of([*left, *_dotted(facts), *right]) > width - 3:
        facts.pop()
    return _spread([*left, *_dotted(facts)] if facts else left[:-1], right, width)


def _drill(drill: DrillClock, now_ms: int) -> list[EdgeWords]:
    """The badge and, besides in an exam, the time left."""
    badge = (f" {drill.badge} ", "bold onbadge on accent")
    left = " " if drill.is_exam else f" {text.duration(drill.ends_ms - now_ms)} left  "
    return [EdgeWords((badge, (left, "soft")), "program.drill")]


def _facts(header: Header, run: RunState, *, wide: bool) -> list[EdgeWords]:
    found = [EdgeWords(((_SCHEDULERS.get(header.scheduler, (header.scheduler,) * 2)[wide], "soft"),))]
    rule, preemption = header.reservation_rule, header.preemption
    if not isinstance(rule, Unknown) and rule:
        words = f"reservations {rule}" if wide else rule
        found.append(EdgeWords(((words, "soft"),), "cluster_acts.cycle_reservation"))
    if not isinstance(header.spread_out, Unknown):
        words = "spread out" if header.spread_out else "packing"
        found.append(EdgeWords(((words, "soft"),), "cluster_acts.toggle_spread_out"))
    if not isinstance(preemption, Unknown):
        words = "preemption" if preemption else "no preemption"
        found.append(EdgeWords(((words, "soft"),), "cluster_acts.toggle_preemption"))
    return found if run.is_watched else [*found, EdgeWords(((f"seed {run.seed}", "soft"),))]


def _dotted(facts: Sequence[EdgeWords]) -> list[EdgeWords]:
    dot = EdgeWords(((f" {DOT} ", "faint"),))
    return [part for one in facts for part in (dot, one)][1:]


def _clock(header: Header, run: RunState, offset_ms: int, *, wide: bool) -> list[EdgeWords]:
    weekday, _, moment = text.clock(header.time_ms, offset_ms).rpartition(" ")
    when = f"{weekday} {text.date(header.time_ms, offset_ms).split()[0]} " if wide else f"{weekday} "
    zone = f" {text.zone(offset_ms)}" if wide and run.is_watched else ""
    gap = EdgeWords((("  " if wide else " ", "text"),))
    found = [
        _mode(run, header.time_ms, offset_ms),
        gap,
        EdgeWords(((when, "soft"), (moment, "strong"), (zone, "faint"))),
    ]
    is_still = run.paused or run.frozen or run.ended or run.failure or run.present_ms is not None
    stands = run.reception is None and is_still
    return [*found, gap, EdgeWords(((speed_words(run), "faint"),), "clock.toggle_pause")] if stands and wide else found


def _mode(run: RunState, now_ms: int, offset_ms: int) -> EdgeWords:
    if run.present_ms is not None:
        if (run.recorded or run.reception is not None) and not run.paused:
            return EdgeWords(
                (("PAST ", "bold watch"), (f"{RUNNING} {speed_words(run)}", "accent")), "clock.toggle_pause"
            )
        present = f" of {text.near_clock(run.present_ms, now_ms, offset_ms)}"
        return EdgeWords((("PAST", "bold watch"), (present, "soft")), "board.leave")
    if run.reception is not None:
        return EdgeWords((_reception(run.reception, now_ms),), "program.alerts")
    if run.failure:
        return EdgeWords((("stopped", "watch"),))
    if run.ended:
        return EdgeWords((("ended", "watch"),))
    if run.frozen:
        return EdgeWords((("frozen", "watch"),))
    if run.recorded:
        return EdgeWords((("its end", "soft"),))
    if run.paused:
        return EdgeWords((("paused", "watch"),), "clock.toggle_pause")
    return EdgeWords(((f"{RUNNING} {speed_words(run)}", "accent"),), "clock.toggle_pause")


def _reception(heard: Reception, header_ms: int) -> Span:
    """Tells how old the data of a live cluster are; of one that is not heard, that an earlier picture is shown."""
    if heard.state == LIVE:
        age = f"data {text.duration(heard.now_ms - header_ms)} old{again_words(heard)}"
        if heard.late:
            return (f"{age}, {heard.late}", "watch")
        cost = f", costs {heard.cost_ms} ms" if heard.cost_ms else ""
        return (f"{age}, answers in {heard.took_ms} ms{cost}", "soft")
    return ("picture of", "watch")


def symptom_line(headline: str, pages: int, width: int) -> HeaderLine:
    """The headline alone, since in an exam nobody judges the state; at its end how many pages have come."""
    news = [EdgeWords(((text.plural(pages, "page"), "watch"),), "program.drill('pages')")] if pages else []
    return _spread([EdgeWords(((headline, "strong"),))], news, width)


def health_line(health: Health, now_ms: int, keys: Sequence[tuple[str, str, str]], width: int) -> HeaderLine:
    """State, time it lasts, headline; then the keys that help most, where there is room.

    `keys` are (key, word, action) of each.
    """
    lasts = "" if health.since_ms is None else f" {text.duration(max(0, now_ms - health.since_ms))}"
    if health.is_at_least:  # in its first second a watch tells no time
        lasts = "" if lasts == " 0s" else f"{lasts} or more"
    words = f" {health.sign} {health.word}{lasts} "
    is_badge = health.level >= HARMED
    badge = (words, f"bold onbadge on {health.style}" if is_badge else f"bold {health.style}")
    headline = text.plain(text.with_short_ids(health.headline))
    left = [
        EdgeWords((badge,), "program.alerts"),
        EdgeWords(((" ", "text"), (headline, "strong" if is_badge else "text")), "program.alerts"),
    ]
    if health.more:
        left.append(EdgeWords(((f" +{health.more}", "watch"),), "program.alerts"))
    right: list[EdgeWords] = []
    for key, word, call in keys if health.level >= BUSY else ():
        right += [EdgeWords((("   ", "text"),)), EdgeWords(((key, "bold accent"), (f" {word}", "soft")), call)]
    while right and length_of(left) + length_of(right) > width - 1:
        del right[-2:]
    return _spread(left, right[1:], width, margin=0)


def meter_line(header: Header, waits: WaitTotal, width: int, partitions: Sequence[PartitionMeter] = ()) -> HeaderLine:
    """A meter for each dimension, its share in per cent and in amounts; then counts, as many as there is room for.

    Where there are partitions, a meter for the memory of each, three of them where it is wide, else the two fullest.

    Nodes whose size nobody says have an unknown amount, not none.

    """
    wide = width >= WIDE_FROM
    size = 36 if width >= VERY_WIDE_FROM else 16 if wide else 10
    left: list[EdgeWords] = []
    for title, name, total, used in _metered(header, partitions, wide=wide):
        is_unknown = not total and header.nodes > 0
        spans: Spans = [(f"{title} ", "soft"), *line_meter(size, used, total)]
        spans.append((f" {'?' if is_unknown else text.percent(used, total) or '-':>4}", "strong"))
        if wide and (width >= VERY_WIDE_FROM or name != "vcores"):
            unit = text.dimension(name, used)
            spans.append((f"  {unit} of {'?' if is_unknown else text.dimension(name, total)}", "soft"))
        left += [EdgeWords(tuple(spans), "navigation.show('nodes')"), EdgeWords((("   " if wide else "  ", "text"),))]
    counts = _fitting_counts(header, waits, width - 2 - length_of(left), wide=wide)
    return _spread(left[:-1], counts[1:], width)


def partition_uses(nodes: Sequence[NodeRow]) -> list[PartitionMeter]:
    """The memory of each partition by its nodes, the default one first; none where there is one only."""
    found: dict[str, list[int]] = {}
    for label, total, used in zip(*(column(nodes, name) for name in ("partition", "total", "used")), strict=True):
        sums = found.setdefault(label, [0, 0])
        sums[0], sums[1] = sums[0] + total[0], sums[1] + used[0]
    return [PartitionMeter(label, *found[label]) for label in sorted(found)] if len(found) > 1 else []


def _metered(header: Header, partitions: Sequence[PartitionMeter], *, wide: bool) -> list[tuple[str, str, int, int]]:
    if partitions:
        fullest = sorted(partitions, key=lambda use: -use.used / max(1, use.total))
        shown = partitions if len(partitions) <= 2 + wide else fullest[:2]
        name = header.dimensions[0]
        return [(text.plain(use.label) or "default", name, use.total, use.used) for use in shown]
    amounts = sorted(zip(header.dimensions, header.total, header.used, strict=False), key=lambda one: one[0] != "cores")
    return [(METER_NAMES.get(name, (name, name))[wide], name, total, used) for name, total, used in amounts]


def _fitting_counts(header: Header, waits: WaitTotal, room: int, *, wide: bool) -> list[EdgeWords]:
    """As many counts as there is room for; those who wait are told apart before it is told how many run."""
    for words in (sum_words(waits, header.dimensions, is_short=is_short) for is_short in (False, True)):
        counts = _counts(header, waits.number, words, wide=wide)
        found = next((some for some in (counts, counts[2:]) if some and length_of(some) <= room), None)
        if found is not None and words:
            return found
    counts = _counts(header, waits.number, "", wide=wide)
    while counts and length_of(counts) > room:
        counts = counts[2:]
    return counts


def _counts(header: Header, waiting: int, told_apart: str, *, wide: bool) -> list[EdgeWords]:
    """Blanks and a count in turn; the first go first."""
    is_spark = "cores" in header.dimensions
    some = [
        ("running" if wide else "run", header.applications_running, "applications", False),
        ("waiting" if wide else "wait", waiting, "applications", is_spark),
        (f"{words_of(header.dimensions).node}s", header.nodes, "nodes", wide and not is_spark),
        ("lost", header.nodes_down, "nodes", not header.nodes_down),
    ]
    found: list[EdgeWords] = []
    for words, count, pane, is_left_out in some:
        if not is_left_out:
            more = told_apart if words.startswith("wait") else ""
            spans = ((f"{words} ", "soft"), (str(count), "strong"), *(((more, "soft"),) if more else ()))
            found += [EdgeWords((("   " if wide else "  ", "text"),)), EdgeWords(spans, f"navigation.show({pane!r})")]
    return found


def _spread(left: Sequence[EdgeWords], right: Sequence[EdgeWords], width: int, *, margin: int = 1) -> HeaderLine:
    """Words at both ends of a line, with a margin; what is too long is cut at the right of the left ones."""
    room = width - margin - 1 - length_of(right)
    spans = crop([span for words in left for span in words.spans], max(0, room - bool(right)))
    kept = list(left) if length_of(left) <= room - bool(right) else [EdgeWords(tuple(spans))]
    gap = max(0, room - length_of(kept))
    return [EdgeWords(((" " * margin, "text"),)), *kept, EdgeWords(((" " * gap, "text"),)), *right]


def spans_of(line: HeaderLine) -> Spans:
    """A line without what its words stand for."""
    return [span for words in line for span in words.spans]


def call_of(line: HeaderLine, cell: int) -> str:
    """The action a click on a cell means; empty where it means none."""
    end = 0
    for words in line:
        end += length(list(words.spans))
        if cell < end:
            return words.call
    return ""
