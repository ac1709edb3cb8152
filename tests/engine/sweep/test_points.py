"""What varies, the points it makes, and the scenario of each."""

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import loads
from engine.measures import Evenness, Quantiles, RunMeasures
from engine.scenario import Scenario
from engine.sweep import GROWTH, LOST_RACKS, Axis, axis_of, grid, limit_of, varied

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


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("nodes=40..60/10", ("40", "50", "60")),
        ("nodes=40..59/10", ("40", "50")),
        ("nodes=4..4", ("4",)),
        ("a.b=x, y", ("x", "y")),
    ],
)
def test_a_range_ends_where_a_step_meets_it(text: str, values: tuple[str, ...]) -> None:
    assert axis_of(text).values == values


@pytest.mark.parametrize(
    "text",
    ["nodes", "=1", "nodes=", "nodes=5..4", "nodes=1..9/0", "nodes=0", "nodes=a..b", "k=a,a", "k=a,", "k=0..10000"],
)
def test_what_is_no_list_or_range_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--vary"):
        axis_of(text)


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


def test_a_point_has_its_policy_settings_and_seed() -> None:
    found = varied(small(), {"policy": "fair-3.4", "yarn.scheduler.fair.assignmultiple": "true"}, seed=9)

    assert (found.scheduler, found.settings["yarn.scheduler.fair.assignmultiple"], found.seed) == (
        "fair-3.4",
        "true",
        9,
    )


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
        ("nodes=1,2", ["1", "2"]),
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
        ("k=1..2/x", "is not FROM..TO/STEP in whole numbers"),
        ("k=2..1", "is an empty range"),
        ("k=1..2/0", "is an empty range"),
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
    ("text", "value", "is_below", "written"),
    [
        ("p95_wait < 5m", 300_000, True, "p95_wait < 5m"),
        ("  p95<=1.5s ", 1500, True, "p95_wait < 1.5s"),
        ("used > 30%", 0.3, False, "used > 30%"),
        ("used>=0.5", 0.5, False, "used > 0.5"),
        ("starved < 1", 1, True, "starved < 1"),
        ("p95_slowdown < 2.5", 2.5, True, "p95_slowdown < 2.5"),
        ("lost_work < 10", 10, True, "lost_work < 10"),
    ],
)
def test_a_limit_is_a_measure_a_sign_and_a_value_in_its_unit(
    text: str, value: float, is_below: bool, written: str
) -> None:
    found = limit_of(text, "--limit")

    assert (found.value, found.is_below, found.text) == (value, is_below, written)


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
