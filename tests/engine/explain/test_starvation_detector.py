"""Alerts for part of a cluster: somebody is given nothing any more, or not for long, while others go on."""

import pytest

from engine.explain.alert import LONG_MS, Alert
from engine.explain.alerts import Alerts, FreezeDetector
from engine.explain.explainers import explainer_of
from engine.explain.instant import instant_of, longest_wait
from engine.explain.point_of_no_return import Search
from engine.explain.remedy import remedy_sentence
from engine.explain.starvation import LEAST, SCAN_MS, SHARE
from engine.explain.why_question import WhyQuestion
from engine.formats.scenario_toml import load
from engine.incremental import UNBOUNDED
from engine.observe.journal import Fingerprint
from engine.run import play
from engine.scenario import Scenario
from engine.scenario.acts import ResizeNode, SetPreemption, SetQueueSetting
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import Timeline
from tests.engine.explain.stuck import HALVES, app, at, numbers, queue, scene
from tests.engine.explain.test_spark import REPORT, workers

CALM = app("calm", '{ memory = "1g", count = 1000, duration = "15s" }', queue="root.calm", waits=False)
"""Work for ten minutes and more, in small pieces that always find room."""

FEW, MANY = CALM.replace("1000", "150"), CALM.replace("1000", "2412")

ARRIVING = app("calm", '{ memory = "1g", duration = "20s" }', queue="root.calm", waits=False).replace(
    "asks =", "repeat = { times = 40, every = 15 }\nasks ="
)
"""A small job every fifteen seconds for ten minutes."""

OFF = '"schedlab.reservation.rule" = "off"'

LIMITED = queue("a", "max_running_apps = 1") + app("first", '{ memory = "1g" }')
SECOND = app("second", '{ memory = "1g" }', at=30)
JOBS = [app(f"job{turn}", '{ memory = "6g", duration = "5s" }', at=3) for turn in range(12)]
CROWD = app("first", '{ memory = "10g", count = 2, duration = "2m" }') + "".join(JOBS)
SOON = app("first", '{ memory = "10g", count = 2, duration = "80s" }') + "".join(JOBS[:4])
SLEEPS = app("one", '{ memory = "10g", count = 2, duration = "3m" }')
FILLS = app("filler", '{ memory = "1g", count = 40, duration = "2m" }', waits=False)
FREES = '\n[[script]]\ndo = "kill"\nat = 300\napplication = "first"\n'
LIMIT, BEHIND = ("stuck", "queue limit", 3), ("held-up", "FIFO head of line")
KEEPER, ROOMLESS = app("keeper", '{ memory = "7g", count = 2 }'), app("large", '{ memory = "4g" }', at=2)


def told(scenario: Scenario, seconds: int = 600) -> list[Alert]:
    alerts = Alerts()
    play(scenario, seconds * 1000, [alerts], watched=alerts.watch)
    return alerts.all


def kinds(alerts: list[Alert]) -> list[tuple[str, str, int]]:
    return [(each.kind, each.pattern, (*each.applications, 0)[0]) for each in alerts]


def test_some_that_wait_for_each_other_are_told_while_others_go_on() -> None:
    (alert,) = told(scene(HALVES + CALM, settings=OFF), seconds=120)

    assert (alert.kind, set(alert.applications)) == ("stuck", {1, 2})
    assert alert.sentence.endswith("they wait for each other")
    assert LONG_MS <= alert.found_ms - alert.since_ms < LONG_MS + SCAN_MS


def test_who_is_behind_another_in_it_is_told_of_as_soon() -> None:
    """Asked about sooner, as others come first by rule, it is asked about again once its wait is long."""
    scenario, alerts = scene(HALVES + CALM, top='scheduler = "fifo"'), Alerts()
    play(scenario, 88_000, [alerts], watched=alerts.watch)

    assert alerts.known == {1, 2}


