"""What would make an application start: everything an operator can do, tried on copies, ranked by harm."""

from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context

import msgspec
import pytest

from engine.explain.counterfactuals import GAIN_MS, Lookahead, confirmed
from engine.explain.impact import BUCKETS, aftermath
from engine.explain.remedy import Remedy, remedy_sentence
from engine.explain.remedy_candidates import candidates
from engine.explain.remedy_search import SHORT_PIECES, Remedies, RemedySearch
from engine.explain.remedy_trial import Baseline, tried
from engine.explain.start_play import AskTally, PlayGoal
from engine.formats.scenario_toml import load
from engine.incremental import run_to_end
from engine.processes import ALONE_S, shared
from engine.run import Run
from engine.scenario import Scenario
from engine.scenario.acts import KillApplication, RestartResourceManager
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, at, queue, scene

FULL = app("holder", '{ memory = "5g", duration = "50m" }') + app("late", '{ memory = "2g" }', at=5)
"""Two that want 5 and 2 GB."""


def found(scenario: Scenario, seconds: float, *numbers: int) -> Remedies:
    return RemedySearch(at(scenario, seconds), numbers).answer()


def helping(remedies: Remedies) -> list[str]:
    return [remedy_sentence(trial.remedy) for trial in remedies.ranked]


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


def test_what_can_be_done_now_comes_first() -> None:
    ranked = found(scene(HALVES), 60, 1).ranked

    assert [trial.remedy.kind for trial in ranked] == ["kill", "add-node", "resize"]
    assert [trial.remedy.group for trial in ranked] == ["now", "hardware", "hardware"]


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


@pytest.mark.parametrize(("alarmed", "meant"), [((), [2, 3, 4, 5, 6]), ((6,), [6])])
def test_without_an_application_whom_an_alert_names_is_meant_else_all_that_wait(
    alarmed: tuple[int, ...], meant: list[int]
) -> None:
    rule = '"schedlab.reservation.rule" = "off"'
    crowd = [
        app("crowd", '{ memory = "4g", count = 4000, duration = "9m" }', at=2 + turn, waits=False) for turn in range(4)
    ]
    agent = app("agent", '{ memory = "1g", count = 2 }', queue="root.o")
    text = scene(agent + "".join(crowd) + app("X", '{ memory = "10g" }', at=9), settings=rule)
    search = RemedySearch(at(text, 60), alarmed=alarmed)
    while not search.open():
        pass

    assert search.base is not None
    assert not search.base.ends
    assert sorted(number for number, _ in search.targets) == meant


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


CAPACITY = '"yarn.scheduler.capacity.root.queues" = "a"\n"yarn.scheduler.capacity.root.a.capacity" = "100"'


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


@pytest.mark.parametrize(
    ("in_force", "tried"), [("", "60 30 15 10 5 2 1"), ("7200", "60 30 15 10 5 2 1"), ("30", "15 10 5 2 1")]
)
def test_a_time_out_is_tried_from_a_minute_down(in_force: str, tried: str) -> None:
    queues = queue("a", f"fair_share_preemption_timeout = {in_force}" if in_force else "") + queue("b")
    simulation = at(scene(queues + FULL, settings='"yarn.scheduler.fair.preemption" = "true"'), 10)
    name = "fairSharePreemptionTimeout of root.a"
    (times,) = [each for each in candidates(simulation, [2]) if name in remedy_sentence(each.make(each.highs))]

    said = [remedy_sentence(times.make((place,))) for place in range(1, times.highs[0] + 1)]
    assert said == [f"set {name} to {seconds}" for seconds in tried.split()]


@pytest.mark.parametrize(("after_ms", "is_known"), [(GAIN_MS - 1, False), (GAIN_MS, True)])
def test_what_starts_after_what_is_known_without_an_act_is_not_decided(after_ms: int, is_known: bool) -> None:
    here = at(scene(HALVES), 60)
    remedy = Remedy(KillApplication(2))
    base = Baseline(here.now_ms, here.now_ms, ends=True, starts={}, first={}, over_ms={}, lost_ms=0, lost_containers=0)
    by_it = run_to_end(tried(here, [(1, 2)], remedy, base, 1000))
    assert by_it is not None
    early = msgspec.structs.replace(base, ends=False, until_ms=by_it.start_ms + after_ms)

    assert (run_to_end(tried(here, [(1, 2)], remedy, early, 1000)) is not None) == is_known


def test_where_all_stands_still_those_that_join_later_are_tried_shortly_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.explain.remedy_search.FIRST_GROUP", 1)
    search, rounds = RemedySearch(at(scene(HALVES), 30)), list[set[int]]()
    while not search.open():
        pass
    while jobs := run_to_end(search.more()):
        rounds.append({job.limit for job in jobs})
        for job in jobs:
            run_to_end(search.do(job))

    assert [SHORT_PIECES in limits for limits in rounds[:3]] == [False, False, True]


# A search for remedies that shares its jobs with an executor.


@cache
def stuck() -> Simulation:
    return at(scene(HALVES), 60)


@cache
def alone() -> Remedies:
    return RemedySearch(stuck(), (1,)).answer()


def found_remedy_workers(make: Callable[[], Executor], workers: int, *clock_s: float) -> Remedies:
    search, readings = RemedySearch(stuck(), (1,)), list(clock_s)
    run_to_end(shared(search, make, workers, lambda: readings.pop(0) if len(readings) > 1 else readings[0]))
    return search.answer()


