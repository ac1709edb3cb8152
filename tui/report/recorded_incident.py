"""The page about an incident that was recorded: what the lines of a log or kept polls prove."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import msgspec

from engine.explain.alert import Episode, episodes_of
from engine.grouping import grouped
from engine.live.live_why import why_application
from engine.measures.postmortem import worst_of
from engine.model.decision import Reserved
from engine.observe.documents import FixedSnapshot
from engine.observe.journal import program_version
from engine.observe.snapshot import ApplicationRow
from engine.recorded.log_series import SnapshotSeries
from engine.units import plural
from tui.pages.compare import wait_text
from tui.pages.verdict_text import why_lines
from tui.report.incident import MOST, Postmortem, alert_words, headline_of
from tui.report.page import ReportPart
from tui.terminal import format as text
from tui.terminal.format import RelativeTimeFormat


class _RecordWords(NamedTuple):
    no_play: str  # Why it plays nothing
    twin: str  # How its twin is asked
    assumed: tuple[str, ...] = ()  # Beside the notes of the series


_OF_A_LOG: Final = _RecordWords(
    "Nothing is played: the record does not say what waits asks for, how long containers run, nor the settings.",
    "Its twin can be asked: add --config PATH.",
    ("a node stays reserved until a line says otherwise, as a ResourceManager logs a reservation once",),
)
_OF_POLLS: Final = _RecordWords(
    "Nothing is played for this page: polls do not say how long containers run, nor all settings.",
    "schedlab fix {name} --at {at} plays its twin, on assumptions; so does this page with --config PATH.",
)
_RESERVED: Final = "{} of {} nodes are reserved, and a reserved node gives nothing to other applications"
_UNSAID: Final = "not said by the record; FairScheduler 2.7 reserves every node that beats for an ask without room"


def of_record(series: SnapshotSeries, name: str, end_ms: int, *, is_end_asked: bool) -> Postmortem:
    """The page about a log or kept polls up to an instant: what it proves, and which parts they cannot give."""
    episodes = episodes_of([each for each in series.alerts if each.found_ms <= end_ms])
    episode = worst_of(episodes, end_ms)
    is_over = episode is not None and episode.until_ms is not None
    at_ms = episode.alert.found_ms if episode is not None and is_over and not is_end_asked else end_ms
    day = RelativeTimeFormat(at_ms, series.offset_ms)
    snapshot = series.snapshot_at(at_ms)
    holders = _reservers(snapshot)
    rows = {row.id: row for row in snapshot.applications(why=False)}
    row = rows.get(holders[0][0]) if holders else None
    words = _OF_POLLS if series.what == "polls" else _OF_A_LOG
    parts = (
        ReportPart("What happened", sentences=tuple(_record_sentences(episode, snapshot, day, holders))),
        ReportPart(
            "Timeline",
            columns=("time", "what"),
            rows=tuple((day.instant(at), words) for at, words in _record_times(series, at_ms, episodes, day)),
        ),
        _record_cause(snapshot, holders, rows),
        _record_waits(snapshot, at_ms),
        ReportPart(
            "Proof",
            sentences=tuple(
                f"{note}." if note.startswith("Inferred: ") else f"Assumed: {note}."
                for note in (each.rstrip(".") for each in (*series.notes, *words.assumed))
            ),
            lines=() if row is None else tuple(why_lines(why_application(snapshot, row.number), day)),
        ),
        ReportPart("Remedies tried", f"{words.no_play} {words.twin.format(name=name, at=day.instant(at_ms))}"),
        ReportPart("What would have prevented it", words.no_play),
        ReportPart("Lint of the configuration", "A record holds no configuration: schedlab check reads the files."),
        ReportPart("Pictures", f"schedlab open {name} shows the screen at any instant."),
        ReportPart(
            "How to reproduce it",
            sentences=(f"schedlab {program_version()}; {name}",),
            lines=(f"schedlab get {name} report -o incident.html", f"schedlab get {name}"),
        ),
    )
    facts = {
        "source": {"kind": series.what, "name": name, "digest": ""},
        "at": day.instant(at_ms),
        "assumed": list(series.notes),
        "unknown": ["verdict", "remedies", "settings"],
        "cluster": msgspec.to_builtins(snapshot.header),
        "reserved": [{"application": each, "nodes": len(nodes), "since_ms": since} for each, nodes, since in holders],
    }
    return Postmortem(name, at_ms, headline_of(episode, snapshot, name), parts, facts)


def _reservers(snapshot: FixedSnapshot) -> list[tuple[str, list[str], int | None]]:
    """The applications with reserved nodes, most first: application, nodes, since when the first; None if not told."""
    rows = []
    for application, reserved in grouped((row.application, row) for row in snapshot.reservations()).items():
        known = [row.since_ms for row in reserved if isinstance(row.since_ms, int)]
        rows.append((application, [row.node for row in reserved], min(known, default=None)))
    return sorted(rows, key=lambda each: (-len(each[1]), each[2] or 0))


def _record_sentences(
    episode: Episode | None,
    snapshot: FixedSnapshot,
    day: RelativeTimeFormat,
    holders: Sequence[tuple[str, list[str], int | None]],
) -> Iterator[str]:
    header = snapshot.header
    if episode is None:
        yield "The record shows no alert."
    else:
        sentence = alert_words(episode)
        yield f"{sentence[:1].upper()}{sentence[1:]}, since {day.instant(episode.alert.since_ms)}."
    if holders:
        application, nodes, since_ms = holders[0]
        others = ", ".join(text.short_id(each) for each, _, _ in holders[1:4])
        rest = f"; {others}{' and more' if len(holders) > 4 else ''} the rest" if others else ""
        since = f", since {day.instant(since_ms)}" if since_ms is not None else ""
        yield (
            f"{text.short_id(application)} has {len(nodes)} of the {header.nodes} nodes that the record names reserved"
            f"{since}{rest}."
        )
    over_ms = None if episode is None else episode.until_ms
    yield (
        f"The record ends at {day.instant(header.time_ms)}, and it stands."
        if over_ms is None
        else f"It ended at {day.instant(over_ms)}."
    )


def _record_times(
    series: SnapshotSeries, at_ms: int, episodes: Sequence[Episode], day: RelativeTimeFormat
) -> list[tuple[int, str]]:
    rows: list[tuple[int, str]] = []
    run = [  # when, which and where, one application after another
        (each.time_ms, each.record.container[0], each.record.node)
        for each in series.records_until(at_ms)
        if isinstance(each.record, Reserved)
    ]
    for number, taken in groupby(run, key=lambda one: one[1]):
        nodes = list(taken)
        hosts = {node for _, _, node in nodes}
        where = text.short_node(nodes[0][2]) if len(hosts) == 1 else plural(len(hosts), "node")
        times = f", {len(nodes)} times" if len(nodes) > len(hosts) else ""
        until = f" until {day.instant(nodes[-1][0])}" if len(nodes) > 1 else ""
        rows.append((nodes[0][0], f"{number:04d} reserves {where}{times}{until}"))
    if len(rows) > 2 * MOST:
        rows = [*rows[:MOST], *rows[-MOST:]]
    for episode in episodes:
        rows.append((episode.alert.found_ms, f"alarm: {alert_words(episode)}"))
        if episode.until_ms is not None and episode.until_ms > episode.alert.since_ms:
            rows.append((episode.until_ms, "over"))
    rows.append((series.first_ms, "the record begins"))
    rows.append((at_ms, "judged"))
    return sorted(dict.fromkeys(rows), key=lambda each: each[0])


def _record_cause(
    snapshot: FixedSnapshot, holders: Sequence[tuple[str, list[str], int | None]], rows: dict[str, ApplicationRow]
) -> ReportPart:
    if not holders or not snapshot.header.nodes:
        return ReportPart("First cause", "The record does not say what is in the way: no node is reserved then.")
    application, nodes, _ = holders[0]
    row = rows.get(application)
    name = f" {row.name} ({row.user}, {row.queue})" if row is not None and row.name else ""
    table = (
        ("rule", _RESERVED.format(len(nodes), snapshot.header.nodes)),
        ("application", f"{text.short_id(application)}{name}"),
        ("nodes", ", ".join(text.short_node(node) for node in nodes)),
        ("setting", _UNSAID),
    )
    return ReportPart("First cause", columns=("", ""), rows=table)


def _record_waits(snapshot: FixedSnapshot, at_ms: int) -> ReportPart:
    waiting = [row for row in snapshot.applications(why=False) if row.waiting_since_ms is not None]
    rows = sorted(waiting, key=lambda row: row.waiting_since_ms or 0)
    shown = tuple(
        (text.short_id(row.id), row.name, row.user, row.queue, wait_text(at_ms - (row.waiting_since_ms or at_ms)))
        for row in rows[: 2 * MOST]
    )
    more = (f"and {len(rows) - 2 * MOST} more",) if len(rows) > 2 * MOST else ()
    heads = ("application", "name", "user", "queue", "waits")
    none = "" if shown else "The record names no application that waits."
    return ReportPart("How long applications waited", none, more, heads, shown)
