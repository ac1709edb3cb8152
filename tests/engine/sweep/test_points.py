"""What varies, the points it makes, and the scenario of each."""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ConfigError
from engine.formats.scenario_toml import loads
from engine.measures import Evenness, Quantiles, RunMeasures
from engine.scenario import Scenario
from engine.sweep import (
    GROWTH,
    LOST_RACKS,
    Axis,
    Bounds,
    Effect,
    Goal,
    Point,
    PointOutcome,
    SizeStep,
    Sizing,
    StoredPoint,
    SweepSpec,
    SweepStore,
    axis_of,
    goal_named,
    grid,
    limit_of,
    sized,
    stored,
    summarised,
    varied,
)

TEXT = """
name = "small"
duration = "5m"
scheduler = "fair-2.7"
[cluster]
groups = [{ prefix = "n", count = 3, memory = "4g", vcores = 4, racks = ["/a", "/b"] },
    { hosts = ["x"], memory = "4g", vcores = 4 }]
[[workload]]
type = "mapreduce"
name = "one"
user = "ann"
at = 1
maps = 4
[[workload]]
type = "mapreduce"
name = "two"
user = "bob"
at = 2
maps = 4
"""


def small() -> Scenario:
    return loads(TEXT, "small")


def test_the_grid_has_every_combination_with_every_seed() -> None:
    """The last axis is the fastest, the seed the slowest, so that a further seed goes on where the numbers end."""
    points = grid([Axis("a", ("1", "2")), Axis("b", ("x", "y"))], [7, 8])

    assert [(each.settings["a"], each.settings["b"], each.seed) for each in points[:5]] == [
        ("1", "x", 7),
        ("1", "y", 7),
        ("2", "x", 7),
        ("2", "y", 7),
        ("1", "x", 8),
    ]
    assert [each.number for each in points] == list(range(8))
    assert grid([Axis("a", ("1", "2")), Axis("b", ("x", "y"))], [7, 8, 9])[:8] == points


def test_a_grid_beyond_a_million_points_is_refused() -> None:
    thousand = Axis("a", tuple(map(str, range(1000))))
    assert len(grid([thousand], range(1000))) == 1_000_000
    with pytest.raises(ConfigError, match="--sample"):
        grid([thousand], range(1001))


def test_nodes_come_and_go_in_the_largest_counted_group() -> None:
    hosts = [node.host for node in varied(small(), {"nodes": "2"}).cluster.all_nodes()]

    assert hosts == ["n1", "x"]
    with pytest.raises(ConfigError, match="1 are there besides"):
        varied(small(), {"nodes": "1"})


def test_names_of_nodes_stay_and_one_with_a_fault_may_not_go() -> None:
    """Twelve nodes have two digits each, and so have nine of them; the tenth is lost in the scenario."""
    text = TEXT.replace("count = 3", "count = 12") + '[[faults]]\ndo = "lose"\nnode = "n10"\nat = 9\n'
    scenario = loads(text, "twelve")

    assert [node.host for node in varied(scenario, {"nodes": "11"}).cluster.all_nodes()][-2:] == ["n10", "x"]
    with pytest.raises(ConfigError, match="lose n10: with 10 nodes it is not there"):
        varied(scenario, {"nodes": "10"})

    ill = loads(text.replace('"lose"\nnode = "n10"', '"health"\nhealthy = false\nnode = "n01"\nalso = ["n10"]'), "ill")
    with pytest.raises(ConfigError, match="health n10: with 10 nodes it is not there"):
        varied(ill, {"nodes": "10"})


def test_a_point_has_its_policy_settings_and_seed() -> None:
    found = varied(small(), {"policy": "fair-3.4", "yarn.scheduler.fair.assignmultiple": "true"}, seed=9)

    assert (found.scheduler, found.settings["yarn.scheduler.fair.assignmultiple"], found.seed) == (
        "fair-3.4",
        "true",
        9,
    )
    assert varied(small(), {"seed": "5"}, seed=9).seed == 5


