"""What a question on screen costs the keys.

For each question: CPU until its reasons are on screen, until the verdict is too, and until all is known; CPU of the
longest slice, and how late a timer of the same event loop comes while they run, as a key would.
"""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from statistics import quantiles
from typing import Any

from engine.run.run_store import RecordedRun
from engine.scenario import Scenario
from tests.gates.bench.explaining import SETTLED_MS, crowded, frozen
from tui.protocol.picture import WhySubject
from tui.session.alert_monitor import EventLog
from tui.session.opening import open_session
from tui.session.session import REST_S, QuestionWork, Session
from tui.session.time_travel import TimeTravel
from tui.session.why_analysis import WhyAnalysis

PROBE_S = 0.01
"""Between two looks at how late the loop is [s]."""


class Watched(QuestionWork):
    """Notes what each slice costs, and how many there were until the verdict was known."""

    costs: list[float]
    until_verdict: int = 0

    def slice(self) -> bool:
        begin = time.process_time()
        is_news = super().slice()
        self.costs.append(time.process_time() - begin)
        if not self.until_verdict and self.answer.why is not None and self.answer.why.verdict:
            self.until_verdict = len(self.costs)
        return is_news


def session_on(scenario: Scenario) -> Session:
    """A session that stands where things have settled, with its past."""
    log = EventLog()
    recorded = RecordedRun.begin(scenario, [log])
    while recorded.run.now_ms < SETTLED_MS:
        recorded.advance(SETTLED_MS)
    return Session(recorded.run, log, travel=TimeTravel(recorded), paused=True)


async def late_while(asking: Watched) -> list[float]:
    """How late the loop was at each look while the work went on [s]."""
    late = []

    async def work() -> None:
        while not asking.done:
            await asyncio.sleep(REST_S)
            asking.slice()

    working = asyncio.create_task(work())
    while not working.done():
        begin = time.perf_counter()
        await asyncio.sleep(PROBE_S)
        late.append(time.perf_counter() - begin - PROBE_S)
    return late


def costs(name: str, session: Session, number: int, *, remedies: bool) -> dict[str, Any]:
    begin = time.process_time()
    watched = Watched(WhyAnalysis(session.scene(), WhySubject("application", str(number))), time.monotonic)
    first_s = time.process_time() - begin
    watched.costs = []
    if remedies:
        _ = watched.try_remedies()
    late = asyncio.run(late_while(watched))
    return {
        "bench": f"asking-{name}",
        "application": number,
        "verdict": watched.answer.why.verdict if watched.answer.why is not None else "",
        "reasons_ms": round(1000 * first_s, 1),
        "verdict_s": round(first_s + sum(watched.costs[: watched.until_verdict or None]), 2),
        "whole_s": round(first_s + sum(watched.costs), 2),
        "longest_slice_ms": round(1000 * max(watched.costs), 1),
        "slice_p99_ms": round(1000 * quantiles(watched.costs, n=100, method="inclusive")[-1], 1),
        "key_late_p95_ms": round(1000 * quantiles(late, n=20, method="inclusive")[-1], 1),
        "key_late_longest_ms": round(1000 * max(late), 1),
    }


def on_incident(*, remedies: bool) -> dict[str, Any]:
    """Of the application that waits for ever, with or without what would help."""
    session = open_session("reservation-deadlock", at="09:10", paused=True)
    return costs("incident-remedies" if remedies else "incident", session, 183354, remedies=remedies)


def on_nodes(scenario_of: Callable[[], Scenario], number: int) -> dict[str, Any]:
    """Of an application that waits for some of 1,000 full nodes."""
    scenario = scenario_of()
    return costs(f"{scenario.name}-{number}", session_on(scenario), number, remedies=False)


MEASURES: dict[str, Callable[[], dict[str, Any]]] = {
    "asking-incident": partial(on_incident, remedies=False),
    "asking-incident-remedies": partial(on_incident, remedies=True),
    "asking-crowded-1000-900": partial(on_nodes, crowded, 900),
    "asking-crowded-1000-902": partial(on_nodes, crowded, 902),
    "asking-frozen-1000-5": partial(on_nodes, frozen, 5),
}
"""Name → the measurement."""
