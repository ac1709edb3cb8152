"""The answers of `schedlab why` as lines of text, made of the same document that `--json` writes."""

from typing import Any, Final

from tui import format as text
from tui.format import written_instant
from tui.render.remedy_text import remedy_lines

Answer = dict[str, Any]

VERDICTS: Final = {
    "": "not found in this time",
    "unknown": "it is not known there",
    "waiting": "waiting: it starts at {start} if nothing else comes",
    "later": "waiting: it does not start within 24 h, and what comes then was not looked at",
    "starving": "starving: others keep passing it",
    "deadlocked": "deadlocked: it waits for applications that wait for each other, and nothing will be allocated",
    "blocked": "blocked for ever: what it needs is held by applications that wait for nothing and never end",
    "impossible": "impossible: even alone in the cluster it would not be given what it asks for",
    "none": "it waits for nothing",
    "ended": "it has ended",
    "refused": "it was refused",
    "live": "it waits; whether it ever starts is not known, as nothing is played ahead here",
}


NEVER: Final = frozenset({"deadlocked", "blocked", "impossible"})
"""Verdicts that say: it will never be given what it asks for."""


def why_lines(answer: Answer, day: str) -> list[str]:
    """The answer about an application.

    An instant has its date where it is not of the day of another, which is called `day`.
    """
    application = answer["application"]
    who = f"{application['id']} {application.get('name', '')} ({application.get('user', '')})".strip()
    lines = [
        f"{who} at {written_instant(answer['at'], day)}",
        f"state     {application.get('state', '?')} in {application.get('queue', '?')}{_since(application, day)}",
        f"verdict   {verdict_words(answer, day)}",
    ]
    if answer.get("looked_until"):
        until = written_instant(answer["looked_until"], day)
        lines.append(f"          looked until {until} only; a larger --budget looks further")
    lines += [f"          {application['diagnostics']}"] if application.get("diagnostics") else []
    lines += [f"asks      {ask}" for ask in _asks(application, day)]
    lines += _reasons(answer["reasons"], is_live=answer.get("is_live", False))
    request = answer["request"]
    if request is not None:
        lines.append(f"request   that of priority {request['priority']} alone:")
        lines += _reasons(request["reasons"])
    lines += _holders(answer["holders"], day)
    lines += _proof(answer, day)
    lines += [f"          not counted: {words}" for words in not_counted(answer, day)]
    lines += _way_back(answer["point_of_no_return"], day)
    lines += _helps(answer["would_help"], day)
    return lines


def not_counted(answer: Answer, day: str) -> list[str]:
    """What is known to come and left out of the closed world."""
    returns = answer.get("not_counted", ())
    return [f"{each['node'].rpartition(':')[0]} returns at {written_instant(each['returns'], day)}" for each in returns]


def place_lines(answer: Answer, day: str) -> list[str]:
    """Who waits in a queue or for a node; dates as of `why_lines`."""
    what = f"queue {answer['queue']}" if "queue" in answer else f"node {answer['node']}"
    lines = [
        f"{what} at {written_instant(answer['at'], day)}: {text.plural(len(answer['waiting']), 'application')} waiting"
    ]
    for waiter in answer["waiting"]:
        since = f", since {written_instant(waiter['waiting_since'], day)}" if waiter["waiting_since"] else ""
        lines.append(f"{_short(waiter['application'])} {waiter['name']}: {waiter['pending']} asked for{since}")
        lines += [f"  {reason['sentence']}" for reason in waiter["reasons"]]
        lines += [f"  {verdict_words(waiter, day)}"] if waiter.get("verdict") else []
    return lines


def verdict_words(answer: Answer, day: str) -> str:
    """The verdict in a sentence, with when it starts and the pattern's name."""
    verdict, start = answer["verdict"], answer["expected_start"]
    when = written_instant(start, day) if start else "?"
    sentence = VERDICTS.get(verdict, str(verdict)).format(start=when)
    if verdict == "none" and answer["proof"]:
        over = answer["proof"]["over"]
        sentence = "it withdraws what it still asks for"
        if over:
            sentence = f"it ends at {written_instant(over, day)} by itself, without what it still asks for"
    if verdict == "starving":
        never = "it never starts" if answer["proof"]["still"] else "it does not start within 24 h"
        sentence += f"; it starts at {when} if nothing else comes" if start else f"; {never}"
    return f"{sentence} [{answer['pattern']}]" if answer["pattern"] else sentence


def _since(application: Answer, day: str) -> str:
    since = application.get("waiting_since")
    return f", waiting since {written_instant(since, day)}" if since else ""


def _asks(application: Answer, day: str) -> list[str]:
    asks = application.get("asks", ())
    return [
        f"{ask['count']} x {ask['size'][0]} MB, {ask['size'][1]} vcores at priority {ask['priority']}{_places(ask)}"
        f"{ask_words(ask, day) if len(asks) > 1 else ''}"
        for ask in asks
    ]


