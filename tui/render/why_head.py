"""The three lines over an answer: what was asked on the way here, the verdict in a sentence, and the proof."""

from collections.abc import Sequence
from typing import Final

import msgspec

from engine.explain.report import WhyReport
from engine.live.live_why import LIVE
from engine.observe.system_words import SPARK, words_of
from tui import format as text
from tui.answers import CLUSTER, WhyAnswer, WhySubject
from tui.glyphs import CRUMB, DOT, FROZEN, OK, TIMES, WATCH
from tui.render.fix import plan_words
from tui.render.header import health_line, spans_of
from tui.render.health import Health
from tui.render.line import Look, Spans, crop, length
from tui.render.verdict_text import NEVER, verdict_words

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
    answer: WhyAnswer, trail: Sequence[WhySubject], look: Look, width: int, *, state: str, health: Health
) -> list[Spans]:
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


def _crumbs(answer: WhyAnswer, trail: Sequence[WhySubject], look: Look, width: int, state: str) -> Spans:
    words = words_of(look.dimensions)
    begin = {"queue": "queue", "node": words.node}.get((trail[0] if trail else answer.subject).kind, words.application)
    names = [f"{begin.capitalize()}s", *(subject_name(each) for each in (*trail, answer.subject))]
    left: Spans = [(f" {f' {CRUMB} '.join(names)} {CRUMB} ", "soft"), ("why", "strong")]
    if answer.subject.kind == CLUSTER:
        left = [(f" Cluster {CRUMB} ", "soft"), ("what to do now", "strong")]
    clock = text.clock(answer.time_ms, look.offset_ms)
    day = f"{clock[:3]} {text.date(answer.time_ms, look.offset_ms)}" if width >= 100 else clock[:3]
    right: Spans = [(f"{state}  ", "watch"), (f"{day} ", "soft"), (f"{clock[4:]} ", "strong")]
    return _ends(left, right, width)


def _ends(left: Spans, right: Spans, width: int) -> Spans:
    left = crop(left, max(0, width - length(right) - 2), "…")
    return [*left, (" " * max(1, width - length(left) - length(right)), "text"), *right]


def _verdict(answer: WhyAnswer, width: int) -> Spans:
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
    spans: Spans = [(" ", "text")]
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


def _facts(answer: WhyAnswer, look: Look, width: int) -> Spans:
    left: Spans = [(f" {_waits(answer, look)}", "soft")]
    right = proof_words(answer, look)
    if length(left) + length(right) + 3 > width:
        if answer.subject.kind == CLUSTER and not answer.failure:
            return crop(left, width, "…")
        left = [(" ", "text")]
        return [*left, *crop(right, width - 2, "…")]
    return _ends(left, [*right, (" ", "text")], width)


def _waits(answer: WhyAnswer, look: Look) -> str:
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


def proof_words(answer: WhyAnswer, look: Look) -> Spans:
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
