"""What follows a remedy."""

from engine.explain.aftermath import aftermath
from engine.explain.remedy import Remedy
from engine.incremental import finish
from engine.simulation.actions import KillApplication
from tests.engine.explain.stuck import HALVES, at, scene


def test_what_follows_a_kill_is_told_in_order() -> None:
    """What ends at once, who is given something where, how full it gets, when nobody waits any more."""
    simulation = at(scene(HALVES), 60)
    found = finish(aftermath(simulation, Remedy("kill", KillApplication(2), "kill application 2"), [(1, 2)]))
    words = [each.words for each in found.happenings]

    assert words[0] == "gone at once: 1 container"
    assert words[1].startswith("1 is given a container on n")
    assert "nobody waits any more" in words
    assert words[-1] == "2 applications have ended, 0 go on"
    assert [each.time_ms for each in found.happenings] == sorted(each.time_ms for each in found.happenings)
    assert (found.allocated[0], sum(found.allocated)) == (1, 1)
    assert simulation.control_plane.view().application(2) is not None
