"""The machines of a scenario."""

import operator
from collections import Counter
from typing import Final, Literal, Self

from pydantic import Field, model_validator

from engine.scenario.parts import DurationMs, JavaInt, MemoryMb, Part

DEFAULT_RACK: Final = "/default-rack"
"""The rack of nodes whose rack nobody names. Source: NetworkTopology.DEFAULT_RACK."""

DEFAULT_PORT: Final = 8041

MAX_NODES: Final = 100_000
"""Most nodes of a cluster."""


class NodeSpec(Part):
    """One node."""

    host: str = Field(min_length=1)
    port: int = Field(default=DEFAULT_PORT, ge=1, le=65535)
    rack: str = DEFAULT_RACK
    memory_mb: MemoryMb
    vcores: JavaInt
    partition: str = ""
    phase_ms: DurationMs | None = None
    """When its first heartbeat comes after it joined; without it the scenario's seed decides."""
    state: Literal["RUNNING", "UNHEALTHY", "LOST", "DECOMMISSIONING", "DECOMMISSIONED"] = Field(
        default="RUNNING", exclude_if=lambda state: state == "RUNNING"
    )
    """As the control plane knows it at the start. Only YARN's nodes start otherwise than `RUNNING`."""

    @property
    def id(self) -> str:
        """`host:port`, as the ResourceManager names it."""
        return f"{self.host}:{self.port}"

    @property
    def is_down(self) -> bool:
        """Tell whether it takes no part at the start."""
        return self.state not in ("RUNNING", "DECOMMISSIONING")


class NodeGroup(Part):
    """Several alike nodes, named one by one (`hosts`) or by counting (`prefix` and `count`)."""

    hosts: tuple[str, ...] = ()
    """Names of the nodes, one by one."""
    count: int = Field(default=0, ge=0, le=100_000)
    """Number of nodes, named by `prefix` and a number."""
    prefix: str = "node"
    """Beginning of their names."""
    first: JavaInt = 1
    """The first node's number."""
    digits: int = Field(default=0, ge=0, le=20)
    """Numbers are padded with zeros to so many digits; 0 takes as many as the last number has."""
    port: int = Field(default=DEFAULT_PORT, ge=1, le=65535)
    racks: tuple[str, ...] = (DEFAULT_RACK,)
    """Dealt out in turn: node i is in rack i modulo their number."""
    memory_mb: MemoryMb
    vcores: JavaInt
    partition: str = ""

    @model_validator(mode="after")
    def _named_or_counted(self) -> Self:
        if bool(self.hosts) == bool(self.count):
            raise ValueError("give either hosts or a count of nodes")
        if not self.racks:
            raise ValueError("racks is empty")
        return self

    def nodes(self) -> tuple[NodeSpec, ...]:
        """The nodes of the group, in order."""
        last = self.first + self.count - 1
        digits = self.digits or len(str(last))
        hosts = self.hosts or tuple(f"{self.prefix}{number:0{digits}d}" for number in range(self.first, last + 1))
        return tuple(
            NodeSpec(
                host=host,
                port=self.port,
                rack=self.racks[index % len(self.racks)],
                memory_mb=self.memory_mb,
                vcores=self.vcores,
                partition=self.partition,
            )
            for index, host in enumerate(hosts)
        )


class ClusterSpec(Part):
    """The nodes of a cluster and how its processes talk."""

    nodes: tuple[NodeSpec, ...] = ()
    """Nodes one by one."""
    groups: tuple[NodeGroup, ...] = ()
    """Groups of alike nodes, after `nodes`."""
    heartbeat_ms: DurationMs = Field(default=1000, gt=0)
    """Between two heartbeats of a node. Source: yarn.resourcemanager.nodemanagers.heartbeat-interval-ms."""
    am_heartbeat_ms: DurationMs = Field(default=1000, gt=0)
    """Between two allocate calls of an application master. Source: AMRMClientAsync's usual interval."""
    launch_delay_ms: DurationMs = 0
    """From the order to launch until a container runs on its node."""
    register_delay_ms: DurationMs = 0
    """From the start of an application master's container until it registers."""
    exit_delay_ms: DurationMs = 0
    """From an application master's last work until its container has ended and gives back what it holds."""
    am_own_rhythm: bool = Field(default=False, exclude_if=operator.not_)
    """True: a master registers `register_delay` after its container began to run, calls at that rhythm from then on,
    and its node's next heartbeat tells of its end. False: it calls at a phase drawn from the seed, and registers after
    its node has reported it.

    Source: RMCommunicator.startAllocatorThread, AMRMClientAsyncImpl.HeartbeatThread (Hadoop 2.7.2, 3.4.1): True.
    """

    @model_validator(mode="after")
    def _hosts_are_different(self) -> Self:
        size = len(self.nodes) + sum(len(group.hosts) or group.count for group in self.groups)
        if size > MAX_NODES:
            raise ValueError(f"has {size:,} nodes; at most {MAX_NODES:,} are simulated")
        counts = Counter(node.id for node in self.all_nodes())
        twice = sorted(node for node, count in counts.items() if count > 1)
        if twice:
            raise ValueError(f"more than one node is called {', '.join(twice)}")
        return self

    def all_nodes(self) -> tuple[NodeSpec, ...]:
        """Every node in order of joining: first the single ones, then the groups'."""
        return self.nodes + tuple(node for group in self.groups for node in group.nodes())
