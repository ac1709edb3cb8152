"""What the figures of a sweep mean: settings over their seeds, the front, what matters, and what failed."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures import Quantiles
from engine.sweep import Axis, Effect, Goal, StoredPoint, goal_named, limit_of, summarised
from tests.engine.sweep.test_goals import RUN

WAIT = goal_named("p95_wait", "-")
USED = goal_named("used", "-")


def point(number: int, wait_ms: float, seed: int = 0, used: float = 0.5, **settings: str) -> StoredPoint:
    run = msgspec.structs.replace(RUN, waits=Quantiles(1, 0, wait_ms, 0), used_share={"memory_mb": used})
    return StoredPoint(number, settings, seed, "done", "", run, 0.0)


@pytest.mark.parametrize(
    ("goal", "waits", "order"),
    [
        ("p95_wait", {"a": 3, "b": 1, "c": 2}, "bca"),
        ("p95_wait", {"c": 1, "b": 1, "a": 1}, "abc"),
        ("fairness", {"a": 3, "b": 1, "c": 2}, "abc"),
    ],
)
def test_the_best_comes_first_and_of_equals_the_first_by_name(goal: str, waits: dict[str, int], order: str) -> None:
    points = [point(number, wait, k=name) for number, (name, wait) in enumerate(waits.items())]
    found = summarised(points, [Axis("k", ("a", "b", "c"))], goal_named(goal, "-"))

    assert "".join(each.settings["k"] for each in found.settings) == order


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5), st.booleans()), min_size=1, max_size=12))
def test_nobody_beats_one_of_the_front(some: list[tuple[int, int, bool]]) -> None:
    points = [
        point(number, wait + 100 * is_broken, nodes=str(nodes), k=str(number))
        for number, (nodes, wait, is_broken) in enumerate(some)
    ]
    found = summarised(points, [], WAIT, [limit_of("p95_wait < 100ms", "-")])
    kept = [(float(each.settings["nodes"]), each.goal) for each in found.settings if not each.breaks]

    for each in found.settings:
        mine = (float(each.settings["nodes"]), each.goal)
        is_beaten = any(cost <= mine[0] and goal <= mine[1] and (cost, goal) != mine for cost, goal in kept)
        assert each.is_front == (not each.breaks and not is_beaten)
    assert [bool(each.breaks) for each in found.settings] == sorted(bool(each.breaks) for each in found.settings)


def points_of(waits: dict[tuple[int, str, str], float]) -> list[StoredPoint]:
    return [point(number, wait, seed, k=k, m=m) for number, ((seed, k, m), wait) in enumerate(waits.items())]


def test_an_axis_matters_as_much_as_its_values_differ_with_the_others_averaged() -> None:
    waits = {
        (0, "a", "x"): 10.0,
        (0, "a", "y"): 20.0,
        (0, "b", "x"): 30.0,
        (0, "b", "y"): 44.0,
        (1, "a", "x"): 10.0,
        (1, "a", "y"): 10.0,
        (1, "b", "x"): 20.0,
        (1, "b", "y"): 20.0,
    }
    axes = [Axis("m", ("x", "y")), Axis("k", ("a", "b")), Axis("alone", ("1",))]
    found = summarised(points_of(waits), axes, WAIT).effects

    assert found == (Effect("k", 10, 22, "a", 32 / 44), Effect("m", 0, 12, "", 12 / 44))


@pytest.mark.parametrize(
    ("goal", "figures", "effect"),
    [
        (WAIT, {(0, "a"): 10, (0, "b"): 20}, Effect("k", 10, 10, "", 1.0)),
        (WAIT, {(0, "a"): 10, (0, "b"): 20, (1, "a"): 5, (1, "b"): 6}, Effect("k", 1, 10, "a", 1.0)),
        (USED, {(0, "a"): 10, (0, "b"): 20, (1, "a"): 5, (1, "b"): 6}, Effect("k", 1, 10, "b", 1.0)),
        (WAIT, {(0, "a"): 10, (0, "b"): 20, (1, "a"): 6, (1, "b"): 5}, Effect("k", 1, 10, "", 1.0)),
        (WAIT, {(0, "a"): 10, (0, "b"): 20, (1, "a"): 5}, Effect("k", 10, 10, "", 1.0)),
        (WAIT, {(0, "a"): 10, (0, "b"): 10, (1, "a"): 5, (1, "b"): 5}, Effect("k", 0, 0, "", 0.0)),
        (WAIT, {(0, "a"): 10, (1, "b"): 20}, None),
    ],
)
def test_a_best_value_is_claimed_where_all_seeds_agree(
    goal: Goal, figures: dict[tuple[int, str], int], effect: Effect | None
) -> None:
    points = [point(number, wait, seed, wait, k=k) for number, ((seed, k), wait) in enumerate(figures.items())]
    found = summarised(points, [Axis("k", ("a", "b"))], goal).effects

    assert found == (() if effect is None else (effect,))
