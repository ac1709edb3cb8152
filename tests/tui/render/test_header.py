"""The lines on top."""

from math import inf

import pytest

from engine.observe.snapshot import UNKNOWN
from tests.tui import fakes
from tui.render import header
from tui.render.line import ASCII, Look, flat, length
from tui.view_state import RunState

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000, ASCII)
RUN = RunState("reservation-deadlock", seed=4, speed=10.0, paused=False)


def _lines(width: int = 80, height: int = 3, run: RunState = RUN, **changes: object) -> list[str]:
    return [flat(line).rstrip() for line in header.lines(fakes.header(**changes), run, LOOK, width, height)]


def test_a_frozen_cluster_is_told_in_three_lines() -> None:
    """Clock and switches, meters, and the alert before the counts."""
    assert _lines() == [
        " > x10 | Sat 09:01:00 | fair-2.7 | P off  R strict | reservation-deadlock",
        " mem [==========........] 60% 720G/1.2T  vc [=========............] 46% 180/384",
        " ! all 12 nodes reserved   apps 12 run 3 wait  nodes 12  cont 180 +27 wait",
    ]


def test_a_healthy_cluster_counts_its_reservations() -> None:
    """Some reserved nodes are a count, not an alert."""
    assert _lines(nodes_reserved=2, nodes_down=1)[2] == (
        " apps 12 run 3 wait  nodes 12 1 down  cont 180 +27 wait  reserved 2/12 nodes"
    )


@pytest.mark.parametrize(
    ("run", "mode"),
    [
        (RunState("x", paused=True, speed=60.0), " # PAUSED x60 "),
        (RunState("x", paused=False, speed=inf), " > max "),
        (RunState("x", ended=True), " * END "),
        (RunState("x", failure="it broke"), " * STOPPED "),
    ],
)
def test_the_mode_of_the_clock_is_a_mark_and_a_word(run: RunState, mode: str) -> None:
    """Running, paused, ended and stopped look different without colour."""
    assert _lines(run=run)[0].startswith(mode)


def test_what_a_source_cannot_tell_is_left_out() -> None:
    """A cluster without preemption and reservation rule shows no switches."""
    assert _lines(preemption=UNKNOWN, reservation_rule="", containers_pending=UNKNOWN, nodes_reserved=UNKNOWN) == [
        " > x10 | Sat 09:01:00 | fair-2.7 |  | reservation-deadlock".replace(" |  | ", " | "),
        " mem [==========........] 60% 720G/1.2T  vc [=========............] 46% 180/384",
        " apps 12 run 3 wait  nodes 12  cont 180",
    ]


@pytest.mark.parametrize(("height", "count"), [(1, 1), (2, 2), (3, 3), (9, 3)])
def test_less_height_leaves_the_more_important_lines(height: int, count: int) -> None:
    """The clock line stays to the last."""
    lines = _lines(height=height)

    assert (len(lines), lines[0].startswith(" > x10")) == (count, True)


@pytest.mark.parametrize("width", [20, 40, 79, 80, 110, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    """What is too long is cut."""
    assert all(length(line) <= width for line in header.lines(fakes.header(), RUN, LOOK, width, 3))


def test_a_failure_of_the_engine_is_the_first_alert() -> None:
    """The reason stands where the eye is."""
    assert header.alerts(fakes.header(), RunState("x", failure="it broke")) == ["it broke", "all 12 nodes reserved"]


def test_an_empty_cluster_has_no_alert() -> None:
    """No node up and none reserved is not a deadlock."""
    assert header.alerts(fakes.header(nodes=0, nodes_reserved=0), RUN) == []
