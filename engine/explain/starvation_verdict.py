"""Since when each ask has been given nothing, whom to ask about soon, and whether an answer is an alert."""

from collections.abc import Collection, Sequence
from typing import Final

from engine.explain.badge_rules import LONG_MS, SOON_MS, TURN_MS
from engine.explain.explainers import explainer_of
from engine.explain.shared_lookahead import HEAD_OF_LINE
from engine.explain.verdict import Verdict
from engine.incremental import Incremental
from engine.model.decision import Allocated, ApplicationTransitioned, owner_of
from engine.schedulers.activity import Reason
from engine.simulation.records import AskChanged, Record
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


def ripens_ms(verdict: Verdict, pattern: str, since_ms: int) -> int | None:
    """Return when whoever waits for its turn has waited for long enough to be told of [epoch ms]; else None."""
    due_ms = since_ms + TURN_MS
    is_young = verdict.expected_start_ms is not None and verdict.proof.from_ms < due_ms
    return due_ms if is_young and kind_of(verdict, pattern, since_ms) else None


def kind_of(verdict: Verdict, pattern: str, since_ms: int) -> str:
    """`stuck`, `held-up`, or nothing to tell."""
    start_ms = verdict.expected_start_ms
    if verdict.verdict == "none":
        return ""
    if start_ms is None:
        return "stuck" if verdict.is_never else "held-up"
    is_long = start_ms - since_ms >= LONG_MS and start_ms - verdict.proof.from_ms >= SOON_MS
    return "held-up" if pattern == HEAD_OF_LINE and is_long else ""


class AskWaits:
    """A listener that knows it."""

    def __init__(self) -> None:
        self._since_ms: dict[int, dict[int, int]] = {}
        """Application → priority of what it asks for → since when."""

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Note who asks, who is given something, and who ends."""
        for record in records:
            if isinstance(record, Allocated):
                asks = self._since_ms.get(owner_of(record.container), {})
                if record.priority in asks:
                    asks[record.priority] = time_ms
            elif isinstance(record, AskChanged):
                asks = self._since_ms.setdefault(record.application, {})
                if record.count > 0:
                    asks.setdefault(record.priority, time_ms)
                else:
                    asks.pop(record.priority, None)
            elif isinstance(record, ApplicationTransitioned) and record.is_end:
                self._since_ms.pop(record.application, None)

    def since_of(self, number: int, asked: Collection[int], waiting_since_ms: int) -> int:
        """Since when the ask of an application that has waited longest has been given nothing [epoch ms].

        `asked` are the priorities it asks at now, none where asks have none; `waiting_since_ms` is the answer where its
        asks are not known.
        """
        known = self._since_ms.get(number, {})
        asks = [since_ms for priority, since_ms in known.items() if not asked or priority in asked]
        return max(waiting_since_ms, min(asks)) if asks else waiting_since_ms
