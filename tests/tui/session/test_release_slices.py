"""The search for who frees reserved nodes, slice by slice; the search itself is made by hand."""

from typing import Any

import pytest

from engine.run.player import Run
from engine.scenario.acts import SetPreemption
from tests.tui.small_run import Wall, small_scenario
from tui.session import background
from tui.session.background import EVERY_S, PIECES, PIECES_AT_REST, PROGRESS_S, SHARE, SLICE_S, Background, Releasing


class FakeSearch:
    """A search that is over after some pieces, and settled after fewer."""

    made: list["FakeSearch"] = []
    pieces, settles, copies = 5, 10**9, 0
    cost_s = 0.0

    def __init__(self, simulation: object) -> None:
        self.simulation, self.advanced, self.is_closed = simulation, 0, False
        FakeSearch.made.append(self)

    @property
    def done(self) -> bool:
        """After all pieces."""
        return self.advanced >= self.pieces

    @property
    def copied(self) -> bool:
        """After the copying."""
        return self.advanced >= self.copies

    def is_settled(self, shown: object) -> bool:
        """After as many as the rows need."""
        return self.advanced >= self.settles

    def advance(self) -> bool:
        """A piece."""
        self.advanced += 1
        Looked.wall.now += self.cost_s
        return self.done

    def found(self) -> dict[Any, Any]:
        """Nothing, which is an answer."""
        return {}

    def close(self) -> None:
        """Let go."""
        self.is_closed = True


class Looked:
    """Reservations that are looked at, and a clock moved by hand."""

    wall = Wall()

    def __init__(self, patch: pytest.MonkeyPatch, **search: Any) -> None:
        Looked.wall = Wall()
        kind = type("Search", (FakeSearch,), {**search})
        patch.setattr(background, "ReleaseSearch", kind)
        FakeSearch.made = []
        self.run = Run(small_scenario())
        self.run.advance(4_000)
        self.told: list[dict[Any, Any]] = []
        self.releasing = Releasing(Looked.wall, lambda: None)
        tell = self.releasing.known.tell

        def told(found: dict[Any, Any]) -> None:
            self.told.append(found)
            tell(found)

        vars(self.releasing.known)["tell"] = told
        self.releasing.known.is_wanted = True

    def tick(self, *, stands: bool = True, flat_out: bool = False) -> bool:
        """Work for a slice."""
        return self.releasing.tick(self.run.simulation, stands=stands, flat_out=flat_out)

    @property
    def search(self) -> FakeSearch:
        """The last that was made."""
        return FakeSearch.made[-1]

    @property
    def is_behind(self) -> bool:
        """Whether there is something left to do."""
        return self.releasing.is_behind(self.run.simulation)


def test_nothing_is_begun_until_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor flat out, nor before it is due."""
    unseen, fast, early = (Looked(monkeypatch) for _ in range(3))
    unseen.releasing.known.is_wanted = False
    early.releasing._due_at = Looked.wall.now + 1
    results = [unseen.tick(), fast.tick(stands=False, flat_out=True), early.tick(stands=False)]

    assert (results, FakeSearch.made) == ([False, False, False], [])


def test_a_search_that_is_over_is_told_and_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture is due where the clock stands; where it runs there is one anyway."""
    for stands in (True, False):
        looked = Looked(monkeypatch)
        assert looked.tick(stands=stands) is stands
        assert (looked.search.advanced, looked.search.is_closed, looked.told) == (5, True, [{}])
        assert not looked.is_behind


