"""What the figures of a sweep mean: settings over their seeds, the front, what matters, and what failed."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures import Quantiles
from engine.sweep import Axis, Effect, Goal, SettingFigures, StoredPoint, Summary, goal_named, limit_of, summarised
from engine.sweep.summary import MOST_FAILED
from tests.engine.sweep.test_goals import RUN

WAIT = goal_named("p95_wait", "-")
USED = goal_named("used", "-")


def point(number: int, wait_ms: float, seed: int = 0, used: float = 0.5, **settings: str) -> StoredPoint:
    """A point with this wait and use."""
    run = msgspec.structs.replace(RUN, waits=Quantiles(1, 0, wait_ms, 0), used_share={"memory_mb": used})
    return StoredPoint(number, settings, seed, "done", "", run, 0.0)


def other(number: int, status: str, words: str, **settings: str) -> StoredPoint:
    """A point without figures."""
    return StoredPoint(number, settings, 0, status, words, None, 0.0)


def test_a_setting_is_summed_up_over_its_seeds() -> None:
    """The median of the goal, its least and most, the mean use, and the limits that some seed breaks."""
    points = [
        point(seed, wait, seed, used, k="a") for seed, (wait, used) in enumerate(((30, 0.2), (10, 0.4), (11, 0.9)))
    ]
    limits = [limit_of("p95_wait < 30ms", "-"), limit_of("used > 10%", "-"), limit_of("starved < 1", "-")]
    found = summarised([*points, other(3, "failed", "no", k="a")], [Axis("k", ("a",))], WAIT, limits)

    assert found == Summary(
        "p95_wait",
        (
            SettingFigures(
                {"k": "a"}, 3, 11, 10, 30, 0.5, ("p95_wait < 30ms", "starved < 1"), lost=14, master_wait_ms=29
            ),
        ),
        (),
        {"done": 3, "failed": 1},
        (("failed", "no", 1),),
        (other(3, "failed", "no", k="a"),),
    )


def test_a_setting_that_nothing_came_of_is_in_no_rank() -> None:
    """It is counted, with the words of each kind in order."""
    points = [
        *(other(number, "refused", "b", k="a") for number in range(2)),
        *(other(number, "failed", "a", k="b") for number in range(2, 5)),
        other(5, "failed", "z", k="c"),
    ]
    found = summarised(points, [Axis("k", ("a", "b", "c"))], WAIT)

    assert (found.settings, found.effects) == ((), ())
    assert list(found.counts.items()) == [("failed", 4), ("refused", 2)]
    assert found.errors == (("failed", "a", 3), ("failed", "z", 1), ("refused", "b", 2))
    assert [each.number for each in found.failed] == [2, 3, 4, 5]


def test_at_most_a_thousand_that_failed_are_kept() -> None:
    """The first ones."""
    found = summarised((other(number, "failed", "no") for number in range(MOST_FAILED + 1)), [], WAIT)

    assert [each.number for each in found.failed] == list(range(MOST_FAILED))
    assert found.counts == {"failed": MOST_FAILED + 1}


@pytest.mark.parametrize(
    ("goal", "waits", "order"),
    [
        ("p95_wait", {"a": 3, "b": 1, "c": 2}, "bca"),
        ("p95_wait", {"c": 1, "b": 1, "a": 1}, "abc"),
        ("fairness", {"a": 3, "b": 1, "c": 2}, "abc"),
    ],
)
def test_the_best_comes_first_and_of_equals_the_first_by_name(goal: str, waits: dict[str, int], order: str) -> None:
    """Where neither the goal nor the cost differs."""
    points = [point(number, wait, k=name) for number, (name, wait) in enumerate(waits.items())]
    found = summarised(points, [Axis("k", ("a", "b", "c"))], goal_named(goal, "-"))

    assert "".join(each.settings["k"] for each in found.settings) == order


def test_of_equals_the_cheapest_comes_first() -> None:
    """Fewer nodes, as numbers; where nodes do not vary, the cluster that is used more."""
    by_nodes = [point(number, 1, nodes=str(nodes)) for number, nodes in enumerate((10, 9, 100))]
    found = summarised(by_nodes, [Axis("nodes", ("10", "9", "100"))], WAIT)
    assert [(each.settings["nodes"], each.is_front) for each in found.settings] == [
        ("9", True),
        ("10", False),
        ("100", False),
    ]

    by_use = [point(number, 1, used=used, k=name) for number, (name, used) in enumerate((("a", 0.2), ("b", 0.3)))]
    found = summarised(by_use, [Axis("k", ("a", "b"))], WAIT)
    assert [(each.settings["k"], each.is_front) for each in found.settings] == [("b", True), ("a", False)]


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5), st.booleans()), min_size=1, max_size=12))
def test_nobody_beats_one_of_the_front(some: list[tuple[int, int, bool]]) -> None:
    """As good in both and better in one; who breaks a limit is on no front and beats nobody."""
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
    """Points by (seed, value of `k`, value of `m`)."""
    return [point(number, wait, seed, k=k, m=m) for number, ((seed, k, m), wait) in enumerate(waits.items())]


def test_an_axis_matters_as_much_as_its_values_differ_with_the_others_averaged() -> None:
    """Over the seeds least and most; the largest first, with its part of the whole."""
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
    """Two seeds at least, each of which sees a difference."""
    points = [point(number, wait, seed, wait, k=k) for number, ((seed, k), wait) in enumerate(figures.items())]
    found = summarised(points, [Axis("k", ("a", "b"))], goal).effects

    assert found == (() if effect is None else (effect,))


def test_a_point_without_figures_or_without_the_key_has_no_effect() -> None:
    """The others have theirs."""
    points = [point(0, 1, 0, k="a"), point(1, 5, 0, k="b"), point(2, 900, 0), other(3, "failed", "no", k="c")]

    assert summarised(points, [Axis("k", ("a", "b", "c"))], WAIT).effects == (Effect("k", 4, 4, "", 1.0),)
