"""Answers: reasons with numbers and what decides them, holders, places, and the document made of them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC
from pathlib import Path

import pytest

from engine.explain.alert import LONG_MS, Alert
from engine.explain.alerts import CHANGED, Alerts
from engine.explain.answer import ENDS_LATER, NEVER_ENDS, ReturnReport, WhyReport
from engine.explain.counterfactuals import Lookahead
from engine.explain.explainers import explainer_of
from engine.explain.instant import SharedLookahead, instant_of
from engine.explain.starvation import SCAN_MS
from engine.explain.why_question import WhyQuestion
from engine.formats.scenario_toml import load, loads
from engine.model.decision import Allocated, owner_of
from engine.run import play
from engine.scenario import Scenario
from engine.scenario.acts import DrainNode, KillApplication
from engine.schedulers.interface import Setting
from engine.simulation.build import build_simulation
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, at, numbers, queue, scene, why
from tests.gates.bench.starts import scenario_of
from tui.pages.verdict_text import why_lines
from tui.terminal.format import RelativeTimeFormat


def first(answer: WhyReport) -> tuple[str, dict[str, int], str]:
    row = answer.reasons[0]
    return row.code, row.numbers, f"{row.decided_by.key} = {row.decided_by.value}" if row.decided_by else ""


def test_application_masters_over_their_share_are_named() -> None:
    masters = "".join(app(f"job{n}", '{ memory = "1g" }', at=n, am='{ memory = "3g" }') for n in range(1, 5))
    found = first(why(scene(queue("a", "max_am_share = 0.2") + masters), 30, 2))

    assert (found[0], found[2]) == ("AM_SHARE_EXHAUSTED", "root.a.maxAMShare = 0.2")


def test_the_places_tell_who_waits() -> None:
    simulation = at(scene(HALVES), 60)

    assert numbers(each.application for each in explainer_of(simulation).waiting_in_queue("root.a")) == [1, 2]
    assert [len(each.reasons) for each in explainer_of(simulation).waiting_for_node("n1:8041")] == [1, 1]
    assert list(explainer_of(simulation).waiting_in_queue("root.b")) == []


def test_a_closed_world_hears_of_no_later_arrival() -> None:
    ahead = Lookahead(
        at(scene(app("one", '{ memory = "1g", duration = "20s" }') + app("late", '{ memory = "1g" }', at=60)), 10)
    )
    while not ahead.advance():
        pass

    assert (ahead.still, 2 in ahead.first) == (True, False)


def test_only_who_was_never_taken_in_is_refused() -> None:
    job = '[[workload]]\ntype = "mapreduce"\nname = "job"\nuser = "ann"\nqueue = "root.a"\nmaps = 1\nfailures = 0.99\n'
    failed = why(scene(job), 600, 1)
    killed = at(scene(app("killed", '{ memory = "1g" }')), 9)
    killed.act(KillApplication(1))

    assert (failed.application.state, failed.verdict) == ("FAILED", "ended")
    assert WhyQuestion(killed, 1).so_far().verdict == "ended"
    assert why(scene(queue("a.b") + app("away", '{ memory = "1g" }')), 9, 1).verdict == "refused"


def _whys_of(case: int) -> Iterator[tuple[Simulation, WhyReport]]:
    """The answers about every application of a random cluster, at some instants of its run."""
    scenario = scenario_of(case)
    simulation = build_simulation(scenario)
    for seconds in (40, 200, 500, 900, 1800):
        simulation.run_until(scenario.start_ms + seconds * 1000 + case % 1000)
        basis: SharedLookahead | None = None
        for number in range(1, 30):
            question = WhyQuestion(simulation, number, basis=basis)
            basis = question.basis or basis
            yield simulation, question.answer()


def _check(simulation: Simulation, answer: WhyReport) -> None:
    """An answer names its verdict and only living holders, itself only in a circle, and can be written down."""
    alive = {each.number for each in simulation.control_plane.view().applications()}
    circle = {*numbers(step.application for step in answer.proof.cycle)} if answer.proof is not None else set()

    assert answer.verdict
    assert {*numbers(holder.application for holder in answer.holders)} <= alive - ({answer.application.number} - circle)
    assert all("?" not in row.sentence for row in answer.reasons)
    assert json.dumps(answer.written(UTC))


@pytest.mark.long
@pytest.mark.parametrize("case", range(3))
def test_every_application_can_be_asked_about_at_any_instant(case: int) -> None:
    """Under every policy, also those that ended, were refused or are not there; nothing fails."""
    for simulation, answer in _whys_of(case):
        _check(simulation, answer)


@pytest.mark.long
@pytest.mark.parametrize("case", range(3, 203))
def test_two_hundred_random_runs_can_be_asked_about(case: int) -> None:
    for simulation, answer in _whys_of(case):
        _check(simulation, answer)


def test_that_it_never_starts_is_told_before_who_keeps_what_it_needs() -> None:
    """Every one of them takes a closed world of its own; the verdict stays what it was."""
    question = WhyQuestion(
        at(scene(app("holder", '{ memory = "8g", count = 2 }') + app("late", '{ memory = "8g" }', at=10)), 30), 2
    )
    while not question.so_far().verdict:
        assert not question.advance()
    early, answer = question.so_far(), question.answer()

    assert (early.verdict, early.holders, early.proof and early.proof.for_ever) == ("blocked", (), ())
    assert (answer.verdict, held_by(answer)) == ("blocked", [1])


# Scenarios in which an answer once named the wrong thing: one test for each says what is right.

CASES = Path(__file__).parents[2] / "cases" / "recorded" / "why"


def case(name: str) -> Scenario:
    return load(str(CASES / f"{name}.toml"))


def standing(name: str, seconds: float) -> Simulation:
    return instant_of(case(name), int(seconds * 1000)).simulation


def asked(name: str, application: str, seconds: float) -> WhyReport:
    simulation = standing(name, seconds)
    number = next(each.number for each in simulation.control_plane.view().applications() if each.name == application)
    return WhyQuestion(simulation, number).answer()


class Given:
    """A listener that keeps when an application is given something."""

    def __init__(self, application: int) -> None:
        self._application = application
        self.times_ms: list[int] = []

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        containers = (record.container for record in records if isinstance(record, Allocated))
        self.times_ms += [time_ms for container in containers if owner_of(container) == self._application]


def first_start_s(name: str, application: int, after_s: float) -> float | None:
    """When an application is really given something after an instant [s after the start]."""
    scenario, given = case(name), Given(application)
    build_simulation(scenario, [given]).run_until(scenario.start_ms + scenario.duration_ms)
    return next((each / 1000 for ms in given.times_ms if (each := ms - scenario.start_ms) > after_s * 1000), None)


def test_who_lets_offers_pass_is_not_blocked() -> None:
    """One node a second is offered, so twenty offers take longer than ten rounds; then any place will do."""
    answer = asked("delay-few-offers", "X", 24)

    assert answer.verdict == "waiting"
    assert answer.expected_start_ms is not None
    start_s = (answer.expected_start_ms - case("delay-few-offers").start_ms) / 1000
    assert start_s == first_start_s("delay-few-offers", answer.application.number, 24)


@pytest.mark.long
def test_beyond_the_horizon_it_is_later_and_not_never() -> None:
    """A holder of thirty hours is not for ever; nothing freezes, and the alert says no more than the verdict."""
    answer = asked("long-holder", "next", 120)

    assert (answer.verdict, answer.expected_start_ms) == ("later", None)
    assert answer.proof is not None
    assert not answer.proof.still
    assert [holder.until_ms for holder in answer.holders] == [ENDS_LATER]


def sentences(name: str, application: str, seconds: float) -> list[str]:
    return [row.sentence for row in asked(name, application, seconds).reasons]


def test_where_vcores_are_short_vcores_are_told() -> None:
    """Memory would do on every node, so nothing is said of it, and the setting is that of vcores."""
    answer = asked("vcores-full", "late", 60)

    assert [row.sentence for row in answer.reasons] == [
        "2 of 2 nodes: too full, 1 vcore wanted and the freest has 0 vcores"
    ]
    assert answer.reasons[0].decided_by is not None
    assert answer.reasons[0].decided_by.key == "yarn.nodemanager.resource.cpu-vcores"


def test_nodes_are_grouped_by_the_dimension_that_binds() -> None:
    """Two have too few vcores at all; the third has vcores left, but neither enough of them nor memory."""
    assert sentences("too-small-vcores", "j", 60) == [
        "2 of 3 nodes: too small, 6 vcores wanted and the largest has 4 vcores",
        "1 of 3 nodes: too full, 2048 MB and 6 vcores wanted and the freest has 0 MB and 4 vcores",
    ]


def test_a_queue_maximum_that_one_more_would_exceed_tells_what_it_needs() -> None:
    """Under 3.x what is used is below the maximum, but not with what is asked for."""
    assert sentences("wrong-holder", "a2", 60)[0] == (
        "queue root.a uses 3072 MB of its maximum 4096 MB, this one needs 2048 MB"
    )


def test_only_who_is_in_the_way_is_a_holder() -> None:
    """An agent of another queue on the same nodes is named neither as a holder nor in the proof."""
    answer = asked("wrong-holder", "a2", 60)

    assert (answer.verdict, [holder.name for holder in answer.holders]) == ("blocked", ["a1"])
    assert answer.proof is not None
    assert answer.proof.for_ever == (answer.holders[0].application,)


def test_a_limit_on_masters_names_masters() -> None:
    """The tasks of the job that uses up the share have nothing to do with it."""
    simulation = standing("am-share-holders", 60)
    answer = WhyQuestion(simulation, 2).answer()
    (holder,) = answer.holders

    assert (holder.name, holder.container_count) == ("job1", 1)
    lines = why_lines(answer, RelativeTimeFormat(answer.at_ms, 0))
    reasons = [line for line in lines if line.startswith(("because", "and"))]
    assert len(reasons) == 1  # the nodes say no more than the queue does


def test_a_draining_node_is_not_too_small() -> None:
    simulation = standing("long-holder", 15)
    simulation.act(DrainNode("n1"))
    simulation.run_until(simulation.now_ms + 20_000)

    (row,) = WhyQuestion(simulation, 2).so_far().reasons

    assert (row.code, row.sentence) == ("NODE_DRAINING", "the only node: being drained")


@pytest.mark.long
def test_a_crowd_hides_nobody_whom_keepers_block() -> None:
    """Whom those that never end keep from starting is blocked whatever eighty jobs do; nothing else need be played."""
    answer = asked("stuck-in-a-crowd", "X", 3600)

    assert answer.proof is not None
    assert (answer.verdict, answer.proof.allocations) == ("blocked", 0)
    assert numbers(answer.proof.for_ever) == [1]
    assert ("agent", NEVER_ENDS) in [(holder.name, holder.until_ms) for holder in answer.holders]


def test_each_ask_has_a_verdict_of_its_own() -> None:
    """Small containers start all day long; the large one never does, and it is the one the answer is about."""
    simulation = standing("half-blocked", 100)
    answer = WhyQuestion(simulation, 2).answer()
    small, large = answer.application.listed_asks

    assert (small.priority, small.verdict, large.priority, large.verdict) == (5, "waiting", 9, "blocked")
    assert small.expected_start_ms is not None
    assert (answer.verdict, answer.expected_start_ms, answer.has_sooner_ask) == ("blocked", None, True)
    assert [holder.name for holder in answer.holders] == ["agent"]
    assert [row.sentence for row in answer.reasons] == [
        "1 of 2 nodes: too full, 8192 MB wanted and the freest has 6144 MB",
        "1 of 2 nodes: reserved by 0002 for 1024 MB, nothing for others",
    ]
    asks = [line for line in why_lines(answer, RelativeTimeFormat(answer.at_ms, 0)) if line.startswith("asks")]
    assert asks[0].endswith(": starts at 00:02:14.571")
    assert asks[1].endswith(": blocked")


def test_dynamic_allocation_from_zero_asks() -> None:
    """A second after its tasks began to wait, and twice as much a second later."""
    assert (
        asked("spark-dynamic-from-zero", "etl", 1.5).expected_start_ms
        == case("spark-dynamic-from-zero").start_ms + 2000
    )


def test_a_return_that_the_scenario_has_later_is_said() -> None:
    fault = '[[faults]]\ndo = "{}"\nnode = "n1"\nat = {}\n'.format
    text = (CASES / "silent-node.toml").read_text() + fault("return", 900)
    text += fault("lose", 1000) + fault("return", 1100)  # of a loss that is not counted either
    scenario = loads(text, "returns")
    simulation = build_simulation(scenario)
    simulation.run_until(scenario.start_ms + 120_000)
    answer = WhyQuestion(simulation, 1).answer()

    assert (answer.verdict, answer.not_counted) == (
        "outage",
        (ReturnReport(node="n1:8041", returns_ms=scenario.start_ms + 900_000),),
    )
    assert [row.sentence for row in answer.reasons] == [
        "the only node: silent for 115 s, believed alive for 484 s more"
    ]
    lines = why_lines(answer, RelativeTimeFormat(answer.at_ms, 0))
    assert lines[-1].endswith("not counted: n1 returns at 00:15:00")


def alerts_of(name: str, seconds: int) -> list[Alert]:
    alerts = Alerts()
    play(case(name), seconds * 1000, [alerts], watched=alerts.watch)
    return alerts.all


def test_a_driver_that_fits_no_worker_is_asked_about_like_an_application() -> None:
    """It waits before there is an application, and stands in the list by its own id."""
    answer = asked("spark-driver-waits", "big-driver", 60)

    assert (answer.application.id, answer.application.state) == ("driver-20240101000001-0000", "SUBMITTED")
    assert (answer.verdict, answer.pattern) == ("impossible", "no worker large enough")
    assert [row.sentence for row in answer.reasons] == [
        "2 of 2 workers: too small, 20480 MB wanted and the largest has 8192 MB"
    ]


@pytest.mark.parametrize(
    ("name", "kind", "applications"), [("spark-driver-waits", "frozen", (-1,)), ("livelock-hidden", "livelock", (1, 2))]
)
def test_whoever_waits_is_told(name: str, kind: str, applications: tuple[int, ...]) -> None:
    """Drivers without a worker, and livelocks of asks whose applications go on with others."""
    (alert,) = alerts_of(name, 60)

    assert (alert.kind, alert.applications) == (kind, applications)


@pytest.mark.parametrize(
    ("seconds", "words"), [(14, ["3 of its containers were preempted, the first 2s ago"]), (24, []), (28, [])]
)
def test_what_is_preempted_again_and_again_is_told_until_something_ends(seconds: float, words: list[str]) -> None:
    reasons = WhyQuestion(standing("livelock-hidden", seconds), 1).so_far().reasons
    told = [row.sentence for row in reasons if row.code == "LOST_TO_PREEMPTION"]

    assert [sentence.rpartition(", and")[0] for sentence in told] == words


@pytest.mark.long
def test_on_a_thousand_nodes_the_last_job_starts_when_it_is_said_to() -> None:
    simulation = standing("thousand", 100)
    answer = WhyQuestion(simulation, 8).answer()

    assert answer.verdict == "waiting"
    assert answer.expected_start_ms is not None
    start_s = (answer.expected_start_ms - case("thousand").start_ms) / 1000
    assert start_s == first_start_s("thousand", 8, 100)


def test_an_ask_that_holders_block_is_told_within_a_minute_though_another_goes_on() -> None:
    """What its own application does with its other asks for hours need not be played to know it."""
    (alert,) = alerts_of("half-blocked", 90)

    assert (alert.kind, alert.verdict, alert.applications, alert.priority) == ("stuck", "blocked", (2,), 9)
    assert alert.found_ms - alert.since_ms < LONG_MS + SCAN_MS


@pytest.mark.long
def test_in_a_crowd_whom_keepers_block_is_told_within_a_minute() -> None:
    """Eighty jobs wait before it, and take all of the share of questions but what is kept for the likes of it."""
    (alert,) = alerts_of("stuck-in-a-crowd", 700)

    assert (alert.kind, alert.verdict, alert.applications) == ("stuck", "blocked", (82,))
    assert alert.found_ms - alert.since_ms < LONG_MS + SCAN_MS


def held_by(answer: WhyReport) -> list[int]:
    return numbers(holder.application for holder in answer.holders)


def deciders(answer: WhyReport) -> list[str]:
    return _keys(row.decided_by for row in answer.reasons if row.decided_by)


def together(answer: WhyReport) -> list[str]:
    return _keys(each for row in answer.reasons for each in row.together)


def _keys(settings: Iterable[Setting]) -> list[str]:
    return list(dict.fromkeys(each.key.removeprefix("yarn.scheduler.capacity.") for each in settings))


def test_of_two_that_block_each_other_each_names_the_other() -> None:
    """Neither ever ends, so that neither waits in a circle; that it keeps what it has itself explains nothing."""
    first, second = (asked("blocking-each-other", name, 60) for name in ("A", "B"))

    assert (first.verdict, held_by(first), second.verdict, held_by(second)) == ("blocked", [2], "blocked", [1])


def test_behind_a_head_over_the_maximum_the_head_and_its_setting_are_named() -> None:
    """LeafQueue of 2.7 ends with the first application that the queue's maximum stops, though there is room."""
    answer = asked("head-over-maximum", "behind", 60)

    assert (answer.verdict, held_by(answer), deciders(answer)) == ("blocked", [1], ["root.a.maximum-capacity"])
    assert answer.reasons[-1].sentence.startswith("0001 wide comes first, and queue root.a uses 1024 MB")


