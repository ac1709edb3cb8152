"""What would make an application start: everything an operator can do, tried on copies, ranked by harm."""

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from typing import Any

import msgspec
import pytest

from engine.explain import remedy_search
from engine.explain.remedy import Remedy, remedy_sentence
from engine.explain.remedy_candidates import candidates, core_of, may_help
from engine.explain.remedy_search import (
    FILTER,
    FIRST_GROUP,
    FIRST_PIECES,
    ROUNDS,
    Remedies,
    RemedySearch,
    limit_of,
)
from engine.explain.remedy_trial import GAIN_MS, Baseline, tried
from engine.formats.scenario_toml import load
from engine.incremental import finish
from engine.processes import ALONE_S, shared
from engine.scenario import Scenario
from engine.scenario.acts import KillApplication, written_act
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, at, queue, scene

FULL = app("holder", '{ memory = "5g", duration = "50m" }') + app("late", '{ memory = "2g" }', at=5)
"""Two that want 5 and 2 GB."""


def found(scenario: Scenario, seconds: float, *numbers: int) -> Remedies:
    return RemedySearch(at(scenario, seconds), numbers).answer()


def helping(remedies: Remedies) -> list[str]:
    return [remedy_sentence(trial.remedy) for trial in remedies.ranked]


def by_sentence(simulation: Simulation, number: int) -> dict[str, Remedy]:
    remedies = [family.make(family.highs) for family in candidates(simulation, [number])]
    return {remedy_sentence(remedy): remedy for remedy in remedies}


def test_to_kill_the_other_half_of_a_deadlock_helps_at_once() -> None:
    simulation = at(scene(HALVES), 60, None)
    position = simulation.world.clock.position
    remedies = RemedySearch(simulation, (1,)).answer()
    kill = next(trial for trial in remedies.ranked if trial.remedy.act == KillApplication(2))

    assert 0 < kill.start_ms - simulation.now_ms <= 2000
    assert (kill.frees_mb, kill.frees_vcores, kill.lost_containers) == (6144, 1, 1)
    assert 55_000 < kill.lost_ms < 60_000
    assert kill.harm_s == kill.lost_ms // 1000
    assert all(trial.remedy.act != KillApplication(1) for trial in (*remedies.ranked, *remedies.useless))
    assert simulation.world.clock.position == position


def test_of_a_culprit_only_its_end_is_tried() -> None:
    remedies = RemedySearch(at(scene(HALVES), 60, None), culprit=1).answer()

    assert helping(remedies) == ["kill application 1 (first)"]
    assert [number for number, _ in remedies.targets] == [1, 2]
    assert [each.application for each in remedies.ranked[0].starts] == [2]
    assert remedies.failed == 0


def test_what_can_be_done_now_comes_first() -> None:
    ranked = found(scene(HALVES), 60, 1).ranked

    assert [trial.remedy.kind for trial in ranked] == ["kill", "add-node", "resize"]
    assert [trial.remedy.group for trial in ranked] == ["now", "hardware", "hardware"]


@pytest.mark.slow
def test_a_remedy_is_played_until_all_have_started_or_nothing_more_comes() -> None:
    late = "".join(app(name, '{ memory = "6g", duration = "5h" }', at=20) for name in ("one", "two", "three"))
    remedies = found(scene(app("keeper", '{ memory = "9g" }') + late, nodes=1), 60)

    assert [(len(trial.starts), trial.is_whole) for trial in remedies.ranked[:1]] == [(3, True)]


def test_of_nodes_the_least_size_that_helps_is_told() -> None:
    remedies = found(scene(HALVES), 60, 1)

    assert "add a node of 6144 MB and 1 vcore" in helping(remedies)
    assert "enlarge n1 to 12288 MB and 16 vcores" in helping(remedies)


@pytest.mark.long
def test_a_limit_is_raised_to_the_least_value_that_helps() -> None:
    remedies = found(scene(queue("a", 'max_resources = "4096 mb, 9 vcores"') + FULL), 30, 2)

    assert "set maxResources of root.a to 5120 mb, 9 vcores" in helping(remedies)


@pytest.mark.long
def test_moving_out_of_a_full_queue_helps() -> None:
    queues = queue("a", 'max_resources = "4096 mb, 9 vcores"') + queue("b")

    assert "move application 2 (late) to root.b" in helping(found(scene(queues + FULL), 30, 2))


