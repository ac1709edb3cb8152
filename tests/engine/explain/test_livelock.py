"""Containers taken back again and again: told from what happens, confirmed ahead, and over when one runs out."""

from functools import cache

from hypothesis import given

from engine.control_plane.protocol import Event
from engine.explain.answer import LastChanceReport, RefusalReport
from engine.explain.counterfactuals import Lookahead
from engine.explain.livelock import Livelock
from engine.explain.obstacles import FREE, obstacle_rows, obstacles_found
from engine.explain.point_of_no_return import Search, ends_deadlocked, formed, helps
from engine.explain.recent_decisions import RecentDecisions
from engine.formats.scenario_toml import load
from engine.incremental import run_to_end
from engine.model.decision import Allocated, Killed
from engine.observe.snapshots import held_now
from engine.scenario.acts import Act
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import Timeline
from tests.build import START_MS, attempt_of, resource_manager, submit
from tests.engine.explain.stuck import HALVES, app, at, scene
from tests.engine.schedulers.test_every_policy import POLICIES, QUEUES, SETTINGS, STATES

TAKEN = [Killed((number, 1, 2), "n1:8041", "PREEMPTED") for number in (1, 2)]
AT_ONCE = 1 << 40


def _at(name: str, seconds: int) -> Simulation:
    simulation = build_simulation(load(name))
    simulation.run_until(simulation.now_ms + seconds * 1000)
    return simulation


def test_it_takes_several_from_two_to_be_suspected() -> None:
    simulation, livelock = _at("pattern-preemption-livelock", 60), Livelock()
    livelock.on_records(0, TAKEN * 2)
    before = livelock.look(simulation, AT_ONCE)
    livelock.on_records(0, TAKEN)

    (alert,) = livelock.look(simulation, AT_ONCE)

    assert before == []
    assert (alert.kind, alert.applications) == ("livelock", (1, 2))
    assert alert.words == "preemption livelock: applications 1, 2"


def test_who_does_not_go_on_like_that_is_silent() -> None:
    """Where the closed world does not confirm it, it takes twice as many to be suspected again."""
    simulation, livelock = _at("pattern-preemption-livelock-twin", 1), Livelock()
    livelock.on_records(0, TAKEN * 3)

    assert livelock.is_due
    assert livelock.look(simulation, AT_ONCE) == []
    livelock.on_records(0, TAKEN)
    assert not livelock.is_due


def test_one_alone_is_told_where_what_is_taken_from_it_goes_to_it_again() -> None:
    """Nobody else is given anything, as CapacityScheduler serves the same queue first each time."""
    simulation, livelock = _at("preemption-livelock-capacity", 66), Livelock()
    livelock.on_records(0, [record for record in TAKEN * 3 if record.container[0] == 1])

    (alert,) = livelock.look(simulation, AT_ONCE)

    assert (alert.kind, alert.applications) == ("livelock", (1,))
    assert "go back to it" in alert.sentence


# What is remembered of refusals, allocations and waits.


def _allocated(number: int) -> Allocated:
    return Allocated((number, 1, 1), "n1:1", 1, 1024, 1)


def test_the_last_refusal_on_each_node_is_remembered() -> None:
    rm = resource_manager(nodes=2)
    number = submit(rm)
    facts, attempt = RecentDecisions(), attempt_of(rm, number)
    first, second = rm.cluster.nodes.values()
    facts.passed_over(attempt, first, Obstacle(Reason.DOES_NOT_FIT, (2, 1)))
    facts.passed_over(attempt, second, Obstacle(Reason.DOES_NOT_FIT, (2, 0)))
    facts.passed_over(attempt, first, Obstacle(Reason.NODE_RESERVED))
    told = facts.of(number)
    facts.on_records(5, [_allocated(number + 1)])
    stays = facts.of(number)
    facts.on_records(5, [_allocated(number)])

    assert told == (
        RefusalReport(node="n1:1", code="NODE_RESERVED", numbers=()),
        RefusalReport(node="n2:1", code="DOES_NOT_FIT", numbers=(2, 0)),
    )
    assert (stays, facts.of(number)) == (told, ())


