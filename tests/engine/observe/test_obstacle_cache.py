"""Why applications wait, a little at a time."""

import pytest

from engine.control_plane.protocol import ApplicationMasterHeartbeat, Ask, NodeResized
from engine.control_plane.resource_manager import ResourceManager
from engine.observe.obstacles import NOT_YET, ObstacleCache, alike
from engine.observe.yarn_snapshot import YarnSnapshot
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update


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


def test_what_was_not_answered_is_worked_off() -> None:
    rm, whys = _waiting(3), ObstacleCache(at_once=0)
    before = _codes(rm, whys), YarnSnapshot(rm, START_MS, whys).version("applications")
    _ = _codes(rm, whys)
    was_behind = whys.is_behind
    done = whys.work(100, START_MS)
    after = _codes(rm, whys), YarnSnapshot(rm, START_MS, whys).version("applications")

    assert (before[0], after[0]) == ([NOT_YET.code] * 3, ["DOES_NOT_FIT"] * 3)
    assert (was_behind, done, whys.is_behind, before[1] != after[1]) == (True, True, False, True)


def test_no_answer_survives_another_resource_manager() -> None:
    """An application there is alike and the version the same, but the nodes are not."""
    full, roomy, whys = _waiting(1), _waiting(1), ObstacleCache()
    first = _codes(full, whys)
    for node in (1, 2):
        roomy.handle(NodeResized(f"n{node}:1", 16_384, 8), START_MS)
    roomy.cluster.version = full.cluster.version

    assert (first, _codes(roomy, whys)) == (["DOES_NOT_FIT"], ["OTHER_FIRST"])


@pytest.mark.parametrize(("nodes", "answers"), [(0, 1), (1, 3)])
def test_an_answer_costs_a_look_a_node_and_at_least_one(nodes: int, answers: int) -> None:
    """Three looks are enough for three of one node each; where there is no node one answer needs no look."""
    rm = resource_manager(nodes=nodes)
    for number in range(4):
        ask(rm, submit(rm, f"root.q{number}"), 1)
    codes = _codes(rm, ObstacleCache(at_once=3 * nodes))

    assert [code == NOT_YET.code for code in codes] == [False] * answers + [True] * (4 - answers)


def test_applications_that_ask_alike_share_an_answer() -> None:
    """Of one user in one queue; how many containers each wants makes no difference, nor what is wanted no more."""
    rm = resource_manager()
    one, more, done = (submit(rm, "root.a") for _ in range(3))
    ask(rm, one, 1)
    ask(rm, more, 2)
    ask(rm, done, 1)
    ask(rm, done, 3, 2048, priority=2)
    ask(rm, done, 0, 2048, priority=2)
    keys = [alike(attempt_of(rm, number)) for number in (one, more, done)]

    assert None not in keys
    assert keys == [keys[0]] * 3


def test_applications_that_differ_have_answers_of_their_own() -> None:
    """In queue, user, size, or the size of a master that is not running yet."""
    rm = resource_manager()
    numbers = [
        submit(rm, "root.a"),
        submit(rm, "root.b"),
        submit(rm, "root.a", user="bob"),
        submit(rm, "root.a"),
        submit(rm, "root.a", am_mb=1024),
        submit(rm, "root.a", am_mb=2048),
    ]
    for number in (*numbers[:3], *numbers[4:]):
        ask(rm, number, 1)
    ask(rm, numbers[3], 1, 2048)

    assert len({alike(attempt_of(rm, number)) for number in numbers}) == len(numbers)


def test_who_has_places_reservations_or_a_blacklist_is_like_nobody() -> None:
    rm = resource_manager(nodes=1, memory_mb=4096)
    ask(rm, submit(rm, "root.filler"), 1, 4096)
    update(rm)
    heartbeat(rm)
    holds, choosy, picky, plain = (submit(rm, f"root.{name}") for name in ("holds", "choosy", "picky", "plain"))
    ask(rm, holds, 1)
    update(rm)
    heartbeat(rm)
    rm.handle(ApplicationMasterHeartbeat(choosy, (Ask(1, "*", 1024, 1, 1),), blacklist_add=("n1",)), START_MS)
    rm.handle(ApplicationMasterHeartbeat(picky, (Ask(1, "n9", 1024, 1, 1), Ask(1, "*", 1024, 1, 1))), START_MS)
    ask(rm, plain, 1)

    assert len(attempt_of(rm, holds).reserved) == 1
    assert [alike(attempt_of(rm, number)) is None for number in (holds, choosy, picky, plain)] == [
        True,
        True,
        True,
        False,
    ]


def test_the_size_of_a_master_counts_until_it_runs() -> None:
    rm = resource_manager(nodes=1)
    update(rm)
    unmanaged, running, waiting = submit(rm), submit(rm, am_mb=1024), submit(rm, am_mb=1024)
    update(rm)
    heartbeat(rm)
    keys = [alike(attempt_of(rm, number)) for number in (unmanaged, running, waiting)]

    assert len(attempt_of(rm, running).live) == 1
    assert [None if key is None else key[2] for key in keys] == [None, None, (1024, 1)]
