"""Containers that a ResourceManager counts and does not name are inferred, and marked so."""

from collections import Counter

from engine.live.yarn_source import with_containers
from engine.observe.documents import FixedSnapshot
from engine.observe.snapshot import UNKNOWN
from tests.engine.live.recorded import FakeServer, round_of, snapshot_of
from tests.engine.live.test_yarn_source import source_of

PLAIN = snapshot_of(round_of("2.7.2-fair"))


def inferred() -> FixedSnapshot:
    return with_containers(PLAIN, {})


def test_every_node_and_application_has_as_many_as_the_server_counts() -> None:
    rows = [row for row in inferred().containers() if row.state != "RESERVED"]

    used, counts = Counter[str](), Counter(row.node for row in rows)
    used.update({node: sum(row.size[0] for row in rows if row.node == node) for node in counts})
    assert [(counts[node.id], used[node.id]) for node in PLAIN.nodes()] == [
        (node.containers, node.used[0]) for node in PLAIN.nodes()
    ]
    held = Counter(row.application for row in rows)
    live = [row for row in PLAIN.applications() if row.finished_ms is None]
    assert [held[row.id] for row in live] == [row.containers for row in live]


def test_what_nobody_says_is_unknown() -> None:
    found = inferred()

    assert "containers" in found.header.inferred
    assert {(row.id.split("_")[3], row.since_ms, row.priority) for row in found.containers()} == {
        ("?", UNKNOWN, UNKNOWN)
    }
    assert len({row.id for row in found.containers()}) == len(found.containers())


def test_a_reserved_node_has_its_reservation_last() -> None:
    found = inferred()

    last = {node.id: found.containers(node=node.id)[-1] for node in found.nodes()}
    held = {row.node: row.application for row in found.reservations() if row.node}
    assert held
    assert {node: row.application for node, row in last.items() if row.state == "RESERVED"} == held


async def test_they_stand_until_nodes_and_applications_are_asked_anew() -> None:
    server = FakeServer()
    source = source_of(server)
    first = await source.poll()
    server.place += 1
    second = await source.poll()

    assert second.header.pages_ms is not None
    assert (second.containers(), second.header.inferred) == (first.containers(), first.header.inferred)
    assert second.version("containers") == first.version("containers")
