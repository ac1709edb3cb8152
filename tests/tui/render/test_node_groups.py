"""Nodes by what is wrong with them: out of service, reserved, or neither."""

from typing import Any

import pytest

from engine.observe.snapshot import NodeRow
from tests.tui import fakes
from tui.panes.group import Grouping, by_holder
from tui.panes.line import RenderContext, flat
from tui.protocol.picture import RunState, SessionState

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)


def _node(host: str, holder: str | None = None, **changes: Any) -> NodeRow:
    size = (64000, 1) if holder else None
    return fakes.node_row(host, **{"reserved_by": holder, "reserved": size, **changes})


def _grouping(*rows: NodeRow, containers: Any = ()) -> Grouping | None:
    picture = SessionState(fakes.FakeSnapshot(fakes.header(), containers=containers), RunState("x"), (), 0)
    return by_holder(rows, picture, LOOK)


@pytest.mark.parametrize(("free", "is_grouped"), [(1, True), (2, True), (3, False)])
def test_reserved_nodes_are_grouped_where_they_are_half_of_all(free: int, is_grouped: bool) -> None:
    rows = [_node("h1", fakes.BIG), _node("h2", fakes.BIG), *(_node(f"n{n}") for n in range(free))]

    assert (_grouping(*rows) is not None) == is_grouped


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
