"""A closed world that is played on, beside the same world played by hand; who is in the way of limits."""

import pytest

from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.explain.counterfactuals import Lookahead, ahead_of
from engine.explain.instant import ClosedWorld, Preempted, SharedLookahead
from engine.explain.obstacles import obstacles_found
from engine.explain.waits import AM_LIMITS, LIMITS, holders, limits_in
from engine.formats.scenario_toml import load
from engine.incremental import run_to_end
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed, owner_of
from engine.run import Run
from engine.schedulers.obstacle_texts import Reason
from engine.simulation.simulation import Simulation
from tests.build.records import Kept
from tests.engine.explain.stuck import HALVES, app, at, queue, scene

SHORT_MS = 900_000
TURNS = (
    app("first", '{ memory = "9g", count = 2, duration = "30s" }, { memory = "2g", at = 40, priority = 2 }')
    + app("second", '{ memory = "9g", count = 3, duration = "20s" }', at=5)
    + app("third", '{ memory = "1g", duration = "9s" }', at=6, queue="root.b")
)
POOLS = queue("a") + queue("b", 'min_resources = "12000 mb, 9 vcores"\nmin_share_preemption_timeout = 5')
PREEMPTS = (
    '"yarn.scheduler.fair.preemption" = true\n"yarn.scheduler.fair.preemption.cluster-utilization-threshold" = 0\n'
)
BIG = app("big", '{ memory = "4g", count = 4, duration = "3m" }')
DUE = app("due", '{ memory = "4g", count = 3, duration = "9s" }', at=9, queue="root.b")


def simulations() -> dict[str, Simulation]:
    """Some in which all ends, somebody waits for ever, or somebody is preempted."""
    return {
        "halves": at(scene(HALVES), 60),
        "turns": at(scene(TURNS), 10),
        "preempted": at(scene(POOLS + BIG + DUE, settings=PREEMPTS), 12),
    }


@pytest.mark.parametrize("name", ["halves", "turns", "preempted"])
def test_what_comes_is_what_comes_when_it_is_played_by_hand(name: str) -> None:
    """Who is given something first and when, what ends, and how many containers were allocated by then."""
    here, log = simulations()[name], Kept()
    ahead = run_to_end(ahead_of(here, SHORT_MS))
    while not ahead.advance():
        pass
    copy = here.fork(closed=True)
    copy.listeners.append(log)
    copy.run_until(ahead.now_ms)

    given = [(time_ms, each) for time_ms, each in log.all if isinstance(each, Allocated)]
    first: dict[int, int] = {}
    served: dict[tuple[int, int], tuple[int, int]] = {}
    for place, (time_ms, each) in enumerate(given, 1):
        first.setdefault(owner_of(each.container), time_ms)
        served.setdefault((owner_of(each.container), each.priority), (time_ms, place))
    assert (ahead.first, {ask: tuple(each) for ask, each in ahead.served.items()}) == (first, served)
    assert (ahead.allocations, ahead.last_ms) == (len(given), given[-1][0] if given else None)
    assert list(ahead.latest) == given[-32:]
    ends = {each.container: time_ms for time_ms, each in log.all if isinstance(each, Completed | Killed)}
    assert ahead.ended == ends
    over = {
        each.application: time_ms
        for time_ms, each in log.all
        if isinstance(each, ApplicationTransitioned) and each.is_end
    }
    assert ahead.over_ms == over
    assert ahead.before == {number: sum(when <= end_ms for when, _ in given) for number, end_ms in over.items()}
    preempted = [time_ms for time_ms, each in log.all if isinstance(each, Killed) and each.cause == "PREEMPTED"]
    assert ahead.preempted_ms == (preempted[0] if preempted else None)
    assert (ahead.from_ms, ahead.end_ms) == (here.now_ms, here.now_ms + SHORT_MS)
    assert bool(preempted) == (name == "preempted")


@pytest.mark.parametrize("name", ["halves", "turns", "preempted"])
def test_who_asks_later_is_told_the_same_by_the_copy_that_is_there(name: str) -> None:
    """A copy kept for all is played on, made anew where the run has passed it, and tells of what is to come alone."""
    here, world = simulations()[name], ClosedWorld()
    for turn in range(12):
        kept, alone = SharedLookahead(here, world), SharedLookahead(here)
        for basis in (kept, alone):
            while not basis.advance() or (turn % 3 != 1 and not basis.ahead.advance()):
                pass  # each third time it is not played, and the run passes it
        facts = [
            (each.first, each.served, each.before, each.ended, each.over_ms, each.given, each.from_ms, each.still)
            for each in (kept.ahead, alone.ahead)
        ]
        assert facts[0] == facts[1] or turn % 3 == 1
        if turn % 3 == 0:
            world.outdate()
        here.run_until(here.now_ms + 2_500)


