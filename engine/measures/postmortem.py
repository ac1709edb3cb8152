"""The facts of an incident for a page about it: what stood, since when, why, the waits, what would have helped.

Every answer is the one that `why`, `fix` and `snapshot` give at the instant that is judged.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from engine.errors import RefusedError
from engine.explain.alert import Episode, episodes_of
from engine.explain.alerts import Alerts
from engine.explain.answer import LastChanceReport, RemediesReport, WhyReport
from engine.explain.change import Asked
from engine.explain.instant import Instant, instant_of
from engine.explain.point_of_no_return import Search
from engine.explain.remedy_report import remedies_report, with_found
from engine.explain.remedy_search import RemedySearch
from engine.explain.sensitivity import sensitivities_in_time
from engine.explain.start_search import StartSearch
from engine.explain.why_question import WhyQuestion
from engine.measures import ApplicationTimes, Meter, RunMeasures
from engine.model.decision import Reserved
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import snapshot_of_simulation
from engine.run.player import Run
from engine.scenario import Scenario
from engine.simulation.build import build_simulation
from engine.simulation.records import Listener, Record
from engine.simulation.timeline import Timeline

Spend = Callable[[Callable[[], bool]], bool]
"""Does pieces of some work until it says that it is done, or no time is left; whether it is done."""

SLICE_MS: Final = 5_000  # Simulated time between two looks of the alerts
_GRAVITY: Final = ("frozen", "livelock", "stuck", "held-up", "outage", "alarm")  # Kinds of alerts, the gravest first


class FirstReservations(msgspec.Struct, frozen=True):
    """The nodes that one application reserved first, one after another."""

    application: int
    first_ms: int  # Epoch ms, as below
    last_ms: int
    nodes: int  # How many different ones


class Incident(msgspec.Struct, frozen=True):
    at_ms: int  # The instant that is judged [epoch ms]
    until_ms: int  # The end of what was played
    episode: Episode | None  # The alert it is about, with its end; None where nothing was wrong
    alerts: tuple[Episode, ...]
    snapshot: Snapshot
    why: WhyReport | None  # About the application of the alert that has waited longest
    remedies: RemediesReport | None
    reserved: tuple[FirstReservations, ...]  # The application with most reserved nodes first
    measures: RunMeasures  # From the start to the instant
    applications: tuple[ApplicationTimes, ...]  # The longest waiting first
    unfinished: tuple[str, ...] = ()  # Parts for which there was not enough time


class _Reservations:
    def __init__(self) -> None:
        self._nodes: dict[int, dict[str, int]] = {}

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Reserved):
                self._nodes.setdefault(record.container[0], {}).setdefault(record.node, time_ms)

    def found(self) -> tuple[FirstReservations, ...]:
        rows = [
            FirstReservations(number, min(nodes.values()), max(nodes.values()), len(nodes))
            for number, nodes in self._nodes.items()
        ]
        return tuple(sorted(rows, key=lambda each: (-each.nodes, each.first_ms)))


def worst_of(episodes: Sequence[Episode], until_ms: int) -> Episode | None:
    """The gravest alert: one that stands before one that is over, then by kind, then the longest."""

    def key(each: Episode) -> tuple[int, bool, int]:
        kind = _GRAVITY.index(each.alert.kind) if each.alert.kind in _GRAVITY else len(_GRAVITY)
        lasts_ms = (until_ms if each.until_ms is None else each.until_ms) - each.alert.since_ms
        return kind, each.until_ms is not None, -lasts_ms

    return min((each for each in episodes if each.alert.kind in _GRAVITY), key=key, default=None)


def incident_in(
    scenario: Scenario, at_ms: int | None, begin: Callable[[], Spend], progressed: Callable[[int], object]
) -> Incident:
    """Play a scenario, which has all that came from outside as its script, and ask about the worst that happened in it.

    `at_ms` is the instant that is judged [ms after the start]; None is the end of the worst alert, or the end. `begin`
    gives the time for one more question. Raises ConfigError if the scheduler refuses the scenario's settings.
    """
    alerts = Alerts()
    end_ms = scenario.duration_ms if at_ms is None else at_ms
    _play(scenario, end_ms, (alerts,), progressed)
    episodes = episodes_of(alerts.all)
    episode = worst_of(episodes, scenario.start_ms + end_ms)
    if at_ms is None:
        over_ms = None if episode is None else episode.until_ms
        at_ms = end_ms if over_ms is None else _before(scenario, over_ms)
    meter, reservations = Meter(), _Reservations()
    _play(scenario, at_ms, (meter, reservations), progressed, meter)
    now_ms = scenario.start_ms + at_ms
    found = instant_of(scenario, at_ms)
    unfinished = list[str]()
    why = _why(scenario, found, episode, begin, unfinished)
    remedies = _remedies(scenario, found, begin, unfinished)
    waited = sorted(meter.applications, key=lambda each: -(each.wait_ms(now_ms) or 0))
    return Incident(
        now_ms,
        scenario.start_ms + end_ms,
        episode,
        tuple(episodes),
        snapshot_of_simulation(found.simulation),
        why,
        remedies,
        reservations.found(),
        meter.measures(now_ms),
        tuple(waited),
        tuple(unfinished),
    )


def _before(scenario: Scenario, over_ms: int) -> int:
    """The last whole second before an alert was over [ms after the start], so that it is easily written."""
    return max(0, (over_ms - scenario.start_ms - 1) // 1000 * 1000)


def _play(
    scenario: Scenario,
    until_ms: int,
    listeners: Sequence[Listener],
    progressed: Callable[[int], object],
    meter: Meter | None = None,
) -> None:
    run = Run(scenario, listeners, until_ms, is_judged=False)
    if meter is not None:
        meter.follow(run.simulation)
    now_ms = 0
    while now_ms < until_ms:
        now_ms = min(now_ms + SLICE_MS, until_ms)
        run.advance(now_ms)
        for each in listeners:
            if isinstance(each, Alerts):
                each.look(run.simulation)
        progressed(now_ms)


def asked_about(episode: Episode | None, snapshot: Snapshot) -> int | None:
    """The application the page asks about: the first that the alert names, else the one that waits longest."""
    if episode is not None and episode.alert.applications:
        return episode.alert.applications[0]
    waiting = [row for row in snapshot.applications(why=False) if row.waiting_since_ms is not None]
    return min(waiting, key=lambda row: row.waiting_since_ms or 0).number if waiting else None


def _why(
    scenario: Scenario,
    found: Instant,
    episode: Episode | None,
    begin: Callable[[], Spend],
    unfinished: list[str],
) -> WhyReport | None:
    simulation = found.simulation
    number = asked_about(episode, snapshot_of_simulation(simulation))
    if number is None:
        return None
    question = WhyQuestion(simulation, number, found.facts)
    try:
        is_whole = begin()(question.advance)
    except RefusedError:
        return None
    why = question.so_far()
    turning = None
    if why.verdict == "deadlocked":
        turning = _turning(scenario, found, episode, begin())
        unfinished += [] if turning else ["until when it could have been prevented"]
    if not is_whole:
        unfinished.append("the verdict")
    return msgspec.structs.replace(
        why,
        point_of_no_return=turning,
        looked_until_ms=None if is_whole else question.reached_ms or simulation.now_ms,
        assumed=sensitivities_in_time(scenario, simulation, question.targets, begin()),
    )


def _turning(scenario: Scenario, found: Instant, episode: Episode | None, spend: Spend) -> LastChanceReport | None:
    """Until when it could have been prevented: asked as soon as the alert was found, as what came later is no help."""
    simulation = found.simulation
    now_ms = simulation.now_ms if episode is None else min(simulation.now_ms, episode.alert.found_ms)
    past = Timeline(build_simulation(scenario))
    past.follow([each for each in simulation.acts if each[0][0] <= now_ms], now_ms)
    given = [time_ms for time_ms, _ in found.facts.allocated if time_ms <= now_ms]
    search = Search(past, max(given[-1] if given else past.first_ms, past.first_ms), now_ms)
    return search.answer() if spend(search.advance) else None


def _remedies(
    scenario: Scenario, found: Instant, begin: Callable[[], Spend], unfinished: list[str]
) -> RemediesReport | None:
    simulation = found.simulation
    search = RemedySearch(simulation, ())
    if not begin()(search.advance):
        unfinished.append("remedies in full")
    remedies = search.found()
    if remedies is None or not search.opened:
        return None
    answer = remedies_report(simulation.control_plane, remedies)
    if not remedies.targets:
        return answer
    codes = {each.code for number in dict.fromkeys(n for n, _ in remedies.targets) for each in found.facts.of(number)}
    begun = StartSearch(scenario, simulation.now_ms - scenario.start_ms, Asked(remedies.targets), codes)
    if not begin()(begun.advance):
        unfinished.append("what would have prevented it")
    return with_found(answer, simulation, remedies.targets, begun)
