"""Between the protocol's records and the model's objects, for YARN."""

from collections.abc import Sequence

from engine.control_plane.protocol import Ask, Cleanup, Grant
from engine.model.cluster import Cluster
from engine.model.decision import Allocated, Decision, Killed
from engine.model.ledger import Container
from engine.model.request import ANY, ResourceRequest


def requests(asks: Sequence[Ask]) -> list[ResourceRequest]:
    """Asks as the model keeps them; new objects, since a scheduler normalises in place."""
    return [_request(ask) for ask in asks]


def _request(ask: Ask) -> ResourceRequest:
    return ResourceRequest(
        ask.priority,
        ask.resource_name,
        ask.memory_mb,
        ask.vcores,
        ask.count,
        ask.relax_locality,
        ask.partition,
        ask.allocation_id,
    )


def name_partition(asks: Sequence[ResourceRequest], partition: str) -> None:
    """Name the application's partition in asks for anywhere that name none. Source: DefaultAMSProcessor, 3.4.1."""
    for ask in asks:
        if ask.resource_name == ANY and not ask.partition:
            ask.partition = partition


def grant(container: Container) -> Grant:
    """A container as it is handed to its AM."""
    size = container.memory_mb, container.vcores
    return Grant(container.id, container.node.id, container.priority, *size, container.created_ms)


def cleanups(decisions: Sequence[Decision]) -> tuple[Cleanup, ...]:
    """Orders to the nodes whose containers were ended from here."""
    killed = [decision for decision in decisions if type(decision) is Killed]
    return tuple([Cleanup(each.node, each.container) for each in killed if each.cause != "LOST"]) if killed else ()


def fetch_masters(cluster: Cluster, decisions: Sequence[Decision]) -> tuple[Grant, ...]:
    """Fetch the AM containers among new allocations. Source: RMAppAttemptImpl#AMContainerAllocatedTransition."""
    masters: list[Grant] = []
    for decision in decisions:
        if type(decision) is not Allocated:
            continue
        application = cluster.applications.get(decision.container[0])
        attempt = application.attempt if application is not None else None
        if attempt is None or attempt.unmanaged or attempt.master is not None:
            continue
        for container in cluster.fetch(attempt):
            attempt.master, container.is_am = container.id[2], True
            masters.append(grant(container))
    return tuple(masters)
