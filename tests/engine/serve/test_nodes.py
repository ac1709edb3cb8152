"""What a served cluster says of its nodes, and which applications and ids it knows."""

import json
from typing import Any

import pytest

from engine.formats.scenario_toml import loads
from engine.scenario import Scenario
from tests.engine.serve.asked import Asked, asked

LABELS = ("node-labels-capacity-3.4", 60_000)
SMALL = """
duration = "5m"
scheduler = "{scheduler}"
[settings]
"yarn.nm.liveness-monitor.expiry-interval-ms" = 10000
{settings}
[cluster]
nodes = [
    {{ host = "n1", memory = "4g", vcores = 4 }},
    {{ host = "n2", memory = "2g", vcores = 2 }},
    {{ host = "n3", memory = "2g", vcores = 2 }},
]
[[workload]]
type = "scripted"
name = "one"
user = "ann"
at = 1
number = 3
am = {{ memory = "512m" }}
waits = true
asks = [{{ memory = "1g", vcores = 2, count = 2 }}]
[[faults]]
do = "lose"
node = "n3"
at = 20
"""


CAPACITY = """
"yarn.scheduler.capacity.root.queues" = "default"
"yarn.scheduler.capacity.root.default.capacity" = "100"
"yarn.scheduler.capacity.maximum-am-resource-percent" = "1"
"yarn.cluster.max-application-priority" = "9"
"""


def small(scheduler: str = "fair-2.7") -> Scenario:
    """Three nodes, of which the last is lost, and an application that stays."""
    settings = CAPACITY if scheduler.startswith("capacity") else ""
    return loads(SMALL.format(scheduler=scheduler, settings=settings), "small")


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nodes/n1", 400, "Invalid NodeId [n1]. Expected host:port"),
        ("/nodes/n1:80:41", 400, "Invalid NodeId [n1:80:41]. Expected host:port"),
        ("/nodes/n9:8041", 404, "java.lang.Exception: nodeId, n9:8041, is not found"),
        ("/nodes?states=UP", 400, "No enum constant org.apache.hadoop.yarn.api.records.NodeState.UP"),
        ("/nodes?states=shutdown", 400, "No enum constant org.apache.hadoop.yarn.api.records.NodeState.SHUTDOWN"),
    ],
)
def test_what_is_no_node_or_state_is_refused(path: str, status: int, words: str) -> None:
    said = Asked(small(), 5000).ask(path)
    assert (said.status, json.loads(said.body)["RemoteException"]["message"]) == (status, words)
    assert asked(*LABELS).ask("/nodes?states=shutdown,running").status == 200


@pytest.mark.parametrize("era", ["2.7", "3.4"])
def test_labels_are_named_once_with_what_their_nodes_have(era: str) -> None:
    one = asked(*LABELS, era)
    nodes = [node for node in one.served.nodes() if node.partition]
    names = sorted({node.partition for node in nodes})
    said = one.json("/get-node-labels")
    found = said["nodeLabels"] if era == "2.7" else said["nodeLabelInfo"]
    every = found if isinstance(found, list) else [found]
    assert isinstance(found, list) == (len(names) > 1)
    if era == "2.7":
        assert every == names
    else:
        sizes = {name: sum(node.total_memory_mb for node in nodes if node.partition == name) for name in names}
        assert {each["name"]: each["partitionInfo"]["resourceAvailable"]["memory"] for each in every} == sizes
    entries: Any = one.json("/get-node-to-labels")["nodeToLabels"]["entry"]
    rows = entries if isinstance(entries, list) else [entries]
    assert isinstance(entries, list) == (len(nodes) > 1)
    labels = {each["key"]: each["value"]["nodeLabels" if era == "2.7" else "nodeLabelInfo"] for each in rows}
    known = {node.id: node.partition for node in nodes}
    assert labels == (
        known if era == "2.7" else {key: {"name": name, "exclusivity": "true"} for key, name in known.items()}
    )
