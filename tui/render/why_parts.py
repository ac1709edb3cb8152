"""The panels of an answer: the circle or the proof, why it is refused, who holds what it needs."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.explain.obstacle_rows import ObstacleRow
from engine.explain.report import HolderReport, ProofReport, WhyReport
from engine.observe.snapshot import Snapshot
from engine.observe.system_words import words_of
from tui import format as text
from tui.answers import WhyAnswer, WhySubject
from tui.format import Beside
from tui.render.circle import circle_lines
from tui.render.circle_parts import parts_of
from tui.render.line import Look, Spans, folded
from tui.render.panel import Panel, PanelRow, TextColumn, fits, table
from tui.render.verdict_text import ask_words, decider_words, looked_words, not_counted, sure_words
from tui.render.why_tasks import job_of, limit_rows, task_rows

NO_FORECAST: Final = "none: no forecast for a live or recorded cluster"


def proof_panel(answer: WhyAnswer, width: int) -> Panel:
    """The proof as a panel; it says so where there is none yet."""
    why = answer.why
    rows = proof_rows(why.proof if why is not None else None, answer.beside, answer.names, width)
    empty = "not found yet"
    if why is not None and why.is_live:
        empty = "none: a forecast of a twin proves nothing" if answer.forecast else NO_FORECAST
    return Panel(CIRCLE, [("The proof", "text")], rows or [PanelRow([(empty, "faint")])])


def proof_rows(proof: ProofReport | None, day: Beside, names: Mapping[str, str], width: int) -> list[PanelRow]:
    """The proof; nothing where there is none."""
    if proof is None:
        return []
    rows = [PanelRow([(each, "soft")]) for each in folded(looked_words(proof, day), width)]
    if proof.for_ever:
        rows.append(PanelRow([("never released by:", "soft")]))
        rows += [_linked("", each, names) for each in proof.for_ever]
    for each in proof.passed_by:
        words = f"{day.instant(each.at_ms)} {text.memory(each.memory_mb)}"
        rows.append(_linked(f"{words} on {text.short_node(each.node)} to ", each.application, names))
    for reason in proof.bound:
        words = f"alone in the cluster: {text.with_short_ids(reason.sentence)}"
        rows += [PanelRow([(each, "text")]) for each in folded(words, width)]
    return rows


def _linked(before: str, application: str, names: Mapping[str, str]) -> PanelRow:
    number = text.short_id(application)
    name = text.plain(names.get(application, ""))
    spans: Spans = [(before, "soft"), (number, "strong"), (f" {name}", "text")]
    return PanelRow(spans, WhySubject("application", str(int(number))))


CIRCLE, REASONS, HOLDERS = "circle", "reasons", "holders"  # Parts of a page
HOSTS: Final = 3  # How many nodes a row names

_LIMITS: Final = {
    "queue maximum": ("QUEUE_OVER_MAXIMUM", "QUEUE_WOULD_EXCEED_MAXIMUM"),
    "user limit": ("USER_OVER_LIMIT",),
    "AM share": ("AM_SHARE_EXHAUSTED", "USER_AM_SHARE_EXHAUSTED"),
}
"""What might stand in the way of an ask as well, and the reasons that say it does."""


def application_link(name: str) -> WhySubject:
    """Return what asks about an application of an id."""
    return _number_link(text.short_id(name))


def _number_link(number: str) -> WhySubject:
    return WhySubject("application", str(int(number)))


def circle_panel(answer: WhyAnswer, snapshot: Snapshot | None, look: Look, width: int) -> Panel:
    """Return who waits for whom, or what else the verdict rests on."""
    why = answer.why
    steps = why.proof.cycle if why is not None and why.proof is not None else ()
    job = None if why is None else job_of(why, snapshot)
    if why is not None and job is not None and not steps:
        rows = [*task_rows(why, job, answer.beside, width), PanelRow([])]
        return Panel(CIRCLE, [("Tasks", "text")], rows + proof_rows(why.proof, answer.beside, answer.names, width))
    if why is None or not steps:
        return proof_panel(answer, width)
    parts = parts_of(steps, answer.names, snapshot)
    applications = len(parts) + sum(part.others for part in parts)
    drawn = circle_lines(parts, width)
    rows = [PanelRow(line, _number_link(line[0][0]) if line[0][1] == "strong" else None) for line in drawn]
    title: Spans = [("The circle", "text"), (f"  {text.plain(why.pattern)}", "soft")]
    right = f"{text.plural(len(parts), 'part')}, {text.plural(applications, 'application')}"
    return Panel(CIRCLE, title, rows, right)


def reasons_panel(answer: WhyAnswer, snapshot: Snapshot | None, look: Look, width: int) -> Panel:
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
    for each in why.reasons:
        if each not in of_nodes:
            words = f"{text.with_short_ids(each.sentence)}{sure_words(each, is_live=is_live)}"
            rows += _sentence(words, "text", width, _subject(each))
    model = [] if is_live else [*_deciders(why), *_codes(why, look)]  # a server did not say so
    more = [*model, *_facts(why, answer.facts), *_asks(why, answer.beside, look)]
    diagnostics = why.application.diagnostics
    more += [("", text.plain(diagnostics))] if diagnostics else []
    more += [("", answer.note)] if answer.note else []
    more += [("not counted", words) for words in not_counted(why, answer.beside)]
    rows += [PanelRow([])] if rows and more else []
    for label, words in more:
        rows += _labelled(label, words, width)
    noun = "workers" if "cores" in look.dimensions else "nodes"
    asked = max((each.of for each in of_nodes), default=0)
    title: Spans = [(f"Why the {noun} refuse" if of_nodes else "Why it waits", "text")]
    title += [(f"  {asked} asked", "soft")] if asked else []
    return Panel(REASONS, title, rows or [PanelRow([("nothing blocks it", "soft")])])


def _refusals(
    reasons: Sequence[ObstacleRow], snapshot: Snapshot | None, look: Look, width: int, *, is_live: bool
) -> list[PanelRow]:
    if not reasons:
        return []
    found = [(each, *_answer(each, snapshot, look)) for each in reasons]
    answers = [(answer, f"{detail}{sure_words(each, is_live=is_live)}".strip()) for each, answer, detail in found]
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
    for line, each, (_, detail) in zip(lines, reasons, answers, strict=True):
        rows.append(PanelRow(line, _subject(each)))
        if detail and not is_beside:
            rows += [PanelRow([(f"{'':{len(noun) + 2}}{words}", "soft")]) for words in folded(detail, width - 9)]
    return rows


def _subject(reason: ObstacleRow) -> WhySubject | None:
    subject = reason.subject
    if subject.startswith("app"):
        return application_link(subject)
    if subject.startswith("root"):
        return WhySubject("queue", subject)
    return None


def _answer(reason: ObstacleRow, snapshot: Snapshot | None, look: Look) -> tuple[str, str]:
    if reason.code == "NODE_RESERVED" and "held_mb" in reason.numbers:
        holder = reason.subject
        rows = snapshot.reservations() if snapshot is not None else ()
        since_ms = [row.since_ms for row in rows if row.application == holder and isinstance(row.since_ms, int)]
        since = f", since {text.near_clock(min(since_ms), look.now_ms, look.offset_ms)}" if since_ms else ""
        return f"reserved for {text.short_id(holder)}", f"for {text.memory(reason.numbers['held_mb'])}{since}"
    words = text.with_short_amounts(text.with_short_ids(reason.answer))
    answer, _, detail = words.partition(", ")
    return answer, detail


def _deciders(why: WhyReport) -> list[tuple[str, str]]:
    """The settings behind the reasons, and the limits that are not."""
    codes = {each.code for each in why.reasons}
    free = [name for name, reasons in _LIMITS.items() if not codes.intersection(reasons)]
    is_yarn = any(each.level == "NODE" for each in why.reasons) and (why.application.queue or "").startswith("root")
    found = [("not in the way", ", ".join(free))] if free and is_yarn else []
    settings = dict.fromkeys(words for each in why.reasons if (words := decider_words(each)))
    return found + [("the rule behind it", words) for words in settings]


def _codes(why: WhyReport, look: Look) -> list[tuple[str, str]]:
    codes = dict.fromkeys(f"{each.level} {each.state} {each.code}" for each in why.reasons)
    return [("YARN says", ", ".join(codes))] if codes and words_of(look.dimensions).has_reasons else []


def _facts(why: WhyReport, unknown: str) -> list[tuple[str, str]]:
    """Obstacles that the scheduler recorded in the last node heartbeats, equal ones together."""
    recorded: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for fact in why.facts:
        recorded.setdefault((fact.code, tuple(fact.numbers)), []).append(text.short_node(fact.node))
    found = []
    for (code, numbers), hosts in recorded.items():
        names = next((tuple(each.numbers) for each in why.reasons if each.code == code), ())
        figures = ", ".join(f"{name} {number}" for name, number in zip(names, numbers, strict=False))
        named = ", ".join(hosts[:HOSTS]) + (" …" if len(hosts) > HOSTS else "")
        found.append(("recorded", f"{text.plural(len(hosts), 'node')} did not serve it: {code} {figures} ({named})"))
    return found + ([("recorded", unknown)] if unknown else [])


def _asks(why: WhyReport, day: Beside, look: Look) -> list[tuple[str, str]]:
    found, asked = [], why.application.listed_asks
    for ask in asked:
        near = "near" if ask.relax_locality else "only on"
        places = f" {near} {', '.join(ask.places[:HOSTS])}{' …' if len(ask.places) > HOSTS else ''}"
        size = text.amounts(tuple(ask.size), look.dimensions)
        where, what = places if ask.places else "", ask_words(ask, day) if len(asked) > 1 else ""
        rank = f" at priority {ask.priority}" if words_of(look.dimensions).ranks_asks else ""
        found.append(("asks", f"{ask.count} × {size}{rank}{where}{what}"))
    return found


def holders_panel(answer: WhyAnswer, snapshot: Snapshot | None, look: Look, width: int) -> Panel:
    """Return who holds what it needs and until when; who waits behind them."""
    why = answer.why
    holders = why.holders if why is not None else ()
    rows: list[PanelRow] = []
    if holders:
        ends = [each.until_ms for each in holders]
        until = [each if isinstance(each, str) else answer.beside.clock(each) for each in ends]
        columns = [
            TextColumn("APP", [(text.short_id(each.application), "strong") for each in holders]),
            TextColumn("NAME", [(text.plain(each.name), "text") for each in holders], rank=2),
            TextColumn("HOLDS", [(_held(each, look), "text") for each in holders]),
            TextColumn("UNTIL", [(each, "text") for each in until]),
            TextColumn("WAITS", [("itself" if each.waits else "", "text") for each in holders], rank=3),
        ]
        head, lines = table(columns, width)
        links = [application_link(each.application) for each in holders]
        rows = [PanelRow(head), *(PanelRow(line, link) for line, link in zip(lines, links, strict=True))]
    behind = _behind(why, snapshot)
    if behind:
        rows += [PanelRow([]), *_labelled("behind it", behind, width)]
    empty = "nobody" if why is not None and why.verdict else "not known yet"
    return Panel(
        HOLDERS, [("Who holds what it needs", "text")], rows or [PanelRow([(empty, "faint")])], "enter asks why"
    )


def _held(holder: HolderReport, look: Look) -> str:
    held = []
    if holder.reservations:
        held.append(f"{text.plural(len(holder.reservations), 'node')} reserved")
    if holder.container_count:
        thing = words_of(look.dimensions).container
        held.append(f"{text.plural(holder.container_count, thing)}, {text.memory(holder.memory_mb)}")
    return "comes first" if holder.holds_nothing else " and ".join(held)


def _behind(why: WhyReport | None, snapshot: Snapshot | None) -> str:
    steps = why.proof.cycle if why is not None and why.proof is not None else ()
    if snapshot is None or not steps:
        return ""
    alike = [part for part in parts_of(steps, {}, snapshot) if part.others]
    return f"{alike[0].others + 1} applications that {alike[0].holds} and wait themselves" if alike else ""


def waiters_panel(answer: WhyAnswer, width: int) -> Panel:
    """Everybody who waits at a place, each with all that stands in its way there."""
    rows: list[PanelRow] = []
    for waiter in answer.place.waiting if answer.place is not None else ():
        since_ms = waiter.waiting_since_ms
        waits = f", since {answer.beside.clock(since_ms)}" if since_ms is not None else ""
        words = f"  {text.plain(waiter.queue)}  {waiter.pending} asked for{waits}"
        spans: Spans = [
            (text.short_id(waiter.application), "strong"),
            (f" {text.plain(waiter.name)}", "text"),
            (words, "soft"),
        ]
        rows.append(PanelRow(spans, application_link(waiter.application)))
        for reason in waiter.reasons:
            words = text.with_short_ids(reason.sentence)
            rows += [PanelRow([("       ", "text"), (each, "soft")]) for each in folded(words, width - 7)]
    if not rows:
        rows = [PanelRow([("asking …" if answer.doing else "Nobody waits here.", "soft")])]
    return Panel(HOLDERS, [("Who waits here", "text")], rows, "enter asks why")


def _labelled(label: str, words: str, width: int) -> list[PanelRow]:
    head = f"{label}: " if label else ""
    lines = folded(head + words, width)
    first = lines[0].removeprefix(head.rstrip())
    return [PanelRow([(head.rstrip(), "faint"), (first, "soft")]), *(PanelRow([(each, "soft")]) for each in lines[1:])]


def _sentence(words: str, style: str, width: int, link: WhySubject | None) -> list[PanelRow]:
    lines = folded(words, width)
    return [PanelRow([(lines[0], style)], link), *(PanelRow([(each, style)]) for each in lines[1:])]
