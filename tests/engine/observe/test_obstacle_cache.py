"""Why applications wait, a little at a time."""

import pytest

from engine.control_plane.protocol import NodeResized
from engine.control_plane.resource_manager import ResourceManager
from engine.observe import obstacle_cache as cache_module
from engine.observe import obstacle_summary
from engine.observe.obstacle_cache import NOT_YET, ObstacleCache
from engine.observe.section import glimpses
from engine.observe.yarn_view import YarnSnapshot
from tests.build import START_MS, ask, heartbeat, resource_manager, submit, update


def _waiting(users: int) -> ResourceManager:
    """Two full nodes; so many applications wait, each in a queue of its own."""
    rm = resource_manager(nodes=2, memory_mb=4096)
    ask(rm, submit(rm, "root.filler"), 2, 4096)
    update(rm)
    for node in (1, 2):
        heartbeat(rm, node)
    for number in range(users):
        ask(rm, submit(rm, f"root.q{number}"), 1, 4096)
    update(rm)
    return rm


def _codes(rm: ResourceManager, whys: ObstacleCache) -> list[str]:
    rows = YarnSnapshot(rm, START_MS, whys).applications()
    return [row.obstacle.code for row in rows if row.obstacle is not None]


def test_a_picture_answers_as_much_as_it_may() -> None:
    """Four nodes are two answers about two nodes; the third is not looked at yet."""
    assert _codes(_waiting(3), ObstacleCache(at_once=4)) == ["DOES_NOT_FIT", "DOES_NOT_FIT", NOT_YET.code]


def test_what_was_not_answered_is_worked_off() -> None:
    """The next picture has it, and its applications are another version."""
    rm, whys = _waiting(3), ObstacleCache(at_once=0)
    before = _codes(rm, whys), YarnSnapshot(rm, START_MS, whys).version("applications")
    _ = _codes(rm, whys)
    was_behind = whys.is_behind
    done = whys.work(100, START_MS)
    after = _codes(rm, whys), YarnSnapshot(rm, START_MS, whys).version("applications")

    assert (before[0], after[0]) == ([NOT_YET.code] * 3, ["DOES_NOT_FIT"] * 3)
    assert (was_behind, done, whys.is_behind, before[1] != after[1]) == (True, True, False, True)


def test_an_answer_that_took_too_much_is_made_up_for() -> None:
    """An answer looks at two nodes: with one look a turn there is one every other turn."""
    rm, whys = _waiting(3), ObstacleCache(at_once=0)
    _ = _codes(rm, whys)

    assert [whys.work(1, START_MS) for _ in range(4)] == [True, False, True, False]


def test_an_answer_is_found_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """One node a turn: of two nodes every other turn has an answer, the same as at once."""
    monkeypatch.setattr(obstacle_summary, "LOOKS", 1)
    monkeypatch.setattr(cache_module, "LOOKS", 1)
    rm, whys = _waiting(2), ObstacleCache(at_once=0)
    _ = _codes(rm, whys)
    turns = [whys.work(1, START_MS) for _ in range(4)]

    assert (turns, _codes(rm, whys)) == ([False, True, False, True], _codes(rm, ObstacleCache(at_once=4)))


def test_the_last_answer_stands_until_there_is_another() -> None:
    """The cluster has gone on, nobody had time to look again."""
    rm, whys = _waiting(1), ObstacleCache(at_once=2)
    known = _codes(rm, whys)
    _ = submit(rm, "root.late")
    whys = _with_room(whys, 0)

    assert (known, _codes(rm, whys), whys.is_behind) == (["DOES_NOT_FIT"], ["DOES_NOT_FIT"], True)


def _with_room(whys: ObstacleCache, at_once: int) -> ObstacleCache:
    whys.at_once = at_once
    return whys


def test_it_is_told_when_something_is_wanted() -> None:
    """Once a picture, so that a session that stands wakes up."""
    told: list[int] = []
    whys = ObstacleCache(at_once=0, wanted=lambda: told.append(1))
    _ = _codes(_waiting(3), whys)

    assert told == [1]


def test_looking_from_afar_looks_at_no_node() -> None:
    """Who filters all applications by their reasons gets those that are known."""
    rm, whys = _waiting(2), ObstacleCache(at_once=2)
    rows = YarnSnapshot(rm, START_MS, whys).applications()
    _ = [row.obstacle for row in rows]
    seen = [glimpse.obstacle for glimpse in glimpses(rows)]

    assert [None if one is None else one.code for one in seen] == [None, "DOES_NOT_FIT", None]


def test_no_answer_survives_another_resource_manager() -> None:
    """An application there is alike and the version the same, but the nodes are not."""
    full, roomy, whys = _waiting(1), _waiting(1), ObstacleCache()
    first = _codes(full, whys)
    for node in (1, 2):
        roomy.handle(NodeResized(f"n{node}:1", 16_384, 8), START_MS)
    roomy.cluster.version = full.cluster.version

    assert (first, _codes(roomy, whys)) == (["DOES_NOT_FIT"], ["OTHER_FIRST"])
