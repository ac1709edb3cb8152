"""Who frees reserved nodes, worked out beside a run while somebody looks; the wall clock is moved by hand."""

from collections.abc import Sequence

from engine.formats.scenario_toml import load
from engine.observe.snapshot import Release, ReservationRow
from engine.observe.snapshots import snapshot_of_simulation
from engine.run import Run
from engine.simulation.simulation import Simulation
from tests.tui.small_run import Wall
from tui.session.driving import ReleaseTracker


class Looked:
    """A run whose reservations are looked at, and how often somebody was told to work."""

    def __init__(self, name: str, at_s: float) -> None:
        self.run, self.wall, self.called = Run(load(name)), Wall(), 0
        self.run.advance(int(at_s * 1000))
        self.releasing = ReleaseTracker(self.wall, self._call)

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
