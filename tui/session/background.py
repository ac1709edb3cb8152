"""Finds, beside the engine, what takes too long for one picture: why applications wait, and who frees nodes.

Each slice of the engine does a little of it, more while the clock stands. The work on obstacles is counted in nodes; a
thousand nodes take about two milliseconds.

A search goes only as far as the rows on screen need; while the clock stands it goes on when others come on screen.
Nothing is done while nobody looks, while nothing is reserved, and while the clock runs flat out.
"""

from collections.abc import Callable
from typing import Final

from engine.explain.releases import ReleaseSearch
from engine.observe.obstacle_cache import ObstacleCache
from engine.observe.releases import Releases
from engine.simulation.simulation import Simulation

SLICE_S: Final = 0.003
"""Duration of one slice of work [s]."""
EVERY_S: Final = 2.0
"""Least time from one answer to the next question while the clock runs [s]."""
SHARE: Final = 20
"""Least time from one answer to the next question, in multiples of the cost of the answer."""
PROGRESS_S: Final = 0.5
"""Time between two signs of progress of a long search [s]."""
PIECES: Final = 1_000
"""Pieces of work for one answer while the clock runs; then it is ready for the next question."""
PIECES_AT_REST: Final = 20_000
"""The same while the clock stands: a minute or so on a large cluster, in which nothing else wants the time."""


class Releasing:
    """Finds who frees the reserved nodes of the simulation looked at."""

    def __init__(self, wall: Callable[[], float], wanted: Callable[[], object]) -> None:
        """Know nothing yet; `wanted` is called when reservations are looked at."""
        self.known = Releases(wanted)
        self._wall = wall
        self._search: ReleaseSearch | None = None
        self._asked: tuple[int, int, int] | None = None
        """The simulation that was asked about, and its state then."""
        self._rests = False
        """True once the search has come as far as the rows on screen need."""
        self._pieces = 0
        self._spent_s = 0.0
        self._shown_at = self._due_at = wall()

    @property
    def copying(self) -> bool:
        """True while an instant is copied; the run should stand until it is done."""
        return self._search is not None and not self._search.copied

    def is_behind(self, simulation: Simulation) -> bool:
        """Tell whether something is left to find out about the state of a simulation."""
        if self._search is not None and not (self._rests and self._search.is_settled(self.known.shown)):
            return True
        return self.known.is_wanted and self._asked != _place(simulation)

    def tick(self, simulation: Simulation, *, stands: bool, flat_out: bool) -> bool:
        """Work for a slice, if there is something to find out.

        Args:
            stands: True while the clock stands.
            flat_out: True where it runs as fast as it can.

        Returns:
            True when more is known, and a picture is due because the clock stands.
        """
        place = _place(simulation)
        if self._asked is not None and (self._asked[0], self._asked[2]) != (place[0], place[2]):
            self._forget()
        if self._rests and self._asked != place:
            self._let_go()
        if self._search is None and not self._begin(simulation, stands=stands, flat_out=flat_out):
            return False
        # Should it fail it is not tried again where it was asked.
        search, self._search = self._search, None
        if search is None or (self._rests and search.is_settled(self.known.shown)):
            self._search = search
            return False
        is_over = self._work(search, PIECES_AT_REST if stands else PIECES)
        self._rests = not is_over and search.is_settled(self.known.shown)
        self._search = search
        if not is_over and not self._rests:
            return stands and search.copied and self._show_progress(search)
        self._due_at = self._wall() + max(EVERY_S, SHARE * self._spent_s)
        self.known.tell(search.found())
        if is_over or not stands:
            self._let_go()
        return stands

    def _let_go(self) -> None:
        """End the search; copies are large."""
        if self._search is not None:
            self._search.close()
        self._search, self._rests = None, False

    def _forget(self) -> None:
        """Forget the answers: they are of another simulation, or of before an act."""
        self._let_go()
        self._asked = None
        self._due_at = self._wall()
        self.known.tell({})

    def _begin(self, simulation: Simulation, *, stands: bool, flat_out: bool) -> bool:
        is_due = stands or (not flat_out and self._wall() >= self._due_at)
        if not is_due or not self.is_behind(simulation):
            return False
        self.known.is_wanted = False
        self._asked = _place(simulation)
        self._search = ReleaseSearch(simulation)
        self._pieces, self._spent_s, self._shown_at = 0, 0.0, self._wall()
        return True

    def _work(self, search: ReleaseSearch, pieces: int) -> bool:
        """Work for a slice; return True when the search is over."""
        begin = now = self._wall()
        shown = self.known.shown
        while not (search.done or search.is_settled(shown)) and self._pieces < pieces and now - begin < SLICE_S:
            _ = search.advance()
            self._pieces += 1
            now = self._wall()
        self._spent_s += now - begin
        return search.done or self._pieces >= pieces

    def _show_progress(self, search: ReleaseSearch) -> bool:
        if self._wall() - self._shown_at < PROGRESS_S:
            return False
        self._shown_at = self._wall()
        self.known.tell(search.found())
        return True


def _place(simulation: Simulation) -> tuple[int, int, int]:
    """Return a key that differs between simulations, and whenever reservations or containers of one may differ."""
    return id(simulation), simulation.control_plane.version, len(simulation.acts)


NODES_WHILE_RUNNING: Final = 500
"""Nodes that one slice looks at while the clock runs; about a tenth of its time."""
NODES_AT_REST: Final = 1_000
"""Nodes that one slice looks at while the clock stands."""


class Background:
    """Finds why applications wait, and who frees reserved nodes."""

    def __init__(self, wall: Callable[[], float], wanted: Callable[[], object]) -> None:
        """Know nothing yet; `wanted` is called when something is looked at that is to be worked out."""
        self.obstacles = ObstacleCache(wanted=wanted)
        self.releasing = Releasing(wall, wanted)

    @property
    def copying(self) -> bool:
        """True while an instant is copied; the run should stand until it is done."""
        return self.releasing.copying

    def is_behind(self, simulation: Simulation) -> bool:
        """True where something is left to find out about the simulation looked at."""
        return self.obstacles.is_behind or self.releasing.is_behind(simulation)

    def tick(self, simulation: Simulation, *, stands: bool, flat_out: bool) -> bool:
        """Work on everything for a little; return True when a picture is due because the clock stands.

        Args:
            stands: True while the clock stands.
            flat_out: True where it runs as fast as it can.
        """
        is_answered = self.obstacles.work(NODES_AT_REST if stands else NODES_WHILE_RUNNING, simulation.now_ms)
        is_news = stands and is_answered and not self.obstacles.is_behind
        return self.releasing.tick(simulation, stands=stands, flat_out=flat_out) or is_news
