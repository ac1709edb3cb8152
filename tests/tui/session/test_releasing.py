"""Who frees reserved nodes, worked out beside a run while somebody looks; the wall clock is moved by hand."""

from collections.abc import Sequence
from math import inf

import pytest

from engine.formats.scenario_toml import load
from engine.observe.snapshot import Release, ReservationRow
from engine.observe.snapshots import snapshot_of_simulation
from engine.run import Run
from engine.scenario.acts import KillApplication
from engine.simulation.simulation import Simulation
from tests.tui.small_run import ByHand, Wall, by_hand
from tui.session.background import EVERY_S, Releasing
from tui.session.event_log import EventLog
from tui.session.session import Session


class Looked:
    """A run whose reservations are looked at, and how often somebody was told to work."""

    def __init__(self, name: str, at_s: float) -> None:
        self.run, self.wall, self.called = Run(load(name)), Wall(), 0
        self.run.advance(int(at_s * 1000))
        self.releasing = Releasing(self.wall, self._call)

    def _call(self) -> None:
        self.called += 1

    @property
    def simulation(self) -> Simulation:
        return self.run.simulation

    def section(self) -> Sequence[ReservationRow]:
        """What a pane may show now; a row is looked at when it is made."""
        known = self.releasing.known
        return snapshot_of_simulation(self.simulation, releases=known).reservations()

    def rows(self) -> list[ReservationRow]:
        return list(self.section())

    def outcomes(self) -> set[str]:
        return {row.released.outcome for row in self.rows() if isinstance(row.released, Release)}

    def ticks(self, *, stands: bool = True, flat_out: bool = False, at_most: int = 1_000) -> int:
        """Work until there is nothing left to do, or for so many slices; in how many."""
        slices = 0
        while slices < at_most and self.releasing.is_behind(self.simulation):
            self.wall.now += 0.001
            self.releasing.tick(self.simulation, stands=stands, flat_out=flat_out)
            slices += 1
        return slices

    def seen_ms(self) -> int | None:
        released = self.rows()[0].released
        return released.from_ms if isinstance(released, Release) else None


def test_nothing_is_done_until_somebody_looks() -> None:
    looked = Looked("reservation-deadlock", 2400)
    assert (looked.releasing.is_behind(looked.simulation), looked.ticks()) == (False, 0)

    assert looked.outcomes() == {""}
    assert (looked.called, looked.ticks() > 0, looked.outcomes()) == (1, True, {"never"})
    assert looked.ticks() == 0


def test_what_nobody_looks_at_any_more_is_not_asked_again() -> None:
    looked = Looked("reservation-deadlock", 1810)
    looked.rows()
    looked.ticks()
    looked.run.advance(looked.run.now_ms + 500)
    before = looked.releasing.is_behind(looked.simulation)
    looked.rows()

    assert (before, looked.releasing.is_behind(looked.simulation)) == (False, True)


def test_nothing_is_done_where_nothing_is_reserved() -> None:
    looked = Looked("fair-order", 10)

    assert (looked.rows(), looked.called, looked.ticks()) == ([], 0, 0)


def test_of_a_long_search_is_told_what_is_known() -> None:
    """Every half second, while the clock stands: here not before an instant that grows later."""
    looked = Looked("reservation-deadlock", 1810)

    def slow() -> float:
        looked.wall.now += 0.3
        return looked.wall.now

    looked.releasing = Releasing(slow, lambda: None)
    looked.rows()
    told = []
    while looked.releasing.is_behind(looked.simulation):
        if looked.releasing.tick(looked.simulation, stands=True, flat_out=False):
            told += [row.released for row in looked.rows()]
    outcomes = [one.outcome for one in told if isinstance(one, Release)]
    instants = [one.time_ms for one in told if isinstance(one, Release) and one.outcome == "later"]

    assert (outcomes[0], outcomes[-1]) == ("later", "ends")
    assert instants == sorted(set(instants), key=lambda each: each or 0)


