"""All that is known of a row: in groups, with units, times as clock times, nothing left out."""

from typing import Any

import pytest

from engine.observe.snapshot import ExecutorRow
from tests.tui import fakes
from tests.tui.fake_holders import held_cluster
from tui.board.dialects import STANDALONE, YARN
from tui.panes.field import fact_lines
from tui.panes.line import RenderContext
from tui.panes.noun import PaneView
from tui.protocol.picture import EventRow

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), offset_ms=8 * 3_600_000)
HELD = held_cluster()
EXECUTOR = ExecutorRow(3, 0, "worker1:7078", 4, 2048, 0, "RUNNING", fakes.NOW - 60_000, 2)
ROWS = {
    "application": fakes.application_row(7),
    "queue": fakes.queue_row("root.etl"),
    "node": fakes.node_row("n1"),
    "reservation": fakes.reservation_row("n1"),
    "container": HELD.containers()[0],
    "user": HELD.users()[0],
    "executor": EXECUTOR,
}


NOUNS: dict[type, PaneView[Any]] = {
    type(ROWS["application"]): YARN.noun("applications"),
    type(ROWS["queue"]): YARN.noun("queues"),
    type(ROWS["node"]): YARN.noun("nodes"),
    type(ROWS["reservation"]): YARN.noun("reservations"),
    type(ROWS["container"]): YARN.noun("containers"),
    type(ROWS["user"]): YARN.noun("users"),
    type(EXECUTOR): STANDALONE.noun("containers"),
    EventRow: YARN.noun("events"),
}


def facts(row: Any, look: RenderContext = LOOK, width: int = 108) -> list[str]:
    return fact_lines(NOUNS[type(row)].facts(row, look), width)


@pytest.mark.parametrize("kind", ROWS)
def test_no_field_shows_how_it_is_kept(kind: str) -> None:
    """No milliseconds since 1970, no brackets of tuples, no names with a unit behind an underscore."""
    words = "\n".join(facts(ROWS[kind], LOOK))

    assert [sign for sign in ("_ms", "_mb", "(", "None", "UNKNOWN", "151036") if sign in words] == []
