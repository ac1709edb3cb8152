"""What a remedy does, beside the same act played by hand: starts, what is freed, lost and delayed."""

from collections.abc import Sequence

import pytest

from engine.explain.lookahead import Ahead, Served
from engine.explain.remedy import Remedy
from engine.explain.remedy_search import worst_of
from engine.explain.remedy_trial import ACT_MS, FOLLOW_MS, GAIN_MS, Baseline, Target, Trial, Unacted, tried
from engine.formats.scenario_toml import loads
from engine.incremental import finish
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed, owner_of
from engine.observe.lost_work import LOSING, held_now
from engine.scenario.acts import KillApplication, SetPreemption
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, at, scene
from tests.engine.explain.test_job_tracker import HEAD, job

MANY = 10**6
SLOTS = HEAD.format(scheduler="mr1-fifo", settings="", top="")
CROWD = (
    app("holder", '{ memory = "9g", count = 2, duration = "10m" }')
    + app("other", '{ memory = "1g", count = 2, duration = "5m" }', at=2)
    + "".join(app(f"w{each}", '{ memory = "3g", duration = "40s" }', at=3 + each) for each in range(4))
    + app("large", '{ memory = "9g", duration = "1m" }', at=9)
)
CASES: dict[str, tuple[str, int, int, list[Target]]] = {
    "halves": (HALVES, 60, 2, [(1, 2)]),
    "crowd": (CROWD, 60, 1, [(3, None), (7, None)]),
    "kills a waiter": (CROWD, 60, 7, [(3, None)]),
    "kills itself": (CROWD, 60, 3, [(3, None)]),
    "kills a small one": (CROWD, 60, 2, [(3, 1)]),
}


