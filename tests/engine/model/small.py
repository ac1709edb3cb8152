"""A small YARN cluster of the model alone: no scheduler and no ResourceManager."""

from engine.model.cluster import Cluster
from engine.model.ledger import Application, Attempt, Container
from engine.model.request import ANY, OFF_SWITCH, Queue, Resource, ResourceRequest

START_MS = 1_510_360_200_000
"""A cluster timestamp, and the clock of the tests."""


def cluster_of(nodes: int = 2) -> Cluster:
    """Nodes `n1:1` … of 8192 MB and 8 vcores, in racks of two."""
    cluster = Cluster(START_MS)
    for number in range(1, nodes + 1):
        cluster.add_node(f"n{number}", 1, f"/r{(number + 1) // 2}", 8192, 8)
    return cluster


def attempt_in(cluster: Cluster, number: int = 1, *, queue: Queue | None = None, am: Resource | None = None) -> Attempt:
    """The running attempt of a new application, unmanaged unless `am` is given."""
    application = Application(number, "ann", "root.etl", am, START_MS)
    application.state = "RUNNING"
    cluster.applications[number] = application
    queue = queue or Queue("root.etl", Queue("root", None))
    application.attempt = Attempt(application, 1, queue, START_MS)
    return application.attempt


def ask(cluster: Cluster, attempt: Attempt, count: int, memory_mb: int = 1024, priority: int = 1) -> ResourceRequest:
    """Ask for containers of 2 vcores anywhere; the request."""
    request = ResourceRequest(priority, ANY, memory_mb, 2, count)
    cluster.update_requests(attempt, [request])
    return request


def allocated(cluster: Cluster, attempt: Attempt, memory_mb: int = 1024, node: str = "n1:1") -> Container:
    """A container that was asked for and given to an attempt at the start."""
    request = ask(cluster, attempt, 1, memory_mb)
    number = attempt.next_container_number()
    group = attempt.group(request.priority)
    return cluster.allocate(attempt, group, request, request, cluster.nodes[node], OFF_SWITCH, number, START_MS)


def running(cluster: Cluster, attempt: Attempt, memory_mb: int = 1024, node: str = "n1:1") -> Container:
    """A container that was given, fetched and launched."""
    container = allocated(cluster, attempt, memory_mb, node)
    cluster.fetch(attempt)
    container.transition("LAUNCH")
    return container