def test_whoever_is_delayed_is_told() -> None:
    wants = app("holder", '{ memory = "10g", duration = "5m" }', queue="root.b")
    wants += app("first", '{ memory = "10g", duration = "1m" }', at=5)
    wants += app("second", '{ memory = "10g", duration = "1m" }', at=6)
    text = queue("a", 'policy = "fifo"') + queue("b") + queue("c", 'min_resources = "10240 mb, 1 vcores"') + wants
    rule = '"schedlab.reservation.rule" = "off"'
    remedies = found(scene(text, nodes=1, settings=rule), 30, 3)
    kill = next(trial for trial in remedies.ranked if trial.remedy.act == KillApplication(2))
    move = next(trial for trial in remedies.ranked if remedy_sentence(trial.remedy).endswith("to root.c"))

    assert (kill.delays, kill.lost_ms) == ((), 0)
    assert [delay.application for delay in move.delays] == [2]
    assert 59_000 <= move.delays[0].by_ms <= 62_000
    assert move.harm_s == move.delays[0].by_ms // 1000


def test_what_starts_it_no_sooner_is_no_help() -> None:
    wants = app("holder", '{ memory = "10g", duration = "5m" }') + app("late", '{ memory = "10g" }', at=5)
    remedies = found(scene(wants + app("other", '{ memory = "10g" }', at=6), nodes=1), 30, 2)

    assert "kill application 3 (other)" in [remedy_sentence(trial.remedy) for trial in remedies.useless]
    assert "kill application 1 (holder)" in helping(remedies)


def test_a_higher_priority_helps_where_the_policy_ranks_by_it() -> None:
    settings = '"yarn.cluster.max-application-priority" = 10\n"yarn.scheduler.capacity.root.queues" = "default"\n'
    settings += '"yarn.scheduler.capacity.root.default.capacity" = 100'
    wants = app("holder", '{ memory = "10g", duration = "5m" }', queue="default")
    wants += app("first", '{ memory = "10g", duration = "30m" }', at=5, queue="default")
    wants += app("second", '{ memory = "10g", duration = "1m" }', at=6, queue="default")
    text = scene(wants, nodes=1, top='scheduler = "capacity-3.4"', settings=settings)

    assert "give application 3 (second) priority 1" in helping(found(text, 30, 3))


@pytest.mark.slow
def test_a_lost_node_is_brought_back() -> None:
    wants = app("holder", '{ memory = "10g", duration = "50m" }') + app("late", '{ memory = "10g" }', at=20)
    text = wants + '[[faults]]\ndo = "lose"\nnode = "n2"\nat = 10\n'

    assert "return n2" in helping(found(scene(text), 30, 2))


def test_alike_remedies_are_told_as_one() -> None:
    text = "".join(app("agent", '{ memory = "3g" }', at=1, user="ops", queue="root.o") for _ in range(3))
    remedies = found(scene(text + app("late", '{ memory = "3g" }', at=30), nodes=1), 60, 4)
    kills = [trial for trial in remedies.ranked if trial.remedy.kind == "kill"]

    assert [len(trial.alike) for trial in kills] == [2]


def test_without_an_application_all_that_never_start_are_meant() -> None:
    remedies = found(scene(HALVES), 60)

    assert sorted(number for number, _ in remedies.targets) == [1, 2]
    assert {len(trial.starts) for trial in remedies.ranked if trial.remedy.group == "hardware"} == {2}


def test_without_an_application_whom_keepers_block_is_meant_though_others_go_on() -> None:
    rule = '"schedlab.reservation.rule" = "off"'
    crowd = [
        app("crowd", '{ memory = "4g", count = 4000, duration = "9m" }', at=2 + turn, waits=False) for turn in range(4)
    ]
    agent = app("agent", '{ memory = "1g", count = 2 }', queue="root.o")
    search = RemedySearch(at(scene(agent + "".join(crowd) + app("X", '{ memory = "10g" }', at=9), settings=rule), 60))
    while not search.open():
        pass

    assert search.base is not None
    assert not search.base.ends
    assert search.targets == ((6, 1),)


def test_a_group_joins_in_a_round_later_and_every_remedy_is_played_twice_as_much_in_each() -> None:
    assert [limit_of(0, turn) for turn in (0, 1, ROUNDS - 1, ROUNDS)] == [
        FIRST_PIECES,
        2 * FIRST_PIECES,
        FIRST_PIECES << ROUNDS - 1,
        0,
    ]
    assert [limit_of(place, 1) for place in (FIRST_GROUP - 1, FIRST_GROUP, 3 * FIRST_GROUP - 1, 3 * FIRST_GROUP)] == [
        2 * FIRST_PIECES,
        FIRST_PIECES,
        FIRST_PIECES,
        0,
    ]


