"""The scenario of a point: nodes, racks, work and settings, each at its limits."""

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import loads
from engine.scenario.cluster import MAX_NODES
from engine.sweep import GROWTH, LOST_RACKS, Axis, Point, axis_of, grid, varied
from engine.sweep.latin import sampled
from tests.engine.sweep.test_points import TEXT, small


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
    """And an example."""
    with pytest.raises(ConfigError) as error:
        axis_of(text)
    assert str(error.value) == f"--vary {text}: {words} (--vary nodes=40..80/10)"


def test_too_many_points_are_counted() -> None:
    """With a way out."""
    thousand = Axis("a", tuple(map(str, range(1000))))
    with pytest.raises(ConfigError) as error:
        grid([thousand, Axis("b", ("x", "y"))], range(501))
    assert str(error.value) == "--vary: 1002000 points are more than 1000000 (--sample 200)"


def test_without_axes_there_is_one_point_for_each_seed() -> None:
    """With no settings."""
    assert grid([], [3, 4]) == [Point(0, {}, 3), Point(1, {}, 4)]


def test_a_sample_that_comes_twice_counts_once() -> None:
    """In order of the axes' values, each with every seed."""
    points = sampled([Axis("a", ("1", "2")), Axis("b", ("x",))], 9, [5, 6])

    assert points == [
        Point(0, {"a": "1", "b": "x"}, 5),
        Point(1, {"a": "2", "b": "x"}, 5),
        Point(2, {"a": "1", "b": "x"}, 6),
        Point(3, {"a": "2", "b": "x"}, 6),
    ]


def hosts(count: int) -> list[str]:
    """The hosts of the small scenario with so many nodes."""
    return [node.host for node in varied(small(), {"nodes": str(count)}).cluster.all_nodes()]


def test_the_counted_group_takes_what_the_others_leave() -> None:
    """One at least; names have as many digits as they had."""
    assert hosts(2) == ["n1", "x"]
    assert hosts(11) == [*(f"n{place}" for place in range(1, 11)), "x"]


@pytest.mark.parametrize(("count", "last"), [(9, "n9"), (10, "n10"), (99, "n99"), (100, "n100")])
def test_names_have_the_digits_that_they_had(count: int, last: str) -> None:
    """Those of the last one, whether nodes come or go."""
    scenario = loads(TEXT.replace("count = 3", f"count = {count}"), "small")
    digits = len(str(count))
    for nodes in (3, count + 2):
        found = [node.host for node in varied(scenario, {"nodes": str(nodes)}).cluster.all_nodes()]
        assert found == [*(f"n{place:0{digits}d}" for place in range(1, nodes)), "x"]
    assert [node.host for node in scenario.cluster.all_nodes()][-2] == last


@pytest.mark.parametrize("count", [1, MAX_NODES + 1])
def test_a_number_of_nodes_that_cannot_be_says_what_is_there(count: int) -> None:
    """Besides the group that varies."""
    with pytest.raises(ConfigError) as error:
        hosts(count)
    assert str(error.value) == (
        f"small: nodes: cannot be {count}: 1 are there besides the group that varies, and {MAX_NODES} at most"
    )


def test_the_largest_counted_group_varies() -> None:
    """Others stay, and so do nodes that are named one by one."""
    node = 'nodes = [{ host = "y", memory = "4g", vcores = 4 }]'
    group = '{ prefix = "m", count = 2, memory = "4g", vcores = 4 }'
    text = TEXT.replace("groups = [", f"{node}\ngroups = [{group}, ")
    scenario = loads(text, "two groups")
    found = varied(scenario, {"nodes": "6"}).cluster.all_nodes()

    assert sorted(node.host for node in found) == ["m1", "m2", "n1", "n2", "x", "y"]
    with pytest.raises(ConfigError, match="4 are there besides"):
        varied(scenario, {"nodes": "4"})


def test_an_act_on_a_node_that_went_is_refused_by_its_id_too() -> None:
    """One on a node that stays is kept."""
    for node, place in (("n3:8041", "script"), ("n3", "faults")):
        scenario = loads(TEXT + f'[[{place}]]\ndo = "lose"\nnode = "{node}"\nat = 9\n', "small")
        assert len(varied(scenario, {"nodes": "4"}).cluster.all_nodes()) == 4
        with pytest.raises(ConfigError) as error:
            varied(scenario, {"nodes": "3"})
        assert str(error.value) == f"small: nodes: lose {node}: with 3 nodes it is not there"


@pytest.mark.parametrize(
    ("count", "lost"),
    [(1, ["x:8041"]), (2, ["n2:8041", "x:8041"])],
)
def test_the_last_racks_are_lost_with_all_their_nodes(count: int, lost: list[str]) -> None:
    """In order of the cluster, before any other fault; the only rack that is left stays."""
    scenario = loads(TEXT + '[[faults]]\ndo = "lose"\nnode = "n1"\nat = 9\n', "small")
    faults = varied(scenario, {LOST_RACKS: str(count)}).faults

    assert [getattr(each, "node", "") for each in faults] == [*lost, "n1"]
    assert [each.at_ms for each in faults] == [*(0 for _ in lost), 9000]


@pytest.mark.parametrize("count", [3, 4])
def test_no_rack_may_be_the_last_to_go(count: int) -> None:
    """It says how many there are."""
    with pytest.raises(ConfigError) as error:
        varied(small(), {LOST_RACKS: str(count)})
    assert str(error.value) == "small: cluster.groups.racks: has 3 racks; a lost rack leaves no node"


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


def test_a_point_without_a_seed_keeps_that_of_the_scenario_and_judges_nothing() -> None:
    """Settings are those of `--set`, after all others."""
    text = TEXT.replace('duration = "5m"', 'duration = "5m"\nseed = 4')
    text += '[[expectations]]\nof = "cluster"\nwhat = "nodes"\nat = 1\nequals = 4\n'
    scenario = loads(text, "small")
    found = varied(scenario, {"policy": "fair-3.4", "nodes": "3", "seed": "8"})

    assert scenario.expectations
    assert (varied(scenario, {}).seed, varied(scenario, {}, 0).seed, found.seed) == (4, 0, 8)
    assert (found.scheduler, len(found.cluster.all_nodes()), found.expectations) == ("fair-3.4", 3, ())
