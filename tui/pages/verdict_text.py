"""The answers of `schedlab why` as lines of text, made of the same report that `-o json` writes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from engine.explain.answer import (
    END_UNKNOWN,
    NEVER_ENDS,
    AskReport,
    HolderReport,
    LastChanceReport,
    PlaceReport,
    ProofReport,
    RescueReport,
    SearchReport,
    WaiterReport,
    WhyReport,
)
from engine.explain.instant import WaitInterval
from engine.explain.obstacles import ObstacleRow
from engine.explain.remedy import exact_amounts, remedy_sentence
from engine.grouping import grouped
from engine.observe.snapshot import UNKNOWN
from engine.observe.snapshots import MAPREDUCE_1, YARN, SystemTerms, terms_for
from tui.pages.remedy_text import remedy_lines
from tui.panes.sensitivity_text import if_so, sensitivity_lines
from tui.panes.waits import SLOWEST, service_words
from tui.terminal import format as text
from tui.terminal.format import RelativeTimeFormat

BEHIND: Final = "behind"  # `blocked` by one that holds nothing that is needed

VERDICTS: Final = {
    "": "not found in this time",
    "unknown": "it is not known there",
    "waiting": "waiting: {it} {starts} at {start} if nothing else comes",
    "later": "waiting: {it} {starts_not} within 24 h; later was not looked at",
    "starving": "starving: others are served first again and again",
    "deadlocked": "deadlocked: it waits for applications that wait for each other, and nothing will be allocated",
    "blocked": "blocked: {holder} never release{s} what it needs",
    BEHIND: "blocked: {holder} come{s} first and wait{s} for ever",
    "impossible": "impossible: even alone in the cluster it would not be given what it asks for",
    "outage": "never: nothing is allocated to it until an operator acts",
    "none": "not waiting",
    "ended": "it has ended",
    "refused": "it was refused",
    "live": "waiting; no forecast for a live or recorded cluster",
}


_ENDS: Final = {"FAILED": "it failed", "KILLED": "it was killed"}  # Ended state → verdict, where not well


def why_lines(answer: WhyReport, day: RelativeTimeFormat) -> list[str]:
    """The answer about an application as the command prints it: a label of ten cells, then words."""
    application = answer.application
    user = f" ({application.user})" if application.user else ""
    who = f"{application.id} {application.name or ''}".strip() + user
    lines = [
        f"{who} at {day.instant(answer.at_ms)}",
        f"state     {application.state or '?'}{_where(answer)}{_since(application.since_ms, answer, day, 'waiting ')}",
        f"verdict   {verdict_words(answer, day)}",
    ]
    if answer.looked_until_ms is not None:
        until = day.instant(answer.looked_until_ms)
        lines.append(f"          looked until {until} only; a larger --budget looks further")
    lines += [f"          {application.diagnostics}"] if application.diagnostics else []
    lines += [f"asks      {ask}" for ask in _asks(answer, day)]
    lines += _reasons(answer.reasons, is_live=answer.is_live)
    lines += [f"          {deciding_words(answer.deciding)}; a larger --budget tries more"] if answer.deciding else []
    request = answer.request
    if request is not None:
        lines.append(f"request   that of priority {request.priority} alone:")
        lines += _reasons(request.reasons)
    lines += _holders(answer, day)
    lines += _proof(answer, day)
    lines += [f"          not counted: {words}" for words in not_counted(answer, day)]
    lines += _way_back(answer.point_of_no_return, day)
    lines += sensitivity_lines(answer.assumed, day)
    lines += [] if answer.would_help is None else remedy_lines(answer.would_help, day)
    return lines


def _where(answer: WhyReport) -> str:
    return f" in {answer.application.queue or '?'}" if terms_for(answer.dimensions).has_queues else ""


def deciding_words(found: SearchReport) -> str:
    """How far values that decide were looked for, where there was no time for all."""
    count = f"{found.tried} of {found.of}" if found.of else "none of the"
    return f"{count} settings that may decide it were tried"


def longest_wait_words(wait: WaitInterval, words_of: Callable[[int], str]) -> str:
    """That an answer is about the middle of a wait; `words_of` writes its ends [epoch ms]."""
    begin, end = map(words_of, wait)
    waited = text.duration(wait.until_ms - wait.from_ms)
    return f"this is the middle of its longest wait: {waited}, from {begin} to {end}"


def not_counted(answer: WhyReport, day: RelativeTimeFormat) -> list[str]:
    """Return what is known to come and left out of the closed world."""
    return [f"{each.node.rpartition(':')[0]} returns at {day.instant(each.returns_ms)}" for each in answer.not_counted]


EARLIER: Final = "earlier"  # Number of those before it in a list, in a reason's numbers and in its sentence
TOLD_APART: Final = 20  # So many are told apart where they differ only in their place in a list
ALIKE_NAMED: Final = 10  # Number of those with the same reasons that are named


def place_lines(answer: PlaceReport, day: RelativeTimeFormat, terms: SystemTerms = YARN) -> list[str]:
    """Who waits at a place, with the same reasons together; of many also those that differ in place and start."""
    waiting = text.plural(len(answer.waiting), terms.application)
    queue, node = answer.queue, answer.node
    what = f"{terms.queue} {queue}" if queue else f"{terms.node} {node}" if node else "cluster"
    lines = [f"{what} at {day.instant(answer.at_ms)}: {waiting} waiting"]
    are_many = len(answer.waiting) > TOLD_APART
    groups = grouped((_likeness(waiter, day, are_many=are_many), waiter) for waiter in answer.waiting)
    for alike in groups.values():
        first, *others = alike
        since = _since(first.waiting_since_ms, answer, day)
        asked = f"{first.pending} asked for" if first.pending is not UNKNOWN else _unknown(first)
        lines.append(f"{' '.join(filter(None, (_short(first.application), first.name)))}: {asked}{since}")
        lines += [f"  {each}" for each in _because(alike)]
        lines += [f"  {verdict_words(first, day)}"] if first.verdict else []
        lines += [_alike(others, day)] if others else []
    return lines


def _likeness(waiter: WaiterReport, day: RelativeTimeFormat, *, are_many: bool) -> tuple[str, ...]:
    because = [
        reason.subject if are_many and EARLIER in reason.numbers else reason.sentence for reason in waiter.reasons
    ]
    if are_many and isinstance(waiter.expected_start_ms, int):
        waiter = msgspec.structs.replace(waiter, expected_start_ms=0)
    return (*because, verdict_words(waiter, day) if waiter.verdict else "")


def _because(alike: Sequence[WaiterReport]) -> Iterator[str]:
    """The reasons why all of a group wait; how many are before each of them in a list differs."""
    for reasons in zip(*(waiter.reasons for waiter in alike), strict=True):
        ordered = sorted(reasons, key=_earlier)
        last = ordered[-1]
        number, most = _earlier(ordered[0]), _earlier(last)
        yield last.sentence.replace(f"{most} {EARLIER}", f"{number} to {most} {EARLIER}", 1 if number < most else 0)


def _earlier(reason: ObstacleRow) -> int:
    return reason.numbers.get(EARLIER, 0)


def _unknown(waiter: WaiterReport) -> str:
    return "what it asks for is unknown" if terms_for(waiter.dimensions).has_queues else "it takes cores of any worker"


def _alike(others: Sequence[WaiterReport], day: RelativeTimeFormat) -> str:
    starts = {each.expected_start_ms for each in others if isinstance(each.expected_start_ms, int)}
    when = f", which start from {day.instant(min(starts))} to {day.instant(max(starts))}" if len(starts) > 1 else ""
    names = ", ".join(_short(each.application) for each in others[:ALIKE_NAMED])
    more = f" and {len(others) - ALIKE_NAMED} more" if len(others) > ALIKE_NAMED else ""
    return f"  the same for {text.plural(len(others), 'other')}{when}: {names}{more}"


def verdict_words(answer: WhyReport | WaiterReport, day: RelativeTimeFormat) -> str:
    """The verdict in a sentence, with when it starts and the pattern's name."""
    verdict = answer.verdict or ""
    start = answer.expected_start_ms if isinstance(answer.expected_start_ms, int) else None
    proof = answer.proof if isinstance(answer.proof, ProofReport) else None
    when = day.instant(start) if start is not None else "?"
    waits_for = _waits_for(answer)
    sentence = VERDICTS.get(BEHIND if _is_behind(answer) else verdict, verdict).format(
        **waits_for, start=when, holder=_keepers(proof), s="" if proof is not None and len(proof.for_ever) > 1 else "s"
    )
    if verdict == "ended" and isinstance(answer, WhyReport):
        sentence = _ENDS.get(answer.application.state or "", sentence)
        over_ms = answer.application.finished_ms
        sentence += f" at {day.instant(over_ms)}" if over_ms is not None else ""
    if verdict == "none" and proof is not None:
        sentence = "it withdraws what it still asks for"
        if proof.over_ms is not None:
            ends, how = ("fails", "") if proof.fails else ("ends", " by itself")
            sentence = f"it {ends} at {day.instant(proof.over_ms)}{how}, without what it still asks for"
    if verdict == "starving":
        is_never = proof is not None and proof.still
        never = waits_for["never"] if is_never else f"{waits_for['starts_not']} within 24 h"
        sentence += (
            f"; {waits_for['it']} {waits_for['starts']} at {when} if nothing else comes"
            if start is not None
            else f"; {waits_for['it']} {never}"
        )
    assumed = if_so(answer.assumed) if isinstance(answer, WhyReport) else ""
    return f"{assumed}{sentence} [{answer.pattern}]" if answer.pattern else f"{assumed}{sentence}"