@pytest.mark.parametrize(
    ("text", "at_ms", "pieces", "told_of"),
    [
        *[(HALVES + MANY, 100_000, 225, 0), (HALVES + MANY, 100_000, 226, 1)],
        *[(LIMITED + SECOND + FEW, 100_000, 15, 0), (LIMITED + SECOND + FEW, 100_000, 16, 1)],
        *[(KEEPER + ROOMLESS + FEW, 100_000, -85, 0), (KEEPER + ROOMLESS + FEW, 100_000, -84, 1)],
        *[(LIMITED + SECOND + CALM, 41_889, LEAST, 0), (LIMITED + SECOND + CALM, 41_890, LEAST, 1)],
    ],
)
def test_a_question_takes_all_of_the_share_which_must_be_sixteen_pieces(
    text: str, at_ms: int, pieces: int, told_of: int
) -> None:
    """A hundred more are kept for the first one about who finds no room; whoever may be blocked waits ten seconds."""
    scenario, alerts = scene(text, settings=OFF), Alerts()
    simulation = build_simulation(scenario, [alerts])
    simulation.run_until(scenario.start_ms + at_ms)
    leave(simulation, pieces)

    assert len(alerts.look(simulation)) == told_of


@pytest.mark.parametrize(
    ("scenario", "looks_s", "pieces"),
    [
        (load("preemption-livelock-capacity"), (64,), 8),
        (scene(CROWD), (70,), 20),
        (scene(SOON, top='scheduler = "fifo"'), (70,), 7),
        (scene(HALVES + CALM.replace("1000", "100") + SECOND.replace("30", "100"), settings=OFF), (85, 150), 12),
    ],
    ids=["goes round", "starts", "starts soon behind others", "cycle before a freeze"],
)
def test_what_the_closed_world_tells_takes_no_work_of_its_own(
    scenario: Scenario, looks_s: tuple[int, ...], pieces: int
) -> None:
    """A question ends where it goes round; none is about who starts, or is in a cycle as before."""
    alerts = Alerts()
    simulation = build_simulation(scenario, [alerts])
    for seconds in looks_s:
        simulation.run_until(scenario.start_ms + seconds * 1000)
        _ = alerts.look(simulation, pieces if seconds == looks_s[-1] else UNBOUNDED)

    assert alerts.idle(simulation)


def test_who_waits_beside_full_or_reserved_nodes_is_told_from_whom_no_node_can_hold() -> None:
    simulation = at(scene(KEEPER + ROOMLESS + app("third", '{ memory = "1g" }', at=4)), 6)
    assert explainer_of(simulation).is_merely_full(3)
    for node, is_full in zip(simulation.world.nodes, (True, False), strict=True):
        simulation.act(ResizeNode(node.id, 2048, 8))
        assert explainer_of(simulation).is_merely_full(2) is is_full


def leave(simulation: Simulation, pieces: int) -> None:
    """Set how many pieces of work are left for questions, as if the others had been done."""
    simulation.world.heartbeats = (pieces - LEAST) * SHARE


@pytest.mark.parametrize(
    ("asked_s", "again_ms", "limit", "is_judged"),
    [
        *[((), 0, 1, True), ((), 0, 2, True), ((0,), 4_999, 2, False), ((0,), 5_000, 2, True)],
        *[((0, 5, 10), 19_999, 2, False), ((0, 5, 10), 20_000, 2, True), ((0, 5, 10, 20, 40), 80_000, 2, True)],
        *[((0, 20, 80), 139_999, 2, False), ((0, 20, 80), 140_000, 2, True)],
    ],
)
def test_an_alert_is_asked_about_when_the_time_since_an_act_has_doubled_until_it_is_judged(
    asked_s: tuple[int, ...], again_ms: int, limit: int, is_judged: bool
) -> None:
    """At most a minute apart, where too little is left for what is asked about it."""
    scenario, alerts = scene(LIMITED + SECOND.replace("1g", "6g") + MANY, settings=OFF), Alerts()
    simulation = build_simulation(scenario, [alerts])
    simulation.run_until(acted_ms := scenario.start_ms + 60_000)
    (_,) = alerts.look(simulation)
    _ = simulation.act(SetQueueSetting("root.a", "maxRunningApps", str(limit)))
    for turn, seconds in enumerate(asked_s):
        simulation.run_until(acted_ms + seconds * 1000)
        leave(simulation, 43 + 16 * turn)
        assert alerts.look(simulation) == []
    simulation.run_until(acted_ms + again_ms)
    leave(simulation, UNBOUNDED)

    assert len(alerts.look(simulation)) == (is_judged and limit == 2)
    simulation.run_until(simulation.now_ms + LONG_MS)
    assert (alerts.look(simulation, 3), alerts.idle(simulation)) == ([], is_judged)


