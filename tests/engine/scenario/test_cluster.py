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


def test_two_nodes_of_one_name_are_refused() -> None:
    node = NodeSpec(host="a", memory_mb=1, vcores=1)
    with pytest.raises(ValidationError, match="more than one node is called a:8041"):
        ClusterSpec(nodes=(node, node))


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