class Log:
    """A listener that keeps everything."""

    def __init__(self) -> None:
        self.all: list[tuple[int, Record]] = []

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Keep it."""
        self.all += [(time_ms, each) for each in records]

    def first(self) -> dict[int, int]:
        """When each application is first given something."""
        found: dict[int, int] = {}
        for time_ms, each in self.all:
            if isinstance(each, Allocated):
                found.setdefault(owner_of(each.container), time_ms)
        return found

    def over(self) -> dict[int, int]:
        """When each application ends."""
        moves = [(time_ms, each) for time_ms, each in self.all if isinstance(each, ApplicationTransitioned)]
        return {each.application: time_ms for time_ms, each in moves if each.is_end}

    def start_of(self, target: Target) -> int | None:
        """When an ask is first given something."""
        number, priority = target
        return next(
            (
                time_ms
                for time_ms, each in self.all
                if isinstance(each, Allocated)
                and owner_of(each.container) == number
                and priority in (None, each.priority)
            ),
            None,
        )


def made(name: str) -> tuple[Simulation, Trial, Baseline, Log, Log, int]:
    """The trial, and both worlds played by hand up to where it was played; how many records the act itself has."""
    text, second, killed, targets = CASES[name]
    here = at(scene(text), second)
    base = without(here, targets)
    trial = finish(tried(here, targets, Remedy(KillApplication(killed)), base, MANY))
    assert trial is not None
    logs = (Log(), Log())
    plain, acted = here.fork(closed=True), here.fork(closed=True)
    acted.run_before(here.now_ms + ACT_MS)
    plain.listeners.append(logs[0])
    acted.listeners.append(logs[1])
    acted.act(KillApplication(killed))
    at_once = len(logs[1].all)
    acted.run_until(trial.until_ms)
    plain.run_until(base.until_ms)
    return here, trial, base, logs[0], logs[1], at_once


def without(here: Simulation, targets: Sequence[Target]) -> Baseline:
    """The closed world without any act."""
    unacted = Unacted(here.fork(closed=True))
    unacted.targets = tuple(targets)
    finish(unacted.play(MANY, targets))
    return unacted.baseline()


@pytest.mark.parametrize("name", CASES)
def test_the_world_without_an_act_is_that_played_by_hand(name: str) -> None:
    """As far as everything can be compared."""
    here, _, base, plain, _, _ = made(name)
    targets = CASES[name][3]

    assert (base.from_ms, base.lost_ms, base.lost_containers) == (here.now_ms, 0, 0)
    assert base.ends or base.until_ms - base.from_ms >= FOLLOW_MS
    assert (base.first, base.over_ms) == (plain.first(), plain.over())
    starts = {target: plain.start_of(target) for target in targets}
    assert base.starts == {target: start_ms for target, start_ms in starts.items() if start_ms is not None}


@pytest.mark.parametrize("name", CASES)
def test_those_start_by_it_that_start_sooner(name: str) -> None:
    """By a second at least; of those that never start without it any start counts; who is killed does not."""
    _, trial, base, _, acted, _ = made(name)
    killed, targets = CASES[name][2], CASES[name][3]
    found = []
    for target in targets:
        start_ms, expected_ms = acted.start_of(target), base.starts.get(target)
        if start_ms is None or target[0] == killed:
            continue
        if (expected_ms is None and base.ends) or (expected_ms is not None and start_ms <= expected_ms - GAIN_MS):
            found.append((start_ms, target[0], expected_ms))

    assert [(each.start_ms, each.application, each.expected_ms) for each in trial.starts] == sorted(found)
    assert trial.helps == bool(found)


@pytest.mark.parametrize("name", ["halves", "crowd"])
def test_what_is_freed_lost_and_delayed_is_told(name: str) -> None:
    """Of the containers that go at once size and run time, of those lost later run time alone."""
    here, trial, base, _, acted, at_once = made(name)
    held = held_now(here)
    gone = [(time_ms, each.container) for time_ms, each in acted.all[:at_once] if isinstance(each, Killed)]
    later = [
        (time_ms, each.container)
        for time_ms, each in acted.all[at_once:]
        if isinstance(each, Killed) and each.cause in LOSING
    ]
    assert later == []
    assert trial.frees_mb == sum(held[container].memory_mb for _, container in gone)
    assert trial.frees_vcores == sum(held[container].vcores for _, container in gone)
    assert (trial.lost_containers, trial.lost_drivers) == (len(gone), 0)
    assert trial.lost_ms == sum(time_ms - held[container].since_ms for time_ms, container in gone)

    own = {CASES[name][2], *(number for number, _ in CASES[name][3])}
    assert trial.also_start == len(acted.first().keys() - base.first.keys() - own)
    delays: dict[int, int] = {}
    for then, now in ((base.first, acted.first()), (base.over_ms, acted.over())):
        for number, expected_ms in then.items():
            by_ms = now.get(number, trial.until_ms) - expected_ms
            if number not in own and by_ms >= GAIN_MS and (number in now or number not in acted.over()):
                delays[number] = max(delays.get(number, 0), by_ms)
    assert {each.application: each.by_ms for each in trial.delays} == delays
    assert [each.by_ms for each in trial.delays] == sorted((each.by_ms for each in trial.delays), reverse=True)
    assert trial.harm_s == (trial.lost_ms + sum(delays.values())) // 1000


def test_the_tasks_of_a_job_that_is_killed_end_with_the_next_reports() -> None:
    """They are freed and lost all the same; what other jobs lose by themselves is not."""
    text = SLOTS + job("scan", 0, "5 x 10m") + job("beside", 2, "0", "2 x 30s") + job("late", 20, "2 x 20s")
    here = at(loads(text, "slots"), 40)
    trial = finish(tried(here, [(3, None)], Remedy(KillApplication(1)), without(here, [(3, None)]), MANY))
    assert trial is not None
    acted, log = here.fork(closed=True), Log()
    acted.run_before(here.now_ms + ACT_MS)
    acted.listeners.append(log)
    acted.act(KillApplication(1))
    acted.run_until(trial.until_ms)

    held = held_now(here)
    gone = {
        each.container: time_ms
        for time_ms, each in log.all
        if isinstance(each, Killed | Completed) and each.container in held and owner_of(each.container) == 1
    }
    assert (len(gone), trial.helps) == (4, True)
    assert (trial.lost_containers, trial.frees_vcores) == (4, sum(held[each].vcores for each in gone))
    assert trial.frees_mb == sum(held[each].memory_mb for each in gone)
    assert trial.lost_ms == sum(time_ms - held[each].since_ms for each, time_ms in gone.items())


def test_a_remedy_that_is_refused_says_why() -> None:
    """It starts nobody."""
    here = at(scene(HALVES), 60)
    trial = finish(tried(here, [(1, 2)], Remedy(KillApplication(9)), without(here, [(1, 2)]), MANY))
    assert trial is not None
    assert (bool(trial.refused), trial.helps, trial.starts) == (True, False, ())
    useless = finish(tried(here, [(1, 2)], Remedy(SetPreemption(on=True)), without(here, [(1, 2)]), MANY))
    assert useless is not None
    assert (useless.refused, useless.helps) == ("", False)


def test_what_is_not_known_within_its_pieces_is_no_trial() -> None:
    """One that has begun nothing in one piece is not known; with many it is."""
    here = at(scene(CROWD), 60)
    base = without(here, [(7, None)])
    remedy = Remedy(KillApplication(2))

    assert finish(tried(here, [(7, None)], remedy, base, 0)) is None
    assert finish(tried(here, [(7, None)], remedy, base, MANY)) is not None
    assert Ahead(here).from_ms == here.now_ms


def test_the_worst_ask_of_each_is_the_one_served_last_or_never() -> None:
    """Of all only those count that never are, unless they have ended; while something moves nobody never is."""
    ahead = Ahead(at(scene(HALVES), 60, None))
    ahead.served = {(1, 1): Served(50, 1), (1, 2): Served(70, 2), (2, 1): Served(60, 3), (4, 2): Served(65, 4)}
    ahead.over_ms = {2: 90, 4: 90}
    asks = [[(1, 1), (1, 2)], [(2, 1), (2, 3)], [(3, 4), (3, 2)], [(4, 2)]]

    assert worst_of(ahead, asks, is_all=True) == ((1, 2), (2, 3), (3, 4), (4, 2))
    assert worst_of(ahead, asks, is_all=False) == ((1, 2), (2, 3), (3, 4), (4, 2))
    ahead.still = True
    assert worst_of(ahead, asks, is_all=False) == ((3, 4),)
    assert worst_of(ahead, asks[:2], is_all=False) == ((1, 2), (2, 3))