def _waits_for(answer: WhyReport | WaiterReport) -> Mapping[str, str]:
    runs = (answer.application if isinstance(answer, WhyReport) else answer).state == "RUNNING"
    it = SLOWEST if runs and answer.has_sooner_ask else "it"
    return {**service_words(terms_for(answer.dimensions).container if runs else ""), "it": it}


def _is_behind(answer: WhyReport | WaiterReport) -> bool:
    holders = answer.holders if isinstance(answer, WhyReport) and answer.verdict == "blocked" else ()
    return bool(holders) and all(each.holds_nothing for each in holders)


def _keepers(proof: ProofReport | None) -> str:
    if proof is None or not proof.for_ever:
        return "its holder"
    others = len(proof.for_ever) - 1
    more = f" and {text.plural(others, 'other')}" if others else ""
    return f"{_short(proof.for_ever[0])}{more}"


def _since(since_ms: int | None, answer: WhyReport | PlaceReport, day: RelativeTimeFormat, waiting: str = "") -> str:
    if since_ms is None:
        return ""
    is_first = answer.is_live and since_ms == answer.at_ms  # as it was first looked at
    return f", {waiting}since {day.instant(since_ms)}{' or earlier' if is_first else ''}"


def _asks(answer: WhyReport, day: RelativeTimeFormat) -> list[str]:
    asks, dimensions = answer.application.listed_asks, answer.dimensions
    return [
        f"{ask.count} x {exact_amounts(ask.size, dimensions, ', ')}"
        f"{f' at priority {ask.priority}' if terms_for(dimensions).ranks_asks else ''}{_places(ask)}"
        f"{ask_words(ask, day) if len(asks) > 1 else ''}"
        for ask in asks
    ]


