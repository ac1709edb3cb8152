"""The least value that keeps a goal: which ones are tried, and what is said of each."""

from collections.abc import Iterable, Mapping

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from engine.measures import Quantiles
from engine.sweep import Point, SizeStep, Sizing, StoredPoint, limit_of, sized
from tests.engine.sweep.test_goals import RUN

LIMIT = limit_of("p95_wait < 100ms", "-")
WAIT_MS = {True: 50, False: 500}


class Place:
    """Plays points: value `needed` and above keep the goal with the first seed, one more with all."""

    def __init__(self, needed: int, stops_at: int | None = None) -> None:
        self.needed, self.stops_at = needed, stops_at
        self.asked: list[Point] = []
        self.tried: list[int] = []

    def __call__(self, points: list[Point]) -> Mapping[int, StoredPoint]:
        self.asked += points
        value = int(points[0].settings["k"])
        self.tried.append(value)
        found = {each.number: self._played(each, value) for each in points}
        return {} if value == self.stops_at else found

    def _played(self, point: Point, value: int) -> StoredPoint:
        is_kept = value >= self.needed + (point.seed != 5)
        run = msgspec.structs.replace(RUN, waits=Quantiles(1, 0, WAIT_MS[is_kept], 0))
        return StoredPoint(point.number, point.settings, point.seed, "done", "", run, 0.0)


@given(st.integers(0, 30), st.integers(1, 30), st.integers(-2, 33))
def test_the_answer_is_the_least_value_that_every_seed_keeps(low: int, length: int, needed: int) -> None:
    """It and the one below are tried, none twice, and only a few in all."""
    high, place = low + length, Place(needed)
    found = sized("k", low, high, LIMIT, [5, 6], place)
    keeping = [value for value in range(low, high + 1) if value >= needed + 1]

    assert found.answer == min(keeping, default=None)
    assert [each.value for each in found.steps] == place.tried
    assert len(set(place.tried)) == len(place.tried)
    assert len(place.tried) <= 2 + length.bit_length()
    if found.answer is not None and found.answer > low:
        assert found.answer - 1 in place.tried


def test_each_value_is_told_of_with_its_figures() -> None:
    """The largest first, then the smallest, then halves; so many seeds keep the goal at each."""
    told: list[Sizing] = []
    place = Place(4)
    found = sized("k", 1, 9, LIMIT, [5, 6], place, {"other": "x"}, told.append)
    steps = tuple(
        SizeStep(value, tuple(map(float, values)), kept, lost=16)
        for value, values, kept in ((9, (50, 50), 2), (1, (500, 500), 0), (5, (50, 50), 2), (3, (500, 500), 0))
    )
    last = SizeStep(4, (50.0, 500.0), 1, lost=16)

    assert found == Sizing("k", (*steps, last), 5, 2)
    assert told == [Sizing("k", (*steps, last)[: count + 1], None, 2) for count in range(5)]
    assert found.step(4) == last
    assert found.step(2) is None


def test_a_seed_that_cannot_be_played_keeps_no_goal() -> None:
    def played(points: list[Point]) -> Mapping[int, StoredPoint]:
        return {each.number: each for each in _some(points)}

    found = sized("k", 2, 2, LIMIT, [5, 6], played)
    assert found == Sizing("k", (SizeStep(2, (11.0,), 1, "no room", lost=8),), None, 2)


def _some(points: Iterable[Point]) -> Iterable[StoredPoint]:
    for place, each in enumerate(points):
        status, words, run = ("done", "", RUN) if not place else ("refused", "no room", None)
        yield StoredPoint(each.number, each.settings, each.seed, status, words, run, 0.0)
