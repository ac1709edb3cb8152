"""Nodes by what is wrong with them: out of service, reserved, or neither."""

from typing import Any

import msgspec
import pytest

from engine.observe.snapshot import NodeRow
from tests.tui import fakes
from tests.tui.fake_holders import container_row
from tui.picture import Picture, RunState
from tui.render.group import Grouping
from tui.render.line import Look, flat
from tui.render.node_groups import by_holder

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)


def _node(host: str, holder: str | None = None, **changes: Any) -> NodeRow:
    size = (64000, 1) if holder else None
    return fakes.node_row(host, **{"reserved_by": holder, "reserved": size, **changes})


def _grouping(*rows: NodeRow, containers: Any = ()) -> Grouping | None:
    picture = Picture(fakes.FakeSnapshot(fakes.header(), containers=containers), RunState("x"), (), 0)
    return by_holder(rows, picture, LOOK)


def _headlines(*rows: NodeRow, containers: Any = ()) -> list[str]:
    grouping = _grouping(*rows, containers=containers)
    return [flat(group.words) for group in grouping.groups] if grouping else []


@pytest.mark.parametrize(("free", "is_grouped"), [(1, True), (2, True), (3, False)])
def test_reserved_nodes_are_grouped_where_they_are_half_of_all(free: int, is_grouped: bool) -> None:
    rows = [_node("h1", fakes.BIG), _node("h2", fakes.BIG), *(_node(f"n{n}") for n in range(free))]

    assert (_grouping(*rows) is not None) == is_grouped


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("LOST", "1 LOST: no heartbeat; D brings it back"),
        ("UNHEALTHY", "1 UNHEALTHY: gets no container while its node says so"),
        ("DECOMMISSIONED", "1 DECOMMISSIONED: gets no container; D brings it back"),
    ],
)
def test_one_node_out_of_service_is_enough_for_groups(state: str, words: str) -> None:
    rows = [_node(f"n{n}") for n in range(9)]

    assert _headlines(*rows, _node("lost", state=state)) == [words, "9 in service"]


def test_nodes_in_service_that_nobody_reserved_are_in_no_groups() -> None:
    assert _grouping(_node("n1")) is None


def test_groups_stand_with_the_worst_first() -> None:
    rows = [
        _node("n1"), _node("h1", fakes.OTHER), _node("h2", fakes.BIG), _node("h3", fakes.BIG),
        _node("l1", fakes.BIG, state="LOST"),
    ]  # fmt: skip
    grouping = _grouping(*rows)

    assert grouping is not None
    assert [(group.key, list(group.places)) for group in grouping.groups] == [
        ("LOST", [4]),
        (fakes.BIG, [2, 3]),
        (fakes.OTHER, [1]),
        ("others", [0]),
    ]
    assert flat(grouping.groups[-1].words) == "1 in service, not reserved"


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([_node("h1", fakes.BIG)], "1 reserved for 183354, 62.5G/1c"),
        ([_node("h1", fakes.BIG), _node("h2", fakes.BIG)], "2 reserved for 183354, 62.5G/1c each"),
        ([_node("h1", fakes.BIG), _node("h2", fakes.BIG, reserved=(1024, 1))], "2 reserved for 183354"),
    ],
)
def test_a_holders_headline_tells_the_size_of_its_reservations(rows: list[NodeRow], words: str) -> None:
    assert _headlines(*rows) == [words]


def _reserved(host: str, ago_s: int, state: str = "RESERVED") -> Any:
    return container_row(1, host, state=state, since_ms=fakes.NOW - 1000 * ago_s)


@pytest.mark.parametrize(
    ("containers", "end"),
    [
        ([_reserved("h1", 30), _reserved("h2", 50)], " since 09:00:10"),
        ([_reserved("h1", 30), _reserved("h2", 50, "RUNNING")], " since 09:00:30"),
        ([_reserved("h1", 30, "RUNNING")], "each"),
    ],
)
def test_a_holders_headline_tells_since_when(containers: list[Any], end: str) -> None:
    (words,) = _headlines(_node("h1", fakes.BIG), _node("h2", fakes.BIG), containers=containers)

    assert words.endswith(end)


def test_a_live_cluster_has_no_key_that_brings_a_node_back() -> None:
    rows = [_node("lost", state="LOST"), _node("n1")]
    picture = Picture(fakes.FakeSnapshot(fakes.header()), RunState("x", recorded="log"), (), 0)
    grouping = by_holder(rows, picture, LOOK)

    assert grouping is not None
    assert flat(grouping.groups[0].words) == "1 LOST: no heartbeat"


@pytest.mark.parametrize(
    ("reserved", "words"),
    [
        ((128000, 2), "inferred from 125G/2c reserved in all: 2 × 62.5G/1c"),
        ((136192, 3), "inferred from 133G/3c reserved in all: 2 × 62.5G/1c, 8G/1c"),
    ],
)
def test_below_the_nodes_stands_the_sum_that_holders_are_inferred_from(reserved: tuple[int, int], words: str) -> None:
    """What they hold, and what of it is left; a known holder is inferred from nothing."""
    rows = [_node("h1", fakes.BIG), _node("h2", fakes.BIG), _node("n1")]
    header = fakes.header(reserved=reserved)
    inferred = msgspec.structs.replace(header, inferred=("nodes",))
    pictures = [Picture(fakes.FakeSnapshot(each), RunState("x"), (), 0) for each in (header, inferred)]
    found = [by_holder(rows, picture, LOOK) for picture in pictures]

    assert [len(each.groups) if each else 0 for each in found] == [2, 3]
    assert found[1] is not None
    assert (flat(found[1].groups[-1].words), found[1].groups[-1].places) == (words, ())
