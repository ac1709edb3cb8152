"""The answer to why as a page, and the lines over it: the way here, the verdict, the proof, the circle."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from engine.explain.alert import BADGES
from engine.explain.answer import WhyReport
from engine.explain.verdict import NEVER
from engine.live.live_why import LIVE
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import LIVE_STATES, SPARK, terms_for
from tui.pages import why_parts
from tui.pages.circle import circle_line, parts_of
from tui.pages.fix import SearchProgress, fix_page, plan_words, proof_of_header
from tui.pages.remedy_table import HELPS
from tui.pages.verdict_text import verdict_words
from tui.pages.why import EDGES, INSIDE, Page, Panel, after_panel, beside, framed, height_of, job_of, ruled, stacked
from tui.panes.application_brief import is_waiting_longer
from tui.panes.fragments import Fragments, RenderContext, cell_width, crop
from tui.panes.frame import spans_of
from tui.panes.header import CALM, Health, health_line
from tui.protocol.picture import CLUSTER, WhyAnswer, WhySubject
from tui.terminal import format as text
from tui.terminal.format import CRUMB, DOT, FROZEN, OK, TIMES, WATCH

# The answer to why as one page of panels, arranged by the size of the screen; made of what `schedlab why` writes.

FRAMED_FROM: Final = 110  # Width from which panels have frames and stand beside each other
WIDE_FROM: Final = 170  # Width from which the holders stand beside the circle
TABS: Final = (
    why_parts.CIRCLE,
    why_parts.REASONS,
    why_parts.HOLDERS,
)  # Parts of which a narrow screen shows one at a time

_TITLES: Final = {why_parts.CIRCLE: "Circle", why_parts.REASONS: "Reasons", why_parts.HOLDERS: "Holders"}
_NO_CIRCLE: Final = "Proof"  # What the first part is called where the answer has no circle


class WhyChoice(NamedTuple):
    part: str = ""  # Where the cursor is
    tab: str = why_parts.CIRCLE  # The part a narrow screen shows
    search: SearchProgress = SearchProgress()


def parts_by_key(width: int) -> tuple[str, ...]:
    return (HELPS, *TABS) if width < FRAMED_FROM else (HELPS, why_parts.HOLDERS, why_parts.REASONS)


def why_page(
    answer: WhyAnswer,
    snapshot: Snapshot | None,
    look: RenderContext,
    size: tuple[int, int],
    choice: WhyChoice,
    health: Health = CALM,
) -> Page:
    """All of an answer in `size` cells and lines, or more lines where it needs them; what would help comes first."""
    width, height = size
    if answer.subject.kind == CLUSTER:
        return fix_page(answer, snapshot, look, size, choice.part, choice.search)
    if answer.report is None:
        return Page([], [])
    is_framed = width >= FRAMED_FROM
    inside = width - INSIDE if is_framed else width - 2
    draw = framed if is_framed else ruled
    if answer.place is not None:
        return draw(why_parts.waiters_panel(answer, inside), width, has_focus=True)
    below = _below(answer, snapshot, look, width, choice, health)
    rest = why_parts.rest_panel(answer, inside)
    helps = _numbered(
        why_parts.remedies_panel(answer, snapshot, look, inside, is_open=bool(choice.search.is_open)), 1, choice
    )
    first = draw(helps, width, has_focus=choice.part == HELPS)
    after = answer.impact
    lines_left = height - len(first.lines) - len(below.lines) - (height_of(rest) if rest else 0) - EDGES
    is_busy = "remedy" in answer.doing and after is None
    number = after.number if after is not None else 0
    follows = after_panel(after, answer.beside, number, look, (inside, lines_left), is_busy=is_busy)
    has_list = answer.remedies is not None and bool(answer.remedies.remedies)
    last = [follows] if has_list or after else []
    return stacked([first, below, *(draw(each, width) for each in (*last, *([rest] if rest else [])))])


def _numbered(panel: Panel, number: int, choice: WhyChoice) -> Panel:
    has_focus = panel.part == choice.part
    name, *facts = panel.title
    title: Fragments = [(f"{number} ", "accent" if has_focus else "faint")]
    return panel._replace(title=[*title, (name[0], "strong" if has_focus else "text"), *facts])


def _below(
    answer: WhyAnswer, snapshot: Snapshot | None, look: RenderContext, width: int, choice: WhyChoice, health: Health
) -> Page:
    if width < FRAMED_FROM:
        return _tab(answer, snapshot, look, width, choice, health)
    left = width // 2
    right = width - left
    holders = _numbered(why_parts.holders_panel(answer, snapshot, look, left - INSIDE), 2, choice)
    reasons = _numbered(why_parts.reasons_panel(answer, snapshot, look, right - INSIDE), 3, choice)
    circle = None
    if width >= WIDE_FROM or not _circle_words(answer, snapshot, width):
        circle = why_parts.circle_panel(answer, snapshot, right - INSIDE, health)
    tall = max(height_of(holders), height_of(reasons) + (height_of(circle) if circle is not None else 0))
    first = [framed(circle, right, has_focus=choice.part == why_parts.CIRCLE)] if circle is not None else []
    rest = tall - sum(len(page.lines) for page in first)
    second = framed(reasons, right, rest, has_focus=choice.part == why_parts.REASONS)
    return beside(
        framed(holders, left, tall, has_focus=choice.part == why_parts.HOLDERS), stacked([*first, second]), left
    )


def _circle_words(answer: WhyAnswer, snapshot: Snapshot | None, width: int) -> Fragments:
    steps = why_parts.steps_of(answer, snapshot)
    return circle_line(parts_of(steps, answer.names, snapshot), width - 2) if steps else []


def _tab(
    answer: WhyAnswer, snapshot: Snapshot | None, look: RenderContext, width: int, choice: WhyChoice, health: Health
) -> Page:
    if choice.tab == why_parts.CIRCLE:
        panel = why_parts.circle_panel(answer, snapshot, width - 2, health)
    else:
        make = {why_parts.REASONS: why_parts.reasons_panel, why_parts.HOLDERS: why_parts.holders_panel}[choice.tab]
        panel = make(answer, snapshot, look, width - 2)
    if choice.tab == why_parts.CIRCLE and answer.why is not None and not answer.why.verdict:
        panel = panel._replace(rows=[*panel.rows, *why_parts.reasons_panel(answer, snapshot, look, width - 2).rows])
    has_circle = bool(why_parts.steps_of(answer, snapshot))
    title: Fragments = []
    for number, part in enumerate(TABS, 2):
        title += [("   ", "text")] if title else []
        word = _TITLES[part]
        if part == why_parts.CIRCLE and not has_circle:
            word = _NO_CIRCLE if answer.why is None or job_of(answer.why, snapshot) is None else "Tasks"
        title += [(f"{number} ", "faint"), (word, "strong" if part == choice.tab else "soft")]
    return ruled(panel._replace(title=title, right=""), width, has_focus=choice.part == choice.tab)


_NOT_BEGUN: Final = LIVE_STATES - {"RUNNING"}
_BADGES: Final = {
    "starving": (WATCH, "OTHERS FIRST", "watch"),
    "later": (WATCH, "NOT WITHIN 24 H", "watch"),
    "refused": (FROZEN, "REFUSED", "alarm"),
}  # Verdict → sign, words, the token of a filled badge
_QUIET: Final = {
    "waiting": "STARTS LATER",
    "none": "NOT WAITING",
    "ended": "HAS ENDED",
    "unknown": "NOT KNOWN",
    "live": "NO FORECAST",
}  # Verdict → words without a badge


def head_lines(
    answer: WhyAnswer,
    trail: Sequence[WhySubject],
    look: RenderContext,
    width: int,
    *,
    state: str,
    health: Health,
    snapshot: Snapshot | None = None,
    keys: Sequence[tuple[str, str, str]] = (),
) -> list[Fragments]:
    """Crumbs and clock, the verdict with the best remedy, the proof or how far the work is, the circle.

    `state` is that of the clock: `paused`, `PAST`, `LIVE`; `keys` are those of the best remedy: (key, word, action).
    """
    if answer.subject.kind == CLUSTER:
        verdict = spans_of(health_line(health, look.now_ms, keys, width))
    else:
        shown = keys if width >= FRAMED_FROM else keys[:1]
        pairs = ([(f"   {key}", "bold accent"), (f" {words}", "soft")] for key, words, _ in shown)
        right: Fragments = [span for pair in pairs for span in pair]
        verdict = _verdict(answer, look, width - cell_width(right) - 1, health)
        verdict = _ends(verdict, right, width - 1) if right else verdict
    circle = _circle_words(answer, snapshot, width) if width < WIDE_FROM else []
    facts = _facts(answer, look, width, health)
    return [_crumbs(answer, trail, look, width, state), verdict, facts, [(" ", "text"), *circle]]


def _subject_name(subject: WhySubject) -> str:
    if subject.kind == "node":
        return text.short_node(subject.key)
    return text.short_number(int(subject.key)) if subject.kind == "application" else text.plain(subject.key)


def _crumbs(answer: WhyAnswer, trail: Sequence[WhySubject], look: RenderContext, width: int, state: str) -> Fragments:
    words = look.terms
    begin = {"queue": words.queue, "node": words.node}.get(
        (trail[0] if trail else answer.subject).kind, words.application
    )
    names = [f"{begin.capitalize()}s", *(_subject_name(each) for each in (*trail, answer.subject))]
    left: Fragments = [(f" {f' {CRUMB} '.join(names)} {CRUMB} ", "soft"), ("why", "strong")]
    if answer.subject.kind == CLUSTER:
        left = [(f" Cluster {CRUMB} ", "soft"), ("what to do now", "strong")]
    clock = text.clock(answer.time_ms, look.offset_ms)
    day = f"{clock[:3]} {text.date(answer.time_ms, look.offset_ms)}" if width >= 100 else clock[:3]
    right: Fragments = [(f"{state}  ", "watch"), (f"{day} ", "soft"), (f"{clock[4:]} ", "strong")]
    return _ends(left, right, width)


def _ends(left: Fragments, right: Fragments, width: int) -> Fragments:
    left = crop(left, max(0, width - cell_width(right) - 2), "…")
    return [*left, (" " * max(1, width - cell_width(left) - cell_width(right)), "text"), *right]


def _verdict(answer: WhyAnswer, look: RenderContext, width: int, health: Health) -> Fragments:
    why, place = answer.why, answer.place
    if place is not None:
        where = f"for this {terms_for(look.dimensions).node}" if answer.subject.kind == "node" else "here"
        waiting = text.plural(len(place.waiting), terms_for(look.dimensions).application)
        return [(f" {waiting} waiting {where}", "strong")]
    if why is None:
        return [(" …", "soft")]
    if not why.application.is_known:
        return [(f" {why.application.id} is not known at this instant", "strong")]
    if not why.verdict and is_frozen(answer, health):
        proven: Fragments = [(" ", "text"), (f" {FROZEN} {_never_words(why)} ", "bold onbadge on alarm")]
        words = f" {_who(why)} waits; nothing is allocated any more"
        return crop([*proven, (words, "strong")], width, "…")
    if not why.verdict or (why.verdict == LIVE and answer.doing and not answer.forecast):
        words = "not known" if answer.failure else "not known yet: still simulating ahead"
        return [(" … ", "soft"), (f"{_who(why)} ", "strong"), (words, "soft")]
    sign, words, token = (OK, "FORECAST", "") if answer.forecast else _badge(why)
    badge = f" {sign} {words} "
    spans: Fragments = [(" ", "text")]
    spans += [(badge, f"bold onbadge on {token}")] if token else [(f"{sign} ", "good"), (words, "strong")]
    sentence = next(
        (each for each in sentences(answer) if cell_width(spans) + cell_width([(each, "")]) + 1 <= width),
        sentences(answer)[-1],
    )
    return crop([*spans, (f" {sentence}", "strong")], width, "…")


def _never_words(why: WhyReport) -> str:
    return "NEVER STARTS" if why.application.state in _NOT_BEGUN else "NEVER SERVED"


def is_frozen(answer: WhyAnswer, health: Health) -> bool:
    """Tell whether the header's proof holds for the application asked about: it waits, and nothing is allocated."""
    why = answer.why
    return health.word == BADGES["frozen"].word and why is not None and why.application.since_ms is not None


