"""Judges an application that is given nothing for long, and decides whether the answer is an alert."""

from typing import Final

from engine.explain.badge_rules import LONG_MS, SOON_MS
from engine.explain.explainers import explainer_of
from engine.explain.patterns import HEAD_OF_LINE
from engine.explain.verdict import Verdict
from engine.incremental import Incremental
from engine.schedulers.activity import Reason
from engine.simulation.simulation import Simulation

FULL: Final = {
    *(Reason.DOES_NOT_FIT.name, Reason.NODE_RESERVED.name, Reason.OTHER_FIRST.name, Reason.RESERVATION_LIMIT.name),
    *(Reason.DELAY_SCHEDULING.name, Reason.NOT_COUNTED.name, "WAITS_FOR_EVENT"),
}
"""Reasons that as a rule go away by themselves."""


def is_suspect(simulation: Simulation, number: int) -> Incremental[bool]:
    """Tell whether to ask about it soon: others come first by rule, or its obstacle seldom goes away by itself."""
    explainer = explainer_of(simulation)
    if explainer.is_behind(number):
        return True
    rows = yield from explainer.obstacles(number)
    if rows and rows[0].code not in FULL:
        return True
    return (yield from explainer.is_too_large(number))


def kind_of(verdict: Verdict, pattern: str, since_ms: int) -> str:
    """`stuck`, `held-up`, or nothing to tell."""
    start_ms = verdict.expected_start_ms
    if verdict.verdict == "none":
        return ""
    if verdict.verdict == "later":
        return "held-up"
    if start_ms is None:
        return "stuck"
    is_long = start_ms - since_ms >= LONG_MS and start_ms - verdict.proof.from_ms >= SOON_MS
    return "held-up" if pattern == HEAD_OF_LINE and is_long else ""
