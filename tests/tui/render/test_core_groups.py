"""Applications of Spark's Master by what they lack."""

from typing import Any

import pytest

from engine.observe.snapshot import UNKNOWN, NodeRow, ObstacleSummary
from engine.observe.spark_snapshot import StandaloneRow
from tests.tui import fakes
from tests.tui.render.test_spark_rows import application
from tui.panes.group import Grouping, RowGroup, by_holder
from tui.panes.line import RenderContext, flat
from tui.panes.standalone import by_cores
from tui.protocol.picture import RunState, SessionState

LOOK = RenderContext(600_000, ("memory_mb", "cores"), (65_536, 32))
PICTURE = SessionState(fakes.FakeSnapshot(fakes.header()), RunState("x"), (), 0)
NO_CORE = ObstacleSummary("NO_CORE", "no worker has a core free; 12 are used (all)")


def _row(cores: int, wanted: int | None, obstacle: ObstacleSummary | None = NO_CORE, **more: Any) -> StandaloneRow:
    """With a maximum what is pending is known; without one it waits while it has no executor."""
    pending = UNKNOWN if wanted is None else wanted - cores if obstacle is not None else 0
    since_ms = None if wanted is None and cores else 0
    some = {"pending_containers": pending, "waiting_since_ms": since_ms, "containers": cores, **more}
    return application(used=(1024, cores), cores_wanted=wanted, obstacle=obstacle, **some)


def _groups(*rows: StandaloneRow) -> list[RowGroup]:
    return list(by_cores(rows, PICTURE, LOOK).groups)


@pytest.mark.parametrize(
    ("row", "key"),
    [
        (_row(3, 4), "wants"),
        (_row(4, 4), "has"),
        (_row(3, 4, None), "has"),
        (_row(0, None), "wants"),
        (_row(0, 4, state="WAITING"), "wants"),
        (_row(0, 4, state="FAILED"), "ended"),
    ],
)
def test_who_has_fewer_cores_than_asked_for_wants_some(row: StandaloneRow, key: str) -> None:
    assert [group.key for group in _groups(row)] == [key]


# Nodes by what is wrong with them: out of service, reserved, or neither.

NODE_GROUPS_LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)


def _node(host: str, holder: str | None = None, **changes: Any) -> NodeRow:
    size = (64000, 1) if holder else None
    return fakes.node_row(host, **{"reserved_by": holder, "reserved": size, **changes})


def _grouping(*rows: NodeRow, containers: Any = ()) -> Grouping | None:
    picture = SessionState(fakes.FakeSnapshot(fakes.header(), containers=containers), RunState("x"), (), 0)
    return by_holder(rows, picture, NODE_GROUPS_LOOK)


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
