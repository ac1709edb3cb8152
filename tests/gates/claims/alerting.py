"""The alerts of a random scenario held against what happens: none is false, none is missing, none lasts too long."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.control_plane.cluster_view import asking
from engine.explain.alert import Alert
from engine.explain.alerts import Alerts
from engine.explain.explainers import explainer_of
from engine.explain.instant import SharedLookahead
from engine.explain.starvation import IMMINENT_MS
from engine.explain.why_question import WhyQuestion
from engine.run import play
from engine.scenario import Scenario
from engine.simulation.records import AskChanged, Record
from engine.simulation.simulation import Simulation
from tests.gates.claims.cases import LATER_S, Claim, Truth, played_run
from tests.gates.claims.scenarios import quiet_s

SETTLED_S: Final = 5
"""So long after the last thing from outside alerts are held against what happens [s]."""

WATCHED_S: Final = 184
"""How long is watched after the last thing from outside [s]."""

WITHIN_MS: Final = 60_000 + 6_000
"""How long somebody may wait in vain without an alert: a minute, and the next look [ms]."""

Ask = tuple[int, int]


class Watch:
    """Notes who asks for more than they have, and whom alerts cover, at every look."""

    def __init__(self, alerts: Alerts) -> None:
        self._alerts = alerts
        self._wanted: dict[Ask, int] = {}
        self.waits: dict[Ask, int] = {}
        """Asks that are open, and since when they are so [epoch ms], at the last look."""
        self.uncovered: dict[Ask, list[tuple[int, int]]] = {}
        """The stretches in which each ask was waiting and not covered by an alert."""
        self._uncovered_since: dict[Ask, int] = {}
        self.stale: list[tuple[int, Alert]] = []
        """Alerts that held when nobody waited any more whom they are about, with when."""

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, AskChanged):
                self._wanted[record.application, record.priority] = record.count

    def look(self, simulation: Simulation) -> None:
        """Bring the alerts up to date, and note who is covered."""
        alerts, now_ms, view = self._alerts, simulation.now_ms, simulation.control_plane.view()
        alerts.look(simulation)
        live = {each.number for each in asking(view)}
        explainer = explainer_of(simulation)
        waits = {
            ask: self.waits.get(ask, now_ms)
            for ask, count in self._wanted.items()
            if count > 0 and ask[0] in live and _is_asked(explainer.priorities(ask[0]), ask)
        }
        self.waits = waits
        open_since = self._uncovered_since
        is_frozen = alerts.frozen is not None
        self._uncovered_since = {
            ask: open_since.get(ask, now_ms) for ask in waits if not is_frozen and ask[0] not in alerts.known
        }
        for ask, from_ms in self._uncovered_since.items():
            stretches = self.uncovered.setdefault(ask, [])
            if stretches and stretches[-1][0] == from_ms:
                stretches.pop()
            stretches.append((from_ms, now_ms))
        for alert in alerts.active_alerts if view.recovery() is None else ():  # else masters have yet to ask again
            if alert.kind != "outage" and not live & set(alert.applications):
                self.stale.append((now_ms, alert))


def alerts_of(scenario: Scenario) -> Iterator[Claim]:
    truth, alerts = Truth(), Alerts()
    watch, begin_s = Watch(alerts), quiet_s(scenario)
    closed_ms = scenario.start_ms + (begin_s + SETTLED_S) * 1000
    end_ms = scenario.start_ms + (begin_s + WATCHED_S) * 1000
    play(scenario, end_ms - scenario.start_ms, [alerts, watch], watched=watch.look)
    run = played_run(scenario, end_ms + LATER_S * 1000 - scenario.start_ms, truth)
    run.advance(end_ms - scenario.start_ms)
    yield from _as_judged(run.simulation, truth, alerts, closed_ms, end_ms)
    run.advance(run.until_ms)
    for alert in alerts.all:
        if alert.found_ms >= closed_ms:
            yield from _is_true(alert, truth)
    last_ms = max((time_ms for time_ms, *_ in truth.given), default=0)
    for ask, since_ms in watch.waits.items():
        stuck_ms = max(since_ms, closed_ms, truth.last_of(*ask))
        if last_ms - stuck_ms <= IMMINENT_MS:
            stuck_ms = max(stuck_ms, last_ms)  # the freeze is reported, when it forms
        is_never = truth.start_of(*ask, end_ms) is None and ask[0] not in truth.over and ask not in truth.withdrawn
        if is_never and end_ms > stuck_ms + WITHIN_MS:
            stretches = watch.uncovered.get(ask, [])
            late_ms = max((end - max(begin, stuck_ms) for begin, end in stretches), default=0)
            seconds = (stuck_ms - scenario.start_ms) / 1000
            yield Claim("alerts", late_ms <= WITHIN_MS, f"ask {ask}, stuck from {seconds} s on, {late_ms} ms without")
    for time_ms, alert in watch.stale[:1]:
        yield Claim("alerts", False, f"{alert.sentence} lasts at {time_ms}")


def _as_judged(simulation: Simulation, truth: Truth, alerts: Alerts, quiet_ms: int, end_ms: int) -> Iterator[Claim]:
    """Whoever never starts is in an alert or a freeze, and an alert `stuck` is about nobody who starts."""
    told = {
        number: alert for alert in alerts.active_alerts for number in alert.applications[:1] if alert.kind == "stuck"
    }
    basis: SharedLookahead | None = None
    for each in asking(simulation.control_plane.view()):
        question = WhyQuestion(simulation, each.number, basis=basis)
        basis = question.basis or basis
        answer = question.answer()
        is_never = any(found.is_never and found.verdict != "starving" for found in question.verdicts)
        if is_never and end_ms - max(each.unmet_since_ms or 0, quiet_ms, truth.last_of(each.number)) > WITHIN_MS:
            is_covered = each.number in alerts.known or (alerts.frozen is not None and each.waiting_since_ms is None)
            yield Claim("alerts", is_covered, f"{each.number} is {answer.verdict} at {end_ms}, and in no alert")
        if each.number in told:
            is_stuck = any(found.expected_start_ms is None for found in question.verdicts)
            yield Claim("alerts", is_stuck, f"{told[each.number].sentence}, and it starts: {question.verdicts}")


def _is_asked(priorities: list[int], ask: Ask) -> bool:
    return not priorities or ask[1] in priorities


def _is_true(alert: Alert, truth: Truth) -> Iterator[Claim]:
    """Whether what is said of the first application of an alert is so."""
    after = [(number, of) for time_ms, number, of in truth.given if time_ms > alert.found_ms]
    if alert.kind == "frozen":
        yield Claim("alerts", not after, f"{alert.sentence}: {after[:3]} are given something")
    elif alert.kind == "stuck":
        ask = (alert.applications[0], alert.priority)
        found = [each for each in after if each[0] == ask[0] and ask[1] in (None, each[1])]
        yield Claim("alerts", not found, f"{alert.sentence}: {found[:3]}")
