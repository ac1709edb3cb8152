"""The panels of an answer: the circle or the proof, why it is refused, the holders of what it needs."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.explain.answer import (
    CycleStep,
    HolderReport,
    LastChanceReport,
    ProofReport,
    RemediesReport,
    RemedyReport,
    WhyReport,
)
from engine.explain.obstacles import ObstacleRow
from engine.explain.remedy import remedy_sentence
from engine.explain.remedy_report import DECIDES
from engine.grouping import grouped
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import LIVE_STATES, terms_for
from tui.keymap import FooterKey
from tui.pages import verdict_text
from tui.pages.circle import ANYWHERE, circle_lines, parts_of, reservation_steps
from tui.pages.fix import proof_of_header
from tui.pages.remedy_table import HELPS, REMEDY, USELESS, RemedySubject, assumed_rows, remedy_rows, useless_rows
from tui.pages.remedy_text import expected_words, remedy_words
from tui.pages.why import Panel, PanelRow, TextColumn, fits, job_of, limit_rows, table, task_rows
from tui.panes.fragments import Fragments, RenderContext, folded, hue_of
from tui.panes.group import since_words
from tui.panes.header import Health
from tui.protocol.picture import APPLICATION, CLUSTER, WhyAnswer, WhySubject
from tui.terminal import format as text
from tui.terminal.format import OPEN, RelativeTimeFormat

NO_FORECAST: Final = "none: no forecast for a live or recorded cluster"


def _proof_panel(answer: WhyAnswer, width: int, health: Health) -> Panel:
    why = answer.why
    rows = _proof_rows(why.proof if why is not None else None, answer.beside, answer.names, width)
    empty = next((words for words, style in proof_of_header(health, answer.beside) if style == "soft"), "looked for …")
    if why is not None and why.verdict and why.proof is None:
        empty = "none is needed: it does not wait"
    if why is not None and why.is_live:
        empty = "none: a forecast of a twin proves nothing" if answer.forecast else NO_FORECAST
    return Panel(CIRCLE, [("The proof", "text")], rows or [PanelRow([(empty, "faint")])])


def _proof_rows(
    proof: ProofReport | None, day: RelativeTimeFormat, names: Mapping[str, str], width: int
) -> list[PanelRow]:
    if proof is None:
        return []
    rows = PanelRow.folded(verdict_text.looked_words(proof, day), width)
    if proof.for_ever:
        rows.append(PanelRow([("never released by:", "soft")]))
        rows += [_linked("", each, names) for each in proof.for_ever]
    for decision in proof.passed_by:
        words = f"{day.instant(decision.at_ms)} {text.memory(decision.memory_mb)}"
        rows.append(_linked(f"{words} on {text.short_node(decision.node)} to ", decision.application, names))
    for reason in proof.bound:
        words = f"alone in the cluster: {text.short_sentence(reason.sentence)}"
        rows += PanelRow.folded(words, width, "text")
    return rows


def _linked(before: str, application: str, names: Mapping[str, str]) -> PanelRow:
    name = text.plain(names.get(application, ""))
    spans: Fragments = [(before, "soft"), (text.short_id(application), "strong"), (f" {name}", "text")]
    return PanelRow(spans, _application_link(application))


CIRCLE, REASONS, HOLDERS = "circle", "reasons", "holders"  # Parts of a page
HOSTS: Final = 3  # How many nodes a row names
BLOCK: Final = "▄▖"  # A container of a holder; of little room its second half
ROOMY_FROM: Final = 80  # Width of a panel from which a container is two cells
MOST_BLOCKS: Final = 16  # More containers than these share blocks

_LIMITS: Final = {
    "queue maximum": ("QUEUE_OVER_MAXIMUM", "QUEUE_WOULD_EXCEED_MAXIMUM"),
    "user limit": ("USER_OVER_LIMIT",),
    "AM share": ("AM_SHARE_EXHAUSTED", "USER_AM_SHARE_EXHAUSTED"),
}  # What might stand in the way of an ask as well, and the reasons that say it does


def _application_link(name: str) -> WhySubject:
    return WhySubject("application", str(int(text.short_id(name))))


def steps_of(answer: WhyAnswer, snapshot: Snapshot | None) -> Sequence[CycleStep]:
    why = answer.why
    if why is None or why.proof is not None or why.verdict or snapshot is None:
        return why.proof.cycle if why is not None and why.proof is not None else ()
    return reservation_steps(snapshot, why.application.id)


def circle_panel(answer: WhyAnswer, snapshot: Snapshot | None, width: int, health: Health) -> Panel:
    why = answer.why
    steps = steps_of(answer, snapshot)
    job = None if why is None else job_of(why, snapshot)
    if why is not None and job is not None and not steps:
        rows = [*task_rows(why, job, answer.beside, width), PanelRow([])]
        return Panel(CIRCLE, [("Tasks", "text")], rows + _proof_rows(why.proof, answer.beside, answer.names, width))
    if why is None or not steps:
        return _proof_panel(answer, width, health)
    parts = parts_of(steps, answer.names, snapshot)
    applications = len(parts) + sum(part.others for part in parts)
    is_proven = (why.proof is not None) or bool(proof_of_header(health, answer.beside))
    drawn = circle_lines(parts, width, is_proven=is_proven)
    rows = [PanelRow(line, _application_link(line[0][0]) if line[0][1] == "strong" else None) for line in drawn]
    title: Fragments = [("The circle", "text"), *([(f"  {text.plain(why.pattern)}", "soft")] if why.pattern else [])]
    right = f"{text.plural(len(parts), 'part')}, {text.plural(applications, 'application')}"
    return Panel(CIRCLE, title, rows, right)


def reasons_panel(answer: WhyAnswer, snapshot: Snapshot | None, look: RenderContext, width: int) -> Panel:
    """Return what every node says, then limits, settings, what was recorded, and what it asks for."""
    why = answer.why
    if why is None:
        return Panel(REASONS, [("Why it waits", "text")], [])
    of_nodes = [each for each in why.reasons if each.noun]
    is_live = why.is_live
    rows = _refusals(of_nodes, snapshot, look, width, is_live=is_live)
    job = job_of(why, snapshot)
    if job is not None and snapshot is not None and why.reasons:
        rows = [*limit_rows(why, job, snapshot, width), PanelRow([])]
    for reason in why.reasons:
        if reason not in of_nodes:
            words = f"{text.short_sentence(reason.sentence)}{verdict_text.sure_words(reason, is_live=is_live)}"
            words += f" ({verdict_text.decider_words(reason)})" if reason.code == DECIDES else ""
            rows += PanelRow.folded(words, width, "text", _subject(reason))
    model = [] if is_live else [*_deciders(why), *_codes(why, look)]  # a server did not say so
    more = [*model, *_facts(why, answer.facts), *_asks(why, answer.beside, look)]
    diagnostics = why.application.diagnostics
    more += [("", text.plain(diagnostics))] if diagnostics else []
    more += [("", f"{verdict_text.deciding_words(why.deciding)}; h goes on")] if why.deciding is not None else []
    more += [("", answer.note)] if answer.note else []
    more += [("not counted", words) for words in verdict_text.not_counted(why, answer.beside)]
    rows += [PanelRow([])] if rows and more else []
    for label, words in more:
        rows += _labelled(label, words, width)
    noun = "workers" if "cores" in look.dimensions else "nodes"
    asked = max((each.of for each in of_nodes), default=0)
    is_over = why.application.finished_ms is not None
    words = f"Why the {noun} refuse" if of_nodes else "How it ended" if is_over else "Why it waits"
    title: Fragments = [(words, "text")]
    title += [(f"  {asked} asked", "soft")] if asked else []
    return Panel(REASONS, title, rows or [PanelRow([("nothing blocks it", "soft")])])


def _refusals(
    reasons: Sequence[ObstacleRow], snapshot: Snapshot | None, look: RenderContext, width: int, *, is_live: bool
) -> list[PanelRow]:
    if not reasons:
        return []
    found = [(each, *_answer(each, snapshot, look)) for each in reasons]
    answers = [
        (answer, f"{detail}{verdict_text.sure_words(each, is_live=is_live)}".strip()) for each, answer, detail in found
    ]
    hosts = [", ".join(map(text.short_node, each.nodes[:HOSTS])) for each in reasons]
    hosts = [words + (" …" if len(each.nodes) > HOSTS else "") for words, each in zip(hosts, reasons, strict=True)]
    noun = "WORKERS" if "cores" in look.dimensions else "NODES"
    columns = [
        TextColumn(noun, [(str(each.count), "text") for each in reasons], right=True),
        TextColumn("ANSWER", [(answer, "text") for answer, _ in answers]),
        TextColumn("DETAIL", [(detail, "soft") for _, detail in answers]),
        TextColumn("WHICH", [(words, "faint") for words in hosts], rank=1),
    ]
    is_beside = fits(columns[:3], width)
    head, lines = table(columns if is_beside else columns[:2], width)
    rows = [PanelRow(head)]
    for line, reason, (_, detail) in zip(lines, reasons, answers, strict=True):
        rows.append(PanelRow(line, _subject(reason)))
        if detail and not is_beside:
            rows += [PanelRow([(f"{'':{len(noun) + 2}}{words}", "soft")]) for words in folded(detail, width - 9)]
    return rows


def _subject(reason: ObstacleRow) -> WhySubject | None:
    subject = reason.subject
    if subject.startswith("app"):
        return _application_link(subject)
    if subject.startswith("root"):
        return WhySubject("queue", subject)
    return None


def _answer(reason: ObstacleRow, snapshot: Snapshot | None, look: RenderContext) -> tuple[str, str]:
    if reason.code == "NODE_RESERVED" and "held_mb" in reason.numbers:
        holder = reason.subject
        rows = snapshot.reservations() if snapshot is not None else ()
        since_ms = [row.since_ms for row in rows if row.application == holder and isinstance(row.since_ms, int)]
        held = text.memory(reason.numbers["held_mb"])
        return f"reserved for {text.short_id(holder)}", f"for {held}{since_words(since_ms, look)}"
    words = text.short_sentence(reason.answer)
    answer, _, detail = words.partition(", ")
    return answer, detail


def _deciders(why: WhyReport) -> list[tuple[str, str]]:
    codes = {each.code for each in why.reasons}
    free = [name for name, reasons in _LIMITS.items() if not codes.intersection(reasons)]
    is_yarn = any(each.level == "NODE" for each in why.reasons) and (why.application.queue or "").startswith("root")
    found = [("not in the way", ", ".join(free))] if free and is_yarn else []
    rules = [each for each in why.reasons if each.code != DECIDES]
    settings = dict.fromkeys(words for each in rules if (words := verdict_text.decider_words(each)))
    return found + [("the rule behind it", words) for words in settings]


def _codes(why: WhyReport, look: RenderContext) -> list[tuple[str, str]]:
    own = [each for each in why.reasons if each.is_of_scheduler]
    codes = dict.fromkeys(f"{each.level} {each.state} {each.code}" for each in own)
    return [("YARN says", ", ".join(codes))] if codes and terms_for(look.dimensions).has_reasons else []


def _figure(name: str, number: int) -> str:
    stem, _, unit = name.rpartition("_")
    amounts = {"mb": text.memory(number), "vcores": text.plural(number, "vcore")}
    return f"{stem} {amounts[unit]}" if unit in amounts else f"{name} {number}"


def _facts(why: WhyReport, unknown: str) -> list[tuple[str, str]]:
    recorded = grouped(((fact.code, tuple(fact.numbers)), text.short_node(fact.node)) for fact in why.facts)
    found = []
    for (code, numbers), hosts in recorded.items():
        names = next((tuple(each.numbers) for each in why.reasons if each.code == code), ())
        figures = ", ".join(_figure(name, number) for name, number in zip(names, numbers, strict=False))
        named = ", ".join(hosts[:HOSTS]) + (" …" if len(hosts) > HOSTS else "")
        found.append(("recorded", f"{text.plural(len(hosts), 'node')} did not serve it: {code} {figures} ({named})"))
    return found + ([("recorded", unknown)] if unknown else [])


def _asks(why: WhyReport, day: RelativeTimeFormat, look: RenderContext) -> list[tuple[str, str]]:
    found, asked = [], why.application.listed_asks
    for ask in asked:
        near = "near" if ask.relax_locality else "only on"
        places = f" {near} {', '.join(ask.places[:HOSTS])}{' …' if len(ask.places) > HOSTS else ''}"
        size = text.amounts(tuple(ask.size), look.dimensions)
        where, what = places if ask.places else "", verdict_text.ask_words(ask, day) if len(asked) > 1 else ""
        rank = f" at priority {ask.priority}" if terms_for(look.dimensions).ranks_asks else ""
        found.append(("asks", f"{ask.count} × {size}{rank}{where}{what}"))
    return found


def holders_panel(answer: WhyAnswer, snapshot: Snapshot | None, look: RenderContext, width: int) -> Panel:
    """Return the holders of what it needs and until when, a block a container: those of the circle first."""
    why = answer.why
    holders = why.holders if why is not None else ()
    title: Fragments = [("Holders of what it needs", "text")]
    if why is None or not holders:
        empty = "nothing" if why is not None and why.verdict else "looked for …"
        return Panel(HOLDERS, title, [PanelRow([(empty, "faint")])])
    parts = parts_of(steps_of(answer, snapshot), {}, snapshot)
    inside = {each for part in parts for each in part.ids} - {why.application.id}
    own = [each for each in holders if each.application == why.application.id]
    ordered = sorted(
        (each for each in holders if each not in own),
        key=lambda each: (each.application not in inside, -each.memory_mb),
    )
    if not ordered:
        ordered, own = own, []
    count = sum(each.application in inside for each in ordered)
    head, lines = table(_holder_columns(ordered, answer.beside, look, width), width)
    links = [_application_link(each.application) for each in ordered]
    rows = [PanelRow(line, link) for line, link in zip(lines, links, strict=True)]
    if count:
        needs = next((part.needs for part in parts if why.application.id not in part.ids), "").removesuffix(ANYWHERE)
        rest = len(ordered) - count
        names: Fragments = [(f"{OPEN} ", "faint"), (f"{count} in the circle", "strong"), (f" {needs}", "soft")]
        outside = [PanelRow([(f"{OPEN} ", "faint"), (f"{rest} not in it", "strong")])] if rest else []
        rows = [PanelRow(names), *rows[:count], *outside, *rows[count:]]
        title.append(("  the circle first", "soft"))
    for holder in own:
        words = f"{text.short_id(holder.application)} itself holds {_held(holder, look)}"
        rows += PanelRow.folded(words, width)
    return Panel(HOLDERS, title, [PanelRow(head), *rows], "enter asks why")


def _holder_columns(
    holders: Sequence[HolderReport], day: RelativeTimeFormat, look: RenderContext, width: int
) -> list[TextColumn]:
    ends = [each.until_ms for each in holders]
    until = [each if isinstance(each, str) else day.clock(each) for each in ends]
    most = max(each.container_count for each in holders)
    block = BLOCK if width >= ROOMY_FROM else BLOCK[1]
    cells = max(1, min(most, MOST_BLOCKS))
    blocks = [-(-each.container_count * cells // most) if most else 0 for each in holders]
    bars = [(block * count, hue_of(each.queue, look)) for count, each in zip(blocks, holders, strict=True)]
    return [
        TextColumn("APP", [(text.short_id(each.application), "strong") for each in holders]),
        TextColumn("NAME", [(text.plain(each.name), "text") for each in holders], rank=2),
        TextColumn("HOLDS", [(_held(each, look), "text") for each in holders]),
        TextColumn("", bars, rank=1),
        TextColumn("UNTIL", [(each, "text") for each in until]),
    ]


def _held(holder: HolderReport, look: RenderContext) -> str:
    held = []
    if holder.reservations:
        held.append(f"{text.plural(len(holder.reservations), 'node')} reserved")
    if holder.container_count:
        held.append(f"{text.memory(holder.memory_mb)} in {holder.container_count}")
    return "comes first" if holder.holds_nothing else ", ".join(held)


def waiters_panel(answer: WhyAnswer, width: int) -> Panel:
    rows: list[PanelRow] = []
    for waiter in answer.place.waiting if answer.place is not None else ():
        since_ms = waiter.waiting_since_ms
        waits = f", since {answer.beside.clock(since_ms)}" if since_ms is not None else ""
        words = f"  {text.plain(waiter.queue)}  {text.count(waiter.pending)} asked for{waits}"
        spans: Fragments = [
            (text.short_id(waiter.application), "strong"),
            (f" {text.plain(waiter.name)}", "text"),
            (words, "soft"),
        ]
        rows.append(PanelRow(spans, _application_link(waiter.application)))
        for reason in waiter.reasons:
            words = text.short_sentence(reason.sentence)
            rows += [PanelRow([("       ", "text"), (each, "soft")]) for each in folded(words, width - 7)]
    if not rows:
        rows = [PanelRow([("asking …" if answer.doing else "Nothing waits here.", "soft")])]
    return Panel(HOLDERS, [("Waiting here", "text")], rows, "enter asks why")


def _labelled(label: str, words: str, width: int) -> list[PanelRow]:
    head = f"{label}: " if label else ""
    lines = folded(head + words, width)
    first = lines[0].removeprefix(head.rstrip())
    return [PanelRow([(head.rstrip(), "faint"), (first, "soft")]), *(PanelRow([(each, "soft")]) for each in lines[1:])]


# What would help, and what does not.

REST = "rest"  # The part of a page that tells of those that do not help
RESCUES: Final = 5  # How many of the remedies that would have prevented it are listed


def remedies_of(found: RemediesReport | None) -> tuple[RemedyReport, ...]:
    return () if found is None else found.remedies


def remedy_at(answer: WhyAnswer, link: WhySubject | None) -> RemedyReport | None:
    """The remedy a line leads to; None where it leads elsewhere."""
    if link is None or link.kind != REMEDY:
        return None
    return next((entry for entry in remedies_of(answer.remedies) if (entry.remedy.act,) == link.acts), None)


def entry_of(found: RemediesReport | None, number: int) -> RemedyReport | None:
    return next((entry for entry in remedies_of(found) if entry.number == number), None)


def remedies_panel(
    answer: WhyAnswer, snapshot: Snapshot | None, look: RenderContext, width: int, *, is_open: bool
) -> Panel:
    """The remedies that help, to choose from: when each starts the application asked about, and how many others."""
    why, found = answer.why, answer.remedies
    title: Fragments = [("What would help", "text")]
    assumed = assumed_rows(why.assumed, answer.beside, width) if why is not None else []
    if found is None:
        is_open_question = why is not None and why.proof is not None and not answer.failure and not answer.doing
        is_early = answer.doing or why is None or not why.verdict
        idle = "not tried yet" if is_early else "it is not waiting for anything that a remedy could give"
        if why is not None and why.is_live:
            idle = answer.doing or answer.note or "none is tried: no forecast for a live or recorded cluster"
        words = "h tries kills, moves, settings and machines on copies" if is_open_question else idle
        return Panel(HELPS, title, [*assumed, *PanelRow.folded(words, width)])
    asked = why.application if why is not None else None
    subject = RemedySubject(asked.id, text.short_id(asked.id)) if asked is not None else None
    rows = [
        *assumed,
        *remedy_rows(found, answer.beside, look, width, subject),
        *useless_rows(found, snapshot, width, is_open=is_open),
    ]
    title.append((f"  {found.tried} of {found.of} tried on copies", "soft"))
    return Panel(HELPS, title, rows, "what acts from here first")


def rest_panel(answer: WhyAnswer, width: int) -> Panel | None:
    """Return whether it starts by itself, and since when it was too late; None while nothing was tried for it."""
    why, day = answer.why, answer.beside
    if why is None or why.would_help is None:
        return None
    sentences = [expected_words(why.would_help, day), *_way_back(why.point_of_no_return, day)]
    rows = [row for words in sentences for row in PanelRow.folded(words, width)]
    return Panel(REST, [("Since when", "text")], rows)


def _way_back(turning: LastChanceReport | None, day: RelativeTimeFormat) -> list[str]:
    if turning is None:
        return []
    formed, inevitable = day.clock(turning.formed_ms), day.clock(turning.inevitable_ms)
    lines = [f"formed {formed}; inevitable without an act since {inevitable}; {_return(turning, day)}"]
    return [*lines, *(verdict_text.rescue_words(rescue, day.clock) for rescue in turning.remedies[:RESCUES])]


def _return(turning: LastChanceReport, day: RelativeTimeFormat) -> str:
    if turning.latest_ms is None:
        return "no single remedy would have prevented it"
    if any(rescue.still_helps for rescue in turning.remedies):
        return "not too late: a single remedy still ends it"
    return f"after {day.clock(turning.latest_ms)} no single remedy would have prevented it"


def apply_question(entry: RemedyReport, found: RemediesReport, day: RelativeTimeFormat) -> tuple[str, ...]:
    words = remedy_words(entry, found, day)
    return (
        f"{text.plain(remedy_sentence(entry.remedy))}?",
        "",
        f"starts  {words.starts}",
        f"frees   {words.frees}",
        f"loses   {words.loses}",
        f"delays  {words.delays}",
        "",
        "As tried on a copy with no new submissions.",
    )


# The line of keys of an answer: those that look, and those that act.


def keys_that_look(answer: WhyAnswer, link: WhySubject | None, stops: int, parts: int) -> list[FooterKey]:
    """Keys that look; `link` is under the cursor, which may stand on so many stops of so many parts."""
    asked, is_plan = answer.why, answer.subject.kind == CLUSTER
    is_remedy = remedy_at(answer, link) is not None
    words = "its run" if is_remedy else "open" if link is not None and link.kind == USELESS else "ask why"
    found = [FooterKey("enter", words, "follow", 2)] if link else []
    found += [FooterKey("j k", "choose", "move(1)", 3)] if stops > 1 else []
    found += [FooterKey(f"1-{parts}", "part", "other(1)", 4)] if answer.place is None and not is_plan else []
    found += [FooterKey("W", "all", "cluster", 4)] if not is_plan else []
    if asked is not None and asked.proof is not None and asked.would_help is None:
        words = "remedies" if answer.remedies is None else "since when"
        found.append(FooterKey("h", words, "remedies", 4))
    return [*found, *(FooterKey(key, words, words, 5) for key, words in (("/", "find"), ("x", "save"), ("c", "copy")))]


def keys_that_act(answer: WhyAnswer, link: WhySubject | None, *, is_led: bool) -> list[FooterKey]:
    """Keys that act on what the cursor is on; `is_led` as of `kill_subject`."""
    entry = remedy_at(answer, link)
    found = [] if entry is None else [FooterKey("A", f"apply {entry.number}", "apply")]
    victim = kill_subject(answer, link, is_led=is_led)
    if victim.kind == APPLICATION and not (victim == answer.subject and _is_over(answer)):
        found.append(FooterKey("K", f"kill {text.short_number(int(victim.key))}", "kill"))
    return found


def _is_over(answer: WhyAnswer) -> bool:
    why = answer.why
    return why is not None and (why.at_ms < answer.time_ms or why.application.state not in LIVE_STATES)


def kill_subject(answer: WhyAnswer, link: WhySubject | None, *, is_led: bool) -> WhySubject:
    """The application the question is about; once the reader moved the cursor (`is_led`), the one under it."""
    if not is_led and answer.subject.kind == APPLICATION:
        return answer.subject
    entry = remedy_at(answer, link)
    if entry is not None and entry.kind == "kill" and entry.application is not None:
        return WhySubject(APPLICATION, text.short_id(entry.application).lstrip("0"))
    return answer.subject if entry is not None else link or answer.subject
