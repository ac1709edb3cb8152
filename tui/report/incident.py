"""The page about an incident that was played: what happened, why, the waits, what helps and what would have."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import asdict

from engine.compare.comparison import DIMENSIONS
from engine.explain.alert import Episode
from engine.explain.answer import ApplicationReport, RemedyReport
from engine.explain.remedy import remedy_sentence
from engine.explain.sensitivity import frozen_if
from engine.measures import ApplicationTimes
from engine.measures.postmortem import Incident
from engine.observe.journal import program_version
from engine.observe.snapshot import ApplicationRow, Snapshot
from engine.observe.snapshots import SPARK, YARN, SystemTerms, terms_of, terms_of_system, translate_terms, waits_of
from engine.scenario import Scenario
from engine.units import plural
from tui.pages.compare import quantile_words, wait_text
from tui.pages.remedy_text import GROUP_WORDS, TAKES_WORDS, lost_words, remedy_words
from tui.pages.verdict_text import verdict_words, why_lines
from tui.panes.events import act_words
from tui.report.page import Html, ReportPage, ReportPart, ReportPicture, markdown_of, sections_of
from tui.terminal import format as text
from tui.terminal.format import RelativeTimeFormat

MOST: Final = 10  # Rows of a table
UNTOLD: Final = {YARN: "vcores", SPARK: "memory_mb"}  # Dimensions of which is not said how much was held


class Postmortem(NamedTuple):
    source: str
    at_ms: int
    headline: str
    parts: tuple[ReportPart, ...]
    facts: dict[str, Any]  # The answers as structs, for programs

    def html(self) -> str:
        foot = (f"schedlab {program_version()} · report", "What was assumed or inferred is said in part 5.")
        crumbs = ("schedlab", "report", self.source)
        return ReportPage(crumbs, "postmortem", self.headline, "", Html(""), sections_of(self.parts), foot).html()

    def markdown(self) -> str:
        return markdown_of(self.parts, self.headline)


def of_incident(
    incident: Incident,
    scenario: Scenario,
    name: str,
    lint: ReportPart,
    pictures: tuple[ReportPicture, ...],
    *,
    is_twin: bool,
) -> Postmortem:
    day = RelativeTimeFormat(incident.at_ms, scenario.offset_ms)
    at = day.instant(incident.at_ms)
    parts = (
        _what_happened(incident, scenario, day, is_twin=is_twin),
        _timeline(incident, scenario, day, is_twin=is_twin),
        _cause(incident),
        _waits(incident),
        _proof(incident, scenario, day),
        _remedies(incident, day),
        _prevented(incident),
        lint,
        ReportPart("Pictures", "" if pictures else "The screen could not be drawn.", pictures=pictures),
        _again(name, at, scenario.digest()[:12], is_twin=is_twin),
    )
    facts = {
        "source": {"kind": "twin" if is_twin else "scenario", "name": name, "digest": scenario.digest()},
        "at": at,
        "assumed": [each.words for each in scenario.assumed],
        "unknown": list(incident.unfinished),
        "why": None if incident.why is None else incident.why.written(scenario.start.tzinfo),
        "fix": None if incident.remedies is None else incident.remedies.written(scenario.start.tzinfo),
        "cluster": msgspec.to_builtins(incident.snapshot.header),
        "waits": msgspec.to_builtins(incident.measures.waits_of_queues),
        "waits_of_users": msgspec.to_builtins(incident.measures.waits_of_users),
    }
    headline = headline_of(incident.episode, incident.snapshot, name, frozen_if(scenario))
    return Postmortem(name, incident.at_ms, headline, parts, facts)


def headline_of(episode: Episode | None, snapshot: Snapshot, name: str, condition: str = "") -> str:
    if episode is not None:
        return f"{name}: {alert_words(episode, condition)}."
    is_waiting = any(row.waiting_since_ms is not None for row in snapshot.applications(why=False))
    return f"{name}: {_state(snapshot) if is_waiting else 'nothing was wrong.'}"


def _longest(incident: Incident, day: RelativeTimeFormat) -> Iterator[str]:
    why = incident.why
    if why is not None and why.verdict:
        named = _named(why.application, terms_of(incident.snapshot.header))
        yield f"{named}: {verdict_words(why, day)}."


def alert_words(episode: Episode, condition: str = "") -> str:
    """The sentence of an alert, as it is read on a page; one that was proved by what is assumed has the condition."""
    is_if = condition and episode.alert.kind in {"frozen", "stuck"}
    return text.plain(f"{episode.alert.sentence}, {condition}" if is_if else episode.alert.sentence)


def _what_happened(incident: Incident, scenario: Scenario, day: RelativeTimeFormat, *, is_twin: bool) -> ReportPart:
    episode = incident.episode
    if episode is None:
        first = "A twin has no past: what was wrong before it was made is not known." if is_twin else "No alert was up."
        return ReportPart("What happened", sentences=(first, _state(incident.snapshot), *_longest(incident, day)))
    until_ms = episode.until_ms
    since = day.instant(episode.alert.since_ms)
    lasted = text.duration((incident.at_ms if until_ms is None else until_ms) - episode.alert.since_ms)
    if until_ms is None:
        ended = f"It still holds at {day.instant(incident.at_ms)}, after {lasted}."
    else:
        acts = [line for at_ms, line in _acts(scenario) if -1_000 <= at_ms - until_ms <= 0]
        why = f", with {' and '.join(acts)}" if acts else ""
        ended = f"It ended at {day.instant(until_ms)}, after {lasted}{why}."
    past = " What was before the twin began is not known." if is_twin else ""
    sentence = alert_words(episode, frozen_if(scenario))
    first = f"{sentence[:1].upper()}{sentence[1:]}, since {since}."
    return ReportPart("What happened", sentences=(first, f"{_state(incident.snapshot)}{past}", ended))


def _state(snapshot: Snapshot) -> str:
    header, words = snapshot.header, terms_of(snapshot.header)
    waits = waits_of(snapshot.applications(why=False)).number
    shares = [
        f"{100 * used // total if total else 0} % of the {DIMENSIONS[name]}"
        for name, used, total in zip(header.dimensions, header.used, header.total, strict=True)
        if name != UNTOLD.get(words)
    ]
    held = f"{text.listed(shares)} {'was' if words == YARN else 'were'} held"
    reserved = f", {header.nodes_reserved} of {header.nodes} nodes reserved" if header.nodes_held else ""
    return f"{held}{reserved}, {plural(waits, words.application)} waited."


def _acts(scenario: Scenario) -> list[tuple[int, str]]:
    terms = terms_of_system(scenario.system)
    steps = [(scenario.start_ms + step.at_ms, step.act) for step in (*scenario.script, *scenario.faults)]
    return [(at, act_words({"kind": type(act).__name__, **asdict(act)}, terms)) for at, act in steps]


def _timeline(incident: Incident, scenario: Scenario, day: RelativeTimeFormat, *, is_twin: bool) -> ReportPart:
    rows: list[tuple[int, str]] = []
    why = incident.why
    holders = () if why is None else why.holders
    named = {holder.application for holder in holders} | ({why.application.id} if why is not None else set())
    there, words = incident.snapshot.applications(why=False), terms_of(incident.snapshot.header)
    rows += [(row.submitted_ms, f"{_named(row, words)} is submitted") for row in there if row.id in named]
    for reserver in incident.reserved[:2]:
        if reserver.nodes > 1:
            took = text.duration(reserver.last_ms - reserver.first_ms)
            said = f"{reserver.application:04d} reserves its first node, and {reserver.nodes} within {took}"
            rows.append((reserver.first_ms, said))
    turning = None if why is None else why.point_of_no_return
    if turning is not None:
        rows.append((turning.inevitable_ms, "inevitable from here on, unless an operator acts"))
        rows.append((turning.formed_ms, "formed: nothing is allocated any more"))
    for episode in incident.alerts:
        rows.append((episode.alert.found_ms, f"alarm: {alert_words(episode)}"))
        if episode.until_ms is not None and episode.until_ms > episode.alert.since_ms:
            rows.append((episode.until_ms, f"over: {episode.alert.topic or episode.alert.kind}"))
    rows += [(at_ms, f"act: {line}") for at_ms, line in _acts(scenario) if at_ms <= incident.until_ms]
    rows.append((incident.at_ms, "judged"))
    shown = sorted(rows, key=lambda each: each[0])
    missing = "The twin has no past: what came before it was made is not known." if is_twin else ""
    return ReportPart(
        "Timeline", missing, columns=("time", "what"), rows=tuple((day.instant(at), line) for at, line in shown)
    )


def _named(row: ApplicationRow | ApplicationTimes | ApplicationReport, words: SystemTerms) -> str:
    whose = filter(None, (row.user, row.queue if words.has_queues else ""))
    return f"{text.short_number(row.number)} {row.name} ({', '.join(whose)})"


def _cause(incident: Incident) -> ReportPart:
    why, words = incident.why, terms_of(incident.snapshot.header)
    if why is None or not why.reasons:
        return ReportPart("First cause", "Nothing waits for a reason that is known.")
    reason = why.reasons[0]
    setting = reason.decided_by
    rows = [("rule", reason.sentence)]
    if setting is not None:
        rows.append(("setting", f"{setting.key} = {setting.value}" if setting.value else setting.key))
    first = next(iter(incident.reserved), None)
    holder = max(why.holders, key=lambda each: (len(each.reservations), each.container_count), default=None)
    if holder is not None and (first is None or first.application != why.application.number):
        reserved = f", {plural(len(holder.reservations), 'node')} reserved" if holder.reservations else ""
        where = f" ({holder.queue})" if words.has_queues else ""
        held = f"{plural(holder.container_count, words.container)}{reserved}"
        rows.append((words.application, f"{text.short_id(holder.application)} {holder.name}{where}: {held}"))
    if first is not None and first.nodes > 1:
        rows.append(("first to reserve", f"{first.application:04d}: {first.nodes} {words.node}s"))
    if reason.nodes:
        rows.append((f"{words.node}s", ", ".join(reason.nodes)))
    return ReportPart("First cause", columns=("", ""), rows=tuple(rows))


def _waits(incident: Incident) -> ReportPart:
    rows: list[tuple[str, ...]] = []
    words, measures = terms_of(incident.snapshot.header), incident.measures
    for kind, waits in ((words.queue, measures.waits_of_queues), ("user", measures.waits_of_users)):
        worst = sorted(waits.items(), key=lambda each: -each[1].worst)
        rows += [
            (f"{kind} {name}", *quantile_words(found), plural(found.number, words.application))
            for name, found in worst[:MOST]
            if name
        ]
    states = {row.number: row.state for row in incident.snapshot.applications(why=False)}
    for application in incident.applications[:MOST]:
        wait = application.wait_ms(incident.at_ms)
        if wait:
            state = states.get(application.number, application.state)
            rows.append((_named(application, words), "", "", wait_text(wait), state))
    return ReportPart(
        "How long applications waited",
        "" if rows else translate_terms("No application has waited for a container.", words),
        columns=("", "median", "95 %", "worst", f"{words.application}s, state") if rows else (),
        rows=tuple(rows),
        beside=translate_terms("from submission to the first container asked for, up to the instant judged", words),
    )


def _proof(incident: Incident, scenario: Scenario, day: RelativeTimeFormat) -> ReportPart:
    assumed = tuple(f"assumed: {each.words}" for each in scenario.assumed)
    undone = tuple(f"There was not enough time for {each}; --budget gives more." for each in incident.unfinished)
    if incident.why is None:
        return ReportPart("Proof", "Nothing waits, so there is nothing to prove.", (*assumed, *undone))
    lines = why_lines(msgspec.structs.replace(incident.why, would_help=None), day)
    return ReportPart("Proof", sentences=(*assumed, *undone), lines=tuple(lines))


def _remedies(incident: Incident, day: RelativeTimeFormat) -> ReportPart:
    found = incident.remedies
    if found is None or not found.remedies:
        return ReportPart("Remedies tried", _none_tried(incident) or "None that was tried helps.")
    turning = None if incident.why is None else incident.why.point_of_no_return
    latest = {} if turning is None else {remedy_sentence(each.remedy): each for each in turning.remedies}
    rows = []
    for entry in found.remedies:
        row = remedy_words(entry, found, day)
        rescue = latest.pop(remedy_sentence(entry.remedy), None)
        until = "" if rescue is None else "still helps" if rescue.still_helps else day.instant(rescue.latest_ms)
        rows.append((row.remedy, row.starts, _harm(entry), until, GROUP_WORDS[entry.group]))
    rows += [
        (sentence, "", "", day.instant(each.latest_ms), "would have prevented it until then")
        for sentence, each in list(latest.items())[:MOST]
        if not each.still_helps
    ]
    tried = f"{found.tried} of {found.of} were tried."
    heads = ("remedy", "starts", "loses; delays in all", "would have helped until", "")
    return ReportPart("Remedies tried", sentences=(tried,), columns=heads, rows=tuple(rows))


def _none_tried(incident: Incident) -> str:
    """Why nothing was tried; empty where something was."""
    found, noun = incident.remedies, terms_of(incident.snapshot.header).application
    if found is None:
        return "There was not enough time to try one." if incident.unfinished else f"None was tried: no {noun} waits."
    return "" if found.targets else f"None was tried: no {noun} waits for ever."


def _harm(entry: RemedyReport) -> str:
    delays = text.duration(sum(each.seconds for each in entry.delays) * 1000) if entry.delays else "nothing"
    return f"{lost_words(entry)}; {delays}"


def _prevented(incident: Incident) -> ReportPart:
    found = incident.remedies
    changes = () if found is None or not isinstance(found.from_start, tuple) else found.from_start
    turning = None if incident.why is None else incident.why.point_of_no_return
    if not changes:
        why = "" if turning is not None else _none_tried(incident)
        return ReportPart("What would have prevented it", why or "No setting that was tried from the start helps.")
    assert found is not None, "changes are of an answer"
    noun = terms_of(incident.snapshot.header).application
    rows = tuple(
        (
            each.sentence,
            f"{len(each.starts)} of {len(found.targets)} start",
            f"{plural(each.refuses, noun)} refused or failed" if each.refuses else "nothing is refused",
            TAKES_WORDS[each.takes],
        )
        for each in changes
    )
    tried = f"{found.tried_from_start} of {found.of_from_start} values were tried from the start."
    heads = ("set from the start", "", "its price", "")
    return ReportPart("What would have prevented it", sentences=(tried,), columns=heads, rows=rows)


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
