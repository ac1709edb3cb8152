"""What varies, the points it makes, and the scenario of each."""

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import loads
from engine.scenario import Scenario
from engine.sweep import Axis, axis_of, grid, varied

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
