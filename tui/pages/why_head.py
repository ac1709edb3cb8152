"""The three lines over an answer: what was asked on the way here, the verdict in a sentence, and the proof."""

from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from engine.explain.answer import RemediesReport, RemedyReport, WhyReport
from engine.explain.remedy import GROUPS
from engine.live.live_why import LIVE
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import SPARK, words_of
from tui.pages.remedy_text import GROUP_WORDS, expected_words, lost_words, short_remedy, subject_words
from tui.pages.verdict_text import NEVER, verdict_words
from tui.pages.why import (
    EDGES,
    INSIDE,
    Page,
    Panel,
    PanelRow,
    TextColumn,
    after_panel,
    beside,
    framed,
    height_of,
    job_of,
    ruled,
    stacked,
    table,
)
from tui.pages.why_parts import (
    CIRCLE,
    HELPS,
    HOLDERS,
    REASONS,
    REMEDY,
    after_words,
    circle_panel,
    frees_words,
    holders_panel,
    listed_remedy,
    place_of,
    reasons_panel,
    remedies_of,
    remedies_panel,
    rest_panel,
    sorted_remedies,
    waiters_panel,
)
from tui.panes.header import Health, health_line, spans_of
from tui.panes.line import Fragments, RenderContext, crop, folded, length
from tui.protocol.picture import CLUSTER, WhyAnswer, WhySubject
from tui.terminal import format as text
from tui.terminal.format import CRUMB, DOT, FOLDED, FROZEN, OK, OPEN, TIMES, WATCH, RelativeTimeFormat

# The page of `W`: what can be done now so that all that wait start, grouped by what an operator can do from here.

FIX_FRAMED_FROM: Final = 100  # Width from which panels have frames
SHORT: Final = 3  # How many of a group are listed where all would leave no room for what follows
FOLLOWS: Final = 4  # Lines for what follows a remedy
USELESS: Final = 5  # How many of those that start nobody are named


def fix_page(answer: WhyAnswer, look: RenderContext, size: tuple[int, int], part: str) -> Page:
    """The remedies by group, and what follows the one that was tried last."""
    width, height = size
    is_framed = width >= FIX_FRAMED_FROM
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


def _how(found: RemediesReport, day: RelativeTimeFormat, note: str, width: int) -> Panel:
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
    entries: Sequence[RemedyReport], found: RemediesReport, day: RelativeTimeFormat, width: int, most: int | None
) -> list[PanelRow]:
    of_groups = [[entry for entry in entries if entry.group == group] for group in GROUPS]
    shown = [entry for group in of_groups for entry in group[:most]]
    places = [place for place, entry in enumerate(entries, 1) if entry in shown]
    head, lines = table(_columns(shown, places, found, day, is_named=width >= FIX_FRAMED_FROM - INSIDE), width)
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
    entries: Sequence[RemedyReport],
    places: Sequence[int],
    found: RemediesReport,
    day: RelativeTimeFormat,
    *,
    is_named: bool,
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


# The answer to why as one page of panels, arranged by the size of the screen; made of what `schedlab why` writes.

FRAMED_FROM: Final = 110  # Width from which panels have frames and stand beside each other
WIDE_FROM: Final = 170  # Width from which who holds what stands beside the circle
TABS: Final = (CIRCLE, REASONS, HOLDERS)  # Parts of which a narrow screen shows one at a time

_TITLES: Final = {CIRCLE: "Circle", REASONS: "Reasons", HOLDERS: "Holders"}
_NO_CIRCLE: Final = "Proof"  # What the first part is called where the answer has no circle


class WhyChoice(NamedTuple):
    """The user's view of an answer."""

    part: str = ""  # Where the cursor is
    tab: str = CIRCLE  # The part a narrow screen shows
    order: str = "soonest first"  # The order of the remedies, one of `why_remedies.ORDERS`


def parts_by_key(width: int) -> tuple[str, ...]:
    """The parts that the keys from 1 on go to."""
    return TABS if width < FRAMED_FROM else (REASONS, HOLDERS, HELPS)