def ask_words(ask: AskReport, day: RelativeTimeFormat) -> str:
    """Return what becomes of one ask of several; empty while that is not known. A start on another day has its date."""
    if not ask.verdict:
        return ""
    start_ms = ask.expected_start_ms
    return f": starts at {day.instant(start_ms)}" if start_ms is not None else f": {_NO_START[ask.verdict]}"


_NO_START: Final = {
    "later": "not within 24 h",
    "starving": "others are served first again and again",
    "deadlocked": "deadlocked",
    "blocked": "blocked",
    "impossible": "impossible",
    "outage": "never",
    "none": "the application ends without it, or withdraws it",
}  # Verdict on an ask → what is said of one that does not start


def _places(ask: AskReport) -> str:
    if not ask.places:
        return ""
    named = ", ".join(ask.places[:4]) + (" ..." if len(ask.places) > 4 else "")
    return f" {'near' if ask.relax_locality else 'only on'} {named}"


def _reasons(reasons: Sequence[ObstacleRow], *, is_live: bool = False) -> list[str]:
    sentences = dict.fromkeys(
        reason.sentence + _setting(reason) + sure_words(reason, is_live=is_live) for reason in reasons
    )
    return [f"{'because' if place == 0 else 'and':9} {each}" for place, each in enumerate(sentences)]


def sure_words(reason: ObstacleRow, *, is_live: bool) -> str:
    """Return how sure a reason is; a simulation knows all it says, so that only a doubt is said there."""
    return f" ({reason.certainty})" if is_live or reason.certainty != "known" else ""


def _setting(reason: ObstacleRow) -> str:
    return f"  ({words})" if (words := decider_words(reason)) else ""


