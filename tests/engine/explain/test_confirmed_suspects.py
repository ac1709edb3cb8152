"""Whose end is named, whatever helps: laws beside a search by hand."""

from collections.abc import Callable, Collection
from itertools import combinations
from typing import Any

import pytest

from engine.explain import counterfactual
from engine.explain.counterfactual import FEW, SUSPECTS, confirmed, is_never_without, played_with, starts_sooner
from engine.explain.lookahead import HORIZON_MS
from engine.incremental import Incremental, finish
from engine.scenario.acts import KillApplication
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import app, at, scene

ASK = (99, None)
FULL = app("holder", '{ memory = "8g", hosts = ["n1"], relax = false, duration = "2m" }')
LATE = app("late", '{ memory = "10g", hosts = ["n1"], relax = false }', at=10)


@pytest.fixture(scope="module")
def here() -> Simulation:
    """One that waits for a holder."""
    return at(scene(FULL + LATE), 30)


Name = Callable[..., tuple[int, ...]]


@pytest.fixture
def name(here: Simulation, monkeypatch: pytest.MonkeyPatch) -> Name:
    """Those named of suspects, where the ends of some help; and the ends tried."""

    def named(
        helps: Callable[[Collection[int]], bool], suspects: Collection[int], tried: list[tuple[int, ...]] | None = None
    ) -> tuple[int, ...]:
        def sooner(*asked: Any) -> Incremental[bool]:
            yield from ()
            killed = asked[2].keywords["numbers"]
            if tried is not None:
                tried.append(tuple(killed))
            return helps(killed)

        monkeypatch.setattr(counterfactual, "starts_sooner", sooner)
        return finish(confirmed(here, ASK, tuple(suspects), None))

    return named


def test_all_that_help_alone_are_named_in_their_order(name: Name) -> None:
    """Together they are not tried then; nor is a single one."""
    tried: list[tuple[int, ...]] = []
    assert name(lambda killed: bool({2, 3} & set(killed)), (3, 1, 2), tried) == (3, 2)
    assert tried == [(3,), (1,), (2,)]

    tried.clear()
    assert name(lambda _: False, (1,), tried) == ()
    assert tried == [(1,)]


def test_the_one_that_asks_is_no_suspect(name: Name) -> None:
    """It is not killed."""
    tried: list[tuple[int, ...]] = []

    assert name(lambda killed: len(killed) > 1, (1, 99, 2), tried) == (1, 2)
    assert all(99 not in killed for killed in tried)


@pytest.mark.parametrize("needed", [each for size in (2, 3, 4, 5) for each in combinations(range(1, 6), size)])
def test_a_smallest_set_is_named(name: Name, needed: tuple[int, ...]) -> None:
    """Exactly those without whom it would not start."""
    assert name(set(needed).issubset, (5, 4, 3, 2, 1)) == tuple(reversed(needed))


def test_where_any_two_do_the_first_ones_are_named(name: Name) -> None:
    """The last ones seem to matter least."""
    assert name(lambda killed: len(killed) >= 2, (4, 2, 3, 1)) == (4, 2)


@pytest.mark.parametrize(("count", "named"), [(SUSPECTS, 2), (SUSPECTS + 1, 1)])
def test_of_many_suspects_only_the_first_ones_are_tried_when_one_of_them_counts(
    name: Name, count: int, named: int
) -> None:
    """Four of more than twelve; of twelve all."""
    tried: list[tuple[int, ...]] = []
    found = name(lambda killed: bool({FEW, FEW + 1} & set(killed)), range(1, count + 1), tried)

    assert found == (FEW, FEW + 1)[:named]
    assert len(tried) == (SUSPECTS if named == 2 else FEW)


def test_of_many_suspects_the_first_twelve_are_tried_where_none_of_the_first_counts(name: Name) -> None:
    """Up to the first that does; nobody behind the twelfth is killed."""
    tried: list[tuple[int, ...]] = []
    assert name({FEW + 2}.issubset, range(1, 20), tried) == (FEW + 2,)
    assert tried == [(number,) for number in range(1, FEW + 3)]

    assert name({SUSPECTS + 1}.issubset, range(1, 20)) == ()
    assert name({SUSPECTS}.issubset, range(1, 20)) == (SUSPECTS,)


def kill(copy: Simulation) -> None:
    """Kill the holder."""
    copy.act(KillApplication(1))


def test_a_world_is_played_until_the_ask_can_start_no_sooner(here: Simulation) -> None:
    """Its horizon ends a millisecond before it is expected; else it is a day."""
    for expected_ms, horizon_ms in (
        (None, HORIZON_MS),
        (here.now_ms + 50_000, 49_999),
        (here.now_ms + 1, 0),
        (here.now_ms - 5, 0),
    ):
        ahead = finish(played_with(here, (2, None), kill, expected_ms))
        assert ahead.end_ms - ahead.from_ms == horizon_ms


def test_an_ask_starts_sooner_than_expected_or_not(here: Simulation) -> None:
    """By a millisecond; what is expected never starts sooner whenever that is, but by no act that changes nothing."""
    begun = finish(played_with(here, (2, None), kill, None)).start_of(2, None)
    assert begun is not None
    for expected_ms, is_sooner in ((None, True), (begun.time_ms + 1, True), (begun.time_ms, False)):
        assert finish(starts_sooner(here, (2, None), kill, expected_ms)) == is_sooner
    assert not finish(starts_sooner(here, (2, None), lambda _: None, begun.time_ms + 1))


@pytest.mark.parametrize(
    ("duration", "killed", "is_never"),
    [('duration = "2m"', (), False), ("", (), True), ("", (1,), False), ("", (3,), True), ("", (1, 3), False)],
)
def test_who_is_never_given_anything_is_known_when_all_is_still(
    duration: str, killed: tuple[int, ...], *, is_never: bool
) -> None:
    """Also without some others, or with them."""
    holder = FULL.replace(', duration = "2m"', f", {duration}" if duration else "")
    other = app("other", '{ memory = "1g", hosts = ["n2"], relax = false }', at=11)
    simulation = at(scene(holder + LATE + other), 30)

    assert finish(is_never_without(simulation, (2, None), killed)) == is_never


def test_who_has_ended_is_not_never_given_anything(here: Simulation) -> None:
    """It is settled."""
    assert not finish(is_never_without(here, (2, None), (2,)))