def test_the_maximum_of_the_queue_above_is_named_where_it_decides() -> None:
    """The queue's own maximum is 100 % of what the one above it has."""
    assert deciders(asked("maximum-of-the-parent", "w1", 60)) == ["root.a.maximum-capacity"]


def test_of_several_settings_all_are_named_where_no_single_one_suffices() -> None:
    """One that stands in the way only after the others are loose counts as well."""
    first, second = asked("maximum-of-the-parent", "w0", 60), asked("am-limit-of-zero", "w7", 60)
    limits = ["user.max-parallel-apps", "root.a.maximum-capacity", "root.a.leaf-queue-template.user-limit-factor"]

    assert (deciders(first), together(first)) == ([], limits)
    assert (deciders(second), together(second)) == ([], ["root.a.maxAMShare", "root.a.maxResources"])


def test_what_decides_alone_in_the_cluster_is_in_the_proof() -> None:
    """Others keep it from starting as well, so that no setting decides as things are."""
    answer = asked("maximum-of-the-parent", "w2", 60)
    assert answer.proof is not None

    assert (deciders(answer), together(answer)) == ([], [])
    assert [row.decided_by.key for row in answer.proof.bound if row.decided_by] == [
        "yarn.scheduler.capacity.root.a.maximum-capacity"
    ]


