"""What follows an act, beside a run that is played by hand: starts, ends, memory, buckets and nodes."""

from collections.abc import Sequence

import pytest

from engine.explain.aftermath import BEFORE, BUCKET_MS, BUCKETS, NAMED, STEP_MS, aftermath
from engine.explain.remedy_trial import ACT_MS, FOLLOW_MS
from engine.formats.scenario_toml import load
from engine.incremental import finish
from engine.model.decision import Allocated, ApplicationTransitioned, Killed, Unreserved
from engine.run.player import Run
from engine.scenario.acts import Act, KillApplication, SetPreemption
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, at, queue, scene

MANY = "".join(app(f"w{each}", '{ memory = "3g", duration = "20s" }', at=2 + each) for each in range(5))
HOLDER = app("holder", '{ memory = "9g", duration = "50m", count = 2 }')
TAKEN = queue("a") + queue("b", 'min_resources = "9000 mb, 9 vcores"\nmin_share_preemption_timeout = 5')


class Log:
    """A listener that keeps what happens from a moment on."""

    def __init__(self) -> None:
        self.all: list[tuple[int, Record]] = []

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        self.all += [(time_ms, each) for each in records]


def scenes() -> dict[str, tuple[Simulation, Act]]:
    recorded = Run(load("reservation-deadlock-recorded"), is_judged=False)
    recorded.advance(66_000)
    preempted = scene(
        TAKEN
        + app("big", '{ memory = "4g", count = 5, duration = "50m" }')
        + app("due", '{ memory = "4g" }', at=3, queue="root.b"),
        settings='"yarn.scheduler.fair.preemption.cluster-utilization-threshold" = 0',
    )
    return {
        "halves": (at(scene(HALVES), 60), KillApplication(2)),
        "many": (at(scene(HOLDER + MANY), 60), KillApplication(1)),
        "recorded": (recorded.simulation, KillApplication(10)),
        "preempted": (at(preempted, 30), SetPreemption(on=True)),
    }


NAMES = ("halves", "many", "recorded", "preempted")


class ByHand:
    """The same act on a copy that is played by hand."""

    def __init__(self, name: str) -> None:
        here, act = scenes()[name]
        self.found = finish(aftermath(here, (act,), [(number, None) for number in range(1, 50)]))
        copy, log = here.fork(), Log()
        copy.run_before(here.now_ms + ACT_MS)
        self.view = view = copy.control_plane.view()
        self.begin_ms = copy.now_ms
        self.waited = {each.number for each in view.applications() if each.waits}
        self.running = set(view.numbers_running())
        self.looks = [self.look(self.begin_ms)]
        copy.listeners.append(log)
        copy.act(act)
        self.at_once = [each for _, each in log.all]
        self.stays = {each.id: each.node.id for each in view.reservations()}
        self.idle_ms: int | None = None
        for time_ms in range(self.begin_ms + STEP_MS, self.begin_ms + FOLLOW_MS, STEP_MS):
            copy.run_until(time_ms)
            self.looks.append(self.look(time_ms))
            if self.idle_ms is None and not view.somebody_waits():
                self.idle_ms = time_ms
        self.records = log.all
        self.given = [(time_ms, each) for time_ms, each in log.all if isinstance(each, Allocated)]

    def look(self, time_ms: int) -> tuple[int, int, int]:
        figures = self.view.figures()
        return time_ms, figures.used[0], figures.total[0]

    def begun(self) -> list[tuple[int, int]]:
        """When each that waited is first given something, and its number, the soonest first."""
        first: dict[int, int] = {}
        for time_ms, each in self.given:
            if each.container[0] in self.waited:
                first.setdefault(each.container[0], time_ms)
        return sorted((time_ms, number) for number, time_ms in first.items())


@pytest.mark.parametrize("name", NAMES)
def test_what_is_given_and_what_goes_is_counted(name: str) -> None:
    """In buckets after the act; what goes at once apart from what is preempted later."""
    one = ByHand(name)
    buckets = [0] * BUCKETS
    for time_ms, _ in one.given:
        if (time_ms - one.begin_ms) // BUCKET_MS < BUCKETS:
            buckets[(time_ms - one.begin_ms) // BUCKET_MS] += 1
    found = one.found

    assert (found.bucket_s, found.allocated, found.before) == (BUCKET_MS // 1000, tuple(buckets), (0,) * BEFORE)
    assert found.killed == sum(isinstance(each, Killed) for each in one.at_once)
    assert found.dropped == sum(isinstance(each, Unreserved) for each in one.at_once)
    assert found.preempted == sum(isinstance(each, Killed) and each.cause == "PREEMPTED" for _, each in one.records)


@pytest.mark.parametrize("name", NAMES)
def test_the_instants_that_matter_are_told(name: str) -> None:
    """When the first few start, and the last; when nobody waits any more; what has ended and what is left."""
    one = ByHand(name)
    begun = one.begun()
    words = {each.words: each for each in one.found.happenings}
    ended = sum(isinstance(each, ApplicationTransitioned) and each.is_end for _, each in one.records)
    left = len(one.view.applications())
    targets = [each for each in one.found.happenings if each.is_target]
    told = [*begun[:NAMED], *(begun[-1:] if len(begun) > NAMED else [])]

    assert list(words)[-1] == f"{ended} finished" + (f", {left} still live" if left else "")
    idle = words.get("nobody waits any more")
    assert (None if idle is None else idle.at_ms) == one.idle_ms
    assert [each.at_ms for each in targets] == [time_ms for time_ms, _ in told]
    assert [each.words.partition(" ")[0] for each in targets[:NAMED]] == [str(number) for _, number in begun[:NAMED]]
    assert (len(begun) > NAMED) == any(each.words == f"the last of {len(begun)} starts" for each in targets)