def why_page(
    answer: WhyAnswer, snapshot: Snapshot | None, look: RenderContext, size: tuple[int, int], choice: WhyChoice
) -> Page:
    """All of an answer in `size` cells and lines, or more lines where it needs them.

    `snapshot` is of the instant asked about, for figures; None where there is none.
    """
    width, height = size
    if answer.subject.kind == CLUSTER:
        return fix_page(answer, look, size, choice.part)
    if answer.report is None:
        return Page([], [])
    inside = width - INSIDE if width >= FRAMED_FROM else width - 2
    if answer.place is not None:
        panel = waiters_panel(answer, inside)
        draw = framed if width >= FRAMED_FROM else ruled
        return draw(panel, width, has_focus=True)
    above = _above(answer, snapshot, look, width, choice)
    helps = remedies_panel(answer, inside, choice.order)
    after = answer.why.aftermath if answer.why is not None else None
    listed = sorted_remedies(remedies_of(answer.remedies), choice.order)
    place = place_of(listed, after.remedy) if after is not None else 0
    rest = rest_panel(answer, inside)
    lines_left = height - len(above.lines) - height_of(helps) - (height_of(rest) if rest else 0) - EDGES
    is_busy = "remedy" in answer.doing and place == 0
    follows = after_panel(after, answer.beside, place, look, (inside, lines_left), is_busy=is_busy)
    shown = [follows] if rest or after else []
    if width < FRAMED_FROM:
        below = [ruled(each, width) for each in (*shown, *([rest] if rest else []))]
        return stacked([above, ruled(helps, width, has_focus=choice.part == HELPS), *below])
    last = [framed(each, width) for each in (*shown, *([rest] if rest else []))]
    room = height - len(above.lines) - sum(len(page.lines) for page in last)
    middle = framed(_numbered(helps, 3, choice), width, room if last else 0, has_focus=choice.part == HELPS)
    return stacked([above, middle, *last])


def _numbered(panel: Panel, number: int, choice: WhyChoice) -> Panel:
    has_focus = panel.part == choice.part
    name, *facts = panel.title
    title: Fragments = [(f"{number} ", "accent" if has_focus else "faint")]
    return panel._replace(title=[*title, (name[0], "strong" if has_focus else "text"), *facts])


def _above(answer: WhyAnswer, snapshot: Snapshot | None, look: RenderContext, width: int, choice: WhyChoice) -> Page:
    if width < FRAMED_FROM:
        return _tab(answer, snapshot, look, width, choice)
    left = width * 56 // 100 if width >= WIDE_FROM else (width + 4) // 2
    right = width - left
    reasons = _numbered(reasons_panel(answer, snapshot, look, left - INSIDE), 1, choice)
    holders = _numbered(holders_panel(answer, snapshot, look, right - INSIDE), 2, choice)
    if width >= WIDE_FROM:
        circle = circle_panel(answer, snapshot, look, left - INSIDE)
        tall = max(height_of(circle) + height_of(reasons), height_of(holders))
        first = framed(circle, left, has_focus=choice.part == CIRCLE)
        rest = framed(reasons, left, tall - len(first.lines), has_focus=choice.part == REASONS)
        return beside(stacked([first, rest]), framed(holders, right, tall, has_focus=choice.part == HOLDERS), left)
    circle = circle_panel(answer, snapshot, look, width - INSIDE)
    tall = max(height_of(reasons), height_of(holders))
    pair = beside(
        framed(reasons, left, tall, has_focus=choice.part == REASONS),
        framed(holders, right, tall, has_focus=choice.part == HOLDERS),
        left,
    )
    return stacked([framed(circle, width, has_focus=choice.part == CIRCLE), pair])


def _tab(answer: WhyAnswer, snapshot: Snapshot | None, look: RenderContext, width: int, choice: WhyChoice) -> Page:
    """One of three parts below a rule that names them all; before there is a verdict the first has the reasons too."""
    make = {CIRCLE: circle_panel, REASONS: reasons_panel, HOLDERS: holders_panel}[choice.tab]
    panel = make(answer, snapshot, look, width - 2)
    if choice.tab == CIRCLE and answer.why is not None and not answer.why.verdict:
        panel = panel._replace(rows=[*panel.rows, *reasons_panel(answer, snapshot, look, width - 2).rows])
    proof = answer.why.proof if answer.why is not None else None
    has_circle = proof is not None and bool(proof.cycle)
    title: Fragments = []
    for number, part in enumerate(TABS, 1):
        title += [("   ", "text")] if title else []
        word = _TITLES[part]
        if part == CIRCLE and not has_circle:
            word = _NO_CIRCLE if answer.why is None or job_of(answer.why, snapshot) is None else "Tasks"
        title += [(f"{number} ", "faint"), (word, "strong" if part == choice.tab else "soft")]
    return ruled(panel._replace(title=title, right=""), width, has_focus=choice.part == choice.tab)