@pytest.mark.parametrize("name", ["halves", "turns", "preempted"])
def test_a_start_is_looked_for_as_far_as_it_takes(name: str) -> None:
    """Of an application or of one of its asks; None where it never comes."""
    here = simulations()[name]
    whole = Lookahead(here, SHORT_MS)
    while not whole.advance():
        pass
    asks = [*((number, None) for number in (1, 2, 3, 9)), *whole.served, (1, 99)]
    for number, priority in asks:
        ahead = Lookahead(here, SHORT_MS)
        known = whole.start_of(number, priority)
        assert ahead.until_started(number, priority) == (None if known is None else known.time_ms)
        assert ahead.is_settled(number, priority) == (known is not None or number in ahead.over_ms)
        if known is None and number not in whole.over_ms:
            assert ahead.over
    assert whole.start_of(9, None) is None


@pytest.mark.parametrize(
    ("name", "second"),
    [
        ("capacity-user-limit", 60),
        ("capacity-user-limit-3.4", 60),
        ("capacity-am-limit", 60),
        ("capacity-am-limit-3.4", 60),
        ("pattern-user-limit", 60),
        ("pattern-queue-limit", 60),
        ("capacity-stopped-queue", 60),
    ],
)
def test_who_uses_up_a_limit_is_in_the_way(name: str, second: int) -> None:
    """Of a queue's those in it or below, of a user's those of the user; of one on masters only masters."""
    run = Run(load(name), is_judged=False)
    run.advance(1000 * second)
    view = run.simulation.control_plane.view()
    assert isinstance(view, YarnClusterView)
    scheduler = view.scheduler
    everybody = [each.attempt for each in scheduler.cluster.applications.values() if each.attempt is not None]
    for attempt in [each for each in everybody if each.pending]:
        found = run_to_end(obstacles_found(scheduler, attempt, run.simulation.now_ms))
        limits = limits_in(found)
        assert {(each.reason, each.subject) for each in limits} == {
            (each.reason, each.subject)
            for each in (found.in_queue, *(one for _, one in found.on_nodes))
            if each is not None and each.reason in LIMITS
        }
        expected: dict[int, set[tuple[int, int, int]]] = {}
        for limit in limits:
            subject = limit.subject.rpartition(" ")[2]
            for other in everybody:
                is_users = limit.reason in (Reason.USER_OVER_LIMIT, Reason.USER_AM_SHARE_EXHAUSTED)
                is_mine = limit.reason is Reason.QUEUE_NOT_RUNNING_IT and limit.subject == f"user {attempt.user}"
                if is_mine:
                    counts = other.user == attempt.user
                elif is_users:
                    counts = other.user == subject and other.queue.path == attempt.queue.path
                else:
                    counts = f"{other.queue.path}.".startswith(f"{subject}.")
                live = list(other.live.values())
                if limit.reason in AM_LIMITS:
                    live = [each for each in live if each.is_am]
                if counts and live:
                    expected.setdefault(other.application.number, set()).update(each.id for each in live)
        holds = {hold.application: set(hold.containers) for hold in run_to_end(holders(scheduler, attempt, found))}
        assert {number: holds.get(number, set()) >= ids for number, ids in expected.items()} == dict.fromkeys(
            expected, True
        )
        if not found.on_nodes or found.in_queue is not None:
            assert holds == expected or found.on_nodes


def test_a_closed_world_goes_round_once_an_ask_has_lost_three_containers_and_none_ended() -> None:
    here, world, lost = at(load("preemption-livelock-capacity"), 64), ClosedWorld(), Preempted()
    while not world.copy_on(here):
        pass
    assert world.ahead is not None
    world.ahead.simulation.listeners.append(lost)
    found: dict[int, bool] = {}
    while len(found) < 5:
        _ = world.ahead.advance(iter((False, True)).__next__)  # a handful of events
        most = max((count for (_, priority), count in lost.counts.items() if priority is not None), default=0)
        found[most] = world.goes_round

    assert found == {0: False, 1: False, 2: False, 3: True, 4: True}
