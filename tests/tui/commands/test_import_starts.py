"""Which applications of an imported scenario can never start, in words."""

import pytest

from engine.formats.scenario_toml import loads
from tui.commands.import_starts import NAMED, Unstartable, unstartable

CLUSTER = """
start = 2024-03-04T09:00:00Z
duration = "5m"
[cluster]
groups = [{ prefix = "n", count = 2, memory = "4g", vcores = 4 }]
"""
ONE = """
[[workload]]
type = "scripted"
name = "{name}"
user = "ann"
am = "unmanaged"
at = 1
asks = [{{ memory = "{memory}g", vcores = {vcores}, count = 1, duration = "10s" }}]
"""


def found(*wanted: tuple[str, int, int]) -> list[Unstartable]:
    """Who cannot start of (name, gigabytes and vcores of its container)."""
    text = CLUSTER + "".join(ONE.format(name=name, memory=memory, vcores=vcores) for name, memory, vcores in wanted)
    return unstartable(loads(text, "x"))


@pytest.mark.parametrize(
    ("count", "change", "sentence"),
    [
        (1, "", "1 application, e.g. a: too large"),
        (2, "", "2 applications, e.g. a: too large"),
        (2, "add a node", "2 applications, e.g. a: too large; to change: add a node"),
    ],
)
def test_all_of_it_is_a_sentence(count: int, change: str, sentence: str) -> None:
    """With what to change where that was found."""
    assert Unstartable(count, "a", "too large", change).sentence() == sentence


@pytest.mark.parametrize(("memory", "count"), [(4, 0), (5, 1)])
def test_what_a_node_holds_can_start(memory: int, count: int) -> None:
    """One GB more cannot."""
    assert len(found(("a", memory, 1))) == count


def test_those_that_ask_for_more_of_everything_are_counted_with_the_smallest() -> None:
    """As what keeps that one from starting keeps them."""
    assert [each.applications for each in found(("a", 6, 1), ("b", 5, 1), ("c", 7, 2))] == [3]


def test_those_alike_are_counted_most_first() -> None:
    """With one of them by name, and the reason."""
    told = found(("wide", 6, 1), *[(f"many{number}", 5, 2) for number in range(3)])

    assert [(each.applications, each.example) for each in told] == [(3, "many0"), (1, "wide")]
    assert all(each.reason for each in told)


@pytest.mark.parametrize(("kinds", "more"), [(5, []), (6, [1]), (8, [3])])
def test_so_many_kinds_are_told_of(kinds: int, more: list[int]) -> None:
    """The applications of all others are counted, with one of them."""
    told = found(*[(f"a{number}", 5 + number, 12 - number) for number in range(kinds)])

    assert (NAMED, len(told)) == (5, 5 + len(more))
    assert [each.applications for each in told[5:]] == more
    assert all(each.reason == "of other sizes, which cannot start either" for each in told[5:])
    assert all(each.change == "" for each in told[5:])