def test_one_remedy_of_each_kind_is_tried_before_the_second_of_any() -> None:
    others = "".join(app(f"other {turn}", '{ memory = "1g" }', at=5) for turn in range(10))
    kinds = [family.kind for family in candidates(at(scene(HALVES + others), 60), [1])]

    assert len(set(kinds[: len(set(kinds))])) == len(set(kinds)) < kinds.count("kill")


def test_the_ask_that_fares_worst_is_meant() -> None:
    asks = '{ memory = "1g", count = 50, duration = "20s" }, { priority = 2, memory = "9g", duration = "1m" }'
    text = app("agent", '{ memory = "6g", count = 2 }', queue="root.o") + app("half", asks, waits=False)

    rule = '"schedlab.reservation.rule" = "off"'

    assert found(scene(text, settings=rule), 60, 2).targets == ((2, 2),)


def test_under_spark_whoever_holds_the_cores_is_killed() -> None:
    scenario = load("spark-cores-hoarded")
    simulation = build_simulation(scenario)
    simulation.run_until(scenario.start_ms + 600_000)
    (kill,) = RemedySearch(simulation).answer().ranked

    assert (kill.remedy.kind, kill.frees_vcores, kill.lost_containers) == ("kill", 32, 4)
    assert abs(kill.lost_ms - 4 * 600_000) < 1000


def test_what_is_found_does_not_depend_on_the_pieces() -> None:
    simulation = at(scene(HALVES), 60)
    one, other = RemedySearch(simulation, (1,)), RemedySearch(simulation, (1,))
    while not one.advance():
        pass

    assert one.found() == other.answer()


def test_what_is_known_before_the_end_is_told() -> None:
    search = RemedySearch(at(scene(HALVES), 60), (1,))
    while not search.opened or search.tried < 2:
        _ = search.advance()
    remedies = search.found()

    assert remedies is not None
    assert remedies.open == search.of - search.tried > 0
    assert remedies.ranked


def test_every_remedy_can_be_written_into_a_script() -> None:
    simulation = at(scene(HALVES), 60)
    remedies = RemedySearch(simulation, (1,)).answer()

    steps = [written_act(trial.remedy.act) for trial in (*remedies.ranked, *remedies.useless)]

    assert {step["do"] for step in steps} >= {"kill", "add-node", "resize", "reservation-rule", "queue-setting"}


CAPACITY = '"yarn.scheduler.capacity.root.queues" = "a"\n"yarn.scheduler.capacity.root.a.capacity" = "100"'


CROWD = (
    app("agent", '{ memory = "1g", each_node = true }', queue="root.ops", waits=False)
    + app("crowd", '{ memory = "2g", count = 400, duration = "4m" }', at=2, waits=False)
    + app("large", '{ memory = "10g", duration = "1m" }', at=5, queue="root.x")
)
"""An agent on every node, work for hours, and one that wants a whole node."""


def test_what_cannot_help_is_known_before_anything_is_played_far() -> None:
    here, ask = at(scene(CROWD, top='scheduler = "fair-3.4"'), 60).fork(closed=True), (3, 1)
    core = finish(core_of(here, [ask]))
    assert core is not None
    remedies = by_sentence(here, 3)
    helps = {sentence: finish(may_help(core, [ask], each)) for sentence, each in remedies.items()}

    assert not helps["kill application 2 (crowd)"]
    assert helps["kill application 1 (agent)"]
    assert helps["add a node of 10240 MB and 16 vcores"]


def test_a_search_plays_only_what_may_help() -> None:
    search = RemedySearch(at(scene(CROWD, top='scheduler = "fair-3.4"'), 60), (3,))
    while not search.open():
        pass
    first = finish(search.more())

    assert [job.limit for job in first] == [FILTER] * search.of


def test_where_preemption_is_on_nothing_is_left_out_unplayed() -> None:
    preempts = '"yarn.scheduler.fair.preemption" = true'
    off, on = (at(scene(CROWD, top='scheduler = "fair-3.4"', settings=each), 60) for each in ("", preempts))

    assert finish(core_of(off.fork(closed=True), [(3, 1)])) is not None
    assert finish(core_of(on.fork(closed=True), [(3, 1)])) is None


