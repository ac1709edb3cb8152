"""The best remedy of a live cluster that stands still, tried on its twin in the background for a bounded time."""

import time
from collections.abc import Callable
from typing import Final

from engine.errors import EngineError
from tui import format as text
from tui.answers import CLUSTER, WhyAnswer, WhySubject
from tui.render.remedy_text import remedy_words, short_remedy
from tui.session.live_questions import FOREVER
from tui.session_protocol import TwinProtocol

LONGEST_S: Final = 10.0
"""How long remedies are tried for an alarm; the best of those is named."""


async def best_remedy(
    twin: TwinProtocol, longest_s: float = LONGEST_S, clock: Callable[[], float] = time.monotonic
) -> str:
    """The best remedy that was tried, in a sentence; empty where none helps or no twin can be made.

    Args:
        twin: Makes the twin of the cluster as it stands.
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
    return _sentence(answer)


def _sentence(answer: WhyAnswer) -> str:
    found = answer.plan
    if found is None or not found.remedies:
        return ""
    best, day = found.remedies[0], answer.beside
    words = remedy_words(best, found, day)
    loses = text.plural(best.loses.containers, "container") if best.loses.containers else "nothing"
    return (
        f"{short_remedy(best.remedy)}: starts {words.starts}, frees {words.frees}, loses {loses} "
        f"(the best of {found.tried} tried on the twin of {day.clock(found.at_ms)}, where what runs now runs on)"
    )
