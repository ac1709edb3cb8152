"""What follows an act."""

from engine.explain.aftermath import BUCKETS, aftermath
from engine.incremental import run_to_end
from engine.scenario.acts import KillApplication
from tests.engine.explain.stuck import HALVES, at, scene


def test_what_follows_a_kill_is_told_in_order() -> None:
    """What ends at once, who starts where, how full it gets, when nobody waits any more."""
    simulation = at(scene(HALVES), 60)
    found = run_to_end(aftermath(simulation, (KillApplication(2),), [(1, 2)]))
    words = [each.words for each in found.happenings]

    assert words[0] == "1 container goes"
    assert words[1].startswith("0001 starts on n")
    assert found.happenings[1].is_target
    assert "nobody waits any more" in words
    assert words[-1] == "2 finished"
    assert [each.at_ms for each in found.happenings] == sorted(each.at_ms for each in found.happenings)
    assert (found.allocated[0], sum(found.allocated), len(found.allocated)) == (1, 1, BUCKETS)
    assert simulation.control_plane.view().application(2) is not None


def test_who_begins_and_what_was_there_before_is_told() -> None:
    """The one that waited ran already; the node of the one killed is free before the other's container comes."""
    simulation = at(scene(HALVES), 60)
    found = run_to_end(aftermath(simulation, (KillApplication(2),)))
    now, then = found.nodes.now, found.nodes.then

    assert [(each.application[-4:], each.ran) for each in found.begun] == [("0001", True)]
    assert (found.killed, found.dropped, found.preempted, found.refused) == (1, 0, 0, "")
    assert found.memory.before is not None
    assert found.memory.before.used_mb == sum(block.memory_mb for node in now for block in node.blocks)
    assert [node.node for node in now] == [node.node for node in then]