@pytest.mark.parametrize(("value", "told_of"), [("1", []), ("0", [LIMIT])])
@pytest.mark.parametrize(
    ("more", "at_s"), [("", 120), (app("later", '{ memory = "1g" }', at=150, queue="root.calm"), 170)]
)
def test_whom_an_act_keeps_from_an_expected_start_is_told_within_a_minute(
    more: str, at_s: int, value: str, told_of: list[object]
) -> None:
    """Also who was asked about shortly before, as somebody submitted something, and would be again minutes later."""
    ends = LIMITED.replace('memory = "1g" }', 'memory = "1g", duration = "15m" }')
    limit = f'queue = "root.a"\nkey = "maxRunningApps"\nvalue = "{value}"'
    act = f'\n[[script]]\ndo = "queue-setting"\nat = {at_s}\n{limit}\n'

    assert kinds(told(scene(ends + SECOND + CALM + more + act), seconds=at_s + 70)) == told_of


@pytest.mark.parametrize(
    ("scheduler", "text", "found"),
    [
        ("fair-2.7", HALVES.replace('priority = 2, memory = "6g"', 'priority = 2, memory = "4g"') + CALM, []),
        ("fair-2.7", LIMITED.replace("= 1\n", "= 2\n", 1) + SECOND + CALM, []),
        ("fair-2.7", LIMITED + SECOND + SECOND.replace("30", "90") + CALM, [LIMIT]),
        ("fair-2.7", LIMITED + SECOND + CALM + FREES, [LIMIT, ("over", "", 3)]),
        ("fair-2.7", LIMITED + SECOND + ARRIVING, [("frozen", "queue limit", 4), ("over", "", 0), (*LIMIT[:2], 4)]),
        ("fair-2.7", app("vast", '{ memory = "1g" }', am='{ memory = "20g" }'), [("refused", "", 1)]),
        ("fair-2.7", SLEEPS + app("other", '{ memory = "10g" }', at=9), []),
        ("fifo", FILLS + SECOND.replace('1g"', '1g", duration = "9s"'), [(*BEHIND, 2), ("over", "", 2)]),
    ],
)
def test_what_is_told(scheduler: str, text: str, found: list[object]) -> None:
    """Nothing where all go on; who is at a limit once for a queue, until it is served, and again after a freeze."""
    assert kinds(told(scene(text, settings=OFF, top=f'scheduler = "{scheduler}"'))) == found


def test_what_is_impossible_is_told_soon() -> None:
    turns = [(f"job{turn}", turn, REPORT.replace("cores_max = 8", "cores_max = 24")) for turn in range(4)]
    scenario = workers(*turns, ("large", 10, REPORT.replace("4g", "20g")))
    alerts = told(scenario)

    assert kinds(alerts)[0] == ("stuck", "no worker large enough", 5)
    assert alerts[0].found_ms - scenario.start_ms < 25_000
    assert told(workers(("calm", 0, REPORT), ("large", 10, REPORT.replace("4g", "16g")))) == []


@pytest.mark.long
@pytest.mark.parametrize("text", [HALVES + CALM, LIMITED + SECOND + ARRIVING])
def test_watching_changes_no_byte_of_the_journal(text: str) -> None:
    prints = []
    for is_watched in (True, False):
        alerts, fingerprint = Alerts(), Fingerprint()
        play(scene(text), 300_000, [fingerprint, alerts], watched=alerts.watch if is_watched else None)
        prints.append(fingerprint.hexdigest())

    assert prints[0] == prints[1]


def test_an_outage_ends_the_alert_of_whom_it_keeps() -> None:
    """As soon as it is found, as what was proved may be wrong after it; who is given nothing then is told of anew."""
    away = '\n[[faults]]\ndo = "rm_restart"\nat = 60\ndown = 60\n'
    recovers = '"yarn.resourcemanager.recovery.enabled" = true'
    found = told(scene(LIMITED + SECOND + CALM + away, settings=recovers), seconds=240)

    assert [each.kind for each in found] == ["stuck", "outage", "over", "over", "stuck"]
    assert found[2].sentence == "queue limit: application 3 in root.a waits for the end of an outage"
    assert found[2].found_ms == found[1].found_ms