# The scenario of a point: nodes, racks, work and settings, each at its limits.


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("k=1..3/2", ["1", "3"]),
        ("k=1..4/2", ["1", "3"]),
        ("k=-2..1", ["-2", "-1", "0", "1"]),
        ("k=7..7/9", ["7"]),
        (" k = a , b ", ["a", "b"]),
        ("k=0..9999", [str(each) for each in range(10_000)]),
        ("k=0..19998/2", [str(each) for each in range(0, 20_000, 2)]),
    ],
)
def test_an_axis_has_its_values_in_order(text: str, values: list[str]) -> None:
    """As they are written; a range has its end where a step meets it."""
    assert axis_of(text) == Axis(text.partition("=")[0].strip(), tuple(values))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("k", "is not key=a,b,c or key=FROM..TO/STEP"),
        (" =1", "is not key=a,b,c or key=FROM..TO/STEP"),
        ("k=", "has an empty value"),
        ("k=a,,b", "has an empty value"),
        ("k=a,b,a", "names a value twice"),
        ("nodes=0", "is not a number of nodes"),
        ("nodes=0..2", "is not a number of nodes"),
        ("nodes=many", "is not a number of nodes"),
        ("k=1..b", "is not FROM..TO/STEP in whole numbers"),
        ("k=2..1", "ends at 1, which is less than 2"),
        ("k=1..2/0", "has the step 0, which is not 1 or more"),
        ("k=0..10000", "has more than 10000 values"),
        ("k=0..20000/2", "has more than 10000 values"),
    ],
)
def test_what_is_no_axis_is_said_with_the_option(text: str, words: str) -> None:
    with pytest.raises(ConfigError) as error:
        axis_of(text)
    assert str(error.value) == f"--vary {text}: {words} (--vary nodes=40..80/10)"


@pytest.mark.parametrize(("count", "lost"), [(1, ["x:8041"]), (2, ["n2:8041", "x:8041"])])
def test_the_last_racks_are_lost_with_all_their_nodes(count: int, lost: list[str]) -> None:
    """In order of the cluster, before any other fault; the only rack that is left stays."""
    scenario = loads(TEXT + '[[faults]]\ndo = "lose"\nnode = "n1"\nat = 9\n', "small")
    faults = varied(scenario, {LOST_RACKS: str(count)}).faults

    assert [getattr(each, "node", "") for each in faults] == [*lost, "n1"]
    assert [each.at_ms for each in faults] == [*(0 for _ in lost), 9000]