def test_a_users_limit_on_running_applications_is_raised() -> None:
    limits = '"yarn.scheduler.capacity.root.queues" = "a"\n"yarn.scheduler.capacity.root.a.capacity" = 100\n'
    limits += '"yarn.scheduler.capacity.user.max-parallel-apps" = 1'
    two = app("first", '{ memory = "1g" }', am='{ memory = "1g" }', queue="a") + app(
        "second", '{ memory = "1g" }', am='{ memory = "1g" }', queue="a", at=5
    )
    remedies = found(scene(two, settings=limits, top='scheduler = "capacity-3.4"'), 30, 2)

    assert "set yarn.scheduler.capacity.user.max-parallel-apps to 2" in helping(remedies)


@pytest.mark.parametrize(("policy", "tenths"), [("capacity-2.7", 10), ("capacity-3.4", 50)])
def test_a_user_limit_factor_is_tried_from_the_one_in_force(policy: str, tenths: int) -> None:
    settings = CAPACITY + '\n"yarn.scheduler.capacity.user-limit-factor" = "5"'
    wide = app("wide", '{ memory = "6g", count = 4 }', queue="a")
    simulation = at(scene(wide, top=f'scheduler = "{policy}"', settings=settings), 10)
    factors = [each for each in candidates(simulation, [1]) if each.make(each.highs).setting == "user-limit-factor"]

    said = [remedy_sentence(each.make((1,))) for each in factors]
    assert said == [f"set user-limit-factor of root.a to {(tenths + 1) / 10:g}"]


@pytest.mark.parametrize(("after_ms", "is_known"), [(GAIN_MS - 1, False), (GAIN_MS, True)])
def test_what_starts_after_what_is_known_without_an_act_is_not_decided(after_ms: int, is_known: bool) -> None:
    here = at(scene(HALVES), 60)
    remedy = Remedy(KillApplication(2))
    base = Baseline(here.now_ms, here.now_ms, ends=True, starts={}, first={}, over_ms={}, lost_ms=0, lost_containers=0)
    by_it = finish(tried(here, [(1, 2)], remedy, base, 1000))
    assert by_it is not None
    early = msgspec.structs.replace(base, ends=False, until_ms=by_it.start_ms + after_ms)

    assert (finish(tried(here, [(1, 2)], remedy, early, 1000)) is not None) == is_known


def test_where_all_stands_still_those_that_join_later_are_tried_shortly_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remedy_search, "FIRST_GROUP", 1)
    search, rounds = RemedySearch(at(scene(HALVES), 30)), list[set[int]]()
    while not search.open():
        pass
    while jobs := finish(search.more()):
        rounds.append({job.limit for job in jobs})
        for job in jobs:
            finish(search.do(job))

    assert [remedy_search.SHORT_PIECES in limits for limits in rounds[:3]] == [False, False, True]


# A search for remedies that shares its jobs with an executor.


class Failing(Executor):
    """Does so many jobs at once, then has lost its workers."""

    def __init__(self, jobs: int) -> None:
        self.left = jobs

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if not self.left:
            raise BrokenExecutor
        self.left -= 1
        future = Future[Any]()
        future.set_result(fn(*args, **kwargs))
        return future


@cache
def stuck() -> Simulation:
    return at(scene(HALVES), 60)


@cache
def alone() -> Remedies:
    return RemedySearch(stuck(), (1,)).answer()


def found_remedy_workers(make: Callable[[], Executor], workers: int, *clock_s: float) -> Remedies:
    """What is found with one; the clock stands at its last reading."""
    search, readings = RemedySearch(stuck(), (1,)), list(clock_s)
    finish(shared(search, make, workers, lambda: readings.pop(0) if len(readings) > 1 else readings[0]))
    return search.answer()


def none() -> Executor:
    raise AssertionError


def test_no_executor_is_made_without_workers_or_before_the_time() -> None:
    assert found_remedy_workers(none, 0, 0.0, ALONE_S) == alone()
    assert found_remedy_workers(none, 1, 0.0, ALONE_S - 0.001) == alone()
    with pytest.raises(AssertionError):
        found_remedy_workers(none, 1, 0.0, ALONE_S)


def test_a_lost_worker_leaves_its_jobs_to_this_process() -> None:
    early, late = Failing(0), Failing(3)

    assert found_remedy_workers(lambda: early, 1, 0.0, ALONE_S) == alone()
    assert found_remedy_workers(lambda: late, 1, 0.0, ALONE_S) == alone()
    assert late.left == 0


@pytest.mark.long
def test_other_processes_find_the_same() -> None:
    """From the first job on, as the clock says that a second is over."""
    assert found_remedy_workers(lambda: ProcessPoolExecutor(2, get_context("spawn")), 2, 0.0, ALONE_S) == alone()
