"""The page of `W`: what can be done now so that all that wait start, grouped by what an operator can do from here."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from engine.explain.remedy import GROUPS
from engine.explain.remedy_report import RemediesReport, RemedyReport
from tui import format as text
from tui.answers import WhyAnswer, WhySubject
from tui.format import Beside
from tui.glyphs import FOLDED, OPEN
from tui.render.line import Look, folded
from tui.render.panel import EDGES, INSIDE, Page, Panel, PanelRow, TextColumn, framed, height_of, ruled, stacked, table
from tui.render.remedy_text import GROUP_WORDS, expected_words, lost_words, short_remedy, subject_words
from tui.render.why_after import after_panel
from tui.render.why_remedies import HELPS, REMEDY, after_words, frees_words, listed_remedy, place_of

FRAMED_FROM: Final = 100  # Width from which panels have frames
SHORT: Final = 3  # How many of a group are listed where all would leave no room for what follows
FOLLOWS: Final = 4  # Lines for what follows a remedy
USELESS: Final = 5  # How many of those that start nobody are named


def fix_page(answer: WhyAnswer, look: Look, size: tuple[int, int], part: str) -> Page:
    """The remedies by group, and what follows the one that was tried last."""
    width, height = size
    is_framed = width >= FRAMED_FROM
    inside = width - INSIDE if is_framed else width - 2
    helps = _panel(answer, inside)
    if height_of(helps) + FOLLOWS > height:
        helps = _panel(answer, inside, SHORT)
    draw = framed if is_framed else ruled
    pages = [draw(helps, width, has_focus=part == HELPS)]
    tried = _how(answer.plan, answer.beside, answer.note, inside) if is_framed and answer.plan is not None else None
    if tried is not None and height_of(helps) + FOLLOWS + height_of(tried) <= height:
        height -= height_of(tried)
    else:
        tried = None
    if answer.plan is not None and answer.plan.remedies:
        after = answer.aftermath
        place = place_of(answer.plan.remedies, after.remedy) if after is not None else 0
        room = (inside, height - height_of(helps) - EDGES)
        is_busy = "remedy" in answer.doing and after is None
        pages.append(draw(after_panel(after, answer.beside, place, look, room, is_busy=is_busy), width))
    return stacked([*pages, *([framed(tried, width)] if tried is not None else [])])


def _how(found: RemediesReport, day: Beside, note: str, width: int) -> Panel:
    """On what the figures rest, and what is left to try."""
    left = found.of - found.tried
    without = "none of them starts without an act" if found.never else "some start without an act"
    facts = {
        "copy": f"of {day.clock(found.at_ms)}, as the cluster stands",
        "simulated": f"with no new submissions to {day._replace(mark='').clock(found.looked_until_ms)}: {without}",
        "assumes": f"{note or 'tasks run as long as planned'}; later submissions change it",
        "left": f"{left} to try" if left else f"nothing: all {found.of} were tried, {len(found.refused)} were refused",
    }
    rows = [
        PanelRow([(f"{name if not place else '':<11}", "faint"), (line, "text")])
        for name, words in facts.items()
        for place, line in enumerate(folded(words, width - 11))
    ]
    return Panel("tried", [("How it was tried", "text")], rows)


def _panel(answer: WhyAnswer, width: int, most: int | None = None) -> Panel:
    found, title = answer.plan, [("What to do now", "text")]
    if found is None:
        words = answer.note or ("looking for what would help …" if answer.doing else "not known")
        return Panel(HELPS, title, [PanelRow([(each, "soft")]) for each in folded(words, width)])
    title.append((f"  {found.tried} of {found.of} tried on copies{' …' if answer.doing else ''}", "soft"))
    entries = found.remedies
    rows = (
        _rows(entries, found, answer.beside, width, most)
        if entries
        else [PanelRow([("nothing that was tried", "soft")])]
    )
    return Panel(HELPS, title, [*rows, *_useless(found, width)])


def _rows(
    entries: Sequence[RemedyReport], found: RemediesReport, day: Beside, width: int, most: int | None
) -> list[PanelRow]:
    of_groups = [[entry for entry in entries if entry.group == group] for group in GROUPS]
    shown = [entry for group in of_groups for entry in group[:most]]
    places = [place for place, entry in enumerate(entries, 1) if entry in shown]
    head, lines = table(_columns(shown, places, found, day, is_named=width >= FRAMED_FROM - INSIDE), width)
    of_entries = iter(zip(shown, lines, strict=True))
    rows = [PanelRow(head)]
    for name, group in zip(GROUPS, of_groups, strict=True):
        if group:
            best = f"; the best {most}" if most is not None and len(group) > most else ""
            words = GROUP_WORDS[name] if len(group) > 1 else GROUP_WORDS[name].replace("need ", "needs ", 1)
            about = [(f"{len(group)} {words}", "strong"), (best, "soft")]
            rows.append(PanelRow([(f"{OPEN} ", "faint"), *about]))
        rows += [
            PanelRow(line, WhySubject(REMEDY, "", (entry.remedy.act,)))
            for entry, line in islice(of_entries, len(group[:most]))
        ]
    return rows


def _columns(
    entries: Sequence[RemedyReport], places: Sequence[int], found: RemediesReport, day: Beside, *, is_named: bool
) -> list[TextColumn]:
    starts = [_starts(entry, len(found.targets)) for entry in entries]
    return [
        TextColumn("#", [(str(place), "bold accent") for place in places], right=True),
        TextColumn("REMEDY", [(listed_remedy(entry, is_named=is_named), "text") for entry in entries]),
        TextColumn("STARTS", [(each, "text") for each in starts]),
        TextColumn("BY", [(day.clock(entry.last_ms), "text") for entry in entries]),
        TextColumn("AFTER", [(after_words(entry, found), "text") for entry in entries], rank=3, right=True),
        TextColumn("FREES", [(frees_words(entry), "text") for entry in entries], rank=2),
        TextColumn("LOSES", [(lost_words(entry), "text") for entry in entries], rank=1),
    ]


def _starts(entry: RemedyReport, of: int) -> str:
    """Return how many it starts; `+` where others may start later than it was played."""
    more = "" if entry.is_whole or len(entry.starts) == of else "+"
    return f"{len(entry.starts)}{more} of {of}"


def _useless(found: RemediesReport, width: int) -> list[PanelRow]:
    if not found.useless:
        return []
    named = [short_remedy(each, is_named=False) for each in found.useless[:USELESS]]
    more = f", {len(found.useless) - USELESS} more" if len(found.useless) > USELESS else ""
    title = f"{len(found.useless)} {'starts' if len(found.useless) == 1 else 'start'} nobody"
    line = folded(f"{', '.join(named)}{more}", max(1, width - len(title) - 3))[0]
    return [PanelRow([(f"{FOLDED} ", "faint"), (title, "strong"), (f" {line}", "soft")])]


def plan_words(answer: WhyAnswer) -> str:
    """Return who waits, and whether they start by themselves, in a sentence."""
    found = answer.plan
    if found is None:
        return text.plain(answer.note)
    if not found.targets:
        return "nobody waits: there is nothing to do"
    return f"{subject_words(found)}: {expected_words(found, answer.beside)}"
