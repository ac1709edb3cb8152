"""A simulation as it is asked: its ResourceManager at this instant, and what is known of before."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.control_plane.protocol import Answer
from engine.control_plane.resource_manager import ResourceManager
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.model.cluster import Cluster
from engine.model.identity import ConcurrentHashOrder, application_id_hash, application_name
from engine.model.ledger import Application, Node
from engine.model.resource import Resource
from engine.scenario.acts import Act
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.fair34.scheduler import FairScheduler34
from engine.serve.past import ApplicationPast
from engine.serve.release import HadoopRelease
from engine.simulation.events import NODE_HEARTBEAT
from engine.simulation.node_manager import NodeManager
from engine.simulation.simulation import Simulation

NODE_HTTP_PORT: Final = 8042
"""Port of a node's web pages. Source: yarn.nodemanager.webapp.address."""
MASTER_PORT: Final = 40000
"""Port of an application master. Differs: all masters have port 40000; a real one takes any that is free."""


class ServedCluster:
    """A simulation as a ResourceManager that is asked: the source of every answer."""

    def __init__(
        self,
        simulation: Callable[[], Simulation],
        act: Callable[[Act], Answer],
        past: ApplicationPast,
        release: HadoopRelease,
        address: str,
        reported: Callable[[Node], Node] = lambda node: node,
    ) -> None:
        """Look at a simulation.

        Args:
            simulation: Says which one; it stands between two instants whenever it is looked at.
            act: Does something to it from outside; raises `RefusedError`.
            past: Listens to it since its beginning.
            address: `host:port` of the server, for links in its answers.
            reported: What is said of a node.
        """
        self._simulation = simulation
        self.act = act
        self.past = past
        self.release = release
        self.address = address
        self.reported = reported
        self._promised = 0
        """The last number of an application that was given to a client."""

    @property
    def simulation(self) -> Simulation:
        """The simulation that is asked."""
        return self._simulation()

    @property
    def rm(self) -> ResourceManager:
        """Its control plane."""
        control_plane = self.simulation.control_plane
        assert isinstance(control_plane, ResourceManager), "only a ResourceManager is served"
        return control_plane

    @property
    def view(self) -> YarnClusterView:
        """The view of its cluster."""
        return self.rm.view()

    @property
    def cluster(self) -> Cluster:
        """The cluster as its ResourceManager believes it to be."""
        return self.rm.cluster

    @property
    def now_ms(self) -> int:
        """Epoch ms by the clock of the simulation."""
        return self.simulation.now_ms

    @property
    def scheduler_kind(self) -> str:
        """`fair`, `capacity` or `fifo`."""
        return self.rm.scheduler.policy.kind

    @property
    def fair(self) -> FairScheduler27 | FairScheduler34 | None:
        """Its policy, where that is a fair scheduler."""
        policy = self.rm.scheduler.policy
        return policy if isinstance(policy, FairScheduler27 | FairScheduler34) else None

    @property
    def sizes(self) -> tuple[Resource, Resource]:
        """The smallest and the largest container."""
        policy = self.rm.scheduler.policy
        return policy.minimum, policy.maximum.effective

    def id_of(self, application: Application) -> str:
        """`application_<cluster timestamp>_<number>`."""
        return application_name(self.cluster.cluster_timestamp, application.number)

    def next_id(self) -> str:
        """An id that no application has and that is given once."""
        self._promised = max(self._promised + 1, self.simulation.world.next_application)
        return application_name(self.cluster.cluster_timestamp, self._promised)

    def applications(self) -> list[Application]:
        """Live ones and those remembered, in the order of the ResourceManager's own map."""
        cluster, order = self.cluster, ConcurrentHashOrder()
        everyone = {str(each.number): each for each in (*cluster.finished, *cluster.applications.values())}
        for number in sorted(map(int, everyone)):
            order.add(str(number), application_id_hash(cluster.cluster_timestamp, number))
        return [everyone[key] for key in order.keys()]  # noqa: SIM118 -- no dict

    def application(self, number: int) -> Application | None:
        """A live or remembered one."""
        cluster = self.cluster
        live = cluster.applications.get(number)
        return live or next((each for each in cluster.finished if each.number == number), None)

    def nodes(self) -> list[Node]:
        """List nodes that are up or unhealthy in the order of the ResourceManager's own map, then those that left."""
        cluster = self.cluster
        up = [cluster.nodes[node_id] for node_id in cluster.node_order.keys()]  # noqa: SIM118 -- no dict
        down = list(cluster.down.values())
        unhealthy = [node for node in down if node.state == "UNHEALTHY"]
        return [*up, *unhealthy, *(node for node in down if node.state != "UNHEALTHY")]

    def heartbeats(self) -> Mapping[str, int]:
        """Id of a node → when it last reported [epoch ms]; 0 before the first time."""
        return {each.id: self._heartbeat_ms(each) for each in self.simulation.world.nodes}

    def _heartbeat_ms(self, node: NodeManager) -> int:
        """Heartbeats without effect are not simulated, but the rhythm says when they are."""
        world = self.simulation.world
        if not (node.up and node.member):
            return max(node.last_beat_ms, 0)
        interval_ms = world.ground.heartbeat_ms
        return world.clock.last_beat_ms(node.phase_ms, interval_ms, NODE_HEARTBEAT, node.index)
