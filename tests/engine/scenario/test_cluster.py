"""The machines of a scenario."""

import pytest
from pydantic import ValidationError

from engine.scenario import ClusterSpec, NodeGroup, NodeSpec
from engine.scenario.cluster import MAX_NODES


def test_counted_nodes_are_numbered_alike_and_dealt_to_racks() -> None:
    nodes = NodeGroup(count=12, prefix="n", memory_mb=1024, vcores=1, racks=("/a", "/b")).nodes()
    assert [node.host for node in nodes[:2]] == ["n01", "n02"]
    assert nodes[11].id == "n12:8041"
    assert [node.rack for node in nodes[:3]] == ["/a", "/b", "/a"]


def test_named_nodes_keep_their_names() -> None:
    group = NodeGroup(hosts=("x", "y"), port=1, memory_mb=1, vcores=1)
    assert [node.id for node in group.nodes()] == ["x:1", "y:1"]


def test_single_nodes_join_before_groups() -> None:
    cluster = ClusterSpec(
        nodes=(NodeSpec(host="z", memory_mb=1, vcores=1),), groups=(NodeGroup(count=1, memory_mb=1, vcores=1),)
    )
    assert [node.host for node in cluster.all_nodes()] == ["z", "node1"]


def test_two_nodes_of_one_name_are_refused() -> None:
    node = NodeSpec(host="a", memory_mb=1, vcores=1)
    with pytest.raises(ValidationError, match="more than one node is called a:8041"):
        ClusterSpec(nodes=(node, node))


@pytest.mark.parametrize("fields", [{}, {"hosts": ("a",), "count": 2}])
def test_a_group_is_either_named_or_counted(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="either hosts or a count"):
        NodeGroup.model_validate({"memory": "1g", "vcores": 1, **fields})


def test_a_group_has_a_rack() -> None:
    with pytest.raises(ValidationError, match="racks is empty"):
        NodeGroup(count=1, racks=(), memory_mb=1, vcores=1)


@pytest.mark.parametrize(
    ("fields", "hosts"),
    [
        ({"count": 2}, ["node1", "node2"]),
        ({"count": 9}, [f"node{number}" for number in range(1, 10)]),
        ({"count": 10}, [f"node{number:02d}" for number in range(1, 11)]),
        ({"count": 1, "first": 10}, ["node10"]),
        ({"count": 2, "first": 9}, ["node09", "node10"]),
        ({"count": 3, "first": 0}, ["node0", "node1", "node2"]),
        ({"count": 2, "digits": 3}, ["node001", "node002"]),
        ({"count": 1, "first": 10, "digits": 1}, ["node10"]),
    ],
)
def test_numbers_have_as_many_digits_as_the_last_one(fields: dict[str, int], hosts: list[str]) -> None:
    group = NodeGroup.model_validate({"memory": 1, "vcores": 1, **fields})
    assert [node.host for node in group.nodes()] == hosts


def test_a_node_of_a_group_is_like_the_group() -> None:
    group = NodeGroup(hosts=("a", "b"), port=2, racks=("/r", "/s"), memory_mb=3, vcores=4, partition="p")
    assert group.nodes() == (
        NodeSpec(host="a", port=2, rack="/r", memory_mb=3, vcores=4, partition="p"),
        NodeSpec(host="b", port=2, rack="/s", memory_mb=3, vcores=4, partition="p"),
    )


def test_nodes_of_one_host_differ_by_their_port() -> None:
    first, second = (NodeSpec(host="a", port=port, memory_mb=1, vcores=1) for port in (1, 2))
    assert ClusterSpec(nodes=(first, second)).all_nodes() == (first, second)
    with pytest.raises(ValidationError, match="more than one node is called a:1, a:2"):
        ClusterSpec(nodes=(second, first, second, first))


def test_a_cluster_has_so_many_nodes_at_most() -> None:
    counted = {"count": MAX_NODES - 1, "memory": 1, "vcores": 1}
    named = {"hosts": ["x"], "memory": 1, "vcores": 1}
    single = {"host": "y", "memory": 1, "vcores": 1}
    with pytest.raises(ValidationError, match="has 100,001 nodes; at most 100,000 are simulated"):
        ClusterSpec.model_validate({"groups": [counted, named], "nodes": [single]})


@pytest.mark.parametrize(
    ("state", "is_down"),
    [("RUNNING", False), ("DECOMMISSIONING", False), ("UNHEALTHY", True), ("LOST", True), ("DECOMMISSIONED", True)],
)
def test_a_node_that_is_down_takes_no_part(state: str, is_down: bool) -> None:
    node = NodeSpec.model_validate({"host": "a", "memory": 1, "vcores": 1, "state": state})
    assert node.is_down == is_down
