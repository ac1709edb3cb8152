"""Holds what never changes during a run: intervals, places of nodes, arrivals and faults."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from engine.scenario.acts import Act
from engine.workload.arrivals import Arrival
from engine.workload.master import Topology


class Ground(NamedTuple):
    """The fixed facts of a run; all forks share them."""

    seed: int
    start_ms: int
    """Epoch ms."""
    heartbeat_ms: int
    am_heartbeat_ms: int
    launch_delay_ms: int
    register_delay_ms: int
    exit_delay_ms: int
    am_own_rhythm: bool
    """True where masters' heartbeats count from their registration, not from a phase that is drawn."""
    expiry_ms: int
    """Time after which a silent node counts as lost."""
    node_recovery: bool
    """True where containers outlive their node manager."""
    topology: Topology
    node_index: Mapping[str, int]
    """Place of each node, by `host:port` and by host."""
    arrivals: tuple[Arrival, ...]
    faults: tuple[tuple[int, Act], ...]
    """(epoch ms, fault), in order of time."""
    read_allocations: Callable[[str], object]
    """Parses the text of an allocation file for the scheduler; raises `ConfigError`."""
    retry_ms: int
    """Wait of nodes, masters and clients before they try a ResourceManager again."""
    master_expiry_ms: int
    """Time after which a silent application master counts as lost."""
    session_timeout_ms: int
    """Time after which ZooKeeper knows that the active ResourceManager of a pair is gone; 0 where there is no pair."""
    kills_on_resync: bool
    """True where a node kills its containers before it registers with a ResourceManager that has restarted."""
    naive: bool = False
    """True where every heartbeat and every call is played, also those without effect."""
