"""The scenario of a point: nodes, racks, work and settings, each at its limits."""

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import loads
from engine.sweep import GROWTH, LOST_RACKS, Axis, axis_of, varied
from tests.engine.sweep.test_points import TEXT


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