@pytest.mark.parametrize(
    ("per_cent", "twice"),
    [
        (0, []),
        (9, []),
        (10, [9]),
        (25, [3, 7]),
        (50, [1, 3, 5, 7, 9]),
        (99, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (100, list(range(10))),
    ],
)
def test_more_work_is_spread_over_the_applications(per_cent: int, twice: list[int]) -> None:
    """Each that makes the sum of the per cents pass another hundred comes twice, without its number."""
    job = '[[workload]]\ntype = "mapreduce"\nname = "{}"\nuser = "ann"\nnumber = {}\nmaps = 1\n'
    text = TEXT[: TEXT.index("[[workload]]")] + "".join(job.format(place, place + 1) for place in range(10))
    found = varied(loads(text, "ten"), {GROWTH: str(per_cent)}).workload

    wanted = [(place, number) for place in range(10) for number in (place + 1, None)[: 1 + (place in twice)]]
    assert [(int(each.name), each.number) for each in found] == wanted


# The figures that a sweep is judged by, and limits on them.

RUN = RunMeasures(
    until_ms=1,
    applications=2,
    refused=3,
    finished=4,
    failed=5,
    unfinished=6,
    makespan_ms=7,
    waits=Quantiles(9, 10, 11, 12),
    waits_of_queues={},
    waits_of_users={},
    never_started=13,
    still_waiting=6,
    starved=14,
    waiting_most=15,
    slowdown=Quantiles(9, 16, 17, 18),
    used_share={"memory_mb": 0.25, "vcores": 0.5},
    held_s={},
    users=Evenness(0.75, 1, {}),
    queues=Evenness(0.5, 1, {}),
    containers=40,
    preempted=10,
    preempted_s=21,
    lost=22,
    lost_s=23,
    reserved_most=24,
    reserved_most_by_one=25,
    reserved_in_vain_s=26,
    standstill_ms=27,
    master_waits=Quantiles(9, 28, 29, 30),
    frozen_ms=0,
)
"""A run each of whose figures is another one."""


@pytest.mark.parametrize(
    ("text", "value", "sign", "written"),
    [
        ("p95_wait < 5m", 300_000, "<", "p95_wait < 5m"),
        ("  p95<=1.5s ", 1500, "<=", "p95_wait <= 1.5s"),
        ("used > 30%", 0.3, ">", "used > 30%"),
        ("used>=0.5", 0.5, ">=", "used >= 0.5"),
        ("starved < 1", 1, "<", "starved < 1"),
        ("p95_slowdown < 2.5", 2.5, "<", "p95_slowdown < 2.5"),
        ("lost_work < 10", 10, "<", "lost_work < 10"),
    ],
)
def test_a_limit_is_a_measure_a_sign_and_a_value_in_its_unit(text: str, value: float, sign: str, written: str) -> None:
    found = limit_of(text, "--limit")

    assert (found.value, found.sign, found.text) == (value, sign, written)


KEPT = (
    ("lost_work <= 23", (0, 0, 0), True),
    ("lost_work < 23", (0, 0, 0), False),
    ("p95_wait < 1h", (100, 5, 5), True),
    ("p95_wait < 1h", (100, 6, 6), False),  # The end cuts the wait of the 95th off
    ("median_wait < 1h", (3, 1, 1), True),
    ("median_wait < 1h", (3, 2, 2), False),
    ("worst_wait < 1h", (3, 1, 1), False),
    ("makespan < 1h", (3, 0, 1), False),
)


@pytest.mark.parametrize(("text", "counts", "is_kept"), KEPT)
def test_a_limit_is_kept_where_the_run_shows_it(text: str, counts: tuple[int, int, int], is_kept: bool) -> None:
    waits, still, unfinished = counts
    run = msgspec.structs.replace(RUN, waits=Quantiles(waits, 1, 1, 1), still_waiting=still, unfinished=unfinished)
    assert limit_of(text, "--limit").holds(run) == is_kept


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("p95_wait 5m", "--limit: 'p95_wait 5m' is not MEASURE < VALUE ('p95_wait < 5m')"),
        ("p95_wait <", "--limit: 'p95_wait <' is not MEASURE < VALUE ('p95_wait < 5m')"),
        ("starved < many", "--limit: 'starved < many': could not convert string to float: 'many'"),
        ("used < %", "--limit: 'used < %': could not convert string to float: ''"),
    ],
)
def test_what_is_no_limit_is_said_with_its_option(text: str, words: str) -> None:
    with pytest.raises(ConfigError) as error:
        limit_of(text, "--limit")
    assert str(error.value) == words


# What the figures of a sweep mean: settings over their seeds, the front, what matters, and what failed.


WAIT = goal_named("p95_wait", "-")
USED = goal_named("used", "-")


def point(number: int, wait_ms: float, seed: int = 0, used: float = 0.5, **settings: str) -> StoredPoint:
    run = msgspec.structs.replace(
        RUN, waits=Quantiles(1, 0, wait_ms, 0), still_waiting=0, used_share={"memory_mb": used}
    )
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


