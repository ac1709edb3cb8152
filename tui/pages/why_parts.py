"""The panels of an answer: the circle or the proof, why it is refused, who holds what it needs."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.explain.answer import HolderReport, LastChanceReport, ProofReport, RemediesReport, RemedyReport, WhyReport
from engine.explain.obstacles import ObstacleRow
from engine.explain.remedy import GROUPS, Remedy, remedy_sentence
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import MAPREDUCE_1, words_of
from tui.pages.circle import circle_lines, parts_of
from tui.pages.remedy_text import expected_words, lost_words, remedy_words, rest_words, short_remedy
from tui.pages.verdict_text import ask_words, decider_words, looked_words, not_counted, sure_words
from tui.pages.why import Panel, PanelRow, TextColumn, fits, job_of, limit_rows, table, task_rows
from tui.panes.line import Fragments, RenderContext, folded
from tui.protocol.picture import WhyAnswer, WhySubject
from tui.terminal import format as text
from tui.terminal.format import METER_FULL, RelativeTimeFormat

NO_FORECAST: Final = "none: no forecast for a live or recorded cluster"


def proof_panel(answer: WhyAnswer, width: int) -> Panel:
    """The proof as a panel; it says so where there is none yet."""
    why = answer.why
    rows = proof_rows(why.proof if why is not None else None, answer.beside, answer.names, width)
    empty = "not found yet"
    if why is not None and why.is_live:
        empty = "none: a forecast of a twin proves nothing" if answer.forecast else NO_FORECAST
    return Panel(CIRCLE, [("The proof", "text")], rows or [PanelRow([(empty, "faint")])])


def proof_rows(
    proof: ProofReport | None, day: RelativeTimeFormat, names: Mapping[str, str], width: int
) -> list[PanelRow]:
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
    spans: Fragments = [(before, "soft"), (number, "strong"), (f" {name}", "text")]
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


def circle_panel(answer: WhyAnswer, snapshot: Snapshot | None, look: RenderContext, width: int) -> Panel:
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
    title: Fragments = [("The circle", "text"), (f"  {text.plain(why.pattern)}", "soft")]
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
    title: Fragments = [(f"Why the {noun} refuse" if of_nodes else "Why it waits", "text")]
    title += [(f"  {asked} asked", "soft")] if asked else []
    return Panel(REASONS, title, rows or [PanelRow([("nothing blocks it", "soft")])])


def _refusals(
    reasons: Sequence[ObstacleRow], snapshot: Snapshot | None, look: RenderContext, width: int, *, is_live: bool
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


def _answer(reason: ObstacleRow, snapshot: Snapshot | None, look: RenderContext) -> tuple[str, str]:
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
    codes = {each.code for each in why.reasons}
    free = [name for name, reasons in _LIMITS.items() if not codes.intersection(reasons)]
    is_yarn = any(each.level == "NODE" for each in why.reasons) and (why.application.queue or "").startswith("root")
    found = [("not in the way", ", ".join(free))] if free and is_yarn else []
    settings = dict.fromkeys(words for each in why.reasons if (words := decider_words(each)))
    return found + [("the rule behind it", words) for words in settings]


def _codes(why: WhyReport, look: RenderContext) -> list[tuple[str, str]]:
    codes = dict.fromkeys(f"{each.level} {each.state} {each.code}" for each in why.reasons)
    return [("YARN says", ", ".join(codes))] if codes and words_of(look.dimensions).has_reasons else []


def _facts(why: WhyReport, unknown: str) -> list[tuple[str, str]]:
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


def _asks(why: WhyReport, day: RelativeTimeFormat, look: RenderContext) -> list[tuple[str, str]]:
    found, asked = [], why.application.listed_asks
    for ask in asked:
        near = "near" if ask.relax_locality else "only on"
        places = f" {near} {', '.join(ask.places[:HOSTS])}{' …' if len(ask.places) > HOSTS else ''}"
        size = text.amounts(tuple(ask.size), look.dimensions)
        where, what = places if ask.places else "", ask_words(ask, day) if len(asked) > 1 else ""
        rank = f" at priority {ask.priority}" if words_of(look.dimensions).ranks_asks else ""
        found.append(("asks", f"{ask.count} × {size}{rank}{where}{what}"))
    return found


def holders_panel(answer: WhyAnswer, snapshot: Snapshot | None, look: RenderContext, width: int) -> Panel:
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


def _held(holder: HolderReport, look: RenderContext) -> str:
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
        spans: Fragments = [
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


# Remedies as a table to choose from, with the way back there was.

HELPS, REST = "helps", "rest"  # The parts of a page that list those that help, and tell of those that do not
NAMED_FROM: Final = 100  # Width from which applications have their names beside their numbers
REMEDY: Final = "remedy"
"""The kind of subject that a line of a remedy leads to; its act tells which, for numbers change meanwhile."""
FREES: Final = "frees"  # The kind of subject that the line leads to which ends the application asked about
ORDERS: Final = ("soonest first", "least harm first", "losing nothing first")  # How they may be sorted
RESCUES: Final = 5  # How many of the remedies that would have prevented it are listed
_HELP: Final = "WHAT WOULD HELP"
LEAST_BAR: Final = 7  # A bar of fewer cells is not drawn
MOST_BAR: Final = 27  # And one of more neither


def remedies_of(found: RemediesReport | None) -> tuple[RemedyReport, ...]:
    """The remedies that help, as far as they are known."""
    return () if found is None else found.remedies


def remedy_at(answer: WhyAnswer, link: WhySubject | None) -> RemedyReport | None:
    """The remedy a line leads to; None where it leads elsewhere."""
    if link is None or link.kind not in {REMEDY, FREES}:
        return None
    found = answer.freeing if link.kind == FREES else answer.remedies
    return next((entry for entry in remedies_of(found) if (entry.remedy.act,) == link.acts), None)


def entry_of(found: RemediesReport | None, number: int) -> RemedyReport | None:
    """The remedy of a number; None when there is none."""
    return next((entry for entry in remedies_of(found) if entry.number == number), None)


def sorted_remedies(entries: Sequence[RemedyReport], order: str) -> list[RemedyReport]:
    """The remedies in one of the `ORDERS`; what can be done now comes first."""
    if order == ORDERS[1]:
        found = list(entries)
    elif order == ORDERS[2]:
        found = sorted(entries, key=lambda entry: (entry.loses.containers > 0, entry.last_ms))
    else:
        found = sorted(entries, key=lambda entry: entry.last_ms)
    return sorted(found, key=lambda entry: GROUPS.index(entry.group))


def place_of(entries: Sequence[RemedyReport], remedy: Remedy | None) -> int:
    """The place from 1 on at which a remedy is listed; 0 when it is not."""
    return next((place for place, entry in enumerate(entries, 1) if entry.remedy == remedy), 0)


def remedies_panel(answer: WhyAnswer, width: int, order: str) -> Panel:
    """The remedies that help, to choose from."""
    why, freeing = answer.why, _freeing(answer, width)
    found = why.would_help if why is not None else None
    title: Fragments = [("What would help", "text")]
    if found is None:
        is_open = why is not None and why.proof is not None and not answer.failure and not answer.doing
        is_early = answer.doing or why is None or not why.verdict
        idle = "not tried yet" if is_early else "it is not waiting for anything that a remedy could give"
        if why is not None and why.is_live:
            idle = answer.doing or answer.note or "none is tried: no forecast for a live or recorded cluster"
        words = "h tries kills, moves, settings and machines on copies" if is_open else idle
        return Panel(HELPS, title, [*freeing, *(PanelRow([(each, "soft")]) for each in folded(words, width))])
    entries = sorted_remedies(found.remedies, order)
    helping = sum(1 + len(entry.alike) for entry in entries)
    title.append((f"  {helping} of {found.tried} single remedies, tried on copies", "soft"))
    rows = _rows(entries, found, answer.beside, width) or [PanelRow([("nothing that was tried", "soft")])]
    if freeing:
        rows = [*freeing, PanelRow([("to start it itself", "faint")]), *rows]
    return Panel(HELPS, title, rows, order if entries else "")


def _freeing(answer: WhyAnswer, width: int) -> list[PanelRow]:
    found = answer.freeing
    if found is None or not found.remedies:
        return []
    entry = found.remedies[0]
    more = "" if entry.is_whole else " or more"
    starts = f"{len(entry.starts)}{more} of {len(found.targets)} start by {answer.beside.clock(entry.last_ms)}"
    is_named = width >= NAMED_FROM
    words = f"  {short_remedy(entry.remedy, is_named=is_named)}"
    loses = f"{f'frees {frees_words(entry)}, ' if is_named else ''}loses {lost_words(entry)}"
    line: Fragments = [(words, "text"), (f"  {starts}", "strong"), (f"  {loses}", "soft")]
    return [PanelRow([("to free the cluster", "faint")]), PanelRow(line, WhySubject(FREES, "", (entry.remedy.act,)))]


def rest_panel(answer: WhyAnswer, width: int) -> Panel | None:
    """Return what does not help, what is not known, since when it was too late; None while nothing was tried."""
    why, day = answer.why, answer.beside
    if why is None or why.would_help is None:
        return None
    found = why.would_help
    sentences = [expected_words(found, day), *rest_words(found, day), *_way_back(why.point_of_no_return, day)]
    rows = [PanelRow([(each, "soft")]) for words in sentences for each in folded(words, width)]
    return Panel(REST, [("What does not help, and since when", "text")], rows)


def _rows(
    entries: Sequence[RemedyReport], found: RemediesReport, day: RelativeTimeFormat, width: int
) -> list[PanelRow]:
    if not entries:
        return []
    delays = [_after_ms(entry, found) for entry in entries]
    columns = _columns(entries, delays, found, day, is_named=width >= NAMED_FROM)
    head, lines = table(columns, width)
    spare = width - max(sum(len(part) for part, _ in line) for line in [head, *lines])
    if width >= NAMED_FROM and spare >= LEAST_BAR + 2:
        place = next(place for place, column in enumerate(columns) if column.title == "AFTER") + 1
        columns.insert(place, TextColumn("", _bars(delays, min(MOST_BAR, spare - 2))))
        head, lines = table(columns, width)
    links = [WhySubject(REMEDY, "", (entry.remedy.act,)) for entry in entries]
    return [PanelRow(head), *(PanelRow(line, link) for line, link in zip(lines, links, strict=True))]


def brief_lines(found: RemediesReport, width: int, count: int) -> list[Fragments]:
    """The soonest remedies in at most so many lines, the head among them; those without room are left out."""
    entries = sorted_remedies(found.remedies, ORDERS[0])[: max(0, count - 1)]
    tried = f"{found.tried} of {found.of} single remedies tried on copies"
    if not entries:
        return [[(_HELP, "faint"), (f"  nothing of {tried}" if found.tried else "", "soft")]]
    delays = [_after_ms(entry, found) for entry in entries]
    columns = [
        column._replace(title={"#": "", "REMEDY": _HELP}.get(column.title, column.title))
        for column in _columns(entries, delays, found, RelativeTimeFormat(found.at_ms, 0), is_named=width >= NAMED_FROM)
        if column.title not in {"STARTS", "ALSO START", "DELAYS"}
    ]
    head, lines = table(columns, width)
    rest: list[Fragments] = [[(f"   {tried}", "faint")]] if len(lines) + 1 < count else []
    return [head, *lines, *rest]


def _columns(
    entries: Sequence[RemedyReport],
    delays: Sequence[int],
    found: RemediesReport,
    day: RelativeTimeFormat,
    *,
    is_named: bool,
) -> list[TextColumn]:
    words = [remedy_words(entry, found, day) for entry in entries]
    also = [str(entry.also_start) if entry.also_start else "–" for entry in entries]
    remedies = [listed_remedy(entry, is_named=is_named) for entry in entries]
    loses = [each.loses if is_named else lost_words(entry) for each, entry in zip(words, entries, strict=True)]
    return [
        TextColumn("#", [(str(place), "bold accent") for place in range(1, len(entries) + 1)], right=True),
        TextColumn("REMEDY", [(each, "text") for each in remedies]),
        TextColumn("STARTS", [(day.clock(entry.last_ms), "text") for entry in entries], rank=4),
        TextColumn("AFTER", [(_after(delay), "text") for delay in delays], right=True),
        TextColumn("FREES", [(frees_words(entry), "text") for entry in entries], rank=2),
        TextColumn("ALSO START", [(each, "text") for each in also], rank=5, right=True),
        TextColumn("LOSES", [(each, "text") for each in loses], rank=1),
        TextColumn("DELAYS", [(each.delays, "text") for each in words], rank=6),
    ]


def listed_remedy(entry: RemedyReport, *, is_named: bool) -> str:
    """A remedy as a list has it; where it `is_named`, with how many are similar."""
    alike = f" ({len(entry.alike)} similar)" if entry.alike and is_named else ""
    least = "" if entry.is_least else "at most: "
    return f"{least}{short_remedy(entry.remedy, is_named=is_named)}{alike}"


def frees_words(entry: RemedyReport) -> str:
    """Nodes it frees, else memory."""
    frees = entry.frees
    if frees.reservations:
        return text.plural(frees.reservations, "node")
    amounts, dimensions = (frees.memory_mb, frees.vcores), entry.remedy.dimensions
    if words_of(dimensions) is MAPREDUCE_1:
        return text.amounts(amounts, dimensions) if any(amounts) else "–"
    return text.memory(frees.memory_mb) if frees.memory_mb else "–"


def after_words(entry: RemedyReport, found: RemediesReport) -> str:
    """Return how long after the instant the last of those it is for starts."""
    return _after(_after_ms(entry, found))


def _after_ms(entry: RemedyReport, found: RemediesReport) -> int:
    """Return how long after the instant the last of those it is for starts [ms]."""
    return entry.last_ms - found.at_ms


def _after(delay_ms: int) -> str:
    return "at once" if delay_ms < 10_000 else f"in {text.duration(delay_ms)}"


def _bars(delays: Sequence[int], cells: int) -> list[tuple[str, str]]:
    longest = max(delays)
    return [
        (METER_FULL * (max(1, delay * cells // longest) if delay >= 10_000 else 0), "data") if longest else ("", "data")
        for delay in delays
    ]


def _way_back(turning: LastChanceReport | None, day: RelativeTimeFormat) -> list[str]:
    """Since when it could not end well by itself, and until when somebody could have prevented it."""
    if turning is None:
        return []
    formed, inevitable = day.clock(turning.formed_ms), day.clock(turning.inevitable_ms)
    lines = [f"formed {formed}; inevitable without an act since {inevitable}; {_return(turning, day)}"]
    for rescue in turning.remedies[:RESCUES]:
        helps = "and still ends it" if rescue.still_helps else "too late now"
        lines.append(f"{remedy_sentence(rescue.remedy)}: until {day.clock(rescue.latest_ms)}, {helps}")
    return lines


def _return(turning: LastChanceReport, day: RelativeTimeFormat) -> str:
    if turning.latest_ms is None:
        return "no single remedy would have prevented it"
    if any(rescue.still_helps for rescue in turning.remedies):
        return "not too late: a single remedy still ends it"
    return f"after {day.clock(turning.latest_ms)} no single remedy would have prevented it"


def apply_question(entry: RemedyReport, found: RemediesReport, day: RelativeTimeFormat) -> tuple[str, ...]:
    """Return the question that is asked before a remedy is applied."""
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
