"""When faults strike, how an act is written down, and what waking a master puts on the clock."""

import pytest

from engine.control_plane.protocol import Answer
from engine.scenario.acts import KillContainer, LoseNode, SetHealth
from engine.simulation.act_handlers import carry_out, number_of, schedule_fault
from engine.simulation.events import AM_HEARTBEAT, AM_HEARTBEAT_DUE, FAULT, OUTSIDE_ACTION
from engine.simulation.records import Acted, EventRefused, kind_of
from engine.simulation.world import World
from tests.engine.simulation.scenes import played, scenario

HELD = """
[[workload]]
type = "scripted"
user = "ann"
queue = "default"
asks = [{ memory = "2g", count = 3, duration = "forever" }]
"""
FAULTS = """
[[faults]]
do = "lose"
node = "n1"
at = 40
[[faults]]
do = "return"
node = "n1"
at = 40
"""


def running(text: str = HELD) -> World:
    """A world after twenty seconds, with nothing told to listeners."""
    world = played(scenario(text, count=2), 20)[0].world
    world.records.clear()
    return world


def test_one_fault_is_on_the_clock_at_a_time() -> None:
    """The next is put there by the one before; after the last there is none."""
    world = running(FAULTS)
    due = world.clock.now_ms + 20_000
    faults = [event for event in world.clock.heap if event[3] == FAULT]
    assert faults == [(due, OUTSIDE_ACTION, 0, FAULT)]
    schedule_fault(world, 1)
    schedule_fault(world, 2)
    faults = sorted(event for event in world.clock.heap if event[3] == FAULT)
    assert faults == [(due, OUTSIDE_ACTION, each, FAULT) for each in (0, 1)]


@pytest.mark.parametrize("position", [None, (1, 2, 3)])
def test_an_act_comes_before_its_refusal(position: tuple[int, ...] | None) -> None:
    """With the event it came after; the refusal names the act."""
    world = running()
    act = LoseNode("n9")
    answer = carry_out(world, act, position)
    assert answer == Answer(rejected="UnknownNode", detail="there is no node n9")
    assert world.records == [Acted(act, position), EventRefused("LoseNode", "UnknownNode", "there is no node n9")]
    assert [kind_of(each) for each in world.records] == ["Acted", "Refused"]


@pytest.mark.parametrize("number", [0, 1, -3])
def test_the_number_of_an_application_is_itself(number: int) -> None:
    """Whatever it is."""
    assert number_of(number) == number


def test_health_that_is_news_is_to_be_reported() -> None:
    """And what is no news is not."""
    world = running()
    world.reporting.clear()
    carry_out(world, SetHealth("n1", healthy=True), None)
    assert dict(world.reporting) == {}
    carry_out(world, SetHealth("n2", healthy=False), None)
    assert list(world.reporting) == [1]


def test_a_killed_container_is_ordered_to_stop_on_its_node() -> None:
    """That node is to report, and its master is woken."""
    world = running()
    world.reporting.clear()
    node = next(node for node in world.nodes for each in node.running if each[2] > 1)
    container = next(each for each in node.running if each[2] > 1)
    carry_out(world, KillContainer(container), None)
    assert (node.orders, list(world.reporting)) == ([container], [node.index])
    assert world.masters[1].beat_ms > 0


@pytest.mark.parametrize(("after_ms", "beats"), [(0, 0), (1, 1), (1_000, 1), (1_001, 2), (2_000, 2), (2_001, 3)])
def test_a_master_is_woken_at_its_rhythm(after_ms: int, beats: int) -> None:
    """At its next call, or the first that is not before the instant said."""
    world = running()
    master, interval_ms = world.masters[1], world.ground.am_heartbeat_ms
    assert (interval_ms, master.beat_ms) == (1_000, 0)
    first_ms = world.clock.next_beat_ms(master.phase_ms, interval_ms, AM_HEARTBEAT, 1)
    world.wake(master, first_ms + after_ms)
    due = first_ms + beats * interval_ms
    assert master.beat_ms == due
    assert [event for event in world.clock.heap if event[3] == AM_HEARTBEAT_DUE] == [
        (due, AM_HEARTBEAT, 1, AM_HEARTBEAT_DUE)
    ]


def test_a_master_that_is_to_call_earlier_is_put_forward_and_never_off() -> None:
    """A later wish changes nothing; an earlier one has an event of its own."""
    world = running()
    master, interval_ms = world.masters[1], world.ground.am_heartbeat_ms
    first_ms = world.clock.next_beat_ms(master.phase_ms, interval_ms, AM_HEARTBEAT, 1)
    for not_before_ms, due in ((first_ms + 5_000, 5_000), (first_ms + 6_000, 5_000), (0, 0), (first_ms + 1, 0)):
        world.wake(master, not_before_ms)
        assert master.beat_ms == first_ms + due
    assert sorted(event[0] for event in world.clock.heap if event[3] == AM_HEARTBEAT_DUE) == [
        first_ms,
        first_ms + 5_000,
    ]
