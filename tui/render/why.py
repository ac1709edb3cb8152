"""Why an application waits, or who waits at a place, as lines to read; made of the document `schedlab why` writes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from tui import format as text
from tui.answers import WhyAnswer, WhySubject
from tui.render.line import Look, Spans, folded
from tui.render.verdict_text import ask_words, not_counted, verdict_words
from tui.render.why_proof import proof_lines
from tui.render.why_remedies import remedy_list

Document = dict[str, Any]

LABEL: Final = 10
"""Cells of the labels at the left."""

STYLES: Final = {
    "deadlocked": "bad",
    "blocked": "bad",
    "impossible": "bad",
    "refused": "bad",
    "starving": "warn",
    "later": "warn",
}
"""Verdict → style; others are good news."""

RESCUES: Final = 5
"""How many of the remedies that would have prevented it are listed."""

HOSTS: Final = 4
"""How many nodes a line names."""


class LinkedLine(NamedTuple):
    """One line, and where it leads."""

    spans: Spans
    link: WhySubject | None = None
    part: str = ""
    """The part of the answer it belongs to; the same link may be in several."""


def head_lines(answer: WhyAnswer, trail: Sequence[WhySubject], look: Look, *, past: bool) -> list[Spans]:
    """What was asked, on the way here, when; who it is; and how far the answer is."""
    crumbs = " > ".join(_name(each) for each in (*trail, answer.subject))
    when = text.clock(answer.time_ms, look.offset_ms)
    first: Spans = [(" Why ", "head"), (crumbs, "strong"), (f"  {when}", "plain")]
    first += [("  PAST", "warn")] if past else []
    return [first, _who(answer, look), [(" ", "plain"), _progress(answer, look)]]


def _name(subject: WhySubject) -> str:
    if subject.kind == "node":
        return text.short_node(subject.key)
    return subject.key.zfill(4) if subject.kind == "application" else text.plain(subject.key)


def _who(answer: WhyAnswer, look: Look) -> Spans:
    document = answer.document
    application = document.get("application")
    if application is None:
        return [(f" who waits {'in this queue' if answer.subject.kind == 'queue' else 'for this node'}", "plain")]
    if "state" not in application:
        return [(f" {application['id']} is not known at this instant", "warn")]
    since = application["waiting_since"]
    waits = f", waits since {_clock(since, document)}" if since else ""
    who = f"{text.plain(application['name'])} ({text.plain(application['user'])})"
    return [
        (f" {who}", "strong"),
        (f"  {application['state']} in {text.plain(application['queue'])}{waits}", "plain"),
    ]


def _progress(answer: WhyAnswer, look: Look) -> tuple[str, str]:
    if answer.failure:
        return f"! it could not be found out: {answer.failure}", "bad"
    if not answer.doing:
        return "Found out on copies: nothing is changed. The clock stands meanwhile.", "dim"
    if answer.reached_ms is None:
        return f"{answer.doing} ...", "info"
    return f"{answer.doing} ... {text.clock(answer.reached_ms, look.offset_ms)} of simulated time", "info"


def body(answer: WhyAnswer, look: Look, width: int) -> list[LinkedLine]:
    """Everything in one column."""
    return [*first_part(answer, look, width), *second_part(answer, look, width)]


def first_part(answer: WhyAnswer, look: Look, width: int) -> list[LinkedLine]:
    """Verdict, ask, reasons and facts; or who waits at a place."""
    document = answer.document
    if "waiting" in document:
        return _waiters(answer, width)
    if not document:
        return []
    lines = _labelled("verdict", [_verdict(answer)], width)
    lines += _labelled("pattern", [(document["pattern"], "strong")], width) if document["pattern"] else []
    lines += _labelled("", [(answer.note, "info")], width) if answer.note else []
    diagnostics = document["application"].get("diagnostics", "")
    lines += _labelled("", [(text.plain(diagnostics), "plain")], width) if diagnostics else []
    lines += _labelled("asks", [(words, "plain") for words in _asks(document, look)], width)
    lines += _reasons(document["reasons"], "why", width)
    return lines + _facts(answer, width)


def second_part(answer: WhyAnswer, look: Look, width: int) -> list[LinkedLine]:
    """Holders, proof, and what would help."""
    document = answer.document
    if "waiting" in document or not document:
        return []
    holders = _holders(document, "executor" if "cores" in look.dimensions else "container")
    proof = [LinkedLine(*line) for line in proof_lines(document, answer.names, look.glyphs, width, LABEL)]
    excluded = [(f"not counted: {words}", "plain") for words in not_counted(document)]
    return [*holders, *proof, *_labelled("", excluded, width), *_helps(answer, width)]


def _verdict(answer: WhyAnswer) -> tuple[str, str]:
    document = answer.document
    if document["verdict"]:
        return verdict_words({**document, "pattern": ""}), STYLES.get(document["verdict"], "good")
    return ("not found out", "dim") if answer.failure else ("not known yet: the copy is still looking ahead", "dim")


def _asks(document: Document, look: Look) -> list[str]:
    asks, asked = [], document["application"].get("asks", ())
    for ask in asked:
        near = "near" if ask["relax_locality"] else "only on"
        places = f" {near} {', '.join(ask['places'][:HOSTS])}{' ...' if len(ask['places']) > HOSTS else ''}"
        size = text.amounts(tuple(ask["size"]), look.dimensions)
        where, what = places if ask["places"] else "", ask_words(ask) if len(asked) > 1 else ""
        asks.append(f"{ask['count']} x {size} at priority {ask['priority']}{where}{what}")
    return asks


def _reasons(reasons: Sequence[Document], label: str, width: int) -> list[LinkedLine]:
    """The first reason first, each with what decides it and its code."""
    lines = []
    for place, reason in enumerate(reasons):
        style = "strong" if place == 0 else "plain"
        lines += _labelled(label if place == 0 else "", [(text.with_short_ids(reason["sentence"]), style)], width)
        hosts = [text.short_node(each) for each in reason["nodes"]]
        named = ", ".join(hosts[:HOSTS]) + (" ..." if len(hosts) > HOSTS else "")
        decider = reason["decided_by"]
        setting = f"{decider['key']} = {decider['value'] or '?'}" if decider else ""
        code = f"{reason['level']} {reason['state']} {reason['code']}"
        sure = "" if reason["certainty"] == "known" else f"({reason['certainty']})"
        more = "; ".join(filter(None, (code, setting, named, sure)))
        lines += _labelled("", [(f"- {more}", "dim")], width)
    return lines


def _facts(answer: WhyAnswer, width: int) -> list[LinkedLine]:
    """Obstacles that the scheduler recorded in the last node heartbeats, equal ones together."""
    recorded: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for fact in answer.document["facts"]:
        recorded.setdefault((fact["code"], tuple(fact["numbers"])), []).append(text.short_node(fact["node"]))
    words = []
    for (code, numbers), hosts in recorded.items():
        names = next((tuple(each["numbers"]) for each in answer.document["reasons"] if each["code"] == code), ())
        figures = ", ".join(f"{name} {number}" for name, number in zip(names, numbers, strict=False))
        named = ", ".join(hosts[:HOSTS]) + (" ..." if len(hosts) > HOSTS else "")
        words.append((f"{text.plural(len(hosts), 'node')} passed it by: {code} {figures} ({named})", "plain"))
    if answer.facts:
        words.append((answer.facts, "dim"))
    return _labelled("facts", words, width)


def _holders(document: Document, thing: str) -> list[LinkedLine]:
    lines = []
    for place, holder in enumerate(document["holders"]):
        held = []
        if holder["container_count"]:
            memory = text.memory(holder["memory_mb"])
            held.append(f"{text.plural(holder['container_count'], thing)} of {memory}")
        if holder["reservations"]:
            nodes = ", ".join(text.short_node(each) for each in holder["reservations"][:2])
            more = " ..." if len(holder["reservations"]) > 2 else ""
            held.append(f"{text.plural(len(holder['reservations']), 'node')} reserved: {nodes}{more}")
        number = text.short_id(holder["application"])
        until = str(holder["until"])
        until = f"until {_clock(until, document)}" if "T" in until else _UNTIL.get(until, until)
        waits = "  waits itself" if holder["waits"] else ""
        style = "bad" if until == _UNTIL["never"] else "plain"
        spans: Spans = [
            ("held by".ljust(LABEL) if place == 0 else " " * LABEL, "head"),
            (number, "key"),
            (f" {text.plain(holder['name'])}  ", "plain"),
            (until, style),
            (f"  {' and '.join(held)}", "plain"),
            (waits, "dim"),
        ]
        lines.append(LinkedLine(spans, _application(holder["application"]), "holders"))
    return lines


_UNTIL: Final = {"never": "for ever", "later": "until later"}


def _helps(answer: WhyAnswer, width: int) -> list[LinkedLine]:
    document = answer.document
    tried = document.get("would_help")
    if tried is None:
        is_open = document["proof"] is not None and not answer.failure and not answer.doing
        return (
            _labelled("helps", [("h tries what would help: kills, moves, settings, nodes", "dim")], width)
            if is_open
            else []
        )
    lines = [LinkedLine(*line, "helps") for line in remedy_list(document, width, LABEL)]
    return [*lines, *_way_back(document, width)]


def _way_back(document: Document, width: int) -> list[LinkedLine]:
    """Since when it could not end well by itself, and until when somebody could have prevented it."""
    turning = document["point_of_no_return"]
    if turning is None:
        return []
    formed, inevitable = _clock(turning["formed"], document), _clock(turning["inevitable"], document)
    lines = _labelled("formed", [(f"{formed}; inevitable without an act since {inevitable}", "plain")], width)
    lines += _labelled("no return", [_return(turning, document)], width)
    rescues = []
    for rescue in turning["remedies"][:RESCUES]:
        helps = "and still ends it" if rescue["still_helps"] else "too late now"
        rescues.append((f"{rescue['remedy']}: until {_clock(rescue['latest'], document)}, {helps}", "plain"))
    return lines + _labelled("", rescues, width)


def _return(turning: Document, document: Document) -> tuple[str, str]:
    """The point of no return in words, and their style."""
    if turning["latest"] is None:
        return "no single remedy would have prevented it", "bad"
    if any(rescue["still_helps"] for rescue in turning["remedies"]):
        return "not passed: there is a single remedy that still ends it", "good"
    return f"after {_clock(turning['latest'], document)} no single remedy would have prevented it", "bad"


def _waiters(answer: WhyAnswer, width: int) -> list[LinkedLine]:
    """Everybody who waits at a place, each with all that stands in its way there."""
    document = answer.document
    lines = []
    for waiter in document["waiting"]:
        since = waiter["waiting_since"]
        waits = f", since {_clock(since, document)}" if since else ""
        words = f" {text.plain(waiter['name'])}  {text.plain(waiter['queue'])}  {waiter['pending']} asked for{waits}"
        spans: Spans = [(text.short_id(waiter["application"]), "key"), (words, "plain")]
        lines.append(LinkedLine(spans, _application(waiter["application"]), "waiting"))
        lines += _reasons(waiter["reasons"], "", width)
    if not document["waiting"] and not answer.doing:
        lines.append(LinkedLine([("Nobody waits here.", "dim")]))
    return lines


def _application(name: str) -> WhySubject:
    return WhySubject("application", str(int(text.short_id(name))))


def _labelled(label: str, sentences: Sequence[tuple[str, str]], width: int) -> list[LinkedLine]:
    """Sentences beside a label, folded; a sentence that begins with a dash is folded behind it."""
    lines: list[LinkedLine] = []
    for words, style in sentences:
        for each in folded(words, width - LABEL):
            beside = label if not lines else ""
            lines.append(LinkedLine([(beside.ljust(LABEL), "head"), (each, style)], part=label))
    return lines


def _clock(iso: str, document: Document) -> str:
    """The time of day, with the day when it is another than that of the instant asked about."""
    clock = iso[11:23].removesuffix(".000")
    return clock if iso[:10] == str(document["at"])[:10] else f"{_DAYS[datetime.fromisoformat(iso).weekday()]} {clock}"


_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
