"""When containers taken back are told as a livelock, of whom, since when, and when that is over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.explain import livelock as module
from engine.explain.alert import Alert
from engine.explain.badge_rules import PREEMPTIONS
from engine.explain.livelock import Livelock
from engine.explain.shared_lookahead import LIVELOCK, Preempted
from engine.incremental import Incremental
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.scenario.acts import SetPreemption
from engine.simulation.records import Acted, Record
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, at, scene

MANY = 10**6
ACT = Acted(SetPreemption(on=True))
STEPS = st.lists(
    st.tuples(st.integers(1, 3), st.integers(1, 2), st.sampled_from(("taken", "lost", "ends", "over", "runs"))),
    max_size=25,
)


def taken(*numbers: int) -> list[Record]:
    """A container of each is preempted."""
    return [Killed((number, 1, 2), "n1:1", "PREEMPTED") for number in numbers]


@given(STEPS)
def test_what_is_taken_back_counts_until_one_ends_by_itself(steps: list[tuple[int, int, str]]) -> None:
    """By the ask it was given for; what is lost otherwise does not count."""
    preempted, counts, first = Preempted(), dict[tuple[int, int], int](), dict[tuple[int, int], int]()
    done = set[tuple[int, int]]()
    for time_ms, (number, priority, what) in enumerate(steps):
        ask, container = (number, priority), (number, 1, time_ms)
        given_ = Allocated(container, "n1:1", priority, 1, 1)
        if what in {"over", "runs"}:
            state = "KILLED" if what == "over" else "RUNNING"
            preempted.records(time_ms, [ApplicationTransitioned(number, state)])
            counts = {key: value for key, value in counts.items() if what == "runs" or key[0] != number}
        elif what == "ends":
            preempted.records(time_ms, [given_, Completed(container, "n1:1", 0)])
            counts.pop(ask, None)
            done.add(ask)
        else:
            cause = "PREEMPTED" if what == "taken" else "LOST"
            preempted.records(time_ms, [given_, Killed(container, "n1:1", cause)])
            if what == "taken":
                first[ask] = first[ask] if ask in counts else time_ms
                counts[ask] = counts.get(ask, 0) + 1
    assert (preempted.counts, preempted.first_ms, preempted.completed) == (counts, first, done)
    for times in (1, 2, 3):
        assert preempted.often(times) == tuple(sorted({ask[0] for ask, count in counts.items() if count >= times}))


class Told:
    """A livelock whose closed world tells what a test wants."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *found: int) -> None:
        self.found = found
        self.parties: list[int] = []
        self.livelock = Livelock()
        self.here = at(scene(HALVES), 10)
        monkeypatch.setattr(module, "goes_round", self._goes_round)

    def _goes_round(self, _: Simulation, parties: int) -> Incremental[tuple[int, ...]]:
        yield from ()
        self.parties.append(parties)
        return self.found

    def look(self, *records: Record, time_ms: int = 0) -> list[Alert]:
        """What is new after some records."""
        self.livelock.records(time_ms, records)
        return self.livelock.look(self.here, MANY)


@pytest.mark.parametrize(
    ("found", "suspects", "involved"),
    [
        ((), (1, 2), None),
        ((1, 2), (1, 2), (1, 2)),
        ((1, 2, 3), (1, 2), (1, 2)),
        ((1,), (1,), (1,)),
        ((1, 3), (1,), None),
        ((3, 4), (1, 2), None),
    ],
)
def test_those_are_told_that_were_suspected_and_go_on(
    monkeypatch: pytest.MonkeyPatch, found: tuple[int, ...], suspects: tuple[int, ...], involved: tuple[int, ...] | None
) -> None:
    """Two at least, or one where there is no other."""
    told = Told(monkeypatch, *found)
    alerts = told.look(*taken(*suspects) * PREEMPTIONS)

    assert [each.applications for each in alerts] == ([] if involved is None else [involved])
    assert told.parties == [2]
    assert told.livelock.idle


def test_an_alert_says_who_takes_from_whom_and_since_when(monkeypatch: pytest.MonkeyPatch) -> None:
    """Since the first container of any of them was taken."""
    told = Told(monkeypatch, 1, 2)
    told.livelock.records(3, taken(3))
    told.livelock.records(5, taken(2))
    told.livelock.records(7, taken(1, 2))
    (alert,) = told.look(*taken(1, 2, 3) * PREEMPTIONS, time_ms=9)

    assert (alert.kind, alert.since_ms, alert.found_ms, alert.pattern) == ("livelock", 5, told.here.now_ms, LIVELOCK)
    assert alert.sentence == (
        f"{LIVELOCK}: applications 1 and 2 take containers from each other, and none of them ends by itself"
    )
    alone = Told(monkeypatch, 2)
    assert [each.sentence for each in alone.look(*taken(2) * PREEMPTIONS)] == [
        f"{LIVELOCK}: what is taken from application 2 goes to it again, and none ends by itself"
    ]


def test_who_was_wrongly_suspected_takes_twice_as_many_to_be_suspected_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """And twice as many again; after an end as many as at first."""
    told = Told(monkeypatch)
    for _ in range(4 * PREEMPTIONS - 1):
        told.look(*taken(1))
    assert len(told.parties) == 2
    told.found = (1,)
    assert [each.kind for each in told.look(*taken(1))] == ["livelock"]
    assert [each.kind for each in told.look(Completed((1, 1, 2), "n1:1", 0))] == ["over"]
    assert told.look(*taken(1) * (PREEMPTIONS - 1)) == []
    assert [each.kind for each in told.look(*taken(1))] == ["livelock"]


def test_after_an_act_it_is_looked_whether_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as all of them go on nothing is said; without an act nothing is looked at."""
    told = Told(monkeypatch, 1, 2)
    told.look(*taken(1, 2) * PREEMPTIONS)
    assert (told.look(*taken(1)), len(told.parties), told.livelock.is_due) == ([], 1, False)
    told.found = (1, 2, 3)
    assert (told.look(ACT), len(told.parties)) == ([], 2)
    told.found = (1,)
    (over,) = told.look(ACT)

    assert (over.kind, over.sentence, over.applications) == ("over", f"{LIVELOCK}: it repeats no longer", (1, 2))
    assert (told.livelock.standing, len(told.parties)) == (None, 3)


def test_it_is_over_with_the_end_of_one_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """It names since when it was, and whom."""
    told = Told(monkeypatch, 1, 2)
    told.look(*taken(1, 2) * PREEMPTIONS, time_ms=4)
    (over,) = told.look(ApplicationTransitioned(2, "KILLED"))

    assert over == Alert("over", 4, told.here.now_ms, f"{LIVELOCK}: a container ended by itself", applications=(1, 2))
