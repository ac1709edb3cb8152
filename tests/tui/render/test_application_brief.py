"""What the strip says of an application, in few lines, in some and in many."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
import pytest

from engine.explain.alert import Alert
from engine.observe.snapshot import ApplicationRow
from engine.training.drill import DrillScenario
from tests.engine.training.small_drill import small_drill
from tests.tui import fakes
from tests.tui.render.drawing import stored
from tui.board.dialects import YARN
from tui.pages.drill import brief_screen
from tui.panes.fragments import RenderContext, cell_width, flat
from tui.protocol.picture import RunState, SessionState

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000, prefix="10.120.117")


def _said(
    row: ApplicationRow, height: int, picture: SessionState | None = None, look: RenderContext = LOOK
) -> list[str]:
    lines = YARN.view("applications").details(row, picture or _picture(), look, height)
    return [flat(line).rstrip() for line in lines]


def _picture(nodes: Sequence[Any] = (), *, is_frozen: bool = False) -> SessionState:
    snapshot = fakes.FakeSnapshot(fakes.header(), nodes=nodes, containers=fakes.containers())
    if not is_frozen:
        return SessionState(snapshot, RunState("x"), (), 1)
    freeze = Alert("frozen", fakes.NOW - 60_000, fakes.NOW - 60_000, "Nothing moves", "deadlocked")
    return SessionState(snapshot, RunState("x", standing=(freeze,), alerts=(freeze,)), (), 1)


def _holder(*free_mb: int, vcores: int = 9) -> tuple[ApplicationRow, list[Any]]:
    row = fakes.application_row(183354, reservations=len(free_mb), containers=1, used=(1024, 1))
    nodes = [
        fakes.node_row(f"10.120.117.{101 + at}", reserved_by=row.id, reserved=(64000, 1), free=(free, vcores))
        for at, free in enumerate(free_mb)
    ]
    return row, nodes


def test_three_lines_say_what_is_held_why_and_what_a_kill_frees() -> None:
    row, nodes = _holder(40960, 40960, 31744)

    assert _said(row, 3, _picture(nodes, is_frozen=True)) == [
        "holds 3 nodes; 22.5G short on 2, 31.5G on .103",
        "never allocated: nodes it holds must empty first",
        "K kill it: frees 3 nodes, loses 1 container of 1G",
    ]


@pytest.mark.parametrize(
    ("vcores", "words"), [(1, "holds 2 nodes; it fits on 2 nodes now"), (0, "holds 2 nodes; 1c short on 2")]
)
def test_what_lacks_vcores_alone_does_not_fit(vcores: int, words: str) -> None:
    row, nodes = _holder(64000, 65536, vcores=vcores)

    assert _said(row, 3, _picture(nodes))[0] == words


def test_who_waited_when_a_live_cluster_was_first_looked_at_may_wait_longer() -> None:
    row, since_ms = fakes.application_row(183360), fakes.NOW - 30_000
    said = [_said(row, 3, look=LOOK._replace(watched_from_ms=at))[0] for at in (since_ms, since_ms - 1)]
    assert [each.partition(":")[0] for each in said] == ["waits >30s", "waits 30s"]


def test_of_a_live_cluster_never_is_said_with_what_is_assumed() -> None:
    row, nodes = _holder(40960)
    frozen = _picture(nodes, is_frozen=True)
    run = msgspec.structs.replace(frozen.run, condition="if what runs runs on")
    kept = msgspec.structs.replace(frozen, run=run)

    assert _said(row, 3, kept)[1] == "never allocated: inferred, if what runs runs on"

    log = msgspec.structs.replace(frozen, run=msgspec.structs.replace(frozen.run, recorded="log"))
    assert _said(row, 3, log)[1] == "in the log: nothing starts while all nodes are reserved"


# What a trainee reads before a drill, and the price of each help, from a small drill.


@cache
def drill(old: str = "", new: str = "") -> DrillScenario:
    return small_drill(old, new)


@pytest.mark.parametrize(("width", "best"), [(80, None), (140, 42), (60, 0), (108, 7)])
def test_the_brief_is_drawn_as_it_is_stored(width: int, best: int | None) -> None:
    """In a frame of 104 cells at most, in the middle: the story, the task, what counts, is allowed and forbidden."""
    drawn, kept = stored(f"brief-{width}", brief_screen(drill(), (2, 29), best, width))

    assert drawn == kept
    assert max(map(cell_width, brief_screen(drill(), (2, 29), best, width))) <= width
