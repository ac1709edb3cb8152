"""A small cluster under the fair scheduler of 3.x."""

from engine.control_plane.protocol import Answer, ApplicationMasterHeartbeat, Ask, NodeHeartbeat
from engine.control_plane.resource_manager import ResourceManager
from engine.model.decision import ContainerId, Decision
from engine.schedulers.fair.schedulable import FairAttempt, FairQueue
from engine.schedulers.fair34.scheduler import FairScheduler34
from tests.build import START_MS, attempt_of, resource_manager, update

FAIR = "yarn.scheduler.fair."
MULTIPLE = {FAIR + "assignmultiple": "true", FAIR + "dynamic.max.assign": "false"}


def cluster(queues: str = '<queue name="a"/><queue name="b"/>', **more: object) -> ResourceManager:
    """A ResourceManager whose applications fetch for themselves."""
    return resource_manager("fair-3.4", queues=queues, follow_attempts=False, **more)  # type: ignore[arg-type]  # passed on


def scheduler(rm: ResourceManager) -> FairScheduler34:
    assert isinstance(rm.scheduler.policy, FairScheduler34)
    return rm.scheduler.policy


def queue(rm: ResourceManager, path: str) -> FairQueue:
    return scheduler(rm).tree.queues[path]


def attempt(rm: ResourceManager, number: int) -> FairAttempt:
    found = attempt_of(rm, number)
    assert isinstance(found, FairAttempt)
    return found


def ask_at(
    rm: ResourceManager, number: int, *places: tuple[str, int], memory_mb: int = 1024, relax: bool = True
) -> Answer:
    """An AM call that asks at places."""
    asks = tuple(Ask(1, place, memory_mb, 1, count, relax) for place, count in places)
    return rm.handle(ApplicationMasterHeartbeat(number, asks), START_MS)


def beat(rm: ResourceManager, now_ms: int = START_MS, *, ended: tuple[ContainerId, ...] = ()) -> list[Decision]:
    """A heartbeat of every node that reports what was fetched as started, and what ended where."""
    decisions: list[Decision] = []
    for node in list(rm.cluster.nodes.values()):
        started = tuple(each.id for each in node.containers.values() if each.state == "ACQUIRED")
        here = tuple((each, 0) for each in ended if each in node.containers)
        decisions += rm.handle(NodeHeartbeat(node.id, started, here), now_ms).decisions
    return decisions


def tick(rm: ResourceManager, now_ms: int = START_MS) -> list[Decision]:
    return [decision for name in ("due_kills", "update", "preempt") for decision in rm.run_pass(name, now_ms).decisions]


__all__ = ["FAIR", "MULTIPLE", "ask_at", "attempt", "beat", "cluster", "queue", "scheduler", "tick", "update"]
