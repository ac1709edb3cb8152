"""Remedies as a table to choose from, with the way back there was."""

from collections.abc import Sequence
from typing import Final

from engine.explain.remedy import GROUPS, Remedy, remedy_sentence
from engine.explain.remedy_report import RemediesReport, RemedyReport
from engine.explain.report import TurningReport
from engine.observe.system_words import MAPREDUCE_1, words_of
from tui import format as text
from tui.answers import WhyAnswer, WhySubject
from tui.format import Beside
from tui.glyphs import METER_FULL
from tui.render.line import Spans, folded
from tui.render.panel import Panel, PanelRow, TextColumn, table
from tui.render.remedy_text import expected_words, lost_words, remedy_words, rest_words, short_remedy

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
    title: Spans = [("What would help", "text")]
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
    line: Spans = [(words, "text"), (f"  {starts}", "strong"), (f"  {loses}", "soft")]
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


def _rows(entries: Sequence[RemedyReport], found: RemediesReport, day: Beside, width: int) -> list[PanelRow]:
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


def brief_lines(found: RemediesReport, width: int, count: int) -> list[Spans]:
    """The soonest remedies in at most so many lines, the head among them; those without room are left out."""
    entries = sorted_remedies(found.remedies, ORDERS[0])[: max(0, count - 1)]
    tried = f"{found.tried} of {found.of} single remedies tried on copies"
    if not entries:
        return [[(_HELP, "faint"), (f"  nothing of {tried}" if found.tried else "", "soft")]]
    delays = [_after_ms(entry, found) for entry in entries]
    columns = [
        column._replace(title={"#": "", "REMEDY": _HELP}.get(column.title, column.title))
        for column in _columns(entries, delays, found, Beside(found.at_ms, 0), is_named=width >= NAMED_FROM)
        if column.title not in {"STARTS", "ALSO START", "DELAYS"}
    ]
    head, lines = table(columns, width)
    rest: list[Spans] = [[(f"   {tried}", "faint")]] if len(lines) + 1 < count else []
    return [head, *lines, *rest]


def _columns(
    entries: Sequence[RemedyReport], delays: Sequence[int], found: RemediesReport, day: Beside, *, is_named: bool
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


def _way_back(turning: TurningReport | None, day: Beside) -> list[str]:
    """Since when it could not end well by itself, and until when somebody could have prevented it."""
    if turning is None:
        return []
    formed, inevitable = day.clock(turning.formed_ms), day.clock(turning.inevitable_ms)
    lines = [f"formed {formed}; inevitable without an act since {inevitable}; {_return(turning, day)}"]
    for rescue in turning.remedies[:RESCUES]:
        helps = "and still ends it" if rescue.still_helps else "too late now"
        lines.append(f"{remedy_sentence(rescue.remedy)}: until {day.clock(rescue.latest_ms)}, {helps}")
    return lines


def _return(turning: TurningReport, day: Beside) -> str:
    if turning.latest_ms is None:
        return "no single remedy would have prevented it"
    if any(rescue.still_helps for rescue in turning.remedies):
        return "not too late: a single remedy still ends it"
    return f"after {day.clock(turning.latest_ms)} no single remedy would have prevented it"


def apply_question(entry: RemedyReport, found: RemediesReport, day: Beside) -> tuple[str, ...]:
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