@pytest.mark.parametrize(("goal", "field"), [("p95_slowdown", "slowdown"), ("p95_master_wait", "master_waits")])
def test_a_setting_without_a_figure_is_neither_the_best_nor_on_the_front(goal: str, field: str) -> None:
    runs = {"a": msgspec.structs.replace(RUN, **{field: Quantiles()}), "b": RUN}
    points = [StoredPoint(0, {"k": name}, 0, "done", "", run, 0.0) for name, run in runs.items()]
    found = summarised(points, [], goal_named(goal, "-"), [limit_of(f"{goal} >= 0", "-")]).settings
    told = [(each.settings["k"], each.goal is None, each.is_front, bool(each.breaks)) for each in found]
    assert told == [("b", False, True, False), ("a", True, False, True)]


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5), st.booleans()), min_size=1, max_size=12))
def test_nobody_beats_one_of_the_front(some: list[tuple[int, int, bool]]) -> None:
    points = [
        point(number, wait + 100 * is_broken, nodes=str(nodes), k=str(number))
        for number, (nodes, wait, is_broken) in enumerate(some)
    ]
    found = summarised(points, [], WAIT, [limit_of("p95_wait < 100ms", "-")])
    kept = [(float(each.settings["nodes"]), each.goal or 0.0) for each in found.settings if not each.breaks]

    for each in found.settings:
        mine = (float(each.settings["nodes"]), each.goal or 0.0)
        is_beaten = any(cost <= mine[0] and goal <= mine[1] and (cost, goal) != mine for cost, goal in kept)
        assert each.is_front == (not each.breaks and not is_beaten)
    assert [bool(each.breaks) for each in found.settings] == sorted(bool(each.breaks) for each in found.settings)


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
    points = [point(number, wait, seed, k=k, m=m) for number, ((seed, k, m), wait) in enumerate(waits.items())]
    found = summarised(points, axes, WAIT).effects

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
        (WAIT, {(0, "a"): 10, (0, "b"): 20, (1, "a"): 5, (1, "b"): 5}, Effect("k", 0, 10, "", 1.0)),
        (WAIT, {(0, "a"): 10, (1, "b"): 20}, None),
    ],
)
def test_a_best_value_is_claimed_where_all_seeds_agree(
    goal: Goal, figures: dict[tuple[int, str], int], effect: Effect | None
) -> None:
    points = [point(number, wait, seed, wait, k=k) for number, ((seed, k), wait) in enumerate(figures.items())]
    found = summarised(points, [Axis("k", ("a", "b"))], goal).effects

    assert found == (() if effect is None else (effect,))


# The least value that keeps a goal: which ones are tried, and what is said of each.

LIMIT = limit_of("p95_wait < 100ms", "-")
WAIT_MS = {True: 50, False: 500}


class Place:
    """Plays points: value `needed` and above keep the goal with the first seed, one more with all; one `loses` more."""

    def __init__(self, needed: int, stops_at: int | None = None, loses: int | None = None) -> None:
        self.needed, self.stops_at, self.loses = needed, stops_at, loses
        self.tried: list[int] = []

    def __call__(self, points: list[Point]) -> Mapping[int, StoredPoint]:
        value = int(points[0].settings["k"])
        self.tried.append(value)
        found = {each.number: self._played(each, value) for each in points}
        return {} if value == self.stops_at else found

    def _played(self, point: Point, value: int) -> StoredPoint:
        is_kept = value >= self.needed + (point.seed != 5)
        run = msgspec.structs.replace(RUN, waits=Quantiles(1, 0, WAIT_MS[is_kept], 0), still_waiting=0)
        if value == self.loses:
            run = msgspec.structs.replace(run, failed=run.failed + 1)
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
    """The largest first, then the smallest, then halves; so many seeds keep the goal at each, none that loses more."""
    told: list[Sizing] = []
    found = sized("k", 1, 17, LIMIT, [5, 6], Place(9, loses=13), {"other": "x"}, told.append)
    kept = {17: (50, 50, 2), 1: (500, 500, 0), 9: (50, 500, 1), 13: (50, 50, 0), 15: (50, 50, 2), 14: (50, 50, 2)}
    steps = tuple(
        SizeStep(value, (float(first), float(second)), seeds, lost=18 if value == 13 else 16)
        for value, (first, second, seeds) in kept.items()
    )

    assert found == Sizing("k", steps, 14, 2)
    assert told == [Sizing("k", steps[: count + 1], None, 2) for count in range(6)]
    assert (found.step(14), found.step(2)) == (steps[-1], None)


