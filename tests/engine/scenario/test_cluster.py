"""The machines of a scenario."""

import pytest
from pydantic import ValidationError

from engine.scenario import ClusterSpec, NodeGroup, NodeSpec


def test_counted_nodes_are_numbered_alike_and_dealt_to_racks() -> None:
    """Twelve nodes have two digits; racks come round in turn."""
    nodes = NodeGroup(count=12, prefix="n", memory_mb=1024, vcores=1, racks=("/a", "/b")).nodes()
    assert [node.host for node in nodes[:2]] == ["n01", "n02"]
    assert nodes[11].id == "n12:8041"
    assert [node.rack for node in nodes[:3]] == ["/a", "/b", "/a"]


def test_named_nodes_keep_their_names() -> None:
    """A group may list its hosts."""
    group = NodeGroup(hosts=("x", "y"), port=1, memory_mb=1, vcores=1)
    assert [node.id for node in group.nodes()] == ["x:1", "y:1"]


def test_single_nodes_join_before_groups() -> None:
    """The order of joining is the order nodes are listed in."""
    cluster = ClusterSpec(
        nodes=(NodeSpec(host="z", memory_mb=1, vcores=1),), groups=(NodeGroup(count=1, memory_mb=1, vcores=1),)
    )
    assert [node.host for node in cluster.all_nodes()] == ["z", "node1"]


def test_two_nodes_of_one_name_are_refused() -> None:
    """The ResourceManager could not tell them apart."""
    node = NodeSpec(host="a", memory_mb=1, vcores=1)
    with pytest.raises(ValidationError, match="more than one node is called a:8041"):
        ClusterSpec(nodes=(node, node))


@pytest.mark.parametrize("fields", [{}, {"hosts": ("a",), "count": 2}])
def test_a_group_is_either_named_or_counted(fields: dict[str, object]) -> None:
    """Both or neither is a mistake."""
    with pytest.raises(ValidationError, match="either hosts or a count"):
        NodeGroup.model_validate({"memory": "1g", "vcores": 1, **fields})


def test_a_group_has_a_rack() -> None:
    """An empty list of racks is a mistake."""
    with pytest.raises(ValidationError, match="racks is empty"):
        NodeGroup(count=1, racks=(), memory_mb=1, vcores=1)