_NOT_BEGUN: Final = frozenset({"NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "WAITING"})
_BADGES: Final = {
    "starving": (WATCH, "OTHERS FIRST", "watch"),
    "later": (WATCH, "NOT WITHIN 24 H", "watch"),
    "refused": (FROZEN, "REFUSED", "alarm"),
}
"""Verdict → sign, words, the token of a filled badge."""
_QUIET: Final = {
    "waiting": "STARTS LATER",
    "none": "NOT WAITING",
    "ended": "HAS ENDED",
    "unknown": "NOT KNOWN",
    "live": "NO FORECAST",
}
"""Verdict → words without a badge."""


def head_lines(
    answer: WhyAnswer, trail: Sequence[WhySubject], look: RenderContext, width: int, *, state: str, health: Health
) -> list[Fragments]:
    """Crumbs and clock, the verdict, the proof or how far the work is.

    `state` is that of the clock: `paused`, `PAST`, `LIVE`; `health` is the verdict where all of the cluster is asked
    about.
    """
    if answer.subject.kind == CLUSTER:
        verdict = spans_of(health_line(health, look.now_ms, (), width))
    else:
        verdict = _verdict(answer, width)
    return [_crumbs(answer, trail, look, width, state), verdict, _facts(answer, look, width)]


def subject_name(subject: WhySubject) -> str:
    """Return what is asked about, as the panes have it."""
    if subject.kind == "node":
        return text.short_node(subject.key)
    return subject.key.zfill(4) if subject.kind == "application" else text.plain(subject.key)


def _crumbs(answer: WhyAnswer, trail: Sequence[WhySubject], look: RenderContext, width: int, state: str) -> Fragments:
    words = words_of(look.dimensions)
    begin = {"queue": "queue", "node": words.node}.get((trail[0] if trail else answer.subject).kind, words.application)
    names = [f"{begin.capitalize()}s", *(subject_name(each) for each in (*trail, answer.subject))]
    left: Fragments = [(f" {f' {CRUMB} '.join(names)} {CRUMB} ", "soft"), ("why", "strong")]
    if answer.subject.kind == CLUSTER:
        left = [(f" Cluster {CRUMB} ", "soft"), ("what to do now", "strong")]
    clock = text.clock(answer.time_ms, look.offset_ms)
    day = f"{clock[:3]} {text.date(answer.time_ms, look.offset_ms)}" if width >= 100 else clock[:3]
    right: Fragments = [(f"{state}  ", "watch"), (f"{day} ", "soft"), (f"{clock[4:]} ", "strong")]
    return _ends(left, right, width)


def _ends(left: Fragments, right: Fragments, width: int) -> Fragments:
    left = crop(left, max(0, width - length(right) - 2), "…")
    return [*left, (" " * max(1, width - length(left) - length(right)), "text"), *right]


def _verdict(answer: WhyAnswer, width: int) -> Fragments:
    why, place = answer.why, answer.place
    if place is not None:
        where = "in this queue" if answer.subject.kind == "queue" else "for this node"
        return [(f" {text.plural(len(place.waiting), 'application')} waiting {where}", "strong")]
    if why is None:
        return [(" …", "soft")]
    if not why.application.is_known:
        return [(f" {why.application.id} is not known at this instant", "strong")]
    if not why.verdict or (why.verdict == LIVE and answer.doing and not answer.forecast):
        words = "not known" if answer.failure else "not known yet: still simulating ahead"
        return [(" … ", "soft"), (f"{_who(why)} ", "strong"), (words, "soft")]
    sign, words, token = (OK, "FORECAST", "") if answer.forecast else _badge(why)
    badge = f" {sign} {words} "
    spans: Fragments = [(" ", "text")]
    spans += [(badge, f"bold onbadge on {token}")] if token else [(f"{sign} ", "good"), (words, "strong")]
    sentence = next(
        (each for each in sentences(answer) if length(spans) + length([(each, "")]) + 1 <= width), sentences(answer)[-1]
    )
    return crop([*spans, (f" {sentence}", "strong")], width, "…")


def _badge(why: WhyReport) -> tuple[str, str, str]:
    verdict = why.verdict
    if verdict in NEVER:
        words = "NEVER STARTS" if why.application.state in _NOT_BEGUN else "NEVER SERVED"
        return FROZEN, words, "alarm"
    if verdict == "waiting" and why.application.state not in _NOT_BEGUN:
        return OK, "SERVED LATER", ""
    return _BADGES.get(verdict) or (OK, _QUIET.get(verdict, verdict.upper()), "")


def _who(why: WhyReport) -> str:
    application = why.application
    return f"{text.short_id(application.id)} {text.plain(application.name or '')}"


def sentences(answer: WhyAnswer) -> list[str]:
    """The verdict in a sentence, the longest form first."""
    why = answer.why
    if why is None:
        return [""]
    number, who = text.short_id(why.application.id), _who(why)
    if answer.forecast:
        return [f"{who}: {answer.forecast}", f"{number}: {answer.forecast}", answer.forecast]
    cycle = why.proof.cycle if why.proof else ()
    if why.verdict == "deadlocked" and cycle:
        first = text.short_id(cycle[0].application)
        if number in {text.short_id(step.application) for step in cycle}:
            step = next(each for each in cycle if text.short_id(each.application) == number)
            other = text.short_id(step.waits_for)
            back = f"{other} waits for it" if len(cycle) == 2 else f"so round to {number}"
            return [
                *(f"{one} waits for {other}, and {back}, for ever" for one in (who, number)),
                f"{number} waits for {other}, for ever",
            ]
        return [
            f"{who} waits for {first}, and {first} waits for ever",
            f"{number} waits for {first}, which waits for ever",
        ]
    words = verdict_words(msgspec.structs.replace(why, pattern=""), answer.beside).removeprefix("waiting: ")
    return [f"{who}: {words}", f"{number}: {words}", words]


def _facts(answer: WhyAnswer, look: RenderContext, width: int) -> Fragments:
    left: Fragments = [(f" {_waits(answer, look)}", "soft")]
    right = proof_words(answer, look)
    if length(left) + length(right) + 3 > width:
        if answer.subject.kind == CLUSTER and not answer.failure:
            return crop(left, width, "…")
        left = [(" ", "text")]
        return [*left, *crop(right, width - 2, "…")]
    return _ends(left, [*right, (" ", "text")], width)


def _waits(answer: WhyAnswer, look: RenderContext) -> str:
    if answer.subject.kind == CLUSTER:
        return plan_words(answer)
    if answer.why is None or not answer.why.application.is_known:
        return ""
    application = answer.why.application
    where = "" if words_of(look.dimensions) is SPARK else f" in {text.plain(application.queue or '')}"
    words = f"{application.state}{where}"
    if application.since_ms is not None:
        words += f", waits since {answer.beside.clock(application.since_ms)}"
    asks = [f"{ask.count} {TIMES} {text.amounts(tuple(ask.size), look.dimensions)}" for ask in application.listed_asks]
    return f"{words} {DOT} asks {', '.join(asks[:2])}{' …' if len(asks) > 2 else ''}" if asks else words


def proof_words(answer: WhyAnswer, look: RenderContext) -> Fragments:
    """Return what is being worked on, why it failed, or the proof in a few words."""
    if answer.failure:
        return [(f"it could not be answered: {text.plain(answer.failure)}", "watch")]
    if answer.doing:
        reached_ms = answer.reached_ms
        reached = "" if reached_ms is None else f" {text.near_clock(reached_ms, answer.time_ms, look.offset_ms)}"
        return [(f"{answer.doing} …{reached}", "accent")]
    if answer.plan is not None and answer.plan.never:
        return [("proof  ", "faint"), ("simulated with no new submissions: none of them starts", "soft")]
    proof = answer.why.proof if answer.why is not None else None
    if proof is None:
        return []
    given = text.plural(proof.allocations, "allocation") if proof.allocations else "no allocation"
    return [("proof  ", "faint"), (f"simulated with no new submissions: {given}", "soft")]