def ask_words(ask: Answer, day: str) -> str:
    """What becomes of one ask of several; empty while that is not known. A start on another day has its date."""
    if not ask.get("verdict"):
        return ""
    start = ask["expected_start"]
    return f": starts at {written_instant(start, day)}" if start else f": {_NO_START[ask['verdict']]}"


_NO_START: Final = {
    "later": "not within 24 h",
    "starving": "others keep passing it",
    "deadlocked": "deadlocked",
    "blocked": "blocked for ever",
    "impossible": "impossible",
    "none": "the application ends without it, or withdraws it",
}
"""Verdict on an ask → what is said of one that does not start."""


def _places(ask: Answer) -> str:
    if not ask["places"]:
        return ""
    named = ", ".join(ask["places"][:4]) + (" ..." if len(ask["places"]) > 4 else "")
    return f" {'near' if ask['relax_locality'] else 'only on'} {named}"


def _reasons(reasons: list[Answer], *, is_live: bool = False) -> list[str]:
    """Each reason; one of the queue that nodes give as well once."""
    sentences = dict.fromkeys(
        reason["sentence"] + _setting(reason["decided_by"]) + sure_words(reason, is_live=is_live) for reason in reasons
    )
    return [f"{'because' if place == 0 else 'and':9} {each}" for place, each in enumerate(sentences)]


def sure_words(reason: Answer, *, is_live: bool) -> str:
    """How sure a reason is; a simulation knows all it says, so that only a doubt is said there."""
    return f" ({reason['certainty']})" if is_live or reason["certainty"] != "known" else ""


def _setting(decider: Answer | None) -> str:
    return f"  ({decider['key']} = {decider['value'] or '?'})" if decider else ""


_UNTIL: Final = {"never": "for ever", "not known": "for how long is not known"}


def _holders(holders: list[Answer], day: str) -> list[str]:
    lines = []
    for place, holder in enumerate(holders):
        held = []
        if holder["container_count"]:
            held.append(f"{text.plural(holder['container_count'], 'container')}, {holder['memory_mb']} MB")
        if holder["reservations"]:
            held.append(f"{text.plural(len(holder['reservations']), 'node')} reserved")
        until = str(holder["until"])
        until = f"until {written_instant(until, day)}" if "T" in until else _UNTIL.get(until, "until later")
        waits = ", waits itself" if holder["waits"] else ""
        who = f"{_short(holder['application'])} {holder['name']}"
        lines.append(f"{'held by' if place == 0 else '':9} {who}: {' and '.join(held)} {until}{waits}")
    return lines


def _proof(answer: Answer, day: str) -> list[str]:
    proof = answer["proof"]
    if proof is None:
        return []
    lines = [f"proof     {looked_words(proof, day)}"]
    lines += [f"          {_step(step)}" for step in proof["cycle"]]
    if proof["for_ever"]:
        lines.append(f"          kept for ever by {', '.join(_short(each) for each in proof['for_ever'])}")
    lines += [
        f"          {written_instant(one['at'], day)} {one['memory_mb']} MB to {_short(one['application'])}"
        f" on {one['node']}"
        for one in proof["passed_by"]
    ]
    lines += [f"          alone in the cluster: {reason['sentence']}" for reason in proof["bound"]]
    return lines


def looked_words(proof: Answer, day: str) -> str:
    """How far a proof looked, and what was allocated until then."""
    last = f", the last at {written_instant(proof['last_allocation'], day)}" if proof["last_allocation"] else ""
    until = written_instant(proof["looked_until"], day)
    how = "until nothing can happen any more" if proof["still"] else f"until {until}"
    return f"played on without arrivals {how}: {text.plural(proof['allocations'], 'allocation')}{last}"


def _step(step: Answer) -> str:
    return f"{_short(step['application'])} waits for {_short(step['waits_for'])}: {step['because']} {step['node']}"


def _way_back(turning: Answer | None, day: str) -> list[str]:
    if turning is None:
        return []
    latest = (
        written_instant(turning["latest"], day) if turning["latest"] else "no single remedy would have prevented it"
    )
    formed, inevitable = (written_instant(turning[each], day) for each in ("formed", "inevitable"))
    lines = [
        f"formed    {formed}; inevitable without an act since {inevitable}",
        f"no return {latest}",
    ]
    for rescue in turning["remedies"]:
        helps = "and still ends it" if rescue["still_helps"] else "too late now"
        lines.append(f"          {rescue['remedy']}: until {written_instant(rescue['latest'], day)}, {helps}")
    return lines


def _helps(found: Answer | None, day: str) -> list[str]:
    return [] if found is None else remedy_lines(found, day)


def _short(application: str) -> str:
    return application.rpartition("_")[2]
