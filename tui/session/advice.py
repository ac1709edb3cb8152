"""Asks the twin of a live cluster that stands still: whether it is frozen, and the best remedy it tried."""

import time
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from engine.errors import EngineError
from engine.explain.remedy_report import RemediesReport, RemedyReport
from tui import format as text
from tui.answers import CLUSTER, WhyAnswer, WhySubject
from tui.format import Beside
from tui.render.remedy_text import remedy_words, short_remedy
from tui.session.live_questions import FOREVER, RUNS_ON
from tui.session_protocol import TwinProtocol

LONGEST_S: Final = 10.0
"""How long remedies are tried for an alarm; the best of those is named."""

FROZEN: Final = f"in its twin nothing starts any more if {RUNS_ON[FOREVER]}"
"""The proof of a freeze."""


class Advice(NamedTuple):
    """The questions to a twin about the cluster as it stands."""

    freeze: Callable[[], Awaitable[str]]
    """That it is frozen, in a sentence; empty where something starts or nobody knows."""
    remedy: Callable[[str], Awaitable[str]]
    """The best remedy, in a sentence, given who holds most nodes; empty where none is known."""


def advice_of(opener: Callable[[], TwinProtocol]) -> Advice:
    """The advice of twins of the cluster as it stands."""
    return Advice(lambda: freeze_words(opener()), lambda holder: best_remedy(opener(), holder))


async def freeze_words(twin: TwinProtocol) -> str:
    """That nothing starts any more if what runs runs on, in a sentence; empty where something does."""
    try:
        return FROZEN if await twin.is_frozen(FOREVER) else ""
    except EngineError:
        return ""


async def best_remedy(
    twin: TwinProtocol,
    holder: str,
    longest_s: float = LONGEST_S,
    clock: Callable[[], float] = time.monotonic,
) -> str:
    """The best remedy that was tried, in a sentence; empty where none helps or no twin can be made.

    The end of the application that holds most nodes is named, too, where that helps and is not the best.

    Args:
        twin: Makes the twin of the cluster as it stands.
        holder: Id of the application that holds most nodes.
        longest_s: How long remedies are tried [s].
        clock: A clock that nobody sets [s].
    """
    try:
        made = await twin.open(FOREVER)
    except EngineError:
        return ""
    questions, end_s = made.connection.questions, clock() + longest_s
    assert questions is not None, "a twin is a simulation, which can be asked"
    opened = await questions.ask(WhySubject(CLUSTER, ""))
    answer = opened.answer
    while answer.doing and clock() < end_s:
        answer = await questions.more(opened.number)
    await questions.close(opened.number)
    return _sentence(answer, holder)


def _sentence(answer: WhyAnswer, holder: str) -> str:
    found, day = answer.plan, answer.beside._replace(mark=" if")
    if found is None or not found.remedies:
        return ""
    first, *others = found.remedies
    named = [first, *[each for each in others if each.kind == "kill" and each.application == holder][:1]]
    said = "; or ".join(_words(each, found, day) for each in named)
    return f"{said} (of {found.tried} tried on the twin of {day.clock(found.at_ms)}, where {RUNS_ON[FOREVER]})"


def _words(entry: RemedyReport, found: RemediesReport, day: Beside) -> str:
    words = remedy_words(entry, found, day)
    loses = text.plural(entry.loses.containers, "container") if entry.loses.containers else "nothing"
    return f"{short_remedy(entry.remedy)}: starts {words.starts}, frees {words.frees}, loses {loses}"
