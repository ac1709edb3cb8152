"""What observers are told of a ResourceManager's cluster."""

import pytest

from engine.control_plane.cluster_view import ApplicationSummary, ClusterFigures
from engine.control_plane.protocol import ApplicationFinished, NodeLost
from engine.control_plane.resource_manager import ResourceManager
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update


def _held(nodes: int = 2) -> ResourceManager:
    """Nodes half full with application 1, all reserved by application 2."""
    rm = resource_manager(nodes=nodes, memory_mb=8192)
    ask(rm, submit(rm, "root.filler"), nodes, 4096)
    update(rm)
    for node in range(1, nodes + 1):
        heartbeat(rm, node)
    ask(rm, submit(rm, "root.large"), nodes, 8192)
    update(rm)
    for node in range(nodes, 0, -1):
        heartbeat(rm, node)
    return rm


def test_figures_count_what_there_is() -> None:
    """Nodes that left are down and no part of the total; a container lost before it was fetched is pending again."""
    rm = _held(3)
    rm.handle(NodeLost("n3:1"), START_MS)

    assert rm.view().figures() == ClusterFigures((16384, 16), (8192, 2), (16384, 2), 2, 1, 2, 2, 2, 4)


def test_an_application_waits_for_what_it_asks_and_works_with_what_it_has() -> None:
    """The container of its master is no work; one that asks for nothing waits for nothing."""
    rm = resource_manager(nodes=1)
    works, idle = submit(rm, "root.a"), submit(rm, "root.b")
    ask(rm, works, 2)
    update(rm)
    heartbeat(rm)
    managed = submit(rm, "root.c", am_mb=1024)
    update(rm)
    for _ in range(3):
        heartbeat(rm)
    rows = {row.number: (row.waits, row.works) for row in rm.view().applications()}

    assert attempt_of(rm, managed).master is not None
    assert rows == {works: (False, True), idle: (False, False), managed: (False, False)}


def test_who_waits_says_since_when() -> None:
    """As long as it asks for something."""
    view = _held().view()

    assert view.application(2) == ApplicationSummary(
        2, "", "ann", "root.large", START_MS, START_MS, True, False, START_MS
    )
    assert view.application(9) is None
    assert view.somebody_waits()
    assert not resource_manager().view().somebody_waits()


def test_ended_applications_are_remembered() -> None:
    """By number and submission; they are no longer live."""
    rm = _held()
    rm.handle(ApplicationFinished(1), START_MS + 5)

    assert list(rm.view().ended()) == [(1, START_MS)]
    assert [row.number for row in rm.view().applications()] == [2]


def test_ids_are_written_as_yarn_does() -> None:
    """With the cluster's timestamp."""
    view = resource_manager().view()

    assert view.application_id(7) == f"application_{START_MS}_0007"
    assert view.container_id((7, 1, 3)) == f"container_{START_MS}_0007_01_000003"


@pytest.mark.parametrize("nodes", [2, 20])
def test_reservations_come_in_order_of_node(nodes: int) -> None:
    """Whether many nodes are reserved or few."""
    rm = _held(nodes)
    few = resource_manager(nodes=20, memory_mb=8192)
    ask(few, submit(few, "root.filler"), 20, 4096)
    update(few)
    for node in range(1, 21):
        heartbeat(few, node)
    ask(few, submit(few, "root.large"), 1, 8192)
    update(few)
    for node in (9, 4):
        heartbeat(few, node)

    assert [one.node.id for one in rm.view().reservations()] == [f"n{node}:1" for node in range(1, nodes + 1)]
    assert [one.node.id for one in few.view().reservations()] == ["n4:1", "n9:1"]


@pytest.mark.parametrize(
    ("scheduler", "memory_mb", "vcores", "fits"),
    [
        ("fair-2.7", 8192, 8, True),
        ("fair-2.7", 8193, 8, False),
        ("fair-2.7", 8192, 9, False),
        ("fifo", 8192, 9, True),
        ("fifo", 8193, 1, False),
    ],
)
def test_a_container_fits_some_node_or_none(scheduler: str, memory_mb: int, vcores: int, *, fits: bool) -> None:
    """As large as the largest node; FIFO does not look at vcores; without nodes nobody can say."""
    view = resource_manager(scheduler, nodes=2).view()

    assert view.has_room_ever(memory_mb, vcores) is fits
    assert resource_manager(scheduler, nodes=0).view().has_room_ever(memory_mb, vcores)
