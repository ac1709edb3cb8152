"""`schedlab get SOURCE report`: the page about an incident, of a scenario, a kept run, a log or a live cluster."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import msgspec

from engine.errors import ConfigError
from engine.explain.alert import Episode, episodes_of
from engine.explain.answer import HolderReport, RemedyReport, StartRemedyReport, WhyReport
from engine.explain.remedy import remedy_sentence
from engine.explain.sensitivity import frozen_if
from engine.formats.named_problems import checked
from engine.formats.scenario_toml import dump_file
from engine.live.live_why import why_application
from engine.measures import Quantiles
from engine.measures.postmortem import Incident, Spend, incident_in, worst_of
from engine.model.decision import Reserved
from engine.observe.documents import FixedSnapshot
from engine.observe.journal import program_version
from engine.observe.snapshot import ApplicationRow, Snapshot
from engine.recorded.log_series import SnapshotSeries
from engine.scenario import Scenario
from engine.units import parse_instant_option, plural
from tui.cli.budget import Budget, seconds_of
from tui.cli.check_output import sentence_of
from tui.cli.check_sources import of_scenario
from tui.cli.grammar import Given
from tui.cli.opened import instant_in, opened, series_of
from tui.cli.output import Targets, json_text
from tui.cli.play_output import Progress
from tui.cli.source import LOG, POLLS, Source
from tui.cli.talk import announced
from tui.pages.compare import wait_text
from tui.pages.remedy_text import GROUP_WORDS, TAKES_WORDS, lost_words, remedy_words
from tui.pages.verdict_text import verdict_words, why_lines
from tui.panes.sensitivity_text import assumption_words
from tui.report import ReportPage, raw
from tui.report.parts import ReportPart, ReportPicture, markdown_of, sections_of
from tui.terminal import format as text
from tui.terminal.format import RelativeTimeFormat

BUDGET_S: Final = 60.0  # Longest time for each question, where nothing else is said
KEPT: Final = "a node stays reserved until a line says otherwise, as a ResourceManager logs a reservation once"
MOST: Final = 10  # Rows of a table
SIZE: Final = (120, 40)
_RESERVED: Final = "{} of {} nodes are reserved, and a reserved node gives nothing to anybody else"
_UNSAID: Final = "not said by the record; FairScheduler 2.7 reserves every node that beats for an ask without room"


class Postmortem(NamedTuple):
    """A page about an incident."""

    source: str
    at_ms: int
    headline: str
    parts: tuple[ReportPart, ...]
    facts: dict[str, Any]  # The answers as structs, for programs

    def html(self) -> str:
        """It as one file that fetches nothing."""
        foot = (f"schedlab {program_version()} · report", "What was assumed or inferred is said in part 5.")
        crumbs = ("schedlab", "report", self.source)
        return ReportPage(crumbs, "postmortem", self.headline, "", raw(""), sections_of(self.parts), foot).html()

    def markdown(self) -> str:
        """It for a wiki, or to read."""
        return markdown_of(self.parts, self.headline)


# ---------------------------------------------------------------- of what can be played


def played(scenario: Scenario, name: str, at: str | None, begin: Callable[[], Spend], *, is_twin: bool) -> Postmortem:
    """The page about a scenario, a kept run with its acts as script, or the twin of a live cluster."""
    at_ms = None if at is None else parse_instant_option(at, scenario.start, "--at", last_ms=scenario.duration_ms)
    if is_twin:
        at_ms = at_ms or 0
    with Progress(scenario.duration_ms if at_ms is None else at_ms, scenario) as progress:
        incident = incident_in(scenario, at_ms, begin, progress.show)
    day = RelativeTimeFormat(incident.at_ms, scenario.offset_ms)
    with announced("drawing"):
        pictures = _pictures(scenario, incident, day)
    parts = (
        _what_happened(incident, scenario, day, is_twin=is_twin),
        _timeline(incident, scenario, day, is_twin=is_twin),
        _cause(incident),
        _waits(incident),
        _proof(incident, scenario, day),
        _remedies(incident, day),
        _prevented(incident),
        _lint(scenario, name),
        ReportPart("Pictures", "" if pictures else "The screen could not be drawn.", pictures=pictures),
        _again(name, day.instant(incident.at_ms), scenario.digest()[:12], is_twin=is_twin),
    )
    facts = {
        **_head(name, "twin" if is_twin else "scenario", scenario.digest(), day.instant(incident.at_ms)),
        "assumed": [assumption_words(each) for each in scenario.assumed],
        "unknown": list(incident.unfinished),
        "why": None if incident.why is None else incident.why.written(scenario.start.tzinfo),
        "fix": None if incident.remedies is None else incident.remedies.written(scenario.start.tzinfo),
        "cluster": msgspec.to_builtins(incident.snapshot.header),
        "waits": msgspec.to_builtins(incident.measures.waits_of_queues),
        "waits_of_users": msgspec.to_builtins(incident.measures.waits_of_users),
    }
    headline = _headline(incident.episode, incident.snapshot, name, frozen_if(scenario))
    return Postmortem(name, incident.at_ms, headline, parts, facts)


def _head(name: str, kind: str, digest: str, at: str) -> dict[str, Any]:
    source = {"kind": kind, "name": name, "digest": digest}
    return {"schema": "report/1", "schedlab": program_version(), "source": source, "at": at}


def _headline(episode: Episode | None, snapshot: Snapshot, name: str, condition: str = "") -> str:
    if episode is not None:
        return f"{name}: {_sentence(episode, condition)}."
    is_waiting = any(row.waiting_since_ms is not None for row in snapshot.applications(why=False))
    return f"{name}: {_state(snapshot) if is_waiting else 'nothing was wrong.'}"


def _longest(incident: Incident, day: RelativeTimeFormat) -> Iterator[str]:
    """Who has waited longest, and whether it ever starts."""
    why = incident.why
    if why is not None and why.verdict:
        asked = why.application
        yield f"{text.short_id(asked.id)} {asked.name} ({asked.user}, {asked.queue}): {verdict_words(why, day)}."


def _sentence(episode: Episode, condition: str = "") -> str:
    """The alert; one that was proved by what is assumed has the condition."""
    is_if = condition and episode.alert.kind in {"frozen", "stuck"}
    return text.plain(f"{episode.alert.sentence}, {condition}" if is_if else episode.alert.sentence)


def _what_happened(incident: Incident, scenario: Scenario, day: RelativeTimeFormat, *, is_twin: bool) -> ReportPart:
    episode = incident.episode
    if episode is None:
        first = "A twin has no past: what was wrong before it was made is not known." if is_twin else "No alert stood."
        return ReportPart("What happened", sentences=(first, _state(incident.snapshot), *_longest(incident, day)))
    until_ms = episode.until_ms
    since = day.instant(episode.alert.since_ms)
    lasted = text.duration((incident.at_ms if until_ms is None else until_ms) - episode.alert.since_ms)
    if until_ms is None:
        ended = f"It stands at {day.instant(incident.at_ms)}, after {lasted}."
    else:
        acts = [line for at_ms, line in _acts(scenario) if -1_000 <= at_ms - until_ms <= 0]
        why = f", with {' and '.join(acts)}" if acts else ""
        ended = f"It ended at {day.instant(until_ms)}, after {lasted}{why}."
    past = " What was before the twin began is not known." if is_twin else ""
    sentence = _sentence(episode, frozen_if(scenario))
    first = f"{sentence[:1].upper()}{sentence[1:]}, since {since}."
    return ReportPart("What happened", sentences=(first, f"{_state(incident.snapshot)}{past}", ended))


def _state(snapshot: Snapshot) -> str:
    header = snapshot.header
    waits = sum(row.waiting_since_ms is not None for row in snapshot.applications(why=False))
    share = 100 * header.used[0] // header.total[0] if header.total and header.total[0] else 0
    reserved = f", {header.nodes_reserved} of {header.nodes} nodes reserved" if header.nodes_held else ""
    return f"{share} % of the memory was held{reserved}, {plural(waits, 'application')} waited."


def _acts(scenario: Scenario) -> list[tuple[int, str]]:
    """What somebody did, and when [epoch ms]."""
    found = []
    for step in (*scenario.script, *scenario.faults):
        words = step.model_dump(mode="json", exclude_defaults=True)
        kind = str(words.pop("do", words.pop("type", type(step).__name__)))
        words.pop("at_ms", None)
        rest = " ".join(str(value) for value in words.values() if isinstance(value, str | int | float))
        found.append((scenario.start_ms + step.at_ms, f"{kind} {rest}".strip()))
    return found


def _timeline(incident: Incident, scenario: Scenario, day: RelativeTimeFormat, *, is_twin: bool) -> ReportPart:
    rows: list[tuple[int, str]] = []
    why = incident.why
    holders = () if why is None else why.holders
    named = {holder.application for holder in holders} | ({why.application.id} if why is not None else set())
    there = incident.snapshot.applications(why=False)
    rows += [(row.submitted_ms, f"{_named(row)} is submitted") for row in there if row.id in named]
    for each in incident.reserved[:2]:
        if each.nodes > 1:
            took = text.duration(each.last_ms - each.first_ms)
            rows.append(
                (each.first_ms, f"{each.application:04d} reserves its first node, and {each.nodes} within {took}")
            )
    turning = None if why is None else why.point_of_no_return
    if turning is not None:
        rows.append((turning.inevitable_ms, "inevitable from here on, unless somebody acts"))
        rows.append((turning.formed_ms, "formed: nothing is allocated any more"))
    for episode in incident.alerts:
        rows.append((episode.alert.found_ms, f"alarm: {_sentence(episode)}"))
        if episode.until_ms is not None and episode.until_ms > episode.alert.since_ms:
            rows.append((episode.until_ms, f"over: {episode.alert.topic or episode.alert.kind}"))
    rows += [(at_ms, f"act: {words}") for at_ms, words in _acts(scenario) if at_ms <= incident.until_ms]
    rows.append((incident.at_ms, "judged"))
    shown = sorted(rows, key=lambda each: each[0])
    missing = "The twin has no past: what came before it was made is not known." if is_twin else ""
    return ReportPart(
        "Timeline", missing, columns=("time", "what"), rows=tuple((day.instant(at), words) for at, words in shown)
    )


def _named(row: ApplicationRow) -> str:
    return f"{row.number:04d} {row.name} ({', '.join(filter(None, (row.user, row.queue)))})"


def _cause(incident: Incident) -> ReportPart:
    why = incident.why
    if why is None or not why.reasons:
        return ReportPart("First cause", "Nobody waits for anything that is in the way.")
    reason = why.reasons[0]
    setting = reason.decided_by
    rows = [("rule", reason.sentence)]
    if setting is not None:
        rows.append(("setting", f"{setting.key} = {setting.value}" if setting.value else setting.key))
    first = next(iter(incident.reserved), None)
    holder = None if first is not None and first.application == why.application.number else _first_holder(why)
    if holder is not None:
        reserved = f", {plural(len(holder.reservations), 'node')} reserved" if holder.reservations else ""
        held = f"{plural(holder.container_count, 'container')}{reserved}"
        rows.append(("application", f"{text.short_id(holder.application)} {holder.name} ({holder.queue}): {held}"))
    if first is not None and first.nodes > 1:
        rows.append(("first to reserve", f"{first.application:04d}: {first.nodes} nodes"))
    if reason.nodes:
        rows.append(("nodes", ", ".join(reason.nodes)))
    return ReportPart("First cause", columns=("", ""), rows=tuple(rows))


def _first_holder(why: WhyReport) -> HolderReport | None:
    return max(why.holders, key=lambda each: (len(each.reservations), each.container_count), default=None)


def _waits(incident: Incident) -> ReportPart:
    rows: list[tuple[str, ...]] = []
    for kind, waits in (
        ("queue", incident.measures.waits_of_queues),
        ("user", incident.measures.waits_of_users),
    ):
        worst = sorted(waits.items(), key=lambda each: -each[1].worst)
        rows += [(f"{kind} {name}", *_quantiles(found)) for name, found in worst[:MOST] if name]
    states = {row.number: row.state for row in incident.snapshot.applications(why=False)}
    for each in incident.applications[:MOST]:
        wait = each.wait_ms(incident.at_ms)
        if wait:
            name = f"{each.number:04d} {each.name} ({', '.join(filter(None, (each.user, each.queue)))})"
            rows.append((name, "", "", wait_text(wait), states.get(each.number, each.state)))
    return ReportPart(
        "Who waited how long",
        "" if rows else "Nobody has waited for a container.",
        columns=("who", "median", "95 %", "worst", "applications, state") if rows else (),
        rows=tuple(rows),
        beside="from submission to the first container asked for, up to the instant judged",
    )


def _quantiles(found: Quantiles) -> tuple[str, ...]:
    return (wait_text(found.median), wait_text(found.p95), wait_text(found.worst), plural(found.number, "application"))


def _proof(incident: Incident, scenario: Scenario, day: RelativeTimeFormat) -> ReportPart:
    assumed = tuple(f"assumed: {assumption_words(each)}" for each in scenario.assumed)
    undone = tuple(f"There was not enough time for {each}; --budget gives more." for each in incident.unfinished)
    if incident.why is None:
        return ReportPart("Proof", "Nobody waits, so there is nothing to prove.", (*assumed, *undone))
    lines = why_lines(msgspec.structs.replace(incident.why, would_help=None), day)
    return ReportPart("Proof", sentences=(*assumed, *undone), lines=tuple(lines))


def _remedies(incident: Incident, day: RelativeTimeFormat) -> ReportPart:
    found = incident.remedies
    if found is None or not found.remedies:
        words = "Nobody waits for ever." if found is None or not found.targets else "None that was tried helps."
        return ReportPart("Remedies tried", words)
    turning = None if incident.why is None else incident.why.point_of_no_return
    latest = {} if turning is None else {remedy_sentence(each.remedy): each for each in turning.remedies}
    rows = []
    for each in found.remedies:
        row = remedy_words(each, found, day)
        rescue = latest.pop(remedy_sentence(each.remedy), None)
        until = "" if rescue is None else "still helps" if rescue.still_helps else day.instant(rescue.latest_ms)
        rows.append((row.remedy, row.starts, _harm(each), until, GROUP_WORDS[each.group]))
    rows += [
        (sentence, "", "", day.instant(each.latest_ms), "would have prevented it until then")
        for sentence, each in list(latest.items())[:MOST]
        if not each.still_helps
    ]
    tried = f"{found.tried} of {found.of} were tried."
    heads = ("remedy", "starts", "loses; delays in all", "would have helped until", "")
    return ReportPart("Remedies tried", sentences=(tried,), columns=heads, rows=tuple(rows))


def _harm(entry: RemedyReport | StartRemedyReport) -> str:
    delays = text.duration(sum(each.seconds for each in entry.delays) * 1000) if entry.delays else "nobody"
    lost = lost_words(entry) if isinstance(entry, RemedyReport) else plural(entry.loses.containers, "container")
    return f"{lost}; {delays}"


def _prevented(incident: Incident) -> ReportPart:
    found = incident.remedies
    changes = () if found is None or not isinstance(found.from_start, tuple) else found.from_start
    turning = None if incident.why is None else incident.why.point_of_no_return
    if not changes:
        is_asked = turning is not None or (found is not None and found.targets)
        why = "No setting that was tried from the start helps." if is_asked else "Nothing was to be prevented."
        return ReportPart("What would have prevented it", why)
    assert found is not None, "changes are of an answer"
    rows = tuple(
        (
            each.sentence,
            f"{len(each.starts)} of {len(found.targets)} start",
            f"{plural(each.refuses, 'application')} refused or failed" if each.refuses else "nobody is refused",
            TAKES_WORDS[each.takes],
        )
        for each in changes
    )
    tried = f"{found.tried_from_start} of {found.of_from_start} values were tried from the start."
    heads = ("set from the start", "", "its price", "")
    return ReportPart("What would have prevented it", sentences=(tried,), columns=heads, rows=rows)


def _lint(scenario: Scenario, name: str) -> ReportPart:
    from tui.cli.check_change import node_sizes_of  # noqa: PLC0415 -- it plays what a change does

    title = "Lint of the configuration"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="schedlab-report-")))
        try:
            held = of_scenario(scenario, name, folder)
        except ConfigError as error:
            return ReportPart(title, error.first_line)
        found = checked(name, held.paths, held.release or "2.7", nodes=node_sizes_of(scenario))
    rows = tuple((each.severity, each.rule, sentence_of(each)) for each in found.problems if each.severity != "note")
    return ReportPart(title, "" if rows else "Nothing is found.", columns=("", "rule", "") if rows else (), rows=rows)


def _pictures(scenario: Scenario, incident: Incident, day: RelativeTimeFormat) -> tuple[ReportPicture, ...]:
    """The screen as it formed, and at the instant judged."""
    from tui.app import SchedlabApp  # noqa: PLC0415 -- only a page pays for the screen
    from tui.cli.picture import ScreenshotDriver  # noqa: PLC0415 -- as the line above
    from tui.session.opening import open_session  # noqa: PLC0415 -- as the line above

    formed_ms = None if incident.episode is None else incident.episode.alert.found_ms
    instants = dict.fromkeys(filter(None, (formed_ms, incident.at_ms)))
    found = []
    with TemporaryDirectory(prefix="schedlab-report-") as folder:
        file = Path(folder) / "incident.toml"
        file.write_text(dump_file(scenario), encoding="utf-8")
        for at_ms in instants:
            drawn = []
            for theme in ("light", "dark"):
                seconds = f"{(at_ms - scenario.start_ms) / 1000:g}"
                session = open_session(str(file), at=seconds, paused=True)
                screen = SchedlabApp(session, palette=theme)
                sitter = ScreenshotDriver(screen, session, (), ())
                screen.run(headless=True, size=SIZE, auto_pilot=sitter.sit)
                drawn.append(sitter.svg)
            if all(drawn):
                which = "when it was found" if at_ms == formed_ms else "judged"
                found.append(ReportPicture(f"{day.instant(at_ms)}, {which}", *drawn))
    return tuple(found)


def _again(name: str, at: str, digest: str, *, is_twin: bool) -> ReportPart:
    clock = at.rpartition(" ")[2]
    source = f"twin-of-{name.rpartition('/')[2].replace(':', '-')}.toml" if is_twin else name
    made = (f"schedlab get {name} -o {source}",) if is_twin else ()
    same = "a twin that is made later is another one" if is_twin else "the same commands give the same figures"
    lines = (
        *made,
        f"schedlab get {source} report --at {clock} -o incident.html",
        f"schedlab get {source} --at {clock}",
        f"schedlab fix {source} --at {clock} --from-start",
        f"schedlab open {source} --at {clock}",
    )
    facts = f"schedlab {program_version()}; {name}, digest {digest}: {same}."
    return ReportPart("How to reproduce it", sentences=(facts,), lines=lines)


# ---------------------------------------------------------------- of a record


def recorded(series: SnapshotSeries, name: str, at: str | None) -> Postmortem:
    """The page about a log or kept polls: what its lines prove, and which parts they cannot give."""
    end_ms = instant_in(series, at)
    episodes = episodes_of([each for each in series.alerts if each.found_ms <= end_ms])
    episode = worst_of(episodes, end_ms)
    is_over = episode is not None and episode.until_ms is not None
    at_ms = episode.alert.found_ms if episode is not None and is_over and at is None else end_ms
    day = RelativeTimeFormat(at_ms, series.offset_ms)
    snapshot = series.snapshot_at(at_ms)
    holders = _reservers(snapshot)
    rows = {row.id: row for row in snapshot.applications(why=False)}
    first = holders[0] if holders else None
    no_play = (
        "Nothing is played: the record does not say what waits asks for, how long containers run, nor the settings."
    )
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
            sentences=tuple(_assumed(each) for each in (*series.notes, KEPT)),
            lines=() if first is None or first[0] not in rows else tuple(_record_why(snapshot, rows[first[0]], day)),
        ),
        ReportPart(
            "Remedies tried",
            f"{no_play} Its twin can be asked: add --config PATH.",
        ),
        ReportPart("What would have prevented it", no_play),
        ReportPart("Lint of the configuration", "A record holds no configuration: schedlab check reads the files."),
        ReportPart("Pictures", f"schedlab open {name} shows the screen at any instant."),
        ReportPart(
            "How to reproduce it",
            sentences=(f"schedlab {program_version()}; {name}",),
            lines=(f"schedlab get {name} report -o incident.html", f"schedlab get {name}"),
        ),
    )
    facts = {
        **_head(name, series.what, "", day.instant(at_ms)),
        "assumed": list(series.notes),
        "unknown": ["verdict", "remedies", "settings"],
        "cluster": msgspec.to_builtins(snapshot.header),
        "reserved": [{"application": each, "nodes": len(nodes), "since_ms": since} for each, nodes, since in holders],
    }
    return Postmortem(name, at_ms, _headline(episode, snapshot, name), parts, facts)


def _reservers(snapshot: FixedSnapshot) -> list[tuple[str, list[str], int]]:
    """Who has nodes reserved, most first: application, nodes, since when the first."""
    found: dict[str, list[tuple[str, int]]] = {}
    for row in snapshot.reservations():
        since_ms = row.since_ms if isinstance(row.since_ms, int) else 0
        found.setdefault(row.application, []).append((row.node, since_ms))
    rows = [(each, [node for node, _ in nodes], min(since for _, since in nodes)) for each, nodes in found.items()]
    return sorted(rows, key=lambda each: (-len(each[1]), each[2]))


def _assumed(note: str) -> str:
    return f"{note.rstrip('.')}." if note.startswith("Inferred: ") else f"Assumed: {note.rstrip('.')}."


def _record_sentences(
    episode: Episode | None,
    snapshot: FixedSnapshot,
    day: RelativeTimeFormat,
    holders: Sequence[tuple[str, list[str], int]],
) -> Iterator[str]:
    header = snapshot.header
    if episode is None:
        yield "The record shows no alert."
    else:
        sentence = _sentence(episode)
        yield f"{sentence[:1].upper()}{sentence[1:]}, since {day.instant(episode.alert.since_ms)}."
    if holders:
        application, nodes, since_ms = holders[0]
        others = ", ".join(text.short_id(each) for each, _, _ in holders[1:4])
        rest = f"; {others}{' and more' if len(holders) > 4 else ''} the rest" if others else ""
        yield (
            f"{text.short_id(application)} has {len(nodes)} of the {header.nodes} nodes that the record names reserved"
            f", since {day.instant(since_ms)}{rest}."
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
    """Reservations as they changed hands, alerts and their ends."""
    rows: list[tuple[int, str]] = []
    run = [  # when, who and where, one application after another
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
        rows.append((episode.alert.found_ms, f"alarm: {_sentence(episode)}"))
        if episode.until_ms is not None and episode.until_ms > episode.alert.since_ms:
            rows.append((episode.until_ms, "over"))
    rows.append((series.first_ms, "the record begins"))
    rows.append((at_ms, "judged"))
    return sorted(dict.fromkeys(rows), key=lambda each: each[0])


def _record_cause(
    snapshot: FixedSnapshot, holders: Sequence[tuple[str, list[str], int]], rows: dict[str, ApplicationRow]
) -> ReportPart:
    if not holders or not snapshot.header.nodes:
        return ReportPart("First cause", "No line says what is in the way: no node is reserved at that instant.")
    application, nodes, _ = holders[0]
    row = rows.get(application)
    name = f" {row.name} ({row.user}, {row.queue})" if row is not None and row.name else ""
    table = [
        (
            "rule",
            _RESERVED.format(len(nodes), snapshot.header.nodes),
        ),
        ("application", f"{text.short_id(application)}{name}"),
        ("nodes", ", ".join(text.short_node(node) for node in nodes)),
        (
            "setting",
            _UNSAID,
        ),
    ]
    return ReportPart("First cause", columns=("", ""), rows=tuple(table))


def _record_waits(snapshot: FixedSnapshot, at_ms: int) -> ReportPart:
    waiting = [row for row in snapshot.applications(why=False) if row.waiting_since_ms is not None]
    rows = sorted(waiting, key=lambda row: row.waiting_since_ms or 0)
    shown = tuple(
        (text.short_id(row.id), row.name, row.user, row.queue, wait_text(at_ms - (row.waiting_since_ms or at_ms)))
        for row in rows[: 2 * MOST]
    )
    more = (f"and {len(rows) - 2 * MOST} more",) if len(rows) > 2 * MOST else ()
    heads = ("application", "name", "user", "queue", "waits")
    return ReportPart("Who waited how long", "" if shown else "No line names anybody who waits.", more, heads, shown)


def _record_why(snapshot: FixedSnapshot, row: ApplicationRow, day: RelativeTimeFormat) -> list[str]:
    return why_lines(why_application(snapshot, row.number), day)


# ---------------------------------------------------------------- the command


def get_report(source: Source, given: Given, targets: Targets) -> None:
    """Write the page about an incident: what happened, why, who waited, what would have helped.

    Raises:
        ConfigError: The source cannot be read.
        SourceError: The server does not answer.
    """
    made = _postmortem(source, given)
    targets.write(
        {
            "html": made.html,
            "md": made.markdown,
            "text": made.markdown,
            "json": lambda: json_text(made.facts),
        }
    )


def _postmortem(source: Source, given: Given) -> Postmortem:
    at, seconds = given.text("at"), seconds_of(given) if given.is_on("budget") else BUDGET_S
    if source.kind in (LOG, POLLS) and not given.is_on("config"):
        series = series_of(source, given)
        assert series is not None, "what is recorded is a series"
        return recorded(series, source.name, at)

    def begin() -> Spend:
        return Budget(seconds).spend

    with opened(source, given) as run:
        is_twin = run.is_twin
        return played(run.as_scenario(), source.name, None if is_twin else at, begin, is_twin=is_twin)
