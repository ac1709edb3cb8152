"""The sentence that says why an application waits, where several nodes stand in the way."""

from collections.abc import Sequence

import pytest

from engine.control_plane.protocol import ApplicationMasterHeartbeat, Ask
from engine.control_plane.resource_manager import ResourceManager
from engine.observe.obstacles import obstacle_summary
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update


def _filled(*free_mb: int) -> ResourceManager:
    """A node of 8192 MB for each number, of which so much is free."""
    rm = resource_manager(nodes=len(free_mb), memory_mb=8192)
    filler = submit(rm, "root.filler")
    for node, free in enumerate(free_mb, start=1):
        ask(rm, filler, 1, 8192 - free)
        update(rm)
        heartbeat(rm, node)
    return rm


def _sentence(rm: ResourceManager, number: int) -> str:
    found = obstacle_summary(rm.scheduler, attempt_of(rm, number), START_MS)
    assert found is not None
    return found.sentence


def _reserve(rm: ResourceManager, queue: str, nodes: Sequence[int]) -> None:
    """An application that insists on some hosts and is too large for them reserves them."""
    number = submit(rm, queue)
    hosts = tuple(Ask(1, f"n{node}", 8192, 1, 1) for node in nodes)
    rack = (Ask(1, "/r1", 8192, 1, len(nodes), False), Ask(1, "*", 8192, 1, len(nodes), False))
    rm.handle(ApplicationMasterHeartbeat(number, (*hosts, *rack)), START_MS)
    update(rm)
    for node in nodes:
        heartbeat(rm, node)


@pytest.mark.parametrize("free", [(2048, 4096, 3072), (4096, 3072, 2048), (2048, 3072, 4096)])
def test_the_freest_node_comes_nearest(free: tuple[int, ...]) -> None:
    rm = _filled(*free)
    number = submit(rm, "root.large")
    ask(rm, number, 1, 8192)
    update(rm)

    best = f"n{free.index(4096) + 1}"
    assert _sentence(rm, number) == f"3 of 3 nodes too full; best {best}: 4096 MB free of 8192 MB wanted"


@pytest.mark.parametrize(
    ("holders", "words"),
    [
        (((1, 2), (3,)), "3 of 3 nodes reserved by 0002 and 0003"),
        (((1,), (2, 3)), "3 of 3 nodes reserved by 0003 and 0002"),
        (((1, 2), (3,), (4,)), "4 of 4 nodes reserved by 0002 and 0003 and 1 more"),
        (((1, 2), (3,), (4,), (5,)), "5 of 5 nodes reserved by 0002 and 0003 and 2 more"),
    ],
)
def test_who_holds_most_nodes_is_named_first(holders: Sequence[Sequence[int]], words: str) -> None:
    rm = _filled(*[4096] * sum(map(len, holders)))
    for place, nodes in enumerate(holders):
        _reserve(rm, f"root.q{place}", nodes)
    late = submit(rm, "root.late")
    ask(rm, late, 1)
    update(rm)

    assert _sentence(rm, late) == words
