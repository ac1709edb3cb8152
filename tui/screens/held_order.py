"""Keeps the order of a pane's rows while somebody reads them.

While the clock runs, order and choice are worked out at most twice a second, and not for some seconds after a key was
pressed in the pane. Meanwhile rows keep their places: what goes is taken out, what comes stands at the end.
"""

from collections.abc import Callable, Hashable, Sequence
from math import inf
from typing import Any, Final

from engine.observe.section import Section, glimpses, picked
from tui.render.arrangement import Arrangement
from tui.render.field import Criteria
from tui.render.line import Look

LEAST_S: Final = 0.5
"""The least time between two orders [s]."""
HELD_S: Final = 3.0
"""How long an order is held after a key [s]; htop's rule."""


class HeldOrder:
    """The order of one pane."""

    def __init__(self, identity: Callable[[Any], str]) -> None:
        """Take rows that `identity` distinguishes."""
        self._identity = identity
        self._settled: object = None
        self._at_s = self._touched_s = -inf
        self._shown: list[Hashable] | None = None
        """What the rows are about, in the order they stand in; None when they are shown as they come."""
        self._known: set[Hashable] = set()
        self._came: list[Hashable] = []
        """What the rows were about when they came last, in the order they came."""
        self._places: list[int] = []
        """Where among those the rows that are shown stand."""
        self.turns = 0
        """How often the order was worked out."""
        self.is_old = False
        """Whether the rows might stand in another order by now."""
        self.is_held = False
        """Whether that is because of a key."""

    @property
    def names(self) -> Sequence[Hashable]:
        """Returns the things in the order they were shown in last; none when rows are shown as they come."""
        return self._shown or ()

    def touch(self, now_s: float) -> None:
        """A key was pressed in the pane."""
        self._touched_s = now_s

    def is_due(self, now_s: float) -> bool:
        """True where the order may be computed again."""
        return now_s - self._at_s >= LEAST_S and now_s - self._touched_s >= HELD_S

    def arranged(
        self,
        rows: Sequence[Any],
        arrangement: Arrangement,
        criteria: Criteria,
        look: Look,
        now_s: float,
        *,
        wanted: object,
        may_hold: bool,
    ) -> Sequence[Any]:
        """The rows to show, in order.

        Something else `wanted` by the user is always followed at once; `may_hold` an older order where the clock runs.
        """
        if may_hold and wanted == self._settled and not self.is_due(now_s):
            return self._held(rows, arrangement, criteria, look, now_s)
        own = None if arrangement.sort or not arrangement.is_plain else criteria.order
        is_same = wanted == self._settled and not self.is_old and own is not None and own.reads == ("id",)
        self._settled, self._at_s, self.turns = wanted, now_s, self.turns + 1
        self.is_old = self.is_held = False
        if is_same and self._names(rows) == self._came:
            return picked(rows, self._places)  # which the ids alone decide
        order = arrangement.order(rows, criteria, look)
        if order is None:
            self._shown = None
            return rows
        names = self._names(rows)
        self._came, self._places = names, order
        self._shown, self._known = [names[place] for place in order], set(names)
        return picked(rows, order)

    def _held(
        self, rows: Sequence[Any], arrangement: Arrangement, criteria: Criteria, look: Look, now_s: float
    ) -> Sequence[Any]:
        if self._shown is None:
            return rows
        self.is_old, self.is_held = True, now_s - self._touched_s < HELD_S
        names = self._names(rows)
        if names != self._came:
            self._follow(names, rows, arrangement, criteria, look)
        return picked(rows, self._places)

    def _follow(
        self, names: list[Hashable], rows: Sequence[Any], arrangement: Arrangement, criteria: Criteria, look: Look
    ) -> None:
        """Take out what has gone, put what is new at the end."""
        places = {name: place for place, name in enumerate(names)}
        fresh = [name for name in places if name not in self._known]
        kept = [name for name in fresh if arrangement.is_plain or arrangement.keeps(rows[places[name]], criteria, look)]
        self._known.update(fresh)
        self._shown = [name for name in self._shown or () if name in places] + kept
        self._came, self._places = names, [places[name] for name in self._shown]

    def _names(self, rows: Sequence[Any]) -> list[Hashable]:
        """The identity of each row; used for comparison only."""
        if isinstance(rows, Section):
            return list(rows.things)
        return list(map(self._identity, glimpses(rows)))