def _badge(why: WhyReport) -> tuple[str, str, str]:
    verdict = why.verdict
    if verdict in NEVER:
        return FROZEN, _never_words(why), "alarm"
    if verdict == "waiting" and why.application.state not in _NOT_BEGUN:
        return OK, "SERVED LATER", ""
    return _BADGES.get(verdict) or (OK, _QUIET.get(verdict, verdict.upper()), "")


def _who(why: WhyReport) -> str:
    application = why.application
    return f"{text.short_id(application.id)} {text.plain(application.name or '')}".rstrip()


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


def _facts(answer: WhyAnswer, look: RenderContext, width: int, health: Health) -> Fragments:
    left: Fragments = [(f" {_waits(answer, look)}", "soft")]
    right = _proof_words(answer, look, health)
    if cell_width(left) + cell_width(right) + 3 > width:
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
    where = "" if terms_for(look.dimensions) is SPARK else f" in {text.plain(application.queue or '')}"
    words = f"{application.state}{where}"
    if application.since_ms is not None:
        earlier = " or earlier" if is_waiting_longer(application.state, application.since_ms, look) else ""
        words += f", waits since {answer.beside.clock(application.since_ms)}{earlier}"
    asked = application.listed_asks if application.state in LIVE_STATES else ()
    asks = [f"{ask.count} {TIMES} {text.amounts(tuple(ask.size), look.dimensions)}" for ask in asked]
    return f"{words} {DOT} asks {', '.join(asks[:2])}{' …' if len(asks) > 2 else ''}" if asks else words