@pytest.mark.long
def test_other_processes_find_the_same() -> None:
    assert found_remedy_workers(lambda: ProcessPoolExecutor(2, get_context("spawn")), 2, 0.0, ALONE_S) == alone()


# What follows an act.


def test_what_follows_a_kill_is_told_in_order() -> None:
    """What ends at once, who starts where, how full it gets, when nothing waits any more."""
    simulation = at(scene(HALVES), 60)
    found = run_to_end(aftermath(simulation, (KillApplication(2),), [(1, 2)]))
    words = [each.words for each in found.happenings]

    assert words[0] == "1 container goes"
    assert words[1].startswith("0001 gets its next container on n")
    assert found.happenings[1].is_target
    assert "nothing waits any more" in words
    assert words[-1] == "1 finished"
    assert [each.at_ms for each in found.happenings] == sorted(each.at_ms for each in found.happenings)
    assert (found.allocated[0], sum(found.allocated), len(found.allocated)) == (1, 1, BUCKETS)
    assert simulation.control_plane.view().application(2) is not None


def test_of_many_the_last_is_told_with_how_many_start_and_get_more() -> None:
    hold = app("hold", '{ count = 2, memory = "8g", duration = "9m" }', at=3)
    more = '{ memory = "1g", duration = "9m" }, { at = 20, priority = 2, memory = "2g", duration = "1m" }'
    waiting = "".join(app(name, '{ memory = "2g" }', at=30, am='{ memory = "2g" }') for name in "abc")
    text = app("runs", more) + app("also", more, at=2) + hold + waiting
    here = at(scene(text), 60)
    asks = [(each.number, None) for each in here.control_plane.view().applications() if each.waits]
    words = [each.words for each in run_to_end(aftermath(here, (KillApplication(3),), asks)).happenings]

    assert "the last of 4: 3 start, 1 gets more" in words


def test_who_begins_and_what_was_there_before_is_told() -> None:
    """The one that waited ran already; the node of the one killed is free before the other's container comes."""
    simulation = at(scene(HALVES), 60)
    found = run_to_end(aftermath(simulation, (KillApplication(2),)))
    now, then = found.nodes.now, found.nodes.then

    assert [(each.application[-4:], each.ran) for each in found.begun] == [("0001", True)]
    assert (found.killed, found.dropped, found.preempted, found.refused) == (1, 0, 0, "")
    assert found.memory.before is not None
    assert found.memory.before.used_mb == sum(block.memory_mb for node in now for block in node.blocks)
    assert [node.node for node in now] == [node.node for node in then]


def test_reservations_go_with_the_resource_manager() -> None:
    """It tells nobody of them, and those made since are others; who looks on keeps its own. It has no store here."""
    simulation = at(scene(HALVES), 60)
    gone, kept = (run_to_end(aftermath(simulation, acts)) for acts in ((RestartResourceManager(),), ()))

    assert [each.until_ms for each in gone.stays] == [simulation.now_ms + 1] * len(kept.stays)
    assert [each.until_ms for each in kept.stays] == [None] * len(kept.stays) != []
    assert (gone.killed, kept.killed) == (2, 0)


# Whose end would start an application: each suspect tried alone, then a smallest set together.


HALF = app("half", '{ memory = "5g", hosts = ["n1"], relax = false }')
WHOLE = app("whole", '{ memory = "10g", hosts = ["n1"], relax = false }', at=10)
ELSEWHERE = app("elsewhere", '{ memory = "5g", hosts = ["n2"], relax = false }')


def test_whose_end_alone_helps_is_named_and_nobody_else() -> None:
    full = HALF.replace("5g", "8g")
    simulation = at(scene(full + ELSEWHERE + WHOLE), 30)

    assert run_to_end(confirmed(simulation, (3, None), (2, 1), None)) == (1,)


def test_two_that_only_help_together_are_named_together() -> None:
    simulation = at(scene(HALF + HALF + ELSEWHERE + WHOLE), 30)

    assert run_to_end(confirmed(simulation, (4, None), (3, 1, 2), None)) == (1, 2)


@pytest.mark.parametrize(("sooner_ms", "named"), [(0, ()), (1, (1,))])
def test_a_holder_has_to_make_it_start_sooner(sooner_ms: int, named: tuple[int, ...]) -> None:
    simulation = at(scene(HALF.replace("5g", "8g") + WHOLE), 30)
    start_ms = _start_without_the_holder()

    assert run_to_end(confirmed(simulation, (2, None), (1,), start_ms + sooner_ms)) == named


def _start_without_the_holder() -> int:
    """When the last one starts once the first has been killed after thirty seconds."""
    ahead = Lookahead(at(scene(HALF.replace("5g", "8g") + WHOLE), 30))
    ahead.simulation.act(KillApplication(1))
    start_ms = ahead.until_started(2)
    assert start_ms is not None
    return start_ms


@pytest.mark.parametrize(("beyond_ms", "alive"), [(-1, 0), (0, 1)])
def test_who_runs_on_is_as_good_as_ended_after_ten_minutes(beyond_ms: int, alive: int) -> None:
    tally, stream = AskTally(), scene(app("stream", '{ memory = "1g", duration = "50m" }'))
    run = Run(stream, [tally], is_judged=False)
    run.advance(60_000)
    run.advance(tally.first[1] - stream.start_ms + 600_000 + beyond_ms)

    assert len(PlayGoal(stream, 0, {(1, None): 1}, until_end=True).alive(tally, run.simulation)) == alive
