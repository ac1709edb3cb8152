"""The containers of a ResourceManager as rows."""

from engine.control_plane.resource_manager import ResourceManager
from engine.observe.snapshot import ContainerRow
from engine.observe.yarn_snapshot import YarnSnapshot, containers_of
from tests.build import START_MS, ask, heartbeat, resource_manager, submit, update


def _cluster() -> ResourceManager:
    """Two nodes with a container of application 1 each; the first is reserved by application 2."""
    rm = resource_manager(nodes=2, memory_mb=8192)
    ask(rm, submit(rm, "root.filler"), 2, 4096)
    update(rm)
    for node in (1, 2):
        heartbeat(rm, node)
    ask(rm, submit(rm, "root.large"), 1, 8192)
    update(rm)
    heartbeat(rm, 1)
    return rm


def _ids(rm: ResourceManager, **which: str) -> list[tuple[str, str, str]]:
    rows = YarnSnapshot(rm, START_MS).containers(**which)
    return [(row.id.removeprefix(f"container_{START_MS}_"), row.node, row.state) for row in rows]


def test_a_container_says_where_for_whom_and_how_large() -> None:
    row = YarnSnapshot(_cluster(), START_MS).containers()[0]

    assert row == ContainerRow(
        id=f"container_{START_MS}_0001_01_000001",
        application=f"application_{START_MS}_0001",
        node="n1:1",
        queue="root.filler",
        user="ann",
        priority=1,
        size=(4096, 1),
        state="ALLOCATED",
        since_ms=START_MS,
        is_am=False,
        marked_ms=None,
    )


def test_the_whole_cluster_goes_node_by_node_with_reservations() -> None:
    assert _ids(_cluster()) == [
        ("0001_01_000001", "n1:1", "ALLOCATED"),
        ("0002_01_000001", "n1:1", "RESERVED"),
        ("0001_01_000002", "n2:1", "ALLOCATED"),
    ]


def test_containers_of_an_application_of_a_node_and_of_both() -> None:
    rm, one = _cluster(), f"application_{START_MS}_0001"

    assert [
        [id_ for id_, _, _ in _ids(rm, **which)]
        for which in (
            {"application": one},
            {"node": "n1:1"},
            {"application": one, "node": "n2:1"},
            {"application": "application_7_0001"},
            {"application": "nobody"},
            {"node": "nowhere"},
        )
    ] == [
        ["0001_01_000001", "0001_01_000002"],
        ["0001_01_000001", "0002_01_000001"],
        ["0001_01_000002"],
        [],
        [],
        [],
    ]


def test_a_container_is_found_by_id_without_making_rows() -> None:
    rows = containers_of(_cluster().cluster)
    ids = [row.id for row in rows]

    assert [rows.place_of(one) for one in [*ids, "container_7_0001_01_000001", "n1:1", ""]] == [
        0,
        1,
        2,
        None,
        None,
        None,
    ]


def test_a_slice_keeps_the_order() -> None:
    rows = YarnSnapshot(_cluster(), START_MS).containers()

    assert (len(rows), [row.id for row in rows[::-1]]) == (3, [row.id for row in rows][::-1])


def test_an_id_of_anything_but_numbers_is_nowhere() -> None:
    rows = containers_of(_cluster().cluster)
    ids = [f"container_{START_MS}_{rest}" for rest in ("x_01_000001", "0001_x_000001", "0001_01_x", "0001_01_000001")]

    assert [rows.place_of(one) for one in ids] == [None, None, None, 0]