def test_while_the_clock_runs_it_is_asked_every_few_seconds_at_most() -> None:
    looked = Looked("reservation-deadlock", 1810)
    looked.rows()
    looked.ticks(stands=False, flat_out=True, at_most=50)
    assert looked.outcomes() == {""}
    looked.ticks(stands=False)
    begin_ms = looked.simulation.now_ms
    looked.run.advance(looked.run.now_ms + 15_000)
    assert (looked.outcomes(), looked.seen_ms()) == ({"ends"}, begin_ms)

    looked.ticks(stands=False, at_most=50)
    assert looked.seen_ms() == begin_ms
    looked.wall.now += EVERY_S
    looked.ticks(stands=False)
    assert looked.seen_ms() == begin_ms + 15_000


def test_an_answer_goes_with_its_reservation() -> None:
    looked = Looked("reservation-deadlock", 1810)
    looked.rows()
    looked.ticks()
    looked.run.advance(1_835_000)

    assert looked.outcomes() == {""}


def test_what_should_have_come_by_now_is_not_said_any_more() -> None:
    looked = Looked("reservation-deadlock", 1810)
    looked.rows()
    looked.ticks()
    known, [row] = looked.releasing.known, looked.rows()
    assert isinstance(row.released, Release)
    assert row.released.time_ms is not None
    held = ("10.120.117.100:8041", (183351, 1, 2))

    assert known.of(held, row.released.time_ms) == row.released
    assert known.of(held, row.released.time_ms + 1).outcome == ""


def test_a_search_goes_as_far_as_the_rows_on_screen_need() -> None:
    """While the clock stands it goes on when other rows come on screen, and then all is known."""
    whole = Looked("reservation-deadlock-rule-limited", 1860)
    whole.rows()
    whole.ticks()
    ends = [row.released for row in whole.rows()]
    instants = [one.time_ms or 0 for one in ends if isinstance(one, Release)]
    first = instants.index(min(instants))
    looked = Looked("reservation-deadlock-rule-limited", 1860)
    section = looked.section()
    assert isinstance(section[first].released, Release)
    looked.ticks()
    section = looked.section()
    called = looked.called

    assert (section[first].released, looked.releasing.is_behind(looked.simulation)) == (ends[first], False)
    assert {row.released.outcome for row in section if isinstance(row.released, Release)} >= {"later"}
    assert (looked.releasing.is_behind(looked.simulation), looked.called > called) == (True, True)
    looked.ticks()
    assert [row.released for row in looked.section()] == ends


def _slices(session: ByHand) -> None:
    for _ in range(500):
        session.slice()


def _told(session: ByHand) -> set[str]:
    rows = session.picture().snapshot.reservations()
    return {row.released.outcome for row in rows if isinstance(row.released, Release)}


def test_the_session_answers_at_once_while_the_clock_stands() -> None:
    session = by_hand("reservation-deadlock", at="09:10", paused=True)
    assert _told(session) == {""}
    _slices(session)
    assert _told(session) == {"never"}

    assert session.travel("09:00:10") == ""
    assert _told(session) == {""}
    _slices(session)
    assert _told(session) == {"ends"}


def test_an_act_makes_it_ask_anew() -> None:
    session = by_hand("reservation-deadlock", at="09:10", paused=True)
    _told(session)
    _slices(session)
    before = session.picture().snapshot.version("reservations")
    assert session.do(KillApplication("application_1507795051888_183354")) == ""
    _told(session)
    _slices(session)

    assert "never" not in _told(session)
    assert session.picture().snapshot.version("reservations") != before


@pytest.mark.parametrize("speed", [60.0, inf])
def test_looking_at_reservations_changes_no_event(speed: float) -> None:
    told = []
    for looks in (False, True):
        log, wall = EventLog(), Wall()
        run = Run(load("reservation-deadlock-recorded"), [log])
        session = ByHand(Session(run, log, speed=speed, wall=wall))
        while run.now_ms < 60_000:
            wall.now += 0.01
            session.slice()
            if looks:
                _told(session)
        run.advance(90_000)
        told.append([(row.time_ms, row.record) for row in log.latest if row.time_ms < run.simulation.now_ms])

    assert told[0][: len(told[1])] == told[1][: len(told[0])]