def test_a_seed_that_cannot_be_played_keeps_no_goal() -> None:
    def played(points: list[Point]) -> Mapping[int, StoredPoint]:
        return {each.number: each for each in _some(points)}

    found = sized("k", 2, 2, LIMIT, [5, 6], played)
    assert found == Sizing("k", (SizeStep(2, (11.0,), 0, "no room", lost=8, cut=1),), None, 2)


def _some(points: Iterable[Point]) -> Iterable[StoredPoint]:
    for place, each in enumerate(points):
        status, words, run = ("done", "", RUN) if not place else ("refused", "no room", None)
        yield StoredPoint(each.number, each.settings, each.seed, status, words, run, 0.0)


# The file of a sweep: what was asked, what came of each point, and files that are none.


def kept(*pairs: tuple[Point, PointOutcome], path: Path) -> list[StoredPoint]:
    with SweepStore.created(path, {}) as store:
        for point, outcome in pairs:
            store.keep(point, outcome)
        return list(store.points())


def test_a_point_comes_back_whole_and_by_number(tmp_path: Path) -> None:
    done = Point(7, {"b": "x", "a": "1"}, 3), PointOutcome("done", "", RUN, 1.25, "host:1", 9)
    failed = Point(2, {}, 4), PointOutcome("failed", "its words")

    assert kept(done, failed, path=tmp_path / "s") == [
        StoredPoint(2, {}, 4, "failed", "its words", None, 0.0),
        StoredPoint(7, {"a": "1", "b": "x"}, 3, "done", "", RUN, 1.25),
    ]
    assert kept(done, path=tmp_path / "t") == [stored(*done)]


def test_equal_points_are_equal_bytes(tmp_path: Path) -> None:
    texts = []
    for name, settings in (("s", {"b": "2", "a": "1"}), ("t", {"a": "1", "b": "2"})):
        kept((Point(0, settings, 0), PointOutcome("done", "", RUN)), path=tmp_path / name)
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            texts.append(list(connection.execute("SELECT settings, measures FROM point")))

    assert texts[0] == texts[1]
    assert texts[0][0][0] == '{"a":"1","b":"2"}'


SPEC = SweepSpec(
    'duration = "1m"\n',
    "name",
    (Axis("k", ("1", "2")), Axis("nodes", ("3",))),
    (5, 6),
    sample=7,
    trials=8,
    goal_name="makespan",
    limit_texts=("starved < 1", "used > 50%"),
    until_ms=9,
    bounds=Bounds(10.0, 11),
    is_sizing=True,
)


def test_a_file_of_another_version_or_without_a_plan_is_refused() -> None:
    version = SPEC.about()["version"]
    for about, words in (
        ({}, f"f: was made by schedlab unknown; this is {version}, whose figures may differ"),
        ({"version": version}, "f: is not a sweep, or is damaged: 'spec'"),
        ({"version": version, "spec": "{"}, "f: is not a sweep, or is damaged: Input data was truncated"),
    ):
        with pytest.raises(ConfigError) as error:
            SweepSpec.of(about, "f")
        assert str(error.value) == words


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE point SET measures = '{}'",
        "UPDATE point SET settings = '[]'",
        "UPDATE point SET seed = 'x'",
        "UPDATE about SET value = x'ff00' WHERE name = 'schema'",
        "DROP TABLE point",
        "DELETE FROM about",
    ],
)
def test_a_damaged_file_is_refused_and_stays(damage: str, tmp_path: Path) -> None:
    """By its name, whatever of it cannot be read."""
    path = tmp_path / "a.sweep"
    with SweepStore.created(path, {"spec": "{}"}) as store:
        store.keep(Point(0, {}, 1), PointOutcome("played", "", None, 0.1))
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(damage)

    with pytest.raises(ConfigError, match=r"a\.sweep: "):
        SweepStore.opened(path)

    assert path.exists()