# The incident: when its deadlock forms, how it comes round, and until when it could have been prevented.

SCENARIO = "reservation-deadlock"
FORMED_MS = 2_090_547
"""The last allocation before the silence, 09:04:50.547 [ms after the start]."""


@pytest.mark.long
def test_the_incident_is_told_within_ten_seconds_of_its_forming() -> None:
    scenario, alerts = load(SCENARIO), Alerts()
    play(scenario, 3_600_000, [alerts], watched=alerts.watch)
    (alert,) = alerts.all

    assert (alert.kind, alert.verdict, alert.pattern) == ("frozen", "deadlocked", "reservation deadlock")
    assert alert.since_ms - scenario.start_ms == FORMED_MS
    assert 0 < alert.found_ms - alert.since_ms <= 10_000


@pytest.mark.long
def test_the_cycle_is_that_of_the_incident() -> None:
    """The weekly job waits for what holders keep, and they for what is reserved for it."""
    proof = WhyQuestion(instant_of(load(SCENARIO), 5_400_000).simulation, 183_354).answer().proof
    assert proof is not None

    steps = [(*numbers((step.application, step.waits_for)), step.because) for step in proof.cycle]

    assert steps == [(183_354, 183_314, "DOES_NOT_FIT"), (183_314, 183_354, "NODE_RESERVED")]


@pytest.mark.long
def test_the_point_of_no_return_is_the_instant_it_forms() -> None:
    """Until then a kill of the weekly job or no reservations at all would have done; other kills only for seconds."""
    scenario = load(SCENARIO)
    past, start_ms = Timeline(build_simulation(scenario)), scenario.start_ms
    past.follow([], start_ms + FORMED_MS + 10_000)
    search = Search(past, start_ms + FORMED_MS, past.now_ms)
    while not search.advance(100):
        assert search.tried <= (search.of or 0)

    found = search.answer()

    assert (found.formed_ms - start_ms, found.latest_ms) == (FORMED_MS, start_ms + FORMED_MS)
    assert search.tried == search.of
    assert found.inevitable_ms - start_ms == 1_825_000
    assert {remedy_sentence(rescue.remedy) for rescue in found.remedies[:3]} == {
        "kill application 183354 (pyspark weekly model)",
        "set the reservation rule to limited",
        "set the reservation rule to off",
    }
    assert all(rescue.latest_ms - start_ms < 1_850_000 for rescue in found.remedies[3:])


@pytest.mark.long
def test_a_finished_application_is_asked_about_in_its_longest_wait() -> None:
    found = longest_wait(load(SCENARIO), "183320")
    assert found is not None

    assert WhyQuestion(found.simulation, 183_320, found.facts).answer().verdict == "deadlocked"


@pytest.mark.parametrize(("number", "keepers"), [(10, [1]), (16, [1, 2, 3]), (20, [1])])
def test_the_recorded_incident_is_blocked_and_not_deadlocked(number: int, keepers: list[int]) -> None:
    """Services keep every node from ever having 64000 MB; those are named whose end would help who is asked about."""
    answer = WhyQuestion(instant_of(load(f"{SCENARIO}-recorded"), 60_000).simulation, number).answer()

    assert answer.proof is not None
    assert (answer.verdict, numbers(answer.proof.for_ever)) == ("blocked", keepers)


def test_it_formed_no_sooner_than_the_last_act() -> None:
    simulation = at(scene(HALVES), 60)
    formed_ms = []
    for acts in (False, True):
        other = FreezeDetector()
        simulation.listeners.append(other)
        if acts:
            simulation.act(SetPreemption(False))
        simulation.run_until(simulation.now_ms + 10_000)
        assert other.look(simulation)
        formed_ms.append(other.formed_ms)

    assert formed_ms[1] == simulation.now_ms - 10_000
    assert formed_ms[0] is not None
    assert formed_ms[0] < simulation.now_ms - 20_000
