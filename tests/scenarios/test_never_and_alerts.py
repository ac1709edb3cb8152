"""Who is never served is in an alert, and nobody is in an alert of those that are never served who is."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.control_plane.cluster_view import ApplicationSummary
from engine.explain.alert import LONG_MS
from engine.explain.alerts import Alerts
from engine.explain.instant import SharedLookahead
from engine.explain.starvation import SCAN_MS
from engine.explain.why_question import WhyQuestion
from engine.formats.scenario_toml import load, packaged
from engine.run import play
from engine.scenario import Scenario
from engine.simulation.simulation import Simulation
from tests.invoke import said

CASES = Path(__file__).parents[1] / "cases" / "recorded" / "why"
QUICK = ("pattern-ask-above-every-node", "preemption-3.4")
PLAYED_MS = 4 * 3_600_000
INSTANTS = 20
"""At which the long gate asks of each scenario, and at as many with news."""
FEWER = {
    **dict.fromkeys(("preemption-livelock-capacity", "preemption-livelock-capacity-3.4"), 2),
    **dict.fromkeys(("reservation-deadlock", "prod-dev-fair", "prod-dev-fair-3.4"), 6),
}
"""Of these each question takes seconds: a livelock is played for a day each time, 15 s, before it is said to go on."""


class Law:
    """Asks at some instants of a run, and at as many at which alerts come or end, about all who ask for something."""

    def __init__(self, scenario: Scenario, instants: int) -> None:
        self.alerts = Alerts()
        self.broken: list[str] = []
        self.asked = 0
        length_ms = min(scenario.duration_ms, PLAYED_MS)
        self._news_left = instants
        self._left = [scenario.start_ms + length_ms * place // (instants + 1) for place in range(1, instants + 1)]
        play(scenario, length_ms, [self.alerts], watched=self._look)

    def _look(self, simulation: Simulation) -> None:
        is_news = bool(self.alerts.look(simulation)) and self._news_left > 0
        is_due = bool(self._left) and simulation.now_ms >= self._left[0]
        if is_due:
            self._left.pop(0)
        elif is_news:
            self._news_left -= 1
        else:
            return
        basis: SharedLookahead | None = None
        here = simulation.fork(closed=True)
        for each in here.control_plane.view().applications():
            question = WhyQuestion(here, each.number, basis=basis)
            basis = question.basis or basis
            if question.basis is not None:
                self._hold(question, each)

    def _hold(self, question: WhyQuestion, each: ApplicationSummary) -> None:
        answer = question.answer()
        self.asked += 1
        since_ms, frozen = each.unmet_since_ms, self.alerts.frozen
        is_never = any(found.is_never and found.verdict != "starving" for found in question.verdicts)
        has_some = frozen is not None and each.waiting_since_ms is None
        in_alert = each.number in self.alerts.known or has_some
        waited_ms = 0 if since_ms is None else answer.at_ms - since_ms
        if is_never and not in_alert and waited_ms >= LONG_MS + SCAN_MS:
            self.broken.append(f"{answer.at_ms}: {each.number} is {answer.verdict}, in no alert")
        stuck = {
            number for alert in self.alerts.active_alerts if alert.kind == "stuck" for number in alert.applications[:1]
        }
        stuck |= set() if has_some else self.alerts.frozen_for
        if each.number in stuck and not any(found.is_never for found in question.verdicts):
            self.broken.append(f"{answer.at_ms}: {each.number} is {answer.verdict}, in an alert")


@pytest.mark.long
@pytest.mark.parametrize("name", ["partly-served-locality", "partly-served-slots"])
def test_who_has_some_of_it_and_gets_no_more_is_in_an_alert(name: str) -> None:
    """An ask of which something was given counts as one that was given nothing."""
    law = Law(load(str(CASES / f"{name}.toml")), 3)

    assert (law.broken, law.asked > 0, bool(law.alerts.all)) == ([], True, True)


@pytest.mark.parametrize("name", QUICK)
def test_never_is_in_an_alert_and_an_alert_is_of_never(name: str) -> None:
    law = Law(load(name), 4)

    assert (law.broken, law.asked > 0) == ([], True)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(packaged()))
def test_never_is_in_an_alert_in_every_packaged_scenario(name: str) -> None:
    assert Law(load(name), FEWER.get(name, INSTANTS)).broken == []


# Alerts over the packaged patterns, as `schedlab play` prints them: each is told, and not in its near-twin.

PAIRS: dict[str, tuple[str, str, list[str]]] = {
    "AM-only deadlock": ("pattern-am-only", "frozen", []),
    "AM limit": ("capacity-am-limit", "frozen", []),
    "user limit": ("pattern-user-limit", "frozen", []),
    "ask above every node": ("pattern-ask-above-every-node", "too-large", ["frozen"]),
    "preemption livelock": ("pattern-preemption-livelock", "livelock", []),
    "queue limit": ("pattern-queue-limit", "frozen", ["frozen"]),
    "FIFO head of line": ("pattern-fifo-head-of-line", "held-up", []),
    "locality never relaxed": ("pattern-locality-never-relaxed", "frozen", []),
    "reservation deadlock": ("reservation-deadlock-continuous", "frozen", []),
}
"""Pattern → its scenario, the kind of its alert, and the kinds its near-twin raises for what it really is."""

TWINS = {"reservation-deadlock-continuous": "reservation-deadlock-rule-off"}
"""Near-twins that are not named after their pattern."""

LONG = "reservation deadlock"
"""Takes ten seconds."""
PATTERNS = [pytest.param(pattern, marks=[pytest.mark.long] * (pattern == LONG)) for pattern in PAIRS]


def _alerts(name: str) -> list[dict[str, Any]]:
    lines = said("play", [name, "--json"]).stdout.splitlines()
    return [line for line in map(json.loads, lines) if line.get("kind") == "Alert"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_is_told_and_its_near_twin_is_not(pattern: str) -> None:
    name, kind, _ = PAIRS[pattern]

    assert [each["alert"] for each in _alerts(name) if each["pattern"] == pattern and each["alert"] == kind] == [kind]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_near_twin_tells_what_it_is_and_nothing_else(pattern: str) -> None:
    name, _, kinds = PAIRS[pattern]
    found = _alerts(TWINS.get(name, f"{name}-twin"))

    assert [(each["alert"], each["pattern"]) for each in found] == [(kind, "") for kind in kinds]


# The same jobs as slots of MapReduce 1 and as containers of YARN differ in nothing but the control plane.


def test_slots_and_containers_have_the_same_jobs_and_machines() -> None:
    """Workload, cluster, seed and start are those of the other; the scheduler is another."""
    slots, containers = load("mr1-slots-of-the-wrong-kind"), load("mr1-as-containers")

    assert (slots.workload, slots.cluster, slots.seed, slots.start) == (
        containers.workload,
        containers.cluster,
        containers.seed,
        containers.start,
    )
    assert (slots.system, containers.system) == ("mr1", "yarn")
