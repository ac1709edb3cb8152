"""Nodes that are lost and come back, as the monitor of alerts tells them; and how long one look is."""

import pytest

from engine.control_plane.protocol import NodeJoined, NodeLost
from engine.explain.alert import Alert
from engine.run.player import Run
from tests.engine.explain.stuck import HALVES, scene
from tests.tui.small_run import small_scenario
from tui.session.alert_monitor import AlertMonitor

LOST = Alert("lost", 5, 5, "node n1:1 is lost, with all that ran on it", node="n1:1")
BACK = Alert("returned", 9, 9, "node n1:1 is back", node="n1:1")


def standing() -> Run:
    """A run between two instants."""
    run = Run(small_scenario())
    run.advance(1_000)
    return run


def lost(node: str = "n1:1") -> NodeLost:
    """A record of a loss."""
    return NodeLost(node)


def joined(node: str = "n1:1") -> NodeJoined:
    """A record of a node that joins."""
    return NodeJoined(node, "/r", 4096, 4)


def test_a_loss_and_a_return_are_told_once_each() -> None:
    """At the next look, in their order; all that was told stays in the list."""
    monitor, simulation = AlertMonitor(), standing().simulation
    monitor.records(5, [lost()])
    first = monitor.look(simulation)
    monitor.records(9, [joined()])
    second = monitor.look(simulation)

    assert (first, second, monitor.look(simulation)) == ([LOST], [BACK], [])
    assert monitor.all == (LOST, BACK)


def test_a_node_that_joins_for_the_first_time_is_no_news() -> None:
    """Nor is one that joins again without having been lost, or twice."""
    monitor, simulation = AlertMonitor(), standing().simulation
    monitor.records(5, [joined(), joined("n2:1"), lost("n2:1")])
    monitor.records(6, [joined("n2:1"), joined("n2:1")])

    assert [each.kind for each in monitor.look(simulation)] == ["lost", "returned"]


def test_what_is_not_told_yet_keeps_it_from_resting() -> None:
    """Told, it rests."""
    monitor, simulation = AlertMonitor(), standing().simulation
    while not monitor.idle(simulation):
        _ = monitor.look(simulation)
    monitor.records(5, [lost()])
    before = monitor.idle(simulation)
    _ = monitor.look(simulation)
    while not monitor.idle(simulation) and not before:
        _ = monitor.look(simulation)

    assert (before, monitor.idle(simulation)) == (False, True)


def test_a_monitor_taken_up_again_knows_what_was_known_at_its_instant() -> None:
    """Of the same kind; a node that was lost by then is told of when it returns."""
    monitor, simulation = AlertMonitor(), standing().simulation
    monitor.records(5, [lost()])
    found = monitor.look(simulation)

    before, after = monitor.resumed(4, None), monitor.resumed(5, None)
    assert (type(before), before.all, before.standing) == (AlertMonitor, (), ())
    assert after.all == tuple(found)


def test_within_an_instant_nothing_is_told() -> None:
    """It waits until the instant is over."""
    run = standing()
    while run.simulation.next_event_ms() != run.simulation.now_ms:
        run.simulation.step()
    monitor = AlertMonitor()
    monitor.records(5, [lost()])
    within = (monitor.look(run.simulation), monitor.idle(run.simulation))
    run.advance(run.now_ms + 10)

    assert within == ([], True)
    assert monitor.look(run.simulation) == [LOST]


@pytest.mark.parametrize(("step_s", "looks"), [(0.0039, 3), (0.004, 2), (0.1, 2)])
def test_a_look_ends_after_some_milliseconds(step_s: float, looks: int) -> None:
    """With four milliseconds to each look at the clock it is one piece of work, with less it is two."""
    monitor = AlertMonitor()
    run = Run(scene(HALVES), [monitor])
    run.advance(60_000)
    asked, now_s = 0, 0.0

    def wall() -> float:
        nonlocal asked, now_s
        asked += 1
        now_s += step_s
        return now_s

    _ = monitor.look(run.simulation, wall)

    assert asked == looks
