"""What never changes during a run: the scenario's times, nodes' places, arrivals and faults; shared by all forks."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from engine.scenario.acts import Act
from engine.workload.arrivals import Arrival
from engine.workload.master import Topology


class Ground(NamedTuple):
    """What never changes during a run; shared by all forks."""

    seed: int
    start_ms: int
    """Epoch ms."""
    heartbeat_ms: int
    am_heartbeat_ms: int
    launch_delay_ms: int
    register_delay_ms: int
    exit_delay_ms: int
    am_own_rhythm: bool
    """Whether masters' heartbeats count from their registration, not from a phase drawn."""
    expiry_ms: int
    """How long a silent node is believed alive."""
    node_recovery: bool
    """Whether containers outlive their node manager."""
    topology: Topology
    node_index: Mapping[str, int]
    """Place of each node, by `host:port` and by host."""
    arrivals: tuple[Arrival, ...]
    faults: tuple[tuple[int, Act], ...]
    """(epoch ms, fault), in order of time."""
    read_allocations: Callable[[str], object]
    """What makes the scheduler's own type of an allocation file's text; raises `ConfigError`."""
    retry_ms: int
    """How long nodes, masters and clients wait before they try a ResourceManager again."""
    master_expiry_ms: int
    """How long a silent application master is believed alive."""
    session_timeout_ms: int
    """After how long ZooKeeper knows that the active ResourceManager of a pair is gone; 0 where there is no pair."""
    kills_on_resync: bool
    """Whether a node kills its containers before it registers with another life of the ResourceManager."""
    naive: bool = False
    """True: every heartbeat and every call happens, also those without effect."""
