"""`/nodes` and `/nodes/{id}`.

Source: NodeInfo, RMWebServices#getNodes, Hadoop 2.7.2 and 3.4.1. Differs: what machines really use is not simulated,
so every utilisation of 3.4.1 is 0.
"""

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Final, NamedTuple

from engine.model.ledger import Node
from engine.serve.errors import illegal_argument, not_found
from engine.serve.fields import Document, Field, Table, amount, constant, written
from engine.serve.served import NODE_HTTP_PORT, ServedCluster

STATES: Final = ("NEW", "RUNNING", "UNHEALTHY", "DECOMMISSIONED", "LOST", "REBOOTED")
STATES_34: Final = (*STATES, "DECOMMISSIONING", "SHUTDOWN")
GONE: Final = frozenset({"LOST", "DECOMMISSIONED", "REBOOTED", "SHUTDOWN"})
"""States in which a node has no web page."""
_PACKAGE: Final = "org.apache.hadoop.yarn.api.records"

_UTILISATION: Final = {
    "nodePhysicalMemoryMB": 0,
    "nodeVirtualMemoryMB": 0,
    "nodeCPUUsage": 0.0,
    "aggregatedContainersPhysicalMemoryMB": 0,
    "aggregatedContainersVirtualMemoryMB": 0,
    "containersCPUUsage": 0.0,
}


class NodeFacts(NamedTuple):
    """A node, and what is not its own."""

    node: Node
    served: ServedCluster
    heartbeat_ms: int

    @property
    def is_known(self) -> bool:
        """True if the scheduler knows it; of others there is no use to report."""
        return self.node.state == "RUNNING"


def _if_known(name: str) -> Callable[[NodeFacts], int]:
    read = attrgetter(name)
    return lambda facts: int(read(facts.node)) if facts.is_known else 0


def _resource(memory: str, vcores: str, *, of_known: bool = True) -> Callable[[NodeFacts], Document | None]:
    read = attrgetter(memory, vcores)
    return lambda facts: amount(facts.served.release, *read(facts.node)) if facts.is_known or not of_known else None


NODE: Final[Table[NodeFacts]] = (
    Field("rack", attrgetter("node.rack")),
    Field("state", attrgetter("node.state")),
    Field("id", attrgetter("node.id")),
    Field("nodeHostName", attrgetter("node.host")),
    Field("nodeHTTPAddress", lambda facts: "" if facts.node.state in GONE else f"{facts.node.host}:{NODE_HTTP_PORT}"),
    Field("lastHealthUpdate", attrgetter("heartbeat_ms")),
    Field("version", attrgetter("served.release.version")),
    Field("healthReport", constant("")),
    Field("numContainers", lambda facts: len(facts.node.containers) if facts.is_known else 0),
    Field("usedMemoryMB", _if_known("used_memory_mb")),
    Field("availMemoryMB", _if_known("free_memory_mb")),
    Field("usedVirtualCores", _if_known("used_vcores")),
    Field("availableVirtualCores", _if_known("free_vcores")),
    Field("memUtilization", constant(0.0), since_34=True),
    Field("cpuUtilization", constant(0.0), since_34=True),
    Field("numRunningOpportContainers", constant(0), since_34=True),
    Field("usedMemoryOpportGB", constant(0), since_34=True),
    Field("usedVirtualCoresOpport", constant(0), since_34=True),
    Field("numQueuedContainers", constant(0), since_34=True),
    Field("nodeLabels", lambda facts: [facts.node.partition] if facts.node.partition else None),
    Field("allocationTags", constant({}), since_34=True),
    Field("resourceUtilization", constant(_UTILISATION), since_34=True),
    Field("usedResource", _resource("used_memory_mb", "used_vcores"), since_34=True),
    Field("availableResource", _resource("free_memory_mb", "free_vcores"), since_34=True),
    Field("nodeAttributesInfo", constant({}), since_34=True),
    Field("totalResource", _resource("total_memory_mb", "total_vcores", of_known=False), since_34=True),
)


def nodes(served: ServedCluster, states: str | None) -> Document:
    """`/ws/v1/cluster/nodes`, those in some states (separated by commas) or all.

    Raises:
        RestError: There is no such state.
    """
    wanted = None if states is None else set(_states(served, states.split(",")))
    found = [node for node in served.nodes() if wanted is None or node.state in wanted]
    rows = _rows(served, found)
    return {"node": rows} if rows else {}


def node(served: ServedCluster, node_id: str) -> Document:
    """`/ws/v1/cluster/nodes/{id}`.

    Raises:
        RestError: There is none, or it is no id.
    """
    if node_id.count(":") != 1:
        raise illegal_argument(f"Invalid NodeId [{node_id}]. Expected host:port")
    known = served.cluster.nodes.get(node_id) or served.cluster.down.get(node_id)
    if known is None:
        raise not_found(f"nodeId, {node_id}, is not found")
    return _rows(served, [known])[0]


def _rows(served: ServedCluster, found: Iterable[Node]) -> list[Document]:
    heartbeats = served.heartbeats()
    facts = (NodeFacts(served.reported(each), served, heartbeats.get(each.id, 0)) for each in found)
    return [written(NODE, each, served.release) for each in facts]


def _states(served: ServedCluster, names: Iterable[str]) -> Iterable[str]:
    known = STATES_34 if served.release.is_34 else STATES
    for name in names:
        if name.upper() not in known:
            raise illegal_argument(f"No enum constant {_PACKAGE}.NodeState.{name.upper()}")
        yield name.upper()


def node_labels(served: ServedCluster) -> Document | None:
    """The partitions there are; 2.7.2 says nothing where there is none."""
    names = sorted({node.partition for node in served.nodes() if node.partition})
    if not names:
        return {} if served.release.is_34 else None
    if not served.release.is_34:
        return {"nodeLabels": names[0] if len(names) == 1 else names}
    found = []
    for name in names:
        up = [node for node in served.nodes() if node.partition == name and node.state == "RUNNING"]
        total = amount(served.release, sum(node.total_memory_mb for node in up), sum(node.total_vcores for node in up))
        found.append({**_label(name), "partitionInfo": {"resourceAvailable": total}})
    return {"nodeLabelInfo": found[0] if len(found) == 1 else found}


def node_to_labels(served: ServedCluster) -> Document:
    """Nodes that have a label, with it.

    Differs: `/get-node-to-labels` has each node once, by its full id; a real server also lists labels given to a whole
    host, as `HOST:0`.
    """
    labelled = {node.id: node.partition for node in served.nodes() if node.partition}
    is_34 = served.release.is_34
    entries = [
        {"key": name, "value": {"nodeLabelInfo": _label(label)} if is_34 else {"nodeLabels": label}}
        for name, label in labelled.items()
    ]
    if not entries:
        return {"nodeToLabels": None}
    return {"nodeToLabels": {"entry": entries[0] if len(entries) == 1 else entries}}


def _label(name: str) -> Document:
    return {"name": name, "exclusivity": "true"}
