"""The search for a size: what it plays, what it keeps, and what else it would take."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from engine.sweep import (
    GROWTH,
    LOST_RACKS,
    NODES,
    Point,
    PointOutcome,
    Sizing,
    StoredPoint,
    SweepSpec,
    SweepStore,
    WorkPlace,
    play_all,
    sized,
    stored,
)
from tui.pages.size_page import SizeView

STRAINS: Final[Mapping[str, Mapping[str, str]]] = {
    "with a rack lost": {LOST_RACKS: "1"},
    "with 20 % more work": {GROWTH: "20"},
}
"""What else is asked of the nodes."""


class SizeSearch:
    """Plays points that are not in the file yet, until the size is found."""

    def __init__(self, spec: SweepSpec, place: WorkPlace, store: SweepStore | None, *, is_strained: bool) -> None:
        """With `is_strained` it is also found what the `STRAINS` take."""
        self.spec, self._place, self._store, self._is_strained = spec, place, store, is_strained
        self._there = {_key(each): each for each in (store.points() if store is not None else ())}
        (axis,), (limit,) = spec.axes, spec.limits
        file = "" if store is None else store.path.name
        nothing = Sizing(axis.key, (), None, len(spec.seeds))
        self.view = SizeView(spec.name, limit.goal, limit.text, limit.value, nothing, {}, file, is_running=True)
        """What is found so far."""

    def points(self) -> list[StoredPoint]:
        return list(self._there.values())

    def answer(self, is_stopped: Callable[[], bool], shown: Callable[[SizeView], None]) -> SizeView:
        """Search until the answer is there or it is stopped; `shown` is given what is found, again and again."""
        (axis,), (limit,) = self.spec.axes, self.spec.limits
        low, high = map(int, axis.values)

        def show(**found: Any) -> None:
            self.view = self.view._replace(**found)
            shown(self.view)

        def played(points: list[Point]) -> dict[int, StoredPoint]:
            """Play points; their results by number, fewer when it was stopped."""
            words = ", ".join(f"{key} {value}" for key, value in points[0].settings.items())

            def keep(point: Point, outcome: PointOutcome) -> None:
                numbered = msgspec.structs.replace(point, number=len(self._there))
                self._there[_key(point)] = stored(numbered, outcome)
                if self._store is not None:
                    self._store.keep(numbered, outcome)
                tell()

            def tell() -> None:
                share = sum(_key(each) in self._there for each in points) / len(points)
                show(share=share, doing=f"{words}; {len(self._there)} points played")

            tell()
            todo = [each for each in points if _key(each) not in self._there]
            if todo:
                play_all(self.spec.base, todo, self._place, keep, is_stopped)
            return {each.number: self._there[_key(each)] for each in points if _key(each) in self._there}

        seeds = self.spec.seeds
        show(sizing=sized(axis.key, low, high, limit, seeds, played, told=lambda found: show(sizing=found)))
        answer = self.view.sizing.answer
        if answer is not None and self._is_strained and axis.key == NODES:
            for name, beside in STRAINS.items():
                other = sized(NODES, answer, high, limit, seeds, played, beside)
                step = other.step(high if other.answer is None else other.answer)
                if step is not None:
                    show(others={**self.view.others, name: step})
        show(is_running=False, is_stopped=is_stopped())
        return self.view


def _key(point: Point | StoredPoint) -> tuple[tuple[tuple[str, str], ...], int]:
    return tuple(sorted(point.settings.items())), point.seed