@pytest.mark.long
def test_the_factor_of_a_users_limit_decides_that_on_masters_as_well() -> None:
    assert deciders(asked("user-am-limit", "w3", 60)) == ["root.b.leaf-queue-template.user-limit-factor"]


def test_a_freeze_that_only_something_new_ends_does_not_say_that_anything_was_allocated() -> None:
    alerts = Alerts()
    play(case("am-limit-of-zero"), 27_000, [alerts], watched=alerts.watch)

    assert [each.sentence for each in alerts.all if each.kind == "over"][-1] == CHANGED


def test_a_headline_counts_those_it_is_true_of_and_calls_a_driver_a_driver() -> None:
    """Ten contented jobs beside one large ask are no part of a freeze; a driver is no application yet."""
    contented = "".join(
        f'[[workload]]\ntype = "scripted"\nname = "c{each}"\nuser = "ann"\nat = 1\nam = "unmanaged"\n'
        'asks = [{ memory = "1g" }]\n'
        for each in range(3)
    )
    large = '[[workload]]\ntype = "scripted"\nname = "large"\nuser = "ann"\nat = 2\nasks = [{ memory = "6g" }]\n'
    cluster = '[cluster]\ngroups = [{ prefix = "n", count = 1, memory = "8g", vcores = 8 }]\n'
    alerts = Alerts()
    scenario = loads(f'duration = "1h"\nscheduler = "fair-2.7"\n{cluster}{contented}{large}am = "unmanaged"\n', "large")
    play(scenario, 60_000, [alerts], watched=alerts.watch)
    sentences = [each.sentence for each in (*alerts.all, *alerts_of("spark-driver-waits", 60))]

    assert sentences == [
        "blocked: nothing will be allocated any more to 1 application; holders never release what is needed",
        "no worker large enough: nothing will be allocated any more to 1 driver",
    ]
    assert alerts_of("spark-driver-waits", 60)[0].words == (
        "no worker large enough: driver 0000 is never given what it asks for"
    )


DRF = """<allocations><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
<queue name="root"><schedulingPolicy>drf</schedulingPolicy><queue name="a"/><queue name="b"/></queue></allocations>"""


@pytest.mark.parametrize(("count", "codes"), [(8, ["DOES_NOT_FIT"]), (9, ["DOES_NOT_FIT", "BELOW_SHARE"])])
def test_a_queue_above_its_share_of_vcores_could_give_some_back(count: int, codes: list[str]) -> None:
    """Of sixteen, of which each queue is due eight."""
    many = app("many", f'{{ memory = "1g", count = {count}, duration = "1h" }}', waits=False)
    wide = app("wide", '{ memory = "1g", vcores = 10, duration = "1h" }', queue="root.b", at=20)
    top = f"scheduler = 'fair-3.4'\nallocations = '''{DRF}'''"
    largest = '"yarn.scheduler.maximum-allocation-vcores" = 16'
    answer = why(scene(many + wide, nodes=1, memory="64g", top=top, settings=largest), 60, 2)

    assert [row.code for row in answer.reasons] == codes