@pytest.mark.parametrize(("cost_s", "pieces"), [(0.001, 3), (0.0029, 2), (0.003, 1), (0.1, 1)])
def test_a_slice_takes_three_milliseconds(cost_s: float, pieces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it is over it goes on with the next, and nothing is told."""
    looked = Looked(monkeypatch, pieces=10**9, cost_s=cost_s)
    seen = [looked.tick(), looked.search.advanced]

    assert (seen, looked.told, looked.is_behind) == ([False, pieces], [], True)
    assert SLICE_S == 0.003


@pytest.mark.parametrize(("stands", "most"), [(True, PIECES_AT_REST), (False, PIECES)])
def test_an_answer_takes_so_many_pieces_at_most(stands: bool, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted over all its slices."""
    looked = Looked(monkeypatch, pieces=10**9)

    assert looked.tick(stands=stands) is stands
    assert (looked.search.advanced, looked.search.is_closed) == (most, True)


def test_while_an_instant_is_copied_the_run_should_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Meanwhile no progress is told, however long it takes."""
    looked = Looked(monkeypatch, pieces=10**9, copies=2, cost_s=1.0)
    first = (looked.tick(), looked.releasing.copying)
    second = (looked.tick(), looked.releasing.copying)

    assert (first, second) == ((False, True), (True, False))


@pytest.mark.parametrize(("waited_s", "is_shown"), [(PROGRESS_S - 0.01, False), (PROGRESS_S, True)])
def test_progress_is_told_every_half_second(waited_s: float, is_shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the clock stands."""
    looked, runs = (Looked(monkeypatch, pieces=10**9, cost_s=0.25) for _ in range(2))
    _ = runs.tick(stands=False)
    Looked.wall.now += waited_s
    running = runs.tick(stands=False)
    looked = Looked(monkeypatch, pieces=10**9, cost_s=0.003)
    _ = looked.tick()
    Looked.wall.now += waited_s - 0.006
    shown = looked.tick()

    assert (running, shown, len(looked.told)) == (False, is_shown, int(is_shown))


def test_a_search_rests_where_the_rows_are_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the clock stands its copy stays, and it goes on when other rows want more."""
    looked = Looked(monkeypatch, pieces=10**9, settles=3)
    first = looked.tick()
    resting = (looked.is_behind, looked.tick(), looked.search.is_closed, looked.search.advanced)
    looked.search.settles = 6
    behind = looked.is_behind
    again = looked.tick()

    assert (first, resting, behind, again) == (True, (False, False, False, 3), True, True)
    assert (len(FakeSearch.made), looked.search.advanced) == (1, 6)


def test_a_settled_search_is_let_go_where_the_clock_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next is due two seconds later, or twenty times what it cost."""
    for cost_s, wait_s in ((0.0, EVERY_S), (0.2, SHARE * 0.6)):
        looked = Looked(monkeypatch, pieces=10**9, settles=3, cost_s=cost_s)
        while not looked.told:
            assert looked.tick(stands=False) is False
        assert looked.search.is_closed
        looked.run.advance(20_000)
        looked.releasing.known.is_wanted = True
        Looked.wall.now += wait_s - 0.001
        _ = looked.tick(stands=False)
        early = len(FakeSearch.made)
        Looked.wall.now += 0.002
        _ = looked.tick(stands=False)
        assert (early, len(FakeSearch.made)) == (1, 2)


def test_an_act_has_answers_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked anew at once, though it would not be due."""
    looked = Looked(monkeypatch, pieces=10**9, settles=3)
    _ = looked.tick()
    _ = looked.run.simulation.act(SetPreemption(on=True))
    looked.releasing.known.is_wanted = True
    _ = looked.tick(stands=False)

    assert (FakeSearch.made[0].is_closed, len(FakeSearch.made)) == (True, 2)
    assert looked.told[1] == {}


def test_a_search_that_fails_is_not_tried_again_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is gone."""

    def broken(_: FakeSearch) -> bool:
        raise ZeroDivisionError

    looked = Looked(monkeypatch, advance=broken)
    with pytest.raises(ZeroDivisionError):
        _ = looked.tick()

    assert (looked.is_behind, looked.tick()) == (False, False)


def test_work_beside_a_run_is_that_on_obstacles_and_on_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture is due when obstacles are known and the clock stands."""
    Looked.wall = Wall()
    found = Background(Looked.wall, lambda: None)
    run = Run(small_scenario())
    run.advance(10_000)
    calls: list[tuple[int, int]] = []
    left = [True, True, False, False]

    class Obstacles:
        """Works as a test says."""

        is_behind = False

        def work(self, nodes: int, now_ms: int) -> bool:
            calls.append((nodes, now_ms))
            return left.pop(0)

    obstacles: Any = Obstacles()
    found.obstacles = obstacles
    due = [found.tick(run.simulation, stands=stands, flat_out=False) for stands in (True, False, True)]
    obstacles.is_behind = True
    left[:] = [True]
    due.append(found.tick(run.simulation, stands=True, flat_out=False))

    now_ms = run.simulation.now_ms
    assert due == [True, False, False, False]
    assert calls == [(1_000, now_ms), (500, now_ms), (1_000, now_ms), (1_000, now_ms)]
    assert (found.is_behind(run.simulation), found.copying) == (True, False)