def decider_words(reason: ObstacleRow) -> str:
    """The setting that decides a reason with its value, or those that decide together; empty when none does."""
    deciders = reason.together if reason.decided_by is None else (reason.decided_by,)
    return " and ".join(f"{each.key} = {each.value or '?'}" for each in deciders)


HOLDERS_NAMED: Final = 20  # Holders that are named; of more their number is told

_UNTIL: Final = {NEVER_ENDS: "for ever", END_UNKNOWN: "for how long is not known"}


def _holders(answer: WhyReport, day: RelativeTimeFormat) -> list[str]:
    lines = []
    for place, holder in enumerate(answer.holders):
        held = []
        if holder.container_count:
            held.append(_containers(holder, answer.dimensions))
        if holder.reservations:
            held.append(f"{text.plural(len(holder.reservations), terms_for(answer.dimensions).node)} reserved")
        until_ms = holder.until_ms
        held += ["comes first"] if holder.holds_nothing else []
        until = _UNTIL.get(until_ms, "until later") if isinstance(until_ms, str) else f"until {day.instant(until_ms)}"
        waits = ", waits itself" if holder.waits else ""
        who = f"{_short(holder.application)} {holder.name}"
        lines.append(f"{'held by' if place == 0 else '':9} {who}: {' and '.join(held)} {until}{waits}")
    more = len(answer.holders) - HOLDERS_NAMED
    return [*lines[:HOLDERS_NAMED], f"          and {text.plural(more, 'other')}"] if more > 0 else lines


def _containers(holder: HolderReport, dimensions: Sequence[str]) -> str:
    words = terms_for(dimensions)
    amounts = (holder.memory_mb, holder.vcores)[: 2 if words is MAPREDUCE_1 else 1]
    drivers = sum(each.startswith("driver-") for each in holder.containers)
    counts = ((holder.container_count - drivers, words.container), (drivers, "driver"))
    held = " and ".join(text.plural(count, word) for count, word in counts if count)
    return f"{held}, {exact_amounts(amounts, dimensions, ', ')}"


def _proof(answer: WhyReport, day: RelativeTimeFormat) -> list[str]:
    proof = answer.proof
    if proof is None:
        return []
    lines = [f"proof     {looked_words(proof, day)}"]
    for step in proof.cycle:
        waits = f"{_short(step.application)} waits for {_short(step.waits_for)}"
        lines.append(f"          {waits}: {step.because} {step.node}")
    if proof.for_ever:
        how = "behind" if _is_behind(answer) else "never released by"
        lines.append(f"          {how} {', '.join(_short(each) for each in proof.for_ever)}")
    for one in proof.passed_by:
        given = exact_amounts((one.memory_mb,), answer.dimensions) or "reduce slots"
        lines.append(f"          {day.instant(one.at_ms)} {given} to {_short(one.application)} on {one.node}")
    lines += [f"          alone in the cluster: {reason.sentence}{_setting(reason)}" for reason in proof.bound]
    return lines


def looked_words(proof: ProofReport, day: RelativeTimeFormat) -> str:
    """Return how far a proof looked, and what was allocated until then."""
    last = f", the last at {day.instant(proof.last_allocation_ms)}" if proof.last_allocation_ms is not None else ""
    until = day.instant(proof.looked_until_ms)
    how = "until nothing can happen any more" if proof.still else f"until {until}"
    return f"simulated with no new submissions {how}: {text.plural(proof.allocations, 'allocation')}{last}"


def _way_back(turning: LastChanceReport | None, day: RelativeTimeFormat) -> list[str]:
    if turning is None:
        return []
    latest = (
        day.instant(turning.latest_ms) if turning.latest_ms is not None else "no single remedy would have prevented it"
    )
    formed, inevitable = day.instant(turning.formed_ms), day.instant(turning.inevitable_ms)
    lines = [f"formed    {formed}; inevitable without an act since {inevitable}", f"no return {latest}"]
    return [*lines, *(f"          {rescue_words(rescue, day.instant)}" for rescue in turning.remedies)]


def rescue_words(rescue: RescueReport, words_of: Callable[[int], str]) -> str:
    """Until when a remedy would have prevented it; `words_of` writes the instant [epoch ms]."""
    helps = "and still ends it" if rescue.still_helps else "too late now"
    return f"{remedy_sentence(rescue.remedy)}: until {words_of(rescue.latest_ms)}, {helps}"


def _short(application: str) -> str:
    return application.rpartition("_")[2]
