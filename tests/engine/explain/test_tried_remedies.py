"""What a remedy does, beside the same act played by hand: starts, what is freed, lost and delayed."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from msgspec.structs import replace

from engine.explain.change import NOWHERE, Change, StartRemedy, act_lines
from engine.explain.counterfactuals import GAIN_MS, Ask
from engine.explain.remedy import Remedy
from engine.explain.remedy_trial import ACT_MS, FOLLOW_MS, Baseline, BaselineRun, Trial, tried
from engine.incremental import run_to_end
from engine.model.decision import Allocated, ApplicationTransitioned, Killed, owner_of
from engine.observe.snapshots import LOSING, held_now
from engine.scenario import acts
from engine.scenario.acts import KillApplication
from engine.simulation.simulation import Simulation
from tests.build.records import Kept
from tests.engine.explain.stuck import HALVES, app, at, scene

MANY = 10**6
CROWD = (
    app("holder", '{ memory = "9g", count = 2, duration = "10m" }')
    + app("other", '{ memory = "1g", count = 2, duration = "5m" }', at=2)
    + "".join(app(f"w{each}", '{ memory = "3g", duration = "40s" }', at=3 + each) for each in range(4))
    + app("large", '{ memory = "9g", duration = "1m" }', at=9)
)
CASES: dict[str, tuple[str, int, int, list[Ask]]] = {
    "halves": (HALVES, 60, 2, [(1, 2)]),
    "crowd": (CROWD, 60, 1, [(3, None), (7, None)]),
    "kills a waiter": (CROWD, 60, 7, [(3, None)]),
    "kills itself": (CROWD, 60, 3, [(3, None)]),
    "kills a small one": (CROWD, 60, 2, [(3, 1)]),
}


class Log(Kept):
    def first(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for time_ms, each in self.all:
            if isinstance(each, Allocated):
                found.setdefault(owner_of(each.container), time_ms)
        return found

    def over(self) -> dict[int, int]:
        moves = [(time_ms, each) for time_ms, each in self.all if isinstance(each, ApplicationTransitioned)]
        return {each.application: time_ms for time_ms, each in moves if each.is_end}

    def start_of(self, target: Ask) -> int | None:
        number, priority = target
        for time_ms, each in self.all:
            if isinstance(each, Allocated) and owner_of(each.container) == number and priority in (None, each.priority):
                return time_ms
        return None


def made(name: str) -> tuple[Simulation, Trial, Baseline, Log, Log, int]:
    text, second, killed, targets = CASES[name]
    here = at(scene(text), second)
    base = without(here, targets)
    trial = run_to_end(tried(here, targets, Remedy(KillApplication(killed)), base, MANY))
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


def without(here: Simulation, targets: Sequence[Ask]) -> Baseline:
    unacted = BaselineRun(here.fork(closed=True))
    unacted.targets = tuple(targets)
    run_to_end(unacted.play(MANY, targets))
    return unacted.baseline()


@pytest.mark.parametrize("name", CASES)
def test_the_world_without_an_act_is_that_played_by_hand(name: str) -> None:
    here, _, base, plain, _, _ = made(name)
    targets = CASES[name][3]

    assert (base.from_ms, base.lost_ms, base.lost_containers) == (here.now_ms, 0, 0)
    assert base.ends or base.until_ms - base.from_ms >= FOLLOW_MS
    assert (base.first, base.over_ms) == (plain.first(), plain.over())
    starts = {target: plain.start_of(target) for target in targets}
    assert base.starts == {target: start_ms for target, start_ms in starts.items() if start_ms is not None}


@pytest.mark.parametrize("name", CASES)
def test_those_start_by_it_that_start_sooner(name: str) -> None:
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


@pytest.mark.parametrize(
    ("busy", "phase", "duration", "follow_ms", "played_ms", "is_last"),
    [
        ('memory = "1g", count = 1000, duration = "2s"', 0.361, "50m", 60_000, None, True),
        ('memory = "4g", count = 200, duration = "4s"', 0.139, "50m", 60_000, 60_000, True),
        ('memory = "4g", count = 200, duration = "4s"', 0.138, "50m", 60_000, 59_999, False),
        ('memory = "4g", count = 200, duration = "4s"', 0.139, "50m", 30_000, None, False),
        ('memory = "4g", count = 200, duration = "4s"', 0.139, "30s", 60_000, None, False),
    ],
)
def test_who_waits_for_more_and_is_given_nothing_else_in_a_minute_is_told(
    busy: str, phase: float, duration: str, follow_ms: int, played_ms: int | None, *, is_last: bool
) -> None:
    """What was played for less than a minute from the start on does not tell; others work on, so that it is played."""
    wants = app("holder", '{ memory = "10g", duration = "50m" }')
    wants += app("busy", f"{{ {busy} }}", at=3, queue="root.b", waits=False) + f"phase = {phase}\n"
    wants += app("late", f'{{ memory = "10g", count = 2, duration = "{duration}" }}', at=5, waits=False)
    here = at(scene(wants, settings='"schedlab.reservation.rule" = "off"'), 20)
    base = without(here, [(3, None)])
    trial = run_to_end(tried(here, [(3, None)], Remedy(KillApplication(1)), base, MANY, follow_ms=follow_ms))

    assert trial is not None
    assert [(start.application, start.is_last) for start in trial.starts] == [(3, is_last)]
    assert played_ms in (None, trial.until_ms - trial.starts[0].start_ms)


def test_remedies_are_ranked_by_what_they_take_then_by_what_they_harm() -> None:
    change = Change("key", "queue", NOWHERE, "2", "1", "refresh", "", "fair-3.4", keeps_idle=True)
    both = ((1, None), 0), ((2, None), 0)
    best = StartRemedy((change,), both, is_judged=True, is_now=True, is_stated=True)
    ranked = [
        best,
        best._replace(starts=(both[0], ((2, None), 1))),
        best._replace(lost_ms=59_999),
        best._replace(changes=(replace(change, where="whole"),)),
        best._replace(is_stated=False),
        best._replace(changes=(change, replace(change, keeps_idle=False))),
        best._replace(lost_ms=60_000),
        best._replace(changes=(replace(change, keeps_idle=False),)),
        best._replace(is_last=True),
        best._replace(changes=(replace(change, is_blunt=True),), lost_ms=1_000),
        best._replace(starts=both[:1]),
        best._replace(is_now=False),
        best._replace(changes=(replace(change, takes="owner"),)),
        best._replace(is_judged=False),
        best._replace(refused=1),
    ]

    assert all(one.rank() < other.rank() for one, other in pairwise(ranked))


@pytest.mark.parametrize(
    ("act", "scheduler", "lines"),
    [
        (acts.KillApplication("application_1_7"), "fair-2.7", ["yarn application -kill application_1_7"]),
        (acts.KillApplication("job_1_7"), "mr1-fair", ["hadoop job -kill job_1_7"]),
        (
            acts.DrainNode("n1:8041"),
            "fair-2.7",
            ["write n1 into the file of yarn.resourcemanager.nodes.exclude-path", "yarn rmadmin -refreshNodes"],
        ),
        (
            acts.ResizeNode("n1:8041", 8192, 8),
            "fair-2.7",
            [
                "call ResourceManagerAdministrationProtocol#updateNodeResource for n1:8041: 8192 MB, 8 vcores",
                "or write into yarn-site.xml of n1: yarn.nodemanager.resource.memory-mb 8192,"
                " yarn.nodemanager.resource.cpu-vcores 8",
                "and restart its NodeManager: its containers end, uncounted, unless yarn.nodemanager.recovery.enabled",
            ],
        ),
        (acts.ResizeNode("n1:8041", 8192, 8), "fair-3.4", ["yarn rmadmin -updateNodeResource n1:8041 8192 8"]),
        (acts.SetPriority("job_1_7", 4), "mr1-fifo", ["hadoop job -set-priority job_1_7 VERY_HIGH"]),
        (acts.LoseNode("n1:8041"), "fair-3.4", []),
    ],
)
def test_an_act_is_told_as_the_release_takes_it(act: acts.Act, scheduler: str, lines: list[str]) -> None:
    assert act_lines(act, "n1", scheduler) == lines
