"""The header: what is looked at and when, how the cluster is, its meters and counts. The pulse stands below it."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from math import inf
from typing import Final, NamedTuple

import msgspec

from engine.explain.alert import BADGES, LONG_MS, Alert, standing_at, word_of
from engine.observe.snapshot import Header, NodeRow, ReservationRow, Snapshot, Unknown, column, lazy_rows
from engine.observe.snapshots import WAITS, WaitTotal, services, terms_for, waits_of
from engine.observe.spark_snapshot import left_over
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.fair import FAIR_27, FAIR_34
from engine.settings.site import YARN_34
from tui.panes.fragments import Fragment, Fragments, crop, line_meter
from tui.panes.frame import BorderLabel, border_label, length_of, spans_of
from tui.panes.misfit import misfit_of
from tui.panes.pane_view import watched_from
from tui.panes.pulse import Thaw
from tui.panes.waits import served_words, sum_words
from tui.protocol.picture import LIVE, ConnectionStatus, RunState, SessionState
from tui.protocol.session import CUT_OFF
from tui.terminal import format as text
from tui.terminal.format import DOT, FROZEN, OK, RUNNING, TIMES, WATCH

FINE, BUSY, HARMED, DEAD = range(4)  # Every ask is met; some wait; an application is harmed; nothing goes on


class Health(NamedTuple):
    level: int
    word: str
    headline: str
    since_ms: int | None = None
    more: int = 0  # Alerts that stand besides
    is_at_least: bool = False  # True where it may have begun before a live cluster was watched
    short: str = ""  # The headline where there is little room; empty for the same
    is_badge: bool = False  # True where a good state stands out, too

    @property
    def sign(self) -> str:
        return (OK, OK, WATCH, FROZEN)[self.level]

    @property
    def style(self) -> str:
        return ("good", "data", "watch", "alarm")[self.level]


CALM: Final = Health(FINE, "OK", "")  # Nothing is known to be wrong


def standing(picture: SessionState) -> list[Alert]:
    """The alerts that stand at the instant looked at, a freeze first."""
    run, now_ms = picture.run, picture.snapshot.header.time_ms
    found = run.standing
    if run.present_ms is not None:
        found = tuple(standing_at(run.alerts, now_ms))
    return sorted(found, key=lambda alert: alert.kind != "frozen")


def frozen_of(picture: SessionState) -> Alert | None:
    """The freeze that stands; None while something can be allocated."""
    return next((alert for alert in standing(picture) if alert.kind == "frozen"), None)


def is_stale(run: RunState) -> bool:
    """True where a live cluster does not answer, so that the picture is old."""
    return run.reception is not None and run.reception.state != LIVE and run.present_ms is None


def health_of(picture: SessionState, muted: Collection[str] = ()) -> Health:
    """The worst that is known of the cluster at the instant looked at, without the badges that are `muted`."""
    header, run = picture.snapshot.header, picture.run
    if run.failure:
        return Health(DEAD, BADGES["stopped"].word, run.failure)
    heard = run.reception
    if heard is not None and is_stale(run):
        return Health(HARMED, heard.state.upper(), f"{heard.sentence}{again_words(heard)}", heard.since_ms)
    recovery = header.recovery
    if recovery is not None and (recovery.is_down or header.time_ms <= recovery.waits_until_ms):
        return _recovering(header, picture.snapshot)
    alerts = [alert for alert in standing(picture) if word_of(alert.kind, alert.pattern) not in muted]
    if alerts:
        return _alerted(alerts[0], len(alerts) - 1, picture)
    if recovery is not None:
        return _recovering(header, picture.snapshot)
    if header.nodes_down and (lost := _lost(picture)) is not None:
        return lost
    misfit = misfit_of(picture.snapshot)
    if misfit is not None and (word := BADGES[misfit.kind].word) not in muted:
        return Health(HARMED, word, misfit.headline, misfit.since_ms)
    return _ordinary(picture)


def _alerted(first: Alert, more: int, picture: SessionState) -> Health:
    """The state by the gravest alert; what was proved by what was assumed says so in the badge too."""
    run = picture.run
    is_earlier = run.reception is not None and run.track is not None and first.since_ms <= run.track.start_ms
    is_frozen, is_if = first.kind == "frozen", bool(run.condition) and first.kind in {"frozen", "stuck"}
    word = word_of(first.kind, first.pattern)
    words = (is_frozen and _culprit(picture.snapshot)) or (first.words if is_frozen else first.said)
    short = words.replace(" nodes;", ";").replace(" behind it", "") if is_frozen else first.brief
    if is_if:
        short = (short if is_frozen else first.words).rpartition(": ")[2].replace("given what it asks for", "served")
        words, short, word = f"{words}, {run.condition}", f"{short}, {run.condition}", f"{word} if"
    return Health(DEAD if is_frozen else HARMED, word, words, first.since_ms, more, is_earlier, short)


AFTERWARDS_MS: Final = 5_000  # How long it is told that fewer came than were foretold


def thawing(health: Health, thaw: Thaw | None, now_ms: int, offset_ms: int) -> Health:
    """The state while what an act was foretold to start starts; for a moment afterwards with those that did not."""
    if thaw is None:
        return health
    acted = thaw.acted
    ends_ms = acted.forecast.ends_ms
    if thaw.is_on:
        by = text.near_clock(ends_ms, now_ms, offset_ms)
        verb = served_words(acted.forecast.waits(thaw.coming), is_over=True)
        words = f"{thaw.came} of {thaw.of} {verb} since {acted.letter}"
        rest = f"; {len(thaw.coming)} more by {by}"
        return Health(FINE, "THAWING", words + rest, acted.time_ms, short=words, is_badge=True)
    if thaw.coming and ends_ms < now_ms <= ends_ms + AFTERWARDS_MS:
        return health._replace(headline=f"foretold {thaw.of}, came {thaw.came}; {health.headline}", short="")
    return health


def again_words(heard: ConnectionStatus) -> str:
    """Say when the server is asked again; nothing where that is soon."""
    return "" if heard.next_ms is None else f", asked again in {text.duration(max(heard.next_ms - heard.now_ms, 0))}"


def symptoms_of(picture: SessionState) -> str:
    """Return what anybody sees of a cluster: how much is used, what waits and for how long."""
    return _ordinary(picture).headline


def _recovering(header: Header, snapshot: Snapshot) -> Health:
    recovery = header.recovery
    assert recovery is not None, "it went"
    words = terms_for(header.dimensions)
    waiting = _waiting(snapshot)
    more = f"; {waiting} wait{'s' if waiting == 1 else ''}" if waiting else ""
    if recovery.is_down:
        headline = f"no {words.master} answers, nothing is decided{more}"
        return Health(DEAD, BADGES["no-master"].word, headline, recovery.since_ms)
    nodes = f"{recovery.nodes_back} of {recovery.nodes_known} {words.node}s back"
    count = recovery.masters_missing
    masters = f", {text.plural(count, 'master')} missing" if count else ""
    return Health(HARMED, BADGES["recovering"].word, f"recovering, {nodes}{masters}{more}", recovery.since_ms)


def _culprit(snapshot: Snapshot) -> str:
    header = snapshot.header
    rows = snapshot.reservations() if isinstance(header.nodes_reserved, int) else ()
    behind = max(0, _waiting(snapshot) - 1)  # all but the one named
    rest = f"; {behind} wait{'s' if behind == 1 else ''} behind it" if behind else ""
    if rows:
        return _holder(rows, header) + rest
    if "cores" not in header.dimensions:
        return ""
    cores = header.dimensions.index("cores")
    holder = max(lazy_rows(snapshot.applications()), key=lambda row: row.used[cores], default=None)
    if holder is None or not holder.used[cores]:
        return ""
    return f"{holder.number:04d} holds {holder.used[cores]} of {header.total[cores]} cores{rest}"


def _holder(rows: Sequence[ReservationRow], header: Header) -> str:
    held = Counter(column(rows, "application"))
    name, count = min(held.items(), key=lambda item: (-item[1], item[0]))
    nodes = terms_for(header.dimensions).node + "s" * (header.nodes != 1)
    inferred = ", inferred" if "reservations" in header.inferred else ""
    return f"{text.short_id(name)} holds {count} of {header.nodes} {nodes}{inferred}"


def _waiting(snapshot: Snapshot) -> int:
    return waits_of(snapshot.applications()).number


def _lost(picture: SessionState) -> Health | None:
    """The nodes that are gone or unhealthy; None where all that are down were taken out of service by hand."""
    header = picture.snapshot.header
    what, states = terms_for(header.dimensions).node, Counter(column(picture.snapshot.nodes(), "state"))
    sick, out = states["UNHEALTHY"], states["DECOMMISSIONED"]
    found = ((header.nodes_down - sick - out, "lost"), (sick, "unhealthy"), (out, "decommissioned"))
    (count, kind), *others = [(count, words) for count, words in found if count > 0]
    if kind == "decommissioned":
        return None
    since = next((row.time_ms for row in reversed(picture.events) if row.kind in ("NodeLost", "WorkerLost")), None)
    waiting, wanted = _waiting(picture.snapshot), "more"
    more = "".join(f", {count} {words}" for count, words in others)
    headline = f"{text.plural(count, what)} {kind}{more}, {header.nodes} left"
    if "cores" in header.dimensions:
        headline = _took(picture.snapshot) or headline
        wanted = _wanted(picture.snapshot)
    wants = f"; {waiting} want{'s' if waiting == 1 else ''} {wanted}" if waiting else ""
    return Health(HARMED, BADGES[kind].word.format(node=what.upper()), headline + wants, since)


def _took(snapshot: Snapshot) -> str:
    gone = [row for row in snapshot.nodes() if row.state == "DEAD"]
    who = text.short_node(gone[0].host or gone[0].id) if len(gone) == 1 else text.plural(len(gone), "worker")
    cores = text.plural(sum(row.total[1] for row in gone), "core")
    return f"{who} took {cores} with {'it' if len(gone) == 1 else 'them'}" if gone else ""


def _wanted(snapshot: Snapshot) -> str:
    rows = snapshot.applications(why=False)
    fields = (column(rows, name) for name in ("cores_wanted", "executor_cores", "used"))
    wanted = zip(*fields, services(rows), strict=True)
    missing = sum(
        most - left_over(most, each) - used[1]
        for most, each, used, service in wanted
        if service == WAITS and isinstance(most, int)
    )
    return f"{text.plural(missing, 'core')} more" if missing > 0 else "more"


def _ordinary(picture: SessionState) -> Health:
    header, rows = picture.snapshot.header, picture.snapshot.applications()
    place = header.dimensions.index("cores") if "cores" in header.dimensions else 0
    if "map_slots" in header.dimensions:
        maps, reduces = (f"{used} of {total}" for used, total in zip(header.used, header.total, strict=True))
        used = f"{maps} map and {reduces} reduce slots used"
    elif header.nodes and not header.total[place]:
        used = "the nodes' sizes are not known"
    else:
        share = text.percent(header.used[place], header.total[place]) or "0%"
        used = f"{share} of {header.dimensions[place].removesuffix('_mb')} used"
    waits = waits_of(rows)
    if not waits.number:
        return Health(FINE, BADGES["ok"].word, f"{used}, nothing waits")
    longest = "" if waits.since_ms is None else f", longest {text.duration(header.time_ms - waits.since_ms)}"
    if still := _still(picture):
        return Health(BUSY, BADGES["busy"].word, f"{used}, {waits.number} waiting, nothing allocated for {still}")
    since = zip(column(rows, "state"), column(rows, "waiting_since_ms"), strict=True)
    if longest and picture.run.reception is not None and ("RUNNING", watched_from(picture.run)) in since:
        longest += " or more"  # it waited when the watch began
    return Health(BUSY, BADGES["busy"].word, f"{used}, {waits.number} waiting{longest}")


def _still(picture: SessionState) -> str:
    if picture.graphs is None or picture.run.reception is not None:
        return ""
    now_ms = picture.snapshot.header.time_ms
    last_ms = picture.graphs.history.last_allocated_ms(now_ms)
    return text.duration(now_ms - last_ms) if last_ms is not None and now_ms - last_ms >= LONG_MS else ""


WIDE_FROM: Final = 110  # Width from which on names are said at length
VERY_WIDE_FROM: Final = 170  # Width from which on there is room for every amount
METER_NAMES: Final = {
    "memory_mb": ("mem", "memory"),
    "vcores": ("vc", "vcores"),
    "cores": ("co", "cores"),
    "map_slots": ("maps", "map slots"),
    "reduce_slots": ("reds", "reduce slots"),
}  # Dimension → (short, long) title of its meter
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
}  # What a scheduler is called → (short, long) name


class DrillClock(NamedTuple):
    badge: str
    ends_ms: int  # When time is up [epoch ms]
    pages: Callable[[], int] | None = None  # In an exam, where only symptoms are shown: how many pages have come

    @property
    def is_exam(self) -> bool:
        return self.pages is not None


class PartitionMeter(NamedTuple):
    """The used memory of a partition [MB]."""

    label: str
    total: int
    used: int


HeaderLine = list[BorderLabel]  # Words from left to right; some stand for an action, in the words of the keymap


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
    brand = [border_label("schedlab ", "soft")] if wide else []
    brand += [] if drill is None else _drill(drill, header.time_ms)
    kind = run.recorded.upper() if run.reception is None else "LIVE"
    brand += [BorderLabel(((f" {kind} ", "bold onbadge on accent"), (" ", "text")))] if kind else []
    left = [*brand, border_label(text.plain(run.name), "strong"), border_label("   " if wide else "  ")]
    facts = _facts(header, run, wide=wide)
    right = _clock(header, run, offset_ms, wide=wide)
    if run.reception is not None and length_of([*left, *_dotted(facts), *right]) > width - 20:
        run = msgspec.structs.replace(run, reception=msgspec.structs.replace(run.reception, cost_ms=0))
        right = _clock(header, run, offset_ms, wide=wide)
    if drill is not None and drill.is_exam:
        left_s = text.duration(drill.ends_ms - header.time_ms)
        words = "paused  " if run.paused else "wall clock  "
        right[0] = BorderLabel(((words, "watch" if run.paused else "soft"), (left_s, "strong"), (" left ", "soft")))
    if read_only:
        right.insert(0, border_label("READ-ONLY  ", "watch"))
    while facts and length_of([*left, *_dotted(facts), *right]) > width - 3:
        facts.pop()
    return _spread([*left, *_dotted(facts)] if facts else left[:-1], right, width)


def _drill(drill: DrillClock, now_ms: int) -> list[BorderLabel]:
    badge = (f" {drill.badge} ", "bold onbadge on accent")
    left = " " if drill.is_exam else f" {text.duration(drill.ends_ms - now_ms)} left  "
    return [BorderLabel((badge, (left, "soft")), "program.drill")]


def _facts(header: Header, run: RunState, *, wide: bool) -> list[BorderLabel]:
    found = [border_label(_SCHEDULERS.get(header.scheduler, (header.scheduler,) * 2)[wide], "soft")]
    rule, preemption = header.reservation_rule, header.preemption
    if not isinstance(rule, Unknown) and rule:
        words = f"reservations {rule}" if wide else rule
        found.append(border_label(words, "soft", "cluster_acts.cycle_reservation"))
    if not isinstance(header.spread_out, Unknown):
        words = "spread out" if header.spread_out else "packing"
        found.append(border_label(words, "soft", "cluster_acts.toggle_spread_out"))
    if not isinstance(preemption, Unknown):
        words = "preemption" if preemption else "no preemption"
        found.append(border_label(words, "soft", "cluster_acts.toggle_preemption"))
    return found if run.is_watched else [*found, border_label(f"seed {run.seed}", "soft")]


def _dotted(facts: Sequence[BorderLabel]) -> list[BorderLabel]:
    dot = border_label(f" {DOT} ", "faint")
    return [part for one in facts for part in (dot, one)][1:]


def _clock(header: Header, run: RunState, offset_ms: int, *, wide: bool) -> list[BorderLabel]:
    weekday, _, moment = text.clock(header.time_ms, offset_ms).rpartition(" ")
    when = f"{weekday} {text.date(header.time_ms, offset_ms).split()[0]} " if wide else f"{weekday} "
    zone = f" {text.zone(offset_ms)}" if wide and run.is_watched else ""
    gap = border_label("  " if wide else " ")
    found = [
        _mode(run, header.time_ms, offset_ms),
        gap,
        BorderLabel(((when, "soft"), (moment, "strong"), (zone, "faint"))),
    ]
    is_still = run.paused or run.frozen or run.ended or run.failure or run.present_ms is not None
    stands = run.reception is None and is_still
    return [*found, gap, border_label(speed_words(run), "faint", "clock.toggle_pause")] if stands and wide else found


def _mode(run: RunState, now_ms: int, offset_ms: int) -> BorderLabel:
    if run.frozen == CUT_OFF:
        return border_label(CUT_OFF, "watch")
    if run.present_ms is not None:
        if (run.recorded or run.reception is not None) and not run.paused:
            return BorderLabel(
                (("PAST ", "bold watch"), (f"{RUNNING} {speed_words(run)}", "accent")), "clock.toggle_pause"
            )
        present = f" of {text.near_clock(run.present_ms, now_ms, offset_ms)}"
        return BorderLabel((("PAST", "bold watch"), (present, "soft")), "board.leave")
    if run.reception is not None:
        return BorderLabel((_reception(run.reception, now_ms),), "program.alerts")
    for state, words in ((run.failure, "stopped"), (run.ended, "ended"), (run.frozen, "frozen")):
        if state:
            return border_label(words, "watch")
    if run.recorded:
        return border_label("its end", "soft")
    if run.paused:
        return border_label("paused", "watch", "clock.toggle_pause")
    return border_label(f"{RUNNING} {speed_words(run)}", "accent", "clock.toggle_pause")


def _reception(heard: ConnectionStatus, header_ms: int) -> Fragment:
    if heard.state == LIVE:
        age = f"data {text.duration(heard.now_ms - header_ms)} old{again_words(heard)}"
        if heard.late:
            return (f"{age}, {heard.late}", "watch")
        cost = f", costs {heard.cost_ms} ms" if heard.cost_ms else ""
        return (f"{age}, answers in {heard.took_ms} ms{cost}", "soft")
    return ("picture of", "watch")


def symptom_line(headline: str, pages: int, width: int) -> HeaderLine:
    """The headline alone, since in an exam the state is not judged; at its end how many pages have come."""
    news = [border_label(text.plural(pages, "page"), "watch", "program.drill('pages')")] if pages else []
    return _spread([border_label(headline, "strong")], news, width)


def health_line(health: Health, now_ms: int, keys: Sequence[tuple[str, str, str]], width: int) -> HeaderLine:
    """State, time it lasts, headline; then the keys that help most: (key, word, action), where there is room."""
    lasts = "" if health.since_ms is None else f" {text.duration(max(0, now_ms - health.since_ms))}"
    if health.is_at_least:  # in its first second a watch tells no time
        lasts = "" if lasts == " 0s" else f"{lasts} or more"
    words = f" {health.sign} {health.word}{lasts} "
    is_badge = health.level >= HARMED or health.is_badge
    badge = (words, f"bold onbadge on {health.style}" if is_badge else f"bold {health.style}")
    right: list[BorderLabel] = []
    for key, word, call in keys if health.level >= BUSY or is_badge else ():
        spans = ((key, "bold accent"), (f" {word}" if key else word, "soft"))
        right += [border_label("   "), BorderLabel(spans, call)]
    left = _headed(badge, health, health.headline, is_badge=is_badge)
    if health.short and length_of(left) + length_of(right) > width - 1:
        left = _headed(badge, health, health.short, is_badge=is_badge)
    while right and length_of(left) + length_of(right) > width - 1:
        del right[-2:]
    return _spread(left, right[1:], width, margin=0)


def _headed(badge: Fragment, health: Health, headline: str, *, is_badge: bool) -> list[BorderLabel]:
    words = text.plain(text.with_short_ids(headline))
    left = [
        BorderLabel((badge,), "program.alerts"),
        BorderLabel(((" ", "text"), (words, "strong" if is_badge else "text")), "program.alerts"),
    ]
    if health.more:
        left.append(border_label(f" +{health.more}", "watch", "program.alerts"))
    return left


def meter_line(header: Header, waits: WaitTotal, width: int, partitions: Sequence[PartitionMeter] = ()) -> HeaderLine:
    """A meter for each dimension, its share in per cent and in amounts; then counts, as many as there is room for.

    Of partitions the memory of each has a meter, where it is wide of three, else of the two fullest. Nodes of unknown
    size have an unknown amount, not none.
    """
    wide = width >= WIDE_FROM
    size = 36 if width >= VERY_WIDE_FROM else 16 if wide else 10
    left: list[BorderLabel] = []
    for title, name, total, used in _metered(header, partitions, wide=wide):
        is_unknown = not total and header.nodes > 0
        spans: Fragments = [(f"{title} ", "soft"), *line_meter(size, used, total)]
        spans.append((f" {'?' if is_unknown else text.percent(used, total) or '-':>4}", "strong"))
        if wide and (width >= VERY_WIDE_FROM or name != "vcores"):
            words = f"{text.dimension(name, used)} of ?" if is_unknown else text.part_of(name, used, total)
            spans.append((f"  {words}", "soft"))
        left += [
            BorderLabel(tuple(spans), "navigation.show('nodes')"),
            border_label("   " if wide else "  "),
        ]
    counts = _fitting_counts(header, waits, width - 2 - length_of(left), wide=wide)
    return _spread(left[:-1], counts[1:], width)


def partition_uses(nodes: Sequence[NodeRow]) -> list[PartitionMeter]:
    """The memory of each partition by its nodes, the default one first; none where there is one only."""
    labels = column(nodes, "partition")
    if len(set(labels)) < 2:
        return []
    found: dict[str, list[int]] = {}
    for label, total, used in zip(labels, column(nodes, "total"), column(nodes, "used"), strict=True):
        sums = found.setdefault(label, [0, 0])
        sums[0], sums[1] = sums[0] + total[0], sums[1] + used[0]
    return [PartitionMeter(label, *found[label]) for label in sorted(found)]


def _metered(header: Header, partitions: Sequence[PartitionMeter], *, wide: bool) -> list[tuple[str, str, int, int]]:
    if partitions:
        fullest = sorted(partitions, key=lambda use: -use.used / max(1, use.total))
        shown = partitions if len(partitions) <= 2 + wide else fullest[:2]
        name = header.dimensions[0]
        return [(text.plain(use.label) or "default", name, use.total, use.used) for use in shown]
    amounts = sorted(zip(header.dimensions, header.total, header.used, strict=False), key=lambda one: one[0] != "cores")
    return [(METER_NAMES.get(name, (name, name))[wide], name, total, used) for name, total, used in amounts]


def _fitting_counts(header: Header, waits: WaitTotal, room: int, *, wide: bool) -> list[BorderLabel]:
    for words in (sum_words(waits, header.dimensions, is_short=is_short) for is_short in (False, True)):
        counts = _counts(header, waits.number, words, wide=wide)
        found = next((some for some in (counts, counts[2:]) if some and length_of(some) <= room), None)
        if found is not None and words:
            return found
    counts = _counts(header, waits.number, "", wide=wide)
    while counts and length_of(counts) > room:
        counts = counts[2:]
    return counts


def _counts(header: Header, waiting: int, told_apart: str, *, wide: bool) -> list[BorderLabel]:
    is_spark = "cores" in header.dimensions
    some = [
        ("running" if wide else "run", header.applications_running, "applications", False),
        ("waiting" if wide else "wait", waiting, "applications", is_spark),
        (f"{terms_for(header.dimensions).node}s", header.nodes, "nodes", wide and not is_spark),
        ("down", header.nodes_down, "nodes", not header.nodes_down),
    ]
    found: list[BorderLabel] = []
    for words, count, pane, is_left_out in some:
        if not is_left_out:
            more = told_apart if words.startswith("wait") else ""
            spans = ((f"{words} ", "soft"), (str(count), "strong"), *(((more, "soft"),) if more else ()))
            found += [
                border_label("   " if wide else "  "),
                BorderLabel(spans, f"navigation.show({pane!r})"),
            ]
    return found


def _spread(left: Sequence[BorderLabel], right: Sequence[BorderLabel], width: int, *, margin: int = 1) -> HeaderLine:
    room = width - margin - 1 - length_of(right)
    spans = crop(spans_of(left), max(0, room - bool(right)))
    kept = list(left) if length_of(left) <= room - bool(right) else [BorderLabel(tuple(spans))]
    gap = max(0, room - length_of(kept))
    return [border_label(" " * margin), *kept, border_label(" " * gap), *right]