# What stands in the way on every node is what the probe says of each, however few it asks.


@given(POLICIES, STATES)
def test_alike_nodes_are_answered_alike(policy: str, events: list[Event]) -> None:
    """Asking once for nodes of one size gives what asking each would; and every answer becomes rows.

    Where every node says what the queue says, it is said once.
    """
    rm = resource_manager(policy, nodes=4, settings=SETTINGS, queues=QUEUES)
    for step, event in enumerate(events):
        rm.handle(event, START_MS + step * 500)
        for each in rm.passes():
            rm.run_pass(each.name, START_MS + step * 500)
    now_ms = START_MS + len(events) * 500
    attempts = [application.attempt for application in rm.cluster.applications.values()]
    for attempt in attempts:
        if attempt is None or not attempt.pending:
            continue
        found = run_to_end(obstacles_found(rm.scheduler, attempt, now_ms))

        one_by_one = [
            rm.scheduler.policy.obstacle_on(attempt, node, now_ms) or FREE for node in rm.cluster.nodes.values()
        ]
        assert [obstacle for _, obstacle in found.on_nodes] == one_by_one
        rows = obstacle_rows(rm.scheduler, attempt, found)
        is_told = found.in_queue is not None and {each.reason for each in one_by_one} == {found.in_queue.reason}
        assert sum(row.count for row in rows) == (0 if is_told else len(rm.cluster.nodes))
        assert all(row.sentence and "?" not in row.sentence for row in rows)


# Until when a deadlock could have been prevented, by their definitions.


BYSTANDER = app("idle", '{ memory = "1g", duration = "20m" }', at=2, queue="root.b")
NOW_S = 60


@cache
def past(text: str = HALVES + BYSTANDER) -> Timeline:
    timeline = Timeline(build_simulation(scene(text)))
    timeline.follow([], scene(text).start_ms + 1000 * NOW_S)
    return timeline


def last_allocated_ms() -> int:
    held = held_now(at(scene(HALVES + BYSTANDER), NOW_S))
    return max(each.since_ms for each in held.values())


@cache
def found() -> LastChanceReport:
    return Search(past(), last_allocated_ms(), past().now_ms).answer()


def allocates_after(at_ms: int) -> bool:
    there = past().at(at_ms)
    there.drop_future_events()
    ahead = Lookahead(there, is_own=True)
    while not ahead.advance():
        pass
    return ahead.last_ms is not None and ahead.last_ms > at_ms


def is_lost(at_ms: int, act: Act | None = None) -> bool:
    there = past().at(at_ms)
    if act is not None:
        there.act(act)
    return run_to_end(ends_deadlocked(there))


def test_it_formed_at_the_first_instant_after_which_nothing_is_allocated() -> None:
    formed_ms = found().formed_ms

    assert (allocates_after(formed_ms - 1), allocates_after(formed_ms)) == (True, False)
    assert run_to_end(formed(past(), last_allocated_ms(), past().now_ms)) == formed_ms


def test_it_was_inevitable_from_the_first_instant_whose_future_ends_in_it() -> None:
    inevitable_ms = found().inevitable_ms

    assert inevitable_ms <= found().formed_ms
    assert is_lost(inevitable_ms)
    assert not is_lost(inevitable_ms - 1)


def test_a_remedy_helped_up_to_its_latest_instant() -> None:
    report = found()
    assert report.remedies
    latest = [each.latest_ms for each in report.remedies]
    assert latest == sorted(latest, reverse=True)
    assert report.latest_ms == latest[0]
    for each in report.remedies:
        assert each.still_helps == (not is_lost(report.formed_ms, each.remedy.act))
        assert not is_lost(each.latest_ms, each.remedy.act)
        if not each.still_helps:
            assert is_lost(each.latest_ms + 1, each.remedy.act)
        assert run_to_end(helps(past().at(report.formed_ms), each.remedy)) == each.still_helps


# What a run's past tells, replayed in pieces.
