"""Rows of Spark's standalone Master as plain text."""

from typing import Any

import msgspec
import pytest

from engine.observe.snapshot import UNKNOWN, NodeRow, ObstacleSummary
from engine.observe.spark_snapshot import StandaloneRow
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.small_run import by_hand, now
from tui.panes import standalone
from tui.panes.header import health_of
from tui.panes.line import Fragments, RenderContext, flat
from tui.panes.noun import look_at

LOOK = RenderContext(600_000, ("memory_mb", "cores"), (65_536, 32))


def application(**changes: Any) -> StandaloneRow:
    row = StandaloneRow(
        id="app-20240304090000-0007",
        number=7,
        name="etl",
        user="ann",
        queue="fifo",
        type="SPARK",
        state="RUNNING",
        submitted_ms=0,
        waiting_since_ms=None,
        finished_ms=None,
        used=(3072, 12),
        containers=6,
        reserved=UNKNOWN,
        reservations=UNKNOWN,
        asks=(),
        pending_containers=0,
        obstacle=None,
        cores_wanted=12,
        executor_cores=2,
        executor_memory_mb=512,
    )
    return msgspec.structs.replace(row, **changes)


def node(state: str) -> NodeRow:
    return NodeRow(
        "w:7078", "w", "/r", state, "", (10_240, 10), (1536, 6), (8704, 4), 3, None, None, UNKNOWN
    )  # fmt: skip


def words(lines: list[Fragments]) -> str:
    return "\n".join(flat(spans) for spans in lines)


def strip(row: StandaloneRow, *others: StandaloneRow, height: int = 9, **sections: Any) -> str:
    """The strip about an application, which is in the list with others before it."""
    picture = now(FakeSession(fakes.FakeSnapshot(fakes.header(), applications=[*others, row], **sections)).picture())
    return words(standalone.NOUN.details(row, picture, LOOK, height))


def test_a_lost_worker_is_named_with_what_went_and_what_is_wanted() -> None:
    """In the headline: its cores, and how many cores those that wait want more. In the strip: executors, until when."""
    session = by_hand("spark-worker-lost", at="182s", paused=True)
    picture = session.picture()
    look = look_at(picture)
    rows = picture.snapshot.applications()
    said = {row.number: words(standalone.NOUN.details(row, picture, look, 9)) for row in rows}

    assert health_of(picture).headline == "worker1 took 9 cores with it; 2 want 12 cores more"
    assert ["lost  1 executor with worker1" in said[number] for number in (1, 2)] == [True, True]
    assert "until worker1 returns, or 0002 ends" in said[1]
    assert "until worker1 returns, or 0001 ends" in said[2]
    assert ["until" in said[number] or "lost" in said[number] for number in (3, 4)] == [False, False]


@pytest.mark.parametrize(
    ("wanted", "cores", "until"),
    [(14, 4, "until w returns"), (14, 3, ""), (None, 4, ""), (12, 2, "until w returns"), (12, 1, "")],
)
def test_an_end_is_named_where_who_comes_before_has_room_too(wanted: int | None, cores: int, until: str) -> None:
    """Two cores are missing before it and two are its own; who sets no maximum takes whatever comes."""
    before = application(cores_wanted=wanted, pending_containers=0 if wanted == 12 else 1, waiting_since_ms=1)
    row = application(number=8, used=(0, 0), containers=0, obstacle=ObstacleSummary("X", "no worker"))
    lost = msgspec.structs.replace(node("DEAD"), total=(10_240, cores))

    assert ("until w returns" in strip(row, before, nodes=[lost])) == bool(until)