IN_LOG: Final = " while all nodes are reserved"  # What a log shows is no proof of what comes after it


def _proof_words(answer: WhyAnswer, look: RenderContext, health: Health) -> Fragments:
    if answer.failure:
        return [(f"it could not be answered: {text.plain(answer.failure)}", "watch")]
    is_header = answer.subject.kind == CLUSTER or is_frozen(answer, health)
    if is_header and (proven := proof_of_header(health, answer.beside)):
        told = answer.why or answer.place
        return [*proven] if told is None or not told.is_live else [("log  ", "faint"), (proven[1][0] + IN_LOG, "soft")]
    if answer.doing:
        reached_ms = answer.reached_ms
        reached = "" if reached_ms is None else f" {text.near_clock(reached_ms, answer.time_ms, look.offset_ms)}"
        return [(f"{answer.doing} …{reached}", "accent")]
    if answer.plan is not None and answer.plan.never and answer.plan.targets:
        return [("proof  ", "faint"), ("simulated with no new submissions: none of them starts", "soft")]
    proof = answer.why.proof if answer.why is not None else None
    if proof is None:
        return []
    given = text.plural(proof.allocations, "allocation") if proof.allocations else "no allocation"
    return [("proof  ", "faint"), (f"simulated with no new submissions: {given}", "soft")]
